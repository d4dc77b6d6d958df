# Dimensions whose sizes are known at run time: dynamic/NAME.hlo gives what XLA computed (NAME.npz), and
# what XLA refuses is refused. dynamic/make-dynamic.py runs XLA.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

@test "operations on run-time sizes give what XLA gives" {
    cd "$HLO_ROOT/tests/dynamic"
    begin_cases
    for module in *.hlo; do
        name=${module%.hlo}
        if said=$(hlo-run --inputs=random --expect "$name.npz" --rtol=1e-5 --atol=1e-5 "$module" 2>&1); then
            ok "$name"
        else
            bad "$name" "$said"
        fi
    done
    # So do the plain kernels.
    for module in *.hlo; do
        name=${module%.hlo}
        if said=$(hlo-run --engine=reference --inputs=random --expect "$name.npz" --rtol=1e-5 --atol=1e-5 "$module" 2>&1); then
            ok "$name reference"
        else
            bad "$name reference" "$said"
        fi
    done
    # So do the results of dynamic_padder, without a run-time size inside.
    for module in *.hlo; do
        name=${module%.hlo} padded=$BATS_TEST_TMPDIR/padded.hlo
        if said=$(hlo-opt --verify-each --passes=dynamic_padder "$module" 2>&1 >"$padded" && ! grep '<=' "$padded" &&
            hlo-run --inputs=random --expect "$name.npz" --rtol=1e-5 --atol=1e-5 "$padded" 2>&1); then
            ok "$name padded"
        else
            bad "$name padded" "$said"
        fi
    done
    # The judge can fail.
    ! hlo-run --inputs=random --seed=1 --expect sort.npz --rtol=1e-5 sort.hlo >/dev/null 2>&1
    end_cases
}

# refused BODY MESSAGE: a computation over d, 3 of 5 rows, ends with that error, whatever the engine.
refused() {
    cat >"$BATS_TEST_TMPDIR/refused.hlo" <<END
HloModule refused
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  n = s32[] constant(3)
  x = f32[5,4] parameter(0)
  zero = f32[] constant(0)
  d = f32[<=5,4] set-dimension-size(x, n), dimensions={0}
$1
}
END
    for engine in fast reference; do
        expect_status 1 hlo-run --engine=$engine --inputs=random "$BATS_TEST_TMPDIR/refused.hlo"
        expect_text "$err" "error: 'r' $2"
    done
}

@test "what has no meaning on run-time sizes is refused" {
    size="has operand 0 with a run-time size of 3 in dimension"
    refused "  i = s32[] parameter(1)
  ROOT r = f32[<=3,4] dynamic-slice(d, i, i), dynamic_slice_sizes={3,4}" \
        "(dynamic-slice) $size 0, where its shape has 5, and takes a part of it [run]"
    refused "  ROOT r = c64[<=5,3] fft(d), fft_type=RFFT, fft_length={4}" \
        "(fft) $size 0, where its shape has 5, which is not supported [run]"
    refused "  s = f32[<=5,2,2] reshape(d)
  k = f32[1,9,2] parameter(1)
  ROOT r = f32[1,<=5,2] convolution(k, s), window={size=5 pad=0_0}, dim_labels=b0f_0oi->b0f" \
        "(convolution) has operand 1 with a run-time size of 3 in dimension 0, where its shape has 5, along which a convolution has a fixed size [run]"
    refused "  i = s32[2,2] parameter(1)
  j = s32[2] constant({1, 1})
  k = s32[] constant(1)
  v = s32[2,<=2] set-dimension-size(i, k), dimensions={1}
  ROOT r = f32[2] gather(x, v), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}" \
        "(gather) has operand 1 with a run-time size of 1 in dimension 1, where its shape has 2, which counts the entries of an index vector [run]"
    refused "  i = s32[2] parameter(1)
  u = f32[2,<=5] parameter(2)
  k = s32[] constant(2)
  v = f32[2,3] parameter(3)
  p = f32[2,<=3] set-dimension-size(v, k), dimensions={1}
  y = f32[4,5] transpose(x), dimensions={1,0}
  ROOT r = f32[4,5] scatter(y, i, p), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add" \
        "(scatter) has operand 2 with a run-time size of 2 in dimension 1, where its shape has 3, and is not as large as its operand's dimension [run]"
    refused "  k = s32[] constant(2)
  e = f32[<=5,4] set-dimension-size(x, k), dimensions={0}
  ROOT r = f32[<=5] dot(d, e), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}" \
        "(dot) has run-time sizes of 3 in dimension 0 of operand 0 and of 2 in dimension 0 of operand 1, which are one batch [run]"
    refused "  f = f32[<=20] reshape(d)
  k = s32[] constant(7)
  g = f32[<=20] set-dimension-size(f, k), dimensions={0}
  ROOT r = f32[<=5,4] reshape(g)" \
        "(reshape) mixes dynamic dimensions [run]"
}

