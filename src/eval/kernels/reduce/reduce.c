/* reduce: with an associative instruction for each operand as computation see fold_array.c; with
 * any other one element after element in row-major order, lanes being the elements of the result.
 */
#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernels/gemm/products.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/kernels/reduce/fold_array.h"
#include "eval/kernels/reduce/reduce_extreme.h"

/* Lanes of the general form, few enough to stay in a cache; and of rows, of which so many elements
 * are turned at a time. */
enum { LANES = 1024, ROW_LANES = 512, STRIP = 128 };

/* Whether there are elements, and not more than a run can have: distances can then be computed. */
static bool has_elements(const hlo_shape *shape) {
    int64_t elements = hlo_shape_elements(shape);
    return elements > 0 && elements < INT64_MAX / HLO_LANES_MAX_BYTES;
}

/* ---- any computation ---- */

typedef struct {
    hlo_type from, type; /* of the operand's elements; of the accumulators */
    uint32_t from_bytes, bytes;
    hlo_packing packing;       /* of an operand without run-time sizes */
    int64_t *strides, *packed; /* by dimension of the operand, in bytes */
    size_t converted_at;       /* in a piece's memory: LANES accumulators, where types differ */
    size_t turned_at;          /* the same: a strip of rows */
} general_operand;

/* Operands are packed as [reduced, kept], all at once or, of rows, strip by strip; the accumulators
 * are the results themselves. */
typedef struct {
    hlo_combiner combiner;
    uint32_t operands, reduced; /* how many */
    uint32_t *order;            /* dimensions, the reduced ones first */
    int64_t *strides;           /* of the reduced ones when packed, in elements */
    bool has_elements;          /* each operand */
    bool is_packed;             /* `packing` is known */
    int64_t kept;               /* elements of a result */
    int64_t row;                /* neighbours that are reduced to one of them, or 0 */
    general_operand *by_operand;
} general_state;

/* A run of it. */
typedef struct {
    const general_state *state;
    hlo_call *call;
    bool by_strips;    /* operands are rows as they lie */
    hlo_walk rows;     /* over live reduced elements, in rows of `kept` elements */
    const char **data; /* by operand, packed unless by_strips */
    hlo_value **copies, **results;
    bool failed; /* by a computation that only the owner's thread runs */
} general;

/* n elements of operand i as accumulators, in a piece's memory unless they are already: of a row of
 * the strip, or of all. */
static const void *load_lanes(const general *g, uint32_t i, int64_t row, int64_t first, int64_t n,
                              char *memory) {
    const general_operand *o = &g->state->by_operand[i];
    const char *elements = g->by_strips
                               ? memory + o->turned_at + row * n * o->from_bytes
                               : g->data[i] + (row * g->state->kept + first) * o->from_bytes;
    if (o->from == o->type) return elements;
    hlo_convert_elements(o->from, o->type, elements, memory + o->converted_at, (size_t)n);
    return memory + o->converted_at;
}

static bool combine_lanes(const general *g, char *memory, int64_t row, int64_t first, int64_t n) {
    const general_state *s = g->state;
    void **accumulators = (void **)memory;
    const void **elements = (const void **)memory + s->operands;
    for (uint32_t i = 0; i < s->operands; i++) {
        accumulators[i] = (char *)g->results[i]->data + first * s->by_operand[i].bytes;
        elements[i] = load_lanes(g, i, row, first, n, memory);
    }
    return hlo_combine(&s->combiner, g->call, accumulators, elements, (size_t)n);
}

/* Elements [at, at + columns) of n rows, turned so that one element of each are neighbours. */
static void turn_strip(const general *g, char *memory, int64_t first, int64_t n, int64_t at,
                       int64_t columns) {
    int64_t row = g->state->row;
    for (uint32_t i = 0; i < g->state->operands; i++) {
        const general_operand *o = &g->state->by_operand[i];
        const hlo_move_tile tile = {.to = memory + o->turned_at,
                                    .from = g->data[i] + (first * row + at) * o->from_bytes,
                                    .to_stride = n * o->from_bytes,
                                    .from_stride = row * o->from_bytes,
                                    .rows = n,
                                    .columns = columns};
        hlo_move_chosen()->transpose[hlo_cell_number(o->from_bytes)](&tile);
    }
}

