/* The public interface from a program's side: only hlo.h is included. */
#include <hlo.h>
#include <string.h>

#include "unit/check.h"

static const char text[] = "HloModule m\n"
                           "ENTRY e {\n"
                           "  x = f32[2,2] parameter(0)\n"
                           "  t = (s32[3], f32[]) parameter(1)\n"
                           "  s = f32[] get-tuple-element(t), index=1\n"
                           "  b = f32[2,2] broadcast(s), dimensions={}\n"
                           "  unused = f32[2,2] negate(x)\n"
                           "  y = f32[2,2] add(x, b)\n"
                           "  i = s32[3] get-tuple-element(t), index=0\n"
                           "  ROOT r = (f32[2,2], s32[3]) tuple(y, i)\n"
                           "}\n";

static hlo_module *parse(const char *from, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("memory", from, strlen(from));
    hlo_module *module;
    hlo_status status = hlo_parse(source, diags, &module);
    check((status == HLO_OK) == (module != NULL), "a module exactly when the status is good");
    hlo_source_free(source); /* the module keeps it */
    return module;
}

static void check_bytes(hlo_output *output, const char *wanted, const char *what) {
    size_t n;
    const char *bytes = hlo_output_bytes(output, &n);
    check(n == strlen(wanted) && memcmp(bytes, wanted, n) == 0, what);
    hlo_output_free(output);
}

static void test_passes_and_text(hlo_module *module, hlo_diags *diags) {
    hlo_pipeline *pipeline;
    bool changed = false;
    check(hlo_module_describe(module).instructions == 8, "eight instructions");
    check(hlo_verify(module, diags) == HLO_OK, "verifies");
    check(hlo_pipeline_parse("pipeline", "dce", diags, &pipeline) == HLO_OK, "a pipeline");
    check(hlo_pipeline_execute(pipeline, module, diags, &changed) == HLO_OK && changed,
          "dce changes it");
    check(hlo_pipeline_execute(pipeline, module, diags, &changed) == HLO_OK && !changed,
          "but only once");
    hlo_pipeline_free(pipeline);
    check(hlo_module_describe(module).instructions == 7, "seven instructions");
    hlo_output *first = hlo_output_to_memory(), *second = hlo_output_to_memory();
    check(hlo_write_text(module, NULL, first, diags) == HLO_OK, "prints");
    size_t n;
    const char *bytes = hlo_output_bytes(first, &n);
    check(n > 0 && bytes[n - 1] == '\n' && bytes[n - 2] != '\n', "ends with one newline");
    check(hlo_write_graph(module, NULL, second, diags) == HLO_OK, "draws");
    bytes = hlo_output_bytes(second, &n);
    check(n > 7 && memcmp(bytes, "digraph", 7) == 0, "as Graphviz text");
    check(hlo_output_commit(second, diags) == HLO_OK, "memory can be committed");
    hlo_output_free(first);
    hlo_output_free(second);
}

static hlo_array array_of(hlo_element_type type, uint32_t rank, const int64_t *dims,
                          const void *data) {
    return (hlo_array){type, rank, dims, NULL, data};
}

static void check_literals(const hlo_run *run, hlo_diags *diags) {
    hlo_output *output = hlo_output_to_memory();
    check(hlo_run_write_literal(run, 0, output, diags) == HLO_OK, "writes");
    check_bytes(output, "(f32[2,2], s32[3]) ( { { 11, 12 }, { 13, 14 } }, {7, 8, 9} )\n",
                "the literal");
    output = hlo_output_to_memory();
    check(hlo_run_write_literal(run, 3, output, diags) == HLO_OK, "writes");
    check_bytes(output, "(f32[2,2], s32[3]) ( {...}, {7, 8, 9} )\n", "the literal, cut");
}

