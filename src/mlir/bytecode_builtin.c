/* Attributes, locations and types of MLIR itself in bytecode. */
#include <stdio.h>

#include "mlir/bytecode.h"

/* ---- attributes ---- */

static bool typed_string(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    return hlo_bc_read_string(in, out) && hlo_bc_type(in, &type);
}

/* The names of a symbol are strings, and symbols inside it. */
static bool symbol(hlo_bc_in *in, bool is_nested, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *root, *part;
    uint32_t n = 0;
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &root) || (is_nested && !hlo_bc_count(in, &n)))
        return false;
    *out = hlo_bc_text_attr(in->r, HLO_MLIR_SYMBOL, root->u.text);
    if (!n) return true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_str(&text, root->u.text);
    bool good = true;
    for (uint32_t i = 0; good && i < n; i++) {
        good =
            hlo_bc_attr_of(in, HLO_MLIR_SYMBOL, &part) && hlo_bc_charge(in, part->u.text.len / 16);
        if (!good) break;
        hlo_buf_lit(&text, "::");
        hlo_buf_str(&text, part->u.text);
    }
    if (good)
        *out = hlo_bc_text_attr(
            in->r, HLO_MLIR_SYMBOL,
            (hlo_str){hlo_arena_copy(in->r->arena, text.data, text.len), (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return good;
}

static bool resource(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    return hlo_bc_type(in, &type) && hlo_bc_resource_of(in, type, out);
}

static bool array(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    return hlo_bc_type(in, &type) && hlo_bc_array(in, type, out);
}

/* ---- affine maps: those whose results are dimensions, symbols and numbers ---- */

static bool map_result(hlo_bc_in *in, hlo_buf *to) {
    enum { DIMENSION, SYMBOL, CONSTANT };
    uint64_t kind, position;
    int64_t value;
    if (!hlo_bc_varint(in, &kind)) return false;
    if (kind > CONSTANT)
        return hlo_bc_bad(in, "an affine map that computes, which is not supported");
    if (kind == CONSTANT) {
        if (!hlo_bc_signed(in, &value)) return false;
        hlo_buf_int(to, value);
        return true;
    }
    if (!hlo_bc_varint(in, &position)) return false;
    hlo_buf_char(to, kind == DIMENSION ? 'd' : 's');
    hlo_buf_uint(to, position);
    return true;
}

static void map_inputs(hlo_buf *to, char letter, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        hlo_buf_printf(to, "%s%c%llu", i ? ", " : "", letter, (unsigned long long)i);
}

static bool map_text(hlo_bc_in *in, hlo_buf *to) {
    enum { MOST_INPUTS = 1000 };
    uint64_t dims, symbols;
    uint32_t results;
    if (!hlo_bc_varint(in, &dims) || !hlo_bc_varint(in, &symbols) || !hlo_bc_count(in, &results))
        return false;
    if (dims > MOST_INPUTS || symbols > MOST_INPUTS)
        return hlo_bc_bad(in, "an affine map of more than %d inputs", MOST_INPUTS);
    hlo_buf_char(to, '(');
    map_inputs(to, 'd', dims);
    hlo_buf_char(to, ')');
    if (symbols) hlo_buf_char(to, '[');
    map_inputs(to, 's', symbols);
    if (symbols) hlo_buf_char(to, ']');
    hlo_buf_lit(to, " -> (");
    for (uint32_t i = 0; i < results; i++) {
        if (i) hlo_buf_lit(to, ", ");
        if (!map_result(in, to)) return false;
    }
    hlo_buf_char(to, ')');
    return true;
}

static bool map(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_buf text = HLO_BUF_INIT;
    bool good = map_text(in, &text);
    if (good)
        *out = hlo_bc_text_attr(
            in->r, HLO_MLIR_MAP,
            (hlo_str){hlo_arena_copy(in->r->arena, text.data, text.len), (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return good;
}

/* ---- locations ---- */

static hlo_mlir_location *place(hlo_bc *r, hlo_mlir_place_kind kind, const hlo_mlir_attr **out) {
    hlo_mlir_location *location = HLO_NEW(r->arena, hlo_mlir_location);
    hlo_mlir_attr *attr = hlo_bc_new_attr(r, HLO_MLIR_LOCATION);
    location->kind = kind;
    attr->u.location = location;
    *out = attr;
    return location;
}

static bool call_place(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_location *callee, *caller;
    if (!hlo_bc_location(in, &callee) || !hlo_bc_location(in, &caller)) return false;
    hlo_mlir_location *location = place(in->r, HLO_MLIR_CALL_PLACE, out);
    location->first = callee;
    location->caller = caller;
    return true;
}

static bool file_place(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *file;
    uint32_t line, column;
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &file) || !hlo_bc_u32(in, &line) ||
        !hlo_bc_u32(in, &column))
        return false;
    hlo_mlir_location *location = place(in->r, HLO_MLIR_FILE_PLACE, out);
    location->name = file->u.text;
    location->line = location->end_line = line;
    location->column = location->end_column = column;
    return true;
}

/* Up to four numbers: a line; a column; the last column, or the last line and column. */
static bool range_place(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *file;
    uint32_t n, v[4] = {0};
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &file) || !hlo_bc_count(in, &n)) return false;
    if (n > 4)
        return hlo_bc_bad(in, "a place in a file of %u numbers; at most 4 have a meaning", n);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_bc_u32(in, &v[i])) return false;
    hlo_mlir_location *location = place(in->r, HLO_MLIR_FILE_PLACE, out);
    location->name = file->u.text;
    location->line = v[0];
    location->column = v[1];
    location->end_line = n == 4 ? v[2] : v[0];
    location->end_column = n < 3 ? v[1] : v[n - 1];
    return true;
}

