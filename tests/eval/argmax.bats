# Reductions to an extreme element and its position: the fast engine, which recognizes some computations and does not read the
# positions, gives what the reference engine computes; ties, NaNs, zeros of both signs and initial values, to the last bit.

load ../lib
load elements

setup() {
    cd "$BATS_TEST_TMPDIR"
    elements=x producer= prepare=true
}

both() {
    same_ways m.hlo -- threads=1 threads=3 ~engine=reference
}

# reduce TYPE DIMS DIMENSION INDEX INIT POSITION: m.hlo reduces by $steps, of a, i, b and j, which end with `value` and `at`;
# where $elements is not x, what is computed of x by the instruction `elements` of $producer.
reduce() {
    local type=$1 dims=$2 dimension=$3 index=$4 n=1 d kept= k=0
    for d in ${dims//,/ }; do
        n=$((n * d))
        [ $k = "$dimension" ] || kept+=,$d
        k=$((k + 1))
    done
    kept=${kept#,}
    body=
    values x "$type" "$dims" "$n" 1 "$NAN"
    cat >m.hlo <<END
HloModule argmax

pick {
  a = $type[] parameter(0)
  i = $index[] parameter(1)
  b = $type[] parameter(2)
  j = $index[] parameter(3)
${steps//TYPE/$type}
  ROOT r = ($type[], $index[]) tuple(value, at)
}

ENTRY main {
$body$producer  places = $index[$dims] iota(), iota_dimension=$dimension
  start = $type[] constant($5)
  first = $index[] constant($6)
  ROOT best = ($type[$kept], $index[$kept]) reduce($elements, places, start, first), dimensions={$dimension}, to_apply=pick
}
END
    $prepare
    both
}

# jax GT|LT: argmax and argmin as JAX writes them.
jax() {
    steps="  better = pred[] compare(a, b), direction=$1
  no = pred[] compare(a, a), direction=NE
  or = pred[] or(better, no)
  value = TYPE[] select(or, a, b)
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  both = pred[] and(eq, lt)
  or2 = pred[] or(or, both)
  at = INDEX[] select(or2, i, j)"
}

# one DIRECTION: one comparison decides.
one() {
    steps="  better = pred[] compare(a, b), direction=$1
  value = TYPE[] select(better, a, b)
  at = INDEX[] select(better, i, j)"
}

# least DIRECTION: of equal ones the lesser position.
least() {
    steps="  better = pred[] compare(a, b), direction=$1
  eq = pred[] compare(a, b), direction=EQ
  value = TYPE[] select(better, a, b)
  low = INDEX[] minimum(i, j)
  other = INDEX[] select(better, i, j)
  at = INDEX[] select(eq, low, other)"
}

all_shapes() {
    local type=$1 index=$2 all=$steps
    steps=${all//INDEX/$index}
    reduce "$type" 5,1500 1 "$index" 0 0
    reduce "$type" 1500,5 0 "$index" 0 7
    reduce "$type" 3,90,31 1 "$index" 1 0
}

NAN=1
EXTREME="f64 f32 f16 bf16 f8e5m2 f8e4m3fn f8e4m3fnuz s8 u8 s16 u16 s32 u32 s64 u64"

@test "as JAX writes it" {
    for type in $EXTREME; do
        for direction in GT LT; do
            jax $direction
            all_shapes "$type" s32
        done
    done
    jax GT
    steps=${steps//INDEX/s64}
    for init in nan -inf -0 0; do
        reduce f32 3,1024 1 s64 $init 0
        reduce f32 40,1025 0 s64 $init 2000
        reduce bf16 6,2,3 0 s64 $init 1
    done
    reduce f32 3,1 1 s64 -inf 0
    reduce f32 3,0 1 s64 -inf 0
    reduce f32 0,3 1 s64 -inf 0
    reduce f32 2,140000 1 s64 -inf 0
}

@test "one comparison, lesser positions, with NaNs and without" {
    for NAN in 0 1; do
        for direction in GE GT LE LT; do
            for type in f32 bf16 f64 s32 u8; do
                one $direction
                all_shapes $type u32
                least $direction
                all_shapes $type s16
            done
        done
    done
}

# tied EQUAL: the greatest value, of equal ones the first position; the value of the first one where EQUAL holds.
tied() {
    steps="  more = pred[] compare(a, b), direction=GT
  same = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=$1
  keeps = pred[] and(same, before)
  first = pred[] or(more, keeps)
  lt = pred[] compare(i, j), direction=LT
  both = pred[] and(same, lt)
  or2 = pred[] or(more, both)
  value = TYPE[] select(first, a, b)
  at = INDEX[] select(or2, i, j)"
}

@test "zeros of both signs, whose values and positions are chosen apart, and any initial position" {
    NAN=0
    local direction position
    for direction in LT LE GT GE EQ NE; do
        for position in 0 1 2 99 -1; do
            for init in 0 -0; do
                tied $direction
                steps=${steps//INDEX/s32}
                reduce f32 2,3,4 1 s32 $init $position
                reduce bf16 40,3 1 s32 $init $position
            done
        done
        tied $direction
        steps=${steps//INDEX/u8}
        reduce f32 5,200 1 u8 0 200
    done
}

@test "what has a similar form only" {
    NAN=0
    steps="  better = pred[] compare(a, b), direction=GT
  value = TYPE[] select(better, a, b)
  at = s32[] add(i, j)"
    reduce f32 5,300 1 s32 0 0
    steps="  better = pred[] compare(i, j), direction=GT
  value = TYPE[] select(better, a, b)
  at = s32[] select(better, i, j)"
    reduce f32 5,300 1 s32 0 0
    jax GT
    steps=${steps//INDEX/s8}
    reduce f32 5,300 1 s8 0 0
}

@test "positions that are not read are not computed" {
    jax GT
    steps=${steps//INDEX/s32}
    reduce f32 300,500 1 s32 -inf 0
    expect_status 0 hlo-run --print-plan m.hlo
    ! grep -q places "$out" || fail "places are computed"
}

@test "run-time sizes" {
    cat >m.hlo <<'END'
HloModule argmax

pick {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  better = pred[] compare(a, b), direction=GE
  value = f32[] select(better, a, b)
  at = s32[] select(better, i, j)
  ROOT r = (f32[], s32[]) tuple(value, at)
}

ENTRY main {
  x = f32[3,6] constant({{1,2,3,9,9,9},{3,2,1,9,9,9},{0,5,5,9,9,9}})
  n = s32[] constant(3)
  cut = f32[3,<=6] set-dimension-size(x, n), dimensions={1}
  places = s32[3,6] iota(), iota_dimension=1
  places.cut = s32[3,<=6] set-dimension-size(places, n), dimensions={1}
  low = f32[] constant(-inf)
  first = s32[] constant(0)
  ROOT best = (f32[3], s32[3]) reduce(cut, places.cut, low, first), dimensions={1}, to_apply=pick
}
END
    both
    sed -i 's/reduce(cut, places.cut/reduce(cut, places/; s/  places.cut.*//' m.hlo
    expect_status 0 hlo-run m.hlo
    expect_text "$out" "{3, 3, 5}, {2, 0, 1}"
}

# m.hlo becomes a fusion: the module's own plan has a cluster, and nothing that reduces.
one_cluster() {
    expect_status 0 hlo-opt --passes=fusion,dce m.hlo
    mv "$out" m.hlo
    expect_status 0 hlo-run --print-plan m.hlo
    awk '/^plan /{ n++ } n < 2' "$out" >plan.txt
    [ "$(grep -c ' cluster' plan.txt)" -eq 1 ] || fail "$(cat plan.txt)"
    ! grep -q ' reduce ' plan.txt || fail "$(cat plan.txt)"
}

# fused TYPE DIMS INDEX INIT POSITION: rows of elements that a cluster computes, and does not write.
fused() {
    elements=computed producer="  computed = $1[$2] negate(x)"$'\n' prepare=one_cluster
    reduce "$1" "$2" 1 "$3" "$4" "$5"
}

# Several rows of a tile, a tile of a row, and rows of several tiles, whose last one is shorter.
@test "rows that a cluster computes" {
    for type in $EXTREME; do
        for direction in GT LT; do
            jax $direction
            steps=${steps//INDEX/s32}
            fused "$type" 700,3 s32 0 0
            fused "$type" 3,1500 s32 0 0
            fused "$type" 2,5000 s32 0 7
        done
    done
    for NAN in 0 1; do
        for direction in GE GT LE LT; do
            for type in f32 bf16 s32 u8; do
                one $direction
                steps=${steps//INDEX/u32}
                fused $type 40,70 u32 0 0
                fused $type 2,3000 u32 1 0
                least $direction
                steps=${steps//INDEX/s16}
                fused $type 40,70 s16 0 3000
                fused $type 2,3000 s16 1 1
            done
        done
    done
    jax LT
    steps=${steps//INDEX/s64}
    for init in nan inf -0 0; do
        fused f32 3,1024 s64 $init 0
        fused f32 1,65536 s64 $init 2000
        fused bf16 2,2049 s64 $init 1
    done
}

# Values and positions of zeros are chosen apart, and the initial position may lie anywhere.
@test "rows of ties that a cluster computes" {
    NAN=0
    local direction position
    for direction in LT LE GT GE EQ NE; do
        for position in 0 2 2999 -1; do
            tied $direction
            steps=${steps//INDEX/s32}
            fused f32 2,3000 s32 0 $position
            fused bf16 1000,3 s32 -0 $position
        done
    done
}

@test "what a cluster computes beside extreme elements" {
    cat >m.hlo <<'END'
HloModule softmax

pick {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  better = pred[] compare(a, b), direction=GE
  value = f32[] select(better, a, b)
  at = s32[] select(better, i, j)
  ROOT r = (f32[], s32[]) tuple(value, at)
}

most {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}

total {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

ENTRY main {
  x = f32[37,1300] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  first = s32[] parameter(1)
  places = s32[37,1300] iota(), iota_dimension=1
  tops = f32[37] reduce(x, low), dimensions={1}, to_apply=most
  top = f32[37,1300] broadcast(tops), dimensions={0}
  less = f32[37,1300] subtract(x, top)
  raised = f32[37,1300] exponential(less)
  sums = f32[37] reduce(raised, zero), dimensions={1}, to_apply=total
  sum = f32[37,1300] broadcast(sums), dimensions={0}
  softmax = f32[37,1300] divide(raised, sum)
  best = (f32[37], s32[37]) reduce(softmax, places, low, first), dimensions={1}, to_apply=pick
  other = (f32[37], s32[37]) reduce(less, places, low, first), dimensions={1}, to_apply=pick
  value = f32[37] get-tuple-element(best), index=0
  columns = f32[1300] reduce(less, zero), dimensions={0}, to_apply=total
  ROOT all = (f32[37,1300], (f32[37], s32[37]), f32[37], (f32[37], s32[37]), f32[1300]) tuple(softmax, best, value, other, columns)
}
END
    cp m.hlo written.hlo
    one_cluster
    same_ways --inputs=hash --rtol=1e-4 --atol=1e-3 m.hlo -- threads=1 threads=3 of=written.hlo,as-written ~engine=reference
}
