/* The grid of the spots that are taken: see spots.h. */
#include "graph/layout/spots.h"

#include <math.h>

enum { CELL_WIDTH = 64, CELL_HEIGHT = 16 }; /* points: about the size of a label */

typedef struct {
    int64_t left, top, right, bottom; /* the last ones included */
} cells;

static cells cells_of(const hlo_dot_spot *spot) {
    return (cells){(int64_t)floor(spot->x0 / CELL_WIDTH), (int64_t)floor(spot->y0 / CELL_HEIGHT),
                   (int64_t)floor(spot->x1 / CELL_WIDTH), (int64_t)floor(spot->y1 / CELL_HEIGHT)};
}

static uint64_t hash_of(int64_t column, int64_t row) {
    return hlo_hash_mix((uint64_t)column, (uint64_t)row);
}

static bool lie_on_each_other(const hlo_dot_spot *a, const hlo_dot_spot *b) {
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static bool is_free(const hlo_dot_spots *spots, const hlo_dot_spot *spot, const cells *in) {
    for (int64_t row = in->top; row <= in->bottom; row++)
        for (int64_t column = in->left; column <= in->right; column++)
            hlo_hash_each (number, &spots->cells, hash_of(column, row))
                if (lie_on_each_other(&spots->taken.v[number - 1], spot)) return false;
    return true;
}

bool hlo_dot_take_spot(hlo_dot_spots *spots, const hlo_dot_spot *spot) {
    HLO_ASSERT(spot->x0 <= spot->x1 && spot->y0 <= spot->y1);
    cells in = cells_of(spot);
    if (!is_free(spots, spot, &in)) return false;
    hlo_list_push(&spots->taken, *spot);
    for (int64_t row = in.top; row <= in.bottom; row++)
        for (int64_t column = in.left; column <= in.right; column++)
            hlo_hash_add(&spots->cells, hash_of(column, row), spots->taken.n);
    return true;
}

void hlo_dot_spots_free(hlo_dot_spots *spots) {
    hlo_list_free(&spots->taken);
    hlo_hash_free(&spots->cells);
}
