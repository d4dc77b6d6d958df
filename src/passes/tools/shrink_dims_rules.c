/* shrink-dims: what depends on what in a module. Values that are passed on, element by element, by
 * calls and between devices; other operations are in shrink_dims_moves.c and shrink_dims_sums.c. */
#include "analysis/participants.h"
#include "analysis/topk_call.h"
#include "ir/sharding.h"
#include "passes/tools/shrink_dims.h"

static uint32_t operand_dims(const hlo_shrink *s, const hlo_instr *instr, uint32_t i) {
    return hlo_shrink_first(s, hlo_operand(instr, i));
}

/* ---- whole values ---- */

/* The same value, or one of the same structure. */
static void relate_values(hlo_shrink *s, const hlo_instr *a, const hlo_instr *b,
                          const hlo_instr *instr) {
    uint32_t n = hlo_shrink_count(s, a);
    HLO_ASSERT(n == hlo_shrink_count(s, b));
    hlo_shrink_join_all(s, hlo_shrink_first(s, a), hlo_shrink_first(s, b), n, instr);
}

/* Scalars fit everywhere. */
static void relate_elements(hlo_shrink *s, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_shrink_count(s, hlo_operand(instr, i)) == hlo_shrink_count(s, instr))
            relate_values(s, instr, hlo_operand(instr, i), instr);
}

/* The arrays of the operands, one after the other, are those of the result. */
static void relate_in_order(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t to = hlo_shrink_first(s, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t n = hlo_shrink_count(s, hlo_operand(instr, i));
        hlo_shrink_join_all(s, operand_dims(s, instr, i), to, n, instr);
        to += n;
    }
    HLO_ASSERT(to == hlo_shrink_first(s, instr) + hlo_shrink_count(s, instr));
}

static void relate_element(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_shape *tuple = hlo_operand(instr, 0)->shape;
    uint32_t from = operand_dims(s, instr, 0);
    for (int64_t i = 0; i < hlo_attr_int(instr, HLO_ATTR_INDEX); i++)
        from += hlo_shrink_dims_of(tuple->elements[i]);
    hlo_shrink_join_all(s, from, hlo_shrink_first(s, instr), hlo_shrink_count(s, instr), instr);
}

/* All arrays that are sorted have the same dimensions. */
static void relate_sort(hlo_shrink *s, const hlo_instr *instr) {
    for (uint32_t i = 1; i < instr->operand_count; i++)
        relate_values(s, hlo_operand(instr, 0), hlo_operand(instr, i), instr);
    relate_in_order(s, instr);
}

/* The state of the generator is as it was; the numbers are free. */
static void relate_random(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t n = hlo_shrink_count(s, hlo_operand(instr, 0));
    hlo_shrink_keep_all(s, operand_dims(s, instr, 0), n, "it is the state of a generator", instr);
    if (hlo_shape_is_tuple(instr->shape))
        hlo_shrink_keep_all(s, hlo_shrink_first(s, instr), n, "it is the state of a generator",
                            instr);
}

static void keep_whole(hlo_shrink *s, const hlo_instr *instr, const char *reason,
                       const hlo_instr *at) {
    hlo_shrink_keep_all(s, hlo_shrink_first(s, instr), hlo_shrink_count(s, instr), reason, at);
}

/* What calls it decides about its shapes. */
static void keep_body(hlo_shrink *s, const hlo_computation *body, const char *reason,
                      const hlo_instr *at) {
    for (const hlo_instr *i = body->first; i; i = i->next) keep_whole(s, i, reason, at);
}

static void keep_around(hlo_shrink *s, const hlo_instr *instr, const char *reason) {
    const hlo_computation *called;
    keep_whole(s, instr, reason, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        keep_whole(s, hlo_operand(instr, i), reason, instr);
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) keep_body(s, called, reason, instr);
}

/* ---- calls ---- */

static void relate_call(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_computation *body = hlo_called(instr, 0);
    for (uint32_t i = 0; i < instr->operand_count && i < body->parameter_count; i++)
        relate_values(s, hlo_operand(instr, i), body->parameters[i], instr);
    relate_values(s, body->root, instr, instr);
}

