/* The shapes of given inputs, as HLO writes them, become the types of the arguments of @main. */
#include "stablehlo/refine.h"

#include "base/text.h"
#include "stablehlo/dense.h"
#include "stablehlo/edit.h"

const char hlo_refine_wrapper[] = "stablehlo.shape_refinement_operand_wrapper";

bool hlo_refine_is_target(const hlo_mlir_op *op, const char *target) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, "call_target_name");
    return op->id == HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL && attr &&
           (attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_SYMBOL) &&
           hlo_str_is(attr->u.text, target);
}

/* ---- the text ---- */

enum { MOST_RANK = 64 };

typedef struct {
    hlo_mlir_module *module;
    hlo_diags *diags;
    const char *at;
} reading;

static const hlo_mlir_type *fail(reading *r, const char *why) {
    hlo_error(r->diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "the shapes of inputs: %s at '%.40s'",
              why, r->at);
    return NULL;
}

static void skip_blanks(reading *r) {
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool read_size(reading *r, int64_t *out) {
    uint64_t size = 0;
    const char *at = r->at;
    for (; hlo_is_digit(*at); at++)
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, (uint64_t)(*at - '0'), &size) || size > INT64_MAX)
            return false;
    bool has_digits = at > r->at;
    *out = (int64_t)size;
    r->at = at;
    return has_digits;
}

/* f32[4,8], or [4,8] of the type of the argument. */
static const hlo_mlir_type *read_shape(reading *r, const hlo_mlir_type *argument) {
    int64_t dims[MOST_RANK];
    uint32_t rank = 0;
    skip_blanks(r);
    size_t n = 0;
    while (hlo_is_word_byte(r->at[n])) n++;
    bool has_type = *r->at != '[' || !argument || argument->kind != HLO_MLIR_TENSOR;
    hlo_type element = has_type ? hlo_type_from_text(r->at, (uint32_t)n) : HLO_PRED;
    if (element == HLO_TYPE_COUNT || !hlo_type_is_array(element))
        return fail(r, "expected a type such as f32");
    r->at += n;
    if (*r->at != '[') return fail(r, "expected '[' and the sizes");
    r->at++;
    for (skip_blanks(r); *r->at != ']'; skip_blanks(r)) {
        if (rank && *r->at != ',') return fail(r, "expected ',' or ']'");
        if (rank) r->at++;
        skip_blanks(r);
        if (rank == MOST_RANK) return fail(r, "there are more than 64 sizes");
        if (!read_size(r, &dims[rank++])) return fail(r, "expected a size");
    }
    r->at++;
    skip_blanks(r);
    return has_type ? hlo_mlir_tensor_of(r->module, element, rank, dims)
                    : hlo_mlir_tensor(r->module, argument, rank, dims);
}

/* Those of the first arguments of the block; *count is how many there are in the text. */
static bool read_shapes(reading *r, const hlo_mlir_block *block, const hlo_mlir_type **types,
                        uint32_t *count) {
    *count = 0;
    for (skip_blanks(r); *r->at;) {
        bool is_argument = *count < block->argument_count;
        const hlo_mlir_type *type =
            read_shape(r, is_argument ? block->arguments[*count].type : NULL);
        if (!type) return false;
        if (is_argument) types[*count] = type;
        ++*count;
        if (*r->at && *r->at != ',') return fail(r, "expected ','") != NULL;
        if (*r->at && !*++r->at) return fail(r, "expected a shape after ','") != NULL;
    }
    return true;
}

/* ---- what an argument may be ---- */

static hlo_status refuse(reading *r, const hlo_mlir_value *argument, uint32_t i,
                         const hlo_mlir_type *given, const char *why) {
    hlo_error(r->diags, HLO_RULE_INPUT, r->module->source,
              (hlo_span){argument->at, argument->at ? argument->at + 1 : 0},
              "argument %u is %.*s and input %u %.*s: %s", i, (int)argument->type->text.len,
              argument->type->text.ptr, i, (int)given->text.len, given->text.ptr, why);
    return HLO_BAD_MODULE;
}

