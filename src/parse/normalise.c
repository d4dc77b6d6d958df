/* What XLA's parser does to single opcodes while it reads them (docs/text-format.md, 4.1, 4.4
 * and 7): forgiven spellings, checks between attributes and operands, rebuilt shapes.
 * Called by finish.c. One function per opcode or family, found through tables. */
#include "parse/finish.h"

static hlo_shapes_table *shapes(const hlo_reading *r) {
    return &r->p->module->shapes;
}

static const hlo_shape *operand_shape(const hlo_reading *r, uint32_t i) {
    return hlo_reading_operands(r)[i]->shape;
}

const hlo_groups *hlo_no_groups(hlo_parser *p) {
    static const hlo_int_lists none = {0};
    hlo_groups *groups = HLO_NEW(p->arena, hlo_groups);
    groups->form = HLO_GROUPS_LIST;
    groups->lists = &none;
    return groups;
}

/* ---- spellings ---- */

static bool broadcast_of_scalar(hlo_reading *r) {
    static const hlo_ints none = {0};
    if (!hlo_reading_attr(r, HLO_ATTR_DIMENSIONS)) {
        if (!hlo_shape_is_scalar(operand_shape(r, 0)))
            return hlo_reading_fail(r, HLO_RULE_MISSING_ATTRIBUTE,
                                    "dimensions= may be left out for scalars only");
        hlo_reading_set(r, HLO_ATTR_DIMENSIONS, &none);
    }
    return true;
}

/* XLA keeps one of the two forms: to_apply= is stronger, and with layout constraints neither stays.
 */
static bool custom_call_computations(hlo_reading *r) {
    hlo_attr *to_apply = hlo_reading_attr(r, HLO_ATTR_TO_APPLY);
    hlo_computation *called = to_apply ? to_apply->u.computation : NULL;
    hlo_reading_drop(r, HLO_ATTR_TO_APPLY);
    if (hlo_reading_attr(r, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS)) {
        hlo_reading_drop(r, HLO_ATTR_CALLED_COMPUTATIONS);
    } else if (called) {
        hlo_computations *one = hlo_arena_alloc(r->p->arena, sizeof *one + sizeof one->v[0]);
        one->n = 1;
        one->v[0] = called;
        hlo_reading_set(r, HLO_ATTR_CALLED_COMPUTATIONS, one);
    }
    return true;
}

/* The extra operands of a dot were never looked at by XLA's parser. */
static bool dot_operands(hlo_reading *r) {
    if (hlo_reading_count(r) > 2) r->p->operands.n = r->pending->operand_base + 2;
    return true;
}

static bool refuse_branches(hlo_reading *r, hlo_attr_id id) {
    hlo_attr *attr = hlo_reading_attr(r, id);
    if (!attr) return true;
    hlo_parse_error(r->p, HLO_RULE_UNKNOWN_ATTRIBUTE, hlo_reading_attr_at(r, attr),
                    "a conditional on %s takes no %s=",
                    hlo_shape_name(r->p->arena, operand_shape(r, 0)), hlo_attr_table[id].text);
    return false;
}

static bool want_branches(hlo_reading *r, hlo_attr_id id) {
    if (hlo_reading_attr(r, id)) return true;
    hlo_parse_error(r->p, HLO_RULE_MISSING_ATTRIBUTE, r->pending->opcode_at,
                    "a conditional on %s needs %s=",
                    hlo_shape_name(r->p->arena, operand_shape(r, 0)), hlo_attr_table[id].text);
    hlo_note_refusal(r->p, hlo_reading_behind_operands(r));
    return false;
}

/* A branch index chooses between two computations (pred) or among a list (s32). */
static bool check_branches(hlo_reading *r, bool pred) {
    if (!pred)
        return refuse_branches(r, HLO_ATTR_TRUE_COMPUTATION) &&
               refuse_branches(r, HLO_ATTR_FALSE_COMPUTATION) &&
               want_branches(r, HLO_ATTR_BRANCH_COMPUTATIONS);
    return refuse_branches(r, HLO_ATTR_BRANCH_COMPUTATIONS) &&
           want_branches(r, HLO_ATTR_TRUE_COMPUTATION) &&
           want_branches(r, HLO_ATTR_FALSE_COMPUTATION);
}

