/* shrink-dims: rules of operations that move elements. */
#include "passes/tools/shrink_dims.h"

static uint32_t operand_dims(const hlo_shrink *s, const hlo_instr *instr, uint32_t i) {
    return hlo_shrink_first(s, hlo_operand(instr, i));
}

/* ---- dimension by dimension ---- */

static void relate_broadcast(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_ints *to = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t d = 0; d < to->n; d++)
        hlo_shrink_join(s, operand_dims(s, instr, 0) + d,
                        hlo_shrink_first(s, instr) + (uint32_t)to->v[d], 0, instr);
}

static void relate_transpose(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_ints *from = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t d = 0; d < from->n; d++)
        hlo_shrink_join(s, operand_dims(s, instr, 0) + (uint32_t)from->v[d],
                        hlo_shrink_first(s, instr) + d, 0, instr);
}

static void relate_reshape(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape;
    hlo_shrink_regroup(s, operand_dims(s, instr, 0), from->rank, hlo_shrink_first(s, instr),
                       instr->shape->rank, instr);
}

/* Where both sides have the default layout a bitcast is a reshape. */
static void relate_bitcast(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    bool is_reshape = from->type == to->type && from->plain_layout && to->plain_layout;
    if (hlo_shape_same_array(from, to)) {
        hlo_shrink_join_all(s, operand_dims(s, instr, 0), hlo_shrink_first(s, instr), to->rank,
                            instr);
    } else if (is_reshape) {
        relate_reshape(s, instr);
    } else {
        hlo_shrink_keep_all(s, operand_dims(s, instr, 0), from->rank,
                            "a bitcast depends on its layout", instr);
        hlo_shrink_keep_all(s, hlo_shrink_first(s, instr), to->rank,
                            "a bitcast depends on its layout", instr);
    }
}

/* A narrower type has a dimension more, whose size is that of its parts. */
static void relate_bitcast_convert(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t from = hlo_operand(instr, 0)->shape->rank, to = instr->shape->rank;
    uint32_t n = from < to ? from : to;
    hlo_shrink_join_all(s, operand_dims(s, instr, 0), hlo_shrink_first(s, instr), n, instr);
    hlo_shrink_keep_all(s, operand_dims(s, instr, 0) + n, from - n, "it is a number of bits",
                        instr);
    hlo_shrink_keep_all(s, hlo_shrink_first(s, instr) + n, to - n, "it is a number of bits", instr);
}

/* ---- cuts ---- */

static void relate_slice(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_slice *slice = hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
    for (uint32_t d = 0; d < slice->n; d++) {
        uint32_t whole = operand_dims(s, instr, 0) + d, part = hlo_shrink_first(s, instr) + d;
        int64_t start = slice->v[d].start, stride = slice->v[d].stride;
        hlo_shrink_cut cut =
            hlo_shrink_cut_of(s, s->dims[whole].size, start, s->dims[part].size, stride);
        hlo_shrink_relate_cut(s, cut, whole, part, stride, instr);
    }
}

/* The same elements between all, and after the last: the result is a multiple of the operand. */
static void relate_spread(hlo_shrink *s, uint32_t part, uint32_t whole, int64_t low,
                          int64_t interior, const hlo_instr *instr) {
    bool even = s->dims[whole].size == s->dims[part].size * (interior + 1);
    if (even && low >= 0 && low <= interior) {
        hlo_shrink_scale(s, part, whole, instr);
        return;
    }
    hlo_shrink_keep(s, part, "it is padded between elements", instr);
    hlo_shrink_keep(s, whole, "it has padding between elements", instr);
}

/* What is cut off, of negative padding, is a margin. */
static void relate_pad(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_padding *padding = hlo_instr_attr(instr, HLO_ATTR_PADDING)->u.padding;
    for (uint32_t d = 0; d < padding->n; d++) {
        int64_t low = padding->v[d].low, high = padding->v[d].high;
        uint32_t part = operand_dims(s, instr, 0) + d, whole = hlo_shrink_first(s, instr) + d;
        int64_t size = s->dims[part].size;
        if (padding->v[d].interior && size > 1) {
            relate_spread(s, part, whole, low, padding->v[d].interior, instr);
        } else if (low < 0 || high < 0) {
            hlo_shrink_join(s, part, whole, -(low + high), instr);
        } else {
            hlo_shrink_cut cut = hlo_shrink_cut_of(s, s->dims[whole].size, low, size, 1);
            hlo_shrink_relate_cut(s, cut, whole, part, 1, instr);
        }
    }
}

