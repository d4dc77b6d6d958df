/* dot-merger: dots of one array with several become one dot with all of them, side by side, and
 * slices of its result. */
#include "analysis/call_graph.h"
#include "analysis/equal.h"
#include "analysis/equivalence.h"
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* Dots may be merged when none depends on another. That is so when chains of equally many dots lead
 * to them, which one walk finds out for all; merging keeps these numbers. */
typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *rewriter;
    hlo_call_graph graph;
    uint32_t *level; /* by index: dots and fences on the longest way to the instruction */
    hlo_instr_list moved;
    bool changed;
} merging;

/* ---- which dots can be merged ---- */

static hlo_instr *shared_of(const hlo_class_member *a) {
    return hlo_operand(a->instr, a->side);
}

static hlo_instr *other_of(const hlo_class_member *a) {
    return hlo_operand(a->instr, 1 - a->side);
}

/* The first dimension of the other side that is neither batch nor contracted; its rank when there
 * is none. */
static uint32_t free_dim(const hlo_class_member *a) {
    bool right = a->side == 0;
    const hlo_instr *dot = a->instr;
    const hlo_ints *batch =
        hlo_attr_ints(dot, right ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *contracted =
        hlo_attr_ints(dot, right ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS);
    uint32_t d = 0, rank = other_of(a)->shape->rank;
    while (d < rank && (hlo_ints_contain(batch, d) || hlo_ints_contain(contracted, d))) d++;
    return d;
}

static bool same_other(const hlo_class_member *a, const hlo_class_member *b) {
    const hlo_shape *x = other_of(a)->shape, *y = other_of(b)->shape;
    uint32_t free = free_dim(a);
    if (x->type != y->type || x->rank != y->rank) return false;
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != free && x->dims[d] != y->dims[d]) return false;
    return true;
}

static bool are_equivalent(const hlo_class_member *a, const hlo_class_member *b) {
    return a->side == b->side && shared_of(a) == shared_of(b) &&
           a->instr->shape->type == b->instr->shape->type &&
           hlo_same_operation(a->instr, b->instr) && same_other(a, b);
}

static hlo_class_member member(const merging *m, hlo_instr *dot, uint32_t side) {
    hlo_class_member a = {dot, 0, side, 0};
    a.key = hlo_hash_mix(hlo_operation_hash(dot), (uint64_t)(uintptr_t)shared_of(&a));
    a.key = hlo_hash_mix(a.key, 2 * (uint64_t)m->level[dot->index] + side);
    const hlo_shape *other = other_of(&a)->shape;
    uint32_t free = free_dim(&a);
    a.key = hlo_hash_mix(a.key, hlo_hash_mix(other->type, dot->shape->type));
    for (uint32_t d = 0; d < other->rank; d++)
        a.key = hlo_hash_mix(a.key, d == free ? UINT64_MAX : (uint64_t)other->dims[d]);
    return a;
}

static bool may_be_merged(const merging *m, const hlo_instr *dot) {
    return dot->opcode == HLO_OP_DOT && !dot->shape->dynamic &&
           !hlo_operand(dot, 0)->shape->dynamic && !hlo_operand(dot, 1)->shape->dynamic &&
           hlo_operand(dot, 0) != hlo_operand(dot, 1) && !hlo_is_tied(m->rewriter, dot);
}

static uint32_t level_after(const merging *m, const hlo_instr *def) {
    bool counts = def->opcode == HLO_OP_DOT || def->opcode == HLO_OP_OPT_BARRIER;
    return m->level[def->index] + counts;
}

/* Numbers the instructions in an order in which operands come first, and finds their levels. */
static void find_levels(merging *m, hlo_instr *const *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const hlo_attr *control = hlo_instr_attr(order[i], HLO_ATTR_CONTROL_PREDECESSORS);
        uint32_t level = 0;
        order[i]->index = i;
        for (uint32_t k = 0; k < order[i]->operand_count; k++) {
            uint32_t after = level_after(m, hlo_operand(order[i], k));
            if (after > level) level = after;
        }
        for (uint32_t k = 0; control && k < control->u.instructions->n; k++) {
            uint32_t after = level_after(m, control->u.instructions->v[k]);
            if (after > level) level = after;
        }
        m->level[i] = level;
    }
}

/* ---- operands above the first dot ---- */

