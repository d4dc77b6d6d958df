/* Every kind of attribute value: its print, when it is left out, equality, hash and copies. The
 * expected texts are what XLA prints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "ir/print_attr.h"
#include "unit/check.h"

static hlo_module *module;

/* The options that print everything, so that these tests need no other printer. */
static const hlo_print_options all = {.percent = true,
                                      .metadata = true,
                                      .backend_config = true,
                                      .control_predecessors = true,
                                      .result_layouts = true};

static bool prints_as(const hlo_attr *attr, const hlo_print_options *options, const char *wanted) {
    hlo_buf buf = HLO_BUF_INIT;
    hlo_attr_print(attr, options, &buf);
    bool same = hlo_str_is((hlo_str){buf.data ? buf.data : "", (uint32_t)buf.len, 0}, wanted);
    if (!same) printf("got    %.*s\nwanted %s\n", (int)buf.len, buf.data, wanted);
    hlo_buf_free(&buf);
    return same;
}

/* A copy in another module prints the same, is equal and has the same hash. */
static void check_copy(const hlo_attr *attr, const char *wanted) {
    hlo_module *other = hlo_module_new();
    hlo_attr copy = hlo_attr_import(&other->arena, &other->shapes, attr);
    check(prints_as(&copy, &all, wanted), "a copy prints the same");
    check(hlo_attr_equal(attr, &copy) && hlo_attr_equal(&copy, attr), "a copy is equal");
    check(hlo_attr_hash(attr) == hlo_attr_hash(&copy), "a copy has the same hash");
    check(copy.at == 0, "a copy stands nowhere in a text");
    hlo_module_free(other);
}

static void expect(hlo_attr attr, const char *wanted) {
    attr.at = 7;
    check(prints_as(&attr, &all, wanted), wanted);
    check_copy(&attr, wanted);
}

static void *keep(const void *value, size_t size) {
    return hlo_arena_copy(&module->arena, value, size);
}

#define ATTR(name, member, value) ((hlo_attr){.id = HLO_ATTR_##name, .u.member = (value)})
#define KEEP(type, ...) ((const type *)keep(&(type){__VA_ARGS__}, sizeof(type)))
#define INTS(...)                                                 \
    hlo_ints_from(&module->arena, (const int64_t[]){__VA_ARGS__}, \
                  sizeof((int64_t[]){__VA_ARGS__}) / 8)
#define NO_INTS hlo_ints_new(&module->arena, 0)
/* A list value whose entries stand in v[]. */
#define LIST(type, count) \
    ((type *)hlo_arena_zero(&module->arena, sizeof(type) + (count) * sizeof(((type *)0)->v[0])))

static const hlo_str *text(const char *from) {
    hlo_str s = hlo_str_from(from);
    return keep(&s, sizeof s);
}

/* ---- plain kinds ---- */

static void test_plain(void) {
    expect(ATTR(IS_STABLE, i, 1), ", is_stable=true");
    expect(ATTR(IS_STABLE, i, 0), "");
    expect(ATTR(LARGEST, i, 1), ", largest=true");
    expect(ATTR(IS_ASSOCIATIVE, i, 0), ", is_associative=false");
    expect(ATTR(CHANNEL_ID, i, 0), ", channel_id=0");
    expect(ATTR(FEATURE_GROUP_COUNT, i, 1), "");
    expect(ATTR(FEATURE_GROUP_COUNT, i, 6), ", feature_group_count=6");
    expect(ATTR(INFERRED_DIMENSION, i, -1), "");
    expect(ATTR(DELTA, i, INT64_MIN), ", delta=-9223372036854775808");
    expect(ATTR(CROSS_PROGRAM_PREFETCH_INDEX, i, 3), ", cross_program_prefetch_index=3");
    expect(ATTR(EPSILON, f, 0.1234567), ", epsilon=0.123457");
    expect(ATTR(EPSILON, f, 1e7), ", epsilon=1e+07");
    expect(ATTR(PARAMETER_NUMBER, i, 2), "");
    expect(ATTR(MODE, i, -1), "");
    expect(ATTR(DIMENSIONS, ints, INTS(1, 0)), ", dimensions={1,0}");
    expect(ATTR(DIMENSIONS, ints, NO_INTS), ", dimensions={}");
    expect(ATTR(LHS_BATCH_DIMS, ints, NO_INTS), "");
    expect(ATTR(PARAMETER_REPLICATION, ints, INTS(1, 0)), ", parameter_replication={true,false}");
    expect(ATTR(SPMD_TO_OUTPUT, ints, INTS(0)), "");
    expect(ATTR(SPMD_TO_OUTPUT, ints, NO_INTS), "");
    expect(ATTR(SPMD_TO_OUTPUT, ints, INTS(0, 0)),
           ", allow_spmd_sharding_propagation_to_output={false,false}");
    hlo_int_lists *pairs = LIST(hlo_int_lists, 2);
    pairs->n = 2;
    pairs->v[0] = INTS(0, 1);
    pairs->v[1] = INTS(1, 0);
    expect(ATTR(SOURCE_TARGET_PAIRS, int_lists, pairs), ", source_target_pairs={{0,1},{1,0}}");
}

