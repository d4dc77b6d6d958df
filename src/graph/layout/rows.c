/* The rows of one cluster: a row number from the longest path, bends where edges cross rows.
 * Positions in a row are found by barycenter.c. */
#include "graph/layout/barycenter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
    BETWEEN_ROWS = 34,        /* points */
    LEAST_WIDTH_LIMIT = 2400, /* rows may always be so wide */
    LONGEST_BENT = 64,        /* rows: longer edges are drawn straight */
    FREE_BENDS = 1 << 15,     /* so many may there be, and so many more for each box: */
    BENDS_OF_BOX = 16,
    BEND_WIDTH = 2,
};

/* ---- adjacency ---- */

static void link_boxes(hlo_dot_placing *p) {
    uint32_t n = p->count;
    p->above_first = hlo_calloc(n + 2, sizeof(uint32_t));
    p->below_first = hlo_calloc(n + 2, sizeof(uint32_t));
    p->above = hlo_calloc(p->link_count + 1, sizeof(uint32_t));
    p->below = hlo_calloc(p->link_count + 1, sizeof(uint32_t));
    p->above_x = hlo_calloc(p->link_count + 1, sizeof(double));
    p->below_x = hlo_calloc(p->link_count + 1, sizeof(double));
    for (uint32_t e = 0; e < p->link_count; e++) {
        p->below_first[p->links[e].from + 2]++;
        p->above_first[p->links[e].to + 2]++;
    }
    for (uint32_t i = 1; i <= n; i++) {
        p->below_first[i + 1] += p->below_first[i];
        p->above_first[i + 1] += p->above_first[i];
    }
    /* Entry i + 1 is where box i writes next, and so becomes where box i + 1 begins. */
    for (uint32_t e = 0; e < p->link_count; e++) {
        const hlo_row_edge *link = &p->links[e];
        uint32_t down = p->below_first[link->from + 1]++, up = p->above_first[link->to + 1]++;
        p->below[down] = link->to;
        p->above[up] = link->from;
        p->below_x[down] = link->to_x - link->from_x;
        p->above_x[up] = link->from_x - link->to_x;
    }
}

static void unlink_boxes(hlo_dot_placing *p) {
    hlo_free(p->above_first);
    hlo_free(p->above);
    hlo_free(p->above_x);
    hlo_free(p->below_x);
    hlo_free(p->below_first);
    hlo_free(p->below);
}

/* ---- row numbers ---- */

/* Boxes whose operands are all numbered come next; each row is one below the lowest operand's. */
static void number_rows(hlo_dot_placing *p) {
    uint32_t n = p->count, done = 0;
    uint32_t *waiting = hlo_calloc(n + 1, sizeof *waiting);
    for (uint32_t i = 0; i < n; i++) {
        waiting[i] = p->above_first[i + 1] - p->above_first[i];
        if (!waiting[i]) p->order[done++] = i;
    }
    for (uint32_t at = 0; at < done; at++) {
        uint32_t i = p->order[at];
        for (uint32_t k = p->below_first[i]; k < p->below_first[i + 1]; k++) {
            uint32_t user = p->below[k];
            if (p->row[user] <= p->row[i]) p->row[user] = p->row[i] + 1;
            if (--waiting[user] == 0) p->order[done++] = user;
        }
    }
    for (uint32_t i = 0; i < n; i++) /* what is on a cycle */
        if (waiting[i]) p->order[done++] = i;
    hlo_free(waiting);
}

/* In the row of the lowest of the others. */
static void move_to_bottom(hlo_dot_placing *p) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->boxes[i].at_bottom && p->row[i] > last) last = p->row[i];
    for (uint32_t i = 0; i < p->count; i++)
        if (p->boxes[i].at_bottom) p->row[i] = last;
}

/* Operands that stay when a box moves down: others need them, too. */
static uint32_t shared_operands(const hlo_dot_placing *p, uint32_t box) {
    uint32_t shared = 0;
    for (uint32_t k = p->above_first[box]; k < p->above_first[box + 1]; k++) {
        uint32_t operand = p->above[k];
        shared += p->below_first[operand + 1] - p->below_first[operand] > 1;
    }
    return shared;
}

