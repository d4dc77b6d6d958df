# Fusions that run tile by tile give what their instructions give one by one: --trace-values, which watches each
# instruction, calls the computation of a fusion.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# same MODULE: the same bits either way, on any number of threads.
same() {
    same_ways --inputs=hash "$1" -- trace-values threads=1 threads=2 threads=4
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

# rows TYPE ROWS LENGTH: rows are folded, computed with, repeated for their elements and results themselves, beside whole
# arrays; a row of operands and a row for each column take part.
rows() {
    local t=$1 r=$2 n=$3
    cat << END
HloModule rows

greatest {
  a = $t[] parameter(0)
  b = $t[] parameter(1)
  ROOT m = $t[] maximum(a, b)
}

total {
  a = $t[] parameter(0)
  b = $t[] parameter(1)
  ROOT s = $t[] add(a, b)
}

wide {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  x = $t[$r,$n] parameter(0)
  of.row = $t[$r] parameter(1)
  of.column = $t[$n] parameter(2)
  low = $t[] parameter(3)
  zero = $t[] constant(0)
  most = $t[$r] reduce(x, low), dimensions={1}, to_apply=greatest
  most.of = $t[$r,$n] broadcast(most), dimensions={0}
  y = $t[$r,$n] subtract(x, most.of)
  columns = $t[$r,$n] broadcast(of.column), dimensions={1}
  z = $t[$r,$n] multiply(y, columns)
  sum = $t[$r] reduce(z, zero), dimensions={1}, to_apply=total
  shifted = $t[$r] add(sum, of.row)
  lows = $t[$r] broadcast(low), dimensions={}
  moved = $t[$r] maximum(shifted, lows)
  bounded = $t[$r,1] reshape(moved)
  again = $t[$r,1] broadcast(bounded), dimensions={0,1}
  flat = $t[$r] reshape(again)
  repeated = $t[$r,$n] broadcast(flat), dimensions={0}
  w = $t[$r,$n] maximum(z, repeated)
  f = f32[$r,$n] convert(w)
  first = f32[] constant(0.25)
  sums = f32[$r] reduce(f, first), dimensions={1}, to_apply=wide
  back = $t[$r] convert(sums)
  third = $t[$r,$n] broadcast(back), dimensions={0}
  v = $t[$r,$n] add(w, third)
  ROOT t = ($t[$r,$n], $t[$r], $t[$r], f32[$r], $t[$r], $t[$r,$n], $t[$r,1]) tuple(v, most, moved, sums, of.row, z, again)
}

ENTRY entry {
  x = $t[$r,$n] parameter(0)
  row = $t[$r] parameter(1)
  column = $t[$n] parameter(2)
  low = $t[] parameter(3)
  ROOT f = ($t[$r,$n], $t[$r], $t[$r], f32[$r], $t[$r], $t[$r,$n], $t[$r,1]) fusion(x, row, column, low), kind=kInput, calls=fused
}
END
}

# clusters COUNT MODULE: so many steps run tile by tile.
clusters() {
    hlo-run --print-plan --as-written "$2" > plan.txt || fail "$(cat "$2")"
    [ "$(grep -c ' cluster ' plan.txt)" = "$1" ] || fail "$(cat plan.txt)"
}

@test "rows that are folded: of any length and number, in all types of numbers" {
    for size in "5 2" "300 3" "1 7" "1 2500" "7 255" "40 256" "3 768" "2 1023" "2 1024" "3 1025" "2 2048" "5 3001" "2 65536" "90 1000" "19 1025" "21 768" "37 200" "11 2047" "9 2049"; do
        rows f32 $size > m.hlo
        clusters 1 m.hlo
        same m.hlo
    done
    for type in f64 bf16 f16 f8e4m3fn s8 s32 u64; do
        for size in "9 31" "2 2100" "1 700"; do
            rows $type $size > m.hlo
            clusters 1 m.hlo
            same m.hlo
        done
    done
}

@test "longer rows, and rows of other lengths, are reduced by calls" {
    rows f32 2 65537 > m.hlo
    clusters 0 m.hlo
    same m.hlo
    cat > m.hlo << 'END'
HloModule lengths

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  x = f32[6,4,5] parameter(0)
  zero = f32[] constant(0)
  long = f32[6] reduce(x, zero), dimensions={1,2}, to_apply=total
  short = f32[6,4] reduce(x, zero), dimensions={2}, to_apply=total
  ROOT t = (f32[6], f32[6,4]) tuple(long, short)
}

middle {
  x = f32[6,4,5] parameter(0)
  zero = f32[] constant(0)
  ROOT sums = f32[6,5] reduce(x, zero), dimensions={1}, to_apply=total
}

ENTRY entry {
  x = f32[6,4,5] parameter(0)
  f = (f32[6], f32[6,4]) fusion(x), kind=kInput, calls=fused
  g = f32[6,5] fusion(x), kind=kInput, calls=middle
  ROOT t = ((f32[6], f32[6,4]), f32[6,5]) tuple(f, g)
}
END
    clusters 0 m.hlo
    same m.hlo
}

