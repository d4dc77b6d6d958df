/* float-normalization: what is computed in a small float type is computed in a wider one, and
 * rounded to the small one where that was done before. */
#include "analysis/call_graph.h"
#include "analysis/match.h"
#include "passes/pipeline/expression.h"
#include "shape/compatible.h"
#include "shape/verify.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *rewriter;
    hlo_call_graph graph;
    bool *stays; /* by id, of the graph's computations: a collective applies it */
    HLO_LIST(hlo_computation *) copies; /* of those, for other operations */
    uint32_t ids;
    hlo_type small, wide;
    bool mixed; /* only instructions that the plain verifier refuses */
    bool changed;
} normalization;

/* ---- types ---- */

/* Holds every value of the type: f16 where its exponents suffice. */
static hlo_type wider(hlo_type type) {
    return type != HLO_F16 && hlo_types[type].exponent_bits <= hlo_types[HLO_F16].exponent_bits
               ? HLO_F16
               : HLO_F32;
}

static bool is_small_float(hlo_type type) {
    return hlo_type_is_float(type) && hlo_types[type].bits < hlo_types[HLO_F32].bits;
}

static bool has_small(const normalization *n, const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return shape->type == n->small;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (has_small(n, shape->elements[i])) return true;
    return false;
}

/* Elements of a wider type have no packing. */
static const hlo_shape *wide_array(const normalization *n, const hlo_shape *shape) {
    hlo_shapes_table *shapes = &n->rewriter->module->shapes;
    const hlo_layout_parts *parts = shape->layout->parts;
    if (!parts || !parts->element_bits) return hlo_shape_with_type(shapes, shape, n->wide);
    hlo_layout_parts unpacked = *parts;
    unpacked.element_bits = 0;
    return hlo_shape_array(shapes, n->wide, shape->dims, shape->rank, shape->is_dynamic,
                           shape->layout->minor_to_major, &unpacked);
}

