/* Modules as Graphviz text, and Graphviz text as a picture.
 * Called by hlo-dot (through hlo.h). */
#ifndef HLO_DOT_DOT_H
#define HLO_DOT_DOT_H

#include "ir/ir.h"

typedef struct {
    bool entry_only;         /* the entry computation, with the fusions inside it */
    const char *computation; /* the same for the computation of this name; NULL: not asked */
    bool legend;             /* a box that says what the colours mean */
} hlo_dot_options;

/* Appends one digraph to `out`. Computations are clusters; one with a single caller lies inside its
 * caller's. `options` NULL means the whole module without a legend. Uses the scratch members
 * `index` of instructions. HLO_BAD_USE with an error in `diags` when no computation has the asked
 * name. */
hlo_status hlo_dot(hlo_module *module, const hlo_dot_options *options, hlo_diags *diags,
                   hlo_buf *out);

/* Runs Graphviz' `dot` over the text and writes the picture to the file descriptor. `format` is
 * "svg", "png" or "pdf". HLO_BAD_USE for another format; HLO_BAD_SYSTEM when the program is
 * missing, fails, or the picture cannot be written. */
hlo_status hlo_dot_render(const char *text, size_t len, const char *format, int fd,
                          hlo_diags *diags);

#endif
