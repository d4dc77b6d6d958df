/* Outputs of the public interface: a buffer that drains into a whole-or-nothing file, or memory. */
#include "host/output.h"

#include <errno.h>

#include <hlo/output.h>

#include "base/json_string.h"

static hlo_status cannot_write(hlo_diags *diags, const char *path, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot write %s: %s",
              strcmp(path, "-") == 0 ? "standard output" : path, strerror(error));
    return HLO_BAD_SYSTEM;
}

static void free_output(void *output) {
    hlo_output_free(output);
}

static hlo_output *new_output(void) {
    hlo_output *output = hlo_calloc(1, sizeof *output);
    output->buf = HLO_BUF_INIT;
    output->file.fd = -1;
    hlo_cleanup_add(&output->cleanup, free_output, output);
    return output;
}

hlo_status hlo_output_open(const char *path, hlo_diags *diags, hlo_output **out) {
    HLO_API_CALL_FOR(diags, out);
    const char *name = path ? path : "-";
    hlo_output *output = new_output();
    size_t size = strlen(name) + 1;
    output->path = memcpy(hlo_malloc(size), name, size);
    int bad = hlo_atomic_open(&output->file, name);
    if (bad) {
        hlo_status status = cannot_write(diags, name, bad);
        hlo_output_free(output);
        return status;
    }
    hlo_buf_to_fd(&output->buf, output->file.fd);
    *out = output;
    return HLO_OK;
}

hlo_output *hlo_output_to_memory(void) {
    HLO_API_CALL(NULL) return NULL;
    hlo_output *output = new_output();
    hlo_buf_reserve(&output->buf, 1); /* from the start: a later call only makes it larger */
    return output;
}

hlo_status hlo_output_lost(hlo_output *output) {
    if (output && !output->buf.failed) output->buf.failed = ENOMEM;
    return HLO_BAD_SYSTEM;
}

void hlo_output_write(hlo_output *output, const void *bytes, size_t count) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return;
    }
    if (!output || (!bytes && count)) return;
    hlo_buf_bytes(&output->buf, bytes, count);
}

void hlo_output_write_json_string(hlo_output *output, const char *bytes, size_t count) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return;
    }
    if (!output || (!bytes && count)) return;
    hlo_json_string(&output->buf, bytes, count);
}

const char *hlo_output_bytes(const hlo_output *output, size_t *count) {
    bool is_memory = output && output->buf.fd < 0;
    if (count) *count = is_memory ? output->buf.len : 0;
    return is_memory && output->buf.data ? output->buf.data : "";
}

static void forget_file(hlo_output *output) {
    hlo_free(output->path);
    output->path = NULL;
    hlo_buf_free(&output->buf);
}

hlo_status hlo_output_commit(hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, output);
    if (!output->path)
        return output->buf.failed ? cannot_write(diags, "to memory", output->buf.failed) : HLO_OK;
    int bad = hlo_buf_flush(&output->buf);
    if (bad) hlo_atomic_discard(&output->file);
    else bad = hlo_atomic_commit(&output->file);
    hlo_status status = bad ? cannot_write(diags, output->path, bad) : HLO_OK;
    forget_file(output);
    return status;
}

void hlo_output_free(hlo_output *output) {
    if (!output) return;
    hlo_cleanup_remove(&output->cleanup);
    if (output->path) hlo_atomic_discard(&output->file);
    forget_file(output);
    hlo_free(output);
}
