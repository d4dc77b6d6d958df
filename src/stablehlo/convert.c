/* Functions and regions as computations, and the walk over their operations. */
#include "stablehlo/convert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "form/form.h"
#include "ir/valid_name.h"
#include "parse/parse.h"
#include "shape/infer.h"
#include "stablehlo/edit.h"
#include "stablehlo/expand.h"
#include "stablehlo/prepare.h"
#include "stablehlo/shardy.h"
#include "stablehlo/stablehlo.h"

/* ---- errors ---- */

void *hlo_stablehlo_fail_at(hlo_stablehlo *s, const hlo_mlir_op *op, hlo_span at, hlo_rule rule,
                            const char *format, ...) {
    if (s->failed) return NULL;
    s->failed = true;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (at.hi == 0 && op) at = op->at;
    hlo_error(s->diags, rule, s->source, at, "%s", text);
    return NULL;
}

void *hlo_stablehlo_fail(hlo_stablehlo *s, hlo_rule rule, const char *format, ...) {
    if (s->failed) return NULL;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hlo_str name = s->op ? s->op->name : (hlo_str){0};
    return hlo_stablehlo_fail_at(s, s->op, (hlo_span){0, 0}, rule, "'%.*s': %s", (int)name.len,
                                 name.ptr, text);
}

/* ---- makers ---- */

typedef bool maker(hlo_stablehlo *s);

static const struct {
    maker *make;
    uint16_t opcode; /* HLO_OP_COUNT: none */
} makers[HLO_MLIR_OP_COUNT] = {
#define HLO_OP_NONE HLO_OP_COUNT
#define HLO_MLIR_OP(id, name, form, results, types, maker, opcode) \
    {hlo_shlo_##maker, HLO_OP_##opcode},
#include "mlir/ops.def"
#undef HLO_MLIR_OP
#undef HLO_OP_NONE
};

hlo_opcode hlo_stablehlo_opcode(hlo_mlir_op_id id) {
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    return (hlo_opcode)makers[id].opcode;
}

bool hlo_shlo_none(hlo_stablehlo *s) {
    return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "it cannot stand here") != NULL;
}

static void hint_at_shardy(hlo_stablehlo *s) {
    hlo_hint(s->diags, "jax.jit(f).lower(x).as_text('hlo') is HLO with shardings");
}

bool hlo_shlo_unsupported(hlo_stablehlo *s) {
    if (s->failed) return false;
    hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "HLO has no such operation");
    if (s->op->name.len > 4 && memcmp(s->op->name.ptr, "sdy.", 4) == 0) hint_at_shardy(s);
    return false;
}

/* Formulas are expanded before. */
bool hlo_shlo_formula(hlo_stablehlo *s) {
    return hlo_shlo_unsupported(s);
}

bool hlo_stablehlo_convert_as(hlo_stablehlo *s, hlo_mlir_op_id id) {
    return makers[id].make(s);
}

/* ---- the instruction that is made ---- */

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
static hlo_str plain_name(hlo_stablehlo *s, hlo_str name) {
    uint32_t digits = name.len;
    while (digits && name.ptr[digits - 1] >= '0' && name.ptr[digits - 1] <= '9') digits--;
    if (digits > 1 && name.ptr[digits - 1] == '.') name.len = digits - 1;
    char *copy = hlo_arena_copy(s->arena, name.ptr, name.len);
    for (uint32_t i = 0; i < name.len; i++)
        if (copy[i] == '.') copy[i] = '_';
    return (hlo_str){copy, name.len, 0};
}

/* As XLA's builder infers it, with the layout that comes from the operands. Where it differs from
 * the declared one otherwise, the verifier reports it. */
static const hlo_shape *inferred_shape(const hlo_draft *draft) {
    if (!draft->operand_count || draft->opcode == HLO_OP_CUSTOM_CALL) return draft->shape;
    hlo_draft probe = *draft;
    hlo_diags found;
    hlo_diags_init(&found);
    probe.diags = &found;
    probe.host = NULL;
    const hlo_shape *inferred = hlo_infer(&probe, false);
    hlo_diags_drop(&found);
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
                       .name = hlo_unique_name(s->names, wanted),
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
    return hlo_stablehlo_named(s, opcode, shape, is_opcode ? base : plain_name(s, base));
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

/* ---- what an operation carries ---- */

/* What has no place in HLO, and would be lost. */
static bool refuse_shardy(hlo_stablehlo *s, const hlo_mlir_attr *sharding, const char *of) {
    if (!sharding || s->failed) return !s->failed;
    hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                       "a sharding of Shardy, of %s, is not converted", of);
    hint_at_shardy(s);
    return false;
}

