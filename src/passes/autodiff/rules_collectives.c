/* Rules of collectives. Each device has separate cotangents, and the gradient is that of the sum
 * over devices of what cotangents weigh: a value that was sent somewhere gets what has reached it
 * there. */
#include "analysis/match.h"
#include "analysis/participants.h"
#include "passes/autodiff/formula.h"
#include "passes/autodiff/prepared.h"

/* ---- operands that want something, and what has reached their results ---- */

typedef struct {
    hlo_gradient *g;
    hlo_instr *instr;
    uint32_t n;
    uint32_t *numbers;        /* of the operands */
    hlo_instr **values;       /* cotangents, or what is made of them */
    const hlo_shape **shapes; /* that values shall have after the next exchange */
} exchange;

static hlo_instr *in_layout(hlo_gradient *g, hlo_instr *a, const hlo_shape *shape) {
    return a->shape == shape ? a : hlo_emit_unary(g->r, HLO_OP_COPY, shape, a);
}

static exchange begin_exchange(hlo_gradient *g, hlo_instr *instr) {
    uint32_t most = instr->operand_count + 1;
    exchange e = {.g = g, .instr = instr};
    e.numbers = hlo_malloc(most * sizeof *e.numbers);
    e.values = hlo_malloc(most * sizeof *e.values);
    e.shapes = hlo_malloc(most * sizeof *e.shapes);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *c =
            hlo_gradient_is_needed(g, instr, i) ? hlo_gradient_cotangent(g, instr, i) : NULL;
        if (!c) continue;
        e.numbers[e.n] = i;
        e.values[e.n] = in_layout(g, c, hlo_shape_part(instr->shape, i));
        e.shapes[e.n++] = hlo_operand(instr, i)->shape;
    }
    return e;
}

/* Operands get the values that there are now. */
static bool end_with_values(exchange *e) {
    for (uint32_t k = 0; k < e->n; k++)
        hlo_gradient_add(e->g, e->instr, e->numbers[k], e->values[k]);
    hlo_free(e->numbers);
    hlo_free(e->values);
    hlo_free(e->shapes);
    return true;
}

/* ---- collectives between the same devices ---- */

static const hlo_int_lists *inverted(hlo_gradient *g, const hlo_int_lists *pairs) {
    hlo_arena *arena = &g->r->module->arena;
    hlo_int_lists *to = hlo_arena_alloc(arena, sizeof *to + pairs->n * sizeof *to->v);
    to->n = pairs->n;
    for (uint32_t i = 0; i < pairs->n; i++) {
        const hlo_ints *pair = pairs->v[i];
        to->v[i] =
            pair->n == 2 ? hlo_ints_from(arena, (int64_t[]){pair->v[1], pair->v[0]}, 2) : pair;
    }
    return to;
}

enum { MOST_ATTRS = 8 };

/* The attributes of the collective for devices and dimensions, as far as the opcode has them too; a
 * separate channel; sums. */
static uint32_t attrs_of(const exchange *e, hlo_opcode opcode, hlo_type type, hlo_attr *attrs) {
    static const hlo_attr_id kept[] = {HLO_ATTR_REPLICA_GROUPS, HLO_ATTR_USE_GLOBAL_DEVICE_IDS,
                                       HLO_ATTR_CONSTRAIN_LAYOUT, HLO_ATTR_DIMENSIONS};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const hlo_attr *attr = hlo_instr_attr(e->instr, kept[i]);
        if (attr && hlo_op_attr(opcode, kept[i]) != HLO_ATTR_COUNT) attrs[n++] = *attr;
    }
    if (hlo_instr_attr(e->instr, HLO_ATTR_CHANNEL_ID))
        attrs[n++] = hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(e->g->r->module));
    const hlo_attr *pairs = hlo_instr_attr(e->instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    if (pairs)
        attrs[n++] = (hlo_attr){.id = HLO_ATTR_SOURCE_TARGET_PAIRS,
                                .u.int_lists = inverted(e->g, pairs->u.int_lists)};
    if (hlo_op_attr(opcode, HLO_ATTR_TO_APPLY) != HLO_ATTR_COUNT)
        attrs[n++] = (hlo_attr){.id = HLO_ATTR_TO_APPLY,
                                .u.computation = hlo_build_reducer(e->g->r, HLO_OP_ADD, type)};
    return n;
}

