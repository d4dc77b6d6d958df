/* Instructions of the operands and attributes that were pushed: their shapes and names as XLA's
 * builder gives them, and the values of results. */
#include "form/form.h"
#include "ir/valid_name.h"
#include "parse/parse.h"
#include "shape/infer.h"
#include "stablehlo/convert.h"

void hlo_stablehlo_push_any(hlo_stablehlo *s, hlo_attr_id id, const void *value) {
    hlo_list_push(&s->attrs, (hlo_attr){.id = (uint16_t)id, .u.any = value});
}

void hlo_stablehlo_push_int(hlo_stablehlo *s, hlo_attr_id id, int64_t value) {
    hlo_list_push(&s->attrs, (hlo_attr){.id = (uint16_t)id, .u.i = value});
}

void hlo_stablehlo_push_flag(hlo_stablehlo *s, hlo_attr_id id, bool value) {
    if (value) hlo_stablehlo_push_int(s, id, 1);
}

void hlo_stablehlo_push_ints(hlo_stablehlo *s, hlo_attr_id id, hlo_int_view list) {
    hlo_stablehlo_push_any(s, id, hlo_ints_from(s->arena, list.v, list.n));
}

void hlo_stablehlo_push_text(hlo_stablehlo *s, hlo_attr_id id, hlo_str text) {
    hlo_str *kept = HLO_NEW(s->arena, hlo_str);
    *kept = hlo_stablehlo_keep(s, text);
    hlo_stablehlo_push_any(s, id, kept);
}

void hlo_stablehlo_push_computation(hlo_stablehlo *s, hlo_attr_id id, hlo_computation *c) {
    hlo_list_push(&s->attrs, (hlo_attr){.id = (uint16_t)id, .u.computation = c});
}

bool hlo_stablehlo_push_words(hlo_stablehlo *s, hlo_opcode opcode, const char *name, hlo_str text) {
    char *copy = hlo_arena_alloc(s->arena, (size_t)text.len + 1);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    hlo_diags found;
    hlo_attr attr;
    hlo_diags_init(&found);
    bool good = hlo_parse_attribute(opcode, name, copy, s->module, &found, &attr);
    if (good) hlo_list_push(&s->attrs, attr);
    else
        hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "%s=%.80s: %s", name, copy,
                           found.first ? found.first->message : "it cannot be read");
    hlo_diags_drop(&found);
    return good;
}

void hlo_stablehlo_push_operand(hlo_stablehlo *s, hlo_instr *operand) {
    hlo_list_push(&s->operands, operand);
}

hlo_instr *hlo_stablehlo_operand(hlo_stablehlo *s, uint32_t i) {
    if (i >= s->op->operand_count)
        return hlo_stablehlo_fail(s, HLO_RULE_OPERAND_COUNT, "it has %u operands, %u are needed",
                                  s->op->operand_count, i + 1);
    hlo_instr *made = hlo_mlir_operand(s->op, i)->made;
    if (!made && s->has_refused) { /* its error is reported */
        s->failed = true;
        return NULL;
    }
    if (!made ||
        made->parent != s->computation) /* of outside where only some regions may use that */
        return hlo_stablehlo_fail(s, HLO_RULE_UNKNOWN_NAME, "operand %u has no value here", i);
    return made;
}

void hlo_stablehlo_push_operands(hlo_stablehlo *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        hlo_instr *operand = hlo_stablehlo_operand(s, i);
        if (operand) hlo_list_push(&s->operands, operand);
    }
}

static void report(const hlo_draft *draft, hlo_rule rule, hlo_part part, const char *message) {
    (void)part;
    hlo_stablehlo_fail(draft->context, rule, "%s", message);
}

static const hlo_draft_host host = {report, NULL};

/* As XLA's builder names it: by the last part of op_name, or like its opcode. */
static hlo_str base_name(hlo_stablehlo *s, hlo_opcode opcode) {
    const hlo_metadata *metadata = s->carried.metadata;
    if (!metadata || !metadata->op_name.len) return hlo_str_from(hlo_ops[opcode].text);
    hlo_str name = metadata->op_name;
    for (uint32_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/') {
            name = (hlo_str){name.ptr + i, name.len - i, 0};
            break;
        }
    return name;
}

/* Without a number at its end, and with '_' for '.'. */
hlo_str hlo_stablehlo_plain_name(hlo_stablehlo *s, hlo_str name) {
    uint32_t digits = name.len;
    while (digits && name.ptr[digits - 1] >= '0' && name.ptr[digits - 1] <= '9') digits--;
    if (digits > 1 && name.ptr[digits - 1] == '.') name.len = digits - 1;
    if (!name.len || !memchr(name.ptr, '.', name.len)) return name;
    char *copy = hlo_arena_copy(s->arena, name.ptr, name.len);
    for (uint32_t i = 0; i < name.len; i++)
        if (copy[i] == '.') copy[i] = '_';
    return (hlo_str){copy, name.len, 0};
}

/* Whether the operands have the shape already, and what is elementwise keeps it. */
static bool keeps_shape(const hlo_draft *draft) {
    for (uint32_t i = 0; i < draft->operand_count; i++)
        if (draft->operands[i]->shape != draft->shape) return false;
    return hlo_ops[draft->opcode].flags & HLO_OP_IS_ELEMENTWISE;
}

/* As XLA's builder infers it, with the layout that comes from the operands. Where it differs from
 * the declared one otherwise, the verifier reports it. */
