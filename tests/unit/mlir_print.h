/* Prints a tree of MLIR in the form of all operations, which MLIR reads back: floats by their bits,
 * elements of constants by their bytes. */
#ifndef HLO_TESTS_MLIR_PRINT_H
#define HLO_TESTS_MLIR_PRINT_H

#include <stdio.h>
#include <stdlib.h>

#include "ir/float_types.h"
#include "mlir/mlir.h"

static size_t mlir_values;    /* that have a number so far */
static bool mlir_has_factors; /* inside of a rule for shardings, whose keys are names */

static void mlir_print_attr(FILE *to, const hlo_mlir_attr *attr);

static void mlir_print_str(FILE *to, hlo_str text) {
    fwrite(text.ptr, 1, text.len, to);
}

static void mlir_print_quoted(FILE *to, hlo_str text) {
    fputc('"', to);
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') fprintf(to, "\\%02X", c);
        else fputc(c, to);
    }
    fputc('"', to);
}

/* ---- locations ---- */

static void mlir_print_place(FILE *to, const hlo_mlir_location *at) {
    if (!at) {
        fprintf(to, "unknown");
        return;
    }
    switch (at->kind) {
    case HLO_MLIR_UNKNOWN_PLACE: fprintf(to, "unknown"); break;
    case HLO_MLIR_FILE_PLACE:
        mlir_print_quoted(to, at->name);
        fprintf(to, ":%u:%u", at->line, at->column);
        if (at->line != at->end_line) fprintf(to, " to %u:%u", at->end_line, at->end_column);
        else if (at->column != at->end_column) fprintf(to, " to :%u", at->end_column);
        break;
    case HLO_MLIR_NAMED_PLACE:
        mlir_print_quoted(to, at->name);
        if (!at->first) break;
        fputc('(', to);
        mlir_print_place(to, at->first);
        fputc(')', to);
        break;
    case HLO_MLIR_CALL_PLACE:
        fprintf(to, "callsite(");
        mlir_print_place(to, at->first);
        fprintf(to, " at ");
        mlir_print_place(to, at->caller);
        fputc(')', to);
        break;
    case HLO_MLIR_FUSED_PLACE:
        fprintf(to, "fused[");
        for (uint32_t i = 0; i < at->part_count; i++) {
            if (i) fprintf(to, ", ");
            mlir_print_place(to, at->parts[i]);
        }
        fputc(']', to);
        break;
    }
}

static void mlir_print_location(FILE *to, const hlo_mlir_location *at) {
    fprintf(to, " loc(");
    mlir_print_place(to, at);
    fputc(')', to);
}

/* ---- elements ---- */

