/* Loops over keys: see key_kernels.h. Compiled for each instruction set. */
#include "eval/kernels/sort/key_kernels.h"

#include "eval/kernel/vectors.h"

#define NAME(word) JOIN(word, BITS)

#define U uint16_t
#define BITS 16
#include "eval/kernels/sort/key_kernels.inc"

#define U uint32_t
#define BITS 32
#include "eval/kernels/sort/key_kernels.inc"

#define U uint64_t
#define BITS 64
#include "eval/kernels/sort/key_kernels.inc"

const hlo_key_set HLO_LANES_PART(key) = {{{make_16, restore_16, least_16, take_less_16},
                                          {make_32, restore_32, least_32, take_less_32},
                                          {make_64, restore_64, least_64, take_less_64}}};
