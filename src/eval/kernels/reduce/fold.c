/* Folding rows, columns and parts of arrays: see fold.h. */
#include "eval/kernels/reduce/fold.h"

#include "base/math.h"
#include "base/pool.h"
#include "eval/kernel/strides.h"

/* ---- what is combined how ---- */

static void find_kernels(hlo_fold *fold) {
    const hlo_fold_set *set = hlo_fold_chosen();
    bool in_f32 = hlo_type_is_small_float(fold->from);
    fold->loaded = fold->from;
    fold->kernels = set->kernels(fold->opcode, fold->from, fold->type);
    if (fold->kernels) return;
    fold->loaded = in_f32 ? HLO_F32 : fold->type;
    fold->kernels = set->kernels(fold->opcode, fold->loaded, fold->type);
}

bool hlo_fold_prepare(hlo_fold *fold, hlo_combiner combiner, hlo_type from) {
    hlo_type type = hlo_combiner_promote(&combiner);
    if (type == HLO_TYPE_COUNT) return false;
    *fold =
        (hlo_fold){.opcode = combiner.opcode, .from = from, .type = type, .lanes = combiner.lanes};
    if (hlo_type_is_complex(type) && from == type && combiner.opcode == HLO_OP_ADD) {
        fold->from = fold->type = hlo_type_part(type);
        fold->lanes = hlo_binary_lanes(combiner.opcode, fold->type);
    }
    find_kernels(fold);
    return true;
}

/* The combiner of leaf i of the computation's result, if that is one instruction of parameters i of
 * accumulators and of elements. */
static bool combiner_of_leaf(const hlo_instr *reduce, uint32_t i, bool plain,
                             hlo_combiner *combiner) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    const hlo_computation *computation = hlo_called(reduce, 0);
    const hlo_instr *root = computation->root;
    uint32_t operands = reduce->operand_count / 2;
    hlo_type type = (hlo_type)hlo_shape_part(reduce->shape, i)->type;
    if (!hlo_shape_is_tuple(reduce->shape))
        return hlo_combiner_of_one(combiner, computation, type, plain);
    return root->opcode == HLO_OP_TUPLE && computation->parameter_count == 2 * operands &&
           hlo_combiner_of_pair(combiner, hlo_operand(root, i), computation->parameters[i],
                                computation->parameters[operands + i], type, plain);
}

/* Sums and products of small floats are rounded to their type after each element where there are
 * several operands, as XLA does it; folds round once. */
static bool may_be_folded(const hlo_instr *reduce, const hlo_combiner *combiner) {
    bool is_rounded = combiner->opcode == HLO_OP_ADD || combiner->opcode == HLO_OP_MULTIPLY;
    return reduce->operand_count == 2 || !is_rounded ||
           !hlo_type_is_small_float(combiner->lanes.to);
}

bool hlo_fold_find(hlo_fold *fold, const hlo_instr *reduce, uint32_t i, bool plain) {
    hlo_combiner combiner;
    return combiner_of_leaf(reduce, i, plain, &combiner) && may_be_folded(reduce, &combiner) &&
           hlo_fold_prepare(fold, combiner, (hlo_type)hlo_operand(reduce, i)->shape->type);
}

hlo_fold hlo_fold_of_accumulators(const hlo_fold *fold) {
    hlo_fold own = *fold;
    own.from = fold->type;
    find_kernels(&own);
    return own;
}

static bool fold_squares(hlo_fold *fold, const hlo_instr *product) {
    if (hlo_operand(product, 0) != hlo_operand(product, 1) || fold->opcode != HLO_OP_ADD ||
        fold->type != HLO_F64)
        return false;
    fold->kernels = hlo_fold_chosen()->squares;
    return true;
}

