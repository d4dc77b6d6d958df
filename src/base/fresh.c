/* Filling memory that is handed out with a pattern. */
#include "base/fresh.h"

#include <string.h>
#include <unistd.h>

_Atomic uint64_t hlo_fresh_pattern;

void hlo_fresh_write(void *memory, size_t bytes) {
    uint64_t pattern = atomic_load_explicit(&hlo_fresh_pattern, memory_order_relaxed);
    char *to = memory;
    for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern)
        memcpy(to, &pattern, sizeof pattern);
    memcpy(to, &pattern, bytes);
}

#if defined HLO_FILL_FRESH
/* NaNs and numbers by turns, with other low bits each time; which come first depends on the
 * process. */
void hlo_fresh_next(void) {
    static _Atomic uint64_t runs;
    uint64_t run = atomic_fetch_add(&runs, 1) + (uint64_t)getpid();
    uint64_t word = run % 2 ? HLO_FRESH_NAN : HLO_FRESH_BYTES;
    atomic_store(&hlo_fresh_pattern, word ^ (run / 2 % 8) * UINT64_C(0x0101010101010101));
}
#endif