# What depends on a row only is computed once for the tiles of a long one: results, and what later levels read, have it in
# all tiles.
@test "rows that are repeated in results, and read again at later levels" {
    for size in "300 3" "3 768" "2 1024" "3 1025" "3 3001" "2 65536"; do
        sed "s/ROWS/${size% *}/g; s/LENGTH/${size#* }/g" > m.hlo << 'END'
HloModule repeated

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

results {
  x = f32[ROWS,LENGTH] parameter(0)
  row = f32[ROWS] parameter(1)
  zero = f32[] constant(0)
  sum = f32[ROWS] reduce(x, zero), dimensions={1}, to_apply=total
  sums = f32[ROWS,LENGTH] broadcast(sum), dimensions={0}
  y = f32[ROWS,LENGTH] multiply(x, sums)
  second = f32[ROWS] reduce(y, zero), dimensions={1}, to_apply=total
  rows = f32[ROWS,LENGTH] broadcast(row), dimensions={0}
  ROOT t = (f32[ROWS,LENGTH], f32[ROWS,LENGTH], f32[ROWS], f32[ROWS,LENGTH]) tuple(sums, rows, second, sums)
}

levels {
  x = f32[ROWS,LENGTH] parameter(0)
  row = f32[ROWS] parameter(1)
  zero = f32[] constant(0)
  sum = f32[ROWS] reduce(x, zero), dimensions={1}, to_apply=total
  sums = f32[ROWS,LENGTH] broadcast(sum), dimensions={0}
  rows = f32[ROWS,LENGTH] broadcast(row), dimensions={0}
  shifted = f32[ROWS,LENGTH] add(x, rows)
  y = f32[ROWS,LENGTH] subtract(shifted, sums)
  second = f32[ROWS] reduce(y, zero), dimensions={1}, to_apply=total
  seconds = f32[ROWS,LENGTH] broadcast(second), dimensions={0}
  z = f32[ROWS,LENGTH] add(sums, seconds)
  ROOT product = f32[ROWS,LENGTH] multiply(z, rows)
}

ENTRY entry {
  x = f32[ROWS,LENGTH] parameter(0)
  row = f32[ROWS] parameter(1)
  f = (f32[ROWS,LENGTH], f32[ROWS,LENGTH], f32[ROWS], f32[ROWS,LENGTH]) fusion(x, row), kind=kInput, calls=results
  g = f32[ROWS,LENGTH] fusion(x, row), kind=kLoop, calls=levels
  ROOT t = ((f32[ROWS,LENGTH], f32[ROWS,LENGTH], f32[ROWS], f32[ROWS,LENGTH]), f32[ROWS,LENGTH]) tuple(f, g)
}
END
        clusters 2 m.hlo
        same m.hlo
    done
}

# A row of an operand that is repeated: a part of a tile, a tile, several tiles; and what rows of another length have of it.
@test "rows of operands that are repeated" {
    for size in "700 3 1" "90 1 64" "300 4 64" "41 2 128" "50 3 256" "50 1 257" "19 1 1024" "19 8 128" "9 2 1000" "9 2 1024" "9 1 2048" "7 3 1024" "5 1 4096" "5 3 2048" "3 1 5000"; do
        read -r rows middle inner <<< "$size"
        sed "s/ROWS/$rows/g; s/MIDDLE/$middle/g; s/INNER/$inner/g; s/LENGTH/$((middle * inner))/g" > m.hlo << 'END'
HloModule repeated

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

chain {
  x = f32[ROWS,MIDDLE,INNER] parameter(0)
  last = f32[INNER] parameter(1)
  both = f32[MIDDLE,INNER] parameter(2)
  lasts = f32[ROWS,MIDDLE,INNER] broadcast(last), dimensions={2}
  boths = f32[ROWS,MIDDLE,INNER] broadcast(both), dimensions={1,2}
  y = f32[ROWS,MIDDLE,INNER] multiply(x, lasts)
  z = f32[ROWS,MIDDLE,INNER] add(y, boths)
  w = f32[ROWS,MIDDLE,INNER] maximum(z, x)
  ROOT t = (f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]) tuple(w, lasts)
}

folded {
  x = f32[ROWS,MIDDLE,INNER] parameter(0)
  last = f32[INNER] parameter(1)
  both = f32[MIDDLE,INNER] parameter(2)
  zero = f32[] constant(0)
  lasts = f32[ROWS,MIDDLE,INNER] broadcast(last), dimensions={2}
  boths = f32[ROWS,MIDDLE,INNER] broadcast(both), dimensions={1,2}
  y = f32[ROWS,MIDDLE,INNER] multiply(x, lasts)
  sum = f32[ROWS] reduce(y, zero), dimensions={1,2}, to_apply=total
  sums = f32[ROWS,MIDDLE,INNER] broadcast(sum), dimensions={0}
  z = f32[ROWS,MIDDLE,INNER] subtract(boths, sums)
  ROOT t = (f32[ROWS], f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]) tuple(sum, z, boths)
}

columns {
  x = f32[ROWS,MIDDLE,INNER] parameter(0)
  last = f32[INNER] parameter(1)
  zero = f32[] constant(0)
  lasts = f32[ROWS,MIDDLE,INNER] broadcast(last), dimensions={2}
  y = f32[ROWS,MIDDLE,INNER] multiply(x, lasts)
  ROOT sum = f32[INNER] reduce(y, zero), dimensions={0,1}, to_apply=total
}

ENTRY entry {
  x = f32[ROWS,MIDDLE,INNER] parameter(0)
  last = f32[INNER] parameter(1)
  both = f32[MIDDLE,INNER] parameter(2)
  f = (f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]) fusion(x, last, both), kind=kLoop, calls=chain
  g = (f32[ROWS], f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]) fusion(x, last, both), kind=kInput, calls=folded
  h = f32[INNER] fusion(x, last), kind=kInput, calls=columns
  ROOT t = ((f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]), (f32[ROWS], f32[ROWS,MIDDLE,INNER], f32[ROWS,MIDDLE,INNER]), f32[INNER]) tuple(f, g, h)
}
END
        clusters 3 m.hlo
        same m.hlo
    done
}

# sinks TYPE ROWS COLUMNS: columns are folded, beside what they are folded from, and columns that only operands make.
sinks() {
    local t=$1 r=$2 n=$3
    cat << END
HloModule sinks

total {
  a = $t[] parameter(0)
  b = $t[] parameter(1)
  ROOT s = $t[] add(a, b)
}

least {
  a = $t[] parameter(0)
  b = $t[] parameter(1)
  ROOT s = $t[] minimum(a, b)
}

fused {
  x = $t[$r,$n] parameter(0)
  of.column = $t[$n] parameter(1)
  first = $t[] parameter(2)
  zero = $t[] constant(0)
  sums = $t[$n] reduce(x, first), dimensions={0}, to_apply=total
  columns = $t[$r,$n] broadcast(of.column), dimensions={1}
  y = $t[$r,$n] multiply(x, columns)
  products = $t[$n] reduce(y, zero), dimensions={0}, to_apply=total
  lowest = $t[$n] reduce(y, first), dimensions={0}, to_apply=least
  ROOT t = ($t[$n], $t[$r,$n], $t[$n], $t[$n]) tuple(products, y, sums, lowest)
}

ENTRY entry {
  x = $t[$r,$n] parameter(0)
  column = $t[$n] parameter(1)
  first = $t[] parameter(2)
  ROOT f = ($t[$n], $t[$r,$n], $t[$n], $t[$n]) fusion(x, column, first), kind=kInput, calls=fused
}
END
}

