/* sort and topk: lines along one dimension are ordered as permutations, which are then applied to
 * all operands. Called through the kernel table. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/old_products.h"
#include "eval/ref/order.h"
#include "eval/ref/words.h"

/* Elements of lines that are ordered together. */
enum { BATCH = 1 << 14 };

typedef struct {
    hlo_lines lines;
    int64_t count; /* of lines */
    hlo_packed *packed;
    char **results; /* dense, the sorted dimension last */
    bool is_dynamic;
    bool has_key; /* the comparator looks at one array only, in a plain way */
    hlo_key_order key;
    uint32_t key_array;
    atomic_bool failed; /* by a comparator, or stopped */
} sorter;

/* Whether the computation is compare(2i, 2i + 1) or compare(2i + 1, 2i) by LT or GT. */
static bool find_key(const hlo_computation *computation, sorter *s) {
    const hlo_instr *root = computation->root;
    if (root->opcode != HLO_OP_COMPARE) return false;
    const hlo_instr *a = hlo_operand(root, 0), *b = hlo_operand(root, 1);
    if (a->opcode != HLO_OP_PARAMETER || b->opcode != HLO_OP_PARAMETER) return false;
    int64_t first = hlo_attr_int(a, HLO_ATTR_PARAMETER_NUMBER);
    int64_t second = hlo_attr_int(b, HLO_ATTR_PARAMETER_NUMBER);
    hlo_type type = (hlo_type)a->shape->type;
    bool greater = hlo_attr_is(root, HLO_ATTR_DIRECTION, "GT");
    if (first / 2 != second / 2 || first == second || !hlo_has_keys(type)) return false;
    if (!greater && !hlo_attr_is(root, HLO_ATTR_DIRECTION, "LT")) return false;
    s->key_array = (uint32_t)(first / 2);
    s->key.type = type;
    s->key.total = hlo_attr_is(root, HLO_ATTR_TYPE, "TOTALORDER");
    s->key.descending = greater != (first > second);
    return true;
}

static bool order_by_keys(const sorter *s, int64_t first, int64_t count, int64_t *order) {
    int64_t n = s->lines.n, bytes = s->lines.bytes[s->key_array];
    uint64_t *scratch = hlo_malloc((size_t)n * 3 * sizeof *scratch);
    bool ok = true;
    for (int64_t line = 0; line < count && ok; line++)
        ok = hlo_order_by_keys(&s->key, s->lines.data[s->key_array] + (first + line) * n * bytes, n,
                               order + line * n, scratch);
    hlo_free(scratch);
    return ok;
}

static void apply_order(sorter *s, int64_t first, int64_t count, const int64_t *order) {
    int64_t n = s->lines.n;
    for (uint32_t i = 0; i < s->lines.arrays; i++) {
        int64_t bytes = s->lines.bytes[i];
        for (int64_t line = 0; line < count; line++) {
            const char *from = s->lines.data[i] + (first + line) * n * bytes;
            char *to = s->results[i] + (first + line) * n * bytes;
            for (int64_t k = 0; k < n; k++)
                memcpy(to + k * bytes, from + order[line * n + k] * bytes, (size_t)bytes);
        }
    }
}

static int64_t lines_at_once(const sorter *s) {
    int64_t fit = BATCH / s->lines.n + 1;
    return fit < s->count ? fit : s->count;
}

/* Batches of lines. */
static void sort_batches(void *context, int64_t from, int64_t to) {
    sorter *s = context;
    int64_t at_once = lines_at_once(s);
    int64_t *order = hlo_scratch_new((size_t)(at_once * s->lines.n) * sizeof *order);
    bool ok = true;
    for (int64_t first = from * at_once; first < s->count && first < to * at_once && ok;
         first += at_once) {
        int64_t count = s->count - first < at_once ? s->count - first : at_once;
        ok = (s->has_key && order_by_keys(s, first, count, order)) ||
             hlo_order_by_comparator(&s->lines, first, count, order);
        if (ok) apply_order(s, first, count, order);
    }
    if (!ok) atomic_store(&s->failed, true);
    hlo_block_free(order);
}

static bool sort_lines(sorter *s) {
    int64_t at_once = lines_at_once(s), batches = (s->count + at_once - 1) / at_once;
    hlo_parallel(batches, hlo_scalar_is_shared(s->lines.before) ? 1 : batches, sort_batches, s);
    return !atomic_load(&s->failed);
}

