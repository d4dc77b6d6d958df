/* reduce: with one associative instruction as computation, whole rows at a time in a type that
 * keeps long sums accurate; with any other computation element after element in row-major order,
 * lanes being the elements of the result. Called through the kernel table. */
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/old_products.h"

/* Elements that are folded together; lanes of the general form, few enough to stay in a cache. */
enum { BLOCK = 512, LANES = 1024 };

/* Elements that one thread folds at a time; into how many parts few long sums are cut. */
enum { PIECE = 1 << 15, PARTS = 64 };

static bool is_reduced(const hlo_ints *dimensions, int64_t dimension) {
    for (uint32_t i = 0; i < dimensions->n; i++)
        if (dimensions->v[i] == dimension) return true;
    return false;
}

/* ---- one associative instruction ---- */

typedef struct {
    hlo_type from, type; /* of the operand's elements; of the accumulators */
    uint32_t from_bytes, bytes;
    hlo_lanes lanes;
    hlo_opcode opcode;
    _Alignas(16) char identity[HLO_LANES_MAX_BYTES]; /* where parts of long sums start */
} folder;

/* n of the operand's elements as accumulators, in `buffer` unless they are already. */
static const void *load(const folder *f, const void *elements, void *buffer, int64_t n) {
    if (f->from == f->type) return elements;
    hlo_convert_elements(f->from, f->type, elements, buffer, (size_t)n);
    return buffer;
}

/* accumulators[k] = combination with elements[k] */
static void fold_columns(const folder *f, char *accumulators, const char *elements, int64_t n) {
    _Alignas(64) char buffer[BLOCK * HLO_LANES_MAX_BYTES];
    for (int64_t k = 0; k < n; k += BLOCK) {
        int64_t m = n - k < BLOCK ? n - k : BLOCK;
        char *to = accumulators + k * f->bytes;
        hlo_lanes_run2(&f->lanes, to, to, load(f, elements + k * f->from_bytes, buffer, m),
                       (size_t)m);
    }
}

/* accumulator = combination with all elements: blocks over each other, then halves of a block. */
static void fold_row(const folder *f, char *accumulator, const char *elements, int64_t n) {
    _Alignas(64) char sums[BLOCK * HLO_LANES_MAX_BYTES], buffer[BLOCK * HLO_LANES_MAX_BYTES];
    int64_t width = n < BLOCK ? n : BLOCK;
    hlo_convert_elements(f->from, f->type, elements, sums, (size_t)width);
    if (n > BLOCK) {
        for (int64_t k = BLOCK; k < n; k += BLOCK) {
            int64_t m = n - k < BLOCK ? n - k : BLOCK;
            hlo_lanes_run2(&f->lanes, sums, sums, load(f, elements + k * f->from_bytes, buffer, m),
                           (size_t)m);
        }
    }
    for (; width > 1; width -= width / 2)
        hlo_lanes_run2(&f->lanes, sums, sums, sums + (width - width / 2) * f->bytes,
                       (size_t)(width / 2));
    hlo_lanes_run2(&f->lanes, accumulator, accumulator, sums, 1);
}

/* Walks the operand row by row; accumulators (array 0) stand still along reduced dimensions. */
static void walk_operand(hlo_walk *walk, const folder *f, const hlo_value *x,
                         const hlo_ints *dimensions) {
    int64_t *from = hlo_new_strides(x->shape, f->from_bytes);
    int64_t *to = hlo_new_strides(x->shape, 0), unit = f->bytes;
    for (uint32_t d = x->shape->rank; d-- > 0;) {
        if (is_reduced(dimensions, d)) continue;
        to[d] = unit;
        unit *= x->shape->dims[d];
    }
    hlo_walk_init(walk, 2);
    for (uint32_t d = 0; d < x->shape->rank; d++)
        hlo_walk_dim2(walk, x->shape->dims[d], to[d], from[d]);
    hlo_free(from);
    hlo_free(to);
}

typedef struct {
    const folder *f;
    const hlo_walk *walk;
    uint32_t dimension;
    int64_t step; /* of the dimension, for a part */
    char *sums;
    int64_t sums_bytes; /* of a part's accumulators */
    const char *elements;
} fold_loop;

