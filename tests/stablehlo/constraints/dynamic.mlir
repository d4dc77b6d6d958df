// ----- dynamic-broadcast-in-dim: accept
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--dimension-count: reject 3:8 broadcast-dimensions
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0, 1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--dimension-out-of-range: reject 3:8 broadcast-dimensions
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [2] : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--dimension-twice: reject 3:8 broadcast-dimensions
func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %n = stablehlo.constant dense<[3, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1, 1] : (tensor<3x3xf32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// ----- dynamic-broadcast-in-dim--operand-size: reject 3:8 broadcast-dimensions
func.func @main(%x: tensor<5xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] : (tensor<5xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--result-sizes: reject 3:8 result-shape
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--hint-twice: reject 3:8 attribute-value
func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %n) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-broadcast-in-dim--sizes-of-rank-2: reject 2:8 operand-shape
func.func @main(%x: tensor<4xf32>, %n: tensor<1x2xi32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// ----- dynamic-reshape: accept
func.func @main(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-reshape--element-count: reject 3:8 reshape-element-count
func.func @main(%x: tensor<5xf32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<5xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-reshape--sizes: reject 3:8 result-shape
func.func @main(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-reshape--rank: reject 2:8 operand-shape
func.func @main(%x: tensor<6xf32>, %n: tensor<3xi32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<6xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-reshape--elements: reject 3:8 element-type
func.func @main(%x: tensor<6xf32>) -> tensor<2x3xi32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// ----- dynamic-iota: accept
func.func @main() -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-iota--dimension: reject 3:8 attribute-value
func.func @main() -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_iota %n, dim = 2 : (tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-iota--sizes: reject 3:8 result-shape
func.func @main() -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, -3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- dynamic-pad: accept
func.func @main(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<7xf32> {
  %l = stablehlo.constant dense<1> : tensor<1xi32>
  %h = stablehlo.constant dense<1> : tensor<1xi32>
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %l, %h, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// ----- dynamic-pad--result-size: reject 5:8 result-shape
func.func @main(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<8xf32> {
  %l = stablehlo.constant dense<1> : tensor<1xi32>
  %h = stablehlo.constant dense<1> : tensor<1xi32>
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %l, %h, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ----- dynamic-pad--interior: reject 5:8 pad-padding
func.func @main(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  %l = stablehlo.constant dense<1> : tensor<1xi32>
  %h = stablehlo.constant dense<1> : tensor<1xi32>
  %i = stablehlo.constant dense<-1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %l, %h, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- dynamic-pad--list-length: reject 2:8 operand-shape
func.func @main(%x: tensor<3xf32>, %z: tensor<f32>, %l: tensor<2xi32>) -> tensor<3xf32> {
  %0 = stablehlo.dynamic_pad %x, %z, %l, %l, %l : (tensor<3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- real-dynamic-slice: accept
func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  %l = stablehlo.constant dense<5> : tensor<1xi32>
  %d = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %d : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- real-dynamic-slice--list-length: reject 2:8 operand-shape
func.func @main(%x: tensor<8xf32>, %s: tensor<2xi32>) -> tensor<4xf32> {
  %0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- set-dimension-size: accept
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}
// ----- set-dimension-size--size-of-rank-1: reject 2:8 dimension-size
func.func @main(%x: tensor<8xf32>, %n: tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}
// ----- bounds: accept
func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.add %x, %x : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// ----- bounds--of-a-known-size: reject 1:21 shape-syntax
func.func @main(%x: tensor<4x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<4x3xf32, #stablehlo.bounds<4, ?>> {
  return %x : tensor<4x3xf32, #stablehlo.bounds<4, ?>>
}
// ----- bounds--beyond-it: reject 2:8 operand-shape
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ----- reshape--two-sizes-with-bounds: reject 2:8 result-shape
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<5, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 5>> {
  %0 = stablehlo.reshape %x : (tensor<?x?xf32, #stablehlo.bounds<5, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 5>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<5, 5>>
}
