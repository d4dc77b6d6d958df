/* Prints a program in MLIR's text, in the form that all operations have, for tests: expansion_dump
 * [--expand] [--refine=SHAPES] FILE. What it reads may be text or bytecode; attributes are printed
 * as the generic form has them. */
#include "ir/float_types.h"
#include "mlir/mlir.h"
#include "stablehlo/expand.h"
#include "stablehlo/refine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static hlo_buf out = {.fd = -1};
static bool with_locations;

static void print_attr(const hlo_mlir_attr *attr);
static void print_regions(const hlo_mlir_op *op, int depth);

static void text(const char *s) {
    hlo_buf_cstr(&out, s);
}

static void str(hlo_str s) {
    hlo_buf_bytes(&out, s.ptr, s.len);
}

/* ---- attributes ---- */

static void print_quoted(hlo_str s) {
    text("\"");
    for (uint32_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < 32 || c > 126 || c == '"' || c == '\\') hlo_buf_printf(&out, "\\%02X", c);
        else hlo_buf_char(&out, (char)c);
    }
    text("\"");
}

/* Floats by their bits, so that nothing is lost. */
static void print_part(hlo_type type, const char *at) {
    uint64_t bits = hlo_element_bits(at, hlo_types[type].bytes);
    unsigned width = hlo_types[type].bits;
    if (width < 64) bits &= (UINT64_C(1) << width) - 1;
    if (hlo_type_is_float(type)) {
        hlo_buf_printf(&out, "0x%0*" PRIX64, (int)((width + 3) / 4), bits);
    } else if (type == HLO_PRED) {
        text(bits ? "true" : "false");
    } else if (hlo_types[type].class == HLO_CLASS_SIGNED) {
        int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
        hlo_buf_printf(&out, "%" PRId64, value);
    } else {
        hlo_buf_printf(&out, "%" PRIu64, bits);
    }
}

static void print_element(hlo_type type, const char *at) {
    if (!hlo_type_is_complex(type)) {
        print_part(type, at);
        return;
    }
    text("(");
    print_part(hlo_type_part(type), at);
    text(",");
    print_part(hlo_type_part(type), at + hlo_types[type].bytes / 2);
    text(")");
}

static const char *print_elements(hlo_type type, const int64_t *dims, uint32_t rank,
                                  const char *at) {
    if (!rank) {
        print_element(type, at);
        return at + hlo_types[type].bytes;
    }
    text("[");
    for (int64_t i = 0; i < *dims; i++) {
        if (i) text(", ");
        at = print_elements(type, dims + 1, rank - 1, at);
    }
    text("]");
    return at;
}

static void print_dense(const hlo_mlir_attr *attr) {
    const hlo_shape *shape = attr->literal->shape;
    const char *data = hlo_literal_data(attr->literal);
    text("dense<");
    if (data) print_elements((hlo_type)shape->type, shape->dims, shape->rank, data);
    text("> : ");
    hlo_mlir_print_type(&out, attr->type);
}

static void print_list(const hlo_mlir_attr *attr, const char *equals) {
    for (uint32_t i = 0; i < attr->list.n; i++) {
        if (i) text(", ");
        if (attr->list.v[i].key.len) {
            str(attr->list.v[i].key);
            text(equals);
        }
        print_attr(attr->list.v[i].value);
    }
}

/* Within #dialect.name<...> lists of numbers have no types. */
static bool is_in_struct;

static void print_struct(const hlo_mlir_attr *attr) {
    bool outer = is_in_struct, is_word = attr->list.n == 1 && !attr->list.v[0].key.len &&
                                         attr->list.v[0].value->kind == HLO_MLIR_WORD;
    const char *dot = memchr(attr->u.text.ptr, '.', attr->u.text.len);
    is_in_struct = true;
    text("#");
    if (is_word && dot) { /* #stablehlo<comparison_direction LT> */
        hlo_buf_bytes(&out, attr->u.text.ptr, (size_t)(dot - attr->u.text.ptr));
        text("<");
        hlo_buf_bytes(&out, dot + 1, attr->u.text.len - (size_t)(dot + 1 - attr->u.text.ptr));
        text(" ");
    } else {
        str(attr->u.text);
        text("<");
    }
    print_list(attr, " = ");
    text(">");
    is_in_struct = outer;
}

