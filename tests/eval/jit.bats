# Loops as machine code: the same bits as loops that are interpreted (--jit=0), whatever they do.

load ../lib

modules=$HLO_ROOT/tests/eval/jit

setup() {
    cd "$BATS_TEST_TMPDIR"
    tiny_loop > tiny.hlo
}

# same MODULE NUMBER [OPTION...]: the same bits with and without code, which so many loops become.
same() {
    local module=$1 number=$2
    shift 2
    hlo-run --jit=1 --print-plan --as-written "$@" "$module" > plan.txt 2> err.txt || fail "$(cat err.txt)"
    [ "$(grep -c '^ *[0-9]* .* code  *of its callee' plan.txt)" = "$number" ] || fail "$(grep ' while \| code ' plan.txt)"
    same_ways "$@" "$module" -- jit=0 threads=1 threads=2 repeat=3,as-written
}

# ---- every operation on every type ----

# loop TYPE VALUES UNARY BINARY OTHER: a loop over all pairs of the values that applies the operations to each.
# OTHER: further instructions on a and b, as TYPE=OPERATION(OPERANDS) with what follows.
loop() {
    local type=$1 values=$2 n all i=0 state text='' results='' starts='' tuple='' name of zero
    n=$(tr -cd , <<< "$values" | wc -c)
    [[ $type = c* ]] && n=$((n / 2))
    n=$((n + 1)) all=$((n * n))
    state="s32[], $type[$n]"
    local -a instructions=()
    for name in $3; do instructions+=("$type=$name(a)"); done
    for name in $4; do instructions+=("$type=$name(a, b)"); done
    while read -r name; do if [ -n "$name" ]; then instructions+=("$name"); fi; done <<< "$5"
    for name in "${instructions[@]}"; do
        i=$((i + 1)) of=${name%%=*}
        state+=", $of[$all]"
        text+="  r$i = $of[] ${name#*=}"$'\n'"  x$i = $of[1] reshape(r$i)"$'\n'
        text+="  t$i = $of[$all] get-tuple-element(state), index=$((i + 1))"$'\n'
        text+="  y$i = $of[$all] dynamic-update-slice(t$i, x$i, at)"$'\n'
        results+=", y$i"
        zero=0
        [ "$of" != pred ] || zero=false
        [[ $of != c* ]] || zero='(0, 0)'
        starts+="  z$i = $of[] constant($zero)"$'\n'
        starts+="  begin$i = $of[$all] broadcast(z$i), dimensions={}"$'\n'
        tuple+=", begin$i"
    done
    cat << END
HloModule operations
condition {
  state = ($state) parameter(0)
  at = s32[] get-tuple-element(state), index=0
  all = s32[] constant($all)
  ROOT lt = pred[] compare(at, all), direction=LT
}
body {
  state = ($state) parameter(0)
  at = s32[] get-tuple-element(state), index=0
  values = $type[$n] get-tuple-element(state), index=1
  n = s32[] constant($n)
  first = s32[] divide(at, n)
  second = s32[] remainder(at, n)
  a1 = $type[1] dynamic-slice(values, first), dynamic_slice_sizes={1}
  a = $type[] reshape(a1)
  b1 = $type[1] dynamic-slice(values, second), dynamic_slice_sizes={1}
  b = $type[] reshape(b1)
  order = pred[] compare(a, b), direction=$([[ $type = c* ]] && echo EQ || echo LT)
$text  one = s32[] constant(1)
  next = s32[] add(at, one)
  ROOT result = ($state) tuple(next, values$results)
}
ENTRY main {
  at = s32[] constant(0)
  values = $type[$n] constant({$values})
$starts  start = ($state) tuple(at, values$tuple)
  ROOT loop = ($state) while(start), condition=condition, body=body
}
END
}

# What all real types have, and conversions to every type.
others() {
    local direction type
    for direction in EQ NE GE GT LE LT; do echo "pred=compare(a, b), direction=$direction"; done
    echo "$1=select(order, b, a)"
    echo "$1=clamp(a, b, a)"
    for type in pred s4 u4 s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64; do echo "$type=convert(a)"; done
}

@test "integers: every operation on every pair of special values" {
    needs_code
    local type bits high low values
    for type in s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64; do
        bits=${type:1}
        low=$((-1 << (bits - 1))) high=$((~low))
        values="0, 1, $high, $low, -1, -2"
        [ "${type:0:1}" = s ] || values="0, 1, $high, $(printf %u $((1 << (bits - 1)))), $(printf %u $(((high << 1) + 1)))"
        [ "$bits" -lt 4 ] || values+=", 2, 3, 5, 7"
        [ "$bits" -lt 8 ] || values+=", 8, 31, 32, 63, 64, 100"
        loop $type "$values" "not popcnt count-leading-zeros $([ "${type:0:1}" = u ] || echo abs negate sign)" \
            "add subtract multiply divide remainder power maximum minimum and or xor shift-left shift-right-arithmetic
            shift-right-logical" "$(others $type)" > operations.hlo
        same operations.hlo 1
    done
}

