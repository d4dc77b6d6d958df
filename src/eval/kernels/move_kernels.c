/* The inner parts of kernels that move elements, see move_kernels.h. Compiled for each instruction
 * set. */
#include "eval/kernels/move_kernels.h"

#include "eval/kernels/lanes_isa.h"

/* ---- starts of windows ---- */

/* Unsigned numbers beyond INT64_MAX are as far out as that one. */
#define AS_IS(value) (int64_t)(value)
#define AT_MOST(value) (int64_t)((value) > INT64_MAX ? INT64_MAX : (value))

/* Neighbours are read by a loop of their own: the compiler makes vectors of it. */
#define FOR_INDICES(T, number, statement)                                         \
    const T *at = index->indices;                                                 \
    const int64_t stride = index->stride, last = index->last, unit = index->unit; \
    if (stride == 1) {                                                            \
        for (int64_t i = 0; i < n; i++) {                                         \
            int64_t value = number(at[i]);                                        \
            statement;                                                            \
        }                                                                         \
    } else {                                                                      \
        for (int64_t i = 0; i < n; i++) {                                         \
            int64_t value = number(at[i * stride]);                               \
            statement;                                                            \
        }                                                                         \
    }

#define DEFINE_STARTS(name, T, number)                                                        \
    static void add_clamped_##name(int64_t *starts, const hlo_move_index *index, int64_t n) { \
        FOR_INDICES(T, number,                                                                \
                    value = value > last ? last                                               \
                            : value < 0  ? 0                                                  \
                                         : value;                                              \
                    starts[i] += value * unit)                                                \
    }                                                                                         \
    static void add_fitting_##name(int64_t *starts, const hlo_move_index *index, int64_t n) { \
        FOR_INDICES(T, number, bool fits = value >= 0 && value <= last && starts[i] >= 0;     \
                    starts[i] = fits ? starts[i] + value * unit : -1)                         \
    }
DEFINE_STARTS(s8, int8_t, AS_IS)
DEFINE_STARTS(s16, int16_t, AS_IS)
DEFINE_STARTS(s32, int32_t, AS_IS)
DEFINE_STARTS(s64, int64_t, AS_IS)
DEFINE_STARTS(u8, uint8_t, AS_IS)
DEFINE_STARTS(u16, uint16_t, AS_IS)
DEFINE_STARTS(u32, uint32_t, AS_IS)
DEFINE_STARTS(u64, uint64_t, AT_MOST)

/* Integers of less than a byte are stored as bytes, with their sign. */
#define STARTS_OF(kind)                                                                           \
    {                                                                                             \
        [HLO_PRED] = kind##_u8, [HLO_S1] = kind##_s8, [HLO_S2] = kind##_s8, [HLO_S4] = kind##_s8, \
        [HLO_S8] = kind##_s8, [HLO_S16] = kind##_s16, [HLO_S32] = kind##_s32,                     \
        [HLO_S64] = kind##_s64, [HLO_U1] = kind##_u8, [HLO_U2] = kind##_u8, [HLO_U4] = kind##_u8, \
        [HLO_U8] = kind##_u8, [HLO_U16] = kind##_u16, [HLO_U32] = kind##_u32,                     \
        [HLO_U64] = kind##_u64,                                                                   \
    }

const hlo_move_set HLO_LANES_PART(moves) = {
    .add_clamped = STARTS_OF(add_clamped),
    .add_fitting = STARTS_OF(add_fitting),
};
