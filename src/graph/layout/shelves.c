/* Places of top-level clusters: from left to right on shelves, so that the drawing is about square;
 * on a shelf, low ones stand in columns beside a high one. */
#include "graph/layout/shelves.h"

#include <math.h>

typedef struct {
    hlo_dot_graph *g;
    uint32_t *top; /* numbers of the clusters that hold no other */
    uint32_t count;
    double y; /* where the next shelf begins */
} shelves;

static hlo_dot_cluster *cluster_at(const shelves *s, uint32_t i) {
    return &s->g->clusters[s->top[i]];
}

static double width_limit(const shelves *s) {
    double area = 0, widest = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const hlo_dot_cluster *c = cluster_at(s, i);
        area += (c->x1 + HLO_DOT_SHELF) * (c->y1 + HLO_DOT_SHELF);
        widest = fmax(widest, c->x1);
    }
    return fmax(widest, sqrt(area) * 1.2);
}

/* How many from `first` on stand on its shelf. The legend stands below everything. */
static uint32_t count_on_shelf(const shelves *s, uint32_t first, double limit) {
    double x = 0;
    uint32_t end = first;
    for (; end < s->count; end++) {
        const hlo_dot_cluster *c = cluster_at(s, end);
        if (end > first && (!c->computation || x + c->x1 > limit)) break;
        x += c->x1 + HLO_DOT_SHELF;
    }
    return end - first;
}

static void place_at(shelves *s, hlo_dot_cluster *c, double x, double y) {
    c->x0 = x;
    c->x1 += x;
    c->y0 = y;
    c->y1 += y;
    s->g->width = fmax(s->g->width, c->x1);
    s->g->height = fmax(s->g->height, c->y1);
}

static void fill_shelf(shelves *s, uint32_t first, uint32_t count) {
    double height = 0, x = 0, y = 0, width = 0; /* from y on the column is free */
    for (uint32_t i = first; i < first + count; i++) height = fmax(height, cluster_at(s, i)->y1);
    for (uint32_t i = first; i < first + count; i++) {
        hlo_dot_cluster *c = cluster_at(s, i);
        double w = c->x1, h = c->y1;
        if (y > 0 && y + h > height) {
            x += width + HLO_DOT_SHELF;
            y = width = 0;
        }
        place_at(s, c, x, s->y + y);
        y += h + HLO_DOT_SHELF;
        width = fmax(width, w);
    }
    s->y += height + HLO_DOT_SHELF;
}

void hlo_dot_fill_shelves(hlo_dot_graph *g, const uint32_t *order) {
    shelves s = {.g = g};
    s.top = hlo_calloc(s.g->cluster_count + 1u, sizeof *s.top);
    for (uint32_t i = 0; i < s.g->cluster_count; i++)
        if (s.g->clusters[order[i]].holder == HLO_DOT_NONE) s.top[s.count++] = order[i];
    double limit = width_limit(&s);
    for (uint32_t first = 0, count; first < s.count; first += count) {
        count = count_on_shelf(&s, first, limit);
        fill_shelf(&s, first, count);
    }
    hlo_free(s.top);
}