@test "floats: every operation on every pair of special values" {
    needs_code
    local type values small payload
    for type in f32 f64 f16 bf16; do
        small=1e-40
        [ $type != f64 ] || small=1e-310
        [ $type != f16 ] || small=6e-08
        case $type in f32) payload=400001 ;; f64) payload=8000000000001 ;; f16) payload=201 ;; *) payload=41 ;; esac
        values="0, -0, 1, -1, 0.5, -2.5, 1.5, 3, -127.75, 60000, $small, -$small, inf, -inf, nan, 0.1"
        values+=", -nan, nan(0x$payload)"
        [ $type = f16 ] || values+=", 3e38, -2147483648, 4294967296, 1e19, -1e19"
        loop $type "$values" \
            "abs negate sign ceil floor round-nearest-afz round-nearest-even sqrt rsqrt cbrt exponential tanh sine" \
            "add subtract multiply divide remainder power maximum minimum atan2" "$(others $type)
pred=is-finite(a)
pred=compare(a, b), direction=LT, type=TOTALORDER
$type=reduce-precision(a), exponent_bits=5, mantissa_bits=3" > operations.hlo
        same operations.hlo 1
    done
}

@test "predicates and complex numbers: every operation" {
    needs_code
    loop pred "false, true" not "and or xor maximum minimum" "$(others pred)" > operations.hlo
    same operations.hlo 1
    loop c64 "(0, 0), (1, -0.5), (inf, nan), (-2, 1e30)" "negate exponential" "add subtract multiply divide" \
        "f32=real(a)
f32=imag(b)
pred=compare(a, b), direction=NE
c64=select(order, b, a)" > operations.hlo
    same operations.hlo 1
}

# ---- loops ----

@test "what the state of a loop may do" {
    needs_code
    same "$modules/state.hlo" 5 --inputs=hash
    same "$modules/state.hlo" 5 --inputs=ones
}

@test "loops in loops, conditionals, calls" {
    needs_code
    local seed
    for seed in 1 2 3; do same "$modules/nested.hlo" 3 --inputs=hash --seed=$seed; done
}

@test "rows and elements of arrays, in place" {
    needs_code
    same "$modules/elements.hlo" 1 --inputs=hash
}

@test "short arrays in vector registers" {
    needs_code
    same "$modules/vectors.hlo" 2 --inputs=hash
    same "$modules/vectors.hlo" 2 --inputs=ones
}

@test "values in registers and in the frame" {
    needs_code
    same "$modules/registers.hlo" 2 --inputs=hash
}

# A sum of ever more products: values that do not fit into registers, over a call of a function.
@test "more values than registers" {
    needs_code
    local type k text last state places tuple
    for type in s32 f32; do
        text='' state=s32[] places='' tuple=zero last=c0
        for k in {0..39}; do
            state+=", $type[]" tuple+=", p$k"
            text+="  v$k = $type[] get-tuple-element(s), index=$((k + 1))"$'\n'
        done
        for k in {0..39}; do
            text+="  w$k = $type[] multiply(v$k, v$(((k + 1) % 40)))"$'\n'"  x$k = $type[] add(w$k, v$(((k * 7) % 40)))"$'\n'
            text+="  y$k = $type[] $([ $type = f32 ] && echo "tanh(x$k)" || echo "negate(x$k)")"$'\n'
            places+=", y$k"
        done
        cat > many.hlo << END
HloModule many
condition {
  s = ($state) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(11)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = ($state) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
$text  ROOT t = ($state) tuple(next$places)
}
ENTRY main {
  zero = s32[] constant(0)
$(for k in {0..39}; do echo "  p$k = $type[] parameter($k)"; done)
  start = ($state) tuple($tuple)
  ROOT loop = ($state) while(start), condition=condition, body=body
}
END
        same many.hlo 1 --inputs=hash
    done
}

@test "kernels that code calls" {
    needs_code
    local seed name
    for seed in 1 2 3; do same "$modules/calls.hlo" 2 --inputs=hash --seed=$seed; done
    same "$modules/calls.hlo" 2 --inputs=ones
    for name in product.1 sum turned best sorted scattered halves padded read changed spread two r; do
        grep -Eq "^ *[0-9]+  $name  .*, called by code$" plan.txt || fail "$name: $(cat plan.txt)"
    done
    HLO_JIT=0 hlo-run --print-plan --inputs=zeros "$modules/calls.hlo" > plan.txt
    ! grep -q 'called by code' plan.txt || fail "$(cat plan.txt)"
}

