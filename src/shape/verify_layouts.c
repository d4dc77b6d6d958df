/* What the layout-sensitive verifier asks beyond shapes: what passes data on as it is keeps its
 * layout, bitcasts keep their size, and layout changes stand where layout assignment expects them.
 */
#include <stdio.h>

#include "shape/storage.h"
#include "shape/verifier.h"

/* `subject` is what has the shape: "the result". */
static bool expect(hlo_verifier *v, const hlo_instr *instr, const char *subject,
                   const hlo_shape *is, const hlo_shape *wanted, unsigned ignoring) {
    if (hlo_shapes_equal(is, wanted, ignoring)) return true;
    const char *at = hlo_verify_difference(v, &is, &wanted, hlo_shapes_equal, ignoring);
    return hlo_verify_fail(v, HLO_RULE_LAYOUT_KEPT, instr,
                           "%s%s is %s and must be %s, layout and all", subject, at,
                           hlo_verify_layout_text(v, is), hlo_verify_layout_text(v, wanted));
}

static bool expect_operand(hlo_verifier *v, const hlo_instr *instr, uint32_t i,
                           const hlo_shape *wanted) {
    char subject[32];
    snprintf(subject, sizeof subject, "operand %u", i);
    if (expect(v, instr, subject, hlo_operand(instr, i)->shape, wanted, 0)) return true;
    hlo_verify_at_operand(v, instr, i);
    return false;
}

/* ---- results that are what inference gives ---- */

enum { EXACTLY = 1, IN_ORDER = 2 /* the order of dimensions only */ };

static const uint8_t kept[HLO_OP_COUNT] = {
    [HLO_OP_CALL] = EXACTLY,        [HLO_OP_COPY_DONE] = EXACTLY,
    [HLO_OP_COPY_START] = IN_ORDER, [HLO_OP_DYNAMIC_UPDATE_SLICE] = EXACTLY,
    [HLO_OP_FUSION] = EXACTLY,      [HLO_OP_GET_TUPLE_ELEMENT] = EXACTLY,
    [HLO_OP_INFEED] = IN_ORDER,     [HLO_OP_OPT_BARRIER] = EXACTLY,
    [HLO_OP_RECV] = IN_ORDER,       [HLO_OP_RECV_DONE] = EXACTLY,
    [HLO_OP_SEND] = IN_ORDER,       [HLO_OP_TUPLE] = EXACTLY,
    [HLO_OP_WHILE] = EXACTLY,
};

static bool check_result(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *inferred) {
    if (!kept[instr->opcode]) return true;
    unsigned ignoring = kept[instr->opcode] == IN_ORDER ? HLO_MINOR_TO_MAJOR_ONLY : 0;
    /* in-place updates, whose tiles and memory space are not assigned inside of a fusion */
    if (instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && instr->parent->is_fusion_body)
        ignoring = HLO_IGNORE_TILES | HLO_IGNORE_MEMORY_SPACE;
    return expect(v, instr, "the result", instr->shape, inferred, ignoring);
}

/* ---- operands that become parameters ---- */

static bool check_arguments(hlo_verifier *v, const hlo_instr *instr, uint32_t first,
                            const hlo_computation *callee) {
    for (uint32_t i = 0; i < callee->parameter_count && first + i < instr->operand_count; i++) {
        if (expect_operand(v, instr, first + i, callee->parameters[i]->shape)) continue;
        hlo_verify_note(v, callee->parameters[i], "the parameter");
        return false;
    }
    return true;
}

static bool check_while(hlo_verifier *v, const hlo_instr *instr) {
    return check_arguments(v, instr, 0, hlo_called(instr, 0)) &&
           check_arguments(v, instr, 0, hlo_called(instr, 1));
}

static bool check_conditional(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < hlo_called_count(instr); i++) {
        const hlo_computation *branch = hlo_called(instr, i);
        if (!check_arguments(v, instr, i + 1, branch)) return false;
        if (expect(v, instr, "the result", instr->shape, branch->root->shape, 0)) continue;
        hlo_verify_note(v, branch->root, "the result of a branch");
        return false;
    }
    return true;
}

/* ---- async ---- */

static bool expect_prefix(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *prefix,
                          const hlo_shape *shape, const char *what) {
    if (hlo_shape_is_prefix(prefix, shape, hlo_shapes_equal)) return true;
    return hlo_verify_fail(v, HLO_RULE_LAYOUT_KEPT, instr, "%s is %s in the result, but is %s",
                           what, hlo_verify_layout_text(v, prefix),
                           hlo_verify_layout_text(v, shape));
}

