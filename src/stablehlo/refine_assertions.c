/* After refinement: assertions on sizes hold, and no size is unknown. */
#include "stablehlo/refine.h"

#include "base/buf.h"
#include "base/text.h"
#include "stablehlo/edit.h"
#include "stablehlo/infer_type.h"

typedef struct {
    hlo_mlir_module *module;
    hlo_diags *diags;
    bool failed;
} checking;

static bool fail(checking *c, const hlo_mlir_op *op, hlo_rule rule, const char *text) {
    hlo_error(c->diags, rule, c->module->source, op->at, "%s", text);
    c->failed = true;
    return false;
}

/* ---- messages ---- */

/* {0}, {1:...} and {2,...} are the numbers of the call, {{ is a brace. */
static const char *add_field(hlo_buf *to, const char *at, const char *end, const int64_t *numbers,
                             uint32_t n) {
    const char *digit = at + 1;
    uint64_t index = 0;
    if (digit < end && *digit == '{') {
        hlo_buf_char(to, '{');
        return digit + 1;
    }
    for (; digit < end && hlo_is_digit(*digit) && index < n; digit++)
        index = index * 10 + (uint64_t)(*digit - '0');
    const char *close = digit > at + 1 ? memchr(digit, '}', (size_t)(end - digit)) : NULL;
    bool is_field = close && (*digit == '}' || *digit == ',' || *digit == ':') && index < n;
    if (!is_field) {
        hlo_buf_char(to, '{');
        return at + 1;
    }
    hlo_buf_printf(to, "%lld", (long long)numbers[index]);
    return close + 1;
}

static void write_message(hlo_buf *to, hlo_str format, const int64_t *numbers, uint32_t n) {
    const char *at = format.ptr, *end = at + format.len;
    while (at < end) {
        if (n && *at == '{') at = add_field(to, at, end, numbers, n);
        else hlo_buf_char(to, *at++);
    }
    hlo_buf_char(to, 0);
}

/* ---- assertions ---- */

/* The numbers of the message are operands after the first. */
static bool report(checking *c, const hlo_mlir_op *op, hlo_str format) {
    hlo_buf message = HLO_BUF_INIT;
    int64_t *numbers = HLO_NEW_ARRAY(&c->module->arena, int64_t, op->operand_count + 1);
    for (uint32_t i = 1; i < op->operand_count; i++) {
        uint32_t n;
        const int64_t *v;
        if (!hlo_infer_numbers(c->module, hlo_mlir_operand(op, i), &n, &v) || n != 1)
            return fail(c, op, HLO_RULE_UNSUPPORTED_STABLEHLO,
                        "an assertion on sizes has a number in its message that is not known");
        numbers[i - 1] = *v;
    }
    write_message(&message, format, numbers, op->operand_count - 1);
    fail(c, op, HLO_RULE_INPUT, message.data);
    hlo_buf_free(&message);
    return false;
}

static bool check_assertion(checking *c, const hlo_mlir_op *op) {
    const hlo_mlir_attr *message = hlo_mlir_attr_of(op, "error_message");
    uint32_t n;
    const int64_t *holds;
    if (!op->operand_count || op->result_count || !message || message->kind != HLO_MLIR_STRING)
        return fail(c, op, HLO_RULE_UNSUPPORTED_STABLEHLO,
                    "an assertion on sizes has a condition, an error_message and no result");
    if (!hlo_infer_numbers(c->module, hlo_mlir_operand(op, 0), &n, &holds) || n != 1)
        return fail(c, op, HLO_RULE_UNSUPPORTED_STABLEHLO,
                    "the condition of an assertion on sizes is not known");
    return *holds || report(c, op, message->u.text);
}

static void check_assertions(hlo_mlir_op *op, void *context) {
    checking *c = context;
    if (c->failed || !hlo_refine_is_target(op, "shape_assertion") || !check_assertion(c, op))
        return;
    hlo_mlir_remove(op);
}

/* ---- sizes ---- */

static bool has_unknown(const hlo_mlir_value *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (hlo_refine_is_unknown(values[i].type)) return true;
    return false;
}

static void check_sizes(hlo_mlir_op *op, void *context) {
    checking *c = context;
    bool is_unknown = has_unknown(op->results, op->result_count);
    for (uint32_t i = 0; i < op->region_count && !is_unknown; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            is_unknown |= has_unknown(block->arguments, block->argument_count);
    if (!is_unknown || c->failed) return;
    c->failed = true;
    hlo_error(c->diags, HLO_RULE_UNBOUNDED, c->module->source, op->at,
              "'%.*s' has sizes that do not follow from the shapes of the arguments",
              (int)op->name.len, op->name.ptr);
}

bool hlo_refine_check(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    checking c = {module, diags, false};
    hlo_mlir_walk(&function->regions[0], check_assertions, &c);
    if (!c.failed) hlo_mlir_walk(&function->regions[0], check_sizes, &c);
    return !c.failed;
}
