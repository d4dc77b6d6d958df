/* Shapes of collectives: what is split or joined into as many parts as a group has members. */
#include "shape/collective_groups.h"
#include "shape/rules.h"

static hlo_group_mode mode_of(const hlo_inference *in) {
    return hlo_collective_mode(in->opcode, hlo_infer_attr(in, HLO_ATTR_CHANNEL_ID) != NULL,
                               hlo_infer_int(in, HLO_ATTR_USE_GLOBAL_DEVICE_IDS) != 0);
}

static int64_t group_size(hlo_inference *in) {
    const hlo_attr *groups = hlo_infer_attr(in, HLO_ATTR_REPLICA_GROUPS);
    return hlo_collective_group_size(in->module, mode_of(in), groups ? groups->u.groups : NULL);
}

/* The split or joined dimension: every operand is an array that has it. */
static bool read_dimension(hlo_inference *in, int64_t *dimension) {
    if (!hlo_infer_single(in, HLO_ATTR_DIMENSIONS, dimension) || !hlo_expect_arrays(in))
        return false;
    for (uint32_t i = 0; i < in->n; i++)
        if (*dimension < 0 || *dimension >= in->operands[i]->rank)
            return hlo_refuse(in, HLO_RULE_SHARD_DIMENSION, HLO_AT(DIMENSIONS),
                              "operand %u, %s, has no dimension %lld", i,
                              hlo_infer_text(in, in->operands[i]), (long long)*dimension);
    return true;
}

/* The number of parts by the stated result, from the sizes of one dimension in whole and in parts;
 * `otherwise` for a size of 0. */
static int64_t implied_parts(int64_t whole, int64_t part, int64_t otherwise) {
    HLO_ASSERT(otherwise != 0);
    if (whole <= 0 || part <= 0) return otherwise;
    return whole / part + (whole % part != 0);
}

/* A group of one may stand for a count that the module does not know. */
static bool check_parts(hlo_inference *in, int64_t parts, int64_t members,
                        const hlo_shape *result) {
    if (members == 1 || parts == members) return true;
    return hlo_refuse(
        in, HLO_RULE_SHARD_COUNT, HLO_AT(REPLICA_GROUPS),
        "operand 0 is %s and the result %s: that makes %lld parts, where a group has %lld "
        "members",
        hlo_infer_text(in, in->operands[0]), hlo_infer_text(in, result), (long long)parts,
        (long long)members);
}

/* ---- all-gather, reduce-scatter ---- */

static const hlo_shape *gathered(hlo_inference *in, const hlo_shape *operand, int64_t dimension,
                                 int64_t parts) {
    hlo_dims dims = hlo_dims_of(in, operand);
    int64_t *size = &dims.size[dimension];
    dims.dynamic[dimension] = *size == HLO_UNBOUNDED;
    if (*size != HLO_UNBOUNDED && __builtin_mul_overflow(*size, parts, size))
        return hlo_infer_fail(in, HLO_RULE_SHAPE_SIZE, HLO_NOWHERE,
                              "dimension %lld becomes too large", (long long)dimension);
    return hlo_make_like(in, operand, (hlo_type)operand->type, dims);
}

static const hlo_shape *scattered(hlo_inference *in, const hlo_shape *operand, int64_t dimension,
                                  int64_t parts) {
    hlo_dims dims = hlo_dims_of(in, operand);
    int64_t *size = &dims.size[dimension];
    if (*size != HLO_UNBOUNDED && *size % parts != 0)
        return hlo_infer_fail(in, HLO_RULE_SHARD_COUNT, HLO_AT(DIMENSIONS),
                              "%lld parts do not divide dimension %lld of %s", (long long)parts,
                              (long long)dimension, hlo_infer_text(in, operand));
    if (dims.dynamic[dimension]) *size = HLO_UNBOUNDED;
    else *size /= parts;
    return hlo_make_like(in, operand, (hlo_type)operand->type, dims);
}

typedef const hlo_shape *resize(hlo_inference *in, const hlo_shape *operand, int64_t dimension,
                                int64_t parts);

/* What an all-gather or reduce-scatter over all operands gives; `result` is the stated shape of
 * that. */
static const hlo_shape *resized(hlo_inference *in, const hlo_shape *result, bool joins,
                                resize *one) {
    int64_t dimension, members = group_size(in), parts;
    if (!read_dimension(in, &dimension)) return NULL;
    if (members < 1)
        return hlo_infer_fail(in, HLO_RULE_SHARD_COUNT, HLO_AT(REPLICA_GROUPS),
                              "a group has no members");
    parts = members;
    if (result) {
        const hlo_shape *first = in->n > 1 && hlo_shape_is_tuple(result) && result->rank == in->n
                                     ? result->elements[0]
                                     : result;
        if (!hlo_shape_is_array(first) || dimension >= first->rank)
            return hlo_infer_fail(in, HLO_RULE_SHARD_DIMENSION, HLO_AT(DIMENSIONS),
                                  "the result, %s, has no dimension %lld",
                                  hlo_infer_text(in, result), (long long)dimension);
        int64_t before = in->operands[0]->dims[dimension], after = first->dims[dimension];
        parts =
            joins ? implied_parts(after, before, members) : implied_parts(before, after, members);
        if (!check_parts(in, parts, members, result)) return NULL;
    }
    const hlo_shape **results = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, in->n);
    for (uint32_t i = 0; i < in->n; i++) {
        results[i] = one(in, in->operands[i], dimension, parts);
        if (!results[i]) return NULL;
    }
    return hlo_make_one_or_tuple(in, results, in->n);
}

