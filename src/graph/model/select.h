/* Which instructions of a module a drawing shows. */
#ifndef HLO_GRAPH_MODEL_SELECT_H
#define HLO_GRAPH_MODEL_SELECT_H

#include <hlo/graph.h>

#include "graph/model/extras.h"

/* What an instruction is in a drawing (roles.h). */
typedef enum {
    HLO_DOT_NODE,
    HLO_DOT_TEXT, /* a small constant, or an element of a loop's tuple: its users' labels show it */
    HLO_DOT_PASSED,  /* edges lead on to where its value comes from */
    HLO_DOT_OMITTED, /* nothing shows it */
    HLO_DOT_HIDDEN,  /* it is not selected */
} hlo_dot_role;

/* What is shown, by the number of an instruction: base[computation id] + place in source order. */
typedef struct {
    hlo_module *module;
    uint32_t *base;       /* by computation id */
    uint32_t total;       /* instructions of the module */
    bool *kept;           /* by number: shown, or folded into what is shown */
    bool *drawn;          /* by computation id: has instructions that are kept */
    uint32_t *kept_count; /* by computation id */
    bool *tied;           /* by number: has control dependencies */
    bool expand;          /* tuple elements are separate nodes */
    hlo_instr *centre;    /* of --around; or NULL */
    /* By computation id: how many instructions call it, the last of them; whether a line in its
     * callers' labels describes it; whether a tuple that is its root is taken apart. */
    uint32_t *callers;
    hlo_instr **caller;
    bool *is_line, *opened;
    uint8_t *roles;  /* by number: hlo_dot_role, where it is kept */
    uint32_t device; /* of a dataflow graph in parts */
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

/* Of what was selected and what was not. */
static inline hlo_dot_role hlo_dot_role_of(const hlo_dot_selection *s, const hlo_instr *instr) {
    uint32_t number = hlo_dot_number(s, instr);
    hlo_dot_role role = (hlo_dot_role)s->roles[number];
    return s->kept[number] || role == HLO_DOT_TEXT ? role : HLO_DOT_HIDDEN;
}

#endif
