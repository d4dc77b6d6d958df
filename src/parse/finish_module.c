/* The module made whole when its text ends: entry, header attributes checked against it, stack
 * frames renumbered, names made unique. */
#include <stdlib.h>

#include "parse/parser.h"

static hlo_attr *header_attr(hlo_parser *p, hlo_attr_id id) {
    for (uint32_t i = 0; i < p->made.header.n; i++)
        if (p->made.header.v[i].id == id) return &p->made.header.v[i];
    return NULL;
}

static hlo_span attr_at(const hlo_attr *attr) {
    return (hlo_span){attr->at, attr->at + (uint32_t)strlen(hlo_attr_table[attr->id].text)};
}

/* ---- entry ---- */

static hlo_program_shape *program_shape_of(hlo_parser *p, hlo_computation *c) {
    hlo_program_shape *shape = HLO_NEW(p->arena, hlo_program_shape);
    hlo_shapes *list =
        hlo_arena_alloc(p->arena, sizeof *list + c->parameter_count * sizeof list->v[0]);
    list->n = c->parameter_count;
    for (uint32_t i = 0; i < list->n; i++) list->v[i] = c->parameters[i]->shape;
    shape->parameters = list;
    shape->result = c->root->shape;
    return shape;
}

/* ---- shape indices ---- */

/* The part of a shape at an index, or NULL when it has none there. */
static const hlo_shape *at_index(const hlo_shape *shape, const hlo_ints *index) {
    for (uint32_t i = 0; i < index->n; i++) {
        if (!hlo_shape_is_tuple(shape) || index->v[i] < 0 || index->v[i] >= shape->rank)
            return NULL;
        shape = shape->elements[index->v[i]];
    }
    return shape;
}

typedef struct {
    hlo_alias_entry entry;
    uint32_t order;
} sorted_alias;

/* By output index (aliases) or by parameter and index (donors); among equals as written. */
static int compare_alias(const void *a, const void *b) {
    const sorted_alias *x = a, *y = b;
    int c = 0;
    if (x->entry.output) {
        c = hlo_ints_compare(x->entry.output, y->entry.output);
    } else {
        c = (x->entry.parameter > y->entry.parameter) - (x->entry.parameter < y->entry.parameter);
        if (!c) c = hlo_ints_compare(x->entry.index, y->entry.index);
    }
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

static bool same_alias(const hlo_alias_entry *a, const hlo_alias_entry *b) {
    if (a->output) return hlo_ints_compare(a->output, b->output) == 0;
    return a->parameter == b->parameter && hlo_ints_compare(a->index, b->index) == 0;
}

/* ---- aliasing ---- */

static void bad_alias(hlo_parser *p, const hlo_attr *attr, const char *message) {
    hlo_parse_error(p, HLO_RULE_ALIASING, attr_at(attr), "%s: %s", hlo_attr_table[attr->id].text,
                    message);
    hlo_note_refusal(p, p->made.end_at);
}

static bool check_alias(hlo_parser *p, const hlo_attr *attr, const hlo_alias_entry *entry) {
    hlo_computation *c = p->module->entry;
    if (entry->output && !at_index(c->root->shape, entry->output)) {
        bad_alias(p, attr, "an output index is not part of the result");
        return false;
    }
    if (entry->parameter < 0) {
        bad_alias(p, attr, "a parameter number is negative");
        return false;
    }
    return true;
}

/* Sorted, without repeats: of two entries for one output the first stays. */
static void finish_aliasing(hlo_parser *p, hlo_attr_id id) {
    hlo_attr *attr = header_attr(p, id);
    if (!attr) return;
    const hlo_aliasing *read = attr->u.aliasing;
    sorted_alias *list = hlo_malloc(read->n * sizeof *list);
    bool good = true;
    for (uint32_t i = 0; i < read->n && good; i++) {
        list[i] = (sorted_alias){
            {read->v[i].output, read->v[i].index, read->v[i].parameter, read->v[i].kind}, i};
        good = check_alias(p, attr, &list[i].entry);
    }
    if (good) {
        if (read->n) qsort(list, read->n, sizeof *list, compare_alias);
        hlo_aliasing *out = hlo_arena_alloc(p->arena, sizeof *out + read->n * sizeof out->v[0]);
        out->n = 0;
        for (uint32_t i = 0; i < read->n; i++) {
            const hlo_alias_entry *e = &list[i].entry;
            if (i && same_alias(e, &list[i - 1].entry)) continue;
            out->v[out->n].output = e->output;
            out->v[out->n].parameter = e->parameter;
            out->v[out->n].index = e->index;
            out->v[out->n++].kind = e->output ? e->kind : 0;
        }
        attr->u.aliasing = out;
    }
    hlo_free(list);
}

/* ---- asynchronous bodies ---- */

static void check_async_callers(hlo_parser *p) {
    uint32_t mark = hlo_module_new_mark(p->module);
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (i->opcode != HLO_OP_ASYNC_START) continue;
            hlo_computation *body = hlo_instr_attr(i, HLO_ATTR_CALLS)->u.computation;
            if (body->mark == mark)
                hlo_parse_error(p, HLO_RULE_ASYNC, i->at,
                                "computation '%.*s' is called by more than one async start",
                                (int)body->name->len, body->name->ptr);
            body->mark = mark;
        }
}

