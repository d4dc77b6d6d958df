/* Values broadcast to common sizes by NumPy's rules, where sizes may have bounds. */
#include "stablehlo/emit.h"

/* A size: fixed, or a bound of what the dimension of a value has at run time. */
typedef struct {
    int64_t size;
    hlo_mlir_value *of; /* NULL: fixed */
    int64_t dimension;
} size_info;

typedef struct {
    uint32_t rank;
    size_info *v;
} sizes;

static sizes sizes_of(hlo_mlir_emitter *e, hlo_mlir_value *value) {
    const hlo_mlir_type *type = value->type;
    sizes out = {type->rank, HLO_NEW_ARRAY(&e->module->arena, size_info, type->rank)};
    for (uint32_t i = 0; i < type->rank; i++) {
        bool is_dynamic = type->dims[i] == HLO_UNBOUNDED;
        if (is_dynamic && (!type->bounds || type->bounds[i] == HLO_UNBOUNDED))
            e->fault = "of arrays of dynamic sizes without bounds";
        out.v[i] = (size_info){type->dims[i], NULL, 0};
        if (is_dynamic && !e->fault) out.v[i] = (size_info){type->bounds[i], value, i};
    }
    return out;
}

/* The sizes of both together, aligned at the last dimension. */
static sizes joined(hlo_mlir_emitter *e, sizes a, sizes b) {
    uint32_t rank = a.rank > b.rank ? a.rank : b.rank;
    sizes out = {rank, HLO_NEW_ARRAY(&e->module->arena, size_info, rank)};
    for (uint32_t i = 1; i <= rank; i++) {
        size_info one = {1, NULL, 0}, x = i <= a.rank ? a.v[a.rank - i] : one,
                  y = i <= b.rank ? b.v[b.rank - i] : one;
        if (x.size != 1 && y.size != 1 && (x.size != y.size || !x.of != !y.of))
            e->fault = "of arrays whose sizes differ";
        out.v[rank - i] = x.size == 1 ? y : x;
    }
    return out;
}

static const hlo_mlir_type *type_of(hlo_mlir_emitter *e, sizes s, hlo_type element) {
    int64_t *dims = HLO_NEW_ARRAY(&e->module->arena, int64_t, s.rank);
    int64_t *bounds = HLO_NEW_ARRAY(&e->module->arena, int64_t, s.rank);
    bool has_bounds = false;
    for (uint32_t i = 0; i < s.rank; i++) {
        dims[i] = s.v[i].of ? HLO_UNBOUNDED : s.v[i].size;
        bounds[i] = s.v[i].of ? s.v[i].size : HLO_UNBOUNDED;
        has_bounds |= s.v[i].of != NULL;
    }
    return hlo_mlir_emit_tensor(e, element, s.rank, dims, has_bounds ? bounds : NULL);
}

static hlo_mlir_value *emit_size(hlo_mlir_emitter *e, hlo_mlir_value *of, int64_t dimension) {
    const hlo_mlir_type *type = hlo_mlir_emit_tensor(e, HLO_S32, 0, NULL, NULL);
    hlo_mlir_op *op = hlo_mlir_emit_op(e, HLO_MLIR_OP_STABLEHLO_GET_DIMENSION_SIZE, type, 1, &of);
    hlo_mlir_set_attr(e->module, op, "dimension", hlo_mlir_emit_int(e, HLO_S64, dimension));
    return op->results;
}

/* Broadcast to the whole of bounds, and then cut where the value's dimension was no dynamic one. */
static hlo_mlir_value *broadcast_to(hlo_mlir_emitter *e, hlo_mlir_value *value, sizes to) {
    hlo_type element = value->type->element;
    const hlo_mlir_type *wanted = type_of(e, to, element);
    sizes from = sizes_of(e, value), whole = {to.rank, NULL};
    if (value->type == wanted) return value;
    uint32_t skipped = to.rank - from.rank;
    whole.v = hlo_arena_copy(&e->module->arena, to.v, to.rank * sizeof *to.v);
    int64_t *dims = HLO_NEW_ARRAY(&e->module->arena, int64_t, from.rank);
    for (uint32_t i = 0; i < to.rank; i++)
        if (i < skipped || !from.v[i - skipped].of) whole.v[i].of = NULL;
    for (uint32_t i = 0; i < from.rank; i++) dims[i] = skipped + i;
    hlo_mlir_op *op = hlo_mlir_emit_op(e, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM,
                                       type_of(e, whole, element), 1, &value);
    hlo_mlir_set_attr(e->module, op, "broadcast_dimensions",
                      hlo_mlir_emit_ints(e, from.rank, dims));
    for (uint32_t i = 0; i < to.rank; i++) {
        if (!to.v[i].of || whole.v[i].of) continue;
        hlo_mlir_value *operands[] = {op->results, emit_size(e, to.v[i].of, to.v[i].dimension)};
        whole.v[i] = to.v[i];
        op = hlo_mlir_emit_op(e, HLO_MLIR_OP_STABLEHLO_SET_DIMENSION_SIZE,
                              type_of(e, whole, element), 2, operands);
        hlo_mlir_set_attr(e->module, op, "dimension", hlo_mlir_emit_int(e, HLO_S64, i));
    }
    return op->results;
}

bool hlo_mlir_emit_broadcast(hlo_mlir_emitter *e, hlo_mlir_value **values, uint32_t n,
                             bool at_their_locations) {
    sizes all = sizes_of(e, values[0]);
    const hlo_mlir_location *location = e->location;
    for (uint32_t i = 1; i < n && !e->fault; i++) all = joined(e, all, sizes_of(e, values[i]));
    for (uint32_t i = 0; i < n && !e->fault; i++) {
        if (at_their_locations)
            e->location = values[i]->op ? values[i]->op->location : values[i]->location;
        values[i] = broadcast_to(e, values[i], all);
    }
    e->location = location;
    return !e->fault;
}
