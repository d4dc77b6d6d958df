/* algsimp: scatters that change nothing, all, or a known place. Patterns. A window that
 * leaves the operand is dropped. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static const hlo_ints *list(const hlo_instr *scatter, hlo_attr_id id) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    return hlo_attr_ints(scatter, id);
}

static hlo_instr *updates_of(const hlo_instr *scatter) {
    return hlo_operand(scatter, 2);
}

static bool is_of_one_array(const hlo_instr *scatter) {
    return scatter->operand_count == 3 && hlo_shape_is_array(scatter->shape) &&
           updates_of(scatter)->shape->type == scatter->shape->type;
}

/* How an update combines with the element: by an operation, HLO_OP_PARAMETER when it replaces it,
 * or HLO_OP_COUNT for anything else. */
static hlo_opcode combiner_of(const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    const hlo_computation *c = hlo_called(scatter, 0);
    if (c->parameter_count == 2 && c->root == c->parameters[1]) return HLO_OP_PARAMETER;
    return hlo_binary_computation(c);
}

/* ---- nothing changes ---- */

hlo_instr *hlo_rewrite_scatter_nothing(hlo_rewriter *r, hlo_instr *scatter) {
    (void)r;
    if (scatter->operand_count != 3) return NULL;
    bool empty = hlo_shape_elements(hlo_operand(scatter, 2)->shape) == 0;
    return empty ? hlo_operand(scatter, 0) : NULL;
}

hlo_instr *hlo_rewrite_scatter_keeps(hlo_rewriter *r, hlo_instr *scatter) {
    (void)r;
    const hlo_computation *c = hlo_called(scatter, 0);
    bool fits = is_of_one_array(scatter) && c->root == c->parameters[0];
    return fits ? hlo_operand(scatter, 0) : NULL;
}

hlo_instr *hlo_rewrite_scatter_neutral(hlo_rewriter *r, hlo_instr *scatter) {
    if (!is_of_one_array(scatter)) return NULL;
    hlo_opcode opcode = combiner_of(scatter);
    if (opcode == HLO_OP_COUNT || !hlo_is_neutral(opcode, updates_of(scatter))) return NULL;
    bool fits = hlo_is_exactly_neutral(opcode, updates_of(scatter)) || hlo_is_fast_math(r);
    return fits ? hlo_operand(scatter, 0) : NULL;
}

/* ---- one window ---- */

/* One index vector; windows have all dimensions of the operand but those of size 1 that are
 * inserted, in order. */
