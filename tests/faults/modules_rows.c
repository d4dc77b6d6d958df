/* Calls of sources and modules: reading, verifying, linting. */
#include <stdio.h>
#include <string.h>

#include "faults/rows.h"

/* ---- sources ---- */

static bool read_source(faults_case *c, const char *name) {
    hlo_source_free(c->made_source);
    c->made_source = NULL;
    return hlo_read_source(faults_path(c, name), c->diags, &c->made_source) == HLO_OK;
}

CALL(read_source) {
    return read_source(c, "m.hlo");
}
CALL(read_source_within) {
    hlo_source_free(c->made_source);
    c->made_source = NULL;
    const char *path = faults_path(c, "m.hlo.gz");
    return hlo_read_source_within(path, 1 << 20, c->diags, &c->made_source) == HLO_OK;
}
CALL(read_source_gz) {
    return read_source(c, "m.hlo.gz");
}
CALL(read_source_zstd) {
    return read_source(c, "m.hlo.zst");
}

/* `shapes` or `paths` of inputs, and what the program is with them. */
static bool read_with_shapes(faults_case *c, const char *shapes, char *const *paths) {
    static const char text[] = "func.func @main(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {\n"
                               "  %0 = stablehlo.negate %x : tensor<?x16xf32>\n"
                               "  return %0 : tensor<?x16xf32>\n"
                               "}\n";
    hlo_source_free(c->made_source);
    c->made_source = hlo_source_from_text("program", text, sizeof text - 1);
    if (!c->made_source) return false;
    hlo_status status = paths ? hlo_source_give_shapes_of(c->made_source, paths, 1, c->diags)
                              : hlo_source_give_shapes(c->made_source, shapes, c->diags);
    return status == HLO_OK && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK;
}

CALL(source_give_shapes) {
    return read_with_shapes(c, "f32[3,16]", NULL);
}

CALL(source_give_shapes_of) {
    char path[4096];
    snprintf(path, sizeof path, "%s", faults_path(c, "x.npy"));
    return read_with_shapes(c, NULL, (char *const[]){path});
}

CALL(source_from_text) {
    c->made_source = hlo_source_from_text("name", faults_text, strlen(faults_text));
    return c->made_source != NULL;
}

CALL(source_read_as) {
    static const char text[] = "HloModule m\nENTRY e {\n  token = f32[2] constant(f32[2] {1, 2})\n"
                               "  ROOT s = f32[2] sort(token), dimensions={0}\n}\n";
    c->made_source = hlo_source_from_text("old", text, strlen(text));
    hlo_source_read_as(c->made_source, HLO_DIALECT_EXTENDED);
    if (c->made_source && hlo_parse(c->made_source, c->diags, &c->made) == HLO_OK) return true;
    hlo_source_free(c->made_source);
    c->made_source = NULL;
    return false;
}

CALL(source_free) {
    hlo_source_free(c->source);
    c->source = NULL;
    return true;
}

CALL(source_split) {
    c->part_count = hlo_source_split(c->source, &c->parts);
    faults_digest(c, &c->part_count, sizeof c->part_count);
    return c->part_count > 0;
}

CALL(source_parts_free) {
    hlo_source_parts_free(NULL, 0);
    NOTHING(c);
    return true;
}

/* Without memory it returns true: reading the file then reports it. */
CALL(starts_like_module) {
    NOTHING(c);
    return hlo_starts_like_module(faults_text, strlen(faults_text));
}

CALL(find_modules) {
    char pattern[4200], folder[4200];
    snprintf(folder, sizeof folder, "%s", faults_path(c, "."));
    snprintf(pattern, sizeof pattern, "%s", faults_path(c, "*.hlo"));
    char *const arguments[] = {folder, pattern};
    hlo_status status = hlo_find_modules(arguments, 2, c->diags, &c->paths, &c->path_count);
    faults_digest(c, &c->path_count, sizeof c->path_count);
    return status == HLO_OK;
}

CALL(find_files) {
    char folder[4200];
    snprintf(folder, sizeof folder, "%s", faults_path(c, "."));
    char *const arguments[] = {folder};
    hlo_found_file *files;
    size_t count;
    hlo_status status = hlo_find_files(arguments, 1, c->diags, &files, &count);
    faults_digest(c, &count, sizeof count);
    hlo_found_files_free(files, count);
    return status == HLO_OK;
}

CALL(found_files_free) {
    hlo_found_files_free(NULL, 0);
    NOTHING(c);
    return true;
}

CALL(paths_free) {
    hlo_paths_free(c->paths, c->path_count);
    return true;
}

/* ---- modules ---- */

CALL(parse) {
    return hlo_parse(c->source, c->diags, &c->made) == HLO_OK;
}
CALL(read_module) {
    return hlo_read_module(c->source, c->diags, &c->made) == HLO_OK;
}

static bool read_file(faults_case *c, const char *name) {
    return read_source(c, name) && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK;
}

