/* Lane functions for each instruction set. The parts below and lanes_set.c are compiled once for
 * each one (ISAS in the Makefile), with names that end with it; lanes_isa.c calls those that suit
 * the machine. Their results are the same bits: no set may contract a product and a sum. */
#ifndef HLO_EVAL_KERNELS_LANES_ISA_H
#define HLO_EVAL_KERNELS_LANES_ISA_H

#include "eval/kernels/lanes.h"

/* PART(name, its parameters, the same as arguments) */
#define HLO_LANES_PARTS(PART)                                           \
    PART(integer, (hlo_opcode opcode, hlo_type type), (opcode, type))   \
    PART(float, (hlo_opcode opcode, hlo_type type), (opcode, type))     \
    PART(math, (hlo_opcode opcode, hlo_type type), (opcode, type))      \
    PART(complex, (hlo_opcode opcode, hlo_type type), (opcode, type))   \
    PART(compare, (int64_t direction, bool total_order, hlo_type type), \
         (direction, total_order, type))                                \
    PART(select, (hlo_type type), (type))                               \
    PART(convert, (hlo_type from, hlo_type to), (from, to))

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

/* The parts of one instruction set, and its inner parts of Fourier transforms, reductions, matrix
 * products, keys and moves (fft_kernels.h, fold_kernels.h, gemm_kernels.h, key_kernels.h,
 * move_kernels.h). */
struct hlo_fft_set;
struct hlo_fold_set;
struct hlo_gemm_set;
struct hlo_key_set;
struct hlo_move_set;
extern const struct hlo_fft_set HLO_LANES_PART(fft);
extern const struct hlo_fold_set HLO_LANES_PART(fold);
extern const struct hlo_gemm_set HLO_LANES_PART(gemm);
extern const struct hlo_move_set HLO_LANES_PART(moves);
extern const struct hlo_key_set HLO_LANES_PART(keys);
typedef struct {
    const char *name;
    const struct hlo_fft_set *fft;
    const struct hlo_fold_set *fold;
    const struct hlo_gemm_set *gemm;
    const struct hlo_move_set *moves;
    const struct hlo_key_set *keys;
#define HLO_LANES_MEMBER(name, parameters, arguments) hlo_lanes_fn *(*of_##name)parameters;
    HLO_LANES_PARTS(HLO_LANES_MEMBER)
} hlo_lanes_set;
extern const hlo_lanes_set HLO_LANES_PART(set);

/* The sets that run on this machine, from the plainest to the widest; NULL after the last one. */
const hlo_lanes_set *hlo_lanes_set_at(uint32_t i);

#endif
