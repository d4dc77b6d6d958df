/* gzip and zstd files as sources, whole in memory. */
#include "base/inflate.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <hlo/source.h>

#include "base/buf.h"

enum { PART = 1 << 18, GZIP_AND_LARGEST_WINDOW = 16 + MAX_WBITS };

typedef enum { PLAIN, GZIP, ZSTD } packing;

static const char too_large[] = "holds more than", cut_off[] = "is cut off",
                  damaged[] = "is damaged";

static packing packing_of(const char *start, size_t n) {
    if (n >= 3 && memcmp(start, "\x1f\x8b\x08", 3) == 0) return GZIP;
    if (n >= 4 && memcmp(start, "\x28\xb5\x2f\xfd", 4) == 0) return ZSTD;
    return PLAIN;
}

/* ---- gzip ---- */

/* One member after the other: files that were joined are one file. More than `most` bytes are not
 * made; `to` then holds those made so far. */
static const char *inflate_all(z_stream *z, hlo_buf *to, size_t most) {
    for (;;) {
        if (to->len > most) return too_large;
        hlo_buf_reserve(to, PART);
        z->next_out = (Bytef *)to->data + to->len;
        z->avail_out = PART;
        int result = inflate(z, Z_NO_FLUSH);
        HLO_ASSERT(z->avail_out <= PART);
        to->len += PART - z->avail_out;
        if (result == Z_STREAM_END) {
            if (z->avail_in < 2 || z->next_in[0] != 0x1f || z->next_in[1] != 0x8b) return NULL;
            if (inflateReset(z) != Z_OK) return damaged;
        } else if (result == Z_MEM_ERROR) {
            hlo_out_of_memory_for("what is compressed");
        } else if (result == Z_BUF_ERROR || (result == Z_OK && z->avail_in == 0 && z->avail_out)) {
            return cut_off;
        } else if (result != Z_OK) {
            return damaged;
        }
    }
}

static void end_inflate(void *z) {
    inflateEnd(z);
}

static const char *inflate_gzip(const char *from, size_t n, hlo_buf *to, size_t most) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)n};
    int opened = inflateInit2(&z, GZIP_AND_LARGEST_WINDOW);
    if (opened == Z_MEM_ERROR) hlo_out_of_memory_for("what is compressed");
    if (opened != Z_OK) return "cannot be decompressed";
    hlo_cleanup ending;
    hlo_cleanup_add(&ending, end_inflate, &z);
    const char *why = inflate_all(&z, to, most);
    hlo_cleanup_remove(&ending);
    inflateEnd(&z);
    return why;
}

/* ---- zstd ---- */

static const char *what_zstd_says(size_t code) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
        return "has a compression window of more than 128 MiB";
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        hlo_out_of_memory_for("what is compressed");
    return damaged;
}

/* The same for frames of zstd. */
static const char *inflate_frames(ZSTD_DStream *z, ZSTD_inBuffer *in, hlo_buf *to, size_t most) {
    for (;;) {
        if (to->len > most) return too_large;
        hlo_buf_reserve(to, PART);
        ZSTD_outBuffer out = {to->data + to->len, PART, 0};
        size_t left = ZSTD_decompressStream(z, &out, in);
        if (ZSTD_isError(left)) return what_zstd_says(left);
        HLO_ASSERT(out.pos <= PART && in->pos <= in->size);
        to->len += out.pos;
        if (left == 0 && in->pos == in->size) return NULL;
        if (in->pos == in->size && out.pos < out.size) return cut_off;
    }
}

static void end_zstd(void *z) {
    ZSTD_freeDStream(z);
}

static const char *inflate_zstd(const char *from, size_t n, hlo_buf *to, size_t most) {
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z) hlo_out_of_memory_for("what is compressed");
    ZSTD_inBuffer in = {from, n, 0};
    hlo_cleanup ending;
    hlo_cleanup_add(&ending, end_zstd, z);
    const char *why = inflate_frames(z, &in, to, most);
    hlo_cleanup_remove(&ending);
    ZSTD_freeDStream(z);
    return why;
}

/* ---- both ---- */

static const char *unpack(const char *from, size_t n, hlo_buf *to, size_t most) {
    return packing_of(from, n) == ZSTD ? inflate_zstd(from, n, to, most)
                                       : inflate_gzip(from, n, to, most);
}

static uint64_t limit_of(uint64_t packed, uint64_t most) {
    enum { ALWAYS = 1 << 26, TIMES = 100 };
    const uint64_t longest = UINT32_MAX - HLO_SOURCE_PADDING - (uint64_t)PART;
    if (!most) most = packed * TIMES > ALWAYS ? packed * TIMES : ALWAYS;
    return most < longest ? most : longest;
}

hlo_inflation hlo_source_inflate(hlo_source **source, uint64_t most) {
    hlo_inflation result = {0};
    if (packing_of((*source)->text, (*source)->len) == PLAIN) return result;
    hlo_buf text = HLO_BUF_INIT;
    most = limit_of((*source)->len, most);
    const char *why = unpack((*source)->text, (*source)->len, &text, most);
    if (!why && text.len > most) why = too_large;
    result.why = why;
    result.limit = why == too_large ? most : 0;
    result.is_bad_content = why == cut_off || why == damaged;
    if (!why || result.is_bad_content) {
        hlo_source *inflated = hlo_source_from_text((*source)->name, text.data, text.len);
        hlo_source_close(*source);
        *source = inflated;
        result.is_bad_content |= packing_of(inflated->text, inflated->len) != PLAIN;
    }
    hlo_buf_free(&text);
    return result;
}

const char *hlo_source_packer(const hlo_source *source) {
    static const struct {
        const char *name, *start; /* ?: any byte */
    } others[] = {{"xz", "\3757zXZ"}, {"bzip2", "BZh?1AY&SY"}, {"lz4", "\x04\x22\x4d\x18"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t n = 0, length = strlen(others[i].start);
        const char *start = others[i].start;
        while (n < length && n < source->len && (start[n] == source->text[n] || start[n] == '?'))
            n++;
        if (n == length) return others[i].name;
    }
    return NULL;
}

size_t hlo_inflate_start(char *start, size_t n, size_t capacity) {
    HLO_ASSERT(n <= capacity);
    if (packing_of(start, n) == PLAIN) return n;
    hlo_buf text = HLO_BUF_INIT;
    unpack(start, n, &text, capacity); /* that it is cut off was known */
    size_t made = text.len < capacity ? text.len : capacity;
    if (made) memcpy(start, text.data, made);
    hlo_buf_free(&text);
    return made;
}