static const hlo_computation *wrapped_by(const hlo_instr *instr) {
    while (instr->opcode != HLO_OP_ASYNC_START) instr = hlo_operand(instr, 0);
    return hlo_called(instr, 0);
}

/* What start and update state agrees with the computation, and with the operands they bind. */
static bool check_bound(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_computation *wrapped = wrapped_by(instr);
    const hlo_shape *bound = instr->shape->elements[0];
    char subject[48];
    for (uint32_t i = 0; i < bound->rank && i < wrapped->parameter_count; i++) {
        snprintf(subject, sizeof subject, "parameter %u", i);
        if (!expect_prefix(v, instr, bound->elements[i], wrapped->parameters[i]->shape, subject))
            return false;
    }
    if (!expect_prefix(v, instr, instr->shape->elements[1], wrapped->root->shape, "the root"))
        return false;
    bool update = instr->opcode == HLO_OP_ASYNC_UPDATE;
    uint32_t before = update ? hlo_operand(instr, 0)->shape->elements[0]->rank : 0;
    for (uint32_t i = update, k = before; i < instr->operand_count && k < bound->rank; i++, k++) {
        if (!expect_operand(v, instr, i, bound->elements[k])) return false;
    }
    return true;
}

static bool check_update(hlo_verifier *v, const hlo_instr *update) {
    const hlo_shape *before = hlo_operand(update, 0)->shape;
    return check_bound(v, update) &&
           expect_prefix(v, update, before->elements[0], update->shape->elements[0],
                         "what operand 0 has bound") &&
           expect_prefix(v, update, before->elements[1], update->shape->elements[1],
                         "the result of operand 0");
}

/* ---- copies and bitcasts ---- */

static bool check_copy(hlo_verifier *v, const hlo_instr *copy) {
    const hlo_shape *operand = hlo_operand(copy, 0)->shape, *result = copy->shape;
    if (!hlo_shape_is_array(operand) || !hlo_shape_is_array(result)) return true;
    int64_t from = hlo_shape_memory_space(operand), to = hlo_shape_memory_space(result);
    if (from == to || (from != HLO_HOST_MEMORY && to != HLO_HOST_MEMORY)) return true;
    /* to the host the copy may still transpose; the layout of the host's side is not final */
    if (to == HLO_HOST_MEMORY ? operand->type == result->type
                              : hlo_shapes_equal(operand, result, HLO_IGNORE_MEMORY_SPACE))
        return true;
    return hlo_verify_fail(v, HLO_RULE_MEMORY_SPACE, copy,
                           "a copy between host and device may change the memory space only: the "
                           "operand is %s and the result %s",
                           hlo_verify_layout_text(v, operand), hlo_verify_layout_text(v, result));
}

static bool check_copy_done(hlo_verifier *v, const hlo_instr *done) {
    const hlo_shape *pair = hlo_operand(done, 0)->shape;
    return expect(v, done, "the destination", pair->elements[0], pair->elements[1],
                  HLO_IGNORE_MEMORY_SPACE | HLO_IGNORE_SPLITS);
}

static bool is_copied_constant(const hlo_instr *instr) {
    while (instr->opcode == HLO_OP_COPY) instr = hlo_operand(instr, 0);
    return instr->opcode == HLO_OP_CONSTANT;
}

static bool check_bitcast(hlo_verifier *v, const hlo_instr *bitcast) {
    const hlo_instr *from = hlo_operand(bitcast, 0);
    const hlo_shape *operand = from->shape, *result = bitcast->shape;
    if (!hlo_shape_is_array(operand) || !hlo_shape_is_array(result)) return true;
    int64_t had = hlo_shape_stored_bytes(operand), has = hlo_shape_stored_bytes(result);
    bool same_data = v->options->allow_bitcast_size && !operand->dynamic && !result->dynamic &&
                     hlo_shape_tiled_bytes(operand) == hlo_shape_tiled_bytes(result);
    if (had != has && !same_data)
        return hlo_verify_fail(v, HLO_RULE_BITCAST_SIZE, bitcast,
                               "operand 0, %s, takes %lld bytes and the result, %s, %lld",
                               hlo_verify_layout_text(v, operand), (long long)had,
                               hlo_verify_layout_text(v, result), (long long)has);
    bool on_host = hlo_shape_memory_space(operand) == HLO_HOST_MEMORY;
    if (on_host == (hlo_shape_memory_space(result) == HLO_HOST_MEMORY) || is_copied_constant(from))
        return true;
    return hlo_verify_fail(v, HLO_RULE_MEMORY_SPACE, bitcast,
                           "operand 0 is %s and the result %s: only one is in host memory",
                           hlo_verify_layout_text(v, operand), hlo_verify_layout_text(v, result));
}

