/* topk: the first elements of each line in the order of their values, by selection: a few are kept
 * in order; for more, those that may be among them are collected, and reduced to the first k
 * whenever there are too many. */
#include "eval/kernels/sort/topk.h"

#include "base/pool.h"
#include "eval/kernel/strides.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/sort/keys.h"
#include "eval/kernels/sort/radix.h"

/* Elements whose keys are made together; of which the best is looked for; candidates beside k, up
 * to FEW of which are kept in order. */
enum { BLOCK = 512, GROUP = 64, SPARE = 256, FEW = 64 };

typedef struct {
    hlo_keys keys; /* the least first; of types that have keys */
    bool has_keys;
    hlo_record record;
    uint32_t last;            /* the dimension of the lines */
    int64_t bytes;            /* of an element */
    int64_t n, k;             /* elements of a line, and how many are taken */
    int64_t lines;            /* 0 when there are no elements */
    int64_t most;             /* candidates at once */
    hlo_work_memory of_piece; /* twice the records of these, and what sorting them takes */
} topk_state;

/* The candidates of one line: records in 64 bits have the place in the lower half. */
typedef struct {
    const topk_state *s;
    void *records, *other, *scratch;
    int64_t count;
    uint64_t limit; /* greater keys are not among the first k */
    bool is_over;   /* no key is */
} selection;

static size_t record_bytes(const topk_state *s) {
    return ((size_t)s->most * hlo_record_bytes(s->record) + 63) / 64 * 64;
}

bool hlo_prepare_topk(hlo_preparation *p, int64_t k, bool largest) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    topk_state *s = HLO_NEW_STATE(p, topk_state);
    int64_t elements = hlo_shape_elements(shape);
    hlo_type type = (hlo_type)shape->type;
    s->has_keys = hlo_has_keys(type);
    if (s->has_keys) s->keys = hlo_keys_of(&(hlo_key_order){type, true, largest}, p->arena);
    s->last = shape->rank - 1;
    s->bytes = hlo_element_bytes(shape);
    s->n = shape->dims[s->last];
    s->record = s->bytes <= 4 && s->n <= HLO_MOST_RECORDS ? HLO_RECORD_64 : HLO_RECORD_PLACED;
    s->k = k;
    s->lines = elements > 0 ? elements / s->n : 0;
    s->most = k > s->n / 2 ? s->n : 2 * k;
    if (s->most < k + SPARE) s->most = s->n < k + SPARE ? s->n : k + SPARE;
    if (s->lines)
        s->of_piece =
            hlo_prepare_work(p, 2 * record_bytes(s) + hlo_radix_scratch(s->most), s->lines == 1);
    p->state = s;
    return true;
}

static bool prepare_topk(hlo_preparation *p) {
    return hlo_prepare_topk(p, hlo_attr_int(p->instr, HLO_ATTR_K),
                            hlo_attr_int(p->instr, HLO_ATTR_LARGEST) != 0);
}

/* ---- candidates ---- */

/* Puts the candidates in order. False when the pool was stopped. */
static bool sort_candidates(selection *l) {
    unsigned first = l->s->record == HLO_RECORD_64 ? 32 : 0, bits = 8 * l->s->keys.bytes;
    void *sorted =
        hlo_radix_sort(l->s->record, l->records, l->other, l->count, first, bits, l->scratch);
    if (!sorted) return false;
    if (sorted == l->other) l->other = l->records;
    l->records = sorted;
    return true;
}

static uint64_t key_at(const selection *l, int64_t i) {
    return l->s->record == HLO_RECORD_64 ? ((const uint64_t *)l->records)[i] >> 32
                                         : ((const hlo_placed_key *)l->records)[i].key;
}

static int64_t place_at(const selection *l, int64_t i) {
    return l->s->record == HLO_RECORD_64 ? (int64_t)(((const uint64_t *)l->records)[i] & UINT32_MAX)
                                         : (int64_t)((const hlo_placed_key *)l->records)[i].place;
}

/* What comes after the first k must be before the last of them, as of equal ones the first is
 * taken. */
static void set_limit(selection *l) {
    uint64_t last = key_at(l, l->s->k - 1);
    l->is_over = last == 0;
    l->limit = last - 1;
}

/* Only the first k stay. */
static bool drop_candidates(selection *l) {
    if (!sort_candidates(l)) return false;
    l->count = l->s->k;
    set_limit(l);
    return true;
}

/* Among few: to its place after those that are not greater, the k-th of which goes. */
static void insert_candidate(selection *l, uint64_t key, int64_t place) {
    int64_t k = l->s->k, at = l->count < k ? l->count++ : k - 1;
    if (l->s->record == HLO_RECORD_64) {
        uint64_t *records = l->records;
        for (; at > 0 && records[at - 1] >> 32 > key; at--) records[at] = records[at - 1];
        records[at] = key << 32 | (uint64_t)place;
    } else {
        hlo_placed_key *records = l->records;
        for (; at > 0 && records[at - 1].key > key; at--) records[at] = records[at - 1];
        records[at] = (hlo_placed_key){key, (uint64_t)place};
    }
    if (l->count == k) set_limit(l);
}