@test "dynamic_padder refuses what it has no rule for, at the place" {
    while IFS='|' read -r body message; do
        printf 'HloModule refused\nENTRY e {\n  x = f32[<=5,4] parameter(0)\n  n = s32[] parameter(1)\n  ROOT r = %s\n}\n' \
            "$body" >"$BATS_TEST_TMPDIR/refused.hlo"
        expect_status 1 hlo-opt --passes=dynamic_padder "$BATS_TEST_TMPDIR/refused.hlo"
        expect_text "$err" "refused.hlo:5:8: error: dynamic_padder: 'r' $message"
    done <<'END'
f32[<=5,4] custom-call(x), custom_call_target="f"|(custom-call) is not supported with dynamic dimensions
c64[<=5,3] fft(x), fft_type=RFFT, fft_length={4}|(fft) is not supported with dynamic dimensions
f32[<=3,4] dynamic-slice(x, n, n), dynamic_slice_sizes={3,4}|(dynamic-slice) slices a dynamic dimension
u8[<=5,4,4] bitcast-convert(x)|(bitcast-convert) splits or joins elements of dynamic dimensions
END
}

@test "dynamic_padder keeps the signature: sizes come with parameters and go with results" {
    cat >"$BATS_TEST_TMPDIR/in.hlo" <<'HLO'
HloModule edges
ENTRY e {
  x = f32[<=5,<=4] parameter(0)
  n = s32[] parameter(1)
  y = f32[<=5,<=4] negate(x)
  z = f32[<=5,<=4] set-dimension-size(y, n), dimensions={0}
  ROOT t = (f32[<=5,<=4], f32[<=5,<=4]) tuple(z, x)
}
HLO
    cd "$BATS_TEST_TMPDIR"
    hlo-opt --verify-each --passes=dynamic_padder in.hlo >out.hlo
    expect_text out.hlo '{(f32[<=5,<=4]{1,0}, s32[])->(f32[<=5,<=4]{1,0}, f32[<=5,<=4]{1,0})}'
    expect_text out.hlo ' = f32[5,4]{1,0} negate('
    for module in in out; do # an array as large as its bound is printed with either shape
        hlo-run --inputs=random $module.hlo | sed 's/^[^)]*) //' >$module.values
    done
    diff in.values out.values
    hlo-opt --passes=dynamic_padder out.hlo | cmp - out.hlo
}

@test "dynamic_padder goes into fusions, whether run-time sizes come and go or live only inside" {
    cat >"$BATS_TEST_TMPDIR/in.hlo" <<'HLO'
HloModule fusions
square {
  a = f32[<=5,4] parameter(0)
  n = s32[] parameter(1)
  c = f32[<=5,4] multiply(a, a)
  ROOT z = f32[<=5,4] set-dimension-size(c, n), dimensions={0}
}
plus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
inside {
  a = f32[5,4] parameter(0)
  n = s32[] parameter(1)
  z = f32[<=5,4] set-dimension-size(a, n), dimensions={0}
  k = f32[] constant(1)
  ROOT c = f32[4] reduce(z, k), dimensions={0}, to_apply=plus
}
ENTRY e {
  x = f32[<=5,4] parameter(0)
  rows = s32[] parameter(1)
  y = f32[5,4] parameter(2)
  z = f32[<=5,4] fusion(x, rows), kind=kLoop, calls=square
  k = f32[] constant(0)
  s = f32[4] reduce(z, k), dimensions={0}, to_apply=plus
  w = f32[4] fusion(y, rows), kind=kInput, calls=inside
  ROOT t = (f32[4], f32[4]) tuple(s, w)
}
HLO
    cd "$BATS_TEST_TMPDIR"
    hlo-opt --verify-each --passes=dynamic_padder in.hlo >out.hlo
    ! sed 1d out.hlo | grep -v 'parameter(0)\|^ENTRY\|dimension-size' | grep '<='
    for n in 0 2 5; do
        echo "s32[] $n" >rows.txt
        for module in in out; do
            hlo-run --inputs=iota --input rows=rows.txt $module.hlo >$module.$n
        done
        diff in.$n out.$n
    done
    ! diff -q in.2 in.5 # the size matters
}

