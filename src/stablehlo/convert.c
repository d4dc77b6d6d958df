/* A checked and prepared program as a module: the maker of each operation, errors, and the state
 * of the conversion from its beginning to its end. */
#include "stablehlo/convert.h"

#include <stdarg.h>
#include <stdio.h>

#include "shape/verify.h"
#include "stablehlo/refused.h"

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

bool hlo_stablehlo_refuse_value(hlo_stablehlo *s, const char *message) {
    return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "%s", message) != NULL;
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

void hlo_stablehlo_hint_at_shardy(hlo_stablehlo *s) {
    hlo_hint(s->diags, "jax.jit(f).lower(x).as_text('hlo') is HLO with shardings");
}

/* Of an operation whose sizes are operands. */
static void hint_at_shapes(hlo_stablehlo *s) {
    hlo_mlir_op_id id = s->op->id;
    if (id >= HLO_MLIR_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM &&
        id <= HLO_MLIR_OP_STABLEHLO_REAL_DYNAMIC_SLICE)
        hlo_advise(s->diags, HLO_ADVICE_INPUT_SHAPES);
}

bool hlo_shlo_unsupported(hlo_stablehlo *s) {
    if (s->failed) return false;
    hlo_stablehlo_fail(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "HLO has no such operation");
    hint_at_shapes(s);
    if (s->op->name.len > 4 && memcmp(s->op->name.ptr, "sdy.", 4) == 0)
        hlo_stablehlo_hint_at_shardy(s);
    return false;
}

/* Formulas are expanded before. */
bool hlo_shlo_formula(hlo_stablehlo *s) {
    return hlo_shlo_unsupported(s);
}

bool hlo_stablehlo_convert_as(hlo_stablehlo *s, hlo_mlir_op_id id) {
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    return makers[id].make(s);
}

bool hlo_stablehlo_convert_op(hlo_stablehlo *s, const hlo_mlir_op *op) {
    s->op = op;
    if (op->id == HLO_MLIR_OP_COUNT) {
        hlo_stablehlo_fail_at(s, op, op->at, HLO_RULE_UNKNOWN_OPCODE, "unknown operation '%.*s'",
                              (int)op->name.len, op->name.ptr);
        return hlo_refused_go_on(s, op);
    }
    bool is_constant = makers[op->id].opcode == HLO_OP_CONSTANT;
    if (!hlo_stablehlo_refuse_shardy(s, hlo_mlir_attr_of(op, "sdy.sharding"), "an operation"))
        return hlo_refused_go_on(s, op);
    s->carried = hlo_stablehlo_carried_by(s, op);
    if (is_constant) s->carried.metadata = NULL, s->carried.frontend = NULL; /* as XLA has it */
    bool good = !s->failed && makers[op->id].make(s) && !s->failed;
    s->op = op;
    return good || hlo_refused_go_on(s, op);
}

/* ---- the module ---- */

/* Where operations were passed over, the verifier finds errors of the others. */
static bool convert(hlo_stablehlo *s, bool is_whole) {
    if (!hlo_stablehlo_collect_functions(s)) return false;
    bool good = hlo_stablehlo_convert_functions(s);
    if (!s->module->entry) return false;
    hlo_stablehlo_finish_module(s);
    is_whole &= good && !s->has_refused;
    if (!is_whole && good && !s->failed) hlo_verify(s->module, s->diags);
    return is_whole && !s->failed;
}

hlo_status hlo_stablehlo_make_module(hlo_mlir_module *tree, bool is_whole, hlo_diags *diags,
                                     hlo_module **out) {
    hlo_stablehlo s = {.tree = tree, .source = tree->source, .diags = diags};
    s.module = hlo_module_new();
    s.module->source = hlo_source_retain(tree->source);
    s.arena = &s.module->arena;
    s.names = hlo_uniquifier_new(s.module);
    hlo_diags_init(&s.unheard);
    bool good = convert(&s, is_whole);
    hlo_diags_drop(&s.unheard);
    hlo_uniquifier_free(s.names);
    hlo_stablehlo_finish_frames(&s, good);
    hlo_list_free(&s.functions);
    hlo_hash_free(&s.functions_by_name);
    hlo_list_free(&s.attrs);
    hlo_list_free(&s.operands);
    hlo_list_free(&s.captured);
    if (good) {
        hlo_module_forget_scratch(s.module);
        *out = s.module;
        return HLO_OK;
    }
    if (is_whole && !diags->errors)
        hlo_stablehlo_fail(&s, HLO_RULE_UNSUPPORTED_STABLEHLO, "it cannot be converted");
    hlo_module_free(s.module);
    return HLO_BAD_MODULE;
}
