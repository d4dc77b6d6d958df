/* fusion: a cluster where the computation is one, else a call. */
#include "eval/kernel/dynamic.h"
#include "eval/kernel/scalar.h"
#include "eval/kernels/cluster/cluster.h"

typedef struct {
    const hlo_plan *plan;
    const hlo_cluster *cluster; /* NULL: the computation is called */
} fusion_state;

static bool prepare_fusion(hlo_preparation *p) {
    fusion_state *state = HLO_NEW_STATE(p, fusion_state);
    state->plan = hlo_prepare_plan(p, hlo_called(p->instr, 0));
    state->cluster = hlo_prepare_one_by_one(p) ? NULL : hlo_prepare_cluster(p);
    p->state = state;
    return true;
}

/* Operands may have run-time sizes although the computation's parameters have none. */
static bool run_fusion(hlo_call *call) {
    const fusion_state *state = call->state;
    if (state->cluster && !hlo_call_has_sizes(call)) return hlo_run_cluster(state->cluster, call);
    if (state->cluster) hlo_value_release(call->out);
    call->out = NULL;
    return hlo_call_plan_on_operands(call, state->plan, 0, call->count);
}

const hlo_kernel hlo_kernel_fusion = {prepare_fusion, run_fusion};