static const hlo_sharding *sharding_of(hlo_stablehlo *s, const hlo_mlir_attr *attr) {
    if (!attr || attr->kind != HLO_MLIR_STRING) return NULL;
    uint32_t base = s->attrs.n;
    if (!hlo_stablehlo_push_words(s, HLO_OP_CUSTOM_CALL, "sharding", attr->u.text)) return NULL;
    const hlo_sharding *sharding = s->attrs.v[base].u.sharding;
    s->attrs.n = base;
    return sharding;
}

static int by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_frontend_entry *)a)->key,
                           ((const hlo_frontend_entry *)b)->key);
}

/* `rule`: a rule of Shardy, which becomes one entry more; or NULL. */
static const hlo_frontend *frontend_with(hlo_stablehlo *s, const hlo_mlir_attr *dict,
                                         const hlo_mlir_attr *rule) {
    uint32_t n = dict && dict->kind == HLO_MLIR_DICT ? dict->list.n : 0;
    if (!n && !rule) return NULL;
    hlo_frontend *frontend =
        hlo_arena_alloc(s->arena, sizeof *frontend + (n + 1) * sizeof frontend->v[0]);
    frontend->n = 0;
    if (rule)
        frontend->v[frontend->n++] = (hlo_frontend_entry){HLO_STR("xla.sdy.sharding_rule"),
                                                          hlo_stablehlo_keep(s, rule->u.text)};
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *value = dict->list.v[i].value;
        hlo_frontend_entry entry = {hlo_stablehlo_keep(s, dict->list.v[i].key), {0}};
        if (hlo_str_is(entry.key, "xla_metadata_payload")) continue;
        if (rule && hlo_str_is(entry.key, "xla.sdy.sharding_rule")) continue;
        if (value->kind == HLO_MLIR_STRING) entry.value = hlo_stablehlo_keep(s, value->u.text);
        else if (value->kind == HLO_MLIR_BOOL)
            entry.value = value->u.i ? HLO_STR("true") : HLO_STR("false");
        else continue;
        frontend->v[frontend->n++] = entry;
    }
    qsort(frontend->v, frontend->n, sizeof frontend->v[0], by_key);
    return frontend->n ? frontend : NULL;
}

static const hlo_frontend *frontend_of(hlo_stablehlo *s, const hlo_mlir_attr *dict) {
    return frontend_with(s, dict, NULL);
}

static hlo_carried carried_by(hlo_stablehlo *s, const hlo_mlir_op *op) {
    const hlo_mlir_attr *rule = hlo_mlir_attr_of(op, "sdy.sharding_rule");
    if (rule && rule->kind != HLO_MLIR_WORD) rule = NULL;
    return (hlo_carried){
        .metadata = hlo_stablehlo_metadata(s, op),
        .sharding = sharding_of(s, hlo_mlir_attr_of(op, "mhlo.sharding")),
        .frontend = frontend_with(s, hlo_mlir_attr_of(op, "mhlo.frontend_attributes"), rule)};
}

/* ---- blocks ---- */

static bool is_return(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_FUNC_RETURN || op->id == HLO_MLIR_OP_STABLEHLO_RETURN ||
           op->id == HLO_MLIR_OP_MHLO_RETURN || op->id == HLO_MLIR_OP_SDY_RETURN;
}

static bool convert_op(hlo_stablehlo *s, const hlo_mlir_op *op) {
    s->op = op;
    if (op->id == HLO_MLIR_OP_COUNT)
        return hlo_stablehlo_fail_at(s, op, op->at, HLO_RULE_UNKNOWN_OPCODE,
                                     "unknown operation '%.*s'", (int)op->name.len,
                                     op->name.ptr) != NULL;
    bool is_constant = makers[op->id].opcode == HLO_OP_CONSTANT;
    if (!refuse_shardy(s, hlo_mlir_attr_of(op, "sdy.sharding"), "an operation")) return false;
    s->carried = carried_by(s, op);
    if (is_constant) s->carried.metadata = NULL, s->carried.frontend = NULL; /* as XLA has it */
    bool good = !s->failed && makers[op->id].make(s) && !s->failed;
    s->op = op;
    return good;
}

/* A computation that is open, until finish. */
static hlo_computation *begin(hlo_stablehlo *s, hlo_str name) {
    hlo_computation *c = hlo_computation_new(
        s->module, hlo_module_intern_copy(s->module, hlo_valid_name(s->arena, name)));
    s->computation = c;
    return c;
}

/* Computations are numbered in the order in which they end, and names are made unique once more. */
static bool finish(hlo_stablehlo *s, hlo_computation *c, hlo_instr *root) {
    c->root = root ? root : c->last;
    if (!c->root) return hlo_stablehlo_fail(s, HLO_RULE_ROOT, "there is nothing in it") != NULL;
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, c->name->ptr, c->name->len);
    hlo_buf_char(&name, '.');
    hlo_buf_int(&name, ++s->computations);
    c->name = hlo_module_intern_copy(s->module, (hlo_str){name.data, (uint32_t)name.len, 0});
    hlo_buf_free(&name);
    for (hlo_instr *i = c->first; i; i = i->next) i->name = hlo_unique_name(s->names, i->name);
    hlo_computation_index_parameters(c);
    hlo_computation_move_last(c);
    return true;
}