/* An array, or a tuple of arrays. */
static const hlo_shape *wide_shape(const normalization *n, const hlo_shape *shape) {
    if (shape->type == n->small) return wide_array(n, shape);
    if (!hlo_shape_is_tuple(shape)) return shape;
    const hlo_shape **elements = hlo_malloc((shape->rank + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < shape->rank; i++) elements[i] = wide_shape(n, shape->elements[i]);
    const hlo_shape *wide = hlo_shape_tuple(&n->rewriter->module->shapes, elements, shape->rank);
    hlo_free(elements);
    return wide;
}

/* Whether the bytes of the wider arrays can be counted. */
static bool can_be_wide(const normalization *n, const hlo_shape *shape) {
    if (shape->type == n->small)
        return (shape->dynamic && hlo_shape_has_unbounded(shape)) ||
               hlo_shape_bytes(wide_array(n, shape)) >= 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        if (!can_be_wide(n, shape->elements[i])) return false;
    return true;
}

/* The instruction in another shape: arrays are converted where the types differ. */
static hlo_instr *in_shape(hlo_rewriter *r, hlo_instr *instr, const hlo_shape *shape) {
    if (instr->shape == shape) return instr;
    if (!hlo_shape_is_tuple(shape)) return hlo_emit_unary(r, HLO_OP_CONVERT, shape, instr);
    hlo_instr **elements = hlo_malloc((shape->rank + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < shape->rank; i++)
        elements[i] = in_shape(r, hlo_emit_element(r, instr, i), shape->elements[i]);
    hlo_instr *tuple = hlo_emit_tuple(r, elements, shape->rank);
    hlo_free(elements);
    return tuple;
}

/* ---- what is applied ---- */

static bool takes_small(const normalization *n, const hlo_computation *c) {
    bool takes = has_small(n, c->root->shape);
    for (uint32_t i = 0; i < c->parameter_count && !takes; i++)
        takes = has_small(n, c->parameters[i]->shape);
    return takes;
}

/* The parameter takes the wider type; who used it gets it rounded. */
static void widen_parameter(normalization *n, hlo_instr *parameter) {
    hlo_rewriter *r = n->rewriter;
    const hlo_shape *shape = parameter->shape;
    if (!has_small(n, shape)) return;
    r->target = parameter->next;
    parameter->shape = wide_shape(n, shape);
    hlo_instr *rounded = hlo_emit_unary(r, HLO_OP_CONVERT, shape, parameter);
    hlo_instr_replace_all_uses(parameter, rounded);
    hlo_instr_set_operand(rounded, 0, parameter);
}

/* A body that stays as it is has not been looked at; its copy must be. */
static void look_at_copy(normalization *n, const hlo_computation *c, hlo_computation *copy) {
    if (c->id >= n->ids || !n->stays[c->id]) return;
    hlo_list_push(&n->copies, copy);
}

/* A copy of what the operation applies that takes and gives the wider type. */
static hlo_computation *wide_copy(normalization *n, hlo_computation *c) {
    hlo_rewriter *r = n->rewriter;
    hlo_instr *target = r->target;
    hlo_computation *copy = hlo_computation_clone(c, "clone");
    hlo_instr *place = hlo_open_end(r, copy);
    for (uint32_t i = 0; i < copy->parameter_count; i++) widen_parameter(n, copy->parameters[i]);
    r->target = place;
    copy->root = in_shape(r, copy->root, wide_shape(n, copy->root->shape));
    hlo_close_end(place);
    r->target = target;
    look_at_copy(n, c, copy);
    return copy;
}

static void widen_applied(normalization *n, hlo_instr *instr) {
    hlo_arena *arena = &n->rewriter->module->arena;
    for (uint32_t a = 0; a < instr->attr_count; a++) {
        hlo_attr *attr = &instr->attrs[a];
        hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
        if (kind == HLO_KIND_COMPUTATION) {
            if (takes_small(n, attr->u.computation))
                attr->u.computation = wide_copy(n, attr->u.computation);
        } else if (kind == HLO_KIND_COMPUTATIONS) {
            const hlo_computations *old = attr->u.computations;
            hlo_computations *list =
                hlo_arena_copy(arena, old, sizeof *old + old->n * sizeof old->v[0]);
            for (uint32_t i = 0; i < list->n; i++)
                if (takes_small(n, list->v[i])) list->v[i] = wide_copy(n, list->v[i]);
            attr->u.computations = list;
        }
    }
}

/* ---- instructions ---- */

/* Operations whose element types are part of their meaning or of an external interface: random bits
 * are those of the type. Parameters, constants, tuples, calls, loops and the like keep their types,
 * and so do operations between devices. */
static bool keeps_types(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_MAP: return false;
    case HLO_OP_BITCAST:
    case HLO_OP_BITCAST_CONVERT:
    case HLO_OP_CONVERT:
    case HLO_OP_GET_DIMENSION_SIZE:
    case HLO_OP_RNG_BIT_GENERATOR:
    case HLO_OP_SCALED_DOT:
    case HLO_OP_STOCHASTIC_CONVERT: return true;
    case HLO_OP_DOT: return hlo_instr_attr(instr, HLO_ATTR_ALGORITHM) != NULL;
    case HLO_OP_CONVOLUTION: return hlo_has_sparse_operand(instr);
    default: break;
    }
    hlo_op_class class = hlo_info(instr)->class;
    return class == HLO_CLASS_CONTROL || class == HLO_CLASS_TUPLE || class == HLO_CLASS_LEAF ||
           class == HLO_CLASS_HOST || class == HLO_CLASS_COLLECTIVE;
}

static bool is_array_or_tuple(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return hlo_shape_is_array(shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!is_array_or_tuple(shape->elements[i])) return false;
    return true;
}

/* Parameters of what is applied are arrays, as far as operations of HLO go. */
static bool can_be_widened(const normalization *n, const hlo_instr *instr) {
    const hlo_computation *called;
    if (keeps_types(instr) || hlo_instr_has_side_effect(instr) || hlo_is_tied(n->rewriter, instr) ||
        !is_array_or_tuple(instr->shape) || !can_be_wide(n, instr->shape))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!can_be_wide(n, hlo_operand(instr, i)->shape)) return false;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        for (uint32_t i = 0; i < called->parameter_count; i++)
            if (!hlo_shape_is_array(called->parameters[i]->shape)) return false;
    return true;
}

static bool works_on_small(const normalization *n, const hlo_instr *instr) {
    const hlo_computation *called;
    bool works = has_small(n, instr->shape);
    for (uint32_t i = 0; i < instr->operand_count && !works; i++)
        works = has_small(n, hlo_operand(instr, i)->shape);
    for (uint32_t k = 0; !works && (called = hlo_called(instr, k)); k++)
        works = takes_small(n, called);
    return works;
}

