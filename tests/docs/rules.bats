# The rules: each has a bad example that breaks exactly it and a good one; each is broken by cases and kept
# by others; XLA Operation Semantics has no constraint
# without a rule or a reason.

load ../lib

setup_file() {
    hlo-verify --list-rules >"$BATS_FILE_TMPDIR/rules"
}

# Puts the parts of all example files into bad/RULE.hlo and good/RULE.hlo, without those that show commands; a line `RULE OPTIONS`
# for each goes to `examples`.
parts() {
    mkdir bad good
    awk '
        NR == FNR { lint[$1] = $2 == "lint"; next }
        FNR == 1 { rule = FILENAME; gsub(/.*\/|\.hlo$/, "", rule); part = ""; options[rule] = lint[rule] ? "--error=" rule : "" }
        /^\/\/ options: / && !lint[rule] { options[rule] = $3 }
        /^\/\/ ----- (bad|good)$/ { part = $3; has[rule, part] = 1; file = part "/" rule ".hlo"; printf "" >file; next }
        part { print >file }
        part && /^\$ / { shown[file] = 1 }
        END {
            for (rule in options) {
                print rule, options[rule] >"examples"
                for (k = split("bad good", parts); k; k--) if (!((rule, parts[k]) in has)) print rule " has no " parts[k] " example"
            }
            for (file in shown) system("rm " file)
        }' "$BATS_FILE_TMPDIR/rules" "$HLO_ROOT"/docs/rules/*.hlo
}

# Rules that an example cannot break alone.
declare -gA along=([copy-buffers]="result-shape")

# broken OPTIONS FILE...: lines `RULE-OF-FILE RULE` of what hlo-verify reports.
broken() {
    trace_no_functions
    # shellcheck disable=SC2086 # no option, or one
    hlo-verify --format=json $1 "${@:2}" | sed 's|^{"file":"[a-z]*/\([^"]*\)\.hlo".*"rule":"\([^"]*\)".*|\1 \2|'
}

# files_of PART OPTIONS: the examples with these options, to $files.
files_of() {
    mapfile -t files < <(awk -v options="$2" '{ name = $1; sub(/^[^ ]* ?/, "") } $0 == options { print name }' examples |
        while read -r rule; do [ ! -f "$1/$rule.hlo" ] || echo "$1/$rule.hlo"; done | sort)
}

@test "every rule has a page in docs/rules, and every page a rule" {
    cut -d' ' -f1 "$BATS_FILE_TMPDIR/rules" | sort >"$BATS_TEST_TMPDIR/rules"
    (cd "$HLO_ROOT/docs/rules" && printf '%s\n' *.hlo) | sed 's/\.hlo$//' | sort | diff "$BATS_TEST_TMPDIR/rules" -
}