static const hlo_mlir_attr *argument_attr(const hlo_mlir_op *function, const char *list, uint32_t i,
                                          const char *name) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(function, list);
    if (!all || i >= all->list.n) return NULL;
    return hlo_mlir_member(all->list.v[i].value, name);
}

/* The shardings of a function's results, of which some may be NULL; NULL: none has one. The text is
 * that of a tuple of them, in which `replicated` stands for those that have none. */
static const hlo_sharding **result_shardings(hlo_stablehlo *s, const hlo_mlir_op *op,
                                             const hlo_sharding **of_tuple) {
    const hlo_mlir_op *function = op->block->region->op;
    if (op->id != HLO_MLIR_OP_FUNC_RETURN) return NULL;
    const hlo_sharding **all = HLO_NEW_ARRAY(s->arena, const hlo_sharding *, op->operand_count);
    hlo_buf text = HLO_BUF_INIT;
    bool any = false;
    hlo_buf_char(&text, '{');
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_mlir_attr *attr = argument_attr(function, "res_attrs", i, "mhlo.sharding");
        all[i] = sharding_of(s, attr);
        refuse_shardy(s, argument_attr(function, "res_attrs", i, "sdy.sharding"), "a result");
        any |= all[i] != NULL;
        if (i) hlo_buf_cstr(&text, ", ");
        hlo_str own = all[i] ? attr->u.text : HLO_STR("{replicated}");
        bool is_tuple = own.len > 2 && own.ptr[0] == '{' && own.ptr[1] == '{';
        hlo_buf_bytes(&text, own.ptr + is_tuple, own.len - 2 * is_tuple);
    }
    hlo_buf_char(&text, '}');
    if (any) {
        hlo_mlir_attr whole = {.kind = HLO_MLIR_STRING};
        whole.u.text = hlo_stablehlo_keep(s, (hlo_str){text.data, (uint32_t)text.len, 0});
        *of_tuple = sharding_of(s, &whole);
    }
    hlo_buf_free(&text);
    return any && !s->failed ? all : NULL;
}

/* A reshape to the shape that the result has already; XLA leaves it unused. */
static bool reshape_result(hlo_stablehlo *s, hlo_instr *value, const hlo_sharding *sharding) {
    s->carried = (hlo_carried){.sharding = sharding};
    if (!hlo_shape_is_array(value->shape)) return true;
    return hlo_stablehlo_make_of(s, HLO_OP_RESHAPE, value->shape, &value, 1) != NULL;
}

static hlo_instr *returned_with_shardings(hlo_stablehlo *s, hlo_instr **values, uint32_t n,
                                          const hlo_sharding *const *shardings,
                                          const hlo_sharding *of_tuple) {
    bool is_main = hlo_str_is(
        hlo_mlir_word_of(hlo_mlir_attr_of(s->op->block->region->op, "sym_name")), "main");
    if (n == 1) {
        const hlo_attr *own = hlo_instr_attr(values[0], HLO_ATTR_SHARDING);
        if (own) s->carried.sharding = own->u.sharding;
        hlo_instr *tuple = hlo_stablehlo_tuple(s, values, 1);
        s->carried.sharding = shardings[0];
        return hlo_stablehlo_element(s, tuple, 0);
    }
    for (uint32_t i = 0; i < n && is_main; i++)
        if (!reshape_result(s, values[i], shardings[i])) return NULL;
    s->carried.sharding = of_tuple;
    return hlo_stablehlo_tuple(s, values, n);
}

/* The value of the block's return: its only operand, or a tuple of all. */
static hlo_instr *returned(hlo_stablehlo *s, const hlo_mlir_op *op, hlo_mlir_value *const *captured,
                           uint32_t n) {
    uint32_t count = op->operand_count + n;
    s->op = op;
    s->carried = (hlo_carried){0};
    hlo_instr **values = HLO_NEW_ARRAY(s->arena, hlo_instr *, count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!(values[i] = hlo_stablehlo_operand(s, i))) return NULL;
    for (uint32_t i = 0; i < n; i++) values[op->operand_count + i] = captured[i]->made;
    const hlo_sharding *of_tuple = NULL, **shardings = result_shardings(s, op, &of_tuple);
    if (s->failed) return NULL;
    if (shardings && !n) return returned_with_shardings(s, values, count, shardings, of_tuple);
    return count == 1 ? values[0] : hlo_stablehlo_tuple(s, values, count);
}

static hlo_instr *convert_block(hlo_stablehlo *s, const hlo_mlir_block *block,
                                hlo_mlir_value *const *captured, uint32_t n) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next) {
        if (is_return(op)) return returned(s, op, captured, n);
        if (!convert_op(s, op)) return NULL;
    }
    return hlo_stablehlo_fail(s, HLO_RULE_ROOT, "the block has no return");
}

