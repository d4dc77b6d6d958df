/* algsimp: concatenations. Patterns. */
#include "analysis/equal.h"
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

static const hlo_slice *slice_of(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
}

hlo_instr *hlo_rewrite_concatenate_one(hlo_rewriter *r, hlo_instr *concatenate) {
    (void)r;
    return concatenate->operand_count == 1 ? hlo_operand(concatenate, 0) : NULL;
}

static hlo_instr *concatenated(hlo_rewriter *r, const hlo_instr *like, hlo_instr *const *parts,
                               uint32_t n) {
    return n == 1 ? parts[0] : hlo_emit_like(r, like, like->shape, parts, n);
}

hlo_instr *hlo_rewrite_concatenate_empty(hlo_rewriter *r, hlo_instr *concatenate) {
    uint32_t all = concatenate->operand_count, n = 0;
    if (!hlo_shape_elements(concatenate->shape)) return NULL;
    hlo_instr **parts = hlo_malloc(all * sizeof *parts), *by = NULL;
    for (uint32_t i = 0; i < all; i++)
        if (hlo_shape_elements(hlo_operand(concatenate, i)->shape))
            parts[n++] = hlo_operand(concatenate, i);
    if (n && n < all) by = concatenated(r, concatenate, parts, n);
    hlo_free(parts);
    return by;
}

static bool is_inner_concatenate(const hlo_instr *part, const hlo_instr *outer) {
    return part->opcode == HLO_OP_CONCATENATE && hlo_has_one_user(part) &&
           hlo_attr_ints(part, HLO_ATTR_DIMENSIONS)->v[0] ==
               hlo_attr_ints(outer, HLO_ATTR_DIMENSIONS)->v[0];
}

/* The only user will take this one's parts with its own: a chain of n would else be copied n times.
 */
static bool is_taken_by_user(const hlo_rewriter *r, const hlo_instr *concatenate) {
    const hlo_use *use = concatenate->first_use;
    return use && use->user->opcode == HLO_OP_CONCATENATE && !use->user->shape->dynamic &&
           is_inner_concatenate(concatenate, use->user) && !hlo_is_tied(r, use->user);
}

/* The parts of all that it is made of, from the first to the last. */
static void flatten(const hlo_instr *concatenate, hlo_instr_list *parts) {
    hlo_instr_list waiting = {0};
    for (uint32_t i = concatenate->operand_count; i-- > 0;)
        hlo_list_push(&waiting, hlo_operand(concatenate, i));
    while (waiting.n) {
        hlo_instr *part = hlo_list_pop(&waiting);
        bool inner = is_inner_concatenate(part, concatenate);
        if (!inner) hlo_list_push(parts, part);
        for (uint32_t i = inner ? part->operand_count : 0; i-- > 0;)
            hlo_list_push(&waiting, hlo_operand(part, i));
    }
    hlo_list_free(&waiting);
}

hlo_instr *hlo_rewrite_concatenate_of_concatenate(hlo_rewriter *r, hlo_instr *concatenate) {
    bool fits = false;
    for (uint32_t i = 0; i < concatenate->operand_count && !fits; i++)
        fits = is_inner_concatenate(hlo_operand(concatenate, i), concatenate);
    if (!fits || is_taken_by_user(r, concatenate)) return NULL;
    hlo_instr_list parts = {0};
    flatten(concatenate, &parts);
    hlo_instr *by = hlo_emit_like(r, concatenate, concatenate->shape, parts.v, parts.n);
    hlo_list_free(&parts);
    return by;
}

/* All parts repeat the same scalar. */
hlo_instr *hlo_rewrite_concatenate_of_scalar(hlo_rewriter *r, hlo_instr *concatenate) {
    hlo_instr *scalar = NULL;
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        if (part->opcode != HLO_OP_BROADCAST || hlo_operand(part, 0)->shape->rank) return NULL;
        if (i && hlo_operand(part, 0) != scalar) return NULL;
        scalar = hlo_operand(part, 0);
    }
    return scalar ? hlo_emit_broadcast(r, concatenate->shape, scalar, NULL, 0) : NULL;
}

/* `b` goes on where `a` ends, in the dimension `d` alone, with the same steps. */
static bool continues(const hlo_instr *a, const hlo_instr *b, int64_t d) {
    if (a->opcode != HLO_OP_SLICE || b->opcode != HLO_OP_SLICE) return false;
    if (hlo_operand(a, 0) != hlo_operand(b, 0)) return false;
    const hlo_slice *x = slice_of(a), *y = slice_of(b);
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->v[i].stride != y->v[i].stride) return false;
        bool same = x->v[i].start == y->v[i].start && x->v[i].limit == y->v[i].limit;
        bool next = x->v[i].stride == 1 && x->v[i].limit == y->v[i].start;
        if (i == d ? !next : !same) return false;
    }
    return true;
}