static void fold_rows(const folder *f, hlo_walk *walk, char *sums, const char *elements) {
    for (bool more = hlo_walk_start(walk); more; more = hlo_walk_next(walk)) {
        const char *row = elements + walk->at[1];
        if (walk->row_stride[0]) fold_columns(f, sums + walk->at[0], row, walk->row);
        else fold_row(f, sums + walk->at[0], row, walk->row);
    }
}

/* Accumulators that lie between two places of a kept dimension. */
static void fold_kept(void *context, int64_t first, int64_t last) {
    const fold_loop *loop = context;
    hlo_walk part;
    hlo_walk_part(&part, loop->walk, loop->dimension, first, last);
    fold_rows(loop->f, &part, loop->sums, loop->elements);
}

/* Parts of a reduced dimension, each into accumulators of its own. */
static void fold_parts(void *context, int64_t first, int64_t last) {
    const fold_loop *loop = context;
    int64_t size = loop->walk->size[loop->dimension];
    for (int64_t p = first; p < last; p++) {
        int64_t from = p * loop->step, left = size - from;
        hlo_walk part;
        hlo_walk_part(&part, loop->walk, loop->dimension, from,
                      left < loop->step ? size : from + loop->step);
        fold_rows(loop->f, &part, loop->sums + p * loop->sums_bytes, loop->elements);
    }
}

/* Sets what changes nothing when it is combined; the initial value where it does so itself. */
static void put_identity(folder *f, const void *init) {
    hlo_opcode opcode = f->opcode;
    void *to = f->identity;
    double number = opcode == HLO_OP_MULTIPLY ? 1 : -0.0;
    bool is_own = opcode != HLO_OP_ADD && opcode != HLO_OP_MULTIPLY && opcode != HLO_OP_XOR;
    if (is_own) memcpy(to, init, f->bytes);
    else if (hlo_type_is_complex(f->type)) {
        const double parts[] = {number, opcode == HLO_OP_MULTIPLY ? 0 : number};
        hlo_convert_elements(HLO_C128, f->type, parts, to, 1);
    } else hlo_convert_elements(HLO_F64, f->type, &number, to, 1);
}

/* Cuts a reduced dimension into parts and folds their sums in order. */
static void fold_in_parts(fold_loop *loop, int64_t elements) {
    const folder *f = loop->f;
    char *sums = loop->sums;
    int64_t size = loop->walk->size[loop->dimension];
    loop->step = (size + PARTS - 1) / PARTS;
    int64_t parts = (size + loop->step - 1) / loop->step;
    loop->sums_bytes = elements * f->bytes;
    loop->sums = hlo_scratch_new((size_t)(parts * loop->sums_bytes));
    hlo_fill_elements(loop->sums, f->identity, f->bytes, parts * elements);
    hlo_parallel(parts, 1, fold_parts, loop);
    for (int64_t p = 0; p < parts; p++)
        hlo_lanes_run2(&f->lanes, sums, sums, loop->sums + p * loop->sums_bytes, (size_t)elements);
    hlo_block_free(loop->sums);
}

static uint32_t longest_reduced(const hlo_walk *walk) {
    uint32_t longest = walk->rank;
    for (uint32_t d = 0; d < walk->rank; d++)
        if (!walk->stride[d][0] && (longest == walk->rank || walk->size[d] > walk->size[longest]))
            longest = d;
    return longest;
}

/* Splits a long walk: over reduced elements where few are kept, else over kept ones. The choice
 * depends on the sizes only. */
static void fold_walk(const folder *f, hlo_walk *walk, char *sums, int64_t elements,
                      const char *from) {
    enum { FEW = 4096, LEAST_COLUMNS = 512 };
    int64_t count = hlo_walk_elements(walk);
    fold_loop loop = {.f = f, .walk = walk, .sums = sums, .elements = from};
    loop.dimension = longest_reduced(walk);
    if (count < INT64_C(2) * PIECE) {
        fold_rows(f, walk, sums, from);
    } else if (elements <= FEW && elements <= count / (INT64_C(4) * PARTS) &&
               loop.dimension < walk->rank) {
        fold_in_parts(&loop, elements);
    } else {
        loop.dimension = hlo_walk_longest(walk, 0);
        int64_t grain = PIECE / (count / walk->size[loop.dimension]);
        int64_t least = loop.dimension + 1 == walk->rank ? LEAST_COLUMNS : 1;
        hlo_parallel(walk->size[loop.dimension], grain < least ? least : grain, fold_kept, &loop);
    }
}

