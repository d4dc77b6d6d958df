/* Running combinations: see running_window.h. Blocks of elements become accumulators, are combined,
 * and become results, while they are in a cache. */
#include "eval/kernels/reduce/running_window.h"

#include "base/pool.h"
#include "eval/kernel/strides.h"

enum { BLOCK = 512, BLOCK_BYTES = BLOCK * HLO_LANES_MAX_BYTES };

/* ---- what runs ---- */

hlo_running hlo_find_running(const hlo_window *window, const hlo_shape *operand,
                             const hlo_shape *result) {
    hlo_running r = {.way = HLO_NOT_RUNNING, .inner = 1, .lines = 1};
    for (uint32_t d = 0; d < window->n; d++) {
        const hlo_window_dim *dim = &window->v[d];
        if (dim->stride != 1 || dim->base_dilation != 1 || dim->window_dilation != 1)
            return (hlo_running){.way = HLO_NOT_RUNNING};
        if (dim->size == 1 && !dim->pad_low && !dim->pad_high) continue;
        bool forward = dim->pad_low == dim->size - 1 && dim->pad_high == 0;
        bool backward = dim->pad_high == dim->size - 1 && dim->pad_low == 0;
        if (r.way != HLO_NOT_RUNNING || dim->size < operand->dims[d] || (!forward && !backward))
            return (hlo_running){.way = HLO_NOT_RUNNING};
        r.way = forward ? HLO_FORWARD : HLO_BACKWARD;
        r.dimension = d;
    }
    if (r.way == HLO_NOT_RUNNING) return r;
    r.size = result->dims[r.dimension];
    for (uint32_t d = 0; d < r.dimension; d++) r.lines *= result->dims[d];
    for (uint32_t d = r.dimension + 1; d < window->n; d++) r.inner *= result->dims[d];
    return r;
}

/* ---- blocks ---- */

typedef struct {
    const hlo_running *running;
    const hlo_combiner *combiner;
    hlo_type from, type, to; /* of elements, accumulators, results */
    int64_t from_bytes, bytes, to_bytes;
    const char *elements;
    char *results;
    _Alignas(16) char init[HLO_LANES_MAX_BYTES];
    int64_t blocks; /* of inner elements */
} combination;

/* n elements from place `at` on become accumulators in `to`, in the order in which they are
 * combined.
 */
static void load_block(const combination *c, int64_t at, char *to, char *spare, int64_t n) {
    const char *from = c->elements + at * c->from_bytes;
    if (c->running->way == HLO_BACKWARD) {
        hlo_copy_row(spare, c->from_bytes, from + (n - 1) * c->from_bytes, -c->from_bytes,
                     (uint32_t)c->from_bytes, n);
        from = spare;
    }
    hlo_convert_elements(c->from, c->type, from, to, (size_t)n);
}

static void store_block(const combination *c, int64_t at, const char *from, char *spare,
                        int64_t n) {
    char *to = c->results + at * c->to_bytes;
    bool turns = c->running->way == HLO_BACKWARD;
    hlo_convert_elements(c->type, c->to, from, turns ? spare : to, (size_t)n);
    if (turns)
        hlo_copy_row(to, c->to_bytes, spare + (n - 1) * c->to_bytes, -c->to_bytes,
                     (uint32_t)c->to_bytes, n);
}

/* Each accumulator is combined with those before it, at twice the distance every time: for
 * operations whose results do not depend on that. */
static char *combine_by_doubling(const combination *c, char *block, char *spare, int64_t n) {
    for (int64_t distance = 1; distance < n; distance *= 2) {
        size_t head = (size_t)(distance * c->bytes);
        memcpy(spare, block, head);
        hlo_lanes_run2(&c->combiner->lanes, spare + head, block, block + head,
                       (size_t)(n - distance));
        char *combined = spare;
        spare = block;
        block = combined;
    }
    return block;
}

#define HLO_COMBINE_IN_ORDER(name, T, op)                           \
    static void name(const void *carried, void *block, int64_t n) { \
        T sum = *(const T *)carried, *x = block;                    \
        for (int64_t i = 0; i < n; i++) x[i] = sum = sum op x[i];   \
    }
HLO_COMBINE_IN_ORDER(add_f64, double, +)
HLO_COMBINE_IN_ORDER(multiply_f64, double, *)
HLO_COMBINE_IN_ORDER(multiply_f32, float, *)

/* Operations that round, and so depend on the order; NULL: this one does not. */
typedef void combine_in_order(const void *carried, void *block, int64_t n);
static combine_in_order *function_in_order(const combination *c) {
    hlo_opcode opcode = c->combiner->opcode;
    if (c->type == HLO_F64 && opcode == HLO_OP_ADD) return add_f64;
    if (c->type == HLO_F64 && opcode == HLO_OP_MULTIPLY) return multiply_f64;
    return c->type == HLO_F32 && opcode == HLO_OP_MULTIPLY ? multiply_f32 : NULL;
}

