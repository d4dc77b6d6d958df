/* Concatenated .npy arrays of a file or pipe.
 * Called for what comes from the host of a run. */
#ifndef HLO_RUN_NPY_STREAM_H
#define HLO_RUN_NPY_STREAM_H

#include "run/npy.h"

typedef struct {
    const char *path; /* the caller's */
    int fd;           /* -1: closed */
    size_t taken;     /* arrays so far */
} hlo_npy_stream;

/* "-" is standard input. Opening a pipe waits for its writer. */
hlo_status hlo_npy_stream_open(const char *path, hlo_diags *diags, hlo_npy_stream *out);
void hlo_npy_stream_close(hlo_npy_stream *stream);
/* Reads exactly the next array. At the end *more is false and *out is not set. As hlo_npy_read
 * otherwise. */
hlo_status hlo_npy_stream_next(hlo_npy_stream *stream, const hlo_shape *shape, hlo_diags *diags,
                               bool *more, hlo_array_file *out);

#endif
