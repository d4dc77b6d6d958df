/* The custom call cpu_csr_sparse_dense_ffi: a matrix of compressed rows times a dense vector or
 * matrix. Called through custom_calls.def. */
#include <complex.h>

#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/solves.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"

/* Operands: the elements, where each row starts among them, their columns, the dense factor. */
enum { ELEMENTS, ROW_STARTS, COLUMNS, DENSE, OPERAND_COUNT };

static bool are_shapes(const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *out = instr->shape;
    if (instr->operand_count != OPERAND_COUNT || !hlo_shape_is_array(out)) return false;
    for (int i = 0; i < OPERAND_COUNT; i++)
        if (!hlo_shape_is_array(args[i]->shape)) return false;
    const hlo_shape *elements = args[ELEMENTS]->shape, *starts = args[ROW_STARTS]->shape;
    const hlo_shape *columns = args[COLUMNS]->shape, *dense = args[DENSE]->shape;
    if (elements->rank != 1 || starts->rank != 1 || columns->rank != 1 || dense->rank < 1 ||
        dense->rank > 2 || out->rank != dense->rank || elements->type != dense->type ||
        elements->type != out->type || starts->type != columns->type)
        return false;
    return (starts->type == HLO_S32 || starts->type == HLO_S64) &&
           columns->dims[0] == elements->dims[0] && starts->dims[0] == out->dims[0] + 1 &&
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
    hlo_value *const *args;
    void *result;
    int64_t rows, width; /* of the result */
} csr_product;

/* Rows are independent. */
#define PRODUCT(name, type)                                                                    \
    static void name(void *context, int64_t first, int64_t last) {                             \
        const csr_product *p = context;                                                        \
        const type *elements = p->args[ELEMENTS]->data, *dense = p->args[DENSE]->data;         \
        type *out = (type *)p->result + first * p->width;                                      \
        for (int64_t i = first; i < last; i++, out += p->width) {                              \
            int64_t end = hlo_index_at(p->args[ROW_STARTS], i + 1);                            \
            for (int64_t k = hlo_index_at(p->args[ROW_STARTS], i); k < end; k++) {             \
                const type *row = dense + hlo_index_at(p->args[COLUMNS], k) * p->width;        \
                for (int64_t j = 0; j < p->width; j++) out[j] = out[j] + elements[k] * row[j]; \
            }                                                                                  \
        }                                                                                      \
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

hlo_value *hlo_csr_product(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    if (!are_shapes(instr, args) || !product_of((hlo_type)instr->shape->type)) {
        hlo_eval_error(eval, instr, "does not have the operands and result of a sparse product");
        return NULL;
    }
    csr_product p = {.args = args,
                     .rows = instr->shape->dims[0],
                     .width = instr->shape->rank == 2 ? instr->shape->dims[1] : 1};
    if (!are_indices(args, p.rows)) {
        hlo_eval_error(eval, instr, "has rows or columns outside of its operands");
        return NULL;
    }
    hlo_value *result = hlo_value_zeros(instr->shape);
    if (!result || p.width <= 0 || p.rows <= 0) return result;
    p.result = result->data;
    double work = (double)args[ELEMENTS]->shape->dims[0] * (double)p.width; /* of all rows */
    hlo_parallel(p.rows, hlo_grain((int64_t)(work / (double)p.rows)),
                 product_of((hlo_type)instr->shape->type), &p);
    return result;
}
