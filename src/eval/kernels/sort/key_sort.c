/* Lines of elements in the order of keys: see key_sort.h. Records of keys, with what their elements
 * cannot be made from beside them, are sorted by radix and become elements again. */
#include "eval/kernels/sort/key_sort.h"

#include <stdatomic.h>

#include "base/pool.h"
#include "eval/kernels/sort/comparator_keys.h"
#include "eval/kernels/sort/keys.h"
#include "eval/kernels/sort/radix.h"

/* Elements that become records together, how many a thread takes, and the most arrays. */
enum { BLOCK = 512, GRAIN = 1 << 15, MOST_ARRAYS = 64 };

/* What a record has beside the key: nothing, the element of the only array that keys do not give
 * back, in 32 bits, or the element's place, in 32 or more bits. */
typedef enum { BARE, LOADED, INDEXED, PLACED } record_form;

typedef struct {
    hlo_keys keys;
    hlo_sort_key from;
    unsigned shift; /* in its word */
    uint32_t word;
} key_part;

struct hlo_key_sorter {
    uint32_t arrays, count, words; /* count: of parts */
    const uint32_t *bytes;         /* of an element, by array */
    key_part parts[HLO_MOST_KEYS];
    unsigned word_bits[HLO_MOST_KEYS]; /* by word, the last of which decides first */
    const int32_t *part_of;            /* by array: the part that it can be made from, or -1 */
    const hlo_scalar_program *program;
    record_form best, plain; /* while all elements are what their keys give back; always */
    uint32_t loaded;         /* LOADED: the array */
    int64_t length;
};

/* One line that is being sorted. */
typedef struct {
    const hlo_key_sorter *sorter;
    const hlo_lines *lines;
    const char *data[MOST_ARRAYS];
    char *results[MOST_ARRAYS];
    int64_t n;
    record_form form;
    void *records;
    uint64_t *words;    /* of elements, all but word 0, word after word */
    atomic_bool fails;  /* some element has no key */
    atomic_uint unlike; /* bit by part: some elements are not what their keys give back */
} line_sort;

/* ---- records ---- */

static hlo_record record_of(const hlo_key_sorter *s, record_form form) {
    if (form == PLACED) return HLO_RECORD_PLACED;
    if (form != BARE || s->word_bits[0] > 32) return HLO_RECORD_64;
    return s->word_bits[0] > 16 ? HLO_RECORD_32 : HLO_RECORD_16;
}

static void widen_keys(const void *elements, uint32_t bytes, uint64_t *to, int64_t n) {
    switch (bytes) {
    case 1:
        for (int64_t i = 0; i < n; i++) to[i] = ((const uint8_t *)elements)[i];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++) to[i] = ((const uint16_t *)elements)[i];
        break;
    case 4:
        for (int64_t i = 0; i < n; i++) to[i] = ((const uint32_t *)elements)[i];
        break;
    default: memcpy(to, elements, (size_t)n * sizeof *to);
    }
}

/* The low bytes of words from bit `shift` on. */
static void narrow(const uint64_t *words, unsigned shift, uint32_t bytes, void *to, int64_t n) {
    switch (bytes) {
    case 1:
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)(words[i] >> shift);
        break;
    case 2:
        for (int64_t i = 0; i < n; i++) ((uint16_t *)to)[i] = (uint16_t)(words[i] >> shift);
        break;
    case 4:
        for (int64_t i = 0; i < n; i++) ((uint32_t *)to)[i] = (uint32_t)(words[i] >> shift);
        break;
    default: memcpy(to, words, (size_t)n * sizeof *words);
    }
}

/* The elements of `part` from place `first` on, or its values of them. */
static const char *elements_of(const line_sort *l, const key_part *part, char (*values)[BLOCK * 8],
                               int64_t first) {
    if (!part->from.is_element) return values[part->from.output];
    return l->data[part->from.array] + first * part->keys.bytes;
}

/* Whether the keys give back the elements that they were made from, of which `found` was found:
 * wide elements, unless the keys are of values computed from them, have distinct keys otherwise. */
