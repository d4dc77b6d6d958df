# The pass `rebuild` makes every instruction anew, elementwise ones by the functions of include/hlo_builder.h and others
# by the drafts below them: the text stays what it is, byte for byte.

load lib

# rebuilds FILE...: each that can be read is printed in the same way after the pass.
rebuilds() {
    local file wrong='' count=0
    for file in "$@"; do
        hlo-opt --passes= "$file" >was 2>/dev/null || continue
        count=$((count + 1))
        hlo-opt --passes=rebuild "$file" >is || wrong+="$file is refused"$'\n'
        cmp -s was is || wrong+="$file becomes another module"$'\n'
    done
    [ -z "$wrong" ] || fail "$wrong"
    [ "$count" -gt 0 ] || fail "no module of $# could be read"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH=$HLO_BIN:$PATH
}

@test "golden models are the same after rebuild" {
    rebuilds "$HLO_ROOT"/tests/golden/models/*/*.hlo
}

@test "a module of each operation is the same after rebuild" {
    for archive in "$HLO_ROOT"/tests/golden/ops/*.tar.gz; do tar -xzf "$archive"; done
    rebuilds */*.hlo
}

@test "dumps of the corpus are the same after rebuild" {
    corpus=${HLO_CORPUS:-$HLO_ROOT/../shared/corpus}
    [ -f "$corpus/corpus.tsv" ] || skip "no corpus here: set HLO_CORPUS"
    rebuilds "$corpus"/*.hlo
}
