/* Rules of reduce-window and select-and-scatter, and what they share with convolution: along a
 * dimension with tiles, devices fetch what their windows reach of their neighbours' tiles. */
#include "passes/spmd/partition_windows.h"

#include "analysis/match.h"
#include "base/math.h"

const hlo_window *hlo_window_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    return attr ? attr->u.window : NULL;
}

hlo_window *hlo_window_copy(hlo_partitioner *p, const hlo_window *like) {
    return hlo_arena_copy(&p->r->module->arena, like, sizeof *like + like->n * sizeof like->v[0]);
}

void hlo_window_set(hlo_instr *made, const hlo_window *window) {
    hlo_instr_set_attr(made, (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window});
}

/* ---- windows over tiles ---- */

int64_t hlo_window_extent(const hlo_window_dim *w) {
    return w->size ? (w->size - 1) * w->window_dilation + 1 : 0;
}

int64_t hlo_window_tiles(const hlo_window_dim *w, int64_t size) {
    HLO_ASSERT(size >= 0);
    if (w->base_dilation == 1) return 0;
    int64_t all = size * w->stride;
    return size && all % w->base_dilation == 0 ? hlo_gcd(size, all / w->base_dilation) : 1;
}

bool hlo_window_is_trivial(const hlo_window_dim *w) {
    return w->size == 1 && w->stride == 1 && !w->pad_low && !w->pad_high && w->base_dilation == 1;
}

hlo_instr *hlo_window_covered(hlo_partitioner *p, const hlo_shard *x, uint32_t d, int64_t size,
                              hlo_window_dim *w, hlo_instr *fill) {
    HLO_ASSERT(d < x->shape->rank && size >= 0);
    int64_t dilation = w->base_dilation, phase = (-w->pad_low % dilation + dilation) % dilation;
    int64_t span = size ? (size - 1) * w->stride + hlo_window_extent(w) : 0;
    int64_t n = span ? (phase + span - 1) / dilation + 1 : 0;
    hlo_reach reach = {d, (-w->pad_low - phase) / dilation, size * w->stride / dilation, n, fill};
    w->pad_low = -phase;
    w->pad_high = span - (n ? (n - 1) * dilation + 1 - phase : 0);
    return hlo_shard_reach(p, x, &reach);
}

/* What may be combined with a result any number of times. A start that is that element stays; so
 * does one of a computation whose element is not known, for which the definition demands it. */
static hlo_instr *neutral_start(hlo_partitioner *p, const hlo_placed *s, hlo_attr_id computation,
                                uint32_t i, uint32_t n) {
    const hlo_computation *c = hlo_instr_attr(s->instr, computation)->u.computation;
    hlo_instr *start = s->data[s->instr->operand_count - n + i];
    hlo_opcode opcode = hlo_known_reduction(c, i, n, (hlo_type)start->shape->type);
    if (opcode == HLO_OP_COUNT || hlo_is_neutral(opcode, start)) return start;
    return hlo_build_neutral(p->r, start->shape, opcode);
}

/* ---- reduce-window ---- */

static void describe_reduce_window(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE_WINDOW);
    (void)p;
    const hlo_window *window = hlo_window_of(instr);
    const hlo_shape *result = hlo_shape_part(instr->shape, 0);
    for (uint32_t d = 0; d < result->rank; d++) {
        hlo_factor_everywhere(instr, f, d);
        if (window) f->divides[f->count - 1] = hlo_window_tiles(&window->v[d], result->dims[d]);
    }
}

/* Operand i as the windows of the device cover it. */
static void cover_operand(hlo_partitioner *p, const hlo_placed *s, uint32_t i, uint32_t n,
                          hlo_window *window) {
    const hlo_window *old = hlo_window_of(s->instr);
    const hlo_shape *shape = hlo_shape_part(s->shape, 0);
    hlo_shard x = s->operands[i];
    hlo_instr *fill = neutral_start(p, s, HLO_ATTR_TO_APPLY, i, n);
    HLO_ASSERT(i < s->instr->operand_count);
    for (uint32_t d = 0; d < old->n; d++) {
        if (hlo_factor_tiles(s, s->factors->operands[i][d]) == 1 ||
            hlo_window_is_trivial(&old->v[d]))
            continue;
        window->v[d] = old->v[d];
        x.data = hlo_window_covered(p, &x, d, shape->dims[d], &window->v[d], fill);
    }
    s->data[i] = x.data;
}

static hlo_instr *make_reduce_window(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_REDUCE_WINDOW);
    const hlo_window *old = hlo_window_of(s->instr);
    uint32_t n = s->instr->operand_count / 2;
    if (!old) return hlo_part_make_same(p, s);
    hlo_window *window = hlo_window_copy(p, old);
    for (uint32_t i = 0; i < n; i++) cover_operand(p, s, i, n, window);
    hlo_instr *made = hlo_part_make_same(p, s);
    hlo_window_set(made, window);
    return made;
}

const hlo_partition_rule hlo_part_reduce_window = {describe_reduce_window, make_reduce_window,
                                                   NULL};

/* ---- select-and-scatter ---- */

