#!/usr/bin/env bash
# XLA's own lit tests against our programs, judged by LLVM's FileCheck; no file of XLA is part of this project.
# A suite of run-all.sh that does something where HLO_XLA names a checkout of XLA, or by hand:
#
#   tests/xla-lit/run.sh [--verbose] [FOLDER-OF-XLA]      FILECHECK: the program, if not on the path
#
# A test is a .hlo file with RUN lines: they run as one shell command each, with %s, %S, %t, %if FEATURE %{ %} and `not`.
# Tests of programs and platforms that are not ours are skipped by reason. differences.tsv names the tests that come out
# differently on purpose; one that passes all the same is a failure, so that the table stays true.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
: "${HLO_BIN:=$PWD/build/bin}" "${HLO_BUILD:=$PWD/build}"
differences=$PWD/tests/xla-lit/differences.tsv
verbose=
if [ "${1:-}" = --verbose ]; then
    verbose=yes
    shift
fi
xla=${1:-${HLO_XLA:-}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nothing_to_do() {
    echo "skipped: XLA's lit tests: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
[ -n "$xla" ] || nothing_to_do "HLO_XLA names no checkout of XLA"
[ -d "$xla" ] || { echo "$xla is not a directory" >&2; exit 2; }
filecheck=${FILECHECK:-$(command -v FileCheck || find /usr/lib/llvm-*/bin -name FileCheck 2>/dev/null | sort | tail -n 1)}
[ -x "$filecheck" ] || nothing_to_do "no FileCheck; it is in the package llvm-14-tools"

# What RUN lines may call: our programs, FileCheck and `not` under these names, and ordinary commands.
mkdir "$work/bin"
ln -s "$filecheck" "$work/bin/FileCheck"
# XLA prints elements of tuples as %t#0 since 2026; the tests of its builder library were written then. Their pass is a
# program here.
cat >"$work/bin/hlo-opt" <<END
#!/bin/sh
for word; do
    case \$word in
    --passes=test-only-xla-builder) builder=yes ;;
    -*) ;;
    *) file=\$word ;;
    esac
done
if [ "\${builder:-}" ]; then exec "$HLO_BUILD/tools/hlo-xla-builder" \${HLO_LIT_OPTIONS:-} "\$file"; fi
exec "$HLO_BIN/hlo-opt" \${HLO_LIT_OPTIONS:-} "\$@"
END
chmod +x "$work/bin/hlo-opt"
printf '#!/bin/sh\nif "$@"; then exit 1; else exit 0; fi\n' >"$work/bin/not"
chmod +x "$work/bin/not"
export PATH=$work/bin:$HLO_BIN:$PATH
ours=" hlo-opt hlo-run hlo-verify hlo-dot hlo-diff hlo-reduce FileCheck not "
ordinary=" cat echo env grep ls sed sort xargs "

# The commands of a test, one a line: continued lines joined, %if decided; no feature is there, so !FEATURE always is.
commands_of() {
    awk '{ at = index($0, "RUN:") } at { print substr($0, at + 4) }' "$1" | awk '
        function decide(line,   kept) {
            while (match(line, /%if +!?[A-Za-z_]+ +%\{/)) {
                head = substr(line, 1, RSTART - 1)
                kept = index(substr(line, RSTART, RLENGTH), "!")
                line = substr(line, RSTART + RLENGTH)
                end = index(line, "%}")
                body = substr(line, 1, end - 1)
                line = substr(line, end + 2)
                other = ""
                if (match(line, /^ *%else +%\{/)) {
                    line = substr(line, RLENGTH + 1)
                    end = index(line, "%}")
                    other = substr(line, 1, end - 1)
                    line = substr(line, end + 2)
                }
                line = head (kept ? body : other) line
            }
            return line
        }
        { whole = whole $0 }
        sub(/\\$/, "", whole) { whole = whole " "; next }
        { whole = decide(whole); if (whole ~ /[^ ]/) print whole; whole = "" }'
}

# The programs of a command: the first word of each part of a pipe, and what not, env and xargs start.
programs_of() {
    tr '|;' '\n' <<<"$1" | awk '{
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^(-|[A-Z_]+=|\{\}$)/) continue
            print $i
            if ($i != "not" && $i != "env" && $i != "xargs") break
        }
    }'
}

# Why a test does not apply; nothing when it does.
reason_against() {
    local file=$1 commands=$2 program
    if [[ $file == *backends/gpu/* || $commands == *--platform=gpu* || $commands == *%\{GPU\}* ]]; then
        echo "for GPU"
        return
    fi
    while read -r program; do
        [[ $ours$ordinary == *" $program "* ]] || { echo "runs $program"; return; }
    done < <(programs_of "$commands")
    case $commands in
    *--passes=test-only-xla-builder\ *) ;;
    *--passes=test-only-*) echo "a pass that only XLA's test program has" ;;
    *debug_options*) echo "debug-option files" ;;
    *--stage=llvm*) echo "asks for LLVM IR" ;;
    esac
}

# %s/.. is the directory of the file for XLA's file functions; for the system a file has no parent in itself.
substitute() {
    local command=$1 file=$2 temporary=$3
    command=${command//%s\/../$(dirname "$file")}
    command=${command//%s/$file}
    command=${command//%S/$(dirname "$file")}
    printf '%s' "${command//%t/$temporary}"
}

run_test() {
    local file=$1 commands=$2 command temporary=$work/t
    rm -rf "$temporary"*
    export HLO_LIT_OPTIONS=
    [[ $file != */hlo/builder/tests/* ]] || HLO_LIT_OPTIONS=--compact-gte
    while read -r command; do
        command=$(substitute "$command" "$file" "$temporary")
        tests/within 60 bash -o pipefail -c "$command" </dev/null >"$work/said" 2>&1 || {
            echo "failed: $command" >>"$work/said"
            return 1
        }
    done <<<"$commands"
}

passed=0 failed=0 skipped=0
declare -A reasons
while read -r file; do
    name=${file#"$xla"/}
    commands=$(commands_of "$file")
    why=$(reason_against "$file" "$commands")
    if [ -n "$why" ]; then
        skipped=$((skipped + 1)) reasons[$why]=$((${reasons[$why]:-0} + 1))
        continue
    fi
    known=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' "$differences")
    if run_test "$file" "$commands"; then
        if [ -z "$known" ]; then
            echo "passed: $name"
            passed=$((passed + 1))
        else
            echo "failed: $name passes, but differences.tsv lists it as failing"
            failed=$((failed + 1))
        fi
    elif [ -n "$known" ]; then
        echo "skipped: $name: $known"
        skipped=$((skipped + 1))
        [ -z "$verbose" ] || cat "$work/said"
    else
        echo "failed: $name"
        failed=$((failed + 1))
        if [ -n "$verbose" ]; then cat "$work/said"; else head -n 5 "$work/said"; fi
    fi
done < <(find "$xla" -name '*.hlo' -exec grep -l 'RUN:' {} + | sort)
for why in "${!reasons[@]}"; do echo "skipped: ${reasons[$why]} tests: $why"; done | sort -t ' ' -k 2,2nr
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
