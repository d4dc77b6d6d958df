/* Attributes and types of the dialects stablehlo and chlo in bytecode, in the form that MLIR text
 * has for them: numbers that are 0 and empty lists are left out. */
#include "mlir/bytecode.h"

/* ---- enumerations ---- */

static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
static const char *const comparison_types[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED",
                                               "UNSIGNED"};
static const char *const fft_types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
static const char *const rng_algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
static const char *const rng_distributions[] = {NULL, "UNIFORM", "NORMAL"};
static const char *const transposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                         "ADJOINT"};
static const char *const accuracy_modes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

#define ENUM(name, words) \
    { name, sizeof words / sizeof *words, words }
const hlo_bc_enum hlo_bc_comparison_direction = ENUM("stablehlo.comparison_direction", directions);
const hlo_bc_enum hlo_bc_comparison_type = ENUM("stablehlo.comparison_type", comparison_types);
const hlo_bc_enum hlo_bc_fft_type = ENUM("stablehlo.fft_type", fft_types);
const hlo_bc_enum hlo_bc_precision = ENUM("stablehlo.precision", precisions);
const hlo_bc_enum hlo_bc_rng_algorithm = ENUM("stablehlo.rng_algorithm", rng_algorithms);
const hlo_bc_enum hlo_bc_rng_distribution = ENUM("stablehlo.rng_distribution", rng_distributions);
const hlo_bc_enum hlo_bc_transpose = ENUM("stablehlo.transpose", transposes);
const hlo_bc_enum hlo_bc_accuracy_mode = ENUM("stablehlo.result_accuracy_mode", accuracy_modes);
static const hlo_bc_enum chlo_direction = ENUM("chlo.comparison_direction", directions);
static const hlo_bc_enum chlo_type = ENUM("chlo.comparison_type", comparison_types);

/* ---- structs ---- */

const hlo_bc_numbers_form hlo_bc_dot_numbers = {
    "stablehlo.dot",
    {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
     "rhs_contracting_dimensions"},
    4,
    false};
const hlo_bc_numbers_form hlo_bc_gather_numbers = {
    "stablehlo.gather",
    {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
     "start_index_map", "index_vector_dim"},
    5,
    true};
const hlo_bc_numbers_form hlo_bc_scatter_numbers = {
    "stablehlo.scatter",
    {"update_window_dims", "inserted_window_dims", "input_batching_dims",
     "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"},
    5,
    true};

static bool numbers(hlo_bc_in *in, const hlo_bc_numbers_form *form, const hlo_mlir_attr **out) {
    hlo_bc_members m = {.r = in->r};
    for (uint32_t i = 0; i < form->lists; i++) {
        uint32_t n;
        int64_t *v;
        if (!hlo_bc_ints(in, &n, &v)) return false;
        hlo_bc_numbers_member(&m, form->keys[i], n, v);
    }
    int64_t number;
    if (form->has_number) {
        if (!hlo_bc_signed(in, &number)) return false;
        hlo_bc_number_member(&m, form->keys[form->lists], number);
    }
    *out = hlo_bc_struct(&m, form->name);
    return true;
}

static bool channel_handle(hlo_bc_in *in, const hlo_mlir_attr **out) {
    int64_t handle, type;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_signed(in, &handle) || !hlo_bc_signed(in, &type)) return false;
    hlo_bc_member(&m, "handle", hlo_bc_int_attr(in->r, handle, NULL));
    hlo_bc_member(&m, "type", hlo_bc_int_attr(in->r, type, NULL));
    *out = hlo_bc_struct(&m, "stablehlo.channel_handle");
    return true;
}

bool hlo_bc_output_operand_alias(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n, more;
    int64_t *output, operand, *path;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_ints(in, &n, &output) || !hlo_bc_signed(in, &operand) ||
        !hlo_bc_ints(in, &more, &path))
        return false;
    hlo_bc_member(&m, "output_tuple_indices", hlo_bc_numbers(in->r, n, output));
    hlo_bc_member(&m, "operand_index", hlo_bc_int_attr(in->r, operand, NULL));
    hlo_bc_member(&m, "operand_tuple_indices", hlo_bc_numbers(in->r, more, path));
    *out = hlo_bc_struct(&m, "stablehlo.output_operand_alias");
    return true;
}