/* What has no fewer users than operands that stay moves down to them, and the others follow: edges
 * get shorter, rows narrower. */
static void sink(hlo_dot_placing *p) {
    for (uint32_t at = p->count; at-- > 0;) {
        uint32_t i = p->order[at], least = UINT32_MAX;
        uint32_t users = p->below_first[i + 1] - p->below_first[i];
        if (p->boxes[i].at_top) continue;
        if (!users || users < shared_operands(p, i)) continue;
        for (uint32_t k = p->below_first[i]; k < p->below_first[i + 1]; k++)
            if (p->row[p->below[k]] < least) least = p->row[p->below[k]];
        if (least > p->row[i] + 1) p->row[i] = least - 1;
    }
}

/* Rows too wide become several: nothing in a row depends on anything else in it. */
static void split_wide_rows(hlo_dot_placing *p) {
    uint32_t n = p->count, rows = 0;
    double area = 0;
    for (uint32_t i = 0; i < n; i++) {
        area += (p->boxes[i].w + HLO_DOT_BETWEEN_BOXES) * (p->boxes[i].h + BETWEEN_ROWS);
        if (p->row[i] + 1 > rows) rows = p->row[i] + 1;
    }
    double limit = fmax(LEAST_WIDTH_LIMIT, sqrt(area) * 1.5);
    double *width = hlo_calloc(rows + 1, sizeof *width);
    uint32_t *pieces = hlo_calloc(rows + 1, sizeof *pieces); /* of a row so far, then before it */
    uint32_t *piece = hlo_calloc(n + 1, sizeof *piece);
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = p->order[at], r = p->row[i];
        double w = p->boxes[i].w + HLO_DOT_BETWEEN_BOXES;
        if (width[r] > 0 && width[r] + w > limit) {
            width[r] = 0;
            pieces[r]++;
        }
        width[r] += w;
        piece[i] = pieces[r];
    }
    uint32_t before = 0;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t more = pieces[r];
        pieces[r] = before;
        before += more;
    }
    for (uint32_t i = 0; i < n; i++) p->row[i] += pieces[p->row[i]] + piece[i];
    p->row_count = rows + before;
    hlo_free(width);
    hlo_free(pieces);
    hlo_free(piece);
}

/* ---- bends ---- */

static uint32_t rows_crossed(const hlo_dot_placing *p, const hlo_row_edge *edge) {
    uint32_t from = p->row[edge->from], to = p->row[edge->to];
    return to > from ? to - from - 1 : 0;
}

/* Wide tuples make edges in the square of what a drawing shows: where bends would be many more than
 * boxes, those of the longest edges are left out. Returns the most rows that an edge with bends
 * crosses. */
static uint32_t longest_bent(const hlo_dot_placing *p) {
    uint64_t edges[LONGEST_BENT + 1] = {0}, bends = 0;
    uint64_t most = FREE_BENDS + BENDS_OF_BOX * (uint64_t)p->count;
    for (uint32_t e = 0; e < p->link_count; e++) {
        uint32_t crossed = rows_crossed(p, &p->links[e]);
        if (crossed <= LONGEST_BENT) edges[crossed]++;
    }
    uint32_t longest = 0;
    while (longest < LONGEST_BENT && (bends += (longest + 1) * edges[longest + 1]) <= most)
        longest++;
    return longest;
}

