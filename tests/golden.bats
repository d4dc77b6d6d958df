# tests/golden: modules with inputs and the results that XLA, NumPy or the operation semantics give.
# models/ holds a folder per case, ops/ an archive per operation. tools/npy_compare judges.

load lib
load cases

teardown_file() {
    sum_cases
}

setup() {
    golden=$HLO_ROOT/tests/golden
    compare=$HLO_BUILD/tools/npy_compare
    [ -x "$compare" ] || fail "$compare has not been built"
}

# inputs_of CASE: the command-line part for its inputs, in order, to $inputs.
inputs_of() {
    local k=0
    inputs=()
    if [ -f "$1/in0.r0.npy" ]; then inputs=(--input-dir "$1"); fi
    while [ -f "$1/in$k.npy" ]; do
        inputs+=("$1/in$k.npy")
        k=$((k + 1))
    done
}

# run_case CASE: ok, bad or skipped. A module with an operation that the evaluator does not have yet is
# skipped when golden/unsupported.txt expects that of the case, and fails otherwise.
run_case() {
    local name=${1##*/} said status=0 results=$BATS_TEST_TMPDIR/results
    rm -rf "$results"
    inputs_of "$1"
    said=$(timeout 60 hlo-run "$1/module.hlo" "${inputs[@]}" --output-dir "$results" 2>&1) || status=$?
    if [ $status = 1 ] && [[ $said == *"[unsupported]"* ]] && expected_unsupported "$name"; then
        skipped "$name" "$why"
    elif [ $status != 0 ]; then
        bad "$name" "status $status: ${said%%$'\n'*}"
    elif said=$("$compare" "$1" "$results"); then
        ok
    else
        bad "$name" "$said"
    fi
}

expected_unsupported() {
    local pattern
    while read -r pattern why; do
        # shellcheck disable=SC2053 # the list holds patterns
        if [[ $1 == $pattern ]]; then return 0; fi
    done < <(grep -v '^#' "$golden/unsupported.txt")
    return 1
}

@test "whole models" {
    begin_cases
    for case in "$golden"/models/*/; do run_case "${case%/}"; done
    end_cases
}

@test "single operations" {
    begin_cases
    for archive in "$golden"/ops/*.tar.gz; do
        cases=$BATS_TEST_TMPDIR/cases
        mkdir "$cases"
        tar -xzf "$archive" -C "$cases"
        for case in "$cases"/*/; do run_case "${case%/}"; done
        rm -rf "$cases"
    done
    end_cases
}