/* ---- header ---- */

static void drop_empty_lists(hlo_parser *p) {
    static const hlo_attr_id lists[] = {HLO_ATTR_SPMD_TO_PARAMETERS, HLO_ATTR_SPMD_TO_OUTPUT};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        hlo_attr *attr = header_attr(p, lists[i]);
        if (attr && attr->u.ints->n == 0) *attr = p->made.header.v[--p->made.header.n];
    }
}

static void finish_header(hlo_parser *p) {
    hlo_module *module = p->module;
    drop_empty_lists(p);
    for (uint32_t i = 0; i < p->made.header.n; i++)
        hlo_module_set_attr(module, p->made.header.v[i]);
    if (hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT)) return;
    hlo_attr layout = {.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT,
                       .u.program_shape = program_shape_of(p, module->entry)};
    hlo_module_set_attr(module, layout);
}

static hlo_str headerless_name(hlo_parser *p) {
    const hlo_name *entry = p->module->entry->name;
    char *text = hlo_arena_alloc(p->arena, entry->len + 7);
    memcpy(text, "module_", 7);
    memcpy(text + 7, entry->ptr, entry->len);
    return (hlo_str){text, entry->len + 7, 0};
}

/* Computations may be written with names that XLA gives to none. */
static void respell_computations(hlo_parser *p) {
    for (hlo_computation *c = p->module->first; c; c = c->next) c->name = hlo_respelled(p, c->name);
}

static bool names_are_unique(hlo_parser *p) {
    for (uint32_t i = 0; i < p->made.dot_zero.n && !p->made.names_clash; i++) {
        hlo_str root = {p->made.dot_zero.v[i]->ptr, p->made.dot_zero.v[i]->len - 2, 0};
        const hlo_name *plain = hlo_module_find_name(p->module, root);
        if (plain && plain->uses) p->made.names_clash = true;
    }
    return !p->made.names_clash;
}

void hlo_finish_module(hlo_parser *p, hlo_str name) {
    hlo_module *module = p->module;
    if (p->diags->errors != p->recovery.errors) return;
    if (!module->entry) module->entry = p->made.last;
    finish_aliasing(p, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    finish_aliasing(p, HLO_ATTR_BUFFER_DONOR);
    if (p->made.has_async) check_async_callers(p);
    if (p->diags->errors != p->recovery.errors) return;
    respell_computations(p);
    module->name = name.len ? name : headerless_name(p);
    finish_header(p);
    if (p->frames.framed.n) hlo_renumber_stack_frames(p);
    module->names_are_unique = names_are_unique(p);
    hlo_uniquify_names(module);
    module->names_are_unique = true;
}
