#!/usr/bin/env bash
# What the differential fuzzer found before (cases/), through every comparison, and a sample of mutants: the same at each
# run. A suite of run-all.sh; `make fuzz-differential` continues.
set -u
cd "$(dirname "$0")/../.." || exit 2
export LC_ALL=C
build=${HLO_BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Sanitizers make a case several times as long.
[ "$(basename "$build")" = build ] || export HLO_CASE_SECONDS=${HLO_CASE_SECONDS:-120}

found=$("$build/tools/differential" --check tests/differential/cases/*.hlo 2>&1)
sample=$("$build/tools/differential" --seed=0 --count="${HLO_MUTANTS:-100}" --found="$work" tests/parse/printing tests/dynamic tests/passes/rewrites 2>&1)
grep -vE ' skipped$|^not compared: ' <<<"$found"
grep -vE ' skipped$|^not compared: ' <<<"$sample"
awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5; n++ }
     END { printf "%d passed, %d failed, %d skipped\n", p, f + (n < 2), s }' <<<"$found
$sample"
