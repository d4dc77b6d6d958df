/* Names of values as MLIR gives them: %arg0, %0, %cst_1. A region has the names of those around it
 * as taken, and counts on from where they ended. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "mlir/forms.h"
#include "mlir/print.h"

typedef struct {
    uint32_t value, argument, conflict;
} counters;

typedef struct {
    hlo_str text;
    bool is_taken;
} taken_name;

typedef struct {
    hlo_mlir_module *tree;
    bool is_generic;
    HLO_LIST(taken_name) names;
    hlo_hash by_text;         /* numbers of names, from 1 */
    HLO_LIST(uint32_t) taken; /* those of the open regions */
} naming;

static const char *result_names(const hlo_mlir_op *op) {
    static const struct {
        const char *op, *names;
    } rows[] = {
#define HLO_MLIR_RESULT_NAMES(op, names) {op, names},
#include "mlir/printing.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_str_is(op->name, rows[i].op)) return rows[i].names;
    return NULL;
}

static const char *argument_names(const hlo_mlir_op *op) {
    static const struct {
        const char *op, *names;
    } rows[] = {
#define HLO_MLIR_ARGUMENT_NAMES(op, names) {op, names},
#include "mlir/printing.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_str_is(op->name, rows[i].op)) return rows[i].names;
    return NULL;
}

/* ---- names that are taken ---- */

static uint32_t number_of(naming *n, hlo_str text) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(text.ptr, text.len);
    hlo_hash_each (number, &n->by_text, hash)
        if (hlo_str_equal(n->names.v[number - 1].text, text)) return number - 1;
    char *kept = hlo_arena_copy(&n->tree->arena, text.ptr, text.len);
    hlo_list_push(&n->names, (taken_name){{kept, text.len, 0}, false});
    hlo_hash_add(&n->by_text, hash, n->names.n);
    return n->names.n - 1;
}

static bool take(naming *n, const char *text, hlo_str *out) {
    uint32_t number = number_of(n, hlo_str_from(text));
    if (n->names.v[number].is_taken) return false;
    n->names.v[number].is_taken = true;
    hlo_list_push(&n->taken, number);
    *out = n->names.v[number].text;
    return true;
}

static hlo_str unique_name(naming *n, counters *c, const char *wanted) {
    char text[64];
    hlo_str name = {0};
    if (take(n, wanted, &name)) return name;
    do snprintf(text, sizeof text, "%s_%u", wanted, c->conflict++);
    while (!take(n, text, &name));
    return name;
}

static hlo_str plain_number(naming *n, counters *c) {
    char text[16];
    int len = snprintf(text, sizeof text, "%u", c->value++);
    return (hlo_str){hlo_arena_copy(&n->tree->arena, text, (size_t)len), (uint32_t)len, 0};
}

/* ---- results ---- */

/* Of a constant by its elements. */
static const char *constant_name(const hlo_mlir_op *op) {
    const hlo_mlir_type *type = op->results[0].type;
    bool is_integer = type->kind == HLO_MLIR_TENSOR && !type->other &&
                      (hlo_type_is_integral(type->element) || type->element == HLO_PRED);
    return is_integer ? "c" : "cst";
}

static void name_each(naming *n, counters *c, hlo_mlir_op *op, const char *names) {
    for (uint32_t i = 0; *names && i < op->result_count; i++) {
        char name[32];
        hlo_str word = hlo_mlir_next_word(&names);
        snprintf(name, sizeof name, "%.*s", (int)word.len, word.ptr);
        op->results[i].name = unique_name(n, c, name);
    }
}

static void name_results(naming *n, counters *c, hlo_mlir_op *op) {
    if (!op->result_count) return;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].name = (hlo_str){0};
    if (!n->is_generic) {
        const char *names = result_names(op);
        if (op->id == HLO_MLIR_OP_STABLEHLO_CONSTANT)
            op->results[0].name = unique_name(n, c, constant_name(op));
        else if (names) name_each(n, c, op, names);
    }
    if (!op->results[0].name.len) op->results[0].name = plain_number(n, c);
}

/* ---- regions ---- */