/* Each bf16 and f16 is an f32 and an f64. */
static bool fold_widened(hlo_fold *fold, const hlo_instr *convert) {
    hlo_type type = (hlo_type)hlo_operand(convert, 0)->shape->type;
    if (type != HLO_BF16 && type != HLO_F16) return false;
    hlo_fold narrow = *fold;
    narrow.from = type;
    find_kernels(&narrow);
    if (!narrow.kernels || narrow.loaded != type) return false;
    *fold = narrow;
    return true;
}

bool hlo_fold_through(hlo_fold *fold, const hlo_instr *elements) {
    if (fold->from != HLO_F32) return false;
    if (elements->opcode == HLO_OP_MULTIPLY) return fold_squares(fold, elements);
    return elements->opcode == HLO_OP_CONVERT && fold_widened(fold, elements);
}

/* ---- rows ---- */

enum { BLOCK = HLO_FOLD_BLOCK };

/* n elements as the kernels take them, in `buffer` unless they are that already. */
static const void *load(const hlo_fold *fold, const char *elements, void *buffer, int64_t n) {
    if (fold->from == fold->loaded) return elements;
    hlo_convert_elements(fold->from, fold->loaded, elements, buffer, (size_t)n);
    return buffer;
}

/* The same as the kernels' rows, of one block: by halves, since there are no kernels. */
static void fold_by_halves(const hlo_fold *fold, void *to, const void *block, int64_t n) {
    _Alignas(64) char sums[BLOCK * HLO_LANES_MAX_BYTES];
    size_t bytes = hlo_fold_bytes(fold);
    memcpy(sums, block, (size_t)n * bytes);
    for (; n > 1; n -= n / 2)
        hlo_fold_combine(fold, sums, sums + (size_t)(n - n / 2) * bytes, n / 2);
    memcpy(to, sums, bytes);
}

static void fold_blocks(const hlo_fold *fold, char *to, const char *elements, int64_t length) {
    _Alignas(64) char buffer[BLOCK * HLO_LANES_MAX_BYTES];
    _Alignas(16) char sum[HLO_LANES_MAX_BYTES];
    size_t from_bytes = hlo_fold_from_bytes(fold);
    for (int64_t k = 0; k < length; k += BLOCK) {
        int64_t n = length - k < BLOCK ? length - k : BLOCK;
        const void *block = load(fold, elements + (size_t)k * from_bytes, buffer, n);
        void *at = k ? sum : to;
        if (fold->kernels) fold->kernels->rows(at, block, 1, n);
        else fold_by_halves(fold, at, block, n);
        if (k) hlo_fold_combine(fold, to, sum, 1);
    }
}

void hlo_fold_rows(const hlo_fold *fold, void *to, const void *elements, int64_t rows,
                   int64_t length) {
    if (fold->kernels && fold->from == fold->loaded) {
        fold->kernels->rows(to, elements, rows, length);
        return;
    }
    size_t bytes = hlo_fold_bytes(fold), from_bytes = hlo_fold_from_bytes(fold);
    for (int64_t r = 0; r < rows; r++)
        fold_blocks(fold, (char *)to + (size_t)r * bytes,
                    (const char *)elements + (size_t)(r * length) * from_bytes, length);
}

/* ---- columns ---- */

static void start_or_combine(const hlo_fold *fold, bool starts, char *to, const void *elements,
                             int64_t n) {
    if (fold->kernels)
        fold->kernels->columns(
            &(hlo_fold_columns_call){1, 1, n, elements, 0, 0, to, 0, starts, false});
    else if (starts) memcpy(to, elements, (size_t)n * hlo_fold_bytes(fold));
    else hlo_fold_combine(fold, to, elements, n);
}

static void fold_row_into(const hlo_fold *fold, bool starts, char *to, const char *row,
                          int64_t columns) {
    _Alignas(64) char buffer[BLOCK * HLO_LANES_MAX_BYTES];
    for (int64_t k = 0; k < columns; k += BLOCK) {
        int64_t n = columns - k < BLOCK ? columns - k : BLOCK;
        const void *block = load(fold, row + (size_t)k * hlo_fold_from_bytes(fold), buffer, n);
        start_or_combine(fold, starts, to + (size_t)k * hlo_fold_bytes(fold), block, n);
    }
}

