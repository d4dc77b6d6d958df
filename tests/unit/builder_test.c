/* Builders: a module for each operation of the operation semantics that is not elementwise,
 * verified, and run where one device can; errors, scopes and computations. Only public headers of
 * the library are included. */
#include <hlo_builder.h>
#include <math.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/sharding.h"
#include "unit/built.h"

/* ---- data movement ---- */

static void test_sizes(void) {
    start();
    runs("Broadcast", hlo_builder_broadcast(b, ints(HLO_INTS(2), NUMBERS(1, 2)), HLO_INTS(2)),
         "s32[2,2] { { 1, 2 }, { 1, 2 } }");
    start();
    runs("BroadcastInDim",
         hlo_builder_broadcast_in_dim(b, ints(HLO_INTS(1, 2), NUMBERS(1, 2)), HLO_INTS(2, 2),
                                      HLO_INTS(0, 1)),
         "s32[2,2] { { 1, 2 }, { 1, 2 } }");
    start();
    builds("Collapse", hlo_builder_collapse(b, counting(HLO_INTS(4, 2, 3)), HLO_INTS(1, 2)),
           "f32[4,6]");
    start();
    const hlo_instr *x = ints(HLO_INTS(2), NUMBERS(1, 2));
    runs("Concatenate", hlo_builder_concatenate(b, HLO_INSTRS(x, x), 0), "s32[4] {1, 2, 1, 2}");
    start();
    runs("Pad",
         hlo_builder_pad(b, ints(HLO_INTS(2), NUMBERS(1, 2)), hlo_builder_constant_s32(b, 0),
                         HLO_INTS(1), HLO_INTS(2), HLO_INTS(1)),
         "s32[6] {0, 1, 0, 2, 0, 0}");
    start();
    runs("Reshape",
         hlo_builder_reshape(b, ints(HLO_INTS(2, 3), NUMBERS(1, 2, 3, 4, 5, 6)), HLO_NONE,
                             HLO_INTS(3, 2)),
         "s32[3,2] { { 1, 2 }, { 3, 4 }, { 5, 6 } }");
    start();
    runs("Reshape with an order of collapsing",
         hlo_builder_reshape(b, ints(HLO_INTS(2, 3), NUMBERS(1, 2, 3, 4, 5, 6)), HLO_INTS(1, 0),
                             HLO_INTS(6)),
         "s32[6] {1, 4, 2, 5, 3, 6}");
    start();
    runs("Rev", hlo_builder_rev(b, ints(HLO_INTS(3), NUMBERS(1, 2, 3)), HLO_INTS(0)),
         "s32[3] {3, 2, 1}");
    start();
    runs("Transpose",
         hlo_builder_transpose(b, ints(HLO_INTS(2, 2), NUMBERS(1, 2, 3, 4)), HLO_INTS(1, 0)),
         "s32[2,2] { { 1, 3 }, { 2, 4 } }");
    start();
    runs("Iota", counting(HLO_INTS(3)), "f32[3] {0, 1, 2}");
}

