/* Steps of a cluster that are joined: two instructions, of which the second alone reads the first,
 * by one lane function. */
#include "eval/kernels/cluster/cluster_program.h"

enum { NONE = UINT32_MAX };

/* Of each register: the step that fills it, and how often it is read. */
typedef struct {
    hlo_cluster *cluster;
    uint32_t *defined, *reads;
} joining;

static void count_reads(joining *j) {
    const hlo_cluster *cluster = j->cluster;
    for (uint32_t r = 0; r < cluster->register_count; r++) j->defined[r] = NONE;
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        const hlo_cluster_step *step = &cluster->steps[s];
        j->defined[step->out] = s;
        for (uint32_t i = 0; i < step->arity; i++) j->reads[step->in[i]]++;
    }
    for (uint32_t i = 0; i < cluster->result_count; i++) j->reads[cluster->results[i].reg]++;
}

/* The step that fills the operand of another one, and may be a part of that. */
static hlo_cluster_step *part_of(const joining *j, const hlo_cluster_step *step, uint32_t place) {
    uint32_t in = step->in[place], s = j->defined[in];
    bool is_square = step->arity == 2 && step->in[0] == step->in[1];
    if (s == NONE || j->reads[in] != (is_square ? 2 : 1)) return NULL;
    hlo_cluster_step *part = &j->cluster->steps[s];
    bool joins = part->work == HLO_CLUSTER_LANES && part->arity == 2 &&
                 part->grain == step->grain && part->level == step->level;
    return joins ? part : NULL;
}

/* The part has no separate work any more. */
static void join_steps(hlo_cluster_step *step, hlo_cluster_step *part, uint32_t place,
                       hlo_lanes_fn *run) {
    uint32_t other = step->in[1 - place % 2];
    step->lanes.run = run;
    step->parts[1] = step->parts[0];
    step->parts[0] = part->parts[0];
    step->joined = place;
    step->in[0] = part->in[0];
    step->in[1] = part->in[1];
    step->arity = place >= HLO_LANES_SQUARE ? 2 : 3;
    if (step->arity == 3) step->in[2] = other;
    part->arity = 0;
    part->lanes.run = NULL;
}

static uint32_t how_joined(const hlo_cluster_step *step, uint32_t place) {
    if (step->arity == 1) return HLO_LANES_ALONE;
    return step->in[0] == step->in[1] ? HLO_LANES_SQUARE : place;
}

static void join_operand(const joining *j, hlo_cluster_step *step) {
    if (step->work != HLO_CLUSTER_LANES || step->grain != HLO_OF_TILE) return;
    uint32_t operands = step->arity; /* of a step that is joined no other one is tried */
    for (uint32_t place = 0; place < operands && operands < 3 && step->arity == operands; place++) {
        hlo_cluster_step *part = part_of(j, step, place);
        uint32_t how = how_joined(step, place);
        hlo_lanes_fn *run = part ? hlo_lanes_pair(part->lanes.run, step->lanes.run, how) : NULL;
        if (run) join_steps(step, part, how, run);
    }
}

static void drop_joined(hlo_cluster *cluster) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < cluster->step_count; s++)
        if (cluster->steps[s].work != HLO_CLUSTER_LANES || cluster->steps[s].lanes.run)
            cluster->steps[n++] = cluster->steps[s];
    cluster->step_count = n;
}

void hlo_join_cluster_steps(hlo_cluster *cluster) {
    joining j = {.cluster = cluster};
    j.defined = hlo_calloc(cluster->register_count, sizeof *j.defined);
    j.reads = hlo_calloc(cluster->register_count, sizeof *j.reads);
    count_reads(&j);
    for (uint32_t s = 0; s < cluster->step_count; s++)
        cluster->steps[s].parts[0] = cluster->steps[s].lanes.run;
    for (uint32_t s = 0; s < cluster->step_count; s++) join_operand(&j, &cluster->steps[s]);
    drop_joined(cluster);
    hlo_free(j.defined);
    hlo_free(j.reads);
}
