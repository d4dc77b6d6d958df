/* Attributes and types of vhlo, the dialect of portable artifacts, in bytecode. They become those
 * of today's dialects while they are read. */
#include "mlir/bytecode.h"

/* ---- attributes ---- */

static bool boolean(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    if (value > 1) return hlo_bc_bad(in, "a boolean with value %llu", (unsigned long long)value);
    *out = hlo_bc_bool_attr(in->r, value);
    return true;
}

/* The number of the version is an integer of 32 bits today. */
static bool api_version(hlo_bc_in *in, const hlo_mlir_attr **out) {
    enum { LAST = 4 };
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    if (value > LAST)
        return hlo_bc_bad(in, "an unknown version of a custom call, %llu",
                          (unsigned long long)value);
    *out = hlo_bc_int_attr(in->r, (int64_t)value, hlo_bc_scalar(in->r, HLO_S32));
    return true;
}

/* ---- meshes ---- */

static bool axis_ref(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *name, *part;
    uint64_t is_part;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &name) || !hlo_bc_varint(in, &is_part)) return false;
    hlo_bc_member(&m, "name", name);
    if (is_part) {
        if (!hlo_bc_attr_of(in, HLO_MLIR_STRUCT, &part)) return false;
        hlo_bc_member(&m, "sub_axis_info", part);
    }
    *out = hlo_bc_struct(&m, "stablehlo.axis_ref");
    return true;
}

/* The name of a mesh is a symbol today. */
static bool mesh_axes(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *mesh, *axes;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr(in, &mesh) || !hlo_bc_attr_of(in, HLO_MLIR_LIST, &axes)) return false;
    if (mesh->kind == HLO_MLIR_STRING)
        mesh = hlo_bc_text_attr(in->r, HLO_MLIR_SYMBOL, mesh->u.text);
    hlo_bc_member(&m, "mesh", mesh);
    hlo_bc_member(&m, "axes", axes);
    *out = hlo_bc_struct(&m, "stablehlo.replica_group_mesh_axes");
    return true;
}

static bool mesh_axis(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *name;
    int64_t size;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr_of(in, HLO_MLIR_STRING, &name) || !hlo_bc_signed(in, &size)) return false;
    hlo_bc_member(&m, "name", name);
    hlo_bc_member(&m, "size", hlo_bc_int_attr(in->r, size, NULL));
    *out = hlo_bc_struct(&m, "stablehlo.mesh_axis");
    return true;
}

static bool mesh(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *axes, *ids;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr_of(in, HLO_MLIR_LIST, &axes) || !hlo_bc_optional_attr(in, &ids)) return false;
    hlo_bc_member(&m, "axes", hlo_bc_unnamed(in->r, axes));
    if (ids) hlo_bc_member(&m, "device_ids", ids);
    *out = hlo_bc_struct(&m, "stablehlo.mesh");
    return true;
}

bool hlo_bc_vhlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    switch (code) {
    case 1: return hlo_bc_read_list(in, out);
    case 2: return boolean(in, out);
    case 3: return hlo_bc_enum_of(in, &hlo_bc_comparison_direction, out);
    case 4: return hlo_bc_enum_of(in, &hlo_bc_comparison_type, out);
    case 5: return api_version(in, out);
    case 6: return hlo_bc_read_dict(in, out);
    case 7: return hlo_bc_enum_of(in, &hlo_bc_fft_type, out);
    case 8: return hlo_bc_read_float(in, out);
    case 9: return hlo_bc_read_int(in, out);
    case 10: return hlo_bc_output_operand_alias(in, out);
    case 11: return hlo_bc_enum_of(in, &hlo_bc_precision, out);
    case 12: return hlo_bc_enum_of(in, &hlo_bc_rng_algorithm, out);
    case 13: return hlo_bc_enum_of(in, &hlo_bc_rng_distribution, out);
    case 14: return hlo_bc_read_string(in, out);
    case 15: return hlo_bc_read_dense(in, out);
    case 16: return hlo_bc_enum_of(in, &hlo_bc_transpose, out);
    case 17: return hlo_bc_read_type_attr(in, out);
    case 18: return hlo_bc_type_extensions(in, out);
    case 19: return hlo_bc_enum_of(in, &hlo_bc_accuracy_mode, out);
    case 20: return hlo_bc_result_accuracy(in, out);
    case 21: return hlo_bc_read_sub_axis(in, out);
    case 22: return axis_ref(in, out);
    case 23: return mesh_axes(in, out);
    case 24: return mesh_axis(in, out);
    case 25: return mesh(in, out);
    default:
        return hlo_bc_bad(in, "an unknown attribute of vhlo, code %llu", (unsigned long long)code);
    }
}

/* ---- quantised types, which the tree has by their text ---- */

/* Begins with !quant.uniform<i8<-127:127>:f32: the range only where it is not that of all bits. */
static bool put_storage(hlo_bc_in *in, hlo_buf *to, uint64_t flags, const hlo_mlir_type *storage,
                        const hlo_mlir_type *expressed, int64_t least, int64_t most) {
    bool is_unsigned;
    uint32_t width = hlo_bc_int_width(storage, &is_unsigned);
    if (!width || width > 32)
        return hlo_bc_bad(in, "a quantised type that is stored as %.*s",
                          HLO_BC_SHOWN(storage->text));
    bool is_signed = flags & 1;
    int64_t all = INT64_C(1) << width, low = is_signed ? -(all / 2) : 0;
    hlo_buf_printf(to, "!quant.uniform<%c%u", is_signed ? 'i' : 'u', width);
    if (least != low || most != low + all - 1)
        hlo_buf_printf(to, "<%lld:%lld>", (long long)least, (long long)most);
    hlo_buf_char(to, ':');
    hlo_buf_str(to, expressed->text);
    return true;
}