/* Values first, first + 1 ... of the exchange, by one collective. */
static void exchange_some(exchange *e, hlo_opcode opcode, uint32_t first, uint32_t n) {
    hlo_attr attrs[MOST_ATTRS];
    hlo_rewriter *r = e->g->r;
    hlo_instr **values = e->values + first;
    uint32_t attr_count = attrs_of(e, opcode, (hlo_type)values[0]->shape->type, attrs);
    bool is_tuple =
        n > 1 || (opcode == HLO_OP_ALL_TO_ALL && !hlo_instr_attr(e->instr, HLO_ATTR_DIMENSIONS));
    const hlo_shape *shape =
        is_tuple ? hlo_shape_tuple(&r->module->shapes, e->shapes + first, n) : e->shapes[first];
    hlo_instr *all = hlo_emit(r, opcode, shape, values, n, attrs, attr_count);
    for (uint32_t k = 0; k < n; k++) values[k] = is_tuple ? hlo_emit_element(r, all, k) : all;
}

/* Has the values sent by a collective between the devices of the instruction; those that are of one
 * type together. */
static void send(exchange *e, hlo_opcode opcode) {
    for (uint32_t first = 0, n; first < e->n; first += n) {
        n = 1;
        while (first + n < e->n &&
               e->values[first + n]->shape->type == e->values[first]->shape->type)
            n++;
        exchange_some(e, opcode, first, n);
    }
}

/* The same of one value, which shall have that shape then. */
static hlo_instr *sent(const exchange *e, hlo_opcode opcode, hlo_instr *a, const hlo_shape *shape) {
    exchange one = *e;
    one.n = 1;
    one.values = &a;
    one.shapes = &shape;
    exchange_some(&one, opcode, 0, 1);
    return a;
}

/* ---- maximum and minimum of several devices ---- */

/* Elements that equal the result share what has reached it. `down` adds up what devices have of
 * a result, `up` gives each what has become of its operand. */
static void share_extreme(exchange *e, hlo_opcode up, hlo_opcode down) {
    hlo_gradient *g = e->g;
    bool is_whole = up == HLO_OP_COUNT;
    for (uint32_t k = 0; k < e->n; k++) {
        hlo_instr *x = hlo_gradient_operand(g, e->instr, e->numbers[k]);
        hlo_instr *y = hlo_gradient_element(g, e->instr, e->numbers[k]), *c = e->values[k];
        const hlo_shape *part = y->shape;
        if (is_whole) c = sent(e, down, c, part);
        hlo_instr *wins = equals(g, x, is_whole ? y : sent(e, up, y, x->shape));
        hlo_instr *winners = sent(e, down, in_layout(g, wins, x->shape), part);
        winners = hlo_build_binary(g->r, HLO_OP_MAXIMUM, winners, number(g, winners, 1));
        hlo_instr *share = over(g, in_layout(g, c, part), winners);
        e->values[k] = times(g, wins, is_whole ? share : sent(e, up, share, x->shape));
    }
}

static bool is_extreme(const hlo_instr *instr, hlo_opcode combiner) {
    bool is_complex = hlo_type_is_complex((hlo_type)hlo_operand(instr, 0)->shape->type);
    return (combiner == HLO_OP_MAXIMUM || combiner == HLO_OP_MINIMUM) && !is_complex;
}

/* ---- rules ---- */

bool hlo_gradient_all_reduce(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    (void)c;
    hlo_opcode combiner = hlo_binary_computation(hlo_called(instr, 0));
    if (combiner != HLO_OP_ADD && !is_extreme(instr, combiner))
        return hlo_gradient_refuse(g, instr,
                                   "has a gradient only for add, multiply, maximum or minimum, "
                                   "between groups of one size");
    exchange e = begin_exchange(g, instr);
    if (combiner == HLO_OP_ADD) send(&e, HLO_OP_ALL_REDUCE);
    else share_extreme(&e, HLO_OP_COUNT, HLO_OP_ALL_REDUCE);
    return end_with_values(&e);
}

bool hlo_gradient_reduce_scatter(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE_SCATTER);
    (void)c;
    hlo_opcode combiner = hlo_binary_computation(hlo_called(instr, 0));
    if (instr->shape->dynamic) return hlo_gradient_refuse_dynamic(g, instr);
    if (combiner != HLO_OP_ADD && !is_extreme(instr, combiner))
        return hlo_gradient_refuse(g, instr, "has a gradient only for add, maximum or minimum");
    exchange e = begin_exchange(g, instr);
    if (combiner == HLO_OP_ADD) send(&e, HLO_OP_ALL_GATHER);
    else share_extreme(&e, HLO_OP_ALL_GATHER, HLO_OP_REDUCE_SCATTER);
    return end_with_values(&e);
}

