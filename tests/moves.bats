# Moves of elements: the fast engine gives what the reference engine moves element by element, to the last bit, over
# shapes around the edges of batches and tiles, elements of every size, and indices of every type.

load lib
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
