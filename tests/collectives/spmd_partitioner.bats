# spmd-partitioner: its results for shardings, and what it refuses. tests/passes/rewrites has what --stats counts.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# lines PARTITIONS < BODY OF THE ENTRY: the instructions of the partitioned entry, without names of
# constants, tables of offsets and parameters.
lines() {
    { printf 'HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY main {\n'
        cat
        echo '}'; } >in.hlo
    hlo-opt --passes="spmd-partitioner{partitions=$1},canonicalize-names" --verify-each in.hlo >out.hlo || return
    hlo-verify out.hlo || return
    sed -n '/^ENTRY/,/^}/p' out.hlo | sed -nE 's/^  (ROOT )?%[^ ]* = ([^ ]*) ([a-z-]+)\(.*/\3 \2/p' |
        grep -vE '^(parameter|constant|partition-id|reshape s32)' | sed 's/{[0-9,]*}//'
}

expect_lines() {
    local wanted=$1 got
    got=$(lines "${partitions:-4}") || fail "hlo-opt failed"
    [ "$got" = "$wanted" ] || fail "lines:" "$got" "wanted:" "$wanted"
}

@test "a module without shardings only learns how many partitions there are" {
    printf 'HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] abs(x)\n}\n' >in.hlo
    hlo-opt --passes='spmd-partitioner{partitions=4}' in.hlo >out.hlo
    expect_text out.hlo 'num_partitions=4'
    hlo-opt --passes=spmd-partitioner out.hlo | cmp - out.hlo
    hlo-opt --passes=spmd-partitioner in.hlo >same.hlo
    hlo-opt in.hlo | cmp - same.hlo
}

@test "tiles that fit need no device but their own" {
    expect_lines 'abs f32[2,3]
add f32[2,3]' <<'H'
  x = f32[4,6] parameter(0), sharding={devices=[2,2]<=[4]}
  y = f32[4,6] abs(x), sharding={devices=[2,2]<=[4]}
  ROOT z = f32[4,6] add(x, y), sharding={devices=[2,2]<=[4]}
H
}

@test "resharding: gathers, slices, exchanges, permutations, parts of them" {
    while IFS='|' read -r from to wanted; do
        got=$(lines 4 <<H
  x = f32[8,8] parameter(0), sharding={$from}
  ROOT y = f32[8,8] copy(x), sharding={$to}
H
        ) || fail "$from to $to: hlo-opt failed"
        got=$(grep -vE '^(copy|transpose|reshape)' <<<"$got" | tr '\n' ';')
        [ "$got" = "$wanted" ] || fail "$from to $to: $got, not $wanted"
    done <<'TABLE'
devices=[4,1]<=[4]|replicated|all-gather f32[8,8];
devices=[2,2]<=[4]|devices=[2,1,2]<=[4] last_tile_dim_replicate|all-gather f32[4,8];
devices=[4,1]<=[4]|devices=[2,1,2]<=[4] last_tile_dim_replicate|all-gather f32[4,8];
replicated|devices=[2,2]<=[4]|dynamic-slice s32[1];dynamic-slice f32[4,8];dynamic-slice s32[1];dynamic-slice f32[4,4];
devices=[2,1,2]<=[4] last_tile_dim_replicate|devices=[4,1]<=[4]|dynamic-slice s32[1];dynamic-slice f32[2,8];
devices=[4,1]<=[4]|devices=[1,4]<=[4]|all-to-all f32[2,4,2];
devices=[4,1]<=[4]|devices=[4,1]3,2,1,0|collective-permute f32[2,8];
maximal device=2|replicated|dynamic-slice s32[1];compare pred[];broadcast pred[8,8];broadcast f32[8,8];select f32[8,8];all-reduce f32[8,8];
replicated|maximal device=2|
TABLE
}

