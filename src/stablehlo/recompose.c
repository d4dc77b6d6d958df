/* Custom calls and composites that stand for operations of CHLO. */
#include "stablehlo/emit.h"
#include "stablehlo/steps.h"

#include <stdio.h>

/* An operation by its name without "chlo.", and the name after "mhlo." of its custom call. */
typedef struct {
    hlo_mlir_op_id id;
    const char *name, *mhlo; /* mhlo NULL: there is none of mhlo */
    bool is_call, is_composite;
} recomposed;

static const recomposed rows[] = {
    {HLO_MLIR_OP_CHLO_ACOS, "acos", "acos", true, true},
    {HLO_MLIR_OP_CHLO_ACOSH, "acosh", "acosh", true, true},
    {HLO_MLIR_OP_CHLO_ASIN, "asin", "asin", true, true},
    {HLO_MLIR_OP_CHLO_ASINH, "asinh", "asinh", true, true},
    {HLO_MLIR_OP_CHLO_ATANH, "atanh", "atanh", true, true},
    {HLO_MLIR_OP_CHLO_COSH, "cosh", "cosh", true, true},
    {HLO_MLIR_OP_CHLO_SINH, "sinh", "sinh", true, true},
    {HLO_MLIR_OP_CHLO_ERF, "erf", "erf", true, true},
    {HLO_MLIR_OP_CHLO_MULHI, "mulhi", "mulhi", true, true},
    {HLO_MLIR_OP_CHLO_RAGGED_DOT, "ragged_dot", NULL, true, true},
    {HLO_MLIR_OP_CHLO_SCAN, "scan", "scan", true, true},
    {HLO_MLIR_OP_CHLO_TAN, "tan", "tan", true, false},
    {HLO_MLIR_OP_CHLO_TOP_K, "top_k", "topk", true, true},
};

static bool is_name(hlo_str text, const char *dialect, const char *name) {
    char joined[64];
    if (!name) return false;
    snprintf(joined, sizeof joined, "%s.%s", dialect, name);
    return hlo_str_is(text, joined);
}

static hlo_str text_of(const hlo_mlir_op *op, const char *key) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, key);
    bool is_text = attr && (attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_SYMBOL);
    return is_text ? attr->u.text : (hlo_str){0};
}

static const recomposed *row_of(const hlo_mlir_op *op) {
    bool is_call = op->id == HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL;
    if (!is_call && op->id != HLO_MLIR_OP_STABLEHLO_COMPOSITE) return NULL;
    hlo_str name = text_of(op, is_call ? "call_target_name" : "name");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const recomposed *row = &rows[i];
        if (!(is_call ? row->is_call : row->is_composite)) continue;
        bool is_tan = row->id == HLO_MLIR_OP_CHLO_TAN; /* there is no call of chlo.tan */
        if ((!is_tan && is_name(name, "chlo", row->name)) ||
            (is_call && is_name(name, "mhlo", row->mhlo)))
            return row;
    }
    return NULL;
}

/* ---- attributes ---- */

static bool is_plain(const hlo_mlir_attr *attr) {
    return attr->kind != HLO_MLIR_STRUCT && attr->kind != HLO_MLIR_WORD;
}

/* [[lhs_batch], [rhs_batch], [lhs_contract], [rhs_contract], [lhs_ragged], [rhs_group]] */
static const hlo_mlir_attr *ragged_dimensions(hlo_mlir_emitter *e, const hlo_mlir_attr *attr) {
    static const char *const keys[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions",
                                       "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                       "lhs_ragged_dimensions",      "rhs_group_dimensions"};
    hlo_arena *arena = &e->module->arena;
    if (attr->kind != HLO_MLIR_LIST || attr->list.n != 6) return NULL;
    hlo_mlir_attr *out = hlo_arena_copy(arena, attr, sizeof *attr);
    hlo_mlir_named *v = HLO_NEW_ARRAY(arena, hlo_mlir_named, 6);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t n;
        const int64_t *dims;
        if (!hlo_mlir_ints(e->module, attr->list.v[i].value, &n, &dims)) return NULL;
        hlo_mlir_attr *list = hlo_arena_copy(arena, attr, sizeof *attr);
        hlo_mlir_named *members = HLO_NEW_ARRAY(arena, hlo_mlir_named, n);
        for (uint32_t k = 0; k < n; k++) members[k].value = hlo_mlir_emit_int(e, HLO_S64, dims[k]);
        list->list = (hlo_mlir_list){n, members};
        v[i] = (hlo_mlir_named){hlo_str_from(keys[i]), list, attr->at.lo};
    }
    out->kind = HLO_MLIR_STRUCT;
    out->bracket = '<';
    out->u.text = HLO_STR("chlo.ragged_dot");
    out->list = (hlo_mlir_list){6, v};
    return out;
}