/* ---- the rest ---- */

static bool check_outfeed(hlo_verifier *v, const hlo_instr *outfeed) {
    const hlo_attr *shape = hlo_instr_attr(outfeed, HLO_ATTR_OUTFEED_SHAPE);
    return !shape ||
           expect(v, outfeed, "outfeed_shape", shape->u.shape, hlo_operand(outfeed, 0)->shape, 0);
}

static bool check_scan(hlo_verifier *v, const hlo_instr *scan) {
    if (hlo_attr_int(scan, HLO_ATTR_IS_ASSOCIATIVE) == 1) return true;
    return hlo_verify_fail(
        v, HLO_RULE_ASSOCIATIVE_SCAN, scan,
        "it is not associative and must be expanded to a loop before layout assignment");
}

bool hlo_verify_layouts(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *inferred) {
    if (!check_result(v, instr, inferred)) return false;
    switch (instr->opcode) {
    case HLO_OP_ASYNC_START: return check_bound(v, instr);
    case HLO_OP_ASYNC_UPDATE: return check_update(v, instr);
    case HLO_OP_ASYNC_DONE:
        return expect(v, instr, "the result", instr->shape, wrapped_by(instr)->root->shape, 0);
    case HLO_OP_BITCAST: return check_bitcast(v, instr);
    case HLO_OP_CALL:
    case HLO_OP_FUSION: return check_arguments(v, instr, 0, hlo_called(instr, 0));
    case HLO_OP_CONDITIONAL: return check_conditional(v, instr);
    case HLO_OP_COPY: return check_copy(v, instr);
    case HLO_OP_COPY_DONE: return check_copy_done(v, instr);
    case HLO_OP_OUTFEED: return check_outfeed(v, instr);
    case HLO_OP_SCAN: return check_scan(v, instr);
    case HLO_OP_WHILE: return check_while(v, instr);
    default: return true;
    }
}

/* ---- operations that change no layout ---- */

static bool may_change_layout(const hlo_instr *instr) {
    const hlo_attr *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    if (instr->opcode == HLO_OP_CUSTOM_CALL)
        return !target || !hlo_str_is(*target->u.string, "LayoutConstraint");
    return !hlo_info(instr)->keeps_layout;
}

/* Some may still change the width of stored elements. */
static unsigned may_differ(const hlo_instr *instr, const hlo_shape *operand) {
    unsigned ignoring = HLO_IGNORE_TILES | HLO_IGNORE_MEMORY_SPACE;
    switch (instr->opcode) {
    case HLO_OP_COMPARE:
    case HLO_OP_CONVERT:
    case HLO_OP_IS_FINITE:
    case HLO_OP_SCATTER: return ignoring | HLO_IGNORE_ELEMENT_BITS;
    case HLO_OP_SELECT:
        return operand->type == HLO_PRED ? ignoring | HLO_IGNORE_ELEMENT_BITS : ignoring;
    default: return ignoring;
    }
}

/* Slices move data between memories in one direction only. */
static bool check_moves(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *operand) {
    int64_t from = hlo_shape_memory_space(operand), to = hlo_shape_memory_space(instr->shape);
    bool slice = instr->opcode == HLO_OP_DYNAMIC_SLICE;
    if (!slice && instr->opcode != HLO_OP_DYNAMIC_UPDATE_SLICE) return true;
    bool bad = (from == HLO_FAST_MEMORY && to != HLO_FAST_MEMORY) ||
               (slice ? from == 0 && to == HLO_HOST_MEMORY : from == HLO_HOST_MEMORY && to == 0);
    return !bad || hlo_verify_fail(v, HLO_RULE_MEMORY_SPACE, instr,
                                   "it maps %s to %s, a transfer that it does not support",
                                   hlo_verify_layout_text(v, operand),
                                   hlo_verify_layout_text(v, instr->shape));
}

bool hlo_verify_layout_changes(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_shape *result = instr->shape;
    if (!hlo_shape_is_array(result) || may_change_layout(instr)) return true;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        if (!hlo_shape_is_array(operand->shape) || operand->shape->rank != result->rank) continue;
        if (!check_moves(v, instr, operand->shape)) return false;
        if (hlo_layouts_equal(result->layout, operand->shape->layout,
                              may_differ(instr, operand->shape)))
            continue;
        hlo_verify_fail(v, HLO_RULE_LAYOUT_CHANGE, instr, "operand %u is %s and the result %s", i,
                        hlo_verify_layout_text(v, operand->shape),
                        hlo_verify_layout_text(v, result));
        hlo_verify_at_operand(v, instr, i);
        return false;
    }
    return true;
}
