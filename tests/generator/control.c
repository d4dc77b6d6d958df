/* Recipes of operations that call computations, and of tuples, tokens and values that pass through.
 */
#include <math.h>

#include "generator/generator.h"

/* ---- parameters, constants, tuples ---- */

hlo_instr *generate_parameter(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_type(g, OF_ANY);
    (void)opcode;
    if (g->scope->depth || type == HLO_TYPE_COUNT) return NULL;
    return fresh(g, choose_shape(g, type, 0, 4));
}

hlo_instr *generate_constant(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_type(g, OF_ANY);
    (void)opcode;
    return type == HLO_TYPE_COUNT ? NULL : fresh(g, choose_shape(g, type, 0, 3));
}

/* A tuple that is taken apart again, or not. */
hlo_instr *generate_tuple(generator *g, hlo_opcode opcode) {
    enum { MOST = 4 };
    hlo_instr *elements[MOST];
    if (g->scope->scalars) return NULL;
    uint32_t n = (uint32_t)between(g, one_in(g, 8) ? 0 : 1, MOST);
    for (uint32_t i = 0; i < n; i++) {
        elements[i] = pick_static(g, OF_ANY, 0, MAX_RANK);
        if (!elements[i]) return NULL;
    }
    hlo_instr *tuple = emit_value(g, opcode, NULL, elements, n, NULL, 0, (facts){0});
    if (n && one_in(g, 4)) { /* a tuple in a tuple */
        hlo_instr *outer = emit_value(g, opcode, NULL, &tuple, 1, NULL, 0, (facts){0});
        tuple = element_of(g, outer, 0, (facts){0});
    }
    for (uint32_t i = 0; i < n; i++)
        if (!one_in(g, 3)) element_of(g, tuple, i, facts_of(g, elements[i]));
    return tuple;
}

hlo_instr *generate_get_tuple_element(generator *g, hlo_opcode opcode) {
    (void)opcode;
    return generate_tuple(g, HLO_OP_TUPLE);
}

/* ---- values that pass through ---- */

hlo_instr *generate_opt_barrier(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_static(g, OF_ANY, 0, MAX_RANK), *b = pick_static(g, OF_ANY, 0, MAX_RANK);
    if (!a || !b || g->scope->scalars) return NULL;
    if (one_in(g, 2)) return emit(g, opcode, a->shape, &a, 1, NULL, 0);
    hlo_instr *both[2] = {a, b};
    hlo_instr *tuple = emit_value(g, HLO_OP_TUPLE, NULL, both, 2, NULL, 0, (facts){0});
    if (!tuple) return NULL;
    hlo_instr *barrier = emit_value(g, opcode, tuple->shape, &tuple, 1, NULL, 0, (facts){0});
    for (uint32_t i = 0; i < 2; i++) element_of(g, barrier, i, facts_of(g, both[i]));
    return barrier;
}

hlo_instr *generate_after_all(generator *g, hlo_opcode opcode) {
    hlo_instr *tokens[2];
    if (g->scope->scalars) return NULL;
    tokens[0] = emit_value(g, opcode, NULL, NULL, 0, NULL, 0, (facts){0});
    if (one_in(g, 2)) return tokens[0];
    tokens[1] = emit_value(g, opcode, NULL, NULL, 0, NULL, 0, (facts){0});
    return emit_value(g, opcode, NULL, tokens, 2, NULL, 0, (facts){0});
}

hlo_instr *generate_add_dependency(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 0, MAX_RANK);
    hlo_instr *operands[2] = {a, a ? generate_after_all(g, HLO_OP_AFTER_ALL) : NULL};
    if (!a) return NULL;
    return emit_value(g, opcode, NULL, operands, 2, NULL, 0, facts_of(g, a));
}

hlo_instr *generate_copy_start(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 0, MAX_RANK);
    if (!a) return NULL;
    const hlo_shape *parts[3] = {a->shape, a->shape, scalar_of(g, HLO_U32)};
    facts f = facts_of(g, a);
    hlo_instr *start =
        emit_value(g, HLO_OP_COPY_START, hlo_shape_tuple(&g->module->shapes, parts, 3), &a, 1, NULL,
                   0, (facts){0});
    (void)opcode;
    return start ? emit_value(g, HLO_OP_COPY_DONE, parts[0], &start, 1, NULL, 0, f) : NULL;
}

