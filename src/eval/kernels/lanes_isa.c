/* Which instruction set's lane functions run: the widest that the machine has, or the one that was
 * chosen (isa.h). Called by lanes.c and by kernels that look up a part. */
#include "eval/kernels/lanes_isa.h"

#include <stdatomic.h>

#include "eval/kernels/gemm_kernels.h"
#include "eval/kernels/isa.h"
#include "eval/kernels/move_kernels.h"

/* The Makefile compiles the wider sets for these processors. */
#if defined __x86_64__
extern const hlo_lanes_set hlo_lanes_set_avx2, hlo_lanes_set_avx512;
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    if (i == 0) return &HLO_LANES_PART(set);
    if (i == 1 && has_avx2()) return &hlo_lanes_set_avx2;
    return i == 2 && has_avx512() ? &hlo_lanes_set_avx512 : NULL;
}
#else
const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    return i == 0 ? &HLO_LANES_PART(set) : NULL;
}
#endif

/* NULL until somebody asks. Threads that ask at the same time find the same. */
static _Atomic(const hlo_lanes_set *) chosen;

static const hlo_lanes_set *current(void) {
    const hlo_lanes_set *set = atomic_load_explicit(&chosen, memory_order_acquire);
    if (set) return set;
    for (uint32_t i = 0; hlo_lanes_set_at(i); i++) set = hlo_lanes_set_at(i);
    atomic_store_explicit(&chosen, set, memory_order_release);
    return set;
}

const char *hlo_isa_name(uint32_t i) {
    const hlo_lanes_set *set = hlo_lanes_set_at(i);
    return set ? set->name : NULL;
}

bool hlo_isa_choose(const char *name) {
    const hlo_lanes_set *set;
    for (uint32_t i = 0; (set = hlo_lanes_set_at(i)); i++)
        if (strcmp(set->name, name) == 0) break;
    if (set) atomic_store_explicit(&chosen, set, memory_order_release);
    return set != NULL;
}

#define PUBLIC(name, parameters, arguments)     \
    hlo_lanes_fn *hlo_lanes_##name parameters { \
        return current()->of_##name arguments;  \
    }
HLO_LANES_PARTS(PUBLIC)

const hlo_gemm_set *hlo_gemm_chosen(void) {
    return current()->gemm;
}

const hlo_move_set *hlo_moves_chosen(void) {
    return current()->moves;
}