static void test_words(void) {
    expect(ATTR(DIRECTION, i, 5), ", direction=LT");
    expect(ATTR(API_VERSION, i, 1), "");
    expect(ATTR(API_VERSION, i, 4), ", api_version=API_VERSION_TYPED_FFI");
    expect(ATTR(TRANSPOSE_A, i, 0), "");
    expect(ATTR(TRANSPOSE_A, i, 1), ", transpose_a=NO_TRANSPOSE");
    expect(ATTR(ALGORITHM, i, 13), ", algorithm=dot_bf16_bf16_f32_x9");
    expect(ATTR(RNG_ALGORITHM, i, 0), ", algorithm=rng_default");
    expect(ATTR(OPERAND_PRECISION, ints, INTS(0, 0)), "");
    expect(ATTR(OPERAND_PRECISION, ints, INTS(1, 0)), ", operand_precision={high,default}");
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_PRECISION, HLO_STR("HIGHest"));
    check(word && word->number == 2, "precisions are read in any case");
    check(hlo_word_find(HLO_WORDS_ACCURACY_MODE, HLO_STR("HIGHEST")) != NULL,
          "so are accuracy modes");
    check(!hlo_word_find(HLO_WORDS_DIRECTION, HLO_STR("eq")), "directions are not");
    check(!hlo_word_find(HLO_WORDS_DIRECTION, HLO_STR("E")), "a beginning is no word");
    check(!hlo_word_find(HLO_WORDS_DIRECTION, HLO_STR("EQU")), "nor is a word with more after it");
    check(!hlo_word_find(HLO_WORDS_NONE, HLO_STR("EQ")), "the empty set has no words");
    for (size_t i = 0; i < hlo_word_count; i++)
        check(hlo_word_find(hlo_words[i].set, hlo_str_from(hlo_words[i].text)) == &hlo_words[i],
              "each word is found");
}

static void test_names(void) {
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        const char *name = hlo_attr_table[id].text;
        hlo_attr_id found = hlo_attr_from_text(name, strlen(name));
        if (hlo_attr_table[id].place == HLO_PLACE_PARENS) continue;
        check(found <= (hlo_attr_id)id && strcmp(hlo_attr_table[found].text, name) == 0,
              "the first attribute of each name is found");
    }
    check(hlo_attr_from_text("value", 5) == HLO_ATTR_COUNT,
          "what stands in parentheses has no name");
    check(hlo_attr_from_text("dimension", 9) == HLO_ATTR_COUNT, "a beginning is no attribute");
    check(hlo_attr_from_text("dimensions\0", 11) == HLO_ATTR_COUNT,
          "nor is a name with a zero byte");
    check(hlo_attr_from_text("slice_sizes", 11) == HLO_ATTR_SLICE_SIZES,
          "gather's slice_sizes comes first");
}

static void test_texts(void) {
    expect(ATTR(CUSTOM_CALL_TARGET, string, text("a\"b\n\xc3\xa9")),
           ", custom_call_target=\"a\\\"b\\n\\303\\251\"");
    expect(ATTR(INFEED_CONFIG, string, text("")), "");
    expect(ATTR(ASYNC_EXECUTION_THREAD, string, text("main")), "");
    expect(ATTR(ASYNC_EXECUTION_THREAD, string, text("a\"b")),
           ", async_execution_thread=\"a\\\"b\"");
    expect(ATTR(BACKEND_CONFIG, string, text("")), "");
    expect(ATTR(BACKEND_CONFIG, string, text("{\"a\":1}")), ", backend_config={\"a\":1}");
    expect(ATTR(BACKEND_CONFIG, string, text("{\n}")), ", backend_config={\n}");
    expect(ATTR(BACKEND_CONFIG, string, text("{}x")), ", backend_config=\"{}x\"");
    expect(ATTR(BACKEND_CONFIG, string, text("[1]")), ", backend_config=\"[1]\"");
}

