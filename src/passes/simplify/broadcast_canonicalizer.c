/* broadcast_canonicalizer: a broadcast names the dimensions of its operand in rising order; what is
 * to be swapped is transposed before. A pattern. */
#include "passes/pipeline/expression.h"

/* How many of the dimensions stand before dimension i of the operand. */
static uint32_t dims_before(const hlo_ints *dims, uint32_t i) {
    HLO_ASSERT(i < dims->n);
    uint32_t place = 0;
    for (uint32_t k = 0; k < dims->n; k++) place += dims->v[k] < dims->v[i];
    return place;
}

hlo_instr *hlo_rewrite_sort_broadcast(hlo_rewriter *r, hlo_instr *broadcast) {
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    if (hlo_ints_ascend(dims)) return NULL;
    hlo_ints *sorted = hlo_ints_new(&r->module->arena, dims->n);
    int64_t *order = hlo_calloc(dims->n, sizeof *order);
    for (uint32_t i = 0; i < dims->n; i++) {
        uint32_t place = dims_before(dims, i);
        sorted->v[place] = dims->v[i];
        order[place] = i;
    }
    hlo_instr *transpose = hlo_build_transpose(r, hlo_operand(broadcast, 0), order);
    hlo_free(order);
    hlo_instr *by = hlo_emit_like(r, broadcast, broadcast->shape, &transpose, 1);
    hlo_instr_set_attr(by, (hlo_attr){.id = HLO_ATTR_DIMENSIONS, .u.ints = sorted});
    return by;
}
