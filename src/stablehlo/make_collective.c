/* Collectives: groups of devices, channels, reducers. */
#include "stablehlo/convert.h"

#include "ir/sharding.h"

/* dense<[[0, 1], [2, 3]]>: rows are groups, which -1 fills up. */
static const hlo_int_lists *rows_of(hlo_stablehlo *s, const char *name) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, name);
    uint32_t n;
    const int64_t *v;
    if (!attr || !hlo_mlir_ints(s->tree, attr, &n, &v) || attr->kind != HLO_MLIR_DENSE ||
        attr->type->rank != 2)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "%s is a table of devices, dense<[[...]]>", name);
    uint32_t rows = (uint32_t)attr->type->dims[0], columns = (uint32_t)attr->type->dims[1];
    hlo_int_lists *lists = hlo_arena_alloc(s->arena, sizeof *lists + rows * sizeof lists->v[0]);
    lists->n = rows;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t used = 0;
        while (used < columns && v[(size_t)i * columns + used] >= 0) used++;
        lists->v[i] = hlo_ints_from(s->arena, v + (size_t)i * columns, used);
    }
    return lists;
}

static bool push_groups(hlo_stablehlo *s) {
    const hlo_int_lists *lists = rows_of(s, "replica_groups");
    if (!lists) return false;
    const char *why = "they are inconsistent";
    hlo_groups read = {.form = HLO_GROUPS_LIST, .lists = lists};
    const hlo_groups *groups = hlo_groups_canonical(s->arena, &read, &why);
    if (!groups)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "replica_groups: %s", why) != NULL;
    hlo_stablehlo_push_any(s, HLO_ATTR_REPLICA_GROUPS, groups);
    return true;
}

static void push_channel(hlo_stablehlo *s) {
    int64_t id = hlo_stablehlo_member_int(hlo_stablehlo_attr(s, "channel_handle"), "handle", 0);
    if (id > 0) hlo_stablehlo_push_int(s, HLO_ATTR_CHANNEL_ID, id);
}

static bool push_common(hlo_stablehlo *s, bool with_ids) {
    bool global = false;
    if (!push_groups(s) ||
        (with_ids && !hlo_stablehlo_optional_bool(s, "use_global_device_ids", false, &global)))
        return false;
    push_channel(s);
    hlo_stablehlo_push_flag(s, HLO_ATTR_USE_GLOBAL_DEVICE_IDS, global);
    return true;
}

static bool made(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    return s->started ? hlo_shlo_set_started(s, shape) : hlo_stablehlo_make_same(s);
}

/* Several operands pass through a tuple, as XLA's builder takes them: the elements of it. */
static bool made_of_tuple(hlo_stablehlo *s, hlo_instr **elements) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    uint32_t n = s->op->operand_count;
    return hlo_stablehlo_set_results(
        s, hlo_stablehlo_make_of(s, hlo_stablehlo_opcode(s->op->id), shape, elements, n));
}

static bool take_through_tuple(hlo_stablehlo *s, hlo_instr ***out) {
    uint32_t n = s->op->operand_count;
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return false;
    hlo_instr *tuple = hlo_stablehlo_tuple(s, values, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(values[i] = hlo_stablehlo_element(s, tuple, i))) return false;
    *out = values;
    return true;
}

bool hlo_shlo_all_gather(hlo_stablehlo *s) {
    int64_t dimension;
    hlo_instr **elements = NULL;
    if (s->op->result_count > 1 && !take_through_tuple(s, &elements)) return false;
    if (!hlo_stablehlo_int(s, "all_gather_dim", &dimension) || !push_common(s, true)) return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    return elements ? made_of_tuple(s, elements) : made(s);
}

bool hlo_shlo_all_reduce(hlo_stablehlo *s) {
    hlo_instr **elements = NULL;
    if (!hlo_stablehlo_has_regions(s, 1)) return false;
    hlo_computation *c = hlo_stablehlo_region(s, &s->op->regions[0]);
    if (!c || (s->op->result_count > 1 && !take_through_tuple(s, &elements))) return false;
    hlo_stablehlo_push_computation(s, HLO_ATTR_TO_APPLY, c);
    if (!push_common(s, true)) return false;
    return elements ? made_of_tuple(s, elements) : made(s);
}

bool hlo_shlo_reduce_scatter(hlo_stablehlo *s) {
    int64_t dimension;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_int(s, "scatter_dimension", &dimension) || !push_common(s, true))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    return made(s);
}