static const struct {
    hlo_str text;
    bool is_region;
} json_regions[] = {
    {HLO_STR("{}"), true},
    {HLO_STR(" \t\r\n{} "), true},
    {HLO_STR("{not json}"), true},
    {HLO_STR("{{}{}}"), true},
    {HLO_STR("{\"}\"}"), true},
    {HLO_STR("{\"a\nb\"}"), true},
    {HLO_STR("{\"\\\"}\"}"), true},
    {HLO_STR("/**/{}// x"), true},
    {HLO_STR("//x\n{}"), true},
    {HLO_STR("{\0}"), true},
    {HLO_STR("{\xff}"), true},
    {HLO_STR("{\"\xc3\xa9\"}"), true},
    {HLO_STR("{\"\xed\xa0\x80\"}"), true},
    {HLO_STR("{\"\0\"}"), true},
    {HLO_STR(""), false},
    {HLO_STR("{"), false},
    {HLO_STR("{}}"), false},
    {HLO_STR("{'}'}"), false},
    {HLO_STR("{\"a}"), false},
    {HLO_STR("{\"\\\n\"}"), false},
    {HLO_STR("{\"\\\"}"), false},
    {HLO_STR("{\"\xff\"}"), false},
    {HLO_STR("{\"\xc0\x80\"}"), false},
    {HLO_STR("{\"\xc3\"}"), false},
    {HLO_STR("{}/*"), false},
    {HLO_STR("/* {}"), false},
    {HLO_STR("{}/"), false},
    {HLO_STR("/{}"), false},
    {HLO_STR("{}\0"), false},
    {HLO_STR("//\0\n{}"), false},
    {HLO_STR("\v{}"), false},
    {HLO_STR("/*/{}"), false},
};

static void test_json_regions(void) {
    for (size_t i = 0; i < sizeof json_regions / sizeof *json_regions; i++)
        check(hlo_text_is_json_region(json_regions[i].text) == json_regions[i].is_region,
              json_regions[i].text.ptr);
}

/* ---- references, shapes, literals ---- */

static void test_references(void) {
    hlo_computation *f = hlo_computation_new(module, hlo_module_intern(module, HLO_STR("f")));
    hlo_computation *g = hlo_computation_new(module, hlo_module_intern(module, HLO_STR("g")));
    hlo_instr *x = hlo_instr_new(f, HLO_OP_AFTER_ALL, hlo_shape_token(&module->shapes),
                                 hlo_module_intern(module, HLO_STR("x")), NULL, 0, NULL, 0);
    expect(ATTR(TO_APPLY, computation, f), ", to_apply=%f");
    hlo_computations *both = LIST(hlo_computations, 2);
    both->n = 2;
    both->v[0] = f;
    both->v[1] = g;
    expect(ATTR(BRANCH_COMPUTATIONS, computations, both), ", branch_computations={%f, %g}");
    expect(ATTR(CALLED_COMPUTATIONS, computations, LIST(hlo_computations, 0)), "");
    hlo_instrs *before = LIST(hlo_instrs, 1);
    before->n = 1;
    before->v[0] = x;
    hlo_attr control = ATTR(CONTROL_PREDECESSORS, instructions, before);
    expect(control, ", control-predecessors={%x}");
    hlo_print_options bare = all;
    bare.percent = false;
    check(prints_as(&control, &bare, ", control-predecessors={x}"), "names without %");
    bare.control_predecessors = false;
    check(prints_as(&control, &bare, ""), "control predecessors can be left out");
}

