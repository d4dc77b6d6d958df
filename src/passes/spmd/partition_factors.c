/* Operations as nests of loops: operands get the tiles of the loops that are spread over devices,
 * and the result those that are wanted. */
#include "passes/spmd/partition.h"

/* ---- describing ---- */

static uint32_t rank_of(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) ? shape->rank : 0;
}

static int32_t *no_factors(hlo_partitioner *p, const hlo_shape *shape, uint32_t *dims) {
    uint32_t rank = rank_of(shape);
    int32_t *map = HLO_NEW_ARRAY(&p->scratch, int32_t, rank + 1u);
    for (uint32_t d = 0; d < rank; d++) map[d] = -1;
    *dims += rank;
    return map;
}

static hlo_factors *describe(hlo_partitioner *p, const hlo_instr *instr,
                             const hlo_partition_rule *rule) {
    hlo_factors *f = HLO_NEW(&p->scratch, hlo_factors);
    hlo_shards *results = hlo_shards_new(p, instr->shape);
    uint32_t dims = 0;
    f->operands = HLO_NEW_ARRAY(&p->scratch, int32_t *, instr->operand_count + 1u);
    f->results = HLO_NEW_ARRAY(&p->scratch, int32_t *, results->n + 1u);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        f->operands[i] = no_factors(p, hlo_operand(instr, i)->shape, &dims);
    for (uint32_t i = 0; i < results->n; i++)
        f->results[i] = no_factors(p, results->leaves[i].shape, &dims);
    f->is_summed = HLO_NEW_ARRAY(&p->scratch, bool, dims + 1u);
    f->divides = HLO_NEW_ARRAY(&p->scratch, int64_t, dims + 1u);
    rule->describe(p, instr, f);
    return f;
}

int32_t hlo_factor_new(hlo_factors *f, bool is_summed, int64_t divides) {
    HLO_ASSERT(divides >= 0);
    f->is_summed[f->count] = is_summed;
    f->divides[f->count] = divides;
    return (int32_t)f->count++;
}

void hlo_factor_join(hlo_factors *f, uint32_t operand, int64_t dimension,
                     int64_t result_dimension) {
    int32_t factor = hlo_factor_new(f, false, 0);
    f->operands[operand][dimension] = factor;
    f->results[0][result_dimension] = factor;
}

void hlo_factor_everywhere(const hlo_instr *instr, hlo_factors *f, uint32_t d) {
    int32_t factor = hlo_factor_new(f, false, 0);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (rank_of(hlo_operand(instr, i)->shape) > d) f->operands[i][d] = factor;
    for (uint32_t i = 0; i < hlo_shape_part_count(instr->shape); i++)
        if (rank_of(hlo_shape_part(instr->shape, i)) > d) f->results[i][d] = factor;
}

/* ---- making ---- */

bool hlo_factors_sum(const hlo_factors *f, const hlo_tiling *t) {
    bool any = false;
    for (uint32_t k = 0; k < f->count; k++) any |= f->is_summed[k] && t->tiles[k] > 1;
    return any;
}

bool hlo_placed_sums(const hlo_placed *s) {
    return hlo_factors_sum(s->factors, s->tiles);
}

int64_t hlo_factor_tiles(const hlo_placed *s, int32_t factor) {
    HLO_ASSERT(factor < (int32_t)s->factors->count);
    return factor < 0 ? 1 : s->tiles->tiles[factor];
}

hlo_instr *hlo_part_make_same(hlo_partitioner *p, const hlo_placed *s) {
    return hlo_emit_like(p->r, s->instr, s->shape, s->data, s->instr->operand_count);
}

static bool *summed(hlo_partitioner *p, const hlo_placed *s) {
    bool *chosen = HLO_NEW_ARRAY(&p->scratch, bool, s->factors->count + 1u);
    memcpy(chosen, s->factors->is_summed, s->factors->count * sizeof *chosen);
    return chosen;
}

const hlo_int_lists *hlo_placed_groups(hlo_partitioner *p, const hlo_placed *s) {
    return hlo_tile_groups(&p->scratch, s->tiles, summed(p, s));
}

hlo_instr *hlo_placed_member(hlo_partitioner *p, const hlo_placed *s) {
    const hlo_int_lists *groups = hlo_placed_groups(p, s);
    int64_t *numbers = HLO_NEW_ARRAY(&p->scratch, int64_t, p->count);
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->v[g]->n; i++) numbers[groups->v[g]->v[i]] = i;
    return hlo_part_number(p, numbers);
}

static hlo_instr *combined(hlo_partitioner *p, const hlo_placed *s, hlo_instr *made,
                           const hlo_partition_rule *rule) {
    if (!hlo_placed_sums(s)) return made;
    const hlo_int_lists *groups = hlo_placed_groups(p, s);
    return rule->combine ? rule->combine(p, s, made, groups) : hlo_part_sum(p, made, groups);
}

/* The tiles of an operand or result whose dimensions are these factors. */
static const hlo_tiling *own_tiling(hlo_partitioner *p, const hlo_placed *s, const int32_t *map,
                                    uint32_t rank) {
    return hlo_part_kept(p, hlo_tiling_projected(&p->scratch, s->tiles, map, rank));
}

static void bring_operands(hlo_partitioner *p, hlo_placed *s) {
    uint32_t n = s->instr->operand_count;
    s->operands = HLO_NEW_ARRAY(&p->scratch, hlo_shard, n + 1u);
    s->data = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, n + 1u);
    for (uint32_t i = 0; i < n; i++) {
        hlo_shard x = hlo_part_array(p, s->instr, i);
        s->operands[i] =
            hlo_reshard(p, x, own_tiling(p, s, s->factors->operands[i], rank_of(x.shape)));
        s->data[i] = s->operands[i].data;
    }
}

static void place_results(hlo_partitioner *p, hlo_placed *s) {
    hlo_shards *results = hlo_shards_new(p, s->instr->shape);
    s->results = HLO_NEW_ARRAY(&p->scratch, const hlo_tiling *, results->n + 1u);
    for (uint32_t i = 0; i < results->n; i++)
        s->results[i] = own_tiling(p, s, s->factors->results[i], rank_of(results->leaves[i].shape));
    s->shape = hlo_part_shape_of(p, s->instr->shape, s->results);
}

hlo_shards *hlo_part_by_factors(hlo_partitioner *p, hlo_instr *instr,
                                const hlo_partition_rule *rule) {
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    hlo_placed s = {.instr = instr, .factors = describe(p, instr, rule)};
    s.tiles = hlo_choose_tiles(p, instr, s.factors, wanted);
    bring_operands(p, &s);
    place_results(p, &s);
    if (p->failed) return NULL;
    hlo_instr *made = rule->make ? rule->make(p, &s) : hlo_part_make_same(p, &s);
    if (!made || p->failed) return NULL;
    made = combined(p, &s, made, rule);
    return hlo_shards_as(p, hlo_shards_of(p, made, instr->shape, s.results), wanted);
}