static const hlo_mlir_attr *precisions(hlo_mlir_emitter *e, const hlo_mlir_attr *attr) {
    hlo_arena *arena = &e->module->arena;
    if (attr->kind != HLO_MLIR_LIST) return NULL;
    hlo_mlir_attr *out = hlo_arena_copy(arena, attr, sizeof *attr);
    hlo_mlir_named *v = HLO_NEW_ARRAY(arena, hlo_mlir_named, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_attr *word = attr->list.v[i].value;
        if (word->kind != HLO_MLIR_STRING) return NULL;
        v[i].value = hlo_mlir_emit_word(e, "chlo.precision", word->u.text);
    }
    out->list = (hlo_mlir_list){attr->list.n, v};
    return out;
}

static const hlo_mlir_attr *attribute_of(hlo_mlir_emitter *e, const recomposed *row,
                                         hlo_mlir_named entry) {
    if (row->id == HLO_MLIR_OP_CHLO_RAGGED_DOT) {
        if (hlo_str_is(entry.key, "ragged_dot_dimension_numbers"))
            return ragged_dimensions(e, entry.value);
        if (hlo_str_is(entry.key, "precision_config")) return precisions(e, entry.value);
    }
    return is_plain(entry.value) ? entry.value : NULL;
}

/* ---- a call ---- */

static bool is_empty_config(const hlo_mlir_attr *config) {
    return !config || (config->kind == HLO_MLIR_STRING && !config->u.text.len) ||
           (config->kind == HLO_MLIR_DICT && !config->list.n);
}

/* The call has no attributes but its target, its mhlo.attributes and a version. */
static bool is_only_a_target(const hlo_mlir_op *op) {
    static const char *const keys[] = {"call_target_name", "backend_config", "called_computations",
                                       "mhlo.attributes", "mhlo.version"};
    for (uint32_t i = 0; i < op->attr_count; i++) {
        size_t k = 0, n = sizeof keys / sizeof *keys;
        while (k < n && !hlo_str_is(op->attrs[i].key, keys[k])) k++;
        if (k == n) return false;
    }
    return is_empty_config(hlo_mlir_attr_of(op, "backend_config"));
}

static const hlo_mlir_attr *called(const hlo_mlir_op *op) {
    const hlo_mlir_attr *list = hlo_mlir_attr_of(op, "called_computations");
    return list && list->list.n ? list : NULL;
}

/* Its attributes; NULL: it stands for no operation of CHLO. */
static const hlo_mlir_attr *attributes_of_call(const hlo_mlir_op *op, const recomposed *row) {
    const hlo_mlir_attr *attrs = hlo_mlir_attr_of(op, "mhlo.attributes");
    if (!attrs || attrs->kind != HLO_MLIR_DICT) return NULL;
    if (row->id == HLO_MLIR_OP_CHLO_SCAN) return attrs;
    const hlo_mlir_attr *largest = hlo_mlir_member(attrs, "largest");
    if (row->id == HLO_MLIR_OP_CHLO_TOP_K && largest && largest->kind == HLO_MLIR_BOOL &&
        !largest->u.i)
        return NULL;
    return is_only_a_target(op) && !called(op) ? attrs : NULL;
}

static const hlo_mlir_attr *attributes_of_composite(hlo_mlir_module *module,
                                                    const hlo_mlir_op *op) {
    const hlo_mlir_attr *version = hlo_mlir_attr_of(op, "version");
    const hlo_mlir_attr *attrs = hlo_mlir_attr_of(op, "composite_attributes");
    if (!version || version->kind != HLO_MLIR_INT || version->u.i != 1) return NULL;
    if (attrs) return attrs->kind == HLO_MLIR_DICT ? attrs : NULL;
    hlo_mlir_attr *none = HLO_NEW(&module->arena, hlo_mlir_attr);
    none->kind = HLO_MLIR_DICT;
    none->bracket = '{';
    return none;
}

/* ---- regions ---- */

static hlo_mlir_op *function_named(const hlo_mlir_module *module, hlo_str name) {
    const hlo_mlir_block *block = module->root->regions[0].first;
    for (hlo_mlir_op *op = block ? block->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && hlo_str_equal(text_of(op, "sym_name"), name))
            return op;
    return NULL;
}

static void copy_region(hlo_mlir_module *module, const hlo_mlir_region *from, hlo_mlir_region *to);

