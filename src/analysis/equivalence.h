/* Groups of instructions that are alike in what a pass cares about, found by sorting keys. Called
 * by slice-sinker and dot-merger. */
#ifndef HLO_ANALYSIS_ALIKE_H
#define HLO_ANALYSIS_ALIKE_H

#include "ir/ir.h"

typedef struct {
    hlo_instr *instr;
    uint64_t key;   /* a hash of all that the test compares */
    uint32_t side;  /* free for the pass: a second half of who this is */
    uint32_t first; /* filled in: the index of the group's first member */
} hlo_alike;

typedef bool hlo_alike_test(const hlo_alike *a, const hlo_alike *b);

/* Brings the members of each group together, by hlo_instr.index; groups come in the order of their
 * first members, so that results do not depend on addresses. The test resolves hash collisions. */
void hlo_alike_sort(hlo_alike *v, size_t n, hlo_alike_test *same);
/* Of a sorted list: one after the last member of the group that begins at v[from]. */
size_t hlo_alike_end(const hlo_alike *v, size_t n, size_t from);

#endif
