# topk: the fast engine selects what the reference engine finds by looking at all elements k times, in all types, for k
# around what is kept in order and what is sorted; ties, zeros and NaNs to the last bit.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# top TYPE LINES N K LARGEST FACTOR [SHIFT]: elements are made of FACTOR * i, so that they go up, down or about, or of the
# few numbers that remain of that; some floats are NaN and -0.
top() {
    local type=$1 all=$2,$3 n=$(($2 * $3)) last="  v = $1[$(($2 * $3))] convert(w)"
    case $type in
    *f*) last="  f = $type[$n] convert(w)
  seven = u32[] constant(63)
  sevens = u32[$n] broadcast(seven), dimensions={}
  r = u32[$n] and(h, sevens)
  zero = u32[] constant(0)
  zeros = u32[$n] broadcast(zero), dimensions={}
  is = pred[$n] compare(r, zeros), direction=EQ
  no = f32[] constant(nan)
  nof = $type[] convert(no)
  nos = $type[$n] broadcast(nof), dimensions={}
  g = $type[$n] select(is, nos, f)
  v = $type[$n] negate(g)" ;;
    esac
    cat >m.hlo <<END
HloModule top

ENTRY main {
  i = u32[$n] iota(), iota_dimension=0
  c = u32[] constant($6)
  cs = u32[$n] broadcast(c), dimensions={}
  m = u32[$n] multiply(i, cs)
  s = u32[] constant(${7:-0})
  ss = u32[$n] broadcast(s), dimensions={}
  h = u32[$n] shift-right-logical(m, ss)
  w = s32[$n] bitcast-convert(h)
$last
  x = $type[$all] reshape(v)
  ROOT top = ($type[$2,$4], s32[$2,$4]) topk(x), k=$4, largest=$5
}
END
    same_ways m.hlo -- threads=1 threads=3 ~engine=reference
}

@test "the first of lines that go about, up, down, and are equal" {
    for largest in true false; do
        for type in f32 f64 bf16 f8e4m3fn s8 u16 s32 u64; do
            top $type 3 3000 10 $largest 2654435761
            top $type 2 3000 100 $largest 2654435761
        done
        for factor in 1 4294967295 2654435761 0; do
            top f32 2 5000 10 $largest $factor
            top s32 2 5000 64 $largest $factor
            top s64 2 3000 65 $largest $factor
            top u32 1 3000 200 $largest $factor 24
        done
        top f32 300 7 3 $largest 2654435761
    done
}

@test "all elements, one of them, and none" {
    for k in 0 1 63 64 65 511 512; do
        top f32 2 512 $k true 2654435761
        top f64 2 512 $k false 2654435761
    done
    top s32 2 1 1 true 1
}