static const hlo_mlir_block *only_block(hlo_stablehlo *s, const hlo_mlir_region *region) {
    if (!region->first || region->first->next)
        return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "a region has one block");
    return region->first;
}

/* ---- parameters ---- */

/* The file's name of a path, as XLA's builder names a parameter: by the debug name of its place. */
static const hlo_mlir_location *location_of(const hlo_mlir_value *value) {
    return value->op ? value->op->location : value->location;
}

/* `number` -1: without a number. */
static hlo_str parameter_name(hlo_stablehlo *s, const hlo_mlir_value *argument, int64_t number) {
    hlo_str name = hlo_stablehlo_debug_name(s, location_of(argument));
    for (uint32_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/') {
            name = (hlo_str){name.ptr + i, name.len - i, 0};
            break;
        }
    if (name.len) return plain_name(s, name);
    char text[48];
    int n = number < 0 ? snprintf(text, sizeof text, "Arg_")
                       : snprintf(text, sizeof text, "Arg_%lld", (long long)number);
    return (hlo_str){hlo_arena_copy(s->arena, text, (size_t)n), (uint32_t)n, 0};
}

static const hlo_metadata *parameter_metadata(hlo_stablehlo *s, const hlo_mlir_value *argument) {
    hlo_str name = hlo_stablehlo_debug_name(s, location_of(argument));
    if (!name.len) return NULL;
    hlo_metadata *metadata = HLO_NEW(s->arena, hlo_metadata);
    metadata->op_name = name;
    return metadata;
}

static hlo_instr *parameter(hlo_stablehlo *s, int64_t number, const hlo_shape *shape,
                            hlo_str name) {
    hlo_stablehlo_push_int(s, HLO_ATTR_PARAMETER_NUMBER, number);
    return hlo_stablehlo_named(s, HLO_OP_PARAMETER, shape, name);
}

/* `number` -1: it is the only parameter of a body, whose name has no number. */
static bool argument_parameter(hlo_stablehlo *s, hlo_mlir_value *argument, int64_t number,
                               const hlo_sharding *sharding, const hlo_frontend *frontend) {
    s->carried = (hlo_carried){parameter_metadata(s, argument), sharding, frontend};
    argument->made = parameter(s, number < 0 ? 0 : number, hlo_stablehlo_shape(s, argument->type),
                               parameter_name(s, argument, number));
    hlo_instr *made = argument->made;
    if (made && argument->at)
        made->at = (hlo_span){argument->at, argument->at + argument->name.len + 1};
    return made != NULL;
}

/* ---- regions ---- */

/* What is open, while a region is converted. */
typedef struct {
    hlo_computation *computation;
    const hlo_mlir_op *op;
    hlo_carried carried;
} outer_state;

static outer_state enter(hlo_stablehlo *s) {
    outer_state outer = {s->computation, s->op, s->carried};
    if (++s->depth > 500)
        hlo_stablehlo_fail(s, HLO_RULE_NESTING, "regions and calls nest too deep");
    s->attrs.n = s->operands.n = 0;
    return outer;
}

static void leave(hlo_stablehlo *s, outer_state outer) {
    s->depth--;
    s->computation = outer.computation;
    s->op = outer.op;
    s->carried = outer.carried;
}

static hlo_str region_name(hlo_stablehlo *s) {
    char text[32];
    int n = snprintf(text, sizeof text, "region_%u", s->regions++);
    return (hlo_str){hlo_arena_copy(s->arena, text, (size_t)n), (uint32_t)n, 0};
}

hlo_computation *hlo_stablehlo_region(hlo_stablehlo *s, const hlo_mlir_region *region) {
    const hlo_mlir_block *block = only_block(s, region);
    if (!block) return NULL;
    outer_state outer = enter(s);
    hlo_computation *c = begin(s, region_name(s));
    bool good = !s->failed;
    for (uint32_t i = 0; i < block->argument_count && good; i++)
        good = argument_parameter(s, &block->arguments[i], i, NULL, NULL);
    hlo_instr *root = good ? convert_block(s, block, NULL, 0) : NULL;
    good = root && finish(s, c, root);
    leave(s, outer);
    return good ? c : NULL;
}