static bool dot_algorithm(hlo_bc_in *in, const hlo_mlir_attr **out) {
    static const char *const types[] = {"lhs_precision_type", "rhs_precision_type",
                                        "accumulation_type"};
    static const char *const counts[] = {"lhs_component_count", "rhs_component_count",
                                         "num_primitive_operations"};
    hlo_bc_members m = {.r = in->r};
    const hlo_mlir_type *type;
    int64_t count;
    uint8_t imprecise;
    for (int i = 0; i < 3; i++) {
        if (!hlo_bc_type(in, &type)) return false;
        hlo_bc_member(&m, types[i], hlo_bc_type_attr(in->r, type));
    }
    for (int i = 0; i < 3; i++) {
        if (!hlo_bc_signed(in, &count)) return false;
        hlo_bc_member(&m, counts[i], hlo_bc_int_attr(in->r, count, NULL));
    }
    if (!hlo_bc_byte(in, &imprecise)) return false;
    hlo_bc_member(&m, "allow_imprecise_accumulation", hlo_bc_bool_attr(in->r, imprecise));
    *out = hlo_bc_struct(&m, "stablehlo.dot_algorithm");
    return true;
}

bool hlo_bc_result_accuracy(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_bc_members m = {.r = in->r};
    static const char *const keys[] = {"atol", "rtol"};
    int64_t ulps;
    const hlo_mlir_attr *mode;
    for (int i = 0; i < 2; i++) {
        hlo_mlir_attr *tolerance = hlo_bc_new_attr(in->r, HLO_MLIR_FLOAT);
        if (!hlo_bc_double(in, &tolerance->u.f)) return false;
        if (tolerance->u.f != 0) hlo_bc_member(&m, keys[i], tolerance);
    }
    if (!hlo_bc_signed(in, &ulps) || !hlo_bc_attr_of(in, HLO_MLIR_STRUCT, &mode)) return false;
    hlo_bc_number_member(&m, "ulps", ulps);
    hlo_bc_member(&m, "mode", mode);
    *out = hlo_bc_struct(&m, "stablehlo.result_accuracy");
    return true;
}

/* An unbounded dimension is a '?'. */
bool hlo_bc_type_extensions(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint32_t n;
    int64_t *bounds;
    if (!hlo_bc_ints(in, &n, &bounds)) return false;
    hlo_mlir_attr *attr = hlo_bc_new_attr(in->r, HLO_MLIR_STRUCT);
    hlo_mlir_named *named = HLO_NEW_ARRAY(in->r->arena, hlo_mlir_named, n);
    for (uint32_t i = 0; i < n; i++)
        named[i].value = bounds[i] == HLO_UNBOUNDED ? hlo_bc_word(in->r, "?")
                                                    : hlo_bc_int_attr(in->r, bounds[i], NULL);
    attr->u.text = HLO_STR("stablehlo.bounds");
    attr->list = (hlo_mlir_list){n, named};
    *out = attr;
    return true;
}

/* ---- convolutions: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] ---- */

static bool conv_dimensions(hlo_bc_in *in, const hlo_bc_conv *conv, uint32_t which,
                            const hlo_mlir_attr **out) {
    uint32_t n = conv->n[which] + 2;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, n);
    for (uint32_t i = 0; i < n; i++) {
        bool is_spatial = i < conv->n[which];
        int64_t at = is_spatial            ? conv->spatial[which][i]
                     : i == conv->n[which] ? conv->first[which]
                                           : conv->second[which];
        if (at < 0 || at >= n || v[at])
            return hlo_bc_bad(in, "dimension %lld of a convolution, out of range or named twice",
                              (long long)at);
        const char *letter = i == conv->n[which] ? which == 1 ? "i" : "b" : which == 1 ? "o" : "f";
        v[at] = is_spatial ? hlo_bc_int_attr(in->r, i, NULL) : hlo_bc_word(in->r, letter);
    }
    *out = hlo_bc_list_attr(in->r, '[', n, v);
    return true;
}

bool hlo_bc_conv_attr(hlo_bc_in *in, const hlo_bc_conv *conv, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *lists[3];
    for (uint32_t i = 0; i < 3; i++)
        if (!conv_dimensions(in, conv, i, &lists[i])) return false;
    hlo_bc_members m = {.r = in->r};
    hlo_bc_member(&m, NULL, hlo_bc_list_attr(in->r, 'x', 3, lists));
    *out = hlo_bc_struct(&m, "stablehlo.conv");
    return true;
}

static bool conv(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_bc_conv c;
    for (int i = 0; i < 3; i++) {
        int64_t *spatial;
        if (!hlo_bc_signed(in, &c.first[i]) || !hlo_bc_signed(in, &c.second[i]) ||
            !hlo_bc_ints(in, &c.n[i], &spatial))
            return false;
        c.spatial[i] = spatial;
    }
    return hlo_bc_conv_attr(in, &c, out);
}

/* ---- meshes of replica groups ---- */

