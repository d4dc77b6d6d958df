# hlo-run and its host: infeed, outfeed, send and recv from and to files, sequences and pipes.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    for i in 1 2 3; do array "$i" "f32[2] {$i, 1$i}"; done
}

# array NAME LITERAL: NAME.npy.
array() {
    printf 'HloModule m\nENTRY e { ROOT c = %s constant(%s) }\n' "${2%% *}" "${2#* }" | hlo-run -o "$1.npy"
}

# gives FILE... LITERAL...: what the .npy files hold.
holds() {
    [ -f "$1" ] || fail "no $1: $(ls)"
    printf 'HloModule m\nENTRY e { ROOT p = %s parameter(0) }\n' "${2%% *}" >holds.hlo
    expect_status 0 hlo-run holds.hlo "$1"
    [ "$(cat "$out")" = "$2" ] || fail "$1: $(cat "$out")"
}

# Two infeeds in the order of their tokens, against that of the text.
two='HloModule two
ENTRY e {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  u = token[] get-tuple-element(i), index=1
  j = (f32[2], token[]) infeed(u)
  y = f32[2] get-tuple-element(j), index=0
  x = f32[2] get-tuple-element(i), index=0
  ROOT r = f32[2] subtract(y, x)
}'

@test "infeed: files, a sequence in one file, a directory" {
    printf '%s' "$two" >two.hlo
    cat 1.npy 2.npy >both.npy
    mkdir directory
    cp 1.npy directory/infeed0.npy
    cp 2.npy directory/infeed1.npy
    : >empty.npy
    for feed in "--infeed 1.npy --infeed 2.npy" "--infeed both.npy" "--infeed directory" \
        "--infeed empty.npy --infeed 1.npy --infeed empty.npy --infeed 2.npy --infeed 3.npy"; do
        # shellcheck disable=SC2086 # several options
        expect_status 0 hlo-run two.hlo $feed
        [ "$(cat "$out")" = "f32[2] {1, 1}" ] || fail "$feed: $(cat "$out")"
    done
    expect_status 0 hlo-run two.hlo --infeed - <both.npy
    [ "$(cat "$out")" = "f32[2] {1, 1}" ] || fail "$(cat "$out")"
}

@test "infeed: from a pipe, every run of --repeat from the start" {
    printf '%s' "$two" >two.hlo
    mkfifo pipe
    within 120 cat 2.npy 1.npy >pipe 3>&- &
    expect_status 0 within 120 hlo-run two.hlo --infeed pipe
    [ "$(cat "$out")" = "f32[2] {-1, -1}" ] || fail "$(cat "$out")"
    expect_status 0 hlo-run two.hlo --repeat 3 --infeed 1.npy --infeed 2.npy
}

@test "infeed: an empty tuple takes nothing, nested tuples their leaves in order" {
    cat >nested.hlo <<'H'
HloModule nested
ENTRY e {
  t = token[] after-all()
  n = ((), token[]) infeed(t)
  u = token[] get-tuple-element(n), index=1
  i = (((f32[2]), f32[2]), token[]) infeed(u)
  d = ((f32[2]), f32[2]) get-tuple-element(i), index=0
  a = (f32[2]) get-tuple-element(d), index=0
  b = f32[2] get-tuple-element(a), index=0
  c = f32[2] get-tuple-element(d), index=1
  ROOT r = f32[2] subtract(b, c)
}
H
    expect_status 0 hlo-run nested.hlo --infeed 3.npy --infeed 1.npy
    [ "$(cat "$out")" = "f32[2] {2, 2}" ] || fail "$(cat "$out")"
}

