# The pages that `make docs` makes from tables, and from what the programs and the examples of operations print, are those in docs.

load ../lib

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/docs"
    "$HLO_ROOT/tools/make-docs" "$HLO_BIN" "$BATS_FILE_TMPDIR/docs"
}

setup() {
    made=$BATS_FILE_TMPDIR/docs
}

@test "each page is what make docs writes" {
    for page in rules.md dialects.md diagnostics.md builder.md passes.md all-options.md \
        evidence/operation-semantics{,-structure,-collectives,-data-movement,-arithmetic,-control-flow}.md; do
        diff "$HLO_ROOT/docs/$page" "$made/$page" || fail "run make docs"
    done
}

@test "the pages of operations are what make docs writes, with what the examples print" {
    diff -r -x '*.hlo' -x signatures.tsv "$HLO_ROOT/docs/ops" "$made/ops" || fail "run make docs"
}

@test "builder.md names nothing that is missing" {
    grep -qx "Operations of the editions without a function: none\." "$made/builder.md" || fail "an operation has no function"
    grep -qx "Operations without a module in one of their editions: none\." "$made/builder.md" || fail "an operation has no test"
    ! grep -E '\| none \||`none`' "$made/builder.md" || fail "a function of the library has no test, or no name in XLA"
}