static int64_t largest_of(const hlo_shrink *s, const hlo_instr *instr, uint32_t d,
                          uint32_t *which) {
    int64_t largest = -1;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        int64_t size = s->dims[operand_dims(s, instr, i) + d].size;
        if (size > largest) *which = i;
        if (size > largest) largest = size;
    }
    return largest;
}

/* Parts that are all divided; or one that is, next to a margin of others. */
static void relate_parts(hlo_shrink *s, const hlo_instr *instr, uint32_t d) {
    uint32_t whole = hlo_shrink_first(s, instr) + d, large = 0;
    int64_t margin = s->dims[whole].size - largest_of(s, instr, d, &large);
    bool all = true;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        all &= s->dims[operand_dims(s, instr, i) + d].size % s->factor == 0;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t part = operand_dims(s, instr, i) + d;
        if (all) hlo_shrink_scale(s, whole, part, instr);
        else if (i == large) hlo_shrink_join(s, whole, part, margin, instr);
        else
            hlo_shrink_keep(s, part, "parts of a concatenation are no multiples of the factor",
                            instr);
    }
    if (!all && margin >= s->dims[whole].size - margin)
        hlo_shrink_keep(s, whole, "parts of a concatenation are no multiples of the factor", instr);
}

static void relate_concatenate(hlo_shrink *s, const hlo_instr *instr) {
    int64_t along = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    for (uint32_t d = 0; d < instr->shape->rank; d++) {
        if (d == along) {
            relate_parts(s, instr, d);
            continue;
        }
        for (uint32_t i = 0; i < instr->operand_count; i++)
            hlo_shrink_join(s, operand_dims(s, instr, i) + d, hlo_shrink_first(s, instr) + d, 0,
                            instr);
    }
}

/* A part whose place is computed: as large as the whole, or no larger. */
static void relate_window(hlo_shrink *s, uint32_t whole, uint32_t part, const hlo_instr *instr) {
    if (s->dims[whole].size == s->dims[part].size) hlo_shrink_join(s, whole, part, 0, instr);
    else hlo_shrink_bind(s, part, 0, whole, instr);
}

static void relate_windows(hlo_shrink *s, uint32_t whole, uint32_t part, uint32_t n,
                           const hlo_instr *instr) {
    for (uint32_t d = 0; d < n; d++) relate_window(s, whole + d, part + d, instr);
}

/* Their indices are scalars, or in old texts the elements of one array. */
static void keep_indices(hlo_shrink *s, const hlo_instr *instr, uint32_t first) {
    for (uint32_t i = first; i < instr->operand_count; i++)
        hlo_shrink_keep_all(s, operand_dims(s, instr, i),
                            hlo_shrink_count(s, hlo_operand(instr, i)),
                            "it is the length of an index", instr);
}

/* ---- gather and scatter ---- */

typedef struct {
    const hlo_instr *instr;
    uint32_t whole, indices, part; /* first dimensions */
    uint32_t rank, index_rank, part_rank;
    const hlo_ints *window_dims, *collapsed, *batching, *index_batching;
    int64_t vector;
} indexed;

/* Dimensions of windows go with those of the whole that are in windows, in order; the others with
 * those of the indices, in order, but for that of the vectors. */
static void relate_indexed(hlo_shrink *s, const indexed *x) {
    uint32_t in_whole = 0, in_indices = 0;
    for (uint32_t d = 0; d < x->part_rank; d++) {
        if (hlo_ints_contain(x->window_dims, d)) {
            while (hlo_ints_contain(x->collapsed, in_whole) ||
                   hlo_ints_contain(x->batching, in_whole))
                in_whole++;
            if (in_whole < x->rank) relate_window(s, x->whole + in_whole++, x->part + d, x->instr);
            continue;
        }
        if (in_indices == x->vector) in_indices++;
        if (in_indices < x->index_rank)
            hlo_shrink_join(s, x->indices + in_indices++, x->part + d, 0, x->instr);
    }
    for (uint32_t i = 0; i < x->batching->n && i < x->index_batching->n; i++)
        hlo_shrink_join(s, x->whole + (uint32_t)x->batching->v[i],
                        x->indices + (uint32_t)x->index_batching->v[i], 0, x->instr);
    if (x->vector < x->index_rank)
        hlo_shrink_keep(s, x->indices + (uint32_t)x->vector, "it is the length of an index",
                        x->instr);
}

