/* Inputs of a run: from files of every form, by number or by the parameter's name, and made up. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/index_bounds.h"
#include "host/json_values.h"
#include "host/npy_stream.h"
#include "host/parameters.h"
#include "host/store.h"
#include "ir/fill.h"
#include "parse/parse.h"

hlo_status hlo_run_put_file(hlo_run_leaf *leaf, hlo_array_file *file, hlo_diags *diags) {
    hlo_value *value = hlo_value_from_literal(&file->literal);
    if (!value) {
        hlo_array_file_free(file);
        return hlo_run_no_memory(diags, "an input");
    }
    hlo_run_put_input(leaf, value, file);
    return HLO_OK;
}

/* ---- the form of a file ---- */

typedef enum { FORM_NPY, FORM_NPZ, FORM_JSON, FORM_TEXT, FORM_STREAM } file_form;

/* By its ending, else by its first bytes. A stream cannot be looked at twice. */
static file_form form_of(const char *path) {
    struct stat st;
    char start[2] = {0};
    if (hlo_path_ends(path, ".npy")) return FORM_NPY;
    if (hlo_path_ends(path, ".npz")) return FORM_NPZ;
    if (hlo_path_ends(path, ".json")) return FORM_JSON;
    if (strcmp(path, "-") == 0) return FORM_STREAM;
    if (stat(path, &st) != 0 || S_ISDIR(st.st_mode)) return FORM_NPY;
    if (!S_ISREG(st.st_mode)) return FORM_STREAM;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, start, sizeof start) : 0;
    if (file >= 0) close(file);
    if (n == 2 && memcmp(start, "\x93N", 2) == 0) return FORM_NPY;
    return n == 2 && memcmp(start, "PK", 2) == 0 ? FORM_NPZ : FORM_TEXT;
}

/* ---- whole values ---- */

