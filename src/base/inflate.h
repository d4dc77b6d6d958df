/* Compressed sources. Called where sources are opened. */
#ifndef HLO_BASE_INFLATE_H
#define HLO_BASE_INFLATE_H

#include "base/source.h"

/* When the source is a gzip file, a source of the same name with what is in it takes its place.
 * Returns NULL, or what is wrong with the file; *source stays as it is then. */
const char *hlo_source_inflate(hlo_source **source);

#endif
