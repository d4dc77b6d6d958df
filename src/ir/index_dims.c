/* Dimension numbers of gather and scatter: see index_dims.h. */
#include "ir/index_dims.h"

/* Attributes by the fields of hlo_index_dims. */
typedef struct {
    hlo_attr_id window, absent, map, operand_batching, indices_batching;
} attributes;

static const attributes of_gather = {
    HLO_ATTR_OFFSET_DIMS,           HLO_ATTR_COLLAPSED_SLICE_DIMS,        HLO_ATTR_START_INDEX_MAP,
    HLO_ATTR_OPERAND_BATCHING_DIMS, HLO_ATTR_START_INDICES_BATCHING_DIMS,
};
static const attributes of_scatter = {
    HLO_ATTR_UPDATE_WINDOW_DIMS,
    HLO_ATTR_INSERTED_WINDOW_DIMS,
    HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS,
    HLO_ATTR_INPUT_BATCHING_DIMS,
    HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS,
};

hlo_index_dims hlo_index_dims_of(const hlo_instr *instr) {
    const attributes *a = instr->opcode == HLO_OP_GATHER ? &of_gather : &of_scatter;
    return (hlo_index_dims){
        .window = hlo_attr_ints(instr, a->window),
        .absent = hlo_attr_ints(instr, a->absent),
        .map = hlo_attr_ints(instr, a->map),
        .operand_batching = hlo_attr_ints(instr, a->operand_batching),
        .indices_batching = hlo_attr_ints(instr, a->indices_batching),
        .vector_dim = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
    };
}