/* The order that the windows select by: what is never selected is the least or the greatest. */
static bool selects_by_order(const hlo_instr *instr, bool *greatest) {
    const hlo_computation *select = hlo_instr_attr(instr, HLO_ATTR_SELECT)->u.computation;
    const hlo_instr *root = select->root;
    if (root->opcode != HLO_OP_COMPARE ||
        hlo_type_is_complex((hlo_type)hlo_operand(root, 0)->shape->type))
        return false;
    bool straight = hlo_operand(root, 0) == select->parameters[0] &&
                    hlo_operand(root, 1) == select->parameters[1];
    const char *way = hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(root, HLO_ATTR_DIRECTION));
    *greatest = way[0] == 'G';
    return straight && (way[0] == 'G' || way[0] == 'L');
}

/* Windows begin alike in all tiles when those have a whole number of strides. */
static void describe_select_and_scatter(hlo_partitioner *p, const hlo_instr *instr,
                                        hlo_factors *f) {
    HLO_ASSERT(instr->opcode == HLO_OP_SELECT_AND_SCATTER);
    (void)p;
    const hlo_window *window = hlo_window_of(instr);
    bool greatest, ordered = selects_by_order(instr, &greatest);
    for (uint32_t d = 0; d < instr->shape->rank; d++) {
        bool trivial = !window || hlo_window_is_trivial(&window->v[d]);
        int64_t size = instr->shape->dims[d], stride = trivial ? 1 : window->v[d].stride;
        if (!trivial && (!ordered || !size || size % stride)) continue;
        hlo_factor_everywhere(instr, f, d);
        if (!trivial) f->divides[f->count - 1] = size / stride;
    }
}

static int64_t floor_divided(int64_t a, int64_t b) {
    HLO_ASSERT(b > 0);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Along one dimension: the windows that meet the first tile, from the first on. */
typedef struct {
    int64_t first, count, start, span; /* start: where they begin; span: what they cover */
} meeting;

static meeting windows_of(const hlo_window_dim *w, int64_t size) {
    meeting m;
    m.first = floor_divided(w->pad_low - w->size, w->stride) + 1;
    m.count = floor_divided(size + w->pad_low - 1, w->stride) - m.first + 1;
    m.start = m.first * w->stride - w->pad_low;
    m.span = m.count > 0 ? (m.count - 1) * w->stride + w->size : 0;
    if (m.start > 0) m.span += m.start, m.start = 0;
    if (m.start + m.span < size) m.span = size - m.start;
    return m;
}

static hlo_instr *never_selected(hlo_partitioner *p, const hlo_instr *instr) {
    bool greatest = true;
    selects_by_order(instr, &greatest);
    hlo_type type = (hlo_type)instr->shape->type;
    const hlo_shape *scalar = hlo_shape_scalar(&p->r->module->shapes, type);
    return hlo_build_neutral(p->r, scalar, greatest ? HLO_OP_MAXIMUM : HLO_OP_MINIMUM);
}

/* Operand and source as the windows that meet the tile see them. */
static void meet(hlo_partitioner *p, const hlo_placed *s, uint32_t d, const meeting *m,
                 hlo_window_dim *w, hlo_shard *x, hlo_shard *source) {
    int64_t size = s->shape->dims[d];
    hlo_reach seen = {d, m->start, size, m->span, never_selected(p, s->instr)};
    hlo_instr *nothing = neutral_start(p, s, HLO_ATTR_SCATTER, 0, 1);
    HLO_ASSERT(d < s->shape->rank);
    hlo_reach added = {d, m->first, size / w->stride, m->count, nothing};
    x->data = hlo_shard_reach(p, x, &seen);
    source->data = hlo_shard_reach(p, source, &added);
    w->pad_low = m->start - (m->first * w->stride - w->pad_low);
    w->pad_high = (m->count - 1) * w->stride + w->size - m->span - w->pad_low;
}

static hlo_instr *make_select_and_scatter(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_SELECT_AND_SCATTER);
    const hlo_window *old = hlo_window_of(s->instr);
    uint32_t rank = s->shape->rank;
    if (!old) return hlo_part_make_same(p, s);
    hlo_window *window = hlo_window_copy(p, old);
    hlo_shard x = s->operands[0], source = s->operands[1];
    int64_t *starts = HLO_NEW_ARRAY(&p->scratch, int64_t, rank + 1u);
    for (uint32_t d = 0; d < rank; d++) {
        if (hlo_window_is_trivial(&old->v[d]) ||
            hlo_factor_tiles(s, s->factors->results[0][d]) == 1)
            continue;
        meeting m = windows_of(&old->v[d], s->shape->dims[d]);
        meet(p, s, d, &m, &window->v[d], &x, &source);
        starts[d] = -m.start;
    }
    hlo_instr *operands[] = {x.data, source.data, s->data[2]};
    hlo_instr *made = hlo_emit_like(p->r, s->instr, x.data->shape, operands, 3);
    hlo_window_set(made, window);
    for (uint32_t d = 0; d < rank; d++)
        if (made->shape->dims[d] != s->shape->dims[d])
            made = hlo_build_slice(p->r, made, d, starts[d], starts[d] + s->shape->dims[d]);
    return made;
}

const hlo_partition_rule hlo_part_select_and_scatter = {describe_select_and_scatter,
                                                        make_select_and_scatter, NULL};
