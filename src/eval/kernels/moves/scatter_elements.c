/* Scatters of single elements: see scatter_elements.h. Starts are found for a few hundred index
 * vectors at a time, and stay in the first cache. Threads share the operand's elements, as in
 * scatter.c, but only an operand beyond the caches is worth looking at all index vectors twice. */
#include "eval/kernels/moves/scatter_elements.h"

#include "base/pool.h"
#include "eval/kernels/moves/move_kernels.h"

bool hlo_scatters_elements(const hlo_indexed_windows *windows, const hlo_combiner *combiner) {
    return combiner->operands == 1 && !combiner->program && windows->window.rank == 0;
}

/* ---- combining ---- */

enum { AT_ONCE = 512 };

/* Elements of the updates, and where each of them goes. */
typedef struct {
    const hlo_combiner *combiner;
    char *to;
    const char *from;
    bool are_neighbours; /* the elements of `from`, one after the other; else those at `froms` */
    int64_t count;
    const int64_t *places, *froms; /* counted in elements */
} batch;

#define COMBINE_EACH(T, number, expression)                   \
    for (int64_t i = 0; i < b->count; i++) {                  \
        const T old = to[b->places[i]], new = from[(number)]; \
        (void)old;                                            \
        to[b->places[i]] = (T)(expression);                   \
    }
#define DEFINE_COMBINE(name, T, expression)                   \
    static void name(const batch *b) {                        \
        T *to = (T *)b->to;                                   \
        const T *from = (const T *)b->from;                   \
        if (b->are_neighbours) COMBINE_EACH(T, i, expression) \
        else COMBINE_EACH(T, b->froms[i], expression)         \
    }
DEFINE_COMBINE(replace_1, hlo_cell_1, new)
DEFINE_COMBINE(replace_2, hlo_cell_2, new)
DEFINE_COMBINE(replace_4, hlo_cell_4, new)
DEFINE_COMBINE(replace_8, hlo_cell_8, new)
DEFINE_COMBINE(replace_16, hlo_cell_16, new)
DEFINE_COMBINE(add_u8, uint8_t, old + new)
DEFINE_COMBINE(add_u16, uint16_t, old + new)
DEFINE_COMBINE(add_u32, uint32_t, old + new)
DEFINE_COMBINE(add_u64, uint64_t, old + new)
DEFINE_COMBINE(add_f32, float, old + new)
DEFINE_COMBINE(add_f64, double, old + new)

static void combine_each(const batch *b) {
    const hlo_combiner *c = b->combiner;
    for (int64_t i = 0; i < b->count; i++) {
        char *to = b->to + b->places[i] * c->bytes;
        int64_t from = b->are_neighbours ? i : b->froms[i];
        hlo_lanes_run2(&c->lanes, to, to, b->from + from * c->bytes, 1);
    }
}

typedef void combine_fn(const batch *b);

static combine_fn *const additions[HLO_TYPE_COUNT] = {
    [HLO_S8] = add_u8,   [HLO_S16] = add_u16, [HLO_S32] = add_u32, [HLO_S64] = add_u64,
    [HLO_U8] = add_u8,   [HLO_U16] = add_u16, [HLO_U32] = add_u32, [HLO_U64] = add_u64,
    [HLO_F32] = add_f32, [HLO_F64] = add_f64,
};

static combine_fn *function_of(const hlo_combiner *combiner) {
    static combine_fn *const replace[HLO_CELLS] = {replace_1, replace_2, replace_4, replace_8,
                                                   replace_16};
    if (combiner->replaces) return replace[hlo_cell_number(combiner->bytes)];
    combine_fn *add = combiner->opcode == HLO_OP_ADD ? additions[combiner->lanes.to] : NULL;
    return add ? add : combine_each;
}

void hlo_combine_at(const hlo_combiner *combiner, void *to, const void *from, const int64_t *places,
                    int64_t n) {
    batch b = {.combiner = combiner,
               .to = to,
               .from = from,
               .are_neighbours = true,
               .count = n,
               .places = places};
    function_of(combiner)(&b);
}

/* ---- batches ---- */

typedef struct {
    const hlo_element_scatter *scatter;
    combine_fn *combine;
    int64_t elements, parts; /* of the operand */
} run;

/* Keeps the updates that meet elements first to last - 1, found without branches; `from` and
 * `stride` give the places of the updates. */
static void keep_between(batch *b, int64_t *places, int64_t *froms, int64_t first, int64_t last,
                         int64_t from, int64_t stride) {
    int64_t kept = 0;
    for (int64_t i = 0; i < b->count; i++) {
        int64_t place = places[i];
        places[kept] = place;
        froms[kept] = from + i * stride;
        kept += (uint64_t)(place - first) < (uint64_t)(last - first);
    }
    b->count = kept;
}

/* Those of one row of index vectors. */
static void combine_row(const run *r, const hlo_walk *places, int64_t first, int64_t last) {
    const hlo_element_scatter *s = r->scatter;
    int64_t stride = places->row_stride[0];
    int64_t starts[AT_ONCE], froms[AT_ONCE];
    batch b = {.combiner = s->combiner, .to = s->out->data, .places = starts, .froms = froms};
    for (int64_t k = 0, n; k < places->row && !hlo_pool_is_stopped(); k += n) {
        int64_t from = places->at[0] + k * stride;
        b.count = n = places->row - k < AT_ONCE ? places->row - k : AT_ONCE;
        hlo_find_fitting_starts(s->windows, places, k, n, s->indices, starts);
        b.are_neighbours = stride == 1 && hlo_move_chosen()->are_between(starts, first, last, n);
        b.from =
            (const char *)s->updates->data + (b.are_neighbours ? from * s->combiner->bytes : 0);
        if (!b.are_neighbours) keep_between(&b, starts, froms, first, last, from, stride);
        r->combine(&b);
    }
}

static void combine_between(const run *r, int64_t first, int64_t last) {
    hlo_walk places;
    hlo_walk_part(&places, &r->scatter->windows->places, r->scatter->windows->places.rank, 0, 1);
    for (bool more = hlo_walk_start(&places); more; more = hlo_walk_next(&places))
        combine_row(r, &places, first, last);
}

static void combine_parts(void *context, int64_t first, int64_t last) {
    const run *r = context;
    int64_t size = r->elements / r->parts;
    combine_between(r, first * size, last == r->parts ? r->elements : last * size);
}

/* No bit depends on it. */
static int64_t parts_of(const hlo_element_scatter *s, int64_t elements) {
    enum { CACHE = 1 << 20, COST = 4 };
    int64_t threads = hlo_pool_available(), updates = hlo_walk_elements(&s->windows->places);
    bool is_worth_it = elements * s->combiner->bytes > CACHE && updates >= hlo_grain(COST);
    return is_worth_it && threads < elements ? threads : 1;
}

void hlo_scatter_elements(const hlo_element_scatter *scatter) {
    if (scatter->windows->window.empty) return;
    run r = {scatter, function_of(scatter->combiner), hlo_shape_elements(scatter->out->shape), 1};
    r.parts = parts_of(scatter, r.elements);
    hlo_parallel(r.parts, 1, combine_parts, &r);
}