/* An edge across rows becomes a chain of links through a narrow box in each. */
static void bend_edges(hlo_dot_placing *p) {
    uint32_t n = p->count, bends = 0, longest = longest_bent(p);
    for (uint32_t e = 0; e < p->link_count; e++) {
        uint32_t crossed = rows_crossed(p, &p->links[e]);
        p->rows->edges[e].bend_count = crossed <= longest ? crossed : 0;
        bends += p->rows->edges[e].bend_count;
    }
    p->boxes = hlo_realloc(p->boxes, (n + bends + 1) * sizeof *p->boxes);
    p->row = hlo_realloc(p->row, (n + bends + 1) * sizeof *p->row);
    hlo_row_edge *links = hlo_calloc(p->link_count + bends + 1, sizeof *links);
    uint32_t count = 0;
    for (uint32_t e = 0; e < p->link_count; e++) {
        hlo_row_edge *edge = &p->rows->edges[e];
        uint32_t at = edge->from;
        double x = edge->from_x;
        edge->first_bend = p->count - n;
        for (uint32_t k = 0; k < edge->bend_count; k++) {
            p->boxes[p->count] = (hlo_row_box){.w = BEND_WIDTH};
            p->row[p->count] = p->row[at] + 1;
            links[count++] = (hlo_row_edge){.from = at, .to = p->count, .from_x = x};
            at = p->count++;
            x = 0;
        }
        links[count++] =
            (hlo_row_edge){.from = at, .to = edge->to, .from_x = x, .to_x = edge->to_x};
    }
    hlo_free(p->links);
    p->links = links;
    p->link_count = count;
}

/* ---- the whole ---- */

static void fill_rows(hlo_dot_placing *p) {
    uint32_t n = p->count;
    p->members = hlo_calloc(n + 1, sizeof *p->members);
    p->row_first = hlo_calloc(p->row_count + 2, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) p->row_first[p->row[i] + 2]++;
    for (uint32_t r = 1; r <= p->row_count; r++) p->row_first[r + 1] += p->row_first[r];
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = at < p->rows->count ? p->order[at] : at;
        p->members[p->row_first[p->row[i] + 1]++] = i;
    }
}

/* Boxes of a row stand on one line; bends run through the whole row. */
static void place_down(hlo_dot_placing *p) {
    double y = 0;
    for (uint32_t r = 0; r < p->row_count; r++) {
        double height = 0;
        if (p->row_first[r] == p->row_first[r + 1]) continue;
        if (y > 0) y += BETWEEN_ROWS;
        for (uint32_t k = p->row_first[r]; k < p->row_first[r + 1]; k++)
            height = fmax(height, p->boxes[p->members[k]].h);
        for (uint32_t k = p->row_first[r]; k < p->row_first[r + 1]; k++) {
            hlo_row_box *box = &p->boxes[p->members[k]];
            if (p->members[k] >= p->rows->count || box->at_top || box->at_bottom) box->h = height;
            box->y = y + height - box->h / 2;
            box->top = y;
        }
        y += height;
    }
    p->rows->height = y;
}

static void give_back(hlo_dot_placing *p) {
    uint32_t n = p->rows->count;
    if (n) memcpy(p->rows->boxes, p->boxes, n * sizeof *p->boxes);
    p->rows->bends = hlo_calloc(p->count - n + 1, sizeof *p->rows->bends);
    for (uint32_t i = n; i < p->count; i++) {
        const hlo_row_box *box = &p->boxes[i];
        p->rows->bends[i - n] = (hlo_row_bend){box->x, box->y - box->h / 2, box->y + box->h / 2};
    }
}

void hlo_dot_place_rows(hlo_rows *rows) {
    hlo_dot_placing p = {.rows = rows, .count = rows->count, .link_count = rows->edge_count};
    p.boxes = hlo_calloc(rows->count + 1, sizeof *p.boxes);
    p.links = hlo_calloc(rows->edge_count + 1, sizeof *p.links);
    if (rows->count) memcpy(p.boxes, rows->boxes, rows->count * sizeof *p.boxes);
    if (rows->edge_count) memcpy(p.links, rows->edges, rows->edge_count * sizeof *p.links);
    p.row = hlo_calloc(rows->count + 1, sizeof *p.row);
    p.order = hlo_calloc(rows->count + 1, sizeof *p.order);
    link_boxes(&p);
    number_rows(&p);
    move_to_bottom(&p);
    sink(&p);
    split_wide_rows(&p);
    unlink_boxes(&p);
    bend_edges(&p);
    link_boxes(&p);
    fill_rows(&p);
    hlo_dot_place_across(&p);
    place_down(&p);
    give_back(&p);
    unlink_boxes(&p);
    hlo_free(p.boxes);
    hlo_free(p.links);
    hlo_free(p.row);
    hlo_free(p.order);
    hlo_free(p.members);
    hlo_free(p.row_first);
}
