/* reduce and reduce-window by any associative computation as that computation on whole arrays,
 * which has a gradient where its operations have one: see prepared.h. Neighbours are combined
 * first, in the order in which they stand, so that it need not be commutative. */
#include "analysis/match.h"
#include "base/list.h"
#include "passes/autodiff/prepared.h"
#include "passes/autodiff/window.h"
#include "passes/pipeline/inline.h"

/* Arrays that are combined side by side, all of the same sizes. */
typedef struct {
    hlo_instr **v;
    hlo_instr *counts; /* pred: which elements are no padding; NULL: all */
} arrays;

typedef struct {
    hlo_rewriter *r;
    const hlo_instr *instr;
    hlo_computation *combine;
    uint32_t n;
} reduction;

/* ---- the computation on arrays ---- */

enum { DEEPEST_CALL = 16 };

static bool is_applicable(const hlo_computation *c, unsigned depth) {
    if (depth == DEEPEST_CALL || !c->root) return false;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        bool fits = true;
        switch ((hlo_opcode)i->opcode) {
        case HLO_OP_PARAMETER:
        case HLO_OP_CONSTANT: fits = hlo_shape_is_array(i->shape) && !i->shape->rank; break;
        case HLO_OP_TUPLE: fits = i == c->root; break;
        case HLO_OP_GET_TUPLE_ELEMENT: fits = hlo_operand(i, 0)->opcode == HLO_OP_CALL; break;
        case HLO_OP_CALL: fits = is_applicable(hlo_called(i, 0), depth + 1); break;
        default: fits = (hlo_info(i)->flags & HLO_OP_IS_ELEMENTWISE) && !i->shape->rank;
        }
        if (!fits || hlo_instr_has_side_effect(i) ||
            hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS))
            return false;
    }
    return true;
}

static void apply_to(hlo_rewriter *r, hlo_computation *c, hlo_instr *const *args,
                     const hlo_shape *like, hlo_instr **results);

/* The parts of a scalar's, or a call's, counterpart on arrays. */
static void widen(hlo_rewriter *r, hlo_instr *scalar, hlo_instr ***copies, const hlo_shape *like,
                  hlo_instr **to) {
    uint32_t n = scalar->operand_count;
    hlo_instr **operands = hlo_malloc((n + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < n; i++) operands[i] = copies[hlo_operand(scalar, i)->index][0];
    if (scalar->opcode == HLO_OP_CALL) {
        apply_to(r, hlo_called(scalar, 0), operands, like, to);
    } else if (scalar->opcode == HLO_OP_TUPLE) {
        for (uint32_t i = 0; i < n; i++) to[i] = operands[i];
    } else if (scalar->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        to[0] = copies[hlo_operand(scalar, 0)->index][hlo_attr_int(scalar, HLO_ATTR_INDEX)];
    } else {
        const hlo_shape *shape =
            hlo_shape_with_type(&r->module->shapes, like, (hlo_type)scalar->shape->type);
        const hlo_literal *literal = hlo_constant_of(scalar);
        to[0] = literal ? hlo_emit_filled_with(r, shape, hlo_literal_data(literal))
                        : hlo_emit_like(r, scalar, shape, operands, n);
    }
    hlo_free(operands);
}

static void apply_to(hlo_rewriter *r, hlo_computation *c, hlo_instr *const *args,
                     const hlo_shape *like, hlo_instr **results) {
    hlo_number_instructions(c);
    uint32_t count = c->instr_count;
    hlo_instr ***copies = hlo_calloc(count + 1u, sizeof *copies);
    for (hlo_instr *i = c->first; i; i = i->next) {
        uint32_t parts = hlo_shape_part_count(i->shape);
        hlo_instr **to = copies[i->index] = hlo_malloc((parts + 1u) * sizeof *to);
        if (i->opcode == HLO_OP_PARAMETER) to[0] = args[hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER)];
        else widen(r, i, copies, like, to);
    }
    uint32_t parts = hlo_shape_part_count(c->root->shape);
    for (uint32_t i = 0; i < parts; i++) results[i] = copies[c->root->index][i];
    for (uint32_t i = 0; i < count; i++) hlo_free(copies[i]);
    hlo_free(copies);
}

