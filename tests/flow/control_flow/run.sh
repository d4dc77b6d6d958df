#!/usr/bin/env bash
# The cases of control_flow/cases.tar.gz (modules, inputs and expected values; tests/README.md names their
# origin), each in many ways: by the structured engine, by the dataflow executor with several limits and threads, from
# graphs that others have lowered, and cut over devices as placed and by chance; and as text through JSON and back.
#
#   tests/flow/control_flow/run.sh        HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
within=$PWD/tests/within
export build work within LC_ALL=C MOST_FILES=32

tar -xzf tests/flow/control_flow/cases.tar.gz -C "$work" || exit 2

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

# run CASE NAME MODULE OPTION...: a line `ok` or `FAILED`; the results are compared with the case's.
run() {
    local case=$1 name=$2 module=$3 said
    shift 3
    if said=$("$within" 300 "$build/bin/hlo-run" "$@" --expect "$case" --rtol "$rtol" --atol "$atol" "$module" "${in[@]}" 2>&1); then
        echo ok
    else
        echo "FAILED $case, $name: ${said:0:300}"
    fi
}

# cut CASE NAME PASSES: the module after the passes, checked, then run.
cut_and_run() {
    local case=$1 name=$2 passes=$3 cut="$1/cut.hlo"
    if "$build/bin/hlo-opt" --large-constants --passes="$passes" -o "$cut" "$case/module.hlo" &&
        "$build/bin/hlo-verify" "$cut"; then
        run "$case" "$name" "$cut" --threads=2
    else
        echo "FAILED $case, $name: passes"
    fi
}

# A module of gradients: the case's results, then its gradients.
run_gradient() {
    local case=$1 name=$2 module=$3 said
    shift 3
    if said=$("$within" 300 "$build/bin/hlo-run" "$@" --expect "$case/expected" --rtol 2e-3 --atol 2e-3 "$module" \
        "${in[@]}" "${cotangents[@]}" 2>&1); then
        echo ok
    else
        echo "FAILED $case, $name: ${said:0:300}"
    fi
}

differentiate() {
    local case=$1 passes=$2 module="$1/differentiated.hlo"
    if "$build/bin/hlo-opt" --large-constants --passes="$passes" -o "$module" "$case/module.hlo" && "$build/bin/hlo-verify" "$module"; then
        run_gradient "$case" "$passes" "$module" --threads=2
    else
        echo "FAILED $case, $passes: passes"
    fi
}

# Text, and text again, straight and through messages; a graph in parts is text only.
same_text() {
    local text="$1/$2" form
    # Computations that do not call one another may change places once.
    "$build/bin/hlo-opt" --large-constants --passes= "$text" | "$build/bin/hlo-opt" --large-constants --passes= - >"$text.text" ||
        echo "FAILED $text: text"
    for form in text json proto; do
        if [ "$form:$2" != "text:partitioned.hlo" ] && [ "$2" = partitioned.hlo ]; then continue; fi
        "$build/bin/hlo-opt" --large-constants --passes= --emit=$form -o "$text.$form.once" "$text.text"
        if "$build/bin/hlo-opt" --large-constants --passes= "$text.$form.once" | cmp -s - "$text.text"; then
            echo ok
        else
            echo "FAILED $text: through $form"
        fi
    done
}

# prepare CASE: its numbers and files, and in CASE/expected what a module of gradients computes.
prepare() {
    local case=$1 file n=0
    rtol=$(field "$case" rtol) atol=$(field "$case" atol)
    mkdir "$case/expected"
    numbered "$case" out
    results=("${files[@]}")
    numbered "$case" grad_in
    for file in "${results[@]}" "${files[@]}"; do ln -s "../${file##*/}" "$case/expected/out$((n++)).npy"; done
    numbered "$case" in
    in=("${files[@]}")
    numbered "$case" ct
    cotangents=("${files[@]}")
}

one() {
    local case=$1 seed
    seed=$(cksum <<<"$case" | cut -d' ' -f1)
    prepare "$case"
    run "$case" structured "$case/module.hlo"
    for limit in 1 10 32; do
        run "$case" "dataflow $limit" "$case/module.hlo" --executor=dataflow --lower-scalar-loops --threads=1 --parallel-iterations=$limit
        run "$case" "dataflow $limit by two" "$case/module.hlo" --executor=dataflow --threads=2 --parallel-iterations=$limit
    done
    run "$case" "reference engine" "$case/module.hlo" --executor=dataflow --engine=reference
    run "$case" "cut as placed" "$case/module.hlo" --executor=dataflow --devices=2
    cut_and_run "$case" "cut in two" "lower-control-flow,partition{devices=2,random_seed=$seed}"
    cut_and_run "$case" "cut in three" "lower-control-flow,partition{devices=3,random_seed=$seed}"
    cut_and_run "$case" "raised" "lower-control-flow,raise-control-flow"
    [ ! -f "$case/dataflow.hlo" ] || run "$case" "given graph" "$case/dataflow.hlo"
    [ ! -f "$case/partitioned.hlo" ] || run "$case" "given parts" "$case/partitioned.hlo"
    for text in dataflow partitioned gradient; do [ ! -f "$case/$text.hlo" ] || same_text "$case" "$text.hlo"; done
    [ ! -f "$case/gradient.hlo" ] || run_gradient "$case" "given gradient" "$case/gradient.hlo"
    [ ! -f "$case/gradient.hlo" ] || run_gradient "$case" "given gradient as a graph" "$case/gradient.hlo" --executor=dataflow
    case $case in g-*)
        differentiate "$case" autodiff
        differentiate "$case" "autodiff,lower-control-flow"
        differentiate "$case" "autodiff,lower-control-flow,partition{devices=2,random_seed=$seed}"
        differentiate "$case" "autodiff,lower-control-flow,partition{devices=3,random_seed=$seed}"
        differentiate "$case" "lower-control-flow,raise-control-flow,autodiff,lower-control-flow"
        ;;
    esac
}
export -f field numbered prepare run cut_and_run run_gradient differentiate same_text one

cd "$work" || exit 2
find . -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort |
    xargs -d '\n' -P "$(nproc)" -n 4 bash -c 'for case; do one "$case"; done' _ >results
grep '^FAILED' results | head -n 40
echo "$(grep -c '^ok' results) passed, $(grep -c '^FAILED' results) failed, 0 skipped"
! grep -q '^FAILED' results
