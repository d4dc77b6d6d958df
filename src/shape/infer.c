/* Shape inference: finding the rule of an opcode, and what all rules share. The rules are in
 * infer_*.c. */
#include "shape/infer.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/places.h"
#include "shape/rules.h"

typedef const hlo_shape *infer_rule(hlo_inference *in);

static infer_rule *const rules[HLO_OP_COUNT] = {
#define HLO_OP(id, text, rule, ...) [HLO_OP_##id] = hlo_infer_##rule,
#include "ir/ops.def"
#undef HLO_OP
};

/* ---- errors ---- */

static void note_operand(hlo_inference *in, uint32_t i) {
    if (i >= in->n) return;
    const hlo_instr *def = in->draft->operands[i];
    if (def->at.hi == 0) return;
    hlo_note(in->draft->diags, in->module->source, def->at, "operand %u is %s, defined here", i,
             hlo_infer_text(in, in->operands[i]));
}

/* What the message is about: an operand, an attribute, the written shape, else the instruction. */
static hlo_span place_of(const hlo_inference *in, hlo_rule rule, int where) {
    const hlo_module *module = in->module;
    hlo_span name = in->draft->at;
    if (where >= 0) return hlo_place_of_operand(module, name, (uint32_t)where);
    if (where < HLO_NOWHERE)
        return hlo_place_of_attr(module, name,
                                 hlo_infer_attr(in, (hlo_attr_id)(HLO_NOWHERE - 1 - where)));
    if (rule == HLO_RULE_RESULT_SHAPE || rule == HLO_RULE_SHAPE_SIZE ||
        rule == HLO_RULE_ASYNC_SHAPE || rule == HLO_RULE_ELEMENT_TYPE ||
        rule == HLO_RULE_DYNAMIC_RESHAPE_SIZES)
        return hlo_place_of_shape(module, name);
    return name;
}

static void note_attr(hlo_inference *in, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr *attr = hlo_infer_attr(in, id);
    const hlo_diag *error = in->draft->diags->last;
    if (!attr || attr->at == 0 || (error && error->span.lo == attr->at)) return;
    const char *text = hlo_attr_table[id].text;
    hlo_span at = {attr->at, attr->at + (uint32_t)strlen(text)};
    hlo_note(in->draft->diags, in->module->source, at, "%s is given here", text);
}

/* The other side of an error about a called computation. */
static void note_callee(hlo_inference *in, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr *attr = hlo_infer_attr(in, id);
    if (!attr || hlo_attr_table[id].kind != HLO_KIND_COMPUTATION || !attr->u.computation) return;
    const hlo_computation *callee = attr->u.computation;
    if (callee->at.hi == 0) return;
    hlo_note(in->draft->diags, in->module->source, callee->at, "'%.*s' is defined here",
             (int)callee->name->len, callee->name->ptr);
}

const hlo_shape *hlo_infer_fail(hlo_inference *in, hlo_rule rule, int where, const char *format,
                                ...) {
    HLO_ASSERT(where >= HLO_NOWHERE - (int)HLO_ATTR_COUNT);
    char small[512], *message = small;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= (int)sizeof small) {
        message = hlo_arena_alloc(&in->scratch, (size_t)n + 1);
        va_start(args, format);
        vsnprintf(message, (size_t)n + 1, format, args);
        va_end(args);
    }
    hlo_error(in->draft->diags, rule, in->module->source, place_of(in, rule, where), "%s: %s",
              hlo_ops[in->opcode].text, message);
    hlo_place_finding(in->draft->diags, in->draft->computation, in->draft->name);
    if (where >= 0) note_operand(in, (uint32_t)where);
    if (where < HLO_NOWHERE) {
        hlo_attr_id id = (hlo_attr_id)(HLO_NOWHERE - 1 - where);
        note_attr(in, id);
        note_callee(in, id);
    }
    return NULL;
}

