/* Inputs of a run: from files of every form, by number or by the parameter's name, and made up.
 * Called through hlo.h. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ir/fill.h"
#include "parse/parse.h"
#include "run/json_values.h"
#include "run/store.h"

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

typedef enum { FORM_NPY, FORM_NPZ, FORM_JSON, FORM_TEXT } file_form;

/* By its ending, else by its first bytes. What cannot be looked at twice, such as a pipe, is .npy.
 */
static file_form form_of(const char *path) {
    struct stat st;
    char start[2] = {0};
    if (hlo_path_ends(path, ".npy")) return FORM_NPY;
    if (hlo_path_ends(path, ".npz")) return FORM_NPZ;
    if (hlo_path_ends(path, ".json")) return FORM_JSON;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return FORM_NPY;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, start, sizeof start) : 0;
    if (file >= 0) close(file);
    if (n == 2 && memcmp(start, "\x93N", 2) == 0) return FORM_NPY;
    return n == 2 && memcmp(start, "PK", 2) == 0 ? FORM_NPZ : FORM_TEXT;
}

/* ---- whole values ---- */

/* A value of its own, leaf by leaf. */
static hlo_value *copy_literal(const hlo_literal *literal) {
    hlo_value *value = hlo_value_new(literal->shape);
    if (!value) return NULL;
    int64_t bytes = hlo_shape_is_array(literal->shape) ? hlo_shape_bytes(literal->shape) : 0;
    if (bytes > 0) memcpy(value->data, literal->data, (size_t)bytes);
    for (uint32_t i = 0; value->elements && i < literal->shape->rank; i++) {
        value->elements[i] = copy_literal(literal->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

static hlo_value *read_text(const char *path, const hlo_shape *shape, hlo_diags *diags,
                            hlo_status *status) {
    hlo_source *source;
    hlo_value *value = NULL;
    *status = hlo_read_source(path, diags, &source);
    if (*status != HLO_OK) return NULL;
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_literal *literal;
    *status = hlo_parse_literal(source, shape, &arena, diags, &literal);
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

/* The leaves of a value from a store, which is closed: in0 or out0 or arr_0, and so on. */
static hlo_status read_stored_leaves(hlo_store *store, hlo_run_leaf *leaf, uint32_t count,
                                     hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint32_t k = 0; k < count && status == HLO_OK; k++) {
        bool found;
        status = hlo_store_read_number(store, "in", k, &leaf[k], &found, diags);
        if (status == HLO_OK && !found)
            status = hlo_store_read_number(store, "out", k, &leaf[k], &found, diags);
        if (status != HLO_OK || found) continue;
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0},
                  "there is no in%u, out%u or arr_%u in %s", k, k, k, store->path);
        status = HLO_BAD_SYSTEM;
    }
    hlo_store_close(store);
    return status;
}

static hlo_status read_archive(const char *path, const hlo_shape *shape, hlo_run_leaf *leaf,
                               hlo_diags *diags) {
    hlo_store store;
    hlo_status status = hlo_store_open(path, diags, &store);
    return status == HLO_OK ? read_stored_leaves(&store, leaf, hlo_leaf_count(shape), diags)
                            : status;
}

static hlo_status read_json(const char *path, const hlo_shape *shape, hlo_run_leaf *leaf,
                            hlo_diags *diags) {
    json_t *json;
    hlo_status status = hlo_json_load(path, diags, &json);
    if (status != HLO_OK) return status;
    hlo_store store;
    hlo_store_of_json(path, json, &store);
    if (json_is_object(json)) return read_stored_leaves(&store, leaf, hlo_leaf_count(shape), diags);
    hlo_value *value = hlo_json_value(path, json, shape, diags, &status);
    if (value) put_leaves(leaf, value);
    hlo_store_close(&store);
    return status;
}

/* Sets the leaves of a value of `shape`, the first of which is *leaf. */
static hlo_status read_leaves(const char *path, const hlo_shape *shape, hlo_run_leaf *leaf,
                              hlo_diags *diags) {
    hlo_status status;
    hlo_array_file file;
    switch (form_of(path)) {
    case FORM_NPZ: return read_archive(path, shape, leaf, diags);
    case FORM_JSON: return read_json(path, shape, leaf, diags);
    case FORM_TEXT: {
        hlo_value *value = read_text(path, shape, diags, &status);
        if (value) put_leaves(leaf, value);
        return status;
    }
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
    if (number < run->input_count)
        return read_leaves(path, run->inputs[number].shape, &run->inputs[number], diags);
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
              "%s is one input too many: the module takes %u", path, run->input_count);
    return HLO_BAD_USE;
}

/* ---- by name ---- */

static hlo_str name_of(const hlo_instr *parameter) {
    return (hlo_str){parameter->name->ptr, parameter->name->len, 0};
}

/* The end of NAME{1,0}: the element of *shape with that index; *leaf moves to its first leaf. */
static bool find_element(const char *index, const hlo_shape **shape, uint32_t *leaf) {
    do {
        char *end;
        unsigned long number = strtoul(++index, &end, 10);
        if (end == index || *index < '0' || *index > '9' || !hlo_shape_is_tuple(*shape) ||
            number >= (*shape)->rank)
            return false;
        for (unsigned long i = 0; i < number; i++) *leaf += hlo_leaf_count((*shape)->elements[i]);
        *shape = (*shape)->elements[number];
        index = end;
    } while (*index == ',');
    return strcmp(index, "}") == 0;
}

/* The shape of the parameter NAME or of its element NAME{INDEX,...}, its first leaf to *leaf; NULL
 * when there is none. */
static const hlo_shape *find_parameter(const hlo_run *run, const char *name, uint32_t *leaf) {
    const hlo_computation *entry = run->module->entry;
    if (*name == '%') name++;
    size_t length = strcspn(name, "{");
    *leaf = 0;
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const hlo_instr *parameter = entry->parameters[i];
        const hlo_shape *shape = parameter->shape;
        if (parameter->name->len == length && memcmp(parameter->name->ptr, name, length) == 0)
            return !name[length] || find_element(name + length, &shape, leaf) ? shape : NULL;
        *leaf += hlo_leaf_count(shape);
    }
    return NULL;
}

