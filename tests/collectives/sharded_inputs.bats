# hlo-run --input-sharded: whole inputs, cut into the tiles of each device, give what the module gives before it is partitioned.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# whole SHARDING TYPE DIMS: whole.hlo, whose result depends on where each element of the parameter is, and parts.hlo for 4 devices.
whole() {
    cat >whole.hlo <<H
HloModule whole
ENTRY e {
  x = $2[$3] parameter(0), sharding=$1, metadata={op_name="params['x']"}
  i = s32[$3] iota(), iota_dimension=0
  k = $2[$3] convert(i)
  y = $2[$3] multiply(x, k)
  ROOT r = $2[$3] add(y, x), sharding={replicated}
}
H
    hlo-opt --passes='sharding-propagation,spmd-partitioner{partitions=4}' -o parts.hlo whole.hlo
}

# same OPTION...: every device has the result of the whole module, for these inputs.
same() {
    hlo-run --partitions=1 whole.hlo "$@" -o want.npz
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo "$@" --expect want.npz
    [ "$(grep -c '^out0\.r[0-3]: .* agree' "$out")" = 4 ] || fail "$1: $(cat "$out")"
}

@test "every form of sharding: tiles, orders, copies, one device, named; uneven tiles; small types" {
    while IFS='|' read -r sharding dims; do
        for type in s32 c64 s4; do
            whole "$sharding" $type "$dims"
            same --inputs=hash
        done
    done <<'FORMS'
{devices=[4,1]<=[4]}|8,12
{devices=[1,4]<=[4]}|8,12
{devices=[2,2]<=[4]}|8,12
{devices=[2,2]<=[2,2]T(1,0)}|8,12
{devices=[4,1]0,2,3,1}|8,12
{devices=[1,2,2]<=[4] last_tile_dim_replicate}|8,12
{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}|8,12
{devices=[2,1,2]<=[4] last_tile_dims={replicated}}|8,12
{replicated}|8,12
{devices=[4,1]<=[4]}|5,3
{devices=[4,1]<=[4]}|2,3
{devices=[2,2]<=[4]}|7,5
{devices=[2,1,2]<=[4]}|3,4,5
{mesh['x'=2,'y'=2], [{'x'}, {'y'}]}|8,12
{mesh['x'=2,'y'=2], [{'y'}, {}]}|8,12
{mesh['x'=2,'y'=2], [{'y','x'}, {}]}|8,12
{maximal device=2}|8,12
FORMS
}

@test "files of every kind, by number and by name; tuples; replicas" {
    whole '{devices=[2,2]<=[2,2]T(1,0)}' f32 8,6
    hlo-run --inputs=hash --output-dir in - <<<'ENTRY e { ROOT p = f32[8,6] parameter(0) }'
    hlo-run --inputs=hash -o in.json - <<<'ENTRY e { ROOT p = f32[8,6] parameter(0) }'
    hlo-run --inputs=hash - <<<'ENTRY e { ROOT p = f32[8,6] parameter(0) }' >in.txt
    mv in/out0.npy in/in0.npy
    for given in in/in0.npy in.txt "--input x=in/in0.npy" "--input params['x']=in.json" "--input-dir in"; do
        # shellcheck disable=SC2086
        same $given
    done
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo in/in0.npy --device-assignment='{{3,1,0,2}}' --expect want.npz
    [ "$(grep -c ' agree' "$out")" = 4 ] || fail "$(cat "$out")"
    cat >whole.hlo <<'H'
HloModule pair
ENTRY e {
  p = (s32[8], (s32[4,4], s32[])) parameter(0), sharding={{devices=[4]3,2,1,0}, {devices=[1,4]<=[4]}, {replicated}}
  a = s32[8] get-tuple-element(p), index=0
  q = (s32[4,4], s32[]) get-tuple-element(p), index=1
  b = s32[4,4] get-tuple-element(q), index=0
  c = s32[] get-tuple-element(q), index=1
  ROOT t = (s32[8], s32[4,4], s32[]) tuple(a, b, c), sharding={{replicated}, {replicated}, {replicated}}
}
H
    hlo-opt --passes='sharding-propagation,spmd-partitioner{partitions=4}' -o parts.hlo whole.hlo
    hlo-run --partitions=1 whole.hlo --inputs=iota -o want.npz
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect want.npz
    [ "$(grep -c ' agree' "$out")" = 12 ] || fail "$(cat "$out")"
}

# tiles SHARDING: the program of one of four devices, whose parameter has a sharding; it gathers the tiles.
tiles() {
    cat >tiles.hlo <<H
HloModule tiles, num_partitions=4
ENTRY e {
  x = s32[2,3] parameter(0), sharding=$1
  ROOT g = s32[8,3] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}
}
H
}