static bool combine_strips(const general *g, char *memory, int64_t first, int64_t n) {
    int64_t row = g->state->row;
    bool ok = true;
    for (int64_t at = 0; at < row && ok && !hlo_pool_is_stopped(); at += STRIP) {
        int64_t columns = row - at < STRIP ? row - at : STRIP;
        turn_strip(g, memory, first, n, at, columns);
        for (int64_t k = 0; k < columns && ok; k++) ok = combine_lanes(g, memory, k, first, n);
    }
    return ok;
}

/* Blocks of ROW_LANES rows. */
static void combine_rows(void *context, int64_t from, int64_t to) {
    general *g = context;
    int64_t kept = g->state->kept, last = to * ROW_LANES < kept ? to * ROW_LANES : kept;
    char *memory = hlo_piece_take(g->call);
    for (int64_t first = from * ROW_LANES; first < last; first += ROW_LANES) {
        int64_t n = last - first < ROW_LANES ? last - first : ROW_LANES;
        if (!combine_strips(g, memory, first, n)) g->failed = true;
    }
    hlo_piece_leave(g->call, memory);
}

/* Blocks of LANES kept elements. */
static void combine_blocks(void *context, int64_t from, int64_t to) {
    general *g = context;
    int64_t kept = g->state->kept;
    char *memory = hlo_piece_take(g->call);
    hlo_walk rows;
    bool ok = true;
    for (int64_t first = from * LANES; first < kept && first < to * LANES && ok; first += LANES) {
        int64_t n = kept - first < LANES ? kept - first : LANES;
        hlo_walk_part(&rows, &g->rows, g->rows.rank, 0, 1);
        for (bool more = hlo_walk_start(&rows); more && ok; more = hlo_walk_next(&rows))
            for (int64_t r = 0; r < rows.row && ok; r++)
                ok = combine_lanes(g, memory, rows.at[0] + r * rows.row_stride[0], first, n);
    }
    if (!ok) g->failed = true;
    hlo_piece_leave(g->call, memory);
}

static bool combine_all(general *g) {
    const general_state *s = g->state;
    bool alone = !hlo_combiner_is_shared(&s->combiner);
    if (g->by_strips) {
        int64_t blocks = (s->kept + ROW_LANES - 1) / ROW_LANES;
        hlo_parallel(blocks, alone ? blocks : hlo_grain(s->row * ROW_LANES), combine_rows, g);
        return !g->failed;
    }
    hlo_walk_init(&g->rows, 1);
    for (uint32_t i = 0; i < s->reduced; i++)
        hlo_walk_dim1(&g->rows, hlo_value_size(g->call->in[0], s->order[i]), s->strides[i]);
    int64_t blocks = (s->kept + LANES - 1) / LANES, rows = hlo_walk_elements(&g->rows);
    hlo_parallel(blocks, alone ? blocks : hlo_grain(rows * LANES), combine_blocks, g);
    return !g->failed;
}

/* A packed copy of an operand: zeros in the place of elements beyond its run-time sizes. */
static hlo_value *packed_copy(const hlo_call *call, const general_state *s, uint32_t i) {
    const hlo_value *x = call->in[i];
    hlo_value *copy = hlo_call_zeros(call, x->shape);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t k = 0; k < x->shape->rank; k++) {
        uint32_t d = s->order[k];
        hlo_walk_dim2(&walk, hlo_value_size(x, d), s->by_operand[i].packed[d],
                      s->by_operand[i].strides[d]);
    }
    if (copy) hlo_copy_walk(&walk, copy->data, x->data, s->by_operand[i].from_bytes);
    return copy;
}

