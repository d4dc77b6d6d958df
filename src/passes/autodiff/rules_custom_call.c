/* The rule of custom calls: that of the target, where it is known what the target computes. */
#include "analysis/lapack_call.h"
#include "analysis/topk_call.h"
#include "passes/autodiff/lapack.h"

/* ---- markers ---- */

/* The result is the operand. */
static bool marker(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    bool is_same = c && instr->operand_count == 1 &&
                   hlo_shape_compatible(instr->shape, hlo_operand(instr, 0)->shape);
    if (!is_same) return hlo_gradient_refuse(g, instr, "has a gradient only for one array");
    hlo_gradient_add(g, instr, 0, c);
    return true;
}

/* ---- targets ---- */

/* By the targets that a run knows; NULL: no derivative, or none implemented. */
#define rule_of_identity marker
#define rule_of_partition_edge marker
#define rule_of_new_buffer NULL
#define rule_of_pin NULL
#define rule_of_unpin NULL
#define rule_of_top_k hlo_gradient_topk
#define rule_of_hlo_target_csr_product NULL
#define rule_of_hlo_target_tridiagonal_perturbed NULL
#define rule_of_hlo_target_pad_to_static NULL
#define rule_of_hlo_target_slice_to_dynamic NULL
#define rule_of_hlo_target_potrf hlo_gradient_potrf
#define rule_of_hlo_target_trsm hlo_gradient_trsm
#define rule_of_hlo_target_getrf hlo_gradient_getrf
#define rule_of_hlo_target_geqrf hlo_gradient_geqrf
#define rule_of_hlo_target_geqp3 hlo_gradient_geqp3
#define rule_of_hlo_target_orgqr hlo_gradient_orgqr
#define rule_of_hlo_target_ormqr NULL
#define rule_of_hlo_target_syevd hlo_gradient_syevd
#define rule_of_hlo_target_sytrd NULL
#define rule_of_hlo_target_gesdd hlo_gradient_gesvd
#define rule_of_hlo_target_gesvd hlo_gradient_gesvd
#define rule_of_hlo_target_geev hlo_gradient_geev
#define rule_of_hlo_target_gees NULL
#define rule_of_hlo_target_gehrd NULL
#define rule_of_hlo_target_gtsv hlo_gradient_gtsv

static const struct {
    const char *name;
    hlo_gradient_rule *rule;
} targets[] = {
#define HLO_CUSTOM_CALL(name, target) {name, rule_of_##target},
#include "eval/kernel/custom_calls.def"
#undef HLO_CUSTOM_CALL
};

/* Rules go by the operands and results of their target. */
static bool has_its_arrays(hlo_gradient_rule *rule, const hlo_instr *call) {
    static const struct {
        hlo_gradient_rule *rule;
        hlo_lapack_id id;
    } routines[] = {
        {hlo_gradient_potrf, HLO_LAPACK_potrf}, {hlo_gradient_getrf, HLO_LAPACK_getrf},
        {hlo_gradient_geqrf, HLO_LAPACK_geqrf}, {hlo_gradient_geqp3, HLO_LAPACK_geqp3},
        {hlo_gradient_orgqr, HLO_LAPACK_orgqr}, {hlo_gradient_syevd, HLO_LAPACK_syevd},
        {hlo_gradient_gesvd, HLO_LAPACK_gesvd}, {hlo_gradient_geev, HLO_LAPACK_geev},
        {hlo_gradient_gtsv, HLO_LAPACK_gtsv},
    };
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (routines[i].rule == rule) return hlo_lapack_fits(routines[i].id, call);
    if (rule == hlo_gradient_topk) return hlo_calls_topk(call);
    if (rule != hlo_gradient_trsm) return true;
    return call->operand_count == 2 && hlo_shape_is_array(call->shape) && call->shape->rank >= 2 &&
           hlo_shape_compatible(hlo_operand(call, 1)->shape, call->shape) &&
           hlo_operand(call, 0)->shape->type == call->shape->type &&
           hlo_operand(call, 0)->shape->rank == call->shape->rank;
}

int64_t hlo_lapack_flag(const hlo_instr *instr, const char *name) {
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    const hlo_attr *config = hlo_instr_attr(instr, HLO_ATTR_BACKEND_CONFIG);
    int64_t number;
    return config && hlo_lapack_number(*config->u.string, name, &number) ? number : 0;
}

static bool refuse(hlo_gradient *g, const hlo_instr *instr, hlo_str target) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_lit(&text, "calls ");
    hlo_buf_quoted(&text, target);
    hlo_buf_lit(&text, ", which has no gradient");
    hlo_buf_char(&text, '\0');
    hlo_gradient_refuse(g, instr, text.data);
    hlo_buf_free(&text);
    return false;
}

bool hlo_gradient_custom_call(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_str target = *hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->shape->dynamic)
            return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i].rule && hlo_str_equal(target, hlo_str_from(targets[i].name)))
            return has_its_arrays(targets[i].rule, instr)
                       ? targets[i].rule(g, instr, c)
                       : hlo_gradient_refuse(g, instr,
                                             "does not have its target's operands and results");
    return refuse(g, instr, target);
}