static bool add_candidate(selection *l, uint64_t key, int64_t place) {
    if (key > l->limit || l->is_over) return true;
    if (l->s->k <= FEW) {
        insert_candidate(l, key, place);
        return true;
    }
    if (l->s->record == HLO_RECORD_64)
        ((uint64_t *)l->records)[l->count] = key << 32 | (uint64_t)place;
    else ((hlo_placed_key *)l->records)[l->count] = (hlo_placed_key){key, (uint64_t)place};
    return ++l->count < l->s->most || l->s->most == l->s->n || drop_candidates(l);
}

/* Of n keys from place `first` on; most groups of them have none. */
#define HLO_ADD_KEYS(U)                                                                        \
    static bool add_##U(selection *l, const void *keys, int64_t first, int64_t n) {            \
        const U *key = keys;                                                                   \
        bool ok = true;                                                                        \
        for (int64_t at = 0, end; at < n && ok; at = end) {                                    \
            end = n - at < GROUP ? n : at + GROUP;                                             \
            U best = (U)-1;                                                                    \
            for (int64_t i = at; i < end; i++) best = key[i] < best ? key[i] : best;           \
            if (best > l->limit) continue;                                                     \
            for (int64_t i = at; i < end && ok; i++) ok = add_candidate(l, key[i], first + i); \
        }                                                                                      \
        return ok;                                                                             \
    }
HLO_ADD_KEYS(uint8_t)
HLO_ADD_KEYS(uint16_t)
HLO_ADD_KEYS(uint32_t)
HLO_ADD_KEYS(uint64_t)

static bool add_keys(selection *l, const void *keys, int64_t first, int64_t n) {
    switch (l->s->keys.bytes) {
    case 1: return add_uint8_t(l, keys, first, n);
    case 2: return add_uint16_t(l, keys, first, n);
    case 4: return add_uint32_t(l, keys, first, n);
    default: return add_uint64_t(l, keys, first, n);
    }
}

/* The first k of `live` elements, or all of them, in order. False when the pool was stopped. */
static bool select_top(selection *l, const char *elements, int64_t live) {
    const topk_state *s = l->s;
    _Alignas(64) char keys[BLOCK * 8];
    unsigned found = 0;
    l->count = 0;
    l->limit = UINT64_MAX;
    l->is_over = s->k == 0;
    for (int64_t at = 0, n; at < live && !l->is_over; at += n) {
        n = live - at < BLOCK ? live - at : BLOCK;
        const char *from = elements + at * s->bytes;
        if (hlo_keys_least(&s->keys, from, (size_t)n, &found) > l->limit) continue;
        hlo_keys_make(&s->keys, from, keys, (size_t)n);
        if (!add_keys(l, keys, at, n) || hlo_pool_is_stopped()) return false;
    }
    return s->k <= FEW || sort_candidates(l);
}

/* ---- running ---- */

/* What is not there at run time comes after everything else. */
static void write_top(const selection *l, const hlo_call *call, int64_t line, int64_t live) {
    const topk_state *s = l->s;
    hlo_value *const *results = call->out->elements;
    const char *from = (const char *)call->in[0]->data + line * s->n * s->bytes;
    char *to = (char *)results[0]->data + line * s->k * s->bytes;
    int32_t *position = (int32_t *)results[1]->data + line * s->k;
    for (int64_t i = 0; i < s->k; i++) {
        int64_t place = i < live ? place_at(l, i) : i;
        memcpy(to + i * s->bytes, from + place * s->bytes, (size_t)s->bytes);
        position[i] = (int32_t)place;
    }
}

/* The first k of each line by value, largest (smallest) first, the lower position where equal. */
static void take_top(void *context, int64_t first, int64_t last) {
    const hlo_call *call = context;
    const topk_state *s = call->state;
    int64_t live = hlo_value_size(call->in[0], s->last);
    char *memory = hlo_work_take(&s->of_piece, call);
    for (int64_t line = first; line < last; line++) {
        selection l = {.s = s, .records = memory, .other = memory + record_bytes(s)};
        l.scratch = memory + 2 * record_bytes(s);
        if (!select_top(&l, (const char *)call->in[0]->data + line * s->n * s->bytes, live)) break;
        write_top(&l, call, line, live);
    }
    hlo_work_leave(&s->of_piece, call, memory);
}

static bool run_topk(hlo_call *call) {
    const topk_state *s = call->state;
    const hlo_value *x = call->in[0];
    if (!s->has_keys)
        return hlo_call_rule_error(call, HLO_RULE_UNSUPPORTED,
                                   "does not support elements of type %s",
                                   hlo_types[x->shape->type].text);
    for (uint32_t d = 0; x->sizes && d < s->last; d++)
        for (int i = 0; i < 2; i++) hlo_result_sizes(call->out->elements[i])[d] = x->sizes[d];
    hlo_parallel(s->lines, hlo_grain(s->n + s->k * 10), take_top, call);
    return true;
}

const hlo_kernel hlo_kernel_topk = {prepare_topk, run_topk};
