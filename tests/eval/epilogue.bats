# Products and convolutions that the elementwise work on their result follows part by part: the plan shows it, and the
# bits are those of the instructions as they are written, on any number of threads and for each instruction set.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# followed COUNT MODULE [SET]: the fusion pass makes so many clusters that follow a product, and the bits are those of the
# module as it is written, on any number of threads.
followed() {
    local count=$1 module=$2
    hlo-opt --passes='fusion{min_elements=2}' --large-constants -o fused.hlo "$module" || fail "$(cat "$module")"
    hlo-run --print-plan --as-written fused.hlo > plan.txt || fail "$(cat fused.hlo)"
    [ "$(grep -cE ' (dot|convolution), cluster ' plan.txt)" = "$count" ] || fail "not $count:" "$(cat fused.hlo plan.txt)"
    local by=as-written${3:+,isa=$3}
    same_ways --inputs=hash "$module" -- "$by,threads=1" "of=fused.hlo,$by,threads=1" "of=fused.hlo,$by,threads=2" "of=fused.hlo,$by,threads=4"
}

# close MODULE: what `followed` made of it, to the reference engine's numbers, as far as sums in another order may be.
close() {
    local near=1e-5
    ! grep -q f16 "$1" || near=0.01
    rm -rf wanted
    hlo-run --inputs=hash --print-limit=0 --engine=reference --output-dir wanted "$1" > reference.txt 2> err.txt || fail "$(cat "$1" err.txt)"
    hlo-run --inputs=hash --print-limit=0 --as-written --expect wanted --rtol=$near --atol=$near fused.hlo > got.txt 2> err.txt || fail "$(cat "$1" got.txt err.txt)"
}