static void relate_while(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_computation *body = hlo_called(instr, 0), *condition = hlo_called(instr, 1);
    relate_values(s, instr, hlo_operand(instr, 0), instr);
    relate_values(s, instr, body->parameters[0], instr);
    relate_values(s, instr, body->root, instr);
    relate_values(s, instr, condition->parameters[0], instr);
}

static void relate_conditional(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_computation *branch;
    for (uint32_t k = 0; (branch = hlo_called(instr, k)); k++) {
        relate_values(s, hlo_operand(instr, k + 1), branch->parameters[0], instr);
        relate_values(s, branch->root, instr, instr);
    }
}

/* ---- between devices ---- */

/* Along the dimension an operand is a part of the result, or the other way round. */
static void relate_shards(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t to = hlo_shrink_first(s, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t n = hlo_shrink_count(s, hlo_operand(instr, i)), from = operand_dims(s, instr, i);
        uint32_t along = (uint32_t)hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
        for (uint32_t d = 0; d < n; d++) {
            if (d == along) hlo_shrink_scale(s, from + d, to + d, instr);
            else hlo_shrink_join(s, from + d, to + d, 0, instr);
        }
        to += n;
    }
}

/* The least number that both divide. */
static void demand_tiles(hlo_shrink *s, uint32_t dim, int64_t tiles) {
    int64_t a = s->dims[dim].tiles, b = tiles;
    if (tiles < 2 || s->dims[dim].size % tiles) return; /* the last part is smaller: as it was */
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    s->dims[dim].tiles *= tiles / a;
}

static void relate_exchange(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_ints *along = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    relate_in_order(s, instr);
    if (!along->n) return;
    uint32_t dim = hlo_shrink_first(s, instr) + (uint32_t)along->v[0];
    int64_t members = hlo_participant_count(instr);
    if (members > 0) demand_tiles(s, dim, members);
    else hlo_shrink_keep(s, dim, "groups of devices have different sizes", instr);
}

/* ---- custom calls ---- */

/* Targets that mark a value for a compiler. */
static bool is_marker(const hlo_instr *instr) {
    static const char *const targets[] = {"Sharding", "xla.sdy.FuncResultSharding",
                                          "annotate_device_placement", "MoveToDevice",
                                          "MoveToHost"};
    hlo_str target = *hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (hlo_str_is(target, targets[i]))
            return instr->operand_count == 1 &&
                   hlo_shape_compatible(instr->shape, hlo_operand(instr, 0)->shape);
    return false;
}

static void relate_custom_call(hlo_shrink *s, const hlo_instr *instr) {
    if (is_marker(instr)) relate_in_order(s, instr);
    else if (hlo_calls_topk(instr)) hlo_shrink_relate_topk(s, instr);
    else keep_around(s, instr, "a custom call takes or gives it");
}

/* ---- all ---- */

static void relate_other(hlo_shrink *s, const hlo_instr *instr) {
    if (hlo_shrink_relate_move(s, instr) || hlo_shrink_relate_sum(s, instr)) return;
    if (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) relate_elements(s, instr);
    else keep_around(s, instr, "no rule is known for an operation that takes or gives it");
}

static void relate(hlo_shrink *s, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_IOTA:
    case HLO_OP_RNG:
    case HLO_OP_PARTITION_ID:
    case HLO_OP_REPLICA_ID:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_GET_DIMENSION_SIZE: return;
    case HLO_OP_RNG_BIT_GENERATOR: relate_random(s, instr); return;
    case HLO_OP_COMPARE:
    case HLO_OP_SELECT:
    case HLO_OP_CLAMP:
    case HLO_OP_CONVERT:
    case HLO_OP_REAL:
    case HLO_OP_IMAG:
    case HLO_OP_COMPLEX:
    case HLO_OP_IS_FINITE:
    case HLO_OP_MAP:
    case HLO_OP_REDUCE_PRECISION:
    case HLO_OP_STOCHASTIC_CONVERT: relate_elements(s, instr); return;
    case HLO_OP_REVERSE:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_TUPLE:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_ALL_REDUCE_DONE: relate_in_order(s, instr); return;
    case HLO_OP_COLLECTIVE_BROADCAST: /* whose roots are an operand more */
        if (hlo_attr_int(instr, HLO_ATTR_HAS_DYNAMIC_ROOT)) relate_other(s, instr);
        else relate_in_order(s, instr);
        return;
    case HLO_OP_COLLECTIVE_PERMUTE:
        if (hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES)) relate_other(s, instr);
        else relate_in_order(s, instr);
        return;
    case HLO_OP_ADD_DEPENDENCY: relate_values(s, hlo_operand(instr, 0), instr, instr); return;
    case HLO_OP_GET_TUPLE_ELEMENT: relate_element(s, instr); return;
    case HLO_OP_SORT: relate_sort(s, instr); return;
    case HLO_OP_CALL:
    case HLO_OP_FUSION: relate_call(s, instr); return;
    case HLO_OP_WHILE: relate_while(s, instr); return;
    case HLO_OP_CONDITIONAL: relate_conditional(s, instr); return;
    case HLO_OP_ALL_GATHER:
    case HLO_OP_REDUCE_SCATTER: relate_shards(s, instr); return;
    case HLO_OP_ALL_TO_ALL: relate_exchange(s, instr); return;
    case HLO_OP_CUSTOM_CALL: relate_custom_call(s, instr); return;
    default: relate_other(s, instr); return;
    }
}