static bool conditional_branches(hlo_reading *r) {
    if (!hlo_reading_count(r))
        return hlo_reading_fail(r, HLO_RULE_OPERAND_COUNT,
                                "the first operand, the branch index, is missing");
    const hlo_shape *index = operand_shape(r, 0);
    if (!hlo_shape_is_scalar(index) || (index->type != HLO_PRED && index->type != HLO_S32)) {
        hlo_parse_error(r->p, HLO_RULE_CONDITIONAL_INDEX, hlo_reading_operand_at(r, 0),
                        "the branch index of a conditional is pred[] or s32[], not %s",
                        hlo_shape_name(r->p->arena, index));
        hlo_note(r->p->diags, r->p->source, hlo_reading_operands(r)[0]->at,
                 "the index is made here");
        hlo_note_refusal(r->p, hlo_reading_behind_operands(r));
        return false;
    }
    bool pred = index->type == HLO_PRED;
    if (!check_branches(r, pred)) return false;
    uint32_t branches =
        pred ? 2 : hlo_reading_attr(r, HLO_ATTR_BRANCH_COMPUTATIONS)->u.computations->n;
    if (branches && branches + 1 == hlo_reading_count(r)) return true;
    hlo_parse_error(r->p, HLO_RULE_OPERAND_COUNT, hlo_reading_operands_at(r),
                    "a conditional of %u branches takes %u operands, %u are given", branches,
                    branches + 1, hlo_reading_count(r));
    hlo_note_refusal(r->p, r->pending->at);
    return false;
}

/* ---- relations ---- */

static bool one_dimension(hlo_reading *r) {
    hlo_attr *dims = hlo_reading_attr(r, HLO_ATTR_DIMENSIONS);
    if (!dims || dims->u.ints->n == 1) return true;
    hlo_parse_error(r->p, HLO_RULE_ATTRIBUTE_VALUE, hlo_reading_attr_at(r, dims),
                    "%s takes exactly one dimension", hlo_ops[r->pending->opcode].text);
    hlo_note(r->p->diags, r->p->source, r->pending->at, "of this instruction");
    return false;
}

static bool all_to_all_dimension(hlo_reading *r) {
    hlo_attr *dims = hlo_reading_attr(r, HLO_ATTR_DIMENSIONS);
    return !dims || one_dimension(r);
}

/* One scalar index per dimension, or one vector of them, behind the first `fixed` operands. */
static bool index_operands(hlo_reading *r, uint32_t fixed) {
    uint32_t n = hlo_reading_count(r) - fixed;
    const hlo_shape *sliced = operand_shape(r, 0);
    if (!hlo_shape_is_array(sliced) || n == sliced->rank) return true;
    if (n == 1 && hlo_shape_is_array(operand_shape(r, fixed)) && operand_shape(r, fixed)->rank == 1)
        return true;
    hlo_parse_error(r->p, HLO_RULE_OPERAND_COUNT, hlo_reading_operands_at(r),
                    "%s of %s takes %u index operands, %u %s given",
                    hlo_ops[r->pending->opcode].text, hlo_shape_name(r->p->arena, sliced),
                    sliced->rank, n, n == 1 ? "is" : "are");
    hlo_note_refusal(r->p, r->next);
    return false;
}

static bool slice_indices(hlo_reading *r) {
    return index_operands(r, 1);
}

static bool update_indices(hlo_reading *r) {
    return index_operands(r, 2);
}

static bool tuple_operands(hlo_reading *r) {
    if (hlo_scope_now(r->p)->computation->is_async_body) return true; /* more may come later */
    if (!r->shape || !hlo_shape_is_tuple(r->shape) || r->shape->rank == hlo_reading_count(r))
        return true;
    uint32_t n = hlo_reading_count(r);
    hlo_parse_error(r->p, HLO_RULE_OPERAND_COUNT, hlo_reading_operands_at(r),
                    "the tuple is written with %u element%s, %u operand%s given", r->shape->rank,
                    r->shape->rank == 1 ? "" : "s", n, n == 1 ? " is" : "s are");
    hlo_note(r->p->diags, r->p->source, r->pending->shape_at, "the tuple is written here");
    return false;
}