static void fold(folder *f, const hlo_value *x, const hlo_value *init, const hlo_ints *dimensions,
                 hlo_value *out) {
    int64_t elements = hlo_shape_elements(out->shape);
    hlo_type result = (hlo_type)out->shape->type;
    char *sums = result == f->type ? out->data : hlo_scratch_new((size_t)(elements * f->bytes));
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, f->type, init->data, first, 1);
    hlo_fill_elements(sums, first, f->bytes, elements);
    put_identity(f, first);
    hlo_walk walk;
    walk_operand(&walk, f, x, dimensions);
    if (elements) fold_walk(f, &walk, sums, elements, x->data);
    hlo_finish_sums(out, f->type, sums);
}

/* False when the combiner is not of this kind, or when rows are cut short at run time. */
static bool make_folder(hlo_combiner *combiner, const hlo_value *x, folder *f) {
    if (x->sizes) return false;
    f->type = hlo_combiner_promote(combiner);
    if (f->type == HLO_TYPE_COUNT) return false;
    f->from = (hlo_type)x->shape->type;
    f->lanes = combiner->lanes;
    f->opcode = combiner->opcode;
    f->from_bytes = hlo_types[f->from].bytes;
    f->bytes = hlo_types[f->type].bytes;
    return true;
}

/* ---- any computation ---- */

/* Operands packed as [reduced, kept] and the accumulators, which are the results themselves. */
typedef struct {
    hlo_combiner *combiner;
    uint32_t operands;
    int64_t kept;
    hlo_walk rows; /* over live reduced elements, in rows of `kept` elements */
    hlo_packed *packed;
    uint32_t *bytes; /* of an element, by operand */
    char **sums;
    bool failed; /* by a computation that only the owner's thread runs */
} general;

static bool combine_lanes(const general *g, void **accumulators, const void **elements, int64_t row,
                          int64_t first, int64_t n) {
    for (uint32_t i = 0; i < g->operands; i++) {
        accumulators[i] = g->sums[i] + first * g->bytes[i];
        elements[i] = g->packed[i].data + (row * g->kept + first) * g->bytes[i];
    }
    return hlo_combine(g->combiner, g->combiner->call, accumulators, elements, (size_t)n);
}

/* Blocks of LANES kept elements. */
static void combine_blocks(void *context, int64_t from, int64_t to) {
    general *g = context;
    void **accumulators = hlo_malloc(g->operands * sizeof *accumulators);
    const void **elements = hlo_malloc(g->operands * sizeof *elements);
    hlo_walk rows;
    bool ok = true;
    for (int64_t first = from * LANES; first < g->kept && first < to * LANES && ok;
         first += LANES) {
        int64_t n = g->kept - first < LANES ? g->kept - first : LANES;
        hlo_walk_part(&rows, &g->rows, g->rows.rank, 0, 1);
        for (bool more = hlo_walk_start(&rows); more && ok; more = hlo_walk_next(&rows))
            for (int64_t r = 0; r < rows.row && ok; r++)
                ok = combine_lanes(g, accumulators, elements, rows.at[0] + r * rows.row_stride[0],
                                   first, n);
    }
    if (!ok) g->failed = true;
    hlo_free(accumulators);
    hlo_free(elements);
}

static bool combine_all(general *g) {
    int64_t blocks = (g->kept + LANES - 1) / LANES, rows = hlo_walk_elements(&g->rows);
    bool alone = !hlo_combiner_is_shared(g->combiner);
    hlo_parallel(blocks, alone ? blocks : hlo_grain(rows * LANES), combine_blocks, g);
    return !g->failed;
}