@test "sinks: columns that are folded, in groups, parts and one by one" {
    for size in "2 2" "5 3" "300 3" "41 17" "128 64" "1000 70" "700 128" "20011 64" "9005 128" "3000 8" "9 1000" "100 1025" "301 1500" "4 33" "40000 5"; do
        sinks f32 $size > m.hlo
        clusters 1 m.hlo
        same m.hlo
    done
    for type in f64 bf16 f16 s8 u32; do
        for size in "301 40" "70 1300"; do
            sinks $type $size > m.hlo
            clusters 1 m.hlo
            same m.hlo
        done
    done
}

# middles TYPE SIZES KEPT DIMENSIONS: two reductions of dimensions between others, beside their operands.
middles() {
    cat <<END
HloModule middles

total {
  a = $1[] parameter(0)
  b = $1[] parameter(1)
  ROOT sum = $1[] add(a, b)
}

most {
  a = $1[] parameter(0)
  b = $1[] parameter(1)
  ROOT greater = $1[] maximum(a, b)
}

fused {
  x = $1[$2] parameter(0)
  y = $1[$2] parameter(1)
  first = $1[] parameter(2)
  one = $1[] constant(1)
  z = $1[$2] subtract(x, y)
  sum = $1[$3] reduce(z, first), dimensions={$4}, to_apply=total
  greatest = $1[$3] reduce(z, one), dimensions={$4}, to_apply=most
  ROOT t = ($1[$3], $1[$2], $1[$3]) tuple(sum, z, greatest)
}

ENTRY entry {
  x = $1[$2] parameter(0)
  y = $1[$2] parameter(1)
  first = $1[] parameter(2)
  ROOT f = ($1[$3], $1[$2], $1[$3]) fusion(x, y, first), kind=kInput, calls=fused
}
END
}

# Of one part, of several, of which the last is shorter, of grouped columns, and of rows that are cut into parts.
@test "sinks of dimensions between others, and of long rows" {
    for sizes in "6,50,64 6,64 1" "3,3000,24 3,24 1" "5,40,60,1,3 5,1,3 1,2" "2,3,1,700,9 2,3,9 2,3" "64,16,130 64,130 1" "3,20,5000 3,5000 1" \
        "3,70000 3 1" "2,1,131072 2,1 2" "4,40,40000 4,40000 1"; do
        middles f32 $sizes >m.hlo
        clusters 1 m.hlo
        same m.hlo
    done
    for type in bf16 f64 s8 u32 f16; do
        for sizes in "3,3000,24 3,24 1" "7,100,33 7,33 1" "3,65537 3 1"; do
            middles $type $sizes >m.hlo
            clusters 1 m.hlo
            same m.hlo
        done
    done
    for sizes in "600,4,64 600,64 1" "60,17,4 60,4 1" "6,2,50,2,64 2,2,64 0,2" "6,0,50,64 6,0,64 2" "0,50,64 0,64 1"; do # few elements, or none, together
        middles f32 $sizes >m.hlo
        clusters 0 m.hlo
        same m.hlo
    done
}

@test "the fusion pass makes sinks of dimensions between others" {
    middles f32 6,500,64 6,64 1 >m.hlo
    hlo-opt --passes='defuser,fusion,dce' m.hlo >passed.hlo
    [ "$(grep -c ' fusion(' passed.hlo)" -eq 1 ] || fail "$(cat passed.hlo)"
    ! awk '/^ENTRY/ { e = 1 } e && / reduce\(/ { found = 1 } END { exit !found }' passed.hlo || fail "$(cat passed.hlo)"
    clusters 1 passed.hlo
    same passed.hlo
}

# Sums of all elements, and of the columns of normalised rows, as gradients have them.
@test "sinks of all elements, and of rows that are folded before" {
    for size in 65537 70001 300000; do
        sed "s/SIZE/$size/g" > m.hlo << 'END'
HloModule all

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  x = f32[SIZE] parameter(0)
  y = f32[SIZE] multiply(x, x)
  one = f32[] constant(1)
  squares = f32[] reduce(y, one), dimensions={0}, to_apply=total
  sum = f32[] reduce(x, one), dimensions={0}, to_apply=total
  ROOT t = (f32[], f32[SIZE], f32[]) tuple(squares, y, sum)
}

ENTRY entry {
  x = f32[SIZE] parameter(0)
  ROOT f = (f32[], f32[SIZE], f32[]) fusion(x), kind=kInput, calls=fused
}
END
        clusters 1 m.hlo
        same m.hlo
    done
    for size in "300 40" "90 1000" "70 1024" "80 2500" "9001 64" "900 128"; do
        sed "s/ROWS/${size% *}/g; s/LENGTH/${size#* }/g" > m.hlo << 'END'
HloModule gradients

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  x = f32[ROWS,LENGTH] parameter(0)
  zero = f32[] constant(0)
  sum = f32[ROWS] reduce(x, zero), dimensions={1}, to_apply=total
  sums = f32[ROWS,LENGTH] broadcast(sum), dimensions={0}
  y = f32[ROWS,LENGTH] subtract(x, sums)
  columns = f32[LENGTH] reduce(y, zero), dimensions={0}, to_apply=total
  ROOT t = (f32[LENGTH], f32[ROWS,LENGTH], f32[ROWS]) tuple(columns, y, sum)
}

