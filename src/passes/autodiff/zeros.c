/* Which cotangents hold zeros of masks: of elements that a select, a maximum, a slice and the like
 * did not take. Such a zero stays 0 for every slope, which may be infinite or nan there. Slopes are
 * guarded only there (guard in walk.c), since other zeros are chance. */
#include "analysis/iteration_count.h"
#include "analysis/match.h"
#include "ir/float_types.h"
#include "passes/autodiff/scope.h"

static uint32_t leaf_count(const hlo_instr *instr) {
    return hlo_shape_leaf_count(instr->shape);
}

/* ---- values ---- */

/* What the instruction stands for: an element of a body's or branch's parameter that never changes
 * is what goes in there. */
static const hlo_instr *source_of(const hlo_scope **scope, const hlo_instr *instr) {
    for (;;) {
        const hlo_instr *caller = (*scope)->caller;
        int64_t number = hlo_parameter_element(instr);
        if (!caller || number < 0 || number >= (*scope)->forward->parameters[0]->shape->rank)
            return instr;
        bool is_loop = (*scope)->kind == HLO_SCOPE_LOOP;
        if (is_loop && !hlo_is_invariant(caller, number)) return instr;
        uint32_t operand = is_loop ? 0 : (*scope)->branch + 1;
        instr = hlo_operand(hlo_operand(caller, operand), (uint32_t)number);
        *scope = (*scope)->parent;
    }
}

static bool is_move(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_GATHER:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return true;
    default: return false;
    }
}

static const hlo_instr *unmoved(const hlo_scope **scope, const hlo_instr *instr) {
    for (instr = source_of(scope, instr); is_move(instr); instr = source_of(scope, instr))
        instr = hlo_operand(instr, 0);
    return instr;
}

static bool is_finite_constant(const hlo_instr *constant) {
    HLO_ASSERT(constant->opcode == HLO_OP_CONSTANT);
    const hlo_literal *literal = hlo_constant_of(constant);
    if (!literal || hlo_literal_is_huge(literal) || !hlo_literal_data(literal)) return false;
    hlo_type type = (hlo_type)constant->shape->type, part = hlo_type_part(type);
    int64_t n = hlo_shape_elements(constant->shape) * (hlo_type_is_complex(type) ? 2 : 1);
    const char *data = hlo_literal_data(literal);
    double value, sum = 0; /* of zeros: nan after anything else */
    for (int64_t i = 0; i < n; i++)
        if (hlo_element_number(part, data + i * hlo_types[part].bytes, &value)) sum += value * 0;
    return sum == 0;
}

/* Whatever the parameters are: made of finite constants and of integers. */
static bool is_finite(const hlo_scope *scope, const hlo_instr *instr, int depth) {
    enum { DEEPEST = 6 };
    instr = unmoved(&scope, instr);
    if (!hlo_is_floating(instr->shape)) return true;
    if (depth == DEEPEST) return false;
    uint32_t first = 0;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_CONSTANT: return is_finite_constant(instr);
    case HLO_OP_IOTA: return true;
    case HLO_OP_SELECT: first = 1; break;
    case HLO_OP_ADD:
    case HLO_OP_CLAMP:
    case HLO_OP_CONVERT:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_MULTIPLY:
    case HLO_OP_NEGATE:
    case HLO_OP_SUBTRACT: break;
    default: return false;
    }
    bool finite = true;
    for (uint32_t i = first; finite && i < instr->operand_count; i++)
        finite = is_finite(scope, hlo_operand(instr, i), depth + 1);
    return finite;
}

static bool is_constant_but_zero(const hlo_scope *scope, const hlo_instr *instr) {
    instr = unmoved(&scope, instr);
    return instr->opcode == HLO_OP_CONSTANT && hlo_splat_of(instr) && !hlo_is_all(instr, 0) &&
           is_finite_constant(instr);
}

bool hlo_slope_may_be_nan(const hlo_scope *scope, const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    if (instr->opcode == HLO_OP_MULTIPLY)
        return !is_finite(scope, hlo_operand(instr, 1 - operand), 0);
    if (instr->opcode == HLO_OP_DIVIDE && operand == 0)
        return !is_constant_but_zero(scope, hlo_operand(instr, 1));
    return true;
}

/* A factor that is made to be 0 in places: converted from pred, or chosen. */
static bool is_mask(const hlo_scope *scope, const hlo_instr *factor) {
    factor = unmoved(&scope, factor);
    return factor->opcode == HLO_OP_SELECT ||
           (factor->opcode == HLO_OP_CONVERT && !hlo_is_floating(hlo_operand(factor, 0)->shape));
}

/* ---- from results to operands ---- */

/* What reaches a leaf is added up: a sum is masked where all of it is. */
static void hand(hlo_leaf *leaf, hlo_zeros zeros) {
    if (!leaf->is_reached || zeros == HLO_ZEROS_UNKNOWN) return;
    if (leaf->zeros == HLO_ZEROS_UNKNOWN || zeros < leaf->zeros) leaf->zeros = (uint8_t)zeros;
}