@test "infeed: two loops, the second continues where the first ended" {
    cat >loops.hlo <<'H'
HloModule loops
condition {
  s = (s32[], f32[2], token[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[2], token[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  t = token[] get-tuple-element(s), index=2
  f = (f32[2], token[]) infeed(t)
  y = f32[2] get-tuple-element(f), index=0
  u = token[] get-tuple-element(f), index=1
  ten = f32[] constant(10)
  tens = f32[2] broadcast(ten), dimensions={}
  z = f32[2] multiply(x, tens)
  w = f32[2] add(z, y)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[2], token[]) tuple(j, w, u)
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[2] constant({0, 0})
  t = token[] after-all()
  a = (s32[], f32[2], token[]) tuple(zero, x, t)
  b = (s32[], f32[2], token[]) while(a), condition=condition, body=body
  y = f32[2] get-tuple-element(b), index=1
  u = token[] get-tuple-element(b), index=2
  c = (s32[], f32[2], token[]) tuple(zero, y, u)
  d = (s32[], f32[2], token[]) while(c), condition=condition, body=body
  ROOT r = f32[2] get-tuple-element(d), index=1
}
H
    cat 1.npy 2.npy 3.npy 1.npy >all.npy
    expect_status 0 hlo-run loops.hlo --infeed all.npy
    [ "$(cat "$out")" = "f32[2] {1231, 12341}" ] || fail "$(cat "$out")"
}

@test "infeed: what does not come, and what does not fit" {
    printf '%s' "$two" >two.hlo
    mkdir directory
    cp 1.npy directory/infeed0.npy
    expect_status 1 hlo-run two.hlo --infeed 1.npy
    expect_text "$err" "6:3: error: 'j' (infeed) receives more than the 1 array of the host [run]"
    expect_status 1 hlo-run two.hlo --infeed directory
    expect_text "$err" "'j' (infeed) receives more than the 1 array"
    expect_status 1 hlo-run two.hlo --infeed /dev/null
    expect_text "$err" "'i' (infeed) receives more than the 0 arrays"
    expect_status 1 hlo-run two.hlo
    expect_text "$err" "'i' (infeed) needs a host: files or a directory for it [unsupported]"
    expect_text "$err" "hint: --infeed names them"
    expect_status 3 hlo-run two.hlo --infeed missing.npy
    expect_text "$err" "cannot read missing.npy: No such file or directory"
    array long "f32[3] {1, 2, 3}"
    expect_status 2 hlo-run two.hlo --infeed long.npy
    expect_text "$err" "long.npy: holds <f4[3], expected <f4 for f32[2]"
    cat 1.npy long.npy >second.npy
    expect_status 2 hlo-run two.hlo --infeed second.npy
    expect_text "$err" "second.npy, array 1: holds <f4[3]"
    cat 1.npy 2.npy | head -c 268 >cut.npy
    expect_status 2 hlo-run two.hlo --infeed cut.npy
    expect_text "$err" "cut.npy, array 1: the file ends before its data does"
    printf 'no numpy' >text.npy
    expect_status 2 hlo-run two.hlo --infeed text.npy
    expect_text "$err" "text.npy: this is not a .npy file"
}

echo='HloModule echo
ENTRY e {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(i), index=0
  u = token[] get-tuple-element(i), index=1
  n = f32[2] negate(x)
  v = (f32[2], f32[2]) tuple(x, n)
  o = token[] outfeed(v, u), outfeed_shape=(f32[2], f32[2])
  j = (f32[2], token[]) infeed(o)
  y = f32[2] get-tuple-element(j), index=0
  w = token[] get-tuple-element(j), index=1
  p = token[] outfeed(y, w), outfeed_shape=f32[2]
  ROOT r = f32[2] add(x, y)
}'

@test "outfeed: a directory, one file, a pipe" {
    printf '%s' "$echo" >echo.hlo
    expect_status 0 hlo-run echo.hlo --infeed 1.npy --infeed 2.npy --outfeed gone
    holds gone/outfeed0.npy "f32[2] {1, 11}"
    holds gone/outfeed1.npy "f32[2] {-1, -11}"
    holds gone/outfeed2.npy "f32[2] {2, 12}"
    [ "$(find gone -type f | wc -l)" = 3 ] || fail "$(ls -A gone)"
    expect_status 0 hlo-run echo.hlo --infeed 1.npy --infeed 2.npy --outfeed all.npy
    cat gone/outfeed?.npy | cmp - all.npy
    expect_status 0 hlo-run echo.hlo --infeed 1.npy --infeed 2.npy --outfeed - -o result.txt
    cmp "$out" all.npy
    [ "$(cat result.txt)" = "f32[2] {3, 23}" ]
    # The other end answers the first array with the next one: both are in flight during the run.
    mkfifo to from
    {
        exec 8>to
        cat 1.npy >&8
        exec 9<from
        head -c "$(($(wc -c <1.npy) * 2))" <&9 >first.npy
        cat 2.npy >&8
        exec 8>&-
        within 120 cat <&9 >rest.npy
    } 3>&- &
    expect_status 0 within 120 hlo-run echo.hlo --infeed to --outfeed from
    wait
    cat first.npy rest.npy | cmp - all.npy
}

@test "outfeed: a run that fails leaves nothing" {
    printf '%s' "$echo" >echo.hlo
    expect_status 1 hlo-run echo.hlo --infeed 1.npy --outfeed gone
    expect_text "$err" "'j' (infeed) receives more than the 1 array"
    [ ! -e gone ] || fail "$(ls -A gone)"
    mkdir kept
    cp 3.npy kept/outfeed0.npy
    cp 3.npy all.npy
    for target in kept all.npy; do
        expect_status 1 hlo-run echo.hlo --infeed 1.npy --outfeed $target
    done
    cmp 3.npy all.npy
    cmp 3.npy kept/outfeed0.npy
    [ "$(ls -A kept)" = outfeed0.npy ] || fail "$(ls -A kept)"
    expect_status 1 hlo-run echo.hlo --outfeed gone
    [ ! -e gone ] || fail "$(ls -A gone)"
    [ -z "$(find . -name '.hlo-*')" ] || fail "$(find . -name '.hlo-*')"
    expect_status 3 hlo-run echo.hlo --infeed 1.npy --infeed 2.npy --outfeed 1.npy/x
    expect_text "$err" "cannot make 1.npy/x: Not a directory"
    printf x >plain
    expect_status 3 hlo-run echo.hlo --infeed 1.npy --infeed 2.npy --outfeed plain
    expect_text "$err" "cannot make plain: Not a directory"
}

host='HloModule host
ENTRY e {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=3, is_host_transfer=true
  rd = (f32[2], token[]) recv-done(r), channel_id=3, is_host_transfer=true
  x = f32[2] get-tuple-element(rd), index=0
  u = token[] get-tuple-element(rd), index=1
  n = f32[2] negate(x)
  s = (f32[2], u32[], token[]) send(n, u), channel_id=4, is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous="back"}
  sd = token[] send-done(s), channel_id=4, is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous="back"}
  r2 = (f32[2], u32[], token[]) recv(sd), channel_id=3, is_host_transfer=true
  rd2 = (f32[2], token[]) recv-done(r2), channel_id=3, is_host_transfer=true
  y = f32[2] get-tuple-element(rd2), index=0
  ROOT z = f32[2] add(x, y)
}'

