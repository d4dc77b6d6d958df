# Right operands of products that are constants, or that a loop passes on, are packed once: the plan shows it, the bits
# are those of operands that are packed each time, and what is packed is counted.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# product TYPE M N: of a parameter and a constant of 64 rows, of that type; the result's type is the third argument's.
product() {
    cat <<END
HloModule product

ENTRY main {
  x = $1[$2,64] parameter(0)
  w = $1[64,$3] constant({...})
  ROOT y = $4[$2,$3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
END
}

# loop SHAPE...: a loop of three iterations over (i, h, w), whose body's text is standard input: it computes `next` of
# h and w. The result is that of the loop entered with w, plus that of the loop entered with v.
loops() {
    local type=$1
    cat <<END
HloModule loops

$(cat)

body {
  s = (s32[], $type[16,64], $type[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = $type[16,64] get-tuple-element(s), index=1
  w = $type[64,64] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  $2
  ROOT r = (s32[], $type[16,64], $type[64,64]) tuple(j, next, ${3-w})
}

condition {
  s = (s32[], $type[16,64], $type[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}

run {
  h = $type[16,64] parameter(0)
  w = $type[64,64] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], $type[16,64], $type[64,64]) tuple(zero, h, w)
  loop = (s32[], $type[16,64], $type[64,64]) while(s), condition=condition, body=body
  ROOT out = $type[16,64] get-tuple-element(loop), index=1
}

ENTRY main {
  h = $type[16,64] parameter(0)
  w = $type[64,64] parameter(1)
  v = $type[64,64] parameter(2)
  a = $type[16,64] call(h, w), to_apply=run
  b = $type[16,64] call(a, v), to_apply=run
  ROOT out = ($type[16,64], $type[16,64]) tuple(a, b)
}
END
}

small='scale = TYPE[] constant(0.0625)
  scales = TYPE[16,64] broadcast(scale), dimensions={}
  product = TYPE[16,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  next = TYPE[16,64] multiply(product, scales)'

# packs COUNT MODULE: the plan packs so many operands once.
packs() {
    hlo-run --print-plan --as-written --jit=0 --threads=1 "$2" >plan.txt 2>err.txt || fail "$(cat "$2" err.txt)"
    [ "$(grep -c 'packed once' plan.txt)" = "$(($1 ? $1 + 1 : 0))" ] || fail "not $1:" "$(cat "$2" plan.txt)"
}

# same MODULE [OPTION...]: the values with and without memory for what is packed, on any number of threads, over several
# runs; and the reference engine's numbers.
same() {
    local module=$1 limit
    shift
    limit=$(sed -n "s/^run: \([0-9]*\) bytes.*inputs, \([0-9]*\) packed once/\1 - \2/p" plan.txt)
    rm -rf wanted
    hlo-run --inputs=normal --as-written --jit=0 --threads=1 --print-limit=0 --memory-limit=$((limit)) "$module" >unpacked.txt 2>err.txt || fail "$(cat "$module" err.txt)"
    for threads in 1 2 3; do
        hlo-run --inputs=normal --as-written --jit=$((threads % 2)) --threads=$threads --print-limit=0 --repeat=3 "$module" >packed.txt 2>err.txt || fail "$(cat err.txt)"
        cmp -s unpacked.txt packed.txt || fail "$(cat "$module")" "$(diff unpacked.txt packed.txt | head -5)"
    done
    hlo-run --inputs=normal --as-written --engine=reference --output-dir=wanted --print-limit=0 "$module" >reference.txt 2>err.txt || fail "$(cat err.txt)"
    hlo-run --inputs=normal --as-written --jit=0 --expect=wanted "$@" "$module" >got.txt 2>err.txt || fail "$(cat "$module" got.txt err.txt)"
}

@test "constants of each type, of sizes that no tile, strip or vector divides" {
    for types in "f32 f32" "f64 f64" "bf16 f32" "f16 f32" "s8 s32" "s32 s32" "c64 c64"; do
        read -r type result <<<"$types"
        for size in "4 64" "16 33" "65 100" "130 17"; do
            product $type $size $result >m.hlo
            packs 1 m.hlo
            same m.hlo --rtol=1e-3 --atol=1e-2
        done
    done
}

@test "a constant that lies transposed, and one on the left" {
    product f32 16 64 f32 | sed 's/rhs_contracting_dims={0}/rhs_contracting_dims={1}/' >m.hlo
    packs 1 m.hlo
    same m.hlo --rtol=1e-3 --atol=1e-2
    product f32 16 64 f32 | sed 's/dot(x, w), lhs_contracting_dims={1}/dot(w, x), lhs_contracting_dims={0}/
        s/rhs_contracting_dims={0}/rhs_contracting_dims={1}/; s/y = f32\[16,64\]/y = f32[64,16]/' >m.hlo
    packs 0 m.hlo
}

@test "products of few rows, of many, and operands of one run are packed each time or not at all" {
    for rows in 1 3 1000; do
        product f32 $rows 64 f32 >m.hlo
        packs 0 m.hlo
    done
    product f32 16 64 f32 | sed 's/constant({...})/parameter(1)/' >m.hlo
    packs 0 m.hlo
}

@test "a loop that is entered twice packs the operand of each time" {
    for type in f32 bf16 f64; do
        loops $type "${small//TYPE/$type}" <<<'' >m.hlo
        packs 1 m.hlo
        grep -q 'w packed once in loop' plan.txt || fail "$(cat plan.txt)"
        same m.hlo --rtol=0.05 --atol=0.05
    done
}

@test "two entries of a loop that may run at once" {
    loops f32 "${small//TYPE/f32}" <<<'' | sed 's/call(a, v)/call(h, v)/' >m.hlo
    packs 1 m.hlo
    same m.hlo --rtol=1e-3 --atol=1e-3
}

@test "an operand that the loop changes is packed each time" {
    loops f32 "${small//TYPE/f32}
  changed = f32[64,64] negate(w)" changed <<<'' >m.hlo
    packs 0 m.hlo
}

@test "the product is in a branch, a call, or is of what a transpose makes of the operand" {
    loops f32 "two = s32[] constant(2)
  odd = s32[] remainder(i, two)
  both = (f32[16,64], f32[64,64]) tuple(h, w)
  next = f32[16,64] conditional(odd, both, h), branch_computations={multiply, negate}" <<'END' >m.hlo
multiply {
  both = (f32[16,64], f32[64,64]) parameter(0)
  h = f32[16,64] get-tuple-element(both), index=0
  w = f32[64,64] get-tuple-element(both), index=1
  product = f32[16,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[16,64] tanh(product)
}

negate {
  h = f32[16,64] parameter(0)
  ROOT n = f32[16,64] negate(h)
}
END
    packs 1 m.hlo
    same m.hlo --rtol=1e-3 --atol=1e-3
    loops f32 'turned = f32[64,64] transpose(w), dimensions={1,0}
  next = f32[16,64] call(turned, h), to_apply=multiply' <<'END' >m.hlo
multiply {
  w = f32[64,64] parameter(0)
  h = f32[16,64] parameter(1)
  product = f32[16,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[16,64] tanh(product)
}
END
    packs 1 m.hlo
    same m.hlo --rtol=1e-3 --atol=1e-3
}

# Two products, of w and of v, of which the inner loop passes on both and the outer one, which negates v, only w.
nested() {
    cat <<'END'
HloModule nested

inner {
  s = (s32[], f32[16,64], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[16,64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2
  v = f32[64,64] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  a = f32[16,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[16,64] tanh(a)
  c = f32[16,64] dot(b, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[16,64] tanh(c)
  ROOT r = (s32[], f32[16,64], f32[64,64], f32[64,64]) tuple(j, d, w, v)
}

less {
  s = (s32[], f32[16,64], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}

outer {
  s = (s32[], f32[16,64], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[16,64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2
  v = f32[64,64] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  j = s32[] add(i, one)
  start = (s32[], f32[16,64], f32[64,64], f32[64,64]) tuple(zero, h, w, v)
  within = (s32[], f32[16,64], f32[64,64], f32[64,64]) while(start), condition=less, body=inner
  g = f32[16,64] get-tuple-element(within), index=1
  u = f32[64,64] negate(v)
  ROOT r = (s32[], f32[16,64], f32[64,64], f32[64,64]) tuple(j, g, w, u)
}

fewer {
  s = (s32[], f32[16,64], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT lt = pred[] compare(i, n), direction=LT
}

ENTRY main {
  h = f32[16,64] parameter(0)
  w = f32[64,64] parameter(1)
  v = f32[64,64] parameter(2)
  zero = s32[] constant(0)
  start = (s32[], f32[16,64], f32[64,64], f32[64,64]) tuple(zero, h, w, v)
  around = (s32[], f32[16,64], f32[64,64], f32[64,64]) while(start), condition=fewer, body=outer
  ROOT out = f32[16,64] get-tuple-element(around), index=1
}
END
}

@test "nested loops: as long as the outermost that passes the operand on" {
    nested >m.hlo
    packs 2 m.hlo
    grep -q 'a  *dot .* packed once in around$' plan.txt || fail "$(cat plan.txt)"
    grep -q 'c  *dot .* packed once in within$' plan.txt || fail "$(cat plan.txt)"
    same m.hlo --atol=0.1
    sed 's/w = f32\[64,64\] parameter(1)/w = f32[64,64] constant({...})/; s/parameter(2)/parameter(1)/' m.hlo >constant.hlo
    packs 2 constant.hlo
    grep -q 'a  *dot .* packed once$' plan.txt || fail "$(cat plan.txt)"
    same constant.hlo --atol=0.1
}

@test "what is packed once is counted, and given up where the limit leaves no memory for it" {
    product f32 16 64 f32 >m.hlo
    packs 1 m.hlo
    grep -q '^run: .* inputs, 16384 packed once$' plan.txt || fail "$(cat plan.txt)"
    peak=$(sed -n 's/^run: \([0-9]*\) bytes.*/\1/p' plan.txt)
    hlo-run --print-plan --as-written --threads=1 --memory-limit=$((peak - 1)) m.hlo >plan.txt || fail
    grep -q "^run: $((peak - 16384)) bytes at once, 4096 of them inputs$" plan.txt || fail "$(cat plan.txt)"
    ! grep 'packed once' plan.txt || fail "packs"
}

@test "the cluster that follows a product does too" {
    loops f32 'next = f32[16,64] fusion(h, w), kind=kLoop, calls=multiply' <<'END' >m.hlo
multiply {
  h = f32[16,64] parameter(0)
  w = f32[64,64] parameter(1)
  product = f32[16,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[16,64] tanh(product)
}
END
    packs 1 m.hlo
    grep -q 'dot, cluster .*packed once in loop' plan.txt || fail "$(cat plan.txt)"
    same m.hlo --rtol=1e-3 --atol=1e-3
}

# convolution TYPE KERNEL LABEL WINDOW: of a parameter of 81 places with 6 features and a constant.
convolution() {
    cat <<END
HloModule convolution

ENTRY main {
  x = $1[1,9,9,6] parameter(0)
  w = $1[$2] constant({...})
  ROOT y = $1[1,9,9,20] convolution(x, w), window={size=3x3 pad=1_1x1_1 $4}, dim_labels=b01f_$3->b01f
}
END
}

@test "kernels of convolutions, which may lie in another order, or be reversed" {
    for type in f32 f64 bf16; do
        convolution $type 3,3,6,20 01io "" >m.hlo
        packs 1 m.hlo
        same m.hlo --rtol=0.02 --atol=1e-2
        convolution $type 20,6,3,3 oi01 "rhs_reversal=1x0" >m.hlo
        packs 1 m.hlo
        same m.hlo --rtol=0.02 --atol=1e-2
    done
    convolution f32 3,3,6,20 01io "" | sed 's/9,9/19,19/; s/\[1,19,19,20\]/[1,37,37,20]/; s/pad=1_1x1_1/pad=1_1x1_1 lhs_dilate=2x2/' >m.hlo
    packs 0 m.hlo
    convolution f32 3,3,6,20 01io "" | sed 's/\[1,9,9,20\]/[1,17,17,20]/; s/pad=1_1x1_1/pad=1_1x1_1 lhs_dilate=2x2/' >m.hlo
    packs 1 m.hlo
    same m.hlo --rtol=1e-3 --atol=1e-2
    convolution f32 3,3,6,20 01io "" | sed 's/constant({...})/parameter(1)/' >m.hlo
    packs 0 m.hlo
}