bool hlo_gradient_all_gather(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    (void)c;
    if (instr->shape->dynamic) return hlo_gradient_refuse_dynamic(g, instr);
    exchange e = begin_exchange(g, instr);
    send(&e, HLO_OP_REDUCE_SCATTER);
    return end_with_values(&e);
}

/* What member i got from member k goes back in the same way. An operand for each member: all of
 * them are sent. */
bool hlo_gradient_all_to_all(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_ALL_TO_ALL);
    (void)c;
    exchange e = begin_exchange(g, instr);
    e.n = instr->operand_count;
    for (uint32_t i = 0; i < e.n; i++) {
        const hlo_shape *shape = hlo_shape_part(instr->shape, i);
        e.numbers[i] = i;
        e.values[i] = in_layout(g, hlo_gradient_cotangent_or_zeros(g, instr, i), shape);
        e.shapes[i] = hlo_operand(instr, i)->shape;
    }
    send(&e, HLO_OP_ALL_TO_ALL);
    return end_with_values(&e);
}

/* Who has received nothing has zeros. */
bool hlo_gradient_collective_permute(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    (void)c;
    if (hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES))
        return hlo_gradient_refuse(g, instr, "has no gradient for in-place operands");
    exchange e = begin_exchange(g, instr);
    send(&e, HLO_OP_COLLECTIVE_PERMUTE);
    return end_with_values(&e);
}

/* ---- collective-broadcast ---- */

/* The groups, and a separate one for each other id below `count`. */
static hlo_attr complete_groups(hlo_gradient *g, const hlo_int_lists *lists, int64_t count) {
    hlo_arena *arena = &g->r->module->arena;
    bool *is_named = hlo_calloc((size_t)count + 1u, sizeof *is_named);
    hlo_int_lists *all =
        hlo_arena_alloc(arena, sizeof *all + (lists->n + (size_t)count) * sizeof *all->v);
    all->n = 0;
    for (uint32_t k = 0; k < lists->n; k++) {
        const hlo_ints *ids = lists->v[k];
        if (ids->n) all->v[all->n++] = ids;
        for (uint32_t i = 0; i < ids->n; i++)
            if (ids->v[i] >= 0 && ids->v[i] < count) is_named[ids->v[i]] = true;
    }
    for (int64_t id = 0; id < count; id++)
        if (!is_named[id]) all->v[all->n++] = hlo_ints_from(arena, &id, 1);
    hlo_free(is_named);
    hlo_groups *groups = hlo_arena_alloc(arena, sizeof *groups);
    *groups = (hlo_groups){.form = HLO_GROUPS_LIST, .lists = all, .group_count = all->n};
    return (hlo_attr){.id = HLO_ATTR_REPLICA_GROUPS, .u.groups = groups};
}

/* How many ids an all-reduce numbers that has a channel or none, as the broadcast; -1: too many. */
static int64_t id_count(const hlo_instr *instr) {
    const hlo_module *module = instr->parent->module;
    int64_t count = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    int64_t partitions = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID)
                             ? hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS)
                             : 1;
    bool is_huge = __builtin_mul_overflow(count, partitions, &count);
    return is_huge || count > HLO_MOST_PARTICIPANTS ? -1 : count;
}

/* The sum of what the members of a group have. An all-reduce with a channel numbers devices, where
 * a broadcast numbers partitions. */
static hlo_instr *sum_of_group(hlo_gradient *g, const hlo_instr *instr, hlo_instr *a) {
    hlo_module *module = g->r->module;
    bool has_channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) != NULL;
    const hlo_int_lists *lists = has_channel ? hlo_listed_devices(&module->arena, instr)
                                             : hlo_listed_groups(&module->arena, instr);
    hlo_computation *add = hlo_build_reducer(g->r, HLO_OP_ADD, (hlo_type)a->shape->type);
    hlo_attr attrs[] = {complete_groups(g, lists, id_count(instr)),
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = add},
                        hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(module)),
                        hlo_attr_of_int(HLO_ATTR_USE_GLOBAL_DEVICE_IDS, 1)};
    return hlo_emit(g->r, HLO_OP_ALL_REDUCE, a->shape, &a, 1, attrs, has_channel ? 4 : 2);
}