@test "send and recv with the host, by number and by name" {
    printf '%s' "$host" >host.hlo
    cat 1.npy 2.npy >both.npy
    for channel in 4 back; do
        expect_status 0 hlo-run host.hlo --recv 3=both.npy --send $channel=sent
        [ "$(cat "$out")" = "f32[2] {3, 23}" ] || fail "$(cat "$out")"
        holds sent/send0.npy "f32[2] {-1, -11}"
        rm -r sent
    done
    expect_status 0 hlo-run host.hlo --recv 3=1.npy --recv 3=2.npy --send 4=sent.npy
    holds sent.npy "f32[2] {-1, -11}"
    mkdir in
    cp 1.npy in/recv0.npy
    cp 2.npy in/recv1.npy
    expect_status 0 hlo-run host.hlo --recv 3=in --send 4=sent.npy
    expect_status 1 hlo-run host.hlo --recv 3=1.npy --send 4=none
    expect_text "$err" "'rd2' (recv-done) receives more than the 1 array"
    [ ! -e none ] || fail "$(ls -A none)"
    expect_status 1 hlo-run host.hlo --recv 4=1.npy --send 4=none
    expect_text "$err" "'r' (recv) needs a host: files or a directory for it [unsupported]"
    expect_text "$err" "hint: --recv names them"
    expect_status 1 hlo-run host.hlo --recv 3=1.npy
    expect_text "$err" "'s' (send) needs a host"
    expect_text "$err" "hint: --send names them"
    for wrong in 3 3= =1.npy; do
        expect_status 2 hlo-run host.hlo --recv $wrong
        expect_text "$err" "--recv takes CHANNEL=FILE, not '$wrong'"
    done
    expect_status 2 hlo-run host.hlo --send 4
    expect_text "$err" "--send takes CHANNEL=FILE, not '4'"
}

