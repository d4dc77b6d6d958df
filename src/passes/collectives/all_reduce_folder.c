/* all-reduce-folder: an all-reduce of an all-reduce combines what one over larger groups does. A
 * pattern. */
#include "analysis/match.h"
#include "passes/collectives/collective.h"

static const char group_key[] = "collective_group_key";

/* Ids that either all-reduce has in one group are in one block, which the least of them stands for.
 * Every result of the second is that of its block, each contribution once, when every group of the
 * second has one id of each group of the first in the block. */
typedef struct {
    const hlo_int_lists *first, *second;
    uint32_t count;  /* ids */
    uint32_t *block; /* by id: one of its block that is not larger; the least: itself */
    uint32_t *group; /* by id: its group in the first */
} folding;

static uint32_t least_of(const folding *f, uint32_t id) {
    HLO_ASSERT(id < f->count);
    while (f->block[id] != id) id = f->block[id] = f->block[f->block[id]];
    return id;
}

static void join_blocks(folding *f, uint32_t a, uint32_t b) {
    HLO_ASSERT(a < f->count && b < f->count);
    a = least_of(f, a);
    b = least_of(f, b);
    if (a < b) f->block[b] = a;
    else f->block[a] = b;
}

static uint32_t count_ids(const hlo_int_lists *groups) {
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups->n; g++) count += groups->v[g]->n;
    return count;
}

/* Groups name each id below the count once. `seen` is scratch for all ids. */
static bool are_complete(const hlo_int_lists *groups, uint32_t count, bool *seen) {
    bool good = count_ids(groups) == count;
    memset(seen, 0, count);
    for (uint32_t g = 0; good && g < groups->n; g++)
        for (uint32_t i = 0; good && i < groups->v[g]->n; i++) {
            int64_t id = groups->v[g]->v[i];
            good = id >= 0 && id < count && !seen[id];
            if (good) seen[id] = true;
        }
    return good;
}

static void join_groups(folding *f, const hlo_int_lists *groups) {
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 1; i < groups->v[g]->n; i++)
            join_blocks(f, (uint32_t)groups->v[g]->v[0], (uint32_t)groups->v[g]->v[i]);
}

/* How many groups of the first each block has, by the least id. Free with hlo_free. */
static uint32_t *count_groups(const folding *f) {
    uint32_t *count = hlo_calloc(f->count, sizeof *count);
    for (uint32_t g = 0; g < f->first->n; g++) count[least_of(f, (uint32_t)f->first->v[g]->v[0])]++;
    return count;
}

static bool contribute_once(const folding *f) {
    uint32_t *groups = count_groups(f), *met = hlo_calloc(f->first->n, sizeof *met);
    bool good = true;
    for (uint32_t g = 0; good && g < f->second->n; g++) {
        const hlo_ints *ids = f->second->v[g];
        good = ids->n == groups[least_of(f, (uint32_t)ids->v[0])];
        for (uint32_t i = 0; good && i < ids->n; i++) {
            uint32_t *last = &met[f->group[ids->v[i]]];
            good = *last != g + 1;
            *last = g + 1;
        }
    }
    hlo_free(groups);
    hlo_free(met);
    return good;
}

/* Blocks in the order of their least ids, with ascending ids. */
static const hlo_int_lists *list_blocks(const folding *f, hlo_arena *arena) {
    uint32_t *size = hlo_calloc(f->count, sizeof *size), n = 0;
    for (uint32_t id = 0; id < f->count; id++) size[least_of(f, id)]++;
    hlo_ints **blocks = hlo_malloc(f->count * sizeof *blocks);
    hlo_int_lists *lists = hlo_arena_alloc(arena, sizeof *lists + f->count * sizeof *lists->v);
    for (uint32_t id = 0; id < f->count; id++) {
        uint32_t least = least_of(f, id);
        if (least == id) {
            lists->v[n++] = blocks[id] = hlo_ints_new(arena, size[id]);
            size[id] = 0;
        }
        blocks[least]->v[size[least]++] = id;
    }
    lists->n = n;
    hlo_free(blocks);
    hlo_free(size);
    return lists;
}

