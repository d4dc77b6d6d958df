/* select-and-scatter: first every source element's window selects an operand element, then the
 * source elements are combined there in their order. Called through the kernel table. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/old_products.h"

/* Windows that are searched together. */
enum { LANES = 256, LANES_BYTES = LANES * HLO_LANES_MAX_BYTES };

typedef struct {
    const hlo_window *window;
    const hlo_value *operand, *source;
    uint32_t rank, bytes; /* of an element of the operand */
    const hlo_scalar_program *select;
    hlo_combiner scatter;
    hlo_type type;    /* of the sums */
    char *sums;       /* one for each operand element */
    int64_t *strides; /* of the operand, in elements */
    int64_t sources;
    int64_t *chosen; /* by source element: the operand element that its window selects, -1: none */
    atomic_bool failed;
} search;

/* The windows of up to LANES source elements, which one thread searches. */
typedef struct {
    const search *s;
    int64_t *index;  /* of the element in the window */
    int64_t *places; /* LANES rows of rank: the position of each lane's window */
    int64_t *chosen; /* by lane */
    int64_t candidates[LANES];
    char *chosen_values, *candidate_values;
    uint8_t keeps[LANES];
} window_group;

/* The operand element that the current window element of a lane meets, or -1 for padding. */
static int64_t candidate(const window_group *g, const int64_t *place) {
    int64_t element = 0;
    for (uint32_t d = 0; d < g->s->rank; d++) {
        const hlo_window_dim *dim = &g->s->window->v[d];
        int64_t at = place[d] * dim->stride + g->index[d] * dim->window_dilation - dim->pad_low;
        if (at < 0 || at >= hlo_value_size(g->s->operand, d)) return -1;
        element += at * g->s->strides[d];
    }
    return element;
}

/* Compares each lane's choice with its candidate and takes the candidate where select says no. */
static bool challenge(window_group *g, size_t n) {
    uint32_t bytes = g->s->bytes;
    const char *data = g->s->operand->data;
    for (size_t k = 0; k < n; k++) {
        g->candidates[k] = candidate(g, g->places + k * g->s->rank);
        int64_t from = g->candidates[k] < 0 ? 0 : g->candidates[k];
        memcpy(g->candidate_values + k * bytes, data + from * bytes, bytes);
        if (g->chosen[k] < 0) memcpy(g->chosen_values + k * bytes, data, bytes);
    }
    const void *inputs[] = {g->chosen_values, g->candidate_values};
    void *outputs[] = {g->keeps};
    if (!hlo_scalar_run(g->s->select, g->s->scatter.call, inputs, NULL, outputs, n)) return false;
    for (size_t k = 0; k < n; k++) {
        if (g->candidates[k] < 0 || (g->chosen[k] >= 0 && g->keeps[k])) continue;
        g->chosen[k] = g->candidates[k];
        memcpy(g->chosen_values + k * bytes, g->candidate_values + k * bytes, bytes);
    }
    return true;
}

static bool next_element(window_group *g) {
    for (uint32_t d = g->s->rank; d-- > 0;) {
        if (++g->index[d] < g->s->window->v[d].size) return true;
        g->index[d] = 0;
    }
    return false;
}

/* Whether the source has an element there at run time. */
static bool is_live(const search *s, const int64_t *place) {
    for (uint32_t d = 0; s->source->sizes && d < s->rank; d++)
        if (place[d] >= s->source->sizes[d]) return false;
    return true;
}

/* Finds what the windows of source elements first ... first + n - 1 select. */
static bool choose(window_group *g, int64_t first, size_t n) {
    uint32_t rank = g->s->rank;
    g->chosen = g->s->chosen + first;
    for (size_t k = 0; k < n; k++) {
        int64_t rest = first + (int64_t)k;
        for (uint32_t d = rank; d-- > 0; rest /= g->s->source->shape->dims[d])
            g->places[k * rank + d] = rest % g->s->source->shape->dims[d];
        g->chosen[k] = -1;
    }
    for (uint32_t d = 0; d < rank; d++) g->index[d] = 0;
    do {
        if (!challenge(g, n)) return false;
    } while (next_element(g));
    for (size_t k = 0; k < n; k++)
        if (!is_live(g->s, g->places + k * rank)) g->chosen[k] = -1;
    return true;
}

/* Groups of LANES source elements. */
static void choose_groups(void *context, int64_t first, int64_t last) {
    search *s = context;
    window_group *g = hlo_malloc(sizeof *g);
    char *values = hlo_malloc(2 * (size_t)LANES_BYTES);
    g->s = s;
    g->index = hlo_malloc((s->rank + 1) * sizeof *g->index);
    g->places = hlo_malloc(LANES * sizeof *g->places * (s->rank + 1));
    g->chosen_values = values;
    g->candidate_values = values + LANES_BYTES;
    bool ok = true;
    for (int64_t at = first * LANES; at < s->sources && at < last * LANES && ok; at += LANES)
        ok = !hlo_pool_is_stopped() &&
             choose(g, at, (size_t)(s->sources - at < LANES ? s->sources - at : LANES));
    if (!ok) atomic_store(&s->failed, true);
    hlo_free(g->index);
    hlo_free(g->places);
    hlo_free(values);
    hlo_free(g);
}