@test "send and recv inside the module: nothing came" {
    cat >alone.hlo <<'H'
HloModule alone
ENTRY e {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=1
  rd = (f32[2], token[]) recv-done(r), channel_id=1
  x = f32[2] get-tuple-element(rd), index=0
  u = token[] get-tuple-element(rd), index=1
  s = (f32[2], u32[], token[]) send(x, u), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ROOT n = f32[2] negate(x)
}
H
    expect_status 1 hlo-run alone.hlo
    expect_text "$err" "'rd' (recv-done) deadlocks: there is no earlier send on channel 1 [run]"
}

# The sends stand after the recv-dones in the order of the text, and do not depend on them.
crossing() {
    cat >crossing.hlo <<'H'
HloModule crossing
ENTRY e {
  x = u32[2] parameter(0)
  t = token[] after-all()
  r1 = (u32[2], u32[], token[]) recv(t), channel_id=1
  d1 = (u32[2], token[]) recv-done(r1), channel_id=1
  a = u32[2] get-tuple-element(d1), index=0
  r2 = (u32[2], u32[], token[]) recv(t), channel_id=2
  d2 = (u32[2], token[]) recv-done(r2), channel_id=2
  b = u32[2] get-tuple-element(d2), index=0
  ROOT both = (u32[2], u32[2]) tuple(a, b)
  q = u32[2] multiply(x, x)
  send2 = (u32[2], u32[], token[]) send(q, t), channel_id=2, control-predecessors={r2}
  done2 = token[] send-done(send2), channel_id=2
  c = u32[2] add(b, q)
  send1 = (u32[2], u32[], token[]) send(c, t), channel_id=1, control-predecessors={r1}
  done1 = token[] send-done(send1), channel_id=1
}
H
}

@test "a recv-done comes after the send on its channel, where that does not depend on it" {
    crossing
    for options in --threads=1 --threads=4 --engine=reference --as-written; do
        expect_status 0 hlo-run $options --inputs=iota crossing.hlo
        [ "$(cat "$out")" = '(u32[2], u32[2]) ( {0, 2}, {0, 1} )' ] || fail "$options: $(cat "$out")"
        expect_status 0 within 20 hlo-run $options --partitions=2 --inputs=iota crossing.hlo
        [ "$(grep -c '( {0, 2}, {0, 1} )' "$out")" = 2 ] || fail "$options: $(cat "$out")"
    done
    # A schedule is kept.
    sed -i 's/^HloModule crossing/&, is_scheduled=true/' crossing.hlo
    expect_status 1 hlo-run --inputs=iota crossing.hlo
    expect_text "$err" "'d1' (recv-done) deadlocks: there is no earlier send on channel 1 [run]"
}

@test "no send moves across an exchange of all devices, where its receiver can be waiting" {
    cat >barred.hlo <<'H'
HloModule barred
add { x = u32[] parameter(0) y = u32[] parameter(1) ROOT s = u32[] add(x, y) }
ENTRY e {
  x = u32[2] parameter(0)
  t = token[] after-all()
  r1 = (u32[2], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  d1 = (u32[2], token[]) recv-done(r1), channel_id=1
  a = u32[2] get-tuple-element(d1), index=0
  send1 = (u32[2], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  done1 = token[] send-done(send1), channel_id=1
  all = u32[2] all-reduce(x), replica_groups={}, to_apply=add
  wait = token[] after-all(), control-predecessors={all}
  r2 = (u32[2], u32[], token[]) recv(wait), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  d2 = (u32[2], token[]) recv-done(r2), channel_id=2
  b = u32[2] get-tuple-element(d2), index=0
  ROOT both = (u32[2], u32[2], u32[2]) tuple(a, all, b)
  send2 = (u32[2], u32[], token[]) send(x, t), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}, control-predecessors={all}
  done2 = token[] send-done(send2), channel_id=2
}
H
    for options in --threads=1 --threads=4 --engine=reference; do
        expect_status 0 within 20 hlo-run $options --replicas=2 --inputs=iota barred.hlo
        [ "$(sed -n 4p "$out")" = '(u32[2], u32[2], u32[2]) ( {0, 1}, {0, 2}, {0, 1} )' ] || fail "$(cat "$out")"
    done
}
