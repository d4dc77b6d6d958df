/* A growable byte buffer that can drain into a file descriptor: what printers write to. */
#ifndef HLO_BASE_BUF_H
#define HLO_BASE_BUF_H

#include "base/arena.h"
#include "base/str.h"

typedef struct {
    char *data;
    size_t len, cap;
    int fd;     /* -1: memory only; else full buffers are written there */
    int failed; /* errno of the first failed write, 0 if none */
} hlo_buf;

#define HLO_BUF_INIT ((hlo_buf){.fd = -1})

void hlo_buf_to_fd(hlo_buf *buf, int fd); /* start an empty buffer that drains into fd */
void hlo_buf_free(hlo_buf *buf);
void hlo_buf_grow(hlo_buf *buf, size_t more);
int hlo_buf_flush(hlo_buf *buf); /* write the rest to fd; 0 or the first errno */
void hlo_buf_printf(hlo_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hlo_buf_int(hlo_buf *buf, int64_t value);
void hlo_buf_uint(hlo_buf *buf, uint64_t value);
/* The bytes between double quotes with C escapes: \n \r \t \" \' \\ by letter, every other byte
 * outside 0x20..0x7e as three octal digits (docs/text-format.md, 1.3). */
void hlo_buf_quoted(hlo_buf *buf, hlo_str text);

static inline void hlo_buf_reserve(hlo_buf *buf, size_t more) {
    HLO_ASSERT(buf->len <= buf->cap);
    if (buf->cap - buf->len < more) hlo_buf_grow(buf, more);
}

static inline void hlo_buf_bytes(hlo_buf *buf, const void *bytes, size_t n) {
    hlo_buf_reserve(buf, n);
    HLO_ASSERT(n <= buf->cap - buf->len);
    if (n) memcpy(buf->data + buf->len, bytes, n);
    buf->len += n;
}

static inline void hlo_buf_char(hlo_buf *buf, char c) {
    hlo_buf_reserve(buf, 1);
    HLO_ASSERT(buf->len < buf->cap);
    buf->data[buf->len++] = c;
}

static inline void hlo_buf_str(hlo_buf *buf, hlo_str text) {
    hlo_buf_bytes(buf, text.ptr, text.len);
}

#define hlo_buf_lit(buf, literal) hlo_buf_bytes((buf), (literal), sizeof(literal) - 1)

static inline void hlo_buf_cstr(hlo_buf *buf, const char *text) {
    hlo_buf_bytes(buf, text, strlen(text));
}

#endif