/* Appends the dependences of `def` that come after `place` to the list, operands first;
 * false when some of it must stay where it is. */
static bool find_late(merging *m, hlo_instr *def, const hlo_instr *place, uint32_t opened) {
    hlo_instr_list worklist = {0};
    bool may_move = true;
    hlo_list_push(&worklist, def);
    while (worklist.n && may_move) {
        hlo_instr *top = worklist.v[worklist.n - 1];
        if (top->index < place->index || top->mark == opened + 1) {
            worklist.n--;
        } else if (top->mark == opened) {
            top->mark = opened + 1;
            hlo_list_push(&m->moved, top);
        } else {
            top->mark = opened;
            may_move = !hlo_call_graph_effect(&m->graph, top) && !hlo_is_tied(m->rewriter, top);
            for (uint32_t k = top->operand_count; k-- > 0;)
                hlo_list_push(&worklist, hlo_operand(top, k));
        }
    }
    hlo_list_free(&worklist);
    return may_move;
}

/* Members whose other operands cannot stand before the first dot leave the group. */
static size_t hoist_operands(merging *m, hlo_class_member *group, size_t n) {
    hlo_instr *place = group[0].instr;
    size_t kept = 1;
    for (size_t i = 1; i < n; i++) {
        m->moved.n = 0;
        if (!find_late(m, other_of(&group[i]), place, hlo_module_new_mark(m->call->module)))
            continue;
        for (size_t k = 0; k < m->moved.n; k++) {
            hlo_instr_move_before(m->moved.v[k], place);
            m->moved.v[k]->index = place->index - 1;
        }
        group[kept++] = group[i];
    }
    return kept;
}

/* ---- merging ---- */

static int64_t bytes_of(const hlo_instr *dot) {
    return hlo_shape_bytes(dot->shape) + hlo_shape_bytes(hlo_operand(dot, 0)->shape) +
           hlo_shape_bytes(hlo_operand(dot, 1)->shape);
}

/* What is still there and small, and one that is large. */
static size_t choose_dots(const merging *m, hlo_class_member *group, size_t n) {
    size_t kept = 0, large = 0;
    for (size_t i = 0; i < n; i++) {
        if (!group[i].instr->parent) continue;
        if (bytes_of(group[i].instr) > HLO_OPTION(m->call, DOT_MERGER, max_size_to_merge) &&
            large++)
            continue;
        group[kept++] = group[i];
    }
    return kept;
}

static const hlo_shape *with_size(hlo_rewriter *r, const hlo_shape *like, uint32_t d,
                                  int64_t size) {
    int64_t *sizes = hlo_calloc(like->rank + 1, sizeof *sizes);
    memcpy(sizes, like->dims, like->rank * sizeof *sizes);
    sizes[d] = size;
    uint32_t rank = d < like->rank ? like->rank : like->rank + 1;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)like->type, sizes, rank);
    hlo_free(sizes);
    return shape;
}

/* The other operands along dimension d, which some of them get first; their sizes there. */
static hlo_instr *side_by_side(hlo_rewriter *r, const hlo_class_member *group, size_t n, uint32_t d,
                               int64_t *sizes) {
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    int64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i] = other_of(&group[i]);
        if (d == parts[i]->shape->rank)
            parts[i] =
                hlo_emit_unary(r, HLO_OP_RESHAPE, with_size(r, parts[i]->shape, d, 1), parts[i]);
        all += sizes[i] = parts[i]->shape->dims[d];
    }
    int64_t dim = d;
    hlo_attr attr = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &dim, 1);
    hlo_instr *out = hlo_emit(r, HLO_OP_CONCATENATE, with_size(r, parts[0]->shape, d, all), parts,
                              (uint32_t)n, &attr, 1);
    hlo_free(parts);
    return out;
}

/* The position of the other operand's free dimension in the result. */
static uint32_t result_dim(const hlo_class_member *a) {
    uint32_t batch = hlo_attr_ints(a->instr, HLO_ATTR_LHS_BATCH_DIMS)->n;
    uint32_t contracted = hlo_attr_ints(a->instr, HLO_ATTR_LHS_CONTRACTING_DIMS)->n;
    return a->side ? batch : shared_of(a)->shape->rank - contracted;
}

