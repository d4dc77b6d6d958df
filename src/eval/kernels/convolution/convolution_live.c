/* Operands of a convolution whose sizes are known at run time only: what is not there takes no
 * part. */
#include "base/blocks.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernels/convolution/convolution.h"

/* Which features of each group are there in both operands: as many of the first ones. */
static int64_t live_features(const hlo_convolution *c, const hlo_call *call, int64_t group) {
    int64_t in = hlo_value_size(call->in[0], (uint32_t)c->given_labels->input_feature);
    int64_t most = hlo_value_size(call->in[1], (uint32_t)c->given_labels->kernel_input_feature);
    in -= group * c->in_group;
    return in < 0 ? 0 : hlo_smaller(in, most);
}

static bool are_all_there(const hlo_convolution *c, const hlo_call *call, const hlo_value *x,
                          int64_t groups) {
    bool all = true;
    for (uint32_t d = 0; d < x->shape->rank; d++) all &= !hlo_is_short(x, d);
    for (int64_t g = 0; g < groups && all; g++) all = live_features(c, call, g) == c->in_group;
    return all;
}

/* An operand of a convolution, and a group of features. */
typedef struct {
    const hlo_convolution *c;
    const hlo_call *call;
    uint32_t number; /* of the operand */
    int64_t group;
} group_operand;

/* The part of the group; along the features, what the other operand has at run time. */
static hlo_part group_part(const void *context, const hlo_value *x, uint32_t d) {
    const group_operand *o = context;
    const hlo_convolution *c = o->c;
    int64_t features =
        o->number ? c->given_labels->kernel_input_feature : c->given_labels->input_feature;
    bool is_result = o->number && d == c->given_labels->kernel_output_feature && c->groups > 1 &&
                     !c->batch_groups;
    if (is_result) return (hlo_part){o->group * c->out_group, c->out_group};
    if (d != features) return (hlo_part){0, hlo_value_size(x, d)};
    return (hlo_part){o->number ? 0 : o->group * c->in_group, live_features(c, o->call, o->group)};
}

hlo_value *hlo_live_convolved(const hlo_convolution *c, const hlo_call *call, uint32_t i) {
    hlo_value *x = call->in[i];
    group_operand operand = {.c = c, .call = call, .number = i};
    int64_t groups = c->batch_groups ? 1 : c->groups;
    if ((!call->in[0]->sizes && !call->in[1]->sizes) || are_all_there(c, call, x, groups))
        return hlo_value_retain(x);
    hlo_value *out = hlo_call_new(call, x->shape);
    if (!out) return NULL;
    hlo_value_clear(out);
    for (; operand.group < groups; operand.group++) hlo_copy_part(out, x, group_part, &operand);
    return out;
}