static bool fused_place(hlo_bc_in *in, bool has_metadata, const hlo_mlir_attr **out) {
    uint32_t n;
    const hlo_mlir_attr *metadata;
    if (!hlo_bc_count(in, &n)) return false;
    const hlo_mlir_location **parts = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_location *, n);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_bc_location(in, &parts[i])) return false;
    if (has_metadata && !hlo_bc_attr(in, &metadata)) return false;
    hlo_mlir_location *location = place(in->r, HLO_MLIR_FUSED_PLACE, out);
    location->part_count = n;
    location->parts = parts;
    return true;
}

static bool named_place(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *name;
    const hlo_mlir_location *first;
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &name) || !hlo_bc_location(in, &first)) return false;
    hlo_mlir_location *location = place(in->r, HLO_MLIR_NAMED_PLACE, out);
    location->name = name->u.text;
    location->first = first->kind == HLO_MLIR_UNKNOWN_PLACE ? NULL : first;
    return true;
}

/* ---- by code ---- */

bool hlo_bc_builtin_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    switch (code) {
    case 0: return hlo_bc_read_list(in, out);
    case 1: return hlo_bc_read_dict(in, out);
    case 2: return hlo_bc_read_string(in, out);
    case 3: return typed_string(in, out);
    case 4: return symbol(in, false, out);
    case 5: return symbol(in, true, out);
    case 6: return hlo_bc_read_type_attr(in, out);
    case 7: *out = hlo_bc_new_attr(in->r, HLO_MLIR_UNIT); return true;
    case 8: return hlo_bc_read_int(in, out);
    case 9: return hlo_bc_read_float(in, out);
    case 10: return call_place(in, out);
    case 11: return file_place(in, out);
    case 12: return fused_place(in, false, out);
    case 13: return fused_place(in, true, out);
    case 14: return named_place(in, out);
    case 15: place(in->r, HLO_MLIR_UNKNOWN_PLACE, out); return true;
    case 16: return resource(in, out);
    case 17: return array(in, out);
    case 18: return hlo_bc_read_dense(in, out);
    case 19: return hlo_bc_bad(in, "constant strings, which are not supported");
    case 20: return hlo_bc_bad(in, "sparse elements, which are not supported");
    case 21: return hlo_bc_bad(in, "a distinct attribute, which is not supported");
    case 22: return range_place(in, out);
    case 23: return map(in, out);
    default:
        return hlo_bc_bad(in, "an unknown attribute of MLIR, code %llu", (unsigned long long)code);
    }
}

/* ---- types ---- */

static bool integer_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    static const char *const signs[] = {"i", "si", "ui"};
    uint64_t code;
    char name[32];
    if (!hlo_bc_varint(in, &code)) return false;
    if ((code & 3) == 3) return hlo_bc_bad(in, "an integer type with signedness 3");
    int n = snprintf(name, sizeof name, "%s%llu", signs[code & 3], (unsigned long long)(code >> 2));
    return hlo_bc_named_type(in, (hlo_str){name, (uint32_t)n, 0}, out);
}

/* The layout is not kept: programs of HLO have the identity. */
static bool buffer_type(hlo_bc_in *in, bool has_space, const hlo_mlir_type **out) {
    uint32_t n;
    int64_t *dims;
    const hlo_mlir_attr *space, *layout;
    const hlo_mlir_type *element;
    if (has_space) return hlo_bc_attr(in, &space) && hlo_bc_bad(in, "a memref in a memory space");
    if (!hlo_bc_ints(in, &n, &dims) || !hlo_bc_type(in, &element) ||
        !hlo_bc_attr_of(in, HLO_MLIR_MAP, &layout))
        return false;
    return hlo_bc_tensor(in, HLO_MLIR_BUFFER, n, dims, NULL, element, out);
}

bool hlo_bc_builtin_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    /* Those that consist of their code. */
    static const char *const names[] = {
        [1] = "index",
        [3] = "bf16",
        [4] = "f16",
        [5] = "f32",
        [6] = "f64",
        [7] = "f80",
        [8] = "f128",
        [12] = "none",
        [21] = "tf32",
        [22] = "f8E5M2",
        [23] = "f8E4M3",
        [24] = "f8E4M3FN",
        [25] = "f8E5M2FNUZ",
        [26] = "f8E4M3FNUZ",
        [28] = "f8E3M4",
        [29] = "f4E2M1FN",
        [27] = "f8E4M3B11FNUZ",
        [30] = "f6E2M3FN",
        [31] = "f6E3M2FN",
        [32] = "f8E8M0FNU",
    };
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    if (code < sizeof names / sizeof *names && names[code])
        return hlo_bc_named_type(in, hlo_str_from(names[code]), out);
    switch (code) {
    case 0: return integer_type(in, out);
    case 2: return hlo_bc_read_function_type(in, out);
    case 9: return hlo_bc_read_complex_type(in, out);
    case 10: return buffer_type(in, false, out);
    case 11: return buffer_type(in, true, out);
    case 13: return hlo_bc_read_tensor_type(in, false, out);
    case 14: return hlo_bc_read_tensor_type(in, true, out);
    case 15: return hlo_bc_read_parts_type(in, HLO_MLIR_TUPLE, out);
    case 16: return hlo_bc_read_around_type(in, "memref<*x", out);
    case 18: return hlo_bc_read_around_type(in, "tensor<*x", out);
    case 17:
    case 19:
    case 20: return hlo_bc_bad(in, "a vector or a memref in a memory space, not supported");
    default: return hlo_bc_bad(in, "an unknown type of MLIR, code %llu", (unsigned long long)code);
    }
}
