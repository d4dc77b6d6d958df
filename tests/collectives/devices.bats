# Several devices in one run: inputs and results by device, what collectives exchange, send and recv, and the end of devices
# that cannot continue. The values of all collectives are those of tests/golden.

load ../lib
load devices

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "devices come from the header or the options, and inputs and results have their numbers" {
    printf 'HloModule m, replica_count=2, num_partitions=2\nENTRY e {\n  p = f32[] parameter(0)\n  r = u32[] replica-id()\n  q = u32[] partition-id()\n  ROOT t = (f32[], u32[], u32[]) tuple(p, r, q)\n}\n' >grid.hlo
    mkdir in
    for d in "" .r2; do echo "f32[] ${d:+1}7" >x.txt && hlo-run --output-dir in - x.txt >/dev/null <<<'ENTRY e { ROOT p = f32[] parameter(0) }' && mv in/out0.npy "in/in0$d.npy"; done
    expect_status 0 hlo-run grid.hlo --input-dir in --output-dir results
    [ "$(ls results | tr '\n' ' ')" = "out0.r0.npy out0.r1.npy out0.r2.npy out0.r3.npy out1.r0.npy out1.r1.npy out1.r2.npy out1.r3.npy out2.r0.npy out2.r1.npy out2.r2.npy out2.r3.npy " ] || fail "$(ls results)"
    expect_status 0 hlo-run grid.hlo --input-dir in
    tr -d '\n' <"$out" >line
    expect_text line '// device 0(f32[], u32[], u32[]) ( 7, 0, 0 )// device 1(f32[], u32[], u32[]) ( 7, 0, 1 )// device 2(f32[], u32[], u32[]) ( 17, 1, 0 )// device 3'
    expect_status 0 hlo-run grid.hlo --input-dir in --expect results
    expect_text "$out" "out0.r2"
    for file in all.npz all.json; do
        expect_status 0 hlo-run grid.hlo --input-dir in --output-dir "$file"
        expect_status 0 hlo-run grid.hlo --input-dir in --expect "$file"
    done
    printf 'HloModule m\nENTRY e { ROOT r = u32[] replica-id() }\n' >one.hlo
    expect_status 0 hlo-run --replicas=3 one.hlo
    [ "$(grep -c '^// device' "$out")" = 3 ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --replicas=1 --partitions=1 grid.hlo --input-dir in
    expect_text "$out" "(f32[], u32[], u32[]) ( 7, 0, 0 )"
}

@test "results do not depend on threads, and runs repeat to the bit" {
    cat >sum.hlo <<END
HloModule sum, replica_count=4
$add
ENTRY e {
  p = f32[1000,77] parameter(0)
  i = u32[] replica-id()
  f = f32[] convert(i)
  k = f32[1000,77] broadcast(f), dimensions={}
  x = f32[1000,77] divide(p, k)
  s = f32[1000,77] sine(x)
  r = f32[1000,77] all-reduce(s), to_apply=add
  g = f32[4000,77] all-gather(r), dimensions={0}
  ROOT t = (f32[4000,77]) tuple(g)
}
END
    expect_status 0 hlo-run --inputs=hash sum.hlo --threads=1 --output-dir one
    for threads in 2 4 8; do expect_status 0 hlo-run --inputs=hash sum.hlo --threads=$threads --expect one --repeat=5; done
    expect_status 0 hlo-run --inputs=hash sum.hlo --engine=reference --output-dir two
    cmp one/out0.r0.npy one/out0.r3.npy
    expect_status 0 hlo-run --inputs=hash sum.hlo --expect two --rtol=1e-6 --atol=1e-6
}

@test "one device gives itself its operands, arguments too, in a module that was prepared" {
    cat >alone.hlo <<END
HloModule alone
$add
ENTRY e {
  p = f32[300000] parameter(0)
  q = f32[300000] all-reduce(p), to_apply=add
  g = f32[300000] all-gather(q), dimensions={0}
  ROOT r = f32[300000] collective-permute(g), source_target_pairs={{0,0}}
}
END
    expect_status 0 hlo-run --inputs=iota --output-dir alone alone.hlo
    expect_status 0 hlo-run --inputs=iota --as-written --expect alone alone.hlo
    sed -i 's/ROOT r = .*/ROOT r = f32[300000] copy(g)/' alone.hlo
    expect_status 0 hlo-run --inputs=iota --expect alone alone.hlo
    cat >loop.hlo <<END
HloModule loop
ENTRY e {
  p = f32[300000] parameter(0)
  t = token[] after-all()
  s = (f32[300000], u32[], token[]) send(p, t), channel_id=1
  f = token[] send-done(s), channel_id=1
  r = (f32[300000], u32[], token[]) recv(f), channel_id=1
  d = (f32[300000], token[]) recv-done(r), channel_id=1
  ROOT x = f32[300000] get-tuple-element(d), index=0
}
END
    expect_status 0 hlo-run --inputs=iota --expect alone loop.hlo
    sed -i 's/HloModule loop/HloModule loop, replica_count=2/' loop.hlo
    expect_status 1 hlo-run --inputs=iota loop.hlo
    expect_text "$err" "[deadlock]"
}

@test "a deadlock is reported at once: who waits where for whom" {
    branches "  ROOT left = f32[2] all-reduce(p), to_apply=add" "  ROOT right = f32[2] all-reduce(p), to_apply=add"
    expect_status 1 within 10 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "device 0: 'left' (all-reduce) deadlocks: no device can continue [deadlock]"
    expect_text "$err" "device 0 waits in 'left' (all-reduce) for device 1"
    expect_text "$err" "device 1 waits in 'right' (all-reduce) for device 0"
    branches "  ROOT left = f32[2] all-reduce(p), to_apply=add" "  ROOT right = f32[2] copy(p)"
    expect_status 1 within 10 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "device 0 waits in 'left' (all-reduce) for device 1"
    expect_text "$err" "device 1 has ended"
}

@test "a replica that comes once more than the others waits for devices that have ended" {
    cat >more.hlo <<END
HloModule more, replica_count=3
$(counted_loop s32 -1 0 GT)
ENTRY e {
  x = f32[2] parameter(0)
  r = u32[] replica-id()
  i = s32[] convert(r)
  two = s32[] constant(2)
  m = s32[] maximum(i, two)
  one = s32[] constant(1)
  start = s32[] constant(0)
  is = pred[] compare(i, one), direction=EQ
  d = s32[] convert(is)
  count = s32[] add(m, d)
  s = (s32[], f32[2]) tuple(count, x)
  ROOT w = (s32[], f32[2]) while(s), condition=condition, body=body
}
END
    expect_status 1 within 10 hlo-run --inputs=ones more.hlo
    expect_text "$err" "device 1: 'y' (all-reduce) deadlocks"
    expect_text "$err" "device 1 waits in 'y' (all-reduce) for devices 0 and 2"
    expect_text "$err" "device 2 has ended"
}

@test "devices with different collectives on one channel report both" {
    branches "  ROOT left = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add" \
        "  s = f32[1] slice(p), slice={[0:1]}
  r = f32[1] all-reduce(s), channel_id=1, replica_groups={{0,1}}, to_apply=add
  ROOT right = f32[2] concatenate(r, r), dimensions={0}"
    expect_status 1 within 10 hlo-run --inputs=ones branches.hlo
    grep -qE "of another device and differs in operands: f32\[(1\] and f32\[2|2\] and f32\[1)\] \[exchange\]" "$err" || fail "$(cat "$err")"
}

@test "collectives of different channels do not meet, those of one channel do" {
    left="  ROOT left = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add"
    branches "$left" "  ROOT right = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add"
    expect_status 0 within 10 hlo-run --inputs=ones branches.hlo
    branches "$left" "  ROOT right = f32[2] all-reduce(p), channel_id=2, replica_groups={{0,1}}, to_apply=add"
    expect_status 1 within 10 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "device 0 waits in 'left' (all-reduce, channel 1) for device 1"
    expect_text "$err" "device 1 waits in 'right' (all-reduce, channel 2) for device 0"
    [ "$(grep -c "'left' of device 0 and 'right' of device 1 differ in channel: 1 and 2\$" "$err")" = 1 ] || fail "$(cat "$err")"
    for operation in 'all-gather(p), dimensions={0}' 'reduce-scatter(p), dimensions={0}, to_apply=add'; do
        shape="f32[4]"
        [[ $operation != reduce* ]] || shape="f32[1]"
        for channel in 1 2; do
            cat >channels.hlo <<END
HloModule channels, replica_count=2
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
one {
  p = f32[2] parameter(0)
  ROOT r = $shape $operation, channel_id=1, replica_groups={{0,1}}
}
other {
  p = f32[2] parameter(0)
  ROOT r = $shape $operation, channel_id=$channel, replica_groups={{0,1}}
}
ENTRY e {
  x = f32[2] parameter(0)
  i = u32[] replica-id()
  zero = u32[] constant(0)
  is = pred[] compare(i, zero), direction=EQ
  ROOT r = $shape conditional(is, x, x), true_computation=one, false_computation=other
}
END
            expect_status $((channel - 1)) within 10 hlo-run --inputs=ones channels.hlo
        done
        expect_text "$err" "[deadlock]"
    done
}

# apart LEFT RIGHT: what is reported to differ between two lines of four devices that never meet.
apart() {
    cat >apart.hlo <<END
HloModule apart, replica_count=4
$add
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
first { p = f32[4] parameter(0)
  q = f32[2] slice(p), slice={[0:2]}
  $1 ROOT x = f32[] constant(1) }
second { p = f32[4] parameter(0)
  q = f32[2] slice(p), slice={[0:2]}
  $2 ROOT x = f32[] constant(1) }
ENTRY e {
  p = f32[4] parameter(0)
  i = u32[] replica-id()
  k = u32[] constant(2)
  j = pred[] compare(i, k), direction=LT
  ROOT c = f32[] conditional(j, p, p), true_computation=first, false_computation=second
}
END
    expect_status 1 within 10 hlo-run --inputs=ones apart.hlo
    expect_text "$err" "[deadlock]"
    sed -n 's/.* differ in //p' "$err" | head -n 1
}

@test "a deadlock names what differs: operation, channel, group, operands, reduction" {
    all="channel_id=1, replica_groups={{0,1,2,3}}"
    left="left = f32[4] all-reduce(p), $all, to_apply=add"
    [ "$(apart "$left" "right = f32[4] all-reduce(p), channel_id=1, replica_groups={{3,2,1,0}}, to_apply=add")" = "group: {0,1,2,3} and {3,2,1,0}" ]
    [ "$(apart "$left" "right = f32[4] all-reduce(p), channel_id=1, replica_groups={{0,2},{1,3}}, to_apply=most")" = "group: {0,1,2,3} and {0,2}; reduction: add and maximum" ]
    [ "$(apart "$left" "right = f32[8] all-gather(q), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}")" = "operation: all-reduce and all-gather; channel: 1 and 3; operands: f32[4] and f32[2]" ]
    # A start and its done are the operation; without channels only one instruction is met.
    [ "$(apart "s = f32[4] all-reduce-start(p), $all, to_apply=add d = f32[4] all-reduce-done(s)" \
        "right = f32[4] all-reduce(p), channel_id=2, replica_groups={{0,1,2,3}}, to_apply=add")" = "channel: 1 and 2" ]
    [ -z "$(apart "left = f32[4] all-reduce(p), to_apply=add" "right = f32[4] all-reduce(p), to_apply=add")" ]
    hlo-run --inputs=ones apart.hlo 2>said || true
    expect_text said "'left' and 'right' have no channel: devices meet only where both are in the same one"
}