/* One slice in the place of `n` that continue each other. */
static hlo_instr *join_slices(hlo_rewriter *r, const hlo_instr *concatenate, uint32_t first,
                              uint32_t n) {
    HLO_ASSERT(concatenate->opcode == HLO_OP_CONCATENATE);
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
    const hlo_instr *a = hlo_operand(concatenate, first);
    const hlo_instr *b = hlo_operand(concatenate, first + n - 1);
    hlo_slice *all = hlo_new_slice(r, a->shape->rank);
    memcpy(all->v, slice_of(a)->v, all->n * sizeof all->v[0]);
    all->v[d].limit = slice_of(b)->v[d].limit;
    hlo_ints *sizes = hlo_ints_from(&r->module->arena, a->shape->dims, a->shape->rank);
    sizes->v[d] = all->v[d].limit - all->v[d].start;
    const hlo_shape *shape =
        n == concatenate->operand_count
            ? concatenate->shape
            : hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes->v, sizes->n);
    return hlo_emit_slice(r, shape, hlo_operand(a, 0), all);
}

/* How many operands from `first` on form one slice. */
static uint32_t slices_from(const hlo_instr *concatenate, uint32_t first) {
    HLO_ASSERT(concatenate->opcode == HLO_OP_CONCATENATE);
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
    uint32_t end = first + 1;
    while (end < concatenate->operand_count &&
           continues(hlo_operand(concatenate, end - 1), hlo_operand(concatenate, end), d))
        end++;
    return end - first;
}

/* Merges adjacent operands that form one slice, all of them at once. */
hlo_instr *hlo_rewrite_concatenate_of_slices(hlo_rewriter *r, hlo_instr *concatenate) {
    uint32_t all = concatenate->operand_count, n = 0, i = 0;
    while (i + 1 < all && slices_from(concatenate, i) == 1) i++;
    if (i + 1 >= all) return NULL;
    hlo_instr **parts = hlo_malloc(all * sizeof *parts);
    for (uint32_t at = 0, count; at < all; at += count) {
        count = slices_from(concatenate, at);
        parts[n++] =
            count > 1 ? join_slices(r, concatenate, at, count) : hlo_operand(concatenate, at);
    }
    hlo_instr *by = concatenated(r, concatenate, parts, n);
    hlo_free(parts);
    return by;
}

/* Concatenation with a broadcast scalar is a pad. */
hlo_instr *hlo_rewrite_concatenate_to_pad(hlo_rewriter *r, hlo_instr *concatenate) {
    if (concatenate->operand_count != 2) return NULL;
    int64_t d = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *fill = hlo_operand(concatenate, i), *a = hlo_operand(concatenate, 1 - i);
        if (fill->opcode != HLO_OP_BROADCAST || hlo_operand(fill, 0)->shape->rank) continue;
        hlo_padding *padding = hlo_new_padding(r, concatenate->shape->rank);
        *(i == 0 ? &padding->v[d].low : &padding->v[d].high) = fill->shape->dims[d];
        hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
        hlo_instr *operands[] = {a, hlo_operand(fill, 0)};
        return hlo_emit(r, HLO_OP_PAD, concatenate->shape, operands, 2, &attr, 1);
    }
    return NULL;
}

/* ---- equal parts ---- */

static int64_t along(const hlo_instr *concatenate) {
    HLO_ASSERT(concatenate->opcode == HLO_OP_CONCATENATE);
    return hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS)->v[0];
}

/* One array of size 1 there, again and again. */
hlo_instr *hlo_rewrite_concatenate_of_same(hlo_rewriter *r, hlo_instr *concatenate) {
    hlo_instr *part = hlo_operand(concatenate, 0);
    int64_t d = along(concatenate);
    if (concatenate->operand_count < 2 || part->shape->dims[d] != 1) return NULL;
    for (uint32_t i = 1; i < concatenate->operand_count; i++)
        if (hlo_operand(concatenate, i) != part) return NULL;
    uint32_t n = 0, rank = part->shape->rank;
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, rank);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (i == d) continue;
        sizes->v[n] = part->shape->dims[i];
        dims->v[n++] = i;
    }
    hlo_instr *row = hlo_build_reshape(r, part, sizes->v, n);
    return hlo_emit_broadcast(r, concatenate->shape, row, dims->v, n);
}