@test "every bad example breaks its rule alone, every good one none" {
    cd "$BATS_TEST_TMPDIR"
    wrong=$(parts)
    [ -z "$wrong" ] || fail "$wrong"
    while IFS= read -r options; do
        files_of bad "$options"
        [ ${#files[@]} = 0 ] || broken "$options" "${files[@]}" >>got || true
        files_of good "$options"
        # shellcheck disable=SC2086 # no option, or one
        [ ${#files[@]} = 0 ] || hlo-verify -q $options "${files[@]}" || fail "a good example is bad"
    done < <(sed 's/^[^ ]* *//' examples | sort -u)
    for file in bad/*; do
        rule=${file##*/} rule=${rule%.hlo}
        printf '%s\n' "$rule" ${along[$rule]-} | sed "s/^/$rule /"
    done >wanted
    [ "$(wc -l <wanted)" -gt 150 ] || fail "only $(wc -l <wanted) examples"
    diff <(sort -u wanted) <(sort -u got) || fail "an example (first word) breaks other rules"
}

# Prints `RULE BREAKING KEEPING`: examples, tests/verify/cases (kept by accepted modules of the operations
# whose modules break it), tests/parse/messages, and for lint the cases of lint.bats.
count_cases() {
    cd "$HLO_ROOT" || return 1
    awk '
        FILENAME ~ /rules$/ { if ($2 !~ /^(run|system|use)$/) stage[$1] = $2; next }
        FILENAME ~ /docs.rules/ {
            rule = FILENAME; gsub(/.*\/|\.hlo$/, "", rule)
            breaking[rule] += /^\/\/ ----- bad$/; keeping[rule] += /^\/\/ ----- good$/
            next
        }
        FILENAME ~ /cases.tsv$/ { op = $1; if ($2 == "accept" && gsub(/^accept\/|--.*/, "", op)) accepted[op]++; next }
        FILENAME ~ /said.tsv$/ {
            op = $1; gsub(/^reject\/|--.*/, "", op)
            for (i = 3; i <= NF; i += 2) { breaking[$i]++; if (!seen[$i, op]++) keeping[$i] += accepted[op] }
            next
        }
        FILENAME ~ /err$/ { if (match($0, /\[[a-z-]+\]$/)) breaking[substr($0, RSTART + 1, RLENGTH - 2)]++; next }
        FILENAME ~ /lint.bats$/ { for (rule in stage) if (stage[rule] == "lint" && index($0, rule)) breaking[rule]++ }
        END { for (rule in stage) print rule, breaking[rule] + 0, keeping[rule] + 0 }' \
        "$BATS_FILE_TMPDIR/rules" docs/rules/*.hlo tests/verify/cases/cases.tsv tests/verify/cases/said.tsv \
        tests/parse/messages/*.err tests/verify/lint.bats
}

@test "every rule is broken by some cases and kept by others" {
    count_cases >"$BATS_TEST_TMPDIR/counts"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/counts")" -gt 100 ] || fail "$(cat "$BATS_TEST_TMPDIR/counts")"
    without=$(awk '$2 == 0 || $3 == 0' "$BATS_TEST_TMPDIR/counts")
    [ -z "$without" ] || fail "$without"
}

@test "--explain prints the requirement of a rule, its source and its examples" {
    while read -r rule stage text; do
        expect_status 0 hlo-verify --explain="$rule"
        expect_text "$out" "$rule ($stage): $text"
        grep -q '^source:$' "$out" || fail "$rule has no source"
    done <"$BATS_FILE_TMPDIR/rules"
    expect_status 0 hlo-verify --explain dot-contracting
    expect_text "$out" "bad:"
    expect_text "$out" "good:"
    expect_status 2 hlo-verify --explain=no-such-rule
    expect_text "$err" "unknown rule 'no-such-rule'"
}

@test "operation-semantics.md: each operation of an edition has a function and a test" {
    ! grep -nE '\|  *\|' "$HLO_ROOT"/docs/evidence/operation-semantics*.md || fail "a cell is empty"
    [ "$(cat "$HLO_ROOT"/docs/evidence/operation-semantics*.md | grep -c '`hlo_builder_')" -gt 100 ] || fail "there are few functions"
}

# The rules that a test of operation-semantics.tsv is refused by, or an example of a rule is about, to $refused.
declare -gA refusals=()
refused_by() {
    case $1 in
    constraint:*) refused=${refusals[${1#constraint:}]-} ;;
    docs/rules/*) refused=${1##*/} refused=${refused%.hlo} ;;
    *) refused= ;;
    esac
}

@test "operation-semantics.tsv: each constraint has a test, and the rules by which its tests are refused" {
    trace_no_functions
    find "$(cases_of golden)" -mindepth 1 -maxdepth 1 -printf '%f/\n' >"$BATS_TEST_TMPDIR/golden"
    while read -r name rule; do refusals[$name]+=" $rule"; done < <(awk -F '\t' '!/^#/ { sub(/.* /, "", $3); print $1, $3 }' "$HLO_ROOT/tests/constraints/INDEX.tsv")
    wrong= all=0
    while IFS=$'\t' read -r constraint rules tests; do
        all=$((all + 1)) met=
        [ -n "$tests" ] || wrong+="$constraint: no test"$'\n'
        while IFS= read -r test; do
            file=${test%%#*} words=${test#"$file"}
            refused_by "$test"
            case $test in
            golden:*) grep -qE "^${test#golden:}/" "$BATS_TEST_TMPDIR/golden" || wrong+="$constraint: no case $test"$'\n' ;;
            constraint:*) [ -n "$refused" ] || wrong+="$constraint: no row $test"$'\n' ;;
            *#*) grep -q "^@test \".*${words#?}" "$HLO_ROOT/$file" || wrong+="$constraint: no test $test"$'\n' ;;
            *) [ -f "$HLO_ROOT/$file" ] || wrong+="$constraint: no file $test"$'\n' ;;
            esac
            met+=" $refused"
        done <<<"${tests//, /$'\n'}"
        printf '%s\t%s\t%s\n' "$constraint" "$met" "${rules#-}" >>"$BATS_TEST_TMPDIR/sets"
    done < <(awk -F '\t' 'FNR > 1 { print $2 ": " $4 "\t" $5 "\t" $7 }' "$HLO_ROOT/docs/evidence/operation-semantics.tsv")
    wrong+=$(awk -F '\t' '
        # Words of `text` that are not in `other`.
        function beyond(text, other,    word, n, i) {
            n = split(text, word, " ")
            for (i = 1; i <= n; i++) if (index(" " other " ", " " word[i] " ") == 0) return 1
            return 0
        }
        { gsub(/,/, "", $3); gsub(/  +/, " ", $2) }
        beyond($2, $3) || beyond($3, $2) { print $1 ": its tests are refused by " $2 }' "$BATS_TEST_TMPDIR/sets")
    [ -z "$wrong" ] || fail "$wrong"
    [ "$all" -gt 300 ] || fail "only $all constraints"
}

@test "operation-semantics.tsv: tests are about the operation of their row, and each edit of tests/constraints is one" {
    cut -f1,3 "$HLO_ROOT/docs/ops/signatures.tsv" >"$BATS_TEST_TMPDIR/opcodes"
    wrong=$(awk -F '\t' '
        FILENAME ~ /opcodes$/ { opcodes[$1] = opcodes[$1] " " $2; next }
        FILENAME ~ /INDEX.tsv$/ { if (FNR > 1) edits[$1] = 1; next }
        FNR == 1 { next }
        function of(name,   n, part, i, all) {
            if (name in opcodes) return opcodes[name]
            if (name == "CompositeCall") return "call"
            if (name == "Binary operations") return "add"
            if (name == "Shifts") return "shift-left shift-right-arithmetic shift-right-logical"
            if (name == "Send and Recv, schedule") return "send recv"
            if (name == "Eq to Lt in total order") return "compare eq-total-order ne-total-order ge-total-order gt-total-order le-total-order lt-total-order"
            if (name == "Unary operations") name = "Abs Cbrt Ceil Cos Erf Exp Expm1 Floor Log Log1p Logistic Neg Round RoundNearestEven Rsqrt Sign Sin Sqrt Tan Tanh"
            n = split(name, part, /[ ,]+/)
            for (i = 1; i <= n; i++) all = all " " opcodes[part[i]]
            return all
        }
        {
            n = split($7, tests, ", "); m = split(of($2) ($2 ~ /^(Collapse|BroadcastInDim|CrossReplicaSum)$/ ? " collapse broadcast-in-dim cross-replica-sum" : ""), names, " ")
            for (i = 1; i <= n; i++) {
                if (tests[i] !~ /^constraint:/) continue
                name = substr(tests[i], 12); met[name] = 1; fits = 0
                for (k = 1; k <= m; k++) if (index(name, names[k]) == 1 || index(name, "--" names[k])) fits = 1
                if (!fits) print $2 ": " $4 ": " name " is about another operation"
            }
        }
        END { for (name in edits) if (!(name in met)) print name " is of no row" }' \
        "$BATS_TEST_TMPDIR/opcodes" "$HLO_ROOT/tests/constraints/INDEX.tsv" "$HLO_ROOT/docs/evidence/operation-semantics.tsv")
    [ -z "$wrong" ] || fail "$wrong"
}

@test "operation-semantics.tsv: every row has a rule that exists, or an explanation" {
    awk -F '\t' -v rules="$BATS_FILE_TMPDIR/rules" '
        BEGIN { while ((getline line < rules) > 0) { split(line, w, " "); known[w[1]] = 1 } }
        FNR == 1 { next }
        NF != 7 { print FNR ": " NF " columns"; bad = 1; next }
        {
            for (i = 1; i <= 5; i++) if ($i == "") { print FNR ": column " i " is empty"; bad = 1 }
            if ($5 == "-" && $6 == "") { print FNR ": neither a rule nor an explanation"; bad = 1 }
            n = split($5, list, /, */)
            for (i = 1; i <= n; i++) if (list[i] != "-" && !(list[i] in known)) { print FNR ": no rule " list[i]; bad = 1 }
        }
        END { exit bad }' "$HLO_ROOT/docs/evidence/operation-semantics.tsv"
}

# Rows of the source that operation-semantics.tsv splits, joins or calls otherwise.
renamed() {
    case $1 in
    "— its text") echo "CompositeCall" ;;
    "Conditional(pred…)") echo "Conditional(pred)" ;;
    "Conditional(index…)") echo "Conditional(index)" ;;
    "Recv / RecvDone") printf '%s\n' Recv RecvDone ;;
    "channel scheduling") echo "Send and Recv, schedule" ;;
    *"hang rule") echo "Collectives, how often" ;;
    Reshape*) echo Reshape ;;
    "— formula") echo Scatter ;;
    Logical*) echo "And Or Xor Not" ;;
    Pow*) printf '%s\n' "Atan2, Pow" Shifts Complex ;;
    "broadcasting of the binary ops") echo "Binary operations" ;;
    Eq…*) echo "Eq to Lt in total order" ;;
    Abs* | Cbrt* | Round* | Sign) echo "Unary operations" ;;
    *) echo "$1" ;;
    esac
}