static hlo_status check(reading *r, const hlo_mlir_value *argument, uint32_t i,
                        const hlo_mlir_type *given) {
    const hlo_mlir_type *type = argument->type;
    if (type == given) return HLO_OK;
    if (type->kind != HLO_MLIR_TENSOR) return refuse(r, argument, i, given, "it is no array");
    if (type->other != given->other || type->element != given->element)
        return refuse(r, argument, i, given, "the types of elements differ");
    if (type->rank != given->rank) return refuse(r, argument, i, given, "the ranks differ");
    for (uint32_t k = 0; k < type->rank; k++) {
        if (type->dims[k] != HLO_UNBOUNDED && type->dims[k] != given->dims[k])
            return refuse(r, argument, i, given, "a size differs that is known");
        if (type->bounds && type->bounds[k] != HLO_UNBOUNDED)
            return refuse(r, argument, i, given, "its sizes have bounds");
    }
    return HLO_OK;
}

/* ---- types ---- */

const hlo_mlir_attr *hlo_refine_numbers(hlo_mlir_module *module, uint32_t n, const int64_t *v) {
    int64_t count = n;
    char *data = n ? hlo_arena_copy(&module->arena, v, n * sizeof *v) : NULL;
    return hlo_dense_attr(module, hlo_mlir_tensor_of(module, HLO_S64, 1, &count), data, false);
}

hlo_mlir_op *hlo_refine_constant(hlo_mlir_module *module, hlo_mlir_op *before,
                                 const hlo_mlir_location *location, const hlo_mlir_attr *value) {
    hlo_mlir_op *op = hlo_mlir_op_new(module, before->block, before,
                                      hlo_mlir_name_of(HLO_MLIR_OP_STABLEHLO_CONSTANT), 0, 1, 0, 0);
    op->location = location;
    op->results[0].type = value->type;
    hlo_mlir_set_attr(module, op, "value", value);
    return op;
}

/* Users see a value of the old type. */
static void wrap(hlo_mlir_module *module, hlo_mlir_op *before, hlo_mlir_value *argument,
                 const hlo_mlir_type *given) {
    static const int64_t second = 1;
    const hlo_mlir_op *sizes = hlo_refine_constant(
        module, before, argument->location, hlo_refine_numbers(module, given->rank, given->dims));
    hlo_mlir_op *call =
        hlo_mlir_op_new(module, before->block, before,
                        hlo_mlir_name_of(HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL), 2, 1, 0, 0);
    hlo_mlir_attr *target = HLO_NEW(&module->arena, hlo_mlir_attr);
    target->kind = HLO_MLIR_STRING;
    target->u.text = hlo_str_from(hlo_refine_wrapper);
    hlo_mlir_set_attr(module, call, "call_target_name", target);
    hlo_mlir_set_attr(module, call, "indices_of_shape_operands",
                      hlo_refine_numbers(module, 1, &second));
    call->location = argument->location;
    call->results[0].type = argument->type;
    hlo_mlir_replace_uses(argument, &call->results[0]);
    hlo_mlir_set_operand(call, 0, argument);
    hlo_mlir_set_operand(call, 1, (hlo_mlir_value *)&sizes->results[0]);
    argument->type = given;
}

hlo_status hlo_refine_arguments(hlo_mlir_module *module, hlo_mlir_op *main, const char *shapes,
                                hlo_diags *diags) {
    hlo_mlir_block *block = main->regions[0].first;
    uint32_t n = block->argument_count, count;
    const hlo_mlir_type **types = HLO_NEW_ARRAY(&module->arena, const hlo_mlir_type *, n + 1);
    reading r = {module, diags, shapes};
    if (!read_shapes(&r, block, types, &count)) return HLO_BAD_USE;
    if (count != n) {
        hlo_error(diags, HLO_RULE_INPUT, module->source, main->at,
                  "the program has %u argument%s; %u shape%s given", n, n == 1 ? "" : "s", count,
                  count == 1 ? " is" : "s are");
        return HLO_BAD_MODULE;
    }
    for (uint32_t i = 0; i < n; i++) {
        hlo_status status = check(&r, &block->arguments[i], i, types[i]);
        if (status != HLO_OK) return status;
    }
    hlo_mlir_op *first = block->first;
    for (uint32_t i = 0; i < n; i++)
        if (types[i] != block->arguments[i].type)
            wrap(module, first, &block->arguments[i], types[i]);
    return HLO_OK;
}