/* Ones on the first device of each group, zeros elsewhere: only those send them, to themselves. */
static hlo_instr *is_first(hlo_gradient *g, const hlo_instr *instr, const hlo_shape *like) {
    hlo_module *module = g->r->module;
    const hlo_int_lists *lists = hlo_listed_groups(&module->arena, instr);
    hlo_int_lists *pairs =
        hlo_arena_alloc(&module->arena, sizeof *pairs + lists->n * sizeof *pairs->v);
    pairs->n = 0;
    for (uint32_t k = 0; k < lists->n; k++) {
        if (!lists->v[k]->n) continue;
        int64_t first = lists->v[k]->v[0];
        pairs->v[pairs->n++] = hlo_ints_from(&module->arena, (int64_t[]){first, first}, 2);
    }
    hlo_attr attrs[] = {{.id = HLO_ATTR_SOURCE_TARGET_PAIRS, .u.int_lists = pairs},
                        hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(module))};
    bool has_channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) != NULL;
    hlo_instr *one = hlo_build_integer(g->r, hlo_shape_scalar(&module->shapes, HLO_S32), 1);
    hlo_instr *flag =
        hlo_emit(g->r, HLO_OP_COLLECTIVE_PERMUTE, one->shape, &one, 1, attrs, 1 + has_channel);
    flag = hlo_build_compare(g->r, flag, one, "EQ");
    return hlo_build_spread(g->r, flag, like, NULL);
}

bool hlo_gradient_collective_broadcast(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    if (hlo_attr_int(instr, HLO_ATTR_HAS_DYNAMIC_ROOT))
        return hlo_gradient_refuse(g, instr,
                                   "has no gradient when its operands select the senders");
    if (id_count(instr) < 0 || !hlo_listed_devices(&g->r->module->arena, instr))
        return hlo_gradient_refuse(g, instr, "has no gradient for so many devices");
    hlo_instr *sum = sum_of_group(g, instr, c);
    hlo_instr *mine = is_first(g, instr, sum->shape);
    HLO_ASSERT(instr->opcode == HLO_OP_COLLECTIVE_BROADCAST);
    hlo_gradient_add(g, instr, 0, where(g, mine, sum));
    return true;
}

/* ---- products of several devices ---- */

static hlo_instr *gathered(hlo_rewriter *r, const hlo_instr *instr, hlo_instr *x, int64_t members) {
    uint32_t rank = x->shape->rank;
    hlo_ints *sizes = hlo_ints_new(&r->module->arena, rank + 1u);
    sizes->v[0] = 1;
    for (uint32_t d = 0; d < rank; d++) sizes->v[d + 1] = x->shape->dims[d];
    hlo_instr *row = hlo_build_reshape(r, x, sizes->v, rank + 1u);
    hlo_gradient g = {.r = r};
    exchange e = {.g = &g, .instr = (hlo_instr *)instr};
    hlo_attr attrs[MOST_ATTRS];
    uint32_t n = attrs_of(&e, HLO_OP_ALL_GATHER, (hlo_type)x->shape->type, attrs);
    attrs[n++] = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &(int64_t){0}, 1);
    sizes->v[0] = members;
    const hlo_shape *shape = hlo_shape_of_sizes(r, (hlo_type)x->shape->type, sizes->v, rank + 1u);
    return hlo_emit(r, HLO_OP_ALL_GATHER, shape, &row, 1, attrs, n);
}

hlo_instr *hlo_product_by_all_gather(hlo_rewriter *r, hlo_instr *instr) {
    int64_t members = hlo_participant_count(instr);
    bool is_product = hlo_binary_computation(hlo_called(instr, 0)) == HLO_OP_MULTIPLY;
    if (!is_product || members < 1 || instr->shape->dynamic) return NULL;
    hlo_instr **products = hlo_malloc(instr->operand_count * sizeof *products);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *all = gathered(r, instr, hlo_operand(instr, i), members);
        products[i] = hlo_build_reduce(r, all, HLO_OP_MULTIPLY, &(int64_t){0}, 1);
    }
    bool is_tuple = hlo_shape_is_tuple(instr->shape);
    hlo_instr *by = is_tuple ? hlo_emit_tuple(r, products, instr->operand_count) : products[0];
    hlo_free(products);
    return by;
}
