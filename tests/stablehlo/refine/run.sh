#!/usr/bin/env bash
# Programs of symbolic dimensions, refined by the shapes of inputs: of each one in programs.tar.gz (NAME.mlir, NAME.mlirbc) the module is
# the stored text NAME.hlo, which jaxlib makes of it (cases.py), without empty lines. NAME.shapes has the shapes; a program without
# has inputs of known sizes, and calls an exported one.
#
#   tests/stablehlo/refine/run.sh   HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../../.." || exit 2
opt=$(realpath "${HLO_BUILD:-build}")/bin/hlo-opt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf tests/stablehlo/refine/programs.tar.gz -C "$work" && cd "$work" || exit 2
passed=0 failed=0
for program in *.mlir *.mlirbc; do
    name=${program%.*}
    shapes=()
    [ -f "$name.shapes" ] && shapes=("--input-shapes=$(<"$name.shapes")")
    grep . "$name.hlo" >wanted
    "$opt" --large-constants "${shapes[@]}" "$program" 2>said </dev/null | grep . >got
    if cmp -s got wanted; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name:"
        diff wanted got | head -5
        head -3 said
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 200 ]