static bool gives_back(const line_sort *l, const key_part *part, const void *keys, int64_t first,
                       int64_t n, unsigned found) {
    _Alignas(64) char elements[BLOCK * 8];
    size_t bytes = part->keys.bytes;
    if (part->from.is_element && !part->keys.ranks) return !found;
    hlo_keys_restore(&part->keys, keys, elements, (size_t)n);
    return memcmp(elements, l->data[part->from.array] + first * (int64_t)bytes,
                  (size_t)n * bytes) == 0;
}

static void compute_values(line_sort *l, char (*values)[BLOCK * 8], int64_t first, int64_t n) {
    const hlo_key_sorter *s = l->sorter;
    const void *inputs[2 * MOST_ARRAYS];
    void *outputs[HLO_MOST_KEYS];
    for (uint32_t i = 0; i < 2 * s->arrays; i++)
        inputs[i] = l->data[i / 2] + first * s->bytes[i / 2];
    for (uint32_t k = 0; k < HLO_MOST_KEYS; k++) outputs[k] = values[k];
    hlo_scalar_run(s->program, l->lines->call, inputs, NULL, outputs, (size_t)n);
}

/* The keys of n elements, and what is found of them. */
static void make_keys(line_sort *l, char (*values)[BLOCK * 8], uint32_t k, int64_t first, int64_t n,
                      void *keys) {
    const hlo_key_sorter *s = l->sorter;
    const key_part *part = &s->parts[k];
    unsigned found =
        hlo_keys_make(&part->keys, elements_of(l, part, values, first), keys, (size_t)n);
    if (found & HLO_KEYS_NAN) atomic_store_explicit(&l->fails, true, memory_order_relaxed);
    if (part->from.has_array && s->part_of[part->from.array] == (int32_t)k &&
        !gives_back(l, part, keys, first, n, found))
        atomic_fetch_or_explicit(&l->unlike, 1u << k, memory_order_relaxed);
}

/* Word `word` of n elements. */
static void make_words(line_sort *l, char (*values)[BLOCK * 8], uint32_t word, int64_t first,
                       int64_t n, uint64_t *words) {
    const hlo_key_sorter *s = l->sorter;
    _Alignas(64) char keys[BLOCK * 8];
    uint64_t wide[BLOCK];
    memset(words, 0, (size_t)n * sizeof *words);
    for (uint32_t k = 0; k < s->count; k++) {
        const key_part *part = &s->parts[k];
        if (part->word != word) continue;
        make_keys(l, values, k, first, n, keys);
        widen_keys(keys, part->keys.bytes, wide, n);
        for (int64_t i = 0; i < n; i++) words[i] |= wide[i] << part->shift;
    }
}

/* Whether records are the keys of the first part as they are made. */
static bool are_keys(const line_sort *l) {
    const hlo_key_sorter *s = l->sorter;
    return l->form == BARE && s->count == 1 &&
           s->parts[0].keys.bytes == hlo_record_bytes(record_of(s, BARE));
}

static char *record_at(const line_sort *l, int64_t at) {
    return (char *)l->records + at * (int64_t)hlo_record_bytes(record_of(l->sorter, l->form));
}

static void store_records(const line_sort *l, const uint64_t *words, int64_t first, int64_t n) {
    const hlo_key_sorter *s = l->sorter;
    size_t bytes = hlo_record_bytes(record_of(s, l->form));
    char *to = record_at(l, first);
    uint64_t *numbers = (uint64_t *)to;
    switch (l->form) {
    case BARE: narrow(words, 0, (uint32_t)bytes, to, n); break;
    case LOADED:
        widen_keys(l->data[s->loaded] + first * s->bytes[s->loaded], s->bytes[s->loaded], numbers,
                   n);
        for (int64_t i = 0; i < n; i++) numbers[i] |= words[i] << 32;
        break;
    case INDEXED:
        for (int64_t i = 0; i < n; i++) numbers[i] = words[i] << 32 | (uint64_t)(first + i);
        break;
    case PLACED:
        for (int64_t i = 0; i < n; i++)
            ((hlo_placed_key *)to)[i] = (hlo_placed_key){words[i], (uint64_t)(first + i)};
        break;
    }
}

