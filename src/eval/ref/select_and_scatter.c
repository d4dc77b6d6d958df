/* select-and-scatter: every source element goes to the operand element that its window selects.
 * Called through the kernel table. */
#include "base/pool.h"
#include "eval/ref/combine.h"
#include "eval/ref/products.h"

/* Windows that are searched together. */
enum { LANES = 256, LANES_BYTES = LANES * HLO_LANES_MAX_BYTES };

typedef struct {
    const hlo_window *window;
    const hlo_value *operand, *source;
    uint32_t rank, bytes; /* of an element of the operand */
    hlo_scalar_program *select;
    hlo_combiner scatter;
    hlo_type type;    /* of the sums */
    char *sums;       /* one for each operand element */
    int64_t *strides; /* of the operand, in elements */
    int64_t *index;   /* of the element in the window */
    int64_t *places;  /* LANES rows of rank: the position of each lane's window */
    int64_t chosen[LANES], candidates[LANES]; /* operand elements, -1: none */
    char *chosen_values, *candidate_values, *source_values;
    uint8_t keeps[LANES];
} search;

/* The operand element that the current window element of a lane meets, or -1 for padding. */
static int64_t candidate(const search *s, const int64_t *place) {
    int64_t element = 0;
    for (uint32_t d = 0; d < s->rank; d++) {
        const hlo_window_dim *dim = &s->window->v[d];
        int64_t at = place[d] * dim->stride + s->index[d] * dim->window_dilation - dim->pad_low;
        if (at < 0 || at >= hlo_value_size(s->operand, d)) return -1;
        element += at * s->strides[d];
    }
    return element;
}

/* Compares each lane's choice with its candidate and takes the candidate where select says no. */
static bool challenge(search *s, size_t n) {
    const char *data = s->operand->data;
    for (size_t k = 0; k < n; k++) {
        s->candidates[k] = candidate(s, s->places + k * s->rank);
        int64_t from = s->candidates[k] < 0 ? 0 : s->candidates[k];
        memcpy(s->candidate_values + k * s->bytes, data + from * s->bytes, s->bytes);
        if (s->chosen[k] < 0) memcpy(s->chosen_values + k * s->bytes, data, s->bytes);
    }
    const void *inputs[] = {s->chosen_values, s->candidate_values};
    void *outputs[] = {s->keeps};
    if (!hlo_scalar_run(s->select, inputs, NULL, outputs, n)) return false;
    for (size_t k = 0; k < n; k++) {
        if (s->candidates[k] < 0 || (s->chosen[k] >= 0 && s->keeps[k])) continue;
        s->chosen[k] = s->candidates[k];
        memcpy(s->chosen_values + k * s->bytes, s->candidate_values + k * s->bytes, s->bytes);
    }
    return true;
}

static bool next_element(search *s) {
    for (uint32_t d = s->rank; d-- > 0;) {
        if (++s->index[d] < s->window->v[d].size) return true;
        s->index[d] = 0;
    }
    return false;
}

/* Finds what the windows of source elements first ... first + n - 1 select. */
static bool choose(search *s, int64_t first, size_t n) {
    for (size_t k = 0; k < n; k++) {
        int64_t rest = first + (int64_t)k;
        for (uint32_t d = s->rank; d-- > 0; rest /= s->source->shape->dims[d])
            s->places[k * s->rank + d] = rest % s->source->shape->dims[d];
        s->chosen[k] = -1;
    }
    for (uint32_t d = 0; d < s->rank; d++) s->index[d] = 0;
    do {
        if (!challenge(s, n)) return false;
    } while (next_element(s));
    return true;
}

/* Whether the source has an element there at run time. */
static bool is_live(const search *s, const int64_t *place) {
    for (uint32_t d = 0; s->source->sizes && d < s->rank; d++)
        if (place[d] >= s->source->sizes[d]) return false;
    return true;
}

static bool scatter_chosen(search *s, int64_t first, size_t n) {
    hlo_type from = (hlo_type)s->source->shape->type;
    size_t bytes = hlo_types[s->type].bytes;
    hlo_convert_elements(from, s->type,
                         (const char *)s->source->data + first * hlo_types[from].bytes,
                         s->source_values, n);
    for (size_t k = 0; k < n; k++) {
        if (s->chosen[k] < 0 || !is_live(s, s->places + k * s->rank)) continue;
        void *sum = s->sums + (size_t)s->chosen[k] * bytes;
        const void *value = s->source_values + k * bytes;
        if (!hlo_combine(&s->scatter, &sum, &value, 1)) return false;
    }
    return true;
}

static bool search_all(search *s) {
    int64_t sources = hlo_shape_elements(s->source->shape);
    if (!hlo_shape_elements(s->operand->shape)) return true;
    for (int64_t first = 0; first < sources && !hlo_pool_is_stopped(); first += LANES) {
        size_t n = (size_t)(sources - first < LANES ? sources - first : LANES);
        if (!choose(s, first, n) || !scatter_chosen(s, first, n)) return false;
    }
    return true;
}

static bool select_and_scatter(search *s, const hlo_value *init, hlo_value *out) {
    hlo_type promoted = hlo_combiner_promote(&s->scatter);
    s->type = promoted == HLO_TYPE_COUNT ? (hlo_type)out->shape->type : promoted;
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, s->type, init->data, first, 1);
    s->sums = hlo_new_sums(out, s->type);
    hlo_fill_elements(s->sums, first, hlo_types[s->type].bytes, hlo_shape_elements(out->shape));
    s->strides = hlo_new_strides(s->operand->shape, 1);
    s->index = hlo_calloc(s->rank, sizeof *s->index);
    s->places = hlo_malloc(LANES * sizeof *s->places * s->rank);
    char *values = hlo_malloc(3 * (size_t)LANES_BYTES);
    s->chosen_values = values;
    s->candidate_values = values + LANES_BYTES;
    s->source_values = values + 2 * (size_t)LANES_BYTES;
    bool ok = search_all(s);
    hlo_finish_sums(out, s->type, s->sums);
    hlo_free(s->strides);
    hlo_free(s->index);
    hlo_free(s->places);
    hlo_free(values);
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