/* Combines n accumulators with what is carried, which becomes the last of them; returns where they
 * are, in `block` or `spare`. */
static char *combine_block(const combination *c, char *carried, char *block, char *spare,
                           int64_t n) {
    combine_in_order *in_order = function_in_order(c);
    if (in_order) {
        in_order(carried, block, n);
    } else {
        char *combined = combine_by_doubling(c, block, spare, n);
        spare = combined == block ? spare : block;
        hlo_fill_elements(spare, carried, (uint32_t)c->bytes, n);
        hlo_lanes_run2(&c->combiner->lanes, combined, spare, combined, (size_t)n);
        block = combined;
    }
    memcpy(carried, block + (n - 1) * c->bytes, (size_t)c->bytes);
    return block;
}

/* Complex sums and products, one after the other. */
static char *combine_complex(const combination *c, char *carried, char *block, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        char *x = block + i * c->bytes;
        hlo_lanes_run2(&c->combiner->lanes, carried, carried, x, 1);
        memcpy(x, carried, (size_t)c->bytes);
    }
    return block;
}

/* A line of single elements. */
static void run_line(const combination *c, int64_t line) {
    _Alignas(64) char a[BLOCK_BYTES], b[BLOCK_BYTES];
    _Alignas(16) char carried[HLO_LANES_MAX_BYTES];
    const hlo_running *r = c->running;
    bool is_complex = hlo_type_is_complex(c->type);
    memcpy(carried, c->init, sizeof carried);
    for (int64_t done = 0, n; done < r->size && !hlo_pool_is_stopped(); done += n) {
        n = r->size - done < BLOCK ? r->size - done : BLOCK;
        int64_t at = line * r->size + (r->way == HLO_FORWARD ? done : r->size - done - n);
        load_block(c, at, a, b, n);
        char *block =
            is_complex ? combine_complex(c, carried, a, n) : combine_block(c, carried, a, b, n);
        store_block(c, at, block, block == a ? b : a, n);
    }
}

static void run_lines(void *context, int64_t first, int64_t last) {
    for (int64_t line = first; line < last; line++) run_line(context, line);
}

/* Neighbouring columns of a line, block `b` of them. */
static void run_columns(const combination *c, int64_t line, int64_t b) {
    _Alignas(64) char sums[BLOCK_BYTES], row[BLOCK_BYTES];
    const hlo_running *r = c->running;
    int64_t column = b * BLOCK, n = r->inner - column < BLOCK ? r->inner - column : BLOCK;
    hlo_fill_elements(sums, c->init, (uint32_t)c->bytes, n);
    for (int64_t s = 0; s < r->size && !hlo_pool_is_stopped(); s++) {
        int64_t place = r->way == HLO_FORWARD ? s : r->size - 1 - s;
        int64_t at = (line * r->size + place) * r->inner + column;
        hlo_convert_elements(c->from, c->type, c->elements + at * c->from_bytes, row, (size_t)n);
        hlo_lanes_run2(&c->combiner->lanes, sums, sums, row, (size_t)n);
        hlo_convert_elements(c->type, c->to, sums, c->results + at * c->to_bytes, (size_t)n);
    }
}

static void run_blocks(void *context, int64_t first, int64_t last) {
    const combination *c = context;
    for (int64_t k = first; k < last; k++) run_columns(c, k / c->blocks, k % c->blocks);
}

/* ---- the combination ---- */

void hlo_run_combination(const hlo_running *running, const hlo_combiner *combiner, hlo_type type,
                         hlo_call *call) {
    hlo_value *out = hlo_call_result(call, 0);
    combination c = {.running = running, .combiner = combiner, .type = type};
    c.from = (hlo_type)call->in[0]->shape->type;
    c.to = (hlo_type)out->shape->type;
    c.from_bytes = hlo_types[c.from].bytes;
    c.bytes = hlo_types[c.type].bytes;
    c.to_bytes = hlo_types[c.to].bytes;
    c.elements = call->in[0]->data;
    c.results = out->data;
    c.blocks = (running->inner + BLOCK - 1) / BLOCK;
    const hlo_value *init = call->in[1];
    hlo_convert_elements((hlo_type)init->shape->type, type, init->data, c.init, 1);
    int64_t at_once = running->inner < BLOCK ? running->inner : BLOCK;
    if (running->inner == 1)
        hlo_parallel(running->lines, hlo_grain(2 * running->size), run_lines, &c);
    else
        hlo_parallel(running->lines * c.blocks, hlo_grain(running->size * (at_once + 20)),
                     run_blocks, &c);
}