/* Records of a range of elements, with word 0. */
static void make_records(void *context, int64_t from, int64_t to) {
    line_sort *l = context;
    const hlo_key_sorter *s = l->sorter;
    _Alignas(64) char values[HLO_MOST_KEYS][BLOCK * 8];
    uint64_t words[BLOCK];
    for (int64_t first = from, n; first < to && !hlo_pool_is_stopped(); first += n) {
        n = to - first < BLOCK ? to - first : BLOCK;
        if (s->program) compute_values(l, values, first, n);
        if (are_keys(l)) {
            make_keys(l, values, 0, first, n, record_at(l, first));
            continue;
        }
        for (uint32_t w = 1; w < s->words; w++)
            make_words(l, values, w, first, n, l->words + (w - 1) * l->n + first);
        make_words(l, values, 0, first, n, words);
        store_records(l, words, first, n);
    }
}

/* ---- elements again ---- */

static void load_records(const line_sort *l, int64_t first, int64_t n, uint64_t *words,
                         uint64_t *rest) {
    size_t bytes = hlo_record_bytes(record_of(l->sorter, l->form));
    const char *from = record_at(l, first);
    const hlo_placed_key *placed = (const hlo_placed_key *)from;
    if (l->form == PLACED) {
        for (int64_t i = 0; i < n; i++) {
            words[i] = placed[i].key;
            rest[i] = placed[i].place;
        }
        return;
    }
    widen_keys(from, (uint32_t)bytes, words, n);
    if (l->form == BARE) return;
    for (int64_t i = 0; i < n; i++) {
        rest[i] = words[i] & UINT32_MAX;
        words[i] >>= 32;
    }
}

/* The elements at `places`. */
static void gather(const void *from, const uint64_t *places, uint32_t bytes, void *to, int64_t n) {
#define HLO_GATHER(T) \
    for (int64_t i = 0; i < n; i++) ((T *)to)[i] = ((const T *)from)[places[i]]
    switch (bytes) {
    case 1: HLO_GATHER(uint8_t); break;
    case 2: HLO_GATHER(uint16_t); break;
    case 4: HLO_GATHER(uint32_t); break;
    case 8: HLO_GATHER(uint64_t); break;
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy((char *)to + i * bytes, (const char *)from + (int64_t)places[i] * bytes, bytes);
    }
#undef HLO_GATHER
}

static void write_some(const line_sort *l, int64_t first, int64_t n) {
    const hlo_key_sorter *s = l->sorter;
    uint64_t words[BLOCK], rest[BLOCK];
    _Alignas(64) char keys[BLOCK * 8];
    unsigned unlike = atomic_load_explicit(&l->unlike, memory_order_relaxed);
    load_records(l, first, n, words, rest);
    for (uint32_t i = 0; i < s->arrays; i++) {
        const key_part *part = s->part_of[i] < 0 ? NULL : &s->parts[s->part_of[i]];
        char *out = l->results[i] + first * s->bytes[i];
        if (part && s->words == 1 && !(unlike >> s->part_of[i] & 1)) {
            narrow(words, part->shift, part->keys.bytes, keys, n);
            hlo_keys_restore(&part->keys, keys, out, (size_t)n);
        } else if (l->form == LOADED) narrow(rest, 0, s->bytes[i], out, n);
        else gather(l->data[i], rest, s->bytes[i], out, n);
    }
}

/* Of bare records there is one array, which the keys give back. */
static void write_elements(void *context, int64_t from, int64_t to) {
    const line_sort *l = context;
    const hlo_keys *keys = &l->sorter->parts[0].keys;
    for (int64_t first = from, n; first < to && !hlo_pool_is_stopped(); first += n) {
        n = to - first < BLOCK ? to - first : BLOCK;
        if (are_keys(l))
            hlo_keys_restore(keys, record_at(l, first), l->results[0] + first * keys->bytes,
                             (size_t)n);
        else write_some(l, first, n);
    }
}

/* ---- many elements of a byte, by counting ---- */

enum { BYTES = 256, MANY_BYTES = 1 << 12, BYTE_PIECES = 16 };

typedef struct {
    const uint8_t *elements;
    int64_t n, step;
    uint32_t counts[BYTE_PIECES][BYTES];
} byte_counts;

