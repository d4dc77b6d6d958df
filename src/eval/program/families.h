/* Leaves of values that may share memory: one family. Families grow together as it finds that one
 * leaf may be another. */
#ifndef HLO_EVAL_PROGRAM_FAMILIES_H
#define HLO_EVAL_PROGRAM_FAMILIES_H

#include "base/list.h"

#define HLO_NO_CELL UINT32_MAX

/* A list of numbers: cells of hlo_families. */
typedef struct {
    uint32_t first, last; /* HLO_NO_CELL: empty */
} hlo_family_list;

typedef struct {
    uint32_t parent;           /* itself: this is the family; else it has become part of another */
    uint32_t holders;          /* leaves of values with users to come */
    hlo_family_list buffers;   /* numbers of the plan's */
    hlo_family_list arguments; /* numbers of leaves */
    bool is_fixed;             /* a constant's, or the caller's: never written over */
    bool escapes;              /* may be used after the frame has ended */
} hlo_family;

typedef struct {
    uint32_t value, next;
} hlo_family_cell;

typedef struct {
    HLO_LIST(hlo_family) all;
    HLO_LIST(hlo_family_cell) cells;
} hlo_families;

void hlo_families_free(hlo_families *families);
/* The number of a new one. */
uint32_t hlo_family_new(hlo_families *families);
/* The family of which number f has become part; good until the next one is made. */
hlo_family *hlo_family_of(hlo_families *families, uint32_t f);
void hlo_family_add_buffer(hlo_families *families, uint32_t f, uint32_t buffer);
void hlo_family_add_argument(hlo_families *families, uint32_t f, uint32_t leaf);
void hlo_families_unite(hlo_families *families, uint32_t a, uint32_t b);

#endif
