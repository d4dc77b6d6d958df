/* Operations, types and attributes that expansions are made of. */
#include "stablehlo/emit.h"

#include "ir/float_types.h"

#include <math.h>

static const char *const names[HLO_MLIR_OP_COUNT] = {
#define HLO_MLIR_OP(id, name, ...) name,
#include "mlir/ops.def"
#undef HLO_MLIR_OP
};

hlo_mlir_emitter hlo_mlir_emitter_of(hlo_mlir_module *module, hlo_mlir_op *op) {
    return (hlo_mlir_emitter){.module = module, .op = op, .location = op->location};
}

/* ---- types ---- */

const hlo_mlir_type *hlo_mlir_emit_type(hlo_mlir_emitter *e, const hlo_mlir_type *like,
                                        hlo_type element) {
    if (!like->other && like->element == element) return like;
    hlo_mlir_type type = *like;
    type.element = element;
    type.other = NULL;
    type.text = (hlo_str){0};
    return hlo_mlir_type_of(e->module, &type);
}

const hlo_mlir_type *hlo_mlir_emit_tensor(hlo_mlir_emitter *e, hlo_type element, uint32_t rank,
                                          const int64_t *dims, const int64_t *bounds) {
    hlo_mlir_type type = {
        .kind = HLO_MLIR_TENSOR, .element = element, .rank = rank, .dims = dims, .bounds = bounds};
    return hlo_mlir_type_of(e->module, &type);
}

static hlo_type complex_of(hlo_type part) {
    return part == HLO_F64 ? HLO_C128 : HLO_C64;
}

/* The type of the result of an elementwise operation. */
static const hlo_mlir_type *result_type(hlo_mlir_emitter *e, hlo_mlir_op_id id,
                                        hlo_mlir_value *const *operands) {
    const hlo_mlir_type *first = operands[0]->type;
    switch (id) {
    case HLO_MLIR_OP_STABLEHLO_REAL:
    case HLO_MLIR_OP_STABLEHLO_IMAG:
        return hlo_mlir_emit_type(e, first, hlo_type_part(first->element));
    case HLO_MLIR_OP_STABLEHLO_COMPLEX:
        return hlo_mlir_emit_type(e, first, complex_of(first->element));
    case HLO_MLIR_OP_STABLEHLO_COMPARE:
    case HLO_MLIR_OP_STABLEHLO_IS_FINITE:
    case HLO_MLIR_OP_CHLO_IS_INF:
    case HLO_MLIR_OP_CHLO_IS_NEG_INF:
    case HLO_MLIR_OP_CHLO_IS_POS_INF: return hlo_mlir_emit_type(e, first, HLO_PRED);
    case HLO_MLIR_OP_STABLEHLO_SELECT: return operands[1]->type;
    default: return first;
    }
}

/* ---- operations ---- */

hlo_mlir_op *hlo_mlir_emit_op(hlo_mlir_emitter *e, hlo_mlir_op_id id, const hlo_mlir_type *type,
                              uint32_t n, hlo_mlir_value *const *operands) {
    hlo_mlir_op *op =
        hlo_mlir_op_new(e->module, e->op->block, e->op, hlo_str_from(names[id]), n, 1, 0, 0);
    op->location = e->location;
    op->at = e->op->at;
    op->results[0].type = type;
    for (uint32_t i = 0; i < n; i++) hlo_mlir_set_operand(op, i, operands[i]);
    return op;
}

hlo_mlir_value *hlo_mlir_emit(hlo_mlir_emitter *e, hlo_mlir_op_id id, uint32_t n,
                              hlo_mlir_value *const *operands) {
    return hlo_mlir_emit_op(e, id, result_type(e, id, operands), n, operands)->results;
}

hlo_mlir_value *hlo_mlir_emit_as(hlo_mlir_emitter *e, hlo_mlir_op_id id, hlo_type element,
                                 hlo_mlir_value *value) {
    return hlo_mlir_emit_op(e, id, hlo_mlir_emit_type(e, value->type, element), 1, &value)->results;
}

hlo_mlir_value *hlo_mlir_emit_compare(hlo_mlir_emitter *e, const char *direction, hlo_mlir_value *a,
                                      hlo_mlir_value *b) {
    hlo_mlir_value *operands[] = {a, b},
                   *made = hlo_mlir_emit(e, HLO_MLIR_OP_STABLEHLO_COMPARE, 2, operands);
    hlo_mlir_set_attr(
        e->module, made->op, "comparison_direction",
        hlo_mlir_emit_word(e, "stablehlo.comparison_direction", hlo_str_from(direction)));
    return made;
}

hlo_mlir_value *hlo_mlir_emit_constant(hlo_mlir_emitter *e, const hlo_mlir_type *type,
                                       const hlo_mlir_attr *value) {
    hlo_mlir_op *op = hlo_mlir_emit_op(e, HLO_MLIR_OP_STABLEHLO_CONSTANT, type, 0, NULL);
    hlo_mlir_set_attr(e->module, op, "value", value);
    return op->results;
}

/* Of a type that has neither infinities nor nan LLVM makes zeros of these. */
static uint64_t encode(const hlo_float_format *format, double value) {
    if (format->specials == HLO_FLOAT_FINITE && !isfinite(value))
        return value < 0 ? format->sign : 0;
    return hlo_float_from_double(format, value);
}

