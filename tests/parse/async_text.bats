# Text that reads back as the module it was printed from where XLA's does not: asynchronous operations,
# computations in the order of their use, strings with quotes.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# reads_back FILE: its print is good, is printed again as it is, and is the same module.
reads_back() {
    expect_status 0 hlo-opt -o "$1.printed" "$1"
    cp "$err" "$1.messages"
    expect_status 0 hlo-verify "$1.printed"
    expect_status 0 hlo-opt -o "$1.again" "$1.printed"
    cmp "$1.printed" "$1.again" || fail "$1 is printed otherwise:" "$(diff "$1.printed" "$1.again")"
    [ "$(hlo-opt --hash "$1")" = "$(hlo-opt --hash "$1.printed")" ] ||
        fail "$1 is another module:" "$(cat "$1.printed")"
}

# started NAME SHAPES RESULT BODY [OTHER COMPUTATIONS]: NAME.hlo, whose entry starts BODY with a parameter of
# each of the SHAPES, which are separated by semicolons.
started() {
    local shapes i=0 list= operands=
    IFS=';' read -ra shapes <<<"$2"
    {
        printf 'HloModule %s, replica_count=2\n%s\nw {\n  %s\n}\nENTRY e {\n' "$1" "${5-}" "$4"
        for shape in "${shapes[@]}"; do
            printf '  x%d = %s parameter(%d)\n' $i "$shape" $i
            list+="${list:+, }$shape"
            operands+="${operands:+, }x$i"
            i=$((i + 1))
        done
        printf '  s = ((%s), %s, u32[]) async-start(%s), calls=w\n' "$list" "$3" "$operands"
        printf '  ROOT d = %s async-done(s)\n}\n' "$3"
    } >"$1.hlo"
}

readonly negated='v {
  p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p)
}'
readonly sum='sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}'

@test "an async start is printed in short where that gives back its computation" {
    started negate 'f32[4]' 'f32[4]' 'p = f32[4] parameter(0)
        ROOT r = f32[4] negate(p)'
    started subtract 's32[];s32[]' 's32[]' 'b = s32[] parameter(1)
        a = s32[] parameter(0)
        ROOT r = s32[] subtract(a, b)'
    started call 'f32[4]' 'f32[4]' 'p = f32[4] parameter(0)
        ROOT r = f32[4] call(p), to_apply=v' "$negated"
    started fusion 'f32[4]' 'f32[4]' 'p = f32[4] parameter(0)
        ROOT r = f32[4] fusion(p), kind=kLoop, calls=v' "$negated"
    started iota '' 'f32[4]' 'ROOT r = f32[4] iota(), iota_dimension=0'
    for name in negate subtract call fusion iota; do
        reads_back $name.hlo
        grep -q " $name-start(" $name.hlo.printed || fail "$name:" "$(cat $name.hlo.printed)"
        ! grep -q 'async-start' $name.hlo.printed || fail "$name:" "$(cat $name.hlo.printed)"
        [ ! -s $name.hlo.messages ] || fail "$name:" "$(cat $name.hlo.messages)"
    done
}

@test "and in full where it does not, with a warning" {
    started order 's32[];s32[]' 's32[]' 'a = s32[] parameter(0)
        b = s32[] parameter(1)
        ROOT r = s32[] subtract(b, a)'
    started twice 's32[]' 's32[]' 'a = s32[] parameter(0)
        ROOT r = s32[] add(a, a)'
    started unused 's32[];s32[]' 's32[]' 'a = s32[] parameter(0)
        b = s32[] parameter(1)
        ROOT r = s32[] negate(a)'
    started parameter 's32[];s32[]' 's32[]' 'a = s32[] parameter(0)
        ROOT b = s32[] parameter(1)'
    started constant 's32[]' 's32[]' 'a = s32[] parameter(0)
        ROOT r = s32[] constant(3)'
    started control 's32[];s32[]' 's32[]' 'a = s32[] parameter(0)
        b = s32[] parameter(1)
        ROOT r = s32[] add(a, b), control-predecessors={a}'
    started sharding 'f32[4]' 'f32[4]' 'a = f32[4] parameter(0)
        ROOT r = f32[4] negate(a), sharding={replicated}'
    sed -i 's/calls=w/calls=w, sharding={{replicated},{replicated},{replicated}}/' sharding.hlo
    started mark 'f32[<=4]' 'f32[<=4]' 'a = f32[4] parameter(0)
        ROOT r = f32[<=4] negate(a)'
    started result_mark 'f32[4]' 'f32[<=4]' 'a = f32[4] parameter(0)
        ROOT r = f32[4] negate(a)'
    for name in order twice unused parameter constant control sharding mark result_mark; do
        reads_back $name.hlo
        grep -q 'async-start(.*calls=%w' $name.hlo.printed || fail "$name:" "$(cat $name.hlo.printed)"
        [ "$(grep -c 'warning: .*\[lossy-text\]' $name.hlo.messages)" = 1 ] || fail "$name:" "$(cat $name.hlo.messages)"
    done
    expect_status 0 hlo-run order.hlo <(echo 's32[] 10') <(echo 's32[] 3')
    expect_text "$out" 's32[] -7'
    expect_status 0 hlo-run order.hlo.printed <(echo 's32[] 10') <(echo 's32[] 3')
    expect_text "$out" 's32[] -7'
}

