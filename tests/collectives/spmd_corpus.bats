# Real dumps with shardings, divided by our passes and by XLA's partitioner: no operand of a dot is larger on a device than XLA
# makes it, and a device sends at most 1.2 times the bytes. tests/collectives/spmd/corpus.tsv has the results of XLA.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# bytes_sent FILE: by a device, in all collectives.
bytes_sent() {
    hlo-opt --communication --format=json "$1" | jq -s 'map(select(.table == "exchanges").bytes_sent) | add // 0'
}

# at_most NAME WHAT OURS XLA PERCENT
at_most() {
    if [ $(($3 * 100)) -gt $(($4 * $5)) ]; then bad "$1" "$2: $3, and $4 in what XLA makes"; else ok; fi
}

# compare NAME DEVICES BYTES DOTS PRODUCTS LEFT RIGHT
compare() {
    local dots products left right
    # What Shardy marks its results with has no meaning for XLA's partitioner, and was taken out for it, too.
    sed -E '/custom_call_target="xla.sdy.FuncResultSharding"/s/custom-call\(([^)]*)\).*/copy(\1)/' "$HLO_CORPUS/$1.hlo" >in.hlo
    hlo-opt --passes="call-inliner,sharding-propagation,spmd-partitioner{partitions=$2}" --verify-each in.hlo >out.hlo 2>said || {
        bad "$1" "$(head -n 3 said)"
        return
    }
    read -r dots products left right < <(awk -f "$HLO_ROOT/tests/collectives/spmd/dots.awk" out.hlo)
    at_most "$1" dots "$dots" "$4" 100
    at_most "$1" "multiply-adds" "$products" "$5" 101
    at_most "$1" "elements of left operands" "$left" "$6" 101
    at_most "$1" "elements of right operands" "$right" "$7" 101
    at_most "$1" "bytes that a device sends" "$(bytes_sent out.hlo)" "$3" 120
}

@test "dots and bytes of dumps that XLA divided, too" {
    [ -n "$HLO_CORPUS" ] || skip "there is no corpus of dumps (HLO_CORPUS)"
    begin_cases
    while IFS=$'\t' read -r name numbers; do
        # shellcheck disable=SC2086 # words
        compare "$name" $numbers
    done < <(grep -v '^#' "$HLO_ROOT/tests/collectives/spmd/corpus.tsv")
    end_cases
}

# toy NAME PASSES: the dump with smaller sizes (or as it is: -), in f32, and without what Shardy marks its results with.
toy() {
    local smaller=,$2
    sed -E -e '/custom_call_target="xla.sdy.FuncResultSharding"/s/custom-call\(([^)]*)\).*/copy(\1)/' -e 's/bf16/f32/g' "$HLO_CORPUS/$1.hlo" |
        hlo-opt --passes="strip-metadata${smaller%,-}" --large-constants -
}

# run_toy NAME DEVICES INPUTS PASSES: all devices compute what one does.
run_toy() {
    local out name how=(--inputs="$3" --seed=3)
    rm -rf wanted all
    mkdir all
    toy "$1" "$4" >toy.hlo || return
    hlo-opt --passes='strip-metadata{shardings=true}' --large-constants toy.hlo >whole.hlo
    hlo-run "${how[@]}" --replicas=1 --partitions=1 --output-dir wanted whole.hlo || return
    awk -f "$HLO_ROOT/tests/collectives/spmd/whole_boundary.awk" toy.hlo >in.hlo
    hlo-opt --passes="call-inliner,sharding-propagation,spmd-partitioner{partitions=$2}" --large-constants in.hlo >out.hlo || return
    for out in wanted/*.npy; do
        name=${out##*/}
        for ((i = 0; i < $2; i++)); do ln "$out" "all/${name%.npy}.r$i.npy"; done
    done
    hlo-run "${how[@]}" --expect=all --rtol=1e-3 --atol=1e-3 out.hlo
}

@test "toys of dumps compute on 8 devices what they compute on one" {
    [ -n "$HLO_CORPUS" ] || skip "there is no corpus of dumps (HLO_CORPUS)"
    begin_cases
    while IFS=$'\t' read -r name devices inputs passes long; do
        # These take several times as long as the others: `make check-whole`.
        [ -z "$long" ] || is_whole || continue
        if run_toy "$name" "$devices" "$inputs" "$passes" >said 2>&1; then ok; else bad "$name" "$(grep -v ' agree' said | head -n 5)"; fi
    done < <(grep -v '^#' "$HLO_ROOT/tests/collectives/spmd/toys.tsv")
    end_cases
}