static void mlir_print_bits(FILE *to, hlo_type type, const char *element) {
    hlo_type part = hlo_type_part(type);
    unsigned bytes = hlo_types[part].bytes;
    if (hlo_type_is_complex(type)) {
        fputc('(', to);
        mlir_print_bits(to, part, element);
        fprintf(to, ", ");
        mlir_print_bits(to, part, element + bytes);
        fputc(')', to);
        return;
    }
    uint64_t bits = hlo_element_bits(element, bytes);
    if (type == HLO_PRED) fprintf(to, bits ? "true" : "false");
    else if (hlo_type_is_float(type))
        fprintf(to, "0x%0*llX", (int)bytes * 2, (unsigned long long)bits);
    else if (hlo_types[type].class == HLO_CLASS_UNSIGNED)
        fprintf(to, "%llu", (unsigned long long)bits);
    else fprintf(to, "%lld", (long long)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
}

static const char *mlir_print_nested(FILE *to, const hlo_mlir_type *type, uint32_t dimension,
                                     hlo_type of, const char *data) {
    if (dimension == type->rank) {
        mlir_print_bits(to, of, data);
        return data + hlo_types[of].bytes;
    }
    fputc('[', to);
    for (int64_t i = 0; i < type->dims[dimension]; i++) {
        if (i) fprintf(to, ", ");
        data = mlir_print_nested(to, type, dimension + 1, of, data);
    }
    fputc(']', to);
    return data;
}

static void mlir_print_elements(FILE *to, const hlo_mlir_attr *attr) {
    const hlo_literal *literal = attr->literal;
    hlo_type of = (hlo_type)literal->shape->type;
    fprintf(to, "dense<");
    if (attr->is_splat) mlir_print_bits(to, of, literal->data);
    else if (literal->data) mlir_print_nested(to, attr->type, 0, of, literal->data);
    fprintf(to, "> : ");
    mlir_print_str(to, attr->type->text);
}

/* ---- attributes ---- */

static void mlir_print_float(FILE *to, const hlo_mlir_attr *attr) {
    if (!attr->type) {
        fprintf(to, "%.17e", attr->u.f);
        return;
    }
    hlo_type type = attr->type->element;
    unsigned bytes = hlo_types[type].bytes;
    fprintf(to, "0x%0*llX : ", (int)bytes * 2,
            (unsigned long long)hlo_float_encode(type, attr->u.f));
    mlir_print_str(to, attr->type->text);
}

/* START:LIMIT:STRIDE of a slice has no type. */
static void mlir_print_range(FILE *to, const hlo_mlir_attr *attr) {
    for (uint32_t i = 0; i < attr->u.ints.n; i++)
        fprintf(to, i ? ":%lld" : "%lld", (long long)attr->u.ints.v[i]);
}

static void mlir_print_array(FILE *to, const hlo_mlir_attr *attr) {
    hlo_str name = attr->type->text; /* tensor<2xi64> */
    const char *type =
        memchr(name.ptr, 'x', name.len) ? (char *)memchr(name.ptr, 'x', name.len) + 1 : name.ptr;
    bool is_bool = attr->type->element == HLO_PRED;
    uint32_t n = attr->kind == HLO_MLIR_INTS ? attr->u.ints.n : (uint32_t)attr->type->dims[0];
    fprintf(to, "array<%.*s", (int)(name.ptr + name.len - 1 - type), type);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(to, i ? ", " : ": ");
        if (attr->kind == HLO_MLIR_FLOATS)
            mlir_print_bits(to, attr->type->element,
                            (const char *)attr->literal->data +
                                i * (size_t)hlo_types[attr->type->element].bytes);
        else if (is_bool) fprintf(to, attr->u.ints.v[i] ? "true" : "false");
        else fprintf(to, "%lld", (long long)attr->u.ints.v[i]);
    }
    fputc('>', to);
}

/* A word after braces or before them belongs to its neighbour: {"x"}p1, max{"x"}, mesh<...>. So
 * does what follows the results of a rule for shardings. */
static bool mlir_is_joined(const hlo_mlir_named *left, const hlo_mlir_named *right) {
    bool is_word = right->value->kind == HLO_MLIR_WORD,
         after_word = left->value->kind == HLO_MLIR_WORD;
    char bracket = right->value->bracket;
    if (right->key.len)
        return right->value->bracket == '{' && !hlo_str_is(right->key, "replicated") &&
               !hlo_str_is(right->key, "unreduced") &&
               (left->value->bracket == '(' || left->value->bracket == '{');
    if (is_word && hlo_str_is(right->value->u.text, "->")) return true;
    if (is_word && right->value->u.text.len && *right->value->u.text.ptr == 'p' &&
        left->value->bracket == '{')
        return true;
    if (bracket == '{' && left->value->bracket == '(') return true;
    return after_word &&
           (bracket == '{' || bracket == '<' || hlo_str_is(left->value->u.text, "->"));
}

static void mlir_print_items(FILE *to, hlo_mlir_list list, bool are_attributes) {
    for (uint32_t i = 0; i < list.n; i++) {
        const hlo_mlir_named *named = &list.v[i];
        bool is_joined = i && !are_attributes && mlir_is_joined(&list.v[i - 1], named);
        if (i) fprintf(to, is_joined ? "" : ", ");
        if (is_joined && named->key.len) fputc(' ', to);
        if (named->key.len) {
            bool is_word = memchr(named->key.ptr, '_', named->key.len) || named->key.len > 3;
            if (*named->key.ptr == '?') fputc('?', to);
            else if (mlir_has_factors || (!are_attributes && is_word))
                mlir_print_str(to, named->key);
            else mlir_print_quoted(to, named->key);
            if (named->value->kind == HLO_MLIR_UNIT) continue;
            fprintf(to, "=");
        }
        mlir_print_attr(to, named->value);
    }
}

