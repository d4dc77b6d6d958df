/* Which ordinary instructions of a dataflow graph are computed together: see grouping.c. */
#ifndef HLO_FLOW_GROUPING_H
#define HLO_FLOW_GROUPING_H

#include "ir/frames.h"

enum { HLO_UNGROUPED = UINT32_MAX };

typedef struct {
    uint32_t *of; /* by hlo_instr.index: a group, or HLO_UNGROUPED for what is no separate step */
    bool *is_predecessor; /* by the same: of a control edge */
    uint32_t count;
} hlo_grouping;

/* Of the entry computation, whose instructions are numbered. */
hlo_grouping hlo_grouping_make(const hlo_module *module);
void hlo_grouping_free(hlo_grouping *grouping);

/* Whether the instruction is a node by itself: a primitive, a parameter, or an element of a switch.
 */
bool hlo_is_primitive(const hlo_instr *instr);
/* The constant that the value is, handed on by constant enters; NULL: it is none. */
const hlo_instr *hlo_constant_source(const hlo_instr *instr);

#endif
