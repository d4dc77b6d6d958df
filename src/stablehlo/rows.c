/* Which row of formulas.def an operation has, and its operands and result around the formula. */
#include "stablehlo/formula.h"
#include "stablehlo/functions.h"
#include "stablehlo/steps.h"

typedef enum { OLD, NEW } row_operands;
typedef enum { ANY, FLOAT, WIDENED, F32, F64, COMPLEX, PARTS } row_elements;

typedef struct {
    hlo_mlir_op_id id;
    row_elements elements;
    row_operands operands;
    const char *text; /* NULL: `function` */
    hlo_expansion_function *function;
} formula_row;

static const formula_row chlo_rows[] = {
#define HLO_FORMULA(operation, elements, operands, text) \
    {HLO_MLIR_OP_##operation, elements, operands, text, NULL},
#define HLO_FORMULA_BY(operation, elements, name) \
    {HLO_MLIR_OP_##operation, elements, NEW, NULL, hlo_expand_##name},
#include "stablehlo/formulas.def"
};

static const formula_row complex_rows[] = {
#define HLO_COMPLEX_FORMULA(operation, text) {HLO_MLIR_OP_##operation, PARTS, OLD, text, NULL},
#include "stablehlo/formulas.def"
};

static bool is_narrow(hlo_type type) {
    return hlo_type_is_float(type) && hlo_types[type].bits < 32;
}

static bool fits(row_elements elements, hlo_type type) {
    switch (elements) {
    case ANY:
    case WIDENED: return true;
    case FLOAT: return hlo_type_is_float(type);
    case F32: return type == HLO_F32 || type == HLO_F16 || type == HLO_BF16;
    case F64: return type == HLO_F64;
    case COMPLEX:
    case PARTS: return hlo_type_is_complex(type);
    }
    return false;
}

static const formula_row *find_row(hlo_mlir_op_id id, bool of_chlo, hlo_type type) {
    const formula_row *rows = of_chlo ? chlo_rows : complex_rows;
    size_t n = of_chlo ? sizeof chlo_rows / sizeof *rows : sizeof complex_rows / sizeof *rows;
    for (size_t i = 0; i < n; i++)
        if (rows[i].id == id && fits(rows[i].elements, type)) return &rows[i];
    return NULL;
}

static hlo_mlir_value *run(hlo_mlir_emitter *e, const formula_row *row,
                           hlo_mlir_value *const *operands) {
    static const char *const names[] = {"x", "y"};
    hlo_expansion f;
    if (!row->text) return row->function(e, operands);
    hlo_expansion_begin(&f, e, operands[0]);
    if (row->elements == PARTS) f.element = hlo_type_part(f.element);
    hlo_expansion_set(&f, "z", operands[0]);
    for (uint32_t i = 0; i < e->op->operand_count; i++)
        hlo_expansion_set(&f, names[i], operands[i]);
    return hlo_expansion_run(&f, row->text);
}

bool hlo_expand_error(hlo_mlir_module *module, hlo_diags *diags, const hlo_mlir_op *op,
                      const char *why) {
    hlo_error(diags, HLO_RULE_UNSUPPORTED, module->source, op->at, "'%.*s' has no expansion %s",
              (int)op->name.len, op->name.ptr, why);
    return false;
}

bool hlo_expand_by_formula(hlo_mlir_module *module, hlo_mlir_op *op, bool of_chlo,
                           hlo_replaced_ops *replaced, hlo_diags *diags) {
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    hlo_mlir_value *operands[2];
    if (!op->operand_count || op->operand_count > 2 || op->result_count != 1)
        return hlo_expand_error(module, diags, op, "with these operands and results");
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    if (type->kind != HLO_MLIR_TENSOR || type->other || op->results[0].type->kind != type->kind)
        return hlo_expand_error(module, diags, op, "of this type");
    hlo_type element = type->element;
    const formula_row *row = find_row(op->id, of_chlo, element);
    if (!row) return hlo_expand_error(module, diags, op, "of this element type");
    bool is_widened = (row->elements == WIDENED || row->elements == F32) && is_narrow(element);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        operands[i] = row->operands == NEW ? hlo_expand_operand(op, i) : hlo_mlir_operand(op, i);
        if (operands[i]->type != type)
            return hlo_expand_error(module, diags, op, "of operands of several types");
        if (is_widened)
            operands[i] = hlo_mlir_emit_as(&e, HLO_MLIR_OP_STABLEHLO_CONVERT, HLO_F32, operands[i]);
    }
    hlo_mlir_value *value = run(&e, row, operands);
    if (is_widened) value = hlo_mlir_emit_as(&e, HLO_MLIR_OP_STABLEHLO_CONVERT, element, value);
    if (e.fault) return hlo_expand_error(module, diags, op, e.fault);
    hlo_expand_replace(replaced, op, value);
    return true;
}