@test "windows of an array without elements have run-time sizes" {
    cat > "$BATS_TEST_TMPDIR/empty.hlo" <<'END'
HloModule empty
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[<=0,4] parameter(0)
  two = s32[] constant(2)
  zero = f32[] constant(0)
  d = f32[<=0,<=4] set-dimension-size(x, two), dimensions={1}
  ROOT r = f32[<=0,<=3] reduce-window(d, zero), window={size=1x2}, to_apply=add
}
END
    for engine in fast reference; do
        expect_status 0 hlo-run --engine=$engine --inputs=ones "$BATS_TEST_TMPDIR/empty.hlo"
        [ "$(cat "$out")" = "f32[0,1] {  }" ] || fail "$engine: $(cat "$out")"
    done
}

@test "convolutions without elements have run-time sizes" {
    cat > "$BATS_TEST_TMPDIR/empty.hlo" <<'END'
HloModule empty
ENTRY e {
  x = s8[2,3] parameter(0)
  one = s32[] constant(1)
  d = s8[<=2,3] set-dimension-size(x, one), dimensions={0}
  kernel = s8[3,0] parameter(1)
  ROOT r = s8[<=2,0] convolution(d, kernel), dim_labels=bf_io->bf
}
END
    for engine in fast reference; do
        expect_status 0 hlo-run --engine=$engine --inputs=ones "$BATS_TEST_TMPDIR/empty.hlo"
        [ "$(cat "$out")" = "s8[1,0] { {} }" ] || fail "$engine: $(cat "$out")"
    done
}

