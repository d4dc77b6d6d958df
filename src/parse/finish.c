/* One instruction made whole: counts and required attributes checked, omitted shapes inferred, what
 * XLA normalises while reading normalised. Called by actions.c when an instruction ends. */
#include "parse/finish.h"

#include "ir/places.h"
#include "parse/suggest.h"
#include "shape/dialects.h"
#include "shape/infer.h"

/* ---- access to what is pending ---- */

hlo_attr *hlo_reading_attr(const hlo_reading *r, hlo_attr_id id) {
    for (uint32_t i = r->pending->attr_base; i < r->p->attrs.n; i++)
        if (r->p->attrs.v[i].id == id) return &r->p->attrs.v[i];
    return NULL;
}

void hlo_reading_set(hlo_reading *r, hlo_attr_id id, const void *value) {
    hlo_attr attr = {.id = (uint16_t)id, .u.any = value};
    hlo_attr *old = hlo_reading_attr(r, id);
    if (old) old->u.any = value;
    else hlo_push(&r->p->attrs, attr);
}

void hlo_reading_drop(hlo_reading *r, hlo_attr_id id) {
    hlo_attr *attr = hlo_reading_attr(r, id);
    if (!attr) return;
    hlo_attr *last = &r->p->attrs.v[r->p->attrs.n - 1];
    memmove(attr, attr + 1, (size_t)((char *)last - (char *)attr));
    r->p->attrs.n--;
}

hlo_instr *const *hlo_reading_operands(const hlo_reading *r) {
    return r->p->operands.v + r->pending->operand_base;
}

uint32_t hlo_reading_count(const hlo_reading *r) {
    return r->p->operands.n - r->pending->operand_base;
}

hlo_span hlo_reading_attr_at(const hlo_reading *r, const hlo_attr *attr) {
    hlo_span at = {attr->at, attr->at + (uint32_t)strlen(hlo_attr_table[attr->id].text)};
    return attr->at ? at : r->pending->opcode_at;
}

/* From the opening to the closing parenthesis. */
hlo_span hlo_reading_operands_at(const hlo_reading *r) {
    return (hlo_span){r->pending->open_at, r->pending->closed_at.hi};
}

/* One operand; the opcode when it is not to be found. */
hlo_span hlo_reading_operand_at(const hlo_reading *r, uint32_t i) {
    hlo_span name = r->pending->at.hi ? r->pending->at : r->pending->opcode_at;
    hlo_span at = hlo_place_of_operand(r->p->module, name, i);
    return at.lo == name.lo ? r->pending->opcode_at : at;
}

/* The byte behind the operands: what is missing could stand there. */
hlo_span hlo_reading_behind_operands(const hlo_reading *r) {
    return (hlo_span){r->pending->closed_at.hi, r->pending->closed_at.hi + 1};
}

bool hlo_reading_fail(hlo_reading *r, hlo_rule rule, const char *message) {
    return hlo_reading_fail_at(r, rule, r->pending->opcode_at, message);
}

bool hlo_reading_fail_at(hlo_reading *r, hlo_rule rule, hlo_span at, const char *message) {
    hlo_parse_error(r->p, rule, at, "%s: %s", hlo_ops[r->pending->opcode].text, message);
    hlo_note_refusal(r->p, r->next);
    return false;
}

/* ---- counts and required attributes ---- */

/* What the attributes of an opcode ask for: most opcodes ask for nothing. Filled when the library
 * is loaded. */
enum { HAS_REQUIRED = 1, HAS_DROPPED = 2, HAS_DEFAULTS = 4 };
static uint8_t asks[HLO_OP_COUNT];

static bool is_filled_in(uint16_t attr) {
    const hlo_attr_info *info = &hlo_attr_table[attr & HLO_ATTR_MASK];
    return info->printed == HLO_PRINT_ALWAYS && !(attr & (HLO_ATTR_DROPPED | HLO_ATTR_REQUIRED));
}

__attribute__((constructor)) static void fill_asks(void) {
    for (int op = 0; op < HLO_OP_COUNT; op++)
        for (const uint16_t *a = hlo_ops[op].attrs; *a != HLO_ATTR_COUNT; a++) {
            if (*a & HLO_ATTR_REQUIRED) asks[op] |= HAS_REQUIRED;
            if (*a & HLO_ATTR_DROPPED) asks[op] |= HAS_DROPPED;
            if (is_filled_in(*a)) asks[op] |= HAS_DEFAULTS;
        }
}

