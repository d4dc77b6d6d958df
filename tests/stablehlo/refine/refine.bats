# Shapes of inputs for programs of symbolic dimensions: where they come from, and what is wrong with them. run.sh compares
# modules with XLA's.

load ../../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >double.mlir <<'END'
module @double attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: tensor<?x2xf32>, %n: tensor<i32>) -> tensor<?xf32> {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
    %ok = stablehlo.compare GE, %d, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %d) {api_version = 2 : i32, error_message = "there are {0} rows, {{and} two are needed", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %e = stablehlo.multiply %d, %two : tensor<i32>
    %s = stablehlo.reshape %e : (tensor<i32>) -> tensor<1xi32>
    %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<?xf32>
    %1 = stablehlo.add %0, %0 : tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}
END
}

# npy FILE DESCR SHAPE BYTES: a .npy file.
npy() {
    local header
    header=$(printf "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" "$2" "$3")
    while [ $(((${#header} + 11) % 64)) != 0 ]; do header+=' '; done
    { printf '\x93NUMPY\x01\x00'; printf '\\x%02x\\x00' $((${#header} + 1)) | xargs -0 printf '%b'; printf '%s\n' "$header"; printf '%b' "$4"; } >"$1"
}

# refused STATUS MESSAGE SHAPES
refused() {
    expect_status "$1" hlo-verify --input-shapes="$3" double.mlir
    expect_text "$err" "$2"
}

@test "every program takes --input-shapes" {
    expect_status 0 hlo-opt --input-shapes='f32[3,2], s32[]' double.mlir -o wanted
    expect_text wanted 'f32[6]{0} add('
    for program in hlo-verify hlo-dot hlo-stat 'hlo-diff double.mlir' 'hlo-run --inputs=ones'; do
        # shellcheck disable=SC2086 # a program and its arguments
        expect_status 0 $program --input-shapes='f32[3,2],s32[]' double.mlir
    done
    expect_status 0 hlo-opt --input-shapes='[3,2],[]' double.mlir
    cmp "$out" wanted
}

@test "shapes that are not those of the program" {
    refused 1 "double.mlir:2:3: error: the program has 2 arguments; 1 shape is given [input]" 'f32[3,2]'
    refused 1 "double.mlir:2:3: error: the program has 2 arguments; 3 shapes are given [input]" 'f32[3,2],s32[],s32[]'
    refused 1 "double.mlir:2:26: error: argument 0 is tensor<?x2xf32> and input 0 tensor<3x2xf64>: the types of elements differ [input]" 'f64[3,2],s32[]'
    refused 1 "argument 0 is tensor<?x2xf32> and input 0 tensor<3xf32>: the ranks differ [input]" 'f32[3],s32[]'
    refused 1 "argument 0 is tensor<?x2xf32> and input 0 tensor<3x3xf32>: a size differs that is known [input]" 'f32[3,3],s32[]'
    refused 1 "argument 1 is tensor<i32> and input 1 tensor<4xi32>: the ranks differ [input]" 'f32[3,2],s32[4]'
}

@test "a text that is no list of shapes" {
    refused 2 "the shapes of inputs: expected a type such as f32 at 'float[3]' [usage]" 'float[3]'
    refused 2 "expected '[' and the sizes at ''" 'f32'
    refused 2 "expected a size at '?]'" 'f32[?]'
    refused 2 "expected ',' or ']' at ''" 'f32[3'
    refused 2 "expected ',' at '{1,0}'" 'f32[3,2]{1,0}'
    refused 2 "expected a shape after ',' at ''" 'f32[3,2],'
    refused 2 "expected a size at '99999999999999999999" 'f32[99999999999999999999]'
    echo 'HloModule m  ENTRY main { ROOT x = f32[] parameter(0) }' >m.hlo
    expect_status 2 hlo-verify --input-shapes='f32[]' m.hlo
    expect_text "$err" 'shapes of inputs are for programs in StableHLO'
}

@test "an assertion that does not hold is an error with its message" {
    refused 1 "double.mlir:6:5: error: there are 1 rows, {and} two are needed [input]" 'f32[1,2],s32[]'
}

@test "sizes that are not given, or do not follow" {
    expect_status 1 hlo-verify double.mlir
    expect_text "$err" "double.mlir:2:26: error: argument 0 is tensor<?x2xf32>, whose sizes are not known [unbounded-dimension]"
    expect_text "$err" "hint: --input-shapes=f32[4,8],... gives the shapes of all arguments"
    cat >data.mlir <<'END'
func.func @main(%x: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0] : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
END
    expect_status 1 hlo-verify --input-shapes='f32[1],s32[1]' data.mlir
    expect_text "$err" "data.mlir:2:8: error: 'stablehlo.dynamic_broadcast_in_dim' has sizes that do not follow from the shapes of the arguments [unbounded-dimension]"
}

@test "hlo-run takes the sizes from .npy files" {
    npy x.npy '<f4' '(2, 2)' '\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40'
    npy n.npy '<i4' '()' '\x05\x00\x00\x00'
    expect_status 0 hlo-run double.mlir x.npy n.npy
    [ "$(<"$out")" = 'f32[4] {2, 4, 6, 8}' ] || fail "$(<"$out")"
    expect_status 1 hlo-run double.mlir x.npy
    expect_text "$err" 'the program has 2 arguments; 1 shape is given'
}

@test "dynamic_approx_top_k becomes ApproxTopK of the k that follows" {
    cat >top.mlir <<'END'
module attributes {jax.uses_shape_polymorphism = true} {
  func.func @main(%x: tensor<?x16xf32>, %i: tensor<?x16xi32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
    %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x16xf32>) -> tensor<i32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %m = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %z, %m, %d) {called_computations = [@order], mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64}} : (tensor<?x16xf32>, tensor<?x16xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xi32>
  }
  func.func private @order(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
}
END
    expect_status 0 hlo-opt --input-shapes='[2,16],[2,16]' top.mlir
    expect_text "$out" 'custom_call_target="ApproxTopK"'
    expect_text "$out" 'top_k = 2'
}

@test "calls that call each other, and calls that double" {
    cat >circle.mlir <<'END'
module attributes {jax.uses_shape_polymorphism = true} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
END
    expect_status 1 hlo-verify circle.mlir
    expect_text "$err" "circle.mlir:7:10: error: 'func.call': the function calls itself [stablehlo]"
    {
        echo 'module attributes {jax.uses_shape_polymorphism = true} {'
        echo 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>  return %0 : tensor<4xf32> }'
        for i in {0..39}; do
            echo "func.func private @f$i(%x: tensor<4xf32>) -> tensor<4xf32> {"
            echo "  %0 = call @f$((i + 1))(%x) : (tensor<4xf32>) -> tensor<4xf32>"
            echo "  %1 = call @f$((i + 1))(%0) : (tensor<4xf32>) -> tensor<4xf32>"
            echo "  return %1 : tensor<4xf32> }"
        done
        echo 'func.func private @f40(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.sine %x : tensor<4xf32>  return %0 : tensor<4xf32> }'
        echo '}'
    } >double-calls.mlir
    expect_status 1 hlo-verify double-calls.mlir
    expect_text "$err" 'calls stand for too many operations [nesting]'
}
