# hlo-opt --communication: what collectives exchange, by the formulas of docs/communication.md.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# module HEADER < BODY OF THE ENTRY: a module with the reducers `add` and `or`, as in.hlo.
module() {
    {
        echo "HloModule m, $1"
        echo 'add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }'
        echo 'or { a = pred[] parameter(0) b = pred[] parameter(1) ROOT c = pred[] or(a, b) }'
        echo 'ENTRY main {'
        cat
        echo '}'
    } >in.hlo
}

# rows OPTION...: kind, devices, times, bytes sent, bytes received, seconds of each collective of in.hlo.
rows() {
    hlo-opt --communication --format=json "$@" in.hlo |
        jq -r 'select(.table == "exchanges") | [.kind, .devices, .times, .times_known, .bytes_sent, .bytes_received, .seconds] | @tsv' |
        awk -F '\t' '{ printf "%s %d %.6g%s %.6g %.6g %.6g\n", $1, $2, $3, $4 == "true" ? "" : "?", $5, $6, $7 }'
}

expect_rows() {
    local wanted got
    wanted=$(cat)
    got=$(rows "$@") || fail "hlo-opt failed"
    [ "$got" = "$wanted" ] || fail "got:" "$got" "wanted:" "$wanted"
}

# One gigabit a second: 8 ns for a byte; one microsecond for a link.
plain="--link-gbps=1 --link-us=1"

all_kinds() {
    module 'replica_count=4, num_partitions=3' <<'H'
  x = f32[12,25] parameter(0)
  a = f32[12,25] all-reduce(x), channel_id=1, replica_groups=[1,12]<=[12], use_global_device_ids=true, to_apply=add
  b = f32[144,25] all-gather(x), channel_id=2, replica_groups=[1,12]<=[12], use_global_device_ids=true, dimensions={0}
  c = f32[1,25] reduce-scatter(x), channel_id=3, replica_groups=[1,12]<=[12], use_global_device_ids=true, dimensions={0}, to_apply=add
  d = f32[12,25] all-to-all(x), replica_groups={{0,1,2,3}}, dimensions={0}
  e = f32[12,25] collective-broadcast(x), replica_groups={{0,1,2,3}}
  f = f32[12,25] collective-permute(x), source_target_pairs={{0,3},{3,0}}
  ROOT t = (f32[12,25], f32[144,25], f32[1,25], f32[12,25], f32[12,25], f32[12,25]) tuple(a, b, c, d, e, f)
H
}

@test "a ring: every kind by its formula" {
    all_kinds
    # 1200 bytes: 2 * 11/12 of them in 22 steps, 11 parts of 1200 in 11, 11/12 in 11, 3/4 of which the busiest
    # link carries 4/8, all of them in 2 steps; devices 0 and 9 of 12 are 3 apart
    # shellcheck disable=SC2086
    expect_rows $plain <<'H'
all-reduce 12 1 2200 2200 3.96e-05
all-gather 12 1 13200 13200 0.0001166
reduce-scatter 12 1 1100 1100 1.98e-05
all-to-all 4 1 900 900 6.8e-06
collective-broadcast 4 1 1200 1200 1.16e-05
collective-permute 2 1 1200 1200 1.26e-05
H
}

@test "rows and columns: 3 by 4, 2 by 2; without and with links from end to end" {
    all_kinds
    # shellcheck disable=SC2086
    expect_rows $plain --topology=mesh <<'H'
all-reduce 12 1 2200 2200 2.76e-05
all-gather 12 1 13200 13200 0.0001106
reduce-scatter 12 1 1100 1100 1.38e-05
all-to-all 4 1 900 900 1.16e-05
collective-broadcast 4 1 1200 1200 1.16e-05
collective-permute 2 1 1200 1200 1.26e-05
H
    # shellcheck disable=SC2086
    expect_rows $plain --topology=torus <<'H'
all-reduce 12 1 2200 2200 2.76e-05
all-gather 12 1 13200 13200 0.0001106
reduce-scatter 12 1 1100 1100 1.38e-05
all-to-all 4 1 900 900 6.8e-06
collective-broadcast 4 1 1200 1200 1.16e-05
collective-permute 2 1 1200 1200 1.16e-05
H
}

