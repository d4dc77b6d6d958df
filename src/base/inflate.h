/* Compressed sources. */
#ifndef HLO_BASE_INFLATE_H
#define HLO_BASE_INFLATE_H

#include "base/source.h"

typedef struct {
    const char *why;     /* what is wrong with the file; NULL: nothing */
    uint64_t limit;      /* not 0: `why` ends in "more than" so many bytes */
    bool is_bad_content; /* cut off or damaged; without `why`: compressed twice */
} hlo_inflation;

/* When the source is a gzip or zstd file, a source of the same name with what is in it takes its
 * place, if that is no more than `most` bytes; 0: no more than 64 MiB or 100 times the file, which
 * texts of programs are not. Of bad content that is what could be decompressed; otherwise the
 * source stays as it is. */
hlo_inflation hlo_source_inflate(hlo_source **source, uint64_t most);

/* The program that has compressed the source in a form that is not read; NULL: none known. */
const char *hlo_source_packer(const hlo_source *source);

/* When the first n bytes of a file begin a gzip or zstd file, the first bytes of its content
 * replace them, at most `capacity`. Returns how many there are. */
size_t hlo_inflate_start(char *start, size_t n, size_t capacity);

#endif
