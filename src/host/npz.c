/* Reading and writing .npz archives through libzip. */
#include "host/npz.h"

#include <errno.h>

#include "host/zip_library.h"
#include "host/zip_sink.h"

struct hlo_npz {
    char *path;
    zip_t *zip;
    uint32_t count;
};

struct hlo_npz_writer {
    char *path;
    zip_t *zip;
    hlo_zip_sink sink;
    hlo_atomic_file file;
    bool is_empty;
    hlo_arena arena; /* headers, which libzip reads when the archive is finished */
    hlo_cleanup discarding;
};

/* Members are dated like this, so that equal arrays make equal archives. */
enum { FIRST_OF_1980 = 0x21, MIDNIGHT = 0 };

static char *copy_path(const char *path) {
    size_t n = strlen(path) + 1;
    return memcpy(hlo_malloc(n), path, n);
}

static hlo_status zip_failure(hlo_diags *diags, const char *action, const char *path,
                              const char *reason) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "cannot %s %s: %s", action, path,
              reason);
    return HLO_BAD_SYSTEM;
}

/* Why a call failed before which errno was 0: without memory libzip also reports that a file is no
 * archive, or that there was no error. */
static const char *reason_of(zip_error_t *error) {
    bool is_memory = ZIP(error_code_zip)(error) == ZIP_ER_MEMORY || errno == ENOMEM;
    return is_memory ? "out of memory" : ZIP(error_strerror)(error);
}

static bool is_library_there(hlo_diags *diags, const char *action, const char *path) {
    const char *missing = hlo_library_missing(&hlo_zip_library);
    if (!missing) return true;
    char reason[HLO_LIBRARY_ERROR_BYTES + 64];
    snprintf(reason, sizeof reason, "archives need libzip, which was not loaded: %s", missing);
    zip_failure(diags, action, path, reason);
    return false;
}

/* What could not be looked up for lack of memory is not simply missing. */
static void check_memory(zip_t *zip) {
    if (ZIP(error_code_zip)(ZIP(get_error)(zip)) == ZIP_ER_MEMORY)
        hlo_out_of_memory_for("an archive");
}

static void close_member(void *file) {
    ZIP(fclose)(file);
}

/* ---- reading ---- */

static zip_t *open_zip(const char *path, hlo_diags *diags) {
    int code;
    if (!is_library_there(diags, "read", path)) return NULL;
    errno = 0;
    zip_t *zip = ZIP(open)(path, ZIP_RDONLY, &code);
    if (zip) return zip;
    int system_error = errno;
    zip_error_t error;
    ZIP(error_init_with_code)(&error, code);
    errno = system_error;
    zip_failure(diags, "read", path, reason_of(&error));
    ZIP(error_fini)(&error);
    return NULL;
}

static void free_npz(hlo_npz *npz) {
    hlo_free(npz->path);
    hlo_free(npz);
}

hlo_npz *hlo_npz_open(const char *path, hlo_diags *diags) {
    hlo_npz *npz = hlo_calloc(1, sizeof *npz);
    npz->path = copy_path(path);
    npz->zip = open_zip(path, diags);
    if (!npz->zip) {
        free_npz(npz);
        return NULL;
    }
    zip_int64_t count = ZIP(get_num_entries)(npz->zip, 0);
    npz->count = count < 0 ? 0 : (uint32_t)count;
    return npz;
}

void hlo_npz_close(hlo_npz *npz) {
    if (!npz) return;
    ZIP(discard)(npz->zip);
    free_npz(npz);
}

uint32_t hlo_npz_count(const hlo_npz *npz) {
    return npz->count;
}

const char *hlo_npz_name(const hlo_npz *npz, uint32_t index) {
    const char *name = ZIP(get_name)(npz->zip, index, ZIP_FL_ENC_RAW);
    if (!name) check_memory(npz->zip);
    return name ? name : "";
}

int64_t hlo_npz_find(const hlo_npz *npz, const char *name) {
    size_t n = strlen(name);
    for (uint32_t i = 0; i < npz->count; i++) {
        const char *member = hlo_npz_name(npz, i);
        if (strncmp(member, name, n) == 0 && (member[n] == 0 || strcmp(member + n, ".npy") == 0))
            return i;
    }
    return -1;
}

/* Up to n bytes; fewer only at the end of the member, -1 after an error. The checksum is compared
 * by the read that finds the end, so there is one more. */
static int64_t read_member(zip_file_t *file, char *to, uint64_t n) {
    uint64_t done = 0;
    char more;
    while (done < n) {
        zip_int64_t got = ZIP(fread)(file, to + done, n - done);
        if (got < 0) return -1;
        if (got == 0) break;
        done += (uint64_t)got;
    }
    return ZIP(fread)(file, &more, 1) < 0 ? -1 : (int64_t)done;
}

