/* From operations that take indices back to the parameters that hold them: see index_bounds.h. Each
 * array is visited once, since the smallest bounds come first. */
#include "analysis/index_bounds.h"

#include <stdlib.h>

#include "base/list.h"

/* The leaf-th array of an instruction's result, whose elements are to be 0 to `most`. */
typedef struct {
    const hlo_instr *instr;
    uint32_t leaf;
    int64_t most;
} bound;

typedef HLO_LIST(bound) bounds;

typedef struct {
    const hlo_module *module;
    int64_t *most; /* of the parameters' leaves */
    bounds found;  /* at the operations that take indices */
    bounds worklist;
    uint32_t *first_caller; /* by computation id; one entry more than there are ids */
    const hlo_instr **callers;
    bounds seen; /* what was visited */
    hlo_hash seen_by_hash;
} walk;

/* ---- leaves ---- */

static uint32_t leaf_count(const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return 1;
    uint32_t count = 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        count += leaf_count(shape->elements[i]);
    return count;
}

/* Leaves before element `index` of a tuple. */
static uint32_t leaves_before(const hlo_shape *tuple, uint32_t index) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple) && index <= tuple->rank);
    uint32_t count = 0;
    for (uint32_t i = 0; i < index; i++) count += leaf_count(tuple->elements[i]);
    return count;
}

/* ---- what was visited ---- */

/* False the second time. */
static bool enter_bound(walk *w, const bound *b) {
    uint64_t hash = hlo_hash_pointer(b->instr, b->leaf);
    hlo_hash_each (number, &w->seen_by_hash, hash) {
        const bound *seen = &w->seen.v[number - 1];
        if (seen->instr == b->instr && seen->leaf == b->leaf) return false;
    }
    hlo_list_push(&w->seen, *b);
    hlo_hash_add(&w->seen_by_hash, hash, w->seen.n);
    return true;
}

/* ---- who calls ---- */

static uint32_t *count_callers(const hlo_module *module) {
    uint32_t *first = hlo_calloc((size_t)module->next_id + 2, sizeof *first);
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0, n = hlo_called_count(i); k < n; k++)
                if (hlo_called(i, k)) first[hlo_called(i, k)->id + 2]++;
    for (uint32_t id = 0; id < module->next_id; id++) first[id + 2] += first[id + 1];
    return first;
}

static void list_callers(walk *w) {
    const hlo_module *module = w->module;
    uint32_t *next = count_callers(module) + 1; /* which ends as where the next one begins */
    w->first_caller = next - 1;
    w->callers = hlo_calloc(next[module->next_id], sizeof *w->callers);
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0, n = hlo_called_count(i); k < n; k++)
                if (hlo_called(i, k)) w->callers[next[hlo_called(i, k)->id]++] = i;
}

/* ---- indices that operations take ---- */

static void add(bounds *to, const hlo_instr *instr, uint32_t leaf, int64_t most) {
    hlo_list_push(to, (bound){instr, leaf, most < 0 ? 0 : most});
}

static int64_t least_of(const int64_t *numbers, int64_t count) {
    int64_t least = INT64_MAX;
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] < least) least = numbers[i];
    return least;
}

/* Indices of several components along `dim`, which were put together from parts. */
static void add_components(walk *w, const hlo_instr *indices, int64_t dim, const int64_t *most,
                           int64_t count) {
    bool is_joined = indices->opcode == HLO_OP_CONCATENATE &&
                     hlo_attr_ints(indices, HLO_ATTR_DIMENSIONS)->n &&
                     hlo_attr_ints(indices, HLO_ATTR_DIMENSIONS)->v[0] == dim;
    if (!is_joined) {
        add(&w->found, indices, 0, least_of(most, count));
        return;
    }
    for (uint32_t i = 0; i < indices->operand_count && count > 0; i++) {
        const hlo_instr *part = hlo_operand(indices, i);
        int64_t n = part->shape->dims[dim] < count ? part->shape->dims[dim] : count;
        add_components(w, part, dim, most, n);
        most += n;
        count -= n;
    }
}

/* How many elements of dimension `dim` of a scatter's operand an update's window covers. */
static int64_t scatter_window(const hlo_instr *scatter, const hlo_shape *update, int64_t dim) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    const hlo_ints *inserted = hlo_attr_ints(scatter, HLO_ATTR_INSERTED_WINDOW_DIMS);
    const hlo_ints *batching = hlo_attr_ints(scatter, HLO_ATTR_INPUT_BATCHING_DIMS);
    const hlo_ints *windows = hlo_attr_ints(scatter, HLO_ATTR_UPDATE_WINDOW_DIMS);
    uint32_t place = 0;
    if (hlo_ints_contain(inserted, dim) || hlo_ints_contain(batching, dim)) return 1;
    for (int64_t d = 0; d < dim; d++)
        place += !hlo_ints_contain(inserted, d) && !hlo_ints_contain(batching, d);
    return place < windows->n ? update->dims[windows->v[place]] : 1;
}

