# Products and convolutions: the fast engine gives what the reference engine computes element by element, over shapes
# around the edges of tiles and blocks, in all types, orders and window forms; integers to the last bit.

load ../lib
load both_engines

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
}

# product LHS RHS RESULT M N K [BATCH]: in the four orders of either operand's dimensions.
product() {
    local m=$4 n=$5 k=$6 batch=${7:+$7,} b=${7:+1} lhs rhs left right
    local batches=
    [ -z "$b" ] || batches="lhs_batch_dims={0}, rhs_batch_dims={0}, "
    for left in "$m,$k 1" "$k,$m 0"; do
        for right in "$k,$n 0" "$n,$k 1"; do
            operand "$1" "$batch${left% *}"
            lhs=$operand
            operand "$2" "$batch${right% *}"
            rhs=$operand
            instruction "$3[$batch$m,$n]" "dot($lhs, $rhs), ${batches}lhs_contracting_dims={$((${left#* } + ${b:-0}))}, rhs_contracting_dims={$((${right#* } + ${b:-0}))}"
        done
    done
}

# Shapes around tiles (6 or 8 rows, 4 to 32 columns), blocks (256 deep), shares (64 rows), and those of the loops for
# tiny products and for a few rows.
shapes="1 1 1|1 1 300|1 5 7|3 2 1|2 33 20|1 70 300|70 1 300|3 65 40|65 3 40|4 4 4|5 3 9|4 17 2|8 16 16|9 33 18
    7 15 31|6 16 258|13 31 64|17 32 256|16 1 257|66 34 5|65 65 65|33 40 514|130 70 3|70 300 270"
batched="4 4 4 5|1 8 3 4|7 9 12 3|3 40 20 2|20 2 30 2|33 34 35 2|1 1 600 3|70 150 20 2"

products() { # LHS RHS RESULT
    local shape
    while read -r shape; do
        # shellcheck disable=SC2086 # sizes
        product "$1" "$2" "$3" $shape
    done < <(tr '|' '\n' <<<"$shapes|$batched" | sed 's/^ *//')
}

@test "products of f32" {
    products f32 f32 f32
    both --rtol=2e-5 --atol=2e-5
}

@test "products of f64" {
    products f64 f64 f64
    both --rtol=1e-13 --atol=1e-13
}

@test "products of bf16 and f16, and of either with f32" {
    products bf16 bf16 bf16
    both --rtol=1e-2 --atol=1e-4
    products f16 f16 f32
    both --rtol=2e-5 --atol=2e-5
    products bf16 f32 f32
    both --rtol=2e-5 --atol=2e-5
}

@test "products of complex numbers" {
    products c64 c64 c64
    both --rtol=2e-5 --atol=2e-5
    products c128 c128 c128
    both --rtol=1e-13 --atol=1e-13
}

@test "products of integers" {
    local of
    for of in "s8 s8 s32" "u8 s8 s32" "s4 s16 s32" "u16 u16 u32" "s32 s32 s32" "s64 s64 s64" "s8 s8 s8"; do
        # The reference engine takes most of the time over the largest: one type has them here, `make check-whole` all.
        is_whole || [ "$of" != "u8 s8 s32" ] || shapes=${shapes%|70 300 270} batched=${batched%|70 150 20 2}
        # shellcheck disable=SC2086 # types
        products $of
        both --rtol=0 --atol=0
    done
}

@test "a long depth, several contracted dimensions, batches that do not lead, no elements" {
    product f32 f32 f32 3 5 40000
    product f32 f32 f32 1 1 70001
    product bf16 bf16 f32 1 2 33000
    operand f32 9,5,7,4
    lhs=$operand
    operand f32 5,4,9,6
    instruction "f32[9,7,6]" "dot($lhs, $operand), lhs_batch_dims={0}, rhs_batch_dims={2}, lhs_contracting_dims={1,3}, rhs_contracting_dims={0,1}"
    operand f32 4,33,6,20
    instruction "f32[4,6,33,33]" "dot($operand, $operand), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}"
    operand c64 4,9,6,5
    instruction "c64[4,6,9,9]" "dot($operand, $operand), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}"
    operand s8 4,9,6,8
    instruction "s32[9,8,9,8]" "dot($operand, $operand), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,2}"
    operand f32 5,0
    lhs=$operand
    operand f32 0,6
    instruction "f32[5,6]" "dot($lhs, $operand), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    both --rtol=1e-4 --atol=1e-3
}

