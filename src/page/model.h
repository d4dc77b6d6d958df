/* What a page shows of a module: numbers of computations and instructions, and which of them have
 * no node of their own. Called by the other files of src/page. */
#ifndef HLO_PAGE_MODEL_H
#define HLO_PAGE_MODEL_H

#include "ir/ir.h"

typedef struct {
    hlo_module *first;              /* with the parts of a dataflow graph after it */
    const hlo_computation **called; /* all computations, by number */
    const hlo_instr **callers;      /* by number: one that calls it, or NULL */
    uint32_t computation_count;
    uint32_t *first_instr; /* by number of the computation, and one more: the end */
    uint32_t *numbers;     /* by part and id */
    struct {
        const hlo_module *module;
        uint32_t first_number; /* of its ids, in `numbers` */
    } * parts;
    uint32_t part_count;
    bool *tied;         /* by instruction: has control dependencies */
    bool expand_tuples; /* tuple elements are nodes */
} hlo_page_model;

/* Numbers all instructions of all parts through (hlo_instr.index). */
void hlo_page_model_init(hlo_page_model *model, hlo_module *module, bool expand_tuples);
void hlo_page_model_free(hlo_page_model *model);

static inline uint32_t hlo_page_instr_count(const hlo_page_model *m) {
    return m->first_instr[m->computation_count];
}
uint32_t hlo_page_computation_number(const hlo_page_model *model, const hlo_computation *c);

/* Small constants, and broadcasts of such numbers, that only serve as operands: their users say
 * what they are. */
bool hlo_page_is_inlined(const hlo_page_model *model, const hlo_instr *instr);
/* A get-tuple-element whose users' edges come from the tuple itself. */
bool hlo_page_is_folded(const hlo_page_model *model, const hlo_instr *instr);
static inline bool hlo_page_has_node(const hlo_page_model *model, const hlo_instr *instr) {
    return !hlo_page_is_inlined(model, instr) && !hlo_page_is_folded(model, instr);
}
/* The instruction whose node the value comes from. */
const hlo_instr *hlo_page_source(const hlo_page_model *model, const hlo_instr *value);

#endif
