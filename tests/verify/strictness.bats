# Options of the verifier: each changes the verdict where it should and nowhere else; operands of
# asynchronous operations that are bound late.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# only_with OPTIONS MESSAGE: the module on standard input is bad with the options, for that reason,
# and good without them. An empty MESSAGE: good with them, bad without.
only_with() {
    cat >m.hlo
    local with=1 without=0
    [ -n "$2" ] || with=0 without=1
    # shellcheck disable=SC2086 # several options
    expect_status $with hlo-verify $1 m.hlo
    [ -z "$2" ] || expect_text "$err" "m.hlo:$2"
    expect_status $without hlo-verify m.hlo
}

@test "without its option, the bad example of an optional rule is good" {
    count=0
    for file in $(grep -l '^// options: --[^d]' "$HLO_ROOT"/docs/rules/*.hlo); do
        awk '/^\/\/ ----- (bad|good)$/ { part = $3; next } part == "bad"' "$file" >bad.hlo
        hlo-verify bad.hlo || fail "$file"
        count=$((count + 1))
    done
    [ "$count" -ge 11 ]
}

@test "wrong values, and --no- for every switch" {
    printf %s "$good_module" >good.hlo
    expect_status 2 hlo-verify --allow-unbounded-dynamism=add,subtrakt good.hlo
    expect_text "$err" "error: unknown operation 'subtrakt' [usage]"
    expect_status 2 hlo-verify --layout-sensitive=yes good.hlo
    for option in $(hlo-verify --help-all | sed -n 's/^ *--\[no-\]\(verify[a-z-]*\|layout-sensitive\|allow-[a-z-]*\|check-[a-z-]*\).*/\1/p'); do
        expect_status 0 hlo-verify "--$option" "--no-$option" good.hlo
    done
}

@test "--layout-sensitive: what control flow passes on" {
    only_with --layout-sensitive "9:31: error: call: operand 0 is f32[2,3]{0,1} and must be f32[2,3]{1,0}, layout and all [layout-kept]" <<'E'
HloModule m

f {
  ROOT x = f32[2,3]{1,0} parameter(0)
}

ENTRY e {
  p = f32[2,3]{0,1} parameter(0)
  ROOT r = f32[2,3]{1,0} call(p), to_apply=f
}
E
}

@test "--layout-sensitive: the differing part of a tuple is named" {
    only_with --layout-sensitive "5:8: error: tuple: the result at {0,1} is f32[2,3]{0,1} and must be f32[2,3]{1,0}, layout and all [layout-kept]" <<'E'
HloModule m
ENTRY e {
  p = f32[2,3]{1,0} parameter(0)
  t = (f32[2,3]{1,0}, f32[2,3]{1,0}) tuple(p, p)
  ROOT r = ((f32[2,3]{1,0}, f32[2,3]{0,1}), f32[2,3]{1,0}) tuple(t, p)
}
E
    only_with --layout-sensitive "1:14: error: entry_computation_layout: it lists f32[2,3]{1,0} as parameter 0, which is f32[2,3]{0,1} [entry-layout]" <<'E'
HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{1,0}}
ENTRY e {
  p = f32[2,3]{0,1} parameter(0)
  ROOT r = f32[2,3]{1,0} copy(p)
}
E
}

@test "--layout-sensitive: host memory, aliased sizes, updates inside of fusions" {
    only_with --layout-sensitive "4:8: error: copy: a copy between host and device may change the memory space only: the operand is f32[2,3]{1,0:S(5)} and the result f32[2,3]{0,1} [memory-space]" <<'E'
HloModule m
ENTRY e {
  p = f32[2,3]{1,0:S(5)} parameter(0)
  ROOT r = f32[2,3]{0,1} copy(p)
}
E
    only_with --layout-sensitive "1:14: error: input_output_alias: parameter 0 is f32[4] at {} and aliases f32[8]: their sizes differ [parameter-alias]" <<'E'
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[8] parameter(1)
  ROOT r = f32[8] copy(q)
}
E
    cat >m.hlo <<'E'
