/* Reductions to an extreme element and its position: see reduce_extreme.h. Elements are compared by
 * keys (keys.h), of which the least is the best; of rows the best block is found, of columns whole
 * rows are compared at once. Where keys do not decide (NaN in other rules than that which takes the
 * first one, zeros of both signs) an element is compared after the other. */
#include "eval/kernels/reduce/reduce_extreme.h"

#include "base/pool.h"
#include "eval/kernels/reduce/extreme_rule.h"
#include "eval/kernels/sort/key_kernels.h"
#include "ir/float_types.h"

/* Elements whose keys are made together; those among which a known one is looked for. */
enum { BLOCK = 1024, FEW = 64 };

/* An operand is [outer, length, inner] elements, of which the middle is reduced. */
struct hlo_extreme {
    hlo_extreme_rule rule;
    hlo_keys keys;
    uint64_t zero;                        /* its key */
    int64_t outer, length, inner, blocks; /* blocks: of inner elements */
    int64_t bytes;                        /* of a value */
    uint32_t position_bytes;
    bool is_signed; /* positions */
};

/* A run of it. */
typedef struct {
    const hlo_extreme *e;
    hlo_call *call;
    const char *values;
    int64_t live;     /* elements along the reduced dimension at run time */
    unsigned initial; /* what is found in the initial value: hlo_keys_found */
} extremes;

/* One accumulator. */
typedef struct {
    char value[8];
    int64_t position;
} best;

/* ---- accumulators ---- */

static best load_best(const hlo_extreme *e, const void *value, const void *position) {
    unsigned bytes = e->position_bytes;
    best b = {.position = (int64_t)hlo_element_bits(position, bytes)};
    if (e->is_signed && bytes < 8) {
        unsigned unused = 64 - 8 * bytes;
        b.position = (int64_t)((uint64_t)b.position << unused) >> unused;
    }
    memcpy(b.value, value, (size_t)e->bytes);
    return b;
}

static void store_best(const hlo_extreme *e, void *value, void *position, const best *b) {
    memcpy(value, b->value, (size_t)e->bytes);
    hlo_set_element_bits(position, e->position_bytes, (uint64_t)b->position);
}

static best initial_best(const extremes *x) {
    return load_best(x->e, x->call->in[2]->data, x->call->in[3]->data);
}

static hlo_relation relate_values(const hlo_extreme *e, const void *a, const void *b) {
    uint64_t key[2] = {0, 0};
    bool a_is_nan = hlo_keys_make(&e->keys, a, &key[0], 1) & HLO_KEYS_NAN;
    bool b_is_nan = hlo_keys_make(&e->keys, b, &key[1], 1) & HLO_KEYS_NAN;
    if (a_is_nan) return b_is_nan ? HLO_NAN_BOTH : HLO_NAN_FIRST;
    if (b_is_nan) return HLO_NAN_SECOND;
    if (key[0] == key[1]) return HLO_EQUAL;
    return (key[0] < key[1]) == e->rule.greatest ? HLO_GREATER : HLO_LESS;
}

static hlo_relation relate_positions(const hlo_extreme *e, int64_t a, int64_t b) {
    if (a == b) return HLO_EQUAL;
    return (e->is_signed ? a < b : (uint64_t)a < (uint64_t)b) ? HLO_LESS : HLO_GREATER;
}

static void take_best(const hlo_extreme *e, best *b, const void *value, int64_t position) {
    memcpy(b->value, value, (size_t)e->bytes);
    b->position = position;
}

/* Combines the element at a position. */
static void combine(const hlo_extreme *e, best *b, const void *value, int64_t position) {
    hlo_relation values = relate_values(e, b->value, value);
    hlo_taken taken = e->rule.taken[values][relate_positions(e, b->position, position)];
    if (taken.value) memcpy(b->value, value, (size_t)e->bytes);
    if (taken.position) b->position = position;
}

/* Where the elements of result `at` begin. */
static const char *line_of(const extremes *x, int64_t at) {
    const hlo_extreme *e = x->e;
    int64_t outer = at / e->inner, inner = at % e->inner;
    return x->values + (outer * e->length * e->inner + inner) * e->bytes;
}

static void write_best(const extremes *x, int64_t at, const best *b) {
    hlo_value *const *results = x->call->out->elements;
    store_best(x->e, (char *)results[0]->data + at * x->e->bytes,
               (char *)results[1]->data + at * x->e->position_bytes, b);
}

/* n elements that are `step` bytes apart, the first of them at the position `first`. */
static void combine_one_by_one(const hlo_extreme *e, best *b, const char *elements, int64_t step,
                               int64_t n, int64_t first) {
    for (int64_t i = 0; i < n && !hlo_pool_is_stopped(); i++)
        combine(e, b, elements + i * step, first + i);
}

/* Whether the best key of elements, and of the accumulator, in which something was found, does not
 * determine which of them is kept. */
