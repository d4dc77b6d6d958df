/* What differs between two instructions that are counterparts, and between the headers. */
#include "diff/diff.h"

#include "ir/print_attr.h"

bool hlo_diff_counts(const hlo_diff *d, const hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    if (kind == HLO_KIND_COMPUTATION || kind == HLO_KIND_COMPUTATIONS ||
        kind == HLO_KIND_INSTRUCTIONS)
        return false;
    switch (attr->id) {
    case HLO_ATTR_METADATA:
    case HLO_ATTR_ORIGIN:
    case HLO_ATTR_ORIGIN_RECOVERY_TABLE:
    case HLO_ATTR_DEBUG_ATTRIBUTES:
    case HLO_ATTR_STATISTICS: return d->settings.metadata;
    case HLO_ATTR_WINDOW: return true; /* custom-call distinguishes an empty one from none */
    default: return !hlo_attr_is_default(attr);
    }
}

/* ---- layouts that do not count ---- */

static const hlo_shape *without_layout(hlo_shapes_table *table, const hlo_shape *shape) {
    if (hlo_shape_is_array(shape))
        return hlo_shape_array(table, (hlo_type)shape->type, shape->dims, shape->rank,
                               shape->is_dynamic, NULL, NULL);
    if (!shape->elements) return hlo_shape_import(table, shape);
    if (!hlo_shape_is_tuple(shape))
        return hlo_shape_buffer(table, without_layout(table, shape->elements[0]));
    const hlo_shape **elements = hlo_calloc(shape->rank + 1, sizeof *elements);
    for (uint32_t i = 0; i < shape->rank; i++)
        elements[i] = without_layout(table, shape->elements[i]);
    shape = hlo_shape_tuple(table, elements, shape->rank);
    hlo_free(elements);
    return shape;
}

static const hlo_shapes *without_layouts(hlo_module *m, const hlo_shapes *shapes) {
    if (!shapes) return NULL;
    hlo_shapes *made = hlo_arena_alloc(&m->arena, sizeof *made + shapes->n * sizeof *made->v);
    made->n = shapes->n;
    for (uint32_t i = 0; i < shapes->n; i++) made->v[i] = without_layout(&m->shapes, shapes->v[i]);
    return made;
}

const hlo_shape *hlo_diff_comparable_shape(const hlo_diff *d, const hlo_shape *shape) {
    hlo_shapes_table *table = &d->a.module->shapes;
    return d->settings.layouts ? hlo_shape_import(table, shape) : without_layout(table, shape);
}

static hlo_attr without_frame(hlo_module *m, const hlo_attr *attr) {
    hlo_attr made = *attr;
    hlo_metadata *metadata = HLO_NEW(&m->arena, hlo_metadata);
    *metadata = *attr->u.metadata;
    metadata->stack_frame = 0;
    made.u.metadata = metadata;
    return made;
}

hlo_attr hlo_diff_attr(const hlo_diff *d, const hlo_attr *attr) {
    hlo_module *m = d->a.module;
    hlo_attr made = *attr;
    if (attr->id == HLO_ATTR_METADATA) return without_frame(m, attr);
    if (d->settings.layouts) return made;
    switch (hlo_attr_table[attr->id].kind) {
    case HLO_KIND_SHAPE: made.u.shape = without_layout(&m->shapes, attr->u.shape); break;
    case HLO_KIND_SHAPES: made.u.shapes = without_layouts(m, attr->u.shapes); break;
    case HLO_KIND_PROGRAM_SHAPE: {
        hlo_program_shape *program = HLO_NEW(&m->arena, hlo_program_shape);
        program->parameters = without_layouts(m, attr->u.program_shape->parameters);
        program->result = without_layout(&m->shapes, attr->u.program_shape->result);
        made.u.program_shape = program;
        break;
    }
    default: break;
    }
    return made;
}

/* ---- what differs ---- */

/* NULL as well when the one that is there does not count. */
static const hlo_attr *find_attr(const hlo_diff *d, const hlo_attr *attrs, uint32_t n,
                                 uint16_t id) {
    for (uint32_t i = 0; i < n; i++)
        if (attrs[i].id == id) return hlo_diff_counts(d, &attrs[i]) ? &attrs[i] : NULL;
    return NULL;
}

