/* Arrays in NumPy's .npy files, read against the shape that is expected of them. Arrays are stored
 * in logical order; types that NumPy lacks are raw bytes, one element to a byte (|V1) or two (|V2,
 * bf16). */
#ifndef HLO_HOST_NPY_H
#define HLO_HOST_NPY_H

#include "base/buf.h"
#include "ir/literal.h"

/* An array that was read: the literal is valid until hlo_array_file_free. Large files are mapped,
 * so the data may be read-only. */
typedef struct {
    hlo_literal literal;
    hlo_arena arena; /* data that had to be converted or copied */
    void *map;
    size_t map_len;
} hlo_array_file;

/* Both fill *out only when they return HLO_OK. HLO_BAD_USE: no .npy file, or not of this shape and
 * type; HLO_BAD_SYSTEM: cannot be read. `name` is what messages call the bytes; they are copied. */
hlo_status hlo_npy_read(const char *path, const hlo_shape *shape, hlo_diags *diags,
                        hlo_array_file *out);
hlo_status hlo_npy_decode(const char *name, const void *bytes, size_t n, const hlo_shape *shape,
                          hlo_diags *diags, hlo_array_file *out);
void hlo_array_file_free(hlo_array_file *file);

/* Appends the sizes of the file's array, "[4,8]". False: it is no regular file, cannot be read, or
 * is no .npy file. */
bool hlo_npy_append_sizes(const char *path, hlo_buf *to);

/* An array literal as a file, whole or not at all; "-" is standard output. */
hlo_status hlo_npy_write(const char *path, const hlo_literal *literal, hlo_diags *diags);
/* The same to a descriptor; 0 or an errno. */
int hlo_npy_write_to(int fd, const hlo_literal *literal);
/* The header before the data: magic, version and description. */
void hlo_npy_header(hlo_buf *to, const hlo_shape *shape);

/* The largest description that is accepted, in bytes. */
enum { HLO_NPY_LARGEST_HEADER = 1 << 20 };

#endif
