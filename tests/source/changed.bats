# `make test-changed`: the table tests/changed.txt knows every folder of the sources, every suite, and nothing else.

load ../lib

setup_file() {
    cd "$HLO_ROOT"
    suites >"$BATS_FILE_TMPDIR/suites"
}

setup() {
    cd "$HLO_ROOT"
    trace_no_functions
}

rows() { grep -v '^#' tests/changed.txt; }

# suites: as run-all.sh names them, of the plain build.
suites() {
    printf 'build/tests/%s\n' check_passes check_engines
    printf '%s\n' tests/unit/*.c | sed 's|.*/|build/tests/|; s|\.c$||'
    printf '%s\n' tests/fuzz/*.c | sed '/replay\|mutator\|accepted/d; s|.*/|build/tests/fuzz-|; s|\.c$||'
    find tests -name '*.bats' -o -name run.sh
}

needed() { printf '%s\n' "$@" | tests/changed.sh --files | paste -sd ' '; }

@test "every folder of the sources has a row, every path is there, and every part names suites" {
    for folder in src/*/ cmd/ include/ grammar/ docs/ examples/ packaging/ python/ tools/ bench/; do
        rows | grep -q "^${folder%/} " || fail "tests/changed.txt has no row of ${folder%/}"
    done
    all=$(<"$BATS_FILE_TMPDIR/suites")
    while read -r path parts; do
        [ -e "$path" ] || fail "there is no $path"
        for part in $parts; do
            [[ $part == all || $all == *"$part"* ]] || fail "$path: no suite has $part in its path"
        done
    done < <(rows)
}

@test "every suite has a row that names it, and is run when it has been changed itself" {
    rows | cut -d ' ' -f 2- | tr -s ' ' '\n' | grep -vx -e all -e '' | sort -u >"$BATS_TEST_TMPDIR/parts"
    missing=$(grep -vF -f "$BATS_TEST_TMPDIR/parts" "$BATS_FILE_TMPDIR/suites") || true
    [ -z "$missing" ] || fail "no row of tests/changed.txt names" "$missing"
    for suite in $(find tests -name '*.bats' -o -name run.sh); do
        tests/changed.sh --files <<<"$suite" >"$BATS_TEST_TMPDIR/parts"
        grep -qx all "$BATS_TEST_TMPDIR/parts" || grep -qF -f "$BATS_TEST_TMPDIR/parts" <<<"$suite" || fail "$suite does not need itself"
    done
}

@test "the row with the longest path counts; what no row has needs all" {
    [ "$(needed src/ir/ops.def docs/ops.md)" = all ]
    [ "$(needed Makefile)" = all ]
    [ "$(needed tests/lib.bash)" = all ]
    [ "$(needed tests/run-all.sh)" = all ]
    [ "$(needed cmd/hlo-dot.c)" = "cli/ docs/ graph/ packaging/" ]
    [ "$(needed cmd/help.c)" = all ]
    [ "$(needed tests/unit/list_test.c)" = tests/list_test ]
    [ "$(needed tests/cli/cli.bats tests/bench/bench.bats)" = "bench/ cli/" ]
    [ -z "$(tests/changed.sh --files </dev/null)" ]
}
