/* The elementwise kernels: one lane function over whole arrays, in place where an operand dies.
 * Called by the runner. */
#include "base/pool.h"
#include "eval/eval.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/lanes.h"

/* Elements that one thread computes at a time: from 10 us of additions to 1 ms of costly functions.
 * A multiple of HLO_LANES_BLOCK. */
enum { PIECE = 1 << 15 };

/* An operand in running: its data, or for a scalar beside arrays a block of copies. */
typedef struct {
    const char *data;
    size_t step; /* bytes per element; 0: the block is used again and again */
} lane_input;

static size_t element_count(const hlo_value *value) {
    return (size_t)hlo_shape_elements(value->shape);
}

/* A new value, or an operand of as many bytes that nobody needs any more. */
static hlo_value *make_result(const hlo_instr *instr, hlo_value *const *args,
                              const hlo_lanes *lanes) {
    size_t count = (size_t)hlo_shape_elements(instr->shape);
    for (uint32_t i = 0; i < lanes->arity; i++)
        if (hlo_types[lanes->operands[i]].bytes == hlo_types[lanes->to].bytes &&
            element_count(args[i]) == count && hlo_value_is_dying(args[i]))
            return hlo_value_view(args[i], instr->shape);
    return hlo_value_new(instr->shape);
}

static void fill_block(void *block, const void *element, size_t bytes) {
    for (size_t k = 0; k < HLO_LANES_BLOCK; k++) memcpy((char *)block + k * bytes, element, bytes);
}

/* One instruction over all its elements. */
typedef struct {
    const hlo_lanes *lanes;
    char *out;
    lane_input inputs[HLO_LANES_MAX_OPERANDS];
    int64_t step; /* elements per call of the lane function: blocks go round at their end */
} lane_loop;

static void run_range(void *context, int64_t first, int64_t last) {
    const lane_loop *loop = context;
    const hlo_lanes *lanes = loop->lanes;
    for (int64_t at = first, n; at < last; at += n) {
        const void *in[HLO_LANES_MAX_OPERANDS];
        n = last - at < loop->step ? last - at : loop->step;
        for (uint32_t i = 0; i < lanes->arity; i++)
            in[i] = loop->inputs[i].data + (size_t)at * loop->inputs[i].step;
        lanes->run(lanes, loop->out + at * hlo_types[lanes->to].bytes, in, (size_t)n);
    }
}

/* Some operands may be single elements (the bounds of clamp, the predicate of select). */
static void run_lanes(const hlo_lanes *lanes, void *out, hlo_value *const *args, size_t n) {
    _Alignas(16) char blocks[HLO_LANES_MAX_OPERANDS][HLO_LANES_BLOCK * HLO_LANES_MAX_BYTES];
    lane_loop loop = {.lanes = lanes, .out = out, .step = INT64_MAX};
    for (uint32_t i = 0; i < lanes->arity; i++) {
        size_t bytes = hlo_types[lanes->operands[i]].bytes;
        loop.inputs[i] = (lane_input){args[i]->data, bytes};
        if (element_count(args[i]) == n) continue;
        fill_block(blocks[i], args[i]->data, bytes);
        loop.inputs[i] = (lane_input){blocks[i], 0};
        loop.step = HLO_LANES_BLOCK;
    }
    hlo_parallel((int64_t)n, PIECE, run_range, &loop);
}

/* Operands have the result's size or are scalars. */
static bool check_sizes(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    int64_t n = hlo_shape_elements(instr->shape);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        int64_t count = hlo_shape_elements(args[i]->shape);
        if (count == n || args[i]->shape->rank == 0) continue;
        hlo_eval_error(eval, instr, "has an operand %u of another size than the result", i);
        return false;
    }
    return true;
}

static hlo_value *compute(const hlo_instr *instr, hlo_value *const *args, const hlo_lanes *lanes) {
    hlo_value *result = make_result(instr, args, lanes);
    if (result) run_lanes(lanes, result->data, args, element_count(result));
    return result;
}

/* Takes `sizes`, the result's. */
static hlo_value *compute_dynamic(const hlo_instr *instr, hlo_value *const *args,
                                  const hlo_lanes *lanes, int64_t *sizes) {
    hlo_value *operands[HLO_LANES_MAX_OPERANDS] = {NULL}, *result = NULL;
    bool has_all = true;
    for (uint32_t i = 0; i < lanes->arity; i++) {
        bool is_scalar = args[i]->shape->rank == 0;
        operands[i] = is_scalar ? hlo_value_retain(args[i]) : hlo_stretched(args[i], sizes);
        has_all &= operands[i] != NULL;
    }
    if (has_all) result = hlo_value_new(instr->shape);
    if (result) {
        run_lanes(lanes, result->data, operands, element_count(result));
        memcpy(hlo_result_sizes(result), sizes, instr->shape->rank * sizeof *sizes);
    }
    for (uint32_t i = 0; i < lanes->arity; i++) hlo_value_release(operands[i]);
    hlo_free(sizes);
    return result;
}

static hlo_value *elementwise(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    hlo_lanes lanes;
    if (!hlo_lanes_find(instr, &lanes)) {
        hlo_eval_error(eval, instr, "is not defined for %s",
                       hlo_types[hlo_operand(instr, 0)->shape->type].text);
        return NULL;
    }
    if (!check_sizes(eval, instr, args)) return NULL;
    int64_t *sizes = hlo_joint_sizes(instr, args);
    return sizes ? compute_dynamic(instr, args, &lanes, sizes) : compute(instr, args, &lanes);
}

#define ELEMENTWISE(name)                                                                        \
    hlo_value *hlo_eval_##name(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) { \
        return elementwise(eval, instr, args);                                                   \
    }
ELEMENTWISE(unary)
ELEMENTWISE(binary)
ELEMENTWISE(compare)
ELEMENTWISE(clamp)
ELEMENTWISE(convert)
ELEMENTWISE(reduce_precision)
ELEMENTWISE(stochastic_convert)
ELEMENTWISE(is_finite)
ELEMENTWISE(real)
ELEMENTWISE(imag)
ELEMENTWISE(complex)

/* One predicate for all elements chooses a whole operand, which need not be copied. */
hlo_value *hlo_eval_select(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    bool is_dynamic = args[1]->sizes || args[2]->sizes;
    if (args[0]->shape->rank == 0 && hlo_shape_is_array(instr->shape) && !is_dynamic) {
        hlo_value *chosen = args[*(const uint8_t *)args[0]->data ? 1 : 2];
        return hlo_value_view(chosen, instr->shape);
    }
    return elementwise(eval, instr, args);
}