static void look_at_gather(walk *w, const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_ints *map = hlo_attr_ints(gather, HLO_ATTR_START_INDEX_MAP);
    const hlo_ints *sizes = hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES);
    const hlo_shape *operand = hlo_operand(gather, 0)->shape;
    int64_t *most = hlo_calloc(map->n, sizeof *most);
    for (uint32_t i = 0; i < map->n; i++) most[i] = operand->dims[map->v[i]] - sizes->v[map->v[i]];
    add_components(w, hlo_operand(gather, 1), hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM), most,
                   map->n);
    hlo_free(most);
}

static void look_at_scatter(walk *w, const hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    const hlo_ints *map = hlo_attr_ints(scatter, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS);
    uint32_t arrays = (scatter->operand_count - 1) / 2;
    const hlo_shape *operand = hlo_operand(scatter, 0)->shape;
    const hlo_shape *update = hlo_operand(scatter, arrays + 1)->shape;
    int64_t *most = hlo_calloc(map->n, sizeof *most);
    for (uint32_t i = 0; i < map->n; i++)
        most[i] = operand->dims[map->v[i]] - scatter_window(scatter, update, map->v[i]);
    add_components(w, hlo_operand(scatter, arrays),
                   hlo_attr_int(scatter, HLO_ATTR_INDEX_VECTOR_DIM), most, map->n);
    hlo_free(most);
}

/* The operands from `first` on are the start of a window in operand 0; older modules have them in
 * one array. */
static void look_at_window(walk *w, const hlo_instr *instr, uint32_t first,
                           const hlo_shape *window) {
    const hlo_shape *operand = hlo_shape_held(hlo_operand(instr, 0)->shape);
    for (uint32_t i = first; i < instr->operand_count; i++)
        for (uint32_t d = 0; d < operand->rank; d++)
            if (d == i - first || hlo_operand(instr, i)->shape->rank)
                add(&w->found, hlo_operand(instr, i), 0, operand->dims[d] - window->dims[d]);
}

static void look_at(walk *w, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_GATHER: look_at_gather(w, instr); return;
    case HLO_OP_SCATTER: look_at_scatter(w, instr); return;
    case HLO_OP_DYNAMIC_SLICE: look_at_window(w, instr, 1, instr->shape); return;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        look_at_window(w, instr, 2, hlo_operand(instr, 1)->shape);
        return;
    case HLO_OP_CONDITIONAL:
        if (hlo_operand(instr, 0)->shape->type != HLO_PRED)
            add(&w->found, hlo_operand(instr, 0), 0, (int64_t)hlo_called_count(instr) - 1);
        return;
    default: return;
    }
}

/* ---- backwards ---- */

static void follow(walk *w, const hlo_instr *instr, uint32_t operand, uint32_t leaf,
                   const bound *b) {
    HLO_ASSERT(operand < instr->operand_count);
    if (operand < instr->operand_count)
        add(&w->worklist, hlo_operand(instr, operand), leaf, b->most);
}

static void follow_all(walk *w, const bound *b, uint32_t first) {
    for (uint32_t i = first; i < b->instr->operand_count; i++) follow(w, b->instr, i, 0, b);
}

static void follow_tuple(walk *w, const bound *b) {
    uint32_t leaf = b->leaf;
    for (uint32_t i = 0; i < b->instr->operand_count; i++) {
        uint32_t count = leaf_count(hlo_operand(b->instr, i)->shape);
        if (leaf < count) {
            follow(w, b->instr, i, leaf, b);
            return;
        }
        HLO_ASSERT(leaf >= count);
        leaf -= count;
    }
}

static void follow_roots(walk *w, const bound *b, uint32_t first, uint32_t count) {
    for (uint32_t k = first; k < count; k++)
        if (hlo_called(b->instr, k))
            add(&w->worklist, hlo_called(b->instr, k)->root, b->leaf, b->most);
}