void hlo_fold_columns(const hlo_fold *fold, const hlo_fold_columns_call *c) {
    if (fold->kernels && fold->from == fold->loaded) {
        fold->kernels->columns(c);
        return;
    }
    size_t bytes = hlo_fold_bytes(fold), from_bytes = hlo_fold_from_bytes(fold);
    for (int64_t i = 0; i < c->count; i++)
        for (int64_t r = 0; r < c->rows; r++)
            fold_row_into(fold, c->starts && r == 0,
                          (char *)c->accumulators + (size_t)(i * c->next_accumulators) * bytes,
                          (const char *)c->elements +
                              (size_t)(i * c->next + r * c->row) * from_bytes,
                          c->columns);
}

/* ---- parts ---- */

/* A row is cut where one piece of work ends. Parts of columns are long beside their accumulators.
 */
hlo_fold_shape hlo_fold_shape_of(int64_t reduced, int64_t inner) {
    enum { SEGMENT = 1 << 16, PARTS = 64, LEAST_ROWS = 64, MOST_COLUMNS = 1 << 15 };
    hlo_fold_shape shape = {reduced, inner, .part = reduced, .parts = 1, .group = 1};
    if (inner == 1) {
        shape.part = SEGMENT;
    } else if (inner <= MOST_COLUMNS) {
        int64_t group = HLO_FOLD_GROUPED / 2 / inner;
        if (group > 1 && reduced >= 2 * group) shape.group = group;
        int64_t rows = hlo_larger(hlo_units(reduced, PARTS), hlo_units(SEGMENT, inner));
        shape.part = hlo_units(hlo_larger(rows, LEAST_ROWS), shape.group) * shape.group;
    }
    if (shape.part > reduced) shape.part = reduced;
    shape.parts = hlo_units(reduced, shape.part);
    return shape;
}

void hlo_fold_part_columns(const hlo_fold *fold, const hlo_fold_shape *shape, void *to,
                           const void *elements, int64_t p, int64_t first, int64_t last) {
    enum { ROWS = 4096 }; /* between questions whether to stop */
    int64_t from = p * shape->part, end = from + shape->part;
    if (end > shape->reduced) end = shape->reduced;
    for (int64_t r = from; r < end && !hlo_pool_is_stopped(); r += ROWS) {
        const char *row =
            (const char *)elements + (size_t)(r * shape->inner + first) * hlo_fold_from_bytes(fold);
        int64_t rows = end - r < ROWS ? end - r : ROWS;
        hlo_fold_columns(fold, &(hlo_fold_columns_call){1, rows, last - first, row, 0, shape->inner,
                                                        to, 0, r == from, hlo_fold_adds(shape)});
    }
}

static void more_of_row(const hlo_fold *fold, void *sum, const void *elements, int64_t at,
                        int64_t n) {
    _Alignas(16) char more[HLO_LANES_MAX_BYTES];
    size_t bytes = hlo_fold_from_bytes(fold);
    for (int64_t k = 0; k < n; k += BLOCK) {
        int64_t m = n - k < BLOCK ? n - k : BLOCK;
        void *to = at || k ? more : sum;
        hlo_fold_rows(fold, to, (const char *)elements + (size_t)k * bytes, 1, m);
        if (to == more) hlo_fold_combine(fold, sum, more, 1);
    }
}

