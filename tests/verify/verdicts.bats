# tests/verify/cases against the output of hlo-verify: of every reject the rules and places (said.tsv), and
# that one of the places is where cases.tsv wants it.
#
# After a change of rules or places, look at what `HLO_BLESS=1 tests/run-all.sh build verdicts` makes of
# said.tsv (git diff): it writes the present output and passes.

load ../lib
load ../cases

# Of each reject, in the order of cases.tsv: FILE, then `LINE:COLUMN RULE` for each error, then the lines
# of its notes as `@LINE`; tab-separated.
setup_file() {
    cd "$HLO_ROOT/build/cases/verify" || return 1
    local status=0
    # Without those that known-differences.md names; verify.bats, dialects.bats and printing/ have them.
    awk -F '\t' '$1 !~ /^reject\/(module--byte-order-mark|module--mlir-instead|after-all--operand-not-token|async-start--thread-differs|custom-call--api-version-unspecified)\.hlo$/' cases.tsv >"$BATS_FILE_TMPDIR/judged.tsv"
    mapfile -t rejects < <(awk -F '\t' 'NR > 1 && $2 == "reject" { print $1 }' "$BATS_FILE_TMPDIR/judged.tsv")
    hlo-verify --format=json "${rejects[@]}" >"$BATS_FILE_TMPDIR/json" || status=$?
    [ $status = 1 ] || fail "status $status"
    awk '
        NR == FNR { if ($2 == "reject") order[++n] = $1; next }
        {
            match($0, /^\{"file":"[^"]*"/)
            file = substr($0, 10, RLENGTH - 10)
            match($0, /"line":[0-9]+/); line = substr($0, RSTART + 7, RLENGTH - 7)
            match($0, /"column":[0-9]+/); column = substr($0, RSTART + 9, RLENGTH - 9)
            match($0, /"rule":"[^"]*"/); rule = substr($0, RSTART + 8, RLENGTH - 9)
            said[file] = said[file] "\t" line ":" column " " rule
            rest = substr($0, index($0, "\"notes\":["))
            while (match(rest, /"line":[0-9]+/)) {
                notes[file] = notes[file] "\t@" substr(rest, RSTART + 7, RLENGTH - 7)
                rest = substr(rest, RSTART + RLENGTH)
            }
        }
        END {
            for (i = 1; i <= n; i++) {
                print order[i] said[order[i]] > errors
                print order[i] said[order[i]] notes[order[i]] > places
            }
        }' errors="$BATS_FILE_TMPDIR/said" places="$BATS_FILE_TMPDIR/places" \
        FS='\t' "$BATS_FILE_TMPDIR/judged.tsv" FS=' ' "$BATS_FILE_TMPDIR/json"
}

teardown_file() {
    sum_cases
}

@test "of each reject: its rules, with line and column" {
    cd "$HLO_ROOT/build/cases/verify"
    if [ -n "${HLO_BLESS:-}" ]; then cp "$BATS_FILE_TMPDIR/said" said.tsv && cp said.tsv "$HLO_ROOT/tests/verify/cases/"; fi
    begin_cases
    while IFS='|' read -r file wanted got; do
        if [ "$wanted" = "$got" ] && [ -n "$got" ]; then ok; else bad "$file" "'$got' instead of '$wanted'"; fi
    done < <(awk -F '\t' '
        { file = $1; sub(/^[^\t]*\t?/, ""); gsub(/\t/, ", ") }
        NR == FNR { wanted[file] = $0; next }
        { print file "|" wanted[file] "|" $0; delete wanted[file] }
        END { for (file in wanted) print file "|" wanted[file] "|" }' said.tsv "$BATS_FILE_TMPDIR/said")
    end_cases
}

@test "rejects of shape inference and of the verifier: a place on the right line" {
    cd "$HLO_ROOT/build/cases/verify"
    begin_cases
    while IFS='|' read -r file where verdict; do
        if [ "$verdict" = good ]; then ok; else bad "$file" "no place on the line of $where"; fi
    done < <(awk -F '\t' '
        NR == FNR { if ($3 == "shape" || $3 == "verify") where[$1] = $5; next }
        !($1 in where) { next }
        {
            split(where[$1], at, ":")
            good = where[$1] == "" && NF > 1
            for (i = 2; i <= NF; i++) if (index($i, at[1] ":") == 1 || $i == "@" at[1]) good = 1
            print $1 "|" where[$1] "|" (good ? "good" : "bad")
        }' "$BATS_FILE_TMPDIR/judged.tsv" "$BATS_FILE_TMPDIR/places")
    end_cases
}

# A new operation may add cases to those.
@test "all cases of HLO_SHARED/verify are here, unchanged" {
    given=$HLO_SHARED/verify cases=$HLO_ROOT/build/cases/verify
    [ -d "$given" ] || skip "no $given"
    for part in accept reject; do
        ! diff -rq "$given/$part" "$cases/$part" | grep -v "^Only in $cases" || fail "$part differs"
    done
    missing=$(sort "$given/cases.tsv" | comm -23 - <(sort "$cases/cases.tsv"))
    [ -z "$missing" ] || fail "not in cases.tsv: $missing"
}
