# hlo-rebuild makes modules again by nothing but the functions of include/hlo_builder.h: the text stays what it is, byte for
# byte, with every element of every constant.

load ../lib

# rebuilds LEAST FILE...: each that can be read and verified is printed in the same way afterwards; LEAST of them are.
rebuilds() {
    expect_status 0 "$rebuild" "${@:2}"
    read -r count _ <"$out"
    [ "$count" -ge "$1" ] || fail "$count modules of $(($# - 1)) could be read, $1 were expected"
}

setup() {
    rebuild=$HLO_BUILD/tools/hlo-rebuild
    [ -x "$rebuild" ] || fail "$rebuild has not been built: make tests"
    cd "$BATS_TEST_TMPDIR"
}

@test "golden models are the same after rebuilding" {
    rebuilds 60 "$HLO_ROOT"/tests/golden/models/*/*.hlo
}

@test "modules of each operation are the same after rebuilding" {
    rebuilds 2400 "$(cases_of golden)"/*/*.hlo
}

@test "modules that the verifier accepts are the same after rebuilding" {
    rebuilds 850 "$HLO_ROOT"/build/cases/verify/accept/*.hlo
}

@test "graphs, and those in parts, are the same after rebuilding" {
    rebuilds 320 "$(cases_of control_flow)"/*/{dataflow,partitioned,gradient}.hlo
}

@test "generated modules are the same after rebuilding" {
    for how in --values=any --dynamic --fences --effects; do
        mkdir "${how#--}"
        "$HLO_BUILD/tools/hlo-generate" --seed=1000 --count=200 "$how" --output-dir="${how#--}"
    done
    rebuilds 800 */*.hlo
}

@test "an operation without a function for it would be seen: remakers.def and elementwise.def have all opcodes" {
    list=$(sed -n 's/^HLO_REMAKER(\([A-Z0-9_]*\),.*/\1/p' "$HLO_ROOT/tests/rebuild/remakers.def"
        sed -n 's/^HLO_BUILD_\(UNARY\|BINARY\)([a-z0-9_]*, \([A-Z0-9_]*\))/\2/p' "$HLO_ROOT/src/build/elementwise.def")
    diff <(sort <<<"$list") <(sed -n 's/^HLO_OP(\([A-Z0-9_]*\),.*/\1/p' "$HLO_ROOT/src/ir/ops.def" | sort)
}

@test "dumps of the corpus are the same after rebuilding" {
    corpus=$HLO_CORPUS
    [ -f "$corpus/corpus.tsv" ] || skip "no corpus here: set HLO_CORPUS"
    rebuilds 52 "$corpus"/*.hlo
}
