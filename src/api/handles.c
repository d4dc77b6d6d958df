/* Read access to modules through handles: computations, instructions, and how they are connected.
 */
#include <hlo.h>

#include "host/arrays.h"
#include "ir/ir.h"
#include "ir/program_line.h"

/* ---- modules ---- */

static hlo_text text_of(const char *text, size_t len) {
    return (hlo_text){len ? text : "", len};
}

static hlo_text name_text(const hlo_name *name) {
    return text_of(name->ptr, name->len);
}

static hlo_text str_text(hlo_str text) {
    return text_of(text.ptr, text.len);
}

static const hlo_text no_text = {"", 0};

hlo_text hlo_module_name(const hlo_module *module) {
    return module ? str_text(module->name) : no_text;
}

const hlo_computation *hlo_module_entry(const hlo_module *module) {
    return module ? module->entry : NULL;
}

const hlo_computation *hlo_module_first(const hlo_module *module) {
    return module ? module->first : NULL;
}

/* ---- computations ---- */

const hlo_computation *hlo_computation_next(const hlo_computation *computation) {
    return computation ? computation->next : NULL;
}

hlo_text hlo_computation_name(const hlo_computation *computation) {
    return computation ? name_text(computation->name) : no_text;
}

const hlo_instr *hlo_computation_first(const hlo_computation *computation) {
    return computation ? computation->first : NULL;
}

const hlo_instr *hlo_computation_root(const hlo_computation *computation) {
    return computation ? computation->root : NULL;
}

uint32_t hlo_computation_size(const hlo_computation *computation) {
    return computation ? computation->instr_count : 0;
}

uint32_t hlo_computation_parameter_count(const hlo_computation *computation) {
    return computation ? computation->parameter_count : 0;
}

const hlo_instr *hlo_computation_parameter(const hlo_computation *computation, uint32_t number) {
    return number < hlo_computation_parameter_count(computation) ? computation->parameters[number]
                                                                 : NULL;
}

/* ---- instructions ---- */

const hlo_instr *hlo_instr_next(const hlo_instr *instr) {
    return instr ? instr->next : NULL;
}

const hlo_computation *hlo_instr_parent(const hlo_instr *instr) {
    return instr ? instr->parent : NULL;
}

hlo_text hlo_instr_name(const hlo_instr *instr) {
    return instr ? name_text(instr->name) : no_text;
}

const char *hlo_instr_opcode(const hlo_instr *instr) {
    return instr ? hlo_info(instr)->text : NULL;
}

const hlo_shape *hlo_instr_shape(const hlo_instr *instr) {
    return instr ? instr->shape : NULL;
}

uint32_t hlo_instr_operand_count(const hlo_instr *instr) {
    return instr ? instr->operand_count : 0;
}

const hlo_instr *hlo_instr_operand(const hlo_instr *instr, uint32_t number) {
    return number < hlo_instr_operand_count(instr) ? hlo_operand(instr, number) : NULL;
}

size_t hlo_instr_uses(const hlo_instr *instr, hlo_instr_use *uses, size_t capacity) {
    size_t count = 0;
    for (const hlo_use *use = instr ? instr->first_use : NULL; use; use = use->next, count++)
        if (uses && count < capacity)
            uses[count] = (hlo_instr_use){use->user, (uint32_t)(use - use->user->operands)};
    return count;
}

uint32_t hlo_instr_called_count(const hlo_instr *instr) {
    return instr ? hlo_called_count(instr) : 0;
}

const hlo_computation *hlo_instr_called(const hlo_instr *instr, uint32_t number) {
    return number < hlo_instr_called_count(instr) ? hlo_called(instr, number) : NULL;
}

int64_t hlo_instr_parameter_number(const hlo_instr *instr) {
    if (!instr || instr->opcode != HLO_OP_PARAMETER) return -1;
    return hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
}

/* ---- constants ---- */

/* The leaf that *number leaves come before; else NULL, and *number is less by the leaves met. */
static const hlo_literal *find_leaf(const hlo_literal *literal, uint32_t *number) {
    if (hlo_shape_is_array(literal->shape)) return (*number)-- == 0 ? literal : NULL;
    const hlo_literal *found = NULL;
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank && !found; i++)
        found = find_leaf(literal->elements[i], number);
    return found;
}

bool hlo_instr_literal(const hlo_instr *instr, uint32_t leaf, hlo_array *array) {
    if (!array) return false;
    *array = (hlo_array){0};
    HLO_API_CALL(NULL) return false;
    const hlo_attr *value =
        instr && instr->opcode == HLO_OP_CONSTANT ? hlo_instr_attr(instr, HLO_ATTR_VALUE) : NULL;
    const hlo_literal *found = value ? find_leaf(value->u.literal, &leaf) : NULL;
    if (found) *array = hlo_array_of(found->shape, hlo_literal_data(found));
    return found != NULL;
}

/* ---- metadata ---- */

hlo_instr_origin hlo_instr_metadata(const hlo_instr *instr) {
    hlo_instr_origin to = {no_text, no_text, no_text, 0, 0, 0, 0};
    const hlo_attr *attr = instr ? hlo_instr_attr(instr, HLO_ATTR_METADATA) : NULL;
    if (!attr) return to;
    const hlo_metadata *m = attr->u.metadata;
    to.op_type = str_text(m->op_type);
    to.op_name = str_text(m->op_name);
    const hlo_program_line line = hlo_instr_program_line(instr);
    to.source_file = str_text(line.file);
    to.source_line = line.line;
    to.source_end_line = line.end_line;
    to.source_column = line.column;
    to.source_end_column = line.end_column;
    return to;
}
