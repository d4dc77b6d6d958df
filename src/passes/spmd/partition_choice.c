/* Which loops of an operation to spread over devices: tiles that operands and results have already
 * are tried, and those taken that cost least to bring operands there and results to where they are
 * wanted. */
#include "passes/spmd/partition.h"

static uint32_t rank_of(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) ? shape->rank : 0;
}

/* ---- tiles over factors ---- */

/* An operand or a result: its shape, its tiles, and what its dimensions are. */
typedef struct {
    const hlo_shape *shape;
    const hlo_tiling *tiles;
    const int32_t *map;
    bool is_result;
} side;

typedef struct {
    hlo_partitioner *p;
    const hlo_factors *f;
    uint32_t n;
    side *sides; /* results first */
    /* Tiles along summed factors that both operands of a product have; NULL: none. Each device
     * multiplies what it has of them: bringing operands to all devices would repeat the product on
     * each. */
    const hlo_tiling *ready;
} choice;

static bool may_have(const hlo_factors *f, uint32_t factor, int64_t tiles) {
    return !f->divides[factor] || f->divides[factor] % tiles == 0;
}

/* Tiles of the factors that one operand or result knows. */
static const hlo_tiling *lifted(const choice *c, const side *from) {
    hlo_arena *arena = &c->p->scratch;
    uint32_t rank = rank_of(from->shape);
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, c->f->count + 1u);
    for (uint32_t d = 0; d < rank; d++) {
        int32_t factor = from->map[d];
        if (factor >= 0 && may_have(c->f, (uint32_t)factor, from->tiles->tiles[d]))
            axes[factor] = hlo_tile_axis_of(from->tiles, d);
    }
    axes[c->f->count] = hlo_tile_axis_of(from->tiles, rank);
    return hlo_tiling_of_axes(arena, axes, c->f->count, c->p->count);
}

/* Factors that have no tiles yet get those that other operands and results have. */
static const hlo_tiling *extended(const choice *c, const hlo_tiling *t) {
    for (uint32_t i = 0; i < c->n; i++) {
        const hlo_tiling *other = lifted(c, &c->sides[i]);
        for (uint32_t k = 0; k <= c->f->count; k++) {
            if (t->tiles[k] > 1 || other->tiles[k] == 1) continue;
            const hlo_tiling *more = hlo_tiling_with(&c->p->scratch, t, k, other, k);
            if (more) t = more;
        }
    }
    return t;
}

/* A dimension of that factor has `tiles` whole tiles. */
static bool divides_all(const choice *c, uint32_t factor, int64_t tiles) {
    bool fits = !c->f->is_summed[factor] && may_have(c->f, factor, tiles);
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t d = 0; d < rank_of(c->sides[i].shape); d++)
            if (c->sides[i].map[d] == (int32_t)factor)
                fits &= c->sides[i].shape->dims[d] % tiles == 0;
    return fits;
}

/* Tiles of dimensions that are needed as a whole, over factors that have none: the work stays
 * divided. NULL when there are no such tiles, or no such factor. */
static const hlo_tiling *moved(const choice *c, const side *from) {
    const hlo_tiling *t = lifted(c, from), *more = NULL;
    for (uint32_t d = 0; d < rank_of(from->shape); d++) {
        bool needed = from->map[d] < 0 && from->tiles->tiles[d] > 1;
        for (uint32_t k = 0; needed && k < c->f->count; k++) {
            if (t->tiles[k] > 1 || !divides_all(c, k, from->tiles->tiles[d])) continue;
            more = hlo_tiling_with(&c->p->scratch, t, k, from->tiles, d);
            if (!more) continue;
            t = more;
            break;
        }
    }
    return more ? t : NULL;
}

/* ---- what tiles cost ---- */

static int64_t added(int64_t a, int64_t b) {
    return a > INT64_MAX / 4 - b ? INT64_MAX / 4 : a + b;
}

static int64_t side_bytes(const choice *c, const side *s, const hlo_tiling *t) {
    hlo_arena *arena = &c->p->scratch;
    if (!hlo_shape_is_array(s->shape)) return 0;
    const hlo_tiling *own = hlo_tiling_projected(arena, t, s->map, s->shape->rank);
    HLO_ASSERT(t->count > 0);
    if (!s->is_result) return hlo_reshard_bytes(c->p, s->shape, s->tiles, own);
    int64_t bytes = hlo_reshard_bytes(c->p, s->shape, own, s->tiles);
    if (!hlo_factors_sum(c->f, t)) return bytes;
    int64_t part = hlo_shape_bytes(hlo_part_shape(c->p, s->shape, own));
    return part < 0 ? INT64_MAX / 4 : added(bytes, added(part, part));
}

static int64_t bytes_of(const choice *c, const hlo_tiling *t) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < c->n; i++) bytes = added(bytes, side_bytes(c, &c->sides[i], t));
    return bytes;
}