static void test_slices(void) {
    start();
    runs("Slice",
         hlo_builder_slice(b, ints(HLO_INTS(5), NUMBERS(0, 1, 2, 3, 4)), HLO_INTS(1), HLO_INTS(5),
                           HLO_INTS(2)),
         "s32[2] {1, 3}");
    start();
    const hlo_instr *at = hlo_builder_constant_s32(b, 9);
    runs("DynamicSlice",
         hlo_builder_dynamic_slice(b, ints(HLO_INTS(4), NUMBERS(0, 1, 2, 3)), HLO_INSTRS(at),
                                   HLO_INTS(2)),
         "s32[2] {2, 3}");
    start();
    at = ints(HLO_INTS(1), NUMBERS(1));
    runs("DynamicSlice at an array",
         hlo_builder_dynamic_slice(b, ints(HLO_INTS(4), NUMBERS(0, 1, 2, 3)), HLO_INSTRS(at),
                                   HLO_INTS(2)),
         "s32[2] {1, 2}");
    start();
    at = hlo_builder_constant_s32(b, 1);
    runs("DynamicUpdateSlice",
         hlo_builder_dynamic_update_slice(b, ints(HLO_INTS(4), NUMBERS(0, 1, 2, 3)),
                                          ints(HLO_INTS(2), NUMBERS(8, 9)), HLO_INSTRS(at)),
         "s32[4] {0, 8, 9, 3}");
    start();
    runs("GetDimensionSize", hlo_builder_get_dimension_size(b, counting(HLO_INTS(2, 5)), 1),
         "s32[] 5");
    start();
    const hlo_instr *some = hlo_builder_set_dimension_size(b, ints(HLO_INTS(3), NUMBERS(1, 2, 3)),
                                                           hlo_builder_constant_s32(b, 2), 0);
    const hlo_instr *zero = hlo_builder_constant_s32(b, 0);
    runs("SetDimensionSize",
         hlo_builder_reduce(b, HLO_INSTRS(some), HLO_INSTRS(zero),
                            hlo_builder_reducer(b, "add", HLO_TYPE_S32), HLO_INTS(0)),
         "s32[] 3");
    start();
    runs("Gather",
         hlo_builder_gather(b, ints(HLO_INTS(3, 2), NUMBERS(1, 2, 3, 4, 5, 6)),
                            ints(HLO_INTS(2), NUMBERS(2, 0)), 1, HLO_INTS(1), HLO_INTS(1, 2),
                            HLO_INTS(0), HLO_INTS(0), false),
         "s32[2,2] { { 5, 6 }, { 1, 2 } }");
    start();
    const hlo_instr *into = ints(HLO_INTS(3), NUMBERS(1, 2, 3));
    const hlo_instr *what = ints(HLO_INTS(2), NUMBERS(10, 20));
    runs("Scatter",
         hlo_builder_scatter(b, HLO_INSTRS(into), ints(HLO_INTS(2, 1), NUMBERS(2, 0)),
                             HLO_INSTRS(what), hlo_builder_reducer(b, "add", HLO_TYPE_S32), 1,
                             HLO_NONE, HLO_INTS(0), HLO_INTS(0), false, true),
         "s32[3] {21, 2, 13}");
}

/* ---- reductions, windows, sorts ---- */

static void test_reductions(void) {
    start();
    const hlo_instr *x = floats(HLO_INTS(2, 2), VALUES(1, 2, 3, 4));
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0);
    runs("Reduce",
         hlo_builder_reduce(b, HLO_INSTRS(x), HLO_INSTRS(zero),
                            hlo_builder_reducer(b, "add", HLO_TYPE_F32), HLO_INTS(1)),
         "f32[2] {3, 7}");
    for (int same = 0; same < 2; same++) {
        start();
        x = floats(HLO_INTS(5), VALUES(10000, 1000, 100, 10, 1));
        const hlo_instr *most = hlo_builder_constant_f32(b, INFINITY);
        runs("ReduceWindow",
             hlo_builder_reduce_window(b, HLO_INSTRS(x), HLO_INSTRS(most),
                                       hlo_builder_reducer(b, "minimum", HLO_TYPE_F32), HLO_INTS(3),
                                       HLO_INTS(2), HLO_NONE, HLO_NONE,
                                       same ? HLO_PAD_SAME : HLO_PAD_VALID),
             same ? "f32[3] {1000, 10, 1}" : "f32[2] {100, 1}");
    }
    start();
    x = floats(HLO_INTS(2), VALUES(1, 2));
    zero = hlo_builder_constant_f32(b, 0);
    runs("ReduceWindow with padding by numbers",
         hlo_builder_reduce_window_padded(b, HLO_INSTRS(x), HLO_INSTRS(zero),
                                          hlo_builder_reducer(b, "add", HLO_TYPE_F32), HLO_INTS(2),
                                          HLO_NONE, HLO_NONE, HLO_NONE, HLO_INTS(1), HLO_INTS(0)),
         "f32[2] {1, 3}");
    start();
    hlo_builder_begin(b, "ge");
    const hlo_instr *p = hlo_builder_parameter(b, 0, f32(HLO_NONE));
    const hlo_instr *q = hlo_builder_parameter(b, 1, f32(HLO_NONE));
    const hlo_computation *ge = hlo_builder_end(b, hlo_builder_ge(b, p, q, HLO_NONE));
    runs("SelectAndScatter",
         hlo_builder_select_and_scatter(
             b, floats(HLO_INTS(4), VALUES(1, 5, 2, 3)), ge, HLO_INTS(2), HLO_INTS(2),
             HLO_PAD_VALID, floats(HLO_INTS(2), VALUES(6, 2)), hlo_builder_constant_f32(b, 0),
             hlo_builder_reducer(b, "add", HLO_TYPE_F32)),
         "f32[4] {0, 6, 0, 2}");
}

