/* gzip files as sources, whole in memory. Called by src/api. */
#include "base/inflate.h"

#include <string.h>
#include <zlib.h>

#include "../include/hlo.h" /* what of sources is public */
#include "base/buf.h"

enum { PART = 1 << 18, GZIP_AND_LARGEST_WINDOW = 16 + MAX_WBITS };

static bool starts_with(const hlo_source *source, const char *magic, size_t n) {
    return source->len >= n && memcmp(source->text, magic, n) == 0;
}

/* One member after the other: files that were joined are one file. */
static const char *inflate_all(z_stream *z, hlo_buf *to) {
    for (;;) {
        if (to->len > UINT32_MAX - HLO_SOURCE_PADDING - PART) return "holds more than 4 GiB";
        hlo_buf_reserve(to, PART);
        z->next_out = (Bytef *)to->data + to->len;
        z->avail_out = PART;
        int result = inflate(z, Z_NO_FLUSH);
        to->len += PART - z->avail_out;
        if (result == Z_STREAM_END) {
            if (z->avail_in < 2 || z->next_in[0] != 0x1f || z->next_in[1] != 0x8b) return NULL;
            if (inflateReset(z) != Z_OK) return "is damaged";
        } else if (result == Z_BUF_ERROR || (result == Z_OK && z->avail_in == 0 && z->avail_out)) {
            return "is cut off";
        } else if (result != Z_OK) {
            return "is damaged";
        }
    }
}

const char *hlo_source_inflate(hlo_source **source) {
    if (starts_with(*source, "\x28\xb5\x2f\xfd", 4))
        return "is compressed by zstd, which this program does not read";
    if (!starts_with(*source, "\x1f\x8b\x08", 3)) return NULL;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)(*source)->text, .avail_in = (uInt)(*source)->len};
    if (inflateInit2(&z, GZIP_AND_LARGEST_WINDOW) != Z_OK) return "cannot be decompressed";
    hlo_buf text = HLO_BUF_INIT;
    const char *why = inflate_all(&z, &text);
    inflateEnd(&z);
    if (!why) {
        hlo_source *inflated = hlo_source_from_text((*source)->name, text.data, text.len);
        hlo_source_release(*source);
        *source = inflated;
    }
    hlo_buf_free(&text);
    return why;
}
