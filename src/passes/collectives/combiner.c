/* all-gather-combiner, all-reduce-combiner, collective-permute-combiner, reduce-scatter-combiner:
 * collectives that do the same to different arrays become one of all of these. As XLA chooses them:
 * in post order, up to the first that depends on one before it or makes the results too large. */
#include "passes/collectives/collective.h"
#include "passes/collectives/effect_order.h"

enum { MOST_BYTES, MOST_COUNT, BY_DIMENSION, IN_LOOPS, ANY_TYPE, OPTIONS };

/* The places of these options in the row of a pass. */
#define THRESHOLDS(pass) \
    HLO_OPTION_AT(pass, combine_threshold_in_bytes), HLO_OPTION_AT(pass, combine_threshold_count)
#define SCOPE(pass) HLO_OPTION_AT(pass, combine_by_dim), HLO_OPTION_AT(pass, combine_while_loops)

static const struct {
    hlo_pass_id pass;
    hlo_opcode opcode;
    hlo_rewrite_id id;
    int at[OPTIONS]; /* in the row of the pass; -1: it has no such option */
} kinds[] = {
    {HLO_PASS_ALL_GATHER_COMBINER,
     HLO_OP_ALL_GATHER,
     HLO_REWRITE_combine_all_gathers,
     {THRESHOLDS(ALL_GATHER_COMBINER), SCOPE(ALL_GATHER_COMBINER),
      HLO_OPTION_AT(ALL_GATHER_COMBINER, combine_different_dtypes)}},
    {HLO_PASS_ALL_REDUCE_COMBINER,
     HLO_OP_ALL_REDUCE,
     HLO_REWRITE_combine_all_reduces,
     {THRESHOLDS(ALL_REDUCE_COMBINER), -1, -1, -1}},
    {HLO_PASS_COLLECTIVE_PERMUTE_COMBINER,
     HLO_OP_COLLECTIVE_PERMUTE,
     HLO_REWRITE_combine_collective_permutes,
     {THRESHOLDS(COLLECTIVE_PERMUTE_COMBINER), -1, -1, -1}},
    {HLO_PASS_REDUCE_SCATTER_COMBINER,
     HLO_OP_REDUCE_SCATTER,
     HLO_REWRITE_combine_reduce_scatters,
     {THRESHOLDS(REDUCE_SCATTER_COMBINER), SCOPE(REDUCE_SCATTER_COMBINER), -1}},
};

/* Candidates that may be one, by the first of them. */
typedef struct {
    hlo_instr *first;
    uint64_t hash;
} candidate_class;

typedef struct {
    const hlo_pass_call *call;
    hlo_call_graph graph;
    hlo_opcode opcode;
    hlo_rewrite_id id;
    int64_t options[OPTIONS];
    hlo_arena scratch; /* lists of groups */
    /* of one computation: */
    hlo_effect_order order;
    HLO_LIST(candidate_class) classes;
    uint32_t *class_of; /* by index: one more than the number of the class; 0: no candidate */
    uint32_t left;      /* candidates */
    bool has_domains;   /* which shardings keep apart */
    bool *reached;      /* by index: depends on one of the members */
    hlo_instr_list members;
} combining;

/* ---- what may be one ---- */

static int64_t dimension_of(const hlo_instr *instr) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    return dims->n ? dims->v[0] : -1;
}

static bool same_value(const hlo_instr *a, const hlo_instr *b, const char *key) {
    const hlo_str *x = hlo_frontend_value(a, key), *y = hlo_frontend_value(b, key);
    return x && y ? hlo_str_equal(*x, *y) : !x && !y;
}

static bool same_pairs(const hlo_instr *a, const hlo_instr *b) {
    return hlo_attr_equal(hlo_instr_attr(a, HLO_ATTR_SOURCE_TARGET_PAIRS),
                          hlo_instr_attr(b, HLO_ATTR_SOURCE_TARGET_PAIRS)) &&
           hlo_group_mode_of(a) == hlo_group_mode_of(b) && same_value(a, b, "combiner_key") &&
           same_value(a, b, "collective_group_key");
}

static bool same_sharding(const hlo_instr *a, const hlo_instr *b) {
    const hlo_attr *x = hlo_instr_attr(a, HLO_ATTR_SHARDING);
    const hlo_attr *y = hlo_instr_attr(b, HLO_ATTR_SHARDING);
    return x && y ? hlo_attr_equal(x, y) : !x && !y;
}