@test "groups of all modes and forms; the largest counts" {
    module 'replica_count=4, num_partitions=3' <<'H'
  x = f32[12] parameter(0)
  a = f32[12] all-reduce(x), replica_groups={}, to_apply=add
  b = f32[12] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add
  c = f32[12] all-reduce(x), channel_id=2, replica_groups={{0,1},{2,3}}, to_apply=add
  d = f32[12] all-reduce(x), channel_id=3, replica_groups=[4,3]<=[12], use_global_device_ids=true, to_apply=add
  e = f32[12] all-reduce(x), channel_id=4, replica_groups={{0},{1,2,3,4,5},{6,7,8,9,10,11}}, use_global_device_ids=true, to_apply=add
  f = f32[12] all-to-all(x), channel_id=5, replica_groups={{0,1,2}}, dimensions={0}
  g = f32[12] all-reduce(x), replica_groups={{0},{1},{2},{3}}, to_apply=add
  ROOT t = (f32[12], f32[12], f32[12], f32[12], f32[12], f32[12], f32[12]) tuple(a, b, c, d, e, f, g)
H
    [ "$(rows | cut -d' ' -f2 | tr '\n' ' ')" = "4 12 6 3 6 3 1 " ] || fail "$(rows)"
    [ "$(rows | tail -1 | cut -d' ' -f4-)" = "0 0 0" ] || fail "$(rows)"
}

@test "starts, several operands, slices of permutes in place" {
    module 'replica_count=2' <<'H'
  x = f32[10] parameter(0)
  y = bf16[4,4] parameter(1)
  p = pred[3] parameter(2)
  z = s32[] constant(0)
  s = f32[10] all-reduce-start(x), replica_groups={}, to_apply=add
  a = f32[10] all-reduce-done(s)
  b = ((f32[10], bf16[4,4]), (f32[20], bf16[8,4])) all-gather-start(x, y), replica_groups={}, dimensions={0}
  c = (f32[20], bf16[8,4]) all-gather-done(b)
  d = pred[3] all-reduce(p), replica_groups={}, to_apply=or
  o = (s32[]) tuple(z)
  e = f32[10] collective-permute(x, x, o, o), source_target_pairs={{0,1}}, slice_sizes={{5}}
  ROOT t = (f32[10], (f32[20], bf16[8,4]), pred[3], f32[10]) tuple(a, c, d, e)
H
    [ "$(rows | awk '{ print $1, $4 }' | tr '\n' ' ')" = "all-reduce 40 all-gather 72 all-reduce 3 collective-permute 20 " ] ||
        fail "$(rows)"
}

