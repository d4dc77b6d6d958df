/* Positions in the rows of one cluster: the means of the adjacent boxes' positions, weighted so
 * that long paths are straight, in the width of the widest row. */
#include "graph/layout/barycenter.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

enum {
    BETWEEN_BOXES = HLO_DOT_BETWEEN_BOXES,
    SWEEPS = 12,
};

/* The width of a drawing by that of its widest row: a little more makes edges straighter. */
#define SLACK 1.1

/* ---- how straight an edge shall be ---- */

/* The longest paths that end in each box, by its neighbours further on; the boxes in order, or with
 * `backwards` from the last one. A bend is on the paths of its edge. */
static void measure_side(const hlo_dot_placing *p, const uint32_t *first, const uint32_t *near,
                         bool backwards, uint32_t *paths) {
    uint32_t n = p->rows->count;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = p->order[backwards ? n - 1 - at : at];
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            uint32_t to = near[k];
            while (to >= n) {
                paths[to] = paths[i];
                to = near[first[to]];
            }
            if (paths[to] <= paths[i]) paths[to] = paths[i] + 1;
        }
    }
}

static void measure_paths(hlo_dot_placing *p) {
    p->before = hlo_calloc(p->count + 1, sizeof *p->before);
    p->after = hlo_calloc(p->count + 1, sizeof *p->after);
    measure_side(p, p->below_first, p->below, false, p->before);
    measure_side(p, p->above_first, p->above, true, p->after);
}

/* An edge of long paths shall be straight, rather than one that brings a weight or bias: otherwise
 * each of those draws the path to its side, and a deep graph becomes a diagonal. */
static double weight_of(const hlo_dot_placing *p, uint32_t from, uint32_t to) {
    return (1.0 + p->before[from]) * (1.0 + p->after[to]);
}

/* ---- places in a row ---- */

static double gap_after(const hlo_dot_placing *p, uint32_t box) {
    return box < p->rows->count ? BETWEEN_BOXES : BETWEEN_BOXES / 2;
}

static double width_of_row(const hlo_dot_placing *p, uint32_t row) {
    HLO_ASSERT(row < p->row_count);
    double width = 0, gap = 0;
    for (uint32_t k = p->row_first[row]; k < p->row_first[row + 1]; k++) {
        width += gap + p->boxes[p->members[k]].w;
        gap = gap_after(p, p->members[k]);
    }
    return width;
}

/* Boxes that wished to stand in the same place, and now stand side by side. */
typedef struct {
    uint32_t first;   /* place in the row */
    double sum, left; /* of weighted wishes for the left edge of the first; where it is */
    double weight;
    uint32_t n;
} block;

/* The places nearest to the wishes in the sense of least squares that keep order and distance:
 * pools of adjacent violators (isotonic regression). */
static void settle_row(hlo_dot_placing *p, uint32_t row, block *blocks, double *offset) {
    HLO_ASSERT(row < p->row_count);
    const uint32_t *v = p->members + p->row_first[row];
    uint32_t n = p->row_first[row + 1] - p->row_first[row], top = 0;
    double at = 0, gap = 0;
    for (uint32_t i = 0; i < n; i++) {
        double w = p->boxes[v[i]].w;
        offset[i] = at + w / 2; /* of its centre, were all boxes pushed to the left */
        gap = gap_after(p, v[i]);
        at += w + gap;
        double wish = p->wish[v[i]] - offset[i];
        double weight = p->weight[v[i]];
        blocks[top++] = (block){i, wish * weight, wish, weight, 1};
        while (top > 1 && blocks[top - 1].left < blocks[top - 2].left) {
            blocks[top - 2].sum += blocks[top - 1].sum;
            blocks[top - 2].n += blocks[top - 1].n;
            blocks[top - 2].weight += blocks[top - 1].weight;
            blocks[top - 2].left = blocks[top - 2].sum / blocks[top - 2].weight;
            top--;
        }
    }
    for (uint32_t b = 0; b < top; b++) {
        double left = fmax(-p->limit, fmin(blocks[b].left, p->limit - (at - gap)));
        for (uint32_t i = blocks[b].first; i < blocks[b].first + blocks[b].n; i++)
            p->boxes[v[i]].x = left + offset[i];
    }
}

