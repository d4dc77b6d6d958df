#!/usr/bin/env bats
# Convolutions by both engines, where padding, dilation and infinite weights meet: places without an element of the input
# take no part in a sum, whatever the weight there is.

load ../lib
load elements
load both_engines

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
}

# convolution TYPE INPUT KERNEL RESULT WINDOW LABELS [ATTRIBUTES]: weights are infinite, no numbers or near 1.
convolution() {
    local weights=w.$count n=1 size
    for size in ${3//,/ }; do n=$((n * size)); done
    values $weights $1 $3 $n $count
    operand $1 $2
    instruction "$1[$4]" "convolution($operand, $weights)${5:+, window={$5\}}, dim_labels=$6${7:+, $7}"
}

@test "padding is not multiplied by infinite weights" {
    for type in f32 f64 f16 bf16; do
        convolution $type 1,4,4,1 1,1,1,1 1,6,6,1 "size=1x1 pad=1_1x1_1" "b01f_01io->b01f"
        convolution $type 2,9,9,8 3,3,8,5 2,9,9,5 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f"
        convolution $type 2,9,9,33 3,3,33,17 2,9,9,17 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f"
        convolution $type 1,14,14,3 7,7,3,9 1,7,7,9 "size=7x7 stride=2x2 pad=3_2x3_2" "b01f_01io->b01f"
        convolution $type 3,40,2 5,2,40 3,40,40 "size=5 pad=2_2" "b0f_0io->b0f"
        convolution $type 1,5,6,7,2 3,3,3,2,3 1,5,6,7,3 "size=3x3x3 pad=1_1x1_1x1_1" "b012f_012io->b012f"
        convolution $type 2,12,12,4 3,3,4,6 2,12,12,6 "size=3x3 pad=2_2x2_2 rhs_dilate=2x2" "b01f_01io->b01f"
        convolution $type 2,7,7,6 3,3,6,20 2,14,14,20 "size=3x3 pad=1_2x1_2 lhs_dilate=2x2" "b01f_01io->b01f"
        convolution $type 2,7,7,6 4,2,6,3 2,19,4,3 "size=4x2 stride=1x2 pad=2_4x0_3 lhs_dilate=3x1 rhs_dilate=2x2 rhs_reversal=1x1" "b01f_01io->b01f"
        both --rtol=2e-2
    done
}

@test "nor are those of gradients, groups and depthwise convolutions" {
    for type in f32 f64 bf16; do
        # Of the kernel: features are batches, the window is as large as the result was.
        convolution $type 8,9,9,4 8,9,9,5 4,3,3,5 "size=9x9 pad=1_1x1_1" "f01b_i01o->b01f"
        # Of the input: reversed, dilated where the convolution had a stride.
        convolution $type 2,5,5,6 3,3,4,6 2,9,9,4 "size=3x3 pad=1_1x1_1 lhs_dilate=2x2 rhs_reversal=1x1" "b01f_01oi->b01f"
        convolution $type 2,9,9,24 3,3,1,24 2,9,9,24 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f" feature_group_count=24
        convolution $type 2,9,9,3 3,3,1,6 2,9,9,6 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f" feature_group_count=3
        convolution $type 2,9,9,12 3,3,4,24 2,9,9,24 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f" feature_group_count=3
        convolution $type 2,9,9,12 3,3,4,24 2,18,18,24 "size=3x3 pad=1_2x1_2 lhs_dilate=2x2" "b01f_01io->b01f" feature_group_count=3
        convolution $type 6,9,9,4 3,3,4,6 1,9,9,6 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f" batch_group_count=6
        convolution $type 6,9,9,4 3,3,4,12 2,9,9,12 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f" batch_group_count=3
        both --rtol=2e-2
    done
}

@test "of complex numbers and integers, too" {
    operand c64 2,9,9,4
    x=$operand
    operand c64 3,3,4,5
    instruction "c64[2,9,9,5]" "convolution($x, $operand), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"
    for type in s8 s32 u16 s64; do
        convolution $type 2,9,9,4 3,3,4,5 2,9,9,5 "size=3x3 pad=1_1x1_1" "b01f_01io->b01f"
        convolution $type 2,9,9,4 3,3,4,5 2,20,20,5 "size=3x3 pad=2_3x2_3 lhs_dilate=2x2" "b01f_01io->b01f"
    done
    both --rtol=1e-5
}

@test "a window that meets nothing but padding gives zeros" {
    convolution f32 1,2,2,3 2,2,3,4 1,12,12,4 "size=2x2 pad=6_5x6_5" "b01f_01io->b01f"
    convolution f32 1,2,2,3 2,2,3,20 1,10,5,20 "size=2x2 pad=-3_12x4_0" "b01f_01io->b01f"
    convolution f32 2,3,8 5,1,8 2,9,8 "size=5 pad=5_5" "b0f_0io->b0f" feature_group_count=8
    both --rtol=1e-5
}

@test "windows that are larger than the input" {
    for type in f32 f64 bf16 s32 c64; do
        larger() {
            if [ $type = c64 ]; then
                operand $type $1
                x=$operand
                operand $type $2
                instruction "$type[$3]" "convolution($x, $operand), window={$4}, dim_labels=$5"
            else convolution $type "$@"; fi
        }
        larger 16,9,8 40,8,1 16,48,1 "size=40 pad=39_39" "b0f_0io->b0f"
        larger 16,9,8 40,8,1 16,30,1 "size=40 pad=2_58 rhs_reversal=1" "b0f_0io->b0f"
        larger 17,3,4,6 8,11,6,2 17,10,8,2 "size=8x11 pad=7_7x5_9" "b01f_01io->b01f"
        larger 17,3,4,6 8,11,6,2 17,10,8,2 "size=8x11 pad=7_7x5_9 rhs_reversal=1x0" "b01f_01io->b01f"
        larger 6,17,3,4 2,6,8,11 2,10,17,8 "size=8x11 pad=7_7x5_9 rhs_reversal=0x1" "fb01_oi01->f0b1"
        larger 16,3,4,6 8,11,6,1 16,15,33,1 "size=8x11 pad=9_8x21_28 lhs_dilate=2x1 rhs_dilate=1x2" "b01f_01io->b01f"
        larger 16,3,4,6 8,11,6,1 16,15,33,1 "size=8x11 pad=9_8x21_28 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x1" "b01f_01io->b01f"
        larger 16,3,4,6 8,11,6,1 16,6,5,1 "size=8x11 pad=12_-2x-1_12" "b01f_01io->b01f"
        larger 20,2,2,3,3 4,5,4,3,2 20,5,6,3,2 "size=4x5x4 pad=3_3x4_4x1_2" "b012f_012io->b012f"
        both --rtol=2e-2
    done
}

@test "a kernel that is the larger operand is packed again where the other one changes" {
    cat >larger.hlo <<'END'
HloModule m
b {
  s = (s32[], f32[16,9,8], f32[16,48,1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[16,9,8] get-tuple-element(s), index=1
  sum = f32[16,48,1] get-tuple-element(s), index=2
  w = f32[40,8,1] iota(), iota_dimension=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[16,48,1] convolution(x, w), window={size=40 pad=39_39}, dim_labels=b0f_0io->b0f
  all = f32[16,48,1] add(sum, y)
  half = f32[] constant(0.5)
  halves = f32[16,9,8] broadcast(half), dimensions={}
  less = f32[16,9,8] multiply(x, halves)
  ROOT t = (s32[], f32[16,9,8], f32[16,48,1]) tuple(next, less, all)
}
c {
  s = (s32[], f32[16,9,8], f32[16,48,1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[16,9,8] parameter(0)
  zero = s32[] constant(0)
  none = f32[] constant(0)
  sum = f32[16,48,1] broadcast(none), dimensions={}
  s = (s32[], f32[16,9,8], f32[16,48,1]) tuple(zero, x, sum)
  w = (s32[], f32[16,9,8], f32[16,48,1]) while(s), condition=c, body=b
  ROOT y = f32[16,48,1] get-tuple-element(w), index=2
}
END
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --output-dir=1.npz larger.hlo
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --engine=reference --expect 1.npz --rtol=1e-4 larger.hlo
}

@test "mostly padding: time goes by what is met" {
    # Elements of all windows would be 10^10 and more.
    cat >padding.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[4,3,3,8] parameter(0)
  w = f32[300,300,8,2] parameter(1)
  wd = f32[300,300,1,8] parameter(2)
  a = f32[4,302,302,2] convolution(x, w), window={size=300x300 pad=299_299x299_299}, dim_labels=b01f_01io->b01f
  b = f32[4,151,151,2] convolution(x, w), window={size=300x300 stride=2x2 pad=299_299x299_299}, dim_labels=b01f_01io->b01f
  c = f32[4,302,302,8] convolution(x, wd), window={size=300x300 pad=299_299x299_299}, dim_labels=b01f_01io->b01f, feature_group_count=8
  ROOT t = (f32[4,302,302,2], f32[4,151,151,2], f32[4,302,302,8]) tuple(a, b, c)
}
END
    within 60 hlo-run --inputs=hash --print-limit=0 padding.hlo || fail "more than a minute of processor time"
}
