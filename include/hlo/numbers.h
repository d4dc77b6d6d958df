/* Numbers and sizes in values of options, and figures for readers. Part of hlo.h. */
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

/* What a figure counts: 1,234,567; 3.20 G; 1.50 MiB; 20.7 us. */
typedef enum {
    HLO_FIGURE_COUNT,
    HLO_FIGURE_FLOPS,
    HLO_FIGURE_BYTES,
    HLO_FIGURE_SECONDS
} hlo_figure_kind;
enum { HLO_FIGURE_SIZE = 400 };
/* Writes a figure as tables for readers have it, "?" for NaN, ended by a NUL byte, to a place of
 * HLO_FIGURE_SIZE bytes, which is returned; NULL when it or the kind is none. */
HLO_API char *hlo_write_figure(hlo_figure_kind kind, double figure, char *to);

#ifdef __cplusplus
}
#endif

#endif
