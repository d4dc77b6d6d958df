/* Results of a run as files: a directory of .npy, a .npz archive, a JSON object, one .npy. */
#include <hlo/output.h>

#include "host/json_values.h"
#include "host/output.h"
#include "host/staged.h"
#include "host/store.h"

static hlo_literal output_literal(const hlo_run *run, uint32_t number) {
    return (hlo_literal){.shape = run->outputs[number]->shape, .data = run->outputs[number]->data};
}

/* Results of all devices, one after the other. */
typedef struct {
    const hlo_run *run; /* of the device */
    uint32_t number;    /* of the result */
    char name[48];
} output_key;

static const hlo_run *device_of(const hlo_run *run, uint32_t k) {
    return hlo_run_of_device(run, k / run->output_count);
}

static uint32_t key_count(const hlo_run *run) {
    return run->output_count * run->device_count;
}

static output_key key_of(const hlo_run *run, uint32_t k) {
    output_key key = {.run = device_of(run, k), .number = k % run->output_count};
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_printf(&name, "out%u", key.number);
    hlo_run_put_device(&name, key.run);
    snprintf(key.name, sizeof key.name, "%.*s", (int)name.len, name.data);
    hlo_buf_free(&name);
    return key;
}

static hlo_status write_archive(const hlo_run *run, const char *path, hlo_diags *diags) {
    hlo_npz_writer *writer = hlo_npz_create(path, diags);
    if (!writer) return HLO_BAD_SYSTEM;
    hlo_status status = HLO_OK;
    for (uint32_t k = 0; k < key_count(run) && status == HLO_OK; k++) {
        output_key key = key_of(run, k);
        const hlo_literal literal = output_literal(key.run, key.number);
        status = hlo_npz_add(writer, key.name, &literal, diags);
    }
    if (status == HLO_OK) return hlo_npz_finish(writer, diags);
    hlo_npz_discard(writer);
    return status;
}

static void discard(void *staged) {
    hlo_staged_discard(staged);
}

static hlo_status write_directory(const hlo_run *run, const char *directory, hlo_diags *diags) {
    hlo_staged staged;
    hlo_status status = hlo_staged_open(directory, diags, &staged);
    hlo_cleanup discarding;
    hlo_cleanup_add(&discarding, discard, &staged);
    for (uint32_t k = 0; k < key_count(run) && status == HLO_OK; k++) {
        output_key key = key_of(run, k);
        const hlo_literal literal = output_literal(key.run, key.number);
        status = hlo_staged_add(&staged, key.name, &literal, diags);
    }
    if (status == HLO_OK) status = hlo_staged_commit(&staged, diags);
    hlo_cleanup_remove(&discarding);
    hlo_staged_discard(&staged);
    return status;
}

/* Empty lists take space in the text, and none in memory: more than these are refused. */
static bool is_writable(const hlo_shape *shape, const char *path, hlo_diags *diags) {
    enum { MOST_LISTS = 1 << 24 };
    int64_t lists = 1;
    for (uint32_t i = 0; i + 1 < shape->rank && shape->dims[i] && lists <= MOST_LISTS; i++)
        if (__builtin_mul_overflow(lists, shape->dims[i], &lists)) lists = INT64_MAX;
    if (hlo_shape_elements(shape) || lists <= MOST_LISTS) return true;
    hlo_error(diags, HLO_RULE_LIMIT, NULL, (hlo_span){0},
              "%s: %s would be a list of %lld empty lists", path,
              hlo_shape_name(&diags->arena, shape), (long long)lists);
    return false;
}

static hlo_status write_json(const hlo_run *run, const char *path, hlo_diags *diags) {
    hlo_output *output;
    for (uint32_t number = 0; number < run->output_count; number++)
        if (!is_writable(run->outputs[number]->shape, path, diags)) return HLO_BAD_SYSTEM;
    hlo_status status = hlo_output_open(path, diags, &output);
    if (status != HLO_OK) return status;
    hlo_buf_lit(&output->buf, "{");
    for (uint32_t k = 0; k < key_count(run); k++) {
        output_key key = key_of(run, k);
        const hlo_literal literal = output_literal(key.run, key.number);
        hlo_buf_printf(&output->buf, "%s\n  \"%s\": ", k ? "," : "", key.name);
        hlo_json_put_array(&output->buf, &literal);
    }
    hlo_buf_lit(&output->buf, "\n}\n");
    status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

static hlo_status write_array(const hlo_run *run, const char *path, hlo_diags *diags) {
    if (key_count(run) != 1) {
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "%s holds one array, and the result has %u", path, key_count(run));
        hlo_hint(diags, "a directory, FILE.npz and FILE.json hold any number");
        return HLO_BAD_USE;
    }
    const hlo_literal literal = output_literal(run, 0);
    return hlo_npy_write(path, &literal, diags);
}

bool hlo_names_arrays(const char *path) {
    if (!path) return false;
    return hlo_path_ends(path, ".npy") || hlo_path_ends(path, ".npz") ||
           hlo_path_ends(path, ".json");
}

hlo_status hlo_run_write_outputs(const hlo_run *run, const char *path, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, path);
    hlo_status status = hlo_run_check_result(run, diags);
    if (status != HLO_OK) return status;
    if (hlo_path_ends(path, ".npz")) return write_archive(run, path, diags);
    if (hlo_path_ends(path, ".json")) return write_json(run, path, diags);
    return hlo_path_ends(path, ".npy") ? write_array(run, path, diags)
                                       : write_directory(run, path, diags);
}
