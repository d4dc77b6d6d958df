/* The forms of operations in text, by the words of their rows in ops.def and the productions of
 * grammar/mlir.y: what forms.c reads. */
#include <string.h>

#include "mlir/forms.h"
#include "mlir/print.h"

/* ---- attributes beside those that the form has ---- */

static bool is_default(const hlo_mlir_op *op, const hlo_mlir_named *attr) {
    static const struct {
        const char *op, *attr, *value;
    } rows[] = {
#define HLO_MLIR_DEFAULT(op, attr, value) {op, attr, value},
#include "mlir/printing.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!hlo_str_is(op->name, rows[i].op) || !hlo_str_is(attr->key, rows[i].attr)) continue;
        hlo_buf text = HLO_BUF_INIT;
        hlo_mlir_print_attr(&text, attr->value);
        bool same =
            text.len == strlen(rows[i].value) && memcmp(text.data, rows[i].value, text.len) == 0;
        hlo_buf_free(&text);
        return same;
    }
    return false;
}

/* The name of the attribute that a word stands for; empty: none. */
static hlo_str attr_of_word(hlo_str word) {
    const char *equals = word.len > 1 ? memchr(word.ptr, '=', word.len) : NULL;
    if (equals) return (hlo_str){equals + 1, (uint32_t)(word.ptr + word.len - equals) - 1, 0};
    return hlo_mlir_bare_attr(word);
}

static bool names_word(const char *words, hlo_str name) {
    while (*words)
        if (hlo_str_equal(hlo_mlir_next_word(&words), name)) return true;
    return false;
}

static bool is_in_words(const hlo_mlir_op *op, hlo_str key) {
    const char *words = hlo_mlir_ops[op->id].words;
    while (*words) {
        hlo_str name = attr_of_word(hlo_mlir_next_word(&words));
        const char *parts = name.len ? hlo_mlir_parts_of(name) : NULL;
        if (hlo_str_equal(name, key) || (parts && names_word(parts, key))) return true;
    }
    return false;
}

static bool leaves_out(const void *context, const hlo_mlir_named *attr) {
    const hlo_mlir_op *op = context;
    return is_in_words(op, attr->key) || is_default(op, attr);
}

static void print_others(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " ", leaves_out, op);
}

/* ---- types ---- */

static bool all_same_types(const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (hlo_mlir_operand(op, i)->type != op->results[0].type) return false;
    return true;
}

/* Whether both operands are the parts of the complex result. */
static bool are_parts(const hlo_mlir_op *op) {
    const hlo_mlir_type *whole = op->results[0].type;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_mlir_type *part = hlo_mlir_operand(op, i)->type;
        bool fits = part->kind == whole->kind && part->rank == whole->rank && !part->other &&
                    part->element == hlo_type_part(whole->element) &&
                    !part->bounds == !whole->bounds;
        size_t bytes = whole->rank * sizeof *whole->dims;
        if (!fits || (bytes && memcmp(part->dims, whole->dims, bytes) != 0)) return false;
        if (bytes && part->bounds && memcmp(part->bounds, whole->bounds, bytes) != 0) return false;
    }
    return hlo_type_is_complex(whole->element);
}

static bool is_plain_select(const hlo_mlir_op *op) {
    return op->operand_count == 3 && hlo_mlir_operand(op, 1)->type == op->results[0].type &&
           hlo_mlir_operand(op, 2)->type == op->results[0].type;
}

static void print_types(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    hlo_mlir_types types = hlo_mlir_ops[op->id].types;
    bool is_short = types == HLO_MLIR_TYPES_RESULT ||
                    (types == HLO_MLIR_TYPES_SAME && op->result_count && all_same_types(op)) ||
                    (types == HLO_MLIR_TYPES_COMPLEX && are_parts(op));
    if (types == HLO_MLIR_TYPES_STATE) return;
    if (types == HLO_MLIR_TYPES_NONE || types == HLO_MLIR_TYPES_OPERANDS) {
        if (!op->operand_count) return;
        hlo_buf_cstr(p->to, " : ");
        hlo_mlir_print_operand_types(p->to, op);
        return;
    }
    hlo_buf_cstr(p->to, " : ");
    if (is_short) {
        hlo_mlir_print_type(p->to, op->results[0].type);
    } else if (types == HLO_MLIR_TYPES_SELECT && is_plain_select(op)) {
        hlo_mlir_print_type(p->to, hlo_mlir_operand(op, 0)->type);
        hlo_buf_cstr(p->to, ", ");
        hlo_mlir_print_type(p->to, op->results[0].type);
    } else if (types == HLO_MLIR_TYPES_TO) {
        hlo_mlir_print_operand_types(p->to, op);
        hlo_buf_cstr(p->to, " to ");
        hlo_mlir_print_type(p->to, op->results[0].type);
    } else {
        hlo_mlir_print_function_type(p->to, op, types != HLO_MLIR_TYPES_ARROW);
    }
}