static void test_shapes(void) {
    hlo_shapes_table *table = &module->shapes;
    static const int64_t dims[] = {2, 3}, swapped[] = {0, 1};
    const hlo_shape *s = hlo_shape_array(table, HLO_F32, dims, 2, NULL, swapped, NULL);
    const hlo_shape *scalar = hlo_shape_scalar(table, HLO_S32);
    expect(ATTR(OUTFEED_SHAPE, shape, s), ", outfeed_shape=f32[2,3]{0,1}");
    hlo_shapes *list = LIST(hlo_shapes, 6);
    expect(ATTR(OPERAND_LAYOUT_CONSTRAINTS, shapes, list), ", operand_layout_constraints={}");
    list = LIST(hlo_shapes, 6);
    for (list->n = 0; list->n < 6; list->n++) list->v[list->n] = list->n == 2 ? s : scalar;
    expect(ATTR(ENTRY_COMPUTATION_LAYOUT, program_shape, KEEP(hlo_program_shape, list, s)),
           ", entry_computation_layout={(s32[], s32[], f32[2,3]{0,1}, s32[], s32[], "
           "/*index=5*/s32[])->f32[2,3]{0,1}}");
    list = LIST(hlo_shapes, 2);
    list->n = 2;
    list->v[0] = list->v[1] = s;
    expect(ATTR(OPERAND_LAYOUT_CONSTRAINTS, shapes, list),
           ", operand_layout_constraints={f32[2,3]{0,1}, f32[2,3]{0,1}}");
    const hlo_shape *empty = hlo_shape_tuple(table, NULL, 0);
    const hlo_shape *tree = hlo_shape_tuple(table, (const hlo_shape *[]){scalar, empty, s}, 3);
    hlo_literal *literal = hlo_literal_new(&module->arena, tree);
    *(int32_t *)literal->elements[0]->data = 7;
    ((float *)literal->elements[2]->data)[1] = 1.5f;
    hlo_attr attr = ATTR(LITERAL, literal, literal);
    expect(attr, ", literal=( s32[] 7, (  ), f32[2,3]{0,1} { { 0, 1.5, 0 }, { 0, 0, 0 } } )");
    hlo_literal *other = hlo_literal_new(&module->arena, tree);
    check(!hlo_attr_equal(&attr, &ATTR(LITERAL, literal, other)), "other elements, other literal");
}

/* ---- shardings, groups, domains ---- */

static void test_shardings(void) {
    const hlo_metadata *metadata = KEEP(hlo_metadata, .op_name = HLO_STR("x"));
    hlo_sharding marked = {.kind = HLO_SHARDING_MAXIMAL, .device = 1, .has_metadata = true};
    marked.metadata = (hlo_metadata_list){1, keep(&metadata, sizeof metadata)};
    const hlo_sharding *maximal = keep(&marked, sizeof marked);
    hlo_attr attr = ATTR(SHARDING, sharding, maximal);
    expect(attr, ", sharding={maximal device=1 metadata={op_name=\"x\"}}");
    hlo_print_options without = all;
    without.metadata = false;
    check(prints_as(&attr, &without, ", sharding={maximal device=1}"),
          "metadata of shardings can be left out");
    const hlo_sharding *manual = KEEP(hlo_sharding, .kind = HLO_SHARDING_MANUAL);
    expect(ATTR(DOMAIN, domain, KEEP(hlo_domain, maximal, manual)),
           ", domain={kind=\"sharding\", entry={maximal device=1}, exit={manual}}");
    const hlo_iota_list *iota = KEEP(hlo_iota_list, INTS(2, 2), INTS(1, 0));
    attr = ATTR(
        REPLICA_GROUPS, groups,
        KEEP(hlo_groups, .form = HLO_GROUPS_IOTA, .group_count = 2, .group_size = 2, .iota = iota));
    expect(attr, ", replica_groups=[2,2]<=[2,2]T(1,0)");
    without.fingerprint = true;
    check(prints_as(&attr, &without, ", replica_groups={{0,2},{1,3}}"),
          "fingerprints list replica groups");
    expect(ATTR(REPLICA_GROUPS, groups, KEEP(hlo_groups, .form = HLO_GROUPS_LIST)),
           ", replica_groups={}");
}

/* ---- metadata, frontend attributes, statistics, accuracy, origins ---- */