static void test_run(hlo_module *module, hlo_diags *diags) {
    static const float x[] = {1, 2, 3, 4}, s = 10;
    static const int32_t i[] = {7, 8, 9};
    static const int64_t two[] = {2, 2}, three[] = {3};
    const hlo_array x_array = array_of(HLO_TYPE_F32, 2, two, x);
    const hlo_array i_array = array_of(HLO_TYPE_S32, 1, three, i);
    const hlo_array s_array = array_of(HLO_TYPE_F32, 0, NULL, &s);
    hlo_array array;
    hlo_run *run;
    check(hlo_run_prepare(module, NULL, diags, &run) == HLO_OK, "prepares");
    check(hlo_run_input_count(run) == 3 && hlo_run_device_count(run) == 1, "three leaves");
    check(hlo_run_input(run, 0, 1, diags, &array) == HLO_OK && array.type == HLO_TYPE_S32 &&
              array.rank == 1 && array.dims[0] == 3 && !array.data && hlo_array_bytes(&array) == 12,
          "leaf 1 is s32[3]");
    check(hlo_run_set_input(run, 0, 0, &x_array, diags) == HLO_OK, "leaf 0");
    check(hlo_run_set_input(run, 0, 1, &i_array, diags) == HLO_OK, "leaf 1");
    check(hlo_run_input(run, 0, 1, diags, &array) == HLO_OK && array.data == i, "is borrowed");
    hlo_diags *expected = hlo_diags_create(0);
    check(hlo_run_set_input(run, 0, 2, &x_array, expected) == HLO_BAD_USE,
          "leaf 2 is not so large");
    check(hlo_run_set_input(run, 0, 3, &s_array, expected) == HLO_BAD_USE, "there is no leaf 3");
    check(hlo_run_execute(run, expected) == HLO_BAD_USE, "leaf 2 is missing");
    check(hlo_diags_error_count(expected) == 3, "three errors");
    hlo_diags_free(expected);
    check(hlo_run_set_input(run, 0, 2, &s_array, diags) == HLO_OK, "leaf 2");
    for (int again = 0; again < 2; again++) {
        check(hlo_run_execute(run, diags) == HLO_OK, "runs");
        check(hlo_run_output_count(run) == 2, "two results");
        static const float wanted[] = {11, 12, 13, 14};
        check(hlo_run_output(run, 0, 0, diags, &array) == HLO_OK && array.type == HLO_TYPE_F32 &&
                  array.rank == 2 && !array.strides && hlo_array_bytes(&array) == sizeof wanted &&
                  memcmp(array.data, wanted, sizeof wanted) == 0,
              "x + s");
    }
    check_literals(run, diags);
    hlo_run_free(run);
}

static const char array_text[] = "HloModule m\n"
                                 "ENTRY e {\n"
                                 "  x = s16[2,3] parameter(0)\n"
                                 "  p = pred[4] parameter(1)\n"
                                 "  c = c64[1] parameter(2)\n"
                                 "  z = f32[0,5] parameter(3)\n"
                                 "  n = s4[3] parameter(4)\n"
                                 "  y = s16[2,3] add(x, x)\n"
                                 "  q = s32[4] convert(p)\n"
                                 "  d = c64[1] add(c, c)\n"
                                 "  m = s32[3] convert(n)\n"
                                 "  ROOT r = (s16[2,3], s32[4], c64[1], f32[0,5], s32[3])\n"
                                 "      tuple(y, q, d, z, m)\n"
                                 "}\n";

static const void *input_data(const hlo_run *run, uint32_t leaf, hlo_diags *diags) {
    hlo_array array;
    return hlo_run_input(run, 0, leaf, diags, &array) == HLO_OK ? array.data : NULL;
}

/* Sets all inputs; s16[2,3] is the transpose of what lies in memory, its columns backwards. */
static void set_arrays(hlo_run *run, hlo_diags *diags) {
    static const int16_t x[3][2] = {{30, 60}, {20, 50}, {10, 40}};
    static const int64_t x_dims[] = {2, 3}, x_strides[] = {2, -4};
    static const int64_t p_dims[] = {4}, c_dims[] = {1}, c_strides[] = {1000}, z_dims[] = {0, 5};
    static const int64_t n_dims[] = {3};
    static const unsigned char p[] = {0, 1, 2, 255}, n[] = {1, 0x0f, 0xf7};
    static const float c[] = {1, -2};
    const hlo_array x_array = {HLO_TYPE_S16, 2, x_dims, x_strides, x[2]};
    const hlo_array p_array = array_of(HLO_TYPE_PRED, 1, p_dims, p);
    const hlo_array c_array = {HLO_TYPE_C64, 1, c_dims, c_strides, c};
    const hlo_array z_array = array_of(HLO_TYPE_F32, 2, z_dims, NULL);
    const hlo_array n_array = array_of(HLO_TYPE_S4, 1, n_dims, n);
    check(hlo_run_set_input(run, 0, 0, &x_array, diags) == HLO_OK, "strides");
    check(hlo_run_set_input(run, 0, 1, &p_array, diags) == HLO_OK, "truth values");
    check(hlo_run_set_input(run, 0, 2, &c_array, diags) == HLO_OK, "complex numbers");
    check(hlo_run_set_input(run, 0, 3, &z_array, diags) == HLO_OK, "no elements, no data");
    check(hlo_run_set_input(run, 0, 4, &n_array, diags) == HLO_OK, "half bytes");
    check(input_data(run, 1, diags) != p, "2 and 255 are made 1 in a copy");
    check(input_data(run, 2, diags) == c, "the stride of one element is none");
}