static void test_sorts(void) {
    start();
    const hlo_instr *keys = ints(HLO_INTS(3), NUMBERS(3, 1, 2));
    runs("Sort", hlo_builder_sort(b, HLO_INSTRS(keys), NULL, -1, false), "s32[3] {1, 2, 3}");
    start();
    keys = ints(HLO_INTS(3), NUMBERS(3, 1, 2));
    const hlo_instr *values = ints(HLO_INTS(3), NUMBERS(30, 10, 20));
    const hlo_element_type types[] = {HLO_TYPE_S32, HLO_TYPE_S32};
    const hlo_instr *sorted = hlo_builder_sort(b, HLO_INSTRS(keys, values),
                                               hlo_builder_comparator(b, "GT", types, 2), 0, true);
    runs("Sort of keys and values", hlo_builder_get_tuple_element(b, sorted, 1),
         "s32[3] {30, 20, 10}");
    start();
    const hlo_instr *top = hlo_builder_top_k(b, floats(HLO_INTS(4), VALUES(1, 4, 3, 4)), 2, true);
    runs("TopK", hlo_builder_get_tuple_element(b, top, 1), "s32[2] {1, 3}");
}

/* ---- products, transforms, normalisation ---- */

static const hlo_instr *matrix(void) {
    return floats(HLO_INTS(2, 2), VALUES(4, 2, 2, 5));
}

static void test_products(void) {
    start();
    const hlo_instr *v = floats(HLO_INTS(2), VALUES(1, 2));
    runs("Dot of vectors", hlo_builder_dot(b, v, v), "f32[] 5");
    start();
    runs("Dot", hlo_builder_dot(b, matrix(), floats(HLO_INTS(2), VALUES(1, 2))), "f32[2] {8, 12}");
    start();
    runs("DotGeneral",
         hlo_builder_dot_general(b, matrix(), matrix(), HLO_INTS(1), HLO_INTS(1), HLO_INTS(0),
                                 HLO_INTS(0)),
         "f32[2] {20, 29}");
    start();
    const hlo_instr *image = floats(HLO_INTS(1, 1, 4), VALUES(1, 2, 3, 4));
    const hlo_instr *kernel = floats(HLO_INTS(1, 1, 2), VALUES(1, 10));
    runs("Conv", hlo_builder_conv(b, image, kernel, HLO_INTS(1), HLO_PAD_VALID, 1, 1),
         "f32[1,1,3] { { { 21, 32, 43 } } }");
    start();
    image = floats(HLO_INTS(1, 1, 4), VALUES(1, 2, 3, 4));
    kernel = floats(HLO_INTS(1, 1, 2), VALUES(1, 10));
    runs("Conv with padding SAME", hlo_builder_conv(b, image, kernel, HLO_NONE, HLO_PAD_SAME, 1, 1),
         "f32[1,1,4] { { { 21, 32, 43, 4 } } }");
    start();
    image = floats(HLO_INTS(1, 1, 2), VALUES(1, 2));
    kernel = floats(HLO_INTS(1, 1, 2), VALUES(1, 10));
    runs("ConvWithGeneralPadding",
         hlo_builder_conv_with_general_padding(b, image, kernel, HLO_INTS(1), HLO_INTS(1),
                                               HLO_INTS(0), HLO_INTS(2), HLO_INTS(1), 1, 1),
         "f32[1,1,3] { { { 10, 1, 20 } } }");
    start();
    image = floats(HLO_INTS(1, 4, 1), VALUES(1, 2, 3, 4));
    kernel = floats(HLO_INTS(2, 1, 1), VALUES(1, 10));
    hlo_conv_dimensions dims = {.input_feature = 2,
                                .input_spatial = HLO_INTS(1),
                                .kernel_input_feature = 1,
                                .kernel_output_feature = 2,
                                .kernel_spatial = HLO_INTS(0),
                                .output_feature = 2,
                                .output_spatial = HLO_INTS(1)};
    runs("ConvGeneralDilated",
         hlo_builder_conv_general_dilated(b, image, kernel, HLO_INTS(2), HLO_NONE, HLO_NONE,
                                          HLO_NONE, HLO_NONE, &dims, 1, 1),
         "f32[1,2,1] { { {21}, {43} } }");
}

