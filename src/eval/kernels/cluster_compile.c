/* Making clusters: every instruction of a fused computation becomes a step for each view that its
 * users have of it. Called through cluster.h. */
#include "base/pool.h"
#include "eval/kernels/cluster_program.h"
#include "eval/kernels/move_kernels.h"

/* Above these the computation is run as any other. */
enum { MAX_STEPS = 512, MAX_DEPTH = 600 };

/* An instruction under a view, and the register that has its lanes. */
typedef struct {
    const hlo_instr *instr;
    hlo_cluster_view view;
    uint32_t reg;
} seen;

typedef struct {
    int64_t elements;
    bool plain; /* functions of the mathematical library */
    hlo_cluster_step steps[MAX_STEPS];
    hlo_cluster_register registers[2 * MAX_STEPS];
    seen seen[2 * MAX_STEPS];
    uint32_t step_count, register_count, seen_count, depth;
} compiler;

static bool compile(compiler *c, const hlo_instr *instr, hlo_cluster_view view, uint32_t *reg);

static bool is_scalar_view(hlo_cluster_view view) {
    return view.count == 1;
}

static int64_t elements_of(const hlo_instr *instr) {
    return hlo_shape_elements(instr->shape);
}

static uint32_t new_register(compiler *c, hlo_type type, hlo_cluster_place place, uint32_t number) {
    c->registers[c->register_count] =
        (hlo_cluster_register){.type = type, .place = place, .number = number};
    return c->register_count++;
}

/* The next step, which fills a register of its own; NULL when there are too many. */
static hlo_cluster_step *new_step(compiler *c, hlo_cluster_work work, hlo_cluster_view view,
                                  hlo_type type, uint32_t *reg) {
    if (c->step_count == MAX_STEPS || c->register_count == 2 * MAX_STEPS) return NULL;
    hlo_cluster_step *step = &c->steps[c->step_count++];
    *reg = new_register(c, type, HLO_IN_MEMORY, 0);
    *step = (hlo_cluster_step){.work = work, .view = view, .out = *reg};
    return step;
}

/* ---- sources ---- */

static bool compile_parameter(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                              uint32_t *reg) {
    uint32_t number = (uint32_t)hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    hlo_type type = (hlo_type)instr->shape->type;
    if (view.count == c->elements && view.count > 1) {
        if (c->register_count == 2 * MAX_STEPS) return false;
        *reg = new_register(c, type, HLO_IN_OPERAND, number);
        return true;
    }
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_SPREAD, view, type, reg);
    if (step) step->operand = number;
    return step;
}

static bool compile_constant(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                             uint32_t *reg) {
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    hlo_cluster_step *step =
        new_step(c, HLO_CLUSTER_SPREAD, view, (hlo_type)instr->shape->type, reg);
    if (step) step->constant = hlo_literal_data(value->u.literal);
    return step;
}

static bool compile_iota(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                         uint32_t *reg) {
    int64_t d = hlo_attr_int(instr, HLO_ATTR_IOTA_DIMENSION);
    hlo_type type = (hlo_type)instr->shape->type;
    hlo_cluster_view numbers = {view.inner * hlo_elements_after(instr->shape, d),
                                instr->shape->dims[d]};
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_COUNT, numbers, type, reg);
    if (!step) return false;
    step->lanes = (hlo_lanes){.arity = 1, .from = HLO_S64, .to = type, .operands = {HLO_S64}};
    step->lanes.run = hlo_lanes_convert(HLO_S64, type);
    return true;
}

