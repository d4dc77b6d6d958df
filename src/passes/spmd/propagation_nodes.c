/* The instructions of a module while shardings spread: what they have, and how they get better. */
#include "ir/sharding_named.h"
#include "passes/spmd/propagation.h"

/* ---- checks ---- */

static bool refuse(hlo_propagation *p, const hlo_instr *instr, const char *why) {
    hlo_error(p->diags, HLO_RULE_PIPELINE, p->module->source, instr->at,
              "sharding-propagation: the sharding of %s %s",
              hlo_name_quoted(&p->module->arena, instr->name), why);
    return false;
}

static bool check_leaf(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *s,
                       const hlo_shape *shape) {
    if (s->kind != HLO_SHARDING_TILED) return true;
    if (hlo_tiles_count(hlo_tiles_of(s)) > HLO_MOST_SHARDED_DEVICES)
        return refuse(p, instr, "has more than 2^24 devices, which are not supported");
    if (!hlo_shape_is_array(shape)) return refuse(p, instr, "splits a value that is not an array");
    if (hlo_tiled_rank(s) != shape->rank)
        return refuse(p, instr, "has tiles of another rank than the array");
    return true;
}

/* Recursion is as deep as tuples nest. */
static bool check_leaves(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *s,
                         const hlo_shape *shape, uint32_t *next) {
    if (!hlo_shape_is_tuple(shape)) return check_leaf(p, instr, s->elements[(*next)++], shape);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!check_leaves(p, instr, s, shape->elements[i], next)) return false;
    return true;
}

/* What moves tokens has the sharding of its data. */
static bool check_sharding(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *s) {
    uint32_t next = 0;
    if (instr->shape->type == HLO_TOKEN) return true;
    bool is_tuple = hlo_shape_is_tuple(instr->shape);
    if (is_tuple != (s->kind == HLO_SHARDING_TUPLE))
        return refuse(p, instr, "does not have the structure of its shape");
    if (!is_tuple) return check_leaf(p, instr, s, instr->shape);
    if (s->n != hlo_sharding_leaves(instr->shape))
        return refuse(p, instr, "does not have as many elements as its shape");
    return check_leaves(p, instr, s, instr->shape, &next);
}

/* ---- nodes ---- */

static const hlo_sharding *written_sharding(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    return attr ? attr->u.sharding : NULL;
}

static bool has_many_devices(const hlo_mesh *mesh) {
    int64_t n = 1;
    for (uint32_t i = 0; i < mesh->n && n <= HLO_MOST_SHARDED_DEVICES; i++)
        if (__builtin_mul_overflow(n, mesh->axes[i].size, &n)) return true;
    return n > HLO_MOST_SHARDED_DEVICES;
}

/* Rules know tiles only. NULL after an error. */
static const hlo_sharding *unnamed(hlo_propagation *p, const hlo_instr *instr,
                                   const hlo_sharding *s) {
    const char *why = "has more than 2^24 devices, which are not supported";
    if (s->kind != HLO_SHARDING_NAMED) return s;
    const hlo_sharding *tiled =
        has_many_devices(s->mesh) ? NULL : hlo_sharding_as_tiles(&p->kept, s, &why);
    if (!tiled) refuse(p, instr, why);
    return tiled;
}

/* Of a tuple, each element. */
static bool take_names_away(hlo_propagation *p, hlo_shard_node *node) {
    const hlo_sharding *s = node->sharding;
    if (!s) return true;
    if (s->kind != HLO_SHARDING_TUPLE) return (node->sharding = unnamed(p, node->instr, s));
    for (uint32_t i = 0; i < s->n; i++) {
        const hlo_sharding *leaf = unnamed(p, node->instr, s->elements[i]);
        if (!leaf) return false;
        if (leaf != s->elements[i])
            node->sharding = hlo_sharding_with_leaf(&p->kept, node->sharding, i, leaf);
    }
    return true;
}

static uint32_t count_instructions(const hlo_module *module) {
    uint32_t n = 0;
    for (hlo_computation *c = module->first; c; c = c->next) n += c->instr_count;
    return n;
}

void hlo_node_add(hlo_propagation *p, hlo_instr *instr) {
    instr->index = p->node_count;
    p->nodes[p->node_count++] =
        (hlo_shard_node){.instr = instr, .sharding = written_sharding(instr), .group = -1};
}

/* There is space for one that is added. */
bool hlo_nodes_init(hlo_propagation *p) {
    bool good = true;
    p->nodes = hlo_calloc(count_instructions(p->module) + 1u, sizeof *p->nodes);
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            hlo_node_add(p, i);
            hlo_shard_node *node = hlo_node(p, i);
            good &= take_names_away(p, node) &&
                    (!node->sharding || check_sharding(p, i, node->sharding));
        }
    return good;
}

void hlo_nodes_free(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->groups.n; i++) hlo_list_free(&p->groups.v[i].members);
    hlo_list_free(&p->groups);
    hlo_free(p->nodes);
    p->nodes = NULL;
}