/* ---- combining ---- */

static arrays new_arrays(const reduction *d) {
    return (arrays){.v = HLO_NEW_ARRAY(&d->r->module->arena, hlo_instr *, d->n)};
}

static arrays applied(const reduction *d, arrays a, arrays b) {
    arrays out = new_arrays(d);
    hlo_instr **args = hlo_malloc((2 * d->n + 1u) * sizeof *args);
    for (uint32_t i = 0; i < d->n; i++) {
        args[i] = a.v[i];
        args[d->n + i] = b.v[i];
    }
    apply_to(d->r, d->combine, args, a.v[0]->shape, out.v);
    hlo_free(args);
    return out;
}

/* Where one of them is padding, the other is the result. */
static arrays combined(const reduction *d, arrays a, arrays b) {
    arrays out = applied(d, a, b);
    if (!a.counts) return out;
    for (uint32_t i = 0; i < d->n; i++) {
        hlo_instr *if_first = hlo_build_select(d->r, b.counts, out.v[i], a.v[i]);
        out.v[i] = hlo_build_select(d->r, a.counts, if_first, b.v[i]);
    }
    out.counts = hlo_build_binary(d->r, HLO_OP_OR, a.counts, b.counts);
    return out;
}

/* Elements start, start + stride ... of a dimension. */
static hlo_instr *every(hlo_rewriter *r, hlo_instr *a, int64_t dimension, int64_t start,
                        int64_t stride, int64_t n) {
    HLO_ASSERT(dimension >= 0 && dimension < a->shape->rank);
    if (a->shape->dims[dimension] == n) return a;
    hlo_slice *slice = hlo_new_whole_slice(r, a->shape);
    slice->v[dimension].start = start;
    slice->v[dimension].stride = stride;
    slice->v[dimension].limit = start + (n - 1) * stride + 1;
    int64_t *sizes = hlo_malloc(a->shape->rank * sizeof *sizes);
    for (uint32_t i = 0; i < a->shape->rank; i++) sizes[i] = a->shape->dims[i];
    sizes[dimension] = n;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)a->shape->type, sizes, a->shape->rank);
    hlo_free(sizes);
    return hlo_emit_slice(r, shape, a, slice);
}

static arrays every_of(const reduction *d, arrays a, int64_t dimension, int64_t start,
                       int64_t stride, int64_t n) {
    arrays out = new_arrays(d);
    for (uint32_t i = 0; i < d->n; i++) out.v[i] = every(d->r, a.v[i], dimension, start, stride, n);
    if (a.counts) out.counts = every(d->r, a.counts, dimension, start, stride, n);
    return out;
}

/* Initial values before what has been combined. */
static hlo_instr *with_inits(const reduction *d, arrays all) {
    arrays inits = new_arrays(d);
    const hlo_shape *like = all.v[0]->shape;
    for (uint32_t i = 0; i < d->n; i++)
        inits.v[i] = hlo_build_spread(d->r, hlo_operand(d->instr, d->n + i), like, NULL);
    arrays out = applied(d, inits, all);
    for (uint32_t i = 0; i < d->n; i++) {
        if (all.counts) out.v[i] = hlo_build_select(d->r, all.counts, out.v[i], inits.v[i]);
        const hlo_shape *shape = hlo_shape_part(d->instr->shape, i);
        if (out.v[i]->shape != shape) out.v[i] = hlo_emit_unary(d->r, HLO_OP_COPY, shape, out.v[i]);
    }
    return hlo_shape_is_tuple(d->instr->shape) ? hlo_emit_tuple(d->r, out.v, d->n) : out.v[0];
}

/* ---- what is for rules, and what is refused ---- */

static bool has_rule(const hlo_instr *instr, uint32_t i, uint32_t n) {
    hlo_opcode opcode = hlo_combiner_of(hlo_called(instr, 0), i, n);
    bool is_real = !hlo_type_is_complex((hlo_type)hlo_operand(instr, i)->shape->type);
    return opcode == HLO_OP_ADD || opcode == HLO_OP_MULTIPLY ||
           (is_real && (opcode == HLO_OP_MAXIMUM || opcode == HLO_OP_MINIMUM));
}

