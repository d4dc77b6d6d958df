/* Archives of arrays, NumPy's .npz: a zip file of .npy files. */
#ifndef HLO_HOST_NPZ_H
#define HLO_HOST_NPZ_H

#include "host/npy.h"

typedef struct hlo_npz hlo_npz;
typedef struct hlo_npz_writer hlo_npz_writer;

/* NULL after reporting an error. */
/* Closed by the store that holds it: nothing is allocated before it has it. */
hlo_npz *hlo_npz_open(const char *path, hlo_diags *diags);
void hlo_npz_close(hlo_npz *npz);
uint32_t hlo_npz_count(const hlo_npz *npz);
/* The name of member `index` with its .npy; valid until the archive is closed. */
const char *hlo_npz_name(const hlo_npz *npz, uint32_t index);
/* The member of that name, with or without .npy; -1 when there is none. */
int64_t hlo_npz_find(const hlo_npz *npz, const char *name);
/* As hlo_npy_read. */
hlo_status hlo_npz_read(hlo_npz *npz, uint32_t index, const hlo_shape *shape, hlo_diags *diags,
                        hlo_array_file *out);

/* A new archive, whole or not at all: the file appears when it is finished, uncompressed. NULL
 * after reporting an error. */
hlo_npz_writer *hlo_npz_create(const char *path, hlo_diags *diags);
/* Adds NAME.npy. The literal's data must stay until the archive is finished. */
hlo_status hlo_npz_add(hlo_npz_writer *writer, const char *name, const hlo_literal *literal,
                       hlo_diags *diags);
/* Writes and frees. */
hlo_status hlo_npz_finish(hlo_npz_writer *writer, hlo_diags *diags);
void hlo_npz_discard(hlo_npz_writer *writer);

#endif
