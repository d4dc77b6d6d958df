/* Collectives by simpler ones: all-to-all by pieces, reduce-scatter and all-gather by all-reduce.
 * Patterns, called by patterns.c. */
#include "passes/pipeline/expression.h"
#include "shape/collective_groups.h"

static const hlo_groups *groups_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_REPLICA_GROUPS);
    return attr ? attr->u.groups : NULL;
}

static int64_t members_of(const hlo_rewriter *r, const hlo_instr *instr) {
    hlo_group_mode mode = hlo_group_mode_of(instr);
    if (mode == HLO_GROUP_IMPOSSIBLE) return 0;
    return hlo_collective_group_size(r->module, mode, groups_of(instr));
}

/* Who talks to whom stays the same. Fills `attrs`, which has space for all, and returns how many
 * there are. */
static uint32_t kept_attrs(const hlo_instr *from, hlo_opcode opcode, hlo_attr *attrs) {
    static const hlo_attr_id kept[] = {HLO_ATTR_CHANNEL_ID, HLO_ATTR_REPLICA_GROUPS,
                                       HLO_ATTR_CONSTRAIN_LAYOUT, HLO_ATTR_USE_GLOBAL_DEVICE_IDS,
                                       HLO_ATTR_FRONTEND_ATTRIBUTES};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const hlo_attr *attr = hlo_instr_attr(from, kept[i]);
        bool has = kept[i] == HLO_ATTR_FRONTEND_ATTRIBUTES ||
                   hlo_op_attr(opcode, kept[i]) != HLO_ATTR_COUNT;
        if (attr && has) attrs[n++] = *attr;
    }
    return n;
}

enum { MOST_ATTRS = 8 };

/* XLA requires that all all-reduces of a module constrain their layout, or none does. */
typedef enum { NO_ALL_REDUCE, FREE_LAYOUTS, PINNED_LAYOUTS } layout_rule;

static layout_rule rule_of(const hlo_instr *collective) {
    return hlo_attr_int(collective, HLO_ATTR_CONSTRAIN_LAYOUT) ? PINNED_LAYOUTS : FREE_LAYOUTS;
}

static layout_rule rule_of_module(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->opcode == HLO_OP_ALL_REDUCE || i->opcode == HLO_OP_ALL_REDUCE_START)
                return rule_of(i);
    return NO_ALL_REDUCE;
}

/* Patterns that make all-reduces: the first one decides for the others. */
hlo_pass_result hlo_pass_to_all_reduce(const hlo_pass_call *call) {
    layout_rule rule = rule_of_module(call->module);
    call->rewriter->context = &rule;
    hlo_pass_result result = hlo_pass_patterns(call);
    call->rewriter->context = NULL;
    return result;
}

static bool may_be_all_reduce(const hlo_rewriter *r, const hlo_instr *collective) {
    const hlo_attr *channel = hlo_instr_attr(collective, HLO_ATTR_CHANNEL_ID);
    if (channel && channel->u.i <= 0)
        return false; /* the verifier requires a positive channel on all-reduce */
    layout_rule rule = *(const layout_rule *)r->context;
    return rule == NO_ALL_REDUCE || rule == rule_of(collective);
}

static hlo_instr *all_reduce(hlo_rewriter *r, const hlo_instr *like, const hlo_shape *shape,
                             hlo_instr *const *operands, uint32_t count, hlo_computation *reducer) {
    hlo_attr attrs[MOST_ATTRS];
    uint32_t n = kept_attrs(like, HLO_OP_ALL_REDUCE, attrs);
    *(layout_rule *)r->context = rule_of(like);
    attrs[n++] = (hlo_attr){.id = HLO_ATTR_TO_APPLY, .u.computation = reducer};
    return hlo_emit(r, HLO_OP_ALL_REDUCE, shape, operands, count, attrs, n);
}

/* ---- which member of its group a device is ---- */

static const hlo_shape *u32(hlo_rewriter *r) {
    return hlo_shape_scalar(&r->module->shapes, HLO_U32);
}

/* The number of a replica, with its partitions counted: index * partitions + partition. */
static hlo_instr *flattened(hlo_rewriter *r, hlo_instr *index) {
    int64_t partitions = hlo_module_int(r->module, HLO_ATTR_NUM_PARTITIONS);
    hlo_instr *scaled =
        hlo_build_binary(r, HLO_OP_MULTIPLY, index, hlo_build_integer(r, u32(r), partitions));
    hlo_instr *partition = hlo_emit(r, HLO_OP_PARTITION_ID, u32(r), NULL, 0, NULL, 0);
    return hlo_build_binary(r, HLO_OP_ADD, scaled, partition);
}

static hlo_instr *participant(hlo_rewriter *r, hlo_group_mode mode) {
    hlo_opcode opcode = mode == HLO_GROUP_CROSS_PARTITION ? HLO_OP_PARTITION_ID : HLO_OP_REPLICA_ID;
    hlo_instr *id = hlo_emit(r, opcode, u32(r), NULL, 0, NULL, 0);
    return mode == HLO_GROUP_FLATTENED_ID ? flattened(r, id) : id;
}

