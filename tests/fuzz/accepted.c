/* What a fuzz target may run, and where both engines must agree to the bit: see accepted.h. */
#include "fuzz/accepted.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/match.h"
#include "ir/ir.h"
#include "parse/parse.h"

/* ---- what is small enough ---- */

enum { MOST_INSTRUCTIONS = 500, MOST_RANK = 8 };

int64_t fuzz_setting(const char *name, int64_t otherwise) {
    const char *text = getenv(name);
    return text ? atoll(text) : otherwise;
}

static extent lesser(extent a, extent b) {
    return a < b ? a : b;
}

static extent shape_extent(const hlo_shape *shape, int64_t most) {
    extent least = PRINTED;
    if (shape->elements) {
        for (uint32_t i = 0; i < shape->rank; i++)
            least = lesser(least, shape_extent(shape->elements[i], most));
        return shape->rank <= 64 ? least : NOT_TRIED;
    }
    if (!hlo_shape_is_array(shape)) return PRINTED;
    int64_t elements = hlo_shape_elements(shape);
    if (shape->rank > MOST_RANK || elements < 0 || elements > most) return ONLY_PREPARED;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] > most) return NOT_PRINTED;
    return PRINTED;
}

extent module_extent(const hlo_module *module) {
    int64_t most = fuzz_setting("HLO_FUZZ_ELEMENTS", 4096), count = 0;
    extent least = PRINTED;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            if (++count > MOST_INSTRUCTIONS) return NOT_TRIED;
            least = lesser(least, shape_extent(i->shape, most));
        }
    return least;
}

hlo_module *accepted_module(const char *text, size_t len, hlo_diags *diags) {
    hlo_source *source = hlo_source_from_text("<fuzz>", text, len);
    hlo_module *module = NULL;
    if (hlo_parse(source, diags, &module) == HLO_OK && hlo_verify(module, diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_source_free(source);
    return module;
}

/* ---- where both engines compute the same bits ---- */

static bool is_whole(const hlo_shape *shape) {
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        if (!is_whole(shape->elements[i])) return false;
    return !hlo_type_is_float((hlo_type)shape->type) && !hlo_type_is_complex((hlo_type)shape->type);
}

/* Whether the order in which the computation combines elements is of no importance. */
static bool is_associative(const hlo_computation *computation) {
    const hlo_instr *root = computation->root;
    return computation->instr_count == 3 && root->operand_count == 2 &&
           hlo_operand(root, 0) != hlo_operand(root, 1) &&
           (hlo_info(root)->flags & HLO_OP_IS_ASSOCIATIVE);
}

/* Whether the comparator is the order of one operand's numbers, and equal ones have one order. */
static bool sorts_by_order(const hlo_instr *sort) {
    const hlo_instr *root = hlo_called(sort, 0)->root;
    if (root->opcode != HLO_OP_COMPARE) return false;
    const hlo_instr *a = hlo_operand(root, 0), *b = hlo_operand(root, 1);
    const char *direction =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(root, HLO_ATTR_DIRECTION));
    if (strcmp(direction, "LT") != 0 && strcmp(direction, "GT") != 0) return false;
    if (a->opcode != HLO_OP_PARAMETER || b->opcode != HLO_OP_PARAMETER || !is_whole(a->shape))
        return false;
    int64_t first = hlo_instr_parameter_number(a), second = hlo_instr_parameter_number(b);
    if (first / 2 != second / 2 || first == second) return false;
    return sort->operand_count == 1 || hlo_attr_int(sort, HLO_ATTR_IS_STABLE);
}

/* A collapsed dimension of slice size 0 is dropped like one of size 1: elements of empty slices. */
static bool gathers_nothing(const hlo_instr *gather) {
    const hlo_ints *sizes = hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES);
    for (uint32_t i = 0; i < sizes->n; i++)
        if (sizes->v[i] == 0) return hlo_shape_elements(gather->shape) > 0;
    return false;
}

static bool is_ordered(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_SORT: return sorts_by_order(instr);
    case HLO_OP_GATHER: return !gathers_nothing(instr);
    case HLO_OP_CHOLESKY: return false; /* of matrices that are not positive definite */
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SCATTER: return is_associative(hlo_called(instr, 0));
    case HLO_OP_SELECT_AND_SCATTER: return is_associative(hlo_called(instr, 1));
    default: return true;
    }
}

static bool is_dynamic_along(const hlo_shape *shape, uint32_t d) {
    return shape->is_dynamic && shape->is_dynamic[d];
}

/* Whether `from` is dynamic along a dimension in which `to`, of its dimensions, is not. */
static bool lacks(const hlo_shape *to, const hlo_shape *from) {
    bool lacks_one = false;
    for (uint32_t i = 0; from->elements && to->elements && i < from->rank && i < to->rank; i++)
        lacks_one |= lacks(to->elements[i], from->elements[i]);
    for (uint32_t d = 0; hlo_shape_is_array(from) && d < from->rank && d < to->rank; d++)
        lacks_one |= is_dynamic_along(from, d) && !is_dynamic_along(to, d);
    return lacks_one;
}

static bool call_loses_sizes(const hlo_instr *call) {
    const hlo_computation *called = hlo_called(call, 0);
    if (lacks(call->shape, called->root->shape)) return true;
    for (uint32_t i = 0; i < called->parameter_count; i++)
        if (lacks(called->parameters[i]->shape, hlo_operand(call, i)->shape)) return true;
    return false;
}