CALL(read_json) {
    return read_file(c, "m.json");
}

/* Numbers and names that grow the buffers of the JSON reader, and an object that grows its table.
 */
CALL(read_json_long) {
    static const char text[] =
        "{\"name\": \"a_long_name_of_more_than_sixteen_bytes\", \"entryComputationName\": \"e\",\n"
        " \"x\": [1.234567890123456, 12345678901234567, 1.25e-100, true, null, [[[0.5]]]],\n"
        " \"y\": {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6, \"g\": 7, \"h\": 8, "
        "\"i\": 9,\n"
        "         \"j\": \"\\u00e4 and a text that is longer than thirty-two bytes\"},\n"
        " \"hostProgramShape\": {\"result\": {\"elementType\": \"F32\"}},\n"
        " \"computations\": [{\"name\": \"e\", \"instructions\": [{\"name\": \"c\", \"opcode\": "
        "\"constant\",\n"
        "  \"shape\": {\"elementType\": \"F32\"}, \"literal\": {\"shape\": {\"elementType\": "
        "\"F32\"},\n"
        "  \"f32s\": [1.234567890123456789]}}]}]}\n";
    hlo_source_free(c->made_source);
    c->made_source = hlo_source_from_text("m.json", text, strlen(text));
    return c->made_source && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK;
}
/* Strings that are joined, unknown values and numbers. */
CALL(read_pbtxt) {
    static const char text[] =
        "# a module\nname: 'a' \"\\x62_long_name\" entry_computation_name: \"e\"\n"
        "host_program_shape { result { element_type: F32 } } x: [1, { y: \"z\" }]\n"
        "computations { name: \"e\" instructions { name: \"c\" opcode: \"constant\"\n"
        "  shape <element_type: 11> literal { shape { element_type: F32 } f32s: [0.5] } } }\n";
    hlo_source_free(c->made_source);
    c->made_source = hlo_source_from_text("m.pbtxt", text, strlen(text));
    return c->made_source && hlo_read_module(c->made_source, c->diags, &c->made) == HLO_OK;
}
CALL(read_proto) {
    return read_file(c, "m.pb");
}

/* Errors are found whether or not all of them can be kept. */
CALL(parse_errors) {
    hlo_source *source =
        hlo_source_from_text("bad", faults_broken_text, strlen(faults_broken_text));
    if (!source) return false;
    hlo_status status = hlo_parse(source, c->diags, &c->made);
    hlo_source_free(source);
    uint32_t errors = hlo_diags_error_count(c->diags);
    faults_digest(c, &errors, sizeof errors);
    return status == HLO_BAD_MODULE;
}

CALL(module_free) {
    hlo_module_free(c->module);
    c->module = NULL;
    return true;
}

CALL(module_forget_extras) {
    hlo_module_forget_extras(c->module, c->diags);
    return !hlo_diags_error_count(c->diags);
}

CALL(module_describe) {
    hlo_module_facts facts = hlo_module_describe(c->module);
    faults_digest(c, &facts.instructions, sizeof facts.instructions);
    return !hlo_module_has_result(c->module);
}

CALL(module_estimate) {
    hlo_module_cost cost = hlo_module_estimate(c->module);
    faults_digest(c, &cost, sizeof cost);
    return cost.flops == cost.flops;
}

static void add_seconds(void *context, const hlo_transfer *transfer) {
    *(double *)context += transfer->seconds;
}

CALL(module_transfers) {
    double seconds = 0;
    bool good = hlo_module_transfers(c->module, NULL, add_seconds, &seconds, c->diags) == HLO_OK;
    faults_digest(c, &seconds, sizeof seconds);
    return good;
}

CALL(verify) {
    return hlo_verify(c->module, c->diags) == HLO_OK;
}
CALL(verify_with) {
    return hlo_verify_with(c->module, NULL, c->diags) == HLO_OK;
}

CALL(verify_options_create) {
    c->options = hlo_verify_options_create();
    return c->options != NULL;
}

CALL(verify_options_set) {
    hlo_table_row row;
    hlo_verify_options *options = hlo_verify_options_create();
    if (!options || !hlo_verify_option_row(0, &row)) return false;
    hlo_status status =
        hlo_verify_options_set(options, row.name, row.group ? "add" : "on", c->diags);
    hlo_verify_options_free(options);
    return status == HLO_OK;
}

CALL(verify_options_read) {
    const char *path = faults_path(c, "operations");
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fputs("add # of numbers\nmultiply\n", file);
    fclose(file);
    hlo_verify_options *options = hlo_verify_options_create();
    if (!options) return false;
    hlo_status status = hlo_verify_options_read(options, "only-ops", path, c->diags);
    hlo_verify_options_free(options);
    return status == HLO_OK;
}

