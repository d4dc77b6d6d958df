/* Rows of ops.def against what is computed from them: the shape rule of an operation refuses all
 * element types but those of its row. Prints "N passed, N failed"; built and run by `make test`. */
#include <stdio.h>

#include "shape/infer.h"

static int passed, failed;
static hlo_module *module;

enum { OPERANDS = 8 };

static bool has_required_attribute(const hlo_op_info *op) {
    for (const uint16_t *a = op->attrs; *a != HLO_ATTR_COUNT; a++)
        if (*a & HLO_ATTR_REQUIRED) return true;
    return false;
}

/* Whether the operation, without attributes, takes operands that are all of this shape. */
static bool is_accepted(hlo_opcode opcode, const hlo_shape *shape) {
    hlo_computation computation = {.module = module};
    hlo_instr operand = {.shape = shape}, *operands[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) operands[i] = &operand;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_draft draft = {.computation = &computation,
                       .opcode = opcode,
                       .shape = shape,
                       .operands = operands,
                       .operand_count = (uint32_t)hlo_ops[opcode].min_operands,
                       .diags = &diags};
    bool accepted = hlo_infer(&draft, false) != NULL;
    hlo_diags_drop(&diags);
    return accepted;
}

static void expect(bool holds, hlo_opcode opcode, hlo_type type, const char *what) {
    passed += holds;
    failed += !holds;
    if (!holds) printf("FAILED: %s: %s %s\n", hlo_ops[opcode].text, what, hlo_types[type].text);
}

/* These have operands of several types, or results of few. */
static bool is_stricter(hlo_opcode opcode) {
    return opcode == HLO_OP_SELECT || opcode == HLO_OP_COMPLEX ||
           opcode == HLO_OP_STOCHASTIC_CONVERT;
}

static void check_types(hlo_opcode opcode) {
    const hlo_op_info *op = &hlo_ops[opcode];
    bool is_elementwise = (op->flags & HLO_OP_IS_ELEMENTWISE) && !is_stricter(opcode);
    for (int t = 0; t < HLO_TUPLE; t++) {
        hlo_type type = (hlo_type)t;
        const hlo_shape *shape = hlo_shape_scalar(&module->shapes, type);
        if (type == HLO_TOKEN) shape = hlo_shape_token(&module->shapes);
        else if (!hlo_type_is_array(type)) continue;
        bool accepted = is_accepted(opcode, shape);
        if (!hlo_type_is_in(type, op->elements))
            expect(!accepted, opcode, type, "accepts what its row excludes,");
        else if (is_elementwise) expect(accepted, opcode, type, "refuses what its row names,");
    }
}

int main(void) {
    module = hlo_module_new();
    for (int i = 0; i < HLO_OP_COUNT; i++) {
        const hlo_op_info *op = &hlo_ops[i];
        if (op->min_operands > 0 && op->min_operands <= OPERANDS && !has_required_attribute(op))
            check_types((hlo_opcode)i);
    }
    hlo_module_free(module);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