bool hlo_diff_is_elided(const hlo_attr *a, const hlo_attr *b) {
    if (!a || !b || a->id != HLO_ATTR_VALUE) return false;
    return hlo_literal_is_elided(a->u.literal) != hlo_literal_is_elided(b->u.literal);
}

/* Constants that are elided on both sides count as the same. */
static bool same_constant(const hlo_literal *a, const hlo_literal *b) {
    bool elided = hlo_literal_is_elided(a);
    if (elided != hlo_literal_is_elided(b)) return false;
    return elided || hlo_literal_equal(a, b);
}

static bool same_text(const hlo_str *a, uint32_t na, uint32_t i, const hlo_str *b, uint32_t nb,
                      uint32_t k) {
    if (i - 1 >= na || k - 1 >= nb) return i == k;
    return hlo_str_equal(a[i - 1], b[k - 1]);
}

static bool same_location(const hlo_stack_frames *a, uint32_t i, const hlo_stack_frames *b,
                          uint32_t k) {
    if (i - 1 >= a->location_count || k - 1 >= b->location_count) return i == k;
    const hlo_file_location *x = &a->locations[i - 1], *y = &b->locations[k - 1];
    return x->line == y->line && x->end_line == y->end_line && x->column == y->column &&
           x->end_column == y->end_column &&
           same_text(a->files, a->file_count, x->file, b->files, b->file_count, y->file) &&
           same_text(a->functions, a->function_count, x->function, b->functions, b->function_count,
                     y->function);
}

/* Frames by content, from the innermost call outwards: tables may be numbered differently. */
static bool same_frames(const hlo_stack_frames *a, uint32_t i, const hlo_stack_frames *b,
                        uint32_t k) {
    uint32_t most = a->frame_count; /* parents of a broken table may lead in a circle */
    for (uint32_t depth = 0; depth <= most; depth++) {
        if (i - 1 >= a->frame_count || k - 1 >= b->frame_count) return i == k;
        const hlo_stack_frame *x = &a->frames[i - 1], *y = &b->frames[k - 1];
        if (!same_location(a, x->location, b, y->location)) return false;
        i = x->parent;
        k = y->parent;
    }
    return true;
}

static bool same_attr(const hlo_diff *d, const hlo_attr *a, const hlo_attr *b) {
    if (!a || !b) return a == b;
    if (a->id == HLO_ATTR_VALUE) return same_constant(a->u.literal, b->u.literal);
    if (a->id == HLO_ATTR_METADATA &&
        !same_frames(&d->a.module->frames, a->u.metadata->stack_frame, &d->b.module->frames,
                     b->u.metadata->stack_frame))
        return false;
    hlo_attr x = hlo_diff_attr(d, a), y = hlo_diff_attr(d, b);
    return hlo_attr_equal(&x, &y);
}

/* Attributes of two lists. */
static uint32_t compare_attrs(const hlo_diff *d, const hlo_attr *a, uint32_t na, const hlo_attr *b,
                              uint32_t nb, hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < na; i++) {
        if (!hlo_diff_counts(d, &a[i])) continue;
        const hlo_attr *other = find_attr(d, b, nb, a[i].id);
        if (same_attr(d, &a[i], other)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, &a[i], other);
    }
    for (uint32_t i = 0; i < nb; i++) {
        if (!hlo_diff_counts(d, &b[i]) || find_attr(d, a, na, b[i].id)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, NULL, &b[i]);
    }
    return n;
}

/* Through what was put in between: that is reported by itself. Of two runs of what has an effect,
 * one is not the other, even if they look the same. */
static bool same_operand(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b, uint32_t i) {
    HLO_ASSERT(i < a->operand_count && i < b->operand_count);
    if (hlo_diff_operand_value(&d->a, a, i) != hlo_diff_operand_value(&d->b, b, i)) return false;
    const hlo_instr *x = hlo_operand(a, i), *y = hlo_operand(b, i);
    const hlo_instr *now = hlo_diff_partner(&d->a, x);
    return now == y || !now || !hlo_diff_partner(&d->b, y) || !hlo_diff_has_effect(&d->a, x);
}