HloModule m
f {
  x = f32[4]{0:T(128)S(3)} parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  ROOT d = f32[4]{0} dynamic-update-slice(x, u, i)
}
ENTRY e {
  p = f32[4]{0:T(128)S(3)} parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  ROOT r = f32[4]{0} fusion(p, u, i), kind=kLoop, calls=f
}
E
    expect_status 0 hlo-verify --layout-sensitive m.hlo
}

@test "bitcasts: sizes, with and without padding at the end" {
    cat >m.hlo <<'E'
HloModule m
ENTRY e {
  p = f32[3,100]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[5,100]{1,0:T(8,128)} bitcast(p)
}
E
    expect_status 1 hlo-verify --layout-sensitive m.hlo
    expect_text "$err" "4:8: error: bitcast: operand 0, f32[3,100]{1,0:T(8,128)}, takes 1200 bytes and the result, f32[5,100]{1,0:T(8,128)}, 2000 [bitcast-size]"
    expect_status 1 hlo-verify --layout-sensitive --allow-bitcast-to-have-different-size m.hlo
    sed -i 's/f32\[3,100\]{1,0:T(8,128)}/f32[1,1,100]{2,1,0}/; s/f32\[5,100\]{1,0:T(8,128)}/f32[100,1]{0,1}/' m.hlo
    expect_status 0 hlo-verify --layout-sensitive m.hlo
}

@test "reshapes that move elements" {
    for case in '2,3{1,0} 6{0} 0' '2,3{0,1} 6{0} 1' '2,3{0,1} 3,2{1,0} 1' '4,1,5{2,0,1} 20{0} 0' '4,6{0,1} 2,2,6{1,0,2} 0' \
        '4,6{0,1} 2,2,6{0,1,2} 1' '1,1{0,1} 1{0} 0' '0,3{0,1} 3,0{1,0} 0'; do
        read -r from to status <<<"$case"
        printf 'HloModule m\nENTRY e {\n  p = f32[%s parameter(0)\n  ROOT r = f32[%s reshape(p)\n}\n' \
            "${from/\{/]\{}" "${to/\{/]\{}" >m.hlo
        expect_status "$status" hlo-verify --verify-reshape-is-bitcast m.hlo || fail "$case"
    done
}

@test "what options allow: mixed precision, unbounded sizes, other device counts" {
    only_with --allow-mixed-precision "" <<'E'
HloModule m
ENTRY e {
  p = bf16[4] parameter(0)
  b = f32[4,4] broadcast(p), dimensions={0}
  r = bf16[16] reshape(b)
  a = f16[] constant(0)
  u = f32[16] rng(a, a), distribution=rng_uniform
  ROOT s = f32[16] add(r, u)
}
E
    only_with --allow-unbounded-dynamism=parameter,negate "" <<'E'
HloModule m
ENTRY e {
  p = f32[?,4] parameter(0)
  ROOT r = f32[?,4] negate(p)
}
E
    expect_status 1 hlo-verify --allow-unbounded-dynamism=parameter m.hlo
    expect_text "$err" "m.hlo:4:12: error: negate: f32[?,4] has a dimension of unbounded size [unbounded-dimension]"
    expect_status 0 hlo-verify --allow-unbounded-dynamism=all m.hlo
    only_with --no-check-replica-groups "" <<'E'
HloModule m, replica_count=8
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[8] all-gather(p), dimensions={0}, replica_groups={{0,1}}
}
E
    only_with --no-verify-sharding-device-numbers "" <<'E'
HloModule m, num_partitions=8
ENTRY e {
  ROOT p = f32[4] parameter(0), sharding={devices=[2]<=[2]}
}
E
}

