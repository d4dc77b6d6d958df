/* The verifier's walk over a module, and its way to report. The rules are in verify_*.c and
 * infer_*.c. */
#include "shape/verify.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/places.h"
#include "shape/verifier.h"

/* ---- reporting ---- */

static const char *message_of(hlo_verifier *v, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = hlo_arena_alloc(&v->scratch, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

bool hlo_verify_fail(hlo_verifier *v, hlo_rule rule, const hlo_instr *instr, const char *format,
                     ...) {
    HLO_ASSERT(!instr || instr->opcode < HLO_OP_COUNT);
    va_list args;
    va_start(args, format);
    const char *message = message_of(v, format, args);
    va_end(args);
    bool about_shape = rule == HLO_RULE_RESULT_SHAPE || rule == HLO_RULE_LAYOUT ||
                       rule == HLO_RULE_UNBOUNDED || rule == HLO_RULE_SHAPE_SIZE ||
                       rule == HLO_RULE_BUFFER_WRITER;
    hlo_span at = about_shape ? hlo_place_of_shape(v->module, instr->at) : instr->at;
    hlo_error(v->diags, rule, v->module->source, at, "%s: %s", hlo_ops[instr->opcode].text,
              message);
    hlo_place_finding(v->diags, instr->parent, instr->name);
    v->failed = true;
    return false;
}

bool hlo_verify_fail_header(hlo_verifier *v, hlo_rule rule, hlo_attr_id header, const char *format,
                            ...) {
    HLO_ASSERT(header < HLO_ATTR_COUNT && hlo_attr_table[header].place == HLO_PLACE_HEADER);
    va_list args;
    va_start(args, format);
    const char *message = message_of(v, format, args);
    va_end(args);
    hlo_error(v->diags, rule, v->module->source,
              hlo_place_of_header(v->module, hlo_module_attr(v->module, header)), "%s: %s",
              hlo_attr_table[header].text, message);
    v->failed = true;
    return false;
}

void hlo_verify_note(hlo_verifier *v, const hlo_instr *instr, const char *what) {
    if (instr->at.hi == 0) return;
    hlo_note(v->diags, v->module->source, instr->at, "%s", what);
}

/* The newest error when it is one at this instruction's name, which is in the text. */
static hlo_diag *own_error(hlo_verifier *v, const hlo_instr *instr) {
    hlo_diag *error = v->diags->last;
    return error && instr->at.hi && error->span.lo == instr->at.lo ? error : NULL;
}

bool hlo_verify_at_operand(hlo_verifier *v, const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    hlo_diag *error = own_error(v, instr);
    if (error) error->span = hlo_place_of_operand(v->module, instr->at, operand);
    hlo_verify_note(v, hlo_operand(instr, operand), "the operand is defined here");
    return false;
}

bool hlo_verify_at_attr(hlo_verifier *v, const hlo_instr *instr, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr *attr = hlo_instr_attr(instr, id);
    hlo_diag *error = own_error(v, instr);
    if (!error || !attr || attr->at == 0) return false;
    error->span = hlo_place_of_attr(v->module, instr->at, attr);
    if (error->span.lo != instr->at.lo) return false;
    hlo_span at = {attr->at, attr->at + (uint32_t)strlen(hlo_attr_table[id].text)};
    hlo_note(v->diags, v->module->source, at, "%s is given here", hlo_attr_table[id].text);
    return false;
}

const char *hlo_verify_text(hlo_verifier *v, const hlo_shape *shape) {
    return hlo_shape_name(&v->scratch, shape);
}

const char *hlo_verify_layout_text(hlo_verifier *v, const hlo_shape *shape) {
    return hlo_shape_layout_name(&v->scratch, shape);
}

hlo_shape_texts hlo_verify_texts(hlo_verifier *v, const hlo_shape *a, const hlo_shape *b) {
    return hlo_shape_names(&v->scratch, a, b);
}

const char *hlo_verify_difference(hlo_verifier *v, const hlo_shape **a, const hlo_shape **b,
                                  hlo_compare_shapes *same, unsigned ignoring) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_lit(&text, " at {");
    size_t start = text.len;
    while (hlo_shape_is_tuple(*a) && hlo_shape_is_tuple(*b) && (*a)->rank == (*b)->rank) {
        uint32_t i = 0;
        while (i < (*a)->rank && same((*a)->elements[i], (*b)->elements[i], ignoring)) i++;
        if (i == (*a)->rank) break;
        if (text.len > start) hlo_buf_char(&text, ',');
        hlo_buf_int(&text, i);
        *a = (*a)->elements[i];
        *b = (*b)->elements[i];
    }
    bool whole = text.len == start;
    hlo_buf_bytes(&text, "}", 2);
    char *out = whole ? "" : hlo_arena_copy(&v->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

const char *hlo_verify_name(hlo_verifier *v, const hlo_name *name) {
    return hlo_name_quoted(&v->scratch, name);
}

const char *hlo_verify_index(hlo_verifier *v, const hlo_ints *index) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_char(&text, '{');
    for (uint32_t i = 0; index && i < index->n; i++) {
        if (i) hlo_buf_char(&text, ',');
        hlo_buf_int(&text, index->v[i]);
    }
    hlo_buf_bytes(&text, "}", 2);
    char *out = hlo_arena_copy(&v->scratch, text.data, text.len);
    hlo_buf_free(&text);
    return out;
}

/* ---- the walk ---- */

/* A wrong shape makes other rules report the same again, so they are checked only after it. */
static void verify_instr(hlo_verifier *v, const hlo_instr *instr) {
    HLO_ASSERT(instr->parent->module == v->module);
    if (!hlo_verify_instr_shape(v, instr)) return;
    if (hlo_verify_operation(v, instr) && hlo_verify_collective(v, instr) &&
        hlo_verify_aliasing(v, instr) && hlo_verify_callees(v, instr) &&
        hlo_verify_edition(v, instr))
        hlo_verify_buffers(v, instr);
}

static void verify_computation(hlo_verifier *v, const hlo_computation *computation) {
    for (const hlo_instr *instr = computation->first; instr; instr = instr->next) {
        verify_instr(v, instr);
        hlo_verify_start_done(v, instr);
        hlo_verify_sharding(v, instr);
    }
}

/* A wrong shape makes rules of graphs report the same again. */
static void verify_module(hlo_verifier *v) {
    for (const hlo_computation *c = v->module->first; c; c = c->next) verify_computation(v, c);
    hlo_verify_all_reduces(v);
    hlo_verify_host_transfers(v);
    hlo_verify_edition_channels(v);
    hlo_verify_header(v);
    hlo_verify_deadlocks(v);
    hlo_verify_transfer_order(v);
    hlo_verify_feed_order(v);
    hlo_verify_stacks(v);
    hlo_verify_dataflow_header(v);
    if (!v->failed) hlo_verify_dataflow(v);
    hlo_verify_only_ops(v);
}

/* Kernels are chosen by shapes as the plain verifier takes them. */
static bool is_lenient(const hlo_verify_options *options) {
    bool lenient = options->allow_mixed_precision;
    for (size_t i = 0; i < HLO_OP_COUNT; i++) lenient |= options->allow_unbounded[i];
    return lenient;
}

hlo_status hlo_verify_with(hlo_module *module, const hlo_verify_options *options,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_verifier v = {
        .first = module, .options = options ? options : &hlo_verify_plain, .diags = diags};
    hlo_arena_init(&v.scratch);
    for (v.module = module; v.module; v.module = v.module->next_device) {
        v.module->is_lenient = is_lenient(v.options);
        verify_module(&v);
    }
    hlo_arena_free(&v.scratch);
    return v.failed ? HLO_BAD_MODULE : HLO_OK;
}

hlo_status hlo_verify(hlo_module *module, hlo_diags *diags) {
    return hlo_verify_with(module, NULL, diags);
}
