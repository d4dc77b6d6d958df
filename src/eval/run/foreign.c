/* See foreign.h. What runs is known to the thread that called it, and the newest call of all
 * threads to those that the function itself started. */
#include "eval/kernel/foreign.h"

#include <hlo/engine.h>
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local const char *volatile own;
static _Atomic(const char *) newest;

void hlo_foreign_begin(hlo_foreign *foreign, const char *what) {
    foreign->what = what;
    foreign->outer = own;
    fegetenv(&foreign->environment);
    own = what;
    atomic_store(&newest, what);
}

void hlo_foreign_end(hlo_foreign *foreign) {
    const char *mine = foreign->what;
    fesetenv(&foreign->environment);
    own = foreign->outer;
    atomic_compare_exchange_strong(&newest, &mine, foreign->outer);
}

const char *hlo_foreign_call(void) {
    return own ? own : atomic_load(&newest);
}
