#!/usr/bin/env bash
# The expansion of CHLO and of complex functions: of each program in expand.tar.gz it is the stored text, with locations and lists
# of uses, which expand-cases.py has compared with jaxlib; a program whose text is `refused` is an error with a place.
#
#   tests/stablehlo/run.sh        HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
dump=$(realpath "${HLO_BUILD:-build}")/tools/expansion_dump
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf tests/stablehlo/expand.tar.gz -C "$work" && cd "$work" || exit 2
passed=0 failed=0
for program in *.mlir; do
    name=${program%.mlir}
    if ! "$dump" --expand --locations --uses "$program" >got 2>said; then
        grep -q "^$program:[0-9]*:[0-9]*: error: 'chlo\." said && echo refused >got
    fi
    if cmp -s got "$name.out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name:"
        diff "$name.out" got | head -5
        head -3 said
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 90 ]
