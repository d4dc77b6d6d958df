/* What is in memory: arrays in separate memory, and which of them are alive at the peak. */
#include "analysis/liveness.h"
#include "stat/stat.h"

/* ---- the peak ---- */

/* The last position of the computation at which most bytes are alive, with what is called there. */
static const hlo_instr *peak_of(const hlo_stat_part *part, const hlo_computation *c,
                                const hlo_liveness *live) {
    const hlo_instr *at = NULL;
    double most = -1;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        double bytes = live->alive[i->index] + hlo_callee_peak(i, part->peaks);
        if (bytes > most) at = i;
        if (bytes > most) most = bytes;
    }
    return at;
}

static const hlo_computation *callee_at_peak(const hlo_stat_part *part, const hlo_instr *at) {
    const hlo_computation *most = NULL, *called;
    if (!at || at->opcode == HLO_OP_FUSION) return NULL;
    for (uint32_t k = 0; (called = hlo_called(at, k)); k++)
        if (part->peaks[called->id] > (most ? part->peaks[most->id] : 0)) most = called;
    return most;
}

/* By computation: the instruction that runs at the module's peak, or NULL. Free with hlo_free. */
static const hlo_instr **find_peak(hlo_stat_counting *c) {
    const hlo_stat_part *part = c->part;
    const hlo_instr **peaks = hlo_calloc(part->graph.ids + 1u, sizeof *peaks), *at = NULL;
    const hlo_computation *in = part->module->entry;
    while (in) {
        hlo_liveness live;
        hlo_liveness_init(&live, (hlo_computation *)in);
        at = peaks[in->id] = peak_of(part, in, &live);
        hlo_liveness_free(&live);
        in = callee_at_peak(part, at);
    }
    if (part->module->entry && part->peaks[part->module->entry->id] > c->peak) {
        c->peak = part->peaks[part->module->entry->id];
        c->peak_at = at ? hlo_stat_keep_name(c, at->name) : HLO_STR("");
    }
    return peaks;
}

/* ---- rows ---- */

static const char *kind_of(const hlo_liveness *live, uint32_t b) {
    HLO_ASSERT(b < live->flow.buffers.n);
    const hlo_instr *maker = live->flow.buffers.v[b].maker;
    if (maker->opcode == HLO_OP_PARAMETER) return "parameter";
    if (maker->opcode == HLO_OP_CONSTANT) return "constant";
    return live->to[b] >= live->count ? "output" : "temporary";
}

static void put_buffer(hlo_stat_counting *c, const hlo_liveness *live, uint32_t b,
                       const hlo_instr *peak) {
    HLO_ASSERT(b < live->flow.buffers.n);
    hlo_stat_table *table = &c->stats->tables[HLO_STAT_BUFFERS];
    const hlo_buffer *buffer = &live->flow.buffers.v[b];
    bool is_there = peak && live->from[b] <= peak->index && peak->index <= live->to[b];
    hlo_stat_put_text(table, hlo_stat_keep_name(c, buffer->maker->name));
    hlo_stat_put_number(table, live->bytes[b]);
    hlo_stat_put_number(table, is_there ? live->bytes[b] : 0);
    hlo_stat_put_text(table, hlo_str_from(kind_of(live, b)));
    hlo_stat_put_text(table, hlo_stat_keep_shape(c, buffer->shape));
    hlo_stat_put_text(table, hlo_stat_keep_name(c, buffer->maker->parent->name));
}

static void put_buffers(hlo_stat_counting *c, hlo_computation *in, const hlo_instr *peak) {
    hlo_liveness live;
    hlo_liveness_init(&live, in);
    for (uint32_t b = 0; b < live.flow.buffers.n; b++)
        if (live.memory[b] == b && live.bytes[b] > 0) put_buffer(c, &live, b, peak);
    hlo_liveness_free(&live);
}

void hlo_stat_fill_buffers(hlo_stat_counting *c) {
    const hlo_instr **peaks = find_peak(c);
    for (hlo_computation *one = c->part->module->first; one; one = one->next)
        if (c->part->is_run[one->id]) put_buffers(c, one, peaks[one->id]);
    hlo_free(peaks);
}