ENTRY entry {
  x = f32[ROWS,LENGTH] parameter(0)
  ROOT f = (f32[LENGTH], f32[ROWS,LENGTH], f32[ROWS]) fusion(x), kind=kInput, calls=fused
}
END
        clusters 1 m.hlo
        same m.hlo
        # columns of a third of a row: rows that no tile of groups of columns ends with are computed by calls
        [ $((${size#* } % 4)) = 0 ] || continue
        sed "s/\[${size% *},${size#* }\]/[${size% *},3,${size#* }]/g; s/dimensions={1}/dimensions={1,2}/; s/(y, zero), dimensions={0}/(y, zero), dimensions={0,1}/" m.hlo > thirds.hlo
        same thirds.hlo
    done
}

# The result may have the memory of the operand, which is read at every level.
@test "rows in place" {
    for size in "4 100" "100 4" "3 1500" "64 64"; do
        cat > m.hlo << END
HloModule place

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

shares {
  x = f32[${size/ /,}] parameter(0)
  zero = f32[] constant(0)
  sum = f32[${size% *}] reduce(x, zero), dimensions={1}, to_apply=total
  sums = f32[${size/ /,}] broadcast(sum), dimensions={0}
  ROOT share = f32[${size/ /,}] divide(x, sums)
}

folded {
  x = f32[${size/ /,}] parameter(0)
  y = f32[${size#* }] parameter(1)
  zero = f32[] constant(0)
  columns = f32[${size/ /,}] broadcast(y), dimensions={1}
  product = f32[${size/ /,}] multiply(x, columns)
  ROOT sum = f32[${size% *}] reduce(product, zero), dimensions={1}, to_apply=total
}

ENTRY entry {
  p = f32[${size/ /,}] parameter(0)
  q = f32[${size#* }] parameter(1)
  x = f32[${size/ /,}] add(p, p)
  y = f32[${size#* }] add(q, q)
  f = f32[${size/ /,}] fusion(x), kind=kLoop, calls=shares
  ROOT g = f32[${size% *}] fusion(f, y), kind=kInput, calls=folded
}
END
        clusters 2 m.hlo
        same m.hlo
    done
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

@test "bitcasts of whole arrays are part of a cluster, unless memory has the elements in another order" {
    cat > m.hlo << 'END'
HloModule bitcasts

plain {
  p = f32[64,33]{1,0} parameter(0)
  e = f32[64,33]{1,0} exponential(p)
  b = f32[2112]{0} bitcast(e)
  n = f32[2112]{0} negate(b)
  ROOT r = f32[33,64]{1,0} bitcast(n)
}

turned {
  p = f32[33,64]{1,0} parameter(0)
  e = f32[33,64]{1,0} negate(p)
  b = f32[64,33]{0,1} bitcast(e)
  ROOT r = f32[64,33]{0,1} sine(b)
}

ENTRY entry {
  p = f32[64,33]{1,0} parameter(0)
  f = f32[33,64]{1,0} fusion(p), kind=kLoop, calls=plain
  ROOT g = f32[64,33]{0,1} fusion(f), kind=kLoop, calls=turned
}
END
    same m.hlo
    expect_status 0 hlo-run --as-written --print-plan m.hlo
    [ "$(grep -c ' cluster ' "$out")" -eq 1 ] || fail "$(cat "$out")"
}

# parts TYPE TEXT...: an array [6,5,24] of parts of the parameter p [6,5,24] and of q [2,5,24], each line an instruction, the
# last of them `all`; what reads it may be written over p, which dies.
parts() {
    local type=$1
    shift
    printf 'HloModule parts\n\nENTRY main {\n  x = %s[6,5,24] parameter(0)\n  q = %s[2,5,24] parameter(1)\n' "$type" "$type"
    local one=1
    [[ $type != c* ]] || one='(1, 2)'
    printf '  z = %s[] constant(%s)\n  v = %s[] parameter(2)\n  p = %s[6,5,24] reverse(x), dimensions={2}\n' "$type" "$one" "$type" "$type"
    local line
    for line in "$@"; do printf '  %s\n' "${line//T[/$type[}"; done
    printf '  ROOT sum = %s[6,5,24] add(all, p)\n}\n' "$type"
}

# reads MODULE [ARRAYS]: so many moves (1: p itself) make arrays; the sum is a cluster that reads the other parts where they
# are, with the bits of the module as it is written.
reads() {
    hlo-opt --passes='fusion,dce' -o passed.hlo "$1" || fail "$(cat "$1")"
    [ "$(awk '/^ENTRY/ { e = 1 } e && /(slice|pad|concatenate|reverse|transpose)\(/ { n++ } END { print n + 0 }' passed.hlo)" -eq "${2:-1}" ] ||
        fail "parts are arrays: $(cat passed.hlo)"
    hlo-run --as-written --print-plan passed.hlo >plan.txt
    grep -q ' cluster ' plan.txt || fail "no cluster: $(cat passed.hlo plan.txt)"
    same_ways --inputs=hash "$1" -- engine=reference of=passed.hlo,as-written,threads=1 of=passed.hlo,as-written,threads=2
}

@test "clusters read parts of arrays where they are: slices, pads, concatenations, reversed and transposed arrays" {
    for type in f32 s8 bf16 c64 s64; do
        parts $type 'a = T[6,5,8] slice(p), slice={[0:6], [0:5], [16:24]}' 'b = T[6,5,16] slice(p), slice={[0:6], [0:5], [0:16]}' \
            'all = T[6,5,24] concatenate(a, b), dimensions={2}' >m.hlo
        reads m.hlo
        parts $type 'a = T[5,5,24] slice(p), slice={[1:6], [0:5], [0:24]}' 'all = T[6,5,24] pad(a, z), padding=0_1x0_0x0_0' >m.hlo
        reads m.hlo
        parts $type 'a = T[6,5,23] slice(p), slice={[0:6], [0:5], [0:23]}' 'all = T[6,5,24] pad(a, v), padding=0_0x0_0x1_0' >m.hlo
        reads m.hlo
        parts $type 'a = T[2,5,24] reverse(q), dimensions={0,1}' 'b = T[2,5,24] slice(p), slice={[1:6:3], [0:5], [0:24]}' \
            'all = T[6,5,24] concatenate(a, q, b), dimensions={0}' >m.hlo
        reads m.hlo
        parts $type 'all = T[6,5,24] reverse(p), dimensions={0,1}' >m.hlo
        reads m.hlo
        parts $type 'a = T[5,6,24] transpose(p), dimensions={1,0,2}' 'b = T[4,3,24] slice(a), slice={[1:5], [0:6:2], [0:24]}' \
            'c = T[3,4,24] transpose(b), dimensions={1,0,2}' 'all = T[6,5,24] pad(c, z), padding=2_1x0_1x0_0' >m.hlo
        reads m.hlo
        parts $type 'a = T[6,5,30] pad(p, z), padding=0_0x1_-1x-2_8' 'all = T[6,5,24] slice(a), slice={[0:6], [0:5], [6:30]}' >m.hlo
        reads m.hlo
        parts $type 'a = T[0,5,24] slice(q), slice={[1:1], [0:5], [0:24]}' 'b = T[4,5,24] slice(p), slice={[2:6], [0:5], [0:24]}' \
            'all = T[6,5,24] concatenate(b, a, q), dimensions={0}' >m.hlo
        reads m.hlo 2 # the empty one is an array
    done
}

@test "clusters read every other element, and fill places between elements" {
    for type in f32 s8 bf16 c128 s64; do
        while IFS= read -r text; do
            parts $type "${text//; /$'\n'  }" >m.hlo
            reads m.hlo
        done <<'END'
a = T[6,5,12] slice(p), slice={[0:6], [0:5], [0:24:2]}; all = T[6,5,24] pad(a, z), padding=0_0x0_0x0_1_1
a = T[6,5,48] pad(p, z), padding=0_0x0_0x11_13; all = T[6,5,24] slice(a), slice={[0:6], [0:5], [0:48:2]}
all = T[6,5,24] pad(p, v), padding=0_0x0_0x-3_-20_1
all = T[6,5,24] pad(p, v), padding=-1_-4_1x1_-5_1x-20_-3_1
a = T[3,5,24] slice(p), slice={[0:6:2], [0:5], [0:24]}; all = T[6,5,24] pad(a, z), padding=1_0_1x0_0x0_0
a = T[6,3,8] slice(p), slice={[0:6], [1:4], [13:21]}; all = T[6,5,24] pad(a, v), padding=0_0x0_0_1x1_1_2
a = T[6,5,24] pad(q, v), padding=1_2_1x-1_1x0_0; all = T[6,5,24] reverse(a), dimensions={0,1}
a = T[6,5,8] slice(p), slice={[0:6], [0:5], [3:11]}; b = T[6,5,8] slice(p), slice={[0:6], [0:5], [8:24:2]}; c = T[6,5,16] concatenate(a, b), dimensions={2}; all = T[6,5,24] pad(c, z), padding=0_0x0_0x-3_-4_1
a = T[6,5,47] pad(p, z), padding=0_0x0_0x0_0_1; all = T[6,5,24] slice(a), slice={[0:6], [0:5], [11:35]}
a = T[6,5,8] slice(p), slice={[0:6], [0:5], [0:24:3]}; b = T[6,5,8] slice(p), slice={[0:6], [0:5], [2:24:3]}; all = T[6,5,24] concatenate(a, b, a), dimensions={2}
a = T[6,5,8] slice(p), slice={[0:6], [0:5], [2:24:3]}; b = T[6,5,1] slice(a), slice={[0:6], [0:5], [3:8:9223372036854775807]}; all = T[6,5,24] pad(b, z), padding=0_0x0_0x3_20_4294967296
END
    done
}

# Tiles begin and end anywhere between elements, and have none of some boxes.
@test "elements at distances across tiles" {
    for n in 1031 8192 100003; do
        h=$(((n + 1) / 2)) t=$(((n + 2) / 3))
        cat >m.hlo <<END
HloModule distances

ENTRY main {
  x = f32[$n] parameter(0)
  y = f32[$((2 * n))] parameter(1)
  v = f32[] parameter(2)
  e = f32[$n] negate(x)
  a = f32[$h] slice(e), slice={[0:$n:2]}
  p = f32[$n] pad(a, v), padding=0_$((n - 2 * h + 1))_1
  f = f32[$n] slice(y), slice={[0:$((2 * n)):2]}
  g = f32[$n] slice(y), slice={[1:$((2 * n)):2]}
  b = f32[$t] slice(y), slice={[7:$((7 + 5 * t - 4)):5]}
  q = f32[$n] pad(b, v), padding=0_$((n - 3 * t + 2))_2
  w = f32[$n] pad(x, v), padding=$((n / 3))_$((-(n - 1) * 99 - n / 3))_99
  sum1 = f32[$n] add(p, f)
  sum2 = f32[$n] multiply(sum1, g)
  sum3 = f32[$n] subtract(sum2, q)
  ROOT sum4 = f32[$n] add(sum3, w)
}
END
        reads m.hlo 0
    done
}

# gathered TYPE TABLE INDICES RESULT ATTRIBUTES: what is computed from a gather, and the extremes of its rows; the indices are made
# in the module, and some of them are out of bounds.
gathered() {
    local type=$1 rows=${4%,*}
    cat <<END
HloModule gathered

most {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT m = $type[] maximum(a, b)
}

ENTRY main {
  t = $type[$2] parameter(0)
  i = s8[${3%%;*}] parameter(1)
  i.2 = s8[${3%%;*}] parameter(2)
  j = s8[${3%%;*}] xor(i, i.2)
  k = s8[${3##*;}] reshape(j)
  g = $type[$4] gather(t, k), $5
  x = $type[$4] parameter(3)
  d = $type[$4] subtract(g, x)
  low = $type[] constant(0)
  m = $type[$rows] reduce(g, low), dimensions={$(tr -dc , <<<"$4" | wc -c)}, to_apply=most
  ROOT all = ($type[$4], $type[$rows]) tuple(d, m)
}
END
}

# fuses COUNT: so many gathers of m.hlo are in clusters, which have the bits of the module as it is written.
fuses() {
    hlo-opt --passes='fusion,dce' -o passed.hlo m.hlo || fail "$(cat m.hlo)"
    [ "$(awk '/^ENTRY/ { exit } / gather\(/ { n++ } END { print n + 0 }' passed.hlo)" -eq "$1" ] || fail "not $1: $(cat passed.hlo)"
    same_ways --inputs=hash m.hlo -- engine=reference of=passed.hlo,as-written,threads=1 of=passed.hlo,as-written,threads=2
}

@test "clusters read gathered rows where they are" {
    local rows='collapsed_slice_dims={0}, start_index_map={0}'
    for type in f32 s8 bf16 f64; do
        gathered $type 50,24 '700;700,1' 700,24 "offset_dims={1}, $rows, index_vector_dim=1, slice_sizes={1,24}" >m.hlo
        fuses 1
        gathered $type 50,3000 '70;70' 70,3000 "offset_dims={1}, $rows, index_vector_dim=1, slice_sizes={1,3000}" >m.hlo
        fuses 1
        gathered $type 1,8 '1300;13,100' 13,100,8 "offset_dims={2}, $rows, index_vector_dim=2, slice_sizes={1,8}" >m.hlo
        fuses 1
        gathered $type 9,5,40 '400;2,200' 200,39 \
            'offset_dims={1}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,1,39}' >m.hlo
        fuses 1
        gathered $type 19,5,8 '30;30' 30,3,5,8 'offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={3,5,8}' >m.hlo
        fuses 1
        gathered $type 3,9000 '1;1' 9000 "offset_dims={0}, $rows, index_vector_dim=0, slice_sizes={1,9000}" >m.hlo
        sed -i "s/^  m = .*/  m = $type[] reduce(g, low), dimensions={0}, to_apply=most/; s/$type\[9000\]) tuple/$type[]) tuple/" m.hlo
        fuses 1
    done
}

# Narrow rows, windows that are no rows or not one after the other, batches, and arrays that others read.
@test "what else is gathered stays an array" {
    local rows='collapsed_slice_dims={0}, start_index_map={0}'
    gathered f32 50,7 '700;700' 700,7 "offset_dims={1}, $rows, index_vector_dim=1, slice_sizes={1,7}" >m.hlo
    fuses 0
    gathered f32 50,24,10 '70;70' 70,24,9 "offset_dims={1,2}, $rows, index_vector_dim=1, slice_sizes={1,24,9}" >m.hlo
    fuses 0
    gathered f32 50,24 '700;700' 24,700 "offset_dims={0}, $rows, index_vector_dim=1, slice_sizes={1,24}" >m.hlo
    fuses 0
    gathered f32 4,50,24 '280;4,70' 4,70,24 "offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, \
start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,24}" >m.hlo
    fuses 0
    gathered f32 50,24 '700;700' 700,24 "offset_dims={1}, $rows, index_vector_dim=1, slice_sizes={1,24}" >m.hlo
    sed -i 's/tuple(d, m)/tuple(g, m)/' m.hlo
    fuses 0
}

# Along the padded dimension q has one element, which has no distance to a next one.
@test "padding inside as wide as numbers are" {
    for inside in 4294967296 9223372036854775806 9223372036854775807; do
        cat >m.hlo <<END
HloModule wide

ENTRY main {
  x = f32[6,500] parameter(0)
  q = f32[1,500] parameter(1)
  v = f32[] parameter(2)
  p = f32[6,500] pad(q, v), padding=2_3_${inside}x0_0
  ROOT sum = f32[6,500] add(x, p)
}
END
        hlo-opt --passes='fusion,dce' -o passed.hlo m.hlo || fail "$(cat m.hlo)"
        same_ways --inputs=hash m.hlo -- engine=reference of=passed.hlo,as-written
    done
}

@test "parts that are narrow, thinned out twice, turned in memory or read by others stay arrays" {
    for text in 'all = T[6,5,24] reverse(p), dimensions={2}' 'a = T[6,5,47] pad(p, z), padding=0_0x0_0x0_0_1
  all = T[6,5,24] slice(a), slice={[0:6], [0:5], [0:47:2]}' 'a = T[5,24,6] transpose(p), dimensions={1,2,0}
  b = T[6,5,24] reshape(a)
  all = T[6,5,24] negate(b)' 'all = T[6,5,24] concatenate(q, q, q), dimensions={0}
  o = (T[6,5,24]) custom-call(all), custom_call_target="none", custom_call_has_side_effect=true'; do
        parts f32 "$text" >m.hlo
        hlo-opt --passes='fusion,dce' m.hlo >passed.hlo || fail "$(cat m.hlo)"
        awk '/^ENTRY/ { e = 1 } e && / (pad|concatenate|reverse|transpose)\(/ { n++ } END { exit n < 2 }' passed.hlo || fail "$(cat passed.hlo)"
    done
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

# couples TYPE ROWS LENGTH FIRST SECOND: FIRST of two operands, and SECOND of its result and another operand, or of the
# result twice. Operands are arrays, a scalar, a constant and the sum of each row, in all combinations.
couples() {
    local t=$1 rows=$2 n=$3 shape="$1[$2,$3]" result="$1[$2,$3]" direction= names= types= count=0 a b operands
    case $5 in compare*) result="pred[$rows,$n]" direction=", direction=${5#compare-}" ;; esac
    printf 'HloModule couples\n\nsum {\n  a = %s[] parameter(0)\n  b = %s[] parameter(1)\n  ROOT s = %s[] add(a, b)\n}\n\n' $t $t $t
    printf 'fused {\n  x = %s parameter(0)\n  y = %s parameter(1)\n  s = %s[] parameter(2)\n' $shape $shape $t
    printf '  three = %s[] constant(3)\n  zero = %s[] constant(0)\n' $t $t
    printf '  scalar = %s broadcast(s), dimensions={}\n  number = %s broadcast(three), dimensions={}\n' $shape $shape
    printf '  sums = %s[%s] reduce(x, zero), dimensions={1}, to_apply=sum\n' $t $rows
    printf '  row = %s broadcast(sums), dimensions={0}\n' $shape
    for a in x scalar row; do
        for b in y number row; do
            for operands in "FIRST, y" "y, FIRST" "FIRST, scalar" "number, FIRST" "FIRST, row" "FIRST, FIRST"; do
                count=$((count + 1))
                printf '  first.%s = %s %s(%s, %s)\n' $count $shape $4 $a $b
                printf '  r.%s = %s %s(%s)%s\n' $count $result ${5%-[A-Z]*} "${operands//FIRST/first.$count}" "$direction"
                names+=", r.$count" types+=", $result"
            done
        done
    done
    printf '  ROOT all = (%s) tuple(%s)\n}\n\n' "${types#, }" "${names#, }"
    printf 'ENTRY entry {\n  x = %s parameter(0)\n  y = %s parameter(1)\n  s = %s[] parameter(2)\n' $shape $shape $t
    printf '  ROOT f = (%s) fusion(x, y, s), kind=kLoop, calls=fused\n}\n' "${types#, }"
}

# Two instructions become one step, and what is one number for a tile is read as one.
@test "couples of instructions, and operands that are the same for a tile: in all combinations" {
    instruction_sets
    for first in add subtract multiply maximum; do
        for second in add subtract multiply divide maximum minimum compare-LT; do
            couples f32 5 700 $first $second > m.hlo
            clusters 1 m.hlo
            same m.hlo
            same_ways --inputs=hash m.hlo -- isa=all
        done
        couples f32 9 100 $first add > m.hlo
        same m.hlo
    done
    for type in f64 s32 u32 s64 u64; do
        for second in add subtract multiply maximum minimum compare-GE; do
            couples $type 5 700 subtract $second > m.hlo
            clusters 1 m.hlo
            same m.hlo
        done
    done
    for type in s32 u32 u64; do
        for second in and or xor shift-left shift-right-logical shift-right-arithmetic; do
            couples $type 3 300 xor $second > m.hlo
            clusters 1 m.hlo
            same m.hlo
        done
    done
}

# alone ROWS LENGTH FIRST: an instruction of one operand of what FIRST computes from numbers of f32 and of bf16.
alone() {
    local shape="[$1,$2]" names= types= count=0 t a b
    printf 'HloModule alone\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n'
    printf 'fused {\n  x.f32 = f32%s parameter(0)\n  y.f32 = f32%s parameter(1)\n  s = f32[] parameter(2)\n' "$shape" "$shape"
    printf '  three = f32[] constant(3)\n  zero = f32[] constant(0)\n  scalar.f32 = f32%s broadcast(s), dimensions={}\n' "$shape"
    printf '  number.f32 = f32%s broadcast(three), dimensions={}\n' "$shape"
    printf '  sums = f32[%s] reduce(x.f32, zero), dimensions={1}, to_apply=sum\n  row.f32 = f32%s broadcast(sums), dimensions={0}\n' $1 "$shape"
    for a in x y scalar number row; do printf '  %s.bf16 = bf16%s convert(%s.f32)\n' $a "$shape" $a; done
    for t in f32 bf16; do
        for a in x scalar row; do
            for b in y number row; do
                count=$((count + 1))
                printf '  first.%s = %s%s %s(%s.%s, %s.%s)\n' $count $t "$shape" $3 $a $t $b $t
                printf '  e.%s = %s%s exponential(first.%s)\n' $count $t "$shape" $count
                printf '  again.%s = %s%s %s(%s.%s, %s.%s)\n' $count $t "$shape" $3 $b $t $a $t
                printf '  c.%s = bf16%s convert(again.%s)\n' $count "$shape" $count
                names+=", e.$count, c.$count" types+=", $t$shape, bf16$shape"
            done
        done
    done
    printf '  ROOT all = (%s) tuple(%s)\n}\n\n' "${types#, }" "${names#, }"
    printf 'ENTRY entry {\n  x = f32%s parameter(0)\n  y = f32%s parameter(1)\n  s = f32[] parameter(2)\n' "$shape" "$shape"
    printf '  ROOT f = (%s) fusion(x, y, s), kind=kLoop, calls=fused\n}\n' "${types#, }"
}

@test "exponentials of arithmetic, and arithmetic that is rounded to bf16: in all combinations" {
    instruction_sets
    for first in add subtract multiply divide; do
        alone 5 701 $first > m.hlo
        clusters 1 m.hlo
        same m.hlo
        same_ways --inputs=hash m.hlo -- isa=all
    done
}

@test "choices between arrays and numbers, and infinities, nans and zeros in couples" {
    cat > m.hlo << 'END'
HloModule choices

fused {
  x = f32[3,700] parameter(0)
  s = f32[] parameter(1)
  zero = f32[] constant(0)
  minus = f32[] constant(-0)
  nothing = f32[] constant(nan)
  zeros = f32[3,700] broadcast(zero), dimensions={}
  negative = f32[3,700] broadcast(minus), dimensions={}
  nans = f32[3,700] broadcast(nothing), dimensions={}
  scalars = f32[3,700] broadcast(s), dimensions={}
  p = pred[3,700] compare(x, zeros), direction=LT
  infinite = f32[3,700] divide(x, zeros)
  none = f32[3,700] subtract(infinite, infinite)
  first = f32[3,700] select(p, x, zeros)
  second = f32[3,700] select(p, scalars, x)
  both = f32[3,700] select(p, nans, scalars)
  product = f32[3,700] multiply(x, zeros)
  sum = f32[3,700] add(product, negative)
  larger = f32[3,700] maximum(negative, first)
  smaller = f32[3,700] minimum(larger, zeros)
  unlike = f32[3,700] maximum(nans, x)
  bounded = f32[3,700] minimum(unlike, scalars)
  less = f32[3,700] subtract(infinite, scalars)
  square = f32[3,700] multiply(less, less)
  more = f32[3,700] add(square, none)
  ROOT t = (f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700]) tuple(first, second, both, sum, smaller, bounded, more)
}

ENTRY entry {
  x = f32[3,700] parameter(0)
  s = f32[] parameter(1)
  ROOT f = (f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700], f32[3,700]) fusion(x, s), kind=kLoop, calls=fused
}
END
    clusters 1 m.hlo
    same m.hlo
}

# Squares are added up without being stored; here they are, or are not, read by others too.
@test "sums of squares of rows and of columns" {
    instruction_sets
    for size in "300 3" "41 31" "40 64" "7 255" "9 256" "3 1000" "2 1025" "3 3001" "2 65536" "3000 70" "70000 2"; do
        sed "s/ROWS/${size% *}/g; s/LENGTH/${size#* }/g" > m.hlo << 'END'
HloModule squares

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

rows {
  x = f32[ROWS,LENGTH] parameter(0)
  zero = f32[] constant(0)
  square = f32[ROWS,LENGTH] multiply(x, x)
  sum = f32[ROWS] reduce(square, zero), dimensions={1}, to_apply=total
  sums = f32[ROWS,LENGTH] broadcast(sum), dimensions={0}
  y = f32[ROWS,LENGTH] subtract(x, sums)
  squares = f32[ROWS,LENGTH] multiply(y, y)
  second = f32[ROWS] reduce(squares, zero), dimensions={1}, to_apply=total
  ROOT t = (f32[ROWS], f32[ROWS], f32[ROWS,LENGTH]) tuple(sum, second, squares)
}

ENTRY entry {
  x = f32[ROWS,LENGTH] parameter(0)
  f = (f32[ROWS], f32[ROWS], f32[ROWS,LENGTH]) fusion(x), kind=kInput, calls=rows
  zero = f32[] constant(0)
  square = f32[ROWS,LENGTH] multiply(x, x)
  columns = f32[LENGTH] reduce(square, zero), dimensions={0}, to_apply=total
  cube = f32[ROWS,LENGTH] multiply(x, square)
  cubes = f32[LENGTH] reduce(cube, zero), dimensions={0}, to_apply=total
  ROOT t = ((f32[ROWS], f32[ROWS], f32[ROWS,LENGTH]), f32[LENGTH], f32[LENGTH]) tuple(f, columns, cubes)
}
END
        same m.hlo
        same_ways --inputs=hash m.hlo -- isa=all
    done
}

# forwards TYPE DIMENSIONS OPERANDS RESULT INSTRUCTION...: a fusion whose body computes nothing from one operand or from two: of
# parameters of the entry, of values that are read again and of values that are not; with the results of all of them.
forwards() {
    local shape="$1[$2]" n=$3 result=$4 second="b = $1[$2] parameter(1)"
    shift 4
    of() { [ "$n" = 1 ] && echo "$1" || echo "$1, $2"; }
    [ "$n" = 2 ] || second=
    cat << END
HloModule forwards

fused {
  a = $shape parameter(0)
  $second
$(printf '  %s\n' "$@")
}

ENTRY entry {
  x = $shape parameter(0)
  y = $shape parameter(1)
  kept = $shape not(x)
  left = $shape xor(x, y)
  right = $shape and(x, y)
  of.parameters = $result fusion($(of x y)), kind=kLoop, calls=fused
  of.one = $result fusion($(of x x)), kind=kInput, calls=fused
  of.kept = $result fusion($(of kept y)), kind=kOutput, calls=fused
  of.left = $result fusion($(of left right)), kind=kLoop, calls=fused
  start = (($(of $shape $shape)), $result, s32[]) fusion-start($(of kept kept)), kind=kLoop, calls=fused
  done = $result fusion-done(start)
  ROOT t = ($result, $result, $result, $result, $result, $shape) tuple(of.parameters, of.one, of.kept, of.left, done, kept)
}
END
}

# Freed and new memory is filled with a pattern by the allocator, so that what is not written shows.
@test "bodies that only forward or move parameters write all of their results" {
    export MALLOC_PERTURB_=165
    for size in "s32 2" "s32 1" "u8 7" "s64 300,301" "pred 257" "s32 2,3000"; do
        read -r t n <<< "$size"
        flat=$((${n//,/*}))
        all="$t[$n]" one="$t[$flat]"
        rm -f *.hlo
        forwards $t $n 1 "$all" "ROOT a = $all parameter(0)" | sed '/^  a = /d' > root.hlo
        forwards $t $n 1 "$all" "c = $all copy(a)" "ROOT r = $all copy(c)" > copy.hlo
        forwards $t $n 1 "$one" "ROOT r = $one reshape(a)" > reshape.hlo
        forwards $t $n 1 "$one" "ROOT r = $one bitcast(a)" > bitcast.hlo
        forwards $t $n 1 "$all" "f = $one reshape(a)" "ROOT r = $all reshape(f)" > back.hlo
        forwards $t $n 1 "$one" "f = $one reshape(a)" "ROOT r = $one broadcast(f), dimensions={0}" > broadcast.hlo
        forwards $t $n 1 "($all)" "ROOT r = ($all) tuple(a)" > single.hlo
        forwards $t $n 1 "($all, $all, pred[])" "c = pred[] constant(1)" "ROOT r = ($all, $all, pred[]) tuple(a, a, c)" > constant.hlo
        forwards $t $n 2 "($all, $all)" "ROOT r = ($all, $all) tuple(b, a)" > tuple.hlo
        forwards $t $n 2 "($all, $one, $all, $all)" "c = $all copy(b)" "f = $one bitcast(a)" \
            "ROOT r = ($all, $one, $all, $all) tuple(c, f, c, b)" > copies.hlo
        forwards $t $n 2 "(($all), $all)" "c = ($all) tuple(b)" "ROOT r = (($all), $all) tuple(c, a)" > nested.hlo
        forwards $t $n 2 "$all" "c = ($all, $all) tuple(a, b)" "ROOT r = $all get-tuple-element(c), index=1" > element.hlo
        for m in *.hlo; do
            same_ways --inputs=hash $m -- engine=reference trace-values threads=1 threads=2 threads=4
        done
    done
}

@test "forwarded results that go past the caches" {
    forwards s64 50001 2 "(s64[50001], s64[50001])" "c = s64[50001] copy(b)" "ROOT r = (s64[50001], s64[50001]) tuple(c, a)" > m.hlo
    same_ways --inputs=hash --stream-bytes=65536 m.hlo -- engine=reference default
}
