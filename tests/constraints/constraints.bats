# Constraints of the operation semantics, each broken alone. constraints/OP.hlo keeps all constraints of its operation; a row
# of constraints/INDEX.tsv is an edit of it after which one is broken, and nothing else:
#   name  OP--WHAT: docs/evidence/operation-semantics.tsv has it as constraint:NAME
#   by    who refuses the edited module: xla, the default, or editions that ask for what XLA does not
#   said  line, column and rule of the only error
#   edit  sed script
#   run   where XLA accepts what nothing defines: [options of hlo-run: ] and the beginning of its error

load ../lib
load ../cases

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/edited" "$BATS_FILE_TMPDIR/whole"
    tail -n +2 "$HLO_ROOT/tests/constraints/INDEX.tsv" >"$BATS_FILE_TMPDIR/rows"
    cp "$HLO_ROOT"/tests/constraints/*.hlo "$BATS_FILE_TMPDIR/whole"
    while IFS=$'\t' read -r name _ _ edit _; do
        sed -e "$edit" "$BATS_FILE_TMPDIR/whole/${name%%--*}.hlo" >"$BATS_FILE_TMPDIR/edited/$name.hlo"
    done <"$BATS_FILE_TMPDIR/rows"
}

teardown_file() { sum_cases; }

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# errors_of DIALECT FOLDER: NAME LINE:COLUMN RULE of each error.
errors_of() {
    (cd "$2" && hlo-verify --dialect="$1" ./*.hlo 2>&1) |
        sed -n 's|^\./\([^ ]*\)\.hlo:\([0-9]*:[0-9]*\): error: .*\[\([a-z0-9-]*\)\]$|\1 \2 \3|p'
}

@test "each edit breaks one constraint of a module that keeps all" {
    begin_cases
    for dialect in xla 2018 2019 2024 2025; do
        errors_of $dialect whole >broken
        errors_of $dialect edited >said
        awk -F '\t' -v dialect=$dialect '
            FILENAME == "broken" { split($0, w, " "); broken[w[1]] = $0; next }
            FILENAME == "said" { split($0, w, " "); said[w[1]] = said[w[1]] (said[w[1]] == "" ? "" : ", ") w[2] " " w[3]; next }
            index(" " $2 " ", " " dialect " ") {
                split($1, base, "--")
                if (base[1] in broken) print "bad\t" $1 "\tthe module itself, by " dialect ": " broken[base[1]]
                else if (said[$1] != $3) print "bad\t" $1 "\tby " dialect ": " (said[$1] == "" ? "accepted" : said[$1]) ", not " $3
                else print "ok"
            }' broken said rows >verdicts
        while IFS=$'\t' read -r verdict name why; do
            if [ "$verdict" = ok ]; then ok; else bad "$name" "$why"; fi
        done <verdicts
    done
    end_cases
}

@test "the error is at the operation that the name names" {
    begin_cases
    while IFS=$'\t' read -r name _ said _; do
        case $said in *" syntax") continue ;; esac
        opcode=$(sed -n "${said%%:*}p" "edited/$name.hlo" | grep -oE '[a-z][a-z0-9-]*\(' | head -n 1)
        opcode=${opcode%(} base=${name%%--*} what=${name#*--}
        if [[ -n $opcode && ($base == "$opcode"* || $opcode == "$base"* || $what == "$opcode"*) ]]; then ok; else bad "$name" "at '$opcode'"; fi
    done <rows
    end_cases
}

@test "the default verdict is XLA's: it accepts what only editions refuse" {
    begin_cases
    errors_of xla whole | cut -d' ' -f1 | sort -u >old
    errors_of xla edited | cut -d' ' -f1 | sort -u >refused
    while read -r name; do
        ! grep -qx "${name%%--*}" old || continue
        if ! grep -qx -e "$name" refused; then ok; else bad "$name" "refused"; fi
    done < <(awk -F '\t' '{ by[$1] = by[$1] " " $2 } END { for (name in by) if (by[name] !~ /xla/) print name }' rows)
    end_cases
}

@test "no run computes what nothing defines" {
    begin_cases
    while IFS=$'\t' read -r name _ _ _ run; do
        [ -n "$run" ] || continue
        options=$([[ $run != --* ]] || echo "${run%%: *}")
        for engine in fast reference; do
            status=0
            hlo-run --engine=$engine $options --inputs=ones "edited/$name.hlo" >said 2>&1 || status=$?
            if [ "$status" = 1 ] && grep -qE "^edited/$name.hlo:[0-9]+:[0-9]+: error: " said && grep -qF -e "${run#--*: }" said; then ok; else
                bad "$name by $engine" "status $status: $(cat said)"
            fi
        done
    done <rows
    end_cases
}