@test "without another module the parameters of the program of one device have the shardings" {
    tiles '{devices=[4,1]<=[4]}'
    hlo-run --inputs=iota --output-dir in - <<<'ENTRY e { ROOT p = s32[8,3] parameter(0) }'
    expect_status 0 hlo-run tiles.hlo --input-sharded in/out0.npy --expect in
    [ "$(grep -c ' agree' "$out")" = 4 ] || fail "$(cat "$out")"
    tiles '{devices=[4,1]1,0,3,2}'
    expect_status 1 hlo-run tiles.hlo --input-sharded in/out0.npy --expect in
    # In the order of the devices, which have tiles 1, 0, 3 and 2.
    expect_status 0 hlo-run tiles.hlo --input-sharded in/out0.npy
    [ "$(sed -n 2p "$out" | tr -d ' ')" = 's32[8,3]{{6,7,8},{9,10,11},{0,1,2},{3,4,5},{18,19,20},{21,22,23},{12,13,14},{15,16,17}}' ] || fail "$(cat "$out")"
    # Each replica has all of it.
    tiles '{devices=[2,1]1,0}'
    sed -i 's/num_partitions=4/replica_count=2, num_partitions=2/; s/{{0,1,2,3}}/{{0,1},{2,3}}/; s/s32\[8,3\]/s32[4,3]/' tiles.hlo
    hlo-run --inputs=iota -o four.npy - <<<'ENTRY e { ROOT p = s32[4,3] parameter(0) }'
    expect_status 0 hlo-run tiles.hlo --input-sharded four.npy
    [ "$(grep -v // "$out" | sort -u | tr -d ' ')" = 's32[4,3]{{6,7,8},{9,10,11},{0,1,2},{3,4,5}}' ] || fail "$(cat "$out")"
}

