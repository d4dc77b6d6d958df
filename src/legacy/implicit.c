/* What the operation semantics leave unsaid: broadcasts of operands of elementwise operations, and
 * the dimensions that a dot contracts. */
#include "legacy/old_text.h"

static bool is_array(const hlo_old_text *t, hlo_span shape) {
    hlo_span type = hlo_old_element_type(t, shape);
    return hlo_type_from_text(t->text + type.lo, type.hi - type.lo) != HLO_TYPE_COUNT;
}

/* The shapes of an operation of two arrays whose result is one. */
static bool take_shapes(const hlo_old_text *t, const hlo_old_statement *s, hlo_span shapes[2]) {
    if (s->operand_count != 2 || !is_array(t, s->shape)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        shapes[i] = hlo_old_operand_shape(t, s, i, nowhere);
        if (!is_array(t, shapes[i])) return false;
    }
    return true;
}

/* ---- broadcasts ---- */

static bool is_elementwise(const hlo_old_text *t, const hlo_old_statement *s) {
    hlo_str word = hlo_old_str(t, s->opcode);
    hlo_opcode op = hlo_op_from_text(word.ptr, word.len);
    return op != HLO_OP_COUNT && hlo_ops[op].flags & HLO_OP_IS_ELEMENTWISE;
}

/* ---- dimensions of size 1 ---- */

/* Where each dimension of an operand stands in the result, whose sizes are known. */
typedef struct {
    hlo_old_numbers sizes, places;
} placement;

/* In the places that are given for its dimensions, else in those of the result. */
static bool place(const hlo_old_numbers *sizes, const hlo_old_numbers *result,
                  const hlo_old_numbers *given, placement *p) {
    p->sizes = *sizes;
    p->places = *given;
    if (given->n != sizes->n && sizes->n == result->n)
        for (p->places.n = 0; p->places.n < sizes->n; p->places.n++)
            p->places.v[p->places.n] = p->places.n;
    if (sizes->n < 0 || p->places.n != sizes->n) return false;
    for (int i = 0; i < sizes->n; i++) {
        int64_t at = p->places.v[i];
        if (at < 0 || at >= result->n || (i && at <= p->places.v[i - 1])) return false;
        if (sizes->v[i] != 1 && sizes->v[i] != result->v[at]) return false;
    }
    return true;
}

/* Without the dimensions that expand. */
static placement without_expanded(const placement *p, const hlo_old_numbers *result) {
    placement kept = {{.n = 0}, {.n = 0}};
    for (int i = 0; i < p->sizes.n; i++) {
        if (p->sizes.v[i] != result->v[p->places.v[i]]) continue;
        kept.sizes.v[kept.sizes.n++] = p->sizes.v[i];
        kept.places.v[kept.places.n++] = p->places.v[i];
    }
    return kept;
}

/* The operand, without its dimensions that expand: a new name or itself. */
static const char *put_kept(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand,
                            const placement *p, placement *kept, const hlo_old_numbers *result) {
    hlo_span type = hlo_old_element_type(t, hlo_old_operand_shape(t, s, operand, s->shape));
    *kept = without_expanded(p, result);
    if (kept->sizes.n == p->sizes.n) return hlo_old_operand_text(t, s, operand);
    const char *name =
        hlo_old_before(t, s, "degenerate", "%.*s[%s] reshape(%.*s)", HLO_OLD(t, type),
                       hlo_old_numbers_text(t, &kept->sizes), HLO_OLD(t, s->operands[operand].all));
    return hlo_old_with_percent(t, name);
}

static void expand(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand,
                   const placement *p, const hlo_old_numbers *result) {
    placement kept;
    hlo_span type = hlo_old_element_type(t, hlo_old_operand_shape(t, s, operand, s->shape));
    const char *x = put_kept(t, s, operand, p, &kept, result);
    if (kept.sizes.n == result->n) return;
    const char *name = hlo_old_before(
        t, s, "broadcast_of_operand", "%.*s[%s] broadcast(%s), dimensions={%s}", HLO_OLD(t, type),
        hlo_old_numbers_text(t, result), x, hlo_old_numbers_text(t, &kept.places));
    hlo_old_edit(t, s->operands[operand].all, "%%%s", name);
}

/* False: the sizes are not known, or do not fit. */
static bool expand_both(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_numbers *given) {
    hlo_old_numbers result = hlo_old_sizes(t, s->shape);
    placement places[2];
    for (uint32_t i = 0; i < 2; i++) {
        hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, i);
        if (result.n < 0 || !place(&sizes, &result, given, &places[i])) return false;
    }
    for (uint32_t i = 0; i < 2; i++) expand(t, s, i, &places[i], &result);
    return true;
}

/* Operands of the result's dimensions need no broadcast: then the attribute has no effect. */
void hlo_old_broadcast_dimensions(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        const hlo_old_attr *dims = hlo_old_attribute(t, s, "broadcast_dimensions");
        hlo_span shapes[2];
        if (!dims || !is_elementwise(t, s) || !take_shapes(t, s, shapes)) continue;
        hlo_old_numbers given = hlo_old_numbers_of(t, s, "broadcast_dimensions");
        hlo_old_found(t, dims->name);
        if (expand_both(t, s, &given)) hlo_old_remove_attr(t, dims);
        else
            hlo_old_refuse(t, dims->value,
                           "expected the dimensions of the result, ascending, that those of the "
                           "operand of lower rank are, of the same size or of size 1");
    }
}

/* Whether an operand has a dimension of size 1 that the other one, or the result, has not. */
static bool has_expanded(const hlo_old_numbers *sizes, const hlo_old_numbers *result) {
    for (int i = 0; i < sizes->n && sizes->n == result->n; i++)
        if (sizes->v[i] == 1 && result->v[i] != 1) return true;
    return false;
}