static bool compile_part(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                         uint32_t *reg) {
    const hlo_instr *operand = hlo_operand(instr, 0);
    if (operand->opcode != HLO_OP_PARAMETER || view.count != c->elements || view.inner != 1)
        return false;
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_ROWS, view, (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    step->operand = (uint32_t)hlo_attr_int(operand, HLO_ATTR_PARAMETER_NUMBER);
    return hlo_slice_rows(instr, &step->rows);
}

/* ---- views ---- */

static bool compile_broadcast(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                              uint32_t *reg) {
    const hlo_instr *operand = hlo_operand(instr, 0);
    int64_t inner;
    if (!hlo_broadcast_inner(instr, &inner)) return false;
    return compile(c, operand, (hlo_cluster_view){view.inner * inner, elements_of(operand)}, reg);
}

/* What costs more than moving an element is not computed again for every copy of it. */
static bool is_repeated(const compiler *c, const hlo_instr *instr, hlo_cluster_view view) {
    return view.count != c->elements && !is_scalar_view(view) &&
           hlo_info(instr)->work != HLO_WORK_NONE;
}

static bool compile_elementwise(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                                uint32_t *reg) {
    hlo_lanes lanes;
    uint32_t in[HLO_LANES_MAX_OPERANDS];
    if (is_repeated(c, instr, view) || !hlo_lanes_find(instr, c->plain, &lanes)) return false;
    for (uint32_t i = 0; i < lanes.arity; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        hlo_cluster_view of_operand = {view.inner, elements_of(operand)};
        if (!compile(c, operand, of_operand, &in[i])) return false;
    }
    hlo_cluster_step *step =
        new_step(c, HLO_CLUSTER_LANES, view, (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    step->lanes = lanes;
    memcpy(step->in, in, sizeof in);
    return true;
}

static bool compile_new(compiler *c, const hlo_instr *instr, hlo_cluster_view view, uint32_t *reg) {
    if (instr->opcode == HLO_OP_PARAMETER) return compile_parameter(c, instr, view, reg);
    switch (hlo_cluster_role_of(instr)) {
    case HLO_CLUSTER_NEVER: return false;
    case HLO_CLUSTER_SOURCE:
        return instr->opcode == HLO_OP_IOTA ? compile_iota(c, instr, view, reg)
                                            : compile_constant(c, instr, view, reg);
    case HLO_CLUSTER_MOVE:
        return instr->opcode == HLO_OP_BROADCAST ? compile_broadcast(c, instr, view, reg)
                                                 : compile(c, hlo_operand(instr, 0), view, reg);
    case HLO_CLUSTER_PART: return compile_part(c, instr, view, reg);
    case HLO_CLUSTER_WORK: return compile_elementwise(c, instr, view, reg);
    }
    return false;
}

static bool is_same(hlo_cluster_view a, hlo_cluster_view b) {
    return a.count == b.count && (a.count == 1 || a.inner == b.inner);
}

static bool compile(compiler *c, const hlo_instr *instr, hlo_cluster_view view, uint32_t *reg) {
    if (!hlo_shape_is_array(instr->shape) || instr->shape->is_dynamic) return false;
    for (uint32_t s = 0; s < c->seen_count; s++) {
        if (c->seen[s].instr != instr || !is_same(c->seen[s].view, view)) continue;
        *reg = c->seen[s].reg;
        return true;
    }
    if (c->depth == MAX_DEPTH || c->seen_count == 2 * MAX_STEPS) return false;
    c->depth++;
    bool ok = compile_new(c, instr, view, reg);
    c->depth--;
    if (!ok || c->seen_count == 2 * MAX_STEPS) return false;
    c->seen[c->seen_count++] = (seen){instr, view, *reg};
    return true;
}

/* ---- results ---- */

/* The leaves of the root, each of the cluster's elements. */
static bool compile_results(compiler *c, const hlo_instr *root, uint32_t count, uint32_t *results) {
    for (uint32_t i = 0; i < count; i++) {
        const hlo_instr *leaf =
            count == 1 && root->opcode != HLO_OP_TUPLE ? root : hlo_operand(root, i);
        if (!hlo_shape_is_array(leaf->shape) || elements_of(leaf) != c->elements) return false;
        if (!compile(c, leaf, (hlo_cluster_view){1, c->elements}, &results[i])) return false;
    }
    return true;
}

/* Steps whose lanes are the same in every tile come first. */
static void put_scalars_first(const compiler *c, hlo_cluster *cluster) {
    uint32_t at = 0;
    for (int of_tile = 0; of_tile < 2; of_tile++) {
        if (of_tile) cluster->first_of_tile = at;
        for (uint32_t s = 0; s < c->step_count; s++)
            if (is_scalar_view(c->steps[s].view) != of_tile) cluster->steps[at++] = c->steps[s];
    }
}

/* A step of the tiles writes straight into the result; the first leaf of several that are one
 * register. What scalars, operands and other leaves are is copied. */
static void write_into_results(hlo_cluster *cluster) {
    for (uint32_t i = 0; i < cluster->result_count; i++) {
        hlo_cluster_register *reg = &cluster->registers[cluster->results[i]];
        bool of_tile = false;
        for (uint32_t s = cluster->first_of_tile; s < cluster->step_count; s++)
            of_tile |= cluster->steps[s].out == cluster->results[i];
        if (!of_tile || reg->place != HLO_IN_MEMORY) continue;
        reg->place = HLO_IN_RESULT;
        reg->number = i;
    }
}

/* ---- memory ---- */

/* The last step that reads each register; scalars stay. */
static void find_last_reads(const hlo_cluster *cluster, uint32_t *last) {
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        const hlo_cluster_step *step = &cluster->steps[s];
        last[step->out] = s < cluster->first_of_tile ? UINT32_MAX : s;
        if (step->work != HLO_CLUSTER_LANES) continue;
        for (uint32_t i = 0; i < step->lanes.arity; i++)
            if (last[step->in[i]] != UINT32_MAX) last[step->in[i]] = s;
    }
    for (uint32_t i = 0; i < cluster->result_count; i++) last[cluster->results[i]] = UINT32_MAX;
}

/* Memory of dead registers is used again, so that few tiles are in the cache. All places have the
 * size of the widest type; returns how many there are. */
static uint32_t place_registers(hlo_cluster *cluster, const uint32_t *last, uint32_t *busy_until) {
    uint32_t places = 0;
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        hlo_cluster_register *reg = &cluster->registers[cluster->steps[s].out];
        if (reg->place != HLO_IN_MEMORY) continue;
        uint32_t place = 0;
        while (place < places && busy_until[place] >= s) place++;
        if (place == places) places++;
        busy_until[place] = last[cluster->steps[s].out];
        reg->at = place;
    }
    return places;
}

/* Long tiles have fewer calls, as long as what is between the steps stays in the first cache. */
static size_t tile_for(size_t bytes_an_element) {
    enum { SHORT = 256, LONG = 1024, CACHE = 24576 };
    size_t tile = LONG;
    while (tile > SHORT && bytes_an_element * tile > CACHE) tile /= 2;
    return tile;
}

static void place_in_memory(hlo_preparation *p, hlo_cluster *cluster) {
    uint32_t *last = hlo_calloc(cluster->register_count, sizeof *last);
    uint32_t *busy_until = hlo_calloc(cluster->step_count, sizeof *busy_until);
    find_last_reads(cluster, last);
    uint32_t places = place_registers(cluster, last, busy_until);
    size_t widest = 1, pointers = (cluster->register_count * sizeof(char *) + 63) / 64 * 64;
    for (uint32_t r = 0; r < cluster->register_count; r++)
        if (hlo_types[cluster->registers[r].type].bytes > widest)
            widest = hlo_types[cluster->registers[r].type].bytes;
    cluster->tile = tile_for(places * widest);
    for (uint32_t r = 0; r < cluster->register_count; r++)
        cluster->registers[r].at = pointers + cluster->registers[r].at * widest * cluster->tile;
    bool is_one = cluster->elements <= HLO_PIECE_COST;
    cluster->work = hlo_prepare_work(p, pointers + places * widest * cluster->tile, is_one);
    hlo_free(busy_until);
    hlo_free(last);
}

/* Whether the leaves are more than the caches keep. */
static bool is_too_much(const hlo_cluster *cluster) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < cluster->result_count; i++)
        bytes += hlo_types[cluster->registers[cluster->results[i]].type].bytes;
    return cluster->elements >= HLO_STREAM_BYTES / bytes;
}

