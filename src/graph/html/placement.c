/* The layout of a computation, by rows, as numbers: see placement.h. */
#include "graph/html/placement.h"

#include <math.h>
#include <stdlib.h>

#include "graph/html/json.h"
#include "graph/layout/rows.h"

enum { NO_BOX = UINT32_MAX };

typedef struct {
    const hlo_page_model *m;
    const hlo_computation *c;
    uint32_t computation;           /* its number */
    uint32_t first;                 /* number of its first instruction */
    uint32_t *box_of;               /* by place in the computation, lone instructions after it */
    HLO_LIST(const hlo_instr *) of; /* by box */
    HLO_LIST(hlo_row_box) boxes;
    HLO_LIST(hlo_row_edge) edges;
    hlo_rows rows;
    double *ends; /* the different lower ends of boxes: those of rows, upwards sorted */
    uint32_t row_count;
} placement;

static uint32_t place_in_computation(const placement *p, const hlo_instr *instr) {
    uint32_t place = instr->index - p->first;
    if (place < p->c->instr_count) return place;
    uint32_t lone = instr->index - p->m->first_instr[p->m->computation_count];
    return p->c->instr_count + lone - p->m->lone_first[p->computation];
}

static void add_box(placement *p, const hlo_instr *instr, const hlo_page_size *sizes) {
    uint32_t place = place_in_computation(p, instr);
    const hlo_page_size *size = &sizes[instr->index];
    p->box_of[place] = NO_BOX;
    if (!hlo_page_has_node(p->m, instr)) return;
    p->box_of[place] = p->boxes.n;
    hlo_list_push(&p->boxes, (hlo_row_box){.w = size->w, .h = size->h});
    hlo_list_push(&p->of, instr);
}

static void add_boxes(placement *p, const hlo_page_size *sizes) {
    for (const hlo_instr *i = p->c->first; i; i = i->next) add_box(p, i, sizes);
    for (uint32_t k = 0; k < p->m->lone_count[p->computation]; k++)
        add_box(p, hlo_page_lone(p->m, p->computation, k), sizes);
}

static void add_edge(placement *p, const hlo_instr *from, uint32_t to) {
    hlo_list_push(&p->edges,
                  (hlo_row_edge){.from = p->box_of[place_in_computation(p, from)], .to = to});
}

static void add_edges(placement *p, uint32_t to) {
    HLO_ASSERT(to < p->of.n);
    const hlo_instr *user = p->of.v[to];
    for (uint32_t i = 0; i < user->operand_count; i++)
        if (!hlo_page_is_inlined(p->m, hlo_page_operand(p->m, user, i)))
            add_edge(p, hlo_page_source(p->m, hlo_page_operand(p->m, user, i)), to);
    const hlo_attr *control = hlo_page_control(p->m, user);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
        add_edge(p, control->u.instructions->v[k], to);
    uint32_t n;
    const hlo_instr **lone = hlo_page_lone_before(p->m, user, &n);
    for (uint32_t k = 0; k < n; k++)
        if (!hlo_page_is_inlined(p->m, lone[k])) add_edge(p, lone[k], to);
}

/* ---- rows ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Boxes of a row end on one line. */
static void find_rows(placement *p) {
    p->ends = hlo_calloc(p->boxes.n + 1u, sizeof *p->ends);
    for (uint32_t i = 0; i < p->boxes.n; i++)
        p->ends[i] = round(p->boxes.v[i].y + p->boxes.v[i].h / 2);
    qsort(p->ends, p->boxes.n, sizeof *p->ends, by_value);
    for (uint32_t i = 0; i < p->boxes.n; i++)
        if (!i || p->ends[i] != p->ends[p->row_count - 1]) p->ends[p->row_count++] = p->ends[i];
}

/* NO_BOX: only edges cross there, and no box stands in the row. */
static uint32_t row_ending(const placement *p, double y) {
    double end = round(y);
    const double *found = bsearch(&end, p->ends, p->row_count, sizeof end, by_value);
    return found ? (uint32_t)(found - p->ends) : NO_BOX;
}

/* ---- numbers ---- */

static void put_number(hlo_buf *out, double number) {
    hlo_page_separate(out);
    hlo_buf_int(out, (int64_t)lround(number));
}

static void put_boxes(hlo_buf *out, const placement *p) {
    hlo_buf_lit(out, ",\"boxes\":[");
    for (uint32_t i = 0; i < p->boxes.n; i++) {
        const hlo_row_box *box = &p->boxes.v[i];
        put_number(out, p->of.v[i]->index - p->first);
        put_number(out, box->x);
        put_number(out, row_ending(p, box->y + box->h / 2));
        put_number(out, box->w);
        put_number(out, box->h);
    }
    hlo_buf_char(out, ']');
}

static void put_bends(hlo_buf *out, const placement *p) {
    hlo_buf_lit(out, ",\"bends\":[");
    for (uint32_t e = 0; e < p->edges.n; e++) {
        const hlo_row_edge *edge = &p->edges.v[e];
        const hlo_row_bend *bends = p->rows.bends + edge->first_bend;
        uint32_t count = 0;
        for (uint32_t k = 0; k < edge->bend_count; k++)
            count += row_ending(p, bends[k].bottom) != NO_BOX;
        put_number(out, count);
        for (uint32_t k = 0; k < edge->bend_count; k++)
            if (row_ending(p, bends[k].bottom) != NO_BOX) put_number(out, bends[k].x);
    }
    hlo_buf_char(out, ']');
}

void hlo_page_put_placement(hlo_buf *out, const hlo_page_model *m, uint32_t computation,
                            const hlo_page_size *sizes) {
    placement p = {.m = m,
                   .c = m->called[computation],
                   .computation = computation,
                   .first = m->first_instr[computation]};
    p.box_of = hlo_calloc(p.c->instr_count + m->lone_count[computation] + 1u, sizeof *p.box_of);
    add_boxes(&p, sizes);
    for (uint32_t i = 0; i < p.boxes.n; i++) add_edges(&p, i);
    p.rows = (hlo_rows){
        .boxes = p.boxes.v, .count = p.boxes.n, .edges = p.edges.v, .edge_count = p.edges.n};
    hlo_dot_place_rows(&p.rows);
    find_rows(&p);
    put_boxes(out, &p);
    put_bends(out, &p);
    hlo_free(p.rows.bends);
    hlo_free(p.ends);
    hlo_free(p.box_of);
    hlo_list_free(&p.of);
    hlo_list_free(&p.boxes);
    hlo_list_free(&p.edges);
}