static const hlo_shape *inferred_shape(const hlo_draft *draft) {
    hlo_stablehlo *s = draft->context;
    if (!draft->operand_count || draft->opcode == HLO_OP_CUSTOM_CALL || keeps_shape(draft))
        return draft->shape;
    hlo_draft probe = *draft;
    probe.diags = &s->unheard;
    probe.host = NULL;
    const hlo_shape *inferred = hlo_infer(&probe, false);
    if (s->unheard.errors) {
        hlo_diags_drop(&s->unheard);
        hlo_diags_init(&s->unheard);
    }
    bool agrees = inferred && hlo_shape_compatible(inferred, draft->shape) &&
                  hlo_shape_same_marks(inferred, draft->shape);
    return agrees ? inferred : draft->shape;
}

hlo_instr *hlo_stablehlo_named(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape,
                               hlo_str name) {
    if (s->failed || !shape) {
        s->attrs.n = s->operands.n = 0;
        return NULL;
    }
    const hlo_carried *carried = &s->carried;
    if (carried->metadata) hlo_stablehlo_push_any(s, HLO_ATTR_METADATA, carried->metadata);
    if (carried->sharding) hlo_stablehlo_push_any(s, HLO_ATTR_SHARDING, carried->sharding);
    if (carried->frontend)
        hlo_stablehlo_push_any(s, HLO_ATTR_FRONTEND_ATTRIBUTES, carried->frontend);
    hlo_name *wanted = hlo_module_intern_copy(s->module, hlo_valid_name(s->arena, name));
    hlo_draft draft = {.computation = s->computation,
                       .name = hlo_take_name(s->names, wanted),
                       .opcode = opcode,
                       .origin = HLO_DRAFT_OF_MESSAGE,
                       .shape = shape,
                       .operands = s->operands.v,
                       .operand_count = s->operands.n,
                       .attrs = s->attrs.v,
                       .attr_count = s->attrs.n,
                       .attr_capacity = s->attrs.capacity,
                       .diags = s->diags,
                       .host = &host,
                       .context = s};
    draft.shape = inferred_shape(&draft);
    hlo_instr *made = hlo_form_make(&draft);
    if (made && s->op) made->at = s->op->at;
    s->attrs.n = s->operands.n = 0;
    return made;
}

hlo_instr *hlo_stablehlo_make(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape) {
    hlo_str base = base_name(s, opcode);
    bool is_opcode = base.ptr == hlo_ops[opcode].text;
    return hlo_stablehlo_named(s, opcode, shape,
                               is_opcode ? base : hlo_stablehlo_plain_name(s, base));
}

hlo_instr *hlo_stablehlo_make_of(hlo_stablehlo *s, hlo_opcode opcode, const hlo_shape *shape,
                                 hlo_instr *const *operands, uint32_t n) {
    s->operands.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!operands[i]) s->failed = true;
        hlo_list_push(&s->operands, operands[i]);
    }
    return hlo_stablehlo_make(s, opcode, shape);
}

hlo_instr *hlo_stablehlo_element(hlo_stablehlo *s, hlo_instr *tuple, int64_t index) {
    if (!tuple) return NULL;
    if (!hlo_shape_is_tuple(tuple->shape) || index < 0 || index >= tuple->shape->rank)
        return hlo_stablehlo_fail(s, HLO_RULE_RESULT_FORM, "it has no result %lld",
                                  (long long)index);
    hlo_stablehlo_push_int(s, HLO_ATTR_INDEX, index);
    return hlo_stablehlo_make_of(s, HLO_OP_GET_TUPLE_ELEMENT, tuple->shape->elements[index], &tuple,
                                 1);
}

hlo_instr *hlo_stablehlo_tuple(hlo_stablehlo *s, hlo_instr *const *elements, uint32_t n) {
    const hlo_shape **shapes = HLO_NEW_ARRAY(s->arena, const hlo_shape *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!elements[i]) return NULL;
        shapes[i] = elements[i]->shape;
    }
    return hlo_stablehlo_make_of(s, HLO_OP_TUPLE, hlo_shape_tuple(&s->module->shapes, shapes, n),
                                 elements, n);
}

bool hlo_stablehlo_set_result(hlo_stablehlo *s, hlo_instr *result) {
    if (s->op->result_count > 1)
        return hlo_stablehlo_fail(s, HLO_RULE_RESULT_FORM, "it has one result, %u are named",
                                  s->op->result_count) != NULL;
    if (result && s->op->result_count) s->op->results[0].made = result;
    return result != NULL;
}

bool hlo_stablehlo_set_elements(hlo_stablehlo *s, hlo_instr *tuple) {
    const hlo_sharding *whole = s->carried.sharding;
    bool is_of_tuple =
        whole && whole->kind == HLO_SHARDING_TUPLE && whole->n == s->op->result_count;
    for (uint32_t i = 0; tuple && i < s->op->result_count; i++) {
        if (is_of_tuple) s->carried.sharding = whole->elements[i];
        if (!(s->op->results[i].made = hlo_stablehlo_element(s, tuple, i))) return false;
    }
    s->carried.sharding = whole;
    return tuple != NULL;
}

bool hlo_stablehlo_set_results(hlo_stablehlo *s, hlo_instr *made) {
    return s->op->result_count == 1 ? hlo_stablehlo_set_result(s, made)
                                    : hlo_stablehlo_set_elements(s, made);
}

bool hlo_stablehlo_make_same(hlo_stablehlo *s) {
    const hlo_shape *shape = hlo_stablehlo_result_shape(s, s->op);
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_results(s,
                                     hlo_stablehlo_make(s, hlo_stablehlo_opcode(s->op->id), shape));
}