/* ---- words ---- */

typedef struct {
    hlo_mlir_printer *p;
    const hlo_mlir_op *op;
    const char *words;
    uint32_t operand; /* the next one */
    bool is_tight;    /* nothing stands before the next word, but for a mark that opens */
    bool has_others;  /* the other attributes are printed */
} writing;

static bool has_attr(const writing *w, hlo_str name) {
    if (!hlo_mlir_parts_of(name)) {
        for (uint32_t i = 0; i < w->op->attr_count; i++)
            if (hlo_str_equal(w->op->attrs[i].key, name))
                return !is_default(w->op, &w->op->attrs[i]);
        return false;
    }
    return hlo_mlir_has_part(w->op, name);
}

static const hlo_mlir_attr *attr_named(const hlo_mlir_op *op, hlo_str name) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (hlo_str_equal(op->attrs[i].key, name)) return op->attrs[i].value;
    return NULL;
}

static void blank(writing *w) {
    if (!w->is_tight) hlo_buf_char(w->p->to, ' ');
    w->is_tight = false;
}

/* What an operation lacks although its form has it is left out: only a wrong program has that. */
static void write_value(writing *w, hlo_str name) {
    const hlo_mlir_attr *attr = attr_named(w->op, name);
    if (!attr && hlo_mlir_parts_of(name)) hlo_mlir_print_part(w->p->to, w->op, name);
    else if (attr) hlo_mlir_print_stripped(w->p->to, attr);
}

static void write_bare(writing *w, hlo_str word) {
    hlo_str name = hlo_mlir_bare_attr(word);
    const hlo_mlir_attr *attr = attr_named(w->op, name);
    bool is_text = attr && (attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_SYMBOL);
    if (*word.ptr == '[') {
        bool is_list = attr && attr->kind == HLO_MLIR_LIST;
        if (!is_list) hlo_buf_char(w->p->to, '[');
        write_value(w, name);
        if (!is_list) hlo_buf_char(w->p->to, ']');
        return;
    }
    blank(w);
    if (*word.ptr == '@' && is_text) hlo_mlir_print_symbol(w->p->to, attr->u.text);
    else write_value(w, name);
}

static void write_keyed(writing *w, hlo_str word) {
    const char *equals = memchr(word.ptr, '=', word.len);
    blank(w);
    hlo_buf_bytes(w->p->to, word.ptr, (size_t)(equals - word.ptr));
    hlo_buf_cstr(w->p->to, " = ");
    write_value(w, attr_of_word(word));
}

static void write_operands(writing *w, uint32_t end) {
    if (end > w->op->operand_count) end = w->op->operand_count;
    if (w->operand >= end) return;
    blank(w);
    hlo_mlir_print_operands(w->p->to, w->op, w->operand, end);
    w->operand = end;
}

/* A comma and what closes stand without a blank before them, what opens with none after it. */
static void write_mark(writing *w, char mark) {
    if (mark == '=') blank(w);
    hlo_buf_char(w->p->to, mark);
    w->is_tight = mark == '(';
}

/* A group is written where the operation has its attribute, which its last word names. */
static bool has_group(const writing *w) {
    const char *words = w->words;
    for (hlo_str word = hlo_mlir_next_word(&words); word.len && !hlo_str_is(word, "]");
         word = hlo_mlir_next_word(&words)) {
        hlo_str name = attr_of_word(word);
        if (name.len) return has_attr(w, name);
    }
    return false;
}

static void skip_group(writing *w) {
    for (hlo_str word = hlo_mlir_next_word(&w->words); word.len && !hlo_str_is(word, "]");
         word = hlo_mlir_next_word(&w->words)) {
    }
}

