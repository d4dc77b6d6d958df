/* Encodings that two dialects have: builtin and vhlo, stablehlo and vhlo. */
#include "mlir/bytecode.h"

/* ---- attributes ---- */

bool hlo_bc_read_list(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    const hlo_mlir_attr **v;
    if (!hlo_bc_attrs(in, &n, &v)) return false;
    *out = hlo_bc_list_attr(in->r, '[', n, v);
    return true;
}

bool hlo_bc_read_dict(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    if (!hlo_bc_count(in, &n)) return false;
    hlo_mlir_named *named = HLO_NEW_ARRAY(in->r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *key;
        if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &key) || !hlo_bc_attr(in, &named[i].value))
            return false;
        named[i].key = key->u.text;
    }
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_DICT);
    attr->bracket = '{';
    attr->list = (hlo_mlir_list){n, named};
    *out = attr;
    return true;
}

bool hlo_bc_read_string(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_str text;
    if (!hlo_bc_string(in, &text)) return false;
    *out = hlo_bc_text_attr(in->r, HLO_MLIR_STRING, text);
    return true;
}

bool hlo_bc_read_type_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    if (!hlo_bc_type(in, &type)) return false;
    *out = hlo_bc_type_attr(in->r, type);
    return true;
}

bool hlo_bc_read_int(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    return hlo_bc_type(in, &type) && hlo_bc_int_of(in, type, out);
}

bool hlo_bc_read_float(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    return hlo_bc_type(in, &type) && hlo_bc_float_of(in, type, out);
}

bool hlo_bc_read_dense(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_type *type;
    hlo_str bytes;
    return hlo_bc_type(in, &type) && hlo_bc_blob(in, &bytes) && hlo_bc_dense(in, type, bytes, out);
}

bool hlo_bc_read_sub_axis(hlo_bc_in *in, const hlo_mlir_attr **out) {
    int64_t before, size;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_signed(in, &before) || !hlo_bc_signed(in, &size)) return false;
    hlo_bc_member(&m, "pre_size", hlo_bc_int_attr(in->r, before, NULL));
    hlo_bc_member(&m, "size", hlo_bc_int_attr(in->r, size, NULL));
    *out = hlo_bc_struct(&m, "stablehlo.sub_axis_info");
    return true;
}

/* ---- types ---- */

bool hlo_bc_read_function_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    uint32_t inputs, results;
    const hlo_mlir_type **v, **more;
    if (!hlo_bc_types(in, &inputs, &v) || !hlo_bc_types(in, &results, &more)) return false;
    const hlo_mlir_type **parts =
        HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_type *, (size_t)inputs + results);
    if (inputs) memcpy(parts, v, inputs * sizeof *parts);
    if (results) memcpy(parts + inputs, more, results * sizeof *parts);
    return hlo_bc_parts(in, HLO_MLIR_FUNCTION, inputs, inputs + results, parts, out);
}

bool hlo_bc_read_tensor_type(hlo_bc_in *in, bool has_encoding, const hlo_mlir_type **out) {
    uint32_t n;
    int64_t *dims;
    const hlo_mlir_attr *encoding = NULL;
    const hlo_mlir_type *element;
    if ((has_encoding && !hlo_bc_attr(in, &encoding)) || !hlo_bc_ints(in, &n, &dims) ||
        !hlo_bc_type(in, &element))
        return false;
    return hlo_bc_tensor(in, HLO_MLIR_TENSOR, n, dims, encoding, element, out);
}

bool hlo_bc_read_parts_type(hlo_bc_in *in, hlo_mlir_type_kind kind, const hlo_mlir_type **out) {
    uint32_t n;
    const hlo_mlir_type **v;
    return hlo_bc_types(in, &n, &v) && hlo_bc_parts(in, kind, 0, n, v, out);
}

bool hlo_bc_read_complex_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    const hlo_mlir_type *part;
    return hlo_bc_type(in, &part) && hlo_bc_complex(in, part, out);
}

bool hlo_bc_read_around_type(hlo_bc_in *in, const char *before, const hlo_mlir_type **out) {
    const hlo_mlir_type *inside;
    return hlo_bc_type(in, &inside) && hlo_bc_around(in, before, inside, out);
}
