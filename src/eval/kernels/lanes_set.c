/* The parts of the instruction set that this is compiled for. Called by lanes_isa.c. */
#include "eval/kernels/lanes_isa.h"

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define MEMBER(name, parameters, arguments) .of_##name = HLO_LANES_PART(name),

const hlo_lanes_set HLO_LANES_PART(set) = {.name = TEXT(HLO_ISA),
                                           .gemm = &HLO_LANES_PART(gemm),
                                           .fold = &HLO_LANES_PART(fold),
                                           .moves = &HLO_LANES_PART(moves),
                                           .fft = &HLO_LANES_PART(fft),
                                           .keys = &HLO_LANES_PART(keys),
                                           HLO_LANES_PARTS(MEMBER)};