@test "an error of one device ends the others without further errors" {
    branches "  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(i), index=0
  ROOT left = f32[2] all-reduce(x), channel_id=1, replica_groups={{0,1}}, to_apply=add" "  ROOT right = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add"
    mkdir feed
    expect_status 1 within 10 hlo-run --inputs=ones --infeed=feed branches.hlo
    expect_text "$err" "device 0: 'i' (infeed) receives more than the 0 arrays of the host"
    [ "$(grep -c error: "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 2 hlo-run --inputs=ones --infeed=- branches.hlo
    expect_text "$err" "cannot be used for several devices; a directory can, with files for each"
}

# four DEVICE REDUCER: devices that sum their operands, but for one that reduces otherwise; all write to the host before.
four() {
    cat >four.hlo <<END
HloModule four, replica_count=4
$add
or { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] $2(a, b) }
one { p = f32[4] parameter(0) ROOT r = f32[4] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=add }
other { p = f32[4] parameter(0) ROOT r = f32[4] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=or }
ENTRY e {
  p = f32[4] parameter(0)
  k = token[] after-all()
  o = token[] outfeed(p, k), outfeed_shape=f32[4]
  d = u32[] replica-id()
  n = u32[] constant($1)
  is = pred[] compare(d, n), direction=EQ
  ROOT r = f32[4] conditional(is, p, p), true_computation=other, false_computation=one, control-predecessors={o}
}
END
}