static void test_metadata(void) {
    expect(ATTR(METADATA, metadata,
                KEEP(hlo_metadata, .op_type = HLO_STR("t"), .op_name = HLO_STR("n"),
                     .source_line = 3, .profile_type = INTS(1, 0), .scheduling_name = *text("q\""),
                     .stack_frame = 2, .source_file = *text("f\""),
                     .deduplicated_name = HLO_STR("d"), .source_end_line = 4, .source_column = -5,
                     .source_end_column = 6, .payload = HLO_STR("p"))),
           ", metadata={op_type=\"t\" op_name=\"n\" source_file=\"f\\\"\" source_line=3 "
           "source_end_line=4 "
           "source_column=-5 source_end_column=6 profile_type={1,0} deduplicated_name=\"d\" "
           "scheduling_name=\"q\\\"\" stack_frame_id=2 metadata_payload=\"p\"}");
    expect(ATTR(METADATA, metadata,
                KEEP(hlo_metadata, .source_line = 3, .deduplicated_name = HLO_STR("d"))),
           "");
    hlo_attr framed = ATTR(METADATA, metadata, KEEP(hlo_metadata, .stack_frame = 2));
    expect(framed, ", metadata={stack_frame_id=2}");
    hlo_attr empty = ATTR(METADATA, metadata, KEEP(hlo_metadata, .payload = HLO_STR("")));
    check(prints_as(&empty, &all, ", metadata={metadata_payload=\"\"}"),
          "an empty payload is a payload");
    hlo_print_options without = all;
    without.metadata = false;
    check(prints_as(&framed, &without, ""), "metadata can be left out");
}

static void test_frontend(void) {
    hlo_frontend *frontend = LIST(hlo_frontend, 3);
    expect(ATTR(FRONTEND_ATTRIBUTES, frontend, frontend), "");
    frontend = LIST(hlo_frontend, 3);
    frontend->n = 3;
    frontend->v[0].key = HLO_STR("a");
    frontend->v[0].value = *text("{\"k\":1}");
    frontend->v[1].key = HLO_STR("b");
    frontend->v[1].value = *text("q\"x");
    frontend->v[2].key = HLO_STR("d");
    frontend->v[2].value = *text(" {}");
    expect(ATTR(FRONTEND_ATTRIBUTES, frontend, frontend),
           ", frontend_attributes={a={\"k\":1},b=\"q\\\"x\",d= {}}");
    expect(ATTR(MODULE_FRONTEND_ATTRIBUTES, frontend, frontend),
           ", frontend_attributes={a={\"k\":1},b=\"q\\\"x\",d= {}}");
}

static void test_numbers(void) {
    hlo_statistics *statistics = LIST(hlo_statistics, 4);
    expect(ATTR(STATISTICS, statistics, statistics), "");
    statistics = LIST(hlo_statistics, 4);
    static const double values[] = {-NAN, -0.0, 1234567, INFINITY};
    static const hlo_str keys[] = {HLO_STR("a"), HLO_STR("b"), HLO_STR("c"), HLO_STR("d")};
    statistics->visualizing_index = -1;
    for (uint32_t i = 0; i < 4; i++, statistics->n++) {
        statistics->v[i].name = keys[i];
        statistics->v[i].value = values[i];
    }
    expect(ATTR(STATISTICS, statistics, statistics),
           ", statistics={visualizing_index=-1,a=nan,b=-0,c=1.23457e+06,d=inf}");
    expect(ATTR(RESULT_ACCURACY, accuracy, KEEP(hlo_accuracy, .mode = 0)), "");
    expect(ATTR(RESULT_ACCURACY, accuracy, KEEP(hlo_accuracy, .mode = 1)),
           ", result_accuracy={mode=highest}");
    expect(ATTR(RESULT_ACCURACY, accuracy, KEEP(hlo_accuracy, true, 0, 0.001, 0.5, 2)),
           ", result_accuracy={tolerance={atol=0.001,rtol=0.5,ulps=2}}");
}

static const hlo_origin *leaf(const char *name, const hlo_ints *index) {
    return KEEP(hlo_origin, .form = HLO_ORIGIN_LEAF, .name = *text(name), .index = index);
}