/* Parameters of a body with one: none, a value, or a tuple of values. */
static bool body_parameters(hlo_stablehlo *s, const hlo_mlir_block *block,
                            hlo_mlir_value *const *captured, uint32_t n) {
    uint32_t count = block->argument_count + n;
    s->carried = (hlo_carried){0};
    if (count == 0)
        return parameter(s, 0, hlo_shape_tuple(&s->module->shapes, NULL, 0),
                         HLO_STR("arg_empty_tuple")) != NULL;
    hlo_mlir_value **values = HLO_NEW_ARRAY(s->arena, hlo_mlir_value *, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] =
            i < block->argument_count ? &block->arguments[i] : captured[i - block->argument_count];
    if (count == 1) return argument_parameter(s, values[0], -1, NULL, NULL);
    const hlo_shape **shapes = HLO_NEW_ARRAY(s->arena, const hlo_shape *, count);
    for (uint32_t i = 0; i < count; i++)
        if (!(shapes[i] = hlo_stablehlo_shape(s, values[i]->type))) return false;
    hlo_instr *tuple =
        parameter(s, 0, hlo_shape_tuple(&s->module->shapes, shapes, count), HLO_STR("arg_tuple"));
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i]->made = hlo_stablehlo_element(s, tuple, i))) return false;
    return true;
}

hlo_computation *hlo_stablehlo_body(hlo_stablehlo *s, const hlo_mlir_region *region,
                                    hlo_mlir_value *const *captured, uint32_t n,
                                    bool returns_captured) {
    const hlo_mlir_block *block = only_block(s, region);
    if (!block) return NULL;
    outer_state outer = enter(s);
    hlo_computation *c = begin(s, region_name(s));
    void **outside = HLO_NEW_ARRAY(s->arena, void *, n);
    for (uint32_t i = 0; i < n; i++) outside[i] = captured[i]->made;
    hlo_instr *root = NULL;
    if (!s->failed && body_parameters(s, block, captured, n))
        root = convert_block(s, block, captured, returns_captured ? n : 0);
    bool good = root && finish(s, c, root);
    for (uint32_t i = 0; i < n; i++) captured[i]->made = outside[i];
    leave(s, outer);
    return good ? c : NULL;
}

/* ---- captured values ---- */

static bool is_inside(const hlo_mlir_block *block, const hlo_mlir_region *regions, uint32_t n) {
    for (const hlo_mlir_block *b = block; b;) {
        const hlo_mlir_op *op = b->region->op;
        for (uint32_t i = 0; i < n; i++)
            if (b->region == &regions[i]) return true;
        b = op ? op->block : NULL;
    }
    return false;
}

/* In the order of XLA's walk: what is inside an operation comes before its own operands. */
static void capture(hlo_stablehlo *s, const hlo_mlir_block *block, const hlo_mlir_region *regions,
                    uint32_t n, uint32_t base) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next) {
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const hlo_mlir_block *inner = op->regions[r].first; inner; inner = inner->next)
                capture(s, inner, regions, n, base);
        for (uint32_t i = 0; i < op->operand_count; i++) {
            hlo_mlir_value *value = hlo_mlir_operand(op, i);
            bool known = is_inside(hlo_mlir_block_of(value), regions, n);
            for (uint32_t k = base; k < s->captured.n && !known; k++)
                known = s->captured.v[k] == value;
            if (!known) hlo_list_push(&s->captured, value);
        }
    }
}

uint32_t hlo_stablehlo_captured(hlo_stablehlo *s, const hlo_mlir_region *regions, uint32_t n,
                                hlo_mlir_value ***out) {
    uint32_t base = s->captured.n;
    for (uint32_t i = 0; i < n; i++)
        for (const hlo_mlir_block *block = regions[i].first; block; block = block->next)
            capture(s, block, regions, n, base);
    uint32_t count = s->captured.n - base;
    *out = HLO_NEW_ARRAY(s->arena, hlo_mlir_value *, count);
    if (count) memcpy(*out, s->captured.v + base, count * sizeof **out);
    s->captured.n = base;
    return count;
}

/* ---- functions ---- */

/* Which arrays of the parameter that is made next are equal on all replicas. */
static void push_replication(hlo_stablehlo *s, const hlo_mlir_attr *attr) {
    hlo_int_view v;
    if (attr && attr->kind == HLO_MLIR_LIST && hlo_mlir_ints(s->tree, attr, &v.n, &v.v) && v.n == 1)
        hlo_stablehlo_push_ints(s, HLO_ATTR_PARAMETER_REPLICATION, v);
}

static bool convert_function(hlo_stablehlo *s, hlo_stablehlo_function *f) {
    const hlo_mlir_op *op = f->op;
    s->op = op;
    const hlo_mlir_block *block = only_block(s, &op->regions[0]);
    if (!block) return false;
    hlo_computation *c = begin(s, f->name);
    f->is_open = true;
    bool is_main = hlo_str_is(f->name, "main"), good = !s->failed;
    for (uint32_t i = 0; i < block->argument_count && good; i++) {
        const hlo_sharding *sharding =
            sharding_of(s, argument_attr(op, "arg_attrs", i, "mhlo.sharding"));
        const hlo_frontend *frontend =
            frontend_of(s, argument_attr(op, "arg_attrs", i, "mhlo.frontend_attributes"));
        push_replication(s, argument_attr(op, "arg_attrs", i, "mhlo.parameter_replication"));
        good = !s->failed &&
               refuse_shardy(s, argument_attr(op, "arg_attrs", i, "sdy.sharding"), "an argument") &&
               argument_parameter(s, &block->arguments[i], i, sharding, frontend);
    }
    hlo_instr *root = good ? convert_block(s, block, NULL, 0) : NULL;
    if (!root || !finish(s, c, root)) return false;
    f->is_open = false;
    f->computation = c;
    if (is_main) s->module->entry = c;
    return true;
}