/* async-update and async-done count with what else they demand of their operand
 * (hlo_check_async_done). */
static bool counts_itself(hlo_opcode op) {
    return op == HLO_OP_ASYNC_UPDATE || op == HLO_OP_ASYNC_DONE;
}

static bool check_count(hlo_reading *r) {
    const hlo_op_info *info = &hlo_ops[r->pending->opcode];
    uint32_t n = hlo_reading_count(r);
    bool few = info->min_operands >= 0 && n < (uint32_t)info->min_operands;
    bool many = info->max_operands >= 0 && n > (uint32_t)info->max_operands;
    bool odd =
        (info->arity == HLO_ARITY_EVEN && n % 2) || (info->arity == HLO_ARITY_ODD && n % 2 == 0);
    if (counts_itself(r->pending->opcode)) return true;
    if (!few && (!info->parser_counts || (!many && !odd))) return true;
    char wanted[64];
    if (odd)
        snprintf(wanted, sizeof wanted, "an %s number of",
                 info->arity == HLO_ARITY_EVEN ? "even" : "odd");
    else
        snprintf(wanted, sizeof wanted, "%s%d",
                 info->max_operands != info->min_operands ? "at least " : "", info->min_operands);
    hlo_parse_error(r->p, HLO_RULE_OPERAND_COUNT, hlo_reading_operands_at(r),
                    "%s takes %s operand%s, %u %s given", info->text, wanted,
                    info->min_operands == 1 && !odd ? "" : "s", n, n == 1 ? "is" : "are");
    if (few) hlo_dialect_claims(r->p->diags, HLO_DIALECT_COUNT, r->pending->opcode, "", 0);
    if (info->parser_counts && info->max_operands == info->min_operands) return false;
    hlo_note_instruction(r->p);
    hlo_note_refusal(r->p, r->next);
    return false;
}

static bool check_parentheses(hlo_reading *r) {
    hlo_parens parens = hlo_ops[r->pending->opcode].parens;
    if (parens == HLO_PARENS_OPERANDS) return true;
    bool number = parens == HLO_PARENS_NUMBER && !hlo_reading_attr(r, HLO_ATTR_PARAMETER_NUMBER);
    bool literal = parens == HLO_PARENS_LITERAL && !hlo_reading_attr(r, HLO_ATTR_VALUE);
    if (!number && !literal) return true;
    hlo_parse_error(r->p, HLO_RULE_SYNTAX, r->pending->closed_at,
                    "expected %s in the parentheses of %s", number ? "a number" : "a literal",
                    hlo_ops[r->pending->opcode].text);
    return false;
}

static bool check_required(hlo_reading *r) {
    const hlo_op_info *info = &hlo_ops[r->pending->opcode];
    if (!(asks[r->pending->opcode] & HAS_REQUIRED)) return true;
    for (const uint16_t *a = info->attrs; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        if (!(*a & HLO_ATTR_REQUIRED) || hlo_reading_attr(r, id)) continue;
        hlo_parse_error(r->p, HLO_RULE_MISSING_ATTRIBUTE, r->pending->opcode_at,
                        "%s needs the attribute %s=", info->text, hlo_attr_table[id].text);
        bool last = r->p->attrs.n == r->pending->attr_base;
        hlo_note_refusal(r->p, last ? r->next : hlo_reading_behind_operands(r));
        const char *name = hlo_attr_table[id].text;
        if (!hlo_dialect_claims(r->p->diags, HLO_DIALECT_MISSING, r->pending->opcode, name,
                                strlen(name)))
            hlo_suggest_value(r->p, id);
        return false;
    }
    return true;
}

/* Attributes that are read and checked but mean nothing later. */
static void drop_read_only(hlo_reading *r) {
    const uint16_t *a = hlo_ops[r->pending->opcode].attrs;
    if (!(asks[r->pending->opcode] & HAS_DROPPED)) return;
    for (; *a != HLO_ATTR_COUNT; a++)
        if (*a & HLO_ATTR_DROPPED) hlo_reading_drop(r, (hlo_attr_id)(*a & HLO_ATTR_MASK));
}

