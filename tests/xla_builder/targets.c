/* Functions of the library by name: see targets.h. */
#include "xla_builder/targets.h"

#include <stdio.h>

#include "build/lib/scalars.h"

static const char prefix[] = "xla_builder.";

typedef struct {
    hlo_builder *b;
    const hlo_term *x; /* operands */
    size_t count;
    const char *config; /* of the custom call */
} target_call;

static hlo_term of_einsum(const target_call *call) {
    if (call->count == 1) return hlo_lib_einsum_of_one(call->b, call->x[0], call->config, NULL);
    return hlo_lib_einsum(call->b, call->x[0], call->x[1], call->config, NULL);
}

static hlo_term of_diagonal(const target_call *call) {
    return hlo_lib_get_matrix_diagonal(call->b, call->x[0], 0);
}

static hlo_term of_gathered_diagonal(const target_call *call) {
    return hlo_lib_get_matrix_diagonal_via_gather(call->b, call->x[0], 0);
}

static hlo_term of_key(const target_call *call) {
    return hlo_lib_scramble_philox_key(call->b, call->x[0]).value;
}

static hlo_term of_solver(const target_call *call) {
    const hlo_term *x = call->x;
    if (call->count == 2) return hlo_lib_tridiagonal_solver_of_stack(call->b, x[0], x[1]);
    if (call->count == 4) return hlo_lib_tridiagonal_solver(call->b, x[0], x[1], x[2], x[3]);
    return hlo_builder_fail(call->b, HLO_RULE_OPERAND_COUNT,
                            "TridiagonalSolver expected 2 or 4 operands, but got %zu operands",
                            call->count);
}

/* ---- the table ---- */

typedef struct {
    const char *name;
    size_t least, most;
    hlo_term (*one)(hlo_builder *, hlo_term);
    hlo_term (*two)(hlo_builder *, hlo_term, hlo_term);
    hlo_term (*three)(hlo_builder *, hlo_term, hlo_term, hlo_term);
    hlo_term (*function)(const target_call *);
} target_row;

static const target_row targets[] = {
#define HLO_TARGET_1(name, function) {name, 1, 1, function, NULL, NULL, NULL},
#define HLO_TARGET_2(name, function) {name, 2, 2, NULL, function, NULL, NULL},
#define HLO_TARGET_3(name, function) {name, 3, 3, NULL, NULL, function, NULL},
#define HLO_TARGET(name, least, most, function) {name, least, most, NULL, NULL, NULL, function},
#include "xla_builder/targets.def"
};

static hlo_str target_of(const hlo_instr *instr) {
    return *hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
}

static const target_row *find(const hlo_instr *instr) {
    hlo_str name = target_of(instr);
    size_t n = sizeof prefix - 1;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strlen(targets[i].name) == name.len - n &&
            memcmp(targets[i].name, name.ptr + n, name.len - n) == 0)
            return &targets[i];
    return NULL;
}

bool is_target(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_CUSTOM_CALL) return false;
    hlo_str name = target_of(instr);
    return name.len >= sizeof prefix - 1 && memcmp(name.ptr, prefix, sizeof prefix - 1) == 0;
}

/* ---- building ---- */

static hlo_term applied(const target_row *row, const target_call *call) {
    if (row->one) return row->one(call->b, call->x[0]);
    if (row->two) return row->two(call->b, call->x[0], call->x[1]);
    if (row->three) return row->three(call->b, call->x[0], call->x[1], call->x[2]);
    return row->function(call);
}

static const char *config_of(hlo_builder *b, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_BACKEND_CONFIG);
    hlo_str text = attr ? *attr->u.string : (hlo_str){"", 0, 0};
    char *copy = hlo_arena_alloc(&b->module->arena, text.len + 1u);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    return copy;
}

static hlo_computation *build(hlo_builder *b, const target_row *row, const hlo_instr *instr) {
    hlo_term x[4];
    char name[16];
    hlo_builder_open(
        b, hlo_computation_new(b->module, hlo_module_intern_copy(b->module, target_of(instr))));
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        snprintf(name, sizeof name, "arg%u", i);
        hlo_builder_set_name(b, name);
        x[i] = hlo_builder_parameter(b, i, hlo_operand(instr, i)->shape);
    }
    target_call call = {b, x, instr->operand_count, config_of(b, instr)};
    hlo_term value = hlo_builder_failed(b) ? NULL : applied(row, &call);
    /* The root is the newest instruction, as in XLA: of some functions that is not the value. */
    return value ? hlo_builder_close(b, NULL) : NULL;
}

static hlo_computation *checked_build(hlo_builder *b, const hlo_instr *instr) {
    const target_row *row = find(instr);
    hlo_str name = target_of(instr);
    if (!row) {
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                         "unsupported xla_builder custom call target: %.*s", (int)name.len,
                         name.ptr);
        return NULL;
    }
    if (instr->operand_count >= row->least && instr->operand_count <= row->most)
        return build(b, row, instr);
    hlo_builder_fail(b, HLO_RULE_OPERAND_COUNT, "%.*s expected %zu to %zu operands, but got %u",
                     (int)name.len, name.ptr, row->least, row->most, instr->operand_count);
    return NULL;
}

hlo_computation *build_target(hlo_instr *custom_call, hlo_diags *diags) {
    hlo_module *module = custom_call->parent->module;
    hlo_builder_scope nothing = {0};
    hlo_builder b = {.module = module, .diags = hlo_diags_create(1), .scope = &nothing};
    hlo_computation *last = module->last;
    hlo_computation *made = checked_build(&b, custom_call);
    if (!made) {
        while (module->last != last) hlo_computation_remove(module->last);
        hlo_diags_append(diags, b.diags);
    }
    hlo_diags_free(b.diags);
    return made;
}