static bool is_unclear(const hlo_extreme *e, uint64_t key, unsigned found) {
    return (found & HLO_KEYS_NAN && !e->rule.takes_nan) ||
           (found & HLO_KEYS_MINUS_ZERO && key == e->zero && e->rule.splits_ties);
}

/* Result `at`, whose elements' best key is at `place`. */
static void write_place(const extremes *x, int64_t at, uint64_t key, int64_t place,
                        unsigned found) {
    const hlo_extreme *e = x->e;
    const char *line = line_of(x, at);
    int64_t step = e->inner * e->bytes;
    best b = initial_best(x);
    if (is_unclear(e, key, found | x->initial)) combine_one_by_one(e, &b, line, step, x->live, 0);
    else combine(e, &b, line + place * step, place);
    write_best(x, at, &b);
}

/* ---- rows ---- */

static uint64_t key_at(const void *keys, uint32_t bytes, int64_t i) {
    return hlo_element_bits((const char *)keys + i * bytes, bytes);
}

/* The first or last place of a key among a few elements, one of which has it. */
static int64_t find_among_few(const hlo_extreme *e, const char *elements, int64_t n, uint64_t key) {
    _Alignas(64) char keys[FEW * 8];
    hlo_keys_make(&e->keys, elements, keys, (size_t)n);
    int64_t step = e->rule.last ? -1 : 1, i = e->rule.last ? n - 1 : 0;
    while (key_at(keys, e->keys.bytes, i) != key) i += step;
    return i;
}

/* The same among n elements whose least key it is. */
static int64_t find_key(const hlo_extreme *e, const char *elements, int64_t n, uint64_t key) {
    int64_t groups = (n + FEW - 1) / FEW, step = e->rule.last ? -1 : 1;
    unsigned found = 0;
    for (int64_t k = e->rule.last ? groups - 1 : 0, left = groups;; k += step, left--) {
        const char *few = elements + k * FEW * e->bytes;
        int64_t m = n - k * FEW < FEW ? n - k * FEW : FEW;
        if (left == 1 || hlo_keys_least(&e->keys, few, (size_t)m, &found) == key)
            return k * FEW + find_among_few(e, few, m, key);
    }
}

/* n > 0 neighbours, the first of them at the position `first`. */
static void combine_neighbours(const hlo_extreme *e, best *b, const char *row, int64_t n,
                               int64_t first) {
    uint64_t least = UINT64_MAX;
    int64_t block = 0;
    unsigned found = 0;
    uint64_t own = hlo_keys_least(&e->keys, b->value, 1, &found);
    for (int64_t i = 0, m; i < n && !hlo_pool_is_stopped(); i += m) {
        m = n - i < BLOCK ? n - i : BLOCK;
        uint64_t key = hlo_keys_least(&e->keys, row + i * e->bytes, (size_t)m, &found);
        if (key > least || (key == least && !e->rule.last)) continue;
        least = key;
        block = i;
    }
    if (hlo_pool_is_stopped()) return;
    if (is_unclear(e, least, found)) {
        combine_one_by_one(e, b, row, e->bytes, n, first);
    } else if (least <= own) {
        int64_t m = n - block < BLOCK ? n - block : BLOCK;
        int64_t place = block + find_key(e, row + block * e->bytes, m, least);
        const char *value = row + place * e->bytes;
        if (least < own) take_best(e, b, value, first + place);
        else combine(e, b, value, first + place);
    }
}

static void reduce_rows(void *context, int64_t first, int64_t last) {
    const extremes *x = context;
    for (int64_t at = first; at < last && !hlo_pool_is_stopped(); at++) {
        best b = initial_best(x);
        combine_neighbours(x->e, &b, line_of(x, at), x->live, 0);
        write_best(x, at, &b);
    }
}

void hlo_extreme_of_rows(const hlo_extreme *e, const hlo_extreme_rows *rows) {
    for (int64_t r = 0; r < rows->count; r++) {
        char *value = rows->best[0] + r * e->bytes;
        char *position = rows->best[1] + r * e->position_bytes;
        best b = rows->starts ? load_best(e, rows->init[0], rows->init[1])
                              : load_best(e, value, position);
        combine_neighbours(e, &b, rows->elements + r * rows->n * e->bytes, rows->n, rows->first);
        store_best(e, value, position, &b);
    }
}

/* ---- columns ---- */

/* Some neighbouring columns: keys of 32 or 64 bits, and the places of the least, as wide. */
typedef struct {
    _Alignas(64) char row[BLOCK * 8];
    _Alignas(64) char least[BLOCK * 8];
    _Alignas(64) char where[BLOCK * 8];
} columns;