typedef struct {
    double sum, weight;
} mean;

static mean mean_of(const hlo_dot_placing *p, uint32_t i, bool above) {
    mean m = {0};
    const uint32_t *first = above ? p->above_first : p->below_first;
    for (uint32_t k = first[i]; k < first[i + 1]; k++) {
        uint32_t near = above ? p->above[k] : p->below[k];
        double weight = above ? weight_of(p, near, i) : weight_of(p, i, near);
        double straight = above ? p->above_x[k] : p->below_x[k];
        m.sum += weight * (p->boxes[near].x + straight);
        m.weight += weight;
    }
    return m;
}

typedef struct {
    double wish;
    uint32_t box, place;
} wisher;

static int by_wish(const void *a, const void *b) {
    const wisher *x = a, *y = b;
    if (x->wish != y->wish) return x->wish < y->wish ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void order_row(hlo_dot_placing *p, uint32_t row, wisher *wishers) {
    HLO_ASSERT(row < p->row_count);
    uint32_t *v = p->members + p->row_first[row];
    uint32_t n = p->row_first[row + 1] - p->row_first[row];
    for (uint32_t i = 0; i < n; i++) wishers[i] = (wisher){p->wish[v[i]], v[i], i};
    qsort(wishers, n, sizeof *wishers, by_wish);
    for (uint32_t i = 0; i < n; i++) v[i] = wishers[i].box;
}

/* Down by what lies above, up by what lies below; at last by both, without changing the order. */
static void sweep(hlo_dot_placing *p, int number, wisher *wishers, block *blocks, double *offset) {
    bool last = number >= SWEEPS - 2;
    for (uint32_t step = 0; step < p->row_count; step++) {
        uint32_t row = number % 2 ? p->row_count - 1 - step : step;
        for (uint32_t k = p->row_first[row]; k < p->row_first[row + 1]; k++) {
            uint32_t i = p->members[k];
            mean above = mean_of(p, i, true), below = mean_of(p, i, false);
            mean m = number % 2 ? below : above;
            if (last || m.weight == 0)
                m = (mean){above.sum + below.sum, above.weight + below.weight};
            p->wish[i] = m.weight != 0 ? m.sum / m.weight : p->boxes[i].x;
            p->weight[i] = m.weight != 0 ? m.weight : 1;
        }
        if (number && !last) order_row(p, row, wishers);
        settle_row(p, row, blocks, offset);
    }
}

static void find_limit(hlo_dot_placing *p) {
    for (uint32_t r = 0; r < p->row_count; r++)
        p->limit = fmax(p->limit, width_of_row(p, r) / 2 + BETWEEN_BOXES);
    p->limit *= SLACK;
}

static void sweep_all(hlo_dot_placing *p) {
    wisher *wishers = hlo_calloc(p->count + 1, sizeof *wishers);
    block *blocks = hlo_calloc(p->count + 1, sizeof *blocks);
    double *offset = hlo_calloc(p->count + 1, sizeof *offset);
    for (int i = 0; i < SWEEPS; i++) sweep(p, i, wishers, blocks, offset);
    hlo_free(wishers);
    hlo_free(blocks);
    hlo_free(offset);
}

static void start_at_zero(hlo_dot_placing *p) {
    double left = INFINITY, right = -INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        left = fmin(left, p->boxes[i].x - p->boxes[i].w / 2);
        right = fmax(right, p->boxes[i].x + p->boxes[i].w / 2);
    }
    for (uint32_t i = 0; i < p->count; i++) p->boxes[i].x -= left;
    p->rows->width = p->count ? right - left : 0;
}

void hlo_dot_place_across(hlo_dot_placing *p) {
    p->wish = hlo_calloc(p->count + 1, sizeof *p->wish);
    p->weight = hlo_calloc(p->count + 1, sizeof *p->weight);
    measure_paths(p);
    find_limit(p);
    sweep_all(p);
    start_at_zero(p);
    hlo_free(p->wish);
    hlo_free(p->weight);
    hlo_free(p->before);
    hlo_free(p->after);
}
