# tests/verify/cases: modules that have to be accepted, and texts that lexing or parsing has to refuse
# at a stated place. Cases whose last shape is left out (-noshape) wait for shape inference and are
# counted apart.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    cd "$HLO_ROOT/build/cases/verify" || return 1
    columns=0
}

# judge FILE VERDICT WHERE: the rule of tests/verify/README.md to $wrong, empty when all is well.
judge() {
    local file=$1 verdict=$2 where=$3 said status=0
    said=$(cpu_seconds 60 hlo-verify "$file" 2>&1) || status=$?
    wrong=
    if [ $status -gt 1 ]; then wrong="status $status: ${said%%$'\n'*}"
    elif [ $status = 0 ] && [ "$verdict" = reject ]; then wrong="is accepted"
    elif [ $status = 1 ] && [ "$verdict" = accept ]; then wrong="is rejected: ${said%%$'\n'*}"
    elif [ "$verdict" = reject ]; then judge_place "$said" "$where"; fi
}

judge_place() {
    local said=$1 where=$2
    if ! [[ $said =~ (^|[^0-9])[0-9]+:[0-9]+ ]]; then wrong="no position: $said"
    elif [ -n "$where" ] && ! [[ $said =~ (^|[^0-9])${where%%:*}:[0-9] ]]; then
        wrong="should point at $where: ${said%%$'\n'*}"
    elif [ -n "$where" ] && [[ $said =~ (^|[^0-9])$where($|[^0-9]) ]]; then
        columns=$((columns + 1))
    fi
}

# judge_rows AWK-CONDITION: all rows of cases.tsv that fulfil it.
judge_rows() {
    begin_cases
    while IFS='|' read -r file verdict where; do
        judge "$file" "$verdict" "$where"
        if [ -z "$wrong" ]; then ok; else bad "$file" "$wrong"; fi
    done < <(awk -F '\t' "NR > 1 && ($1) { print \$1 \"|\" \$2 \"|\" \$5 }" cases.tsv |
        grep -Ev '^reject/(module--byte-order-mark|module--mlir-instead|custom-call--api-version-unspecified).hlo\|') # see known-differences.md
}

@test "what no token can be formed from is refused at the right line" {
    judge_rows '$3 == "lex"'
    remark "lex: $columns of $cases_passed at the very column"
    end_cases
}

@test "what the grammar does not allow is refused at the right line" {
    judge_rows '$3 == "parse"'
    remark "parse: $columns of $cases_passed at the very column"
    end_cases
}

@test "good modules are accepted" {
    judge_rows '$2 == "accept" && $1 !~ /-noshape/'
    end_cases
}

@test "good modules are accepted with the last shape left out" {
    judge_rows '$2 == "accept" && $1 ~ /-noshape/'
    end_cases
}