/* One group of 0, 1, 2 ...: numbers of participants are places in it. */
static bool is_in_order(const hlo_int_lists *groups) {
    if (!groups || groups->n == 0) return true;
    bool in_order = groups->n == 1;
    for (uint32_t i = 0; in_order && i < groups->v[0]->n; i++) in_order = groups->v[0]->v[i] == i;
    return in_order;
}

/* For each participant its position in its group; participants outside all groups are excluded
 * before. */
static hlo_instr *place_table(hlo_rewriter *r, const hlo_int_lists *groups) {
    int64_t most = 0;
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->v[g]->n; i++)
            if (groups->v[g]->v[i] > most) most = groups->v[g]->v[i];
    int64_t count = most + 1;
    hlo_literal *table =
        hlo_literal_new(&r->module->arena, hlo_shape_of_sizes(r, HLO_U32, &count, 1));
    uint32_t *places = table->data;
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->v[g]->n; i++) places[groups->v[g]->v[i]] = i;
    return hlo_emit_constant(r, table);
}

static hlo_instr *place_in_group(hlo_rewriter *r, const hlo_instr *instr, hlo_group_mode mode) {
    const hlo_groups *stated = groups_of(instr);
    const hlo_int_lists *groups = stated ? hlo_groups_expand(&r->module->arena, stated) : NULL;
    hlo_instr *place;
    if (groups && is_in_order(groups) && groups->n == 1 && groups->v[0]->n == 1) {
        place = hlo_build_integer(r, u32(r), 0);
    } else if (is_in_order(groups)) {
        place = participant(r, mode);
    } else {
        hlo_instr *table = place_table(r, groups), *id = participant(r, mode);
        hlo_instr *entry = hlo_build_dynamic_slice(r, table, &id, (int64_t[]){1});
        place = hlo_build_reshape(r, entry, NULL, 0);
    }
    return mode == HLO_GROUP_CROSS_REPLICA_AND_PARTITION ? flattened(r, place) : place;
}

/* Where this device's part lies in the whole: starts for each dimension, to be freed. */
static hlo_instr **part_starts(hlo_rewriter *r, hlo_instr *place, const hlo_shape *part,
                               int64_t dimension) {
    hlo_instr **starts = hlo_malloc((part->rank + 1) * sizeof *starts);
    hlo_instr *zero = part->rank > 1 ? hlo_build_integer(r, u32(r), 0) : NULL;
    hlo_instr *size = hlo_build_integer(r, u32(r), part->dims[dimension]);
    for (uint32_t i = 0; i < part->rank; i++) starts[i] = zero;
    starts[dimension] = hlo_build_binary(r, HLO_OP_MULTIPLY, place, size);
    return starts;
}

/* ---- reduce-scatter, all-gather ---- */

static const hlo_shape *result_shape(const hlo_instr *instr, uint32_t i) {
    return hlo_shape_is_tuple(instr->shape) ? instr->shape->elements[i] : instr->shape;
}

/* Whether as many parts as the group has members make the whole (a group of one may stand for a
 * number that the module does not tell), and it may become an all-reduce. */
static bool fits(const hlo_rewriter *r, const hlo_instr *instr, const hlo_shape *whole,
                 const hlo_shape *part) {
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0], all;
    return !__builtin_mul_overflow(part->dims[dimension], members_of(r, instr), &all) &&
           all == whole->dims[dimension] && may_be_all_reduce(r, instr);
}

hlo_instr *hlo_rewrite_expand_reduce_scatter(hlo_rewriter *r, hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    if (!fits(r, instr, hlo_operand(instr, 0)->shape, result_shape(instr, 0))) return NULL;
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    const hlo_shape **shapes = hlo_malloc(n * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = hlo_operand(instr, i);
        shapes[i] = parts[i]->shape;
    }
    const hlo_shape *shape = n == 1 ? shapes[0] : hlo_shape_tuple(&r->module->shapes, shapes, n);
    hlo_instr *sums = all_reduce(r, instr, shape, parts, n,
                                 hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)->u.computation);
    hlo_instr *place = place_in_group(r, instr, hlo_group_mode_of(instr));
    for (uint32_t i = 0; i < n; i++) {
        const hlo_shape *part = result_shape(instr, i);
        hlo_instr **starts = part_starts(r, place, part, dimension);
        hlo_instr *sum = n == 1 ? sums : hlo_emit_element(r, sums, i);
        parts[i] = hlo_build_as(hlo_build_dynamic_slice(r, sum, starts, part->dims), part);
        hlo_free(starts);
    }
    hlo_instr *out = hlo_shape_is_tuple(instr->shape) ? hlo_emit_tuple(r, parts, n) : parts[0];
    hlo_free(parts);
    hlo_free(shapes);
    return out;
}