@test "a reshape of a tile into one with the same elements exchanges nothing" {
    while IFS='|' read -r shape from result to wanted; do
        got=$(lines 4 <<H
  x = f32[$shape] parameter(0), sharding={$from}
  ROOT y = f32[$result] reshape(x), sharding={$to}
H
        ) || fail "$from to $to: hlo-opt failed"
        got=$(tr '\n' ';' <<<"$got")
        grep -qx "$wanted" <<<"$got" || fail "$shape $from to $result $to: $got, not $wanted"
    done <<'TABLE'
3,16|devices=[1,4]<=[4]|3,2,8|devices=[1,2,2]<=[4]|reshape f32\[3,1,4\];
3,2,8|devices=[1,2,2]<=[4]|3,16|devices=[1,4]<=[4]|reshape f32\[3,4\];
2,8|devices=[2,2]<=[4]|2,2,4|devices=[2,2,1]<=[4]|reshape f32\[1,1,4\];
4,6,2|devices=[2,1,1,2]<=[4] last_tile_dim_replicate|2,2,12|devices=[2,1,1,2]<=[4] last_tile_dim_replicate|reshape f32\[1,2,12\];
3,16|devices=[1,4]3,2,1,0|3,2,8|devices=[1,2,2]<=[4]|.*collective-permute.*
3,16|devices=[1,4]<=[4]|3,2,8|devices=[1,1,4]<=[4]|.*all-.*
2,6|devices=[1,4]<=[4]|4,3|devices=[4,1]<=[4]|.*all-.*
TABLE
}

@test "a product goes where it costs least" {
    # Both contracted: partial products are added.
    expect_lines 'dot f32[8,8]
all-reduce f32[8,8]' <<'H'
  x = f32[8,64] parameter(0), sharding={devices=[1,4]<=[4]}
  y = f32[64,8] parameter(1), sharding={devices=[4,1]<=[4]}
  ROOT z = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
H
    # The smaller operand is gathered.
    expect_lines 'all-gather f32[4,8]
dot f32[16,8]' <<'H'
  x = f32[64,4] parameter(0), sharding={devices=[4,1]<=[4]}
  y = f32[4,8] parameter(1), sharding={devices=[1,4]<=[4]}
  ROOT z = f32[64,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]}
H
}

@test "tiles that do not fill the array are masked where elements are combined" {
    expect_lines 'iota s32[2]
dynamic-slice s32[1]
broadcast s32[2]
add s32[2]
broadcast s32[2]
compare pred[2]
broadcast f32[2]
select f32[2]
reduce f32[]
all-reduce f32[]' <<'H'
  x = f32[7] parameter(0), sharding={devices=[4]<=[4]}
  zero = f32[] constant(0)
  ROOT y = f32[] reduce(x, zero), dimensions={0}, to_apply=add, sharding={replicated}
H
}

@test "windows reach into the tiles of neighbours" {
    got=$(lines 4 <<'H'
  x = f32[1,16,2] parameter(0), sharding={devices=[1,4,1]<=[4]}
  k = f32[3,2,2] parameter(1), sharding={replicated}
  ROOT y = f32[1,16,2] convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, sharding={devices=[1,4,1]<=[4]}
H
    )
    [ "$(grep -c '^collective-permute f32\[1,1,2\]' <<<"$got")" = 2 ] || fail "$got"
    grep -q '^convolution f32\[1,4,2\]' <<<"$got" || fail "$got"
    ! grep -q all-gather <<<"$got" || fail "$got"
}

@test "loops, conditionals and calls hand tiles on" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=4

half {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  ROOT y = f32[8] abs(x), sharding={devices=[4]<=[4]}
}

body {
  p = (s32[], f32[8]) parameter(0), sharding={{replicated}, {devices=[4]<=[4]}}
  i = s32[] get-tuple-element(p), index=0, sharding={replicated}
  x = f32[8] get-tuple-element(p), index=1, sharding={devices=[4]<=[4]}
  one = s32[] constant(1)
  n = s32[] add(i, one), sharding={replicated}
  y = f32[8] call(x), to_apply=half, sharding={devices=[4]<=[4]}
  ROOT r = (s32[], f32[8]) tuple(n, y), sharding={{replicated}, {devices=[4]<=[4]}}
}

condition {
  p = (s32[], f32[8]) parameter(0), sharding={{replicated}, {devices=[4]<=[4]}}
  i = s32[] get-tuple-element(p), index=0, sharding={replicated}
  end = s32[] constant(3)
  ROOT c = pred[] compare(i, end), direction=LT, sharding={replicated}
}

