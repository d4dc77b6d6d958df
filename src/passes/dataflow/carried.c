/* What a loop or a conditional says of itself goes with the first primitive of its result, and
 * comes back from there. Called by lower-control-flow and raise-control-flow. */
#include "passes/dataflow/carried.h"

void hlo_flow_carry(const hlo_instr *from, hlo_instr *to) {
    static const hlo_attr_id carried[] = {HLO_ATTR_METADATA, HLO_ATTR_FRONTEND_ATTRIBUTES,
                                          HLO_ATTR_BACKEND_CONFIG};
    for (size_t i = 0; i < sizeof carried / sizeof *carried; i++) {
        const hlo_attr *attr = hlo_instr_attr(from, carried[i]);
        if (attr) hlo_instr_set_attr(to, *attr);
    }
}
