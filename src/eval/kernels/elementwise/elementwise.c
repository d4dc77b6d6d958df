/* The elementwise kernels: one lane function over whole arrays; the result may be that of an
 * operand. */
#include "eval/kernels/elementwise/elementwise.h"

#include "base/pool.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernels/moves/move_kernels.h"

/* Elements that one thread computes at a time: from 10 us of additions to 1 ms of costly functions.
 * A multiple of HLO_LANES_BLOCK. */
enum { PIECE = 1 << 15 };

/* An operand in running: its data, or for a scalar among arrays a block of copies. */
typedef struct {
    const char *data;
    size_t step; /* bytes per element; 0: the block is used again and again */
} lane_input;

static size_t element_count(const hlo_value *value) {
    return (size_t)hlo_shape_elements(value->shape);
}

/* One instruction over all its elements. */
typedef struct {
    const hlo_lanes *lanes;
    char *out;
    lane_input inputs[HLO_LANES_MAX_OPERANDS];
    int64_t step; /* elements per call of the lane function: at most a block for block operands */
} lane_loop;

static void run_block(const lane_loop *loop, void *out, int64_t at, int64_t n) {
    const void *in[HLO_LANES_MAX_OPERANDS];
    for (uint32_t i = 0; i < loop->lanes->arity; i++)
        in[i] = loop->inputs[i].data + (size_t)at * loop->inputs[i].step;
    loop->lanes->run(loop->lanes, out, in, (size_t)n);
}

static void run_range(void *context, int64_t first, int64_t last) {
    const lane_loop *loop = context;
    for (int64_t at = first, n; at < last; at += n) {
        n = last - at < loop->step ? last - at : loop->step;
        run_block(loop, loop->out + at * hlo_types[loop->lanes->to].bytes, at, n);
    }
}

/* The same for a result that is too much for the caches. */
static void stream_range(void *context, int64_t first, int64_t last) {
    const lane_loop *loop = context;
    const hlo_move_set *moves = hlo_move_chosen();
    _Alignas(64) char stage[HLO_LANES_BLOCK * HLO_LANES_MAX_BYTES];
    int64_t bytes = hlo_types[loop->lanes->to].bytes;
    for (int64_t at = first, n; at < last; at += n) {
        n = last - at < HLO_LANES_BLOCK ? last - at : HLO_LANES_BLOCK;
        run_block(loop, stage, at, n);
        moves->stream(loop->out + at * bytes, stage, n * bytes);
    }
    hlo_end_stream();
}

/* Some operands may be single elements (the bounds of clamp, the predicate of select). */
static void run_lanes(const hlo_lanes *lanes, void *out, hlo_value *const *args, size_t n) {
    _Alignas(16) char blocks[HLO_LANES_MAX_OPERANDS][HLO_LANES_BLOCK * HLO_LANES_MAX_BYTES];
    lane_loop loop = {.lanes = lanes, .out = out, .step = INT64_MAX};
    for (uint32_t i = 0; i < lanes->arity; i++) {
        size_t bytes = hlo_types[lanes->operands[i]].bytes;
        loop.inputs[i] = (lane_input){args[i]->data, bytes};
        if (element_count(args[i]) == n) continue;
        for (size_t k = 0; k < HLO_LANES_BLOCK; k++)
            memcpy((char *)blocks[i] + k * bytes, args[i]->data, bytes);
        loop.inputs[i] = (lane_input){blocks[i], 0};
        loop.step = HLO_LANES_BLOCK;
    }
    bool streams = n >= (size_t)hlo_stream_least() / hlo_types[lanes->to].bytes;
    hlo_parallel((int64_t)n, PIECE, streams ? stream_range : run_range, &loop);
}

/* ---- the kernel ---- */

/* Operands have the result's size or are scalars. */
static bool check_sizes(hlo_preparation *p) {
    int64_t n = hlo_shape_elements(p->instr->shape);
    for (uint32_t i = 0; i < p->instr->operand_count; i++) {
        const hlo_shape *operand = hlo_operand(p->instr, i)->shape;
        if (hlo_shape_elements(operand) == n || operand->rank == 0) continue;
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has an operand %u of a different size than the result", i);
    }
    return true;
}

bool hlo_prepare_elementwise(hlo_preparation *p) {
    hlo_lanes *lanes = HLO_NEW_STATE(p, hlo_lanes);
    p->state = lanes;
    if (!hlo_lanes_find(p->instr, hlo_prepare_plain(p), lanes))
        return hlo_prepare_error(p, HLO_RULE_UNSUPPORTED,
                                 "is not supported for elements of type %s",
                                 hlo_types[hlo_operand(p->instr, 0)->shape->type].text);
    return check_sizes(p);
}

/* `sizes` are the result's, which takes them. */
static bool run_dynamic(hlo_call *call, int64_t *sizes) {
    hlo_value *operands[HLO_LANES_MAX_OPERANDS];
    bool ok = hlo_stretch_operands(call, sizes, operands);
    if (ok) run_lanes(call->state, call->out->data, operands, element_count(call->out));
    for (uint32_t i = 0; ok && i < call->count; i++) hlo_value_release(operands[i]);
    call->out->sizes = sizes;
    return ok;
}

/* Scalars, which have neither run-time sizes nor pieces: most instructions of a loop's control. */
static bool run_scalar(hlo_call *call) {
    const hlo_lanes *lanes = call->state;
    const void *in[HLO_LANES_MAX_OPERANDS];
    for (uint32_t i = 0; i < lanes->arity; i++) in[i] = call->in[i]->data;
    lanes->run(lanes, call->out->data, in, 1);
    return true;
}

static bool run_elementwise(hlo_call *call) {
    if (!call->shape->rank) return run_scalar(call);
    int64_t *sizes = hlo_joint_sizes(call);
    if (sizes) return run_dynamic(call, sizes);
    run_lanes(call->state, call->out->data, call->in, element_count(call->out));
    return true;
}

const hlo_kernel hlo_kernel_unary = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_binary = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_compare = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_clamp = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_convert = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_reduce_precision = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_stochastic_convert = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_is_finite = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_real = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_imag = {hlo_prepare_elementwise, run_elementwise};
const hlo_kernel hlo_kernel_complex = {hlo_prepare_elementwise, run_elementwise};

/* ---- select ---- */

/* One predicate for all elements chooses a whole operand, which need not be copied. */
static bool prepare_select(hlo_preparation *p) {
    bool is_scalar = hlo_operand(p->instr, 0)->shape->rank == 0;
    if (is_scalar && hlo_shape_is_array(p->instr->shape)) p->result = HLO_RESULT_VIEW;
    return hlo_prepare_elementwise(p);
}

static bool run_select(hlo_call *call) {
    if (call->out) return run_elementwise(call);
    if (call->in[1]->sizes || call->in[2]->sizes) {
        call->out = hlo_call_new(call, call->shape);
        return call->out && run_elementwise(call);
    }
    hlo_value *chosen = call->in[*(const uint8_t *)call->in[0]->data ? 1 : 2];
    return hlo_call_give(call, hlo_value_view(chosen, call->shape));
}

const hlo_kernel hlo_kernel_select = {prepare_select, run_select};
