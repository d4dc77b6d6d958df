/* The list of what is unfinished: see unfinished.h. */
#include "base/unfinished.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <hlo/output.h>

#include "base/assert.h"

/* Whoever has the lock has no signals, so that a handler, which waits for it, never waits for its
 * own thread. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static hlo_unfinished *newest;

void hlo_signals_block(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* of a file that shrinks, in this thread: it cannot wait */
    pthread_sigmask(SIG_SETMASK, &all, before);
}

void hlo_signals_unblock(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void take_lock(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) continue;
}

static void give_lock(void) {
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

hlo_unfinished *hlo_unfinished_new(size_t capacity) {
    return calloc(1, sizeof(hlo_unfinished) + capacity);
}

void hlo_unfinished_add(hlo_unfinished *file) {
    sigset_t before;
    hlo_signals_block(&before);
    take_lock();
    file->next = newest;
    if (newest) newest->prev = file;
    newest = file;
    give_lock();
    hlo_signals_unblock(&before);
}

static void take_out(hlo_unfinished *file) {
    HLO_ASSERT(!file->next || file->next->prev == file);
    HLO_ASSERT(!file->prev || file->prev->next == file);
    if (file->next) file->next->prev = file->prev;
    if (file->prev) file->prev->next = file->next;
    else if (newest == file) newest = file->next;
}

void hlo_unfinished_free(hlo_unfinished *file) {
    sigset_t before;
    if (!file) return;
    hlo_signals_block(&before);
    take_lock();
    take_out(file);
    give_lock();
    hlo_signals_unblock(&before);
    free(file);
}

/* Newest first: directories were made before what is in them. */
void hlo_remove_unfinished(void) {
    take_lock();
    for (const hlo_unfinished *file = newest; file; file = file->next) {
        if (file->is_directory) rmdir(file->name);
        else unlink(file->name);
    }
    give_lock();
}