@test "the status is that of the error of a device, not of those that it ends, in every run" {
    branches "  ROOT left = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=add" \
        "  ROOT right = f32[2] all-reduce(p), channel_id=1, replica_groups={{0,1}}, to_apply=other"
    sed -i '/^first/i other { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }' branches.hlo
    for ((i = 0; i < 25; i++)); do
        for threads in 1 2; do
            expect_status 1 within 10 hlo-run --inputs=iota --threads=$threads branches.hlo
            expect_text "$err" "of another device and differs in reduction: "
            [ "$(grep -c error: "$err")" = 1 ] || fail "$(cat "$err")"
        done
    done
    for ((i = 0; i < 20; i++)); do
        four $((i % 4)) maximum
        expect_status 1 within 10 hlo-run --inputs=iota --outfeed=results four.hlo
        expect_text "$err" "of another device and differs in reduction: "
        ! grep -v exchange "$err" | grep error: || fail "$(cat "$err")"
        [ -z "$(ls results 2>/dev/null)" ] || fail "a run without results writes to the host: $(ls results)"
    done
}

@test "infeed and outfeed by device" {
    printf 'HloModule m, replica_count=2\nENTRY e {\n  t = token[] after-all()\n  i = (f32[], token[]) infeed(t)\n  x = f32[] get-tuple-element(i), index=0\n  u = token[] get-tuple-element(i), index=1\n  y = f32[] add(x, x)\n  ROOT o = token[] outfeed(y, u), outfeed_shape=f32[]\n}\n' >feed.hlo
    mkdir in
    for d in "" .r1; do echo "f32[] ${d:+1}5" >x.txt && hlo-run --output-dir in - x.txt >/dev/null <<<'ENTRY e { ROOT p = f32[] parameter(0) }' && mv in/out0.npy "in/infeed0$d.npy"; done
    expect_status 0 hlo-run feed.hlo --infeed=in --outfeed=results
    [ "$(ls results | tr '\n' ' ')" = "outfeed0.r0.npy outfeed0.r1.npy " ] || fail "$(ls results)"
    expect_status 0 hlo-run - results/outfeed0.r1.npy <<<'ENTRY e { ROOT p = f32[] parameter(0) }'
    expect_text "$out" "f32[] 30"
}

