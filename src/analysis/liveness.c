/* Arrays in memory: see liveness.h. */
#include "analysis/liveness.h"

static double bytes_of(const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes < 0 ? 0 : (double)bytes;
}

/* ---- last readers ---- */

/* Operands of an asynchronous operation are read until its done. */
static uint32_t end_of_reading(const hlo_instr *instr) {
    while (hlo_is_in_flight(instr) && instr->first_use &&
           hlo_info(instr->first_use->user)->flags & HLO_OP_IS_ASYNC)
        instr = instr->first_use->user;
    return instr->index;
}

static void read_value(hlo_liveness *live, const hlo_instr *value, uint32_t at) {
    HLO_ASSERT(at <= live->count);
    const uint32_t *leaves = hlo_dataflow_leaves(&live->flow, value);
    uint32_t n = hlo_dataflow_leaf_count(&live->flow, value);
    for (uint32_t leaf = 0; leaf < n; leaf++)
        if (live->last[leaves[leaf]] < at) live->last[leaves[leaf]] = at;
}

static void find_last_readers(hlo_liveness *live, const hlo_computation *c) {
    for (uint32_t b = 0; b < live->flow.buffers.n; b++)
        live->last[b] = live->flow.buffers.v[b].maker->index;
    for (const hlo_instr *i = c->first; i; i = i->next)
        for (uint32_t k = 0; !hlo_hands_on(i) && k < i->operand_count; k++)
            read_value(live, hlo_operand(i, k), end_of_reading(i));
    read_value(live, c->root, live->count);
}

bool hlo_is_plain_copy(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_COPY && hlo_shape_is_array(instr->shape) &&
           hlo_operand(instr, 0)->shape == instr->shape;
}

/* ---- memory ---- */

uint32_t hlo_leaf_at(const hlo_shape *shape, const hlo_ints *index) {
    uint32_t leaf = 0;
    for (uint32_t k = 0; k < index->n; k++) {
        for (int64_t e = 0; e < index->v[k]; e++) leaf += hlo_shape_leaf_count(shape->elements[e]);
        shape = shape->elements[index->v[k]];
    }
    return leaf;
}

static bool names_leaf(const hlo_aliasing *aliasing, const hlo_instr *parameter, uint32_t leaf) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    for (uint32_t i = 0; i < aliasing->n; i++) {
        if (aliasing->v[i].parameter != hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER))
            continue;
        if (leaf == hlo_leaf_at(parameter->shape, aliasing->v[i].index)) return true;
    }
    return false;
}

const hlo_aliasing *hlo_module_aliasing(const hlo_module *module, hlo_attr_id id) {
    static const hlo_aliasing none;
    const hlo_attr *attr = hlo_module_attr(module, id);
    return attr ? attr->u.aliasing : &none;
}

static bool is_given_away(const hlo_buffer *buffer) {
    const hlo_module *module = buffer->maker->parent->module;
    return names_leaf(hlo_module_aliasing(module, HLO_ATTR_INPUT_OUTPUT_ALIAS), buffer->maker,
                      buffer->leaf) ||
           names_leaf(hlo_module_aliasing(module, HLO_ATTR_BUFFER_DONOR), buffer->maker,
                      buffer->leaf);
}

/* It must not be overwritten: it belongs to the module or the caller. */
static bool is_kept(const hlo_buffer *buffer) {
    const hlo_instr *maker = buffer->maker;
    if (maker->opcode == HLO_OP_CONSTANT) return true;
    return maker->opcode == HLO_OP_PARAMETER && maker->parent == maker->parent->module->entry &&
           !is_given_away(buffer);
}