static bool scan_operands(hlo_reading *r) {
    const hlo_computation *step = hlo_reading_attr(r, HLO_ATTR_TO_APPLY)->u.computation;
    if (!one_dimension(r)) return hlo_note_refusal(r->p, r->next), false;
    if (step->parameter_count == hlo_reading_count(r)) return true;
    hlo_parse_error(r->p, HLO_RULE_OPERAND_COUNT, hlo_reading_operands_at(r),
                    "the computation of this scan has %u parameters, %u operands are given",
                    step->parameter_count, hlo_reading_count(r));
    hlo_note_refusal(r->p, r->next);
    return false;
}

static bool global_ids_need_channel(hlo_reading *r) {
    hlo_attr *global = hlo_reading_attr(r, HLO_ATTR_USE_GLOBAL_DEVICE_IDS);
    if (!global || !global->u.i || hlo_reading_attr(r, HLO_ATTR_CHANNEL_ID)) return true;
    hlo_parse_error(r->p, HLO_RULE_CHANNEL, hlo_reading_attr_at(r, global),
                    "use_global_device_ids=true needs a channel_id=");
    hlo_note(r->p->diags, r->p->source, hlo_reading_operands_at(r),
             "it may stand behind these operands");
    return false;
}

static bool gather_like(hlo_reading *r) {
    return global_ids_need_channel(r) && one_dimension(r);
}

static bool permute_slices(hlo_reading *r) {
    if (!hlo_reading_attr(r, HLO_ATTR_PERMUTE_SLICE_SIZES) || hlo_reading_count(r) == 4)
        return true;
    return hlo_reading_fail(r, HLO_RULE_OPERAND_COUNT,
                            "slice_sizes= asks for exactly four operands");
}

