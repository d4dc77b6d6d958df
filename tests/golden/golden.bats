# tests/golden: modules with inputs and the results that XLA, NumPy or the operation semantics give.
# models/ holds a directory per case, ops/ an archive per operation, which make unpacks. tools/golden_run runs all cases of
# a list, tools/npy_compare judges.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    golden=$HLO_ROOT/tests/golden
    ops=$(cases_of golden)
    runner=$HLO_BUILD/tools/golden_run compare=$HLO_BUILD/tools/npy_compare
    [ -x "$runner" ] && [ -x "$compare" ] || fail "$runner or $compare has not been built: make tests"
    patterns=() kinds=() reasons=()
    while read -r pattern kind why; do
        patterns+=("$pattern") kinds+=("$kind") reasons+=("$why")
    done < <(grep -v '^#' "$golden/exceptions.txt")
}

# find_exception NAME: the last fitting row to $kind and $why, empty without one.
find_exception() {
    local i
    kind='' why=''
    for ((i = 0; i < ${#patterns[@]}; i++)); do
        # shellcheck disable=SC2053 # the list holds patterns
        if [[ $1 == ${patterns[i]} ]]; then kind=${kinds[i]} why=${reasons[i]}; fi
    done
}

# is_skipped CASE: cases with wrong data are counted, not run.
is_skipped() {
    find_exception "${1##*/}"
    [ "$kind" = wrong ] && skipped "${1##*/}" "$why"
}

# same_outfeed CASE RESULTS: whether the outfeeds gave what the case expects, if anything.
same_outfeed() {
    local file
    for file in "$1"/outfeed*.npy; do
        [ ! -f "$file" ] || cmp "$file" "$2/feed/${file##*/}" || return
    done
}

# count_run CASE REASON: a case that did not run. exceptions.txt lists modules that have an operation
# that the evaluator does not have; another module that it cannot run fails.
count_run() {
    find_exception "${1##*/}"
    if [ "$kind" = unsupported ] && [[ $2 == "status 1: "*"[unsupported]"* ]]; then
        skipped "${1##*/}" "$why"
    else
        bad "${1##*/}" "$2"
    fi
}

# count_judged CASE REASON: the verdict of the judge on a case that ran.
count_judged() {
    local said=$2
    if [ -z "$said" ] && compgen -G "$1/outfeed*.npy" >/dev/null; then said=$(same_outfeed "$1" "$results/${1##*/}" 2>&1); fi
    if [ -z "$said" ]; then ok; else bad "${1##*/}" "$said"; fi
}

# run_cases CASE...: runs and judges them.
run_cases() {
    local case why ran=0
    results=$BATS_TEST_TMPDIR/results
    mkdir "$results"
    for case; do
        if ! is_skipped "$case"; then echo "$case $results/${case##*/}"; ran=$((ran + 1)); fi
    done >"$results.list"
    "$runner" <"$results.list" >"$results.ran"
    while IFS=$'\t' read -r case why; do
        if [ -z "$why" ]; then echo "$case $results/${case##*/}"; else count_run "$case" "$why"; fi
    done <"$results.ran" >"$results.judge"
    [ "$(wc -l <"$results.ran")" = "$ran" ] || bad golden_run "it ended after $(tail -n 1 "$results.ran")"
    "$compare" <"$results.judge" >"$results.judged"
    while IFS=$'\t' read -r case why; do count_judged "$case" "$why"; done <"$results.judged"
    cmp <(cut -f 1 "$results.judged") <(cut -d ' ' -f 1 "$results.judge") || bad npy_compare "not all were judged"
    rm -rf "$results"
}

@test "whole models" {
    begin_cases
    run_cases "$golden"/models/*
    end_cases
}

@test "single operations" {
    begin_cases
    run_cases "$ops"/*
    end_cases
}

@test "whole models, reference engine" {
    begin_cases
    HLO_ENGINE=reference run_cases "$golden"/models/*
    end_cases
}

@test "a sample of single operations, reference engine" {
    begin_cases
    # shellcheck disable=SC2046 # folders
    HLO_ENGINE=reference run_cases $(one_of 3 "$ops"/*)
    end_cases
}

# elementwise: operations that --list-operations marks so and that have cases, to $elementwise.
elementwise() {
    local operation
    elementwise=()
    while read -r operation; do
        if compgen -G "$ops/$operation--*" >/dev/null; then elementwise+=("$operation"); fi
    done < <(hlo-verify --list-operations | sed -n 's/^\([a-z0-9-]*\) .* operands .* elementwise\( .*\)\{0,1\}$/\1/p')
}

@test "a sample of elementwise operations, every instruction set but the widest, which the others run" {
    begin_cases
    elementwise
    [ "${#elementwise[@]}" -gt 50 ] || fail "too few: ${elementwise[*]}"
    instruction_sets
    [ "${#sets[@]}" -gt 1 ] || skip "this machine has one instruction set, which the other tests run"
    for isa in "${sets[@]::${#sets[@]}-1}"; do
        HLO_ISA=$isa expect_status 0 hlo-run "$BATS_TEST_TMPDIR/sets.hlo"
        # shellcheck disable=SC2046 # patterns
        HLO_ISA=$isa run_cases $(one_of 3 "${elementwise[@]}" | sed "s|.*|$ops/&--*|")
    done
    end_cases
}

@test "operations of control flow without machine code, which the other tests run" {
    begin_cases
    HLO_JIT=0 run_cases "$ops"/{while,conditional,call,fusion}--*
    end_cases
}

@test "a sample of operations under memcheck" {
    [[ $HLO_BUILD != *san ]] || skip "sanitizers and valgrind exclude each other"
    begin_cases
    "$golden/check-valgrind.sh" 800 >"$BATS_TEST_TMPDIR/said" 2>&1 || fail "$(cat "$BATS_TEST_TMPDIR/said")"
    ! grep -q ' 1 skipped$' "$BATS_TEST_TMPDIR/said" || skip "$(head -n 1 "$BATS_TEST_TMPDIR/said")"
    while read -r _; do ok; done < <(seq "$(sed -n 's/^\([0-9]*\) passed.*/\1/p' "$BATS_TEST_TMPDIR/said")")
    end_cases
}

# every_case: the names of the cases of three directories, one on a line.
every_case() {
    find "$ops" -name module.hlo -printf '%P\n' | sed 's|/.*||'
    find "$(cases_of element_types)" -name '*.npz' -printf 'ops/%f\n' | sed 's|\.npz$||'
    (cd "$HLO_ROOT/tests" && ls dynamic/*.npz) | sed 's|\.npz$||'
}

@test "every edge of the semantics has its cases" {
    begin_cases
    every_case >"$BATS_TEST_TMPDIR/names"
    while IFS=$'\t' read -r what patterns; do
        missing=
        for pattern in $patterns; do
            grep -qxe "${pattern//\*/.*}" "$BATS_TEST_TMPDIR/names" || missing+=" $pattern"
        done
        if [ -z "$missing" ]; then ok; else bad "$what" "no case:$missing"; fi
    done < <(grep -v '^#' "$golden/semantics.tsv")
    end_cases
}
