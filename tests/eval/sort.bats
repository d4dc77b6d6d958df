# Sorts: the fast engine gives what the reference engine does with the comparator, to the last bit, whether it finds keys
# in the comparator or not: comparators as frameworks write them, all types, lines of all lengths, every array beside.

load ../lib
load elements

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# both: m.hlo by both engines, the fast one on one thread and on three.
both() {
    same_ways m.hlo -- threads=1 threads=3 ~engine=reference
}

# canonical TYPE: the comparator's values of its parameters a and b that JAX compares, x and y.
canonical() {
    local type=$1 side=x
    for parameter in a b; do
        echo "  $side.nan = pred[] compare($parameter, $parameter), direction=NE
  $side.c = $type[] constant(nan)
  $side.z = $type[] constant(0)
  $side.0 = pred[] compare($parameter, $side.z), direction=EQ
  $side.s = $type[] select($side.0, $side.z, $parameter)
  $side = $type[] select($side.nan, $side.c, $side.s)"
        side=y
    done
}

# sort_of DIMS DIMENSION TYPE... : m.hlo sorts arrays of the types by the comparator $compare, whose parameters are a, b, c,
# d ...
sort_of() {
    local dims=$1 dimension=$2 n=1 types= names= parameters= number=0 type d letters=(a b c d e f g h)
    shift 2
    for d in ${dims//,/ }; do n=$((n * d)); done
    body=
    for type in "$@"; do
        values "v$number" "$type" "$dims" "$n" $((number + 1)) "$NAN"
        types+=", $type[$dims]" names+=", v$number"
        parameters+="  ${letters[2 * number]} = $type[] parameter($((2 * number)))
  ${letters[2 * number + 1]} = $type[] parameter($((2 * number + 1)))
"
        number=$((number + 1))
    done
    types=${types#, }
    [ $# = 1 ] || types="($types)"
    printf 'HloModule sort\n\nbefore {\n%s%s\n}\n\nENTRY main {\n%s  ROOT sorted = %s sort(%s), dimensions={%s}, is_stable=true, to_apply=before\n}\n' \
        "$parameters" "$compare" "$body" "$types" "${names#, }" "$dimension" >m.hlo
    both
}

total() {
    echo "  ROOT r = pred[] compare($1, $2), direction=$3, type=TOTALORDER"
}

NAN=1
floats="f64 f32 f16 bf16 f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e4m3fnuz f8e5m2fnuz f8e3m4"
integers="pred s4 u4 s8 u8 s16 u16 s32 u32 s64 u64"

@test "one key of each type, up and down, alone and with an array beside it" {
    for type in $floats $integers f8e8m0fnu f4e2m1fn f6e2m3fn; do
        for compare in "$(total a b LT)" "$(total b a LT)"; do
            [[ $type != [fb]* ]] && compare=${compare%, type*}
            sort_of 700 0 "$type"
            sort_of 41,300 1 "$type" s32
        done
        sort_of 9000 0 "$type"
        sort_of 5000 0 "$type" u8
    done
}

@test "lengths around what is inserted, counted and cut into pieces" {
    for n in 1 2 23 24 25 255 4095 4096 8192 8193 131071 131072 140000; do
        compare=$(canonical f32; total x y LT)
        sort_of $n 0 f32
        sort_of $n 0 f32 s32
        compare="  ROOT r = pred[] compare(a, b), direction=GT"
        sort_of $n 0 s64
        sort_of $n 0 u8
    done
}

@test "zeros and NaNs made one of a kind keep their order and their bits" {
    for type in $floats; do
        compare=$(canonical "$type"; total x y LT)
        sort_of 3000 0 "$type"
        sort_of 3,1000 1 "$type" u8
        sort_of 1000,3 0 "$type" f64
        compare=$(canonical "$type"; total x y GT)
        sort_of 3000 0 "$type" "$type" s8
    done
}

@test "several keys" {
    first="  lt = pred[] compare(x, y), direction=LT, type=TOTALORDER
  eq = pred[] compare(x, y), direction=EQ, type=TOTALORDER"
    for type in f32 bf16 f64; do
        then="  r2 = pred[] compare(d, c), direction=LT"
        for root in "  both = pred[] and(eq, r2)
  ROOT r = pred[] or(lt, both)" "  both = pred[] and(r2, eq)
  ROOT r = pred[] or(both, lt)" "  ROOT r = pred[] select(eq, r2, lt)" "  ne = pred[] compare(y, x), direction=NE, type=TOTALORDER
  ROOT r = pred[] select(ne, lt, r2)" "  gt = pred[] compare(y, x), direction=LT, type=TOTALORDER
  same = pred[] compare(lt, gt), direction=EQ
  ROOT r = pred[] select(same, r2, lt)"; do
            compare="$(canonical $type)"$'\n'"$first"$'\n'"$then"$'\n'"$root"
            sort_of 20000 0 $type s32
            sort_of 2,300,3 1 $type s64 s32
            sort_of 50,30 1 $type u8
        done
    done
}

@test "keys that are computed: bits in order, absolute values, sums of arrays" {
    compare="  ai = s32[] bitcast-convert(a)
  bi = s32[] bitcast-convert(b)
  zero = s32[] constant(0)
  most = u32[] constant(2147483647)
  au = u32[] bitcast-convert(a)
  bu = u32[] bitcast-convert(b)
  af = u32[] subtract(most, au)
  bf = u32[] subtract(most, bu)
  as = s32[] bitcast-convert(af)
  bs = s32[] bitcast-convert(bf)
  an = pred[] compare(ai, zero), direction=LT
  bn = pred[] compare(bi, zero), direction=LT
  ak = s32[] select(an, as, ai)
  bk = s32[] select(bn, bs, bi)
  ROOT r = pred[] compare(ak, bk), direction=GT"
    sort_of 5000 0 f32
    sort_of 5000 0 f32 s32
    compare="  aa = s32[] abs(a)
  ba = s32[] abs(b)
  ROOT r = pred[] compare(aa, ba), direction=LT"
    sort_of 5000 0 s32
    sort_of 30,20 0 s32 f32
    compare="  s = s16[] add(a, c)
  t = s16[] add(b, d)
  ROOT r = pred[] compare(s, t), direction=LT"
    sort_of 5000 0 s16 s16
}

@test "comparators without keys" {
    NAN=0
    for n in 1 2 600 5000 70000; do
        compare="  diff = s16[] subtract(b, a)
  z = s16[] constant(0)
  m = s16[] constant(7)
  ad = s16[] and(a, m)
  bd = s16[] and(b, m)
  ROOT r = pred[] compare(ad, bd), direction=LT"
        sort_of $n 0 s16
        compare="  m = s32[] constant(7)
  ad = s32[] and(a, m)
  bd = s32[] and(m, b)
  diff = s32[] subtract(bd, ad)
  z = s32[] constant(0)
  ROOT r = pred[] compare(z, diff), direction=LT"
        sort_of $n 0 s32 u8
    done
    # Without NaNs, a plain comparison of floats has keys; with them it is no order, but what both engines find is
    # a permutation.
    compare="  ROOT r = pred[] compare(a, b), direction=LT"
    sort_of 3000 0 f32 s32
    sort_of 3000 0 f32
}
