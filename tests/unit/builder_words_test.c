/* What builders take as text: attributes of instructions and of the module, shapes, constants;
 * and what else is set for one instruction: names, shapes, control predecessors, stack frames. Only
 * public headers of the library are included. */
#include <hlo_builder.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

static hlo_builder *b;

static const hlo_instr *floats(void) {
    return hlo_builder_parameter(b, 0, hlo_builder_shape(b, HLO_TYPE_F32, HLO_INTS(2, 2)));
}

/* The module's text has each of the parts. */
static void has(const char *what, hlo_module *module, const char *const *parts) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    check(hlo_write_text(module, NULL, to, diags) == HLO_OK, what);
    size_t n;
    const char *bytes = hlo_output_bytes(to, &n);
    char *text = calloc(n + 1, 1);
    memcpy(text, bytes, n);
    for (; *parts; parts++) {
        check(strstr(text, *parts) != NULL, *parts);
        if (!strstr(text, *parts)) printf("is %s", text);
    }
    free(text);
    hlo_output_free(to);
    hlo_diags_free(diags);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void says(const char *what, const hlo_instr *root, const char *const *parts) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    hlo_status status = hlo_builder_build(b, root, diags, &module);
    if (status == HLO_OK) status = hlo_verify(module, diags);
    check(status == HLO_OK, what);
    if (status != HLO_OK) hlo_diags_render(diags, stdout, false);
    if (module) has(what, module, parts);
    hlo_module_free(module);
    hlo_diags_free(diags);
    hlo_builder_free(b);
}

/* The only error has these words. */
static void fails(const char *what, const char *words) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    check(hlo_builder_failed(b), what);
    check(hlo_builder_build(b, NULL, diags, &module) != HLO_OK && !module, what);
    check(hlo_diags_error_count(diags) == 1, what);
    FILE *to = tmpfile();
    hlo_diags_render(diags, to, false);
    char text[2048] = "";
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = 0;
    fclose(to);
    check(strstr(text, words) != NULL, words);
    if (!strstr(text, words)) printf("  is %s", text);
    hlo_diags_free(diags);
    hlo_builder_free(b);
}

/* ---- one instruction ---- */

static void test_instruction(void) {
    b = hlo_builder_create("m");
    const hlo_instr *x = floats();
    hlo_builder_set_name(b, "product");
    hlo_builder_set_attribute(b, "operand_precision", "{highest,default}");
    hlo_builder_set_attribute(b, "backend_config", "{\"window\":1}");
    hlo_builder_set_attribute(b, "sharding", "{devices=[2,1]<=[2]}");
    hlo_builder_set_attribute(b, "metadata", "{op_name=\"f/g\"}");
    hlo_builder_set_attribute(b, "frontend_attributes", "{k=\"v\"}");
    const hlo_instr *y = hlo_builder_dot(b, x, x);
    hlo_builder_set_control_predecessors(b, HLO_INSTRS(y));
    hlo_builder_set_shape(b, hlo_builder_shape_from_text(b, "f32[2,2]{0,1}"));
    says("attributes of one instruction", hlo_builder_neg(b, x),
         PARTS("%product = f32[2,2]{1,0} dot(",
               "operand_precision={highest,default}, sharding={devices=[2,1]<=[2]}",
               "frontend_attributes={k=\"v\"}", "metadata={op_name=\"f/g\"}",
               "backend_config={\"window\":1}", "ROOT %negate = f32[2,2]{0,1} negate(%p",
               "control-predecessors={%product}"));
}

/* Of several instructions it is the result that gets what was set. */
static void test_result_of_several(void) {
    b = hlo_builder_create("m");
    const hlo_instr *x = floats(), *one = hlo_builder_constant_f32(b, 1);
    hlo_builder_set_name(b, "sum");
    hlo_builder_set_attribute(b, "sharding", "{replicated}");
    says("the result", hlo_builder_add(b, x, one, HLO_NONE),
         PARTS("%broadcast = f32[2,2]{1,0} broadcast(%constant), dimensions={}\n",
               "ROOT %sum = f32[2,2]{1,0} add(%parameter, %broadcast), sharding={replicated}\n"));
}

static void test_words_win(void) {
    b = hlo_builder_create("m");
    hlo_builder_set_metadata(b, &(hlo_op_metadata){.op_name = "scope"});
    const hlo_instr *x = floats();
    hlo_builder_set_attribute(b, "metadata", "{op_name=\"own\"}");
    hlo_builder_set_attribute(b, "dimensions", "{1,0}");
    says("words stand in place of arguments and scopes",
         hlo_builder_transpose(b, x, HLO_INTS(0, 1)),
         PARTS("dimensions={1,0}, metadata={op_name=\"own\"}"));
}

static void test_module(void) {
    b = hlo_builder_create("m");
    hlo_builder_set_computation_name(b, "start");
    hlo_builder_set_module_attribute(b, "replica_count", "2");
    hlo_builder_set_module_attribute(b, "frontend_attributes", "{a=\"b\"}");
    hlo_builder_set_module_attribute(b, "entry_computation_layout",
                                     "{(f32[2,2]{0,1})->f32[4,2]{1,0}}");
    says("attributes of the module",
         hlo_builder_all_gather_tuple(b, HLO_INSTRS(floats()), 0, 0, HLO_ONE_GROUP, 0),
         PARTS("replica_count=2, frontend_attributes={a=\"b\"}", "ENTRY %start (",
               "entry_computation_layout={(f32[2,2]{0,1})->f32[4,2]{1,0}}"));
}