static void count_bytes(void *context, int64_t from, int64_t to) {
    byte_counts *c = context;
    for (int64_t p = from; p < to && !hlo_pool_is_stopped(); p++) {
        int64_t first = p * c->step, last = c->n - first < c->step ? c->n : first + c->step;
        for (int64_t i = first; i < last; i++) c->counts[p][c->elements[i]]++;
    }
}

/* Puts those that occur into `bytes`, and how often into `counts`; returns how many there are. */
static uint32_t count_line(const line_sort *l, uint8_t *bytes, int64_t *counts) {
    byte_counts c = {.elements = (const uint8_t *)l->data[0], .n = l->n};
    c.step = (l->n + BYTE_PIECES - 1) / BYTE_PIECES;
    hlo_parallel(BYTE_PIECES, l->n < GRAIN ? BYTE_PIECES : 1, count_bytes, &c);
    uint32_t kinds = 0;
    for (unsigned b = 0; b < BYTES; b++) {
        counts[b] = 0;
        for (uint32_t p = 0; p < BYTE_PIECES; p++) counts[b] += c.counts[p][b];
        if (counts[b]) bytes[kinds++] = (uint8_t)b;
    }
    return kinds;
}

/* False when some bytes are equal in the order: they may not be taken for each other. */
static bool sort_bytes(const line_sort *l) {
    uint8_t bytes[BYTES];
    int64_t counts[BYTES];
    uint64_t words[BYTES];
    _Alignas(64) char values[HLO_MOST_KEYS][BLOCK * 8];
    line_sort kinds = {.sorter = l->sorter, .lines = l->lines, .data = {(const char *)bytes}};
    kinds.n = count_line(l, bytes, counts);
    if (l->sorter->program) compute_values(&kinds, values, 0, kinds.n);
    make_words(&kinds, values, 0, 0, kinds.n, words);
    if (kinds.fails || kinds.unlike || hlo_pool_is_stopped()) return false;
    for (int64_t k = 0; k < kinds.n; k++) {
        int64_t place = 0;
        for (int64_t i = 0; i < kinds.n; i++)
            if (words[i] < words[k]) place += counts[bytes[i]];
        memset(l->results[0] + place, bytes[k], (size_t)counts[bytes[k]]);
    }
    return true;
}

/* ---- a line ---- */

/* Gives records, in their order, the first of l->words as keys. */
static void take_words(void *context, int64_t from, int64_t to) {
    const line_sort *l = context;
    hlo_placed_key *records = l->records;
    for (int64_t i = from; i < to; i++) records[i].key = l->words[records[i].place];
}

/* By each word, from the one that decides last. False when the pool was stopped. */
static bool sort_records(line_sort *l, void *other, void *scratch) {
    const hlo_key_sorter *s = l->sorter;
    unsigned first = l->form == LOADED || l->form == INDEXED ? 32 : 0;
    for (uint32_t w = 0; w < s->words; w++) {
        if (w) hlo_parallel(l->n, GRAIN, take_words, l);
        if (w) l->words += l->n;
        void *sorted = hlo_radix_sort(record_of(s, l->form), l->records, other, l->n, first,
                                      s->word_bits[w], scratch);
        if (!sorted) return false;
        if (sorted == other) {
            other = l->records;
            l->records = sorted;
        }
    }
    return true;
}

/* Makes records in the best form that holds all that is wanted of them. */
static bool start_records(line_sort *l) {
    l->form = l->sorter->best;
    hlo_parallel(l->n, GRAIN, make_records, l);
    if (atomic_load(&l->fails) || hlo_pool_is_stopped()) return false;
    if (!atomic_load(&l->unlike) || l->form == l->sorter->plain) return true;
    l->form = l->sorter->plain;
    hlo_parallel(l->n, GRAIN, make_records, l);
    return !hlo_pool_is_stopped();
}

static size_t records_bytes(const hlo_key_sorter *s) {
    return (size_t)s->length * hlo_record_bytes(record_of(s, s->plain));
}

static size_t words_bytes(const hlo_key_sorter *s) {
    return (s->words - 1) * (size_t)s->length * sizeof(uint64_t);
}