/* The groups of one all-reduce that does what two do; NULL: there are none. In `arena`. */
static const hlo_int_lists *fold(hlo_arena *arena, const hlo_int_lists *first,
                                 const hlo_int_lists *second) {
    folding f = {.first = first, .second = second, .count = count_ids(first)};
    if (f.count > HLO_MOST_PARTICIPANTS) return NULL;
    bool *seen = hlo_malloc(f.count + 1u);
    bool good = are_complete(first, f.count, seen) && are_complete(second, f.count, seen);
    hlo_free(seen);
    if (!good) return NULL;
    f.block = hlo_malloc(f.count * sizeof *f.block);
    f.group = hlo_malloc(f.count * sizeof *f.group);
    for (uint32_t id = 0; id < f.count; id++) f.block[id] = id;
    for (uint32_t g = 0; g < f.first->n; g++)
        for (uint32_t i = 0; i < f.first->v[g]->n; i++) f.group[f.first->v[g]->v[i]] = g;
    join_groups(&f, f.first);
    join_groups(&f, f.second);
    const hlo_int_lists *lists = contribute_once(&f) ? list_blocks(&f, arena) : NULL;
    hlo_free(f.block);
    hlo_free(f.group);
    return lists;
}

/* ---- which all-reduces ---- */

/* The mode that counts partitions in counts those of the result once more. */
static bool counts_once(const hlo_rewriter *r, const hlo_instr *instr) {
    return hlo_group_mode_of(instr) != HLO_GROUP_CROSS_REPLICA_AND_PARTITION ||
           hlo_module_int(r->module, HLO_ATTR_NUM_PARTITIONS) == 1;
}

static bool are_alike(const hlo_instr *a, const hlo_instr *b) {
    return hlo_group_mode_of(a) == hlo_group_mode_of(b) && hlo_groups_of(a) && hlo_groups_of(b) &&
           hlo_reduction_of(a) == hlo_reduction_of(b) && a->shape == b->shape;
}

static bool can_fold(const hlo_rewriter *r, const hlo_instr *outer, const hlo_instr *inner) {
    return inner->opcode == HLO_OP_ALL_REDUCE && outer->operand_count == 1 &&
           inner->operand_count == 1 && hlo_has_one_user(inner) && !hlo_is_tied(r, inner) &&
           hlo_reduction_of(outer) != HLO_OP_COUNT && are_alike(inner, outer) &&
           counts_once(r, outer) && !hlo_attr_int(outer, HLO_ATTR_CONSTRAIN_LAYOUT) &&
           !hlo_attr_int(inner, HLO_ATTR_CONSTRAIN_LAYOUT);
}

/* A key states with what a collective may be joined later: of two that differ, none is kept. */
static void merge_attributes(hlo_instr *inner, hlo_instr *outer) {
    const hlo_str *a = hlo_frontend_value(inner, group_key);
    const hlo_str *b = hlo_frontend_value(outer, group_key);
    bool differ = a && b && !hlo_str_equal(*a, *b);
    hlo_merge_frontend((hlo_instr *[]){inner, outer}, 2, outer);
    if (differ) hlo_remove_frontend(outer, group_key);
    hlo_inherit_metadata(inner, outer);
}

static void set_groups(hlo_rewriter *r, hlo_instr *instr, const hlo_int_lists *lists) {
    hlo_groups *groups = HLO_NEW(&r->module->arena, hlo_groups);
    groups->form = HLO_GROUPS_LIST;
    groups->lists = lists;
    groups->group_count = lists->n;
    hlo_instr_set_attr(instr, (hlo_attr){.id = HLO_ATTR_REPLICA_GROUPS, .u.groups = groups});
}

hlo_instr *hlo_rewrite_all_reduce_of_all_reduce(hlo_rewriter *r, hlo_instr *outer) {
    hlo_instr *inner = hlo_operand(outer, 0);
    if (!can_fold(r, outer, inner)) return NULL;
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    const hlo_int_lists *lists = fold(&r->module->arena, hlo_listed_groups(&scratch, inner),
                                      hlo_listed_groups(&scratch, outer));
    hlo_arena_free(&scratch);
    if (!lists) return NULL;
    set_groups(r, outer, lists);
    if (hlo_instr_attr(outer, HLO_ATTR_CHANNEL_ID))
        hlo_instr_set_attr(outer,
                           hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, hlo_next_channel(r->module)));
    merge_attributes(inner, outer);
    hlo_instr_set_operand(outer, 0, hlo_operand(inner, 0));
    hlo_rewriter_remove(r, inner);
    return outer;
}
