/* What can be in a cluster: defined only here, for the kernel of fusion and for the pass that makes
 * fusions for it. */
#include "eval/fuse/cluster_role.h"

#include "eval/fuse/cluster_boxes.h"
#include "eval/fuse/cluster_gather.h"
#include "eval/kernel/lanes.h"
#include "eval/kernels/reduce/extreme_rule.h"
#include "eval/kernels/reduce/fold.h"

/* The first element of a constant stands for all of a tile; more are read like any other array. */
static hlo_cluster_role role_of_constant(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONSTANT);
    bool is_one = hlo_instr_attr(instr, HLO_ATTR_VALUE) && hlo_shape_elements(instr->shape) == 1;
    return is_one ? HLO_CLUSTER_SOURCE : HLO_CLUSTER_NEVER;
}

static hlo_cluster_role role_of_iota(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_IOTA);
    bool counts = hlo_lanes_convert(HLO_S64, (hlo_type)instr->shape->type) != NULL;
    return counts ? HLO_CLUSTER_SOURCE : HLO_CLUSTER_NEVER;
}

/* Operands have as many elements as the result, or one. */
static hlo_cluster_role role_of_elementwise(const hlo_instr *instr) {
    hlo_lanes lanes;
    int64_t elements = hlo_shape_elements(instr->shape);
    if (!hlo_lanes_find(instr, false, &lanes)) return HLO_CLUSTER_NEVER;
    for (uint32_t i = 0; i < lanes.arity; i++) {
        int64_t count = hlo_shape_elements(hlo_operand(instr, i)->shape);
        if (count != elements && count != 1) return HLO_CLUSTER_NEVER;
    }
    return HLO_CLUSTER_WORK;
}

/* Of operand i alone: neighbours in it are folded together by one instruction, and each row is one
 * part; sums of complex numbers are those of two columns. */
static hlo_cluster_role role_of_fold(const hlo_instr *instr, uint32_t i, hlo_fold *fold) {
    const hlo_shape *result = hlo_shape_part(instr->shape, i);
    if (!hlo_fold_find(fold, instr, i, false) || hlo_fold_unit(fold, (hlo_type)result->type) != 1)
        return HLO_CLUSTER_NEVER;
    int64_t row = hlo_cluster_row_of(instr), kept = hlo_shape_elements(result);
    if (row > 1 && hlo_fold_shape_of(row, 1).parts == 1 && kept > 0) return HLO_CLUSTER_REDUCE;
    int64_t elements = hlo_shape_elements(hlo_operand(instr, 0)->shape);
    hlo_cluster_columns columns = hlo_cluster_columns_of(instr);
    bool is_sink = elements > 0 && columns.count > 0 && hlo_cluster_accepts(elements, 0, columns);
    return is_sink ? HLO_CLUSTER_COLUMNS : HLO_CLUSTER_NEVER;
}

static bool has_fixed_sizes(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && !shape->is_dynamic;
}

static bool has_fixed_operands(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!has_fixed_sizes(hlo_operand(instr, i)->shape)) return false;
    return true;
}

/* Of rows as they are in a cluster. */
static hlo_cluster_role role_of_several(const hlo_instr *reduce) {
    hlo_extreme_rule rule;
    if (!hlo_shape_is_tuple(reduce->shape) || !has_fixed_operands(reduce) ||
        !hlo_find_extreme(reduce, &rule))
        return HLO_CLUSTER_NEVER;
    int64_t row = hlo_cluster_row_of(reduce);
    int64_t kept = hlo_shape_elements(hlo_shape_part(reduce->shape, 0));
    bool is_row = row > 1 && kept > 0 && hlo_fold_shape_of(row, 1).parts == 1;
    return is_row ? HLO_CLUSTER_EXTREME : HLO_CLUSTER_NEVER;
}

static bool is_any(const void *context, const hlo_instr *instr) {
    (void)context;
    (void)instr;
    return true;
}

static hlo_cluster_role role_of_parts(const hlo_instr *instr) {
    hlo_cluster_boxes boxes;
    return hlo_cluster_find_boxes(instr, is_any, NULL, &boxes) ? HLO_CLUSTER_PART
                                                               : HLO_CLUSTER_NEVER;
}

/* Elements in their order under other dimensions, unless memory has them in another one. */
static hlo_cluster_role role_of_bitcast(const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_BITCAST || instr->opcode == HLO_OP_RESHAPE ||
               instr->opcode == HLO_OP_COPY);
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    bool is_reshape = from->plain_layout && to->plain_layout && from->type == to->type &&
                      hlo_shape_elements(from) == hlo_shape_elements(to);
    return is_reshape ? HLO_CLUSTER_MOVE : HLO_CLUSTER_NEVER;
}

/* Rows of tiles are folded into the accumulators of all columns, one operand after the other: these
 * stay in the first cache. */
bool hlo_cluster_folds_each(const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    enum { CACHE = 32768 };
    int64_t columns = hlo_cluster_columns_of(reduce).count, bytes = 0;
    if (!has_fixed_operands(reduce)) return false;
    for (uint32_t i = 0; i < reduce->operand_count / 2; i++) {
        hlo_fold fold;
        hlo_cluster_role role = role_of_fold(reduce, i, &fold);
        if (role == HLO_CLUSTER_NEVER) return false;
        if (role == HLO_CLUSTER_COLUMNS) bytes += columns * (int64_t)hlo_fold_bytes(&fold);
    }
    return bytes <= CACHE;
}