# windows OPERATION BOUND OUT WINDOW: a window operation over up to BOUND elements with as many at run time as there can be
# gives what it gives without run-time sizes over so many, and so does the result of dynamic_padder. OUT(n): a bash
# expression for the number of windows over n elements. Sums over the result are compared, and its size.
windows() {
    local operation=$1 bound=$2 out=$3 window=$4 n size most kind call shape dims
    n=$bound most=$((out))
    for kind in live whole; do
        body= names= types=
        for ((n = 0; n <= bound; n++)); do
            size=$((n ? out : (${5:-0})))
            if [ $kind = live ]; then
                body+="  n.$n = s32[] constant($n)
  x.$n = f32[2,<=$bound,3] set-dimension-size(x, n.$n), dimensions={1}"$'\n'
                shape="<=$most"
            else
                body+="  x.$n = f32[2,$n,3] slice(x), slice={[0:2], [0:$n], [0:3]}"$'\n'
                shape=$size
            fi
            if [ $operation = convolution ]; then
                dims="2,$shape,4" call="convolution(x.$n, w), window={$window}, dim_labels=b0f_0io->b0f"
            else
                dims="2,$shape,3" call="reduce-window(x.$n, zero), window={$window}, to_apply=add"
            fi
            body+="  r.$n = f32[$dims] $call
  q.$n = f32[$dims] multiply(r.$n, r.$n)
  a.$n = f32[2] reduce(r.$n, zero), dimensions={1,2}, to_apply=add
  b.$n = f32[2] reduce(q.$n, zero), dimensions={1,2}, to_apply=add"$'\n'
            if [ $kind = live ]; then body+="  s.$n = s32[] get-dimension-size(r.$n), dimensions={1}"$'\n'
            else body+="  s.$n = s32[] constant($size)"$'\n'; fi
            names+=", a.$n, b.$n, s.$n" types+=", f32[2], f32[2], s32[]"
        done
        cat >$kind.hlo <<END
HloModule windows
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[2,$bound,3] parameter(0)
  w = f32[3,3,4] parameter(1)
  zero = f32[] constant(0)
$body  ROOT all = (${types#, }) tuple(${names#, })
}
END
    done
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --engine=reference --output-dir=whole.npz whole.hlo
    expect_status 0 hlo-opt --verify-each --passes=dynamic_padder -o padded.hlo live.hlo
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --expect=whole.npz --rtol=1e-4 --atol=1e-5 live.hlo
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --expect=whole.npz --rtol=1e-4 --atol=1e-5 --engine=reference live.hlo
    expect_status 0 hlo-run --inputs=hash --print-limit=0 --expect=whole.npz --rtol=1e-4 --atol=1e-5 padded.hlo
}

@test "windows over run-time sizes: padding and dilation count as they do over static ones" {
    cd "$BATS_TEST_TMPDIR"
    for operation in convolution reduce-window; do
        of() { # ITEM...: the values of a dimension as this operation writes them
            local item text=
            for item; do
                case $operation-${item%%=*} in
                convolution-*) text+=" $item" ;;
                *-pad) text+=" pad=0_0x${item#*=}x0_0" ;;
                *) text+=" ${item%%=*}=1x${item#*=}x1" ;;
                esac
            done
            echo "${text# }"
        }
        windows $operation 5 'n' "$(of size=3 pad=2_0)"
        windows $operation 5 'n' "$(of size=3 pad=1_1)"
        windows $operation 5 'n' "$(of size=3 pad=0_2)"
        windows $operation 6 'n < 3 ? 0 : n - 2' "$(of size=3)"
        windows $operation 6 '(n + 1) / 2' "$(of size=3 stride=2 pad=1_1)"
        windows $operation 6 'n + 4 - 2' "$(of size=3 pad=2_2)" 2
        windows $operation 5 '2 * n - 1' "$(of size=3 pad=1_1 lhs_dilate=2)"
        windows $operation 5 '2 * n - 1 + 4 - 4' "$(of size=3 pad=2_2 lhs_dilate=2 rhs_dilate=2)"
        windows $operation 7 'n < 5 ? 0 : n - 4' "$(of size=3 rhs_dilate=2)"
        windows $operation 6 '(3 * n - 2 + 5 - 3) / 2 + 1' "$(of size=3 stride=2 pad=3_2 lhs_dilate=3)" 2
    done    # Running sums, both ways.
    windows reduce-window 5 n 'size=1x5x1 pad=0_0x4_0x0_0'
    windows reduce-window 5 n 'size=1x5x1 pad=0_0x0_4x0_0'
}

# meets_none WHAT: live.hlo gives what static.hlo gives, by both engines and after dynamic_padder.
meets_none() {
    expect_status 0 hlo-run --inputs=hash --engine=reference --output-dir=static.npz static.hlo
    expect_status 0 hlo-opt --verify-each --passes=dynamic_padder -o padded.hlo live.hlo
    for module in live padded; do
        for engine in fast reference; do
            hlo-run --inputs=hash --engine=$engine --expect=static.npz --rtol=1e-4 --atol=1e-6 $module.hlo >out 2>&1 ||
                fail "$1: $module, $engine: $(cat out $module.hlo)"
        done
    done
}

# infinite SHAPE CONDITION FROM TO: TO is FROM, infinite (live.hlo) or zero (static.hlo) where `dead`, from the lines CONDITION.
infinite() {
    printf '%s\n  e.%s = f32[%s] broadcast(end), dimensions={}\n  %s = f32[%s] select(dead, e.%s, %s)\n' \
        "$2" "$4" "$1" "$4" "$1" "$4" "$3"
}

# both_modules LINES LIVE STATIC: the modules, with the results of the last lines.
both_modules() {
    for end in inf 0; do
        printf 'HloModule met\nENTRY e {\n  end = f32[] constant(%s)\n%s\n%s\n}\n' \
            $end "$1" "$([ $end = inf ] && echo "$2" || echo "$3")" >"$([ $end = inf ] && echo live || echo static).hlo"
    done
}