/* Also from one iteration to the next. */
static bool loop_loses_sizes(const hlo_instr *loop) {
    const hlo_shape *from = hlo_operand(loop, 0)->shape, *next = hlo_called(loop, 0)->root->shape;
    for (uint32_t k = 0; k < hlo_called_count(loop); k++) {
        const hlo_shape *to = hlo_called(loop, k)->parameters[0]->shape;
        if (lacks(to, from) || lacks(to, next)) return true;
    }
    return lacks(loop->shape, from) || lacks(loop->shape, next);
}

static bool conditional_loses_sizes(const hlo_instr *conditional) {
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++) {
        const hlo_computation *branch = hlo_called(conditional, k);
        if (lacks(conditional->shape, branch->root->shape) ||
            lacks(branch->parameters[0]->shape, hlo_operand(conditional, k + 1)->shape))
            return true;
    }
    return false;
}

/* Shape inference reads one operand only. */
static bool elementwise_loses_sizes(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (lacks(instr->shape, hlo_operand(instr, i)->shape)) return true;
    return false;
}

static bool has_dynamic_operand(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->shape->dynamic) return true;
    return false;
}

/* Memory under another shape is there as a whole. */
static bool bitcast_loses_sizes(const hlo_instr *bitcast) {
    return has_dynamic_operand(bitcast) && bitcast->shape != hlo_operand(bitcast, 0)->shape;
}

/* A size that the written shape does not have, although it is not the shape's own. */
static bool is_size_lost(const hlo_instr *set) {
    int64_t d = hlo_attr_ints(set, HLO_ATTR_DIMENSIONS)->v[0], size;
    if (is_dynamic_along(set->shape, (uint32_t)d)) return false;
    return !hlo_integer_of(hlo_operand(set, 1), &size) || size != set->shape->dims[d];
}

/* Only what is contracted leaves nothing of its padding. */
static bool dot_loses_sizes(const hlo_instr *dot) {
    static const hlo_attr_id contracting[] = {HLO_ATTR_LHS_CONTRACTING_DIMS,
                                              HLO_ATTR_RHS_CONTRACTING_DIMS};
    for (uint32_t i = 0; i < 2 && !dot->shape->dynamic; i++) {
        const hlo_shape *shape = hlo_operand(dot, i)->shape;
        const hlo_ints *dims = hlo_attr_ints(dot, contracting[i]);
        for (uint32_t d = 0; d < shape->rank; d++)
            if (is_dynamic_along(shape, d) && !hlo_ints_contain(dims, d)) return true;
    }
    return false;
}

/* A dimension that is not reduced is one of the result. */
static bool reduce_loses_sizes(const hlo_instr *reduce) {
    const hlo_ints *reduced = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    for (uint32_t i = 0; i < reduce->operand_count / 2; i++) {
        const hlo_shape *from = hlo_operand(reduce, i)->shape;
        const hlo_shape *to = hlo_shape_part(reduce->shape, i);
        for (uint32_t d = 0, kept = 0; d < from->rank; d++) {
            if (hlo_ints_contain(reduced, d)) continue;
            if (is_dynamic_along(from, d) && !is_dynamic_along(to, kept)) return true;
            kept++;
        }
    }
    return false;
}

/* Each operand has a separate result, and the dynamic ones determine the order of all. */
static bool sort_loses_sizes(const hlo_instr *sort) {
    if (!has_dynamic_operand(sort)) return false;
    for (uint32_t i = 0; i < sort->operand_count; i++)
        if (!hlo_operand(sort, i)->shape->dynamic) return true;
    return !sort->shape->dynamic;
}

/* Whether run-time sizes of operands are not in the result, although elements are: elements beyond
 * the sizes are in results then, undefined. */
bool loses_sizes(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION: return call_loses_sizes(instr);
    case HLO_OP_WHILE: return loop_loses_sizes(instr);
    case HLO_OP_CONDITIONAL: return conditional_loses_sizes(instr);
    case HLO_OP_SET_DIMENSION_SIZE: return is_size_lost(instr);
    case HLO_OP_BITCAST: return bitcast_loses_sizes(instr);
    case HLO_OP_MAP: return elementwise_loses_sizes(instr);
    case HLO_OP_SORT: return sort_loses_sizes(instr);
    case HLO_OP_SLICE: return lacks(instr->shape, hlo_operand(instr, 0)->shape);
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        return lacks(instr->shape, hlo_operand(instr, 0)->shape) ||
               lacks(instr->shape, hlo_operand(instr, 1)->shape);
    case HLO_OP_DYNAMIC_RESHAPE: return true; /* where the sizes do not go together */
    case HLO_OP_GET_DIMENSION_SIZE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_CONVOLUTION: return false;
    case HLO_OP_REDUCE: return reduce_loses_sizes(instr);
    case HLO_OP_DOT: return dot_loses_sizes(instr);
    default:
        if (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) return elementwise_loses_sizes(instr);
        return has_dynamic_operand(instr) && !instr->shape->dynamic;
    }
}

/* Integers, no order that only one engine keeps, and nothing that is any. */
bool is_exact(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (!is_whole(i->shape) || !is_ordered(i) || loses_sizes(i)) return false;
    return true;
}

bool is_defined(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (!is_ordered(i) || loses_sizes(i)) return false;
    return true;
}