static void check_result(hlo_run *run, uint32_t leaf, const void *wanted, size_t bytes,
                         hlo_diags *diags, const char *what) {
    char to[64] = {0};
    check(hlo_run_copy_output(run, 0, leaf, to, NULL, sizeof to, diags) == HLO_OK &&
              memcmp(to, wanted, bytes) == 0,
          what);
}

static void test_arrays(hlo_diags *diags) {
    static const int16_t y[] = {20, 40, 60, 80, 100, 120};
    static const int32_t q[] = {0, 1, 1, 1}, m[] = {1, -1, 7};
    static const float d[] = {2, -4};
    static const int64_t columns[] = {2, 4};
    hlo_module *module = parse(array_text, diags);
    hlo_run *run;
    check(hlo_run_prepare(module, NULL, diags, &run) == HLO_OK, "prepares");
    set_arrays(run, diags);
    check(hlo_run_execute(run, diags) == HLO_OK, "runs");
    check_result(run, 0, y, sizeof y, diags, "what has strides");
    check_result(run, 1, q, sizeof q, diags, "truth values");
    check_result(run, 2, d, sizeof d, diags, "complex numbers");
    check_result(run, 4, m, sizeof m, diags, "half bytes have signs");
    check(hlo_run_copy_output(run, 0, 3, NULL, NULL, 0, diags) == HLO_OK, "no elements, no memory");
    int16_t transposed[3][2] = {{0}};
    check(hlo_run_copy_output(run, 0, 0, transposed, columns, sizeof transposed, diags) == HLO_OK &&
              transposed[0][1] == 80 && transposed[2][0] == 60 && transposed[2][1] == 120,
          "a result by columns");
    hlo_run_free(run);
    hlo_module_free(module);
}

static void test_errors(void) {
    hlo_diags *diags = hlo_diags_create(2);
    hlo_source *source;
    hlo_pipeline *pipeline;
    hlo_module *bad = parse(
        "HloModule m\nENTRY e { x = f32[] foo()\n y = f32[] bar()\n z = f32[] baz() }\n", diags);
    check(!bad && hlo_diags_error_count(diags) == 2, "the parser stops at max_errors");
    check(hlo_read_source("/no/such/file", diags, &source) == HLO_BAD_SYSTEM && !source,
          "no source");
    check(hlo_pipeline_parse("pipeline", "no-such-pass", diags, &pipeline) == HLO_BAD_USE &&
              !pipeline,
          "no pass");
    hlo_diags_free(diags);
}

static const char *own_hint(void *context, const char *topic) {
    return strcmp(topic, "rules") == 0 ? context : NULL;
}

/* What diags_render writes about an unknown rule. */
static bool explains_by(const char *hint, bool own) {
    char shown[256] = "", own_text[] = "look it up";
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *output = hlo_output_to_memory();
    if (own) hlo_diags_set_hints(diags, own_hint, own_text);
    check(hlo_explain_rule("no-such-rule", output, diags) == HLO_BAD_USE, "no rule");
    memset(own_text, 'x', sizeof own_text - 1); /* the text is copied */
    FILE *file = tmpfile();
    if (file) {
        hlo_diags_render(diags, file, false);
        rewind(file);
        shown[fread(shown, 1, sizeof shown - 1, file)] = '\0';
        fclose(file);
    }
    hlo_output_free(output);
    hlo_diags_free(diags);
    return strstr(shown, hint) != NULL;
}

