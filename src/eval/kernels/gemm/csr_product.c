/* The custom call cpu_csr_sparse_dense_ffi: a matrix of compressed rows times a dense vector or
 * matrix. */
#include <complex.h>

#include "base/pool.h"
#include "eval/kernel/custom_call.h"
#include "eval/kernel/strides.h"

/* Operands: the elements, where each row starts among them, their columns, the dense factor. */
enum { ELEMENTS, ROW_STARTS, COLUMNS, DENSE, OPERAND_COUNT };

static bool are_shapes(const hlo_instr *instr) {
    const hlo_shape *out = instr->shape;
    if (instr->operand_count != OPERAND_COUNT || !hlo_shape_is_array(out)) return false;
    for (int i = 0; i < OPERAND_COUNT; i++)
        if (!hlo_shape_is_array(hlo_operand(instr, (uint32_t)i)->shape)) return false;
    const hlo_shape *elements = hlo_operand(instr, ELEMENTS)->shape;
    const hlo_shape *starts = hlo_operand(instr, ROW_STARTS)->shape;
    const hlo_shape *columns = hlo_operand(instr, COLUMNS)->shape;
    const hlo_shape *dense = hlo_operand(instr, DENSE)->shape;
    if (elements->rank != 1 || starts->rank != 1 || columns->rank != 1 || dense->rank < 1 ||
        dense->rank > 2 || out->rank != dense->rank || elements->type != dense->type ||
        elements->type != out->type || starts->type != columns->type)
        return false;
    return (starts->type == HLO_S32 || starts->type == HLO_S64) &&
           columns->dims[0] == elements->dims[0] && starts->dims[0] - 1 == out->dims[0] &&
           (out->rank == 1 || out->dims[1] == dense->dims[1]);
}

/* Whether rows follow each other among the elements and every column is one of the dense factor. */
static bool are_indices(hlo_value *const *args, int64_t rows) {
    int64_t count = args[ELEMENTS]->shape->dims[0], before = 0;
    for (int64_t i = 0; i <= rows; i++) {
        int64_t start = hlo_index_at(args[ROW_STARTS], i);
        if (start < before || start > count) return false;
        before = start;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t column = hlo_index_at(args[COLUMNS], k);
        if (column < 0 || column >= args[DENSE]->shape->dims[0]) return false;
    }
    return true;
}

typedef struct {
    hlo_range_body *product;
    int64_t rows, width; /* of the result */
    int64_t grain;       /* rows of a piece */
} csr_state;

/* Rows are independent. */
#define PRODUCT(name, type)                                                                 \
    static void name(void *context, int64_t first, int64_t last) {                          \
        const hlo_call *call = context;                                                     \
        hlo_value *const *in = call->in;                                                    \
        int64_t width = ((const csr_state *)call->state)->width;                            \
        const type *elements = in[ELEMENTS]->data, *dense = in[DENSE]->data;                \
        type *out = (type *)call->out->data + first * width;                                \
        for (int64_t i = first; i < last; i++, out += width) {                              \
            int64_t end = hlo_index_at(in[ROW_STARTS], i + 1);                              \
            for (int64_t k = hlo_index_at(in[ROW_STARTS], i); k < end; k++) {               \
                const type *row = dense + hlo_index_at(in[COLUMNS], k) * width;             \
                for (int64_t j = 0; j < width; j++) out[j] = out[j] + elements[k] * row[j]; \
            }                                                                               \
        }                                                                                   \
    }
/* Signed integers wrap. */
PRODUCT(product_s32, uint32_t)
PRODUCT(product_s64, uint64_t)
PRODUCT(product_f32, float)
PRODUCT(product_f64, double)
PRODUCT(product_c64, float _Complex)
PRODUCT(product_c128, double _Complex)

static hlo_range_body *product_of(hlo_type type) {
    switch (type) {
    case HLO_S32: return product_s32;
    case HLO_S64: return product_s64;
    case HLO_F32: return product_f32;
    case HLO_F64: return product_f64;
    case HLO_C64: return product_c64;
    case HLO_C128: return product_c128;
    default: return NULL;
    }
}

static const char *prepare_csr_product(hlo_preparation *p) {
    const hlo_shape *shape = p->instr->shape;
    hlo_range_body *product = product_of((hlo_type)shape->type);
    if (!are_shapes(p->instr) || !product)
        return "does not have the operands and result of a sparse product";
    csr_state *state = HLO_NEW_STATE(p, csr_state);
    state->product = product;
    state->rows = shape->dims[0];
    state->width = shape->rank == 2 ? shape->dims[1] : 1;
    /* Of all rows. */
    double work = (double)hlo_operand(p->instr, ELEMENTS)->shape->dims[0] * (double)state->width;
    state->grain = state->rows > 0 ? hlo_grain((int64_t)(work / (double)state->rows)) : 1;
    p->state = state;
    return NULL;
}

static bool run_csr_product(hlo_call *call) {
    const csr_state *state = call->state;
    if (!are_indices(call->in, state->rows))
        return hlo_call_error(call, "has rows or columns outside of its operands");
    hlo_value_clear(call->out);
    if (state->width > 0) hlo_parallel(state->rows, state->grain, state->product, call);
    return true;
}

const hlo_target hlo_target_csr_product = {prepare_csr_product, run_csr_product, true};