static void test_origins(void) {
    expect(ATTR(ORIGIN, origin, leaf("x", INTS(1))), ", origin={{\"x\" {1}}}");
    expect(ATTR(ORIGIN, origin, leaf("x", NO_INTS)), ", origin={{\"x\"}}");
    expect(ATTR(ORIGIN, origin, leaf("a\"b", NULL)), ", origin={{\"a\\\"b\"}}");
    expect(ATTR(ORIGIN, origin, leaf("", INTS(1))), ", origin={{}}");
    expect(ATTR(ORIGIN, origin, KEEP(hlo_origin, .form = HLO_ORIGIN_EMPTY)), ", origin={{}}");
    expect(ATTR(ORIGIN, origin, KEEP(hlo_origin, .form = HLO_ORIGIN_SYNTHETIC)),
           ", origin={[synthetic_call]}");
    const hlo_origin *pair[] = {leaf("a", NULL), leaf("b", INTS(0, 1))};
    const hlo_origin *inner =
        KEEP(hlo_origin, .form = HLO_ORIGIN_TUPLE, .n = 2, .elements = keep(pair, sizeof pair));
    const hlo_origin *outer[] = {inner, leaf("c", NULL)};
    expect(ATTR(ORIGIN, origin,
                KEEP(hlo_origin, .form = HLO_ORIGIN_TUPLE, .n = 2,
                     .elements = keep(outer, sizeof outer))),
           ", origin={(({\"a\"}, {\"b\" {0,1}}), {\"c\"})}");
    const hlo_origin *nothing = KEEP(hlo_origin, .form = HLO_ORIGIN_TUPLE);
    const hlo_origin *gaps[] = {nothing, inner, nothing};
    expect(ATTR(ORIGIN, origin, nothing), ", origin={()}");
    expect(ATTR(ORIGIN, origin,
                KEEP(hlo_origin, .form = HLO_ORIGIN_TUPLE, .n = 3,
                     .elements = keep(gaps, sizeof gaps))),
           ", origin={((), ({\"a\"}, {\"b\" {0,1}}))}");
    hlo_recovery *recovery = LIST(hlo_recovery, 2);
    expect(ATTR(ORIGIN_RECOVERY_TABLE, recovery, recovery), "");
    recovery = LIST(hlo_recovery, 2);
    recovery->n = 2;
    recovery->v[0].from = leaf("a", NULL);
    recovery->v[0].to = leaf("", NULL);
    recovery->v[1].from = leaf("c", INTS(0));
    recovery->v[1].to = leaf("d", INTS(1, 2));
    recovery->v[1].module = *text("HloModule r\n\nENTRY %e () -> f32[] {\n}\n\n");
    expect(ATTR(ORIGIN_RECOVERY_TABLE, recovery, recovery),
           ", origin_recovery_table={\n  {\"a\"} : {\"\"}\n  {\"c\" {0}} : {\"d\" {1,2}},\n  \"\n"
           "    HloModule r\n\n    ENTRY %e () -> f32[] {\n    }\n\n\n  \"\n}\n");
}

static void test_recovery_order(void) {
    static const struct {
        const char *name;
        int64_t index; /* -1: none */
    } rows[] = {{"b", -1}, {"a", 2}, {"a", -1}, {"b", -1}, {"a", 0}};
    hlo_recovery *read = LIST(hlo_recovery, 5);
    for (; read->n < 5; read->n++) {
        read->v[read->n].from =
            leaf(rows[read->n].name, rows[read->n].index < 0 ? NULL : INTS(rows[read->n].index));
        read->v[read->n].to = leaf("t", INTS(read->n));
    }
    expect(ATTR(ORIGIN_RECOVERY_TABLE, recovery, hlo_recovery_sorted(&module->arena, read)),
           ", origin_recovery_table={\n  {\"a\"} : {\"t\" {2}}\n  {\"a\" {0}} : {\"t\" {4}}\n"
           "  {\"a\" {2}} : {\"t\" {1}}\n  {\"b\"} : {\"t\" {0}}\n}\n");
    check(hlo_recovery_sorted(&module->arena, LIST(hlo_recovery, 0))->n == 0, "an empty table");
}