static hlo_stablehlo_function *function_named(hlo_stablehlo *s, hlo_str name) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(name.ptr, name.len);
    hlo_hash_each (number, &s->functions_by_name, hash)
        if (hlo_str_equal(s->functions.v[number - 1].name, name))
            return &s->functions.v[number - 1];
    return NULL;
}

/* The one of that name, which is not being converted. */
static hlo_stablehlo_function *callee_named(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = function_named(s, name);
    if (!f)
        return hlo_stablehlo_fail(s, HLO_RULE_UNKNOWN_NAME, "there is no function '@%.*s'",
                                  (int)name.len, name.ptr);
    if (f->is_open)
        return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "'@%.*s' calls itself",
                                  (int)name.len, name.ptr);
    return f;
}

hlo_computation *hlo_stablehlo_function_of(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = callee_named(s, name);
    if (!f || f->computation) return f ? f->computation : NULL;
    outer_state outer = enter(s);
    bool good = !s->failed && convert_function(s, f);
    leave(s, outer);
    return good ? f->computation : NULL;
}

/* Composites of composites double at each level. */
static bool may_copy(hlo_stablehlo *s, const hlo_mlir_op *function) {
    enum { AT_LEAST = 1 << 16 };
    const hlo_mlir_block *block = function->regions[0].first;
    for (const hlo_mlir_op *op = block ? block->first : NULL; op; op = op->next) s->copied++;
    return s->copied <= AT_LEAST + (uint64_t)s->source->len ||
           hlo_stablehlo_fail(s, HLO_RULE_NESTING, "composites stand for too many operations");
}

hlo_computation *hlo_stablehlo_copy_of(hlo_stablehlo *s, hlo_str name) {
    hlo_stablehlo_function *f = callee_named(s, name);
    if (!f || !may_copy(s, f->op)) return NULL;
    hlo_stablehlo_function copy = *f;
    outer_state outer = enter(s);
    f->is_open = true;
    bool good = !s->failed && convert_function(s, &copy);
    f->is_open = false;
    leave(s, outer);
    return good ? copy.computation : NULL;
}

/* ---- the module ---- */

static bool collect_functions(hlo_stablehlo *s) {
    bool has_main = false;
    const hlo_mlir_block *body = s->tree->root->regions[0].first;
    for (const hlo_mlir_op *op = body ? body->first : NULL; op; op = op->next) {
        s->op = op;
        if (op->id == HLO_MLIR_OP_SDY_MESH) continue;
        if (op->id != HLO_MLIR_OP_FUNC_FUNC)
            return hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO,
                                      "a module has functions, and meshes of devices") != NULL;
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        if (!name || name->kind != HLO_MLIR_STRING)
            return hlo_stablehlo_fail(s, HLO_RULE_SYNTAX, "a function has a name") != NULL;
        if (!op->region_count || !op->regions[0].first) continue; /* a declaration */
        has_main |= hlo_str_is(name->u.text, "main");
        hlo_list_push(&s->functions, (hlo_stablehlo_function){.op = op, .name = name->u.text});
        hlo_hash_add(&s->functions_by_name,
                     (uint32_t)hlo_hash_bytes(name->u.text.ptr, name->u.text.len), s->functions.n);
    }
    s->op = NULL;
    if (has_main) return true;
    return hlo_stablehlo_fail_at(s, s->tree->root, (hlo_span){0, 0}, HLO_RULE_ENTRY,
                                 "the module has no function '@main'") != NULL;
}

const hlo_shape *hlo_stablehlo_laid_out(hlo_stablehlo *s, const hlo_shape *shape,
                                        const hlo_mlir_attr *order) {
    if (!order) return shape;
    if (hlo_shape_is_tuple(shape) && order->kind == HLO_MLIR_LIST && order->list.n == shape->rank) {
        const hlo_shape **parts = HLO_NEW_ARRAY(s->arena, const hlo_shape *, shape->rank);
        for (uint32_t i = 0; i < shape->rank; i++)
            parts[i] = hlo_stablehlo_laid_out(s, shape->elements[i], order->list.v[i].value);
        return hlo_shape_tuple(&s->module->shapes, parts, shape->rank);
    }
    uint32_t n;
    const int64_t *v;
    if (!hlo_shape_is_array(shape) || !hlo_mlir_ints(s->tree, order, &n, &v) || n != shape->rank ||
        !n)
        return shape;
    return hlo_shape_array(&s->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                           shape->is_dynamic, v, NULL);
}

