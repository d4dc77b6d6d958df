#!/usr/bin/env bash
# Differential fuzzing: tests/differential/fuzz.sh BUILD SECONDS (`make fuzz-differential TIME=SECONDS`).
# Findings are left in BUILD/differential/found; HLO_SEED is the number of the first case (the clock).
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1 work=$1/differential
export LC_ALL=C ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=print_stacktrace=1
# Sanitizers make a case several times as long.
[ "$build" = build ] || export HLO_CASE_SECONDS=${HLO_CASE_SECONDS:-120}

rm -rf "$work/corpus"
mkdir -p "$work/corpus" "$work/found"
# Those of bench.tar.gz are made to take time.
for archive in tests/golden/ops/*.tar.gz tests/optimised/[!b]*.tar.gz tests/flow/control_flow/cases.tar.gz; do
    folder=$work/corpus/$(basename "$archive" .tar.gz)
    mkdir -p "$folder"
    tar -xzf "$archive" -C "$folder" --wildcards '*.hlo'
done
# Graphs are texts of several modules.
grep -rlZ 'is_dataflow=true' "$work/corpus" | xargs -0r rm --
exec "$build/tools/differential" --seed="${HLO_SEED:-$(($(date +%s) * 1000))}" --seconds="$2" --found="$work/found" \
    "$work/corpus" tests/parse/printing tests/dynamic tests/passes/rewrites tests/fuzz/run tests/fuzz/passes tests/dialects tests/repros \
    tests/differential
