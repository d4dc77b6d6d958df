# Expanders: what their options do, what they leave alone, and what one run cannot show.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "rng-expander: numbers of the distribution, new ones each time, by the seed" {
    cat >in.hlo <<'HLO'
HloModule random
add { a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] add(a, b) }
minimum { a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] minimum(a, b) }
maximum { a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] maximum(a, b) }
measure { x = f64[30000] parameter(0)
  zero = f64[] constant(0)
  huge = f64[] constant(inf)
  low = f64[] constant(-inf)
  n = f64[] constant(30000)
  sum = f64[] reduce(x, zero), dimensions={0}, to_apply=add
  mean = f64[] divide(sum, n)
  means = f64[30000] broadcast(mean), dimensions={}
  d = f64[30000] subtract(x, means)
  dd = f64[30000] multiply(d, d)
  squares = f64[] reduce(dd, zero), dimensions={0}, to_apply=add
  variance = f64[] divide(squares, n)
  least = f64[] reduce(x, huge), dimensions={0}, to_apply=minimum
  most = f64[] reduce(x, low), dimensions={0}, to_apply=maximum
  ROOT t = (f64[], f64[], f64[], f64[]) tuple(mean, variance, least, most) }
ENTRY main {
  low = TYPE[] constant(LOW)
  high = TYPE[] constant(HIGH)
  r = TYPE[150,200] rng(low, high), distribution=KIND
  flat = TYPE[30000] reshape(r)
  x = f64[30000] convert(flat)
  ROOT m = (f64[], f64[], f64[], f64[]) call(x), to_apply=measure
}
HLO
    # Mean, variance, least and greatest possible value.
    while read -r type kind low high mean variance least most; do
        sed "s/TYPE/$type/;s/LOW/$low/;s/HIGH/$high/;s/KIND/rng_$kind/" in.hlo >one.hlo
        hlo-opt --verify-each --passes=rng-expander one.hlo >out.hlo
        ! grep -q ' rng(' out.hlo || fail "$type $kind: rng is still there"
        hlo-run out.hlo | sed 's/^[^)]*) //' | tr -d '(),' >got
        awk -v m="$mean" -v v="$variance" -v l="$least" -v h="$most" '
            function far(a, b, by) { return a - b > by || b - a > by }
            { exit far($1, m, 4 * sqrt(v / 30000) + h / 200) || far($2, v, v / 20) || $3 < l || $4 > h }' got ||
            fail "$type $kind: $(cat got)"
        hlo-run --seed=1 out.hlo >other
        ! hlo-run out.hlo | cmp -s - other || fail "$type $kind: the seed does not count"
    done <<'END'
f32 uniform 2 5 3.5 0.75 2 4.9999999
f64 uniform -1 1 0 0.33333333 -1 1
bf16 uniform 0 1 0.5 0.08333333 0 0.9961
f16 uniform 0 1 0.5 0.08333333 0 0.9996
f8e5m2 uniform 0 1 0.44 0.082 0 0.875
f32 normal 3 2 3 4 -9 15
f64 normal 0 1 0 1 -6 6
bf16 normal 0 1 0 1 -6 6
s32 uniform -10 30 9.5 133.25 -10 29
u8 uniform 200 250 224.5 208.25 200 249
s8 uniform -128 127 -0.99 5418.66 -128 126
s4 uniform -8 7 -1 18.667 -8 6
s64 uniform -3 3 -0.5 2.9166667 -3 2
u64 uniform 0 10 4.5 8.25 0 9
END
}

@test "rng-expander: the numbers of devices differ, and those of calls" {
    cat >in.hlo <<'HLO'
HloModule devices, replica_count=2, num_partitions=2
f { zero = f32[] constant(0)
  one = f32[] constant(1)
  ROOT r = f32[2] rng(zero, one), distribution=rng_uniform }
ENTRY main {
  a = f32[2] call(), to_apply=f
  b = f32[2] call(), to_apply=f
  zero = f32[] constant(0)
  one = f32[] constant(1)
  c = f32[2] rng(zero, one), distribution=rng_uniform
  ROOT t = (f32[2], f32[2], f32[2]) tuple(a, b, c)
}
HLO
    hlo-opt --verify-each --passes=rng-expander in.hlo >out.hlo
    [ "$(grep -c 'replica-id()' out.hlo)" = 2 ] && [ "$(grep -c 'partition-id()' out.hlo)" = 2 ] ||
        fail "$(grep -- -id out.hlo)"
    sed 's/, replica_count=2, num_partitions=2//' in.hlo | hlo-opt --passes=rng-expander - >out.hlo
    ! grep -q -- '-id()' out.hlo || fail "one device has no number"
    hlo-run out.hlo | grep -o '0\.[0-9]*' | sort -u >numbers
    [ "$(wc -l <numbers)" = 6 ] || fail "$(hlo-run out.hlo)"
}