static void set_entry_layout(hlo_stablehlo *s) {
    hlo_module *module = s->module;
    const hlo_computation *c = module->entry;
    const hlo_mlir_attr *orders =
        hlo_mlir_attr_of(s->tree->root, "mhlo.xla_entry_computation_parameter_layouts");
    const hlo_mlir_attr *result =
        hlo_mlir_attr_of(s->tree->root, "mhlo.xla_entry_computation_result_layout");
    if (result && result->list.n == 1) result = result->list.v[0].value;
    hlo_shapes *parameters =
        hlo_arena_alloc(&module->arena, sizeof *parameters + c->parameter_count * sizeof(void *));
    parameters->n = c->parameter_count;
    for (uint32_t i = 0; i < parameters->n; i++)
        parameters->v[i] =
            hlo_stablehlo_laid_out(s, c->parameters[i]->shape,
                                   orders && i < orders->list.n ? orders->list.v[i].value : NULL);
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, hlo_stablehlo_laid_out(s, c->root->shape, result)};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

static void set_module_int(hlo_stablehlo *s, const char *name, hlo_attr_id id) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->tree->root, name);
    if (attr && attr->kind == HLO_MLIR_INT && attr->u.i != hlo_attr_table[id].fallback)
        hlo_module_set_attr(s->module, (hlo_attr){.id = (uint16_t)id, .u.i = attr->u.i});
}

static const hlo_ints *alias_index(hlo_stablehlo *s, const hlo_mlir_attr *of, const char *name) {
    const hlo_mlir_attr *index = hlo_mlir_member(of, name);
    const int64_t *v;
    uint32_t n;
    bool good = index && hlo_mlir_ints(s->tree, index, &n, &v);
    return good ? hlo_ints_from(s->arena, v, n) : NULL;
}

/* Adds what a row of mhlo.input_output_alias has; false: it has not all. */
static bool add_alias(hlo_stablehlo *s, hlo_aliasing *to, const hlo_mlir_attr *row) {
    const hlo_mlir_attr *alias = hlo_mlir_member(row, "alias");
    if (!alias) return false;
    const hlo_mlir_attr *parameter = hlo_mlir_member(alias, "parameter_number");
    const hlo_mlir_attr *kind = hlo_mlir_member(alias, "kind");
    const hlo_ints *output = alias_index(s, row, "output_index");
    const hlo_ints *index = alias_index(s, alias, "parameter_index");
    if (!parameter || parameter->kind != HLO_MLIR_INT || !kind || kind->kind != HLO_MLIR_STRING ||
        !output || !index)
        return false;
    uint32_t at = to->n++;
    while (at && hlo_ints_compare(output, to->v[at - 1].output) < 0) {
        to->v[at] = to->v[at - 1];
        at--;
    }
    to->v[at].output = output;
    to->v[at].parameter = parameter->u.i;
    to->v[at].index = index;
    to->v[at].kind = hlo_str_is(kind->u.text, "must_alias") ? 2 : 1;
    return true;
}

/* What the module lists replaces what its arguments have. */
static void set_aliases(hlo_stablehlo *s, hlo_aliasing *aliases) {
    const hlo_mlir_attr *rows = hlo_mlir_attr_of(s->tree->root, "mhlo.input_output_alias");
    if (rows && rows->kind == HLO_MLIR_LIST) {
        aliases = hlo_arena_zero(s->arena, sizeof *aliases + rows->list.n * sizeof aliases->v[0]);
        for (uint32_t i = 0; i < rows->list.n; i++)
            if (!add_alias(s, aliases, rows->list.v[i].value)) {
                hlo_stablehlo_fail_at(s, s->tree->root, (hlo_span){0, 0}, HLO_RULE_SYNTAX,
                                      "entry %u of mhlo.input_output_alias is not an alias", i);
                return;
            }
    }
    if (aliases->n)
        hlo_module_set_attr(s->module,
                            (hlo_attr){.id = HLO_ATTR_INPUT_OUTPUT_ALIAS, .u.any = aliases});
}