static void test_linear_algebra(void) {
    start();
    runs("Cholesky", hlo_builder_cholesky(b, matrix(), true), "f32[2,2] { { 2, 0 }, { 1, 2 } }");
    start();
    runs("TriangularSolve",
         hlo_builder_triangular_solve(b, matrix(), floats(HLO_INTS(2, 1), VALUES(4, 7)), true, true,
                                      false, HLO_NO_TRANSPOSE),
         "f32[2,1] { {1}, {1} }");
    start();
    const hlo_instr *spectrum =
        hlo_builder_fft(b, floats(HLO_INTS(4), VALUES(1, 1, 1, 1)), HLO_RFFT, HLO_INTS(4));
    runs("Fft", hlo_builder_real(b, spectrum), "f32[3] {4, 0, 0}");
    start();
    const hlo_instr *one = floats(HLO_INTS(2), VALUES(1, 1)),
                    *zero = floats(HLO_INTS(2), VALUES(0, 0));
    runs("BatchNormInference",
         hlo_builder_batch_norm_inference(b, matrix(), one, zero, zero, one, 0, 1),
         "f32[2,2] { { 4, 2 }, { 2, 5 } }");
    start();
    one = floats(HLO_INTS(2), VALUES(1, 1)), zero = floats(HLO_INTS(2), VALUES(0, 0));
    runs("BatchNormTraining",
         hlo_builder_get_tuple_element(
             b, hlo_builder_batch_norm_training(b, matrix(), one, zero, 0, 1), 1),
         "f32[2] {3, 3.5}");
    start();
    one = floats(HLO_INTS(2), VALUES(1, 1)), zero = floats(HLO_INTS(2), VALUES(0, 0));
    runs("BatchNormGrad",
         hlo_builder_get_tuple_element(
             b, hlo_builder_batch_norm_grad(b, matrix(), one, zero, one, matrix(), 0, 1), 2),
         "f32[2] {6, 7}");
}

static void test_random(void) {
    start();
    runs("RngUniform",
         hlo_builder_rng_uniform(b, hlo_builder_constant_f32(b, 0), hlo_builder_constant_f32(b, 1),
                                 f32(HLO_INTS(3))),
         NULL);
    start();
    runs("RngNormal",
         hlo_builder_rng_normal(b, hlo_builder_constant_f32(b, 0), hlo_builder_constant_f32(b, 1),
                                f32(HLO_INTS(3))),
         NULL);
    start();
    runs("RngBernoulli", hlo_builder_rng_bernoulli(b, hlo_builder_constant_f32(b, 1), HLO_INTS(3)),
         "u32[3] {1, 1, 1}");
    start();
    const hlo_instr *state = hlo_builder_constant(
        b, &(hlo_array){HLO_TYPE_U64, 1, (const int64_t[]){2}, NULL, (const uint64_t[]){1, 2}});
    runs("RngBitGenerator",
         hlo_builder_rng_bit_generator(b, HLO_RNG_THREE_FRY, state,
                                       hlo_builder_shape(b, HLO_TYPE_U32, HLO_INTS(2))),
         NULL);
}

/* ---- control ---- */

static const hlo_computation *below(int32_t limit) {
    hlo_builder_begin(b, "below");
    const hlo_instr *i = hlo_builder_parameter(b, 0, hlo_builder_shape(b, HLO_TYPE_S32, HLO_NONE));
    return hlo_builder_end(b, hlo_builder_lt(b, i, hlo_builder_constant_s32(b, limit), HLO_NONE));
}

