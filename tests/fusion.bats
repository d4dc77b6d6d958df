# Fusions that run tile by tile give what their instructions give one by one: --trace-values, which watches each
# instruction, calls the computation of a fusion.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# same MODULE [OPTION...]: the same bits either way, on any number of threads.
same() {
    hlo-run --inputs=hash --print-limit=0 --trace-values "$@" > one.txt 2> trace.txt || fail "$(cat "$1" trace.txt)"
    for threads in 1 2 4; do
        hlo-run --inputs=hash --print-limit=0 --threads=$threads "$@" > all.txt 2> err.txt || fail "$(cat "$1" err.txt)"
        cmp -s one.txt all.txt || fail "$(cat "$1"; diff one.txt all.txt | head -5)"
    done
}

# Rows and columns of a matrix, its numbers and scalars, in several results of different types.
matrix() { # ROWS COLUMNS
    cat << END
HloModule matrix

fused {
  a = f32[$1,$2] parameter(0)
  row = f32[$2] parameter(1)
  column = f32[$1] parameter(2)
  scalar = f32[] parameter(3)
  rows = f32[$1,$2] broadcast(row), dimensions={1}
  columns = f32[$1,$2] broadcast(column), dimensions={0}
  one = f32[] constant(1)
  sum = f32[] add(scalar, one)
  sums = f32[$1,$2] broadcast(sum), dimensions={}
  x = f32[$1,$2] multiply(a, rows)
  y = f32[$1,$2] add(x, columns)
  z = f32[$1,$2] divide(y, sums)
  i = s32[$1,$2] iota(), iota_dimension=1
  j = s32[$1,$2] iota(), iota_dimension=0
  p = pred[$1,$2] compare(i, j), direction=LT
  q = f32[$1,$2] select(p, z, a)
  c = f32[$1,$2] clamp(one, q, scalar)
  h = bf16[$1,$2] convert(c)
  r = bf16[$(($1 * $2))] reshape(h)
  k = c64[$1,$2] complex(q, a)
  w = c64[$1,$2] exponential(k)
  s = s4[$1,$2] convert(i)
  flat = f32[1,$1,1,$2] reshape(q)
  ROOT t = (f32[$1,$2], bf16[$(($1 * $2))], c64[$1,$2], pred[$1,$2], f32[$1,$2], f32[1,$1,1,$2], s4[$1,$2]) tuple(q, r, w, p, a, flat, s)
}

ENTRY entry {
  a = f32[$1,$2] parameter(0)
  row = f32[$2] parameter(1)
  column = f32[$1] parameter(2)
  scalar = f32[] parameter(3)
  ROOT f = (f32[$1,$2], bf16[$(($1 * $2))], c64[$1,$2], pred[$1,$2], f32[$1,$2], f32[1,$1,1,$2], s4[$1,$2]) fusion(a, row, column, scalar), kind=kLoop, calls=fused
}
END
}

@test "matrices, rows, columns, numbers and scalars; below, at and above a tile and a piece" {
    for size in "1 1" "1 7" "7 1" "2 3" "16 16" "15 17" "257 1" "3 256" "100 331" "300 301"; do
        matrix $size > m.hlo
        same m.hlo
    done
}

@test "no elements" {
    matrix 0 3 > m.hlo
    same m.hlo
}

# chain TYPE ELEMENTS OPERATION...: each operation on the last value and a parameter; the result may be written over either.
chain() {
    local type=$1 elements=$2 last=a n=0 op
    shift 2
    printf 'HloModule chain\n\nfused {\n  a = %s[%d] parameter(0)\n  b = %s[%d] parameter(1)\n' "$type" "$elements" "$type" "$elements"
    for op in "$@"; do
        n=$((n + 1))
        printf '  x.%d = %s[%d] %s(%s, %s)\n' $n "$type" "$elements" "$op" "$last" "$([ $((n % 2)) = 1 ] && echo b || echo a)"
        last=x.$n
    done
    printf '  ROOT copy.0 = %s[%d] copy(%s)\n}\n\nENTRY entry {\n' "$type" "$elements" "$last"
    printf '  p = %s[%d] parameter(0)\n  q = %s[%d] parameter(1)\n  a = %s[%d] add(p, q)\n  b = %s[%d] multiply(p, q)\n' \
        "$type" "$elements" "$type" "$elements" "$type" "$elements" "$type" "$elements"
    printf '  ROOT f = %s[%d] fusion(a, b), kind=kLoop, calls=fused\n}\n' "$type" "$elements"
}

