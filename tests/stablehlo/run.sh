#!/usr/bin/env bash
# Programs in StableHLO, and what becomes of them:
#   expand.tar.gz    the expansion of CHLO and of complex functions is the stored text, with locations and lists of uses, which
#                    expand-cases.py has compared with jaxlib; a program whose text is `refused` is an error with a place
#   programs.tar.gz  NAME.mlir and NAME.mlirbc become NAME.hlo, which is what jaxlib makes of them (programs.py), but for
#                    empty lines
#
#   tests/stablehlo/run.sh        HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in expand programs; do
    mkdir "$work/$archive" && tar -xzf tests/stablehlo/$archive.tar.gz -C "$work/$archive" || exit 2
done
passed=0 failed=0

# judge NAME WANTED: what stands in `got` is right.
judge() {
    if cmp -s got "$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1:"
        diff "$2" got | head -5
        head -3 said
    fi
}

cd "$work/expand" || exit 2
for program in *.mlir; do
    if ! "$build/tools/expansion_dump" --expand --locations --uses "$program" >got 2>said; then
        grep -q "^$program:[0-9]*:[0-9]*: error: 'chlo\." said && echo refused >got
    fi
    judge "$program" "${program%.mlir}.out"
done
expansions=$passed

cd "$work/programs" || exit 2
for program in *.mlir *.mlirbc; do
    grep . "${program%.*}.hlo" >wanted
    "${HLO_BIN:-$build/bin}/hlo-opt" --large-constants "$program" 2>said </dev/null | grep . >got
    judge "$program" wanted
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$expansions" -gt 90 ] && [ "$passed" -gt 500 ]
