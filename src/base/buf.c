/* A growable byte buffer that can drain to a sink. */
#include "base/buf.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/decimal.h"

enum { DRAIN_AT = 1 << 18 };

void hlo_buf_to_fd(hlo_buf *buf, int fd) {
    *buf = HLO_BUF_INIT;
    buf->fd = fd;
    buf->cap = DRAIN_AT;
    buf->data = hlo_malloc(buf->cap);
}

void hlo_buf_free(hlo_buf *buf) {
    hlo_free(buf->data);
    *buf = HLO_BUF_INIT;
}

static void drain(hlo_buf *buf) {
    HLO_ASSERT(buf->fd >= 0 && buf->len <= buf->cap);
    size_t done = 0;
    while (done < buf->len && !buf->failed) {
        ssize_t n = write(buf->fd, buf->data + done, buf->len - done);
        if (n > 0) done += (size_t)n;
        else if (n < 0 && errno != EINTR) buf->failed = errno;
    }
    buf->len = 0;
}

void hlo_buf_grow(hlo_buf *buf, size_t more) {
    HLO_ASSERT(buf->cap - buf->len < more);
    if (buf->fd >= 0 && buf->len) {
        drain(buf);
        if (buf->cap >= more) return;
    }
    size_t cap = buf->cap ? buf->cap : 256;
    while (cap - buf->len < more) {
        if (cap > SIZE_MAX / 2) hlo_out_of_memory(more);
        cap *= 2;
    }
    buf->data = hlo_realloc(buf->data, cap);
    buf->cap = cap;
}

int hlo_buf_flush(hlo_buf *buf) {
    if (buf->fd >= 0) drain(buf);
    return buf->failed;
}

/* vsnprintf with a decimal point whatever the locale. Asking costs less than changing. */
static int print(char *to, size_t size, const char *format, va_list args) {
    if (*nl_langinfo(RADIXCHAR) == '.') return vsnprintf(to, size, format, args);
    locale_t before = hlo_enter_c_locale();
    int n = vsnprintf(to, size, format, args);
    uselocale(before);
    return n;
}

void hlo_buf_printf(hlo_buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    hlo_buf_reserve(buf, 64);
    int n = print(buf->data + buf->len, buf->cap - buf->len, format, args);
    va_end(args);
    if (n > 0 && (size_t)n >= buf->cap - buf->len) {
        hlo_buf_reserve(buf, (size_t)n + 1);
        print(buf->data + buf->len, buf->cap - buf->len, format, again);
    }
    va_end(again);
    HLO_ASSERT(n < 0 || (size_t)n <= buf->cap - buf->len);
    if (n > 0) buf->len += (size_t)n;
}

void hlo_buf_uint(hlo_buf *buf, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    hlo_buf_bytes(buf, digits + at, sizeof digits - at);
}

void hlo_buf_int(hlo_buf *buf, int64_t value) {
    if (value < 0) {
        hlo_buf_char(buf, '-');
        hlo_buf_uint(buf, 0 - (uint64_t)value);
    } else {
        hlo_buf_uint(buf, (uint64_t)value);
    }
}

static void quote_byte(hlo_buf *buf, unsigned char c) {
    static const char letters[] = "\nn\rr\tt\"\"''\\\\";
    for (const char *l = letters; *l; l += 2) {
        if ((unsigned char)*l == c) {
            hlo_buf_char(buf, '\\');
            hlo_buf_char(buf, l[1]);
            return;
        }
    }
    if (c >= 0x20 && c <= 0x7e) {
        hlo_buf_char(buf, (char)c);
        return;
    }
    char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                     (char)('0' + (c & 7))};
    hlo_buf_bytes(buf, octal, 4);
}

/* Whether a byte is changed between quotes; filled when the library is loaded. */
static unsigned char is_escaped[256];

__attribute__((constructor)) static void fill_escapes(void) {
    for (int c = 0; c < 256; c++)
        is_escaped[c] = c < 0x20 || c > 0x7e || c == '"' || c == '\'' || c == '\\';
}

void hlo_buf_quoted(hlo_buf *buf, hlo_str text) {
    const char *at = text.ptr, *end = text.ptr + text.len;
    hlo_buf_char(buf, '"');
    while (at < end) {
        const char *run = at;
        if (text.plain) at = end;
        while (at < end && !is_escaped[(unsigned char)*at]) at++;
        hlo_buf_bytes(buf, run, (size_t)(at - run));
        if (at < end) quote_byte(buf, (unsigned char)*at++);
    }
    hlo_buf_char(buf, '"');
}