hlo_cluster_role hlo_cluster_role_of(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_REDUCE && instr->operand_count > 2) return role_of_several(instr);
    if (!has_fixed_sizes(instr->shape) || !has_fixed_operands(instr)) return HLO_CLUSTER_NEVER;
    int64_t inner;
    hlo_fold fold;
    if (hlo_cluster_is_of_parts((hlo_opcode)instr->opcode)) return role_of_parts(instr);
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_CONSTANT: return role_of_constant(instr);
    case HLO_OP_IOTA: return role_of_iota(instr);
    case HLO_OP_BROADCAST:
        return hlo_broadcast_inner(instr, &inner) ? HLO_CLUSTER_MOVE : HLO_CLUSTER_NEVER;
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE: return HLO_CLUSTER_MOVE;
    case HLO_OP_GATHER:
        return hlo_cluster_gathers_rows(instr) ? HLO_CLUSTER_PART : HLO_CLUSTER_NEVER;
    case HLO_OP_BITCAST: return role_of_bitcast(instr);
    case HLO_OP_REDUCE: return role_of_fold(instr, 0, &fold);
    default: return role_of_elementwise(instr);
    }
}

int64_t hlo_cluster_row_of(const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    const hlo_ints *reduced = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    const hlo_shape *from = hlo_operand(reduce, 0)->shape;
    int64_t row = 1, kept = hlo_shape_elements(hlo_shape_part(reduce->shape, 0));
    for (uint32_t i = 0; i < reduced->n; i++) row *= from->dims[reduced->v[i]];
    for (uint32_t d = 0; d < from->rank && kept > 1; d++) { /* those that stay come first */
        bool is_reduced = false;
        for (uint32_t i = 0; i < reduced->n; i++) is_reduced |= reduced->v[i] == d;
        if (is_reduced && from->dims[d] != 1) return 0;
        if (!is_reduced) kept /= from->dims[d];
    }
    return row;
}

/* From the last dimension on: some that stay, some that are reduced, and others that stay. */
hlo_cluster_columns hlo_cluster_columns_of(const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    const hlo_ints *reduced = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    const hlo_shape *from = hlo_operand(reduce, 0)->shape;
    hlo_cluster_columns columns = {1, 1};
    bool are_after = false; /* dimensions after those that are reduced, which are all */
    for (uint32_t d = from->rank; d-- > 0;) {
        bool is_reduced = hlo_ints_contain(reduced, d);
        if (from->dims[d] == 1) continue;
        if (is_reduced && are_after) return (hlo_cluster_columns){0};
        if (is_reduced) columns.length *= from->dims[d];
        else if (columns.length == 1) columns.count *= from->dims[d];
        else are_after = true;
    }
    return columns;
}

/* Each of several arrays has separate parts: long enough for a loop, and for accumulators. */
static bool takes_arrays(const hlo_fold_shape *shape) {
    enum { FEW_ROWS = 16, FEW = 2048 };
    return shape->part >= FEW_ROWS && shape->part >= FEW / shape->inner;
}

/* Threads have separate parts, which consist of whole rows; the block by which all elements are
 * folded is a tile. */
bool hlo_cluster_accepts(int64_t elements, int64_t row, hlo_cluster_columns columns) {
    enum { PARTS = 4, FEW = 1 << 19 };
    if (!columns.count) return true;
    hlo_fold_shape shape = hlo_fold_shape_of(columns.length, columns.count);
    int64_t arrays = elements / columns.count / columns.length;
    if (shape.reduced < 2 || (shape.parts * arrays < PARTS && elements > FEW)) return false;
    if (arrays > 1 && !takes_arrays(&shape)) return false;
    if (row && (shape.part * columns.count % row || columns.length * columns.count % row))
        return false;
    int64_t added = hlo_fold_adds(&shape) ? HLO_FOLD_ADDED * hlo_fold_width(&shape) : 1;
    if (row && HLO_FOLD_BLOCK % row != 0 && row % added != 0) return false;
    return !row || columns.count > 1 || row % HLO_FOLD_BLOCK == 0;
}

int64_t hlo_cluster_inner_of(const hlo_instr *broadcast) {
    HLO_ASSERT(broadcast->opcode == HLO_OP_BROADCAST);
    int64_t inner = 1;
    hlo_broadcast_inner(broadcast, &inner);
    return inner;
}

bool hlo_broadcast_inner(const hlo_instr *broadcast, int64_t *inner) {
    HLO_ASSERT(broadcast->opcode == HLO_OP_BROADCAST);
    const hlo_ints *to = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    const hlo_shape *shape = broadcast->shape;
    int64_t next = -1; /* of the result, after what has been met of the operand */
    for (uint32_t i = 0; i < to->n; i++) {
        if (shape->dims[to->v[i]] == 1) continue;
        if (next >= 0 && to->v[i] < next) return false;
        for (; next >= 0 && next < to->v[i]; next++)
            if (shape->dims[next] != 1) return false;
        next = to->v[i] + 1;
    }
    *inner = next < 0 ? 1 : hlo_elements_after(shape, next - 1);
    return true;
}