static size_t round_up(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

size_t hlo_key_sorter_scratch(const hlo_key_sorter *s) {
    return 2 * round_up(records_bytes(s)) + round_up(words_bytes(s)) + hlo_radix_scratch(s->length);
}

bool hlo_sort_line_by_keys(const hlo_key_sorter *sorter, const hlo_lines *lines, int64_t line,
                           char *const *results, void *scratch) {
    char *memory = scratch;
    line_sort l = {.sorter = sorter, .lines = lines, .n = lines->n, .records = memory};
    for (uint32_t i = 0; i < sorter->arrays; i++) {
        int64_t at = line * lines->length * sorter->bytes[i];
        l.data[i] = lines->data[i] + at;
        l.results[i] = results[i] + at;
    }
    if (sorter->arrays == 1 && sorter->bytes[0] == 1 && sorter->best == BARE && l.n >= MANY_BYTES &&
        sort_bytes(&l))
        return true;
    char *other = memory + round_up(records_bytes(sorter));
    l.words = (uint64_t *)(other + round_up(records_bytes(sorter)));
    char *rest = (char *)l.words + round_up(words_bytes(sorter));
    if (!start_records(&l) || !sort_records(&l, other, rest)) return false;
    hlo_parallel(l.n, GRAIN, write_elements, &l);
    return true;
}

/* ---- preparing ---- */

/* Puts keys side by side in words, from the last one on, which decides last. */
static void prepare_parts(hlo_preparation *p, hlo_key_sorter *s, const hlo_sort_keys *keys) {
    unsigned bits = 0;
    s->words = 1;
    for (uint32_t k = keys->count; k-- > 0;) {
        key_part *part = &s->parts[k];
        part->keys = hlo_keys_of(&keys->key[k].by, p->arena);
        part->from = keys->key[k];
        unsigned width = 8 * part->keys.bytes;
        if (bits + width > 64) {
            s->words++;
            bits = 0;
        }
        part->word = s->words - 1;
        part->shift = bits;
        bits += width;
        s->word_bits[part->word] = bits;
    }
}

/* Which arrays keys give back; returns how many they do not, one of which is s->loaded. */
static uint32_t prepare_arrays(hlo_preparation *p, hlo_key_sorter *s) {
    int32_t *part_of = HLO_NEW_ARRAY(p->arena, int32_t, s->arrays);
    uint32_t *bytes = HLO_NEW_ARRAY(p->arena, uint32_t, s->arrays), without = 0;
    for (uint32_t i = 0; i < s->arrays; i++) {
        const hlo_shape *shape = hlo_operand(p->instr, i)->shape;
        part_of[i] = -1;
        bytes[i] = hlo_types[shape->type].bytes;
        for (uint32_t k = 0; k < s->count && part_of[i] < 0; k++)
            if (s->parts[k].from.has_array && s->parts[k].from.array == i &&
                s->parts[k].from.by.type == (hlo_type)shape->type)
                part_of[i] = (int32_t)k;
        if (part_of[i] >= 0) continue;
        s->loaded = i;
        without++;
    }
    s->part_of = part_of;
    s->bytes = bytes;
    return without;
}

const hlo_key_sorter *hlo_prepare_key_sorter(hlo_preparation *p, int64_t length) {
    hlo_sort_keys keys;
    if (p->instr->operand_count > MOST_ARRAYS || length > HLO_MOST_RECORDS) return NULL;
    hlo_find_sort_keys(p, hlo_called(p->instr, 0), &keys);
    if (!keys.count) return NULL;
    hlo_key_sorter *s = HLO_NEW(p->arena, hlo_key_sorter);
    s->arrays = p->instr->operand_count;
    s->count = keys.count;
    s->program = keys.program;
    s->length = length;
    prepare_parts(p, s, &keys);
    uint32_t without = prepare_arrays(p, s);
    s->best = s->plain = s->words == 1 && s->word_bits[0] <= 32 ? INDEXED : PLACED;
    if (s->words > 1) return s;
    if (!without) s->best = BARE;
    else if (without == 1 && s->plain == INDEXED && s->bytes[s->loaded] <= 4) s->best = LOADED;
    return s;
}