@test "hlo-opt and hlo-run take mixed precision: operands are widened, results rounded" {
    while IFS='|' read -r body result; do
        {
            cat <<'E'
HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT a = f32[] add(x, y) }
half { x = bf16[4] parameter(0) y = f32[4] parameter(1) ROOT a = f32[4] add(x, y) }
body {
  s = (s32[], bf16[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = bf16[4] get-tuple-element(s), index=1
  b = f32[4] get-tuple-element(s), index=2
  o = s32[] constant(1)
  j = s32[] add(i, o)
  m = bf16[4] multiply(a, b)
  n = f32[4] add(a, b)
  ROOT t = (s32[], bf16[4], f32[4]) tuple(j, m, n)
}
cond {
  s = (s32[], bf16[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  p = bf16[4] constant({1, 2.5, -3, 0.0078125})
  q = f32[4] constant({1.001, 256.5, 0.1, 1e-30})
  h = f16[4] constant({0.1, 1, 2, 65504})
E
            printf '  %b\n}\n' "$body"
        } >m.hlo
        expect_status 1 hlo-opt --passes=dce m.hlo
        expect_status 1 hlo-run m.hlo
        grep -Eq '\[(mixed-precision|result-shape)\]$' "$err" || fail "$(cat "$err")"
        for how in --engine=fast "--engine=reference --as-written" --executor=dataflow; do
            # shellcheck disable=SC2086 # several options
            expect_status 0 hlo-run --allow-mixed-precision $how m.hlo
            [ "$(cat "$out")" = "$result" ] || fail "$how: $body: $(cat "$out")"
        done
        for passes in --pipeline=default --passes=constant_folding --passes=algsimp '--passes=float-normalization{mixed}' \
            --passes=lower-control-flow --passes=lower-control-flow,raise-control-flow; do
            expect_status 0 hlo-opt --allow-mixed-precision --verify-each "$passes" -o passed.hlo m.hlo
            expect_status 0 hlo-run --allow-mixed-precision passed.hlo
            [ "$(cat "$out")" = "$result" ] || fail "$passes: $body: $(cat "$out")"
        done
    done <<'E'
ROOT r = f32[4] add(p, q)|f32[4] {2.001, 259, -2.9, 0.0078125}
ROOT r = bf16[4] multiply(q, q)|bf16[4] {1, 6.605e+04, 0.01001, 0}
ROOT r = f32[4] multiply(p, p)|f32[4] {1, 6.25, 9, 6.10351562e-05}
ROOT r = f32[4] maximum(q, h)|f32[4] {1.001, 256.5, 2, 65504}
ROOT r = bf16[4] add(p, h)|bf16[4] {1.102, 3.5, -1, 6.554e+04}
ROOT r = pred[4] compare(p, q), direction=GT|pred[4] {0, 0, 0, 1}
ROOT r = f32[8] concatenate(h, p), dimensions={0}|f32[8] {0.0999755859, 1, 2, 65504, 1, 2.5, -3, 0.0078125}
k = bf16[] constant(1)\n  b = f32[4] broadcast(k), dimensions={}\n  ROOT r = f32[4] multiply(q, b)|f32[4] {1.001, 256.5, 0.1, 1e-30}
k = f32[] constant(1.01)\n  b = bf16[4] broadcast(k), dimensions={}\n  ROOT r = f32[4] multiply(q, b)|f32[4] {1.00882041, 258.503906, 0.100781254, 1.00781253e-30}
k = f32[4] constant({0,0,0,0})\n  ROOT r = f32[4] add(p, k)|f32[4] {1, 2.5, -3, 0.0078125}
ROOT r = f32[2] slice(p), slice={[1:3]}|f32[2] {2.5, -3}
z = bf16[] constant(0)\n  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add|f32[] 0.5078125
ROOT r = f32[4] map(p, q), dimensions={0}, to_apply=add|f32[4] {2.001, 259, -2.9, 0.0078125}
ROOT r = f32[4] fusion(p, q), kind=kLoop, calls=half|f32[4] {2.001, 259, -2.9, 0.0078125}
z = s32[] constant(0)\n  t = (s32[], bf16[4], f32[4]) tuple(z, p, q)\n  ROOT w = (s32[], bf16[4], f32[4]) while(t), condition=cond, body=body|(s32[], bf16[4], f32[4]) ( 2, {2, 1.659e+05, 0.8711, 6.094e-35}, {3.001, 899, -3.20078135, 0.0078125} )
E
}

@test "--allow-mixed-precision: no pass fails or changes what is computed" {
    cat >m.hlo <<'E'
HloModule m
add { x = f32[] parameter(0) y = bf16[] parameter(1) ROOT a = f32[] add(x, y) }
ENTRY e {
  p = bf16[4] parameter(0)
  q = f32[4] parameter(1)
  k = bf16[] constant(1)
  z = f32[] constant(0)
  one = f32[4] broadcast(k), dimensions={}
  zero = bf16[4] broadcast(z), dimensions={}
  a = f32[4] multiply(q, one)
  b = bf16[4] add(a, zero)
  c = f32[4] multiply(b, q)
  d = f32[2,2] reshape(p)
  r = f32[] reduce(b, z), dimensions={0}, to_apply=add
  t = f32[2,2] transpose(d), dimensions={1,0}
  l = pred[4] compare(p, q), direction=LT
  s = f32[4] select(l, p, q)
  cat = f32[12] concatenate(c, s, p), dimensions={0}
  ROOT o = (f32[12], f32[2,2], f32[]) tuple(cat, t, r)
}
E
    expect_status 0 hlo-run --allow-mixed-precision --as-written --inputs=hash m.hlo
    cp "$out" wanted
    count=0
    for pass in $(hlo-opt --list-passes --format=json | sed 's/^{"name": *"\([^"]*\)".*/\1/'); do
        [ "$pass" != partition ] || continue # takes graphs only
        expect_status 0 hlo-opt --allow-mixed-precision --verify-each --passes="$pass" -o passed.hlo m.hlo
        expect_status 0 hlo-run --allow-mixed-precision --inputs=hash passed.hlo
        [ "$pass" = autodiff ] || cmp "$out" wanted || fail "$pass"
        count=$((count + 1))
    done
    [ "$count" -gt 80 ]
}

@test "hlo-run refuses at the place what is allowed and has no kernel" {
    while IFS='|' read -r body message; do
        printf 'HloModule m\nENTRY e {\n  p = f64[4] parameter(0)\n  q = f32[4] parameter(1)\n  %b\n}\n' "$body" >m.hlo
        for program in hlo-verify "hlo-opt --pipeline=default --verify-each"; do
            # shellcheck disable=SC2086 # words
            expect_status 0 $program --allow-mixed-precision --allow-unbounded-dynamism=all m.hlo
        done
        expect_status 1 hlo-run --allow-mixed-precision --allow-unbounded-dynamism=all --inputs=zeros m.hlo
        expect_text "$err" "m.hlo:5:$message"
    done <<'E'
ROOT r = f64[4] add(p, q)|26: error: add: operand 1 is f32[4], but other operands are of type f64 [mixed-precision]
ROOT r = f32[2,2] reshape(p)|29: error: reshape: operand 0 is f64[4] and the result is f32[2,2]: their element types differ [result-shape]
u = f32[?] parameter(2)\n  ROOT r = f32[?] negate(u)|7: error: parameter: f32[?] has a dimension of unbounded size [unbounded-dimension]
E
}

@test "hlo-opt and hlo-run have the other options of the verifier, too" {
    cat >m.hlo <<'E'
HloModule m, num_partitions=8
ENTRY e {
  ROOT p = f32[4] parameter(0), sharding={devices=[2]<=[2]}
}
E
    for program in "hlo-opt --passes=dce" "hlo-run --inputs=zeros"; do
        # shellcheck disable=SC2086 # words
        expect_status 1 $program m.hlo
        expect_text "$err" "m.hlo:3:"
        # shellcheck disable=SC2086 # words
        expect_status 0 $program --no-verify-sharding-device-numbers m.hlo
    done
    cat >m.hlo <<'E'
HloModule m, replica_count=2
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[8] all-gather(p), dimensions={0}, replica_groups={{0,1},{2,3}}
}
E
    expect_status 1 hlo-opt --passes=dce m.hlo
    expect_status 0 hlo-opt --no-check-replica-groups --passes=dce m.hlo
    expect_status 1 hlo-run --no-check-replica-groups --inputs=iota m.hlo
    expect_text "$err" "m.hlo:4:8: error: 'r' (all-gather) has replica groups with devices beyond the 2 replicas"
    cat >m.hlo <<'E'
HloModule m
ENTRY e {
  p = f32[2,3]{1,0} parameter(0)
  t = (f32[2,3]{0,1}) tuple(p)
  ROOT r = f32[2,3]{0,1} get-tuple-element(t), index=0
}
E
    for program in "hlo-opt --passes=dce" "hlo-run --inputs=zeros" "hlo-opt --pipeline=default --bisect=true"; do
        # shellcheck disable=SC2086 # words
        expect_status 0 $program m.hlo
        # shellcheck disable=SC2086 # words
        expect_status 1 $program --layout-sensitive m.hlo
        expect_text "$err" "m.hlo:4:3: error: tuple: "
        # shellcheck disable=SC2086 # words
        expect_status 2 $program --allow-unbounded-dynamism=subtrakt m.hlo
        expect_text "$err" "error: unknown operation 'subtrakt' [usage]"
    done
    for program in hlo-opt hlo-run; do
        $program --help-all | sed -n '/^Strictness/,/^$/p' >"$program"
        hlo-verify --help-all | sed -n '/^Strictness/,/^$/p' | cmp - "$program"
        [ "$(grep -c -e '--' "$program")" -ge 15 ]
    done
}

@test "threads of calls" {
    only_with --verify-call-nested-computation-thread-name '7:8: error: call: it runs on thread "main" and '\''f'\'' on thread "other" [execution-thread]' <<'E'
HloModule m
f {
  ROOT x = f32[4] parameter(0)
}, execution_thread="other"
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=f
}
E
}

# Transfers as lines of a computation: "s1 r1" become a send and a recv of pairs number 1 and 2.
transfers() {
    echo "HloModule m, is_scheduled=true"
    echo "ENTRY e {"
    echo "  p = f32[4] parameter(0)"
    echo "  t = token[] after-all()"
    local done="" calls=0
    for word in "$@"; do
        n=${word#?} pairs="_xla_send_recv_source_target_pairs={{${word#?},$((${word#?} + 1))}}"
        case $word in
        s*) echo "  s.$n = (f32[4], u32[], token[]) send(p, t), channel_id=$n, frontend_attributes={$pairs}"
            done+="  sd.$n = token[] send-done(s.$n), channel_id=$n"$'\n' ;;
        r*) echo "  r.$n = (f32[4], u32[], token[]) recv(t), channel_id=$n, frontend_attributes={$pairs}"
            done+="  rd.$n = (f32[4], token[]) recv-done(r.$n), channel_id=$n"$'\n' ;;
        g) echo "  g.$((calls += 1)) = f32[4] collective-permute(p), source_target_pairs={{0,1}}" ;;
        esac
    done
    printf '%s' "$done"
    echo "  ROOT o = f32[4] copy(p)"
    echo "}"
}