/* One array repeated along a dimension that the broadcasts make. */
hlo_instr *hlo_rewrite_concatenate_of_broadcasts(hlo_rewriter *r, hlo_instr *concatenate) {
    const hlo_instr *first = hlo_operand(concatenate, 0);
    if (first->opcode != HLO_OP_BROADCAST || concatenate->operand_count < 2) return NULL;
    const hlo_ints *dims = hlo_attr_ints(first, HLO_ATTR_DIMENSIONS);
    if (dims->n == 0 || hlo_ints_contain(dims, along(concatenate))) return NULL;
    for (uint32_t i = 1; i < concatenate->operand_count; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        if (part->opcode != HLO_OP_BROADCAST || hlo_operand(part, 0) != hlo_operand(first, 0) ||
            !hlo_ints_equal(hlo_attr_ints(part, HLO_ATTR_DIMENSIONS), dims))
            return NULL;
    }
    return hlo_emit_broadcast(r, concatenate->shape, hlo_operand(first, 0), dims->v, dims->n);
}

/* The same operation made each part of arrays of one type. A copy may be there for its layout, and
 * a bitcast-convert may change the rank. */
static bool is_of_unary(const hlo_instr *concatenate) {
    const hlo_instr *first = hlo_operand(concatenate, 0);
    bool fits = (hlo_info(first)->flags & HLO_OP_IS_ELEMENTWISE) && first->operand_count == 1 &&
                first->opcode != HLO_OP_COPY && first->opcode != HLO_OP_BITCAST_CONVERT &&
                concatenate->operand_count > 1;
    for (uint32_t i = 0; fits && i < concatenate->operand_count; i++) {
        const hlo_instr *part = hlo_operand(concatenate, i);
        fits = part->opcode == first->opcode && hlo_has_one_user(part) &&
               hlo_operand(part, 0)->shape->type == hlo_operand(first, 0)->shape->type &&
               hlo_same_operation(part, first);
    }
    return fits;
}

hlo_instr *hlo_rewrite_concatenate_of_unary(hlo_rewriter *r, hlo_instr *concatenate) {
    if (!is_of_unary(concatenate)) return NULL;
    const hlo_instr *first = hlo_operand(concatenate, 0);
    uint32_t n = concatenate->operand_count;
    hlo_type type = (hlo_type)hlo_operand(first, 0)->shape->type;
    const hlo_shape *shape = hlo_shape_with_type(&r->module->shapes, concatenate->shape, type);
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) parts[i] = hlo_operand(hlo_operand(concatenate, i), 0);
    hlo_instr *joined = hlo_emit_like(r, concatenate, shape, parts, n);
    hlo_free(parts);
    return hlo_emit_like(r, first, concatenate->shape, &joined, 1);
}

/* Slices of one element each, one before the other. */
hlo_instr *hlo_rewrite_concatenate_backwards(hlo_rewriter *r, hlo_instr *concatenate) {
    int64_t d = along(concatenate);
    uint32_t n = concatenate->operand_count;
    const hlo_instr *first = hlo_operand(concatenate, 0);
    if (n < 2 || first->opcode != HLO_OP_SLICE || first->shape->dims[d] != 1) return NULL;
    const hlo_slice *top = slice_of(first);
    for (uint32_t k = 1; k < n; k++) {
        const hlo_instr *part = hlo_operand(concatenate, k);
        if (part->opcode != HLO_OP_SLICE || hlo_operand(part, 0) != hlo_operand(first, 0) ||
            part->shape != first->shape)
            return NULL;
        const hlo_slice *here = slice_of(part);
        for (uint32_t i = 0; i < top->n; i++) {
            int64_t start = top->v[i].start - (i == d ? (int64_t)k : 0);
            bool same_step = here->v[i].stride == top->v[i].stride || i == d;
            if (here->v[i].start != start || !same_step) return NULL;
        }
    }
    hlo_slice *all = hlo_new_slice(r, top->n);
    memcpy(all->v, top->v, top->n * sizeof all->v[0]);
    all->v[d].start = top->v[d].start - (n - 1);
    all->v[d].limit = top->v[d].start + 1;
    all->v[d].stride = 1;
    hlo_instr *part = hlo_emit_slice(r, concatenate->shape, hlo_operand(first, 0), all);
    hlo_attr dims = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &d, 1);
    return hlo_emit(r, HLO_OP_REVERSE, concatenate->shape, &part, 1, &dims, 1);
}
