/* Instructions to visit, and the ways of choosing them: around one (around.c), between two
 * (paths.c), so many and no more (nearest.c). Private to the selection: called by select.c. */
#ifndef HLO_GRAPH_MODEL_WORKLIST_H
#define HLO_GRAPH_MODEL_WORKLIST_H

#include "graph/model/roles.h"

/* An instruction enters it once. */
typedef struct {
    hlo_dot_selection *s;
    hlo_instr **v;
    uint32_t n;
    bool *seen; /* by number */
} hlo_dot_worklist;

static inline void hlo_dot_worklist_init(hlo_dot_worklist *a, hlo_dot_selection *s) {
    *a = (hlo_dot_worklist){.s = s};
    a->v = hlo_calloc(s->total + 1, sizeof(hlo_instr *));
    a->seen = hlo_calloc(s->total + 1, sizeof *a->seen);
}

static inline void hlo_dot_worklist_free(hlo_dot_worklist *a) {
    hlo_free(a->v);
    hlo_free(a->seen);
}

/* False when it was there already. */
static inline bool hlo_dot_worklist_add(hlo_dot_worklist *a, hlo_instr *instr) {
    bool *seen = &a->seen[hlo_dot_number(a->s, instr)];
    if (*seen) return false;
    *seen = true;
    a->v[a->n++] = instr;
    return true;
}

/* The instruction or the computation of that name; NULL with an error. */
hlo_instr *hlo_dot_find_instr(const hlo_module *module, const char *name, hlo_diags *diags);
hlo_computation *hlo_dot_find_computation(const hlo_module *module, const char *name,
                                          hlo_diags *diags);

/* HLO_BAD_USE with an error when there is no such instruction, or no path. */
hlo_status hlo_dot_choose_around(hlo_dot_worklist *chosen, const hlo_graph_options *options,
                                 hlo_diags *diags);
hlo_status hlo_dot_choose_paths(hlo_dot_worklist *chosen, const hlo_graph_options *options,
                                hlo_diags *diags);
/* Sets what is kept of the chosen: options->max_nodes of them. */
void hlo_dot_keep_nearest(hlo_dot_selection *selection, const hlo_dot_worklist *chosen,
                          const hlo_graph_options *options);

#endif