static void put_scale(hlo_buf *to, double scale, int64_t zero) {
    hlo_buf_printf(to, "%e", scale);
    if (zero) hlo_buf_printf(to, ":%lld", (long long)zero);
}

static bool put_quantised(hlo_bc_in *in, hlo_buf *to) {
    uint64_t flags;
    const hlo_mlir_type *storage, *expressed;
    double scale;
    int64_t zero, least, most;
    if (!hlo_bc_varint(in, &flags) || !hlo_bc_type(in, &storage) || !hlo_bc_type(in, &expressed) ||
        !hlo_bc_double(in, &scale) || !hlo_bc_signed(in, &zero) || !hlo_bc_signed(in, &least) ||
        !hlo_bc_signed(in, &most) || !put_storage(in, to, flags, storage, expressed, least, most))
        return false;
    hlo_buf_lit(to, ", ");
    put_scale(to, scale, zero);
    hlo_buf_char(to, '>');
    return true;
}

/* A scale and a zero point for each element of a dimension. */
static bool put_per_axis(hlo_bc_in *in, hlo_buf *to) {
    uint64_t flags, dimension;
    const hlo_mlir_type *storage, *expressed;
    int64_t least, most, *zeros;
    uint32_t n, zero_count;
    if (!hlo_bc_varint(in, &flags) || !hlo_bc_type(in, &storage) || !hlo_bc_type(in, &expressed) ||
        !hlo_bc_varint(in, &dimension) || !hlo_bc_signed(in, &least) || !hlo_bc_signed(in, &most) ||
        !hlo_bc_count(in, &n))
        return false;
    double *scales = HLO_NEW_ARRAY(in->r->arena, double, n);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_bc_double(in, &scales[i])) return false;
    if (!hlo_bc_ints(in, &zero_count, &zeros)) return false;
    if (n != zero_count)
        return hlo_bc_bad(in, "%u scales and %u zero points of a quantised type", n, zero_count);
    if (!put_storage(in, to, flags, storage, expressed, least, most)) return false;
    hlo_buf_printf(to, ":%llu, {", (unsigned long long)dimension);
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_char(to, ',');
        put_scale(to, scales[i], zeros[i]);
    }
    hlo_buf_lit(to, "}>");
    return true;
}

static bool quantised(hlo_bc_in *in, bool (*put)(hlo_bc_in *, hlo_buf *),
                      const hlo_mlir_type **out) {
    hlo_buf text = HLO_BUF_INIT;
    bool good = put(in, &text) && hlo_bc_charge(in, text.len / 8) &&
                hlo_bc_named_type(in, (hlo_str){text.data, (uint32_t)text.len, 0}, out);
    hlo_buf_free(&text);
    return good;
}

/* ---- types ---- */

/* Those that consist of their code. */
static const char *const plain_types[] = {
    [0] = "i1",
    [2] = "bf16",
    [3] = "f16",
    [4] = "f32",
    [5] = "f64",
    [6] = "f8E4M3FN",
    [7] = "f8E5M2",
    [9] = "index",
    [10] = "i4",
    [11] = "i8",
    [12] = "i16",
    [13] = "i32",
    [14] = "i64",
    [15] = "ui4",
    [16] = "ui8",
    [17] = "ui16",
    [18] = "ui32",
    [19] = "ui64",
    [26] = "!shape.witness",
    [27] = "f8E4M3FNUZ",
    [28] = "f8E5M2FNUZ",
    [29] = "f8E4M3B11FNUZ",
    [31] = "i2",
    [32] = "ui2",
    [33] = "none",
    [34] = "tf32",
    [35] = "f8E4M3",
    [36] = "f8E3M4",
    [37] = "f4E2M1FN",
    [38] = "f6E2M3FN",
    [39] = "f6E3M2FN",
    [40] = "f8E8M0FNU",
};

static bool buffer_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    uint32_t n;
    int64_t *dims;
    const hlo_mlir_type *element;
    return hlo_bc_ints(in, &n, &dims) && hlo_bc_type(in, &element) &&
           hlo_bc_tensor(in, HLO_MLIR_BUFFER, n, dims, NULL, element, out);
}

bool hlo_bc_vhlo_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    if (code < sizeof plain_types / sizeof *plain_types && plain_types[code])
        return hlo_bc_named_type(in, hlo_str_from(plain_types[code]), out);
    switch (code) {
    case 1: return hlo_bc_read_complex_type(in, out);
    case 8: return hlo_bc_read_function_type(in, out);
    case 20: return hlo_bc_read_tensor_type(in, false, out);
    case 21: return hlo_bc_read_tensor_type(in, true, out);
    case 22: return hlo_bc_parts(in, HLO_MLIR_TOKEN, 0, 0, NULL, out);
    case 23: return hlo_bc_read_parts_type(in, HLO_MLIR_TUPLE, out);
    case 24: return quantised(in, put_quantised, out);
    case 25: return hlo_bc_read_around_type(in, "tensor<*x", out);
    case 30: return quantised(in, put_per_axis, out);
    case 41: return buffer_type(in, out);
    case 42: return hlo_bc_read_parts_type(in, HLO_MLIR_FUTURE, out);
    default: return hlo_bc_bad(in, "an unknown type of vhlo, code %llu", (unsigned long long)code);
    }
}
