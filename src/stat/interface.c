/* What comes in and goes out, and constants, as rows. */
#include "analysis/liveness.h"
#include "stat/stat.h"

/* ---- parameters ---- */

static bool names(const hlo_aliasing *aliasing, const hlo_instr *parameter, uint32_t leaf) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    int64_t number = hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
    for (uint32_t i = 0; i < aliasing->n; i++)
        if (aliasing->v[i].parameter == number &&
            hlo_leaf_at(parameter->shape, aliasing->v[i].index) == leaf)
            return true;
    return false;
}

/* Of the parameter's arrays, the bytes of those whose memory the caller gives away; `leaf` is the
 * number of the next. */
static double donated(const hlo_instr *parameter, const hlo_shape *shape, uint32_t *leaf) {
    const hlo_module *module = parameter->parent->module;
    double bytes = 0;
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            bytes += donated(parameter, shape->elements[i], leaf);
        return bytes;
    }
    uint32_t own = (*leaf)++;
    bool is_given =
        names(hlo_module_aliasing(module, HLO_ATTR_INPUT_OUTPUT_ALIAS), parameter, own) ||
        names(hlo_module_aliasing(module, HLO_ATTR_BUFFER_DONOR), parameter, own);
    return is_given ? hlo_leaf_bytes(shape) : 0;
}

static hlo_str sharding_of(hlo_stat_counting *c, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    hlo_buf text = HLO_BUF_INIT;
    if (!attr) return HLO_STR("");
    hlo_attr_print_value(attr, &hlo_print_short, &text);
    hlo_str kept = hlo_stat_keep(c, text.data, text.len);
    hlo_buf_free(&text);
    return kept;
}

static void put_parameter(hlo_stat_counting *c, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    hlo_stat_table *table = &c->stats->tables[HLO_STAT_PARAMETERS];
    uint32_t leaf = 0;
    hlo_stat_put_text(table, hlo_stat_keep_name(c, parameter->name));
    hlo_stat_put_number(table, (double)hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER));
    hlo_stat_put_number(table, hlo_leaf_bytes(parameter->shape));
    hlo_stat_put_number(table, donated(parameter, parameter->shape, &leaf));
    hlo_stat_put_text(table, hlo_stat_keep_shape(c, parameter->shape));
    hlo_stat_put_text(table, sharding_of(c, parameter));
}

/* ---- outputs ---- */

typedef struct {
    hlo_stat_counting *c;
    hlo_dataflow flow;
    const uint32_t *leaf; /* of the root, the next */
    hlo_buf index;        /* of the array that is met, without its braces */
} output_walk;

static void put_output(output_walk *w, const hlo_shape *shape) {
    hlo_stat_table *table = &w->c->stats->tables[HLO_STAT_OUTPUTS];
    const hlo_instr *maker = w->flow.buffers.v[*w->leaf++].maker;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "{%.*s}", (int)w->index.len, w->index.len ? w->index.data : "");
    hlo_stat_put_text(table, hlo_stat_keep(w->c, text.data, text.len));
    hlo_buf_free(&text);
    hlo_stat_put_number(table, hlo_leaf_bytes(shape));
    hlo_stat_put_text(table, hlo_stat_keep_shape(w->c, shape));
    hlo_stat_put_text(table, hlo_stat_keep_name(w->c, maker->name));
}

/* Recursion is as deep as tuples nest, which the parser limits. */
static void put_outputs(output_walk *w, const hlo_shape *shape) {
    size_t length = w->index.len;
    if (!hlo_shape_is_tuple(shape)) put_output(w, shape);
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++) {
        hlo_buf_printf(&w->index, "%s%u", length ? "," : "", i);
        put_outputs(w, shape->elements[i]);
        w->index.len = length;
    }
}

static void fill_outputs(hlo_stat_counting *c, hlo_computation *entry) {
    output_walk walk = {.c = c, .index = HLO_BUF_INIT};
    hlo_dataflow_init(&walk.flow, entry);
    walk.leaf = hlo_dataflow_leaves(&walk.flow, entry->root);
    put_outputs(&walk, entry->root->shape);
    hlo_dataflow_free(&walk.flow);
    hlo_buf_free(&walk.index);
}

/* ---- constants ---- */

static void put_constant(hlo_stat_counting *c, const hlo_instr *constant) {
    hlo_stat_table *table = &c->stats->tables[HLO_STAT_CONSTANTS];
    hlo_stat_put_text(table, hlo_stat_keep_name(c, constant->name));
    hlo_stat_put_number(table, hlo_leaf_bytes(constant->shape));
    hlo_stat_put_text(table, hlo_stat_keep_shape(c, constant->shape));
    hlo_stat_put_text(table, hlo_stat_keep_name(c, constant->parent->name));
}

void hlo_stat_fill_values(hlo_stat_counting *c) {
    hlo_module *module = c->part->module;
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        put_parameter(c, module->entry->parameters[i]);
    fill_outputs(c, module->entry);
    for (const hlo_computation *one = module->first; one; one = one->next)
        for (const hlo_instr *i = one->first; i; i = i->next)
            if (i->opcode == HLO_OP_CONSTANT) put_constant(c, i);
}