static bool same_kind(combining *k, const hlo_instr *a, const hlo_instr *b) {
    if (k->opcode == HLO_OP_COLLECTIVE_PERMUTE) return same_pairs(a, b);
    if (k->has_domains && !same_sharding(a, b)) return false;
    if (k->options[BY_DIMENSION] && dimension_of(a) != dimension_of(b)) return false;
    if (!k->options[ANY_TYPE] && a->shape->type != b->shape->type) return false;
    return hlo_reduction_of(a) == hlo_reduction_of(b) && hlo_same_participants(&k->scratch, a, b);
}

static uint64_t hash_of(combining *k, const hlo_instr *instr) {
    uint64_t hash = hlo_hash_mix((uint64_t)hlo_group_mode_of(instr), hlo_reduction_of(instr));
    if (k->opcode == HLO_OP_COLLECTIVE_PERMUTE)
        return hlo_hash_mix(hash,
                            hlo_attr_hash(hlo_instr_attr(instr, HLO_ATTR_SOURCE_TARGET_PAIRS)));
    if (k->options[BY_DIMENSION]) hash = hlo_hash_mix(hash, (uint64_t)dimension_of(instr));
    if (!k->options[ANY_TYPE]) hash = hlo_hash_mix(hash, instr->shape->type);
    return hlo_hash_mix(hash, hlo_groups_hash(&k->scratch, instr));
}

/* Collectives of several operands are what combining makes. */
static bool is_candidate(const combining *k, const hlo_instr *instr) {
    if (instr->opcode != k->opcode || instr->operand_count != 1 ||
        !hlo_shape_is_array(instr->shape) || instr->shape->dynamic ||
        hlo_is_tied(k->call->rewriter, instr))
        return false;
    bool reduces = hlo_called_count(instr) > 0;
    if (reduces && hlo_reduction_of(instr) == HLO_OP_COUNT) return false;
    if (k->opcode == HLO_OP_ALL_REDUCE && hlo_frontend_value(instr, "_scheduling_group_id"))
        return false;
    return hlo_shape_bytes(instr->shape) <= k->options[MOST_BYTES];
}

/* The class of the instruction, which may be the first of it. */
static candidate_class *class_for(combining *k, hlo_instr *instr) {
    uint64_t hash = hash_of(k, instr);
    for (size_t i = 0; i < k->classes.n; i++) {
        candidate_class *class = &k->classes.v[i];
        if (class->hash == hash && same_kind(k, class->first, instr)) return class;
    }
    hlo_list_push(&k->classes, (candidate_class){instr, hash});
    return &k->classes.v[k->classes.n - 1];
}

static void classify(combining *k, hlo_computation *c) {
    k->class_of = hlo_calloc(k->order.capacity, sizeof *k->class_of);
    k->reached = hlo_calloc(k->order.capacity, sizeof *k->reached);
    k->left = 0;
    k->classes.n = 0;
    k->has_domains = false;
    for (const hlo_instr *i = c->first; i; i = i->next)
        k->has_domains |= i->opcode == HLO_OP_DOMAIN;
    for (hlo_instr *i = c->first; i; i = i->next) {
        if (!is_candidate(k, i)) continue;
        candidate_class *class = class_for(k, i);
        k->left++;
        k->class_of[i->index] = (uint32_t)(class - k->classes.v) + 1;
        hlo_arena_reset(&k->scratch);
    }
}

/* ---- choosing ---- */

static bool depends(const combining *k, const hlo_instr *instr, hlo_instr_list *needs) {
    bool reached = false;
    needs->n = 0;
    hlo_effect_order_needs(&k->order, instr, needs);
    for (size_t i = 0; i < needs->n && !reached; i++) reached = k->reached[needs->v[i]->index];
    return reached;
}

/* Takes the instruction in; false when the set is complete without it. */
static bool take_into_set(combining *k, hlo_instr *instr, int64_t *bytes) {
    int64_t more = hlo_shape_bytes(instr->shape);
    if (k->reached[instr->index] || *bytes + more > k->options[MOST_BYTES]) return false;
    *bytes += more;
    hlo_list_push(&k->members, instr);
    k->reached[instr->index] = true;
    k->class_of[instr->index] = 0;
    HLO_ASSERT(k->left > 0);
    k->left--;
    return (int64_t)k->members.n < k->options[MOST_COUNT];
}

