#!/usr/bin/env bash
# memcheck over the golden cases of single operations, each in a child of golden_run: what depends on memory that nothing was
# written to, results in files too, and what is read or written outside of it, is a failure. Called by golden.bats with a
# sample, and by `make check-valgrind`.
#
#   tests/golden/check-valgrind.sh [STEP]      HLO_BUILD as from run-all.sh; one of STEP cases (1); HLO_ENGINE, HLO_THREADS, HLO_JIT
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
step=${1:-1}
runner=$build/tools/golden_run

skip() {
    echo "$1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

# valgrind runs programs for the machine that it is built for, also where the system starts others by an emulator.
# Bytes 18 and 19 of a program are its machine (e_machine of ELF); this shell's is the system's.
command -v valgrind >/dev/null || skip "valgrind is not installed"
[ -x "$runner" ] || { echo "$runner has not been built: make tests"; exit 1; }
cmp -s --ignore-initial=18 --bytes=2 "$runner" "$BASH"
[ $? != 1 ] || skip "golden_run is for another machine than valgrind"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/results"

# Cases with wrong data, and operations that the evaluator lacks, are the golden suite's to judge.
for case in "$PWD"/build/cases/golden/*; do
    echo "$case $work/results/${case##*/}"
done | awk -v step="$step" 'NR % step == 0' >"$work/list"

cores=$(nproc)
split -n "r/$cores" "$work/list" "$work/part."
for part in "$work"/part.*; do
    # shellcheck disable=SC2094 # two files
    valgrind -q --error-exitcode=99 --log-file="$part.log.%p" "$runner" <"$part" >"$part-ran" 2>"$part-said" &
done
wait
cat "$work"/part.*-ran >"$work/ran"
bad=$(awk -F '\t' '$2 != "" && $2 !~ /^status 1: .*\[unsupported\]/' "$work/ran" | tee "$work/bad" | wc -l)
awk -F '\t' '{ sub(".*/", "", $1); print "FAILED " $1 ": " $2 }' "$work/bad"
if [ "$bad" -gt 0 ]; then cat "$work"/part.*.log.* | sed 's/^==[0-9]*== //' | head -n 60; fi
ran=$(wc -l <"$work/ran")
[ "$ran" = "$(wc -l <"$work/list")" ] || { echo "FAILED golden_run ended early: $(cat "$work"/part.*-said | head -n 3)"; bad=$((bad + 1)); }
echo "$((ran > bad ? ran - bad : 0)) passed, $bad failed, 0 skipped"
[ "$bad" = 0 ]
