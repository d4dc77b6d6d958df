/* A module read through handles: computations, instructions, users, shapes, attributes, constants.
 * Only hlo.h is included. */
#include <hlo.h>
#include <string.h>

#include "unit/check.h"

static const char text[] =
    "HloModule sums, is_scheduled=true, replica_count=2\n"
    "add {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n"
    "}\n"
    "ENTRY main {\n"
    "  x = f32[<=4,3]{0,1} parameter(0)\n"
    "  zero = f32[] constant(0)\n"
    "  pair = (s32[2], (pred[], f32[1])) constant(({5, 6}, (true, {0.5})))\n"
    "  sum = f32[3]{0} reduce(x, zero), dimensions={0}, to_apply=add,\n"
    "    metadata={op_type=\"reduce_sum\" op_name=\"jit(f)/reduce_sum\" source_file=\"f.py\" "
    "source_line=7}\n"
    "  twice = f32[3]{0} add(sum, sum)\n"
    "  less = pred[3]{0} compare(sum, twice), direction=LT\n"
    "  ROOT r = (f32[3]{0}, pred[3]{0}, (s32[2], (pred[], f32[1]))) tuple(twice, less, pair)\n"
    "}\n";

static bool is(hlo_text got, const char *wanted) {
    return got.len == strlen(wanted) && memcmp(got.text, wanted, got.len) == 0;
}

static const hlo_instr *find(const hlo_computation *computation, const char *name) {
    const hlo_instr *instr = hlo_computation_first(computation);
    while (instr && !is(hlo_instr_name(instr), name)) instr = hlo_instr_next(instr);
    check(instr != NULL, name);
    return instr;
}

static void check_written(hlo_status status, hlo_output *output, const char *wanted) {
    size_t n;
    const char *bytes = hlo_output_bytes(output, &n);
    check(status == HLO_OK && n == strlen(wanted) && memcmp(bytes, wanted, n) == 0, wanted);
    hlo_output_free(output);
}

static void check_attr(const hlo_instr *instr, const char *name, const char *wanted,
                       hlo_diags *diags) {
    hlo_output *output = hlo_output_to_memory();
    check_written(hlo_instr_write_attr(instr, name, output, diags), output, wanted);
}

static void check_shape(const hlo_shape *shape, bool with_layout, const char *wanted,
                        hlo_diags *diags) {
    hlo_output *output = hlo_output_to_memory();
    check_written(hlo_shape_write(shape, with_layout, output, diags), output, wanted);
}

/* Every operand edge is a use of what it names. */
static void check_uses(const hlo_instr *user) {
    for (uint32_t i = 0; i < hlo_instr_operand_count(user); i++) {
        hlo_instr_use uses[8];
        size_t n = hlo_instr_uses(hlo_instr_operand(user, i), uses, 8);
        bool found = false;
        for (size_t k = 0; k < n && k < 8; k++)
            found |= uses[k].user == user && uses[k].operand == i;
        check(found, "an operand knows its user");
    }
}

static void test_structure(const hlo_module *module) {
    uint32_t computations = 0, instructions = 0;
    for (const hlo_computation *c = hlo_module_first(module); c; c = hlo_computation_next(c)) {
        uint32_t size = 0;
        computations++;
        for (const hlo_instr *i = hlo_computation_first(c); i; i = hlo_instr_next(i), size++) {
            check(hlo_instr_parent(i) == c && hlo_instr_opcode(i), "an instruction of it");
            check_uses(i);
        }
        check(size == hlo_computation_size(c), "its size");
        for (uint32_t p = 0; p < hlo_computation_parameter_count(c); p++)
            check(hlo_instr_parameter_number(hlo_computation_parameter(c, p)) == p, "a parameter");
        instructions += size;
    }
    check(computations == 2 && instructions == 10, "two computations of ten instructions");
    check(is(hlo_module_name(module), "sums"), "its name");
    const hlo_computation *main = hlo_module_entry(module);
    check(is(hlo_computation_name(main), "main"), "the entry");
    check(strcmp(hlo_instr_opcode(hlo_computation_root(main)), "tuple") == 0, "its root");
    const hlo_instr *sum = find(main, "sum");
    check(hlo_instr_called_count(sum) == 1 &&
              is(hlo_computation_name(hlo_instr_called(sum, 0)), "add"),
          "what reduce applies");
    check(hlo_instr_uses(sum, NULL, 0) == 3, "sum has three uses, two of them in one instruction");
}