static const hlo_computation *plus(int32_t n) {
    hlo_builder_begin(b, "plus");
    const hlo_instr *i = hlo_builder_parameter(b, 0, hlo_builder_shape(b, HLO_TYPE_S32, HLO_NONE));
    return hlo_builder_end(b, hlo_builder_add(b, i, hlo_builder_constant_s32(b, n), HLO_NONE));
}

static void test_control(void) {
    start();
    const hlo_instr *x = hlo_builder_constant_s32(b, 7);
    runs("Tuple and GetTupleElement",
         hlo_builder_get_tuple_element(b, hlo_builder_tuple(b, HLO_INSTRS(x, x)), 1), "s32[] 7");
    start();
    x = hlo_builder_constant_s32(b, 7);
    runs("Call", hlo_builder_call(b, plus(1), HLO_INSTRS(x)), "s32[] 8");
    start();
    x = hlo_builder_constant_s32(b, 7);
    runs("CompositeCall",
         hlo_builder_composite_call(b, plus(2), HLO_INSTRS(x), "my.op", "{n = 2 : i32}", 1),
         "s32[] 9");
    start();
    const hlo_computation *condition = below(1000);
    runs("While", hlo_builder_while(b, condition, plus(1), hlo_builder_constant_s32(b, 0)),
         "s32[] 1000");
    start();
    x = hlo_builder_constant_s32(b, 7);
    const hlo_computation *first = plus(1);
    runs("Conditional(pred)",
         hlo_builder_conditional(b, hlo_builder_constant_pred(b, false), x, first, x, plus(2)),
         "s32[] 9");
    start();
    x = hlo_builder_constant_s32(b, 7);
    first = plus(1);
    const hlo_computation *second = plus(2);
    runs("Conditional(index)",
         hlo_builder_conditional_indexed(b, hlo_builder_constant_s32(b, -1),
                                         HLO_COMPUTATIONS(first, second), HLO_INSTRS(x, x)),
         "s32[] 9");
    start();
    x = hlo_builder_constant_s32(b, 7);
    runs("OptimizationBarrier", hlo_builder_optimization_barrier(b, HLO_INSTRS(x)), "s32[] 7");
    start();
    x = hlo_builder_constant_s32(b, 7);
    builds("CustomCall",
           hlo_builder_custom_call(b, "myfunc", HLO_INSTRS(x), f32(HLO_INTS(2)), "how", true),
           "f32[2]");
    start();
    const hlo_instr *token = hlo_builder_after_all(b, (hlo_instrs_list){0, NULL});
    builds("AfterAll", hlo_builder_after_all(b, HLO_INSTRS(token, token)), "token[]");
}

/* ---- host and collectives ---- */

static void test_host(void) {
    start();
    const hlo_instr *x = hlo_builder_infeed(b, f32(HLO_INTS(2)), "one");
    const hlo_instr *y = hlo_builder_infeed(b, f32(HLO_INTS(2)), NULL);
    hlo_builder_outfeed(b, x, f32(HLO_INTS(2)), NULL);
    builds("Infeed and Outfeed", hlo_builder_add(b, x, y, HLO_NONE), "f32[2]");
    start();
    x = hlo_builder_constant_f32(b, 1);
    const hlo_instr *received = hlo_builder_recv(b, f32(HLO_NONE), 1);
    const hlo_instr *sent = hlo_builder_send(b, x, 1);
    const hlo_instr *data = hlo_builder_recv_done(b, received);
    hlo_builder_send_done(b, sent);
    builds("Send, SendDone, Recv and RecvDone", data, "f32[]");
}

