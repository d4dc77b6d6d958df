// ----- dot: accept
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- dot--of-rank-3: reject 2:8 operand-shape
func.func @main(%x: tensor<1x2x3xf32>, %y: tensor<3xf32>) -> tensor<1x2xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<1x2x3xf32>, tensor<3xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
// ----- dot--three-precisions: reject 2:8 attribute-value
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT, HIGH] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- dot-general--algorithm: accept
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ----- dot-general--algorithm-and-precision: reject 2:8 attribute-value
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ----- dot-general--algorithm-without-components: reject 2:80 attribute-value
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ----- convolution: accept
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- convolution--ranks: reject 2:8 operand-shape
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- convolution--two-kinds-of-groups: reject 2:8 convolution-groups
func.func @main(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- convolution--no-group: reject 2:150 convolution-groups
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 0 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- convolution--elements: reject 2:8 operand-types
func.func @main(%x: tensor<1x8x8x4xi32>, %k: tensor<3x3x4x6xi8>) -> tensor<1x8x8x6xi32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xi32>, tensor<3x3x4x6xi8>) -> tensor<1x8x8x6xi32>
  return %0 : tensor<1x8x8x6xi32>
}
// ----- rng: accept
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- rng--limit-of-rank-1: reject 3:8 rng-operands
func.func @main(%a: tensor<1xf32>, %b: tensor<f32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<1xf32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- rng--sizes: reject 3:8 result-shape
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2x4xf32> {
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// ----- rng--sizes-of-rank-2: reject 2:8 rng-operands
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %n: tensor<1x2xi64>) -> tensor<2x4xf32> {
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1x2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// ----- rng-bit-generator: accept
func.func @main(%s: tensor<2xui64>) -> tensor<8xui32> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}
// ----- rng-bit-generator--state: reject 2:12 rng-state
func.func @main(%s: tensor<2xui64>) -> tensor<8xui32> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}
// ----- dot--unknown-precision: reject 2:42 attribute-value
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot %x, %y, precision = [LOW, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- dot-general--algorithm-of-three-components: reject 2:80 attribute-value
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ----- convolution--unknown-member-of-the-window: reject 2:113 unknown-attribute
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {padding = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- convolution--padding-of-three-numbers: reject 2:109 window
func.func @main(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1, 1], [1, 1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
// ----- constant-like: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "chlo.constant_like"(%x) <{value = 1.5 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- constant-like--value-of-another-type: reject 2:8 element-type
func.func @main(%x: tensor<4xi64>) -> tensor<4xf32> {
  %0 = "chlo.constant_like"(%x) <{value = 1 : i32}> : (tensor<4xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- top-k: accept
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %0#0 : tensor<4x3xf32>
}
// ----- top-k--of-too-few: reject 2:10 topk-k
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<4x2xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %0#0 : tensor<4x3xf32>
}
