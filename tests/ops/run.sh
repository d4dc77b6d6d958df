#!/usr/bin/env bash
# Every operation on every element type: runs the module of each pair, ops/cases.tar.gz, on special values. Either its
# results are the stored ones, or a rule rejects it; docs/evidence/element-types.md, which this script writes with --write, states which.
#
#   tests/ops/run.sh [--write]        HLO_BUILD as from run-all.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(realpath "${HLO_BUILD:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=$PWD/build/cases/element_types
export build cases work LC_ALL=C
cd "$cases" || exit 2

# `NAME npz OPTIONS`, or `NAME rule OPTIONS` of what a rule rejects, a line for a case.
find . -name '*.npz' -printf '%f\n' | sed 's/\.npz$//' | awk '
    FILENAME == "-" { stored[$0] = 1; next }
    { name = substr(FILENAME, 3); sub(/\.hlo$/, "", name); $1 = ""; print name, (name in stored ? "npz" : "rule") $0; nextfile }' - ./*.hlo |
    sort >"$work/list"

# What receives and sends, by hlo-run: a line `OP TYPE CELL` for a case; a wrong one begins with FAILED.
same_outfeed() {
    [ ! -f "$1.outfeed.npy" ] || cmp "$1.outfeed.npy" "$work/$1.outfed.npy"
}
grep -E -- '--(in|out)feed=' "$work/list" | while read -r name _ options; do
    options=${options//--outfeed=/--outfeed=$work/}
    # shellcheck disable=SC2086 # options are several words
    if said=$("$build/bin/hlo-run" "$name.hlo" --expect "$name.npz" $options 2>&1 && same_outfeed "$name" 2>&1); then
        echo "${name%--*} ${name##*--} checked"
    else
        echo "FAILED $name: ${said//$'\n'/ }"
    fi
done >"$work/fed.cells"

# All others in one process for each processor (check_engines/run_ways.c).
grep -vE -- '--(in|out)feed=' "$work/list" | split -n "r/$(nproc)" - "$work/part."
judge() {
    awk '{ name = $1; kind = $2; $1 = $2 = ""; print (kind == "npz" ? "--expect=" name ".npz" : "") $0, name ".hlo -- default" }' "$1" |
        "$build/tools/run_ways" --each 2>&1 | awk '
        /^= [0-9]+$/ { print $2 "\t" rule "\t" said; rule = said = ""; next }
        !rule && /: error: .*\[[a-z-]+\]$/ { rule = $0; sub(/.*\[/, "", rule); sub(/\]$/, "", rule) }
        { gsub("\t", " "); said = said $0 " " }' >"$1.said"
    awk '{ print $1 "\t" $2 }' "$1" | paste - "$1.said" | awk -F '\t' '{
        type = op = $1
        sub(/.*--/, "", type)
        sub(/--[^-]*$/, "", op)
        if ($2 == "npz" && $3 == "0") print op, type, "checked"
        else if ($2 == "rule" && $3 == "1" && $4 != "") print op, type, $4
        else print "FAILED " $1 ": status " $3 ($2 == "rule" ? ", neither results nor a rule: " : ": ") $5
    }' >"$1.cells"
}
for part in "$work"/part.??; do judge "$part" & done
wait
cat "$work"/*.cells >"$work/cells"
cd - >/dev/null || exit 2

# The table: a line for an operation, a column for a type that arrays have.
types=$(awk -F'[("]' '/^HLO_TYPE\(/ && !/OTHER/ { printf "%s ", $3 }' src/ir/types.def)
page() {
    cat <<'END'
# Operations and element types

What `hlo-run` does with each operation on each element type. Made by `tests/ops/run.sh --write`, which runs every pair on
special values (limits, zeros of both signs, infinities, nan, halves, shifts beyond the width, indices outside): *checked*
means that the results are those of XLA's CPU backend (jaxlib 0.10.2); or, for what it does not have, those of the same operation
in a wider type, of NumPy's unbounded integers, or of ml_dtypes for conversions (see `tests/ops/make-ops.py`: one-bit
and six-bit types, a few operations). Anything else is the [rule](../rules.md) that rejects the pair. `convert` goes from the
column's type to each of the types. For operations that call computations or pass values on, the type
is that of the values.
END
    awk -v types="$types" '
        $1 != "FAILED" { cell[$1, $2] = $3; if (!seen[$1]++) ops[++n] = $1 }
        END {
            count = split(types, type, " ")
            printf "\n| operation |"
            for (t = 1; t <= count; t++) printf " %s |", type[t]
            printf "\n| --- |"
            for (t = 1; t <= count; t++) printf " --- |"
            printf "\n"
            for (i = 1; i <= n; i++) {
                printf "| %s |", ops[i]
                for (t = 1; t <= count; t++) printf " %s |", cell[ops[i], type[t]]
                printf "\n"
            }
        }' <(sort "$work/cells")
}
page >"$work/ops.md"
if [ "${1:-}" = --write ]; then cp "$work/ops.md" docs/evidence/element-types.md; fi

failed=$(grep -c '^FAILED' "$work/cells")
passed=$(grep -vc '^FAILED' "$work/cells")
grep '^FAILED' "$work/cells" | cut -c1-300
# Every operation of XLA has a line and every cell something in it.
of_xla() {
    "$build/bin/hlo-verify" --list-operations | awk '{ print $1 }' | sort |
        comm -23 - <(awk -F'"' '/^HLO_OP/ { name = $2 } /IS_EXTENSION/ { print name }' src/ir/ops.def | sort)
}
missing=$(of_xla | comm -23 - <(awk '{ print $1 }' "$work/cells" | sort -u))
if [ -n "$missing" ]; then
    echo "no cases for $(tr "\n" " " <<<"$missing")in $cases, where make tests unpacks tests/ops/cases.tar.gz"
    failed=$((failed + 1))
fi
if grep -q '|  |' "$work/ops.md"; then
    echo "docs/evidence/element-types.md has empty cells"
    failed=$((failed + 1))
fi
if ! diff -q docs/evidence/element-types.md "$work/ops.md" >/dev/null; then
    echo "docs/evidence/element-types.md is not what tests/ops/run.sh --write writes"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, 0 skipped"