/* All dimensions in order, but for the sorted one, which comes last. */
static uint32_t *sorted_last(uint32_t rank, uint32_t dimension) {
    uint32_t *order = hlo_malloc(rank * sizeof *order), n = 0;
    for (uint32_t d = 0; d < rank; d++)
        if (d != dimension) order[n++] = d;
    order[n] = dimension;
    return order;
}

/* The walk of an array and of its lines, dense and behind each other: of the sorted dimension only
 * what there is at run time. */
static void walk_lines(const sorter *s, uint32_t i, const uint32_t *order, const hlo_shape *shape,
                       hlo_walk *walk, bool from_lines) {
    uint32_t bytes = s->lines.bytes[i];
    int64_t *strides = hlo_new_strides(shape, bytes), unit = bytes * s->count * s->lines.n;
    hlo_walk_init(walk, 2);
    for (uint32_t d = 0; d < shape->rank; d++) {
        int64_t size = d + 1 < shape->rank ? shape->dims[order[d]] : s->lines.n;
        int64_t stride = strides[order[d]];
        unit /= size;
        hlo_walk_dim2(walk, size, from_lines ? stride : unit, from_lines ? unit : stride);
    }
    hlo_free(strides);
}

/* Puts the sorted dimension of result i back to its place. */
static void store_result(const sorter *s, uint32_t i, const uint32_t *order, hlo_value *result) {
    if (s->results[i] == result->data) return;
    hlo_walk walk;
    walk_lines(s, i, order, result->shape, &walk, true);
    hlo_copy_walk(&walk, result->data, s->results[i], s->lines.bytes[i]);
    hlo_free(s->results[i]);
}

static hlo_packed pack_lines(const sorter *s, uint32_t i, const uint32_t *order,
                             const hlo_value *x) {
    if (!s->is_dynamic) return hlo_old_pack(x, order, (hlo_type)x->shape->type);
    hlo_walk walk;
    walk_lines(s, i, order, x->shape, &walk, false);
    void *copy = hlo_scratch_new((size_t)(s->count * s->lines.n) * s->lines.bytes[i]);
    hlo_copy_walk(&walk, copy, x->data, s->lines.bytes[i]);
    return (hlo_packed){copy, copy};
}

/* Allocates the arrays by operand in `arena` and packs the operands. */
static void start_sorter(sorter *s, hlo_arena *arena, hlo_value *const *args, hlo_value **results,
                         const uint32_t *order) {
    uint32_t n = s->lines.arrays, rank = args[0]->shape->rank;
    s->packed = HLO_NEW_ARRAY(arena, hlo_packed, n);
    s->results = HLO_NEW_ARRAY(arena, char *, n);
    s->lines.data = HLO_NEW_ARRAY(arena, const char *, n);
    s->lines.bytes = HLO_NEW_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        s->lines.bytes[i] = hlo_element_bytes(args[i]->shape);
        s->packed[i] = pack_lines(s, i, order, args[i]);
        s->lines.data[i] = s->packed[i].data;
        size_t bytes = (size_t)(s->count * s->lines.n) * s->lines.bytes[i];
        bool in_place = order[rank - 1] == rank - 1 && !s->is_dynamic;
        s->results[i] = in_place ? results[i]->data : hlo_malloc(bytes);
    }
}

static bool is_comparator(const hlo_scalar_program *program, hlo_value *const *args, uint32_t n) {
    if (hlo_scalar_input_count(program) != 2 * n || hlo_scalar_output_count(program) != 1)
        return false;
    for (uint32_t i = 0; i < 2 * n; i++)
        if (hlo_scalar_input_type(program, i) != args[i / 2]->shape->type) return false;
    return hlo_scalar_output_type(program, 0) == HLO_PRED;
}

/* The length of lines at run time; elements behind it are not sorted. */
static int64_t live_size(sorter *s, hlo_value *const *args, uint32_t dimension) {
    int64_t live = args[0]->shape->dims[dimension];
    for (uint32_t i = 0; i < s->lines.arrays; i++) {
        s->is_dynamic |= args[i]->sizes != NULL;
        if (hlo_value_size(args[i], dimension) < live) live = hlo_value_size(args[i], dimension);
    }
    return live;
}

