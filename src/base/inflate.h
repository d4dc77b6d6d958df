/* Compressed sources. */
#ifndef HLO_BASE_INFLATE_H
#define HLO_BASE_INFLATE_H

#include "base/source.h"

/* When the source is a gzip or zstd file, a source of the same name with what is in it takes its
 * place, if that is no more than `most` bytes; 0: no more than 64 MiB or 100 times the file, which
 * texts of programs are not. Returns NULL, or what is wrong with the file, followed by " more than
 * " and *limit where that is not 0; *source stays as it is then. */
const char *hlo_source_inflate(hlo_source **source, uint64_t most, uint64_t *limit);

/* When the first n bytes of a file begin a gzip or zstd file, the first bytes of its content
 * replace them, at most `capacity`. Returns how many there are. */
size_t hlo_inflate_start(char *start, size_t n, size_t capacity);

#endif
