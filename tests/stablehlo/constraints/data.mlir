// ----- bitcast-convert: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4x2xi16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x2xi16>
  return %0 : tensor<4x2xi16>
}
// ----- bitcast-convert--of-the-same-width: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// ----- bitcast-convert--sizes: reject 2:8 operand-shape
func.func @main(%x: tensor<4xf32>) -> tensor<5xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// ----- bitcast-convert--last-dimension: reject 2:8 bitcast-convert-width
func.func @main(%x: tensor<4xf32>) -> tensor<4x4xi16> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xi16>
  return %0 : tensor<4x4xi16>
}
// ----- bitcast-convert--complex: reject 2:8 element-type
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xi64> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xcomplex<f32>>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
// ----- reduce-precision: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- reduce-precision--exponent: reject 2:8 reduce-precision-bits
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 0 : i32, mantissa_bits = 4 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- reduce-precision--mantissa: reject 2:8 reduce-precision-bits
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 4 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- complex: accept
func.func @main(%x: tensor<4xf64>) -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.complex %x, %x : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
// ----- complex--of-another-width: reject 2:8 element-type
func.func @main(%x: tensor<4xf32>) -> tensor<4xcomplex<f64>> {
  %0 = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
// ----- real: accept
func.func @main(%x: tensor<4xcomplex<f64>>) -> tensor<4xf64> {
  %0 = stablehlo.real %x : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// ----- real--of-another-width: reject 2:8 element-type
func.func @main(%x: tensor<4xcomplex<f64>>) -> tensor<4xf32> {
  %0 = stablehlo.real %x : (tensor<4xcomplex<f64>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- abs--result: reject 2:8 element-type
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.abs %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// ----- broadcast: accept
func.func @main(%x: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// ----- broadcast--result-sizes: reject 2:8 operand-shape
func.func @main(%x: tensor<3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// ----- broadcast--negative-size: reject 2:8 attribute-value
func.func @main(%x: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast %x, sizes = [-2] : (tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// ----- pad: accept
func.func @main(%x: tensor<3xi32>, %z: tensor<i32>) -> tensor<6xi32> {
  %0 = stablehlo.pad %x, %z, low = [-1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
// ----- pad--interior: reject 2:8 pad-padding
func.func @main(%x: tensor<3xi32>, %z: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.pad %x, %z, low = [1], high = [1], interior = [-1] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// ----- pad--less-than-nothing: reject 2:8 pad-padding
func.func @main(%x: tensor<3xi32>, %z: tensor<i32>) -> tensor<0xi32> {
  %0 = stablehlo.pad %x, %z, low = [-2], high = [-2], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<0xi32>
  return %0 : tensor<0xi32>
}
// ----- pad--result-sizes: reject 2:8 operand-shape
func.func @main(%x: tensor<3xi32>, %z: tensor<i32>) -> tensor<4xi32> {
  %0 = stablehlo.pad %x, %z, low = [1], high = [1], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// ----- dynamic-slice: accept
func.func @main(%x: tensor<3x4xi32>, %i: tensor<i64>) -> tensor<1x4xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x4xi32>, tensor<i64>, tensor<i64>) -> tensor<1x4xi32>
  return %0 : tensor<1x4xi32>
}
// ----- dynamic-slice--index-types: reject 2:8 element-type
func.func @main(%x: tensor<3x4xi32>, %i: tensor<i64>, %k: tensor<i32>) -> tensor<1x4xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, %k, sizes = [1, 4] : (tensor<3x4xi32>, tensor<i64>, tensor<i32>) -> tensor<1x4xi32>
  return %0 : tensor<1x4xi32>
}
// ----- dynamic-slice--index-of-floats: reject 2:8 element-type
func.func @main(%x: tensor<3xi32>, %i: tensor<f32>) -> tensor<1xi32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xi32>, tensor<f32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
// ----- dynamic-update-slice: accept
func.func @main(%x: tensor<3x4xi32>, %u: tensor<2x4xi32>, %i: tensor<i64>) -> tensor<3x4xi32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x4xi32>, tensor<2x4xi32>, tensor<i64>, tensor<i64>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
// ----- dynamic-update-slice--too-large: reject 2:8 operand-shape
func.func @main(%x: tensor<3x4xi32>, %u: tensor<2x5xi32>, %i: tensor<i64>) -> tensor<3x4xi32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x4xi32>, tensor<2x5xi32>, tensor<i64>, tensor<i64>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
// ----- concatenate--no-operand: reject 2:8 operand-count
func.func @main() -> tensor<2xi32> {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- result-accuracy: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.cosine"(%x) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- result-accuracy--tolerance-in-another-mode: reject 2:51 attribute-value
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.cosine"(%x) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- result-accuracy--negative: reject 2:51 attribute-value
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.cosine"(%x) <{result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- select--three-types: reject 2:8 syntax
func.func @main(%p: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- abs--two-types: reject 2:8 syntax
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- future--of-a-number: reject 1:21 shape-syntax
func.func @main(%x: !stablehlo.future<f32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
// ----- type--unknown: reject 1:21 shape-syntax
func.func @main(%x: !stablehlo.array) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