# dense TYPE M K N: a bias for each column, a residual, and an activation, one after the other.
dense() {
    cat << END
HloModule dense

ENTRY entry {
  a = $1[$2,$3] parameter(0)
  b = $1[$3,$4] parameter(1)
  bias = $1[$4] parameter(2)
  residual = $1[$2,$4] parameter(3)
  zero = $1[] constant(0)
  zeros = $1[$2,$4] broadcast(zero), dimensions={}
  product = $1[$2,$4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  biases = $1[$2,$4] broadcast(bias), dimensions={1}
  biased = $1[$2,$4] add(product, biases)
  sum = $1[$2,$4] add(biased, residual)
  ROOT most = $1[$2,$4] maximum(sum, zeros)
}
END
}

@test "products of each type, of sizes that no tile, share or vector divides" {
    for type in f32 f64 bf16 f16 s32 s8; do
        for size in "64 32 64" "67 131 45" "130 7 1000" "1029 5 33" "300 270 300" "4 600 900"; do
            dense $type $size > m.hlo
            followed 1 m.hlo
        done
        dense $type 67 131 45 > m.hlo
        followed 1 m.hlo
        close m.hlo
    done
}

@test "each instruction set" {
    instruction_sets
    for set in "${sets[@]}"; do
        for type in f32 bf16 s8; do
            dense $type 300 270 300 > m.hlo
            followed 1 m.hlo "$set"
        done
    done
}

@test "a few rows or columns, and tiny products, have no part that is complete before the others" {
    for size in "1 300 3000" "3 300 3000" "3000 300 2" "1 1 4096" "2048 0 3"; do
        dense f32 $size > m.hlo
        followed 0 m.hlo
    done
}

# What else reads the product has to find it in memory.
@test "a product that is a result, is read elsewhere or under other dimensions, or twice" {
    dense f32 130 70 90 | sed 's/ROOT most/most/; s/^}$/  ROOT t = (f32[130,90], f32[130,90]) tuple(most, product)\n}/' > m.hlo
    followed 0 m.hlo
    dense f32 130 70 90 | sed 's/ROOT most/most/; s/^}$/  turned = f32[90,130] transpose(product), dimensions={1,0}\n  ROOT t = (f32[130,90], f32[90,130]) tuple(most, turned)\n}/' > m.hlo
    followed 0 m.hlo
    dense f32 130 70 90 | sed 's/= f32\[130,90\] add(biased, residual)/= f32[130,90] multiply(biased, product)/' > m.hlo
    followed 1 m.hlo
    dense f32 130 70 90 | sed 's/ROOT most/most/; s/^}$/  ROOT t = (f32[130,90], f32[130,90], f32[130,90]) tuple(most, sum, biased)\n}/' > m.hlo
    followed 1 m.hlo
}

@test "two products of one cluster, one of which is complete before" {
    cat > m.hlo << 'END'
HloModule two
ENTRY entry {
  a = f32[150,70] parameter(0)
  b = f32[70,110] parameter(1)
  c = f32[150,30] parameter(2)
  d = f32[30,110] parameter(3)
  x = f32[150,110] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[150,110] dot(c, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[150,110] add(x, y)
  ROOT t = f32[150,110] tanh(s)
}
END
    followed 1 m.hlo
    close m.hlo
}

# Rows of the scores are folded as soon as they are complete; a later product reads them under other dimensions.
@test "attention: rows are folded, operands and results are reshaped" {
    for length in 40 256 300; do
        cat > m.hlo << END
HloModule attention
greatest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
total { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY entry {
  q = f32[6,$length,32] parameter(0)
  k = f32[6,$length,32] parameter(1)
  mask = pred[$length,$length] parameter(2)
  q4 = f32[2,3,$length,32] reshape(q)
  k4 = f32[2,3,$length,32] reshape(k)
  scores = f32[2,3,$length,$length] dot(q4, k4), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
  masks = pred[2,3,$length,$length] broadcast(mask), dimensions={2,3}
  low = f32[] constant(-1e9)
  lows = f32[2,3,$length,$length] broadcast(low), dimensions={}
  masked = f32[2,3,$length,$length] select(masks, scores, lows)
  least = f32[] constant(-inf)
  zero = f32[] constant(0)
  most = f32[2,3,$length] reduce(masked, least), dimensions={3}, to_apply=greatest
  mosts = f32[2,3,$length,$length] broadcast(most), dimensions={0,1,2}
  shifted = f32[2,3,$length,$length] subtract(masked, mosts)
  e = f32[2,3,$length,$length] exponential(shifted)
  sum = f32[2,3,$length] reduce(e, zero), dimensions={3}, to_apply=total
  sums = f32[2,3,$length,$length] broadcast(sum), dimensions={0,1,2}
  p = f32[2,3,$length,$length] divide(e, sums)
  ROOT r = f32[6,$length,$length] reshape(p)
}
END
        followed 1 m.hlo
        close m.hlo
    done
}

# Columns are folded in separate parts, which are not rows of tiles.
@test "sums of the columns of a product, beside its activation" {
    cat > m.hlo << 'END'
HloModule columns
total { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY entry {
  a = f32[500,40] parameter(0)
  b = f32[40,96] parameter(1)
  x = f32[500,96] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[500,96] tanh(x)
  zero = f32[] constant(0)
  s = f32[96] reduce(t, zero), dimensions={0}, to_apply=total
  ROOT r = (f32[500,96], f32[96]) tuple(t, s)
}
END
    followed 1 m.hlo
    close m.hlo
}

@test "an activation of another type than the product" {
    for types in "f32 bf16" "bf16 f32" "f32 s8" "f32 f64" "s8 f32"; do
        read -r from to <<< "$types"
        cat > m.hlo << END
HloModule types
ENTRY entry {
  a = $from[150,70] parameter(0)
  b = $from[70,110] parameter(1)
  x = $from[150,110] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = $from[150,110] add(x, x)
  ROOT z = $to[150,110] convert(y)
}
END
        followed 1 m.hlo
        close m.hlo
    done
}

# convolution TYPE BATCH SIZE IN OUT WINDOW MORE
convolution() {
    cat << END
HloModule convolution
ENTRY entry {
  x = $1[$2,$3,$3,$4] parameter(0)
  k = $1[3,3,$4,$5] parameter(1)
  bias = $1[$5] parameter(2)
  residual = $1[$2,$3,$3,$5] parameter(3)
  c = $1[$2,$3,$3,$5] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  biases = $1[$2,$3,$3,$5] broadcast(bias), dimensions={3}
  biased = $1[$2,$3,$3,$5] add(c, biases)
  sum = $1[$2,$3,$3,$5] add(biased, residual)
  zero = $1[] constant(0)
  zeros = $1[$2,$3,$3,$5] broadcast(zero), dimensions={}
  ROOT most = $1[$2,$3,$3,$5] maximum(sum, zeros)
}
END
}

@test "convolutions of each type; groups, and results in another order, are complete at the end only" {
    for type in f32 f64 bf16 f16 s8; do
        for size in "2 14 16 32" "1 29 3 20" "3 11 5 300"; do
            convolution $type $size > m.hlo
            followed 1 m.hlo
        done
        close m.hlo
    done
    convolution f32 2 14 16 32 | sed 's/3,3,16,32/3,3,4,32/; s/->b01f/&, feature_group_count=4/' > m.hlo
    followed 0 m.hlo
    convolution f32 14 14 14 14 | sed 's/->b01f/->f01b/' > m.hlo
    followed 0 m.hlo
}

@test "run-time sizes: the product and what follows it are computed one after the other" {
    cat > m.hlo << 'END'
HloModule dynamic
ENTRY entry {
  a = f32[150,70] parameter(0)
  b = f32[70,110] parameter(1)
  n = s32[] constant(77)
  rows = f32[<=150,70] set-dimension-size(a, n), dimensions={0}
  x = f32[<=150,110] dot(rows, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[<=150,110] tanh(x)
}
END
    followed 0 m.hlo
    close m.hlo
}

# What is watched is computed one by one.
@test "each value of a followed product can be watched, and is the same then" {
    dense f32 130 70 90 > m.hlo
    followed 1 m.hlo
    hlo-run --inputs=hash --print-limit=0 --as-written m.hlo > one.txt
    hlo-run --inputs=hash --print-limit=0 --as-written --trace-values fused.hlo > all.txt 2> trace.txt
    cmp one.txt all.txt
    expect_text trace.txt product
}

@test "in a loop, whose state it is" {
    cat > m.hlo << 'END'
HloModule loop
body {
  s = (s32[], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64,64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2
  one = s32[] constant(1)
  n = s32[] add(i, one)
  d = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a = f32[64,64] add(d, x)
  t = f32[64,64] tanh(a)
  ROOT r = (s32[], f32[64,64], f32[64,64]) tuple(n, t, w)
}
condition {
  s = (s32[], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  most = s32[] constant(30)
  ROOT p = pred[] compare(i, most), direction=LT
}
ENTRY entry {
  zero = s32[] constant(0)
  x = f32[64,64] parameter(0)
  w = f32[64,64] parameter(1)
  s = (s32[], f32[64,64], f32[64,64]) tuple(zero, x, w)
  l = (s32[], f32[64,64], f32[64,64]) while(s), condition=condition, body=body
  ROOT r = f32[64,64] get-tuple-element(l), index=1
}
END
    followed 1 m.hlo
}