/* The first candidate that is left, and those of its class up to one that does not fit. */
static void choose(combining *k) {
    hlo_instr_list needs = {0};
    uint32_t class = 0;
    int64_t bytes = 0;
    k->members.n = 0;
    memset(k->reached, 0, k->order.capacity * sizeof *k->reached);
    hlo_effect_order_post(&k->order);
    for (size_t i = 0; i < k->order.order.n; i++) {
        hlo_instr *instr = k->order.order.v[i];
        uint32_t own = k->class_of[instr->index];
        k->reached[instr->index] = depends(k, instr, &needs);
        if (!own || (class && own != class)) continue;
        class = own;
        if (!take_into_set(k, instr, &bytes)) break;
    }
    hlo_list_free(&needs);
}

/* ---- combining ---- */

/* The dimension along which most work: that of all, when all have one of that number. */
static int64_t common_dimension(const combining *k) {
    uint32_t rank = UINT32_MAX, most = 0;
    int64_t dimension = 0;
    for (size_t i = 0; i < k->members.n; i++) {
        int64_t own = dimension_of(k->members.v[i]);
        uint32_t count = 0;
        for (size_t j = 0; j < k->members.n; j++) count += dimension_of(k->members.v[j]) == own;
        if (count > most || (count == most && own < dimension)) {
            dimension = own;
            most = count;
        }
        if (k->members.v[i]->shape->rank < rank) rank = k->members.v[i]->shape->rank;
    }
    return dimension < (int64_t)rank ? dimension : 0;
}

/* Dimensions a and b change places; the order of memory stays. */
static const hlo_shape *exchanged(hlo_module *module, const hlo_shape *shape, int64_t a,
                                  int64_t b) {
    int64_t *dims = hlo_malloc((shape->rank + 1u) * sizeof *dims);
    int64_t *order = hlo_malloc((shape->rank + 1u) * sizeof *order);
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t minor = shape->layout->minor_to_major[i];
        dims[i] = shape->dims[i == a ? b : i == b ? a : i];
        order[i] = minor == a ? b : minor == b ? a : minor;
    }
    const hlo_shape *out = hlo_shape_array(&module->shapes, (hlo_type)shape->type, dims,
                                           shape->rank, NULL, order, shape->layout->parts);
    hlo_free(dims);
    hlo_free(order);
    return out;
}

static hlo_instr *turned(hlo_rewriter *r, hlo_instr *instr, int64_t a, int64_t b) {
    if (a == b) return instr;
    return hlo_emit_unary(r, HLO_OP_BITCAST, exchanged(r->module, instr->shape, a, b), instr);
}

static void add_sharding(const combining *k, hlo_instr *all) {
    static const hlo_sharding replicated = {.kind = HLO_SHARDING_REPLICATED};
    hlo_arena *arena = &all->parent->module->arena;
    hlo_sharding *tuple = HLO_NEW(arena, hlo_sharding);
    const hlo_sharding **elements = HLO_NEW_ARRAY(arena, const hlo_sharding *, k->members.n);
    bool any = false;
    for (size_t i = 0; i < k->members.n; i++) {
        const hlo_attr *own = hlo_instr_attr(k->members.v[i], HLO_ATTR_SHARDING);
        elements[i] = own ? own->u.sharding : &replicated;
        any |= own != NULL;
    }
    tuple->kind = HLO_SHARDING_TUPLE;
    tuple->n = (uint32_t)k->members.n;
    tuple->elements = elements;
    if (any) hlo_instr_set_attr(all, (hlo_attr){.id = HLO_ATTR_SHARDING, .u.sharding = tuple});
}