static void print_numbers(const hlo_mlir_attr *attr) {
    hlo_type type = attr->type ? attr->type->element : HLO_S64;
    text("array<");
    hlo_mlir_print_type(&out, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
    if (attr->kind == HLO_MLIR_FLOATS) {
        int64_t n = hlo_shape_elements(attr->literal->shape);
        const char *data = hlo_literal_data(attr->literal);
        for (int64_t i = 0; i < n; i++) {
            text(i ? ", " : ": ");
            print_part(type, data + (size_t)i * hlo_types[type].bytes);
        }
    } else {
        for (uint32_t i = 0; i < attr->u.ints.n; i++) {
            text(i ? ", " : ": ");
            if (type == HLO_PRED) text(attr->u.ints.v[i] ? "true" : "false");
            else hlo_buf_printf(&out, "%" PRId64, attr->u.ints.v[i]);
        }
    }
    text(">");
}

static void print_float(const hlo_mlir_attr *attr) {
    hlo_type type = attr->type ? attr->type->element : HLO_F64;
    if (is_in_struct) {
        hlo_buf_printf(&out, "%.17e", attr->u.f);
        return;
    }
    uint64_t bits = hlo_float_encode(type, attr->u.f);
    hlo_buf_printf(&out, "0x%0*" PRIX64 " : ", hlo_types[type].bits / 4, bits);
    hlo_mlir_print_type(&out, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
}

static void print_attr(const hlo_mlir_attr *attr) {
    switch (attr->kind) {
    case HLO_MLIR_UNIT: text("unit"); break;
    case HLO_MLIR_BOOL: text(attr->u.i ? "true" : "false"); break;
    case HLO_MLIR_INT:
        hlo_buf_printf(&out, "%" PRId64, attr->u.i);
        if (is_in_struct) break;
        text(" : ");
        if (attr->type) hlo_mlir_print_type(&out, attr->type);
        else text("i64");
        break;
    case HLO_MLIR_FLOAT: print_float(attr); break;
    case HLO_MLIR_STRING: print_quoted(attr->u.text); break;
    case HLO_MLIR_WORD: str(attr->u.text); break;
    case HLO_MLIR_SYMBOL:
        text("@");
        str(attr->u.text);
        break;
    case HLO_MLIR_TYPE: hlo_mlir_print_type(&out, attr->type); break;
    case HLO_MLIR_LIST:
        hlo_buf_char(&out, attr->bracket);
        print_list(attr, " = ");
        hlo_buf_char(&out, attr->bracket == '[' ? ']' : attr->bracket == '(' ? ')' : '>');
        break;
    case HLO_MLIR_DICT:
        text("{");
        print_list(attr, " = ");
        text("}");
        break;
    case HLO_MLIR_STRUCT: print_struct(attr); break;
    case HLO_MLIR_INTS:
    case HLO_MLIR_FLOATS: print_numbers(attr); break;
    case HLO_MLIR_DENSE: print_dense(attr); break;
    case HLO_MLIR_RESOURCE:
        text("dense_resource<");
        str(attr->u.text);
        text("> : ");
        hlo_mlir_print_type(&out, attr->type);
        break;
    case HLO_MLIR_LOCATION: text("loc(unknown)"); break;
    case HLO_MLIR_MAP: str(attr->u.text); break;
    }
}

/* ---- locations ---- */

static void print_location(const hlo_mlir_location *location);

static void print_place(const hlo_mlir_location *location) {
    if (!location) {
        text("unknown");
        return;
    }
    switch (location->kind) {
    case HLO_MLIR_UNKNOWN_PLACE: text("unknown"); break;
    case HLO_MLIR_FILE_PLACE:
        print_quoted(location->name);
        hlo_buf_printf(&out, ":%u:%u to %u:%u", location->line, location->column,
                       location->end_line, location->end_column);
        break;
    case HLO_MLIR_NAMED_PLACE:
        print_quoted(location->name);
        if (location->first) print_location(location->first);
        break;
    case HLO_MLIR_CALL_PLACE:
        text("callsite(");
        print_place(location->first);
        text(" at ");
        print_place(location->caller);
        text(")");
        break;
    case HLO_MLIR_FUSED_PLACE:
        text("fused[");
        for (uint32_t i = 0; i < location->part_count; i++) {
            if (i) text(", ");
            print_place(location->parts[i]);
        }
        text("]");
        break;
    }
}

static void print_location(const hlo_mlir_location *location) {
    text("(");
    print_place(location);
    text(")");
}

static void end_with_location(const hlo_mlir_location *location) {
    if (!with_locations) return;
    text(" loc");
    print_location(location);
}

/* ---- operations ---- */

/* Values are numbered as they are defined; the number is in `made`. */
static uintptr_t value_count;
static HLO_LIST(const hlo_mlir_value *) values;
static HLO_LIST(const hlo_mlir_op *) ops;

static void number(hlo_mlir_value *value) {
    value->made = (void *)++value_count; /* NOLINT */
    hlo_list_push(&values, value);
}

static void print_value(const hlo_mlir_value *value) {
    hlo_buf_printf(&out, "%%%u", (unsigned)((uintptr_t)value->made - 1));
}

static void indent(int depth) {
    for (int i = 0; i < depth; i++) text("  ");
}

static void print_types(const hlo_mlir_op *op) {
    text(" : (");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) text(", ");
        hlo_mlir_print_type(&out, hlo_mlir_operand(op, i)->type);
    }
    text(") -> (");
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) text(", ");
        hlo_mlir_print_type(&out, op->results[i].type);
    }
    text(")");
}