ENTRY main {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, x), sharding={{replicated}, {devices=[4]<=[4]}}
  loop = (s32[], f32[8]) while(t), condition=condition, body=body, sharding={{replicated}, {devices=[4]<=[4]}}
  ROOT r = f32[8] get-tuple-element(loop), index=1, sharding={devices=[4]<=[4]}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo '(s32[], f32[2]{0}) while(%tuple), condition=%condition_spmd, body=%body_spmd'
    expect_text out.hlo 'f32[2]{0} call(%x'
    expect_text out.hlo 'f32[2]{0} abs('
    ! grep -v '^  %x[.0-9]* = .*parameter(0), sharding=' out.hlo | grep -q 'sharding=\|all-\|f32\[8\]' || fail "$(cat out.hlo)"
}

@test "what is manual stays as it is" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=4

ENTRY main {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  s = f32[8] custom-call(x), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  own = f32[2] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
  next = f32[2] collective-permute(own), channel_id=7, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}, sharding={manual}
  id = u32[] partition-id(), sharding={manual}
  number = f32[] convert(id), sharding={manual}
  numbers = f32[2] broadcast(number), dimensions={}, sharding={manual}
  sum = f32[2] add(next, numbers), sharding={manual}
  whole = f32[8] custom-call(sum), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
  ROOT y = f32[8] copy(whole), sharding={replicated}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo 'collective-permute(%x), channel_id=7, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}'
    expect_text out.hlo 'f32[8]{0} all-gather(%y), channel_id=8'
    ! grep -v '^  %x[.0-9]* = .*parameter(0), sharding=' out.hlo | grep -q 'custom-call\|sharding=' || fail "$(cat out.hlo)"
}

@test "collectives in manual subgroups keep the tiles of other dimensions" {
    module() {
        cat <<H
HloModule m, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[6,8] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dims={manual}}
  ROOT y = f32[6,8] all-reduce(x), channel_id=1, replica_groups=$1, use_global_device_ids=true, to_apply=add, sharding={devices=[2,1,2]<=[4] last_tile_dims={manual}}
}
H
    }
    module '{{0,1},{2,3}}' >in.hlo
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo 'f32[3,8]{1,0} all-reduce(%x), channel_id=1, replica_groups={{0,1},{2,3}}'
    module '{{0,2},{1,3}}' >in.hlo
    expect_status 1 hlo-opt --passes=spmd-partitioner in.hlo
    expect_text "$err" "'y' (all-reduce) is between devices that have different tiles"
}

@test "conditionals in manual subgroups branch per device" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=2

half {
  x = f32[4] parameter(0), sharding={manual}
  ROOT y = f32[4] abs(x), sharding={manual}
}

rest {
  x = f32[4] parameter(0), sharding={manual}
  ROOT y = f32[4] negate(x), sharding={manual}
}

ENTRY main {
  p = pred[] parameter(0), sharding={manual}
  x = f32[4] parameter(1), sharding={manual}
  ROOT y = f32[4] conditional(p, x, x), true_computation=half, false_computation=rest, sharding={manual}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo 'f32[4]{0} conditional(%p, %x.2, %x.2)'
}

@test "queues of the host bring and take tiles" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=2

ENTRY main {
  t = token[] after-all()
  in = (f32[6,3], token[]) infeed(t), sharding={{devices=[2,1]<=[2]}, {replicated}}
  x = f32[6,3] get-tuple-element(in), index=0, sharding={devices=[2,1]<=[2]}
  u = token[] get-tuple-element(in), index=1
  ROOT out = token[] outfeed(x, u), outfeed_shape=f32[6,3]{1,0}, sharding={devices=[1,2]<=[2]}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo '(f32[3,3]{1,0}, token[]) infeed('
    expect_text out.hlo 'outfeed_shape=f32[6,2]{1,0}'
    cat >one.hlo <<'H'
HloModule m, num_partitions=2

ENTRY main {
  t = token[] after-all()
  in = (f32[3], token[]) infeed(t), sharding={{maximal device=1}, {maximal device=1}}
  x = f32[3] get-tuple-element(in), index=0, sharding={maximal device=1}
  u = token[] get-tuple-element(in), index=1, sharding={maximal device=1}
  y = f32[3] copy(x), sharding={replicated}
  out = token[] outfeed(y, u), outfeed_shape=f32[3]{0}, sharding={maximal device=0}
  ROOT z = f32[3] copy(y), sharding={replicated}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each one.hlo >out.hlo
    expect_text out.hlo '(f32[3]{0}, token[]) conditional('
    mkdir in
    printf 'ENTRY e { ROOT c = f32[3] constant({1, 2, 3}) }\n' | hlo-run -o in/infeed0.r1.npy -
    expect_status 0 hlo-run --infeed=in --outfeed=sent out.hlo
    [ "$(grep -c 'f32\[3\] {1, 2, 3}' "$out")" = 2 ] || fail "$(cat "$out")"
    [ "$(ls sent)" = outfeed0.r0.npy ] || fail "$(ls sent)"
}

@test "results are written over parameters where tiles of both are alike" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=2, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }

ENTRY main {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  y = f32[4] parameter(1), sharding={devices=[2]<=[2]}
  ROOT t = (f32[4], f32[4]) tuple(x, y), sharding={{devices=[2]<=[2]}, {replicated}}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo 'input_output_alias={ {0}: (0, {}, may-alias) }'
}

@test "each replica has its groups" {
    cat >in.hlo <<'H'
HloModule m, replica_count=2, num_partitions=2

ENTRY main {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  ROOT y = f32[4] copy(x), sharding={replicated}
}
H
    hlo-opt --passes=spmd-partitioner --verify-each in.hlo >out.hlo
    expect_text out.hlo 'replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true'
}

@test "broadcasts along a diagonal, whose tiles are in no tile of the operand" {
    cat >whole.hlo <<'END'
HloModule diagonal

ENTRY main {
  p = f32[2,2] parameter(0)
  d = f32[4,2] broadcast(p), dimensions={1,1}
  e = f32[2,2] broadcast(p), dimensions={0,0}
  m = f32[2,2] negate(p)
  g = f32[2,2] broadcast(m), dimensions={1,1}
  ROOT t = (f32[4,2], f32[2,2], f32[2,2]) tuple(d, e, g)
}
END
    sed 's/^HloModule.*/&, num_partitions=2/
         s/ parameter(0)/&, sharding={replicated}/
         / [de] = /s/$/, sharding={devices=[1,2]<=[2]}/
         / m = /s/$/, sharding={devices=[2,1]<=[2]}/
         / ROOT /s/$/, sharding={{replicated}, {replicated}, {replicated}}/' whole.hlo >in.hlo
    hlo-opt --passes="sharding-propagation,spmd-partitioner{partitions=2}" --verify-each in.hlo >parts.hlo
    hlo-run --inputs=hash whole.hlo >wanted
    [ "$(hlo-run --inputs=hash parts.hlo | grep -v '^//')" = "$(cat wanted wanted)" ]
}

@test "unsupported instructions are errors with a place" {
    while IFS='|' read -r line text; do
        printf 'HloModule m, num_partitions=4\n\nENTRY main {\n  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n  ROOT %s\n}\n' "$line" >in.hlo
        expect_status 1 hlo-opt --passes=spmd-partitioner in.hlo
        expect_text "$err" "in.hlo:5:8: error: spmd-partitioner: $text"
    done <<'TABLE'
y = f32[8] abs(x), sharding={unreduced}|'y' (abs) has an unreduced sharding, which is not supported
y = u32[] partition-id(), sharding={replicated}|'y' (partition-id) has no meaning outside of manual shardings
TABLE
    expect_status 1 hlo-opt --passes='spmd-partitioner{partitions=8}' in.hlo
    expect_text "$err" "has a sharding for 4 devices, and there are 8"
    expect_status 1 hlo-opt --passes='spmd-partitioner{partitions=1000000}' in.hlo
    expect_text "$err" "the number of partitions is 1 to 65536"
}

@test "--stats counts operations that get all of a dimension that has tiles" {
    sed '/^\/\/ -----/,$d' "$HLO_ROOT/tests/passes/rewrites/whole_fft.hlo" >in.hlo
    hlo-opt --passes='spmd-partitioner{partitions=4}' --stats in.hlo >out 2>err
    grep -q 'whole_fft *1' err out || fail "$(cat err)"
}

