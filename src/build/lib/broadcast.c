/* An array repeated to other sizes, also to multiples of its sizes: XLA's broadcast.h. */
#include "build/lib/matrices.h"

enum { MOST_DIMS = 64 };

typedef struct {
    int64_t sizes[2 * MOST_DIMS], places[MOST_DIMS]; /* from the last dimension to the first */
    size_t rank, operand;
} tiling;

/* A dimension of size I that becomes O is repeated as [O / I, I]. */
static bool add_dimension(tiling *t, int64_t from, int64_t to) {
    bool fits = (to == 0 && from == 0) || (from != 0 && to % from == 0);
    if (!fits) return false;
    t->places[t->operand++] = (int64_t)t->rank;
    t->sizes[t->rank++] = from == 1 || from == to ? to : from;
    if (from != 1 && from != to) t->sizes[t->rank++] = to / from;
    return true;
}

static bool tile(hlo_term x, hlo_int_list dims, tiling *t) {
    size_t rank = x->shape->rank;
    bool good = true;
    for (size_t i = 0; i < dims.count && good; i++) {
        int64_t to = dims.values[dims.count - 1 - i];
        if (i < rank) good = add_dimension(t, x->shape->dims[rank - 1 - i], to);
        else t->sizes[t->rank++] = to;
    }
    return good;
}

static void reverse(int64_t *list, size_t n) {
    for (size_t i = 0; i < n / 2; i++) {
        int64_t kept = list[i];
        list[i] = list[n - 1 - i];
        list[n - 1 - i] = kept;
    }
}

hlo_term hlo_lib_broadcast_to(hlo_builder *b, hlo_term input, hlo_int_list output_dims) {
    HLO_BUILDER_TAKES(b, input);
    if (!hlo_lib_has_rank(b, "BroadcastTo", input, 0)) return NULL;
    tiling t = {.rank = 0};
    size_t rank = input->shape->rank;
    if (output_dims.count > MOST_DIMS || rank > output_dims.count || !tile(input, output_dims, &t))
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "invalid shape broadcast from %s to %zu dimensions",
                                hlo_shape_name(&b->module->arena, input->shape), output_dims.count);
    bool same = rank == output_dims.count &&
                memcmp(input->shape->dims, output_dims.values, rank * sizeof(int64_t)) == 0;
    if (same) return input;
    for (size_t i = 0; i < t.operand; i++) t.places[i] = (int64_t)t.rank - 1 - t.places[i];
    reverse(t.places, t.operand);
    reverse(t.sizes, t.rank);
    hlo_term spread = hlo_builder_broadcast_in_dim(b, input, (hlo_int_list){t.rank, t.sizes},
                                                   (hlo_int_list){t.operand, t.places});
    return t.rank == output_dims.count ? spread
                                       : hlo_builder_reshape(b, spread, HLO_NO_DIMS, output_dims);
}
