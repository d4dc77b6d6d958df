/* Reshape: of each device's tile where that has the elements of the wanted one. Otherwise, within a
 * group of dimensions that hold the same elements, tiles of the first stay if they divide it. */
#include "base/math.h"
#include "passes/spmd/partition.h"
#include "shape/reshape_groups.h"

/* The first dimension of from .. to that is not of size 1; `to` when there is none. */
static uint32_t leading(const hlo_shape *shape, uint32_t from, uint32_t to) {
    HLO_ASSERT(from <= to && to <= shape->rank);
    while (from < to && shape->dims[from] == 1) from++;
    return from;
}

/* Nothing but ones after the leading dimension. */
static bool is_alone(const hlo_shape *shape, uint32_t lead, uint32_t end) {
    return leading(shape, lead + 1, end) == end;
}

static void describe_reshape(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_RESHAPE || instr->opcode == HLO_OP_BITCAST);
    (void)p;
    hlo_reshape_group g = {0};
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    while (hlo_reshape_next_group(from, to, &g)) {
        uint32_t a = leading(from, g.from, g.from_end), b = leading(to, g.to, g.to_end);
        if (a == g.from_end || b == g.to_end) continue;
        hlo_factor_join(f, 0, a, b);
        if (is_alone(from, a, g.from_end) && is_alone(to, b, g.to_end)) continue;
        f->divides[f->count - 1] = hlo_gcd(from->dims[a], to->dims[b]);
    }
}

static const hlo_partition_rule reshape = {describe_reshape, NULL, NULL};

/* ---- tiles that hold the same elements ---- */

/* Elements of a tile in row-major order of the whole: loops, the innermost first, none of which
 * goes on where another ends. */
typedef struct {
    uint32_t n;
    struct {
        int64_t size, stride;
    } v[];
} tile_loops;

/* NULL: tiles go beyond the end of the array, or are not known as numbers. */
static const tile_loops *loops_of(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *t) {
    HLO_ASSERT(shape->rank == t->rank);
    tile_loops *loops = hlo_arena_zero(arena, sizeof *loops + shape->rank * sizeof loops->v[0]);
    int64_t stride = 1;
    if (t->only >= 0 || shape->is_dynamic) return NULL;
    for (uint32_t d = shape->rank; d-- > 0; stride *= shape->dims[d]) {
        int64_t size = shape->dims[d] / t->tiles[d];
        if (shape->dims[d] % t->tiles[d] != 0) return NULL;
        if (size == 1) continue;
        uint32_t last = loops->n - 1;
        if (loops->n && loops->v[last].size * loops->v[last].stride == stride)
            loops->v[last].size *= size;
        else loops->v[loops->n].size = size, loops->v[loops->n++].stride = stride;
    }
    return loops;
}

static bool same_loops(const tile_loops *a, const tile_loops *b) {
    bool same = a && b && a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++)
        same = a->v[i].size == b->v[i].size && a->v[i].stride == b->v[i].stride;
    return same;
}

/* Where in the whole a device's tile begins. */
static int64_t first_element(const hlo_shape *shape, const hlo_tiling *t, int64_t device) {
    int64_t at = 0;
    for (uint32_t d = 0; d < shape->rank; d++)
        at = at * shape->dims[d] + hlo_tile_at(t, device, d) * (shape->dims[d] / t->tiles[d]);
    return at;
}

static bool same_elements(hlo_partitioner *p, const hlo_shard *x, const hlo_shape *to,
                          const hlo_tiling *t) {
    const tile_loops *loops = loops_of(&p->scratch, x->shape, x->tiles);
    bool same = same_loops(loops, loops_of(&p->scratch, to, t));
    for (int64_t i = 0; same && i < p->count; i++)
        same = first_element(x->shape, x->tiles, i) == first_element(to, t, i) &&
               hlo_tile_at(x->tiles, i, x->shape->rank) == hlo_tile_at(t, i, to->rank);
    return same;
}

hlo_shards *hlo_part_reshaped(hlo_partitioner *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_RESHAPE);
    const hlo_tiling **wanted = hlo_part_wanted(p, instr);
    if (!wanted) return NULL;
    hlo_shard x = hlo_part_array(p, instr, 0);
    if (!same_elements(p, &x, instr->shape, wanted[0]))
        return hlo_part_by_factors(p, instr, &reshape);
    const hlo_shape *shape = hlo_part_shape(p, instr->shape, wanted[0]);
    hlo_instr *made = hlo_emit_like(p->r, instr, shape, &x.data, 1);
    return hlo_shards_of(p, made, instr->shape, wanted);
}