static char mlir_closing(char bracket) {
    switch (bracket) {
    case '(': return ')';
    case '<': return '>';
    case '{': return '}';
    default: return ']';
    }
}

static void mlir_print_list(FILE *to, const hlo_mlir_attr *attr) {
    if (attr->bracket == 'x') {
        for (uint32_t i = 0; i < attr->list.n; i++) {
            if (i) fprintf(to, i == 1 ? "x" : "->");
            mlir_print_attr(to, attr->list.v[i].value);
        }
        return;
    }
    fputc(attr->bracket ? attr->bracket : '[', to);
    mlir_print_items(to, attr->list, attr->kind == HLO_MLIR_DICT);
    fputc(mlir_closing(attr->bracket), to);
}

/* Enumerations and lists of one attribute have the name inside of the angles. */
static void mlir_print_struct(FILE *to, const hlo_mlir_attr *attr) {
    hlo_str name = attr->u.text;
    const char *dot = memchr(name.ptr, '.', name.len);
    const hlo_mlir_attr *only =
        attr->list.n == 1 && !attr->list.v[0].key.len ? attr->list.v[0].value : NULL;
    bool is_word = only && only->kind == HLO_MLIR_WORD && !hlo_str_is(only->u.text, "?") &&
                   !hlo_str_is(name, "stablehlo.result_accuracy_mode");
    bool is_inside = is_word || hlo_str_is(name, "sdy.manual_axes") ||
                     hlo_str_is(name, "sdy.axis_ref_list") ||
                     hlo_str_is(name, "sdy.list_of_axis_ref_lists");
    if (hlo_str_is(name, "sdy.axis_ref") && attr->list.n == 3) {
        mlir_print_attr(to, attr->list.v[0].value);
        fprintf(to, ":(%lld)%lld", (long long)attr->list.v[1].value->u.i,
                (long long)attr->list.v[2].value->u.i);
        return;
    }
    if (hlo_str_is(name, "stablehlo.sub_axis_info") && attr->list.n == 2) {
        fprintf(to, "(%lld)%lld", (long long)attr->list.v[0].value->u.i,
                (long long)attr->list.v[1].value->u.i);
        return;
    }
    if (is_inside && dot) {
        fprintf(to, "#%.*s<%.*s ", (int)(dot - name.ptr), name.ptr,
                (int)(name.ptr + name.len - dot - 1), dot + 1);
    } else {
        fprintf(to, "#%.*s<", (int)name.len, name.ptr);
    }
    mlir_has_factors = hlo_str_is(name, "sdy.op_sharding_rule");
    mlir_print_items(to, attr->list, false);
    mlir_has_factors = false;
    fputc('>', to);
}

static void mlir_print_symbol(FILE *to, hlo_str text) {
    for (uint32_t from = 0; from <= text.len;) {
        uint32_t end = from;
        while (end < text.len &&
               !(text.ptr[end] == ':' && end + 1 < text.len && text.ptr[end + 1] == ':'))
            end++;
        fprintf(to, from ? "::@" : "@");
        mlir_print_quoted(to, (hlo_str){text.ptr + from, end - from, 0});
        if (end == text.len) break;
        from = end + 2;
    }
}

