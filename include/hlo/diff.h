/* Comparing modules. Part of hlo.h. */
#ifndef HLO_PUBLIC_DIFF_H
#define HLO_PUBLIC_DIFF_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t size;
    bool metadata;      /* counts, too; so do origins and statistics */
    bool json;          /* one object instead of lines */
    bool brief;         /* only how many differences there are */
    hlo_switch layouts; /* count (default) */
    bool schedule;      /* the order of instructions counts where both are scheduled */
    hlo_output *counts; /* also gets what `brief` writes, of the same comparison; NULL: none */
} hlo_diff_options;

#define HLO_DIFF_OPTIONS_INIT \
    { sizeof(hlo_diff_options), false, false, false, HLO_BY_STYLE, false, NULL }

/* Writes what was added, removed and changed from `a` to `b`; nothing (in text) when they do the
 * same. Names, and (unless asked for) the order of instructions and computations, do not count;
 * names only pair instructions where the structure does not. *same, which may be NULL:
 * whether they do the same.
 */
HLO_API hlo_status hlo_write_diff(hlo_module *a, hlo_module *b, const hlo_diff_options *options,
                                  hlo_output *output, hlo_diags *diags, bool *same);

#ifdef __cplusplus
}
#endif
#endif