static uint32_t compare_operands(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                                 hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    if (a->operand_count != b->operand_count) {
        if (visit) visit(context, HLO_DIFF_OPERAND_COUNT, 0, NULL, NULL);
        return 1;
    }
    for (uint32_t i = 0; i < a->operand_count; i++) {
        if (same_operand(d, a, b, i)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_OPERAND, i, NULL, NULL);
    }
    return n;
}

const hlo_attr_id hlo_diff_edges[HLO_DIFF_EDGES] = {HLO_ATTR_CONTROL_PREDECESSORS,
                                                    HLO_ATTR_BACK_EDGE};

static bool names(const hlo_attr *attr, const hlo_instr *wanted) {
    for (uint32_t i = 0; attr && i < attr->u.instructions->n; i++)
        if (attr->u.instructions->v[i] == wanted) return true;
    return false;
}

/* Every counterpart of what one names is named by the other. */
static bool edges_are_kept(const hlo_diff_side *side, const hlo_attr *from, const hlo_attr *to) {
    for (uint32_t i = 0; from && i < from->u.instructions->n; i++)
        if (!names(to, hlo_diff_partner(side, from->u.instructions->v[i]))) return false;
    return true;
}

static uint32_t compare_edges(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                              hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (int k = 0; k < HLO_DIFF_EDGES; k++) {
        const hlo_attr *x = hlo_instr_attr(a, hlo_diff_edges[k]);
        const hlo_attr *y = hlo_instr_attr(b, hlo_diff_edges[k]);
        if (edges_are_kept(&d->a, x, y) && edges_are_kept(&d->b, y, x)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, x, y);
    }
    return n;
}

static uint32_t compare_callees(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                                hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (uint32_t k = 0; hlo_called(a, k) || hlo_called(b, k); k++) {
        const hlo_computation *x = hlo_called(a, k), *y = hlo_called(b, k);
        if (x && y && (d->a.body[x->id] == d->b.body[y->id] || d->a.met[x->id] == y)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_CALLEE, k, NULL, NULL);
    }
    return n;
}

/* What concerns the computation is reported at its root. */
static uint32_t compare_places(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                               hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    bool was_root = a->parent->root == a, is_root = b->parent->root == b;
    if (was_root != is_root) {
        n++;
        if (visit) visit(context, HLO_DIFF_ROOT, is_root, NULL, NULL);
    }
    if (was_root && is_root &&
        !hlo_str_equal(a->parent->execution_thread, b->parent->execution_thread)) {
        n++;
        if (visit) visit(context, HLO_DIFF_THREAD, 0, NULL, NULL);
    }
    if (d->a.moved && d->a.moved[hlo_diff_number(&d->a, a)]) {
        n++;
        if (visit) visit(context, HLO_DIFF_PLACE, 0, NULL, NULL);
    }
    return n;
}

uint32_t hlo_diff_compare(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                          hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    if (d->a.met[a->parent->id] != b->parent) {
        n++;
        if (visit) visit(context, HLO_DIFF_COMPUTATION, 0, NULL, NULL);
    }
    if (a->opcode != b->opcode) {
        n++;
        if (visit) visit(context, HLO_DIFF_OPCODE, 0, NULL, NULL);
    }
    if (!hlo_diff_same_shape(d, a, b)) {
        n++;
        if (visit) visit(context, HLO_DIFF_SHAPE, 0, NULL, NULL);
    }
    n += compare_operands(d, a, b, visit, context);
    n += compare_attrs(d, a->attrs, a->attr_count, b->attrs, b->attr_count, visit, context);
    n += compare_edges(d, a, b, visit, context);
    n += compare_callees(d, a, b, visit, context);
    return n + compare_places(d, a, b, visit, context);
}

bool hlo_diff_pair_differs(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b) {
    for (const hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner || hlo_diff_compare(d, i, partner, NULL, NULL)) return true;
    }
    for (const hlo_instr *i = b->first; i; i = i->next)
        if (!hlo_diff_partner(&d->b, i)) return true;
    return false;
}

uint32_t hlo_diff_compare_headers(const hlo_diff *d, hlo_diff_visit *visit, void *context) {
    return compare_attrs(d, d->a.module->attrs, d->a.module->attr_count, d->b.module->attrs,
                         d->b.module->attr_count, visit, context);
}