/* A mistake is reported as one, or as missing memory; never taken. */
CALL(verify_options_set_badly) {
    hlo_verify_options *options = hlo_verify_options_create();
    if (!options) return false;
    hlo_status status = hlo_verify_options_set(options, "no such option", "on", c->diags);
    hlo_verify_options_free(options);
    return status == HLO_BAD_USE;
}

CALL(lint_create) {
    c->lint = hlo_lint_create();
    return c->lint != NULL;
}

CALL(lint_module) {
    hlo_lint *lint = hlo_lint_create();
    if (!lint) return false;
    hlo_lint_set_large_constant(lint, 8);
    hlo_status status = hlo_lint_set(lint, "all", HLO_LINT_WARN, c->diags);
    if (status == HLO_OK) status = hlo_lint_module(lint, c->module, c->diags);
    hlo_lint_free(lint);
    uint32_t warnings = hlo_diags_warning_count(c->diags);
    faults_digest(c, &warnings, sizeof warnings);
    return status == HLO_OK;
}

CALL(module_hash) {
    char hash[HLO_HASH_SIZE] = "";
    hlo_status status = hlo_module_hash(c->module, hash, c->diags);
    faults_digest(c, hash, sizeof hash);
    return status == HLO_OK;
}

CALL(module_minus_zero) {
    uint32_t at[2] = {0};
    hlo_module_minus_zero(c->module, &at[0], &at[1]);
    faults_digest(c, at, sizeof at);
    return true;
}

CALL(module_set_devices) {
    return hlo_module_set_devices(c->module, 1, 1, c->diags) == HLO_OK;
}

CALL(module_copy) {
    return hlo_module_copy(c->module, c->diags, &c->made) == HLO_OK;
}

const faults_row faults_modules_rows[] = {
    {"hlo_read_source", "", 0, call_read_source},
    {"hlo_read_source", "gzip", 0, call_read_source_gz},
    {"hlo_read_source", "zstd", 0, call_read_source_zstd},
    {"hlo_read_source_within", "", 0, call_read_source_within},
    {"hlo_source_from_text", "", 0, call_source_from_text},
    {"hlo_source_give_shapes", "", 0, call_source_give_shapes},
    {"hlo_source_give_shapes_of", "", 0, call_source_give_shapes_of},
    {"hlo_source_read_as", "", 0, call_source_read_as},
    {"hlo_module_copy", "", NEEDS_MODULE, call_module_copy},
    {"hlo_module_set_devices", "", NEEDS_MODULE, call_module_set_devices},
    {"hlo_source_free", "", NEEDS_SOURCE | SPENDS, call_source_free},
    {"hlo_source_split", "", NEEDS_SOURCE, call_source_split},
    {"hlo_source_parts_free", "", 0, call_source_parts_free},
    {"hlo_starts_like_module", "", 0, call_starts_like_module},
    {"hlo_find_modules", "", 0, call_find_modules},
    {"hlo_paths_free", "", SPENDS, call_paths_free},
    {"hlo_find_files", "", 0, call_find_files},
    {"hlo_found_files_free", "", 0, call_found_files_free},
    {"hlo_parse", "", NEEDS_SOURCE, call_parse},
    {"hlo_parse", "errors", SPENDS, call_parse_errors},
    {"hlo_read_module", "text", NEEDS_SOURCE, call_read_module},
    {"hlo_read_module", "JSON", 0, call_read_json},
    {"hlo_read_module", "JSON, long", 0, call_read_json_long},
    {"hlo_read_module", "protobuf", 0, call_read_proto},
    {"hlo_read_module", "text protobuf", 0, call_read_pbtxt},
    {"hlo_module_free", "", NEEDS_MODULE | SPENDS, call_module_free},
    {"hlo_module_forget_extras", "", NEEDS_MODULE, call_module_forget_extras},
    {"hlo_module_hash", "", NEEDS_MODULE, call_module_hash},
    {"hlo_module_minus_zero", "", NEEDS_MODULE, call_module_minus_zero},
    {"hlo_module_describe hlo_module_has_result hlo_module_has_recording", "", NEEDS_MODULE,
     call_module_describe},
    {"hlo_module_estimate", "", NEEDS_MODULE, call_module_estimate},
    {"hlo_module_transfers", "", NEEDS_MODULE, call_module_transfers},
    {"hlo_verify", "", NEEDS_MODULE, call_verify},
    {"hlo_verify_with", "", NEEDS_MODULE, call_verify_with},
    {"hlo_verify_options_create", "", 0, call_verify_options_create},
    {"hlo_verify_options_set hlo_verify_options_free", "", 0, call_verify_options_set},
    {"hlo_verify_options_read", "", 0, call_verify_options_read},
    {"hlo_verify_options_set", "badly", 0, call_verify_options_set_badly},
    {"hlo_lint_create", "", 0, call_lint_create},
    {"hlo_lint_set hlo_lint_module hlo_lint_free hlo_lint_set_large_constant", "",
     NEEDS_MODULE | SPENDS, call_lint_module},
    {0},
};
