# Moves of elements: the fast engine gives what the reference engine moves element by element, to the last bit, over
# shapes around the edges of batches and tiles, elements of every size, and indices of every type.

load ../lib
load both_engines

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
}

# indices TYPE DIMS LIMIT: numbers between -LIMIT and LIMIT (of unsigned types: from 0), to $operand.
indices() {
    operand "$1" "$2"
    local name=i.$count
    body+="  $name.limit = $1[] constant($3)"$'\n'"  $name.limits = $1[$2] broadcast($name.limit), dimensions={}"$'\n'
    body+="  $name = $1[$2] remainder($operand, $name.limits)"$'\n'
    operand=$name
}

# gather TYPE DIMS INDEX_TYPE INDEX_DIMS LIMIT RESULT_DIMS ATTRIBUTES
gather() {
    operand "$1" "$2"
    local of=$operand
    indices "$3" "$4" "$5"
    instruction "$1[$6]" "gather($of, $operand), $7"
}

of_elements="offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}"

@test "gathers of single elements" {
    local type n
    for type in s4 s8 bf16 f32 c64 c128; do
        for n in 1 255 256 257 1030; do gather $type 70 s32 $n,1 90 $n "$of_elements"; done
        both --rtol=0 --atol=0
    done
    for type in s8 u8 s16 u16 s32 u32 s64 u64 s4 u4; do gather f32 70 $type 300,1 7 300 "$of_elements"; done
    gather f32 70 s64 40000,1 90 40000 "$of_elements"
    both --rtol=0 --atol=0
}

@test "gathers of rows and windows, by several components, along batches" {
    local row
    for row in 1 2 7 16 130; do
        gather f32 "50,$row" s32 260,1 60 "260,$row" \
            "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,$row}"
        gather s8 "$row,50" s32 260,1 60 "$row,260" \
            "offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={$row,1}"
    done
    both --rtol=0 --atol=0
    gather f32 30,40 s32 70,2 45 70,3,5 \
        "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={3,5}"
    gather f32 30,40 s32 2,70 45 3,70,5 \
        "offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=0, slice_sizes={3,5}"
    gather bf16 30,40 s64 30,6,1 45 30,6 \
        "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"
    gather f32 30,40 s32 0,1 45 0,40 \
        "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,40}"
    gather f32 30,40 s32 9,1 45 9,0 \
        "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}"
    both --rtol=0 --atol=0
}

# combine TYPE OPCODE: the name of a computation of one instruction, or, for `second`, of none, to $combine.
combine() {
    combine=$2.$1
    ! grep -qF "$combine {" <<<"$computations" || return 0
    computations+="$combine {"$'\n'"  a = $1[] parameter(0)"$'\n'
    if [ "$2" = second ]; then computations+="  ROOT b = $1[] parameter(1)"$'\n'"}"$'\n\n'
    else computations+="  b = $1[] parameter(1)"$'\n'"  ROOT c = $1[] $2(a, b)"$'\n'"}"$'\n\n'; fi
}

# scatter TYPE DIMS INDEX_TYPE INDEX_DIMS LIMIT UPDATE_DIMS OPCODE ATTRIBUTES
scatter() {
    operand "$1" "$2"
    local of=$operand updates
    operand "$1" "$6"
    updates=$operand
    indices "$3" "$4" "$5"
    combine "$1" "$7"
    instruction "$1[$2]" "scatter($of, $operand, $updates), $8, to_apply=$combine"
}

to_elements="update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"

@test "scatters of single elements" {
    local type opcode n
    for type in s4 s8 u16 s32 u64 bf16 f32 f64 c64 c128; do
        for opcode in second add multiply; do
            for n in 1 511 512 1030; do
                scatter $type 70 s32 $n,1 90 $n $opcode "$to_elements"
            done
        done
    done
    both --rtol=0 --atol=0
    for type in s8 u8 s16 u16 s32 u32 s64 u64 s4 u4; do scatter f32 70 $type 300,1 7 300 add "$to_elements"; done
    scatter f32 300000 s32 40000,1 330000 40000 add "$to_elements"
    scatter s32 300000 s64 40000,1 300 40000 maximum "$to_elements"
    both --rtol=0 --atol=0
}

@test "scatters by several components, along batches, of rows and windows" {
    scatter f32 30,40 s32 700,2 45 700 add \
        "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1"
    scatter f32 30,40 s32 2,20,30 45 20,30 second \
        "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=0"
    scatter f32 30,40 s64 30,60,1 45 30,60 add \
        "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"
    scatter f32 30,40 s32 70,1 35 70,40 add \
        "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
    scatter f32 30,40 s32 70,2 45 70,3,5 add \
        "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1"
    scatter f32 30,40 s32 0,1 35 0,40 add \
        "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
    both --rtol=0 --atol=0
}

# move TYPE DIMS RESULT_DIMS OPCODE ATTRIBUTES: of one operand.
move() {
    operand "$1" "$2"
    instruction "$1[$3]" "$4($operand)${5:+, $5}"
}

