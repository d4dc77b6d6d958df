# The rules: each has a bad example that breaks exactly it and a good one; each is broken by a case and
# kept by another; the pages made from the tables are what the tables say now.

load lib

setup_file() {
    hlo-verify --list-rules >"$BATS_FILE_TMPDIR/rules"
}

# Puts the parts of an example file into `bad` and `good`.
parts() {
    rm -f bad good
    awk '/^\/\/ ----- (bad|good)$/ { part = $3; next } part { print > part }' "$1"
}

# Rules that an example cannot break alone.
declare -gA along=([copy-buffers]="result-shape")

# Names of the rules that FILE breaks, each once.
broken() {
    hlo-verify --format=json "$@" | sed 's/.*"rule":"\([^"]*\)".*/\1/' | sort -u | tr '\n' ' '
}

@test "every rule has a page in docs/rules, and every page a rule" {
    cut -d' ' -f1 "$BATS_FILE_TMPDIR/rules" | sort >"$BATS_TEST_TMPDIR/rules"
    (cd "$HLO_ROOT/docs/rules" && printf '%s\n' *.hlo) | sed 's/\.hlo$//' | sort | diff "$BATS_TEST_TMPDIR/rules" -
}

@test "every bad example breaks its rule alone, every good one none" {
    cd "$BATS_TEST_TMPDIR"
    wrong=
    for file in "$HLO_ROOT"/docs/rules/*.hlo; do
        rule=$(basename "$file" .hlo)
        parts "$file"
        if [ ! -e bad ]; then
            grep -q '^// No text breaks it' "$file" || wrong+="$rule has no bad example"$'\n'
            continue
        fi
        [ -e good ] || wrong+="$rule has no good example"$'\n'
        options=$(sed -n 's|^// options: ||p' "$file")
        ! grep -q "^$rule  *lint " "$BATS_FILE_TMPDIR/rules" || options=--error=$rule
        if ! grep -q '^\$ ' bad; then
            wanted=$(printf '%s\n' $rule ${along[$rule]-} | sort -u | tr '\n' ' ')
            got=$(broken $options bad || true)
            [ "$got" = "$wanted" ] || wrong+="$rule: the bad example breaks '$got'"$'\n'
        fi
        if ! grep -q '^\$ ' good; then
            hlo-verify -q $options good || wrong+="$rule: the good example is bad"$'\n'
        fi
    done
    [ -z "$wrong" ] || fail "$wrong"
}

@test "--explain says what a rule demands, its source and its examples" {
    while read -r rule stage text; do
        expect_status 0 hlo-verify --explain="$rule"
        expect_text "$out" "$rule ($stage): $text"
        grep -q '^source:$' "$out" || fail "$rule has no source"
    done <"$BATS_FILE_TMPDIR/rules"
    expect_status 0 hlo-verify --explain dot-contracting
    expect_text "$out" "bad:"
    expect_text "$out" "good:"
    expect_status 2 hlo-verify --explain=no-such-rule
    expect_text "$err" "there is no rule 'no-such-rule'"
}

@test "rules.md, diagnostics.md and seeds.md are what make docs writes" {
    "$HLO_ROOT/tools/make-docs" "$HLO_BIN" "$BATS_TEST_TMPDIR"
    for page in rules diagnostics seeds; do
        diff "$HLO_ROOT/docs/$page.md" "$BATS_TEST_TMPDIR/$page.md" || fail "run make docs"
    done
}

@test "seeds.tsv: every row has a rule that exists, or an explanation" {
    awk -F '\t' -v rules="$BATS_FILE_TMPDIR/rules" '
        BEGIN { while ((getline line < rules) > 0) { split(line, w, " "); known[w[1]] = 1 } }
        FNR == 1 { next }
        NF != 6 { print FNR ": " NF " columns"; bad = 1; next }
        {
            for (i = 1; i <= 5; i++) if ($i == "") { print FNR ": column " i " is empty"; bad = 1 }
            if ($5 == "-" && $6 == "") { print FNR ": neither a rule nor an explanation"; bad = 1 }
            n = split($5, list, /, */)
            for (i = 1; i <= n; i++) if (list[i] != "-" && !(list[i] in known)) { print FNR ": no rule " list[i]; bad = 1 }
        }
        END { exit bad }' "$HLO_ROOT/docs/seeds.tsv"
}