static void test_shapes(const hlo_module *module, hlo_diags *diags) {
    const hlo_computation *main = hlo_module_entry(module);
    const hlo_shape *x = hlo_instr_shape(find(main, "x"));
    const hlo_shape *r = hlo_instr_shape(hlo_computation_root(main));
    check(hlo_shape_type(x) == HLO_TYPE_F32 && hlo_shape_rank(x) == 2, "an array");
    check(hlo_shape_dim(x, 0) == 4 && hlo_shape_dim(x, 1) == 3, "its sizes");
    check(hlo_shape_dim_is_dynamic(x, 0) && !hlo_shape_dim_is_dynamic(x, 1), "one is a bound");
    check(hlo_shape_minor_to_major(x, 0) == 0 && hlo_shape_minor_to_major(x, 1) == 1, "its layout");
    check(hlo_shape_element_count(x) == 0, "no tuple");
    check_shape(x, true, "f32[<=4,3]{0,1}", diags);
    check_shape(x, false, "f32[<=4,3]", diags);
    check(hlo_shape_type(r) == HLO_TYPE_TUPLE && hlo_shape_element_count(r) == 3, "a tuple");
    check(hlo_shape_rank(r) == 0, "has no dimensions");
    const hlo_shape *inner = hlo_shape_element(hlo_shape_element(r, 2), 1);
    check(hlo_shape_type(hlo_shape_element(inner, 0)) == HLO_TYPE_PRED, "an element of an element");
}

static void test_attributes(const hlo_module *module, hlo_diags *diags) {
    const hlo_computation *main = hlo_module_entry(module);
    const hlo_instr *sum = find(main, "sum"), *less = find(main, "less"), *x = find(main, "x");
    const int64_t *values;
    int64_t value;
    size_t count;
    check_attr(sum, "dimensions", "{0}", diags);
    check_attr(sum, "to_apply", "%add", diags);
    check_attr(less, "direction", "LT", diags);
    check(hlo_instr_attr_ints(sum, "dimensions", &values, &count) && count == 1 && values[0] == 0,
          "a list of integers");
    check(!hlo_instr_attr_int(sum, "dimensions", &value), "is no integer");
    check(hlo_instr_attr_int(less, "direction", &value), "a word has a number");
    check(!hlo_instr_attr_int(less, "is_stable", &value), "of another operation");
    check(!hlo_instr_attr_name(x, 0), "the number of a parameter is no attribute");
    bool found = false;
    const char *name;
    for (uint32_t i = 0; (name = hlo_instr_attr_name(sum, i)) != NULL; i++)
        found |= strcmp(name, "metadata") == 0;
    check(found, "metadata is one of the names");
    check(hlo_module_attr_int(module, "replica_count", &value) && value == 2, "of the module");
    check(hlo_module_attr_int(module, "num_partitions", &value) && value == 1, "its default");
    hlo_output *output = hlo_output_to_memory();
    check_written(hlo_module_write_attr(module, "is_scheduled", output, diags), output, "true");
    const hlo_instr_origin origin = hlo_instr_metadata(sum);
    check(is(origin.op_type, "reduce_sum") && is(origin.op_name, "jit(f)/reduce_sum") &&
              is(origin.source_file, "f.py") && origin.source_line == 7,
          "where it comes from");
    check(hlo_instr_metadata(less).source_file.len == 0, "nothing is known");
}

static void test_constants(const hlo_module *module) {
    const hlo_instr *pair = find(hlo_module_entry(module), "pair");
    hlo_array array;
    check(hlo_instr_literal(pair, 0, &array) && array.type == HLO_TYPE_S32 && array.dims[0] == 2 &&
              ((const int32_t *)array.data)[1] == 6,
          "the first array");
    check(hlo_instr_literal(pair, 1, &array) && array.rank == 0 && *(const char *)array.data == 1,
          "the second");
    check(hlo_instr_literal(pair, 2, &array) && *(const float *)array.data == 0.5f, "the third");
    check(!hlo_instr_literal(pair, 3, &array), "there is no fourth");
}

static const char frames[] =
    "HloModule m\n"
    "\n"
    "FileNames\n1 \"model.py\"\n"
    "\n"
    "FunctionNames\n1 \"f\"\n"
    "\n"
    "FileLocations\n1 {file_name_id=1 function_name_id=1 line=12 end_line=13 column=4 "
    "end_column=9}\n"
    "\n"
    "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
    "\n"
    "ENTRY e {\n"
    "  ROOT x = f32[] parameter(0), metadata={op_name=\"x\" stack_frame_id=1}\n"
    "}\n";

static hlo_module *parse(const char *from, size_t len, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("memory", from, len);
    hlo_module *module;
    check(hlo_parse(source, diags, &module) == HLO_OK, "parses");
    hlo_source_free(source);
    return module;
}

static void test_frames(hlo_diags *diags) {
    hlo_module *module = parse(frames, sizeof frames - 1, diags);
    const hlo_instr_origin at = hlo_instr_metadata(hlo_computation_root(hlo_module_entry(module)));
    check(is(at.source_file, "model.py") && at.source_line == 12 && at.source_end_line == 13 &&
              at.source_column == 4 && at.source_end_column == 9,
          "the stack frame says where");
    hlo_module_free(module);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse(text, sizeof text - 1, diags);
    if (module) {
        check(hlo_verify(module, diags) == HLO_OK, "verifies");
        test_structure(module);
        test_shapes(module, diags);
        test_attributes(module, diags);
        test_constants(module);
    }
    hlo_module_free(module);
    test_frames(diags);
    hlo_diags_render(diags, stdout, false);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
