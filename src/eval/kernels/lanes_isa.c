/* Which instruction set's lane functions run: the widest that the machine has. Called by lanes.c
 * and by kernels that look up a part. */
#include "eval/kernels/lanes_isa.h"

#include <stdatomic.h>

/* The Makefile compiles the wider sets for these processors. */
#if defined __x86_64__
extern const hlo_lanes_set hlo_lanes_set_avx2, hlo_lanes_set_avx512;
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    if (i == 0) return &hlo_lanes_set_baseline;
    if (i == 1 && __builtin_cpu_supports("avx2")) return &hlo_lanes_set_avx2;
    return i == 2 && has_avx512() ? &hlo_lanes_set_avx512 : NULL;
}
#else
const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    return i == 0 ? &hlo_lanes_set_baseline : NULL;
}
#endif

/* Found once; threads that ask at the same time find the same. */
static const hlo_lanes_set *widest(void) {
    static _Atomic(const hlo_lanes_set *) found;
    const hlo_lanes_set *set = atomic_load_explicit(&found, memory_order_acquire);
    if (set) return set;
    for (uint32_t i = 0; hlo_lanes_set_at(i); i++) set = hlo_lanes_set_at(i);
    atomic_store_explicit(&found, set, memory_order_release);
    return set;
}

#define PUBLIC(name, parameters, arguments)     \
    hlo_lanes_fn *hlo_lanes_##name parameters { \
        return widest()->of_##name arguments;   \
    }
HLO_LANES_PARTS(PUBLIC)
