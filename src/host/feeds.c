/* Arrays that come from files and pipes one after the other, and arrays that go there. */
#include <errno.h>
#include <sys/stat.h>

#include "host/run.h"
#include "host/store.h"

/* ---- in ---- */

void hlo_feed_in_begin(hlo_feed_in *feed) {
    if (feed->is_open) hlo_npy_stream_close(&feed->stream);
    feed->is_open = false;
    feed->next_file = feed->taken = 0;
}

/* A value that copies what was read. */
static hlo_value *value_of(hlo_array_file *file, hlo_diags *diags) {
    hlo_value *value = hlo_value_new(file->literal.shape);
    int64_t bytes = hlo_shape_bytes(file->literal.shape);
    if (value && bytes > 0) memcpy(value->data, file->literal.data, (size_t)bytes);
    hlo_array_file_free(file);
    if (!value) hlo_run_no_memory(diags, "an array from the host");
    return value;
}

static bool find_file(const hlo_feed_in *feed, const char *device, hlo_buf *path) {
    struct stat st;
    path->len = 0;
    hlo_buf_printf(path, "%s/%s%zu%s.npy", feed->files[0], feed->kind, feed->taken, device);
    hlo_buf_char(path, '\0');
    return stat(path->data, &st) == 0;
}

/* That of the device, or one for all. */
static hlo_value *take_from_directory(const hlo_feed_in *feed, const hlo_shape *shape,
                                      hlo_diags *diags, bool *more) {
    hlo_array_file file;
    hlo_buf path = HLO_BUF_INIT;
    *more = find_file(feed, feed->device, &path) || find_file(feed, "", &path);
    hlo_status status = *more ? hlo_npy_read(path.data, shape, diags, &file) : HLO_BAD_SYSTEM;
    hlo_buf_free(&path);
    return status == HLO_OK ? value_of(&file, diags) : NULL;
}

/* The next array of the open file, or of the first later file that has one. */
static hlo_value *take_from_files(hlo_feed_in *feed, const hlo_shape *shape, hlo_diags *diags,
                                  bool *more) {
    for (;;) {
        hlo_array_file file;
        hlo_status status = HLO_OK;
        *more = feed->is_open || feed->next_file < feed->count;
        if (!*more) return NULL;
        if (!feed->is_open)
            status = hlo_npy_stream_open(feed->files[feed->next_file++], diags, &feed->stream);
        if (status != HLO_OK) return NULL;
        feed->is_open = true;
        status = hlo_npy_stream_next(&feed->stream, shape, diags, more, &file);
        if (status == HLO_OK && *more) return value_of(&file, diags);
        hlo_npy_stream_close(&feed->stream);
        feed->is_open = false;
        *more = true;
        if (status != HLO_OK) return NULL;
    }
}

hlo_value *hlo_feed_take(hlo_feed_in *feed, const hlo_shape *shape, hlo_diags *diags, bool *more) {
    bool is_directory = feed->count == 1 && hlo_path_is_directory(feed->files[0]);
    hlo_value *value = is_directory ? take_from_directory(feed, shape, diags, more)
                                    : take_from_files(feed, shape, diags, more);
    if (value) feed->taken++;
    return value;
}

/* ---- out ---- */

/* Whether all arrays go to one place: a .npy file, standard output, a pipe or a device. */
static bool is_one_file(const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0 || hlo_path_ends(path, ".npy")) return true;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);
}

const char *hlo_feed_one_file(const char *path) {
    return path && is_one_file(path) ? path : NULL;
}

const char *hlo_feed_one_pipe(const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0) return path;
    bool is_there = stat(path, &st) == 0;
    return is_there && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) ? path : NULL;
}

static hlo_status cannot_write(const hlo_feed_out *feed, hlo_diags *diags, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot write %s: %s", feed->path,
              strerror(error));
    return HLO_BAD_SYSTEM;
}

static hlo_status open_out(hlo_feed_out *feed, hlo_diags *diags) {
    if (feed->is_directory) {
        hlo_status status = hlo_staged_open(feed->path, diags, &feed->staged);
        if (status != HLO_OK) return status;
    } else {
        int error = hlo_atomic_open(&feed->file, feed->path);
        if (error) return cannot_write(feed, diags, error);
    }
    feed->is_open = true;
    return HLO_OK;
}

/* Opening a pipe waits for its reader, which may first write what the run takes: that is left to
 * the first array. */
hlo_status hlo_feed_out_begin(hlo_feed_out *feed, hlo_diags *diags) {
    struct stat st;
    hlo_feed_out_discard(feed);
    feed->is_directory = !is_one_file(feed->path);
    bool is_pipe = stat(feed->path, &st) == 0 && S_ISFIFO(st.st_mode);
    return is_pipe ? HLO_OK : open_out(feed, diags);
}

bool hlo_feed_give(hlo_feed_out *feed, const hlo_value *array, hlo_diags *diags) {
    const hlo_literal literal = {.shape = array->shape, .data = array->data};
    if (!feed->is_open && open_out(feed, diags) != HLO_OK) return false;
    size_t number = feed->given++;
    if (feed->is_directory) {
        char name[64];
        snprintf(name, sizeof name, "%s%zu%s", feed->kind, number, feed->device);
        return hlo_staged_add(&feed->staged, name, &literal, diags) == HLO_OK;
    }
    int error = hlo_npy_write_to(feed->file.fd, &literal);
    return !error || cannot_write(feed, diags, error) == HLO_OK;
}

hlo_status hlo_feed_out_commit(hlo_feed_out *feed, hlo_diags *diags) {
    if (!feed->is_open) return HLO_OK;
    feed->is_open = false;
    if (feed->is_directory) return hlo_staged_commit(&feed->staged, diags);
    int error = hlo_atomic_commit(&feed->file);
    return error ? cannot_write(feed, diags, error) : HLO_OK;
}

void hlo_feed_out_discard(hlo_feed_out *feed) {
    if (feed->is_open && feed->is_directory) hlo_staged_discard(&feed->staged);
    else if (feed->is_open) hlo_atomic_discard(&feed->file);
    feed->is_open = false;
    feed->given = 0;
}
