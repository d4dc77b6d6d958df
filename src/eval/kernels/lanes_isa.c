/* Which instruction set's lane functions are found: those of the widest that the machine has, or of
 * the one that the thread has entered (isa.h), which is the variant of its work for the pool. */
#include "eval/kernel/lanes_isa.h"

#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"
#include "eval/kernel/isa.h"
#include "eval/kernels/fft/fft_kernels.h"
#include "eval/kernels/gemm/gemm_kernels.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/kernels/random/random_kernels.h"
#include "eval/kernels/reduce/fold_kernels.h"
#include "eval/kernels/sort/key_kernels.h"

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

/* The set of avx512 with one part more. */
extern const hlo_lanes_set hlo_lanes_set_avx512_bf16;
static const hlo_lanes_set *set_of_bf16(void) {
    bool has = has_avx512() && __builtin_cpu_supports("avx512bf16");
    return has ? &hlo_lanes_set_avx512_bf16 : NULL;
}

const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    switch (i) {
    case 0: return &HLO_LANES_PART(set);
    case 1: return has_avx2() ? &hlo_lanes_set_avx2 : NULL;
    case 2: return has_avx512() ? &hlo_lanes_set_avx512 : NULL;
    case 3: return set_of_bf16();
    default: return NULL;
    }
}
#else
const hlo_lanes_set *hlo_lanes_set_at(uint32_t i) {
    return i == 0 ? &HLO_LANES_PART(set) : NULL;
}
#endif

static uint32_t count_sets(void) {
    uint32_t count = 0;
    while (hlo_lanes_set_at(count)) count++;
    return count;
}

/* Asked for at each move: the processor is asked once. Threads that ask at the same time find the
 * same. */
static const hlo_lanes_set *widest(void) {
    static _Atomic(const hlo_lanes_set *) found;
    const hlo_lanes_set *set = atomic_load_explicit(&found, memory_order_acquire);
    if (set) return set;
    set = hlo_lanes_set_at(count_sets() - 1);
    atomic_store_explicit(&found, set, memory_order_release);
    return set;
}

static const hlo_lanes_set *current(void) {
    hlo_isa entered = hlo_pool_variant();
    return entered ? hlo_lanes_set_at(entered - 1) : widest();
}

const char *hlo_isa_name(uint32_t number) {
    const hlo_lanes_set *set = hlo_lanes_set_at(number);
    return set ? set->name : NULL;
}

bool hlo_isa_find(const char *name, hlo_isa *isa) {
    const char *known;
    for (uint32_t i = 0; (known = hlo_isa_name(i)); i++) {
        if (strcmp(known, name) != 0) continue;
        *isa = i + 1;
        return true;
    }
    return false;
}

const char *hlo_isa_current(void) {
    return current()->name;
}

hlo_isa hlo_isa_enter(hlo_isa isa, const char **name) {
    hlo_isa before = hlo_pool_enter_variant(isa);
    if (name) *name = hlo_isa_current();
    return before;
}

void hlo_isa_leave(void *before) {
    hlo_pool_enter_variant(*(const hlo_isa *)before);
}

#define PUBLIC(name, parameters, arguments)     \
    hlo_lanes_fn *hlo_lanes_##name parameters { \
        return current()->of_##name arguments;  \
    }
HLO_LANES_PARTS(PUBLIC)

#define CHOSEN(family)                                             \
    const struct hlo_##family##_set *hlo_##family##_chosen(void) { \
        return current()->family;                                  \
    }
HLO_KERNEL_FAMILIES(CHOSEN)
