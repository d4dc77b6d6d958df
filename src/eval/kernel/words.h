/* Attributes whose value is a word. */
#ifndef HLO_EVAL_KERNEL_WORDS_H
#define HLO_EVAL_KERNEL_WORDS_H

#include "ir/ir.h"

/* Whether the attribute (or its default) is the given word of its set. */
static inline bool hlo_attr_is(const hlo_instr *instr, hlo_attr_id id, const char *word) {
    HLO_ASSERT(id < HLO_ATTR_COUNT && hlo_attr_table[id].kind == HLO_KIND_WORD);
    const char *text = hlo_word_text(hlo_attr_table[id].words, hlo_attr_int(instr, id));
    return text && strcmp(text, word) == 0;
}

#endif
