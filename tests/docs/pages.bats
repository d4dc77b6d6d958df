# The pages that show commands (docs/tutorial.md, docs/stablehlo.md, docs/recipes): all of them are run, each page in an empty folder, and print what
# the page shows. A page that needs more than the programs states so in a comment, and is skipped without it.

load ../lib

# has NEED: whether it is here.
has() {
    case $1 in
    numpy) python3 -c 'import numpy' 2>/dev/null ;;
    plain-build) [ "$(basename "${HLO_BUILD:-build}")" = build ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# HLO_PYTHON as python3.
choose_python() {
    [ -n "${HLO_PYTHON:-}" ] || return 0
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$HLO_PYTHON" >"$BATS_TEST_TMPDIR/bin/python3"
    chmod +x "$BATS_TEST_TMPDIR/bin/python3"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# run_page PAGE: a file in docs.
run_page() {
    local page=$HLO_ROOT/docs/$1 need
    choose_python
    for need in $(sed -n 's/^<!-- needs: \(.*\) -->$/\1/p' "$page"); do
        has "$need" || skip "no $need"
    done
    mkdir "$BATS_TEST_TMPDIR/empty"
    cd "$BATS_TEST_TMPDIR/empty"
    export HLO_ROOT PATH
    unset HLO_THREADS HLO_JOBS HLO_DIALECT HLO_COLOR HLO_MAX_ERRORS HLO_ENGINE HLO_ISA
    "$HLO_ROOT/tests/docs/pages/run-page" "$page"
}

@test "the tutorial" {
    run_page tutorial.md
}

@test "StableHLO" {
    run_page stablehlo.md
}

@test "lint in CI" {
    run_page recipes/ci-lint.md
}

@test "nightly runs" {
    run_page recipes/nightly.md
}

@test "a wrong pass" {
    run_page recipes/wrong-pass.md
}

@test "two versions" {
    run_page recipes/two-versions.md
}

@test "jq" {
    run_page recipes/jq.md
}

@test "a sharded program" {
    run_page recipes/sharded.md
}

@test "a crash" {
    run_page recipes/crash.md
}

@test "a toy" {
    run_page recipes/toy.md
}

@test "a NaN" {
    run_page recipes/nan.md
}

@test "gradients" {
    run_page recipes/gradients.md
}

@test "a dataflow graph" {
    run_page recipes/dataflow.md
}

@test "the library from C" {
    run_page recipes/from-c.md
}

@test "the library from Python" {
    run_page recipes/from-python.md
}

@test "each recipe is run, and is in the list" {
    for page in "$HLO_ROOT"/docs/recipes/*.md; do
        name=$(basename "$page")
        [ "$name" != README.md ] || continue
        grep -q "run_page recipes/$name\$" "$BATS_TEST_FILENAME" || fail "$name has no test"
        grep -qF "]($name)" "$HLO_ROOT/docs/recipes/README.md" || fail "$name is not listed"
    done
}

@test "a page whose command fails or prints another output is reported" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '```console' '$ echo one two' 'one ...' '$ false' '$ echo $?' 1 '```' >good.md
    "$HLO_ROOT/tests/docs/pages/run-page" good.md >ran
    printf '%s\n' '```console' '$ echo one two' 'two' '```' >other.md
    ! "$HLO_ROOT/tests/docs/pages/run-page" other.md 2>said || fail "other output passes"
    grep -q '^other.md:2: echo one two$' said || fail "$(cat said)"
    printf '%s\n' '```console' '$ false' '```' >failing.md
    ! "$HLO_ROOT/tests/docs/pages/run-page" failing.md 2>said || fail "a command that fails passes"
}

@test "the dump and the program of the tutorial are those that JAX makes" {
    python=${HLO_PYTHON:-}
    [ -n "$python" ] || skip "HLO_PYTHON names no Python with JAX"
    cd "$BATS_TEST_TMPDIR"
    XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_text" JAX_PLATFORMS=cpu "$python" "$HLO_ROOT/examples/jax/train_step.py"
    expect_status 0 hlo-verify -v dumps
    expect_text "$out" ".jit_step.before_optimizations.txt: good: 1 module, "
    JAX_PLATFORMS=cpu "$python" "$HLO_ROOT/examples/jax/lower_step.py" >step.mlir
    hlo-diff --brief step.mlir "$HLO_ROOT/examples/jax/step.mlir"
}

@test "links between pages lead to files" {
    cd "$HLO_ROOT"
    list=$(find docs tests -name '*.md' -not -path 'tests/*/build/*'; printf '%s\n' README.md CONTRIBUTING.md)
    while read -r page; do
        while read -r target; do
            [ -e "${page%"${page##*/}"}$target" ] || echo "$page: $target"
        done < <(awk '/^```/ { code = !code; next } !code' "$page" | grep -oE '\]\([^)[:space:]]+\)' | sed -E 's/^\]\(//; s/\)$//; s/#.*//; /^$/d; /^[a-z]+:/d')
    done <<<"$list" >"$BATS_TEST_TMPDIR/missing"
    [ ! -s "$BATS_TEST_TMPDIR/missing" ] || fail "$(cat "$BATS_TEST_TMPDIR/missing")"
}

@test "files that pages for programmers name exist" {
    cd "$HLO_ROOT"
    find . -path ./build -prune -o -path ./.git -prune -o -type f -print >"$BATS_TEST_TMPDIR/files"
    while read -r name; do
        pattern=${name//./\\.}
        grep -q "/${pattern//\*/[^/]*}\$" "$BATS_TEST_TMPDIR/files" || echo "$name"
    done < <(cat CONTRIBUTING.md docs/{architecture,internals,autodiff,dataflow}.md |
        grep -oE '`[a-zA-Z_0-9/*-]+\.(c|h|def|inc|y|re|bats|sh|py|hlo|html|tsv|map)`' | tr -d '`' | grep -vE 'NAME|^build/' | sort -u) \
        >"$BATS_TEST_TMPDIR/missing"
    [ ! -s "$BATS_TEST_TMPDIR/missing" ] || fail "pages name files that are not in the source: $(cat "$BATS_TEST_TMPDIR/missing")"
}

@test "the index of docs names at most 12 pages for users; pages of evidence are short and indexed" {
    cd "$HLO_ROOT/docs"
    [ "$(grep -c '^[0-9]*\. ' README.md)" -le 12 ] || fail "README.md lists more than 12 pages"
    for page in evidence/*.md; do
        [ "$(wc -l <"$page")" -le 300 ] || fail "$page has more than 300 lines"
        grep -q "(${page#evidence/})" evidence/README.md evidence/operation-semantics.md || [ "$page" = evidence/README.md ] || fail "no index names $page"
    done
}
