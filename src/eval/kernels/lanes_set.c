/* The parts of the instruction set that this is compiled for. */
#include "eval/kernel/lanes_isa.h"

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define MEMBER(name, parameters, arguments) .of_##name = HLO_LANES_PART(name),
#define FAMILY(family) .family = &HLO_LANES_PART(family),

#define SET(isa, products) \
    { .name = TEXT(isa), .gemm = &(products), HLO_COMMON_FAMILIES(FAMILY) HLO_LANES_PARTS(MEMBER) }

const hlo_lanes_set HLO_LANES_PART(set) = SET(HLO_ISA, HLO_LANES_PART(gemm));

/* The same with products of pairs of bf16. */
#if defined __AVX512F__
extern const struct hlo_gemm_set hlo_lanes_gemm_avx512_bf16;
extern const hlo_lanes_set hlo_lanes_set_avx512_bf16;
const hlo_lanes_set hlo_lanes_set_avx512_bf16 = SET(avx512_bf16, hlo_lanes_gemm_avx512_bf16);
#endif
