// ----- custom-call: accept
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- custom-call--tuple: accept
func.func @main(%x: tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<f32>> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<f32>>
  return %0 : tuple<tensor<2xf32>, tensor<f32>>
}
// ----- custom-call--layouts-of-operands-only: reject 2:8 custom-call-layouts
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- custom-call--layout-count: reject 2:8 custom-call-layouts
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--layout-of-another-rank: reject 2:8 custom-call-layouts
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1, 2]> : tensor<3xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--layout-with-a-dimension-twice: reject 2:8 custom-call-layouts
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--layout-of-a-tuple: reject 2:8 custom-call-layouts
func.func @main(%x: tuple<tensor<2xf32>>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--layout-of-a-token: reject 2:8 custom-call-layouts
func.func @main(%t: !stablehlo.token) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%t) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (!stablehlo.token) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--typed-interface: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {n = 3 : i64}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--typed-interface-with-a-text: reject 2:8 attribute-value
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = "n=3"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--dictionary-without-the-typed-interface: reject 2:8 attribute-value
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {api_version = 2 : i32, backend_config = {n = 3 : i64}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- custom-call--alias: accept
func.func @main(%x: tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- custom-call--alias-of-a-missing-operand: reject 2:8 operand-aliasing
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- custom-call--alias-of-a-missing-part: reject 2:8 operand-aliasing
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- custom-call--alias-of-another-type: reject 2:8 operand-aliasing
func.func @main(%x: tensor<4xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ----- return--of-another-type: reject 2:3 result-form
func.func @main(%x: tensor<4xf32>) -> tensor<5x2xi32> {
  return %x : tensor<4xf32>
}
// ----- return--too-few: reject 2:3 result-form
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x : tensor<4xf32>
}
// ----- return--too-many: reject 2:3 result-form
func.func @main(%x: tensor<4xf32>) {
  return %x : tensor<4xf32>
}
// ----- return--in-a-function-without-calls: reject 5:3 result-form
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf64> {
  return %x : tensor<4xf32>
}
