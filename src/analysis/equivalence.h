/* Equivalence classes of instructions, by a relation that a pass defines; found by sorting hashes.
 */
#ifndef HLO_ANALYSIS_EQUIVALENCE_H
#define HLO_ANALYSIS_EQUIVALENCE_H

#include "ir/ir.h"

typedef struct {
    hlo_instr *instr;
    uint64_t key;   /* a hash of all that the relation compares */
    uint32_t side;  /* of the pass: members of different sides are never in one class */
    uint32_t first; /* filled in: the index of the class's first member */
} hlo_class_member;

typedef bool hlo_equivalence(const hlo_class_member *a, const hlo_class_member *b);

/* Sorts by class, and within one by hlo_instr.index, which the caller has set
 * (hlo_number_instructions). Classes come in the order of their first members, so that results do
 * not depend on addresses. The relation is asked where hashes are equal. */
void hlo_classes_sort(hlo_class_member *v, size_t n, hlo_equivalence *same);
/* Of a sorted list: one after the last member of the class that begins at v[from]. */
size_t hlo_class_end(const hlo_class_member *v, size_t n, size_t from);

#endif
