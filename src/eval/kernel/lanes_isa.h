/* Lane functions for each instruction set. The parts below and lanes_set.c are compiled once for
 * each one (ISAS in the Makefile), with names that end with it; lanes_isa.c calls those that suit
 * the machine. Their results are the same bits: no set may contract a product and a sum. */
#ifndef HLO_EVAL_KERNEL_LANES_ISA_H
#define HLO_EVAL_KERNEL_LANES_ISA_H

#include "eval/kernel/lanes.h"

/* PART(name, its parameters, the same as arguments) */
#define HLO_LANES_PARTS(PART)                                                 \
    PART(integer, (hlo_opcode opcode, hlo_type type), (opcode, type))         \
    PART(float, (hlo_opcode opcode, hlo_type type), (opcode, type))           \
    PART(math, (hlo_opcode opcode, hlo_type type), (opcode, type))            \
    PART(bf16, (hlo_opcode opcode), (opcode))                                 \
    PART(complex, (hlo_opcode opcode, hlo_type type), (opcode, type))         \
    PART(compare, (int64_t direction, bool total_order, hlo_type type),       \
         (direction, total_order, type))                                      \
    PART(select, (hlo_type type), (type))                                     \
    PART(convert, (hlo_type from, hlo_type to), (from, to))                   \
    PART(single_float, (hlo_lanes_fn * of, uint32_t single), (of, single))    \
    PART(single_integer, (hlo_lanes_fn * of, uint32_t single), (of, single))  \
    PART(single_compare, (hlo_lanes_fn * of, uint32_t single), (of, single))  \
    PART(pair, (hlo_lanes_fn * first, hlo_lanes_fn * second, uint32_t place), \
         (first, second, place))

/* Inside the files of the parts: the name of what is being compiled. */
#if !defined HLO_ISA && defined __x86_64__
#define HLO_ISA sse2
#elif !defined HLO_ISA
#define HLO_ISA baseline
#endif
#define HLO_LANES_JOIN_(name, isa) hlo_lanes_##name##_##isa
#define HLO_LANES_JOIN(name, isa) HLO_LANES_JOIN_(name, isa)
#define HLO_LANES_PART(name) HLO_LANES_JOIN(name, HLO_ISA)
#define HLO_LANES_DECLARE(name, parameters, arguments) \
    hlo_lanes_fn *HLO_LANES_PART(name) parameters;
HLO_LANES_PARTS(HLO_LANES_DECLARE)

/* The variants of a type's functions. */
typedef struct {
    const hlo_lanes_variant *variants;
    size_t count;
} hlo_lanes_variants;
#define HLO_LANES_VARIANTS(variants) \
    { variants, sizeof(variants) / sizeof *(variants) }

/* The variant of a function among those of a part: n lists. */
static inline hlo_lanes_fn *hlo_lanes_find_single(const hlo_lanes_variants *lists, size_t n,
                                                  hlo_lanes_fn *of, uint32_t single) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < lists[k].count; i++) {
            const hlo_lanes_variant *variant = &lists[k].variants[i];
            if (variant->of == of && variant->single == single) return variant->run;
        }
    return NULL;
}
/* Defines a part of hlo_lanes_single with the lists of variants that are named. */
#define HLO_LANES_SINGLE_PART(part, ...)                                               \
    hlo_lanes_fn *HLO_LANES_PART(part)(hlo_lanes_fn * of, uint32_t single) {           \
        static const hlo_lanes_variants lists[] = {__VA_ARGS__};                       \
        return hlo_lanes_find_single(lists, sizeof lists / sizeof *lists, of, single); \
    }

/* Inner parts of families of kernels, FAMILY_kernels.c: a struct hlo_FAMILY_set each, which the
 * family gets by hlo_FAMILY_chosen (FAMILY_kernels.h). The Makefile finds them by the names of
 * their files. */
#define HLO_COMMON_FAMILIES(FAMILY) FAMILY(fft) FAMILY(fold) FAMILY(key) FAMILY(move) FAMILY(random)
#define HLO_KERNEL_FAMILIES(FAMILY) HLO_COMMON_FAMILIES(FAMILY) FAMILY(gemm)
#define HLO_FAMILY_DECLARE(family) \
    struct hlo_##family##_set;     \
    extern const struct hlo_##family##_set HLO_LANES_PART(family);
HLO_KERNEL_FAMILIES(HLO_FAMILY_DECLARE)

/* The parts of one instruction set. */
typedef struct {
    const char *name;
#define HLO_FAMILY_MEMBER(family) const struct hlo_##family##_set *family;
    HLO_KERNEL_FAMILIES(HLO_FAMILY_MEMBER)
#define HLO_LANES_MEMBER(name, parameters, arguments) hlo_lanes_fn *(*of_##name)parameters;
    HLO_LANES_PARTS(HLO_LANES_MEMBER)
} hlo_lanes_set;
extern const hlo_lanes_set HLO_LANES_PART(set);

/* The sets that run on this machine, from the plainest to the widest; NULL after the last one. */
const hlo_lanes_set *hlo_lanes_set_at(uint32_t i);

#endif