# ring ORDER...: instructions of a module whose four devices send to the next, in that order.
ring() {
    {
        echo 'HloModule ring, is_scheduled=true, replica_count=4'
        echo 'ENTRY e {'
        echo '  i = u32[] replica-id()'
        echo '  k = token[] after-all()'
        for one; do
            case $one in
            recv) echo '  r = (u32[], u32[], token[]) recv(k), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2},{2,3}}}' ;;
            send) echo '  s = (u32[], u32[], token[]) send(i, k), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2},{2,3}}}' ;;
            recv-done) echo '  d = (u32[], token[]) recv-done(r), channel_id=1' ;;
            send-done) echo '  f = token[] send-done(s), channel_id=1' ;;
            esac
        done
        echo '  ROOT x = u32[] get-tuple-element(d), index=0'
        echo '}'
    } >ring.hlo
}

@test "send and recv between devices: zeros without a sender; a send blocks until its recv" {
    ring recv send recv-done send-done
    expect_status 0 hlo-run ring.hlo
    [ "$(grep -v // "$out" | tr '\n' ' ')" = "u32[] 0 u32[] 0 u32[] 1 u32[] 2 " ] || fail "$(cat "$out")"
    ring send recv recv-done send-done
    expect_status 0 within 10 hlo-run ring.hlo
    sed -i 's/{2,3}}/{2,3},{3,0}}/' ring.hlo
    expect_status 1 within 10 hlo-run ring.hlo
    expect_text "$err" "device 0: 's' (send) deadlocks"
    expect_text "$err" "device 3 waits in 's' (send, channel 1) for device 0"
    expect_text "$err" "'s' of device 3 needs 'r' (recv), which device 0 has not run"
    sed -i 's/is_scheduled=true, //' ring.hlo
    expect_status 0 within 10 hlo-run ring.hlo
    ring recv send recv-done send-done
    sed -i 's/{2,3}}/{2,3},{3,0}}/' ring.hlo
    expect_status 0 within 10 hlo-run ring.hlo
    expect_status 1 within 10 hlo-run --transfers=handshake ring.hlo
    expect_text "$err" "device 0: 'r' (recv) deadlocks"
    expect_text "$err" "'r' of device 0 needs 's' (send), which device 3 has not run"
}

