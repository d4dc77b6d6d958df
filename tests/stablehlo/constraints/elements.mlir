// ----- abs--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- abs--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- abs--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- abs--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- abs--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- abs--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- cbrt--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- cbrt--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- cbrt--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- cbrt--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- cbrt--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- cbrt--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- ceil--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- ceil--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- ceil--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- ceil--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- ceil--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- ceil--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- count-leading-zeros--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- count-leading-zeros--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- count-leading-zeros--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- count-leading-zeros--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- count-leading-zeros--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- count-leading-zeros--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- cosine--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- cosine--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- cosine--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- cosine--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- cosine--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- cosine--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- exponential--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- exponential--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- exponential--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- exponential--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- exponential--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- exponential--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- exponential-minus-one--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- exponential-minus-one--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- exponential-minus-one--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- exponential-minus-one--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- exponential-minus-one--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- exponential-minus-one--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- floor--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- floor--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- floor--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- floor--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- floor--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- floor--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- imag--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- imag--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- imag--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- imag--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- imag--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- imag--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- is-finite--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- is-finite--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- is-finite--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xui8>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- is-finite--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xbf16>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- is-finite--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- is-finite--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- log--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.log"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- log--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.log"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- log--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.log"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- log--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.log"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- log--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.log"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- log--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.log"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- log-plus-one--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- log-plus-one--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- log-plus-one--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- log-plus-one--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- log-plus-one--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- log-plus-one--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- logistic--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- logistic--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- logistic--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- logistic--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- logistic--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- logistic--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- negate--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- negate--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- negate--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- negate--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- negate--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- negate--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- not--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.not"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- not--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.not"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- not--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.not"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- not--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.not"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- not--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.not"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- not--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.not"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- popcnt--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- popcnt--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- popcnt--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- popcnt--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- popcnt--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- popcnt--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- real--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.real"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- real--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.real"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- real--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.real"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- real--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.real"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- real--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.real"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- real--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
  %0 = "stablehlo.real"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- round-nearest-afz--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- round-nearest-afz--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- round-nearest-afz--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- round-nearest-afz--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- round-nearest-afz--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- round-nearest-afz--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- round-nearest-even--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- round-nearest-even--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- round-nearest-even--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- round-nearest-even--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- round-nearest-even--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- round-nearest-even--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- rsqrt--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- rsqrt--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- rsqrt--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- rsqrt--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- rsqrt--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- rsqrt--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- sign--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- sign--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- sign--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- sign--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- sign--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- sign--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- sine--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- sine--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- sine--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- sine--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- sine--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- sine--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- sqrt--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- sqrt--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- sqrt--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- sqrt--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- sqrt--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- sqrt--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- tan--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- tan--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- tan--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- tan--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- tan--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- tan--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- tanh--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- tanh--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- tanh--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- tanh--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- tanh--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- tanh--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- add--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- add--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- add--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- add--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- add--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- add--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- and--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- and--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- and--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- and--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- and--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- and--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.and"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- atan2--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- atan2--i32: reject 2:8 element-type
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- atan2--ui8: reject 2:8 element-type
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- atan2--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- atan2--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- atan2--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.atan2"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- divide--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- divide--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- divide--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- divide--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- divide--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- divide--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.divide"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- maximum--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- maximum--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- maximum--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- maximum--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- maximum--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- maximum--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.maximum"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- minimum--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- minimum--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- minimum--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- minimum--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- minimum--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- minimum--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.minimum"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- multiply--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- multiply--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- multiply--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- multiply--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- multiply--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- multiply--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- or--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- or--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- or--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- or--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- or--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- or--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.or"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- power--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- power--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- power--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- power--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- power--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- power--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.power"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- remainder--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- remainder--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- remainder--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- remainder--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- remainder--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- remainder--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.remainder"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- shift-left--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- shift-left--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- shift-left--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- shift-left--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- shift-left--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- shift-left--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.shift_left"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- shift-right-arithmetic--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- shift-right-arithmetic--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- shift-right-arithmetic--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- shift-right-arithmetic--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- shift-right-arithmetic--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- shift-right-arithmetic--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- shift-right-logical--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- shift-right-logical--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- shift-right-logical--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- shift-right-logical--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- shift-right-logical--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- shift-right-logical--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.shift_right_logical"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- subtract--i1: reject 2:8 element-type
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- subtract--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- subtract--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- subtract--bf16: accept
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- subtract--f32: accept
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- subtract--complex<f32>: accept
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.subtract"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// ----- xor--i1: accept
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// ----- xor--i32: accept
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ----- xor--ui8: accept
func.func @main(%x: tensor<2xui8>) -> tensor<2xui8> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
// ----- xor--bf16: reject 2:8 element-type
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}
// ----- xor--f32: reject 2:8 element-type
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- xor--complex<f32>: reject 2:8 element-type
func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.xor"(%x, %x) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