/* Zeros with this device's part in its place: the sum over the group is the whole. */
static hlo_instr *gathered(hlo_rewriter *r, hlo_instr *instr, uint32_t i, hlo_instr *place) {
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    hlo_instr *part = hlo_operand(instr, i);
    const hlo_shape *whole = result_shape(instr, i);
    hlo_instr *zeros = hlo_build_integer(r, whole, 0);
    hlo_instr **starts = part_starts(r, place, part->shape, dimension);
    hlo_instr *placed = hlo_build_dynamic_update(r, zeros, part, starts);
    hlo_free(starts);
    hlo_opcode sum = whole->type == HLO_PRED ? HLO_OP_OR : HLO_OP_ADD;
    hlo_computation *reducer = hlo_build_reducer(r, sum, (hlo_type)whole->type);
    return all_reduce(r, instr, whole, &placed, 1, reducer);
}

hlo_instr *hlo_rewrite_expand_all_gather(hlo_rewriter *r, hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    if (!fits(r, instr, result_shape(instr, 0), hlo_operand(instr, 0)->shape)) return NULL;
    hlo_instr *place = place_in_group(r, instr, hlo_group_mode_of(instr));
    hlo_instr **wholes = hlo_malloc(n * sizeof *wholes);
    for (uint32_t i = 0; i < n; i++) wholes[i] = gathered(r, instr, i, place);
    hlo_instr *out = hlo_shape_is_tuple(instr->shape) ? hlo_emit_tuple(r, wholes, n) : wholes[0];
    hlo_free(wholes);
    return out;
}

/* ---- all-to-all ---- */

enum { OPTION_TO_TUPLE, OPTION_LEAST_RANK };
enum { MOST_RANK = 1000 };

/* Piece i goes to member i; the pieces that came are joined. */
static hlo_instr *exchanged_pieces(hlo_rewriter *r, hlo_instr *instr, int64_t dimension,
                                   int64_t members) {
    const hlo_shape **shapes = hlo_malloc((size_t)members * sizeof *shapes);
    hlo_instr **pieces = hlo_malloc((size_t)members * sizeof *pieces);
    int64_t size = instr->shape->dims[dimension] / members;
    for (int64_t i = 0; i < members; i++) {
        pieces[i] = hlo_build_slice(r, hlo_operand(instr, 0), dimension, i * size, (i + 1) * size);
        shapes[i] = pieces[i]->shape;
    }
    hlo_attr attrs[MOST_ATTRS];
    uint32_t n = kept_attrs(instr, HLO_OP_ALL_TO_ALL, attrs);
    const hlo_shape *tuple = hlo_shape_tuple(&r->module->shapes, shapes, (uint32_t)members);
    hlo_instr *exchange =
        hlo_emit(r, HLO_OP_ALL_TO_ALL, tuple, pieces, (uint32_t)members, attrs, n);
    for (int64_t i = 0; i < members; i++) pieces[i] = hlo_emit_element(r, exchange, i);
    hlo_instr *joined = hlo_build_concatenate(r, pieces, (uint32_t)members, dimension);
    hlo_free(shapes);
    hlo_free(pieces);
    return hlo_build_as(joined, instr->shape);
}

/* The dimension becomes one of as many elements as there are members, and one of a piece's. */
static hlo_instr *of_higher_rank(hlo_rewriter *r, hlo_instr *instr, int64_t dimension,
                                 int64_t members, uint32_t least) {
    const hlo_shape *shape = instr->shape;
    int64_t *sizes = hlo_malloc((least + 1) * sizeof *sizes);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i != dimension) {
            sizes[rank++] = shape->dims[i];
            continue;
        }
        sizes[rank++] = members;
        sizes[rank++] = shape->dims[i] / members;
        for (uint32_t k = shape->rank + 1; k < least; k++) sizes[rank++] = 1;
    }
    hlo_instr *flat = hlo_build_reshape(r, hlo_operand(instr, 0), sizes, rank);
    hlo_instr *exchange = hlo_emit_like(r, instr, flat->shape, &flat, 1);
    hlo_free(sizes);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, shape, exchange);
}

hlo_instr *hlo_rewrite_expand_all_to_all(hlo_rewriter *r, hlo_instr *instr) {
    int64_t members = members_of(r, instr), least = r->values[OPTION_LEAST_RANK];
    if (!hlo_shape_is_array(instr->shape) || members < 1 || instr->operand_count != 1 ||
        hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT))
        return NULL;
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    if (members > UINT32_MAX || instr->shape->dims[dimension] % members) return NULL;
    if (r->values[OPTION_TO_TUPLE]) return exchanged_pieces(r, instr, dimension, members);
    if (least <= instr->shape->rank || least > MOST_RANK) return NULL;
    return of_higher_rank(r, instr, dimension, members, (uint32_t)least);
}