void hlo_old_degenerate_dimensions(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span shapes[2];
        if (!is_elementwise(t, s) || !take_shapes(t, s, shapes)) continue;
        hlo_old_numbers result = hlo_old_sizes(t, s->shape), none = {.n = -1};
        hlo_old_numbers lhs = hlo_old_sizes(t, shapes[0]), rhs = hlo_old_sizes(t, shapes[1]);
        bool is_old = has_expanded(&lhs, &result) || has_expanded(&rhs, &result);
        if (is_old && expand_both(t, s, &none)) hlo_old_found(t, s->opcode);
    }
}

/* Of one operand: broadcast-in-dim, or a broadcast that expands dimensions of size 1. */
static bool is_broadcast_in_dim(const hlo_old_text *t, const hlo_old_statement *s, const char *dims,
                                hlo_old_numbers *result, placement *p) {
    hlo_old_numbers sizes = hlo_old_operand_sizes(t, s, 0), given = hlo_old_numbers_of(t, s, dims);
    *result = hlo_old_sizes(t, s->shape);
    return sizes.n >= 0 && sizes.n == given.n && result->n >= 0 && place(&sizes, result, &given, p);
}

static bool has_sizes(const hlo_old_text *t, const hlo_old_statement *s, const char *name,
                      const hlo_old_numbers *result) {
    hlo_old_numbers written = hlo_old_numbers_of(t, s, name);
    bool same = written.n == result->n;
    for (int i = 0; same && i < written.n; i++) same = written.v[i] == result->v[i];
    return same;
}

static void translate_in_dim(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *dims,
                             const placement *p, const hlo_old_numbers *result) {
    placement kept;
    const hlo_old_attr *sizes = hlo_old_attribute(t, s, "out_dim_size");
    const char *x = put_kept(t, s, 0, p, &kept, result);
    hlo_old_edit(t, s->opcode, "broadcast");
    hlo_old_set_operands(t, s, "%s", x);
    hlo_old_edit(t, (hlo_span){dims->name.lo, dims->value.hi}, "dimensions={%s}",
                 hlo_old_numbers_text(t, &kept.places));
    if (sizes) hlo_old_remove_attr(t, sizes);
}

void hlo_old_broadcast_in_dim(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        bool is_named = hlo_old_is(t, s->opcode, "broadcast-in-dim");
        const char *name = is_named ? "broadcast_dimensions" : "dimensions";
        const hlo_old_attr *dims = hlo_old_attribute(t, s, name);
        if ((!is_named && !hlo_old_is(t, s->opcode, "broadcast")) || s->operand_count != 1)
            continue;
        hlo_old_numbers result;
        placement p;
        bool good =
            dims && is_broadcast_in_dim(t, s, name, &result, &p) &&
            (!hlo_old_attribute(t, s, "out_dim_size") || has_sizes(t, s, "out_dim_size", &result));
        if (!is_named && (!good || without_expanded(&p, &result).sizes.n == p.sizes.n)) continue;
        hlo_old_found(t, s->opcode);
        if (good) translate_in_dim(t, s, dims, &p, &result);
        else
            hlo_old_refuse(
                t, s->opcode,
                "expected broadcast_dimensions=, the dimensions of the result, ascending, "
                "that those of the operand are, of the same size or of size 1");
    }
}

/* ---- scalars ---- */

/* The scalar gets the dimensions of the result, which may be dynamic. */
static void broadcast(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand,
                      hlo_span shape) {
    hlo_span type = hlo_old_element_type(t, shape), sizes = hlo_old_element_type(t, s->shape);
    sizes = (hlo_span){sizes.hi, hlo_old_brackets_end(t, sizes.hi)};
    const char *name =
        hlo_old_before(t, s, "broadcast_of_operand", "%.*s%.*s broadcast(%.*s), dimensions={}",
                       HLO_OLD(t, type), HLO_OLD(t, sizes), HLO_OLD(t, s->operands[operand].all));
    HLO_ASSERT(operand < s->operand_count);
    hlo_old_edit(t, s->operands[operand].all, "%%%s", name);
}

void hlo_old_scalar_operand(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span shapes[2];
        if (!is_elementwise(t, s) || !take_shapes(t, s, shapes)) continue;
        uint32_t ranks[2] = {hlo_old_rank(t, shapes[0]), hlo_old_rank(t, shapes[1])};
        if (!ranks[0] == !ranks[1] || !hlo_old_rank(t, s->shape)) continue;
        uint32_t scalar = !ranks[1];
        hlo_old_found(t, s->operands[scalar].all);
        broadcast(t, s, scalar, shapes[scalar]);
    }
}

/* ---- dot ---- */

/* Vectors and matrices, and a result that lacks the two dimensions which are contracted: without
 * them, a dot of today is an outer product. */
void hlo_old_dot_dimensions(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        hlo_span shapes[2];
        if (!hlo_old_is(t, s->opcode, "dot") || !take_shapes(t, s, shapes)) continue;
        bool has_dims = hlo_old_attribute(t, s, "lhs_contracting_dims") ||
                        hlo_old_attribute(t, s, "rhs_contracting_dims") ||
                        hlo_old_attribute(t, s, "lhs_batch_dims");
        if (has_dims) continue;
        uint32_t left = hlo_old_rank(t, shapes[0]), right = hlo_old_rank(t, shapes[1]);
        bool small = left >= 1 && left <= 2 && right >= 1 && right <= 2;
        if (!small || hlo_old_rank(t, s->shape) + 2 != left + right) continue;
        hlo_old_found(t, s->opcode);
        hlo_old_add_attr(t, s, ", lhs_contracting_dims={%u}, rhs_contracting_dims={0}", left - 1);
    }
}