static void test_names(void) {
    b = hlo_builder_create("a b\"");
    hlo_builder_set_computation_name(b, "c{\n");
    hlo_builder_set_name(b, "1 x=\xc3\xa9");
    says("bytes that names have not become _", floats(),
         PARTS("HloModule a_b_,", "ENTRY %c__ (", "%a_x___ = "));
}

static void test_texts(void) {
    b = hlo_builder_create("m");
    const hlo_shape *pair = hlo_builder_shape_from_text(b, "(s32[2,2]{0,1}, pred[])");
    const hlo_instr *made =
        hlo_builder_constant_from_text(b, pair, "({ { 1, 2 }, { 3, 4 } }, true)");
    hlo_array first, second;
    check(hlo_instr_literal(made, 0, &first) && hlo_instr_literal(made, 1, &second) &&
              ((const int32_t *)first.data)[1] == 2 && *(const bool *)second.data,
          "elements of a constant");
    says("a constant as text", made, PARTS("(s32[2,2]{0,1}, pred[]) constant("));
}

static void test_frames(void) {
    b = hlo_builder_create("m");
    const hlo_source_location outer = {"a.py", "main", 3, 3, 1, 9},
                              inner = {"a.py", "layer", 7, 8, 2, 4};
    uint32_t first = hlo_builder_stack_frame(b, 0, &outer);
    uint32_t second = hlo_builder_stack_frame(b, first, &inner);
    check(first == 1 && second == 2, "frames are numbered from 1");
    check(hlo_builder_stack_frame(b, first, &inner) == 2, "equal frames are one");
    hlo_builder_set_attribute(b, "metadata", "{op_name=\"x\" stack_frame_id=2}");
    says("stack frames", floats(),
         PARTS("FileNames\n1 \"a.py\"\n", "FunctionNames\n1 \"main\"\n2 \"layer\"\n",
               "2 {file_name_id=1 function_name_id=2 line=7 end_line=8 column=2 end_column=4}",
               "2 {file_location_id=2 parent_frame_id=2}", "stack_frame_id=2"));
}

static void test_threads_of_calls(void) {
    b = hlo_builder_create("m");
    hlo_builder_begin(b, "beside");
    hlo_builder_set_execution_thread(b, "other");
    const hlo_computation *beside = hlo_builder_end(b, hlo_builder_neg(b, floats()));
    const hlo_instr *start = hlo_builder_async_start(b, beside, HLO_INSTRS(floats()), "other");
    says("a call beside",
         hlo_builder_async_done(b, hlo_builder_async_update(b, start, (hlo_instrs_list){0, NULL})),
         PARTS("((f32[2,2]{1,0}), f32[2,2]{1,0}, u32[]) negate-start(", "negate-update(",
               "async_execution_thread=\"other\""));
}

/* ---- errors ---- */

static const struct {
    const char *name, *text, *words;
} wrong[] = {
    {"no_such", "1", "there is no attribute 'no_such'"},
    {"feature_index", "1", "negate takes no attribute 'feature_index'"},
    {"sharding", "{replicate}", "attribute:1:"},
    {"sharding", "", "attribute:1:"},
    {"sharding", "{replicated}, metadata={}", "one attribute is expected"},
    {"sharding", "{replicated} add(x)", "attribute:1:"},
    {"sharding", "{replicated}\n}", "attribute:1:"},
    {"sharding", "{", "attribute:1:"},
    {"metadata", "{op_name=\"", "attribute:1:"},
    {"metadata", "{op_name=1}", "attribute:1:"},
    {"backend_config", "{{{", "attribute:1:"},
    {"control-predecessors", "{x}", "attribute:1:"},
    {"to_apply", "x", "no earlier computation is named 'x'"},
    {"statistics", "{visualizing_index=", "attribute:1:"},
    {"origin", "{{", "attribute:1:"},
};

static void test_wrong_attributes(void) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        b = hlo_builder_create("m");
        const hlo_instr *x = floats();
        hlo_builder_set_attribute(b, wrong[i].name, wrong[i].text);
        check(!hlo_builder_neg(b, x), wrong[i].text);
        fails(wrong[i].text, wrong[i].words);
    }
}

static void test_wrong_others(void) {
    b = hlo_builder_create("m");
    hlo_builder_set_module_attribute(b, "replica_count", "two");
    fails("a count that is none", "attribute:1:");
    b = hlo_builder_create("m");
    hlo_builder_set_module_attribute(b, "dimensions", "{0}");
    fails("an attribute of instructions", "of a module");
    b = hlo_builder_create("m");
    check(!hlo_builder_shape_from_text(b, "f32[2"), "half a shape");
    fails("half a shape", "attribute:1:");
    b = hlo_builder_create("m");
    check(!hlo_builder_constant_from_text(b, hlo_builder_shape(b, HLO_TYPE_F32, HLO_INTS(2)),
                                          "{ 1 }"),
          "half a constant");
    fails("half a constant", "constant:1:");
    b = hlo_builder_create("m");
    check(!hlo_builder_stack_frame(b, 1, &(hlo_source_location){"a", "f", 0, 0, 0, 0}),
          "a parent that is not there");
    fails("a parent that is not there", "an existing parent");
    b = hlo_builder_create("m");
    hlo_builder_begin(b, "c");
    const hlo_instr *inner = floats();
    hlo_builder_end(b, inner);
    hlo_builder_set_control_predecessors(b, HLO_INSTRS(inner));
    fails("a predecessor elsewhere", "control predecessor 0 belongs to another computation");
}

int main(void) {
    test_instruction();
    test_result_of_several();
    test_words_win();
    test_module();
    test_names();
    test_texts();
    test_frames();
    test_threads_of_calls();
    test_wrong_attributes();
    test_wrong_others();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
