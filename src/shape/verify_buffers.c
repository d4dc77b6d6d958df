/* Buffers, b(SHAPE): which operations may pass them on, and that each is written once. */
#include "shape/verifier.h"

static bool has_buffer(const hlo_shape *shape) {
    if (shape->type == HLO_BUFFER) return true;
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (has_buffer(shape->elements[i])) return true;
    return false;
}

static const hlo_str *target_of(const hlo_instr *instr) {
    const hlo_attr *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return target ? target->u.string : NULL;
}

/* ---- writers ---- */

/* Where a buffer lies in the value of an instruction: index[0..n-1], space for one level a step. */
typedef struct {
    uint32_t n;
    int64_t *v;
} place;

static bool roots_a_loop(const hlo_verifier *v, const hlo_computation *computation) {
    for (const hlo_computation *c = v->module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next)
            for (uint32_t i = 0; instr->opcode == HLO_OP_WHILE && i < hlo_called_count(instr); i++)
                if (hlo_called(instr, i) == computation) return true;
    return false;
}

static bool writes(const hlo_instr *user) {
    switch (user->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
    case HLO_OP_FUSION:
    case HLO_OP_MAP:
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SCAN:
    case HLO_OP_SCATTER:
    case HLO_OP_SELECT_AND_SCATTER:
    case HLO_OP_SORT:
    case HLO_OP_WHILE: return true;
    default: return false;
    }
}

enum { MAX_STEPS = 1000 };

/* How many uses write the part of the value at `at`; tuples and get-tuple-elements hand it on. */
static uint32_t count_writers(hlo_verifier *v, const hlo_instr *instr, place at, uint32_t steps) {
    uint32_t writers = 0;
    if (steps > MAX_STEPS) return 0;
    const hlo_instr *last = NULL;
    for (const hlo_use *use = instr->first_use; use && writers < 2; use = use->next) {
        const hlo_instr *user = use->user;
        if (user == last) continue;
        last = user;
        if (writes(user)) {
            writers++;
        } else if (user->opcode == HLO_OP_GET_TUPLE_ELEMENT && at.n &&
                   hlo_attr_int(user, HLO_ATTR_INDEX) == at.v[0]) {
            writers += count_writers(v, user, (place){at.n - 1, at.v + 1}, steps + 1);
        } else if (user->opcode == HLO_OP_TUPLE && user == instr->parent->root) {
            writers += roots_a_loop(v, instr->parent);
        } else if (user->opcode == HLO_OP_TUPLE) {
            place inner = {at.n + 1, HLO_NEW_ARRAY(&v->scratch, int64_t, at.n + 1)};
            inner.v[0] = hlo_operand_number(user, instr);
            if (at.n) memcpy(inner.v + 1, at.v, at.n * sizeof *at.v);
            writers += count_writers(v, user, inner, steps + 1);
        }
    }
    return writers;
}

/* Every buffer in the value of an instruction is written once at most. */
static bool check_writers(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *part,
                          place at) {
    if (part->type == HLO_BUFFER && count_writers(v, instr, at, 0) > 1)
        return hlo_verify_fail(v, HLO_RULE_BUFFER_WRITER, instr,
                               "the buffer %s is written or unpinned more than once",
                               hlo_verify_text(v, part));
    if (!hlo_shape_is_tuple(part)) return true;
    place inner = {at.n + 1, HLO_NEW_ARRAY(&v->scratch, int64_t, at.n + 1)};
    if (at.n) memcpy(inner.v, at.v, at.n * sizeof *at.v);
    for (uint32_t i = 0; i < part->rank; i++) {
        inner.v[at.n] = i;
        if (!check_writers(v, instr, part->elements[i], inner)) return false;
    }
    return true;
}

static bool check_value(hlo_verifier *v, const hlo_instr *instr) {
    return !has_buffer(instr->shape) || check_writers(v, instr, instr->shape, (place){0, NULL});
}

/* ---- custom calls ---- */

static uint32_t alias_count(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    return attr ? attr->u.aliasing->n : 0;
}

static bool fail_pinning(hlo_verifier *v, const hlo_instr *call, const char *form) {
    return hlo_verify_fail(v, HLO_RULE_CUSTOM_CALL_SIGNATURE, call, "%.*s takes %s",
                           (int)target_of(call)->len, target_of(call)->ptr, form) ||
           hlo_verify_at_attr(v, call, HLO_ATTR_CUSTOM_CALL_TARGET);
}

static bool same_contents(const hlo_verifier *v, const hlo_shape *a, const hlo_shape *b) {
    return v->options->layout_sensitive ? hlo_shapes_equal(a, b, 0)
                                        : hlo_shapes_compatible(a, b, 0);
}

static bool check_pin(hlo_verifier *v, const hlo_instr *call) {
    const hlo_shape *result = call->shape;
    bool fits = call->operand_count == 1 && hlo_shape_is_array(hlo_operand(call, 0)->shape) &&
                result->type == HLO_BUFFER && alias_count(call) == 1 &&
                same_contents(v, hlo_operand(call, 0)->shape, result->elements[0]);
    if (!fits) return fail_pinning(v, call, "one array and returns it as a buffer that aliases it");
    return check_value(v, call);
}

