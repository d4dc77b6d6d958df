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

one() {
    local seed=${1%.hlo} said lower=
    if ((seed % 2)); then lower=,lower-scalar-loops; fi
    if said=$({ "$build/bin/hlo-opt" --large-constants --passes="lower-control-flow,partition{devices=3,random_seed=$seed}" "$1" -o "$seed.parts" &&
        "$build/tools/run_ways" --inputs=random "$1" -- default "executor=dataflow$lower,threads=2,parallel-iterations=$((seed % 4 + 1))" \
            "of=$seed.parts,threads=2"; } 2>&1); then
        echo ok
    else
        echo "FAILED seed $seed: ${said:0:300}"
    fi
}
export -f one

cd "$work" || exit 2
find . -maxdepth 1 -name '*.hlo' -printf '%f\n' | sort | xargs -P "$(nproc)" -n 8 bash -c 'for module; do one "$module"; done' _ >results
grep '^FAILED' results | head -n 20
echo "$(grep -c '^ok' results) passed, $(grep -c '^FAILED' results) failed, 0 skipped"
! grep -q '^FAILED' results