static void link_users(hlo_propagation *p, const hlo_instr *instr, uint32_t mark) {
    hlo_shard_node *node = hlo_node(p, instr);
    uint32_t n = 0;
    for (const hlo_use *use = instr->first_use; use; use = use->next) n++;
    node->users = hlo_arena_alloc(&p->kept, n * sizeof *node->users);
    node->user_count = 0;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        if (use->user->mark == mark) continue;
        use->user->mark = mark;
        node->users[node->user_count++] = use->user;
    }
}

void hlo_nodes_link(hlo_propagation *p) {
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            link_users(p, i, hlo_module_new_mark(p->module));
}

/* An empty tuple that got its sharding as a part of another one has no leaf itself. XLA prints that
 * as {}, which no parser reads: it goes without. */
static bool write_sharding(hlo_propagation *p, const hlo_shard_node *node) {
    const hlo_attr *present = hlo_instr_attr(node->instr, HLO_ATTR_SHARDING);
    const hlo_sharding *s = node->sharding;
    if (s && s->kind == HLO_SHARDING_TUPLE && s->n == 0) s = NULL;
    hlo_attr made = {.id = HLO_ATTR_SHARDING, .u.sharding = s};
    if (!s && !present) return false;
    if (s && present && (present->u.sharding == s || hlo_attr_equal(&made, present))) return false;
    if (s)
        hlo_instr_set_attr(node->instr,
                           hlo_attr_import(&p->module->arena, &p->module->shapes, &made));
    else hlo_instr_remove_attr(node->instr, HLO_ATTR_SHARDING);
    return true;
}

bool hlo_nodes_write(hlo_propagation *p) {
    bool changed = false;
    for (uint32_t i = 0; i < p->node_count; i++)
        if (p->nodes[i].instr->parent) changed |= write_sharding(p, &p->nodes[i]);
    return changed;
}

/* ---- shardings of nodes ---- */

void hlo_set_sharding(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *sharding) {
    HLO_ASSERT(instr->index < p->node_count);
    hlo_attr attr = {.id = HLO_ATTR_SHARDING, .u.sharding = sharding};
    if (sharding) attr = hlo_attr_import(&p->kept, &p->module->shapes, &attr);
    hlo_node(p, instr)->sharding = attr.u.sharding;
}

bool hlo_is_partitioned(const hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_sharding_on(p, instr);
    return s && !hlo_sharding_is(s, HLO_SHARDING_MAXIMAL);
}

bool hlo_improve(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *found,
                 bool freely) {
    if (!found) return false;
    found = hlo_sharding_improved(&p->arena, found, hlo_sharding_on(p, instr), instr->shape,
                                  hlo_may_combine(p), freely);
    if (found) hlo_set_sharding(p, instr, found);
    return found != NULL;
}

bool hlo_improve_leaf(hlo_propagation *p, const hlo_instr *instr, uint32_t i,
                      const hlo_sharding *found, bool freely) {
    HLO_ASSERT(i < hlo_shape_leaf_count(instr->shape));
    if (!hlo_shape_is_tuple(instr->shape)) return hlo_improve(p, instr, found, freely);
    if (!found || !hlo_shape_is_array(instr->shape->elements[i])) return false;
    const hlo_sharding *all = hlo_sharding_on(p, instr);
    uint32_t leaf = hlo_shape_leaves_before(instr->shape, i);
    found = hlo_sharding_improved(&p->arena, found, all ? all->elements[leaf] : NULL,
                                  instr->shape->elements[i], hlo_may_combine(p), freely);
    if (!found) return false;
    if (!all)
        all = hlo_sharding_for_shape(&p->arena, hlo_sharding_replicated(&p->arena, NULL),
                                     instr->shape);
    hlo_set_sharding(p, instr, hlo_sharding_with_leaf(&p->arena, all, leaf, found));
    return true;
}

uint32_t hlo_inner_users(const hlo_propagation *p, const hlo_instr *instr) {
    const hlo_shard_node *node = hlo_node(p, instr);
    uint32_t n = node->user_count;
    for (uint32_t i = 0; i < node->user_count; i++)
        if (node->users[i] == instr->parent->root) n--;
    return n;
}

/* ---- what instructions are ---- */

bool hlo_is_shard_barrier_from(const hlo_instr *instr) {
    return instr->operand_count > 0 && hlo_calls_target(instr, "ShardBarrierFrom");
}

bool hlo_is_shard_barrier_to(const hlo_instr *instr) {
    return instr->operand_count > 0 && hlo_calls_target(instr, "ShardBarrierTo");
}

bool hlo_same_sizes(const hlo_shape *a, const hlo_shape *b) {
    if (hlo_shape_is_array(a) && hlo_shape_is_array(b))
        return a->rank == b->rank &&
               (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
    if (a->type != b->type || a->rank != b->rank) return false;
    for (uint32_t i = 0; hlo_shape_is_tuple(a) && i < a->rank; i++)
        if (!hlo_same_sizes(a->elements[i], b->elements[i])) return false;
    return true;
}