static bool custom_call_constraints(hlo_reading *r) {
    hlo_attr *constraints = hlo_reading_attr(r, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    if (!constraints) return true;
    const hlo_shapes *list = constraints->u.shapes;
    if (list->n != hlo_reading_count(r))
        return hlo_reading_fail_at(
            r, HLO_RULE_CUSTOM_CALL_LAYOUTS, hlo_reading_attr_at(r, constraints),
            "operand_layout_constraints= must list a shape for each operand");
    for (uint32_t i = 0; i < list->n; i++) {
        if (hlo_shape_compatible(list->v[i], operand_shape(r, i))) continue;
        hlo_parse_error(r->p, HLO_RULE_CUSTOM_CALL_LAYOUTS, hlo_reading_attr_at(r, constraints),
                        "layout constraint %u is for %s, the operand is %s", i,
                        hlo_shape_name(r->p->arena, list->v[i]),
                        hlo_shape_name(r->p->arena, operand_shape(r, i)));
        hlo_note_refusal(r->p, r->next);
        return false;
    }
    return true;
}

/* A compare type that the operands' type implies is not kept. */
static bool compare_type(hlo_reading *r) {
    static const int implied[] = {
        [HLO_CLASS_PRED] = 3,  [HLO_CLASS_SIGNED] = 2,  [HLO_CLASS_UNSIGNED] = 3,
        [HLO_CLASS_FLOAT] = 0, [HLO_CLASS_COMPLEX] = 0, [HLO_CLASS_OTHER] = -1};
    hlo_attr *type = hlo_reading_attr(r, HLO_ATTR_TYPE);
    if (type && type->u.i == implied[hlo_types[operand_shape(r, 0)->type].class])
        hlo_reading_drop(r, HLO_ATTR_TYPE);
    return true;
}

static bool channel_of_start(hlo_reading *r) {
    const hlo_instr *start = hlo_reading_operands(r)[0];
    hlo_opcode wanted = r->pending->opcode == HLO_OP_SEND_DONE ? HLO_OP_SEND : HLO_OP_RECV;
    hlo_attr *mine = hlo_reading_attr(r, HLO_ATTR_CHANNEL_ID);
    if (start->opcode != wanted) return true; /* the verifier's business */
    const hlo_attr *theirs = hlo_instr_attr(start, HLO_ATTR_CHANNEL_ID);
    if (!mine == !theirs && (!mine || mine->u.i == theirs->u.i)) return true;
    hlo_parse_error(r->p, HLO_RULE_CHANNEL, mine ? hlo_reading_attr_at(r, mine) : r->pending->at,
                    "%s and its %s name different channels", hlo_ops[r->pending->opcode].text,
                    hlo_ops[wanted].text);
    hlo_note(r->p->diags, r->p->source, start->at, "the %s is here", hlo_ops[wanted].text);
    hlo_note(r->p->diags, r->p->source, r->pending->at, "the %s is here",
             hlo_ops[r->pending->opcode].text);
    return false;
}

static bool replication_of_leaves(hlo_reading *r) {
    hlo_attr *leaves = hlo_reading_attr(r, HLO_ATTR_PARAMETER_REPLICATION);
    if (!leaves || !r->shape || leaves->u.ints->n == hlo_shape_leaf_count(r->shape)) return true;
    return hlo_reading_fail_at(
        r, HLO_RULE_ATTRIBUTE_VALUE, hlo_reading_attr_at(r, leaves),
        "parameter_replication= must have a value for each leaf of the shape");
}

static bool tuple_index(hlo_reading *r) {
    hlo_attr *index = hlo_reading_attr(r, HLO_ATTR_INDEX);
    const hlo_shape *tuple = operand_shape(r, 0);
    if (r->shape || !hlo_shape_is_tuple(tuple) || (index->u.i >= 0 && index->u.i < tuple->rank))
        return true;
    hlo_parse_error(r->p, HLO_RULE_ATTRIBUTE_VALUE, hlo_reading_attr_at(r, index),
                    "the tuple has %u elements", tuple->rank);
    return false;
}

/* ---- rebuilt shapes ---- */

static bool literal_shape(hlo_reading *r) {
    const hlo_shape *written = r->shape;
    if (written->elements || !written->layout) return true;
    hlo_layout_parts parts = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    if (written->layout->parts) parts = *written->layout->parts;
    parts.element_bits = 0;
    r->shape = hlo_shape_array(shapes(r), (hlo_type)written->type, written->dims, written->rank,
                               NULL, written->layout->minor_to_major, &parts);
    return true;
}

static bool token_shape(hlo_reading *r) {
    r->shape = hlo_shape_token(shapes(r));
    return true;
}

static bool outfeed_shape(hlo_reading *r) {
    if (!hlo_reading_attr(r, HLO_ATTR_OUTFEED_SHAPE))
        hlo_reading_set(r, HLO_ATTR_OUTFEED_SHAPE, operand_shape(r, 0));
    return token_shape(r);
}

static bool first_operand_shape(hlo_reading *r) {
    r->shape = operand_shape(r, 0);
    return true;
}

static bool send_shape(hlo_reading *r) {
    const hlo_shape *parts[] = {operand_shape(r, 0), hlo_shape_scalar(shapes(r), HLO_U32),
                                hlo_shape_token(shapes(r))};
    r->shape = hlo_shape_tuple(shapes(r), parts, 3);
    return true;
}

/* infeed, recv and recv-done: rebuilt from the first element of the written tuple. */
static bool from_first_element(hlo_reading *r) {
    if (!hlo_shape_is_tuple(r->shape) || r->shape->rank == 0) {
        hlo_parse_error(r->p, HLO_RULE_RESULT_FORM, r->pending->shape_at,
                        "the result of %s is a tuple of the data and a token, not %s",
                        hlo_ops[r->pending->opcode].text, hlo_shape_name(r->p->arena, r->shape));
        hlo_note_instruction(r->p);
        hlo_note_refusal(r->p, r->next);
        return false;
    }
    const hlo_shape *parts[3] = {r->shape->elements[0]};
    uint32_t n = 1;
    if (r->pending->opcode == HLO_OP_RECV) parts[n++] = hlo_shape_scalar(shapes(r), HLO_U32);
    parts[n++] = hlo_shape_token(shapes(r));
    r->shape = hlo_shape_tuple(shapes(r), parts, n);
    return true;
}

/* map is printed with all dimensions whatever was written. */
static bool map_dimensions(hlo_reading *r) {
    hlo_ints *all = hlo_ints_new(r->p->arena, hlo_shape_is_array(r->shape) ? r->shape->rank : 0);
    for (uint32_t i = 0; i < all->n; i++) all->v[i] = i;
    hlo_reading_set(r, HLO_ATTR_DIMENSIONS, all);
    return true;
}

/* Of a start and of an update. */
static bool async_shape(hlo_reading *r) {
    const hlo_shape *s = r->shape;
    if (r->pending->opcode == HLO_OP_ASYNC_START) r->p->has_async = true;
    if (hlo_shape_is_tuple(s) && s->rank >= 2 && hlo_shape_is_tuple(s->elements[0])) return true;
    hlo_parse_error(r->p, HLO_RULE_RESULT_FORM, r->pending->shape_at,
                    "the result of %s is ((operands), result, ...), not %s",
                    hlo_ops[r->pending->opcode].text, hlo_shape_name(r->p->arena, s));
    hlo_note_refusal(r->p, hlo_reading_behind_operands(r));
    return false;
}

/* ---- tables ---- */

typedef bool step(hlo_reading *r);

static step *const spellings[HLO_OP_COUNT] = {
    [HLO_OP_BROADCAST] = broadcast_of_scalar,
    [HLO_OP_CUSTOM_CALL] = custom_call_computations,
    [HLO_OP_DOT] = dot_operands,
    [HLO_OP_CONDITIONAL] = conditional_branches,
};

static step *const relations[HLO_OP_COUNT] = {
    [HLO_OP_ALL_GATHER] = gather_like,
    [HLO_OP_ALL_GATHER_START] = gather_like,
    [HLO_OP_REDUCE_SCATTER] = gather_like,
    [HLO_OP_ALL_REDUCE] = global_ids_need_channel,
    [HLO_OP_ALL_REDUCE_START] = global_ids_need_channel,
    [HLO_OP_ALL_TO_ALL] = all_to_all_dimension,
    [HLO_OP_COLLECTIVE_PERMUTE] = permute_slices,
    [HLO_OP_COLLECTIVE_PERMUTE_START] = permute_slices,
    [HLO_OP_CONCATENATE] = one_dimension,
    [HLO_OP_SORT] = one_dimension,
    [HLO_OP_SCAN] = scan_operands,
    [HLO_OP_DYNAMIC_SLICE] = slice_indices,
    [HLO_OP_DYNAMIC_UPDATE_SLICE] = update_indices,
    [HLO_OP_TUPLE] = tuple_operands,
    [HLO_OP_GET_DIMENSION_SIZE] = one_dimension,
    [HLO_OP_SET_DIMENSION_SIZE] = one_dimension,
    [HLO_OP_CUSTOM_CALL] = custom_call_constraints,
    [HLO_OP_COMPARE] = compare_type,
    [HLO_OP_SEND_DONE] = channel_of_start,
    [HLO_OP_RECV_DONE] = channel_of_start,
    [HLO_OP_PARAMETER] = replication_of_leaves,
    [HLO_OP_GET_TUPLE_ELEMENT] = tuple_index,
    [HLO_OP_ASYNC_UPDATE] = hlo_check_async_done,
    [HLO_OP_ASYNC_DONE] = hlo_check_async_done,
};

static step *const rebuilt_shapes[HLO_OP_COUNT] = {
    [HLO_OP_CONSTANT] = literal_shape,
    [HLO_OP_AFTER_ALL] = token_shape,
    [HLO_OP_SEND_DONE] = token_shape,
    [HLO_OP_OUTFEED] = outfeed_shape,
    [HLO_OP_ADD_DEPENDENCY] = first_operand_shape,
    [HLO_OP_SEND] = send_shape,
    [HLO_OP_INFEED] = from_first_element,
    [HLO_OP_RECV] = from_first_element,
    [HLO_OP_RECV_DONE] = from_first_element,
    [HLO_OP_MAP] = map_dimensions,
    [HLO_OP_ASYNC_START] = async_shape,
    [HLO_OP_ASYNC_UPDATE] = async_shape,
};

bool hlo_normalise(hlo_reading *r) {
    step *f = spellings[r->pending->opcode];
    return !f || f(r);
}

bool hlo_normalise_values(hlo_reading *r) {
    step *f = relations[r->pending->opcode];
    return !f || f(r);
}

bool hlo_normalise_shape(hlo_reading *r) {
    step *f = rebuilt_shapes[r->pending->opcode];
    return !f || f(r);
}