static void test_debug_tables(void) {
    static const struct {
        const char *name;
        int64_t id;
    } rows[] = {{"b", 1}, {"a", 2}, {"b", 3}, {"c", HLO_DEBUG_NOTHING}, {"b", 4}};
    hlo_debug_table *read = LIST(hlo_debug_table, 5);
    for (; read->n < 5; read->n++) {
        bool shares = read->n == 4;
        read->v[read->n] =
            (hlo_debug_log){.array = shares ? read->v[2].array : leaf(rows[read->n].name, NULL),
                            .mode = rows[read->n].id < 0 ? HLO_DEBUG_NOTHING : 0,
                            .callback_id = rows[read->n].id};
    }
    expect(ATTR(DEBUG_ATTRIBUTES, debug, hlo_debug_sorted(&module->arena, read, true)),
           ",\ndebug_attributes={\n  {\"a\"}:({callback_id=2}),\n"
           "  {\"b\"}:({callback_id=3},{callback_id=4})\n}");
    expect(ATTR(DEBUG_ATTRIBUTES, debug, hlo_debug_sorted(&module->arena, read, false)),
           ",\ndebug_attributes={\n  {\"a\"}:({callback_id=2}),\n"
           "  {\"b\"}:({callback_id=1},{callback_id=3},{callback_id=4})\n}");
    expect(ATTR(DEBUG_ATTRIBUTES, debug, LIST(hlo_debug_table, 0)), "");
}

/* ---- windows, labels, padding, slices, sparsity, aliasing ---- */

static void test_windows(void) {
    hlo_window *none = LIST(hlo_window, 2), *window = LIST(hlo_window, 2);
    hlo_attr empty = ATTR(WINDOW, window, none);
    expect(empty, "");
    window->n = 2;
    window->v[0] = (hlo_window_dim){3, 1, 0, 0, 1, 1, false};
    window->v[1] = (hlo_window_dim){2, 1, 0, 0, 1, 1, false};
    expect(ATTR(WINDOW, window, window), ", window={size=3x2}");
    window = LIST(hlo_window, 2);
    window->n = 2;
    window->v[0] = (hlo_window_dim){3, 2, 0, 0, 1, 4, true};
    window->v[1] = (hlo_window_dim){2, 1, 0, -1, 3, 1, false};
    expect(ATTR(WINDOW, window, window), ", window={size=3x2 stride=2x1 pad=0_0x0_-1 "
                                         "lhs_dilate=1x3 rhs_dilate=4x1 rhs_reversal=1x0}");
    hlo_buf buf = HLO_BUF_INIT;
    hlo_instr call = {.opcode = HLO_OP_CUSTOM_CALL};
    hlo_attr_print_of(&call, &empty, &all, &buf);
    check(buf.len == 11 && memcmp(buf.data, ", window={}", 11) == 0,
          "custom-call prints an empty window");
    buf.len = 0;
    call.opcode = HLO_OP_CONVOLUTION;
    hlo_attr_print_of(&call, &empty, &all, &buf);
    check(buf.len == 0, "convolution does not");
    hlo_buf_free(&buf);
}

static void test_labels(void) {
    static const int64_t input[] = {1, 2}, kernel[] = {0, 1}, output[] = {3, 1}, gaps[] = {1, 5};
    expect(ATTR(DIM_LABELS, dim_labels,
                KEEP(hlo_dim_labels, 2, 0, 3, 2, 3, 0, 2, input, kernel, output)),
           ", dim_labels=b01f_01io->b1f0");
    expect(
        ATTR(DIM_LABELS, dim_labels, KEEP(hlo_dim_labels, 0, 0, 1, 0, 1, 1, 0, NULL, NULL, NULL)),
        ", dim_labels=bf_io->fb");
    expect(ATTR(DIM_LABELS, dim_labels,
                KEEP(hlo_dim_labels, 2, 0, 3, 2, 3, 0, 4, input, kernel, gaps)),
           ", dim_labels=b01f_01io->b0??f1");
}

