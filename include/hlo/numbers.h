/* Reading the numbers and sizes in values of options. Part of hlo.h. */
#ifndef HLO_PUBLIC_NUMBERS_H
#define HLO_PUBLIC_NUMBERS_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number that a text begins with, as options of programs and passes have it: 12, 0.5, .5, 1e3;
 * no sign, blank or other base stands before it. Each returns where it ends; NULL when there is
 * none. */
HLO_API const char *hlo_read_number(const char *text, double *number);
/* One that is whole. *number is UINT64_MAX and *fits false for one beyond 64 bits. */
HLO_API const char *hlo_read_whole(const char *text, uint64_t *number, bool *fits);
/* A number, and K, M, G or T for a power of 1024, then iB, B or nothing: in bytes, of which a part
 * is dropped. Without K to T it is whole. */
HLO_API const char *hlo_read_size(const char *text, uint64_t *bytes, bool *fits);

#ifdef __cplusplus
}
#endif

#endif