const hlo_shape *hlo_infer_all_gather(hlo_inference *in) {
    return resized(in, in->stated, true, gathered);
}

const hlo_shape *hlo_infer_all_gather_start(hlo_inference *in) {
    const hlo_shape *stated = in->stated;
    if (stated && (!hlo_shape_is_tuple(stated) || stated->rank != 2))
        return hlo_infer_fail(in, HLO_RULE_RESULT_SHAPE, HLO_NOWHERE,
                              "the result is %s and must be a pair of operands and results",
                              hlo_infer_text(in, stated));
    const hlo_shape *result = resized(in, stated ? stated->elements[1] : NULL, true, gathered);
    return result ? hlo_make_pair(in, hlo_make_one_or_tuple(in, in->operands, in->n), result)
                  : NULL;
}

const hlo_shape *hlo_infer_reduce_scatter(hlo_inference *in) {
    return resized(in, in->stated, false, scattered);
}

/* The done returns the second element of the start's result. */
static const hlo_shape *second_element(hlo_inference *in) {
    HLO_ASSERT(in->n == 1);
    const hlo_shape *operand = in->operands[0];
    if (hlo_shape_is_tuple(operand) && operand->rank >= 2) return operand->elements[1];
    return hlo_infer_fail(in, HLO_RULE_TUPLE_INDEX, 0, "operand 0 is %s and must be a pair",
                          hlo_infer_text(in, operand));
}

const hlo_shape *hlo_infer_all_gather_done(hlo_inference *in) {
    return second_element(in);
}

/* ---- all-reduce ---- */

const hlo_shape *hlo_infer_all_reduce(hlo_inference *in) {
    return hlo_expect_arrays(in) ? hlo_make_one_or_tuple(in, in->operands, in->n) : NULL;
}

const hlo_shape *hlo_infer_all_reduce_start(hlo_inference *in) {
    return hlo_infer_all_reduce(in);
}

const hlo_shape *hlo_infer_all_reduce_done(hlo_inference *in) {
    return in->operands[0];
}

/* ---- all-to-all ---- */

/* One array that is cut along a dimension and joined again along the same. */
static const hlo_shape *exchanged(hlo_inference *in, int64_t members) {
    int64_t dimension;
    const hlo_shape *operand = in->operands[0];
    if (in->n != 1)
        return hlo_infer_fail(
            in, HLO_RULE_ARITY, HLO_AT(DIMENSIONS),
            "it has %s and takes one with dimensions=", hlo_infer_count_text(in, in->n, "operand"));
    if (!read_dimension(in, &dimension)) return NULL;
    for (uint32_t i = 0; i < operand->rank; i++)
        if (hlo_dim_is_bounded(operand, i))
            return hlo_infer_fail(in, HLO_RULE_SHARD_DIMENSION, 0,
                                  "operand 0 is %s and must not have a bounded dimension",
                                  hlo_infer_text(in, operand));
    int64_t size = operand->dims[dimension];
    if (size != HLO_UNBOUNDED && size % members != 0)
        return hlo_infer_fail(in, HLO_RULE_SHARD_COUNT, 0,
                              "the %lld members of a group do not divide dimension %lld of %s",
                              (long long)members, (long long)dimension,
                              hlo_infer_text(in, operand));
    return hlo_make_array(in, (hlo_type)operand->type, hlo_dims_of(in, operand));
}

/* Layouts count. */
static bool equal_but_for_memory_space(hlo_inference *in, const hlo_shape *a, const hlo_shape *b) {
    if (a == b || !hlo_shape_is_array(a) || !hlo_shape_is_array(b) || !hlo_shape_compatible(a, b))
        return a == b;
    if (!a->layout->parts || !b->layout->parts) return false;
    hlo_layout_parts parts = *b->layout->parts;
    parts.memory_space = a->layout->parts->memory_space;
    return a == hlo_shape_array(&in->module->shapes, (hlo_type)b->type, b->dims, b->rank,
                                b->is_dynamic, b->layout->minor_to_major, &parts);
}

const hlo_shape *hlo_infer_all_to_all(hlo_inference *in) {
    int64_t members = group_size(in);
    if (members < 1)
        return hlo_infer_fail(in, HLO_RULE_SHARD_COUNT, HLO_AT(REPLICA_GROUPS),
                              "a group has no members");
    if (hlo_infer_attr(in, HLO_ATTR_DIMENSIONS)) return exchanged(in, members);
    if (in->n != members)
        return hlo_infer_fail(in, HLO_RULE_SHARD_COUNT, HLO_AT(REPLICA_GROUPS),
                              "it has %s and a group has %lld members",
                              hlo_infer_count_text(in, in->n, "operand"), (long long)members);
    for (uint32_t i = 1; i < in->n; i++)
        if (!equal_but_for_memory_space(in, in->operands[0], in->operands[i])) {
            hlo_shape_texts texts = hlo_infer_texts(in, in->operands[0], in->operands[i]);
            return hlo_infer_fail(in, HLO_RULE_OPERAND_DIMENSIONS, (int)i,
                                  "operand 0 is %s and operand %u is %s: they must be equal",
                                  texts.first, i, texts.second);
        }
    return hlo_make_tuple(in, in->operands, in->n);
}

