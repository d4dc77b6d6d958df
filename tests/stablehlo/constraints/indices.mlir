// ----- gather: accept
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5xi32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<2x5xi32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--indices-of-floats: reject 2:8 index-vector
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5xf32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<2x5xf32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--batching-dimension-in-the-map: reject 2:8 gather-dimensions
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5x2xi32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<2x5x2xi32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--batching-sizes: reject 2:8 gather-dimensions
func.func @main(%x: tensor<3x4x9xi32>, %i: tensor<2x5xi32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x4x9xi32>, tensor<2x5xi32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--batching-counts: reject 2:8 gather-dimensions
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5xi32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<2x5xi32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--map-out-of-range: reject 2:8 attribute-value
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5xi32>) -> tensor<2x5x8xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<2x5xi32>) -> tensor<2x5x8xi32>
  return %0 : tensor<2x5x8xi32>
}
// ----- gather--slice-sizes: reject 2:8 attribute-value
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<2x5xi32>) -> tensor<2x5x10xi32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 10>}> : (tensor<2x4x9xi32>, tensor<2x5xi32>) -> tensor<2x5x10xi32>
  return %0 : tensor<2x5x10xi32>
}
// ----- scatter--batching: accept
func.func @main(%x: tensor<2x8xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3xf32>) -> tensor<2x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<2x8xf32>, tensor<2x3x1xi32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
// ----- scatter--batching-dimension-in-the-map: reject 2:8 scatter-dimensions
func.func @main(%x: tensor<2x8xf32>, %i: tensor<2x3x2xi32>, %u: tensor<2x3xf32>) -> tensor<2x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<2x8xf32>, tensor<2x3x2xi32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
// ----- scatter--batching-sizes: reject 2:8 scatter-dimensions
func.func @main(%x: tensor<3x8xf32>, %i: tensor<2x3x1xi32>, %u: tensor<2x3xf32>) -> tensor<3x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x8xf32>, tensor<2x3x1xi32>, tensor<2x3xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