static void write_word(writing *w, hlo_str word) {
    if (hlo_str_is(word, "]")) return;
    if (hlo_str_is(word, "v")) write_operands(w, w->operand + 1);
    else if (hlo_str_is(word, "v*")) write_operands(w, w->op->operand_count);
    else if (hlo_str_is(word, "{}")) print_others(w->p, w->op), w->has_others = true;
    else if (word.len == 1) write_mark(w, *word.ptr);
    else if (hlo_mlir_bare_attr(word).len) write_bare(w, word);
    else write_keyed(w, word);
}

static void print_words(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    writing w = {.p = p, .op = op, .words = hlo_mlir_ops[op->id].words};
    w.is_tight = false;
    for (hlo_str word = hlo_mlir_next_word(&w.words); word.len;
         word = hlo_mlir_next_word(&w.words)) {
        if (hlo_str_is(word, "[")) {
            if (!has_group(&w)) skip_group(&w);
            continue;
        }
        write_word(&w, word);
    }
    if (!w.has_others) print_others(p, op);
    if (op->id == HLO_MLIR_OP_STABLEHLO_OPTIMIZATION_BARRIER && !op->operand_count)
        hlo_buf_cstr(p->to, " ()");
    print_types(p, op);
}

/* ---- forms of single operations ---- */

static bool is_value(const void *context, const hlo_mlir_named *attr) {
    (void)context;
    return hlo_str_is(attr->key, "value");
}

static void print_constant(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const hlo_mlir_attr *value = hlo_mlir_attr_of(op, "value");
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " ", is_value, NULL);
    hlo_buf_char(p->to, ' ');
    if (value) hlo_mlir_print_attr(p->to, value);
}

static void print_while(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const hlo_mlir_block *body = op->regions[op->region_count - 1].first;
    hlo_buf_char(p->to, '(');
    for (uint32_t i = 0; i < op->operand_count; i++) {
        HLO_ASSERT(i < body->argument_count);
        if (i) hlo_buf_cstr(p->to, ", ");
        hlo_mlir_print_value(p->to, &body->arguments[i]);
        hlo_buf_cstr(p->to, " = ");
        hlo_mlir_print_value(p->to, hlo_mlir_operand(op, i));
    }
    hlo_buf_char(p->to, ')');
    if (op->operand_count) hlo_buf_cstr(p->to, " : ");
    hlo_mlir_print_operand_types(p->to, op);
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " attributes ", NULL, NULL);
    hlo_buf_printf(p->to, "\n%*scond ", (int)p->indent, "");
    for (uint32_t i = 0; i < op->region_count; i++) {
        if (i) hlo_buf_cstr(p->to, " do ");
        hlo_mlir_print_region(p, &op->regions[i], false, "");
    }
}

static bool is_commutative(hlo_mlir_op_id id) {
    switch (id) {
    case HLO_MLIR_OP_STABLEHLO_ADD:
    case HLO_MLIR_OP_STABLEHLO_AND:
    case HLO_MLIR_OP_STABLEHLO_MAXIMUM:
    case HLO_MLIR_OP_STABLEHLO_MINIMUM:
    case HLO_MLIR_OP_STABLEHLO_MULTIPLY:
    case HLO_MLIR_OP_STABLEHLO_OR:
    case HLO_MLIR_OP_STABLEHLO_XOR: return true;
    default: return false;
    }
}

const hlo_mlir_op *hlo_mlir_only_reducer(const hlo_mlir_op *reduce) {
    const hlo_mlir_block *block = reduce->region_count ? reduce->regions[0].first : NULL;
    const hlo_mlir_op *only = block ? block->first : NULL, *end = only ? only->next : NULL;
    if (!end || end->next || end->id != HLO_MLIR_OP_STABLEHLO_RETURN || block->next) return NULL;
    if (!is_commutative(only->id) || only->operand_count != 2 || !all_same_types(only)) return NULL;
    const hlo_mlir_type *of = reduce->operand_count ? hlo_mlir_operand(reduce, 0)->type : NULL;
    const hlo_mlir_type *type = only->results[0].type;
    if (!of || type->kind != HLO_MLIR_TENSOR || type->rank || type->element != of->element ||
        type->other != of->other || block->argument_count != 2)
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_mlir_operand(only, i) != &block->arguments[i]) return NULL;
    bool is_result = end->operand_count == 1 && hlo_mlir_operand(end, 0) == &only->results[0];
    return is_result ? only : NULL;
}