static bool check_create(hlo_verifier *v, const hlo_instr *call) {
    if (call->operand_count || call->shape->type != HLO_BUFFER)
        return fail_pinning(v, call, "no operand and returns a buffer");
    return check_value(v, call);
}

static bool check_unpin(hlo_verifier *v, const hlo_instr *call) {
    const hlo_shape *operand = call->operand_count == 1 ? hlo_operand(call, 0)->shape : call->shape;
    bool fits = operand->type == HLO_BUFFER && hlo_shape_is_array(call->shape) &&
                alias_count(call) == 1 && same_contents(v, operand->elements[0], call->shape);
    return fits || fail_pinning(v, call, "one buffer and returns it as an array that aliases it");
}

/* How many aliases refer to a part of an operand (`number` from 0 on) or of the result (-1). */
static uint32_t aliases_of(const hlo_instr *call, int64_t number, place at) {
    const hlo_attr *attr = hlo_instr_attr(call, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    uint32_t n = 0;
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        const hlo_ints *index =
            number < 0 ? attr->u.aliasing->v[i].output : attr->u.aliasing->v[i].index;
        uint32_t length = index ? index->n : 0;
        if (number >= 0 && attr->u.aliasing->v[i].parameter != number) continue;
        n += length == at.n && (length == 0 || memcmp(index->v, at.v, length * sizeof *at.v) == 0);
    }
    return n;
}

static bool check_aliased(hlo_verifier *v, const hlo_instr *call, int64_t number,
                          const hlo_shape *part, place at) {
    if (part->type == HLO_BUFFER) {
        uint32_t n = aliases_of(call, number, at);
        if (n == 1) return true;
        const char *how = n ? "aliased more than once" : "not aliased";
        if (number < 0)
            return hlo_verify_fail(v, HLO_RULE_BUFFER_ALIASING, call,
                                   "the buffer %s of the result is %s", hlo_verify_text(v, part),
                                   how);
        return hlo_verify_fail(v, HLO_RULE_BUFFER_ALIASING, call,
                               "the buffer %s of operand %lld is %s", hlo_verify_text(v, part),
                               (long long)number, how) ||
               hlo_verify_at_operand(v, call, (uint32_t)number);
    }
    if (!hlo_shape_is_tuple(part) || !has_buffer(part)) return true;
    place inner = {at.n + 1, HLO_NEW_ARRAY(&v->scratch, int64_t, at.n + 1)};
    if (at.n) memcpy(inner.v, at.v, at.n * sizeof *at.v);
    for (uint32_t i = 0; i < part->rank; i++) {
        inner.v[at.n] = i;
        if (!check_aliased(v, call, number, part->elements[i], inner)) return false;
    }
    return true;
}

static bool check_custom_call(hlo_verifier *v, const hlo_instr *call) {
    const hlo_str *target = target_of(call);
    if (target && hlo_str_is(*target, "Pin")) return check_pin(v, call);
    if (target && hlo_str_is(*target, "CreateBuffer")) return check_create(v, call);
    if (target && hlo_str_is(*target, "Unpin")) return check_unpin(v, call);
    for (uint32_t i = 0; i < call->operand_count; i++)
        if (!check_aliased(v, call, i, hlo_operand(call, i)->shape, (place){0, NULL})) return false;
    return check_aliased(v, call, -1, call->shape, (place){0, NULL}) && check_value(v, call);
}

/* ---- everything else ---- */

static bool check_none(hlo_verifier *v, const hlo_instr *instr, uint32_t first_operand,
                       bool result) {
    bool found = result && has_buffer(instr->shape);
    for (uint32_t i = first_operand; !found && i < instr->operand_count; i++)
        found = has_buffer(hlo_operand(instr, i)->shape);
    return !found || hlo_verify_fail(v, HLO_RULE_BUFFER_USE, instr, "buffers cannot be used here");
}

static bool check_update(hlo_verifier *v, const hlo_instr *instr) {
    if (hlo_operand(instr, 0)->shape->type != HLO_BUFFER) return check_none(v, instr, 0, true);
    if (!check_value(v, instr) || !check_none(v, instr, 1, false)) return false;
    return instr->shape->type == HLO_BUFFER ||
           hlo_verify_fail(v, HLO_RULE_BUFFER_USE, instr,
                           "an update of a buffer is a buffer and not %s",
                           hlo_verify_text(v, instr->shape));
}

bool hlo_verify_buffers(hlo_verifier *v, const hlo_instr *instr) {
    if (instr->parent->is_async_body)
        return instr != instr->parent->root || instr->opcode != HLO_OP_CUSTOM_CALL ||
               check_custom_call(v, instr);
    switch (instr->opcode) {
    case HLO_OP_ASYNC_START:
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_ASYNC_DONE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_TUPLE: return true;
    case HLO_OP_CALL:
        return hlo_frontend_value(instr, "_xla_stream_annotation") || check_none(v, instr, 0, true);
    case HLO_OP_CUSTOM_CALL: return check_custom_call(v, instr);
    case HLO_OP_WHILE: return check_value(v, instr);
    case HLO_OP_PARAMETER:
        if (instr->parent == v->module->entry && !check_none(v, instr, 0, true)) return false;
        return check_value(v, instr);
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return check_update(v, instr);
    default: return check_none(v, instr, 0, true);
    }
}