static void test_collectives(void) {
    hlo_group_list pairs = HLO_GROUPS(HLO_INTS(0, 1), HLO_INTS(2, 3));
    start();
    builds("AllGather", hlo_builder_all_gather(b, counting(HLO_INTS(2, 3)), 1, 2, pairs, 0),
           "f32[2,6]");
    start();
    builds("AllGather with shard_count alone",
           hlo_builder_all_gather(b, counting(HLO_INTS(2, 3)), 1, 4, HLO_ONE_GROUP, 0),
           "f32[2,12]");
    start();
    const hlo_instr *x = counting(HLO_INTS(2));
    builds("AllReduce of a tuple",
           hlo_builder_all_reduce(b, hlo_builder_tuple(b, HLO_INSTRS(x, x)),
                                  hlo_builder_reducer(b, "add", HLO_TYPE_F32), pairs, 1),
           "(f32[2], f32[2])");
    start();
    runs("CrossReplicaSum", hlo_builder_cross_replica_sum(b, counting(HLO_INTS(2)), HLO_ONE_GROUP),
         "f32[2] {0, 1}");
    start();
    builds("AllToAll",
           hlo_builder_all_to_all(b, counting(HLO_INTS(4, 16)), 1, 0, 4,
                                  HLO_GROUPS(HLO_INTS(0, 1, 2, 3)), 0),
           "f32[16,4]");
    start();
    const hlo_instr *all =
        hlo_builder_all_to_all(b, counting(HLO_INTS(4, 16)), 1, 1, 4, HLO_ONE_GROUP, 0);
    const hlo_attr *groups = hlo_instr_attr(all, HLO_ATTR_REPLICA_GROUPS);
    check(groups->u.groups->lists->n == 1 && groups->u.groups->lists->v[0]->n == 4,
          "which are as many as there are parts");
    builds("AllToAll of all devices", all, "f32[4,16]");
    start();
    builds("CollectivePermute",
           hlo_builder_collective_permute(b, counting(HLO_INTS(2)), HLO_GROUPS(HLO_INTS(0, 1)), 0),
           "f32[2]");
    start();
    builds("CollectiveBroadcast",
           hlo_builder_collective_broadcast(b, counting(HLO_INTS(2)), pairs, 0), "f32[2]");
    start();
    builds("ReduceScatter",
           hlo_builder_reduce_scatter(b, counting(HLO_INTS(4)),
                                      hlo_builder_reducer(b, "add", HLO_TYPE_F32), 0, 2, pairs, 0),
           "f32[2]");
    start();
    runs("ReplicaId", hlo_builder_replica_id(b), "u32[] 0");
    start();
    runs("PartitionId", hlo_builder_partition_id(b), "u32[] 0");
}

/* `root` is a collective of all devices, which are four by its split or shard count. */
static void check_four(const char *what, const hlo_instr *root) {
    hlo_module *module = built(what, root);
    hlo_diags *diags = hlo_diags_create(0);
    check(hlo_module_set_devices(module, 4, 1, diags) == HLO_OK &&
              hlo_verify(module, diags) == HLO_OK,
          what);
    for (uint32_t devices = 2; devices <= 8; devices *= 4)
        check(hlo_module_set_devices(module, devices, 1, diags) == HLO_OK &&
                  hlo_verify(module, diags) == HLO_BAD_MODULE,
              what);
    hlo_diags_free(diags);
    hlo_module_free(module);
}

static void test_device_counts(void) {
    start();
    check_four("AllToAll along one dimension of all devices",
               hlo_builder_all_to_all(b, counting(HLO_INTS(4, 16)), 1, 1, 4, HLO_ONE_GROUP, 0));
    start();
    check_four("AllToAll along two dimensions of all devices",
               hlo_builder_all_to_all(b, counting(HLO_INTS(4, 16)), 1, 0, 4, HLO_ONE_GROUP, 0));
    start();
    check_four("AllGather of all devices",
               hlo_builder_all_gather(b, counting(HLO_INTS(4)), 0, 4, HLO_ONE_GROUP, 0));
    start();
    check_four("ReduceScatter of all devices",
               hlo_builder_reduce_scatter(b, counting(HLO_INTS(4)),
                                          hlo_builder_reducer(b, "add", HLO_TYPE_F32), 0, 4,
                                          HLO_ONE_GROUP, 0));
    start();
    hlo_builder_all_to_all(b, counting(HLO_INTS(4, 6)), 1, 0, 4, HLO_ONE_GROUP, 0);
    fails("4 parts of a dimension of 6", HLO_BAD_MODULE, "all-to-all:");
    start();
    hlo_builder_all_to_all(b, counting(HLO_INTS(4, 16)), 1, 0, 4, HLO_GROUPS(HLO_INTS(0, 1)), 0);
    fails("4 parts for a group of 2", HLO_BAD_MODULE, "all-to-all: 4 parts for a group of 2");
}

