# StableHLO in the programs: every program reads it from files, pipes and packed; messages of programs that are wrong, of
# text and of bytecode. run.sh compares modules with XLA's.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >dot.mlir <<'END'
module @dot {
  func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
}
END
}

# programs NAME...: these files of programs.tar.gz.
programs() {
    tar -xzf "$HLO_ROOT/tests/stablehlo/programs.tar.gz" "$@"
}

# refused STATEMENT LINE...: hlo-verify refuses a function with this statement; the message begins with these lines.
refused() {
    printf 'func.func @main(%%x: tensor<4xf32>, %%y: tensor<5xf32>) -> tensor<4xf32> {\n  %s\n  return %%0 : tensor<4xf32>\n}\n' "$1" >wrong.mlir
    expect_status 1 hlo-verify wrong.mlir
    head -n $(($# - 1)) "$err" | diff <(printf '%s\n' "${@:2}") - || fail "$1"
}

@test "hlo-run computes what a program computes" {
    echo '{{1, 2}, {3, 4}}' >a.txt
    echo '{{1, 2}, {0, 1}}' >b.txt
    expect_status 0 hlo-run dot.mlir a.txt b.txt
    [ "$(<"$out")" = 'f32[2,2] { { 1, 3 }, { 4, 10 } }' ] || fail "$(<"$out")"
}

@test "every program reads a file, a pipe and what gzip packed" {
    hlo-opt dot.mlir >wanted
    expect_text wanted "dot(%Arg_0.1, %Arg_1.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    gzip -c dot.mlir >packed
    for file in packed dot.mlir; do
        hlo-opt "$file" | cmp wanted -
        hlo-opt - <"$file" | cmp wanted -
        for program in hlo-verify hlo-dot hlo-stat "hlo-diff wanted" "hlo-run --inputs=ones"; do
            # shellcheck disable=SC2086 # a program and its arguments
            expect_status 0 $program "$file"
        done
    done
}

@test "bytecode is read from a file, a pipe and packed" {
    programs model-mlp-forward.mlir model-mlp-forward.mlirbc
    hlo-opt model-mlp-forward.mlir >wanted
    gzip -c model-mlp-forward.mlirbc >packed
    for file in model-mlp-forward.mlirbc packed; do
        hlo-opt "$file" | cmp wanted -
        hlo-opt - <"$file" | cmp wanted -
    done
}

@test "a folder: programs by their content and by their names" {
    mkdir dump
    programs model-mlp-forward.mlirbc
    cp dot.mlir dump/text
    cp model-mlp-forward.mlirbc dump/bytes
    { echo '#loc1 = loc("x")'; cat dot.mlir; } >dump/locations
    gzip -c dot.mlir >dump/packed
    printf '#color = red\n' >dump/settings
    printf 'module {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n' >dump/computation
    expect_status 0 hlo-verify -v dump
    [ "$(grep -c ': good: ' "$out")" = 5 ] || fail "$(<"$out")"
    for name in a.mlir a.mlirbc a.stablehlo a.mlir.gz; do
        mkdir one && echo 'no program' >one/$name
        expect_status 1 hlo-verify one
        expect_text "$err" "one/$name"
        rm -r one
    done
}

@test "messages have the place and a caret" {
    refused '%0 = stablehlo.add %x %y : tensor<4xf32>' \
        "wrong.mlir:2:25: error: expected , here, in the text of 'stablehlo.add' [syntax]" \
        '    %0 = stablehlo.add %x %y : tensor<4xf32>' \
        '                          ^~'
    refused '%0 = stablehlo.add %x, %z : tensor<4xf32>' \
        "wrong.mlir:2:26: error: nothing defines '%z' before [unknown-name]" \
        '    %0 = stablehlo.add %x, %z : tensor<4xf32>' \
        '                           ^~'
    refused '%0 = stablehlo.softplus %x : tensor<4xf32>' \
        "wrong.mlir:2:8: error: unknown operation 'stablehlo.softplus' [unknown-opcode]" \
        '    %0 = stablehlo.softplus %x : tensor<4xf32>' \
        '         ^~~~~~~~~~~~~~~~~~'
    refused '%0 = stablehlo.add %x, %y : tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.add' has operands and results whose sizes do not fit [operand-shape]" \
        '    %0 = stablehlo.add %x, %y : tensor<4xf32>' \
        '         ^~~~~~~~~~~~~'
    refused '%0 = stablehlo.or %x, %x : tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.or' takes tensors of predicates or integers; operand 0 is tensor<4xf32> [element-type]" \
        '    %0 = stablehlo.or %x, %x : tensor<4xf32>' \
        '         ^~~~~~~~~~~~'
}

# errors FILE ERROR...: hlo-verify reports these errors and no others, each LINE:COLUMN RULE.
errors() {
    expect_status 1 hlo-verify "$1"
    sed -n "s/^$1:\([0-9]*:[0-9]*\): error: .* \[\([a-z-]*\)\]$/\1 \2/p" "$err" >found
    printf '%s\n' "${@:2}" | diff - found || fail "$(<"$err")"
}

@test "all wrong operations are reported, by place, and not what follows from them" {
    cat >several.mlir <<'END'
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<5xf32>) -> tensor<f32>
  %1 = stablehlo.or %x, %x : tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  %3 = "stablehlo.unary_einsum"(%2) <{einsum_config = "i->i"}> : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @f(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "stablehlo.if"(%p) ({
    %6 = stablehlo.slice %y [0:9] : (tensor<5xf32>) -> tensor<9xf32>
    stablehlo.return %4 : tensor<4xf32>
  }, {
    %6 = "test.unknown"(%4) : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.add %6, %4 : tensor<4xf32>
    stablehlo.return %7 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %5, %0 : tensor<4xf32>, tensor<f32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
END
    errors several.mlir '2:8 dot-contracting' '3:8 element-type' '5:8 stablehlo' '8:10 attribute-value' \
        '11:10 unknown-opcode' '18:8 attribute-value'
    expect_status 1 hlo-verify --max-errors=2 several.mlir
    [ "$(grep -c ': error: ' "$err")" = 2 ] || fail "$(<"$err")"
    expect_text "$err" "not shown (--max-errors)"
    expect_status 1 hlo-opt several.mlir
    [ ! -s "$out" ] || fail "$(<"$out")"
}

@test "an operation inside a wrong one, and users of values that HLO has no shape for" {
    cat >inside.mlir <<'END'
func.func @main(%x: tensor<4xf32>, %z: tensor<i32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.and %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  %2 = stablehlo.add %0, %0 : tensor<f32>
  return %2 : tensor<f32>
}
END
    errors inside.mlir '2:8 reducer' '4:10 element-type'
    cat >unshaped.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xi5>
  %1 = stablehlo.custom_call @g(%0) : (tensor<4xi5>) -> tensor<4xf32>
  %2 = stablehlo.add %1, %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}
END
    errors unshaped.mlir '2:8 stablehlo'
}

@test "scans in their own form, casts" {
    cat >scan.mlir <<'END'
func.func @main(%x: tensor<4xi32>, %z: tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
  %0:2 = chlo.scan(%x) inits(%z) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %0#0, %0#1 : tensor<4xi32>, tensor<i32>
}
END
    echo '{1, 2, 3, 4}' >x.txt
    echo 10 >z.txt
    expect_status 0 hlo-run scan.mlir x.txt z.txt
    [ "$(<"$out")" = '(s32[4], s32[]) ( {20, 19, 17, 14}, 20 )' ] || fail "$(<"$out")"
    # A body that only returns
    sed '/stablehlo.add/d; s/return %1, %1/return %a, %b/' scan.mlir >short.mlir
    expect_status 0 hlo-run short.mlir x.txt z.txt
    [ "$(<"$out")" = '(s32[4], s32[]) ( {1, 2, 3, 4}, 10 )' ] || fail "$(<"$out")"
    cat >cast.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
    expect_status 0 hlo-verify cast.mlir
}

@test "what HLO has no counterpart of is refused by name" {
    cat >quantised.mlir <<'END'
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  return %x : tensor<4x!quant.uniform<i8:f32, 0.5>>
}
END
    expect_status 1 hlo-verify quantised.mlir
    expect_text "$err" "quantised.mlir:1:1: error: 'func.func': HLO has no shape for the type tensor<4x!quant.uniform<i8:f32, 0.5>> [stablehlo]"
    refused '%0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "i->i"}> : (tensor<4xf32>) -> tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.unary_einsum': HLO has no such operation [stablehlo]" \
        '    %0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "i->i"}> : (tensor<4xf32>) -> tensor<4xf32>' \
        '         ^~~~~~~~~~~~~~~~~~~~~~~~'
    refused '%0 = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @main}> ({ stablehlo.return %x : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.composite' has regions, which HLO lacks [stablehlo]" \
        '    %0 = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @main}> ({ stablehlo.return %x : tensor<4xf32> }) : (te...' \
        '         ^~~~~~~~~~~~~~~~~~~~~'
    cat >dynamic.mlir <<'END'
func.func @main(%x: tensor<4xf32>, %n: tensor<2xi32>) -> tensor<?x4xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
END
    expect_status 1 hlo-verify dynamic.mlir
    expect_text "$err" "dynamic.mlir:2:8: error: 'stablehlo.dynamic_broadcast_in_dim': HLO has no such operation [stablehlo]"
    printf 'func.func @main(%%x: tensor<?xf32>) -> tensor<?xf32> {\n  %%0 = stablehlo.negate %%x : tensor<?xf32>\n  return %%0 : tensor<?xf32>\n}\n' >unbounded.mlir
    expect_status 1 hlo-verify unbounded.mlir
    expect_text "$err" "unbounded.mlir:2:8: error: negate: f32[?] has a dimension of unbounded size [unbounded-dimension]"
}

@test "attributes of another kind are refused" {
    refused '%0 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = 1, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<4xf32>) -> tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.exponential': tolerances of result_accuracy are floats [attribute-value]"
    refused '%0 = "stablehlo.reduce_precision"(%x) {format = 5 : i32} : (tensor<4xf32>) -> tensor<4xf32>' \
        "wrong.mlir:2:8: error: 'stablehlo.reduce_precision': format is written like e5m10 [attribute-value]"
    cat >window.mlir <<'END'
func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = "stablehlo.convolution"(%x, %k) {window_reversal = ["yes"], feature_group_count = 1 : i64, batch_group_count = 1 : i64,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
END
    expect_status 1 hlo-verify window.mlir
    expect_text "$err" "window.mlir:2:8: error: 'stablehlo.convolution': window_reversal is a list of booleans [attribute-value]"
}

@test "operations of Shardy that XLA does not export are refused by name" {
    while read -r name statement; do
        printf 'sdy.mesh @mesh = <["x"=2, "y"=4]>\nfunc.func @main(%%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {\n  %%0 = sdy.%s %s\n  return %%0 : tensor<8x8xf32>\n}\n' \
            "$name" "$statement" >"$name.mlir"
        expect_status 1 hlo-verify "$name.mlir"
        expect_text "$err" "$name.mlir:3:8: error: 'sdy.$name': HLO has no such operation [stablehlo]"
    done <<'END'
reshard %a <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
all_slice [{"x":(1)2}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> {k = 1 : i32} : tensor<8x8xf32>
collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
all_reduce {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> {k = 1 : i32} : tensor<8x8xf32>
reduce_scatter [{}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
named_computation <"f">(%a) (%b: tensor<8x8xf32>) { sdy.return %b : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>
END
    printf 'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main(%%a: tensor<8xf32>) -> tensor<8xf32> {\n  %%0 = sdy.sharding_constraint %%a <@mesh, [{}], unreduced=max{"x"}> : tensor<8xf32>\n  return %%0 : tensor<8xf32>\n}\n' >max.mlir
    expect_status 1 hlo-verify max.mlir
    expect_text "$err" "max.mlir:3:8: error: "
    expect_text "$err" "has a reduction of unreduced values"
    printf 'func.func @main(%%a: tensor<8xf32>) -> tensor<8xf32> {\n  %%0 = stablehlo.negate %%a {k = 1 : i32} {l = 2 : i32} : tensor<8xf32>\n  return %%0 : tensor<8xf32>\n}\n' >twice.mlir
    expect_status 1 hlo-verify twice.mlir
    expect_text "$err" "the attributes of 'stablehlo.negate' are given twice"
}

@test "bytecode that is cut off anywhere is an error" {
    programs log--f16.mlirbc
    length=$(wc -c <log--f16.mlirbc)
    [ "$length" -gt 300 ]
    trace_no_functions
    for ((n = 1; n < length; n++)); do
        status=0
        head -c $n log--f16.mlirbc >part
        hlo-verify part 2>said || status=$?
        [ $status = 1 ] && grep -q '^\(hlo-verify: error: part: byte\|part:1:.*: error: \)' said || fail "$n bytes: status $status, $(<said)"
    done
    head -c 60 log--f16.mlirbc >part
    expect_status 1 hlo-verify part
    expect_text "$err" "[message]"
}

# not_written LINE MESSAGE <MODULE: hlo-opt --emit=stablehlo refuses it in that line with that message.
not_written() {
    cat >module.hlo
    for form in stablehlo stablehlo-generic; do
        expect_status 1 hlo-opt --emit=$form module.hlo
        [ ! -s "$out" ] || fail "$2: there is output"
        head -n 1 "$err" | grep -qF "module.hlo:$1: error: $2 [stablehlo]" || fail "$2: $(<"$err")"
    done
}

@test "what StableHLO has no counterpart of is refused by name, with its place" {
    not_written 3:8 "mulhi 'y': StableHLO has no such operation" <<'END'
ENTRY e {
  x = s32[2] parameter(0)
  ROOT y = s32[2] mulhi(x, x)
}
END
    not_written 2:8 "constant 'c': a constant of StableHLO is an array of fixed sizes" <<'END'
ENTRY e {
  ROOT c = (f32[], s32[]) constant((1, 2))
}
END
    not_written 3:8 "all-to-all 'y': that of an array has a dimension, one operand and replica groups in StableHLO" <<'END'
ENTRY e {
  x = f32[4] parameter(0)
  ROOT y = f32[4] all-to-all(x), dimensions={0}
}
END
    not_written 2:3 "parameter 'x': StableHLO has no type for opaque[]" <<'END'
ENTRY e {
  x = opaque[] parameter(0)
  ROOT y = f32[] constant(1)
}
END
    not_written 3:8 "custom-call 'y': '{' is no attribute of MLIR: the text ends too early" <<'END'
ENTRY e {
  x = f32[4] parameter(0)
  ROOT y = f32[4] custom-call(x), custom_call_target="f", api_version=API_VERSION_TYPED_FFI, backend_config="{"
}
END
    not_written 4:3 "all-gather-start 's': StableHLO has no start of several operands" <<'END'
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  s = ((f32[4], f32[4]), (f32[8], f32[8])) all-gather-start(x, y), dimensions={0}, replica_groups={{0,1}}
  ROOT d = (f32[8], f32[8]) all-gather-done(s)
}
END
}

@test "regions that unfold to too many operations are an error" {
    {
        echo 'c0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }'
        for i in {1..30}; do
            echo "c$i { p = f32[] parameter(0) z = s32[] constant(0) ROOT r = f32[] conditional(z, p, p), branch_computations={c$((i - 1)), c$((i - 1))} }"
        done
        echo 'ENTRY e { p = f32[] parameter(0) z = s32[] constant(0) ROOT r = f32[] conditional(z, p, p), branch_computations={c30, c30} }'
    } >deep.hlo
    expect_status 1 hlo-opt --emit=stablehlo deep.hlo
    grep -q "regions, which are copied for each use, have too many operations \[stablehlo\]" "$err" || fail "$(<"$err")"
}

@test "a program that is written is read by every program" {
    programs model-mlp-forward.mlir
    hlo-opt model-mlp-forward.mlir >wanted.hlo
    for form in stablehlo stablehlo-generic; do
        hlo-opt --emit=$form wanted.hlo >written.mlir
        expect_status 0 hlo-verify written.mlir
        hlo-run --inputs=hash --seed 1 written.mlir >values
        hlo-run --inputs=hash --seed 1 wanted.hlo | cmp - values
    done
    expect_status 0 hlo-opt --emit=json -o x.mlir wanted.hlo
    grep -q "note: x.mlir: writing json; --emit=stablehlo selects the other format" "$err" || fail "$(<"$err")"
    printf '%s\n// -----\n' "$(<wanted.hlo)" >two.hlo
    cat wanted.hlo >>two.hlo
    hlo-opt --split-input-file --emit=stablehlo two.hlo >both
    [ "$(grep -c '^module @' both)" = 2 ] || fail "$(<both)"
}

@test "narrow numbers may be written unsigned, and are stored with their sign" {
    printf '%s\n' 'func.func @main() -> (tensor<2xi4>, tensor<i2>, tensor<2xui4>) {' \
        '  %0 = stablehlo.constant dense<[-8, 15]> : tensor<2xi4>' '  %1 = stablehlo.constant dense<3> : tensor<i2>' \
        '  %2 = stablehlo.constant dense<[8, 15]> : tensor<2xui4>' '  return %0, %1, %2 : tensor<2xi4>, tensor<i2>, tensor<2xui4>' '}' >narrow.mlir
    hlo-opt narrow.mlir | grep -o 'constant(.*)' >constants
    diff - constants <<<$'constant({-8, -1})\nconstant(-1)\nconstant({8, 15})'
    hlo-opt narrow.mlir | hlo-verify
}

@test "a dimension label beyond all numbers is an error" {
    for number in 2 4294967296 9223372036854775807; do
        printf '%s\n' 'func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {' \
            "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, $number, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>" \
            '  return %0 : tensor<1x6x6x4xf32>' '}' >labels.mlir
        expect_status 1 hlo-opt labels.mlir
        grep -q "^labels.mlir:2:8: error: 'stablehlo.convolution'.* \[attribute-value\]$" "$err" || fail "$(<"$err")"
    done
}
