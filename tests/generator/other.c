/* Recipes of batch normalisation, random bits, collectives of one device and asynchronous calls. */
#include "generator/generator.h"
#include "ir/sharding.h"

/* ---- batch normalisation ---- */

typedef struct {
    hlo_type type;
    const hlo_shape *shape, *features;
    hlo_attr attrs[2];
    double count; /* elements per feature */
} normalisation;

static bool choose_normalisation(generator *g, normalisation *n) {
    n->type = one_in(g, 3) ? HLO_F64 : HLO_F32;
    if (!g->options.types[n->type] || g->scope->scalars) return false;
    int64_t dims[4];
    uint32_t rank = (uint32_t)between(g, 2, 4), feature = (uint32_t)roll(g, rank);
    n->count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = between(g, 1, 4);
        if (i != feature) n->count *= (double)dims[i];
    }
    n->shape = array_of(g, n->type, dims, rank);
    n->features = array_of(g, n->type, &dims[feature], 1);
    n->attrs[0] = attr_real(HLO_ATTR_EPSILON, 0.5);
    n->attrs[1] = attr_int(HLO_ATTR_FEATURE_INDEX, feature);
    return true;
}

/* With numbers of [-2, 2] and an epsilon of one half nothing is steeper than 64. */
static facts normalised(const normalisation *n, hlo_instr *const *operands, uint32_t count,
                        generator *g) {
    facts f = {-64 * n->count, 64 * n->count, 0};
    for (uint32_t i = 0; i < count; i++) f.error += 64 * facts_of(g, operands[i]).error;
    return rounded(n->type, f, 16);
}

hlo_instr *generate_batch_norm_training(generator *g, hlo_opcode opcode) {
    normalisation n;
    if (!choose_normalisation(g, &n)) return NULL;
    hlo_instr *operands[3];
    for (int i = 0; i < 3; i++) {
        operands[i] = within(g, pick_of(g, i ? n.features : n.shape), -2, 2);
        if (!operands[i]) return NULL;
    }
    facts f = normalised(&n, operands, 3, g);
    hlo_instr *tuple = emit_value(g, opcode, NULL, operands, 3, n.attrs, 2, (facts){0});
    for (uint32_t i = 0; i < 3; i++) element_of(g, tuple, i, f);
    return tuple;
}

hlo_instr *generate_batch_norm_inference(generator *g, hlo_opcode opcode) {
    normalisation n;
    if (!choose_normalisation(g, &n)) return NULL;
    hlo_instr *operands[5];
    for (int i = 0; i < 5; i++) {
        operands[i] = within(g, pick_of(g, i ? n.features : n.shape), i == 4 ? 0.5 : -2, 2);
        if (!operands[i]) return NULL;
    }
    return emit_value(g, opcode, NULL, operands, 5, n.attrs, 2, normalised(&n, operands, 5, g));
}

hlo_instr *generate_batch_norm_grad(generator *g, hlo_opcode opcode) {
    normalisation n;
    if (!choose_normalisation(g, &n)) return NULL;
    hlo_instr *operands[5];
    for (int i = 0; i < 5; i++) {
        bool is_full = i == 0 || i == 4;
        operands[i] = within(g, pick_of(g, is_full ? n.shape : n.features), i == 3 ? 0.5 : -2, 2);
        if (!operands[i]) return NULL;
    }
    facts f = normalised(&n, operands, 5, g);
    hlo_instr *tuple = emit_value(g, opcode, NULL, operands, 5, n.attrs, 2, (facts){0});
    for (uint32_t i = 0; i < 3; i++) element_of(g, tuple, i, f);
    return tuple;
}

/* ---- random bits ---- */

hlo_instr *generate_rng_bit_generator(generator *g, hlo_opcode opcode) {
    static const struct {
        const char *algorithm;
        int64_t words;
    } kinds[] = {{"rng_three_fry", 2}, {"rng_philox", 2}, {"rng_philox", 3}, {"rng_default", 3}};
    static const hlo_type types[] = {HLO_U8, HLO_U16, HLO_U32, HLO_U64};
    unsigned kind = (unsigned)roll(g, 4);
    hlo_type type = types[roll(g, sizeof types / sizeof *types)];
    if (g->scope->scalars || !g->options.types[HLO_U64] || !g->options.types[type]) return NULL;
    const hlo_shape *parts[2] = {array_of(g, HLO_U64, &kinds[kind].words, 1),
                                 choose_shape(g, type, 0, 3)};
    hlo_instr *state = pick_of(g, parts[0]);
    hlo_attr attr = attr_word(HLO_ATTR_RNG_ALGORITHM, kinds[kind].algorithm);
    hlo_instr *tuple = emit_value(g, opcode, hlo_shape_tuple(&g->module->shapes, parts, 2), &state,
                                  1, &attr, 1, (facts){0});
    element_of(g, tuple, 0, facts_of_type(HLO_U64));
    element_of(g, tuple, 1, facts_of_type(type));
    return tuple;
}