/* Whether `t` has all tiles that `a` has along summed factors. */
static bool same_summed(const choice *c, const hlo_tiling *a, const hlo_tiling *t) {
    bool same = true;
    for (uint32_t k = 0; k < c->f->count; k++)
        if (c->f->is_summed[k] && a->tiles[k] > 1)
            for (int64_t i = 0; i < a->count; i++)
                same &= a->tiles[k] == t->tiles[k] && hlo_tile_at(a, i, k) == hlo_tile_at(t, i, k);
    return same;
}

/* See choice.ready. */
static const hlo_tiling *ready_to_sum(const choice *c, const hlo_instr *instr) {
    bool is_product = instr->opcode == HLO_OP_DOT || instr->opcode == HLO_OP_CONVOLUTION;
    if (!is_product || instr->operand_count != 2) return NULL;
    const hlo_tiling *a = lifted(c, &c->sides[c->n - 2]), *b = lifted(c, &c->sides[c->n - 1]);
    return hlo_factors_sum(c->f, a) && same_summed(c, a, b) ? a : NULL;
}

typedef struct {
    const hlo_tiling *tiles;
    int64_t bytes;
} best;

/* Of equal cost, the one that leaves less work to each device. */
static void consider(const choice *c, best *b, const hlo_tiling *t) {
    if (b->tiles && hlo_tiling_equal(b->tiles, t)) return;
    if (c->ready && !same_summed(c, c->ready, t)) return;
    int64_t bytes = bytes_of(c, t);
    bool better =
        !b->tiles || bytes < b->bytes || (bytes == b->bytes && t->copies < b->tiles->copies);
    if (better) *b = (best){t, bytes};
}

/* More sides than these hardly give better tiles. */
enum { MOST_STARTS = 8 };

static const hlo_tiling *chosen_tiles(const choice *c) {
    best b = {NULL, 0};
    for (uint32_t i = 0; i < c->n && i < MOST_STARTS; i++) {
        const hlo_tiling *t = lifted(c, &c->sides[i]);
        consider(c, &b, extended(c, t));
        if (b.tiles && b.bytes == 0 && b.tiles->copies == 1) return b.tiles;
        consider(c, &b, t);
        const hlo_tiling *other = moved(c, &c->sides[i]);
        if (other) consider(c, &b, extended(c, other));
    }
    return b.tiles ? b.tiles : hlo_tiling_whole(&c->p->scratch, c->f->count, c->p->count);
}

static const hlo_tiling *without_only(hlo_partitioner *p, const hlo_tiling *t) {
    return t->only >= 0 ? hlo_tiling_whole(&p->scratch, t->rank, t->count) : t;
}

/* Results, then operands, in order. */
static choice choice_of(hlo_partitioner *p, const hlo_instr *instr, const hlo_factors *f,
                        const hlo_tiling *const *wanted) {
    hlo_shards *results = hlo_shards_new(p, instr->shape);
    choice c = {.p = p, .f = f};
    c.sides = HLO_NEW_ARRAY(&p->scratch, side, results->n + instr->operand_count + 1u);
    for (uint32_t i = 0; i < results->n; i++)
        c.sides[c.n++] =
            (side){results->leaves[i].shape, without_only(p, wanted[i]), f->results[i], true};
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_shard x = hlo_part_array(p, instr, i);
        c.sides[c.n++] = (side){x.shape, without_only(p, x.tiles), f->operands[i], false};
    }
    return c;
}

/* Some dimension that is in tiles is needed as a whole: the operation has no rule for that. */
static bool needs_whole(const choice *c, const side *s) {
    bool needs = false;
    for (uint32_t d = 0; d < rank_of(s->shape); d++) {
        int64_t tiles = s->tiles->tiles[d];
        bool fits = s->map[d] >= 0 && may_have(c->f, (uint32_t)s->map[d], tiles);
        needs |= tiles > 1 && !fits;
    }
    return needs;
}

static bool all_whole(const choice *c) {
    bool whole = true;
    for (uint32_t i = 0; i < c->n; i++) whole &= hlo_tiling_is_whole(c->sides[i].tiles);
    return whole;
}

const hlo_tiling *hlo_choose_tiles(hlo_partitioner *p, const hlo_instr *instr, const hlo_factors *f,
                                   const hlo_tiling *const *wanted) {
    choice c = choice_of(p, instr, f, wanted);
    if (all_whole(&c)) return hlo_part_whole_tiling(p, f->count);
    bool needs = false;
    for (uint32_t i = 0; i < c.n; i++) needs |= needs_whole(&c, &c.sides[i]);
    if (needs) hlo_part_count_whole(c.p, instr);
    c.ready = ready_to_sum(&c, instr);
    return chosen_tiles(&c);
}