static void print_op(const hlo_mlir_op *op, int depth) {
    hlo_list_push(&ops, op);
    indent(depth);
    for (uint32_t i = 0; i < op->result_count; i++) {
        number(&op->results[i]);
        text(i ? ", " : "");
        print_value(&op->results[i]);
    }
    if (op->result_count) text(" = ");
    print_quoted(op->name);
    text("(");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) text(", ");
        print_value(hlo_mlir_operand(op, i));
    }
    text(")");
    if (op->region_count) print_regions(op, depth);
    if (op->attr_count) text(" {");
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (i) text(", ");
        if (memchr(op->attrs[i].key.ptr, '-', op->attrs[i].key.len)) print_quoted(op->attrs[i].key);
        else str(op->attrs[i].key);
        text(" = ");
        print_attr(op->attrs[i].value);
    }
    if (op->attr_count) text("}");
    print_types(op);
    end_with_location(op->location);
    text("\n");
}

static void print_block(const hlo_mlir_block *block, int depth) {
    if (block->argument_count) {
        indent(depth);
        text("^bb0(");
        for (uint32_t i = 0; i < block->argument_count; i++) {
            number(&block->arguments[i]);
            text(i ? ", " : "");
            print_value(&block->arguments[i]);
            text(": ");
            hlo_mlir_print_type(&out, block->arguments[i].type);
            end_with_location(block->arguments[i].location);
        }
        text("):\n");
    }
    for (const hlo_mlir_op *op = block->first; op; op = op->next) print_op(op, depth + 1);
}

static void print_regions(const hlo_mlir_op *op, int depth) {
    text(" (");
    for (uint32_t i = 0; i < op->region_count; i++) {
        text(i ? ", {\n" : "{\n");
        for (const hlo_mlir_block *b = op->regions[i].first; b; b = b->next) print_block(b, depth);
        indent(depth);
        text("}");
    }
    text(")");
}

static int by_address(const void *a, const void *b) {
    const hlo_mlir_op *x = *(const hlo_mlir_op *const *)a, *y = *(const hlo_mlir_op *const *)b;
    return x < y ? -1 : x > y;
}

/* A line for each value with its users, the newest first: their numbers, and those of operands. */
static void print_uses(void) {
    typedef struct {
        const hlo_mlir_op *op;
        uint32_t number;
    } numbered;
    numbered *sorted = hlo_malloc((ops.n + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < ops.n; i++) sorted[i] = (numbered){ops.v[i], i};
    qsort(sorted, ops.n, sizeof *sorted, by_address);
    for (uint32_t i = 0; i < values.n; i++) {
        text("//");
        for (const hlo_mlir_use *use = values.v[i]->first_use; use; use = use->next) {
            const hlo_mlir_op *user = use->user;
            const numbered *found = bsearch(&user, sorted, ops.n, sizeof *sorted, by_address);
            hlo_buf_printf(&out, " %u.%u", found ? found->number : UINT32_MAX,
                           (unsigned)(use - user->operands));
        }
        text("\n");
    }
    hlo_free(sorted);
}

int main(int argc, char **argv) {
    bool is_expanded = false, with_uses = false;
    hlo_diags diags;
    hlo_mlir_module *module = NULL;
    const char *shapes = NULL;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--expand") == 0) is_expanded = true;
        else if (strcmp(argv[at], "--locations") == 0) with_locations = true;
        else if (strcmp(argv[at], "--uses") == 0) with_uses = true;
        else if (strncmp(argv[at], "--refine=", 9) == 0) shapes = argv[at] + 9;
    }
    if (at + 1 != argc) return 2;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_open(argv[at]);
    if (!source) return 2;
    bool ok = hlo_mlir_parse(source, &diags, &module) == HLO_OK &&
              (!shapes || hlo_stablehlo_refine(module, shapes, false, &diags) == HLO_OK) &&
              (!is_expanded || hlo_stablehlo_expand(module, &diags));
    if (ok) print_op(module->root, 0);
    if (ok && with_uses) print_uses();
    if (out.len) fwrite(out.data, 1, out.len, stdout);
    hlo_diags_render(&diags, stderr, false);
    hlo_buf_free(&out);
    hlo_list_free(&ops);
    hlo_list_free(&values);
    hlo_mlir_free(module);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return ok ? 0 : 1;
}