hlo_status hlo_npz_read(hlo_npz *npz, uint32_t index, const hlo_shape *shape, hlo_diags *diags,
                        hlo_array_file *out) {
    zip_stat_t st;
    zip_file_t *file = NULL;
    errno = 0;
    if (ZIP(stat_index)(npz->zip, index, 0, &st) == 0 && (st.valid & ZIP_STAT_SIZE))
        file = ZIP(fopen_index)(npz->zip, index, 0);
    if (!file) return zip_failure(diags, "read", npz->path, reason_of(ZIP(get_error)(npz->zip)));
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_member, file);
    /* What a member claims to hold is not believed beyond what the shape needs. */
    int64_t data = hlo_shape_bytes(shape);
    uint64_t n = HLO_NPY_LARGEST_HEADER + (uint64_t)(data > 0 ? data : 0);
    if (st.size < n) n = st.size;
    char *bytes = hlo_malloc(n);
    errno = 0;
    int64_t got = read_member(file, bytes, n);
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_printf(&name, "%s(%s)", npz->path, hlo_npz_name(npz, index));
    hlo_buf_char(&name, 0);
    hlo_status status =
        got < 0 ? zip_failure(diags, "read", name.data, reason_of(ZIP(file_get_error)(file)))
                : hlo_npy_decode(name.data, bytes, (size_t)got, shape, diags, out);
    hlo_buf_free(&name);
    hlo_free(bytes);
    hlo_cleanup_remove(&closing);
    ZIP(fclose)(file);
    return status;
}

/* ---- writing ---- */

static void free_writer(hlo_npz_writer *writer) {
    hlo_arena_free(&writer->arena);
    hlo_free(writer->path);
    hlo_free(writer);
}

static void discard_writer(void *writer) {
    hlo_npz_discard(writer);
}

hlo_npz_writer *hlo_npz_create(const char *path, hlo_diags *diags) {
    if (!is_library_there(diags, "write", path)) return NULL;
    hlo_npz_writer *writer = hlo_calloc(1, sizeof *writer);
    hlo_arena_init(&writer->arena);
    writer->is_empty = true;
    writer->path = copy_path(path);
    int error = hlo_atomic_open(&writer->file, path);
    if (error) {
        zip_failure(diags, "write", path, strerror(error));
        free_writer(writer);
        return NULL;
    }
    hlo_cleanup_add(&writer->discarding, discard_writer, writer);
    errno = 0;
    writer->zip = hlo_zip_sink_open(&writer->sink, &writer->file);
    if (writer->zip) return writer;
    zip_failure(diags, "write", path, reason_of(&writer->sink.error));
    hlo_npz_discard(writer);
    return NULL;
}

hlo_status hlo_npz_add(hlo_npz_writer *writer, const char *name, const hlo_literal *literal,
                       hlo_diags *diags) {
    if (!hlo_shape_is_array(literal->shape))
        return zip_failure(diags, "write", writer->path, "only arrays are written to .npz files");
    hlo_buf header = HLO_BUF_INIT, member = HLO_BUF_INIT;
    hlo_npy_header(&header, literal->shape);
    hlo_buf_printf(&member, "%s.npy", name);
    hlo_buf_char(&member, 0);
    zip_buffer_fragment_t parts[2] = {
        {hlo_arena_copy(&writer->arena, header.data, header.len), header.len},
        {literal->data, (zip_uint64_t)hlo_shape_bytes(literal->shape)},
    };
    zip_uint64_t count = literal->data ? 2 : 1;
    errno = 0;
    zip_source_t *source = ZIP(source_buffer_fragment)(writer->zip, parts, count, 0);
    zip_int64_t index =
        source ? ZIP(file_add)(writer->zip, member.data, source, ZIP_FL_ENC_UTF_8) : -1;
    if (source && index < 0) ZIP(source_free)(source);
    hlo_buf_free(&header);
    hlo_buf_free(&member);
    if (index < 0 ||
        ZIP(set_file_compression)(writer->zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
        ZIP(file_set_dostime)(writer->zip, (zip_uint64_t)index, MIDNIGHT, FIRST_OF_1980, 0) != 0)
        return zip_failure(diags, "write", writer->path, reason_of(ZIP(get_error)(writer->zip)));
    writer->is_empty = false;
    return HLO_OK;
}

/* libzip writes no archive without members. */
static int write_empty(const hlo_npz_writer *writer) {
    static const char end_of_directory[22] = "PK\5\6";
    return hlo_write_all(writer->file.fd, end_of_directory, sizeof end_of_directory);
}

hlo_status hlo_npz_finish(hlo_npz_writer *writer, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    errno = 0;
    if (ZIP(close)(writer->zip) != 0) {
        status = zip_failure(diags, "write", writer->path, reason_of(ZIP(get_error)(writer->zip)));
    } else {
        writer->zip = NULL;
        int error = writer->is_empty ? write_empty(writer) : 0;
        if (!error) error = hlo_atomic_commit(&writer->file);
        if (error) status = zip_failure(diags, "write", writer->path, strerror(error));
    }
    hlo_npz_discard(writer);
    return status;
}

void hlo_npz_discard(hlo_npz_writer *writer) {
    hlo_cleanup_remove(&writer->discarding);
    if (writer->zip) ZIP(discard)(writer->zip);
    ZIP(error_fini)(&writer->sink.error);
    hlo_atomic_discard(&writer->file);
    free_writer(writer);
}