/* Packs operand i; false when there is no memory for a copy. */
static bool start_operand(general *g, uint32_t i) {
    const general_operand *o = &g->state->by_operand[i];
    const hlo_value *x = g->call->in[i];
    bool copies = !g->by_strips && (x->sizes || !g->state->is_packed);
    g->copies[i] = copies ? packed_copy(g->call, g->state, i) : NULL;
    if (copies && !g->copies[i]) return false;
    g->data[i] = copies         ? g->copies[i]->data
                 : g->by_strips ? x->data
                                : hlo_pack(&o->packing, g->call, x->data);
    return true;
}

/* Whether an operand has run-time sizes. */
static bool has_sizes(const hlo_call *call, uint32_t operands) {
    for (uint32_t i = 0; i < operands; i++)
        if (call->in[i]->sizes) return true;
    return false;
}

static bool reduce_generally(const general_state *s, hlo_call *call, hlo_value **results,
                             char *memory) {
    general g = {.state = s, .call = call, .results = results};
    g.by_strips = s->row && !has_sizes(call, s->operands);
    g.data = (const char **)memory;
    g.copies = (hlo_value **)memory + s->operands;
    for (uint32_t i = 0; i < s->operands; i++)
        hlo_fill_elements(results[i]->data, call->in[s->operands + i]->data, s->by_operand[i].bytes,
                          s->kept);
    if (!s->has_elements) return true;
    uint32_t started = 0;
    while (started < s->operands && start_operand(&g, started)) started++;
    bool ok = started == s->operands && combine_all(&g);
    while (started) hlo_value_release(g.copies[--started]);
    return ok;
}

/* ---- preparing it ---- */

static void prepare_order(hlo_preparation *p, general_state *s, const hlo_shape *x,
                          const bool *reduced) {
    int64_t unit = 1;
    uint32_t n = 0;
    s->order = HLO_NEW_ARRAY(p->arena, uint32_t, x->rank);
    s->strides = HLO_NEW_ARRAY(p->arena, int64_t, x->rank);
    for (uint32_t d = 0; d < x->rank; d++)
        if (reduced[d]) s->order[n++] = d;
    s->reduced = n;
    for (uint32_t i = n; i-- > 0; unit *= x->dims[s->order[i]]) s->strides[i] = unit;
    for (uint32_t d = 0; d < x->rank; d++)
        if (!reduced[d]) s->order[n++] = d;
}

/* `is_packed`: it may have no run-time sizes. */
static void prepare_operand(hlo_preparation *p, general_state *s, uint32_t i, hlo_type type,
                            bool is_packed) {
    const hlo_shape *x = hlo_operand(p->instr, i)->shape;
    general_operand *o = &s->by_operand[i];
    o->from = (hlo_type)x->type;
    o->type = type;
    o->from_bytes = hlo_types[o->from].bytes;
    o->bytes = hlo_types[type].bytes;
    o->strides = HLO_NEW_ARRAY(p->arena, int64_t, x->rank);
    o->packed = HLO_NEW_ARRAY(p->arena, int64_t, x->rank);
    hlo_row_major(x, o->from_bytes, o->strides);
    int64_t unit = o->from_bytes;
    for (uint32_t k = x->rank; k-- > 0; unit *= x->dims[s->order[k]]) o->packed[s->order[k]] = unit;
    if (is_packed) hlo_prepare_packing(p, &o->packing, x, o->from, s->order, o->from);
    o->converted_at = p->piece_bytes;
    if (o->from != type) p->piece_bytes += (size_t)LANES * o->bytes;
    o->turned_at = p->piece_bytes;
    if (s->row) p->piece_bytes += (size_t)STRIP * ROW_LANES * o->from_bytes;
}

/* How many neighbours are reduced to one element, where there are several of these and their order
 * stays; else 0. */
static int64_t row_of(const hlo_shape *x, const bool *reduced) {
    int64_t row = 1, kept = 1;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (x->dims[d] == 1) continue;
        if (reduced[d]) row *= x->dims[d];
        else kept *= x->dims[d];
        if (!reduced[d] && row > 1) return 0;
    }
    return kept > 1 ? row : 0;
}