/* Optional attributes that are always printed get their default. */
static void fill_defaults(hlo_reading *r) {
    static const hlo_ints none = {0};
    const uint16_t *a = hlo_ops[r->pending->opcode].attrs;
    if (!(asks[r->pending->opcode] & HAS_DEFAULTS)) return;
    for (; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        const hlo_attr_info *info = &hlo_attr_table[id];
        if (!is_filled_in(*a) || hlo_reading_attr(r, id)) continue;
        hlo_attr attr = {.id = (uint16_t)id};
        if (info->kind == HLO_KIND_BOOL || info->kind == HLO_KIND_INT ||
            info->kind == HLO_KIND_WORD)
            attr.u.i = info->fallback;
        else if (info->kind == HLO_KIND_INTS) attr.u.ints = &none;
        else if (info->kind == HLO_KIND_GROUPS) attr.u.groups = hlo_no_groups(r->p);
        else continue;
        hlo_push(&r->p->attrs, attr);
    }
}

/* ---- shapes ---- */

static bool infer_shape(hlo_reading *r) {
    const hlo_op_info *info = &hlo_ops[r->pending->opcode];
    if (r->shape) return true;
    if (!info->shape_optional) {
        hlo_parse_error(r->p, HLO_RULE_SHAPE_REQUIRED, r->pending->opcode_at,
                        "the result shape of %s must be written", info->text);
        hlo_note(r->p->diags, r->p->source, hlo_reading_operands_at(r),
                 "the operands do not tell it");
        hlo_hint(r->p->diags, "before the opcode, such as f32[2,3] %s", info->text);
        return false;
    }
    hlo_infer_request request = {
        .module = r->p->module,
        .opcode = r->pending->opcode,
        .operand_count = hlo_reading_count(r),
        .defs = hlo_reading_operands(r),
        .attrs = r->p->attrs.v + r->pending->attr_base,
        .attr_count = r->p->attrs.n - r->pending->attr_base,
        .omitted_in_text = true,
        .at = r->pending->at.hi > r->pending->at.lo ? r->pending->at : r->pending->opcode_at,
        .source = r->p->source,
        .diags = r->p->diags,
    };
    r->shape = hlo_infer(&request);
    if (!r->shape)
        hlo_note(r->p->diags, r->p->source, r->pending->opcode_at,
                 "the result shape is inferred because it is not written");
    return r->shape != NULL;
}

/* ---- what every instruction gets ---- */

static bool common_checks(hlo_reading *r) {
    if (!hlo_shape_is_tuple(r->shape)) return true;
    hlo_attr *sharding = hlo_reading_attr(r, HLO_ATTR_SHARDING);
    if (sharding && sharding->u.sharding->kind != HLO_SHARDING_TUPLE)
        sharding->u.sharding = hlo_sharding_for_shape(r->p->arena, sharding->u.sharding, r->shape);
    return true;
}

static void mark_called(hlo_instr *instr) {
    bool fusion = instr->opcode == HLO_OP_FUSION;
    if (!fusion && instr->opcode != HLO_OP_ASYNC_START) return;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        if (hlo_attr_table[instr->attrs[i].id].kind != HLO_KIND_COMPUTATION) continue;
        if (fusion) instr->attrs[i].u.computation->is_fusion_body = true;
        else instr->attrs[i].u.computation->is_async_body = true;
    }
}

hlo_instr *hlo_reading_make(hlo_reading *r) {
    uint32_t base = r->pending->attr_base;
    hlo_instr *instr = hlo_instr_new(hlo_scope_now(r->p)->computation, r->pending->opcode, r->shape,
                                     r->name, hlo_reading_operands(r), hlo_reading_count(r),
                                     r->p->attrs.v + base, r->p->attrs.n - base);
    instr->at = r->pending->at;
    mark_called(instr);
    if (instr->opcode == HLO_OP_PARAMETER) hlo_push(&r->p->parameters, instr);
    return instr;
}

hlo_instr *hlo_finish_instruction(hlo_parser *p, hlo_pending *pending, const hlo_name *name,
                                  hlo_span next) {
    hlo_reading r = {p, pending, name, next, pending->shape};
    uint32_t errors = p->diags->errors;
    if (pending->sugar) return hlo_finish_async_sugar(&r);
    bool good = check_count(&r) && check_parentheses(&r) && hlo_normalise(&r) &&
                check_required(&r) && hlo_normalise_values(&r) && infer_shape(&r) &&
                hlo_normalise_shape(&r) && common_checks(&r);
    if (!good || p->diags->errors != errors) return NULL;
    drop_read_only(&r);
    fill_defaults(&r);
    return hlo_reading_make(&r);
}