@test "the trace keeps the four orders of send and recv" {
    ring recv send recv-done send-done
    expect_status 0 hlo-run --trace-values ring.hlo
    for d in 0 1 2; do
        to=$((d + 1))
        line() { grep -n "^device $1: $2 " "$err" | cut -d: -f1; }
        [ "$(line $to r)" -lt "$(line $d s)" ] || fail "recv of $to after send of $d: $(cat "$err")"
        [ "$(line $d s)" -lt "$(line $d f)" ] || fail "send $d after send-done"
        [ "$(line $to r)" -lt "$(line $to d)" ] || fail "recv $to after recv-done"
    done
}

@test "a deadlock of many devices lists the first, and an interrupt ends all" {
    sed 's/replica_count=2/replica_count=40/' <<<"HloModule many, replica_count=2
ENTRY e {
  i = u32[] replica-id()
  k = token[] after-all()
  r = (u32[], u32[], token[]) recv(k), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={}}
  s = (u32[], u32[], token[]) send(i, k), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  d = (u32[], token[]) recv-done(r), channel_id=1
  f = token[] send-done(s), channel_id=2
  ROOT x = u32[] get-tuple-element(d), index=0
}" >many.hlo
    expect_status 1 within 10 hlo-run many.hlo
    expect_text "$err" "device 0 waits in 's' (send, channel 2) for device 1"
    expect_text "$err" "no recv of the module is on the channel of 's' of device 0"
    expect_text "$err" "and 24 more devices"
}

@test "a device assignment maps replicas and partitions to devices" {
    cat >grid.hlo <<END
HloModule m
$add
ENTRY e {
  x = f32[1] parameter(0)
  r = u32[] replica-id()
  p = u32[] partition-id()
  f = f32[] convert(r)
  y = f32[1] reshape(f)
  g = f32[2] all-gather(y), dimensions={0}
  m = f32[1] collective-permute(y), source_target_pairs={{0,1},{1,0}}
  ROOT t = (u32[], u32[], f32[2], f32[1]) tuple(r, p, g, m)
}
END
    expect_status 0 hlo-run --inputs=ones --device-assignment='{{1,0},{3,2}}' grid.hlo
    tr -d '\n' <"$out" >line
    expect_text line '// device 0(u32[], u32[], f32[2], f32[1]) ( 0, 1, {0, 1}, {1} )// device 1(u32[], u32[], f32[2], f32[1]) ( 0, 0, {0, 1}, {1} )'
    expect_text line '// device 3(u32[], u32[], f32[2], f32[1]) ( 1, 0, {0, 1}, {0} )'
    expect_status 0 hlo-run --inputs=ones --device-assignment='{{0,1},{2,3}}' grid.hlo
    cp "$out" in-order
    expect_status 0 hlo-run --inputs=ones --replicas=2 --partitions=2 grid.hlo
    cmp in-order "$out"
    for text in '{{0,1},{2}}' '{{0,1}' x '{}' '{{}}' '{{0,1}}x' '{{-1,0}}'; do
        expect_status 2 hlo-run --inputs=ones --device-assignment="$text" grid.hlo
        expect_text "$err" "takes the devices of each replica by partition"
    done
    expect_status 2 hlo-run --inputs=ones --device-assignment='{{0,0}}' grid.hlo
    expect_text "$err" "one is listed twice"
    expect_status 2 hlo-run --inputs=ones --device-assignment='{{0,2}}' grid.hlo
    expect_text "$err" "one is too large"
    expect_status 2 hlo-run --inputs=ones --replicas=3 --device-assignment='{{0,1}}' grid.hlo
    expect_text "$err" "which contradicts --replicas or --partitions"
}
