/* Each kind of token and of attribute that the fast path of the parser reads (src/parse/fast.h) is
 * in this text, and the rules of the scanner alone read the same from it; for texts with something
 * changed, mutate.c compares both. */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>

#include "hlo_grammar.h"
#include "parse/devices.h"
#include "parse/fast.h"
#include "unit/check.h"

static const char text[] =
    "HloModule fast, is_scheduled=true\n"
    "\n"
    "FileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\n"
    "FileLocations\n1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 "
    "end_column=2}\n\n"
    "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n\n"
    "%add (x: f32[], y: f32[]) -> f32[] {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  ROOT %sum = f32[] add(%x, %y)\n"
    "}\n"
    "\n"
    "%mul (x.2: f32[], y.2: f32[]) -> f32[] {\n"
    "  %x.2 = f32[] parameter(0)\n"
    "  %y.2 = f32[] parameter(1)\n"
    "  ROOT %product = f32[] multiply(%x.2, %y.2)\n"
    "}\n"
    "\n"
    "%less (x.1: f32[], y.1: f32[]) -> pred[] {\n"
    "  %x.1 = f32[] parameter(0)\n"
    "  %y.1 = f32[] parameter(1)\n"
    "  %after = pred[] compare(%y.1, %x.1), direction=GT\n"
    "  ROOT %before = pred[] compare(%x.1, %y.1), direction=LT\n"
    "}\n"
    "\n"
    "ENTRY %main (a: f32[4,8], b: f32[4,8]) -> f32[4,2] {\n"
    "  %a = f32[4,8]{1,0} parameter(0), sharding={replicated}\n"
    "  %b = f32[4,8]{1,0} parameter(1), sharding={replicated}\n"
    "  %zero = f32[] constant(0)\n"
    "  %table = f32[2]{0} constant({1, 2})\n"
    "  %other = f32[2]{0} constant({3, 4})\n"
    "  %t = (f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(%a, %b)\n"
    "  %e = f32[4,8]{1,0} get-tuple-element(%t), index=1\n"
    "  %f = f32[4,8]{1,0} get-tuple-element(%t), index=0\n"
    "  %r = f32[4]{0} reduce(%e, %zero), dimensions={1}, to_apply=%add\n"
    "  %g = f32[4,8]{1,0} all-reduce(%f), replica_groups=[1,2]<=[2], channel_id=1, "
    "use_global_device_ids=true, to_apply=%add, frontend_attributes={k=\"v\"}\n"
    "  %h = f32[4,8]{1,0} all-reduce(%g), replica_groups={}, channel_id=2, "
    "use_global_device_ids=false, to_apply=%add, frontend_attributes={k=\"v\"}\n"
    "  %c = f32[4,8]{1,0} collective-permute(%h), source_target_pairs={}, channel_id=3\n"
    "  %d = (f32[4,8]{1,0}, f32[4,8]{1,0}, u32[]) copy-start(%c), cross_program_prefetch_index=1\n"
    "  %k = (f32[4,8]{1,0}, f32[4,8]{1,0}, u32[]) copy-start(%c), cross_program_prefetch_index=1\n"
    "  %l = f32[4,8]{1,0} copy-done(%d)\n"
    "  %m = f32[4,8]{1,0} copy-done(%k)\n"
    "  %o = f32[4,8]{1,0} sort(%h), dimensions={1}, is_stable=true, to_apply=%less, "
    "metadata={op_name=\"o\" stack_frame_id=1}\n"
    "  %s = f32[4,2]{1,0} slice(%o), slice={[0:4], [0:4:2]}, metadata={op_name=\"s\"}\n"
    "  %u = f32[4,2]{1,0} slice(%o), slice={[0:4], [0:4:2]}\n"
    "  ROOT %q = f32[4,2]{1,0} copy(%s), metadata={op_name=\"s\"}\n"
    "}\n";

static bool kinds[HLO_KIND_COUNT];
static bool tokens[1024];

static void note_tokens(hlo_source *source, hlo_diags *diags) {
    hlo_module *module;
    hlo_parser *p = hlo_parser_new(source, diags);
    HLO_YYSTYPE value;
    hlo_span at;
    for (int token; (token = hlo_scan(&value, &at, p)) != T_END;) {
        tokens[token] = true;
        p->scan.token_at = at;
        for (uint32_t i = 0; token == T_LINE && i < p->fast.attrs.n; i++)
            kinds[hlo_attr_table[p->fast.attrs.v[i].id].kind] = true;
    }
    module = p->module;
    hlo_parser_free(p);
    hlo_module_free(module);
}

static const struct {
    int token;
    const char *name;
} wanted_tokens[] = {{T_LINE, "a statement"},
                     {T_STATEMENT, "a head of a statement"},
                     {T_HEAD, "a head"},
                     {T_FRAME_ROWS, "stack frames"},
                     {T_LOCATION_ROWS, "locations"},
                     {T_OPERANDS, "operands"},
                     {T_NUMBER_CLOSED, "a parameter"},
                     {T_INTS, "a list of numbers"},
                     {T_METADATA, "metadata"}};

/* Those that are recalled (shardings, frontend attributes) need the grammar to be seen first. */
static const struct {
    hlo_attr_kind kind;
    const char *name;
} wanted_kinds[] = {{HLO_KIND_BOOL, "bool"},         {HLO_KIND_INT, "int"},
                    {HLO_KIND_INT32, "int32"},       {HLO_KIND_WORD, "word"},
                    {HLO_KIND_INTS, "ints"},         {HLO_KIND_INT_LISTS, "int lists"},
                    {HLO_KIND_SLICE, "slice"},       {HLO_KIND_COMPUTATION, "computation"},
                    {HLO_KIND_METADATA, "metadata"}, {HLO_KIND_GROUPS, "groups"}};

static char *printed(hlo_parse_part *parse, hlo_source *source, hlo_diags *diags) {
    hlo_module *module = NULL;
    hlo_output *output = hlo_output_to_memory();
    size_t n;
    check(parse(source, diags, &module) == HLO_OK, "the text is a module");
    if (module) hlo_write_text(module, NULL, output, diags);
    const char *bytes = hlo_output_bytes(output, &n);
    char *out = strndup(bytes, n);
    hlo_output_free(output);
    hlo_module_free(module);
    return out;
}

int main(void) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("test", text, sizeof text - 1);
    note_tokens(source, &diags);
    for (size_t i = 0; i < sizeof wanted_tokens / sizeof *wanted_tokens; i++)
        check(tokens[wanted_tokens[i].token], wanted_tokens[i].name);
    for (size_t i = 0; i < sizeof wanted_kinds / sizeof *wanted_kinds; i++)
        check(kinds[wanted_kinds[i].kind], wanted_kinds[i].name);
    char *fast = printed(hlo_parse, source, &diags);
    char *slow = printed(hlo_parse_by_rules, source, &diags);
    check(strcmp(fast, slow) == 0, "the rules read the same");
    free(fast);
    free(slow);
    hlo_diags_render(&diags, stdout, false);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
