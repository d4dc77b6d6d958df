/* The set of tied instructions: see ties.h. */
#include "passes/pipeline/ties.h"

#include "base/arena.h"

/* Where the instruction is, or the free slot where it would be. */
static size_t slot_of(const hlo_ties *ties, const hlo_instr *instr) {
    size_t at = (size_t)(((uintptr_t)instr >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    for (at &= ties->capacity - 1; ties->slots[at] && ties->slots[at] != instr;)
        at = (at + 1) & (ties->capacity - 1);
    return at;
}

static void grow(hlo_ties *ties) {
    hlo_ties more = {.n = ties->n, .capacity = ties->capacity ? 2 * ties->capacity : 64};
    more.slots = hlo_calloc(more.capacity, sizeof(hlo_instr *));
    for (size_t i = 0; i < ties->capacity; i++)
        if (ties->slots[i]) more.slots[slot_of(&more, ties->slots[i])] = ties->slots[i];
    hlo_free(ties->slots);
    *ties = more;
}

void hlo_ties_add(hlo_ties *ties, const hlo_instr *instr) {
    if (2 * ties->n >= ties->capacity) grow(ties);
    size_t at = slot_of(ties, instr);
    ties->n += !ties->slots[at];
    ties->slots[at] = instr;
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

bool hlo_ties_has(const hlo_ties *ties, const hlo_instr *instr) {
    return ties->n && ties->slots[slot_of(ties, instr)];
}

void hlo_ties_free(hlo_ties *ties) {
    hlo_free(ties->slots);
    *ties = (hlo_ties){0};
}