# from_on SHAPE DIM N: `dead` from index N of the dimension on.
from_on() {
    printf '  at = s32[%s] iota(), iota_dimension=%s\n  many = s32[%s] broadcast(n), dimensions={}\n' "$1" "$2" "$1"
    printf '  dead = pred[%s] compare(at, many), direction=GE' "$1"
}

@test "infinite weights do not meet what is not there at run time: dot" {
    cd "$BATS_TEST_TMPDIR"
    for rows in 1 3 17; do
        for n in 0 1 2 4 5; do
            lines="  n = s32[] constant($n)
  x = f32[$rows,5] parameter(0)
  y = f32[5,7] parameter(1)"
            product="lhs_contracting_dims={1}, rhs_contracting_dims={0}"
            both_modules "$lines
$(infinite 5,7 "$(from_on 5,7 0)" y w)" \
                "  d = f32[$rows,<=5] set-dimension-size(x, n), dimensions={1}
  ROOT r = f32[$rows,7] dot(d, w), $product" "  ROOT r = f32[$rows,7] dot(x, w), $product"
            meets_none "dot of $rows rows with $n of 5"
            both_modules "$lines
$(infinite $rows,5 "$(from_on $rows,5 1)" x w)" \
                "  d = f32[<=5,7] set-dimension-size(y, n), dimensions={0}
  ROOT r = f32[$rows,7] dot(w, d), $product" "  ROOT r = f32[$rows,7] dot(w, y), $product"
            meets_none "dot of $rows rows with a right side of $n of 5"
        done
    done
}

@test "infinite weights do not meet what is not there at run time: features of a convolution" {
    cd "$BATS_TEST_TMPDIR"
    while read -r groups features results; do
        group=$((features / groups)) kernel="3,$((features / groups)),$results"
        for ((n = 0; n <= features; n += 1 + features / 9)); do
            lines="  n = s32[] constant($n)
  x = f32[2,6,$features] parameter(0)
  y = f32[$kernel] parameter(1)
  own = s32[$kernel] iota(), iota_dimension=1
  to = s32[$kernel] iota(), iota_dimension=2
  wide = s32[] constant($((results / groups)))
  wides = s32[$kernel] broadcast(wide), dimensions={}
  number = s32[$kernel] divide(to, wides)
  deep = s32[] constant($group)
  deeps = s32[$kernel] broadcast(deep), dimensions={}
  before = s32[$kernel] multiply(number, deeps)
  feature = s32[$kernel] add(before, own)
  many = s32[$kernel] broadcast(n), dimensions={}"
            how="window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=$groups"
            both_modules "$lines
$(infinite $kernel "  dead = pred[$kernel] compare(feature, many), direction=GE" y w)" \
                "  d = f32[2,6,<=$features] set-dimension-size(x, n), dimensions={2}
  ROOT r = f32[2,6,$results] convolution(d, w), $how" "  ROOT r = f32[2,6,$results] convolution(x, w), $how"
            meets_none "$n of $features features in $groups groups"
            [ $n -le $group ] || continue
            both_modules "  n = s32[] constant($n)
  x = f32[2,6,$features] parameter(0)
  y = f32[$kernel] parameter(1)
  deep = s32[] constant($group)
  deeps = s32[2,6,$features] broadcast(deep), dimensions={}
  feature = s32[2,6,$features] iota(), iota_dimension=2
  own = s32[2,6,$features] remainder(feature, deeps)
  many = s32[2,6,$features] broadcast(n), dimensions={}
$(infinite 2,6,$features "  dead = pred[2,6,$features] compare(own, many), direction=GE" x w)" \
                "  d = f32[3,<=$group,$results] set-dimension-size(y, n), dimensions={1}
  ROOT r = f32[2,6,$results] convolution(w, d), $how" "  ROOT r = f32[2,6,$results] convolution(w, y), $how"
            meets_none "kernels of $n of $group features in $groups groups"
        done
    done <<'END'
1 4 3
2 4 6
4 4 4
4 8 8
1 40 20
END
}

