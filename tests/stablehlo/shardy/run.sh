#!/usr/bin/env bash
# Programs of Shardy: of each one in programs.tar.gz the module is the stored text of jaxlib 0.10.2, without empty lines. That text has no
# num_partitions, which jaxlib's XlaComputation does not carry.
#
#   tests/stablehlo/shardy/run.sh   HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../../.." || exit 2
opt=$(realpath "${HLO_BUILD:-build}")/bin/hlo-opt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf tests/stablehlo/shardy/programs.tar.gz -C "$work" && cd "$work/shardy" || exit 2
passed=0 failed=0
for program in *.mlir; do
    name=${program%.mlir}
    "$opt" --large-constants "$program" 2>said </dev/null | sed '1s/, num_partitions=[0-9]*//; /^$/d' >got
    if cmp -s got "$name.hlo"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name:"
        diff "$name.hlo" got | head -5
        head -3 said
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 90 ]