# window FORM INPUT KERNEL RESULT LABELS [GROUPS]: a convolution of each type.
window() {
    local of input form=
    [ -z "$1" ] || form="window={$1}, "
    for of in "f32 f32" "bf16 f32" "c64 c64" "s8 s32" "s32 s32" "f64 f64"; do
        operand "${of% *}" "$2"
        input=$operand
        operand "${of% *}" "$3"
        instruction "${of#* }[$4]" "convolution($input, $operand), ${form}dim_labels=$5${6:+, $6}"
    done
}

windows() {
    window "size=3x3 pad=1_1x1_1" 2,9,11,6 3,3,6,34 2,9,11,34 "b01f_01io->b01f"
    window "size=3x3 pad=1_1x1_1" 2,6,9,11 5,6,3,3 2,5,9,11 "bf01_oi01->bf01"
    window "" 7,10 10,33 7,33 "bf_io->bf"
    window "size=1x1" 2,5,7,20 1,1,20,18 2,5,7,18 "b01f_01io->b01f"
    window "size=5 stride=2 pad=3_1" 3,40,3 5,3,17 3,20,17 "b0f_0io->b0f"
    window "size=5 stride=2 pad=3_1 lhs_dilate=2" 3,40,3 5,3,17 3,40,17 "b0f_0io->b0f"
    window "size=7x7 stride=2x2 pad=3_3x3_3" 1,18,20,3 7,7,3,16 1,9,10,16 "b01f_01io->b01f"
    window "size=3x3 pad=2_2x2_2 rhs_dilate=2x2" 1,9,10,8 3,3,8,9 1,9,10,9 "b01f_01io->b01f"
    window "size=3x3 pad=2_2x2_2 rhs_dilate=2x2" 1,9,10,2 3,3,2,9 1,9,10,9 "b01f_01io->b01f"
    window "size=4x4 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1" 2,5,6,6 4,4,6,7 2,10,12,7 "b01f_01io->b01f"
    window "size=3x5 stride=2x3 pad=2_2x4_1 lhs_dilate=3x2" 2,5,23,4 3,5,4,37 2,8,16,37 "b01f_01io->b01f"
    window "size=2x1 pad=1_1x-1_2 lhs_dilate=2x3 rhs_dilate=2x1" 2,4,30,6 2,1,6,40 2,7,89,40 "b01f_01io->b01f"
    window "size=2x3 pad=1_1x2_2 lhs_dilate=2x2" 2,4,9,16 2,3,8,10 2,8,19,10 "b01f_01io->b01f" feature_group_count=2
    window "size=4x4 pad=1_1x1_1 lhs_dilate=1x2" 4,5,6,8 4,4,8,6 2,4,10,6 "b01f_01io->b01f" batch_group_count=2
    window "size=3x3 pad=-1_0x2_-1" 2,9,11,4 3,3,4,5 2,6,10,5 "b01f_01io->b01f"
    window "size=2x3x2 pad=0_1x1_1x1_0" 1,4,5,6,18 2,3,2,18,8 1,4,5,6,8 "b012f_012io->b012f"
    window "size=3 pad=1_1" 1,5,520 3,520,4 1,5,4 "b0f_0io->b0f"
    window "size=3x3 pad=1_1x1_1" 2,8,9,12 3,3,4,24 2,8,9,24 "b01f_01io->b01f" feature_group_count=3
    window "size=3x3 pad=1_1x1_1" 2,8,9,37 3,3,1,37 2,8,9,37 "b01f_01io->b01f" feature_group_count=37
    window "size=3x3 pad=1_1x1_1" 2,8,9,6 3,3,2,6 2,8,9,6 "b01f_01io->b01f" feature_group_count=3
    window "size=9x8 pad=1_1x1_1" 6,9,8,35 9,8,35,7 6,3,3,7 "b01f_01io->b01f"
    window "size=9x8 pad=1_1x1_1" 4,9,8,5 9,8,5,36 2,3,3,36 "b01f_01io->b01f" batch_group_count=2
    window "size=5x6 pad=1_1x1_1" 36,5,6,3 5,6,3,36 1,3,3,36 "b01f_01io->b01f" batch_group_count=36
}

@test "convolutions of all forms and types" {
    windows
    both --rtol=1e-4 --atol=1e-4
}