static bool is_dimensions(const void *context, const hlo_mlir_named *attr) {
    (void)context;
    return hlo_str_is(attr->key, "dimensions");
}

static void print_reducer(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const hlo_mlir_block *block = op->regions[0].first;
    uint32_t half = block->argument_count / 2;
    hlo_buf_printf(p->to, "\n%*s reducer", (int)p->indent, "");
    for (uint32_t i = 0; i < half; i++) {
        hlo_buf_char(p->to, '(');
        hlo_mlir_print_argument(p, &block->arguments[i], NULL);
        hlo_buf_cstr(p->to, ", ");
        hlo_mlir_print_argument(p, &block->arguments[half + i], NULL);
        hlo_buf_cstr(p->to, ") ");
    }
    hlo_buf_char(p->to, ' ');
    hlo_mlir_print_region(p, &op->regions[0], false, "");
}

static void print_reduce(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const hlo_mlir_op *only = hlo_mlir_only_reducer(op);
    const hlo_mlir_attr *dimensions = hlo_mlir_attr_of(op, "dimensions");
    uint32_t half = op->operand_count / 2;
    for (uint32_t i = 0; i < half; i++) {
        hlo_buf_cstr(p->to, i ? ", (" : "(");
        hlo_mlir_print_value(p->to, hlo_mlir_operand(op, i));
        hlo_buf_cstr(p->to, " init: ");
        hlo_mlir_print_value(p->to, hlo_mlir_operand(op, half + i));
        hlo_buf_char(p->to, ')');
    }
    if (only) {
        hlo_buf_cstr(p->to, " applies ");
        hlo_buf_str(p->to, only->name);
    }
    hlo_buf_cstr(p->to, " across dimensions = ");
    if (dimensions) hlo_mlir_print_stripped(p->to, dimensions);
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " ", is_dimensions, NULL);
    hlo_buf_cstr(p->to, " : ");
    hlo_mlir_print_function_type(p->to, op, true);
    if (!only) print_reducer(p, op);
}

static bool is_in_scan(const void *context, const hlo_mlir_named *attr) {
    (void)context;
    return hlo_str_is(attr->key, "dimension") || hlo_str_is(attr->key, "operandSegmentSizes") ||
           hlo_str_is(attr->key, "resultSegmentSizes");
}

static void print_scan(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    const hlo_mlir_attr *sizes = hlo_mlir_attr_of(op, "operandSegmentSizes");
    const hlo_mlir_attr *dimension = hlo_mlir_attr_of(op, "dimension");
    bool has_sizes = sizes && sizes->kind == HLO_MLIR_INTS && sizes->u.ints.n;
    uint32_t inputs = has_sizes ? (uint32_t)sizes->u.ints.v[0] : op->operand_count;
    if (inputs > op->operand_count) inputs = op->operand_count;
    hlo_buf_char(p->to, '(');
    hlo_mlir_print_operands(p->to, op, 0, inputs);
    hlo_buf_cstr(p->to, ") inits (");
    hlo_mlir_print_operands(p->to, op, inputs, op->operand_count);
    hlo_buf_cstr(p->to, ") dimension=");
    if (dimension) hlo_mlir_print_stripped(p->to, dimension);
    hlo_buf_char(p->to, ' ');
    hlo_mlir_print_attrs(p->to, op->attrs, op->attr_count, " attributes ", is_in_scan, NULL);
    hlo_buf_char(p->to, ' ');
    hlo_mlir_print_region(p, &op->regions[0], true, "");
    hlo_buf_cstr(p->to, " : ");
    hlo_mlir_print_function_type(p->to, op, true);
}

void hlo_mlir_print_form(hlo_mlir_printer *p, const hlo_mlir_op *op) {
    switch (hlo_mlir_form_of(op->name)) {
    case HLO_MLIR_FORM_CONSTANT: print_constant(p, op); return;
    case HLO_MLIR_FORM_WHILE: print_while(p, op); return;
    case HLO_MLIR_FORM_REDUCE: print_reduce(p, op); return;
    case HLO_MLIR_FORM_SCAN: print_scan(p, op); return;
    default: print_words(p, op); return;
    }
}