# same_as_statistics WANTED: seconds, bytes and unknown loops are those of hlo-stat; the last two are WANTED.
same_as_statistics() {
    local by_opt by_stat
    by_opt=$(hlo-opt --communication --link-gbps=7 --link-us=3 --topology=mesh --format=json in.hlo | jq -sc '
        (map(select(.kind == "all collectives"))[0] | (.seconds * 1e16 | round), .bytes_sent), (map(select(.table == "unknown_loops"))[0].count)')
    by_stat=$(hlo-stat --link-gbps=7 --link-us=3 --topology=mesh --emit=json in.hlo |
        jq -c '.summary | (.link_seconds * 1e16 | round), .bytes_sent, .unknown_loops')
    [ "$by_opt" = "$by_stat" ] || fail "hlo-opt:" "$by_opt" "hlo-stat:" "$by_stat"
    [ "$(tail -n 2 <<<"$by_opt" | tr '\n' ' ')" = "$1 " ] || fail "$by_opt" "wanted: $1"
    hlo-stat --link-gbps=7 --link-us=3 --topology=mesh --emit=json in.hlo | jq -e '
        [([.collectives[].seconds] | add), .summary.seconds, .summary.link_seconds] | map(. * 1e16 | round) | unique | length == 1' >/dev/null || fail "hlo-stat differs from itself"
}

@test "loops multiply; unknown trip counts are reported" {
    cat >in.hlo <<'H'
HloModule m, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
inner { s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  y = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  k = s32[] constant(1)
  n = s32[] add(i, k)
  ROOT t = (s32[], f32[4]) tuple(n, y) }
to_three { s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  k = s32[] constant(3)
  ROOT c = pred[] compare(i, k), direction=LT }
outer { s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  z = s32[] constant(0)
  u = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(u), condition=to_three, body=inner
  y = f32[4] get-tuple-element(w), index=1
  g = f32[8] all-gather(y), replica_groups={}, dimensions={0}
  h = f32[4] slice(g), slice={[0:4]}
  ROOT t = (s32[], f32[4]) tuple(i, h) }
never { s = (s32[], f32[4]) parameter(0)
  ROOT c = pred[] infeed-free() }
ENTRY main { x = f32[4] parameter(0)
  z = s32[] parameter(1)
  u = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(u), condition=never, body=outer, backend_config={"known_trip_count":{"n":"7"}}
  v = (s32[], f32[4]) while(u), condition=never, body=outer
  ROOT t = ((s32[], f32[4]), (s32[], f32[4])) tuple(w, v) }
H
    sed -i 's/  ROOT c = pred\[\] infeed-free() }/  i = s32[] get-tuple-element(s), index=0\n  ROOT c = pred[] compare(i, i), direction=LT }/' in.hlo
    [ "$(rows | awk '{ print $1, $3 }' | tr '\n' ' ')" = "all-reduce 24? all-gather 8? " ] || fail "$(rows)"
    [ "$(hlo-opt --communication in.hlo | tail -n 1)" = "1 loop of unknown trip count, counted once" ]
    same_as_statistics "512 1"
    sed -i '/ v = /d; s/, v) }/, w) }/' in.hlo
    [ "$(rows | awk '{ print $1, $3 }' | tr '\n' ' ')" = "all-reduce 21 all-gather 7 " ] || fail "$(rows)"
    ! hlo-opt --communication in.hlo | grep unknown
    same_as_statistics "448 0"
}

@test "each branch of a conditional counts as taken, in statistics too" {
    cat >in.hlo <<'H'
HloModule m, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
one { x = f32[64] parameter(0)
  ROOT y = f32[64] all-reduce(x), replica_groups={}, to_apply=add }
other { x = f32[64] parameter(0)
  y = f32[128] all-gather(x), replica_groups={}, dimensions={0}
  ROOT h = f32[64] slice(y), slice={[0:64]} }
ENTRY main { x = f32[64] parameter(0) p = pred[] parameter(1)
  ROOT c = f32[64] conditional(p, x, x), true_computation=one, false_computation=other }
H
    [ "$(rows | awk '{ print $1, $3 }' | tr '\n' ' ')" = "all-reduce 1? all-gather 1? " ] || fail "$(rows)"
    same_as_statistics "512 0"
}

@test "sums by kind; JSON has the same; passes run first" {
    all_kinds
    hlo-opt --communication in.hlo | tail -1 >last
    read -r name collectives times sent unit _ <last
    [ "$name $collectives $times $sent $unit" = "all collectives 6 19.3 KiB" ] || fail "$(cat last)"
    hlo-opt --communication --format=json in.hlo >out.json
    [ "$(grep -c '"table":"exchanges"' out.json)" = 6 ]
    [ "$(grep -c '"table":"exchange_totals"' out.json)" = 7 ]
    expect_text out.json '"kind":"all-reduce","computation":"main","instruction":"a.2","devices":12,"times":1,"times_known":true,"bytes_sent":2200,"bytes_received":2200'
    module 'replica_count=2' <<'H'
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), replica_groups={}, to_apply=add
  ROOT b = f32[8] negate(x)
H
    [ "$(hlo-opt --communication --passes=dce in.hlo | wc -l)" = 2 ]
}

@test "a hundred thousand devices; wrong options" {
    module 'replica_count=100000' <<'H'
  x = f32[100000] parameter(0)
  ROOT a = f32[100000] all-reduce(x), replica_groups={}, to_apply=add
H
    # shellcheck disable=SC2086
    expect_rows $plain --topology=torus <<'H'
all-reduce 100000 1 799992 799992 0.00769594
H
    for wrong in --link-gbps=0 --link-gbps=x --link-gbps= --link-us=-1 --topology=star; do
        expect_status 2 hlo-opt --communication $wrong in.hlo
    done
}