/* What a caller gives to parameter `number` of a computation that it calls. */
static void follow_argument(walk *w, const hlo_instr *caller, const hlo_computation *called,
                            uint32_t number, const bound *b) {
    switch (caller->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION: follow(w, caller, number, b->leaf, b); return;
    case HLO_OP_WHILE:
        follow(w, caller, 0, b->leaf, b);
        if (hlo_called(caller, 0)) add(&w->worklist, hlo_called(caller, 0)->root, b->leaf, b->most);
        return;
    case HLO_OP_CONDITIONAL:
        for (uint32_t k = 0; k < hlo_called_count(caller); k++)
            if (hlo_called(caller, k) == called) follow(w, caller, k + 1, b->leaf, b);
        return;
    default: return;
    }
}

static void follow_parameter(walk *w, const bound *b) {
    const hlo_computation *c = b->instr->parent;
    uint32_t number = (uint32_t)hlo_attr_int(b->instr, HLO_ATTR_PARAMETER_NUMBER);
    if (c == w->module->entry) {
        uint32_t leaf = b->leaf;
        for (uint32_t i = 0; i < number; i++) leaf += leaf_count(c->parameters[i]->shape);
        w->most[leaf] = b->most;
        return;
    }
    for (uint32_t i = w->first_caller[c->id]; i < w->first_caller[c->id + 1]; i++)
        follow_argument(w, w->callers[i], c, number, b);
}

/* Markers of placement and sharding. */
static bool is_marker(const hlo_instr *call) {
    return call->operand_count == 1 && hlo_operand(call, 0)->shape->rank == call->shape->rank &&
           hlo_shape_compatible(hlo_operand(call, 0)->shape, call->shape);
}

/* The element's leaf among those of the tuple. */
static void follow_element(walk *w, const bound *b) {
    uint32_t index = (uint32_t)hlo_attr_int(b->instr, HLO_ATTR_INDEX);
    uint32_t first = leaves_before(hlo_operand(b->instr, 0)->shape, index);
    follow(w, b->instr, 0, b->leaf + first, b);
}

/* To where the array's elements come from. */
static void step(walk *w, const bound *b) {
    const hlo_instr *instr = b->instr;
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: follow_parameter(w, b); return;
    case HLO_OP_TUPLE: follow_tuple(w, b); return;
    case HLO_OP_GET_TUPLE_ELEMENT: follow_element(w, b); return;
    case HLO_OP_CALL:
    case HLO_OP_FUSION: follow_roots(w, b, 0, 1); return;
    case HLO_OP_CONDITIONAL: follow_roots(w, b, 0, hlo_called_count(instr)); return;
    case HLO_OP_WHILE:
        follow_roots(w, b, 0, 1);
        follow(w, instr, 0, b->leaf, b);
        return;
    case HLO_OP_SORT: follow(w, instr, b->leaf, 0, b); return;
    case HLO_OP_CONCATENATE: follow_all(w, b, 0); return;
    case HLO_OP_SELECT: follow_all(w, b, 1); return;
    case HLO_OP_CLAMP: follow(w, instr, 1, 0, b); return;
    case HLO_OP_DYNAMIC_UPDATE_SLICE: follow(w, instr, 1, 0, b); /* fall through */
    case HLO_OP_BITCAST:
    case HLO_OP_BROADCAST:
    case HLO_OP_CONVERT:
    case HLO_OP_COPY:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_GATHER:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_PAD:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: follow(w, instr, 0, b->leaf, b); return;
    case HLO_OP_CUSTOM_CALL:
        if (is_marker(instr)) follow(w, instr, 0, b->leaf, b);
        return;
    default: return;
    }
}

static int by_bound(const void *a, const void *b) {
    int64_t x = ((const bound *)a)->most, y = ((const bound *)b)->most;
    return (x > y) - (x < y);
}

static void walk_back(walk *w) {
    if (w->found.n) qsort(w->found.v, w->found.n, sizeof *w->found.v, by_bound);
    for (uint32_t i = 0; i < w->found.n; i++) {
        hlo_list_push(&w->worklist, w->found.v[i]);
        while (w->worklist.n) {
            const bound next = hlo_list_pop(&w->worklist);
            if (enter_bound(w, &next)) step(w, &next);
        }
    }
}

void hlo_index_bounds(const hlo_module *module, int64_t *most) {
    walk w = {.module = module, .most = most};
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < module->entry->parameter_count; i++)
        leaves += leaf_count(module->entry->parameters[i]->shape);
    for (uint32_t i = 0; i < leaves; i++) most[i] = -1;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) look_at(&w, i);
    list_callers(&w);
    walk_back(&w);
    hlo_list_free(&w.found);
    hlo_list_free(&w.worklist);
    hlo_free(w.callers);
    hlo_free(w.first_caller);
    hlo_list_free(&w.seen);
    hlo_hash_free(&w.seen_by_hash);
}