@test "between elements of a dilated input there is nothing that could meet an infinity" {
    cat >holes.hlo <<'H'
HloModule holes

ENTRY main {
  x = f32[1,4,1] parameter(0)
  w = f32[3,1,2] constant({{{1,1}},{{inf,nan}},{{1,1}}})
  ROOT c = f32[1,7,2] convolution(x, w), window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f
}
H
    expect_status 0 hlo-run --inputs=hash-positive --print-limit=0 --output-dir=fast.npz holes.hlo
    expect_status 0 hlo-run --inputs=hash-positive holes.hlo
    [ "$(grep -o 'nan' "$out" | wc -l)" = 4 ] || fail "$(cat "$out")"
    [ "$(grep -o 'inf' "$out" | wc -l)" = 4 ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --inputs=hash-positive --engine=reference --expect fast.npz holes.hlo
}

@test "subnormal bf16 operands of products are zeros where pairs are multiplied, and only there" {
    cat >small.hlo <<'H'
HloModule small

ENTRY main {
  x = bf16[] constant(1e-39)
  a = bf16[9,64] broadcast(x), dimensions={}
  y = bf16[] constant(1e6)
  b = bf16[64,9] broadcast(y), dimensions={}
  c = f32[9,9] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[1,1] slice(c), slice={[4:5], [4:5]}
}
H
    instruction_sets
    for set in "${sets[@]}"; do
        expect_status 0 hlo-run --isa=$set small.hlo
        case $set in
        *bf16) grep -q '{ *{ *0 *} *}' "$out" || fail "$set: $(cat "$out")" ;;
        *) grep -q '6\.[0-9]*e-32' "$out" || fail "$set: $(cat "$out")" ;;
        esac
    done
}

# turned TYPE RESULT ROWS N K: few rows meet a transposed matrix, and few columns, whose products read what is transposed.
turned() {
    operand "$1" "$3,$5"
    local rows=$operand
    operand "$1" "$4,$5"
    body+="  t.$count = $1[$5,$4] transpose($operand), dimensions={1,0}"$'\n'
    instruction "$2[$3,$4]" "dot($rows, t.$count), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    instruction "$2[$4,$3]" "dot(t.$((count - 1)), $rows), lhs_contracting_dims={0}, rhs_contracting_dims={1}"
}

@test "few rows and a transposed matrix: nothing is transposed, and not a bit changes" {
    for type in f32 f64 bf16 f16 s32 s8; do
        for shape in "1 70 131" "2 300 64" "3 64 64" "1 1100 72" "4 70 131"; do
            # shellcheck disable=SC2086 # sizes
            turned $type "$([ $type = s8 ] && echo s32 || echo $type)" $shape
        done
    done
    both --rtol=1e-2 --atol=1e-3
    expect_status 0 hlo-run --inputs=hash --as-written --print-limit=0 --print-plan m.hlo
    [ "$(grep -c ' transpose ' "$out")" = 6 ] || fail "$(grep ' transpose ' "$out")" # of those that meet four rows
    for set in "${sets[@]}"; do
        hlo-run --isa=$set --inputs=hash --print-limit=0 --output-dir=plain.npz m.hlo
        hlo-run --isa=$set --inputs=hash --print-limit=0 --break-on-nan --output-dir=watched.npz m.hlo
        cmp plain.npz watched.npz || fail "$set: other bits where the transposes are computed"
    done
}

# columns TYPE RESULT M K N: a transposed left operand, whose rows are copied from where they lie.
columns() {
    operand "$1" "$4,$3"
    body+="  t.$count = $1[$3,$4] transpose($operand), dimensions={1,0}"$'\n'
    operand "$1" "$4,$5"
    instruction "$2[$3,$5]" "dot(t.$count, $operand), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
}

@test "a transposed matrix meets few columns: it is transposed where its rows are copied" {
    for type in f32 f64 bf16 f16 s32 s8 c64; do
        for shape in "64 300 64" "70 131 5" "33 1100 128" "300 $([ $type = f32 ] && echo 20000 || whole 20000 2000) 7" "64 300 129"; do
            # shellcheck disable=SC2086 # sizes
            columns $type "$([ $type = s8 ] && echo s32 || echo $type)" $shape
        done
    done
    both --rtol=1e-2 --atol=1e-2
    expect_status 0 hlo-run --inputs=hash --as-written --print-limit=0 --print-plan m.hlo
    [ "$(grep -c ' transpose ' "$out")" = 7 ] || fail "$(grep ' transpose ' "$out")" # of those that meet 129 columns
    for set in "${sets[@]}"; do
        hlo-run --isa=$set --inputs=hash --print-limit=0 --output-dir=plain.npz m.hlo
        hlo-run --isa=$set --inputs=hash --print-limit=0 --break-on-nan --output-dir=watched.npz m.hlo
        cmp plain.npz watched.npz || fail "$set: other bits where the transposes are computed"
    done
}