/* ---- errors, names and scopes ---- */

static void test_errors(void) {
    start();
    hlo_builder_add(b, hlo_builder_constant_f32(b, 1), hlo_builder_constant_s32(b, 1), HLO_NONE);
    hlo_builder_neg(b, NULL);
    fails("types differ; what follows is no error", HLO_BAD_MODULE, "add:");
    start();
    hlo_builder_neg(b, NULL);
    fails("NULL", HLO_BAD_USE, "hlo_builder_neg");
    start();
    hlo_builder_begin(b, "inner");
    const hlo_instr *x = hlo_builder_constant_f32(b, 1);
    hlo_builder_end(b, x);
    hlo_builder_neg(b, x);
    fails("an operand of another computation", HLO_BAD_USE, "belongs to another computation");
    start();
    hlo_builder_parameter(b, 1, f32(HLO_NONE));
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    check(hlo_builder_build(b, NULL, diags, &module) == HLO_BAD_MODULE && !module,
          "parameters with a gap");
    hlo_diags_free(diags);
    hlo_builder_free(b);
    start();
    hlo_builder_collapse(b, counting(HLO_INTS(2, 2, 2)), HLO_INTS(0, 2));
    fails("dimensions that are not consecutive", HLO_BAD_MODULE, "collapse");
    start();
    hlo_builder_shape(b, HLO_TYPE_TOKEN, HLO_INTS(1));
    fails("an array of tokens", HLO_BAD_USE, "no array");
    start();
    hlo_builder_end_scope(b);
    fails("no scope", HLO_BAD_USE, "no scope");
    check(!hlo_builder_neg(NULL, NULL) && hlo_builder_failed(NULL), "no builder");
    hlo_builder_free(NULL);
}

static bool has_attr(const hlo_instr *instr, const char *name) {
    bool found = false;
    for (uint32_t i = 0; hlo_instr_attr_name(instr, i); i++)
        found |= strcmp(hlo_instr_attr_name(instr, i), name) == 0;
    return found;
}

static void test_scopes(void) {
    start();
    hlo_builder_begin_scope(b);
    hlo_builder_set_metadata(b, &(hlo_op_metadata){.op_name = "f/g", .source_line = 3});
    hlo_builder_set_sharding(
        b, &(hlo_shard){.kind = HLO_SHARD_TILED, .tiles = HLO_INTS(2), .devices = HLO_INTS(0, 1)});
    hlo_builder_set_frontend_attribute(b, "k", "v");
    const hlo_instr *x = hlo_builder_parameter(b, 0, f32(HLO_INTS(2)));
    check(has_attr(x, "sharding") && has_attr(x, "metadata") && has_attr(x, "frontend_attributes"),
          "what a scope sets");
    hlo_instr_origin origin = hlo_instr_metadata(x);
    check(origin.op_name.len == 3 && origin.source_line == 3, "the metadata");
    hlo_builder_set_frontend_attribute(b, "k", NULL);
    check(!has_attr(hlo_builder_neg(b, x), "frontend_attributes"), "a key is removed");
    hlo_builder_end_scope(b);
    hlo_builder_set_name(b, "last");
    const hlo_instr *y = hlo_builder_neg(b, x);
    check(!has_attr(y, "sharding") && !has_attr(y, "metadata"), "the scope has ended");
    check(hlo_instr_name(y).len == 4 && memcmp(hlo_instr_name(y).text, "last", 4) == 0, "a name");
    builds("scopes", y, "f32[2]");
}

int main(void) {
    test_sizes();
    test_slices();
    test_reductions();
    test_sorts();
    test_products();
    test_linear_algebra();
    test_random();
    test_control();
    test_host();
    test_collectives();
    test_device_counts();
    test_errors();
    test_scopes();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