static void mlir_print_attr(FILE *to, const hlo_mlir_attr *attr) {
    switch (attr->kind) {
    case HLO_MLIR_UNIT: fprintf(to, "unit"); break;
    case HLO_MLIR_BOOL: fprintf(to, attr->u.i ? "true" : "false"); break;
    case HLO_MLIR_INT: {
        bool is_unsigned = attr->type && attr->type->kind == HLO_MLIR_SCALAR &&
                           hlo_types[attr->type->element].class == HLO_CLASS_UNSIGNED;
        fprintf(to, is_unsigned ? "%llu" : "%lld", (long long)attr->u.i);
        if (!attr->type) break;
        fprintf(to, " : ");
        mlir_print_str(to, attr->type->text);
        break;
    }
    case HLO_MLIR_FLOAT: mlir_print_float(to, attr); break;
    case HLO_MLIR_STRING: mlir_print_quoted(to, attr->u.text); break;
    case HLO_MLIR_WORD: mlir_print_str(to, attr->u.text); break;
    case HLO_MLIR_SYMBOL: mlir_print_symbol(to, attr->u.text); break;
    case HLO_MLIR_TYPE: mlir_print_str(to, attr->type->text); break;
    case HLO_MLIR_LIST:
    case HLO_MLIR_DICT: mlir_print_list(to, attr); break;
    case HLO_MLIR_STRUCT: mlir_print_struct(to, attr); break;
    case HLO_MLIR_INTS:
        if (!attr->type) {
            mlir_print_range(to, attr);
            break;
        }
        mlir_print_array(to, attr);
        break;
    case HLO_MLIR_FLOATS: mlir_print_array(to, attr); break;
    case HLO_MLIR_DENSE: mlir_print_elements(to, attr); break;
    case HLO_MLIR_RESOURCE:
        if (attr->literal) {
            mlir_print_elements(to, attr);
            break;
        }
        fprintf(to, "dense_resource<%.*s> : ", (int)attr->u.text.len, attr->u.text.ptr);
        mlir_print_str(to, attr->type->text);
        break;
    case HLO_MLIR_LOCATION: mlir_print_location(to, attr->u.location); break;
    case HLO_MLIR_MAP:
        fprintf(to, "affine_map<");
        mlir_print_str(to, attr->u.text);
        fputc('>', to);
        break;
    }
}

/* ---- operations ---- */

static void mlir_print_value(FILE *to, hlo_mlir_value *value) {
    if (!value->made) value->made = (void *)(uintptr_t)++mlir_values;
    fprintf(to, "%%v%zu", (size_t)(uintptr_t)value->made);
}

static void mlir_print_op(FILE *to, const hlo_mlir_op *op);

static void mlir_print_region(FILE *to, const hlo_mlir_region *region) {
    unsigned n = 0;
    fprintf(to, "{\n");
    for (const hlo_mlir_block *block = region->first; block; block = block->next) {
        fprintf(to, "^bb%u", n++);
        for (uint32_t i = 0; i < block->argument_count; i++) {
            fprintf(to, i ? ", " : "(");
            mlir_print_value(to, &block->arguments[i]);
            fprintf(to, ": ");
            mlir_print_str(to, block->arguments[i].type->text);
            mlir_print_location(to, block->arguments[i].location);
        }
        fprintf(to, block->argument_count ? "):\n" : ":\n");
        for (const hlo_mlir_op *op = block->first; op; op = op->next) mlir_print_op(to, op);
    }
    fputc('}', to);
}

static void mlir_print_types(FILE *to, const hlo_mlir_op *op) {
    fprintf(to, " : (");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) fprintf(to, ", ");
        mlir_print_str(to, hlo_mlir_operand(op, i)->type->text);
    }
    fprintf(to, ") -> (");
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) fprintf(to, ", ");
        mlir_print_str(to, op->results[i].type->text);
    }
    fputc(')', to);
}

static int mlir_by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_mlir_named *)a)->key, ((const hlo_mlir_named *)b)->key);
}

/* Attributes by name: files of different versions have them in different orders. */
static void mlir_print_op(FILE *to, const hlo_mlir_op *op) {
    if (op->attr_count) qsort(op->attrs, op->attr_count, sizeof *op->attrs, mlir_by_key);
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) fprintf(to, ", ");
        mlir_print_value(to, &op->results[i]);
    }
    if (op->result_count) fprintf(to, " = ");
    mlir_print_quoted(to, op->name);
    fputc('(', to);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) fprintf(to, ", ");
        mlir_print_value(to, hlo_mlir_operand(op, i));
    }
    fputc(')', to);
    for (uint32_t i = 0; i < op->region_count; i++) {
        fprintf(to, i ? ", " : " (");
        mlir_print_region(to, &op->regions[i]);
    }
    if (op->region_count) fputc(')', to);
    if (op->attr_count) fprintf(to, " {");
    mlir_print_items(to, (hlo_mlir_list){op->attr_count, op->attrs}, true);
    if (op->attr_count) fputc('}', to);
    mlir_print_types(to, op);
    mlir_print_location(to, op->location);
    fputc('\n', to);
}

#endif