static unsigned make_row(const hlo_extreme *e, const char *elements, int64_t n, void *keys) {
    _Alignas(64) char narrow[BLOCK * 2];
    uint32_t *wide = keys;
    if (e->keys.bytes >= 4) return hlo_keys_make(&e->keys, elements, keys, (size_t)n);
    unsigned found = hlo_keys_make(&e->keys, elements, narrow, (size_t)n);
    if (e->keys.bytes == 1)
        for (int64_t i = 0; i < n; i++) wide[i] = ((const uint8_t *)narrow)[i];
    else
        for (int64_t i = 0; i < n; i++) wide[i] = ((const uint16_t *)narrow)[i];
    return found;
}

/* The rows in order or, where the last of equal ones is taken, from the last one on. */
static unsigned compare_rows(const extremes *x, const char *elements, int64_t n, columns *c) {
    const hlo_extreme *e = x->e;
    uint32_t bytes = e->keys.bytes == 8 ? 8 : 4;
    const hlo_key_kernels *kernels = &hlo_key_chosen()->of[bytes / 4];
    int64_t row = e->rule.last ? x->live - 1 : 0, step = e->rule.last ? -1 : 1;
    int64_t stride = e->inner * e->bytes;
    unsigned found = make_row(e, elements + row * stride, n, c->least);
    for (int64_t i = 0; i < n; i++)
        hlo_set_element_bits(c->where + i * bytes, bytes, (uint64_t)row);
    for (int64_t i = 1; i < x->live && !hlo_pool_is_stopped(); i++) {
        row += step;
        found |= make_row(e, elements + row * stride, n, c->row);
        kernels->take_less(c->row, c->least, c->where, (uint64_t)row, (size_t)n);
    }
    return found;
}

static void reduce_columns(void *context, int64_t first, int64_t last) {
    const extremes *x = context;
    const hlo_extreme *e = x->e;
    uint32_t bytes = e->keys.bytes == 8 ? 8 : 4;
    columns c;
    for (int64_t k = first; k < last; k++) {
        int64_t from = k % e->blocks * BLOCK, at = k / e->blocks * e->inner + from;
        int64_t n = e->inner - from < BLOCK ? e->inner - from : BLOCK;
        unsigned found = compare_rows(x, line_of(x, at), n, &c);
        if (hlo_pool_is_stopped()) return;
        for (int64_t i = 0; i < n; i++)
            write_place(x, at + i, key_at(c.least, bytes, i), (int64_t)key_at(c.where, bytes, i),
                        found);
    }
}

/* ---- the reduction ---- */

bool hlo_reduce_to_extreme(const hlo_extreme *e, hlo_call *call) {
    const hlo_value *values = call->in[0];
    extremes x = {e, call, values->data, hlo_value_size(values, e->rule.dimension), 0};
    hlo_keys_least(&e->keys, call->in[2]->data, 1, &x.initial);
    int64_t columns_at_once = e->inner < BLOCK ? e->inner : BLOCK;
    if (x.live == 0) {
        best b = initial_best(&x);
        for (int64_t at = 0; at < x.e->outer * x.e->inner; at++) write_best(&x, at, &b);
    } else if (e->inner == 1) hlo_parallel(e->outer, hlo_grain(x.live / 4 + 50), reduce_rows, &x);
    else
        hlo_parallel(e->outer * e->blocks, hlo_grain(x.live * (columns_at_once / 2 + 10)),
                     reduce_columns, &x);
    return true;
}

const hlo_extreme *hlo_extreme_new(hlo_arena *arena, const hlo_instr *reduce) {
    const hlo_shape *shape = hlo_operand(reduce, 0)->shape;
    hlo_extreme_rule rule;
    if (!hlo_find_extreme(reduce, &rule)) return NULL;
    hlo_extreme *e = HLO_NEW(arena, hlo_extreme);
    e->rule = rule;
    e->bytes = hlo_types[shape->type].bytes;
    const hlo_type_info *position = &hlo_types[hlo_operand(reduce, 1)->shape->type];
    e->position_bytes = position->bytes;
    e->is_signed = position->class == HLO_CLASS_SIGNED;
    e->keys = hlo_keys_of(&(hlo_key_order){(hlo_type)shape->type, false, rule.greatest}, arena);
    hlo_keys_make(&e->keys, &(uint64_t){0}, &e->zero, 1);
    e->outer = e->inner = 1;
    e->length = shape->dims[rule.dimension];
    for (uint32_t d = 0; d < rule.dimension; d++) e->outer *= shape->dims[d];
    for (uint32_t d = rule.dimension + 1; d < shape->rank; d++) e->inner *= shape->dims[d];
    e->blocks = (e->inner + BLOCK - 1) / BLOCK;
    return e;
}

hlo_instr *hlo_given_to_reduce(const hlo_instr *instr, uint32_t operand) {
    hlo_extreme_rule rule;
    return hlo_operand(instr, operand == 1 && hlo_find_extreme(instr, &rule) ? 3 : operand);
}