hlo_instr *generate_copy_done(generator *g, hlo_opcode opcode) {
    return generate_copy_start(g, opcode);
}

hlo_instr *generate_partition_id(generator *g, hlo_opcode opcode) {
    if (!g->options.types[HLO_U32]) return NULL;
    return emit_value(g, opcode, NULL, NULL, 0, NULL, 0, (facts){0, 0, 0});
}

hlo_instr *generate_replica_id(generator *g, hlo_opcode opcode) {
    return generate_partition_id(g, opcode);
}

/* ---- calls ---- */

/* The newest unused array of the scope; else any value. */
static hlo_instr *result_of(generator *g) {
    for (uint32_t i = g->scope->values.n; i-- > 0;) {
        hlo_instr *value = g->scope->values.v[i];
        if (!value->first_use && hlo_shape_is_array(value->shape) && !value->shape->dynamic)
            return value;
    }
    return pick_static(g, OF_ANY, 0, g->scope->scalars ? 0 : MAX_RANK);
}

/* What the body returns, with its token where it has one. */
static hlo_instr *with_token(generator *g, hlo_instr *root) {
    hlo_instr *both[2] = {root, g->scope->token};
    if (!both[1] || !root) return root;
    return emit_value(g, HLO_OP_TUPLE, NULL, both, 2, NULL, 0, (facts){0});
}

/* The result of what returns a token too, which becomes the scope's. */
static hlo_instr *without_token(generator *g, hlo_instr *both, facts f) {
    if (!both) return NULL;
    g->scope->token = element_of(g, both, 1, (facts){0});
    return element_of(g, both, 0, f);
}

/* A body of random instructions over parameters like `operands`, the last of which may be a token.
 * What it returns goes to *out. */
static hlo_computation *random_body(generator *g, const char *name, hlo_instr *const *operands,
                                    uint32_t n, uint32_t size, bool scalars, facts *out) {
    scope s;
    open_scope(g, &s, name, scalars);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_shape *shape = operands[i]->shape;
        hlo_instr *made = add_parameter(g, scalars ? scalar_of(g, (hlo_type)shape->type) : shape,
                                        facts_of(g, operands[i]));
        if (shape == token_shape(g)) s.token = made;
    }
    generate_steps(g, size);
    hlo_instr *root = result_of(g);
    if (!root) root = s.values.v[0];
    *out = facts_of(g, root);
    return close_scope(g, with_token(g, root));
}

hlo_instr *generate_call(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[MOST_OPERANDS + 1];
    uint32_t n = is_too_deep(g) ? 0 : pick_operands(g, operands, MOST_OPERANDS);
    if (!n) return NULL;
    facts f = {0};
    bool effects = shall_have_effects(g);
    if (effects) operands[n++] = g->scope->token;
    hlo_attr attr = attr_computation(HLO_ATTR_TO_APPLY,
                                     random_body(g, "called", operands, n, BODY_SIZE, false, &f));
    hlo_instr *call = emit_value(g, opcode, NULL, operands, n, &attr, 1, effects ? (facts){0} : f);
    return effects ? without_token(g, call, f) : call;
}

hlo_instr *generate_map(generator *g, hlo_opcode opcode) {
    hlo_instr *operands[MOST_OPERANDS] = {is_too_deep(g) ? NULL
                                                         : pick_static(g, OF_ANY, 0, MAX_RANK)};
    if (!operands[0]) return NULL;
    const hlo_shape *shape = operands[0]->shape;
    uint32_t n = (uint32_t)between(g, 1, MOST_OPERANDS);
    unsigned classes = OF_ANY; /* floats of one type at most: others mix precisions */
    if (hlo_type_is_float((hlo_type)shape->type)) classes &= ~OF_FLOAT;
    for (uint32_t i = 1; i < n; i++) {
        hlo_type type = choose_type(g, classes);
        operands[i] = type == HLO_TYPE_COUNT ? operands[0] : pick_of(g, like(g, shape, type));
        if (!operands[i]) return NULL;
        if (hlo_type_is_float((hlo_type)operands[i]->shape->type)) classes &= ~OF_FLOAT;
    }
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i < shape->rank; i++) dims[i] = i;
    facts f = {0};
    hlo_attr attrs[2] = {attr_ints(g, HLO_ATTR_DIMENSIONS, dims, shape->rank),
                         attr_computation(HLO_ATTR_TO_APPLY, random_body(g, "mapped", operands, n,
                                                                         BODY_SIZE, true, &f))};
    return emit_value(g, opcode, NULL, operands, n, attrs, 2, f);
}

