#!/usr/bin/env bash
# Generated modules with loops and conditionals in each other: the structured engine, the dataflow executor, and the
# graph cut over three devices by chance compute the same bits.
#
#   tests/flow/control_flow_generated/run.sh        HLO_BUILD as from run-all.sh; HLO_GENERATED: how many modules (150)
set -u
cd "$(dirname "$0")/../../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export build work LC_ALL=C

operations=while,conditional,call,add,multiply,sine,maximum,select,compare,tanh,broadcast,dot,reduce
"$build/tools/hlo-generate" --seed=5000 --count="${HLO_GENERATED:-150}" --size=16 --ops=$operations --values=any --output-dir="$work" || exit 2

same() {
    local file
    for file in "$1"/*.npy; do cmp -s "$file" "$2/${file##*/}" || return 1; done
}

one() {
    local seed=${1%.hlo} said tokens=()
    if ((seed % 2)); then tokens=(--lower-scalar-loops); fi
    if said=$({ "$build/bin/hlo-run" --inputs=random "$1" --output-dir="$seed.a" &&
        "$build/bin/hlo-run" --executor=dataflow "${tokens[@]}" --threads=2 --parallel-iterations=$((seed % 4 + 1)) --inputs=random "$1" --output-dir="$seed.b" &&
        same "$seed.a" "$seed.b" &&
        "$build/bin/hlo-opt" --large-constants --passes="lower-control-flow,partition{devices=3,random_seed=$seed}" "$1" -o "$seed.parts" &&
        "$build/bin/hlo-run" --threads=2 --inputs=random "$seed.parts" --output-dir="$seed.c" &&
        same "$seed.a" "$seed.c"; } 2>&1); then
        echo ok
    else
        echo "FAILED seed $seed: ${said:0:300}"
    fi
    rm -rf "$seed".[abc] "$seed.parts"
}
export -f same one

cd "$work" || exit 2
find . -maxdepth 1 -name '*.hlo' -printf '%f\n' | sort | xargs -P "$(nproc)" -n 8 bash -c 'for module; do one "$module"; done' _ >results
grep '^FAILED' results | head -n 20
echo "$(grep -c '^ok' results) passed, $(grep -c '^FAILED' results) failed, 0 skipped"
! grep -q '^FAILED' results