static hlo_instr *merged_dot(hlo_rewriter *r, const hlo_class_member *group, size_t n,
                             int64_t *sizes) {
    const hlo_class_member *first = &group[0];
    uint32_t d = free_dim(first), at = result_dim(first);
    bool adds_dim = d == other_of(first)->shape->rank;
    hlo_instr *operands[2];
    operands[first->side] = shared_of(first);
    operands[1 - first->side] = side_by_side(r, group, n, d, sizes);
    int64_t all = operands[1 - first->side]->shape->dims[d];
    const hlo_shape *like = first->instr->shape, *shape;
    if (adds_dim) {
        int64_t *dims = hlo_calloc(like->rank + 1, sizeof *dims);
        for (uint32_t i = 0; i <= like->rank; i++)
            dims[i] = i == at ? all : like->dims[i - (i > at)];
        shape = hlo_shape_of_sizes(r, (hlo_type)like->type, dims, like->rank + 1);
        hlo_free(dims);
    } else {
        shape = with_size(r, like, at, all);
    }
    return hlo_emit_like(r, first->instr, shape, operands, 2);
}

/* The part of the merged result that a member had as its own. */
static hlo_instr *part_of(hlo_rewriter *r, hlo_instr *all, const hlo_class_member *a, int64_t start,
                          int64_t size) {
    uint32_t rank = all->shape->rank, at = result_dim(a);
    hlo_slice *slice = hlo_new_whole_slice(r, all->shape);
    slice->v[at].start = start;
    slice->v[at].limit = start + size;
    bool same_rank = rank == a->instr->shape->rank;
    const hlo_shape *shape = same_rank ? a->instr->shape : with_size(r, all->shape, at, size);
    hlo_instr *part = hlo_emit_slice(r, shape, all, slice);
    return same_rank ? part : hlo_emit_unary(r, HLO_OP_RESHAPE, a->instr->shape, part);
}

static void merge(merging *m, hlo_class_member *group, size_t n) {
    hlo_rewriter *r = m->rewriter;
    n = choose_dots(m, group, n);
    if (n < 2 || !hlo_rewrite_allowed(r, HLO_REWRITE_merge_dots)) return;
    n = hoist_operands(m, group, n);
    if (n < 2) return;
    hlo_instr *first = group[0].instr, **parts = hlo_malloc(n * sizeof *parts);
    int64_t *sizes = hlo_calloc(n, sizeof *sizes), start = 0;
    hlo_rewriter_aim(r, first);
    hlo_instr *all = merged_dot(r, group, n, sizes);
    for (size_t i = 0; i < n; i++) {
        parts[i] = part_of(r, all, &group[i], start, sizes[i]);
        start += sizes[i];
    }
    for (size_t i = 0; i < r->fresh.n; i++) r->fresh.v[i]->index = first->index - 1;
    for (size_t i = 0; i < n; i++)
        m->changed |= hlo_rewrite_replace(r, HLO_REWRITE_merge_dots, group[i].instr, parts[i]);
    hlo_free(parts);
    hlo_free(sizes);
}

static void merge_in(merging *m, hlo_computation *c) {
    hlo_instr **order = hlo_malloc((c->instr_count + 1u) * sizeof *order);
    uint32_t n = hlo_post_order(c, order);
    hlo_class_member *dots = hlo_malloc((2 * (size_t)n + 1) * sizeof *dots);
    size_t count = 0;
    m->level = hlo_calloc(n + 1u, sizeof *m->level);
    find_levels(m, order, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!may_be_merged(m, order[i])) continue;
        dots[count++] = member(m, order[i], 0);
        dots[count++] = member(m, order[i], 1);
    }
    hlo_number_instructions(c);
    hlo_classes_sort(dots, count, are_equivalent);
    for (size_t from = 0, end; from < count; from = end) {
        end = hlo_class_end(dots, count, from);
        merge(m, dots + from, end - from);
    }
    hlo_free(m->level);
    hlo_free(dots);
    hlo_free(order);
}

hlo_pass_result hlo_pass_dot_merger(const hlo_pass_call *call) {
    merging m = {.call = call, .rewriter = call->rewriter};
    hlo_call_graph_init(&m.graph, call->module);
    for (hlo_computation *c = call->module->first; c; c = c->next)
        if (!c->is_fusion_body && !c->is_async_body) merge_in(&m, c);
    hlo_call_graph_free(&m.graph);
    hlo_list_free(&m.moved);
    return m.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