static hlo_status no_such_parameter(const hlo_run *run, const char *name, hlo_diags *diags) {
    const hlo_computation *entry = run->module->entry;
    hlo_buf names = HLO_BUF_INIT;
    for (uint32_t i = 0; i < entry->parameter_count && names.len < 200; i++) {
        hlo_buf_cstr(&names, i ? ", " : "");
        hlo_buf_str(&names, name_of(entry->parameters[i]));
    }
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "the module has no parameter '%s'", name);
    if (names.len) hlo_hint(diags, "its parameters are %.*s", (int)names.len, names.data);
    hlo_buf_free(&names);
    return HLO_BAD_USE;
}

hlo_status hlo_run_read_parameter(hlo_run *run, const char *name, const char *path,
                                  hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, path);
    uint32_t leaf;
    const hlo_shape *shape = find_parameter(run, name, &leaf);
    if (!shape) return no_such_parameter(run, name, diags);
    for (uint32_t i = 0; i < hlo_leaf_count(shape); i++) {
        if (!run->inputs[leaf + i].value) continue;
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "input %u is given twice, by %s too",
                  leaf + i, path);
        return HLO_BAD_USE;
    }
    return read_leaves(path, shape, &run->inputs[leaf], diags);
}

/* Writes the NUL-terminated names of the leaves one after the other: the parameter's name, followed
 * by the index of an element. */
static void put_names(hlo_buf *to, hlo_str prefix, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) {
        hlo_buf_str(to, prefix);
        hlo_buf_cstr(to, memchr(prefix.ptr, '{', prefix.len) ? "}" : "");
        hlo_buf_char(to, '\0');
    }
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++) {
        hlo_buf name = HLO_BUF_INIT;
        hlo_buf_str(&name, prefix);
        hlo_buf_printf(&name, "%s%u", memchr(prefix.ptr, '{', prefix.len) ? "," : "{", i);
        put_names(to, (hlo_str){name.data, (uint32_t)name.len, 0}, shape->elements[i]);
        hlo_buf_free(&name);
    }
}

/* ---- from a directory, an archive or an object ---- */

static hlo_status read_all(hlo_run *run, hlo_store *store, const char *names, bool may_miss,
                           hlo_diags *diags) {
    bool is_directory = !store->npz && !store->json;
    for (uint32_t k = 0; names && k < run->input_count; k++, names += strlen(names) + 1) {
        hlo_run_leaf *leaf = &run->inputs[k];
        if (leaf->value) continue;
        bool found;
        hlo_status status = hlo_store_read_number(store, "in", k, leaf, &found, diags);
        /* Names of parameters are no names of files: they may hold anything. */
        if (status == HLO_OK && !found && !is_directory)
            status = hlo_store_read(store, names, leaf, &found, diags);
        if (status != HLO_OK) return status;
        if (found || may_miss) continue;
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "there is no in%u.npy in %s", k,
                  store->path);
        return HLO_BAD_SYSTEM;
    }
    return HLO_OK;
}

hlo_status hlo_run_read_inputs(hlo_run *run, const char *path, bool may_miss, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, path);
    hlo_store store;
    hlo_status status = hlo_store_open(path, diags, &store);
    if (status != HLO_OK) return status;
    const hlo_computation *entry = run->module->entry;
    hlo_buf names = HLO_BUF_INIT;
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        put_names(&names, name_of(entry->parameters[i]), entry->parameters[i]->shape);
    status = read_all(run, &store, names.data, may_miss, diags);
    hlo_buf_free(&names);
    hlo_store_close(&store);
    return status;
}

/* ---- made up ---- */

hlo_status hlo_run_fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    if (!hlo_fill_name((unsigned)fill)) return hlo_misuse(diags, "unknown fill %d", (int)fill);
    for (uint32_t number = 0; number < run->input_count; number++) {
        hlo_run_leaf *leaf = &run->inputs[number];
        if (leaf->value) continue;
        hlo_value *value = hlo_value_new(leaf->shape);
        if (!value) return hlo_run_no_memory(diags, "an input");
        hlo_literal literal = {leaf->shape, value->data, NULL};
        hlo_pool *before = hlo_pool_enter(run->pool);
        hlo_cleanup leaving;
        hlo_cleanup_add(&leaving, hlo_pool_leave, before);
        hlo_fill_literal(&literal, fill, seed, number);
        hlo_cleanup_remove(&leaving);
        hlo_pool_enter(before);
        hlo_run_put_input(leaf, value, NULL);
    }
    return HLO_OK;
}
