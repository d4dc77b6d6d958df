/* Numbers on the command line, spelt one way in every option: 12, 0.5, .5, 1e3, 2.5e-4. No sign,
 * blank or other base stands before them. */
#ifndef HLO_CMD_NUMBER_H
#define HLO_CMD_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the number at the start of the text; NULL when there is none, else where it ends. */
const char *number_read(const char *text, double *number);
/* Likewise one that is whole. `*number` is UINT64_MAX and `*fits` false for one beyond 64 bits. */
const char *number_read_whole(const char *text, uint64_t *number, bool *fits);
/* A number, and K, M, G or T for a power of 1024, then iB, B or nothing: in bytes, of which a part
 * is dropped. Otherwise as number_read_whole. */
const char *number_read_size(const char *text, uint64_t *bytes, bool *fits);

#endif