@test "arrays without elements along a dimension with tiles" {
    cat >in.hlo <<'END'
HloModule m, num_partitions=4
ENTRY main {
  p = s32[2,0,8] parameter(0), sharding={devices=[1,2,2]<=[4]}
  q = s32[2,0,8] slice(p), slice={[0:2], [0:0], [0:8]}, sharding={devices=[2,1,1,2]1,3,0,2 last_tile_dim_replicate}
  ROOT c = s32[2,0,8] concatenate(q, q), dimensions={1}, sharding={devices=[1,4,1]<=[4]}
}
END
    expect_status 0 hlo-opt --passes=spmd-partitioner --verify-each in.hlo
}

# As in XLA's dumps after spmd-partitioning.
@test "shardings stay on parameters of the entry, infeeds and outfeeds" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=4

ENTRY main {
  x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}, metadata={op_name="x"}
  w = (f32[4], (f32[])) parameter(1)
  k = token[] after-all(), sharding={replicated}
  i = ((f32[8,4]), token[]) infeed(k), sharding={{devices=[4,1]<=[4]}, {replicated}}
  it = (f32[8,4]) get-tuple-element(i), index=0, sharding={{devices=[4,1]<=[4]}}
  iv = f32[8,4] get-tuple-element(it), index=0, sharding={devices=[4,1]<=[4]}
  ik = token[] get-tuple-element(i), index=1, sharding={replicated}
  s = f32[8,4] add(x, iv), sharding={devices=[4,1]<=[4]}
  st = (f32[8,4]) tuple(s), sharding={{devices=[4,1]<=[4]}}
  o = token[] outfeed(st, ik), outfeed_shape=(f32[8,4]), sharding={{devices=[4,1]<=[4]}, {replicated}}
  ROOT t = f32[8,4] negate(s), sharding={devices=[4,1]<=[4]}
}
H
    expect_status 0 hlo-opt --passes=spmd-partitioner --verify-each in.hlo
    cp "$out" out.hlo
    grep -F 'sharding=' out.hlo | diff <(cat <<'H'
  %w = (f32[4]{0}, (f32[])) parameter(1), sharding={{replicated}, {replicated}}
  %x = f32[2,4]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}, metadata={op_name="x"}
  %i = ((f32[2,4]{1,0}), token[]) infeed(%k), sharding={{devices=[4,1]<=[4]}, {replicated}}
  %o = token[] outfeed(%tuple, %ik), outfeed_shape=(f32[2,4]{1,0}), sharding={{devices=[4,1]<=[4]}, {replicated}}
H
    ) -
}

@test "what is partitioned is not partitioned again" {
    printf 'HloModule m, num_partitions=2\nENTRY main {\n  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n  ROOT y = f32[8] negate(x)\n}\n' >in.hlo
    hlo-opt --pipeline=spmd in.hlo >once.hlo
    expect_text once.hlo 'ENTRY %main_spmd (x: f32[4])'
    hlo-opt --passes=shardy-xla,sharding-propagation,spmd-partitioner once.hlo | diff once.hlo -
    # The number after the name is that of a dump, where another computation had it.
    for name in main_spmd.12 main.3_spmd; do
        sed "s/main_spmd/$name/" once.hlo >named.hlo
        hlo-opt --passes=sharding-propagation,spmd-partitioner named.hlo | diff <(hlo-opt named.hlo) -
    done
    for name in main_spmdx main_spmd.x main.12 spmd; do
        sed "s/main_spmd/$name/" once.hlo >named.hlo
        hlo-opt --passes=spmd-partitioner named.hlo >again.hlo
        expect_text again.hlo 'x: f32[2])'
    done
    expect_status 1 hlo-opt --passes='spmd-partitioner{partitions=4}' once.hlo
    grep -qF "spmd-partitioner: 'main_spmd' is the program of one of 2 partitions already" "$err"
    expect_status 0 hlo-opt --passes='spmd-partitioner{partitions=2}' once.hlo
}

@test "the program of one device cuts whole inputs by its parameters" {
    printf 'HloModule m, num_partitions=2\nENTRY main {\n  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n  ROOT y = f32[8] negate(x), sharding={replicated}\n}\n' >in.hlo
    hlo-opt --pipeline=spmd in.hlo >parts.hlo
    hlo-run --partitions=1 in.hlo --inputs=hash -o whole.npz
    expect_status 0 hlo-run parts.hlo --input-sharded --inputs=hash --expect whole.npz
}
