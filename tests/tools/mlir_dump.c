/* mlir_dump [--prepare] FILE: what the library reads of MLIR text or bytecode, in the generic form,
 * without places; attributes are sorted by name. With --prepare after the passes that XLA runs
 * before it makes HLO. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mlir/mlir.h"
#include "stablehlo/prepare.h"

typedef struct {
    hlo_buf text;
    uint32_t values, blocks;
    struct {
        const hlo_mlir_value **v;
        uint32_t n, capacity;
    } named;
    hlo_hash numbers;
} dump;

static uint32_t number_of(dump *d, const hlo_mlir_value *value) {
    hlo_hash_each (number, &d->numbers, hlo_hash_pointer(value, 0))
        if (d->named.v[number - 1] == value) return number - 1;
    hlo_list_push(&d->named, value);
    hlo_hash_add(&d->numbers, hlo_hash_pointer(value, 0), d->named.n);
    return d->named.n - 1;
}

static void put_type(dump *d, const hlo_mlir_type *type) {
    if (type) hlo_mlir_print_type(&d->text, type);
    else hlo_buf_cstr(&d->text, "?");
}

static void put_str(dump *d, hlo_str text) {
    hlo_buf_bytes(&d->text, text.ptr, text.len);
}

static void put_attr(dump *d, const hlo_mlir_attr *attr);

static int by_key(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_mlir_named *)a)->key, ((const hlo_mlir_named *)b)->key);
}

/* Lists with keys are sorted. */
static void put_list(dump *d, uint32_t n, const hlo_mlir_named *v) {
    hlo_mlir_named *sorted = malloc((n + 1) * sizeof *sorted);
    memcpy(sorted, v, n * sizeof *sorted);
    if (n && sorted[0].key.len) qsort(sorted, n, sizeof *sorted, by_key);
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_cstr(&d->text, ", ");
        if (sorted[i].key.len) {
            put_str(d, sorted[i].key);
            hlo_buf_cstr(&d->text, " = ");
        }
        put_attr(d, sorted[i].value);
    }
    free(sorted);
}

static void put_literal(dump *d, const hlo_literal *literal) {
    hlo_type type = (hlo_type)literal->shape->type;
    const unsigned char *data = hlo_literal_data(literal);
    int64_t n = 1;
    for (uint32_t i = 0; i < literal->shape->rank; i++) n *= literal->shape->dims[i];
    for (int64_t i = 0; i < n; i++) {
        if (i) hlo_buf_char(&d->text, ' ');
        for (unsigned k = hlo_types[type].bytes; k-- > 0;)
            hlo_buf_printf(&d->text, "%02x", data[(size_t)i * hlo_types[type].bytes + k]);
    }
}

/* dense<...> of i64 and what a text has in other brackets are the same numbers. */
static void put_attr(dump *d, const hlo_mlir_attr *attr) {
    hlo_buf *to = &d->text;
    if (!attr) {
        hlo_buf_cstr(to, "unit");
        return;
    }
    switch (attr->kind) {
    case HLO_MLIR_UNIT: hlo_buf_cstr(to, "unit"); return;
    case HLO_MLIR_BOOL: hlo_buf_cstr(to, attr->u.i ? "true" : "false"); return;
    case HLO_MLIR_INT:
        hlo_buf_printf(to, "%" PRId64 " : ", attr->u.i);
        put_type(d, attr->type);
        return;
    case HLO_MLIR_FLOAT: hlo_buf_printf(to, "%a", attr->u.f); return;
    case HLO_MLIR_STRING:
        hlo_buf_char(to, '"');
        put_str(d, attr->u.text);
        hlo_buf_char(to, '"');
        return;
    case HLO_MLIR_SYMBOL:
        hlo_buf_char(to, '@');
        put_str(d, attr->u.text);
        return;
    case HLO_MLIR_WORD:
    case HLO_MLIR_MAP: put_str(d, attr->u.text); return;
    case HLO_MLIR_TYPE: put_type(d, attr->type); return;
    case HLO_MLIR_LIST:
    case HLO_MLIR_DICT:
        hlo_buf_char(to, attr->kind == HLO_MLIR_LIST ? '[' : '{');
        put_list(d, attr->list.n, attr->list.v);
        hlo_buf_char(to, attr->kind == HLO_MLIR_LIST ? ']' : '}');
        return;
    case HLO_MLIR_STRUCT:
        hlo_buf_char(to, '#');
        put_str(d, attr->u.text);
        hlo_buf_char(to, '<');
        put_list(d, attr->list.n, attr->list.v);
        hlo_buf_char(to, '>');
        return;
    case HLO_MLIR_INTS:
        hlo_buf_char(to, '[');
        for (uint32_t i = 0; i < attr->u.ints.n; i++)
            hlo_buf_printf(to, "%s%" PRId64, i ? ", " : "", attr->u.ints.v[i]);
        hlo_buf_char(to, ']');
        return;
    case HLO_MLIR_FLOATS:
    case HLO_MLIR_DENSE:
        hlo_buf_cstr(to, attr->is_splat ? "splat<" : "dense<");
        if (attr->literal) put_literal(d, attr->literal);
        hlo_buf_cstr(to, "> : ");
        put_type(d, attr->type);
        return;
    case HLO_MLIR_RESOURCE:
        hlo_buf_cstr(to, "resource<");
        put_str(d, attr->u.text);
        hlo_buf_cstr(to, "> : ");
        put_type(d, attr->type);
        return;
    case HLO_MLIR_LOCATION: hlo_buf_cstr(to, "loc"); return;
    }
}

