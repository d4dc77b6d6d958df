/* Attributes of instructions and modules by their names. */
#include <hlo.h>

#include "host/output.h"
#include "ir/ir.h"

/* ---- what there is ---- */

/* The number and the value of a constant are no attributes in HLO's text. */
static bool is_shown(const hlo_attr *attr) {
    return hlo_attr_table[attr->id].place != HLO_PLACE_PARENS;
}

static const char *name_at(const hlo_attr *attrs, uint32_t count, uint32_t number) {
    for (uint32_t i = 0; i < count; i++)
        if (is_shown(&attrs[i]) && number-- == 0) return hlo_attr_table[attrs[i].id].text;
    return NULL;
}

const char *hlo_instr_attr_name(const hlo_instr *instr, uint32_t number) {
    return instr ? name_at(instr->attrs, instr->attr_count, number) : NULL;
}

const char *hlo_module_attr_name(const hlo_module *module, uint32_t number) {
    return module ? name_at(module->attrs, module->attr_count, number) : NULL;
}

/* Several rows of attrs.def may share a name; an instruction has one of them at most. */
static const hlo_attr *find(const hlo_attr *attrs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (is_shown(&attrs[i]) && strcmp(hlo_attr_table[attrs[i].id].text, name) == 0)
            return &attrs[i];
    return NULL;
}

/* The row of an attribute that the instruction may have; HLO_ATTR_COUNT: none. */
static hlo_attr_id row_for_instr(const hlo_instr *instr, const char *name) {
    hlo_attr_id spelled = hlo_attr_from_text(name, strlen(name));
    if (spelled == HLO_ATTR_COUNT) return HLO_ATTR_COUNT;
    unsigned marked = hlo_op_attr((hlo_opcode)instr->opcode, spelled);
    return marked == HLO_ATTR_COUNT ? HLO_ATTR_COUNT : (hlo_attr_id)(marked & HLO_ATTR_MASK);
}

static hlo_attr_id row_for_module(const char *name) {
    for (int id = 0; id < HLO_ATTR_COUNT; id++)
        if (hlo_attr_table[id].place == HLO_PLACE_HEADER &&
            strcmp(hlo_attr_table[id].text, name) == 0)
            return (hlo_attr_id)id;
    return HLO_ATTR_COUNT;
}

/* ---- as text ---- */

static hlo_status write(const hlo_attr *attr, const char *name, hlo_output *output,
                        hlo_diags *diags) {
    if (!attr) return hlo_misuse(diags, "unknown attribute '%s'", name);
    hlo_attr_print_value(attr, &hlo_print_default, &output->buf);
    return HLO_OK;
}

hlo_status hlo_instr_write_attr(const hlo_instr *instr, const char *name, hlo_output *output,
                                hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, instr);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, output);
    return write(find(instr->attrs, instr->attr_count, name), name, output, diags);
}

hlo_status hlo_module_write_attr(const hlo_module *module, const char *name, hlo_output *output,
                                 hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, output);
    return write(find(module->attrs, module->attr_count, name), name, output, diags);
}

/* ---- as integers ---- */

/* What is not given has its default, if the row has one. */
static bool get_int(const hlo_attr *attr, hlo_attr_id row, int64_t *value) {
    if (attr) row = (hlo_attr_id)attr->id;
    if (row == HLO_ATTR_COUNT || !hlo_attr_is_integer(row)) return false;
    if (!attr && hlo_attr_table[row].printed == HLO_PRINT_IF_GIVEN) return false;
    *value = attr ? attr->u.i : hlo_attr_table[row].fallback;
    return true;
}

bool hlo_instr_attr_int(const hlo_instr *instr, const char *name, int64_t *value) {
    if (!value) return false;
    *value = 0;
    if (!instr || !name) return false;
    return get_int(find(instr->attrs, instr->attr_count, name), row_for_instr(instr, name), value);
}

bool hlo_module_attr_int(const hlo_module *module, const char *name, int64_t *value) {
    if (!value) return false;
    *value = 0;
    if (!module || !name) return false;
    return get_int(find(module->attrs, module->attr_count, name), row_for_module(name), value);
}

bool hlo_instr_attr_ints(const hlo_instr *instr, const char *name, const int64_t **values,
                         size_t *count) {
    if (!values || !count) return false;
    *values = NULL;
    *count = 0;
    if (!instr || !name) return false;
    const hlo_attr *attr = find(instr->attrs, instr->attr_count, name);
    if (!attr || !hlo_attr_is_integers((hlo_attr_id)attr->id)) return false;
    *values = attr->u.ints->v;
    *count = attr->u.ints->n;
    return true;
}

/* ---- devices ---- */

hlo_status hlo_module_set_devices(hlo_module *module, uint32_t replicas, uint32_t partitions,
                                  hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, module);
    const hlo_attr counts[] = {{.id = HLO_ATTR_REPLICA_COUNT, .u.i = replicas},
                               {.id = HLO_ATTR_NUM_PARTITIONS, .u.i = partitions}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].u.i) hlo_module_set_attr(module, counts[i]);
    return HLO_OK;
}