/* Results that nothing takes need no gradient: an argmax is rarely asked for its maximum. */
static bool is_taken(const hlo_instr *instr, uint32_t i) {
    if (hlo_shape_is_array(instr->shape) || instr->parent->root == instr) return true;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT ||
            hlo_attr_int(use->user, HLO_ATTR_INDEX) == i)
            return true;
    return false;
}

static bool needs_rewriting(const reduction *d) {
    bool needs = false;
    for (uint32_t i = 0; i < d->n; i++) {
        const hlo_shape *shape = hlo_operand(d->instr, i)->shape;
        hlo_type type = (hlo_type)shape->type;
        if (shape->dynamic || !hlo_shape_elements(shape) ||
            !hlo_shape_elements(hlo_shape_part(d->instr->shape, i)))
            return false;
        bool is_floating = hlo_type_is_float(type) || hlo_type_is_complex(type);
        needs |= is_floating && is_taken(d->instr, i) && !has_rule(d->instr, i, d->n);
    }
    return needs && is_applicable(d->combine, 0);
}

static reduction reduction_of(hlo_rewriter *r, const hlo_instr *instr) {
    return (reduction){r, instr, hlo_called(instr, 0), instr->operand_count / 2};
}

/* ---- reduce ---- */

/* Dimensions that are reduced become the last one. */
static hlo_instr *as_rows(const reduction *d, hlo_instr *x) {
    const hlo_ints *dims = hlo_attr_ints(d->instr, HLO_ATTR_DIMENSIONS);
    uint32_t rank = x->shape->rank, kept = 0, n = 0;
    int64_t *order = hlo_malloc((rank + 1u) * sizeof *order);
    int64_t *sizes = hlo_malloc((rank + 1u) * sizeof *sizes);
    for (uint32_t i = 0; i < rank; i++)
        if (!hlo_ints_contain(dims, i)) order[kept++] = i;
    n = kept;
    for (uint32_t i = 0; i < rank; i++)
        if (hlo_ints_contain(dims, i)) order[n++] = i;
    x = hlo_build_transpose(d->r, x, order);
    sizes[kept] = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (i < kept) sizes[i] = x->shape->dims[i];
        else sizes[kept] *= x->shape->dims[i];
    x = hlo_build_reshape(d->r, x, sizes, kept + 1);
    hlo_free(order);
    hlo_free(sizes);
    return x;
}

/* Half as many: each pair as one, and one that is left over. */
static arrays halved(const reduction *d, arrays rows, int64_t dimension) {
    int64_t n = rows.v[0]->shape->dims[dimension], half = n / 2;
    arrays first = every_of(d, rows, dimension, 0, 2, half);
    arrays second = every_of(d, rows, dimension, 1, 2, half);
    arrays out = combined(d, first, second);
    if (n % 2 == 0) return out;
    arrays last = every_of(d, rows, dimension, n - 1, 1, 1);
    for (uint32_t i = 0; i < d->n; i++)
        out.v[i] = hlo_build_concatenate(d->r, (hlo_instr *[]){out.v[i], last.v[i]}, 2, dimension);
    return out;
}

hlo_instr *hlo_reduce_as_tree(hlo_rewriter *r, hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    reduction d = reduction_of(r, reduce);
    if (!needs_rewriting(&d)) return NULL;
    arrays rows = new_arrays(&d);
    for (uint32_t i = 0; i < d.n; i++) rows.v[i] = as_rows(&d, hlo_operand(reduce, i));
    uint32_t last = rows.v[0]->shape->rank - 1;
    while (rows.v[0]->shape->dims[last] > 1) rows = halved(&d, rows, last);
    for (uint32_t i = 0; i < d.n; i++)
        rows.v[i] = hlo_build_reshape(r, rows.v[i], rows.v[i]->shape->dims, last);
    return with_inits(&d, rows);
}