/* ---- conditional ---- */

/* A branch over one operand, or over a tuple of it and a token, that returns a value of the wanted
 * shape. */
static hlo_computation *branch(generator *g, hlo_instr *operand, const hlo_shape *wanted,
                               facts *out) {
    scope s;
    open_scope(g, &s, "branch", false);
    hlo_instr *parameter = add_parameter(g, operand->shape, facts_of(g, operand));
    if (hlo_shape_is_tuple(operand->shape))
        without_token(g, parameter, facts_of(g, hlo_operand(operand, 0)));
    generate_steps(g, BODY_SIZE);
    hlo_instr *root = pick_of(g, wanted);
    facts f = root ? facts_of(g, root) : (facts){0};
    *out = (facts){fmin(out->low, f.low), fmax(out->high, f.high), fmax(out->error, f.error)};
    return close_scope(g, with_token(g, root));
}

hlo_instr *generate_conditional(generator *g, hlo_opcode opcode) {
    enum { MOST_BRANCHES = 3 };
    hlo_type type = choose_type(g, OF_ANY);
    if (is_too_deep(g) || type == HLO_TYPE_COUNT) return NULL;
    bool by_pred = g->options.types[HLO_PRED] && one_in(g, 2);
    if (!by_pred && !g->options.types[HLO_S32]) return NULL;
    uint32_t n = by_pred ? 2 : (uint32_t)between(g, 1, MOST_BRANCHES);
    const hlo_shape *wanted = choose_shape(g, type, 0, 3);
    hlo_instr *operands[1 + MOST_BRANCHES] = {
        pick_of(g, scalar_of(g, by_pred ? HLO_PRED : HLO_S32))};
    if (!operands[0]) return NULL;
    facts f = {INFINITY, -INFINITY, 0};
    bool effects = shall_have_effects(g);
    hlo_computations *branches = hlo_arena_alloc(
        &g->module->arena, sizeof *branches + MOST_BRANCHES * sizeof branches->v[0]);
    branches->n = n;
    for (uint32_t i = 0; i < n; i++) {
        operands[1 + i] = pick_static(g, OF_ANY, 0, 4);
        if (!operands[1 + i]) return NULL;
        if (effects) operands[1 + i] = with_token(g, operands[1 + i]);
        branches->v[i] = branch(g, operands[1 + i], wanted, &f);
    }
    hlo_attr attrs[2] = {attr_computation(HLO_ATTR_TRUE_COMPUTATION, branches->v[0]),
                         attr_computation(HLO_ATTR_FALSE_COMPUTATION, branches->v[n - 1])};
    if (!by_pred)
        attrs[0] = (hlo_attr){.id = HLO_ATTR_BRANCH_COMPUTATIONS, .u.computations = branches};
    hlo_instr *made = emit_value(g, opcode, NULL, operands, 1 + n, attrs, by_pred ? 2 : 1,
                                 effects ? (facts){0} : f);
    return effects ? without_token(g, made, f) : made;
}

/* ---- while ---- */

/* The state is (counter, a, b), and maybe a token: the body computes a new a, which is brought back
 * to where the old one was allowed to be. */
typedef struct {
    const hlo_shape *state;
    facts of_a, of_b; /* at the start of any turn */
    int64_t turns;
} loop;