static void hand_all(hlo_leaf *to, const hlo_leaf *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) hand(to + i, (hlo_zeros)from[i].zeros);
}

static hlo_zeros any_of(const hlo_scope *scope, const hlo_instr *instr) {
    const hlo_leaf *leaves = hlo_scope_leaves(scope, instr);
    hlo_zeros all = HLO_ZEROS_UNKNOWN;
    for (uint32_t i = 0; i < leaf_count(instr); i++)
        if (leaves[i].zeros > all) all = (hlo_zeros)leaves[i].zeros;
    return all;
}

/* What a loop writes to an array of its state, or reads of an array that never changes, is another
 * part in each iteration. */
static bool is_part_of_state(const hlo_scope *scope, const hlo_instr *array) {
    return scope->kind == HLO_SCOPE_LOOP && hlo_parameter_element(array) >= 0;
}

bool hlo_makes_zeros(const hlo_scope *scope, const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        return operand == 0 && !is_part_of_state(scope, hlo_operand(instr, 0));
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_WINDOW:
        return hlo_combiner_of(hlo_called(instr, 0), 0, instr->operand_count / 2) != HLO_OP_ADD;
    case HLO_OP_SCATTER:
        return operand < instr->operand_count / 2 &&
               hlo_combiner_of(hlo_called(instr, 0), 0, instr->operand_count / 2) != HLO_OP_ADD;
    case HLO_OP_MULTIPLY: return is_mask(scope, hlo_operand(instr, 1 - operand));
    default: return hlo_gradient_zeros_of((hlo_opcode)instr->opcode) == HLO_RULE_MAKES;
    }
}

static void pass_on(const hlo_scope *scope, const hlo_instr *instr) {
    bool mixes = hlo_gradient_zeros_of((hlo_opcode)instr->opcode) == HLO_RULE_MIXES;
    hlo_zeros zeros = mixes ? HLO_ZEROS_NONE : any_of(scope, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        hlo_zeros handed = hlo_makes_zeros(scope, instr, i) ? HLO_ZEROS_MASKED : zeros;
        hlo_leaf *leaves = hlo_scope_leaves(scope, operand);
        for (uint32_t k = 0; k < leaf_count(operand); k++) hand(leaves + k, handed);
    }
}

static void pass_to_tuple(const hlo_scope *scope, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t first = hlo_shape_leaves_before(tuple->shape, hlo_attr_int(element, HLO_ATTR_INDEX));
    hand_all(hlo_scope_leaves(scope, tuple) + first, hlo_scope_leaves(scope, element),
             leaf_count(element));
}

static void pass_to_parts(const hlo_scope *scope, const hlo_instr *instr, uint32_t operands) {
    const hlo_leaf *from = hlo_scope_leaves(scope, instr);
    for (uint32_t i = 0; i < operands; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        hand_all(hlo_scope_leaves(scope, operand), from, leaf_count(operand));
        from += leaf_count(operand);
    }
}

/* ---- loops and conditionals ---- */

/* The root's cotangent is now this and now that: masked when one of them is. Whether that is new.
 */
static bool begin_with(hlo_leaf *root, hlo_zeros zeros) {
    if (!root->is_reached || zeros <= (hlo_zeros)root->first_zeros) return false;
    root->first_zeros = (uint8_t)zeros;
    return true;
}

/* Where nothing comes, zeros stand. */
static hlo_zeros or_zeros(const hlo_leaf *leaf) {
    return leaf->zeros == HLO_ZEROS_UNKNOWN ? HLO_ZEROS_MASKED : (hlo_zeros)leaf->zeros;
}

static void pass_through_loop(hlo_scope *scope, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_scope *body = scope->children[loop->index][0];
    hlo_leaf *result = hlo_scope_leaves(scope, loop),
             *parameter = hlo_scope_leaves(body, body->forward->parameters[0]);
    hlo_leaf *root = hlo_scope_leaves(body, body->forward->root);
    uint32_t n = leaf_count(loop);
    bool changed = !body->has_zeros;
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_is_invariant(loop, i)) changed |= begin_with(root + i, or_zeros(result + i));
    while (changed) {
        hlo_find_zeros(body);
        changed = false;
        for (uint32_t i = 0; i < n; i++)
            if (!hlo_is_invariant(loop, i))
                changed |= begin_with(root + i, or_zeros(parameter + i));
    }
    hlo_leaf *inits = hlo_scope_leaves(scope, hlo_operand(loop, 0));
    for (uint32_t i = 0; i < n; i++) {
        hand(inits + i, (hlo_zeros)result[i].zeros);
        hand(inits + i,
             hlo_is_invariant(loop, i) ? (hlo_zeros)parameter[i].zeros : or_zeros(parameter + i));
    }
}