static void test_lists(void) {
    hlo_padding *padding = LIST(hlo_padding, 2);
    padding->n = 2;
    padding->v[1].low = -1;
    padding->v[1].high = 1;
    expect(ATTR(PADDING, padding, padding), ", padding=0_0x-1_1");
    padding = LIST(hlo_padding, 2);
    padding->n = 2;
    padding->v[1].interior = 3;
    expect(ATTR(PADDING, padding, padding), ", padding=0_0_0x0_0_3");
    hlo_slice *slice = LIST(hlo_slice, 2);
    expect(ATTR(SLICE, slice, slice), ", slice={}");
    slice = LIST(hlo_slice, 2);
    slice->n = 2;
    slice->v[0].limit = 2;
    slice->v[0].stride = slice->v[1].stride = 1;
    expect(ATTR(SLICE, slice, slice), ", slice={[0:2], [0:0]}");
    hlo_slice *strided = LIST(hlo_slice, 2);
    memcpy(strided, slice, sizeof *slice + 2 * sizeof *slice->v);
    strided->v[1].stride = 2;
    expect(ATTR(SLICE, slice, strided), ", slice={[0:2:1], [0:0:2]}");
    check(!hlo_attr_equal(&ATTR(SLICE, slice, slice), &ATTR(SLICE, slice, strided)),
          "other strides, other slice");
    expect(ATTR(SPARSITY_CONFIG, sparsity, KEEP(hlo_sparsity, .lhs = {0})), "");
    expect(ATTR(SPARSITY_CONFIG, sparsity, KEEP(hlo_sparsity, .rhs = {true, 2, 4, 1, 1})),
           ", sparsity_config={rhs={sparsity=2x4 dimension=1 stride=1}}");
    expect(
        ATTR(SPARSITY_CONFIG, sparsity, KEEP(hlo_sparsity, {true, 1, 2, 3, 4}, {true, 2, 4, 1, 1})),
        ", sparsity_config={lhs={sparsity=1x2 dimension=3 stride=4} rhs={sparsity=2x4 dimension=1 "
        "stride=1}}");
}

static void test_aliasing(void) {
    hlo_aliasing *aliasing = LIST(hlo_aliasing, 2);
    expect(ATTR(OUTPUT_TO_OPERAND_ALIASING, aliasing, aliasing), "");
    expect(ATTR(BUFFER_DONOR, aliasing, aliasing), "");
    aliasing = LIST(hlo_aliasing, 2);
    aliasing->n = 2;
    aliasing->v[0].output = INTS(0);
    aliasing->v[0].index = NO_INTS;
    aliasing->v[0].kind = 2;
    aliasing->v[1].output = INTS(2, 0);
    aliasing->v[1].parameter = 1;
    aliasing->v[1].index = INTS(1, 3);
    aliasing->v[1].kind = 1;
    expect(ATTR(INPUT_OUTPUT_ALIAS, aliasing, aliasing),
           ", input_output_alias={ {0}: (0, {}, must-alias), {2,0}: (1, {1,3}, may-alias) }");
    expect(ATTR(OUTPUT_TO_OPERAND_ALIASING, aliasing, aliasing),
           ", output_to_operand_aliasing={{0}: (0, {}), {2,0}: (1, {1,3})}");
    expect(ATTR(BUFFER_DONOR, aliasing, aliasing), ", buffer_donor={ (0, {}), (1, {1,3}) }");
}

static void test_equality(void) {
    check(!hlo_attr_equal(&ATTR(IS_STABLE, i, 1), &ATTR(IS_STABLE, i, 0)), "values differ");
    check(!hlo_attr_equal(&ATTR(IS_STABLE, i, 1), &ATTR(LARGEST, i, 1)), "attributes differ");
    check(!hlo_attr_equal(&ATTR(DIMENSIONS, ints, INTS(1, 2)), &ATTR(DIMENSIONS, ints, INTS(1, 3))),
          "numbers differ");
    check(!hlo_attr_equal(&ATTR(DIMENSIONS, ints, INTS(1, 2)), &ATTR(DIMENSIONS, ints, INTS(1))),
          "lengths differ");
    check(hlo_attr_equal(&ATTR(BACKEND_CONFIG, string, text("a")),
                         &ATTR(BACKEND_CONFIG, string, text("a"))),
          "equal texts in two places");
    check(!hlo_attr_equal(&ATTR(METADATA, metadata, KEEP(hlo_metadata, .op_name = HLO_STR("a"))),
                          &ATTR(METADATA, metadata, KEEP(hlo_metadata, .op_type = HLO_STR("a")))),
          "the same text in another field");
    check(!hlo_attr_equal(&ATTR(ORIGIN, origin, leaf("a", NULL)),
                          &ATTR(ORIGIN, origin, leaf("a", INTS(0)))),
          "no index against an index");
}

int main(void) {
    module = hlo_module_new();
    test_plain();
    test_words();
    test_names();
    test_texts();
    test_json_regions();
    test_references();
    test_shapes();
    test_shardings();
    test_metadata();
    test_frontend();
    test_numbers();
    test_origins();
    test_recovery_order();
    test_debug_tables();
    test_windows();
    test_labels();
    test_lists();
    test_aliasing();
    test_equality();
    hlo_module_free(module);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