/* Where the array b is: in separate memory, or in that of an operand. */
static uint32_t find_memory(const hlo_liveness *live, uint32_t b) {
    const hlo_instr *instr = live->flow.buffers.v[b].maker;
    if (hlo_info(instr)->result != HLO_RESULT_UPDATE || !hlo_shape_is_array(instr->shape)) return b;
    uint32_t target = hlo_dataflow_leaves(&live->flow, hlo_operand(instr, 0))[0];
    HLO_ASSERT(target < b);
    uint32_t memory = live->memory[target];
    bool is_free = live->last[target] == instr->index && !is_kept(&live->flow.buffers.v[memory]);
    return is_free ? memory : b;
}

static void place_buffer(hlo_liveness *live, uint32_t b) {
    const hlo_buffer *buffer = &live->flow.buffers.v[b];
    const hlo_instr *maker = buffer->maker;
    bool is_parameter = maker->opcode == HLO_OP_PARAMETER, kept = is_kept(buffer);
    bool is_lent = is_parameter && maker->parent != maker->parent->module->entry;
    uint32_t memory = find_memory(live, b);
    if (memory != b) {
        if (live->last[b] > live->to[memory]) live->to[memory] = live->last[b];
    } else {
        live->bytes[b] = is_lent ? 0 : bytes_of(buffer->shape);
        live->from[b] = is_parameter || kept ? 0 : maker->index;
        live->to[b] = kept ? live->count : live->last[b];
    }
    HLO_ASSERT(memory <= b);
    live->memory[b] = memory;
}

static void add_up(hlo_liveness *live) {
    HLO_ASSERT(live->count > 0);
    for (uint32_t b = 0; b < live->flow.buffers.n; b++) {
        if (live->memory[b] != b) continue;
        live->alive[live->from[b]] += live->bytes[b];
        if (live->to[b] < live->count) live->alive[live->to[b] + 1] -= live->bytes[b];
    }
    for (uint32_t at = 1; at < live->count; at++) live->alive[at] += live->alive[at - 1];
}

void hlo_liveness_init(hlo_liveness *live, hlo_computation *c) {
    *live = (hlo_liveness){.count = c->instr_count};
    hlo_dataflow_init(&live->flow, c);
    uint32_t n = live->flow.buffers.n + 1u;
    live->last = hlo_calloc(n, sizeof *live->last);
    live->memory = hlo_calloc(n, sizeof *live->memory);
    live->bytes = hlo_calloc(n, sizeof *live->bytes);
    live->from = hlo_calloc(n, sizeof *live->from);
    live->to = hlo_calloc(n, sizeof *live->to);
    live->alive = hlo_calloc(live->count + 2u, sizeof *live->alive);
    find_last_readers(live, c);
    for (uint32_t b = 0; b < live->flow.buffers.n; b++) place_buffer(live, b);
    add_up(live);
}

void hlo_liveness_free(hlo_liveness *live) {
    hlo_free(live->last);
    hlo_free(live->memory);
    hlo_free(live->bytes);
    hlo_free(live->from);
    hlo_free(live->to);
    hlo_free(live->alive);
    hlo_dataflow_free(&live->flow);
}

/* ---- peaks ---- */

double hlo_callee_peak(const hlo_instr *instr, const double *peaks) {
    double most = 0;
    const hlo_computation *called;
    if (instr->opcode == HLO_OP_FUSION) return 0;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (peaks[called->id] > most) most = peaks[called->id];
    return most;
}

double hlo_computation_peak(hlo_computation *c, const double *peaks) {
    hlo_liveness live;
    double most = 0;
    hlo_liveness_init(&live, c);
    for (const hlo_instr *i = c->first; i; i = i->next) {
        double bytes = live.alive[i->index] + hlo_callee_peak(i, peaks);
        if (bytes > most) most = bytes;
    }
    hlo_liveness_free(&live);
    return most;
}

double *hlo_computation_peaks(const hlo_call_graph *graph, const hlo_module *module) {
    double *peaks = hlo_calloc(module->next_id + 1u, sizeof *peaks);
    for (uint32_t n = graph->count; n-- > 0;)
        peaks[graph->order[n]->id] = hlo_computation_peak(graph->order[n], peaks);
    return peaks;
}