@test "operation-semantics.tsv has every operation of the editions, with every edition that has it" {
    source=$HLO_SHARED/reference/seed-operations.md
    [ -f "$source" ] || skip "no list of the operations of the editions: the table is not compared"
    wrong= all=0
    while IFS='|' read -r operation editions; do
        if [ "$editions" = all ]; then editions="0 1 2 3"; fi
        while read -r name; do
            all=$((all + 1))
            ours=$(awk -F '\t' -v name="$name" '$2 == name { print $3 == "all" ? "0 1 2 3" : $3 }' "$HLO_ROOT/docs/evidence/operation-semantics.tsv")
            [ -n "$ours" ] || wrong+="$name is missing"$'\n'
            for edition in $editions; do
                [[ $ours == *$edition* ]] || wrong+="$name of edition $edition is missing"$'\n'
            done
        done < <(renamed "$operation")
    done < <(awk -F '|' '
        /^#+ / { inside = /^## 1[.]/ }
        inside && /^[|]/ && $2 !~ /^(-+| op )$/ {
            gsub(/^ +| +$/, "", $2)
            gsub(/[(][^)]*[)]/, "", $3)
            if ($3 ~ /all/) $3 = "all"; else gsub(/[^0-3 ]/, "", $3)
            print $2 "|" $3
        }' "$source")
    [ -z "$wrong" ] || fail "$wrong"
    [ $all -gt 80 ] || fail "only $all operations read"
}
