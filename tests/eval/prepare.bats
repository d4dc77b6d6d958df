# What the fast engine runs went through the pipeline `run`: the bits are those of the module as it is written, on any
# number of threads; the module, its names and its places in messages are the user's.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# same MODULE [OPTION...]: the same bits either way.
same() {
    same_ways "$@" -- as-written,threads=1 threads=1 threads=2 threads=4
}

# same_after PASSES MODULE [OPTION...]: the same for what the passes make of the module, however small it is.
same_after() {
    hlo-opt --passes="$1" --large-constants -o passed.hlo "$2" || fail "$(cat "$2")"
    same_ways "${@:2}" -- as-written,threads=1 of=passed.hlo,as-written,threads=1 of=passed.hlo,as-written,threads=2
}

# A loop whose body calls a computation that does invariant work, slices, broadcasts, and elementwise work with several
# results.
loop() {
    cat << 'END'
HloModule loop

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

step {
  x = f32[130,130] parameter(0)
  w = f32[130,130] parameter(1)
  d = f32[130,130] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  r = f32[130] reduce(d, zero), dimensions={1}, to_apply=sum
  rows = f32[130,130] broadcast(r), dimensions={0}
  tiny = f32[] constant(1e-4)
  tinies = f32[130,130] broadcast(tiny), dimensions={}
  left = f32[130,128] slice(x), slice={[0:130], [0:128]}
  right = f32[130,128] slice(x), slice={[0:130], [2:130]}
  difference = f32[130,128] subtract(left, right)
  sine = f32[130,128] sine(difference)
  wide = f32[130,130] pad(sine, zero), padding=0_0x1_1
  scaled = f32[130,130] multiply(rows, tinies)
  moved = f32[130,130] add(wide, scaled)
  ROOT next = f32[130,130] maximum(moved, x)
}

body {
  state = (s32[], f32[130,130], f32[130,130]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[130,130] get-tuple-element(state), index=1
  w = f32[130,130] get-tuple-element(state), index=2
  one = s32[] constant(1)
  n = s32[] add(i, one)
  called = f32[130,130] call(x, w), to_apply=step
  ROOT t = (s32[], f32[130,130], f32[130,130]) tuple(n, called, w)
}

condition {
  state = (s32[], f32[130,130], f32[130,130]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  most = s32[] constant(20)
  ROOT less = pred[] compare(i, most), direction=LT
}

ENTRY entry {
  x = f32[130,130] parameter(0)
  w = f32[130,130] parameter(1)
  zero = s32[] constant(0)
  state = (s32[], f32[130,130], f32[130,130]) tuple(zero, x, w)
  loop = (s32[], f32[130,130], f32[130,130]) while(state), condition=condition, body=body
  ROOT result = f32[130,130] get-tuple-element(loop), index=1
}
END
}

@test "a loop over called computations: the bits, and what the pipeline makes of it" {
    loop > m.hlo
    same m.hlo --inputs=hash
    hlo-opt --pipeline=run m.hlo > passed.hlo
    expect_text passed.hlo 'kind=kLoop'
    awk '/^%body/, /^}/' passed.hlo > body.txt
    [ -s body.txt ] || fail "$(cat passed.hlo)"
    ! grep -E ' (call|dot|reduce)\(' body.txt || fail "invariant work stays in the loop: $(cat body.txt)"
}

# chain TYPE ELEMENTS
chain() {
    printf 'HloModule chain\n\nENTRY entry {\n  a = %s[%d] parameter(0)\n  b = %s[%d] parameter(1)\n' "$1" "$2" "$1" "$2"
    printf '  c = %s[%d] add(a, b)\n  d = %s[%d] multiply(c, a)\n  e = %s[%d] subtract(d, b)\n' "$1" "$2" "$1" "$2" "$1" "$2"
    printf '  i = s32[%d] iota(), iota_dimension=0\n  k = %s[%d] convert(i)\n  f = %s[%d] multiply(e, k)\n' "$2" "$1" "$2" "$1" "$2"
    printf '  ROOT t = (%s[%d], %s[%d]) tuple(f, c)\n}\n' "$1" "$2" "$1" "$2"
}

@test "chains of every element type that has arithmetic" {
    types="s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64 f16 bf16 f32 f64 f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e4m3fnuz
        f8e5m2fnuz f8e3m4 c64 c128"
    for type in $types; do
        chain "$type" 300000 > m.hlo
        same m.hlo --inputs=hash
        hlo-opt --pipeline=run m.hlo > passed.hlo
        expect_text passed.hlo 'kind=kLoop'
    done
}

@test "generated modules: the pass alone on arrays of any size, and the pipeline" {
    "$HLO_BUILD/tools/hlo-generate" --seed=9000 --count="$(whole 150 60)" --size=20 --output-dir=. > log.txt
    fused=0
    for module in ./*.hlo; do
        [ "$module" != ./passed.hlo ] || continue
        same "$module" --inputs=random
        same_after fusion "$module" --inputs=random
        ! grep -q kLoop passed.hlo || fused=$((fused + 1))
        same_after call-inliner,map-inline,fusion "$module" --inputs=random
    done
    [ "$fused" -gt "$(whole 40 16)" ] || fail "only $fused modules with fusions"
}

@test "slices: rows of any dimensions, of a part of a tile and of several" {
    for dims in "9,40" "3,4,50" "2,3,4,33" "300,17" "1,1000" "5,2,2,2,16"; do
        from=$(awk -F, '{ for (d = 1; d <= NF; d++) printf "%s%d", (d == 1 ? "" : ","), 2 * $d + 3 }' <<< "$dims")
        one=$(awk -F, '{ for (d = 1; d <= NF; d++) printf "%s[%d:%d]", (d == 1 ? "" : ", "), d % 2, $d + d % 2 }' <<< "$dims")
        two=$(awk -F, '{ for (d = 1; d < NF; d++) printf "[1:%d:2], ", 2 * $d + 1; printf "[2:%d]", $NF + 2 }' <<< "$dims")
        cat > m.hlo << END
HloModule slices

ENTRY entry {
  x = s32[$from] parameter(0)
  one = s32[$dims] slice(x), slice={$one}
  two = s32[$dims] slice(x), slice={$two}
  product = s32[$dims] multiply(one, two)
  ROOT sum = s32[$dims] add(product, one)
}
END
        same_after fusion m.hlo --inputs=iota
        expect_text passed.hlo kLoop
    done
}

@test "errors of a run name the instruction, and where it is" {
    cat > m.hlo << 'END'
HloModule fails

inner {
  p = f32[200000] parameter(0)
  one = f32[] constant(1)
  ones = f32[200000] broadcast(one), dimensions={}
  sum = f32[200000] add(p, ones)
  ROOT called = f32[200000] custom-call(sum), custom_call_target="nowhere"
}

ENTRY entry {
  x = f32[200000] parameter(0)
  e = f32[200000] exponential(x)
  ROOT c = f32[200000] call(e), to_apply=inner
}
END
    expect_status 1 hlo-run --inputs=ones --as-written m.hlo
    cp "$err" wanted.txt
    expect_status 1 hlo-run --inputs=ones m.hlo
    cmp wanted.txt "$err" || fail "$(diff wanted.txt "$err")"
    expect_text "$err" "m.hlo:8:"
    expect_text "$err" "'called' (custom-call)"
    cat > m.hlo << 'END'
HloModule feeds

inner {
  p = f32[200000] parameter(0)
  t = token[] after-all()
  got = (f32[200000], token[]) infeed(t)
  data = f32[200000] get-tuple-element(got), index=0
  s = f32[200000] sine(data)
  ROOT sum = f32[200000] add(p, s)
}

ENTRY entry {
  x = f32[200000] parameter(0)
  e = f32[200000] exponential(x)
  c = f32[200000] cosine(e)
  ROOT called = f32[200000] call(c), to_apply=inner
}
END
    mkdir feed
    for how in "" --as-written; do
        expect_status 1 hlo-run --inputs=ones --infeed=feed $how m.hlo
        expect_text "$err" "'got' (infeed)"
        expect_text "$err" "m.hlo:6:"
    done
}

@test "watching reports every instruction of the module as it is written" {
    loop > m.hlo
    hlo-run --inputs=hash --trace-values m.hlo > out.txt 2> trace.txt
    expect_text trace.txt 'loop/19/called/sine'
    hlo-run --inputs=hash --only=loop/3/called/difference m.hlo > out.txt
    expect_text out.txt 'f32[130,128]'
}

# opposites TYPE OPERATION...: each operation of -x over many x, and its NaNs as zeros.
opposites() {
    local type=$1 n=65536 integer=u16 k=0 shape shapes= results=
    [ $type = f32 ] && n=262144 integer=u32
    [ $type = f64 ] && n=262144 integer=u64
    shape="$type[$n]"
    shift
    echo "HloModule opposites ENTRY e { i = $integer[$n] iota(), iota_dimension=0"
    case $integer in
        u16) echo "factor = u16[] constant(1)" ;;
        u32) echo "factor = u32[] constant(16411)" ;;
        u64) echo "factor = u64[] constant(70368744194317)" ;;
    esac
    echo "factors = $integer[$n] broadcast(factor), dimensions={} bits = $integer[$n] multiply(i, factors)"
    echo "x = $shape bitcast-convert(bits) y = $shape reverse(x), dimensions={0} n = $shape negate(x)"
    echo "zero = $type[] constant(0) zeros = $shape broadcast(zero), dimensions={}"
    for operation; do
        k=$((k + 1))
        echo "v$k = $shape $operation o$k = pred[$n] compare(v$k, v$k), direction=EQ r$k = $shape select(o$k, v$k, zeros)"
    done
    for ((; k > 0; k--)); do
        shapes+="${shapes:+, }$shape" results+="${results:+, }r$k"
    done
    echo "ROOT t = ($shapes) tuple($results) }"
}

@test "negations move over odd functions, products and quotients" {
    local type set threads operations=()
    for operation in asin asinh atanh cbrt erf round-nearest-afz round-nearest-even sign sine sinh tan tanh cosine abs negate; do
        operations+=("$operation(n)")
    done
    operations+=("multiply(n, y)" "multiply(y, n)" "divide(n, y)" "divide(y, n)" "add(n, y)" "add(y, n)" "subtract(y, n)" "subtract(n, y)")
    instruction_sets
    for type in f16 bf16 f32 f64; do
        opposites $type "${operations[@]}" > opposites.hlo
        hlo-opt --passes=negate-mover --stats opposites.hlo > passed.hlo 2> stats.txt || fail "$(cat stats.txt)"
        [ "$(grep -c ' negate(' passed.hlo)" -ge 16 ] || fail "$(cat passed.hlo)"
        for set in "${sets[@]}"; do
            hlo-run --isa=$set --as-written --threads=1 --output-dir=written.npz opposites.hlo > err.txt 2>&1 || fail "$(cat err.txt)"
            for threads in 1 2 4; do
                hlo-run --isa=$set --threads=$threads --output-dir=prepared.npz opposites.hlo > err.txt 2>&1 || fail "$(cat err.txt)"
                cmp written.npz prepared.npz || fail "$type, $set, $threads threads"
            done
        done
    done
}