static bool sort_values(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                        hlo_value **results) {
    const hlo_shape *shape = args[0]->shape;
    uint32_t dimension = (uint32_t)hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    hlo_computation *computation = hlo_called(instr, 0);
    sorter s = {.lines = {.arrays = instr->operand_count}};
    s.lines.n = live_size(&s, args, dimension);
    s.lines.call = eval->call;
    s.lines.before = hlo_scalar_compile(eval, instr, computation);
    if (!s.lines.before) return false;
    if (!is_comparator(s.lines.before, args, instr->operand_count)) {
        hlo_eval_error(eval, instr,
                       "has a computation that does not compare its operands' elements");
        return false;
    }
    s.count = hlo_shape_elements(shape) / shape->dims[dimension];
    if (!s.lines.n) return true;
    s.has_key = find_key(computation, &s);
    hlo_arena arena;
    hlo_arena_init(&arena);
    uint32_t *order = sorted_last(shape->rank, dimension);
    start_sorter(&s, &arena, args, results, order);
    bool ok = sort_lines(&s);
    for (uint32_t i = 0; i < s.lines.arrays; i++) {
        store_result(&s, i, order, results[i]);
        hlo_block_free(s.packed[i].copy);
    }
    hlo_free(order);
    hlo_arena_free(&arena);
    return ok;
}

hlo_value *hlo_eval_sort(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    hlo_value **results = out->elements ? out->elements : &out;
    for (uint32_t i = 0; i < instr->operand_count; i++) hlo_value_copy_sizes(results[i], args[i]);
    bool ok = hlo_shape_elements(args[0]->shape) <= 0 || sort_values(eval, instr, args, results);
    if (ok) return out;
    hlo_value_release(out);
    return NULL;
}

/* ---- topk ---- */

typedef struct {
    const hlo_key_order *by;
    const hlo_value *x;
    int64_t n, live, k;
    hlo_value *values, *positions;
} top_taker;

/* The first k of each line by value, largest (smallest) first, the lower position where equal; what
 * is not there at run time stands behind everything else. */
static void take_top(void *context, int64_t first, int64_t last) {
    const top_taker *t = context;
    int64_t bytes = hlo_element_bytes(t->x->shape), k = t->k;
    int64_t *order = hlo_scratch_new((size_t)t->n * sizeof *order);
    uint64_t *scratch = hlo_scratch_new((size_t)t->n * 3 * sizeof *scratch);
    int32_t *position = t->positions->data;
    for (int64_t line = first; line < last && !hlo_pool_is_stopped(); line++) {
        const char *from = (const char *)t->x->data + line * t->n * bytes;
        char *to = (char *)t->values->data + line * k * bytes;
        for (int64_t i = t->live; i < t->n; i++) order[i] = i;
        hlo_order_by_keys(t->by, from, t->live, order, scratch);
        for (int64_t i = 0; i < k; i++) {
            memcpy(to + i * bytes, from + order[i] * bytes, (size_t)bytes);
            position[line * k + i] = (int32_t)order[i];
        }
    }
    hlo_block_free(order);
    hlo_block_free(scratch);
}

hlo_value *hlo_eval_topk(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_value *x = args[0];
    uint32_t last = x->shape->rank - 1;
    hlo_key_order by = {.type = (hlo_type)x->shape->type, .total = true};
    by.descending = hlo_attr_int(instr, HLO_ATTR_LARGEST) != 0;
    if (!hlo_has_keys(by.type)) {
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "does not support elements of type %s", hlo_types[by.type].text);
        return NULL;
    }
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    for (uint32_t d = 0; x->sizes && d < last; d++)
        for (int i = 0; i < 2; i++) hlo_result_sizes(out->elements[i])[d] = x->sizes[d];
    top_taker t = {&by,
                   x,
                   x->shape->dims[last],
                   hlo_value_size(x, last),
                   hlo_attr_int(instr, HLO_ATTR_K),
                   out->elements[0],
                   out->elements[1]};
    int64_t elements = hlo_shape_elements(x->shape);
    if (elements > 0)
        hlo_parallel(elements / t.n, hlo_grain(t.n < HLO_PIECE_COST ? t.n * 10 : t.n), take_top,
                     &t);
    return out;
}