/* The name of an argument in its operation's groups; empty: it has a number. */
static void special_name(const hlo_mlir_op *op, uint32_t argument, char name[24]) {
    const char *names = argument_names(op);
    const hlo_mlir_attr *sizes = hlo_mlir_attr_of(op, "operandSegmentSizes");
    *name = '\0';
    if (!names) return;
    hlo_str word = hlo_mlir_next_word(&names);
    bool has_sizes = sizes && sizes->kind == HLO_MLIR_INTS && sizes->u.ints.n;
    if (has_sizes && argument >= sizes->u.ints.v[0]) word = hlo_mlir_next_word(&names);
    snprintf(name, 24, "%.*s", (int)word.len, word.ptr);
}

static void name_arguments(naming *n, counters *c, hlo_mlir_block *block) {
    bool is_first = block == block->region->first;
    for (uint32_t i = 0; i < block->argument_count; i++) {
        char text[24] = "";
        if (is_first && !n->is_generic) special_name(block->region->op, i, text);
        if (*text) {
            block->arguments[i].name = unique_name(n, c, text);
        } else if (is_first) {
            snprintf(text, sizeof text, "arg%u", c->argument++);
            block->arguments[i].name = unique_name(n, c, text);
        } else {
            block->arguments[i].name = plain_number(n, c);
        }
    }
}

static void name_block_values(naming *n, hlo_mlir_region *region, counters *c) {
    for (hlo_mlir_block *block = region->first; block; block = block->next) {
        name_arguments(n, c, block);
        for (hlo_mlir_op *op = block->first; op; op = op->next) name_results(n, c, op);
    }
}

static hlo_mlir_op *last_op(const hlo_mlir_region *region) {
    return region->last ? region->last->last : NULL;
}

/* In the generic form numbers go on through all regions, and the last region comes first. */
static void name_all(naming *n, hlo_mlir_region *region, counters *c) {
    name_block_values(n, region, c);
    for (hlo_mlir_op *op = last_op(region); op; op = op->prev)
        for (uint32_t i = op->region_count; i-- > 0;) name_all(n, &op->regions[i], c);
}

/* Regions inside follow when all values of this one have names, each with the same counters. */
static void name_region(naming *n, hlo_mlir_region *region, counters c) {
    uint32_t base = n->taken.n;
    name_block_values(n, region, &c);
    for (hlo_mlir_block *block = region->first; block; block = block->next)
        for (hlo_mlir_op *op = block->first; op; op = op->next)
            for (uint32_t i = 0; i < op->region_count; i++) name_region(n, &op->regions[i], c);
    while (n->taken.n > base) n->names.v[hlo_list_pop(&n->taken)].is_taken = false;
}

void hlo_mlir_name_values(hlo_mlir_module *tree, bool is_generic) {
    naming n = {.tree = tree, .is_generic = is_generic};
    counters c = {0};
    for (uint32_t i = 0; i < tree->root->region_count; i++) {
        if (is_generic) name_all(&n, &tree->root->regions[i], &c);
        else name_region(&n, &tree->root->regions[i], c);
    }
    hlo_list_free(&n.names);
    hlo_list_free(&n.taken);
    hlo_hash_free(&n.by_text);
}

/* ---- printing ---- */

/* The result that has the name of the group, and how many are in it. */
static const hlo_mlir_value *group_of(const hlo_mlir_value *value, uint32_t *size) {
    const hlo_mlir_op *op = value->op;
    uint32_t first = value->index, end = value->index + 1;
    while (first && !op->results[first].name.len) first--;
    while (end < op->result_count && !op->results[end].name.len) end++;
    *size = end - first;
    return &op->results[first];
}

void hlo_mlir_print_value(hlo_buf *to, const hlo_mlir_value *value) {
    uint32_t size = 1;
    const hlo_mlir_value *first = value->op ? group_of(value, &size) : value;
    hlo_buf_char(to, '%');
    hlo_buf_str(to, first->name);
    if (size > 1) hlo_buf_printf(to, "#%u", value->index - first->index);
}

void hlo_mlir_print_result_names(hlo_buf *to, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->result_count;) {
        uint32_t size;
        group_of(&op->results[i], &size);
        hlo_buf_cstr(to, i ? ", %" : "%");
        hlo_buf_str(to, op->results[i].name);
        if (size > 1) hlo_buf_printf(to, ":%u", size);
        i += size;
    }
    if (op->result_count) hlo_buf_cstr(to, " = ");
}