/* ---- collectives: one device exchanges with itself ---- */

static hlo_attr one_group(generator *g) {
    static const int64_t alone[] = {0};
    hlo_int_lists *lists = hlo_arena_alloc(&g->module->arena, sizeof *lists + sizeof lists->v[0]);
    lists->n = 1;
    lists->v[0] = hlo_ints_from(&g->module->arena, alone, 1);
    hlo_groups read = {.form = HLO_GROUPS_LIST, .lists = lists};
    const char *why;
    return (hlo_attr){.id = HLO_ATTR_REPLICA_GROUPS,
                      .u.groups = hlo_groups_canonical(&g->module->arena, &read, &why)};
}

static hlo_instr *pick_exchanged(generator *g) {
    return g->scope->scalars ? NULL : pick_static(g, OF_ANY, 1, 4);
}

enum { MOST_EXCHANGE_ATTRS = 3 };

static uint32_t reduction_attrs(generator *g, const hlo_instr *a, hlo_attr *attrs) {
    hlo_type type = (hlo_type)a->shape->type;
    reduction r = choose_reduction(g, type, facts_of(g, a), 1);
    attrs[0] = one_group(g);
    attrs[1] = attr_computation(HLO_ATTR_TO_APPLY, binary_body(g, r.opcode, type));
    return 2;
}

static uint32_t dimension_attrs(generator *g, const hlo_instr *a, hlo_attr *attrs) {
    int64_t dimension = (int64_t)roll(g, a->shape->rank);
    attrs[0] = one_group(g);
    attrs[1] = attr_ints(g, HLO_ATTR_DIMENSIONS, &dimension, 1);
    return 2;
}

static uint32_t scatter_attrs(generator *g, const hlo_instr *a, hlo_attr *attrs) {
    hlo_attr reduced[2];
    reduction_attrs(g, a, reduced);
    dimension_attrs(g, a, attrs);
    attrs[2] = reduced[1];
    return 3;
}

static uint32_t permute_attrs(generator *g, const hlo_instr *a, hlo_attr *attrs) {
    static const int64_t to_itself[] = {0, 0};
    (void)a;
    hlo_int_lists *pairs = hlo_arena_alloc(&g->module->arena, sizeof *pairs + sizeof pairs->v[0]);
    pairs->n = 1;
    pairs->v[0] = hlo_ints_from(&g->module->arena, to_itself, 2);
    attrs[0] = (hlo_attr){.id = HLO_ATTR_SOURCE_TARGET_PAIRS, .u.int_lists = pairs};
    return 1;
}

typedef uint32_t exchange_attrs(generator *g, const hlo_instr *a, hlo_attr *attrs);

/* What comes out is what goes in. */
static hlo_instr *exchange(generator *g, hlo_opcode opcode, exchange_attrs *choose) {
    hlo_instr *a = g->scope->depth >= MAX_DEPTH ? NULL : pick_exchanged(g);
    hlo_attr attrs[MOST_EXCHANGE_ATTRS];
    if (!a) return NULL;
    uint32_t n = choose(g, a, attrs);
    return emit_value(g, opcode, a->shape, &a, 1, attrs, n, facts_of(g, a));
}

hlo_instr *generate_all_reduce(generator *g, hlo_opcode opcode) {
    return exchange(g, opcode, reduction_attrs);
}

hlo_instr *generate_reduce_scatter(generator *g, hlo_opcode opcode) {
    return exchange(g, opcode, scatter_attrs);
}

hlo_instr *generate_all_gather(generator *g, hlo_opcode opcode) {
    return exchange(g, opcode, dimension_attrs);
}

hlo_instr *generate_all_to_all(generator *g, hlo_opcode opcode) {
    return exchange(g, opcode, dimension_attrs);
}

hlo_instr *generate_collective_broadcast(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick_exchanged(g);
    hlo_attr attr = one_group(g);
    return a ? emit_value(g, opcode, a->shape, &a, 1, &attr, 1, facts_of(g, a)) : NULL;
}

hlo_instr *generate_collective_permute(generator *g, hlo_opcode opcode) {
    return exchange(g, opcode, permute_attrs);
}

/* Started and done: a state of `parts` shapes of the operand and `words` numbers in between, or
 * for 1 the result itself. */