/* A separate value, leaf by leaf. */
static hlo_value *copy_literal(const hlo_literal *literal) {
    hlo_value *value = hlo_value_new(literal->shape);
    if (!value) return NULL;
    int64_t bytes = hlo_shape_is_array(literal->shape) ? hlo_shape_bytes(literal->shape) : 0;
    if (bytes > 0) memcpy(value->data, hlo_literal_data(literal), (size_t)bytes);
    for (uint32_t i = 0; value->elements && i < literal->shape->rank; i++) {
        value->elements[i] = copy_literal(literal->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

static bool is_module(const hlo_source *source) {
    return source->len > 9 && memcmp(source->text, "HloModule", 9) == 0;
}

/* Closes the source. */
static hlo_value *parse_text(hlo_source *source, const hlo_shape *shape, hlo_diags *diags,
                             hlo_status *status) {
    hlo_value *value = NULL;
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_literal *literal;
    *status = hlo_parse_literal(source, shape, &arena, diags, &literal);
    if (*status != HLO_OK && is_module(source))
        hlo_hint(diags, "this file is a module, not an array");
    if (*status == HLO_OK && !(value = copy_literal(literal)))
        *status = hlo_run_no_memory(diags, "an input");
    hlo_arena_free(&arena);
    hlo_source_close(source);
    return value;
}

/* Moves the leaves of the value, which is released, to input `leaf` and the following ones. */
static void put_leaves(hlo_run_leaf *leaf, hlo_value *value) {
    uint32_t count = hlo_leaf_count(value->shape);
    hlo_value **leaves = hlo_calloc(count, sizeof *leaves);
    hlo_leaf_values(value, leaves);
    for (uint32_t i = 0; i < count; i++)
        hlo_run_put_input(&leaf[i], hlo_value_retain(leaves[i]), NULL);
    hlo_free(leaves);
    hlo_value_release(value);
}

static hlo_status read_text(hlo_source *source, const hlo_shape *shape, hlo_run_leaf *leaf,
                            hlo_diags *diags) {
    hlo_status status;
    hlo_value *value = parse_text(source, shape, diags, &status);
    if (value) put_leaves(leaf, value);
    return status;
}

/* The array of that name (NULL: of none), else the only array of a store, whatever it is called. */
static hlo_status read_other_array(hlo_store *store, const char *name, hlo_run_leaf *leaf,
                                   bool *found, hlo_diags *diags) {
    hlo_status read = name ? hlo_store_read(store, name, leaf, found, diags) : HLO_OK;
    if (*found || read != HLO_OK) return read;
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_store_keys keys = {0};
    hlo_status status = hlo_store_list(store, &arena, diags, &keys);
    uint32_t number;
    bool is_alone = keys.n == 1 && !hlo_store_is_number(store, keys.v[0], "in", &number) &&
                    !hlo_store_is_number(store, keys.v[0], "out", &number);
    if (status == HLO_OK && is_alone) {
        hlo_buf only = HLO_BUF_INIT;
        hlo_buf_str(&only, keys.v[0]);
        hlo_buf_char(&only, '\0');
        status = hlo_store_read(store, only.data, leaf, found, diags);
        hlo_buf_free(&only);
    }
    hlo_list_free(&keys);
    hlo_arena_free(&arena);
    return status;
}

/* The leaves of a value from a store, which is closed: in0 or out0 or arr_0, and so on. */
static hlo_status read_stored_leaves(hlo_store *store, const char *name, hlo_run_leaf *leaf,
                                     uint32_t count, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint32_t k = 0; k < count && status == HLO_OK; k++) {
        bool found;
        status = hlo_store_read_number(store, "in", k, &leaf[k], &found, diags);
        if (status == HLO_OK && !found)
            status = hlo_store_read_number(store, "out", k, &leaf[k], &found, diags);
        if (status == HLO_OK && !found && count == 1)
            status = read_other_array(store, name, leaf, &found, diags);
        if (status != HLO_OK || found) continue;
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "there is no in%u, out%u or arr_%u in %s", k, k, k, store->path);
        status = HLO_BAD_SYSTEM;
    }
    hlo_store_close(store);
    return status;
}

static hlo_status read_archive(const char *path, const char *name, const hlo_shape *shape,
                               hlo_run_leaf *leaf, hlo_diags *diags) {
    hlo_store store;
    hlo_status status = hlo_store_open(path, diags, &store);
    return status == HLO_OK ? read_stored_leaves(&store, name, leaf, hlo_leaf_count(shape), diags)
                            : status;
}

/* Releases the JSON. */
static hlo_status read_json(const char *path, json_t *json, const char *name,
                            const hlo_shape *shape, hlo_run_leaf *leaf, hlo_diags *diags) {
    hlo_status status;
    hlo_store store;
    hlo_store_of_json(path, json, &store);
    if (json_is_object(json))
        return read_stored_leaves(&store, name, leaf, hlo_leaf_count(shape), diags);
    hlo_value *value = hlo_json_value(path, json, shape, diags, &status);
    if (value) put_leaves(leaf, value);
    hlo_store_close(&store);
    return status;
}

/* ---- standard input and pipes ---- */

/* A list, or an object: braces of literals hold no strings. */
static bool is_json(const hlo_source *source) {
    static const char blanks[] = " \t\r\n";
    const char *at = source->text + strspn(source->text, blanks);
    return *at == '[' || (*at == '{' && at[1 + strspn(at + 1, blanks)] == '"');
}

static hlo_status read_stream_text(hlo_source *source, const char *name, const hlo_shape *shape,
                                   hlo_run_leaf *leaf, hlo_diags *diags) {
    if (!source) return HLO_BAD_SYSTEM;
    if (!is_json(source)) return read_text(source, shape, leaf, diags);
    json_t *json;
    hlo_status status = hlo_json_parse(source, diags, &json);
    if (status == HLO_OK) status = read_json(source->name, json, name, shape, leaf, diags);
    hlo_source_close(source);
    return status;
}

static hlo_status read_stream_array(hlo_npy_stream *stream, const hlo_shape *shape,
                                    hlo_run_leaf *leaf, hlo_diags *diags) {
    bool more;
    hlo_array_file file;
    hlo_status status = hlo_npy_stream_next(stream, shape, diags, &more, &file);
    return status == HLO_OK ? hlo_run_put_file(leaf, &file, diags) : status;
}

static void close_stream(void *stream) {
    hlo_npy_stream_close(stream);
}

static hlo_status read_stream(const char *path, const char *name, const hlo_shape *shape,
                              hlo_run_leaf *leaf, hlo_diags *diags) {
    hlo_npy_stream stream;
    bool is_npy;
    hlo_status status = hlo_npy_stream_open(path, diags, &stream);
    if (status != HLO_OK) return status;
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_stream, &stream);
    status = hlo_npy_stream_peek(&stream, diags, &is_npy);
    if (status == HLO_OK && is_npy) status = read_stream_array(&stream, shape, leaf, diags);
    else if (status == HLO_OK)
        status = read_stream_text(hlo_npy_stream_text(&stream, diags), name, shape, leaf, diags);
    hlo_cleanup_remove(&closing);
    hlo_npy_stream_close(&stream);
    return status;
}