@test "infinite weights do not meet what is not there at run time: windows of a convolution" {
    cd "$BATS_TEST_TMPDIR"
    while read -r from windows window; do # the kernel is infinite from index `from` on
        for n in 1 2 4 5; do
            size=${window#*size=} size=${size%% *}
            lines="  k = s32[] constant($from)
  n = s32[] constant($n)
  x = f32[2,5,3] parameter(0)
  y = f32[$size,3,4] parameter(1)
  most = f32[] constant(inf)
  at = s32[$size,3,4] iota(), iota_dimension=0
  many = s32[$size,3,4] broadcast(k), dimensions={}
  dead = pred[$size,3,4] compare(at, many), direction=GE
  mosts = f32[$size,3,4] broadcast(most), dimensions={}
  w = f32[$size,3,4] select(dead, mosts, y)"
            how="window={$window}, dim_labels=b0f_0io->b0f"
            most=$((${windows//n/5})) live=$((${windows//n/$n}))
            both_modules "$lines" "  d = f32[2,<=5,3] set-dimension-size(x, n), dimensions={1}
  ROOT r = f32[2,<=$most,4] convolution(d, w), $how" "  d = f32[2,$n,3] slice(x), slice={[0:2], [0:$n], [0:3]}
  ROOT r = f32[2,$live,4] convolution(d, w), $how"
            meets_none "$window over $n of 5"
        done
    done <<'END'
2 n size=3 pad=1_1
0 n size=3 pad=1_1
2 n size=3 pad=0_2
1 n size=3 pad=2_0 rhs_reversal=1
0 n size=3 pad=1_1 rhs_reversal=1
1 (n+1)/2 size=3 stride=2 pad=1_1
2 2*n-1 size=3 pad=1_1 lhs_dilate=2
1 n size=2 pad=1_1 rhs_dilate=2
END
    # Two dimensions, of few bits: sums are rounded once.
    cat >live.hlo <<'END'
HloModule small
ENTRY e {
  x = bf16[2,5,4,3] parameter(0)
  w = bf16[3,3,3,2] parameter(1)
  n = s32[] constant(3)
  c = bf16[2,<=5,4,3] set-dimension-size(x, n), dimensions={1}
  d = bf16[2,<=5,<=4,3] set-dimension-size(c, n), dimensions={2}
  ROOT r = bf16[2,<=5,<=4,2] convolution(d, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
}
END
    sed 's/c = .*/d = bf16[2,3,3,3] slice(x), slice={[0:2], [0:3], [0:3], [0:3]}/; /  d = .*set-/d; s/<=[54]/3/g' live.hlo >static.hlo
    hlo-opt --verify-each --passes=dynamic_padder live.hlo -o padded.hlo
    for module in static live padded; do hlo-run --inputs=hash $module.hlo | sed 's/^[^{]*//' >$module.txt; done
    cmp static.txt live.txt
    cmp static.txt padded.txt
    [ "$(grep -c ' convolution(' padded.hlo)" = 9 ]
}

@test "a size of 1 stretches to one that is the bound, where that is marked as dynamic" {
    cd "$BATS_TEST_TMPDIR"
    for mark in '<=' ''; do
        cat >in.hlo <<END
HloModule stretched
ENTRY e {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  one = s32[] constant(1)
  five = s32[] constant(5)
  a = f32[<=5] set-dimension-size(x, one), dimensions={0}
  b = f32[${mark}5] set-dimension-size(y, five), dimensions={0}
  ROOT r = f32[<=5] add(a, b)
}
END
        hlo-opt --verify-each --passes=dynamic_padder in.hlo -o out.hlo
        [ -n "$mark" ] && wanted='f32[5] {0, 1, 2, 3, 4}' || wanted='f32[1] {0}'
        for engine in fast reference; do
            for module in in out; do
                [ "$(hlo-run --engine=$engine --inputs=iota $module.hlo)" = "$wanted" ] ||
                    fail "$mark: $module, $engine: $(hlo-run --engine=$engine --inputs=iota $module.hlo)"
            done
        done
    done
}