/* The dimensions of x with the reduced ones first, and the walk over these. */
static uint32_t *reduced_first(general *g, const hlo_value *x, const hlo_ints *dimensions) {
    uint32_t rank = x->shape->rank, n = 0;
    uint32_t *order = hlo_malloc(rank * sizeof *order);
    int64_t *strides = hlo_malloc(rank * sizeof *strides), unit = 1;
    for (uint32_t d = 0; d < rank; d++)
        if (is_reduced(dimensions, d)) order[n++] = d;
    for (uint32_t i = n; i-- > 0; unit *= x->shape->dims[order[i]]) strides[i] = unit;
    hlo_walk_init(&g->rows, 1);
    for (uint32_t i = 0; i < n; i++)
        hlo_walk_dim1(&g->rows, hlo_value_size(x, order[i]), strides[i]);
    g->kept = 1;
    for (uint32_t d = 0; d < rank; d++) {
        if (is_reduced(dimensions, d)) continue;
        order[n++] = d;
        g->kept *= x->shape->dims[d];
    }
    hlo_free(strides);
    return order;
}

static bool reduce_generally(hlo_combiner *combiner, hlo_value *const *args,
                             const hlo_ints *dimensions, hlo_value **results, uint32_t operands) {
    general g = {.combiner = combiner, .operands = operands};
    g.packed = hlo_calloc(operands, sizeof *g.packed);
    g.bytes = hlo_malloc(operands * sizeof *g.bytes);
    g.sums = hlo_malloc(operands * sizeof *g.sums);
    uint32_t *order = reduced_first(&g, args[0], dimensions);
    for (uint32_t i = 0; i < operands; i++) {
        hlo_type type = (hlo_type)results[i]->shape->type;
        g.packed[i] = hlo_old_pack(args[i], order, type);
        g.bytes[i] = hlo_types[type].bytes;
        g.sums[i] = results[i]->data;
        hlo_fill_elements(g.sums[i], args[operands + i]->data, g.bytes[i], g.kept);
    }
    bool ok = hlo_shape_elements(args[0]->shape) <= 0 || combine_all(&g);
    for (uint32_t i = 0; i < operands; i++) hlo_block_free(g.packed[i].copy);
    hlo_free(g.packed);
    hlo_free(g.bytes);
    hlo_free(g.sums);
    hlo_free(order);
    return ok;
}

/* ---- the kernel ---- */

static void set_sizes(hlo_value *out, const hlo_value *x, const hlo_ints *dimensions) {
    if (!x->sizes || !out->shape->rank) return;
    int64_t *sizes = hlo_result_sizes(out);
    for (uint32_t d = 0, k = 0; d < x->shape->rank; d++)
        if (!is_reduced(dimensions, d)) sizes[k++] = x->sizes[d];
}

/* A reduction over no dimensions gives its operands; as in XLA the initial values have no part in
 * it. */
static hlo_value *operands_of(const hlo_instr *instr, hlo_value *const *args, uint32_t operands) {
    if (!hlo_shape_is_tuple(instr->shape)) return hlo_value_reuse(args[0], instr->shape);
    hlo_value *tuple = hlo_value_new(instr->shape);
    for (uint32_t i = 0; i < operands && tuple; i++) tuple->elements[i] = hlo_value_retain(args[i]);
    return tuple;
}

hlo_value *hlo_eval_reduce(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t operands = instr->operand_count / 2;
    const hlo_ints *dimensions = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (!dimensions->n) return operands_of(instr, args, operands);
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    hlo_value **results = out->elements ? out->elements : &out;
    hlo_combiner combiner;
    folder f;
    bool ok = hlo_combiner_init(&combiner, eval, instr, hlo_called(instr, 0), operands);
    if (ok && make_folder(&combiner, args[0], &f))
        fold(&f, args[0], args[operands], dimensions, results[0]);
    else if (ok) ok = reduce_generally(&combiner, args, dimensions, results, operands);
    for (uint32_t i = 0; i < operands; i++) set_sizes(results[i], args[0], dimensions);
    hlo_combiner_free(&combiner);
    if (ok) return out;
    hlo_value_release(out);
    return NULL;
}