static void put_op(dump *d, const hlo_mlir_op *op, uint32_t indent);

static void put_region(dump *d, const hlo_mlir_region *region, uint32_t indent) {
    hlo_buf_cstr(&d->text, "{\n");
    for (const hlo_mlir_block *block = region->first; block; block = block->next) {
        if (block->argument_count || block != region->first) {
            hlo_buf_printf(&d->text, "%*s^(", (int)indent, "");
            for (uint32_t i = 0; i < block->argument_count; i++) {
                hlo_buf_printf(&d->text, "%s%%%u: ", i ? ", " : "",
                               number_of(d, &block->arguments[i]));
                put_type(d, block->arguments[i].type);
            }
            hlo_buf_cstr(&d->text, "):\n");
        }
        for (const hlo_mlir_op *op = block->first; op; op = op->next) put_op(d, op, indent + 2);
    }
    hlo_buf_printf(&d->text, "%*s}", (int)indent, "");
}

static void put_op(dump *d, const hlo_mlir_op *op, uint32_t indent) {
    hlo_buf_printf(&d->text, "%*s", (int)indent, "");
    for (uint32_t i = 0; i < op->result_count; i++)
        hlo_buf_printf(&d->text, "%s%%%u%s", i ? ", " : "", number_of(d, &op->results[i]),
                       i + 1 == op->result_count ? " = " : "");
    put_str(d, op->name);
    hlo_buf_char(&d->text, '(');
    for (uint32_t i = 0; i < op->operand_count; i++)
        hlo_buf_printf(&d->text, "%s%%%u", i ? ", " : "", number_of(d, hlo_mlir_operand(op, i)));
    hlo_buf_cstr(&d->text, ") {");
    put_list(d, op->attr_count, op->attrs);
    hlo_buf_char(&d->text, '}');
    for (uint32_t i = 0; i < op->region_count; i++) {
        hlo_buf_char(&d->text, ' ');
        put_region(d, &op->regions[i], indent);
    }
    hlo_buf_cstr(&d->text, " : (");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) hlo_buf_cstr(&d->text, ", ");
        put_type(d, hlo_mlir_operand(op, i)->type);
    }
    hlo_buf_cstr(&d->text, ") -> (");
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) hlo_buf_cstr(&d->text, ", ");
        put_type(d, op->results[i].type);
    }
    hlo_buf_cstr(&d->text, ")\n");
}

int main(int argc, char **argv) {
    int at = 1, status = 0;
    bool prepares = argc > 1 && strcmp(argv[1], "--prepare") == 0;
    at += prepares;
    if (argc != at + 1) return fprintf(stderr, "usage: mlir_dump [--prepare] FILE\n"), 2;
    hlo_source *source = hlo_source_open(argv[at]);
    if (!source) return perror(argv[at]), 2;
    hlo_diags diags;
    hlo_mlir_module *module;
    hlo_diags_init(&diags);
    if (hlo_mlir_parse(source, &diags, &module)) {
        hlo_diags_render(&diags, stderr, false);
        status = 1;
    } else {
        dump d = {.text = HLO_BUF_INIT};
        if (prepares) hlo_stablehlo_prepare(module);
        else hlo_stablehlo_normalise(module);
        put_op(&d, module->root, 0);
        fwrite(d.text.data, 1, d.text.len, stdout);
        hlo_buf_free(&d.text);
        hlo_list_free(&d.named);
        hlo_hash_free(&d.numbers);
        hlo_mlir_free(module);
    }
    hlo_diags_clear(&diags);
    hlo_source_release(source);
    return status;
}
