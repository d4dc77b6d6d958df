/* A tree of operations as MLIR prints it: lines and indentation, the generic form, functions. */
#include "mlir/print.h"

#include <string.h>

#include "mlir/forms.h"

static void indent(hlo_mlir_printer *p) {
    hlo_buf_printf(p->to, "%*s", (int)p->indent, "");
}

/* ---- types ---- */

void hlo_mlir_print_operands(hlo_buf *to, const hlo_mlir_op *op, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++) {
        if (i > from) hlo_buf_cstr(to, ", ");
        hlo_mlir_print_value(to, hlo_mlir_operand(op, i));
    }
}

static void print_result_types(hlo_buf *to, const hlo_mlir_op *op) {
    bool is_bare = op->result_count == 1 && op->results[0].type->kind != HLO_MLIR_FUNCTION;
    if (!is_bare) hlo_buf_char(to, '(');
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        hlo_mlir_print_type(to, op->results[i].type);
    }
    if (!is_bare) hlo_buf_char(to, ')');
}

void hlo_mlir_print_operand_types(hlo_buf *to, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        hlo_mlir_print_type(to, hlo_mlir_operand(op, i)->type);
    }
}

void hlo_mlir_print_function_type(hlo_buf *to, const hlo_mlir_op *op, bool in_parens) {
    if (in_parens) hlo_buf_char(to, '(');
    hlo_mlir_print_operand_types(to, op);
    hlo_buf_cstr(to, in_parens ? ") -> " : " -> ");
    print_result_types(to, op);
}

/* ---- regions ---- */

void hlo_mlir_print_argument(hlo_mlir_printer *p, const hlo_mlir_value *argument,
                             const hlo_mlir_attr *attrs) {
    hlo_mlir_print_value(p->to, argument);
    hlo_buf_cstr(p->to, ": ");
    hlo_mlir_print_type(p->to, argument->type);
    if (attrs) hlo_mlir_print_attrs(p->to, attrs->list.v, attrs->list.n, " ", NULL, NULL);
    hlo_mlir_print_place(p->places, argument->location, false, p->to);
}

static void print_label(hlo_mlir_printer *p, const hlo_mlir_block *block, uint32_t number) {
    indent(p);
    hlo_buf_printf(p->to, "^bb%u", number);
    if (block->argument_count) hlo_buf_char(p->to, '(');
    for (uint32_t i = 0; i < block->argument_count; i++) {
        if (i) hlo_buf_cstr(p->to, ", ");
        hlo_mlir_print_argument(p, &block->arguments[i], NULL);
    }
    hlo_buf_cstr(p->to, block->argument_count ? "):\n" : ":\n");
}

void hlo_mlir_print_region(hlo_mlir_printer *p, const hlo_mlir_region *region, bool with_arguments,
                           const char *dialect) {
    uint32_t number = 0;
    hlo_buf_cstr(p->to, "{\n");
    for (const hlo_mlir_block *block = region->first; block; block = block->next, number++) {
        bool has_label = number || (with_arguments && (block->argument_count || !block->first));
        if (has_label) print_label(p, block, number);
        p->indent += 2;
        for (const hlo_mlir_op *op = block->first; op; op = op->next) {
            indent(p);
            hlo_mlir_print_op(p, op, dialect);
            hlo_buf_char(p->to, '\n');
        }
        p->indent -= 2;
    }
    indent(p);
    hlo_buf_char(p->to, '}');
}

/* ---- the form of all operations ---- */

static const char *property_names(hlo_str name) {
    static const struct {
        const char *op, *names;
    } rows[] = {
#define HLO_MLIR_PROPERTIES(op, names) {op, names},
#include "mlir/properties.def"
#undef HLO_MLIR_PROPERTIES
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_str_is(name, rows[i].op)) return rows[i].names;
    return NULL;
}

/* Rows have '?' and digits after names, and the number of segments after '<' and '>'. */
static bool is_property(const char *names, hlo_str key) {
    if (hlo_str_is(key, "operandSegmentSizes")) return names && strchr(names, '<');
    if (hlo_str_is(key, "resultSegmentSizes")) return names && strchr(names, '>');
    while (names && *names) {
        hlo_str word = hlo_mlir_next_word(&names);
        const char *mark = memchr(word.ptr, '?', word.len);
        if (mark) word.len = (uint32_t)(mark - word.ptr);
        if (hlo_str_equal(word, key)) return true;
    }
    return false;
}

static bool is_other(const void *names, const hlo_mlir_named *attr) {
    return !is_property(names, attr->key);
}

static bool is_own(const void *names, const hlo_mlir_named *attr) {
    return is_property(names, attr->key);
}

/* "name"(operands) <{properties}> ({regions}) {attributes} : type */
static void print_generic(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const char *names = property_names(op->name);
    hlo_mlir_print_text(p->to, op->name);
    hlo_buf_char(p->to, '(');
    hlo_mlir_print_operands(p->to, op, 0, op->operand_count);
    hlo_buf_char(p->to, ')');
    if (hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " <", is_other, names))
        hlo_buf_char(p->to, '>');
    for (uint32_t i = 0; i < op->region_count; i++) {
        hlo_buf_cstr(p->to, i ? ", " : " (");
        hlo_mlir_print_region(p, &op->regions[i], true, "");
    }
    if (op->region_count) hlo_buf_char(p->to, ')');
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " ", is_own, names);
    hlo_buf_cstr(p->to, " : ");
    hlo_mlir_print_function_type(p->to, op, true);
}

/* ---- modules and functions ---- */

static hlo_str text_of(const hlo_mlir_op *op, const char *name) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(op, name);
    bool is_text = attr && (attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_WORD);
    return is_text ? attr->u.text : (hlo_str){0};
}

