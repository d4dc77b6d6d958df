/* Whether the lists of a module are what ir.h promises: for builds with assertions. */
#ifndef HLO_IR_LINKS_H
#define HLO_IR_LINKS_H

#include "ir/ir.h"

/* Aborts when a list of computations, instructions or uses is not consistent, or something points
 * out of its computation or module. Nothing without HLO_DEBUG. Operands may stand after their
 * users: instructions are processed in hlo_post_order. */
#ifdef HLO_DEBUG
void hlo_check_links(const hlo_module *module);
#else
static inline void hlo_check_links(const hlo_module *module) {
    (void)module;
}
#endif

#endif
