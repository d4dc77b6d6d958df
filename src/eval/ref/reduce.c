/* reduce: with one associative instruction as computation, whole rows at a time in a type that
 * keeps long sums accurate; with any other computation element after element in row-major order,
 * lanes being the elements of the result. Called through the kernel table. */
#include "eval/ref/combine.h"
#include "eval/ref/products.h"

/* Elements that are folded together; lanes of the general form, few enough to stay in a cache. */
enum { BLOCK = 512, LANES = 1024 };

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

static void fold(const folder *f, const hlo_value *x, const hlo_value *init,
                 const hlo_ints *dimensions, hlo_value *out) {
    int64_t elements = hlo_shape_elements(out->shape);
    hlo_type result = (hlo_type)out->shape->type;
    char *sums = result == f->type ? out->data : hlo_scratch_new((size_t)(elements * f->bytes));
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, f->type, init->data, first, 1);
    hlo_fill_elements(sums, first, f->bytes, elements);
    hlo_walk walk;
    walk_operand(&walk, f, x, dimensions);
    for (bool more = elements && hlo_walk_start(&walk); more; more = hlo_walk_next(&walk)) {
        const char *row = (const char *)x->data + walk.at[1];
        if (walk.row_stride[0]) fold_columns(f, sums + walk.at[0], row, walk.row);
        else fold_row(f, sums + walk.at[0], row, walk.row);
    }
    hlo_finish_sums(out, f->type, sums);
}

/* False when the combiner is not of this kind, or when rows are cut short at run time. */
static bool make_folder(hlo_combiner *combiner, const hlo_value *x, folder *f) {
    if (x->sizes) return false;
    f->type = hlo_combiner_promote(combiner);
    if (f->type == HLO_TYPE_COUNT) return false;
    f->from = (hlo_type)x->shape->type;
    f->lanes = combiner->lanes;
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
    void **accumulators;
    const void **elements;
} general;

static bool combine_lanes(general *g, int64_t row, int64_t first, int64_t n) {
    for (uint32_t i = 0; i < g->operands; i++) {
        g->accumulators[i] = g->sums[i] + first * g->bytes[i];
        g->elements[i] = g->packed[i].data + (row * g->kept + first) * g->bytes[i];
    }
    return hlo_combine(g->combiner, g->accumulators, g->elements, (size_t)n);
}

static bool combine_all(general *g) {
    for (int64_t first = 0; first < g->kept; first += LANES) {
        int64_t n = g->kept - first < LANES ? g->kept - first : LANES;
        for (bool more = hlo_walk_start(&g->rows); more; more = hlo_walk_next(&g->rows))
            for (int64_t r = 0; r < g->rows.row; r++)
                if (!combine_lanes(g, g->rows.at[0] + r * g->rows.row_stride[0], first, n))
                    return false;
    }
    return true;
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
    g.accumulators = hlo_malloc(operands * sizeof *g.accumulators);
    g.elements = hlo_malloc(operands * sizeof *g.elements);
    uint32_t *order = reduced_first(&g, args[0], dimensions);
    for (uint32_t i = 0; i < operands; i++) {
        hlo_type type = (hlo_type)results[i]->shape->type;
        g.packed[i] = hlo_pack(args[i], order, type);
        g.bytes[i] = hlo_types[type].bytes;
        g.sums[i] = results[i]->data;
        hlo_fill_elements(g.sums[i], args[operands + i]->data, g.bytes[i], g.kept);
    }
    bool ok = hlo_shape_elements(args[0]->shape) <= 0 || combine_all(&g);
    for (uint32_t i = 0; i < operands; i++) hlo_block_free(g.packed[i].copy);
    hlo_free(g.packed);
    hlo_free(g.bytes);
    hlo_free(g.sums);
    hlo_free(g.accumulators);
    hlo_free(g.elements);
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
