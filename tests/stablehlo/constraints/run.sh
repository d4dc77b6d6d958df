#!/usr/bin/env bash
# Constraints on single operations of StableHLO: cases that keep one, and cases that break it. Each file has the cases of a
# subject, each under a line that names it and the verdict:
#   // ----- NAME: accept
#   // ----- NAME: reject LINE:COLUMN RULE, LINE:COLUMN RULE
# with the place and rule of every error, in the order in which they are reported; line 1 is the first one of the case.
# verdicts.py compares the verdicts with jaxlib's.
#
#   tests/stablehlo/constraints/run.sh        HLO_BUILD as from run-all.sh; HLO_BLESS=1 writes what is reported: review it
set -u
cd "$(dirname "$0")/../../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
here=$PWD/tests/stablehlo/constraints
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each case a file NUMBER.mlir, its name and verdict a line of `wanted`.
awk -v work="$work" '
    match($0, /^\/\/ ----- [^:]*: /) {
        if (file) close(file)
        file = sprintf("%s/%04d.mlir", work, ++n)
        print substr($0, 10) > (work "/wanted")
        next
    }
    { print > file }' "$here"/*.mlir

cd "$work" || exit 2
"${HLO_BIN:-$build/bin}/hlo-verify" --format=json ./*.mlir >json 2>said
status=$?
if [ $status != 0 ] && [ $status != 1 ]; then
    echo "hlo-verify: status $status"
    head -3 said
    exit 1
fi
awk '
    NR == FNR {
        match($0, /"file":"[^"]*"/); file = substr($0, RSTART + 8, RLENGTH - 9); sub(/^\.\//, "", file)
        match($0, /"line":[0-9]+/); line = substr($0, RSTART + 7, RLENGTH - 7)
        match($0, /"column":[0-9]+/); column = substr($0, RSTART + 9, RLENGTH - 9)
        match($0, /"rule":"[^"]*"/); rule = substr($0, RSTART + 8, RLENGTH - 9)
        found[file] = found[file] (found[file] ? ", " : "") line ":" column " " rule
        next
    }
    {
        file = sprintf("%04d.mlir", FNR)
        sub(/: .*/, "")
        print $0 ": " (found[file] ? "reject " found[file] : "accept")
    }' json wanted >got

if [ -n "${HLO_BLESS:-}" ]; then
    for file in "$here"/*.mlir; do
        awk 'NR == FNR { got[FNR] = $0; next } /^\/\/ ----- [^:]*: / { print "// ----- " got[++n]; next } { print }' \
            <(awk -v file="$file" 'match($0, /^\/\/ ----- [^:]*: /) { n++; if (FILENAME == file) print n }' "$here"/*.mlir |
                awk 'NR == FNR { all[FNR] = $0; next } { print all[$1] }' got -) "$file" >blessed && cat blessed >"$file"
    done
    cp got wanted
fi
failed=$(paste -d '\n' wanted got | awk 'NR % 2 { wanted = $0; next } wanted != $0 { print "wanted " wanted "\ngot    " $0 }' | tee differences | grep -c '^wanted')
cat differences
total=$(wc -l <wanted)
accepted=$(grep -c ': accept$' got)
echo "$((total - failed)) passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$total" -gt 100 ] && [ "$accepted" -gt 30 ]