static hlo_computation *loop_condition(generator *g, const loop *l) {
    scope s;
    open_scope(g, &s, "condition", false);
    hlo_instr *state = add_parameter(g, l->state, (facts){0});
    hlo_instr *sides[2] = {element_of(g, state, 0, (facts){0}), constant_int(g, HLO_S32, l->turns)};
    hlo_attr direction = attr_word(HLO_ATTR_DIRECTION, "LT");
    return close_scope(g, emit(g, HLO_OP_COMPARE, NULL, sides, 2, &direction, 1));
}

/* What is known of a new `a` goes to *made. */
static hlo_computation *loop_body(generator *g, const loop *l, facts *made) {
    scope s;
    open_scope(g, &s, "body", false);
    hlo_instr *state = add_parameter(g, l->state, (facts){0});
    hlo_instr *counter = element_of(g, state, 0, (facts){0, (double)l->turns, 0});
    hlo_instr *a = element_of(g, state, 1, l->of_a), *b = element_of(g, state, 2, l->of_b);
    if (l->state->rank == 4) s.token = element_of(g, state, 3, (facts){0});
    if (!a || !b) return close_scope(g, state), NULL; /* too large an error to begin with */
    generate_steps(g, BODY_SIZE);
    hlo_instr *next = pick_of(g, a->shape);
    if (hlo_type_is_float(hlo_type_part((hlo_type)a->shape->type)))
        next = within(g, next, l->of_a.low, l->of_a.high);
    if (next) *made = facts_of(g, next);
    hlo_instr *step[2] = {counter, constant_int(g, HLO_S32, 1)};
    hlo_instr *elements[4] = {emit(g, HLO_OP_ADD, NULL, step, 2, NULL, 0), next, b, s.token};
    hlo_instr *root =
        emit_value(g, HLO_OP_TUPLE, NULL, elements, l->state->rank, NULL, 0, (facts){0});
    hlo_computation *body = close_scope(g, root ? root : b);
    return root ? body : NULL;
}

/* The error after all turns when one turn makes `before` into `after`: a factor for each. */
static double error_after(double before, double after, int64_t turns) {
    double factor = before > 0 && after > before ? after / before : 1;
    return fmax(before, after) * pow(factor, (double)turns);
}

hlo_instr *generate_while(generator *g, hlo_opcode opcode) {
    if (is_too_deep(g) || !g->options.types[HLO_S32]) return NULL;
    hlo_instr *a = pick_static(g, OF_ANY, 0, 3), *b = pick_static(g, OF_ANY, 0, 3);
    if (!a || !b) return NULL;
    loop l = {.of_a = facts_of(g, a), .of_b = facts_of(g, b), .turns = between(g, 0, 4)};
    hlo_type type = (hlo_type)a->shape->type;
    bool is_real = hlo_type_is_float(hlo_type_part(type));
    if (!is_real) l.of_a = facts_of_type(type);
    else if (one_in(g, 2)) l.of_a = rounded(type, l.of_a, 4); /* not to be compared inside */
    bool effects = shall_have_effects(g);
    hlo_instr *elements[4] = {constant_int(g, HLO_S32, 0), a, b, g->scope->token};
    hlo_instr *tuple =
        emit_value(g, HLO_OP_TUPLE, NULL, elements, effects ? 4 : 3, NULL, 0, (facts){0});
    if (!tuple) return NULL;
    l.state = tuple->shape;
    facts made = {0};
    hlo_computation *body = loop_body(g, &l, &made);
    if (!body || (l.of_a.error == 0 && made.error > 0 && !g->options.any_values)) return NULL;
    hlo_attr attrs[2] = {attr_computation(HLO_ATTR_CONDITION, loop_condition(g, &l)),
                         attr_computation(HLO_ATTR_BODY, body)};
    l.of_a.error = error_after(l.of_a.error, made.error, l.turns);
    if (is_real && l.of_a.error > type_error_limit(hlo_type_part(type)) && !g->options.any_values)
        return NULL;
    hlo_instr *result = emit_value(g, opcode, NULL, &tuple, 1, attrs, 2, (facts){0});
    element_of(g, result, 0, (facts){0, 4, 0});
    element_of(g, result, 1, l.of_a);
    element_of(g, result, 2, l.of_b);
    if (effects) g->scope->token = element_of(g, result, 3, (facts){0});
    return result;
}
