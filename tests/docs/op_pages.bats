# The reference of operations (docs/ops): each operation has an example that is about it, and is in every place that operations
# have. made_pages.bats has the pages.

load ../lib

@test "every operation has an example, with its meaning, that has the operation" {
    cd "$HLO_ROOT/docs/ops"
    wrong= all=0
    while read -r name _; do
        all=$((all + 1))
        if [ ! -f "$name.hlo" ]; then
            wrong+="$name has no page"$'\n'
            continue
        fi
        grep -q '^// meaning: .*\.$' "$name.hlo" || wrong+="$name has no meaning"$'\n'
        grep -q "[ )]$name(" "$name.hlo" || wrong+="the example of $name has none"$'\n'
    done < <(hlo-verify --list-operations)
    [ -z "$wrong" ] || fail "$wrong"
    [ "$all" = "$(ls -- *.hlo | wc -l)" ] || fail "there are examples of what is no operation"
}

@test "no page has an empty cell or a link to a file that is missing" {
    cd "$HLO_ROOT/docs/ops"
    wrong=$(grep -nE '\]\([^)#]*\)' -o -- *.md | sed 's/^\([^:]*\):[0-9]*:.*(\(.*\))/\2/' | sort -u | while read -r file; do [ -e "$file" ] || echo "$file"; done)
    [ -z "$wrong" ] || fail "missing: $wrong"
    ! grep -n 'none none\|``' -- *.md | grep -v '```' || fail "a cell is empty"
}

# That each operation is in every place is checked by make docs.
@test "of an operation that is not in every place that CONTRIBUTING.md lists, the missing places are named" {
    copy=$BATS_TEST_TMPDIR/copy missing=$BATS_TEST_TMPDIR/missing
    mkdir -p "$copy/src" "$copy/docs"
    ln -s "$HLO_ROOT"/{include,tests} "$copy/"
    cp -r "$HLO_ROOT"/docs/ops "$copy/docs/"
    (cd "$HLO_ROOT/src" && cp -r --parents ir/{ops,attrs}.def proto/attr_fields.def build/elementwise.def passes/autodiff eval/kernels/elementwise api/libhlo.map "$copy/src/")
    sed -i 's/^HLO_OP(ABS, "abs"/HLO_OP(NEW_OPERATION, "new-operation"/' "$copy/src/ir/ops.def"
    sed -i '/^HLO_ATTR_FIELD(DELTA,/d' "$copy/src/proto/attr_fields.def"
    ! "$HLO_ROOT/tools/check-operations" "$copy" 2>"$missing" || fail "new-operation is nowhere, and nothing is missing"
    for place in docs/ops/new-operation.hlo src/eval/kernels/elementwise src/build/elementwise.def src/passes/autodiff/rules.def \
        tests/golden/ops/new-operation.tar.gz tests/ops/cases.tar.gz tests/verify/cases; do
        expect_text "$missing" "new-operation lacks $place"
    done
    expect_text "$missing" "attribute delta lacks src/proto/attr_fields.def"
    sed -i 's/^HLO_GRADIENT(ABS,/HLO_GRADIENT(NEW_OPERATION,/' "$copy/src/passes/autodiff/rules.def"
    sed -i 's/^HLO_BUILD_UNARY(abs, ABS)/HLO_BUILD_UNARY(new_operation, NEW_OPERATION)/' "$copy/src/build/elementwise.def"
    ! "$HLO_ROOT/tools/check-operations" "$copy" 2>"$missing" || fail "hlo_builder_new_operation is not declared, and nothing is missing"
    for place in include/hlo/builder.h src/api/libhlo.map tests/unit/builder_operations.def tests/autodiff/gradients/new-operation.hlo; do expect_text "$missing" "new-operation lacks $place"; done
}

@test "signatures.tsv has every operation of the editions and no other" {
    cd "$HLO_ROOT"
    hlo-verify --list-operations | awk '{ print $1 }' | sort >"$BATS_TEST_TMPDIR/names"
    awk -F '\t' '!/^#/ { print $3 }' docs/ops/signatures.tsv | sort -u | comm -23 - "$BATS_TEST_TMPDIR/names" >"$BATS_TEST_TMPDIR/unknown"
    [ ! -s "$BATS_TEST_TMPDIR/unknown" ] || fail "$(cat "$BATS_TEST_TMPDIR/unknown")"
    cat docs/evidence/operation-semantics-*.md | awk -F ' *[|] *' '/`hlo_builder_/ && $3 != "XLA" && $3 != "2017" { print $2 "\t" $3 }' | sort -u |
        while IFS=$'\t' read -r name editions; do
            [ "$editions" != all ] || editions="2018 2019 2024 2025"
            for year in $editions; do
                awk -F '\t' -v name="$name" -v year=$year '
                    ($1 == name || name == "ConvGeneralDilated") && ($2 == "all" || index($2, year)) { found = 1 }
                    END { exit !found }' docs/ops/signatures.tsv || echo "$name of $year"
            done
        done >"$BATS_TEST_TMPDIR/missing"
    [ ! -s "$BATS_TEST_TMPDIR/missing" ] || fail "$(cat "$BATS_TEST_TMPDIR/missing")"
}

@test "--explain describes an operation, with its example" {
    while read -r name _; do
        expect_status 0 hlo-verify --explain="$name"
        expect_text "$out" "$name (operation): $(sed -n 's|^// meaning: ||p' "$HLO_ROOT/docs/ops/$name.hlo")"
        sed -n '/^example:$/,$p' "$out" | sed '1d; s/^  //' | diff - <(grep -v '^// ' "$HLO_ROOT/docs/ops/$name.hlo") || fail "$name"
    done < <(hlo-verify --list-operations)
    expect_status 0 hlo-verify --explain=gather
    printf '%s\n' offset_dims 'operand_batching_dims (optional)' | while read -r line; do expect_text "$out" "  $line"; done
    expect_status 0 hlo-verify --explain=triangular-solve
    expect_text "$out" "triangular-solve (shape): "
}
