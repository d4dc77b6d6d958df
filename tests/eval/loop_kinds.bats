# The modules of bench/modules, with fewer iterations: loops whose invariant work is in called and fused computations, and
# updates in place through fusions, calls and nested loops. The values, and what a run does not do: nothing is timed.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# short NAME ITERATIONS: the module with so many iterations of each loop, as m.hlo.
short() {
    sed -E "s/(%count(\.1)? = s32\[\] constant)\([0-9]+\)/\1($2)/" "$HLO_ROOT/bench/modules/$1.hlo" >m.hlo
    ! cmp -s m.hlo "$HLO_ROOT/bench/modules/$1.hlo" || fail "$1 has no trip count"
}

# same NAME ITERATIONS: both engines compute the same, and the fast one the same bits with and without passes and threads.
same() {
    short "$1" "$2"
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --threads=1 --output-dir=fast.npz m.hlo
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --threads=2 --output-dir=two.npz m.hlo
    cmp fast.npz two.npz || fail "$1: two threads give other bits"
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --as-written --output-dir=written.npz m.hlo
    cmp fast.npz written.npz || fail "$1: the passes change bits"
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --jit=0 --output-dir=plain.npz m.hlo
    cmp fast.npz plain.npz || fail "$1: machine code gives other bits"
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --engine=reference --rtol=auto --expect fast.npz m.hlo
}

# computation NAME: its text after the passes.
computation() {
    hlo-opt --pipeline=run "$HLO_ROOT/bench/modules/$1.hlo" >passed.hlo
    awk "/^(ENTRY )?%$2 /, /^}/" passed.hlo >part.hlo
    [ -s part.hlo ] || fail "no $2: $(cat passed.hlo)"
}

# has_no WORD...: none of them is an operation of the computation.
has_no() {
    for word in "$@"; do
        ! grep -q " $word(" part.hlo || fail "$word stays: $(cat part.hlo)"
    done
}

# updates NAME INSTRUCTIONS [ARRAYS]: so many steps of the plan write over an array that they update, and steps in loops make
# so many (none) arrays of 1 MB and more.
updates() {
    hlo-run --print-plan "$HLO_ROOT/bench/modules/$1.hlo" >plan.txt
    local over made
    over=$(grep -cE ' (dynamic_update_slice|scatter) +over ' plan.txt || true)
    [ "$over" -eq "$2" ] || fail "$over updates in place instead of $2: $(cat plan.txt)"
    made=$(awk '/^plan / { loop = $2 ~ /body/ } loop && /^ +[0-9]+ +(own|[0-9]+) +[0-9]+ / && $3 >= 1000000 { n++ } END { print n + 0 }' plan.txt)
    [ "$made" -eq "${3:-0}" ] || fail "$made large arrays instead of ${3:-0}: $(cat plan.txt)"
}

@test "invariant work of called computations is done before the loop" {
    same invariant_in_called_60 3
    computation invariant_in_called_60 body
    has_no call sort tanh exponential cosine reduce
    [ "$(grep -c ' dot(' part.hlo)" -eq 1 ] || fail "$(cat part.hlo)"
    computation invariant_in_called_60 main
    [ "$(grep -c ' sort(' part.hlo)" -eq 1 ] || fail "$(cat part.hlo)"
}

@test "invariant work of fusions is done before the loop" {
    same invariant_in_fusion_40 3
    computation invariant_in_fusion_40 body
    fusions=$(sed -n 's/.* calls=%\(.*\)/\1/p' part.hlo)
    [ -n "$fusions" ] || fail "$(cat part.hlo)"
    for fusion in $fusions; do
        computation invariant_in_fusion_40 "$fusion"
        has_no exponential cosine tanh log-plus-one
    done
}

@test "slices are updated in place through fusions" {
    same dus_in_fusion_16k 5
    updates dus_in_fusion_16k 3
}

@test "rows are updated in place through calls and nested loops" {
    same update_rows_nested_64x64 3
    updates update_rows_nested_64x64 2
}

@test "slices are updated in place under bitcasts and between conversions" {
    same dus_bf16_scan_256 3
    updates dus_bf16_scan_256 2 2 # the results of the conversions
}
