#!/usr/bin/env bash
# Modules as StableHLO. Of each NAME.hlo in cases.tar.gz the program is NAME.mlir, and in the generic form NAME.generic.mlir where
# the archive has one: what jaxlib 0.10.2 makes of it (cases.py). That text has no mhlo.num_replicas and mhlo.num_partitions, which
# jaxlib's XlaComputation does not carry.
#
#   tests/stablehlo/write/run.sh   HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
opt=${HLO_BIN:-$build/bin}/hlo-opt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf tests/stablehlo/write/cases.tar.gz -C "$work" && cd "$work/write" || exit 2
passed=0 failed=0

# judge FORM WANTED
judge() {
    "$opt" --emit="$1" "$module" 2>said </dev/null | sed -E 's/mhlo\.num_(replicas|partitions) = [0-9]+ : i32, //g' >got
    if cmp -s got "$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$module, $1:"
        diff "$2" got | head -5
        head -3 said
    fi
}

for module in *.hlo; do
    judge stablehlo "${module%.hlo}.mlir"
    [ ! -e "${module%.hlo}.generic.mlir" ] || judge stablehlo-generic "${module%.hlo}.generic.mlir"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 300 ]