@test "chains of every element type that has arithmetic, in place" {
    types="s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64 f16 bf16 f32 f64 f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e4m3fnuz
        f8e5m2fnuz f8e3m4 f4e2m1fn c64 c128"
    for type in $types; do
        chain "$type" 40000 add multiply subtract add > m.hlo
        same m.hlo
    done
}

@test "results that are the operand, a scalar, or one another" {
    cat > m.hlo << 'END'
HloModule plain

copied {
  a = f64[70000] parameter(0)
  ROOT c = f64[70000] copy(a)
}

filled {
  s = u8[] parameter(0)
  n = u8[] not(s)
  ROOT b = u8[7,11] broadcast(n), dimensions={}
}

twice {
  a = s16[9] parameter(0)
  n = s16[9] negate(a)
  ROOT t = (s16[9], s16[9], s16[9]) tuple(n, n, a)
}

ENTRY entry {
  a = f64[70000] parameter(0)
  s = u8[] parameter(1)
  w = s16[9] parameter(2)
  d = f64[70000] add(a, a)
  v = s16[9] add(w, w)
  f = f64[70000] fusion(d), kind=kLoop, calls=copied
  g = u8[7,11] fusion(s), kind=kLoop, calls=filled
  h = (s16[9], s16[9], s16[9]) fusion(v), kind=kLoop, calls=twice
  ROOT t = (f64[70000], u8[7,11], (s16[9], s16[9], s16[9])) tuple(f, g, h)
}
END
    same m.hlo
}

@test "what is no chain of elements is called" {
    cat > m.hlo << 'END'
HloModule called

fused {
  a = f32[8,9] parameter(0)
  v = f32[9] parameter(1)
  t = f32[9,8] transpose(a), dimensions={1,0}
  e = f32[9] exponential(v)
  b = f32[9,8] broadcast(e), dimensions={0}
  ROOT m = f32[9,8] multiply(t, b)
}

ENTRY entry {
  a = f32[8,9] parameter(0)
  v = f32[9] parameter(1)
  ROOT f = f32[9,8] fusion(a, v), kind=kLoop, calls=fused
}
END
    same m.hlo
}

@test "run-time sizes: the computation is called" {
    cat > m.hlo << 'END'
HloModule sizes

fused {
  a = f32[<=8] parameter(0)
  n = f32[<=8] negate(a)
  ROOT m = f32[<=8] multiply(n, a)
}

ENTRY entry {
  a = f32[8] parameter(0)
  n = s32[] constant(5)
  d = f32[<=8] set-dimension-size(a, n), dimensions={0}
  ROOT f = f32[<=8] fusion(d), kind=kLoop, calls=fused
}
END
    same m.hlo
}

@test "fusions of random modules" {
    "$HLO_BUILD/tools/hlo-generate" --seed=7000 --count=400 --output-dir=. > log.txt
    count=0
    for module in $(grep -l ' fusion(' ./*.hlo); do
        same "$module"
        count=$((count + 1))
    done
    [ "$count" -gt 30 ] || fail "only $count modules with fusions"
}

@test "a constant whose elements are elided" {
    cat > m.hlo << 'END'
HloModule elided

fused {
  p = f32[4] parameter(0)
  d = f32[1] constant({...})
  s = f32[] reshape(d)
  b = f32[4] broadcast(s), dimensions={}
  ROOT m = f32[4] multiply(p, b)
}

ENTRY entry {
  p = f32[4] parameter(0)
  ROOT f = f32[4] fusion(p), kind=kLoop, calls=fused
}
END
    same m.hlo
}