@test "--verify-no-collective-deadlocks: pairs of transfers" {
    for good in "" "s1 r1" "r1 s1" "s1 s2 r1 r2" "s1 r1 g s2 r2" "g r1 s1 g"; do
        # shellcheck disable=SC2086 # words
        transfers $good >m.hlo
        expect_status 0 hlo-verify --verify-no-collective-deadlocks m.hlo
    done
    while IFS='|' read -r words message; do
        # shellcheck disable=SC2086 # words
        transfers $words | only_with --verify-no-collective-deadlocks "$message [collective-deadlock]"
    done <<'E'
s1|5:3: error: send: no recv with the same source-target pairs follows
r1|5:3: error: recv: no send with the same source-target pairs follows
s1 r2|5:3: error: send: no recv with the same source-target pairs follows
s1 g r1|6:3: error: collective-permute: it is scheduled between a send or recv and the matching instruction
E
    transfers s1 r1 | sed 's/{{1,2}}/{{1,2},{2,1}}/' |
        only_with --verify-no-collective-deadlocks "5:3: error: send: source-target pairs: they form a cycle [collective-deadlock]"
    transfers s1 r1 | sed 's/{{1,2}}/{{1,2},{1,3}}/' |
        only_with --verify-no-collective-deadlocks "5:3: error: send: source-target pairs: a source occurs twice [collective-deadlock]"
    transfers s1 r1 | sed 's/{{1,2}}/{{1;2}}/' |
        only_with --verify-no-collective-deadlocks "5:3: error: send: _xla_send_recv_source_target_pairs is {{1;2}} and must be a list of pairs [collective-deadlock]"
    transfers s1 g r1 | sed 's/, is_scheduled=true//' >m.hlo
    expect_status 0 hlo-verify --verify-no-collective-deadlocks m.hlo
}

