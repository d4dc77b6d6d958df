// ----- if: accept
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- if--predicate-of-rank-1: reject 2:8 conditional-index
func.func @main(%p: tensor<1xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<1xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- if--number-for-a-predicate: reject 2:8 conditional-index
func.func @main(%p: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- if--branch-with-an-argument: reject 2:8 conditional-branches
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%y: tensor<4xf32>):
    stablehlo.return %y : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- if--branches-of-two-types: reject 2:8 conditional-branches
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xi32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xi32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- if--branches-of-two-counts: reject 2:8 conditional-branches
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- case: accept
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- case--no-branch: reject 2:8 conditional-branches
func.func @main(%i: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- case--index-of-64-bits: reject 2:8 conditional-index
func.func @main(%i: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- case--result-sizes: reject 2:8 conditional-branches
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ----- while: accept
func.func @main(%x: tensor<i32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%i = %x, %v = %y) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.compare LT, %i, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %i : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
// ----- while--condition-of-a-number: reject 2:8 while-signature
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %0 : tensor<i32>
}
// ----- while--condition-of-rank-1: reject 2:8 while-signature
func.func @main(%x: tensor<1xi32>) -> tensor<1xi32> {
  %0 = stablehlo.while(%i = %x) : tensor<1xi32>
  cond {
    %1 = stablehlo.compare LT, %i, %i : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    stablehlo.return %1 : tensor<1xi1>
  } do {
    stablehlo.return %i : tensor<1xi32>
  }
  return %0 : tensor<1xi32>
}
// ----- while--condition-of-two-values: reject 2:8 while-signature
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%i = %x) : tensor<i1>
  cond {
    stablehlo.return %i, %i : tensor<i1>, tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %0 : tensor<i1>
}
// ----- while--condition-takes-another-type: reject 2:8 while-signature
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i1>):
    stablehlo.return %i : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
// ----- while--body-takes-more: reject 2:8 while-signature
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%i: tensor<i1>):
    stablehlo.return %i : tensor<i1>
  }, {
  ^bb0(%i: tensor<i1>, %j: tensor<i1>):
    stablehlo.return %i : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
// ----- while--body-returns-another-type: reject 2:8 while-signature
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.while(%i = %x) : tensor<4xi32>
  cond {
    %1 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.slice %i [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }
  return %0 : tensor<4xi32>
}
// ----- while--body-returns-more: reject 2:8 while-signature
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%i = %x) : tensor<i1>
  cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i, %i : tensor<i1>, tensor<i1>
  }
  return %0 : tensor<i1>
}
// ----- tuple: accept
func.func @main(%x: tensor<4xf32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}
// ----- tuple--of-more: reject 2:8 result-shape
func.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i32>> {
  %0 = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i32>>
  return %0 : tuple<tensor<4xf32>, tensor<i32>>
}
// ----- get-tuple-element--index: reject 2:8 tuple-index
func.func @main(%x: tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32> {
  %0 = stablehlo.get_tuple_element %x[2] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  return %0 : tensor<i32>
}
// ----- get-tuple-element--of-a-tensor: reject 2:8 tuple-index
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.get_tuple_element %x[0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- get-tuple-element--result: reject 2:8 result-shape
func.func @main(%x: tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32> {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  return %0 : tensor<i32>
}
// ----- optimization-barrier: accept
func.func @main(%x: tensor<4xf32>, %y: tensor<i32>) -> tensor<i32> {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<i32>
  return %0#1 : tensor<i32>
}
// ----- optimization-barrier--result: reject 2:8 result-shape
func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ----- call: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- call--no-function: reject 2:8 unknown-name
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- call--operand-of-another-type: reject 2:8 call-arguments
func.func @main(%x: tensor<5xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- call--result-count: reject 2:10 call-arguments
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- composite: accept
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.f" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- composite--name-without-a-dot: reject 2:8 composite-call
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "f" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- composite--no-function: reject 2:8 unknown-name
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.f" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ----- composite--result-of-another-type: reject 2:8 call-arguments
func.func @main(%x: tensor<4xf32>) -> tensor<4xf64> {
  %0 = stablehlo.composite "my.f" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// ----- infeed: accept
func.func @main(%t: !stablehlo.token) -> tensor<2x3xf32> {
  %0:2 = "stablehlo.infeed"(%t) <{layout = [[1, 0]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return %0#0 : tensor<2x3xf32>
}
// ----- infeed--no-token: reject 2:8 result-form
func.func @main(%t: !stablehlo.token) -> tensor<2x3xf32> {
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ----- infeed--layouts: reject 2:10 attribute-value
func.func @main(%t: !stablehlo.token) -> tensor<2x3xf32> {
  %0:2 = "stablehlo.infeed"(%t) <{layout = [[1, 0], [0]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return %0#0 : tensor<2x3xf32>
}
// ----- infeed--layout-of-texts: reject 2:10 attribute-value
func.func @main(%t: !stablehlo.token) -> tensor<2x3xf32> {
  %0:2 = "stablehlo.infeed"(%t) <{layout = [["b", "a"]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return %0#0 : tensor<2x3xf32>
}
// ----- send-recv: accept
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %1#0 : tensor<4xf32>
}
// ----- send--channel-type: reject 2:8 host-transfer
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
// ----- recv--channel-type: reject 2:10 host-transfer
func.func @main(%t: !stablehlo.token) -> tensor<4xf32> {
  %1:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %1#0 : tensor<4xf32>
}
// ----- recv--no-token: reject 2:10 result-form
func.func @main(%t: !stablehlo.token) -> tensor<4xf32> {
  %1:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#0 : tensor<4xf32>
}
