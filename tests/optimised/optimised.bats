# tests/optimised: XLA's own optimised text of programs, with inputs and the values that XLA computes: fusions that only forward
# what they get, library calls, schedules, layouts. make-optimised.py writes the cases. Each runs by the fast engine on 1, 2 and 4
# threads and by the reference engine, which must agree with XLA, while fresh memory is filled with one pattern or another; the
# threads must agree with each other to the bit. tools/golden_run runs all cases of a list, tools/npy_compare judges.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    runner=$HLO_BUILD/tools/golden_run compare=$HLO_BUILD/tools/npy_compare
    [ -x "$runner" ] && [ -x "$compare" ] || fail "$runner or $compare has not been built: make tests"
    work=$BATS_TEST_TMPDIR
}

# count_run CASE REASON: a case that did not run. What calls a function that only XLA has is skipped, by the function.
count_run() {
    local target
    target=$(sed -n 's/.*calls the unknown target "\([^"]*\)".*\[unsupported\].*/\1/p' <<<"$2")
    if [ -n "$target" ]; then skipped "${1##*/}" "calls $target"; else bad "${1##*/}" "$2"; fi
}

# same_bits RESULTS OTHERS: every case gave the same files.
same_bits() {
    local line
    diff -rq "$1" "$2" >"$work/differences" 2>&1 || true
    while read -r line; do bad "other bits" "$line"; done <"$work/differences"
}

# run_cases SOURCE HOW...: runs the cases of the list on standard input (a folder a line) under each HOW, assignments with commas,
# and judges them; those on several threads must give the bits of the first.
run_cases() {
    local source=$1 how case why ran=0
    shift
    cat >"$work/cases"
    [ -s "$work/cases" ] || fail "no cases"
    for how in "$@"; do
        rm -rf "$work/results"
        mkdir "$work/results"
        while read -r case; do echo "$case $work/results/${case##*/}"; done <"$work/cases" >"$work/list"
        # shellcheck disable=SC2086 # several assignments
        env ${how//,/ } "$runner" <"$work/list" >"$work/ran"
        [ "$(wc -l <"$work/ran")" = "$(wc -l <"$work/list")" ] || bad golden_run "it ended after $(tail -n 1 "$work/ran")"
        awk -F '\t' '$2 != ""' "$work/ran" >"$work/did-not"
        while IFS=$'\t' read -r case why; do count_run "$case" "$why"; done <"$work/did-not"
        awk -F '\t' -v to="$work/results/" '$2 == "" { name = $1; sub(".*/", "", name); print $1, to name }' "$work/ran" >"$work/judge"
        "$compare" <"$work/judge" >"$work/judged"
        while IFS=$'\t' read -r case why; do
            if [ -z "$why" ]; then ok; else bad "${case##*/}" "$how: $why"; fi
        done <"$work/judged"
        case $how in
            HLO_THREADS=1,*) rm -rf "$work/first" && mv "$work/results" "$work/first" ;;
            HLO_THREADS=*) [ ! -d "$work/first" ] || same_bits "$work/first" "$work/results" ;;
        esac
        cmp <(cut -f 1 "$work/judged") <(cut -d ' ' -f 1 "$work/judge") || bad npy_compare "not all were judged"
        ran=$(wc -l <"$work/judge")
    done
    remark "$source: $(wc -l <"$work/cases") modules, of which $ran run, $# times each"
}

every=(HLO_THREADS=1,HLO_FRESH=nan HLO_THREADS=2,HLO_FRESH=bytes HLO_THREADS=4,HLO_FRESH=nan HLO_ENGINE=reference,HLO_FRESH=bytes)

# folders_of ARCHIVE: the folders of its cases.
folders_of() {
    find "$(cases_of "optimised/$1")" -mindepth 1 -maxdepth 1 -type d | sort
}

@test "a sample of programs of JAX" {
    begin_cases
    run_cases "programs of JAX" "${every[@]}" < <(folders_of jax | one_of 3)
    end_cases
}

@test "programs of JAX on 2 to 8 devices" {
    begin_cases
    run_cases "programs on several devices" "${every[@]}" < <(folders_of sharded)
    end_cases
}

# The inputs and values of the golden suite, with another text.
@test "golden models" {
    begin_cases
    mkdir "$work/texts"
    for text in "$(cases_of optimised/models)"/*.hlo; do
        name=$(basename "$text" .hlo)
        mkdir "$work/texts/$name"
        ln -s "$HLO_ROOT/tests/golden/models/$name/"* "$work/texts/$name"
        ln -sf "$text" "$work/texts/$name/module.hlo"
        echo "$work/texts/$name"
    done >"$work/models"
    run_cases "golden models" "${every[@]}" <"$work/models"
    end_cases
}

# Modules of the size of real work, whose inputs are made up and whose long results are judged at some positions:
# a few here; `make check-whole` runs all on 1, 2 and 4 threads. The reference engine would need hours.
@test "modules of measurements" {
    begin_cases
    if is_whole; then
        run_cases "modules of measurements" "${every[@]::3}" < <(folders_of bench)
    else
        run_cases "modules of measurements" HLO_THREADS=2,HLO_FRESH=nan < <(folders_of bench | one_of 24)
    fi
    end_cases
}
