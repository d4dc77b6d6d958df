/* A new archive of libzip whose bytes go to a whole-or-nothing file, instead of a temporary file of
 * libzip's. */
#ifndef HLO_HOST_ZIP_SINK_H
#define HLO_HOST_ZIP_SINK_H

#include <zip.h>

#include "base/atomic_file.h"

/* Must stay where it is until the archive was closed or discarded. */
typedef struct {
    hlo_atomic_file *file;
    zip_uint64_t offset, length; /* where the next bytes go; how many there are */
    zip_error_t error;
} hlo_zip_sink;

/* An empty archive that writes to `file`, which stays the caller's, when it is closed; NULL with
 * the reason in sink->error. */
zip_t *hlo_zip_sink_open(hlo_zip_sink *sink, hlo_atomic_file *file);

#endif