static void relate_gather(hlo_shrink *s, const hlo_instr *instr) {
    const hlo_shape *whole = hlo_operand(instr, 0)->shape, *indices = hlo_operand(instr, 1)->shape;
    relate_indexed(s,
                   &(indexed){
                       .instr = instr,
                       .whole = operand_dims(s, instr, 0),
                       .indices = operand_dims(s, instr, 1),
                       .part = hlo_shrink_first(s, instr),
                       .rank = whole->rank,
                       .index_rank = indices->rank,
                       .part_rank = instr->shape->rank,
                       .window_dims = hlo_attr_ints(instr, HLO_ATTR_OFFSET_DIMS),
                       .collapsed = hlo_attr_ints(instr, HLO_ATTR_COLLAPSED_SLICE_DIMS),
                       .batching = hlo_attr_ints(instr, HLO_ATTR_OPERAND_BATCHING_DIMS),
                       .index_batching = hlo_attr_ints(instr, HLO_ATTR_START_INDICES_BATCHING_DIMS),
                       .vector = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
                   });
}

/* n arrays, the indices, and n arrays of updates. */
static void relate_scatter(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t n = instr->operand_count / 2, result = hlo_shrink_first(s, instr);
    const hlo_shape *whole = hlo_operand(instr, 0)->shape, *indices = hlo_operand(instr, n)->shape;
    indexed x = {
        .instr = instr,
        .indices = operand_dims(s, instr, n),
        .rank = whole->rank,
        .index_rank = indices->rank,
        .part_rank = hlo_operand(instr, n + 1)->shape->rank,
        .window_dims = hlo_attr_ints(instr, HLO_ATTR_UPDATE_WINDOW_DIMS),
        .collapsed = hlo_attr_ints(instr, HLO_ATTR_INSERTED_WINDOW_DIMS),
        .batching = hlo_attr_ints(instr, HLO_ATTR_INPUT_BATCHING_DIMS),
        .index_batching = hlo_attr_ints(instr, HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS),
        .vector = hlo_attr_int(instr, HLO_ATTR_INDEX_VECTOR_DIM),
    };
    for (uint32_t i = 0; i < n; i++) {
        x.whole = operand_dims(s, instr, i);
        x.part = operand_dims(s, instr, n + 1 + i);
        hlo_shrink_join_all(s, x.whole, result + i * x.rank, x.rank, instr);
        relate_indexed(s, &x);
    }
}

bool hlo_shrink_relate_move(hlo_shrink *s, const hlo_instr *instr) {
    uint32_t own = hlo_shrink_first(s, instr);
    switch (instr->opcode) {
    case HLO_OP_BROADCAST: relate_broadcast(s, instr); return true;
    case HLO_OP_TRANSPOSE: relate_transpose(s, instr); return true;
    case HLO_OP_RESHAPE: relate_reshape(s, instr); return true;
    case HLO_OP_BITCAST: relate_bitcast(s, instr); return true;
    case HLO_OP_BITCAST_CONVERT: relate_bitcast_convert(s, instr); return true;
    case HLO_OP_SLICE: relate_slice(s, instr); return true;
    case HLO_OP_PAD: relate_pad(s, instr); return true;
    case HLO_OP_CONCATENATE: relate_concatenate(s, instr); return true;
    case HLO_OP_DYNAMIC_SLICE:
        relate_windows(s, operand_dims(s, instr, 0), own, instr->shape->rank, instr);
        keep_indices(s, instr, 1);
        return true;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        hlo_shrink_join_all(s, operand_dims(s, instr, 0), own, instr->shape->rank, instr);
        relate_windows(s, own, operand_dims(s, instr, 1), instr->shape->rank, instr);
        keep_indices(s, instr, 2);
        return true;
    case HLO_OP_GATHER: relate_gather(s, instr); return true;
    case HLO_OP_SCATTER: relate_scatter(s, instr); return true;
    default: return false;
    }
}