void hlo_fold_more(const hlo_fold *fold, const hlo_fold_shape *shape, void *accumulators,
                   const void *elements, int64_t at, int64_t n) {
    if (shape->inner == 1) {
        more_of_row(fold, accumulators, elements, at, n);
        return;
    }
    int64_t width = hlo_fold_width(shape);
    size_t from_bytes = hlo_fold_from_bytes(fold), bytes = hlo_fold_bytes(fold);
    for (int64_t k = 0, m; k < n; k += m) {
        int64_t column = (at + k) % width, rows = column ? 0 : (n - k) / width;
        int64_t columns = rows ? width : width - column < n - k ? width - column : n - k;
        m = rows ? rows * width : columns;
        hlo_fold_columns(
            fold, &(hlo_fold_columns_call){1, rows ? rows : 1, columns,
                                           (const char *)elements + (size_t)k * from_bytes, 0,
                                           width, (char *)accumulators + (size_t)column * bytes, 0,
                                           at + k < width, hlo_fold_adds(shape)});
    }
}

void hlo_fold_groups(const hlo_fold *fold, const hlo_fold_shape *shape, void *accumulators,
                     int64_t rows) {
    size_t bytes = hlo_fold_bytes(fold);
    for (int64_t n = rows < shape->group ? rows : shape->group; n > 1; n -= n / 2)
        hlo_fold_combine(fold, accumulators,
                         (char *)accumulators + (size_t)((n - n / 2) * shape->inner) * bytes,
                         n / 2 * shape->inner);
}

/* Rows that are one with their neighbours, and those that remain. */
static void fold_grouped(const hlo_fold *fold, const hlo_fold_shape *shape, void *to,
                         const void *elements, int64_t rows) {
    _Alignas(64) char sums[HLO_FOLD_GROUPED * HLO_LANES_MAX_BYTES];
    int64_t width = shape->group * shape->inner, wide = rows / shape->group;
    hlo_fold_columns_call call = {1,     wide, width, elements, 0,
                                  width, sums, 0,     true,     hlo_fold_adds(shape)};
    if (wide) hlo_fold_columns(fold, &call);
    call.elements = (const char *)elements + (size_t)(wide * width) * hlo_fold_from_bytes(fold);
    call.columns = (rows - wide * shape->group) * shape->inner;
    call.rows = 1;
    call.starts = !wide;
    if (call.columns) hlo_fold_columns(fold, &call);
    hlo_fold_groups(fold, shape, sums, rows);
    memcpy(to, sums, (size_t)shape->inner * hlo_fold_bytes(fold));
}

void hlo_fold_part(const hlo_fold *fold, const hlo_fold_shape *shape, void *to,
                   const void *elements, int64_t p) {
    int64_t from = p * shape->part, rows = shape->reduced - from;
    const char *first =
        (const char *)elements + (size_t)(from * shape->inner) * hlo_fold_from_bytes(fold);
    if (rows > shape->part) rows = shape->part;
    if (shape->inner == 1) hlo_fold_rows(fold, to, first, 1, rows);
    else if (shape->group > 1) fold_grouped(fold, shape, to, first, rows);
    else hlo_fold_part_columns(fold, shape, to, elements, p, 0, shape->inner);
}

/* ---- results ---- */

void hlo_fold_finish(const hlo_fold_end *end, void *to, void *from, int64_t n) {
    _Alignas(64) char first[HLO_FOLD_RESULTS * HLO_LANES_MAX_BYTES];
    const hlo_fold *fold = end->fold;
    int64_t unit = hlo_fold_unit(fold, end->result);
    hlo_type type = unit == 2 ? end->result : fold->type;
    size_t bytes = hlo_fold_bytes(fold), result_bytes = hlo_types[end->result].bytes;
    _Alignas(16) char init[HLO_LANES_MAX_BYTES];
    hlo_convert_elements(end->init_type, type, end->init, init, 1);
    for (int64_t k = 0, m; k < n; k += m) {
        m = n - k < HLO_FOLD_RESULTS ? n - k : HLO_FOLD_RESULTS;
        char *at = (char *)from + (size_t)k * bytes;
        hlo_fill_elements(first, init, hlo_types[type].bytes, m / unit);
        hlo_lanes_run2(&fold->lanes, at, first, at, (size_t)m);
        hlo_convert_elements(type, end->result, at, (char *)to + (size_t)(k / unit) * result_bytes,
                             (size_t)(m / unit));
    }
}