/* Of modules and functions: what their forms have in other places. */
static bool is_in_form(const void *context, const hlo_mlir_named *attr) {
    static const char *const names[] = {"sym_name", "sym_visibility", "function_type", "arg_attrs",
                                        "res_attrs"};
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hlo_str_is(attr->key, names[i])) return true;
    return false;
}

static void print_module(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    hlo_str name = text_of(op, "sym_name");
    if (name.len) {
        hlo_buf_char(p->to, ' ');
        hlo_mlir_print_symbol(p->to, name);
    }
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " attributes ", is_in_form, NULL);
    hlo_buf_char(p->to, ' ');
    hlo_mlir_print_region(p, &op->regions[0], false, "builtin.");
}

static const hlo_mlir_attr *attrs_of(const hlo_mlir_op *op, const char *list, uint32_t i) {
    const hlo_mlir_attr *all = hlo_mlir_attr_of(op, list);
    return all && i < all->list.n && all->list.v[i].value->list.n ? all->list.v[i].value : NULL;
}

static void print_results(hlo_mlir_printer *p, const hlo_mlir_op *op, const hlo_mlir_type *type) {
    uint32_t n = type->part_count - type->inputs;
    const hlo_mlir_type *const *v = type->parts + type->inputs;
    if (!n) return;
    bool is_bare = n == 1 && v[0]->kind != HLO_MLIR_FUNCTION && !attrs_of(op, "res_attrs", 0);
    hlo_buf_cstr(p->to, is_bare ? " -> " : " -> (");
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *attrs = attrs_of(op, "res_attrs", i);
        if (i) hlo_buf_cstr(p->to, ", ");
        hlo_mlir_print_type(p->to, v[i]);
        if (attrs) hlo_mlir_print_attrs(p->to, attrs->list.v, attrs->list.n, " ", NULL, NULL);
    }
    if (!is_bare) hlo_buf_char(p->to, ')');
}

static void print_arguments(hlo_mlir_printer *p, const hlo_mlir_op *op, const hlo_mlir_type *type) {
    const hlo_mlir_block *block = op->regions[0].first;
    for (uint32_t i = 0; i < type->inputs; i++) {
        const hlo_mlir_attr *attrs = attrs_of(op, "arg_attrs", i);
        if (i) hlo_buf_cstr(p->to, ", ");
        if (block) {
            hlo_mlir_print_argument(p, &block->arguments[i], attrs);
            continue;
        }
        hlo_mlir_print_type(p->to, type->parts[i]); /* a declaration */
        if (attrs) hlo_mlir_print_attrs(p->to, attrs->list.v, attrs->list.n, " ", NULL, NULL);
    }
}

static void print_function(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    hlo_str visibility = text_of(op, "sym_visibility");
    const hlo_mlir_attr *type = hlo_mlir_attr_of(op, "function_type");
    HLO_ASSERT(type && type->type->kind == HLO_MLIR_FUNCTION);
    hlo_buf_char(p->to, ' ');
    hlo_buf_str(p->to, visibility);
    if (visibility.len) hlo_buf_char(p->to, ' ');
    hlo_mlir_print_symbol(p->to, text_of(op, "sym_name"));
    hlo_buf_char(p->to, '(');
    print_arguments(p, op, type->type);
    hlo_buf_char(p->to, ')');
    print_results(p, op, type->type);
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " attributes ", is_in_form, NULL);
    if (!op->regions[0].first) return;
    hlo_buf_char(p->to, ' ');
    hlo_mlir_print_region(p, &op->regions[0], false, "func.");
}

/* ---- one operation ---- */

static void print_own_form(hlo_mlir_printer *p, const hlo_mlir_op *op, const char *dialect) {
    size_t n = strlen(dialect);
    bool is_elided = n && op->name.len > n && memcmp(op->name.ptr, dialect, n) == 0;
    hlo_mlir_form form = hlo_mlir_form_of(op->name);
    if (form == HLO_MLIR_FORM_MODULE) hlo_buf_cstr(p->to, "module");
    else if (is_elided) hlo_buf_bytes(p->to, op->name.ptr + n, op->name.len - n);
    else hlo_buf_str(p->to, op->name);
    if (form == HLO_MLIR_FORM_MODULE) print_module(p, op);
    else if (form == HLO_MLIR_FORM_FUNCTION) print_function(p, op);
    else hlo_mlir_print_form(p, op);
}

static bool has_own_form(const hlo_mlir_op *op) {
    switch (hlo_mlir_form_of(op->name)) {
    case HLO_MLIR_FORM_GENERIC:
    case HLO_MLIR_FORM_MANUAL:
    case HLO_MLIR_FORM_UNKNOWN: return false;
    default: return true;
    }
}

void hlo_mlir_print_op(hlo_mlir_printer *p, const hlo_mlir_op *op, const char *dialect) {
    hlo_mlir_print_result_names(p->to, op);
    if (p->is_generic || !has_own_form(op)) print_generic(p, op);
    else print_own_form(p, op, dialect);
    hlo_mlir_print_place(p->places, op->location, true, p->to);
}

void hlo_mlir_print(hlo_mlir_module *module, bool is_generic, hlo_buf *to) {
    hlo_mlir_name_values(module, is_generic);
    hlo_mlir_printer p = {.tree = module,
                          .to = to,
                          .is_generic = is_generic,
                          .places = hlo_mlir_places_new(module, is_generic)};
    hlo_mlir_print_aliases(p.places, false, to);
    hlo_mlir_print_op(&p, module->root, "");
    hlo_buf_char(to, '\n');
    hlo_mlir_print_aliases(p.places, true, to);
    hlo_mlir_places_free(p.places);
}
