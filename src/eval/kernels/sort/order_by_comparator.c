/* Stable orders by a comparator computation: a bottom-up merge sort in which all merges of a level
 * go on in step, so that one run of the comparator serves many of them. */
#include "base/pool.h"
#include "eval/kernel/lanes.h"
#include "eval/kernels/sort/order.h"

/* Merges that go on together. */
enum { LANES = 512, LANES_BYTES = LANES * HLO_LANES_MAX_BYTES };

/* Two ordered runs of one line become one; positions in the order array. */
typedef struct {
    int64_t line; /* where the line's elements start */
    int64_t left, left_end, right, right_end, out;
} merge;

typedef struct {
    const hlo_lines *lines;
    int64_t first, count; /* lines */
    const int64_t *from;
    int64_t *to;
    merge active[LANES];
    size_t active_count;
    int64_t next_line, next_start, width; /* the next merge of the level */
    char **values;                        /* LANES elements for each of the comparator's inputs */
    uint8_t right_first[LANES];
} level;

static void copy_run(level *l, int64_t to, int64_t from, int64_t end) {
    memcpy(l->to + to, l->from + from, (size_t)(end - from) * sizeof *l->to);
}

/* Puts further merges of the level to work while there are slots; runs without a partner move. */
static void start_merges(level *l) {
    int64_t n = l->lines->n, length = l->lines->length;
    while (l->active_count < LANES && l->next_line < l->count) {
        int64_t base = l->next_line * n, start = l->next_start;
        int64_t middle = n - start > l->width ? start + l->width : n;
        int64_t end = n - middle > l->width ? middle + l->width : n;
        if (middle < end)
            l->active[l->active_count++] = (merge){(l->first + l->next_line) * length,
                                                   base + start,
                                                   base + middle,
                                                   base + middle,
                                                   base + end,
                                                   base + start};
        else copy_run(l, base + start, base + start, base + end);
        l->next_start = end;
        if (end == n) {
            l->next_start = 0;
            l->next_line++;
        }
    }
}

/* Computes, for every active merge, whether the right run's head comes before the left run's. */
static bool compare_heads(level *l, const void **inputs) {
    const hlo_lines *lines = l->lines;
    for (uint32_t i = 0; i < lines->arrays; i++) {
        size_t bytes = lines->bytes[i];
        size_t slot = 2 * (size_t)i;
        char *right = l->values[slot], *left = l->values[slot + 1];
        for (size_t k = 0; k < l->active_count; k++) {
            const merge *m = &l->active[k];
            const char *line = lines->data[i] + m->line * (int64_t)bytes;
            memcpy(right + k * bytes, line + l->from[m->right] * (int64_t)bytes, bytes);
            memcpy(left + k * bytes, line + l->from[m->left] * (int64_t)bytes, bytes);
        }
        inputs[slot] = right;
        inputs[slot + 1] = left;
    }
    void *outputs[] = {l->right_first};
    return hlo_scalar_run(lines->before, lines->call, inputs, NULL, outputs, l->active_count);
}

/* Moves one element of every active merge; finished ones leave. */
/* Stable: of equal heads the left one goes first, as the comparator does not put the right one
 * before it. */
static void step_merges(level *l) {
    size_t kept = 0;
    for (size_t k = 0; k < l->active_count; k++) {
        merge m = l->active[k];
        l->to[m.out++] = l->from[l->right_first[k] ? m.right++ : m.left++];
        if (m.left < m.left_end && m.right < m.right_end) {
            l->active[kept++] = m;
            continue;
        }
        if (m.left < m.left_end) copy_run(l, m.out, m.left, m.left_end);
        if (m.right < m.right_end) copy_run(l, m.out, m.right, m.right_end);
    }
    l->active_count = kept;
}

static bool merge_level(level *l, const void **inputs) {
    l->active_count = 0;
    l->next_line = l->next_start = 0;
    for (;;) {
        start_merges(l);
        if (!l->active_count) return true;
        if (hlo_pool_is_stopped()) return false;
        if (!compare_heads(l, inputs)) return false;
        step_merges(l);
    }
}

/* ---- scratch memory: the level, its pointers, its lanes, and a second order array ---- */

static size_t pointers_at(void) {
    return (sizeof(level) + 63) / 64 * 64;
}

static size_t lanes_at(uint32_t inputs) {
    return pointers_at() + (2 * sizeof(void *) * inputs + 63) / 64 * 64;
}

static size_t order_at(uint32_t inputs) {
    return lanes_at(inputs) + (size_t)inputs * LANES_BYTES;
}

size_t hlo_comparator_scratch(uint32_t arrays, int64_t elements) {
    return order_at(2 * arrays) + (size_t)elements * sizeof(int64_t);
}

bool hlo_order_by_comparator(const hlo_lines *lines, int64_t first, int64_t count, int64_t *order,
                             void *scratch) {
    int64_t elements = count * lines->n;
    uint32_t inputs = 2 * lines->arrays;
    char *memory = scratch;
    level *l = scratch;
    l->lines = lines;
    l->first = first;
    l->count = count;
    l->values = (char **)(memory + pointers_at());
    const void **pointers = (const void **)(l->values + inputs);
    for (uint32_t i = 0; i < inputs; i++)
        l->values[i] = memory + lanes_at(inputs) + (size_t)i * LANES_BYTES;
    int64_t *here = order, *there = (int64_t *)(memory + order_at(inputs));
    for (int64_t i = 0; i < elements; i++) order[i] = i % lines->n;
    bool ok = true;
    /* A level reads one order array and writes the other. */
    for (int64_t width = 1; width < lines->n && ok; width *= 2) {
        l->width = width;
        l->from = here;
        l->to = there;
        ok = merge_level(l, pointers);
        there = here;
        here = l->to;
    }
    if (here != order) memcpy(order, here, (size_t)elements * sizeof *order);
    return ok;
}