/* ---- shardings ---- */

static int64_t parts_of(const hlo_sharding *sharding, uint32_t d) {
    int64_t parts = 1;
    if (sharding->kind == HLO_SHARDING_TILED) return sharding->tile_dims->v[d];
    if (sharding->kind != HLO_SHARDING_NAMED || !sharding->has_dims) return 1;
    const hlo_axis_list *axes = &sharding->dims[d].axes;
    for (uint32_t i = 0; i < axes->n; i++) {
        const hlo_axis_ref *ref = &axes->v[i];
        uint32_t axis = hlo_mesh_axis_number(sharding->mesh, ref->name);
        parts *= ref->is_sub_axis           ? ref->size
                 : axis < sharding->mesh->n ? sharding->mesh->axes[axis].size
                                            : 1;
    }
    return parts;
}

/* Returns the first dimension after those of the shape. */
static uint32_t demand_sharding(hlo_shrink *s, const hlo_sharding *sharding, const hlo_shape *shape,
                                uint32_t first) {
    if (hlo_shape_is_array(shape)) {
        for (uint32_t d = 0; d < shape->rank; d++)
            demand_tiles(s, first + d, parts_of(sharding, d));
        return first + shape->rank;
    }
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        first = demand_sharding(
            s, sharding->kind == HLO_SHARDING_TUPLE ? sharding->elements[i] : sharding,
            shape->elements[i], first);
    return first;
}

static void demand_of(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!attr) return;
    const hlo_sharding *sharding =
        hlo_sharding_for_shape(&s->module->arena, attr->u.sharding, instr->shape);
    demand_sharding(s, sharding, instr->shape, hlo_shrink_first(s, instr));
}

/* ---- the entry ---- */

/* The dimensions of the array at the index in the result of an instruction. */
static uint32_t dims_at(const hlo_shrink *s, const hlo_instr *instr, const hlo_ints *index,
                        uint32_t *n) {
    const hlo_shape *shape = instr->shape;
    uint32_t first = hlo_shrink_first(s, instr);
    for (uint32_t i = 0; i < index->n; i++) {
        for (int64_t k = 0; k < index->v[i]; k++) first += hlo_shrink_dims_of(shape->elements[k]);
        shape = shape->elements[index->v[i]];
    }
    *n = hlo_shrink_dims_of(shape);
    return first;
}

static void relate_aliases(hlo_shrink *s) {
    const hlo_computation *entry = s->module->entry;
    const hlo_attr *attr = hlo_module_attr(s->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        uint32_t n, m;
        const hlo_instr *parameter = entry->parameters[attr->u.aliasing->v[i].parameter];
        uint32_t from = dims_at(s, parameter, attr->u.aliasing->v[i].index, &n);
        uint32_t to = dims_at(s, entry->root, attr->u.aliasing->v[i].output, &m);
        HLO_ASSERT(n == m);
        hlo_shrink_join_all(s, from, to, n, parameter);
    }
}

void hlo_shrink_relate(hlo_shrink *s) {
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            relate(s, i);
            demand_of(s, i);
        }
    relate_aliases(s);
}
