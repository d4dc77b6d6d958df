#!/usr/bin/env bash
# Runs every test against one build and ends with `N passed, N failed, N skipped`.
#
#   tests/run-all.sh BUILD [NAME...]      NAME: only suites whose path contains one of these
#
# A suite is one of
#   BUILD/tests/NAME         a program made from tests/unit/NAME.c
#   tests/**/*.bats          a BATS file
#   tests/**/run.sh          a script that ends with `N passed, N failed, N skipped`
# Those of tests/browser run only where a NAME chooses them (`make check-browser`).
# Unit programs may end with such a line too; without one, the exit status counts as one test.
# BUILD/suites.txt has the seconds of processor time and of the clock of each.
# A skip names its reason. A process gets HLO_CPU_SECONDS (600) of processor time, or less (tests/within), and one that
# waits HLO_WALL_SECONDS (600); nothing else depends on how busy the machine is.
# With HLO_THREADS, hlo-run computes on so many threads where a test does not set a number.
# Called by `make test`, `check-debug`, `check-asan` and `check-tsan`.
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:?usage: tests/run-all.sh BUILD [NAME...]}
shift
export HLO_ROOT=$PWD HLO_BUILD=$PWD/$build HLO_BIN=$PWD/$build/bin
# shellcheck source=tests/outside.bash
. tests/outside.bash
# What a sanitizer finds must not look like one of the programs' own exit statuses.
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export TSAN_OPTIONS=exitcode=99:suppressions=$PWD/tests/tsan.supp:${TSAN_OPTIONS:-} LC_ALL=C

# A make that a test calls must not take the open files of BATS for the job server of the make that called this.
unset MAKEFLAGS MFLAGS

ulimit -t "${HLO_CPU_SECONDS:-600}"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

if [ -n "${HLO_THREADS:-}" ]; then
    mkdir "$logs/bin"
    ln -s "$HLO_BIN"/* "$logs/bin/"
    rm "$logs/bin/hlo-run"
    printf '#!/bin/sh\nexec "%s" --threads=%s "$@"\n' "$HLO_BIN/hlo-run" "$HLO_THREADS" >"$logs/bin/hlo-run"
    chmod +x "$logs/bin/hlo-run"
    export HLO_BIN=$logs/bin
fi

suites() {
    find "$build/tests" -maxdepth 1 -type f -perm -u+x 2>/dev/null
    find tests -name '*.bats'
    find tests -name run.sh
}

# Prints the suite's output; the last line is its sum.
run_suite() {
    local suite=$1 status sum out
    case $suite in
    *.bats)
        bats --tap "$suite" 2>&1 | awk '
            /^(not )?ok / { seen++ }
            /^ok / && / # skip/ { skipped++; sub(/^ok [0-9]+ /, ""); print "skipped: " $0; next }
            /^ok / { passed++; next }
            /^not ok / { failed++ }
            # tests/cases.bash: the cases that stand for some of the tests
            /^# cases: / { passed += $3 - $11; failed += $5 - $14; skipped += $7; next }
            /^1\.\.[0-9]+$/ { planned = substr($0, 4); next }
            { print }
            END {
                missing = planned - seen
                if (missing > 0) { print missing " tests did not run"; failed += missing }
                if (NR == 0) { print "bats did not run"; failed++ }
                printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
            }'
        ;;
    *)
        out=$("$suite" 2>&1)
        status=$?
        sum=$(tail -n 1 <<<"$out")
        if [[ $sum =~ ^[0-9]+\ passed,\ [0-9]+\ failed,\ [0-9]+\ skipped$ ]]; then
            printf '%s\n' "$out"
            # A suite that counts no failure and yet fails has died on the way.
            if [ $status != 0 ] && [[ $sum == *" 0 failed,"* ]]; then
                echo "exit status $status"
                echo "0 passed, 1 failed, 0 skipped"
            fi
        else
            [ -z "$out" ] || printf '%s\n' "$out"
            if [ $status = 0 ]; then echo "1 passed, 0 failed, 0 skipped"; else
                echo "exit status $status"
                echo "0 passed, 1 failed, 0 skipped"
            fi
        fi
        ;;
    esac
}

# timed_suite SUITE FOLDER: its output to a file of FOLDER, and a line of FOLDER/times: seconds of processor time, seconds
# of the clock, suite.
timed_suite() {
    local file=$2/${1//\//%}
    run_suite "$1" >"$file"
    times >"$file.times" # of this shell and of the processes it started: in a pipe it would be another shell
    awk -F '[ms ]+' -v wall="$SECONDS" -v suite="$1" '{ cpu += 60 * ($1 + $3) + $2 + $4 }
        END { printf "%.1f %d %s\n", cpu, wall, suite }' "$file.times" >>"$2/times"
}
export -f run_suite timed_suite

# most COLUMN: the twelve suites with the highest number in that column of the times.
most() {
    sort -k "$1,$1nr" "$logs/times" | head -n 12 | awk -v column="$1" '{ printf "%s%s s %s", NR == 1 ? "" : ", ", $column, $3 }'
}

# Suites with the most processor time: begun first, so that none of them runs alone at the end.
longest='packaging dense golden ops proto control_flow run_control injection dialects mpi_dataflow mpi special_values_test autodiff optimised dot'
begun_first() {
    local name
    for name in $longest; do grep -E "/$name(\.bats|/run\.sh)?$" <<<"$1"; done
}

chosen=$(suites | sort)
if [ $# -gt 0 ]; then chosen=$(grep -F "$(printf '%s\n' "$@")" <<<"$chosen"); else chosen=$(grep -v '^tests/browser/' <<<"$chosen"); fi

# The programs that are suites, built or not: one that lacks would be left out in silence.
programs() {
    printf '%s\n' check_passes check_engines tests/unit/*.c | sed "s|.*/||; s|\.c$||; s|^|$build/tests/|"
}
: >"$logs/times" # there may be no suite
unbuilt=0
for name; do
    ! grep -qF -e "$name" <<<"$chosen" || continue
    if programs | grep -F -e "$name" >/dev/null; then
        echo "$name: has not been built: make tests"
        unbuilt=$((unbuilt + 1))
    else
        echo "$name: no suite has this in its path"
    fi
done
# shellcheck disable=SC2016 # expanded by the inner shell
{ begun_first "$chosen"; printf '%s\n' "$chosen"; } | awk 'NF && !seen[$0]++' | xargs -d '\n' -P "$(nproc)" -I{} \
    bash -c 'timed_suite "$1" "$2"' _ {} "$logs"

passed=0 failed=$unbuilt skipped=0
while read -r suite; do
    [ -n "$suite" ] || continue
    log=$logs/${suite//\//%}
    sum=$(tail -n 1 "$log")
    if ! [[ $sum =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        cat "$log"
        sum="0 passed, 1 failed, 0 skipped"
        [[ $sum =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]
    else
        head -n -1 "$log" | sed 's/^/    /'
    fi
    printf '%-40s %s\n' "$suite" "$sum"
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    skipped=$((skipped + BASH_REMATCH[3]))
done <<<"$chosen"
sort -k 1,1nr "$logs/times" >"$build/suites.txt"
echo "longest: $(most 2)"
echo "most processor time: $(most 1)"
awk '{ cpu += $1 } END { printf "%.0f seconds of processor time; by suite: %s\n", cpu, FILENAME }' "$build/suites.txt"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
