// What the samples are made of: attributes, types and operations whose encodings differ.
module @all attributes {mhlo.num_partitions = 1 : i32, t.words = ["a\0A\"b", unit, true, 7 : index, -3 : i8, 200 : ui8, 1.5 : bf16, @x::@y, f32], t.map = affine_map<(d0, d1)[s0] -> (d1, d0, s0, 3)>} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<4x6xf32> {mhlo.sharding = "{replicated}"} loc("a"), %b: tensor<6x3xf32>, %i: tensor<2x1xi32>, %t: !stablehlo.token) -> (tensor<4x3xf32> {jax.result_info = ""}) {
    %c0 = stablehlo.constant dense<[[true, false, true], [false, false, true], [true, true, true], [false, true, false]]> : tensor<4x3xi1>
    %c1 = stablehlo.constant dense<true> : tensor<9xi1>
    %c2 = stablehlo.constant dense<[1, -2, 7]> : tensor<3xi4>
    %c3 = stablehlo.constant dense<[(1.0, -2.0), (0x7F800000, 0x7FC00001)]> : tensor<2xcomplex<f32>>
    %c4 = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf8E4M3FN>
    %c5 = stablehlo.constant dense<> : tensor<0x2xui16>
    %c6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c7 = stablehlo.constant dense<5> : tensor<2xui64>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.compare LT, %0, %0, TOTALORDER : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
    %2 = stablehlo.select %1, %0, %0 : tensor<4x3xi1>, tensor<4x3xf32>
    %3 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>, indices_are_sorted = true}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %4 = "stablehlo.scatter"(%a, %i, %3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    %5 = "stablehlo.reduce_window"(%4, %c6) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x4xf32>
    %6 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<1x4x6x1xf32>
    %7 = stablehlo.reshape %b : (tensor<6x3xf32>) -> tensor<3x3x1x2xf32>
    %8 = stablehlo.convolution(%6, %7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 0]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x6x1xf32>, tensor<3x3x1x2xf32>) -> tensor<1x4x2x2xf32>
    %9:2 = stablehlo.while(%p = %2, %q = %i) : tensor<4x3xf32>, tensor<2x1xi32>
     cond {
      %k = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %k : tensor<i1>
    } do {
      %k = func.call @f(%p) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      stablehlo.return %k, %q : tensor<4x3xf32>, tensor<2x1xi32>
    }
    %10 = stablehlo.custom_call @target(%a) {api_version = 4 : i32, backend_config = {mode = 86 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], has_side_effect = true} : (tensor<4x6xf32>) -> tensor<4x6xf32> loc(callsite(fused["f", "g.py":3:4] at "h.py":5:6 to :9))
    %11 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %12 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true}> : (tensor<4x6xf32>, !stablehlo.token) -> !stablehlo.token
    %13 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x6xf32>
    %14 = stablehlo.tuple %a, %i : tuple<tensor<4x6xf32>, tensor<2x1xi32>>
    %15 = stablehlo.get_tuple_element %14[1] : (tuple<tensor<4x6xf32>, tensor<2x1xi32>>) -> tensor<2x1xi32>
    %16 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %9#0 : tensor<4x3xf32>
  }
  func.func private @f(%arg: tensor<4x3xf32>) -> tensor<4x3xf32> {
    return %arg : tensor<4x3xf32>
  }
  func.func private @bounded(tensor<?x3xf32, #stablehlo.bounds<5, ?>>, tensor<*xf32>, tensor<?xi32>, memref<2xf32>) -> ()
}
