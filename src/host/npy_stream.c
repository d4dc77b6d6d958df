/* Reading one .npy after the other from a descriptor. See npy_stream.h. */
#include "host/npy_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FRONT = HLO_NPY_FRONT, PART = 1 << 20 };

static const char *name_of(const hlo_npy_stream *stream) {
    return strcmp(stream->path, "-") == 0 ? "standard input" : stream->path;
}

static hlo_status cannot_read(hlo_diags *diags, const char *path) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "cannot read %s: %s", path,
              strerror(errno));
    return HLO_BAD_SYSTEM;
}

hlo_status hlo_npy_stream_open(const char *path, hlo_diags *diags, hlo_npy_stream *out) {
    bool standard = strcmp(path, "-") == 0;
    *out = (hlo_npy_stream){.path = path};
    out->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    return out->fd < 0 ? cannot_read(diags, path) : HLO_OK;
}

void hlo_npy_stream_close(hlo_npy_stream *stream) {
    if (stream->fd > STDIN_FILENO) close(stream->fd);
    stream->fd = -1;
}

/* Appends n bytes, fewer at the end of the file; false with errno. */
static bool take_bytes(int fd, hlo_buf *to, size_t n) {
    while (n) {
        size_t some = n < PART ? n : PART; /* memory is bounded by what really comes */
        hlo_buf_reserve(to, some);
        ssize_t got = read(fd, to->data + to->len, some);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        to->len += (size_t)got;
        n -= (size_t)got;
    }
    return true;
}

/* The length of the description, stored in 2 bytes, from version 2 on in 4. */
static size_t description_length(const hlo_buf *bytes, size_t width) {
    size_t length = 0;
    for (size_t i = 0; i < width && FRONT + i < bytes->len; i++)
        length |= (size_t)(uint8_t)bytes->data[FRONT + i] << 8 * i;
    return length;
}

/* The bytes that were looked at, and more up to n. */
static bool take_front(hlo_npy_stream *stream, hlo_buf *bytes, size_t n) {
    hlo_buf_bytes(bytes, stream->front, stream->front_length);
    n -= stream->front_length;
    stream->front_length = 0;
    return take_bytes(stream->fd, bytes, n);
}

/* All that belongs to one array; less when the file ends, which decoding then finds. */
static bool take_array(hlo_npy_stream *stream, const hlo_shape *shape, hlo_buf *bytes) {
    int fd = stream->fd;
    if (!take_front(stream, bytes, FRONT)) return false;
    if (bytes->len < FRONT) return true;
    size_t width = bytes->data[6] == 1 ? 2 : 4;
    if (!take_bytes(fd, bytes, width)) return false;
    size_t length = description_length(bytes, width);
    int64_t data = hlo_shape_bytes(shape);
    return length > HLO_NPY_LARGEST_HEADER ||
           (take_bytes(fd, bytes, length) && take_bytes(fd, bytes, data > 0 ? (size_t)data : 0));
}

hlo_status hlo_npy_stream_next(hlo_npy_stream *stream, const hlo_shape *shape, hlo_diags *diags,
                               bool *more, hlo_array_file *out) {
    hlo_buf bytes = HLO_BUF_INIT, name = HLO_BUF_INIT;
    bool complete = take_array(stream, shape, &bytes);
    *more = bytes.len > 0;
    hlo_buf_printf(&name, "%s", name_of(stream));
    if (stream->taken) hlo_buf_printf(&name, ", array %zu", stream->taken);
    hlo_buf_char(&name, '\0');
    hlo_status status = HLO_OK;
    if (!complete) status = cannot_read(diags, name.data);
    else if (*more) status = hlo_npy_decode(name.data, bytes.data, bytes.len, shape, diags, out);
    stream->taken++;
    hlo_buf_free(&name);
    hlo_buf_free(&bytes);
    return status;
}

/* The first byte of the magic, or what is not one of a text either. */
static bool is_binary(unsigned char c) {
    return c == 0x93 || (c < ' ' && !strchr("\t\r\n", c)) || c == 0;
}

hlo_status hlo_npy_stream_peek(hlo_npy_stream *stream, hlo_diags *diags, bool *is_npy) {
    hlo_buf bytes = HLO_BUF_INIT;
    bool complete = take_front(stream, &bytes, FRONT);
    stream->front_length = bytes.len;
    if (bytes.len) memcpy(stream->front, bytes.data, bytes.len);
    hlo_buf_free(&bytes);
    *is_npy = stream->front_length && is_binary(stream->front[0]);
    return complete ? HLO_OK : cannot_read(diags, name_of(stream));
}

hlo_source *hlo_npy_stream_text(hlo_npy_stream *stream, hlo_diags *diags) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_source *source = NULL;
    if (!take_front(stream, &text, UINT32_MAX)) cannot_read(diags, name_of(stream));
    else source = hlo_source_from_text(name_of(stream), text.data ? text.data : "", text.len);
    hlo_buf_free(&text);
    return source;
}
