/* Which instructions of a module a drawing shows. Called by graph.c only. */
#ifndef HLO_DOT_SELECT_H
#define HLO_DOT_SELECT_H

#include "dot/dot.h"

/* What is shown, by the number of an instruction: base[computation id] + place in source order. */
typedef struct {
    hlo_module *module;
    uint32_t *base;       /* by computation id */
    uint32_t total;       /* instructions of the module */
    bool *kept;           /* by number: shown, or folded into what is shown */
    bool *drawn;          /* by computation id: has instructions that are kept */
    uint32_t *kept_count; /* by computation id */
    bool *tied;           /* by number: has control dependencies */
    bool expand;          /* tuple elements are nodes of their own */
    uint32_t device;      /* of a dataflow graph in parts */
} hlo_dot_selection;

/* Numbers the instructions (hlo_instr.index) and chooses by the options. HLO_BAD_USE with an error
 * when an option names what the module does not have, or when no path leads from one instruction to
 * the other. The selection is to be freed in every case. */
hlo_status hlo_dot_select(hlo_dot_selection *selection, hlo_module *module,
                          const hlo_graph_options *options, hlo_diags *diags);
/* Whether the module has what options select by name. */
bool hlo_dot_has_selected(const hlo_module *module, const hlo_graph_options *options);
void hlo_dot_selection_free(hlo_dot_selection *selection);

static inline uint32_t hlo_dot_number(const hlo_dot_selection *s, const hlo_instr *instr) {
    return s->base[instr->parent->id] + instr->index;
}

/* A small constant that only serves as an operand: its value is printed in the users' labels. */
bool hlo_dot_is_inlined(const hlo_dot_selection *selection, const hlo_instr *instr);
/* A get-tuple-element whose users' edges come from the tuple itself. */
bool hlo_dot_is_folded(const hlo_dot_selection *selection, const hlo_instr *instr);

#endif