# Cells of 1 to 16 bytes.
cells="s4 bf16 f32 c64 c128"

@test "broadcasts of diagonals" {
    operand u8 5,5
    instruction "u8[3,5,4]" "broadcast($operand), dimensions={1,1}"
    operand s32 2,2,2
    instruction "s32[2,3,2]" "broadcast($operand), dimensions={0,2,0}"
    both --rtol=0 --atol=0
}

@test "transposes" {
    local type sides m n
    for type in $cells; do
        for sides in "1 300" "2 70" "3 65" "7 9" "15 17" "16 16" "33 64" "64 64" "65 63" "130 67" "128 192"; do
            read -r m n <<<"$sides"
            move $type $m,$n $n,$m transpose "dimensions={1,0}"
            move $type 3,$m,$n 3,$n,$m transpose "dimensions={0,2,1}"
            move $type $m,$n,2 $n,$m,2 transpose "dimensions={1,0,2}"
            move $type $m,$n,3 $n,$m,3 transpose "dimensions={1,0,2}"
        done
        move $type 5,6,7,8 8,6,5,7 transpose "dimensions={3,1,0,2}"
        move $type 5,6,7,8 7,8,5,6 transpose "dimensions={2,3,0,1}"
        move $type 5,6,7,8 6,5,8,7 transpose "dimensions={1,0,3,2}"
        move $type 5,0,8 8,5,0 transpose "dimensions={2,0,1}"
        both --rtol=0 --atol=0
    done
}

# Two MiB stand for 32 of them, from which on stores go past the caches; in pieces, too.
@test "moves of so much that stores go past the caches" {
    local type
    for type in s8 f32 c128; do
        local n=752 past="--rtol=0 --atol=0 --stream-bytes=65536"
        [ $type != s8 ] || n=1504
        [ $type != c128 ] || n=376
        move $type $n,$n $n,$n transpose "dimensions={1,0}"
        both $past
        move $type $((n - 1)),$((n + 1)) $((n + 1)),$((n - 1)) transpose "dimensions={1,0}"
        both $past
        move $type $n,$n $n,$n reverse "dimensions={0,1}"
        both $past
        move $type $n,$n $n,$n negate
        both $past
        move $type $n,$n $n,$n negate
        instruction "$type[$n,$n]" "subtract(r.1, $operand)" # in one fusion
        both $past
        move $type $n $n,$n broadcast "dimensions={0}"
        both $past
        move $type "" $((n + 1)),$((n + 1)) broadcast "dimensions={}"
        both $past
        move $type $((n + 1)),$((2 * n + 1)) $((n + 1)),$((n + 1)) slice "slice={[0:$((n + 1))], [0:$((2 * n + 1)):2]}"
        both $past
    done
}

@test "rows of every length" {
    local type n
    for type in s8 f32 c128; do
        for n in 1 2 3 4 5 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 300; do
            move $type 9,$n 9,$n reverse "dimensions={0}"
            move $type 9,$n 9,$n reverse "dimensions={1}"
            move $type 9,$((n + 5)) 9,$n slice "slice={[0:9], [2:$((n + 2))]}"
            move $type 9,$((3 * n + 5)) 9,$n slice "slice={[0:9], [2:$((3 * n + 2)):3]}"
            move $type $n 9,$n broadcast "dimensions={1}"
            move $type 9 9,$n broadcast "dimensions={0}"
        done
        both --rtol=0 --atol=0
    done
}

# pad TYPE DIMS RESULT_DIMS PADDING, concatenate TYPE ROWS COLUMNS...
pad() {
    operand "$1" "$2"
    local of=$operand
    operand "$1" ""
    instruction "$1[$3]" "pad($of, $operand), padding=$4"
}

concatenate() {
    local type=$1 rows=$2 columns=0 of= n
    shift 2
    for n in "$@"; do
        operand "$type" "$rows,$n"
        of+=", $operand"
        columns=$((columns + n))
    done
    instruction "$type[$rows,$columns]" "concatenate(${of#, }), dimensions={1}"
}

@test "pads and concatenations" {
    local type
    for type in $cells; do
        pad $type 9,70 11,75 1_1x2_3
        pad $type 9,70 19,142 1_1_1x2_1_1
        pad $type 9,70 7,66 -1_-1x-2_-2
        pad $type 9,70 21,66 -1_5_1x-2_-2
        pad $type 900,70 903,150 1_2x40_40
        pad $type 1,1 900,70 450_449x30_39
        pad $type 5,9,7 6,12,9 0_1x3_0x1_1
        pad $type 5,9,7 9,6,7 2_2x-1_-2x0_0
        pad $type 5,0,7 6,2,7 1_0x1_1x0_0
        pad $type 5,3,7 5,2,8 0_0x4_-5x1_0
        concatenate $type 90 33 31 256 1
        concatenate $type 90 1 2 3
        concatenate $type 1000 0 40 1 7
        both --rtol=0 --atol=0
    done
}