bool hlo_shlo_collective_broadcast(hlo_stablehlo *s) {
    return push_common(s, false) && made(s);
}

bool hlo_shlo_collective_permute(hlo_stablehlo *s) {
    const hlo_int_lists *pairs = rows_of(s, "source_target_pairs");
    if (!pairs) return false;
    push_channel(s);
    hlo_stablehlo_push_any(s, HLO_ATTR_SOURCE_TARGET_PAIRS, pairs);
    return made(s);
}

/* XLA's builder makes this constant, which only shapes without bounds use. */
static void make_split_count(hlo_stablehlo *s, int64_t count) {
    int64_t one = 1;
    const hlo_shape *shape =
        hlo_shape_array(&s->module->shapes, HLO_S32, &one, 1, NULL, NULL, NULL);
    hlo_literal *literal = hlo_literal_new_raw(s->arena, shape);
    *(int32_t *)literal->data = (int32_t)count;
    literal->is_read = true;
    hlo_stablehlo_push_any(s, HLO_ATTR_VALUE, literal);
    hlo_stablehlo_make_of(s, HLO_OP_CONSTANT, shape, NULL, 0);
}

/* Of an array: parts along one dimension, which are joined along another by moving them there. */
static hlo_instr *exchanged(hlo_stablehlo *s, int64_t split, int64_t concat, int64_t count) {
    hlo_instr *operand = hlo_stablehlo_operand(s, 0);
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    if (!operand || !shape) return NULL;
    if (!hlo_shape_is_array(operand->shape) || !hlo_shape_is_array(shape))
        return hlo_stablehlo_fail(s, HLO_RULE_OPERAND_SHAPE, "it takes and gives an array");
    uint32_t rank = operand->shape->rank;
    if (split < 0 || concat < 0 || split >= rank || concat >= rank || count < 1 ||
        operand->shape->dims[split] % count)
        return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE,
                                  "dimensions or split_count are out of range");
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &split});
    hlo_instr *made = hlo_stablehlo_make_of(s, HLO_OP_ALL_TO_ALL, operand->shape, &operand, 1);
    if (split == concat || !made) return made;
    make_split_count(s, count);
    hlo_shapes_table *shapes = &s->module->shapes;
    hlo_type type = (hlo_type)shape->type;
    int64_t *sizes = HLO_NEW_ARRAY(s->arena, int64_t, rank + 1),
            *order = HLO_NEW_ARRAY(s->arena, int64_t, rank + 1);
    int64_t *moved = HLO_NEW_ARRAY(s->arena, int64_t, rank + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (i == split) sizes[n++] = count;
        sizes[n++] = i == split ? operand->shape->dims[i] / count : operand->shape->dims[i];
    }
    made = hlo_stablehlo_make_of(
        s, HLO_OP_RESHAPE, hlo_shape_array(shapes, type, sizes, n, NULL, NULL, NULL), &made, 1);
    uint32_t used = 0;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t after = i >= split ? i + 1 : i;
        if (i == concat) order[used++] = split;
        order[used++] = after;
    }
    for (uint32_t i = 0; i < n; i++) moved[i] = sizes[order[i]];
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){n, order});
    made = hlo_stablehlo_make_of(
        s, HLO_OP_TRANSPOSE, hlo_shape_array(shapes, type, moved, n, NULL, NULL, NULL), &made, 1);
    return hlo_stablehlo_make_of(s, HLO_OP_RESHAPE, shape, &made, 1);
}

bool hlo_shlo_all_to_all(hlo_stablehlo *s) {
    int64_t split, concat, count;
    if (!push_common(s, false)) return false;
    if (s->op->result_count > 1) return made(s);
    if (!hlo_stablehlo_int(s, "split_dimension", &split) ||
        !hlo_stablehlo_int(s, "concat_dimension", &concat) ||
        !hlo_stablehlo_int(s, "split_count", &count))
        return false;
    return hlo_stablehlo_set_result(s, exchanged(s, split, concat, count));
}

/* ---- shardings by names of axes ---- */

bool hlo_shlo_sharding(hlo_stablehlo *s) {
    return hlo_shlo_unsupported(s);
}

bool hlo_shlo_sharding_group(hlo_stablehlo *s) {
    return hlo_shlo_unsupported(s);
}

bool hlo_shlo_manual_computation(hlo_stablehlo *s) {
    return hlo_shlo_unsupported(s);
}