const char *hlo_infer_count_text(hlo_inference *in, uint64_t n, const char *noun) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
    hlo_buf_char(&text, '\0');
    char *out = hlo_arena_copy(&in->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

const char *hlo_infer_text(hlo_inference *in, const hlo_shape *shape) {
    return hlo_shape_name(&in->scratch, shape);
}

hlo_shape_texts hlo_infer_texts(hlo_inference *in, const hlo_shape *a, const hlo_shape *b) {
    return hlo_shape_names(&in->scratch, a, b);
}

const char *hlo_infer_ints_text(hlo_inference *in, const int64_t *v, uint32_t n) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_char(&text, '{');
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_char(&text, ',');
        hlo_buf_int(&text, v[i]);
    }
    hlo_buf_bytes(&text, "}", 2);
    char *out = hlo_arena_copy(&in->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

const char *hlo_infer_signature_text(hlo_inference *in, const hlo_signature *signature) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_char(&text, '(');
    for (uint32_t i = 0; i < signature->n; i++) {
        if (i) hlo_buf_lit(&text, ", ");
        hlo_shape_print(&text, signature->parameters[i], false);
    }
    hlo_buf_lit(&text, ") -> ");
    hlo_shape_print(&text, signature->result, false);
    hlo_buf_char(&text, '\0');
    char *out = hlo_arena_copy(&in->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

/* ---- values of the draft ---- */

const hlo_attr *hlo_infer_attr(const hlo_inference *in, hlo_attr_id id) {
    return hlo_draft_attr(in->draft, id);
}

int64_t hlo_infer_int(const hlo_inference *in, hlo_attr_id id) {
    HLO_ASSERT(hlo_attr_is_integer(id));
    const hlo_attr *attr = hlo_infer_attr(in, id);
    return attr ? attr->u.i : hlo_attr_table[id].fallback;
}

const hlo_ints *hlo_infer_ints(const hlo_inference *in, hlo_attr_id id) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    static const hlo_ints none;
    const hlo_attr *attr = hlo_infer_attr(in, id);
    return attr ? attr->u.ints : &none;
}

bool hlo_infer_single(hlo_inference *in, hlo_attr_id id, int64_t *out) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_ints *list = hlo_infer_ints(in, id);
    if (list->n == 1) {
        *out = list->v[0];
        return true;
    }
    return hlo_refuse(in, HLO_RULE_ATTRIBUTE_VALUE, hlo_at_attr(id),
                      "%s= must have one entry and has %u", hlo_attr_table[id].text, list->n);
}

bool hlo_infer_signature(hlo_inference *in, const hlo_computation *computation,
                         hlo_signature *out) {
    *out = (hlo_signature){.name = hlo_name_quoted(&in->scratch, computation->name),
                           .n = computation->parameter_count};
    out->parameters = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, out->n);
    bool whole = computation->root != NULL;
    for (uint32_t i = 0; i < out->n && whole; i++) {
        whole = computation->parameters[i] != NULL;
        if (whole) out->parameters[i] = computation->parameters[i]->shape;
    }
    if (whole) {
        out->result = computation->root->shape;
        return true;
    }
    return hlo_refuse(in, HLO_RULE_ROOT, HLO_NOWHERE, "computation %s is not complete", out->name);
}

bool hlo_infer_callee(hlo_inference *in, hlo_attr_id id, hlo_signature *out) {
    HLO_ASSERT(id < HLO_ATTR_COUNT && hlo_attr_table[id].kind == HLO_KIND_COMPUTATION);
    const hlo_attr *attr = hlo_infer_attr(in, id);
    if (attr && attr->u.computation) return hlo_infer_signature(in, attr->u.computation, out);
    return hlo_refuse(in, HLO_RULE_MISSING_ATTRIBUTE, HLO_NOWHERE, "%s= is missing",
                      hlo_attr_table[id].text);
}

const hlo_window *hlo_infer_window_attr(const hlo_inference *in) {
    static const hlo_window none;
    const hlo_attr *attr = hlo_infer_attr(in, HLO_ATTR_WINDOW);
    return attr ? attr->u.window : &none;
}

/* ---- one inference ---- */