static bool is_text(const char *name, size_t length, const char *wanted) {
    return length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

/* Two errors of a module, one with a note, as data, and the same in one text. */
static void test_diagnostics(void) {
    static const char wrong[] = "HloModule m\n"
                                "ENTRY e {\n"
                                "  x = f32[2] parameter(0)\n"
                                "  y = f32[3] negate(x)\n"
                                "  x = f32[2] tanh(y)\n"
                                "}\n";
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("m.hlo", wrong, sizeof wrong - 1);
    hlo_module *module = NULL;
    hlo_diag_info info;
    check(!hlo_diags_first(diags), "an empty list");
    check(hlo_parse(source, diags, &module) == HLO_BAD_MODULE && !module, "x is there twice");
    const hlo_diag *d = hlo_diags_first(diags), *note = hlo_diag_notes(d);
    check(hlo_diag_describe(d, &info) && info.severity == HLO_ERROR, "an error");
    check(strcmp(info.rule, "duplicate-name") == 0 && strcmp(info.stage, "parse") == 0, info.rule);
    check(strcmp(info.file, "m.hlo") == 0 && info.line == 5 && info.column == 3, "its place");
    check(info.end_line == 5 && info.end_column == 4, "its end");
    check(strstr(info.message, "x") && !hlo_diag_next(d), info.message);
    check(hlo_diag_describe(note, &info) && info.severity == HLO_NOTE && !info.rule, "a note");
    check(info.line == 3 && info.column == 3 && !hlo_diag_next(note), "its place");
    hlo_output *output = hlo_output_to_memory();
    check(hlo_diags_write(diags, false, output) == HLO_OK, "the same as text");
    size_t length;
    const char *written = hlo_output_bytes(output, &length);
    check(length > 20 && memcmp(written, "m.hlo:5:3: error: ", 18) == 0, "the text");
    hlo_output_free(output);
    hlo_source_free(source);
    hlo_diags_free(diags);
}

/* Of a verified module: the names around, and what is near. */
static void test_named_diagnostics(void) {
    static const char wrong[] = "HloModule m\n"
                                "ENTRY e {\n"
                                "  x = f32[2] parameter(0)\n"
                                "  ROOT y = f32[3] negate(x)\n"
                                "}\n";
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("m.hlo", wrong, sizeof wrong - 1);
    hlo_module *module = NULL;
    hlo_diag_info info;
    check(hlo_parse(source, diags, &module) == HLO_OK, "it is read");
    check(hlo_verify(module, diags) == HLO_BAD_MODULE, "it is wrong");
    check(hlo_diag_describe(hlo_diags_first(diags), &info), "an error");
    check(strcmp(info.rule, "result-shape") == 0 && strcmp(info.stage, "shape") == 0, info.rule);
    check(is_text(info.computation, info.computation_length, "e"), "its computation");
    check(is_text(info.instruction, info.instruction_length, "y"), "its instruction");
    hlo_module_free(module);
    hlo_source_free(source);
    hlo_diags_free(diags);
}

static void test_hints(void) {
    hlo_table_row row;
    check(explains_by("hint: hlo_rule_row lists the rules\n", false), "hints name what hlo.h has");
    check(explains_by("hint: look it up\n", true), "or what the program calls it");
    size_t n = 0;
    while (hlo_advice_row(n, &row)) {
        check(row.name && row.description && row.group && !strstr(row.description, " --"),
              "no option in a hint");
        n++;
    }
    check(n > 5, "topics of hints");
}

static void test_element_types(void) {
    check(hlo_element_type_from_name("f32") == HLO_TYPE_F32, "f32");
    check(strcmp(hlo_element_type_name(HLO_TYPE_BF16), "bf16") == 0, "bf16");
    check(strcmp(hlo_element_type_name(HLO_TYPE_TUPLE), "tuple") == 0, "tuple");
    for (int number = 0; number < 64; number++) {
        const char *name = hlo_element_type_name((hlo_element_type)number);
        if (name) check(hlo_element_type_from_name(name) == (hlo_element_type)number, name);
    }
    check(!hlo_element_type_name(HLO_TYPE_INVALID), "no type 0");
    check(!hlo_element_type_name((hlo_element_type)-1), "no type -1");
    check(hlo_element_type_from_name("f33") == HLO_TYPE_INVALID, "no f33");
    check(hlo_element_type_from_name(NULL) == HLO_TYPE_INVALID, "no name");
    check(hlo_element_type_bytes(HLO_TYPE_C128) == 16, "c128 takes 16 bytes");
    check(hlo_element_type_bytes(HLO_TYPE_U4) == 1, "u4 takes one");
    check(hlo_element_type_bytes(HLO_TYPE_TOKEN) == 0, "a token takes none");
}

static void test_split(void) {
    static const char parts_text[] = "a\n// -----\nb\nc\n// ----- more\n";
    hlo_source *source = hlo_source_from_text("memory", parts_text, sizeof parts_text - 1);
    hlo_source **parts;
    size_t count = hlo_source_split(source, &parts);
    check(count == 3, "three parts, the last one empty");
    hlo_source_parts_free(parts, count);
    hlo_source_free(source);
}

static void test_tables(void) {
    hlo_table_row row;
    size_t n = 0;
    while (hlo_operation_row(n, &row)) {
        check(row.name && row.group, "an operation has a name and a group");
        n++;
    }
    check(n > 100, "more than a hundred operations");
    check(hlo_pass_row(0, &row) && row.name && row.description, "a pass");
    check(hlo_rule_row(0, &row) && row.name && row.description, "a rule");
    check(!hlo_rule_row(100000, &row) && !hlo_pass_row(100000, &row), "tables end");
    check(strcmp(hlo_version(), HLO_VERSION) == 0, "header and library agree");
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse(text, diags);
    check(module != NULL, "parses");
    if (module) {
        test_passes_and_text(module, diags);
        test_run(module, diags);
        test_arrays(diags);
    }
    hlo_module_free(module);
    hlo_diags_render(diags, stdout, false);
    check(hlo_diags_error_count(diags) == 0, "without errors");
    hlo_diags_free(diags);
    test_errors();
    test_split();
    test_diagnostics();
    test_named_diagnostics();
    test_hints();
    test_element_types();
    test_tables();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
