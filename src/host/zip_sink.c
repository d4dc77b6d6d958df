/* The function through which libzip writes: see zip_sink.h. */
#include "host/zip_sink.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "host/zip_library.h"

/* The soname of the one whose header this is compiled with. */
static_assert(sizeof HLO_LIBZIP > sizeof "libzip.so.", "objdump has to find libzip.so");
hlo_library hlo_zip_library = HLO_LIBRARY(HLO_LIBZIP);

static zip_int64_t fail(hlo_zip_sink *sink, int code, int system_error) {
    ZIP(error_set)(&sink->error, code, system_error);
    return -1;
}

static zip_int64_t put(hlo_zip_sink *sink, const char *bytes, zip_uint64_t count) {
    for (zip_uint64_t done = 0; done < count;) {
        ssize_t n = write(sink->file->fd, bytes + done, count - done);
        if (n < 0 && errno != EINTR) return fail(sink, ZIP_ER_WRITE, errno);
        if (n > 0) done += (zip_uint64_t)n;
    }
    sink->offset += count;
    if (sink->length < sink->offset) sink->length = sink->offset;
    return (zip_int64_t)count;
}

/* libzip goes back to complete headers. */
static zip_int64_t seek(hlo_zip_sink *sink, void *where, zip_uint64_t count) {
    zip_int64_t to =
        ZIP(source_seek_compute_offset)(sink->offset, sink->length, where, count, &sink->error);
    if (to < 0) return -1;
    if (lseek(sink->file->fd, (off_t)to, SEEK_SET) < 0) return fail(sink, ZIP_ER_SEEK, errno);
    sink->offset = (zip_uint64_t)to;
    return 0;
}

static zip_int64_t serve(void *sink_, void *data, zip_uint64_t count, zip_source_cmd_t command) {
    hlo_zip_sink *sink = sink_;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP(source_make_command_bitmap)(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_ERROR: return ZIP(error_to_data)(&sink->error, data, count);
    case ZIP_SOURCE_WRITE: return put(sink, data, count);
    case ZIP_SOURCE_SEEK_WRITE: return seek(sink, data, count);
    case ZIP_SOURCE_TELL_WRITE: return (zip_int64_t)sink->offset;
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;
    default: return fail(sink, ZIP_ER_READ, ENOENT); /* there is nothing to read yet */
    }
}

zip_t *hlo_zip_sink_open(hlo_zip_sink *sink, hlo_atomic_file *file) {
    *sink = (hlo_zip_sink){.file = file};
    ZIP(error_init)(&sink->error);
    zip_source_t *source = ZIP(source_function_create)(serve, sink, &sink->error);
    zip_t *zip = source ? ZIP(open_from_source)(source, ZIP_CREATE, &sink->error) : NULL;
    if (source && !zip) ZIP(source_free)(source);
    return zip;
}
