/* Lane functions that call the mathematical library, one element at a time: what the reference
 * engine and constant folding compute, and what has no vector kernel. */
#include <float.h>
#include <math.h>

#include "eval/kernel/lanes.h"

#define TYPE F32
#define T float
#define M(name) name##f
#define SMALLEST_NORMAL FLT_MIN
#include "eval/kernels/elementwise/lanes_libm.inc"

#define TYPE F64
#define T double
#define M(name) name
#define SMALLEST_NORMAL DBL_MIN
#include "eval/kernels/elementwise/lanes_libm.inc"

hlo_lanes_fn *hlo_lanes_libm(hlo_opcode opcode, hlo_type type) {
    return type == HLO_F32 ? functions_F32[opcode] : type == HLO_F64 ? functions_F64[opcode] : NULL;
}