static void copy_op(hlo_mlir_module *module, const hlo_mlir_op *from, hlo_mlir_block *block) {
    bool is_end = from->id == HLO_MLIR_OP_FUNC_RETURN;
    hlo_mlir_op *to = hlo_mlir_op_new(
        module, block, NULL, is_end ? HLO_STR("stablehlo.return") : from->name, from->operand_count,
        from->result_count, from->attr_count, from->region_count);
    to->at = from->at;
    to->location = from->location;
    for (uint32_t i = 0; i < from->attr_count; i++) to->attrs[i] = from->attrs[i];
    for (uint32_t i = 0; i < from->operand_count; i++)
        hlo_mlir_set_operand(to, i, from->operands[i].value->made);
    for (uint32_t i = 0; i < from->result_count; i++) {
        to->results[i].type = from->results[i].type;
        from->results[i].made = &to->results[i];
    }
    for (uint32_t i = 0; i < from->region_count; i++)
        copy_region(module, &from->regions[i], &to->regions[i]);
}

/* Values of the copy are in `made` of those that they are made of. */
static void copy_region(hlo_mlir_module *module, const hlo_mlir_region *from, hlo_mlir_region *to) {
    for (const hlo_mlir_block *block = from->first; block; block = block->next) {
        hlo_mlir_block *made = hlo_mlir_block_new(module, to, block->argument_count);
        for (uint32_t i = 0; i < block->argument_count; i++) {
            made->arguments[i].type = block->arguments[i].type;
            made->arguments[i].location = block->arguments[i].location;
            block->arguments[i].made = &made->arguments[i];
        }
        for (const hlo_mlir_op *op = block->first; op; op = op->next) copy_op(module, op, made);
    }
}

static void forget_copies(hlo_mlir_op *function) {
    for (hlo_mlir_op *op = function; op; op = hlo_expand_next(op, function)) {
        for (uint32_t i = 0; i < op->result_count; i++) op->results[i].made = NULL;
        for (uint32_t i = 0; i < op->region_count; i++)
            for (hlo_mlir_block *b = op->regions[i].first; b; b = b->next)
                for (uint32_t k = 0; k < b->argument_count; k++) b->arguments[k].made = NULL;
    }
}

/* ---- all ---- */

/* The function whose body is a scan's; *is_valid is false where a scan has none. */
static hlo_mlir_op *body_of_scan(hlo_mlir_module *module, const hlo_mlir_op *op, bool *is_valid) {
    const hlo_mlir_attr *list = called(op);
    hlo_mlir_op *function = NULL;
    if (list && list->list.n == 1 && list->list.v[0].value->kind == HLO_MLIR_SYMBOL)
        function = function_named(module, list->list.v[0].value->u.text);
    *is_valid = function && function->region_count == 1;
    return function;
}

static void recompose(hlo_mlir_module *module, hlo_mlir_op *op, const recomposed *row) {
    bool is_call = op->id == HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL, is_valid = true;
    const hlo_mlir_attr *attrs =
        is_call ? attributes_of_call(op, row) : attributes_of_composite(module, op);
    hlo_mlir_op *body = NULL;
    hlo_mlir_emitter e = hlo_mlir_emitter_of(module, op);
    if (!attrs) return;
    if (is_call && row->id == HLO_MLIR_OP_CHLO_SCAN) body = body_of_scan(module, op, &is_valid);
    hlo_mlir_named *made_attrs = HLO_NEW_ARRAY(&module->arena, hlo_mlir_named, attrs->list.n);
    for (uint32_t i = 0; i < attrs->list.n; i++) {
        made_attrs[i] = attrs->list.v[i];
        made_attrs[i].value = attribute_of(&e, row, attrs->list.v[i]);
        is_valid &= made_attrs[i].value != NULL;
    }
    if (!is_valid) return;
    char *name = hlo_arena_alloc(&module->arena, strlen(row->name) + 6);
    sprintf(name, "chlo.%s", row->name);
    hlo_mlir_op *made =
        hlo_mlir_op_new(module, op->block, op, hlo_str_from(name), op->operand_count,
                        op->result_count, 0, body ? 1 : op->region_count);
    made->at = op->at;
    made->location = op->location;
    made->attrs = made_attrs;
    made->attr_count = attrs->list.n;
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_mlir_set_operand(made, i, hlo_mlir_operand(op, i));
    for (uint32_t i = 0; i < op->result_count; i++) {
        made->results[i].type = op->results[i].type;
        hlo_mlir_replace_uses(&op->results[i], &made->results[i]);
    }
    if (body) {
        copy_region(module, &body->regions[0], &made->regions[0]);
        forget_copies(body);
    } else {
        hlo_expand_take_regions(op, made);
    }
    hlo_expand_erase(op);
}

void hlo_expand_recompose(hlo_mlir_module *module, hlo_mlir_op *function) {
    for (hlo_mlir_op *op = hlo_expand_next(function, function), *next; op; op = next) {
        const recomposed *row = row_of(op);
        next = hlo_expand_next(op, function);
        if (row) recompose(module, op, row);
    }
}