static hlo_instr *combined(combining *k, int64_t dimension) {
    hlo_rewriter *r = k->call->rewriter;
    uint32_t n = (uint32_t)k->members.n;
    hlo_instr **operands = hlo_malloc(n * sizeof *operands), *first = k->members.v[0];
    const hlo_shape **shapes = hlo_malloc(n * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *member = k->members.v[i];
        int64_t own = dimension < 0 ? dimension : dimension_of(member);
        operands[i] = turned(r, hlo_operand(member, 0), own, dimension);
        shapes[i] =
            own == dimension ? member->shape : exchanged(r->module, member->shape, own, dimension);
    }
    const hlo_shape *tuple = hlo_shape_tuple(&r->module->shapes, shapes, n);
    hlo_instr *all = hlo_emit_like(r, first, tuple, operands, n);
    if (dimension >= 0)
        hlo_instr_set_attr(all, hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &dimension, 1));
    hlo_merge_metadata(k->members.v, n, all);
    hlo_merge_frontend(k->members.v, n, all);
    add_sharding(k, all);
    hlo_free(operands);
    hlo_free(shapes);
    return all;
}

static void combine(combining *k) {
    hlo_rewriter *r = k->call->rewriter;
    uint32_t n = (uint32_t)k->members.n;
    bool has_dimension = hlo_instr_attr(k->members.v[0], HLO_ATTR_DIMENSIONS) != NULL;
    int64_t dimension = has_dimension ? common_dimension(k) : -1;
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    hlo_rewriter_aim(r, k->members.v[n - 1]);
    hlo_instr *all = combined(k, dimension);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = hlo_emit_element(r, all, i);
        if (has_dimension) parts[i] = turned(r, parts[i], dimension_of(k->members.v[i]), dimension);
    }
    for (size_t i = 0; i < r->fresh.n; i++) hlo_effect_order_add(&k->order, r->fresh.v[i]);
    r->fresh.n = 0; /* metadata is there already, or comes from each one's own member */
    for (uint32_t i = 0; i < n; i++) hlo_rewrite_replace(r, k->id, k->members.v[i], parts[i]);
    hlo_free(parts);
    hlo_effect_order_restore(&k->order);
}

/* ---- the pass ---- */

/* For each candidate the combined one has an operand with a bitcast, and an element with one. */
enum { MADE_FOR_EACH = 4 };

static uint32_t count_candidates(const combining *k, const hlo_computation *c) {
    uint32_t n = 0;
    for (const hlo_instr *i = c->first; i; i = i->next) n += is_candidate(k, i);
    return n;
}

static bool run_on(combining *k, hlo_computation *c) {
    uint32_t n = count_candidates(k, c);
    bool changed = false;
    if (n < 2) return false;
    hlo_effect_order_init(&k->order, &k->graph, c, MADE_FOR_EACH * n);
    classify(k, c);
    while (k->left > 1 && hlo_rewrite_allowed(k->call->rewriter, k->id)) {
        choose(k);
        if (k->members.n < 2) continue;
        combine(k);
        changed = true;
    }
    hlo_free(k->class_of);
    hlo_free(k->reached);
    hlo_effect_order_free(&k->order);
    return changed;
}

static bool is_of_loop(const combining *k, const hlo_computation *c) {
    return k->graph.call_count[c->id] == 1 && k->graph.caller[c->id]->opcode == HLO_OP_WHILE;
}

static bool may_look_at(const combining *k, const hlo_computation *c) {
    return !c->is_fusion_body && !c->is_async_body && (k->options[IN_LOOPS] || !is_of_loop(k, c));
}

static void init(combining *k, const hlo_pass_call *call) {
    size_t row = 0;
    while (kinds[row].pass != call->pass) row++;
    *k = (combining){.call = call, .opcode = kinds[row].opcode, .id = kinds[row].id};
    for (int i = 0; i < OPTIONS; i++) {
        int at = kinds[row].at[i];
        k->options[i] = at >= 0 ? call->values[at] : i == IN_LOOPS;
    }
    hlo_call_graph_init(&k->graph, call->module);
    hlo_arena_init(&k->scratch);
}

hlo_pass_result hlo_pass_combiner(const hlo_pass_call *call) {
    combining k;
    bool changed = false;
    init(&k, call);
    if (k.options[MOST_BYTES] > 0 && k.options[MOST_COUNT] > 0 &&
        !hlo_pins_layouts(call->module, k.opcode))
        for (hlo_computation *c = call->module->first; c; c = c->next)
            if (may_look_at(&k, c)) changed |= run_on(&k, c);
    hlo_list_free(&k.members);
    hlo_list_free(&k.classes);
    hlo_arena_free(&k.scratch);
    hlo_call_graph_free(&k.graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
