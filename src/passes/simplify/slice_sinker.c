/* slice-sinker: elementwise operations on slices of the same arrays become one operation on the
 * arrays, and slices of its result, when that computes no more elements than before. */
#include "analysis/equal.h"
#include "analysis/equivalence.h"
#include "passes/pipeline/emit.h"

typedef struct {
    hlo_rewriter *rewriter;
    uint32_t searched;                /* mark of sources whose slices have been looked at */
    HLO_LIST(hlo_class_member) found; /* what works on slices of one source */
    bool changed;
} sinking;

static const hlo_slice *range_of(const hlo_instr *slice) {
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    return hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
}

static bool same_range(const hlo_instr *a, const hlo_instr *b) {
    const hlo_slice *x = range_of(a), *y = range_of(b);
    return x->n == y->n && memcmp(x->v, y->v, x->n * sizeof x->v[0]) == 0;
}

static bool same_sizes(const hlo_shape *a, const hlo_shape *b) {
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

static hlo_instr *source_of(const hlo_instr *op, uint32_t i) {
    return hlo_operand(hlo_operand(op, i), 0);
}

static bool is_static_slice(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_SLICE && !instr->shape->dynamic &&
           !hlo_operand(instr, 0)->shape->dynamic;
}

/* An elementwise operation whose operands are slices by the same ranges of arrays of one size. */
static bool works_on_slices(const sinking *s, const hlo_instr *op) {
    if (!(hlo_info(op)->flags & HLO_OP_IS_ELEMENTWISE) || op->operand_count == 0) return false;
    if (!op->parent || hlo_is_tied(s->rewriter, op) || op->shape->dynamic) return false;
    if (!op->first_use && op->parent->root != op) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const hlo_instr *slice = hlo_operand(op, i);
        if (!is_static_slice(slice) || !same_range(slice, hlo_operand(op, 0)) ||
            !same_sizes(source_of(op, i)->shape, source_of(op, 0)->shape))
            return false;
    }
    return same_sizes(op->shape, hlo_operand(op, 0)->shape); /* bitcasts may add a dimension */
}

/* ---- groups ---- */

static uint64_t key_of(const hlo_instr *op) {
    uint64_t key = hlo_hash_mix(hlo_operation_hash(op), op->shape->type);
    for (uint32_t i = 0; i < op->operand_count; i++)
        key = hlo_hash_mix(key, (uint64_t)(uintptr_t)source_of(op, i));
    return key;
}

static bool are_equivalent(const hlo_class_member *a, const hlo_class_member *b) {
    if (!hlo_same_operation(a->instr, b->instr) || a->instr->shape->type != b->instr->shape->type)
        return false;
    for (uint32_t i = 0; i < a->instr->operand_count; i++)
        if (source_of(a->instr, i) != source_of(b->instr, i)) return false;
    return true;
}

static void find_users(sinking *s, const hlo_instr *source) {
    s->found.n = 0;
    for (const hlo_use *of = source->first_use; of; of = of->next) {
        if (of->user->opcode != HLO_OP_SLICE) continue;
        for (const hlo_use *use = of->user->first_use; use; use = use->next) {
            if (use != &use->user->operands[0] || !works_on_slices(s, use->user)) continue;
            hlo_list_push(&s->found, (hlo_class_member){use->user, key_of(use->user), 0, 0});
        }
    }
    hlo_classes_sort(s->found.v, s->found.n, are_equivalent);
}

/* ---- sinking ---- */

static bool saves_work(const hlo_class_member *group, size_t n) {
    int64_t elements = 0, all = hlo_shape_elements(source_of(group->instr, 0)->shape);
    for (size_t i = 0; i < n && elements < all; i++)
        elements += hlo_shape_elements(group[i].instr->shape);
    return elements >= all;
}

static hlo_instr *on_sources(hlo_rewriter *r, const hlo_instr *op) {
    hlo_instr **sources = hlo_malloc(op->operand_count * sizeof *sources);
    for (uint32_t i = 0; i < op->operand_count; i++) sources[i] = source_of(op, i);
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, sources[0]->shape, (hlo_type)op->shape->type);
    hlo_instr *whole = hlo_emit_like(r, op, shape, sources, op->operand_count);
    hlo_free(sources);
    return whole;
}

/* What works on the new slice may belong to a group that was incomplete before. */
static void search_again(const hlo_instr *slice) {
    for (const hlo_use *use = slice->first_use; use; use = use->next)
        if (is_static_slice(hlo_operand(use->user, 0))) source_of(use->user, 0)->mark = 0;
}

static void sink(sinking *s, const hlo_class_member *group, size_t n) {
    hlo_rewriter *r = s->rewriter;
    hlo_instr *whole = NULL;
    for (size_t i = 0; i < n && hlo_rewrite_allowed(r, HLO_REWRITE_sink_slice); i++) {
        hlo_instr *op = group[i].instr;
        hlo_rewriter_aim(r, op);
        if (!whole) whole = on_sources(r, op);
        hlo_instr *slice = hlo_emit_like(r, hlo_operand(op, 0), op->shape, &whole, 1);
        if (!hlo_rewrite_replace(r, HLO_REWRITE_sink_slice, op, slice)) return;
        s->changed = true;
        search_again(slice);
    }
}

static void search(sinking *s, hlo_instr *source) {
    source->mark = s->searched;
    find_users(s, source);
    for (size_t from = 0, end; from < s->found.n; from = end) {
        end = hlo_class_end(s->found.v, s->found.n, from);
        if (saves_work(s->found.v + from, end - from)) sink(s, s->found.v + from, end - from);
    }
}

static bool has_slices(const hlo_computation *c) {
    const hlo_instr *i = c->first;
    while (i && i->opcode != HLO_OP_SLICE) i = i->next;
    return i != NULL;
}

/* The list of instructions is taken first: sinking removes some and adds others, which search_again
 * brings back by their source. */
static void sink_in(sinking *s, hlo_computation *c) {
    uint32_t n = 0;
    if (!has_slices(c)) return;
    hlo_instr **all = hlo_malloc((c->instr_count + 1u) * sizeof *all);
    hlo_number_instructions(c);
    s->searched = hlo_module_new_mark(c->module);
    for (hlo_instr *i = c->first; i; i = i->next) all[n++] = i;
    for (uint32_t k = 0; k < n && hlo_rewrite_allowed(s->rewriter, HLO_REWRITE_sink_slice); k++)
        if (works_on_slices(s, all[k]) && source_of(all[k], 0)->mark != s->searched)
            search(s, source_of(all[k], 0));
    hlo_free(all);
}

hlo_pass_result hlo_pass_slice_sinker(const hlo_pass_call *call) {
    sinking s = {.rewriter = call->rewriter};
    for (hlo_computation *c = call->module->first; c; c = c->next)
        if (!c->is_fusion_body && !c->is_async_body) sink_in(&s, c);
    hlo_list_free(&s.found);
    return s.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