@test "collective decomposers: values on one device, and options" {
    cat >in.hlo <<'HLO'
HloModule alone
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b) }
ENTRY main {
  x = s32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})
  g = s32[4,2] all-gather(x), replica_groups={{0}}, dimensions={1}
  s = s32[4,2] reduce-scatter(x), dimensions={0}, to_apply=add
  t = s32[4,2] all-to-all(x), dimensions={0}
  ROOT all = (s32[4,2], s32[4,2], s32[4,2]) tuple(g, s, t)
}
HLO
    passes=all_gather_decomposer,reduce-scatter-decomposer,all_to_all_decomposer
    hlo-opt --verify-each --passes=$passes in.hlo >out.hlo
    ! grep -q 'all-gather(\|reduce-scatter(' out.hlo || fail "$(cat out.hlo)"
    [ "$(hlo-run in.hlo)" = "$(hlo-run out.hlo)" ] || fail "$(hlo-run out.hlo)"

    sed 's/alone/four, replica_count=4/;/ [gs] =/d;s/tuple(.*/tuple(x, x, t)/' in.hlo >four.hlo
    hlo-opt --verify-each --passes='all_to_all_decomposer{decompose_to_tuple=false,min_array_rank=4}' four.hlo >out.hlo
    expect_text out.hlo 's32[4,1,1,2]{3,2,1,0} all-to-all('
    hlo-opt --passes='all_to_all_decomposer{decompose_to_tuple=false,min_array_rank=2}' four.hlo >out.hlo
    expect_text out.hlo 's32[4,2]{1,0} all-to-all('
    hlo-opt --passes='all_to_all_decomposer' four.hlo >out.hlo
    expect_text out.hlo '(s32[1,2]{1,0}, s32[1,2]{1,0}, s32[1,2]{1,0}, s32[1,2]{1,0}) all-to-all('
}

@test "expanders leave the computation of an async-start alone: it holds one operation" {
    cat >in.hlo <<'HLO'
HloModule async
body { x = f32[4] parameter(0)
  ROOT y = f32[4] logistic(x) }
ENTRY main {
  x = f32[4] parameter(0)
  begin = ((f32[4]), f32[4], s32[]) async-start(x), calls=body
  end = f32[4] async-done(begin)
  ROOT again = f32[4] logistic(end)
}
HLO
    hlo-opt --verify-each --passes=logistic-expander in.hlo >out.hlo
    [ "$(grep -c 'logistic-start(\|exponential(' out.hlo)" = 2 ] || fail "$(cat out.hlo)"
}

@test "collective decomposers leave what would make all-reduces with and without a constrained layout" {
    cat >in.hlo <<'HLO'
HloModule mixed, replica_count=2
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b) }
ENTRY main {
  x = s32[4] parameter(0)
  free = s32[2] reduce-scatter(x), dimensions={0}, to_apply=add
  pinned = s32[2] reduce-scatter(x), constrain_layout=true, dimensions={0}, to_apply=add
  sum = s32[4] all-reduce(x), constrain_layout=true, to_apply=add
  ROOT all = (s32[2], s32[2], s32[4]) tuple(free, pinned, sum)
}
HLO
    hlo-opt --verify-each --passes=reduce-scatter-decomposer in.hlo >out.hlo
    expect_text out.hlo '%free = s32[2]{0} reduce-scatter('
    [ "$(grep -c 'reduce-scatter(' out.hlo)" = 1 ] || fail "$(cat out.hlo)"
}

@test "the batch decides where index vectors have a component for a batching dimension" {
    cat >overlap.hlo <<'HLO'
HloModule overlap

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}

