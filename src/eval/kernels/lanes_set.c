/* The parts of the instruction set that this is compiled for. Called by lanes_isa.c. */
#include "eval/kernels/lanes_isa.h"

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define MEMBER(name, parameters, arguments) .of_##name = HLO_LANES_PART(name),
#define FAMILY(family) .family = &HLO_LANES_PART(family),

const hlo_lanes_set HLO_LANES_PART(set) = {.name = TEXT(HLO_ISA),
                                           HLO_KERNEL_FAMILIES(FAMILY) HLO_LANES_PARTS(MEMBER)};