static bool axis_ref(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_str name;
    uint8_t is_part;
    const hlo_mlir_attr *part;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_string(in, &name) || !hlo_bc_byte(in, &is_part)) return false;
    hlo_bc_member(&m, "name", hlo_bc_text_attr(in->r, HLO_MLIR_STRING, name));
    if (is_part) {
        if (!hlo_bc_attr_of(in, HLO_MLIR_STRUCT, &part)) return false;
        hlo_bc_member(&m, "sub_axis_info", part);
    }
    *out = hlo_bc_struct(&m, "stablehlo.axis_ref");
    return true;
}

static bool mesh_axes(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *mesh, **axes;
    uint32_t n;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr(in, &mesh) || !hlo_bc_attrs(in, &n, &axes)) return false;
    hlo_bc_member(&m, "mesh", mesh);
    hlo_bc_member(&m, "axes", hlo_bc_list_attr(in->r, '[', n, axes));
    *out = hlo_bc_struct(&m, "stablehlo.replica_group_mesh_axes");
    return true;
}

static bool mesh_axis(hlo_bc_in *in, const hlo_mlir_attr **out) {
    hlo_str name;
    int64_t size;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_string(in, &name) || !hlo_bc_signed(in, &size)) return false;
    hlo_bc_member(&m, "name", hlo_bc_text_attr(in->r, HLO_MLIR_STRING, name));
    hlo_bc_member(&m, "size", hlo_bc_int_attr(in->r, size, NULL));
    *out = hlo_bc_struct(&m, "stablehlo.mesh_axis");
    return true;
}

static bool mesh(hlo_bc_in *in, const hlo_mlir_attr **out) {
    const hlo_mlir_attr *axes, *ids;
    uint8_t has_ids;
    hlo_bc_members m = {.r = in->r};
    if (!hlo_bc_attr_of(in, HLO_MLIR_LIST, &axes) || !hlo_bc_byte(in, &has_ids)) return false;
    hlo_bc_member(&m, "axes", hlo_bc_unnamed(in->r, axes));
    if (has_ids) {
        if (!hlo_bc_attr(in, &ids)) return false;
        hlo_bc_member(&m, "device_ids", ids);
    }
    *out = hlo_bc_struct(&m, "stablehlo.mesh");
    return true;
}

/* ---- by code ---- */

bool hlo_bc_stablehlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    switch (code) {
    case 1: return channel_handle(in, out);
    case 2: return hlo_bc_enum_of(in, &hlo_bc_comparison_direction, out);
    case 3: return hlo_bc_enum_of(in, &hlo_bc_comparison_type, out);
    case 4: return conv(in, out);
    case 5: return numbers(in, &hlo_bc_dot_numbers, out);
    case 6: return hlo_bc_enum_of(in, &hlo_bc_fft_type, out);
    case 7: return numbers(in, &hlo_bc_gather_numbers, out);
    case 8: return hlo_bc_enum_of(in, &hlo_bc_precision, out);
    case 9: return hlo_bc_enum_of(in, &hlo_bc_rng_algorithm, out);
    case 10: return hlo_bc_enum_of(in, &hlo_bc_rng_distribution, out);
    case 11: return numbers(in, &hlo_bc_scatter_numbers, out);
    case 12: return hlo_bc_enum_of(in, &hlo_bc_transpose, out);
    case 13: return hlo_bc_type_extensions(in, out);
    case 14: return hlo_bc_output_operand_alias(in, out);
    case 15: return dot_algorithm(in, out);
    case 16: return hlo_bc_enum_of(in, &hlo_bc_accuracy_mode, out);
    case 17: return hlo_bc_result_accuracy(in, out);
    case 18: return mesh_axes(in, out);
    case 19: return hlo_bc_read_sub_axis(in, out);
    case 20: return axis_ref(in, out);
    case 21: return mesh_axis(in, out);
    case 22: return mesh(in, out);
    default:
        return hlo_bc_bad(in, "an unknown attribute of stablehlo, code %llu",
                          (unsigned long long)code);
    }
}

bool hlo_bc_stablehlo_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    enum { TOKEN, FUTURE };
    uint64_t code;
    uint32_t n;
    const hlo_mlir_type **v;
    if (!hlo_bc_varint(in, &code)) return false;
    if (code == TOKEN) return hlo_bc_parts(in, HLO_MLIR_TOKEN, 0, 0, NULL, out);
    if (code == FUTURE)
        return hlo_bc_types(in, &n, &v) && hlo_bc_parts(in, HLO_MLIR_FUTURE, 0, n, v, out);
    return hlo_bc_bad(in, "an unknown type of stablehlo, code %llu", (unsigned long long)code);
}

bool hlo_bc_chlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    if (code > 1)
        return hlo_bc_bad(in, "an unknown attribute of chlo, code %llu", (unsigned long long)code);
    return hlo_bc_enum_of(in, code ? &chlo_type : &chlo_direction, out);
}