ENTRY main {
  table = s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
  indices = s32[3,2,1] constant({{{9}, {0}}, {{1}, {-7}}, {{2147483647}, {2}}})
  rows = s32[3,2,2] gather(table, indices), offset_dims={2}, collapsed_slice_dims={}, start_index_map={0}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,2}
  sums = s32[3,2] scatter(table, indices, rows), update_window_dims={2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add
  ROOT both = (s32[3,2,2], s32[3,2]) tuple(rows, sums)
}
HLO
    wanted='(s32[3,2,2], s32[3,2]) ( { { { 1, 2 }, { 1, 2 } }, { { 3, 4 }, { 3, 4 } }, { { 5, 6 }, { 5, 6 } } }, { { 3, 6 }, { 9, 12 }, { 15, 18 } } )'
    [ "$(hlo-run overlap.hlo)" = "$wanted" ]
    for pass in gather_expander scatter_expander gather_simplifier; do
        hlo-opt --verify-each --large-constants --passes=$pass overlap.hlo >after.hlo
        [ "$(hlo-run after.hlo)" = "$wanted" ] || fail "$pass"
    done
}

@test "more batches of indices than the operand has are refused, not read" {
    cat >batches.hlo <<'HLO'
HloModule batches

ENTRY main {
  table = f32[2,3,4] parameter(0)
  indices = s64[3,1] parameter(1)
  ROOT rows = f32[3,4] gather(table, indices), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1,4}
}
HLO
    expect_status 1 hlo-run --inputs=hash batches.hlo
    expect_text "$err" 'batching dimension 0 of the operand has 2 elements, and dimension 0 of the indices 3'
    sed 's/rows = f32\[3,4\] gather(table, indices), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1,4}/out = f32[2,3,4] scatter(table, indices, rows), update_window_dims={1}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=last/
        s/^  indices = .*/&\n  rows = f32[3,4] parameter(2)/
        s/^ENTRY/last {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n\n&/' batches.hlo >scatter.hlo
    expect_status 1 hlo-run --inputs=hash scatter.hlo
    expect_text "$err" 'batching dimension 0 of the operand has 2 elements'
}

@test "expanders leave what they have no form for" {
    # An all-reduce would need a positive channel; no bitcast makes a complex number.
    for body in 'x = f32[2] parameter(0)
  ROOT g = f32[8] all-gather(x), channel_id=0, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true' \
        'x = u64[2] parameter(0)
  ROOT g = (u64[2], c64[8]) rng-bit-generator(x), algorithm=rng_default'; do
        printf 'HloModule m, replica_count=4\n\nENTRY main {\n  %s\n}\n' "$body" >in.hlo
        hlo-opt in.hlo >before.hlo
        expect_status 0 hlo-opt --verify-each --passes=all_gather_decomposer,rng-bit-generator-expander in.hlo
        cmp -s "$out" before.hlo || fail "$(cat "$out")"
    done
}

@test "gather and scatter with a dimension of two roles are left as they are by every pass" {
    cd "$BATS_TEST_TMPDIR"
    cat >absent.hlo <<'H'
HloModule m
ENTRY e {
  p = f32[1,2,2] parameter(0)
  i = s32[2,1] parameter(1)
  ROOT r = f32[2] gather(p, i), offset_dims={}, collapsed_slice_dims={2}, start_index_map={1}, operand_batching_dims={0,2}, start_indices_batching_dims={1,0}, index_vector_dim=1, slice_sizes={1,2,1}
}
H
    cp "$HLO_ROOT"/tests/fuzz/run/gather-batching-of-index-vectors.hlo "$HLO_ROOT"/tests/fuzz/run/scatter-batching-and-inserted.hlo .
    for module in absent gather-batching-of-index-vectors scatter-batching-and-inserted; do
        hlo-opt $module.hlo >wanted
        for pass in gather_expander scatter_expander gather_simplifier algsimp constant_folding; do
            expect_status 0 hlo-opt --verify-each --passes=$pass $module.hlo
            cmp wanted "$out" || fail "$pass changes $module: $(cat "$out")"
        done
        expect_status 0 hlo-opt --verify-each --pipeline=default $module.hlo
        grep -qE ' (gather|scatter)\(' "$out" || fail "the default pipeline changes $module: $(cat "$out")"
    done
}
