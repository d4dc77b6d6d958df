/* An edit that makes dimensions smaller, all that can be divided or those of one size, and keeps
 * the instructions. */
#include <stdio.h>

#include "reduce/edit.h"

static const char *const divisions[] = {
    "shrink-dims{factor=64,least=64}", "shrink-dims{factor=8,least=8}",
    "shrink-dims{factor=3,least=3}", "shrink-dims{factor=2,least=2}"};

enum { DIVISIONS = sizeof divisions / sizeof *divisions, MOST_SIZES = 32 };

typedef struct {
    int64_t v[MOST_SIZES]; /* each once */
    uint32_t n;
} sizes;

static void add_sizes(sizes *all, const hlo_shape *shape) {
    for (uint32_t d = 0; hlo_shape_is_array(shape) && d < shape->rank; d++) {
        bool is_new = shape->dims[d] > 1 && all->n < MOST_SIZES;
        for (uint32_t i = 0; i < all->n; i++) is_new &= all->v[i] != shape->dims[d];
        if (is_new) all->v[all->n++] = shape->dims[d];
    }
}

static sizes sizes_of(const hlo_module *module) {
    sizes all = {.n = 0};
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; k < hlo_shape_leaf_count(i->shape); k++)
                add_sizes(&all, hlo_shape_leaf(i->shape, k));
    return all;
}

uint32_t hlo_count_sizes(const hlo_module *module) {
    return DIVISIONS + sizes_of(module).n;
}

bool hlo_edit_shrink_dims(hlo_module *module, uint32_t at, uint32_t size) {
    char one[96];
    bool changed = false;
    const char *text = one;
    (void)size;
    if (at < DIVISIONS) {
        text = divisions[at];
    } else {
        sizes all = sizes_of(module);
        HLO_ASSERT(at - DIVISIONS < all.n);
        long long of = (long long)all.v[at - DIVISIONS];
        snprintf(one, sizeof one, "shrink-dims{factor=%lld,least=2,sizes=%lld}", of, of);
    }
    return hlo_edit_run(module, text, &changed) && changed;
}