@test "errors of kernels that code calls are those of the interpreter" {
    needs_code
    cat > short.hlo << 'END'
HloModule short
condition {
  s = (s32[], f32[3,5], f32[4,1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[3,5], f32[4,1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3,5] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  at = s32[4,1] broadcast(i), dimensions={}
  y = f32[4,1] gather(x, at), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
  ROOT t = (s32[], f32[3,5], f32[4,1]) tuple(next, x, y)
}
ENTRY main {
  i = s32[] parameter(0)
  x = f32[3,5] parameter(1)
  y = f32[4,1] parameter(2)
  start = (s32[], f32[3,5], f32[4,1]) tuple(i, x, y)
  ROOT loop = (s32[], f32[3,5], f32[4,1]) while(start), condition=condition, body=body
}
END
    hlo-run --print-plan --inputs=zeros short.hlo > plan.txt
    grep -q ' y .*called by code' plan.txt || fail "$(cat plan.txt)"
    expect_status 1 hlo-run --jit=1 --inputs=zeros short.hlo
    expect_text "$err" "batching dimension 0 of the operand has 3 elements"
    cp "$err" code.txt
    expect_status 1 hlo-run --jit=0 --inputs=zeros short.hlo
    cmp "$err" code.txt || fail "$(cat "$err" code.txt)"
}

@test "a profile counts the kernels that code calls" {
    needs_code
    hlo-run --as-written --inputs=hash --profile --output-dir=results "$modules/calls.hlo" 2> profile.txt
    grep -Eq '^ +1 .* code +loop$' profile.txt || fail "$(cat profile.txt)"
    grep -Eq '^ +7 .* dot +product.1$' profile.txt || fail "$(cat profile.txt)"
}

@test "what is watched, or by the reference engine, is interpreted" {
    needs_code
    hlo-run --engine=reference --print-plan --inputs=zeros tiny.hlo > plan.txt
    ! grep -q ' code ' plan.txt || fail "$(cat plan.txt)"
    expect_status 0 hlo-run --trace-values --inputs=zeros tiny.hlo
    expect_text "$err" "loop/2/next"
    HLO_JIT=0 hlo-run --print-plan --inputs=zeros tiny.hlo > plan.txt
    ! grep -q ' code ' plan.txt || fail "$(cat plan.txt)"
    expect_status 2 hlo-run --jit=2 --inputs=zeros tiny.hlo
}

@test "sizes that are known at run time only are interpreted" {
    needs_code
    cat > sizes.hlo << 'END'
HloModule sizes
condition {
  s = (s32[], f32[<=8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[<=8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[<=8] get-tuple-element(s), index=1
  y = f32[<=8] add(x, x)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[<=8]) tuple(next, y)
}
ENTRY main {
  x = f32[8] parameter(0)
  n = s32[] constant(5)
  y = f32[<=8] set-dimension-size(x, n), dimensions={0}
  zero = s32[] constant(0)
  start = (s32[], f32[<=8]) tuple(zero, y)
  ROOT loop = (s32[], f32[<=8]) while(start), condition=condition, body=body
}
END
    same sizes.hlo 0 --inputs=ones
}

# interrupted MODULE: it is while it runs, without results, however long it takes.
interrupted() {
    local status=0
    timeout --preserve-status --kill-after=20 0.5 hlo-run --inputs=zeros --output-dir results "$1" 2> err.txt || status=$?
    [ $status = 143 ] || fail "$1: status $status: $(cat err.txt)"
    [ ! -e results ] || fail "$1: there are results"
}

@test "endless loops are interrupted" {
    needs_code
    local k
    sed 's/constant(3)/constant(2147483647)/; s/constant(1)/constant(0)/' tiny.hlo > endless.hlo
    interrupted endless.hlo
    # Minutes in 4096 iterations.
    { echo "HloModule long"
        echo "condition {"
        echo "  x0 = f64[4096] parameter(0)"
        echo "  ROOT yes = pred[] constant(true)"
        echo "}"
        echo "body {"
        echo "  x0 = f64[4096] parameter(0)"
        seq 1999 | awk '{ printf "  x%d = f64[4096] tan(x%d)\n", $1, $1 - 1 }'
        echo "  ROOT x = f64[4096] negate(x1999)"
        echo "}"
        echo "ENTRY main {"
        echo "  x = f64[4096] parameter(0)"
        echo "  ROOT loop = f64[4096] while(x), condition=condition, body=body"
        echo "}"; } > long.hlo
    interrupted long.hlo
    # One after the other, and nothing else.
    sed '/ x[0-9]* = .* tan(/d; s/f64\[4096\]/f64[4,4]/g; s/negate(x1999)/dot(x0, x0), lhs_contracting_dims={0}, rhs_contracting_dims={0}/' long.hlo > calls.hlo
    hlo-run --print-plan --inputs=zeros calls.hlo > plan.txt
    grep -q 'called by code' plan.txt || fail "$(cat plan.txt)"
    interrupted calls.hlo
}

@test "generated modules: the same bits with and without code" {
    mkdir generated
    "$HLO_BUILD/tools/hlo-generate" --seed=31000 --count=120 --size=30 --output-dir=generated > log.txt
    local module loops=0
    for module in generated/*; do
        hlo-run --jit=0 --inputs=hash --print-limit=0 "$module" > interpreted.txt 2> err.txt || continue
        hlo-run --jit=1 --inputs=hash --print-limit=0 "$module" > code.txt 2> err.txt || fail "$(cat "$module" err.txt)"
        cmp -s interpreted.txt code.txt || fail "$(cat "$module"; diff interpreted.txt code.txt | head -5)"
        if grep -q ' while(' "$module"; then loops=$((loops + 1)); fi
    done
    [ $loops -gt 3 ] || fail "$loops modules with loops"
}