# pairs: whole.hlo, whose results have tiles of uneven sizes, tiles with copies, and none; parts.hlo; and the whole's results.
pairs() {
    cat >whole.hlo <<'H'
HloModule pairs
ENTRY e {
  x = f32[7,6] parameter(0), sharding={devices=[4,1]<=[4]}
  y = f32[7,6] multiply(x, x), sharding={devices=[4,1]<=[4]}
  z = f32[6,7] transpose(x), dimensions={1,0}, sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  s = f32[2] constant({1, 2}), sharding={replicated}
  t = (f32[6,7], f32[2]) tuple(z, s), sharding={{devices=[2,1,2]<=[4] last_tile_dim_replicate}, {replicated}}
  ROOT r = (f32[7,6], (f32[6,7], f32[2])) tuple(y, t), sharding={{devices=[4,1]<=[4]}, {devices=[2,1,2]<=[4] last_tile_dim_replicate}, {replicated}}
}
H
    [ $# = 0 ] || sed -i "$1" whole.hlo
    hlo-opt --passes='sharding-propagation,spmd-partitioner{partitions=4}' -o parts.hlo whole.hlo
    hlo-run --partitions=1 whole.hlo --inputs=iota -o want.npz
}

@test "stored results of all devices are cut by the shardings of the whole module's result" {
    pairs
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect want.npz
    for n in 'out0.*12' 'out1.*21' 'out2.*2'; do
        [ "$(grep -c "^$n elements agree" "$out")" = 4 ] || fail "$(cat "$out")"
    done
    # Each device has another tile: of the last row and of the last column, only some have an element that differs.
    pairs 's/multiply(x, x)/multiply(x, w)/; s/^  y = .*/  w = f32[7,6] broadcast(m), dimensions={0}, sharding={devices=[4,1]<=[4]}\n&/; s/^  w = .*/  m = f32[7] constant({1,1,1,1,1,1,2})\n&/'
    cp whole.hlo last.hlo
    hlo-run --partitions=1 last.hlo --inputs=iota -o last.npz
    pairs 's/multiply(x, x)/multiply(x, w)/; s/^  y = .*/  w = f32[7,6] broadcast(m), dimensions={0}, sharding={devices=[4,1]<=[4]}\n&/; s/^  w = .*/  m = f32[7] constant({1,1,1,1,1,1,1})\n&/'
    expect_status 1 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect last.npz
    [ "$(grep -c 'agree' "$out")" = 11 ] || fail "$(cat "$out")"
    expect_text "$out" 'out0.r3: 6 of 12 elements differ'
    # Results of single devices, as before.
    hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --output-dir tiles
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect tiles
    [ "$(grep -c ' agree' "$out")" = 12 ] || fail "$(cat "$out")"
}

@test "a stored result that devices have in common is read once; that of one device counts for it alone" {
    pairs
    hlo-run --partitions=1 whole.hlo --inputs=iota --output-dir want
    hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --output-dir tiles
    # Without the whole, as replicas have it.
    printf 'HloModule m, replica_count=4\nENTRY e {\n  ROOT x = f32[4] parameter(0)\n}\n' >same.hlo
    hlo-run --replicas=1 same.hlo --inputs=iota --output-dir one
    cp tiles/out0.r1.npy tiles/out1.r2.npy want
    expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect want
    [ "$(grep -c ' agree' "$out")" = 12 ] || fail "$(cat "$out")"
    cp tiles/out0.r0.npy want/out0.r1.npy
    expect_status 1 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect want
    [ "$(grep -c ' agree' "$out")" = 11 ] || fail "$(cat "$out")"
    rm want/out?.r?.npy
    command -v strace >/dev/null || skip "no strace"
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # which strace does not let it do
    expect_status 0 strace -f -o trace -e trace=openat hlo-run parts.hlo --input-sharded=whole.hlo --inputs=iota --expect want
    [ "$(grep -c 'want/out.*npy' trace)" = 3 ] || fail "$(grep npy trace)"
    expect_status 0 strace -f -o trace -e trace=openat hlo-run same.hlo --inputs=iota --expect one
    [ "$(grep -c 'one/out.*npy' trace)" = 1 ] || fail "$(grep npy trace)"
}

@test "stored results of all devices: a message of the program of one device has the shardings, its text has not" {
    pairs 's/7/8/g'
    hlo-opt --passes='sharding-propagation,spmd-partitioner{partitions=4}' --emit=json -o parts.json whole.hlo
    expect_status 0 hlo-run parts.json --input-sharded --inputs=iota --expect want.npz
    [ "$(grep -c ' agree' "$out")" = 12 ] || fail "$(cat "$out")"
    expect_status 1 hlo-run parts.hlo --input-sharded --inputs=iota --expect want.npz
    expect_text "$err" 'holds <f4[8,6], expected <f4 for f32[2,6]'
    [ "$(grep -c 'hint: of which array out0 is a tile, the module before it was partitioned states' "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 1 hlo-run parts.hlo --inputs=iota --expect want.npz
    [ "$(grep -c 'hint: --input-sharded cuts whole inputs and stored results' "$err")" = 1 ] || fail "$(cat "$err")"
    sed '/ROOT r/s/, sharding=.*//' whole.hlo >bare.hlo
    expect_status 1 hlo-run parts.hlo --input-sharded=bare.hlo --inputs=iota --expect want.npz
    [ "$(grep -c 'hint: the module before it was partitioned has no sharding for out0 that gives such tiles' "$err")" = 1 ] || fail "$(cat "$err")"
    # Over folders, too: without another module.
    mkdir modules records
    mv parts.json modules
    mv want.npz records/parts.npz
    expect_status 0 hlo-run modules --input-sharded --inputs=iota --expect records
}

@test "a whole input without the option: which slice each partition takes" {
    tiles '{devices=[4,1]1,0,3,2}'
    hlo-run --inputs=iota --output-dir in - <<<'ENTRY e { ROOT p = s32[8,3] parameter(0) }'
    expect_status 2 hlo-run tiles.hlo in/out0.npy
    expect_text "$err" "holds <i4[8,3], expected <i4 for s32[2,3]"
    expect_text "$err" "sharding={devices=[4,1]1,0,3,2} gives each partition a slice of the whole: 0 [2:4,0:3], 1 [0:2,0:3], 2 [6:8,0:3], 3 [4:6,0:3]"
    expect_text "$err" "--input-sharded cuts whole inputs"
    expect_status 2 hlo-run tiles.hlo --input x=in/out0.npy
    expect_text "$err" "gives each partition a slice"
    cp in/out0.npy in/in0.npy
    expect_status 2 hlo-run tiles.hlo --input-dir in
    expect_text "$err" "gives each partition a slice"
}

@test "what cannot be cut is refused" {
    whole '{devices=[4,1]<=[4]}' f32 8,6
    sed 's/8,6/8,8/g' whole.hlo >other.hlo
    expect_status 2 hlo-run parts.hlo --input-sharded=other.hlo --inputs=hash
    expect_text "$err" "is not a tile of f32[8,8] by sharding={devices=[4,1]<=[4]}"
    sed 's/ x = .*/&\n  z = f32[] parameter(1)/' whole.hlo >other.hlo
    expect_status 2 hlo-run parts.hlo --input-sharded=other.hlo --inputs=hash
    expect_text "$err" "the whole module has 2 inputs, and that of one device 1"
    sed 's/{devices=\[4,1\]<=\[4\]}/{manual}/' whole.hlo >other.hlo
    expect_status 2 hlo-run parts.hlo --input-sharded=other.hlo --inputs=hash
    expect_text "$err" "has a manual sharding: each device has a separate value"
    sed 's/{devices=\[4,1\]<=\[4\]}/{devices=[2,1]<=[2]}/' whole.hlo >other.hlo
    expect_status 2 hlo-run parts.hlo --input-sharded=other.hlo --inputs=hash
    expect_status 2 hlo-run parts.hlo --input-sharded=whole.hlo
    expect_text "$err" "is not given"
    expect_status 3 hlo-run parts.hlo --input-sharded=missing.hlo --inputs=hash
    expect_status 2 hlo-run --executor=dataflow --partitions=1 --input-sharded whole.hlo --inputs=hash
}