/* ---- making ---- */

static hlo_cluster *finish(hlo_preparation *p, const compiler *c, const uint32_t *results,
                           uint32_t count) {
    hlo_cluster *cluster = HLO_NEW_STATE(p, hlo_cluster);
    cluster->elements = c->elements;
    cluster->step_count = c->step_count;
    cluster->register_count = c->register_count;
    cluster->registers =
        hlo_arena_copy(p->arena, c->registers, c->register_count * sizeof *c->registers);
    cluster->steps = HLO_NEW_ARRAY(p->arena, hlo_cluster_step, c->step_count);
    cluster->results = hlo_arena_copy(p->arena, results, count * sizeof *results);
    cluster->result_count = count;
    put_scalars_first(c, cluster);
    cluster->streams = is_too_much(cluster);
    if (!cluster->streams) write_into_results(cluster);
    place_in_memory(p, cluster);
    return cluster;
}

/* A tuple's leaves are written while operands are still read. */
static void set_result(hlo_preparation *p) {
    p->result = hlo_shape_is_tuple(p->instr->shape) ? HLO_RESULT_FRESH : HLO_RESULT_OVERWRITE;
}

const hlo_cluster *hlo_prepare_cluster(hlo_preparation *p) {
    const hlo_instr *root = hlo_called(p->instr, 0)->root;
    const hlo_shape *shape = p->instr->shape;
    bool is_tuple = hlo_shape_is_tuple(shape);
    if (is_tuple ? root->opcode != HLO_OP_TUPLE || !shape->rank : !hlo_shape_is_array(shape))
        return NULL;
    uint32_t count = is_tuple ? shape->rank : 1;
    const hlo_instr *first = is_tuple ? hlo_operand(root, 0) : root;
    if (!hlo_shape_is_array(first->shape) || elements_of(first) < 1) return NULL;
    compiler *c = hlo_calloc(1, sizeof *c);
    c->plain = hlo_prepare_plain(p);
    c->elements = elements_of(first);
    uint32_t *results = hlo_calloc(count, sizeof *results);
    hlo_cluster *cluster =
        compile_results(c, root, count, results) ? finish(p, c, results, count) : NULL;
    if (cluster) set_result(p);
    hlo_free(results);
    hlo_free(c);
    return cluster;
}