/* Operand counts that the parser leaves to the verifier. */
static bool check_count(hlo_inference *in) {
    const hlo_op_info *op = &hlo_ops[in->opcode];
    unsigned faults = hlo_op_count_faults(in->opcode, in->n);
    if (!faults) return true;
    bool few = faults & HLO_COUNT_FEW;
    const char *given = hlo_infer_count_text(in, in->n, "operand");
    if (faults & HLO_COUNT_UNEVEN && !few)
        return hlo_refuse(in, HLO_RULE_ARITY, HLO_NOWHERE, "it has %s, expected an %s number",
                          given, in->n % 2 ? "even" : "odd");
    const char *bound = op->min_operands == op->max_operands ? "" : few ? "at least " : "at most ";
    return hlo_refuse(in, HLO_RULE_ARITY, HLO_NOWHERE, "it has %s, expected %s%d", given, bound,
                      few ? op->min_operands : op->max_operands);
}

/* ---- limits ---- */

/* Shapes share what is in them, so that a short text can infer one with any number of parts. */
enum { MOST_PARTS = 1 << 16, MOST_DEPTH = 1000 /* as texts may have */ };

/* Takes the shape and all in it from *left; false when there is more. Recursion is at most
 * MOST_DEPTH deep. */
static bool has_few_parts(const hlo_shape *shape, uint32_t *left) {
    if (*left == 0) return false;
    --*left;
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (!has_few_parts(shape->elements[i], left)) return false;
    return true;
}

/* Flat tuples are as long as their texts. */
static const hlo_shape *within_limits(hlo_inference *in, const hlo_shape *result) {
    uint32_t left = MOST_PARTS;
    if (!result || result->depth <= 1) return result;
    if (result->depth > MOST_DEPTH)
        return hlo_infer_fail(in, HLO_RULE_NESTING, HLO_NOWHERE,
                              "the result nests %u deep, and at most %d are allowed", result->depth,
                              MOST_DEPTH);
    if (has_few_parts(result, &left)) return result;
    return hlo_infer_fail(in, HLO_RULE_LIMIT, HLO_NOWHERE,
                          "the result is a tuple with more than %d parts", MOST_PARTS);
}

const hlo_shape *hlo_infer(const hlo_draft *draft, bool any_precision) {
    HLO_ASSERT(draft->opcode < HLO_OP_COUNT && draft->diags);
    _Alignas(64) char storage[2048]; /* enough for almost every inference */
    hlo_inference in = {.draft = draft,
                        .module = draft->computation->module,
                        .opcode = draft->opcode,
                        .n = draft->operand_count,
                        .stated = draft->shape,
                        .as_parser = !draft->shape && draft->origin == HLO_DRAFT_OF_TEXT,
                        .any_precision = any_precision};
    in.scratch.cursor = storage;
    in.scratch.limit = storage + sizeof storage;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&in.scratch, const hlo_shape *, in.n);
    for (uint32_t i = 0; i < in.n; i++) shapes[i] = draft->operands[i]->shape;
    in.operands = shapes;
    const hlo_shape *result = check_count(&in) ? within_limits(&in, rules[in.opcode](&in)) : NULL;
    HLO_ASSERT(rules[in.opcode]);
    hlo_arena_free(&in.scratch);
    return result;
}

enum { SMALL_COUNT = 16 };

const hlo_shape *hlo_infer_instr(const hlo_instr *instr, bool any_precision, hlo_diags *diags) {
    hlo_instr *small[SMALL_COUNT], **operands = small;
    if (instr->operand_count > SMALL_COUNT)
        operands = hlo_calloc(instr->operand_count, sizeof(hlo_instr *));
    for (uint32_t i = 0; i < instr->operand_count; i++) operands[i] = hlo_operand(instr, i);
    hlo_draft draft = {.computation = instr->parent,
                       .name = instr->name,
                       .opcode = (hlo_opcode)instr->opcode,
                       .shape = instr->shape,
                       .operands = operands,
                       .operand_count = instr->operand_count,
                       .attrs = instr->attrs,
                       .attr_count = instr->attr_count,
                       .at = instr->at,
                       .diags = diags};
    const hlo_shape *result = hlo_infer(&draft, any_precision);
    if (operands != small) hlo_free(operands);
    return result;
}
