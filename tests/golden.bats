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
    patterns=() kinds=() reasons=()
    while read -r pattern kind why; do
        patterns+=("$pattern") kinds+=("$kind") reasons+=("$why")
    done < <(grep -v '^#' "$golden/exceptions.txt")
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
    if [ -f "$1/infeed0.npy" ]; then inputs+=(--infeed "$1"); fi
    if [ -f "$1/outfeed0.npy" ]; then inputs+=(--outfeed "$2/feed"); fi
}

# same_outfeed CASE RESULTS: whether the outfeeds gave what the case expects, if anything.
same_outfeed() {
    local file
    for file in "$1"/outfeed*.npy; do
        [ ! -f "$file" ] || cmp "$file" "$2/feed/${file##*/}" || return
    done
}

# run_case CASE: ok, bad or skipped. golden/exceptions.txt says which modules have an operation that the
# evaluator does not have yet; another module that it cannot run fails.
run_case() {
    local name=${1##*/} kind why said status=0 results=$BATS_TEST_TMPDIR/results
    find_exception "$name"
    if [ -f "$1/in0.r1.npy" ] || [ -f "$1/out0.r1.npy" ]; then kind=wrong why="hlo-run has one device"; fi
    if [ "$kind" = wrong ]; then
        skipped "$name" "$why"
        return
    fi
    rm -rf "$results"
    mkdir "$results"
    inputs_of "$1" "$results"
    said=$(timeout 60 hlo-run "$1/module.hlo" "${inputs[@]}" --output-dir "$results" 2>&1) || status=$?
    if [ "$kind" = unsupported ] && [ $status = 1 ] && [[ $said == *"[unsupported]"* ]]; then
        skipped "$name" "$why"
    elif [ $status != 0 ]; then
        bad "$name" "status $status: ${said%%$'\n'*}"
    elif said=$(same_outfeed "$1" "$results" 2>&1 && "$compare" "$1" "$results"); then
        ok
    else
        bad "$name" "$said"
    fi
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

# every_case: the names of the cases of three folders, one on a line.
every_case() {
    local archive
    for archive in "$golden"/ops/*.tar.gz; do tar -tzf "$archive" | sed -n 's|^\(\./\)\{0,1\}\([^/]*\)/module\.hlo$|\2|p'; done
    tar -tzf "$HLO_ROOT/tests/ops/cases.tar.gz" | sed -n 's|\(.*\)\.npz$|ops/\1|p'
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
