/* reduce by its definition: for each element of the result, the elements along the reduced
 * dimensions are combined into the initial value in row-major order. */
#include "eval/kernel/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/fold.h"
#include "eval/ref/index.h"

/* Indices of operands: KEPT is 0 along the reduced dimensions, REDUCED along the others; what they
 * run over. */
enum { KEPT, KEPT_SIZES, REDUCED, REDUCED_SIZES, INDICES };

typedef struct {
    uint32_t operands, rank;
    const bool *is_reduced; /* by dimension of the operands; NULL: none is */
    hlo_plain_fold fold;
    hlo_indices indices;
} reduce_state;

static bool prepare_reduce(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    reduce_state *s = HLO_NEW_STATE(p, reduce_state);
    p->state = s;
    s->operands = p->instr->operand_count / 2;
    s->rank = hlo_operand(p->instr, 0)->shape->rank;
    if (!dimensions->n) return true;
    bool *is_reduced = HLO_NEW_ARRAY(p->arena, bool, s->rank);
    for (uint32_t i = 0; i < dimensions->n; i++) is_reduced[dimensions->v[i]] = true;
    s->is_reduced = is_reduced;
    s->indices = hlo_prepare_indices(p, INDICES, s->rank);
    return hlo_plain_fold_prepare(&s->fold, p, hlo_called(p->instr, 0), s->operands);
}

/* Combines what lies along the reduced dimensions at the kept index. */
static bool reduce_at(hlo_call *call, const int64_t *kept) {
    const reduce_state *s = call->state;
    int64_t *index = hlo_index(call, s->indices, REDUCED);
    int64_t *sizes = hlo_index(call, s->indices, REDUCED_SIZES);
    int64_t first = hlo_offset_in(call->in[0], kept);
    for (bool more = hlo_first_index(s->rank, sizes, index); more;
         more = hlo_next_index(s->rank, sizes, index)) {
        int64_t at = first + hlo_offset_in(call->in[0], index);
        if (!hlo_plain_fold_add(&s->fold, call, call->in, at)) return false;
    }
    return true;
}

static bool reduce_all(hlo_call *call, hlo_value *const *results) {
    const reduce_state *s = call->state;
    int64_t *kept = hlo_index(call, s->indices, KEPT), result = 0;
    int64_t *sizes = hlo_index(call, s->indices, KEPT_SIZES);
    int64_t *reduced_sizes = hlo_index(call, s->indices, REDUCED_SIZES);
    for (uint32_t d = 0; d < s->rank; d++) {
        sizes[d] = s->is_reduced[d] ? 1 : call->in[0]->shape->dims[d];
        reduced_sizes[d] = s->is_reduced[d] ? hlo_value_size(call->in[0], d) : 1;
    }
    for (bool more = hlo_first_index(s->rank, sizes, kept); more;
         more = hlo_next_index(s->rank, sizes, kept)) {
        hlo_plain_fold_start(&s->fold, call, call->in + s->operands, 0);
        if (!reduce_at(call, kept)) return false;
        hlo_plain_fold_end(&s->fold, call, results, result++);
    }
    return true;
}

/* A reduction over no dimensions gives its operands; as in XLA the initial values have no part in
 * it. */
static void copy_operand(hlo_value *result, const hlo_value *x) {
    for (int64_t i = 0; i < hlo_shape_elements(x->shape); i++) hlo_copy_element(result, i, x, i);
    hlo_value_copy_sizes(result, x);
}

static bool run_reduce(hlo_call *call) {
    const reduce_state *s = call->state;
    hlo_value **results = call->out->elements ? call->out->elements : &call->out;
    for (uint32_t i = 0; i < s->operands; i++) {
        if (s->is_reduced) hlo_set_reduced_sizes(results[i], call->in[0], s->is_reduced);
        else copy_operand(results[i], call->in[i]);
    }
    return !s->is_reduced || reduce_all(call, results);
}

const hlo_kernel hlo_plain_reduce = {prepare_reduce, run_reduce};
