// Attributes of sdy and chlo, and of dialects whose attributes bytecode has as text.
module @dialects {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}p2], replicated={"y":(1)2}, unreduced={"y":(2)2}>}, %b: tensor<3x16x4xf32>, %g: tensor<3xi32>) -> tensor<8x4xf32> {
    %0 = sdy.sharding_constraint %a <mesh<["z"=8]>, [{?}, {"z"}]> : tensor<8x16xf32>
    %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%v: tensor<4x4xf32>) {
      %2 = "stablehlo.all_gather"(%v) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>}> : (tensor<4x4xf32>) -> tensor<4x16xf32>
      sdy.return %2 : tensor<4x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, l]) {i=8, j=4, k=4, l=16} reduction={j}, custom>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = chlo.erf %a : tensor<8x16xf32> -> tensor<8x16xf32>
    %5 = chlo.broadcast_compare %a, %a {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction NE>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %values, %indices = chlo.top_k(%a, k = 2) : tensor<8x16xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
    %6 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<3x16x4xf32>, tensor<3xi32>) -> tensor<8x4xf32>
    %s = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    %7 = sdy.all_gather [{}, {"y"}] %s out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %8 = stablehlo.constant dense_resource<weights> : tensor<4xf32>
    return %6 : tensor<8x4xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