@test "--verify-transfer-order: a deadlock over two computations, and a loop without one" {
    cat >m.hlo <<'E'
HloModule m, is_scheduled=true

one {
  x = f32[4] parameter(0)
  t = token[] after-all()
  r1 = (f32[4], u32[], token[]) recv(t), channel_id=1
  rd1 = (f32[4], token[]) recv-done(r1), channel_id=1
  q2 = (f32[4], u32[], token[]) send(x, t), channel_id=2
  qd2 = token[] send-done(q2), channel_id=2
  ROOT o = f32[4] get-tuple-element(rd1), index=0
}

two {
  x = f32[4] parameter(0)
  t = token[] after-all()
  r2 = (f32[4], u32[], token[]) recv(t), channel_id=2
  rd2 = (f32[4], token[]) recv-done(r2), channel_id=2
  q1 = (f32[4], u32[], token[]) send(x, t), channel_id=1
  qd1 = token[] send-done(q1), channel_id=1
  ROOT o = f32[4] get-tuple-element(rd2), index=0
}

ENTRY e {
  p = f32[4] parameter(0)
  b = pred[] parameter(1)
  ROOT o = f32[4] conditional(b, p, p), true_computation=one, false_computation=two
}
E
    expect_status 1 hlo-verify --verify-transfer-order m.hlo
    expect_text "$err" "m.hlo:7:3: error: recv-done: deadlock in the schedule: it waits for an instruction that is scheduled after it [transfer-order]"
    [ "$(grep -c ': note: also part of the cycle' "$err")" = 3 ]
    expect_text "$err" "hint: the order on a channel is recv, send, recv-done, send-done"
    expect_status 0 hlo-verify m.hlo
    cat >loop.hlo <<'E'
HloModule m, is_scheduled=true

body {
  s = (f32[4], s32[]) parameter(0)
  x = f32[4] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  t = token[] after-all()
  r = (f32[4], u32[], token[]) recv(t), channel_id=1
  q = (f32[4], u32[], token[]) send(x, t), channel_id=1
  rd = (f32[4], token[]) recv-done(r), channel_id=1
  qd = token[] send-done(q), channel_id=1
  y = f32[4] get-tuple-element(rd), index=0
  ROOT o = (f32[4], s32[]) tuple(y, i)
}

cond {
  s = (f32[4], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  z = s32[] constant(0)
  ROOT c = pred[] compare(i, z), direction=LT
}

ENTRY e {
  p = (f32[4], s32[]) parameter(0)
  w = (f32[4], s32[]) while(p), condition=cond, body=body
  ROOT o = (f32[4], s32[]) while(w), condition=cond, body=body
}
E
    expect_status 0 hlo-verify --verify-transfer-order loop.hlo
    sed '/  w = /d; s/while(w)/while(p)/; /  r = /{h;d}; /  q = /{p;g}' loop.hlo >m.hlo
    expect_status 1 hlo-verify --verify-transfer-order m.hlo
    expect_text "$err" "m.hlo:8:3: error: send: deadlock in the schedule"
}

@test "--verify-feed-order: loops count as what they do" {
    only_with --verify-feed-order "16:3: error: infeed: the order of the infeeds is not defined: it does not depend on the previous one [feed-order]" <<'E'
HloModule m

body {
  s = (token[], s32[]) parameter(0)
  t = token[] get-tuple-element(s), index=0
  a = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(a), index=0
  u = token[] get-tuple-element(a), index=1
  ROOT r = (token[], s32[]) tuple(u, x)
}
cond { s = (token[], s32[]) parameter(0) ROOT c = pred[] constant(false) }
ENTRY e {
  t = token[] after-all()
  z = s32[] constant(0)
  p = (token[], s32[]) tuple(t, z) w = (token[], s32[]) while(p), condition=cond, body=body
  a = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(a), index=0
  ROOT r = ((token[], s32[]), s32[]) tuple(w, x)
}
E
    sed -i '16s/.*/  v = token[] get-tuple-element(w), index=0\n  a = (s32[], token[]) infeed(v)/' m.hlo
    expect_status 0 hlo-verify --verify-feed-order m.hlo
}

@test "operands of asynchronous operations are bound late" {
    cat >m.hlo <<'E'
HloModule m

ENTRY %e (p: s32[4], q: s32[]) -> (s32[4], s32[]) {
  %p = s32[4]{0} parameter(0)
  %s = ((), (), s32[]) call-start(), to_apply={
    arg.0 = s32[4] parameter(0)
    arg.1 = s32[] parameter(1)
    ROOT t = (s32[4], s32[]) tuple(arg.0, arg.1)
  }
  %u = ((s32[4]), (), s32[]) call-update(%s, %p)
  %q = s32[] parameter(1)
  %v = ((s32[4], s32[]), (s32[4], s32[]), ()) call-update(%u, %q)
  ROOT %d = (s32[4], s32[]) call-done(%v)
}
E
    expect_status 0 hlo-verify m.hlo
    expect_status 0 hlo-opt -o once.hlo m.hlo
    expect_status 0 hlo-opt -o twice.hlo once.hlo
    cmp once.hlo twice.hlo
    expect_text once.hlo "%u = ((s32[4]{0}), (), s32[]) call-update(%s, %p)"
    sed 's/call-update(%u, %q)/call-update(%u)/' m.hlo >few.hlo
    expect_status 1 hlo-verify few.hlo
    expect_text "$err" "few.hlo:12:59: error: async-update: 0 operands more and (s32[4]) becomes (s32[4], s32[]) [async-shape]"
    sed 's/call-update(%u, %q)/call-update(%u, %p)/' m.hlo >other.hlo
    expect_status 1 hlo-verify other.hlo
    expect_text "$err" "error: async-update: operand 1 is s32[4], but s32[] in the result [async-shape]"
    cat >m.hlo <<'E'
HloModule m

ENTRY e {
  p = f32[4,8] parameter(0)
  s = ((), (), s32[]) dot-start(), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[8,4] parameter(1)
  u = ((f32[4,8], f32[8,4]), f32[4,4], s32[]) dot-update(s, p, q)
  ROOT d = f32[4,4] dot-done(u)
}
E
    expect_status 0 hlo-verify m.hlo
    expect_status 0 hlo-opt -o once.hlo m.hlo
    expect_status 0 hlo-verify once.hlo
}

@test "what only a dialect has is refused by a rule that names the dialect" {
    count=0
    for file in "$HLO_ROOT"/docs/rules/dialect-*.hlo; do
        rule=${file##*/} rule=${rule%.hlo}
        awk '/^\/\/ ----- (bad|good)$/ { part = $3; next } part == "bad"' "$file" >bad.hlo
        expect_status 1 hlo-verify bad.hlo
        grep -Eq "^bad.hlo:[0-9]+:[0-9]+: error: .* \[$rule\]$" "$err" || fail "$(cat "$err")"
        grep -Eq '^  hint: only the operation semantics of (2018|2019|2024|2025)(\|(2018|2019|2024|2025))* have it; in plain HLO: ' "$err" || fail "$(cat "$err")"
        count=$((count + 1))
    done
    [ "$count" -ge 20 ]
}

@test "the editions that the rule names are those that read the construct" {
    for file in "$HLO_ROOT"/docs/rules/dialect-*.hlo; do
        rule=${file##*/} rule=${rule%.hlo}
        awk '/^\/\/ ----- (bad|good)$/ { part = $3; next } part == "bad"' "$file" >bad.hlo
        hlo-verify bad.hlo 2>strict && fail "$rule is no rule of XLA's text"
        named=$(sed -n 's/^  hint: only the operation semantics of \([0-9|]*\) have it.*/\1/p' strict)
        read=
        for edition in 2018 2019 2024 2025; do
            hlo-verify --dialect=$edition bad.hlo 2>said || true
            grep -q "\[$rule\]$" said || read="$read|$edition"
        done
        [ "${read#|}" = "$named" ] || fail "$rule names $named, ${read#|} read it"
    done
}

@test "each form of a dialect: operations, attributes, values, operands, shapes" {
    while IFS='|' read -r line column rule; do
        printf '%s\n' "HloModule m" "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT a = f32[] add(x, y) }" \
            "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT a = pred[] compare(x, y), direction=LT }" "ENTRY e {" \
            "  p = f32[4,8] parameter(0)" "  v = f32[8] parameter(1)" "  z = f32[] parameter(2)" \
            "  t = (f32[4], f32[4]) parameter(3)" "  ROOT r = $line" "}" >m.hlo
        expect_status 1 hlo-verify m.hlo
        expect_text "$err" "m.hlo:9:$column: error: "
        expect_text "$err" " [$rule]"
    done <<'E2'
pred[4,8] compare(p, z), direction=LT|33|dialect-implicit-broadcast
f32[4,8] add(p, f32[4,1] constant({{1},{1},{1},{1}}))|28|dialect-implicit-broadcast
f32[8] dot(p, v), broadcast_dimensions={0}|30|dialect-broadcast-dimensions
f32[4,8] select-and-scatter(p, p, z), window={size=2x2}, padding=VALID, select=less, scatter=add|69|dialect-padding
f32[4,8] convolution(p, p), padding=SAME|40|dialect-padding
f32[8] sort(v, v), dimensions={0}|19|dialect-sort-comparator
(f32[8], u32[]) send(v), channel_id=1|32|dialect-token
(f32[8], u32[]) recv(), channel_id=1|32|dialect-token
f32[4] dot(p, v)|12|dialect-dot-dimensions
f32[] dot(v, v)|12|dialect-dot-dimensions
f32[4,8] all-to-all(p), concat_dimension=1|36|dialect-all-to-all
f32[4,8] all-to-all(p), split_count=2|36|dialect-all-to-all
(f32[4], f32[4]) reduce-scatter(t), dimensions={0}, to_apply=add|44|dialect-tuple-operand
E2
    printf 'HloModule m\nENTRY e {\n  a = f32[2,3] parameter(0)\n  b = f32[3,2] parameter(1)\n  ROOT r = (f32[2,2]) dot(a, b)\n}\n' >m.hlo
    expect_status 1 hlo-verify m.hlo
    expect_text "$err" " [result-shape]"
}
