/* What differs between two instructions that are counterparts, and between the headers. Called by
 * match.c and the reports. */
#include "diff/diff.h"

bool hlo_diff_counts(const hlo_diff *d, const hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    if (kind == HLO_KIND_COMPUTATION || kind == HLO_KIND_COMPUTATIONS ||
        kind == HLO_KIND_INSTRUCTIONS)
        return false;
    switch (attr->id) {
    case HLO_ATTR_METADATA: return d->settings.metadata;
    case HLO_ATTR_ORIGIN:
    case HLO_ATTR_STATISTICS: return false;
    default: return true;
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

hlo_attr hlo_diff_attr(const hlo_diff *d, const hlo_attr *attr) {
    hlo_module *m = d->a.module;
    hlo_attr made = *attr;
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

static const hlo_attr *find_attr(const hlo_attr *attrs, uint32_t n, uint16_t id) {
    for (uint32_t i = 0; i < n; i++)
        if (attrs[i].id == id) return &attrs[i];
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

static bool same_attr(const hlo_diff *d, const hlo_attr *a, const hlo_attr *b) {
    if (!a || !b) return a == b;
    if (a->id == HLO_ATTR_VALUE) return same_constant(a->u.literal, b->u.literal);
    hlo_attr x = hlo_diff_attr(d, a), y = hlo_diff_attr(d, b);
    return hlo_attr_equal(&x, &y);
}

/* Attributes of two lists. */
static uint32_t compare_attrs(const hlo_diff *d, const hlo_attr *a, uint32_t na, const hlo_attr *b,
                              uint32_t nb, hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < na; i++) {
        if (!hlo_diff_counts(d, &a[i])) continue;
        const hlo_attr *other = find_attr(b, nb, a[i].id);
        if (same_attr(d, &a[i], other)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, &a[i], other);
    }
    for (uint32_t i = 0; i < nb; i++) {
        if (!hlo_diff_counts(d, &b[i]) || find_attr(a, na, b[i].id)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_ATTRIBUTE, 0, NULL, &b[i]);
    }
    return n;
}

static uint32_t compare_operands(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b,
                                 hlo_diff_visit *visit, void *context) {
    uint32_t n = 0;
    if (a->operand_count != b->operand_count) {
        if (visit) visit(context, HLO_DIFF_OPERAND_COUNT, 0, NULL, NULL);
        return 1;
    }
    for (uint32_t i = 0; i < a->operand_count; i++) {
        /* Through what was put in between: that is reported by itself. */
        if (hlo_diff_operand_value(&d->a, a, i) == hlo_diff_operand_value(&d->b, b, i)) continue;
        n++;
        if (visit) visit(context, HLO_DIFF_OPERAND, i, NULL, NULL);
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
    n += compare_callees(d, a, b, visit, context);
    bool was_root = a->parent->root == a, is_root = b->parent->root == b;
    if (was_root != is_root) {
        n++;
        if (visit) visit(context, HLO_DIFF_ROOT, is_root, NULL, NULL);
    }
    return n;
}

uint32_t hlo_diff_compare_headers(const hlo_diff *d, hlo_diff_visit *visit, void *context) {
    return compare_attrs(d, d->a.module->attrs, d->a.module->attr_count, d->b.module->attrs,
                         d->b.module->attr_count, visit, context);
}
