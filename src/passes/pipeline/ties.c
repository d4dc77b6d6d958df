/* The set of tied instructions: see ties.h. */
#include "passes/pipeline/ties.h"

bool hlo_ties_has(const hlo_ties *ties, const hlo_instr *instr) {
    if (!ties->instrs.n) return false; /* most modules have none: no hash is needed */
    hlo_hash_each (number, &ties->by_hash, hlo_hash_pointer(instr, 0))
        if (ties->instrs.v[number - 1] == instr) return true;
    return false;
}

void hlo_ties_add(hlo_ties *ties, const hlo_instr *instr) {
    if (hlo_ties_has(ties, instr)) return;
    hlo_list_push(&ties->instrs, instr);
    hlo_hash_add(&ties->by_hash, hlo_hash_pointer(instr, 0), ties->instrs.n);
}

void hlo_ties_add_ends(hlo_ties *ties, const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!control || control->u.instructions->n == 0) return;
    hlo_ties_add(ties, instr);
    for (uint32_t k = 0; k < control->u.instructions->n; k++)
        hlo_ties_add(ties, control->u.instructions->v[k]);
}

void hlo_ties_add_all(hlo_ties *ties, const hlo_computation *computation) {
    for (const hlo_instr *i = computation->first; i; i = i->next) hlo_ties_add_ends(ties, i);
}

void hlo_ties_free(hlo_ties *ties) {
    hlo_list_free(&ties->instrs);
    hlo_hash_free(&ties->by_hash);
}