/* Buffers that arguments give away, or share with results. */
static void set_donations(hlo_stablehlo *s) {
    const hlo_mlir_op *main = NULL;
    for (uint32_t i = 0; i < s->functions.n; i++)
        if (hlo_str_is(s->functions.v[i].name, "main")) main = s->functions.v[i].op;
    uint32_t n = main->regions[0].first->argument_count;
    hlo_aliasing *aliases = hlo_arena_zero(s->arena, sizeof *aliases + n * sizeof aliases->v[0]);
    hlo_aliasing *donors = hlo_arena_zero(s->arena, sizeof *donors + n * sizeof donors->v[0]);
    bool is_tuple = hlo_shape_is_tuple(s->module->entry->root->shape);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *output = argument_attr(main, "arg_attrs", i, "tf.aliasing_output");
        if (argument_attr(main, "arg_attrs", i, "jax.buffer_donor")) {
            donors->v[donors->n].parameter = i;
            donors->v[donors->n++].index = hlo_ints_new(s->arena, 0);
        }
        if (!output || output->kind != HLO_MLIR_INT) continue;
        aliases->v[aliases->n].output = hlo_ints_from(s->arena, &output->u.i, is_tuple ? 1 : 0);
        aliases->v[aliases->n].parameter = i;
        aliases->v[aliases->n].index = hlo_ints_new(s->arena, 0);
        aliases->v[aliases->n++].kind = 1;
    }
    set_aliases(s, aliases);
    if (donors->n)
        hlo_module_set_attr(s->module, (hlo_attr){.id = HLO_ATTR_BUFFER_DONOR, .u.any = donors});
}

static void finish_module(hlo_stablehlo *s) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(s->tree->root, "sym_name");
    hlo_str text = name && name->kind == HLO_MLIR_STRING ? name->u.text : HLO_STR("main");
    s->module->name = hlo_valid_module_name(s->arena, text);
    set_entry_layout(s);
    set_module_int(s, "mhlo.num_partitions", HLO_ATTR_NUM_PARTITIONS);
    set_module_int(s, "mhlo.num_replicas", HLO_ATTR_REPLICA_COUNT);
    const hlo_frontend *frontend =
        frontend_of(s, hlo_mlir_attr_of(s->tree->root, "mhlo.frontend_attributes"));
    if (frontend)
        hlo_module_set_attr(s->module, (hlo_attr){.id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES,
                                                  .u.frontend = frontend});
    set_donations(s);
}

static bool convert(hlo_stablehlo *s) {
    if (!collect_functions(s)) return false;
    for (uint32_t i = 0; i < s->functions.n; i++)
        if (!s->functions.v[i].computation && !convert_function(s, &s->functions.v[i]))
            return false;
    finish_module(s);
    return !s->failed;
}

static hlo_status make_module(hlo_mlir_module *tree, hlo_diags *diags, hlo_module **out) {
    hlo_stablehlo s = {.tree = tree, .source = tree->source, .diags = diags};
    s.module = hlo_module_new();
    s.module->source = hlo_source_retain(tree->source);
    s.arena = &s.module->arena;
    s.names = hlo_uniquifier_new(s.module);
    bool good = convert(&s);
    hlo_uniquifier_free(s.names);
    hlo_stablehlo_finish_frames(&s, good);
    hlo_list_free(&s.functions);
    hlo_hash_free(&s.functions_by_name);
    hlo_list_free(&s.attrs);
    hlo_list_free(&s.operands);
    hlo_list_free(&s.captured);
    if (good) {
        hlo_module_forget_scratch(s.module);
        hlo_count_names(s.module);
        *out = s.module;
        return HLO_OK;
    }
    if (!s.failed) hlo_stablehlo_fail(&s, HLO_RULE_UNSUPPORTED_STABLEHLO, "it cannot be converted");
    hlo_module_free(s.module);
    return HLO_BAD_MODULE;
}

static hlo_status read_text_or_bytecode(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    hlo_mlir_module *tree;
    bool is_binary = source->len >= 4 && memcmp(source->text, "ML\xefR", 4) == 0;
    hlo_status status = is_binary ? hlo_mlir_parse_bytecode(source, diags, &tree)
                                  : hlo_mlir_parse(source, diags, &tree);
    if (status != HLO_OK) return status;
    status = HLO_BAD_MODULE;
    if (hlo_stablehlo_check(tree, diags) && hlo_stablehlo_export_shardy(tree, diags) &&
        hlo_stablehlo_expand(tree, diags)) {
        hlo_stablehlo_prepare(tree);
        hlo_stablehlo_drop_unused_functions(tree); /* what the simplification left without calls */
        status = make_module(tree, diags, out);
    }
    hlo_mlir_free(tree);
    return status;
}

/* The bytecode in a file of jax.export is read as a source of the same name. */
hlo_status hlo_stablehlo_read(hlo_source *source, hlo_diags *diags, hlo_module **out) {
    *out = NULL;
    if (!hlo_is_jax_export(source->text, source->len))
        return read_text_or_bytecode(source, diags, out);
    hlo_str inner = hlo_jax_export_module(source);
    if (!inner.len) {
        hlo_error(diags, HLO_RULE_SYNTAX, source, (hlo_span){0, 1},
                  "this file of jax.export is cut off before its module ends");
        return HLO_BAD_MODULE;
    }
    hlo_source *bytecode = hlo_source_from_text(source->name, inner.ptr, inner.len);
    hlo_status status = read_text_or_bytecode(bytecode, diags, out);
    hlo_source_release(bytecode);
    return status;
}