/* Of several branches those that are not taken give zeros. */
static void pass_through_branches(hlo_scope *scope, const hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    const hlo_leaf *result = hlo_scope_leaves(scope, conditional);
    for (uint32_t k = 0; k < hlo_scope_child_count(conditional); k++) {
        hlo_scope *branch = scope->children[conditional->index][k];
        hlo_leaf *root = hlo_scope_leaves(branch, branch->forward->root);
        bool changed = !branch->has_zeros;
        for (uint32_t i = 0; i < leaf_count(conditional); i++)
            changed |= begin_with(root + i, (hlo_zeros)result[i].zeros);
        if (changed) hlo_find_zeros(branch);
        const hlo_instr *operand = hlo_operand(conditional, k + 1);
        hlo_leaf *into = hlo_scope_leaves(scope, operand);
        for (uint32_t i = 0; i < leaf_count(operand); i++) hand(into + i, HLO_ZEROS_MASKED);
    }
}

/* ---- slices that leave nothing out ---- */

/* The only dimension that a slice takes a part of; -1: another number of them. */
static int64_t cut_dimension(const hlo_instr *slice) {
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    const hlo_slice *taken = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    const hlo_shape *shape = hlo_operand(slice, 0)->shape;
    int64_t cut = -1;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (slice->shape->dims[d] == shape->dims[d]) continue;
        if (cut >= 0 || taken->v[d].stride <= 0) return -1;
        cut = d;
    }
    return cut;
}

/* How many places of the dimension it takes that none took before. */
static int64_t take_places_of_slice(bool *taken, const hlo_instr *slice, int64_t dimension) {
    HLO_ASSERT(dimension >= 0 && dimension < slice->shape->rank);
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    const hlo_slice *part = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    int64_t start = part->v[dimension].start, stride = part->v[dimension].stride, fresh = 0;
    for (int64_t i = 0; i < slice->shape->dims[dimension]; i++) {
        bool *place = &taken[start + i * stride];
        fresh += !*place;
        *place = true;
    }
    return fresh;
}

static bool cuts(const hlo_scope *scope, const hlo_instr *user, int64_t dimension) {
    const hlo_leaf *leaf = hlo_scope_leaves(scope, user);
    return user->opcode == HLO_OP_SLICE && leaf && leaf->zeros == HLO_ZEROS_NONE &&
           cut_dimension(user) == dimension;
}

/* Slices along one dimension take every element, as those of halves, or of odd and even ones. */
static bool is_cut_up(const hlo_scope *scope, const hlo_instr *array) {
    enum { LONGEST = 1 << 20 };
    int64_t dimension = -1, found = 0;
    for (const hlo_use *use = array->first_use; use && dimension < 0; use = use->next)
        if (use->user->opcode == HLO_OP_SLICE) dimension = cut_dimension(use->user);
    if (dimension < 0 || array->shape->dims[dimension] > LONGEST) return false;
    bool *taken = hlo_calloc((size_t)array->shape->dims[dimension], sizeof *taken);
    for (const hlo_use *use = array->first_use; use; use = use->next)
        if (cuts(scope, use->user, dimension))
            found += take_places_of_slice(taken, use->user, dimension);
    hlo_free(taken);
    return found == array->shape->dims[dimension];
}

/* ---- the walk ---- */

/* Loops and conditionals without an active operand have no scopes of their computations. */
static bool is_closed(const hlo_scope *scope, const hlo_instr *instr) {
    bool has_scopes = instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_CONDITIONAL;
    return has_scopes && !scope->children[instr->index];
}

static void pass(hlo_scope *scope, const hlo_instr *instr) {
    if (is_closed(scope, instr)) return;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER: break;
    case HLO_OP_GET_TUPLE_ELEMENT: pass_to_tuple(scope, instr); break;
    case HLO_OP_TUPLE: pass_to_parts(scope, instr, instr->operand_count); break;
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_OPT_BARRIER: pass_to_parts(scope, instr, 1); break;
    case HLO_OP_WHILE: pass_through_loop(scope, instr); break;
    case HLO_OP_CONDITIONAL: pass_through_branches(scope, instr); break;
    default: pass_on(scope, instr);
    }
}

void hlo_find_zeros(hlo_scope *scope) {
    scope->has_zeros = true;
    for (uint32_t i = 0; i < scope->first_leaf[scope->count]; i++)
        scope->leaves[i].zeros = scope->leaves[i].first_zeros;
    for (uint32_t i = scope->count; i-- > 0;) {
        hlo_instr *instr = scope->order[i];
        hlo_zeros zeros = any_of(scope, instr);
        if (zeros == HLO_ZEROS_MASKED && hlo_shape_is_array(instr->shape) &&
            is_cut_up(scope, instr))
            hlo_scope_leaves(scope, instr)->zeros = HLO_ZEROS_NONE;
        if (zeros != HLO_ZEROS_UNKNOWN) pass(scope, instr);
    }
}
