/* Concatenated .npy arrays of a file or pipe, or another text that comes from one.
 * Called for what comes from the host of a run, and for inputs from pipes. */
#ifndef HLO_HOST_NPY_STREAM_H
#define HLO_HOST_NPY_STREAM_H

#include "host/npy.h"

enum { HLO_NPY_FRONT = 8 /* magic and version */ };

typedef struct {
    const char *path; /* the caller's */
    int fd;           /* -1: closed */
    size_t taken;     /* arrays so far */
    char front[HLO_NPY_FRONT];
    size_t front_length; /* bytes that were looked at, and come first */
} hlo_npy_stream;

/* "-" is standard input. Opening a pipe waits for its writer. */
hlo_status hlo_npy_stream_open(const char *path, hlo_diags *diags, hlo_npy_stream *out);
void hlo_npy_stream_close(hlo_npy_stream *stream);
/* Whether a .npy array comes next, or at least no text. */
hlo_status hlo_npy_stream_peek(hlo_npy_stream *stream, hlo_diags *diags, bool *is_npy);
/* The rest, as a text; NULL after an error. Reading ends after 4 GiB. */
hlo_source *hlo_npy_stream_text(hlo_npy_stream *stream, hlo_diags *diags);
/* Reads exactly the next array. At the end *more is false and *out is not set. As hlo_npy_read
 * otherwise. */
hlo_status hlo_npy_stream_next(hlo_npy_stream *stream, const hlo_shape *shape, hlo_diags *diags,
                               bool *more, hlo_array_file *out);

#endif