/* Operands: input, output, and four vectors: where and how much to send and to receive. */
const hlo_shape *hlo_infer_ragged_all_to_all(hlo_inference *in) {
    if (!hlo_expect_arrays(in)) return NULL;
    const hlo_shape *offsets = in->operands[2];
    if (offsets->rank != 1 && offsets->rank != 2)
        return hlo_infer_fail(in, HLO_RULE_RAGGED_OFFSETS, 2,
                              "operand 2 is %s and must have the rank 1 or 2",
                              hlo_infer_text(in, offsets));
    for (uint32_t i = 3; i < in->n; i++)
        if (in->operands[i] != offsets) {
            hlo_shape_texts texts = hlo_infer_texts(in, offsets, in->operands[i]);
            return hlo_infer_fail(in, HLO_RULE_RAGGED_OFFSETS, (int)i,
                                  "operand 2 is %s and operand %u is %s: they must be equal",
                                  texts.first, i, texts.second);
        }
    return in->operands[1];
}

/* ---- broadcast and permute ---- */

/* With has_dynamic_root the last operand selects the group's member that sends each of the rest. */
static bool check_roots(hlo_inference *in) {
    if (in->n < 2)
        return hlo_refuse(in, HLO_RULE_ARITY, HLO_AT(HAS_DYNAMIC_ROOT),
                          "it has %s and takes two or more with has_dynamic_root=true",
                          hlo_infer_count_text(in, in->n, "operand"));
    const hlo_shape *roots = in->operands[in->n - 1];
    bool fits = hlo_shape_is_array(roots) && roots->type == HLO_S32 && roots->rank == 1 &&
                roots->dims[0] == in->n - 1;
    return fits || hlo_refuse(in, HLO_RULE_BROADCAST_ROOTS, (int)in->n - 1,
                              "operand %u, the roots, is %s and must be s32[%u]", in->n - 1,
                              hlo_infer_text(in, roots), in->n - 1);
}

const hlo_shape *hlo_infer_collective_broadcast(hlo_inference *in) {
    if (!hlo_infer_int(in, HLO_ATTR_HAS_DYNAMIC_ROOT))
        return hlo_expect_array(in, 0) ? in->operands[0] : NULL;
    if (!check_roots(in) || !hlo_expect_arrays(in)) return NULL;
    return hlo_make_one_or_tuple(in, in->operands, in->n - 1);
}

/* With slice_sizes the permute works in place: input, output and their offsets are operands. */
static bool is_in_place(hlo_inference *in, bool *sound) {
    *sound = true;
    if (!hlo_infer_attr(in, HLO_ATTR_PERMUTE_SLICE_SIZES)) return false;
    if (in->n == 4) return true;
    *sound = hlo_refuse(
        in, HLO_RULE_ARITY, HLO_AT(PERMUTE_SLICE_SIZES),
        "it has %s and takes four with slice_sizes=", hlo_infer_count_text(in, in->n, "operand"));
    return true;
}

const hlo_shape *hlo_infer_collective_permute(hlo_inference *in) {
    bool sound;
    if (is_in_place(in, &sound)) return sound ? in->operands[1] : NULL;
    return hlo_expect_arrays(in) ? hlo_make_one_or_tuple(in, in->operands, in->n) : NULL;
}

/* Elements of the stated tuple after the two buffers are contexts of any shape. */
const hlo_shape *hlo_infer_collective_permute_start(hlo_inference *in) {
    bool sound;
    const hlo_shape *stated = in->stated;
    uint32_t n = stated && hlo_shape_is_tuple(stated) && stated->rank > 2 ? stated->rank : 2;
    const hlo_shape **elements = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, n);
    if (is_in_place(in, &sound)) {
        if (!sound) return NULL;
        elements[0] = in->operands[0];
        elements[1] = in->operands[1];
    } else {
        if (in->n == 1 && !hlo_expect_array(in, 0)) return NULL;
        elements[0] = elements[1] = hlo_make_one_or_tuple(in, in->operands, in->n);
    }
    for (uint32_t i = 2; i < n; i++) elements[i] = stated->elements[i];
    return hlo_make_tuple(in, elements, n);
}

const hlo_shape *hlo_infer_collective_permute_done(hlo_inference *in) {
    return second_element(in);
}

/* ---- ids ---- */

const hlo_shape *hlo_infer_partition_id(hlo_inference *in) {
    return hlo_make_scalar(in, HLO_U32);
}

const hlo_shape *hlo_infer_replica_id(hlo_inference *in) {
    return hlo_make_scalar(in, HLO_U32);
}