static bool choose_all(search *s) {
    int64_t groups = (s->sources + LANES - 1) / LANES, cost = LANES;
    for (uint32_t d = 0; d < s->rank && cost < HLO_PIECE_COST; d++) cost *= s->window->v[d].size;
    bool alone = !hlo_scalar_is_shared(s->select);
    hlo_parallel(groups, alone ? groups : hlo_grain(cost * 10), choose_groups, s);
    return !atomic_load(&s->failed);
}

static bool scatter_chosen(search *s, int64_t first, int64_t last) {
    hlo_type from = (hlo_type)s->source->shape->type;
    size_t bytes = hlo_types[s->type].bytes;
    _Alignas(16) char values[LANES_BYTES];
    for (int64_t at = first; at < last && !hlo_pool_is_stopped(); at += LANES) {
        size_t n = (size_t)(last - at < LANES ? last - at : LANES);
        hlo_convert_elements(from, s->type,
                             (const char *)s->source->data + at * hlo_types[from].bytes, values, n);
        for (size_t k = 0; k < n; k++) {
            int64_t to = s->chosen[at + (int64_t)k];
            void *sum = s->sums + (size_t)to * bytes;
            const void *value = values + k * bytes;
            if (to >= 0 && !hlo_combine(&s->scatter, s->scatter.call, &sum, &value, 1))
                return false;
        }
    }
    return true;
}

/* How many parts there are whose windows meet no element of another part's: what lies along the
 * first dimensions, as long as windows are single elements there. */
static int64_t independent_parts(const search *s) {
    int64_t parts = 1;
    for (uint32_t d = 0; d < s->rank; d++) {
        const hlo_window_dim *dim = &s->window->v[d];
        if (dim->size != 1 || dim->stride != 1 || dim->pad_low) break;
        parts *= s->source->shape->dims[d];
    }
    return parts;
}

typedef struct {
    search *s;
    int64_t sources; /* of a part */
} parts_of_sources;

static void scatter_parts(void *context, int64_t first, int64_t last) {
    const parts_of_sources *p = context;
    if (!scatter_chosen(p->s, first * p->sources, last * p->sources))
        atomic_store(&p->s->failed, true);
}

static bool scatter_all(search *s) {
    enum { COST = 20 };
    bool alone = !hlo_combiner_is_shared(&s->scatter);
    int64_t parts = alone ? 1 : independent_parts(s);
    parts_of_sources p = {s, s->sources / parts};
    hlo_parallel(parts, hlo_grain(p.sources < HLO_PIECE_COST ? p.sources * COST : p.sources),
                 scatter_parts, &p);
    return !atomic_load(&s->failed);
}

static bool select_and_scatter(search *s, const hlo_value *init, hlo_value *out) {
    hlo_type promoted = hlo_combiner_promote(&s->scatter);
    s->type = promoted == HLO_TYPE_COUNT ? (hlo_type)out->shape->type : promoted;
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, s->type, init->data, first, 1);
    s->sums = hlo_new_sums(out, s->type);
    hlo_fill_elements(s->sums, first, hlo_types[s->type].bytes, hlo_shape_elements(out->shape));
    s->strides = hlo_new_strides(s->operand->shape, 1);
    s->sources = hlo_shape_elements(s->source->shape);
    s->chosen = hlo_scratch_new((size_t)s->sources * sizeof *s->chosen);
    bool is_empty = !s->sources || !hlo_shape_elements(s->operand->shape);
    bool ok = is_empty || (choose_all(s) && scatter_all(s));
    hlo_finish_sums(out, s->type, s->sums);
    hlo_free(s->strides);
    hlo_block_free(s->chosen);
    return ok;
}

static bool is_select(const hlo_scalar_program *program, hlo_type type) {
    return hlo_scalar_input_count(program) == 2 && hlo_scalar_output_count(program) == 1 &&
           hlo_scalar_input_type(program, 0) == type && hlo_scalar_input_type(program, 1) == type &&
           hlo_scalar_output_type(program, 0) == HLO_PRED;
}

hlo_value *hlo_eval_select_and_scatter(hlo_eval *eval, const hlo_instr *instr,
                                       hlo_value *const *args) {
    static const hlo_window no_window = {0};
    const hlo_attr *window = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    hlo_value_copy_sizes(out, args[0]);
    search s = {.window = window ? window->u.window : &no_window,
                .operand = args[0],
                .source = args[1],
                .rank = args[0]->shape->rank,
                .bytes = hlo_element_bytes(args[0]->shape)};
    s.select = hlo_scalar_compile(eval, instr, hlo_called(instr, 0));
    if (s.select && !is_select(s.select, (hlo_type)args[0]->shape->type)) {
        hlo_eval_error(eval, instr,
                       "has a select that does not compare two of its operand's elements");
        s.select = NULL;
    }
    if (s.select && hlo_combiner_init(&s.scatter, eval, instr, hlo_called(instr, 1), 1)) {
        bool ok = select_and_scatter(&s, args[2], out);
        hlo_combiner_free(&s.scatter);
        if (ok) return out;
    }
    hlo_value_release(out);
    return NULL;
}