/* ---- in any form ---- */

/* Sets the leaves of a value of `shape`, the first of which is *leaf. `name` is what the array may
 * be called in a file of several; NULL: nothing. */
static hlo_status read_leaves(const char *path, const char *name, const hlo_shape *shape,
                              hlo_run_leaf *leaf, hlo_diags *diags) {
    hlo_status status;
    hlo_array_file file;
    hlo_source *source;
    json_t *json;
    switch (form_of(path)) {
    case FORM_NPZ: return read_archive(path, name, shape, leaf, diags);
    case FORM_JSON:
        status = hlo_json_load(path, diags, &json);
        return status == HLO_OK ? read_json(path, json, name, shape, leaf, diags) : status;
    case FORM_TEXT:
        status = hlo_read_source(path, diags, &source);
        return status == HLO_OK ? read_text(source, shape, leaf, diags) : status;
    case FORM_STREAM: return read_stream(path, name, shape, leaf, diags);
    default:
        status = hlo_npy_read(path, shape, diags, &file);
        return status == HLO_OK ? hlo_run_put_file(leaf, &file, diags) : status;
    }
}

/* ---- by number ---- */

hlo_status hlo_run_read_input(hlo_run *run, uint32_t number, const char *path, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, path);
    hlo_run *to = hlo_run_with_inputs(run);
    if (number < run->input_count)
        return hlo_run_explain_tiles(
            run, number,
            read_leaves(path, NULL, to->inputs[number].shape, &to->inputs[number], diags), diags);
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
              "%s is one input too many: the module takes %u", path, run->input_count);
    return HLO_BAD_USE;
}

/* ---- by name ---- */

hlo_status hlo_run_refuse_twice(uint32_t leaf, const char *by, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "input %u is given twice, by %s too",
              leaf, by);
    return HLO_BAD_USE;
}

hlo_status hlo_run_read_parameter(hlo_run *run, const char *name, const char *path,
                                  hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, path);
    hlo_input_place at;
    hlo_run *to = hlo_run_with_inputs(run);
    uint32_t found = hlo_run_find_input(to, hlo_str_from(name), &at);
    if (found != 1) return hlo_run_refuse_name(run, name, found, diags);
    for (uint32_t i = 0; i < hlo_leaf_count(at.shape); i++)
        if (to->inputs[at.leaf + i].value) return hlo_run_refuse_twice(at.leaf + i, path, diags);
    return hlo_run_explain_tiles(
        run, at.leaf, read_leaves(path, name, at.shape, &to->inputs[at.leaf], diags), diags);
}

/* ---- made up ---- */

static hlo_status fill_input(hlo_run *run, uint32_t number, hlo_input_fill fill, uint64_t seed,
                             int64_t most, hlo_diags *diags) {
    hlo_run_leaf *leaf = &run->inputs[number];
    hlo_value *value = hlo_value_new(leaf->shape);
    if (!value) return hlo_run_no_memory(diags, "an input");
    hlo_literal literal = {.shape = leaf->shape, .data = value->data};
    hlo_pool *before = hlo_pool_enter(run->pool);
    hlo_cleanup leaving;
    hlo_cleanup_add(&leaving, hlo_pool_leave, before);
    hlo_fill_literal(&literal, fill, seed, number, most);
    hlo_cleanup_remove(&leaving);
    hlo_pool_enter(before);
    hlo_run_put_input(leaf, value, NULL);
    leaf->is_made_up = true;
    return HLO_OK;
}

static hlo_status fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed, hlo_diags *diags) {
    int64_t *most = hlo_calloc(run->input_count, sizeof *most);
    bool knows = hlo_fill_bounds_indices(fill);
    if (knows) hlo_index_bounds(run->module, most);
    hlo_status status = HLO_OK;
    for (uint32_t number = 0; number < run->input_count && status == HLO_OK; number++)
        if (!run->inputs[number].value)
            status = fill_input(run, number, fill, seed, knows ? most[number] : -1, diags);
    hlo_free(most);
    return status;
}

hlo_status hlo_run_fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    if (!hlo_fill_name((unsigned)fill)) return hlo_misuse(diags, "unknown fill %d", (int)fill);
    return fill_inputs(hlo_run_with_inputs(run), fill, seed, diags);
}
