/* Rows of a table by their spelling: of operations, attributes, element types. A constructor of the
 * table's file adds the rows before main; afterwards it is only read. */
#ifndef HLO_BASE_SPELLINGS_H
#define HLO_BASE_SPELLINGS_H

#include "base/assert.h"
#include "base/hash.h"
#include "base/str.h"

enum { HLO_MOST_SPELLINGS = 254, HLO_SPELLING_SLOTS = 512 };

typedef struct {
    const char *text[HLO_MOST_SPELLINGS]; /* by row */
    uint8_t length[HLO_MOST_SPELLINGS];
    uint8_t slots[HLO_SPELLING_SLOTS]; /* row + 1, open addressing by the hash of the spelling */
} hlo_spellings;

/* The slot that holds the spelling, or the free one where it belongs. */
static inline uint32_t hlo_spelling_slot(const hlo_spellings *of, const char *text, size_t n) {
    uint32_t at = (uint32_t)(hlo_hash_bytes(text, n) % HLO_SPELLING_SLOTS);
    for (; of->slots[at]; at = (at + 1) % HLO_SPELLING_SLOTS) {
        unsigned row = of->slots[at] - 1u;
        if (of->length[row] == n && hlo_same_bytes(of->text[row], text, n)) break;
    }
    return at;
}

/* Of rows with one spelling the first counts. */
static inline void hlo_spelling_add(hlo_spellings *to, unsigned row, const char *text) {
    HLO_ASSERT(row < HLO_MOST_SPELLINGS && strlen(text) <= UINT8_MAX);
    uint8_t *slot = &to->slots[hlo_spelling_slot(to, text, strlen(text))];
    to->text[row] = text;
    to->length[row] = (uint8_t)strlen(text);
    if (!*slot) *slot = (uint8_t)(row + 1);
}

/* -1: no row has it. */
static inline int hlo_spelling_find(const hlo_spellings *of, const char *text, size_t n) {
    return of->slots[hlo_spelling_slot(of, text, n)] - 1;
}

#endif