/* The real part has the number, an imaginary part is zero. */
static void fill_element(hlo_type element, hlo_mlir_emit_number number, char out[16]) {
    hlo_type part = hlo_type_part(element);
    const hlo_float_format *format = hlo_type_float_format(element);
    uint64_t bits = number.bits;
    if (!number.is_bits)
        bits = format ? encode(format, number.value) : (uint64_t)(int64_t)number.value;
    memset(out, 0, 16);
    hlo_set_element_bits(out, hlo_types[part].bytes, bits);
}

static bool has_dynamic_size(const hlo_mlir_type *type, bool *has_bounds) {
    bool found = false;
    *has_bounds = true;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] != HLO_UNBOUNDED) continue;
        found = true;
        *has_bounds &= type->bounds && type->bounds[i] != HLO_UNBOUNDED;
    }
    return found;
}

hlo_mlir_value *hlo_mlir_emit_full(hlo_mlir_emitter *e, hlo_type element,
                                   hlo_mlir_emit_number number, hlo_mlir_value *like) {
    char bytes[16];
    bool has_bounds, is_dynamic = has_dynamic_size(like->type, &has_bounds);
    const hlo_mlir_type *type = hlo_mlir_emit_type(e, like->type, element);
    fill_element(element, number, bytes);
    if (!is_dynamic) return hlo_mlir_emit_constant(e, type, hlo_mlir_emit_splat(e, type, bytes));
    if (!has_bounds) e->fault = "of arrays of dynamic sizes without bounds";
    hlo_mlir_op *op = hlo_mlir_emit_op(e, HLO_MLIR_OP_CHLO_CONSTANT_LIKE, type, 1, &like);
    const hlo_mlir_type *scalar = hlo_mlir_emit_tensor(e, element, 0, NULL, NULL);
    hlo_mlir_set_attr(e->module, op, "value", hlo_mlir_emit_splat(e, scalar, bytes));
    return op->results;
}

hlo_mlir_value *hlo_mlir_emit_scalar_like(hlo_mlir_emitter *e, const hlo_mlir_attr *scalar,
                                          hlo_mlir_value *like) {
    hlo_mlir_value *pair[] = {hlo_mlir_emit_constant(e, scalar->type, scalar), like};
    hlo_mlir_emit_broadcast(e, pair, 2, true);
    return pair[0];
}

/* ---- attributes ---- */

static hlo_mlir_attr *new_attr(hlo_mlir_emitter *e, hlo_mlir_attr_kind kind) {
    hlo_mlir_attr *attr = HLO_NEW(&e->module->arena, hlo_mlir_attr);
    attr->kind = kind;
    attr->at = e->op->at;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_emit_word(hlo_mlir_emitter *e, const char *name, hlo_str word) {
    hlo_mlir_attr *value = new_attr(e, HLO_MLIR_WORD), *attr = new_attr(e, HLO_MLIR_STRUCT);
    hlo_mlir_named *member = HLO_NEW(&e->module->arena, hlo_mlir_named);
    value->u.text = word;
    member->value = value;
    attr->u.text = hlo_str_from(name);
    attr->bracket = '<';
    attr->list = (hlo_mlir_list){1, member};
    return attr;
}

const hlo_mlir_attr *hlo_mlir_emit_word_of(hlo_mlir_emitter *e, const char *name,
                                           const hlo_mlir_attr *of) {
    if (of->kind == HLO_MLIR_STRUCT && of->list.n == 1) of = of->list.v[0].value;
    return of->kind == HLO_MLIR_WORD ? hlo_mlir_emit_word(e, name, of->u.text) : of;
}

const hlo_mlir_attr *hlo_mlir_emit_ints(hlo_mlir_emitter *e, uint32_t n, const int64_t *v) {
    hlo_mlir_attr *attr = new_attr(e, HLO_MLIR_INTS);
    int64_t count = n;
    attr->type = hlo_mlir_emit_tensor(e, HLO_S64, 1, &count, NULL);
    attr->u.ints.n = n;
    attr->u.ints.v = hlo_arena_copy(&e->module->arena, v, n * sizeof *v);
    return attr;
}

const hlo_mlir_attr *hlo_mlir_emit_int(hlo_mlir_emitter *e, hlo_type type, int64_t value) {
    hlo_mlir_attr *attr = new_attr(e, HLO_MLIR_INT);
    attr->type =
        hlo_mlir_type_of(e->module, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
    attr->u.i = value;
    return attr;
}

const hlo_mlir_attr *hlo_mlir_emit_splat(hlo_mlir_emitter *e, const hlo_mlir_type *type,
                                         const void *element) {
    hlo_arena *arena = &e->module->arena;
    hlo_mlir_attr *attr = new_attr(e, HLO_MLIR_DENSE);
    hlo_literal *literal = HLO_NEW(arena, hlo_literal);
    attr->type = type;
    attr->is_splat = type->rank > 0;
    attr->literal = literal;
    literal->shape = hlo_shape_scalar(&e->module->shapes, type->element);
    literal->data = hlo_arena_copy(arena, element, hlo_types[type->element].bytes);
    return attr;
}
