/* Places of buffers in the memory of a frame: each takes the smallest gap that is large enough, or
 * more memory at the end. */
#include <stdlib.h>

#include "eval/program/plan.h"

static bool has_place(const hlo_plan_buffer *buffer) {
    return buffer->bytes && buffer->at != HLO_NOT_PLACED;
}

/* ---- one step after the other ---- */

/* What is free between buffers that serve, by place. */
typedef struct {
    uint64_t at, bytes;
} gap;

typedef struct {
    HLO_LIST(gap) gaps;
    uint64_t end;
} memory;

static void insert_gap(memory *m, uint32_t i, gap g) {
    HLO_ASSERT(i <= m->gaps.n && g.bytes > 0);
    hlo_list_push(&m->gaps, g);
    memmove(&m->gaps.v[i + 1], &m->gaps.v[i], (m->gaps.n - 1 - i) * sizeof g);
    m->gaps.v[i] = g;
}

static void remove_gap(memory *m, uint32_t i) {
    HLO_ASSERT(i < m->gaps.n);
    m->gaps.n--;
    memmove(&m->gaps.v[i], &m->gaps.v[i + 1], (m->gaps.n - i) * sizeof *m->gaps.v);
}

static uint64_t take_from(memory *m, uint32_t i, uint64_t bytes) {
    HLO_ASSERT(i < m->gaps.n && m->gaps.v[i].bytes >= bytes);
    gap *g = &m->gaps.v[i];
    uint64_t at = g->at;
    g->at += bytes;
    g->bytes -= bytes;
    if (!g->bytes) remove_gap(m, i);
    return at;
}

/* At the end, together with a gap that reaches it. */
static uint64_t take_at_end(memory *m, uint64_t bytes) {
    uint64_t at = m->end;
    if (m->gaps.n) {
        gap last = m->gaps.v[m->gaps.n - 1];
        if (last.at + last.bytes == m->end) {
            at = last.at;
            HLO_ASSERT(m->gaps.n > 0);
            m->gaps.n--;
        }
    }
    m->end = at + bytes;
    return at;
}

static uint64_t take_smallest_gap(memory *m, uint64_t bytes) {
    uint32_t best = m->gaps.n;
    for (uint32_t i = 0; i < m->gaps.n; i++)
        if (m->gaps.v[i].bytes >= bytes &&
            (best == m->gaps.n || m->gaps.v[i].bytes < m->gaps.v[best].bytes))
            best = i;
    return best < m->gaps.n ? take_from(m, best, bytes) : take_at_end(m, bytes);
}

/* The first gap after the place. */
static uint32_t gap_after(const memory *m, uint64_t at) {
    uint32_t low = 0, high = m->gaps.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->gaps.v[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Joined with the gaps on both sides. */
static void leave(memory *m, uint64_t at, uint64_t bytes) {
    HLO_ASSERT(at + bytes <= m->end);
    uint32_t i = gap_after(m, at);
    HLO_ASSERT(i == m->gaps.n || m->gaps.v[i].at >= at + bytes);
    HLO_ASSERT(!i || m->gaps.v[i - 1].at + m->gaps.v[i - 1].bytes <= at);
    if (i < m->gaps.n && m->gaps.v[i].at == at + bytes) {
        m->gaps.v[i].at = at;
        m->gaps.v[i].bytes += bytes;
    } else {
        insert_gap(m, i, (gap){at, bytes});
    }
    if (i == 0 || m->gaps.v[i - 1].at + m->gaps.v[i - 1].bytes != at) return;
    m->gaps.v[i - 1].bytes += m->gaps.v[i].bytes;
    remove_gap(m, i);
}

/* In the order of the steps, as an allocator would do. */
static uint64_t place_by_step(hlo_plan_buffer *buffers, uint32_t count, uint32_t steps) {
    memory m = {.end = 0};
    /* Lists of the buffers that serve to each step. */
    uint32_t *ending = hlo_malloc(((size_t)steps + count) * sizeof *ending), *next = ending + steps;
    for (uint32_t k = 0; k < steps; k++) ending[k] = HLO_NO_BUFFER;
    for (uint32_t b = 0, k = 0; k < steps; k++) {
        for (; b < count && buffers[b].first == k; b++) {
            hlo_plan_buffer *buffer = &buffers[b];
            if (!has_place(buffer)) continue;
            HLO_ASSERT(buffer->last >= k && buffer->last < steps);
            buffer->at = take_smallest_gap(&m, buffer->bytes);
            next[b] = ending[buffer->last];
            ending[buffer->last] = b;
        }
        for (uint32_t e = ending[k]; e != HLO_NO_BUFFER; e = next[e])
            leave(&m, buffers[e].at, buffers[e].bytes);
    }
    hlo_free(ending);
    hlo_list_free(&m.gaps);
    return m.end;
}

/* ---- the largest first ---- */

typedef struct {
    uint64_t at, bytes;
    uint32_t first, last, buffer;
} placed;

static int by_size(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->buffer < y->buffer ? -1 : 1;
}

/* The smallest gap between the `count` buffers before it in which it does not meet those that serve
 * at the same time; they stand by place. */
static uint64_t find_place(const placed *all, uint32_t count, const placed *it) {
    uint64_t end = 0, at = UINT64_MAX, smallest = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const placed *other = &all[i];
        if (other->last < it->first || it->last < other->first) continue;
        if (other->at >= end + it->bytes && other->at - end < smallest) {
            smallest = other->at - end;
            at = end;
        }
        if (other->at + other->bytes > end) end = other->at + other->bytes;
    }
    return at == UINT64_MAX ? end : at;
}

/* Moves the last one to its place among those before it. */
static void sort_in(placed *all, uint32_t last) {
    placed it = all[last];
    uint32_t i = last;
    for (; i > 0 && all[i - 1].at > it.at; i--) all[i] = all[i - 1];
    all[i] = it;
}

/* Leaves the buffers as they are unless fewer than `most` bytes are enough. */
static uint64_t place_by_size(hlo_plan_buffer *buffers, uint32_t count, uint64_t most) {
    placed *all = hlo_malloc(((size_t)count + 1) * sizeof *all);
    uint32_t n = 0;
    for (uint32_t b = 0; b < count; b++)
        if (has_place(&buffers[b]))
            all[n++] = (placed){0, buffers[b].bytes, buffers[b].first, buffers[b].last, b};
    qsort(all, n, sizeof *all, by_size);
    uint64_t end = 0;
    for (uint32_t i = 0; i < n && end < most; i++) {
        all[i].at = find_place(all, i, &all[i]);
        if (all[i].at + all[i].bytes > end) end = all[i].at + all[i].bytes;
        sort_in(all, i);
    }
    for (uint32_t i = 0; i < n && end < most; i++) buffers[all[i].buffer].at = all[i].at;
    hlo_free(all);
    return end < most ? end : most;
}

/* The second way looks at all pairs: it is tried where that takes less than 0.1 ms, or about as
 * long as writing the memory once. */
uint64_t hlo_place_buffers(hlo_plan_buffer *buffers, uint32_t count, uint32_t steps,
                           uint64_t least) {
    uint64_t bytes = place_by_step(buffers, count, steps), pairs = (uint64_t)count * count / 2;
    bool is_good = bytes <= least + least / 100, is_fast = pairs <= 1 << 16 || pairs <= bytes / 16;
    return is_good || !is_fast ? bytes : place_by_size(buffers, count, bytes);
}