/* `is_only_dynamic`: it runs on operands with run-time sizes alone. */
static void prepare_general(hlo_preparation *p, general_state *s, const bool *reduced,
                            bool is_only_dynamic) {
    const hlo_shape *x = hlo_operand(p->instr, 0)->shape;
    s->has_elements = has_elements(x);
    s->row = s->has_elements && !is_only_dynamic ? row_of(x, reduced) : 0;
    bool is_packed = s->is_packed = !is_only_dynamic && !s->row;
    s->kept = hlo_shape_elements(hlo_shape_part(p->instr->shape, 0));
    if (s->has_elements) prepare_order(p, s, x, reduced);
    s->by_operand = HLO_NEW_ARRAY(p->arena, general_operand, s->operands);
    size_t pointers = 2 * s->operands * sizeof(void *);
    p->piece_bytes = (pointers + 63) / 64 * 64;
    for (uint32_t i = 0; i < s->operands; i++) {
        hlo_type type = (hlo_type)hlo_shape_part(p->instr->shape, i)->type;
        s->by_operand[i].bytes = hlo_types[type].bytes;
        if (s->has_elements) prepare_operand(p, s, i, type, is_packed);
    }
}

/* ---- the kernel ---- */

typedef struct {
    uint32_t operands;
    bool *reduced;                /* by dimension; NULL: none is */
    const hlo_extreme *extreme;   /* or NULL */
    const hlo_fold_arrays *folds; /* for operands without run-time sizes, or NULL */
    general_state general;
    size_t pointers_at; /* two by operand, in scratch memory */
} reduce_state;

static bool prepare_reduce(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    reduce_state *s = HLO_NEW_STATE(p, reduce_state);
    p->state = s;
    s->operands = s->general.operands = p->instr->operand_count / 2;
    s->pointers_at = hlo_prepare_scratch(p, 2 * s->operands * sizeof(void *));
    if (!dimensions->n) {
        p->result = HLO_RESULT_VIEW;
        return true;
    }
    hlo_combiner *combiner = &s->general.combiner;
    s->reduced = HLO_NEW_ARRAY(p->arena, bool, hlo_operand(p->instr, 0)->shape->rank);
    for (uint32_t i = 0; i < dimensions->n; i++) s->reduced[dimensions->v[i]] = true;
    s->extreme = hlo_extreme_new(p->arena, p->instr);
    if (s->extreme) return true;
    if (!hlo_combiner_prepare(combiner, p, hlo_called(p->instr, 0), s->operands)) return false;
    s->folds = hlo_prepare_fold_arrays(p, s->reduced);
    prepare_general(p, &s->general, s->reduced, s->folds);
    return true;
}

/* A reduction over no dimensions gives its operands; as in XLA the initial values have no part in
 * it. */
static bool give_operands(hlo_call *call, uint32_t operands, hlo_value **elements) {
    if (!hlo_shape_is_tuple(call->shape))
        return hlo_call_give(call, hlo_value_view(call->in[0], call->shape));
    for (uint32_t i = 0; i < operands; i++) elements[i] = hlo_value_retain(call->in[i]);
    return hlo_call_give(call, hlo_value_tuple(call->shape, elements));
}

static bool run_reduce(hlo_call *call) {
    const reduce_state *s = call->state;
    char *pointers = (char *)call->scratch + s->pointers_at;
    if (!s->reduced) return give_operands(call, s->operands, (hlo_value **)pointers);
    hlo_value **results = call->out->elements ? call->out->elements : &call->out;
    bool ok = true;
    if (s->extreme) ok = hlo_reduce_to_extreme(s->extreme, call);
    else if (s->folds && !has_sizes(call, s->operands))
        hlo_run_fold_arrays(s->folds, call, results);
    else ok = reduce_generally(&s->general, call, results, pointers);
    for (uint32_t i = 0; i < s->operands; i++)
        hlo_set_reduced_sizes(results[i], call->in[0], s->reduced);
    return ok;
}

const hlo_kernel hlo_kernel_reduce = {prepare_reduce, run_reduce};