/* ---- reduce-window ---- */

/* Each element of the one with the element of the other that stands `start` after it. */
static arrays combined_at(const reduction *d, arrays a, arrays b, int64_t dimension,
                          int64_t start) {
    int64_t length = b.v[0]->shape->dims[dimension] - start;
    arrays first = every_of(d, a, dimension, 0, 1, length);
    return combined(d, first, every_of(d, b, dimension, start, 1, length));
}

/* From each element on, `size` elements that stand `dilation` apart. */
static arrays along(const reduction *d, arrays power, int64_t dimension, int64_t size,
                    int64_t dilation) {
    arrays all = power;
    int64_t have = 0;
    for (int64_t n = 1;; n *= 2) {
        if (size & n) {
            all = have ? combined_at(d, all, power, dimension, have * dilation) : power;
            have += n;
        }
        if (n > size / 2) return all;
        power = combined_at(d, power, power, dimension, n * dilation);
    }
}

static bool size_fits_window(const hlo_shape *shape, const hlo_window *window) {
    enum { MOST_BITS = 40 };
    int64_t elements = 1, length;
    for (uint32_t i = 0; i < window->n; i++)
        if (window->v[i].reversed ||
            !hlo_dilated_extent(shape->dims[i], window->v[i].base_dilation, &length) ||
            __builtin_mul_overflow(elements, length + window->v[i].pad_low + window->v[i].pad_high,
                                   &elements) ||
            elements > (int64_t)1 << MOST_BITS)
            return false;
    return true;
}

static hlo_instr *padded(hlo_rewriter *r, hlo_instr *x, hlo_instr *value,
                         const hlo_padding *padding) {
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    return hlo_emit(r, HLO_OP_PAD, NULL, (hlo_instr *[]){x, value}, 2, &attr, 1);
}

static arrays padded_operands(const reduction *d, const hlo_window *window) {
    hlo_padding *padding = hlo_new_padding(d->r, window->n);
    arrays out = new_arrays(d);
    bool pads = false;
    for (uint32_t i = 0; i < window->n; i++) {
        padding->v[i].low = window->v[i].pad_low;
        padding->v[i].high = window->v[i].pad_high;
        padding->v[i].interior = window->v[i].base_dilation - 1;
        pads |= padding->v[i].low || padding->v[i].high || padding->v[i].interior;
    }
    for (uint32_t i = 0; i < d->n; i++) {
        hlo_instr *x = hlo_operand(d->instr, i), *init = hlo_operand(d->instr, d->n + i);
        out.v[i] = pads ? padded(d->r, x, init, padding) : x;
    }
    if (!pads) return out;
    const hlo_shape *pred =
        hlo_shape_with_type(&d->r->module->shapes, hlo_operand(d->instr, 0)->shape, HLO_PRED);
    hlo_instr *yes = hlo_build_integer(d->r, pred, 1);
    hlo_instr *no = hlo_build_integer(d->r, hlo_shape_scalar(&d->r->module->shapes, HLO_PRED), 0);
    out.counts = padded(d->r, yes, no, padding);
    return out;
}

hlo_instr *hlo_windows_as_tree(hlo_rewriter *r, hlo_instr *windows) {
    HLO_ASSERT(windows->opcode == HLO_OP_REDUCE_WINDOW);
    reduction d = reduction_of(r, windows);
    const hlo_attr *attr = hlo_instr_attr(windows, HLO_ATTR_WINDOW);
    const hlo_shape *result = hlo_shape_part(windows->shape, 0);
    if (!attr || !needs_rewriting(&d)) return NULL;
    const hlo_window *window = attr->u.window;
    if (!size_fits_window(hlo_operand(windows, 0)->shape, window)) return NULL;
    arrays all = padded_operands(&d, window);
    for (uint32_t i = window->n; i-- > 0;)
        all = along(&d, all, i, window->v[i].size, window->v[i].window_dilation);
    for (uint32_t i = 0; i < window->n; i++)
        all = every_of(&d, all, i, 0, window->v[i].stride, result->dims[i]);
    return with_inits(&d, all);
}
