/* Calls that look into a module. */
#include "faults/rows.h"

static const hlo_instr *multiply_of(const hlo_module *module) {
    const hlo_computation *c = hlo_module_first(module);
    for (; c; c = hlo_computation_next(c))
        for (const hlo_instr *i = hlo_computation_first(c); i; i = hlo_instr_next(i))
            if (hlo_instr_metadata(i).source_line == 3) return i;
    return NULL;
}

CALL(walk) {
    hlo_array array;
    hlo_instr_use uses[4];
    const int64_t *ints;
    int64_t number;
    size_t count;
    const hlo_computation *entry = hlo_module_entry(c->module);
    const hlo_instr *root = hlo_computation_root(entry), *fusion = multiply_of(c->module);
    const hlo_shape *shape = hlo_instr_shape(root), *part = hlo_shape_element(shape, 1);
    uint64_t found[] = {hlo_module_name(c->module).len,
                        hlo_computation_name(entry).len,
                        hlo_computation_size(entry),
                        hlo_computation_parameter_count(entry),
                        (uint64_t)hlo_instr_parameter_number(hlo_computation_parameter(entry, 1)),
                        hlo_instr_name(root).len,
                        hlo_instr_operand_count(root),
                        hlo_instr_uses(hlo_instr_operand(root, 0), uses, 4),
                        hlo_instr_called_count(fusion),
                        hlo_instr_literal(root, 0, &array),
                        hlo_instr_attr_int(fusion, "kind", &number),
                        hlo_instr_attr_ints(fusion, "kind", &ints, &count),
                        hlo_module_attr_int(c->module, "replica_count", &number),
                        hlo_shape_type(part),
                        hlo_shape_rank(part),
                        (uint64_t)hlo_shape_dim(part, 0),
                        hlo_shape_dim_is_dynamic(part, 0),
                        (uint64_t)hlo_shape_minor_to_major(part, 0),
                        hlo_shape_element_count(shape),
                        hlo_module_attr_name(c->module, 0) != NULL};
    faults_digest(c, found, sizeof found);
    return hlo_instr_parent(root) == entry && hlo_instr_called(fusion, 0) &&
           hlo_instr_opcode(root) && hlo_instr_attr_name(fusion, 0);
}

CALL(instr_write_attr) {
    return hlo_instr_write_attr(multiply_of(c->module), "calls", c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

CALL(module_write_attr) {
    return hlo_module_write_attr(c->module, "entry_computation_layout", c->output, c->diags) ==
               HLO_OK &&
           faults_digest_output(c);
}

CALL(shape_write) {
    const hlo_instr *root = hlo_computation_root(hlo_module_entry(c->module));
    return hlo_shape_write(hlo_instr_shape(root), true, c->output, c->diags) == HLO_OK &&
           faults_digest_output(c);
}

const faults_row faults_handles_rows[] = {
    {"hlo_module_name hlo_module_entry hlo_module_first hlo_module_attr_name hlo_module_attr_int "
     "hlo_computation_next hlo_computation_name hlo_computation_root "
     "hlo_computation_parameter_count hlo_computation_parameter hlo_computation_size "
     "hlo_computation_first hlo_instr_next hlo_instr_parent hlo_instr_name hlo_instr_opcode "
     "hlo_instr_shape hlo_instr_operand_count hlo_instr_operand hlo_instr_uses "
     "hlo_instr_called_count hlo_instr_called hlo_instr_parameter_number hlo_instr_literal "
     "hlo_instr_metadata hlo_instr_attr_name hlo_instr_attr_int hlo_instr_attr_ints "
     "hlo_shape_type hlo_shape_rank hlo_shape_dim hlo_shape_dim_is_dynamic "
     "hlo_shape_minor_to_major hlo_shape_element_count hlo_shape_element",
     "", NEEDS_MODULE, call_walk},
    {"hlo_instr_write_attr", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_instr_write_attr},
    {"hlo_module_write_attr", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_module_write_attr},
    {"hlo_shape_write", "", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_shape_write},
    {0},
};
