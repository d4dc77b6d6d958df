# Constraints of the operation semantics, one module each (constraints/*.hlo), which violates that one and no other:
# what refuses it, where, and how the message reads; what XLA's verdict is; and that a run does not compute it. Heads:
#   // rule, at    of the only error, by each dialect of the next line
#   // dialect     xla, or the editions that state the constraint
#   // xla         accepts or refuses: the default verdict
#   // run         options of hlo-run and the beginning of its error, where XLA's verifier accepts what no definition covers
#   // says        a pattern of the message
#   // repair      sed script after which nothing is refused

load lib
load cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

teardown_file() { sum_cases; }

# head_of FILE KEY
head_of() { sed -n "s|^// $2: ||p" "$1"; }

@test "each module is refused for its constraint, and for nothing else" {
    begin_cases
    for file in "$HLO_ROOT"/tests/constraints/*.hlo; do
        name=$(basename "$file")
        cp "$file" .
        sed -e "$(head_of "$name" repair)" "$name" >repaired.hlo
        for dialect in $(head_of "$name" dialect); do
            errors=$(hlo-verify --dialect="$dialect" "$name" 2>&1 | grep -E '^[^ ].*: error: ') || true
            if [ "$(wc -l <<<"$errors")" = 1 ] && [[ $errors == "$name:$(head_of "$name" at): "*"[$(head_of "$name" rule)]" ]] &&
                grep -qe "$(head_of "$name" says)" <<<"$errors"; then ok; else bad "$name by $dialect" "$errors"; fi
            if said=$(hlo-verify --dialect="$dialect" repaired.hlo 2>&1); then ok; else bad "$name repaired, by $dialect" "$said"; fi
        done
    done
    end_cases
}

@test "the default verdict is XLA's, and no run computes what is not defined" {
    begin_cases
    for file in "$HLO_ROOT"/tests/constraints/*.hlo; do
        name=$(basename "$file")
        cp "$file" .
        wanted=1
        [ "$(head_of "$name" xla)" = refuses ] || wanted=0
        status=0
        hlo-verify "$name" >said 2>&1 || status=$?
        if [ "$status" = "$wanted" ]; then ok; else bad "$name" "status $status: $(cat said)"; fi
        run=$(head_of "$name" run)
        [ -n "$run" ] || continue
        options=$([[ $run != --* ]] || echo "${run%%: *}")
        for engine in fast reference; do
            status=0
            hlo-run --engine=$engine $options --inputs=ones "$name" >said 2>&1 || status=$?
            if [ "$status" = 1 ] && grep -qE "^$name:[0-9]+:[0-9]+: error: " said && grep -qF -e "${run#--*: }" said; then ok; else
                bad "$name by $engine" "status $status: $(cat said)"
            fi
        done
    done
    end_cases
}