static hlo_instr *in_flight(generator *g, hlo_opcode start, hlo_opcode done, exchange_attrs *choose,
                            uint32_t parts, uint32_t words) {
    hlo_instr *a = g->scope->depth ? NULL : pick_exchanged(g);
    hlo_attr attrs[MOST_EXCHANGE_ATTRS];
    if (!a) return NULL;
    const hlo_shape *elements[4];
    for (uint32_t i = 0; i < parts + words; i++)
        elements[i] = i < parts ? a->shape : scalar_of(g, HLO_U32);
    const hlo_shape *state =
        parts == 1 ? a->shape : hlo_shape_tuple(&g->module->shapes, elements, parts + words);
    uint32_t n = choose(g, a, attrs);
    hlo_instr *chain = emit_value(g, start, state, &a, 1, attrs, n, (facts){0});
    if (!chain) return NULL;
    g->scope->values.n--; /* it must have no other user */
    return emit_value(g, done, a->shape, &chain, 1, NULL, 0, facts_of(g, a));
}

hlo_instr *generate_all_reduce_start(generator *g, hlo_opcode opcode) {
    (void)opcode;
    return in_flight(g, HLO_OP_ALL_REDUCE_START, HLO_OP_ALL_REDUCE_DONE, reduction_attrs, 1, 0);
}

hlo_instr *generate_all_reduce_done(generator *g, hlo_opcode opcode) {
    return generate_all_reduce_start(g, opcode);
}

hlo_instr *generate_all_gather_start(generator *g, hlo_opcode opcode) {
    (void)opcode;
    return in_flight(g, HLO_OP_ALL_GATHER_START, HLO_OP_ALL_GATHER_DONE, dimension_attrs, 2, 0);
}

hlo_instr *generate_all_gather_done(generator *g, hlo_opcode opcode) {
    return generate_all_gather_start(g, opcode);
}

hlo_instr *generate_collective_permute_start(generator *g, hlo_opcode opcode) {
    (void)opcode;
    return in_flight(g, HLO_OP_COLLECTIVE_PERMUTE_START, HLO_OP_COLLECTIVE_PERMUTE_DONE,
                     permute_attrs, 2, 2);
}

hlo_instr *generate_collective_permute_done(generator *g, hlo_opcode opcode) {
    return generate_collective_permute_start(g, opcode);
}

/* ---- asynchronous calls and calls of something else ---- */

/* start, updates and done of a called computation that negates, or of a fusion that forwards. */
hlo_instr *generate_async_start(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->depth ? NULL : pick_static(g, OF_NUMBER & ~OF_UNSIGNED, 0, 4);
    (void)opcode;
    if (!a || (hlo_type)a->shape->type == HLO_F8E8M0FNU) return NULL;
    facts f = facts_of(g, a);
    bool forwards = g->options.opcodes[HLO_OP_FUSION] && one_in(g, 3);
    scope s;
    open_scope(g, &s, "wrapped", false);
    hlo_instr *parameter = add_parameter(g, a->shape, f);
    hlo_instr *root = forwards ? forwarding_fusion(g, &parameter, 1)
                               : emit(g, HLO_OP_NEGATE, NULL, &parameter, 1, NULL, 0);
    hlo_attr called = attr_computation(HLO_ATTR_CALLS, close_scope(g, root));
    if (!root) return NULL;
    called.u.computation->is_async_body = true;
    const hlo_shape *operands = hlo_shape_tuple(&g->module->shapes, &a->shape, 1);
    const hlo_shape *parts[3] = {operands, root->shape, scalar_of(g, HLO_U32)};
    const hlo_shape *state = hlo_shape_tuple(&g->module->shapes, parts, 3);
    hlo_instr *chain = emit_value(g, HLO_OP_ASYNC_START, state, &a, 1, &called, 1, (facts){0});
    if (one_in(g, 2))
        chain = emit_value(g, HLO_OP_ASYNC_UPDATE, state, &chain, 1, NULL, 0, (facts){0});
    facts out = forwards ? f : (facts){-f.high, -f.low, f.error};
    hlo_instr *done = emit_value(g, HLO_OP_ASYNC_DONE, root->shape, &chain, 1, NULL, 0, out);
    return forwards ? take_apart(g, root, done) : done;
}

hlo_instr *generate_async_update(generator *g, hlo_opcode opcode) {
    return generate_async_start(g, opcode);
}

hlo_instr *generate_async_done(generator *g, hlo_opcode opcode) {
    return generate_async_start(g, opcode);
}

/* A marker without effect on one device. */
hlo_instr *generate_custom_call(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 0, 4);
    static const hlo_sharding replicated = {.kind = HLO_SHARDING_REPLICATED};
    hlo_attr attrs[] = {attr_text(g, HLO_ATTR_CUSTOM_CALL_TARGET, "Sharding"),
                        {.id = HLO_ATTR_SHARDING, .u.sharding = &replicated}};
    return a ? emit_value(g, opcode, a->shape, &a, 1, attrs, 2, facts_of(g, a)) : NULL;
}
