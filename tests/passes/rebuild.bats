# The pass `rebuild` rebuilds modules by nothing but the functions of include/hlo_builder.h: the text stays what it is,
# byte for byte, with every element of every constant.

load ../lib

# rebuilds LEAST FILE...: each that can be read and verified is printed in the same way after the pass; LEAST of them are.
rebuilds() {
    local least=$1 file wrong='' count=0
    for file in "${@:2}"; do
        hlo-opt --passes= --large-constants "$file" >was 2>/dev/null || continue
        count=$((count + 1))
        hlo-opt --passes=rebuild --large-constants "$file" >is || wrong+="$file is refused"$'\n'
        cmp -s was is || wrong+="$file becomes another module"$'\n'
    done
    [ -z "$wrong" ] || fail "$wrong"
    [ "$count" -ge "$least" ] || fail "$count modules of $# could be read, $least were expected"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH=$HLO_BIN:$PATH
}

@test "golden models are the same after rebuild" {
    rebuilds 60 "$HLO_ROOT"/tests/golden/models/*/*.hlo
}

@test "modules of each operation are the same after rebuild" {
    for archive in "$HLO_ROOT"/tests/golden/ops/*.tar.gz; do tar -xzf "$archive"; done
    rebuilds 2400 */*.hlo
}

@test "modules that the verifier accepts are the same after rebuild" {
    rebuilds 850 "$HLO_ROOT"/tests/verify/cases/accept/*.hlo
}

@test "graphs, and those in parts, are the same after rebuild" {
    tar -xzf "$HLO_ROOT/tests/flow/control_flow/cases.tar.gz"
    rebuilds 320 */dataflow.hlo */partitioned.hlo */gradient.hlo
}

@test "an operation without a function for it would be seen: remakers.def and elementwise.def have all opcodes" {
    list=$(sed -n 's/^HLO_REMAKER(\([A-Z0-9_]*\),.*/\1/p' "$HLO_ROOT/src/passes/tools/remakers.def"
        sed -n 's/^HLO_BUILD_\(UNARY\|BINARY\)([a-z0-9_]*, \([A-Z0-9_]*\))/\2/p' "$HLO_ROOT/src/build/elementwise.def")
    diff <(sort <<<"$list") <(sed -n 's/^HLO_OP(\([A-Z0-9_]*\),.*/\1/p' "$HLO_ROOT/src/ir/ops.def" | sort)
}

@test "dumps of the corpus are the same after rebuild" {
    corpus=${HLO_CORPUS:-$HLO_ROOT/../shared/corpus}
    [ -f "$corpus/corpus.tsv" ] || skip "no corpus here: set HLO_CORPUS"
    rebuilds 52 "$corpus"/*.hlo
}
