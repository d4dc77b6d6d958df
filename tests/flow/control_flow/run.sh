#!/usr/bin/env bash
# The cases of control_flow/cases.tar.gz (modules, inputs and expected values; tests/README.md names their
# origin), each in many ways: by the structured engine, by the dataflow executor with several limits and threads, from
# graphs that others have lowered, and cut over devices as placed and by chance. Texts of the graphs are judged by
# unit/proto_round_trips.c.
#
#   tests/flow/control_flow/run.sh        HLO_BUILD as from run-all.sh; a sample of the cases
set -u
cd "$(dirname "$0")/../../.." || exit 2
. tests/sample.bash
build=$(realpath "${HLO_BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
within=$PWD/tests/within
cases=$PWD/build/cases/control_flow
export build cases work within LC_ALL=C MOST_FILES=32

field() {
    sed -n "s/^ *\"$2\": *\([0-9.e+-]*\),*$/\1/p" "$1/case.json"
}

# numbered CASE NAME: files=(CASE/NAME0.npy ...)
numbered() {
    local k
    files=()
    for ((k = 0; k < MOST_FILES; k++)); do
        if [ -f "$1/$2$k.npy" ]; then files+=("$1/$2$k.npy"); fi
    done
}

# pass MODULE PASSES FILE [WAY]: what the passes make of the module; a way that runs it joins $ways.
pass() {
    if "$build/bin/hlo-opt" --large-constants --passes="$2" -o "$3" "$1"; then ways+=("of=$3${4:+,$4}"); else
        echo "FAILED $1: $2"
    fi
}

# run CASE ARGUMENT...: a line `ok` or `FAILED` for each way (check_engines/run_ways.c).
run() {
    local case=$1 said status=0 line
    shift
    said=$("$within" 300 "$build/tools/run_ways" "$@" 2>&1) || status=$?
    while read -r line; do
        case $line in
        'ok '*) echo ok ;;
        'FAILED '*) echo "FAILED $case, ${line#FAILED }: ${said:0:300}" ;;
        esac
    done <<<"$said"
    [ $status -le 1 ] || echo "FAILED $case: status $status: ${said:0:300}"
}

# prepare CASE: its files here, its numbers, and in CASE/expected what a module of gradients computes.
prepare() {
    local case=$1 file n=0
    mkdir -p "$case/expected"
    ln -s "$cases/$case"/* "$case"
    rtol=$(field "$case" rtol) atol=$(field "$case" atol)
    numbered "$case" out
    results=("${files[@]}")
    numbered "$case" grad_in
    for file in "${results[@]}" "${files[@]}"; do ln -s "../${file##*/}" "$case/expected/out$((n++)).npy"; done
    numbered "$case" in
    in=("${files[@]}")
    numbered "$case" ct
    cotangents=("${files[@]}")
}

run_values() {
    local case=$1 seed=$2 ways=(default) limit
    for limit in 1 10 32; do
        ways+=(executor=dataflow,lower-scalar-loops,threads=1,parallel-iterations=$limit
            executor=dataflow,threads=2,parallel-iterations=$limit)
    done
    ways+=(executor=dataflow,engine=reference executor=dataflow,devices=2)
    pass "$case/module.hlo" "lower-control-flow,partition{devices=2,random_seed=$seed}" "$case/two.hlo" threads=2
    pass "$case/module.hlo" "lower-control-flow,partition{devices=3,random_seed=$seed}" "$case/three.hlo" threads=2
    pass "$case/module.hlo" lower-control-flow,raise-control-flow "$case/raised.hlo" threads=2
    [ ! -f "$case/dataflow.hlo" ] || ways+=("of=$case/dataflow.hlo")
    [ ! -f "$case/partitioned.hlo" ] || ways+=("of=$case/partitioned.hlo")
    run "$case" --expect="$case" --rtol="$rtol" --atol="$atol" "$case/module.hlo" "${in[@]}" -- "${ways[@]}"
}

# A module of gradients: the case's results, then its gradients.
run_gradients() {
    local case=$1 seed=$2 ways=() passes
    [ ! -f "$case/gradient.hlo" ] || ways+=("of=$case/gradient.hlo" "of=$case/gradient.hlo,executor=dataflow")
    case $case in g-*)
        for passes in autodiff autodiff,lower-control-flow "autodiff,lower-control-flow,partition{devices=2,random_seed=$seed}" \
            "autodiff,lower-control-flow,partition{devices=3,random_seed=$seed}" \
            lower-control-flow,raise-control-flow,autodiff,lower-control-flow; do
            pass "$case/module.hlo" "$passes" "$case/differentiated${#ways[@]}.hlo" threads=2
        done
        ;;
    esac
    [ ${#ways[@]} = 0 ] || run "$case" --expect="$case/expected" --rtol=2e-3 --atol=2e-3 "$case/module.hlo" \
        "${in[@]}" "${cotangents[@]}" -- "${ways[@]}"
}

one() {
    local seed
    seed=$(cksum <<<"$1" | cut -d' ' -f1)
    prepare "$1"
    run_values "$1" "$seed"
    run_gradients "$1" "$seed"
}
export -f field numbered prepare pass run run_values run_gradients one

cd "$work" || exit 2
find "$cases" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | one_of 3 |
    xargs -d '\n' -P "$(nproc)" -n 4 bash -c 'for case; do one "$case"; done' _ >results
grep '^FAILED' results | head -n 40
echo "$(grep -c '^ok' results) passed, $(grep -c '^FAILED' results) failed, 0 skipped"
! grep -q '^FAILED' results
