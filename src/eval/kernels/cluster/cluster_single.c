/* Lanes that are all the same are one lane, where their readers can use one lane: scalars, and a
 * row's lane while a tile is of one row. */
#include "eval/kernels/cluster/cluster_program.h"

enum { NONE = UINT32_MAX };

typedef struct {
    hlo_cluster *cluster;
    uint32_t *single; /* of a register: the one that has one lane in its place, or NONE */
    bool *is_read;    /* of such a register: whether all of its lanes are read too */
} narrowing;

static uint32_t add_register(hlo_cluster *cluster, hlo_cluster_register reg) {
    cluster->registers[cluster->register_count] = reg;
    return cluster->register_count++;
}

/* Of scalars, which other scalars are computed from. */
static void narrow_scalar(narrowing *n, hlo_cluster_step *step) {
    hlo_cluster *cluster = n->cluster;
    hlo_cluster_register reg = cluster->registers[step->out];
    reg.grain = HLO_OF_ONE;
    n->single[step->out] = add_register(cluster, reg);
    for (uint32_t i = 0; i < step->arity; i++) step->in[i] = n->single[step->in[i]];
    step->grain = HLO_OF_ONE;
    step->out = n->single[step->out];
}

static void narrow_repeated(narrowing *n, const hlo_cluster_step *step) {
    hlo_cluster_register reg = n->cluster->registers[step->out];
    reg.place = HLO_IN_ROWS;
    reg.number = step->in[0];
    n->single[step->out] = add_register(n->cluster, reg);
}

static bool is_scalar(const hlo_cluster_step *step) {
    return step->grain == HLO_OF_RUN && step->view.count == 1;
}

/* Whether the step's lanes are one row's in each tile. */
static bool is_of_one_row(const hlo_cluster *cluster, const hlo_cluster_step *step) {
    return step->work == HLO_CLUSTER_REPEAT && cluster->tile <= (size_t)cluster->row;
}

/* Reading operands of which one lane is enough: as many of them as there is a function for. */
static void read_single(narrowing *n, hlo_cluster_step *step) {
    uint32_t may = 0, best = 0;
    hlo_lanes_fn *run = step->lanes.run;
    for (uint32_t i = 0; i < step->arity; i++)
        may |= (uint32_t)(n->single[step->in[i]] != NONE) << i;
    for (uint32_t some = may; some; some = (some - 1) & may) {
        hlo_lanes_fn *with = hlo_lanes_single(step->lanes.run, some);
        if (!with || __builtin_popcount(some) <= __builtin_popcount(best)) continue;
        run = with;
        best = some;
    }
    step->lanes.run = run;
    for (uint32_t i = 0; i < step->arity; i++)
        if (best >> i & 1) step->in[i] = n->single[step->in[i]];
}

static void note_reads(narrowing *n) {
    const hlo_cluster *cluster = n->cluster;
    for (uint32_t s = 0; s < cluster->step_count; s++)
        for (uint32_t i = 0; i < cluster->steps[s].arity; i++)
            n->is_read[cluster->steps[s].in[i]] = true;
    for (uint32_t i = 0; i < cluster->result_count; i++) n->is_read[cluster->results[i].reg] = true;
}

/* All lanes of a scalar, for steps that read them. */
static void widen_scalar(narrowing *n, uint32_t reg) {
    hlo_cluster *cluster = n->cluster;
    hlo_cluster_step *step = &cluster->steps[cluster->step_count++];
    *step = (hlo_cluster_step){.work = HLO_CLUSTER_FILL, .grain = HLO_OF_RUN, .view = {1, 1}};
    step->in[0] = n->single[reg];
    step->arity = 1;
    step->out = reg;
}

static void widen(narrowing *n, uint32_t register_count) {
    for (uint32_t r = 0; r < register_count; r++) {
        if (n->single[r] == NONE || !n->is_read[r]) continue;
        if (n->cluster->registers[n->single[r]].grain == HLO_OF_ONE) widen_scalar(n, r);
    }
}

static void drop_unread(narrowing *n) {
    hlo_cluster *cluster = n->cluster;
    uint32_t count = 0;
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        const hlo_cluster_step *step = &cluster->steps[s];
        bool is_needed = step->work != HLO_CLUSTER_REPEAT || n->single[step->out] == NONE ||
                         n->is_read[step->out];
        if (is_needed) cluster->steps[count++] = *step;
    }
    cluster->step_count = count;
}

void hlo_narrow_cluster_steps(hlo_cluster *cluster) {
    uint32_t count = cluster->register_count, steps = cluster->step_count;
    narrowing n = {.cluster = cluster};
    n.single = hlo_malloc((2 * count + 1) * sizeof *n.single);
    n.is_read = hlo_calloc(2 * count + 1, sizeof *n.is_read);
    for (uint32_t r = 0; r <= 2 * count; r++) n.single[r] = NONE;
    for (uint32_t s = 0; s < steps; s++) {
        hlo_cluster_step *step = &cluster->steps[s];
        if (is_scalar(step)) narrow_scalar(&n, step);
        else if (is_of_one_row(cluster, step)) narrow_repeated(&n, step);
        else if (step->work == HLO_CLUSTER_LANES) read_single(&n, step);
    }
    note_reads(&n);
    widen(&n, count);
    drop_unread(&n);
    hlo_free(n.single);
    hlo_free(n.is_read);
}