static bool is_one_window(const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    const hlo_shape *indices = hlo_operand(scatter, 1)->shape;
    const hlo_ints *windows = list(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    int64_t vector_dim = hlo_attr_int(scatter, HLO_ATTR_INDEX_VECTOR_DIM);
    for (uint32_t d = 0; d < indices->rank; d++)
        if (d != vector_dim && indices->dims[d] != 1) return false;
    for (uint32_t i = 1; i < windows->n; i++)
        if (windows->v[i] < windows->v[i - 1]) return false;
    return list(scatter, HLO_ATTR_INPUT_BATCHING_DIMS)->n == 0;
}

/* Sizes of the window in the operand's dimensions. */
static void window_sizes(const hlo_instr *scatter, int64_t *sizes) {
    const hlo_ints *inserted = list(scatter, HLO_ATTR_INSERTED_WINDOW_DIMS);
    const hlo_ints *windows = list(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    for (uint32_t d = 0, k = 0; d < scatter->shape->rank; d++)
        sizes[d] =
            hlo_ints_contain(inserted, d) ? 1 : updates_of(scatter)->shape->dims[windows->v[k++]];
}

/* The combined value of old elements and updates. */
static hlo_instr *combined(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *old, hlo_instr *update) {
    if (opcode == HLO_OP_PARAMETER) return update;
    return hlo_emit_binary(r, opcode, old->shape, old, update);
}

/* Every element is replaced, at once and in its place. */
hlo_instr *hlo_rewrite_scatter_whole(hlo_rewriter *r, hlo_instr *scatter) {
    if (!is_of_one_array(scatter) || !is_one_window(scatter)) return NULL;
    hlo_opcode opcode = combiner_of(scatter);
    bool fits =
        opcode != HLO_OP_COUNT && list(scatter, HLO_ATTR_INSERTED_WINDOW_DIMS)->n == 0 &&
        list(scatter, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS)->n == 0 &&
        hlo_shape_elements(updates_of(scatter)->shape) == hlo_shape_elements(scatter->shape);
    if (!fits) return NULL;
    hlo_instr *update = updates_of(scatter);
    if (update->shape != scatter->shape)
        update = hlo_emit_unary(r, HLO_OP_RESHAPE, scatter->shape, update);
    return combined(r, opcode, hlo_operand(scatter, 0), update);
}

/* Where a constant index vector puts the window; false when it is none, or leaves the operand. */
static bool known_place(const hlo_instr *scatter, const int64_t *sizes, int64_t *starts) {
    const hlo_literal *indices = hlo_constant_of(hlo_operand(scatter, 1));
    const hlo_ints *map = list(scatter, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS);
    if (!indices) return false;
    for (uint32_t i = 0; i < map->n; i++) {
        int64_t d = map->v[i];
        if (!hlo_integer_at(indices, i, &starts[d])) return false;
        if (starts[d] < 0 || starts[d] > scatter->shape->dims[d] - sizes[d]) return false;
    }
    return true;
}

/* dynamic-update-slice at `starts`, of the old elements combined with the update. */
static hlo_instr *updated(hlo_rewriter *r, const hlo_instr *scatter, hlo_opcode opcode,
                          const int64_t *sizes, const int64_t *starts) {
    hlo_instr *operand = hlo_operand(scatter, 0), *update = updates_of(scatter);
    uint32_t rank = scatter->shape->rank;
    const hlo_shape *window = hlo_shape_of_sizes(r, (hlo_type)scatter->shape->type, sizes, rank);
    const hlo_shape *scalar = hlo_shape_scalar(&r->module->shapes, HLO_S64);
    hlo_instr **places = hlo_malloc((rank + 1) * sizeof *places);
    for (uint32_t d = 0; d < rank; d++) places[d] = hlo_emit_filled(r, scalar, starts[d]);
    if (update->shape != window) update = hlo_emit_unary(r, HLO_OP_RESHAPE, window, update);
    if (opcode != HLO_OP_PARAMETER) {
        hlo_instr *old = hlo_build_dynamic_slice(r, operand, places, sizes);
        update = combined(r, opcode, old, update);
    }
    hlo_instr *by = hlo_build_dynamic_update(r, operand, update, places);
    hlo_free(places);
    return by;
}

hlo_instr *hlo_rewrite_scatter_to_update(hlo_rewriter *r, hlo_instr *scatter) {
    if (!is_of_one_array(scatter) || !is_one_window(scatter)) return NULL;
    hlo_opcode opcode = combiner_of(scatter);
    if (opcode == HLO_OP_COUNT || !hlo_shape_elements(updates_of(scatter)->shape)) return NULL;
    int64_t *sizes = hlo_calloc(scatter->shape->rank + 1, sizeof *sizes);
    int64_t *starts = hlo_calloc(scatter->shape->rank + 1, sizeof *starts);
    hlo_instr *by = NULL;
    window_sizes(scatter, sizes);
    if (known_place(scatter, sizes, starts)) by = updated(r, scatter, opcode, sizes, starts);
    hlo_free(sizes);
    hlo_free(starts);
    return by;
}

/* ---- sums ---- */

/* A + scatter-add into zeros is a scatter-add into A; floats are added in another order. */
hlo_instr *hlo_rewrite_add_to_scatter(hlo_rewriter *r, hlo_instr *add) {
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *scatter = hlo_operand(add, i);
        hlo_instr *other = hlo_operand(add, 1 - i);
        bool fits = scatter->opcode == HLO_OP_SCATTER && is_of_one_array(scatter) &&
                    hlo_has_one_user(scatter) && combiner_of(scatter) == HLO_OP_ADD &&
                    hlo_is_all(hlo_operand(scatter, 0), 0) &&
                    (hlo_is_fast_math(r) ||
                     hlo_is_exact_in_any_order(HLO_OP_ADD, (hlo_type)add->shape->type));
        if (fits) return hlo_emit_with_operand(r, scatter, 0, other);
    }
    return NULL;
}