@test "updates and dones are printed as their start is" {
    cat >chain.hlo <<'HLO'
HloModule chain
w {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] subtract(b, a)
}
v {
  a = s32[] parameter(0)
  ROOT r = s32[] negate(a)
}
ENTRY e {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  s = ((s32[], s32[]), s32[], u32[]) async-start(x, y), calls=w
  u = ((s32[], s32[]), s32[], u32[]) async-update(s)
  d = s32[] async-done(u)
  start = ((s32[]), s32[], u32[]) async-start(d), calls=v
  update = ((s32[]), s32[], u32[]) async-update(start)
  ROOT done = s32[] async-done(update)
}
HLO
    reads_back chain.hlo
    for word in async-start async-update async-done negate-start negate-update negate-done; do
        [ "$(grep -c " $word(" chain.hlo.printed)" = 1 ] || fail "$word:" "$(cat chain.hlo.printed)"
    done
}

@test "a start with the shape of an async start is one, also of operations that have a start" {
    started all-reduce 'f32[4]' 'f32[4]' 'p = f32[4] parameter(0)
        ROOT r = f32[4] all-reduce(p), to_apply=sum, replica_groups={{0,1}}' "$sum"
    started all-gather 'f32[4]' 'f32[8]' 'p = f32[4] parameter(0)
        ROOT r = f32[8] all-gather(p), dimensions={0}, replica_groups={{0,1}}'
    started collective-permute 'f32[4]' 'f32[4]' 'p = f32[4] parameter(0)
        ROOT r = f32[4] collective-permute(p), source_target_pairs={{0,1},{1,0}}'
    started copy 'f32[4,2]{0,1}' 'f32[4,2]{1,0}' 'p = f32[4,2]{0,1} parameter(0)
        ROOT r = f32[4,2]{1,0} copy(p)'
    for name in all-reduce all-gather collective-permute copy; do
        reads_back $name.hlo
        for end in start done; do
            [ "$(grep -c " $name-$end(" $name.hlo.printed)" = 1 ] || fail "$name:" "$(cat $name.hlo.printed)"
        done
        expect_status 0 hlo-run --inputs=iota $name.hlo
        cp "$out" values
        expect_status 0 hlo-run --inputs=iota $name.hlo.printed
        cmp values "$out" || fail "$name:" "$(cat "$out")"
    done
    started several 'f32[4];f32[4]' '(f32[8], f32[8])' 'p = f32[4] parameter(0)
        q = f32[4] parameter(1)
        ROOT r = (f32[8], f32[8]) all-gather(p, q), dimensions={0}, replica_groups={{0,1}}'
    sed -i 's/calls=w/calls=w, async_execution_thread="other"/' copy.hlo
    for name in several copy; do reads_back $name.hlo; done
    grep -q 'copy-start(.*async_execution_thread="other"' copy.hlo.printed || fail "$(cat copy.hlo.printed)"
}

@test "sends and receives in async starts" {
    started send 'f32[4];token[]' '(f32[4], u32[], token[])' 'p = f32[4] parameter(0)
        t = token[] parameter(1)
        ROOT r = (f32[4], u32[], token[]) send(p, t), channel_id=1'
    started recv 'token[]' '(f32[4], u32[], token[])' 't = token[] parameter(0)
        ROOT r = (f32[4], u32[], token[]) recv(t), channel_id=1'
    for name in send recv; do
        expect_status 0 hlo-opt -o $name.printed $name.hlo
        grep -q " $name-start(" $name.printed || fail "$name:" "$(cat $name.printed)"
        expect_status 0 hlo-opt -o $name.again $name.printed
        cmp $name.printed $name.again
        [ "$(hlo-opt --hash $name.hlo)" = "$(hlo-opt --hash $name.printed)" ] || fail "$name"
    done
}

@test "the operations' own starts stay what they are" {
    cat >own.hlo <<'HLO'
HloModule own, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  t = (f32[4]) tuple(x)
  r = f32[4] all-reduce-start(x), to_apply=sum, replica_groups={{0,1}}
  rd = f32[4] all-reduce-done(r)
  g = ((f32[4], f32[4]), (f32[8], f32[8])) all-gather-start(x, y), dimensions={0}, replica_groups={{0,1}}
  gd = (f32[8], f32[8]) all-gather-done(g)
  p = ((f32[4], f32[4]), (f32[4], f32[4]), u32[], u32[]) collective-permute-start(x, y), source_target_pairs={{0,1}}
  pd = (f32[4], f32[4]) collective-permute-done(p)
  c = ((f32[4]), (f32[4]), u32[]) copy-start(t)
  cd = (f32[4]) copy-done(c)
  ROOT o = (f32[4], (f32[8], f32[8]), (f32[4], f32[4]), (f32[4])) tuple(rd, gd, pd, cd)
}
HLO
    reads_back own.hlo
    expect_status 0 hlo-opt --emit=json own.hlo
    [ "$(jq '[.computations[].instructions[] | select(.opcode == "async-start")] | length' "$out")" = 0 ]
}