static void normalize(normalization *n, hlo_instr *instr) {
    hlo_rewriter *r = n->rewriter;
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    hlo_rewriter_aim(r, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        bool again = i && operand == hlo_operand(instr, i - 1);
        operands[i] = again ? operands[i - 1] : in_shape(r, operand, wide_shape(n, operand->shape));
    }
    hlo_instr *wide =
        hlo_emit_like(r, instr, wide_shape(n, instr->shape), operands, instr->operand_count);
    widen_applied(n, wide);
    hlo_instr *by = in_shape(r, wide, instr->shape);
    n->changed |= hlo_rewrite_replace(r, HLO_REWRITE_normalize_float, instr, by);
    hlo_free(operands);
}

static void normalize_in(normalization *n, hlo_computation *c) {
    for (hlo_instr *i = c->first, *next; i; i = next) {
        next = i->next;
        if (!can_be_widened(n, i) || !works_on_small(n, i)) continue;
        if (n->mixed && hlo_has_plain_shapes(i)) continue;
        if (hlo_rewrite_allowed(n->rewriter, HLO_REWRITE_normalize_float)) normalize(n, i);
    }
}

/* ---- the pass ---- */

static bool is_custom_fusion(const hlo_instr *fusion) {
    const char *kind =
        fusion ? hlo_word_text(HLO_WORDS_FUSION_KIND, hlo_attr_int(fusion, HLO_ATTR_KIND)) : NULL;
    return kind && strcmp(kind, "kCustom") == 0;
}

static void find_staying(normalization *n) {
    for (uint32_t k = 0; k < n->graph.count; k++) {
        hlo_computation *c = n->graph.order[k], *called;
        for (hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t j = 0; (called = hlo_called(i, j)); j++)
                if (hlo_info(i)->class == HLO_CLASS_COLLECTIVE) n->stays[called->id] = true;
    }
}

/* Bodies before those that apply them: copies are made of what is done. */
static void normalize_type(normalization *n, hlo_type small) {
    hlo_module *module = n->call->module;
    n->small = small;
    n->wide = n->mixed ? HLO_F32 : wider(small);
    hlo_call_graph_init(&n->graph, module);
    n->ids = module->next_id;
    n->stays = hlo_calloc(n->ids + 1u, sizeof *n->stays);
    find_staying(n);
    for (uint32_t k = n->graph.count; k-- > 0;) {
        hlo_computation *c = n->graph.order[k];
        if (n->stays[c->id] || c->is_async_body ||
            is_custom_fusion(hlo_call_graph_fusion(&n->graph, c)))
            continue;
        normalize_in(n, c);
    }
    for (uint32_t k = 0; k < n->copies.n; k++) normalize_in(n, n->copies.v[k]);
    n->copies.n = 0;
    hlo_free(n->stays);
    hlo_call_graph_free(&n->graph);
}

/* The type that was given, or every one that XLA's backends do without; they do not mix f16 with
 * others either. */
static bool is_wanted(const normalization *n, hlo_type given, hlo_type type) {
    if (given != HLO_TYPE_COUNT) return type == given;
    return is_small_float(type) && (n->mixed || type != HLO_F16);
}

static void note_types(const hlo_shape *shape, bool *occurs) {
    occurs[shape->type] = true;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++)
        note_types(shape->elements[i], occurs);
}

/* Which types the module has at all: most have few of the small ones. Neighbours often have the
 * same shape. */
static void find_types(const hlo_module *module, bool *occurs) {
    const hlo_shape *last = NULL;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; last = i->shape, i = i->next)
            if (i->shape != last) note_types(i->shape, occurs);
}

hlo_pass_result hlo_pass_float_normalization(const hlo_pass_call *call) {
    normalization n = {.call = call,
                       .rewriter = call->rewriter,
                       .mixed = HLO_OPTION(call, FLOAT_NORMALIZATION, mixed)};
    hlo_type given = (hlo_type)HLO_OPTION(call, FLOAT_NORMALIZATION, type);
    if (given != HLO_TYPE_COUNT && !is_small_float(given)) {
        hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                  "float-normalization: '%s' is not a floating-point type narrower than f32",
                  hlo_types[given].text);
        return HLO_PASS_FAILED;
    }
    bool occurs[HLO_TYPE_COUNT] = {false};
    find_types(call->module, occurs);
    for (int type = 0; type < HLO_TUPLE; type++)
        if (occurs[type] && is_wanted(&n, given, (hlo_type)type))
            normalize_type(&n, (hlo_type)type);
    hlo_list_free(&n.copies);
    return n.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