@test "dce: operands of an async start that its computation does not use" {
    cat >chain.hlo <<'HLO'
HloModule chain
body {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT n = s32[] negate(a)
}
ENTRY e {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  z = s32[] add(y, y)
  s = ((s32[], s32[]), s32[], u32[]) call-start(x, z), to_apply=body
  u = ((s32[], s32[]), s32[], u32[]) call-update(s)
  ROOT d = s32[] call-done(u)
}
HLO
    expect_status 0 hlo-opt --verify-each --passes='dce{use_call_analysis=true}' -o small.hlo chain.hlo
    expect_status 0 hlo-verify small.hlo
    grep -q '%s = ((s32\[\]), s32\[\], u32\[\]) call-start(%x), to_apply=%body' small.hlo || fail "$(cat small.hlo)"
    grep -q '%u = ((s32\[\]), s32\[\], u32\[\]) call-update(%s)' small.hlo || fail "$(cat small.hlo)"
    ! grep -q ' add(' small.hlo || fail "$(cat small.hlo)"
    expect_status 0 hlo-run small.hlo <(echo 's32[] 7') <(echo 's32[] 1')
    expect_text "$out" 's32[] -7'
    sed 's/to_apply=body/to_apply=body, sharding={{replicated},{replicated},{replicated},{replicated}}/' chain.hlo >kept.hlo
    expect_status 0 hlo-opt --verify-each --passes='dce{use_call_analysis=true}' -o kept.printed kept.hlo
    expect_status 0 hlo-verify kept.printed
}

@test "a computation is printed before what calls it" {
    cat >loops.hlo <<'HLO'
HloModule loops
c {
  p = s32[] parameter(0)
  ROOT r = pred[] constant(false)
}
b1 {
  ROOT p = s32[] parameter(0)
}
b2 {
  p = s32[] parameter(0)
  ROOT w = s32[] while(p), condition=c, body=b1
}
b3 {
  p = s32[] parameter(0)
  i = pred[] constant(true)
  ROOT w = s32[] conditional(i, p, p), true_computation=b2, false_computation=b1
}
ENTRY e {
  x = s32[] parameter(0)
  w = s32[] while(x), condition=c, body=b3
  ROOT o = s32[] while(w), condition=c, body=b2
}
HLO
    reads_back loops.hlo
    expect_status 0 hlo-run loops.hlo.printed <(echo 's32[] 7')
    expect_text "$out" 's32[] 7'
}

@test "strings that XLA does not escape are read back" {
    cat >quotes.hlo <<'HLO'
HloModule m, origin_recovery_table={
  {"a\"b"} : {"c\\d" {1}},
  "
    ENTRY %r (p: f32[]) -> f32[] {
      %p = f32[] parameter(0), metadata={op_name=\"x \\\"y\\\" \\\\\"}
      ROOT %n = f32[] negate(%p)
    }
  "
}
f {
  ROOT p = f32[] parameter(0)
}, execution_thread="a\"b\\c"
ENTRY e {
  p = f32[] parameter(0), origin={{"q\"r\\s"}}
  c = ((f32[]), f32[], u32[]) async-start(p), calls=f, async_execution_thread="a\"b\\c"
  ROOT d = f32[] async-done(c), metadata={scheduling_name="x\"y\\z"}
}
HLO
    reads_back quotes.hlo
    cat >wanted <<'TEXT'
  {"a\"b"} : {"c\\d" {1}},
metadata={op_name=\"x \\\"y\\\" \\\\\"}
execution_thread="a\"b\\c"
origin={{"q\"r\\s"}}
scheduling_name="x\"y\\z"
TEXT
    while read -r text; do
        grep -qF -e "$text" quotes.hlo.printed || fail "$text:" "$(cat quotes.hlo.printed)"
    done <wanted
}
