# copy-insertion: where copies are needed so that values that have to be in one memory are not there at
# the same time, and where not.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# copies NUMBERS < MODULE: how many there are afterwards in each computation with some: "body=1 main=2".
# The result verifies, and a second run changes nothing.
copies() {
    local got
    cat >in.hlo
    hlo-opt --passes=copy-insertion in.hlo >out.hlo
    hlo-verify out.hlo
    hlo-opt --passes=copy-insertion out.hlo | cmp - out.hlo
    got=$(awk '/\{$/ && !/ = / { name = $1 == "ENTRY" ? $2 : $1; sub(/^%/, "", name) }
        / = .* copy\(/ { n[name]++ } END { for (c in n) print c "=" n[c] }' out.hlo | sort | tr '\n' ' ')
    [ "$got" = "${1:+$1 }" ] || fail "copies: $got" "wanted: $1" "$(cat out.hlo)"
}

# loop STATE INITIAL BODY < nothing: a loop over a state of f32[4] arrays after the counter.
loop() {
    cat <<H
HloModule m
body {
  s = ($1) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[4] get-tuple-element(s), index=1
  b = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
$3
}
condition {
  s = ($1) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[4] parameter(0)
  y = f32[4] exponential(x)
  z = f32[4] sine(x)
  t = ($1) tuple(zero, $2)
  w = ($1) while(t), condition=condition, body=body
${4:-  ROOT r = f32[4] get-tuple-element(w), index=1}
}
H
}

state='s32[], f32[4], f32[4]'

# ---- results ----

@test "results that are parameters, constants or there twice" {
    copies main=1 <<<'HloModule m ENTRY main { ROOT x = f32[4] parameter(0) }'
    copies main=1 <<<'HloModule m ENTRY main { ROOT x = f32[] constant(1) }'
    copies main=1 <<<'HloModule m ENTRY main { x = f32[4] parameter(0) ROOT b = f32[2,2] bitcast(x) }'
    copies main=2 <<<'HloModule m ENTRY main {
      x = f32[4] parameter(0) c = f32[] constant(1) n = f32[4] negate(x)
      ROOT t = (f32[4], f32[4], f32[]) tuple(n, x, c) }'
    copies main=1 <<<'HloModule m ENTRY main {
      x = f32[4] parameter(0) n = f32[4] negate(x) ROOT t = (f32[4], f32[4]) tuple(n, n) }'
    copies main=3 <<<'HloModule m ENTRY main { ROOT x = ((f32[4], s32[]), f32[2]) parameter(0) }'
    copies '' <<<'HloModule m ENTRY main { x = token[] after-all() ROOT t = (token[]) tuple(x) }'
}

@test "copies of the text stay where they are needed only" {
    copies main=1 <<<'HloModule m ENTRY main {
      x = f32[4] parameter(0) a = f32[4] copy(x) b = f32[4] copy(a) n = f32[4] negate(b)
      ROOT t = (f32[4], f32[4]) tuple(n, b) }'
    copies '' <<<'HloModule m ENTRY main { x = f32[4] parameter(0) a = f32[4] copy(x) ROOT n = f32[4] negate(a) }'
    # that moves elements
    copies main=1 <<<'HloModule m ENTRY main {
      x = f32[2,3]{1,0} parameter(0) a = f32[2,3]{0,1} copy(x) ROOT n = f32[2,3]{0,1} negate(a) }'
}

@test "results in the memory of parameters" {
    t='(f32[4], f32[4]) tuple'
    for case in '|{0}: (0, {0}), {1}: (0, {1})|a, b' \
        'main=3|{0}: (0, {1}), {1}: (0, {0})|a, b' \
        'main=1|{0}: (0, {0}), {1}: (0, {1})|nb, na' \
        '|{0}: (0, {0}), {1}: (0, {1})|na, nb' \
        'main=1|{0}: (0, {0})|a, b'; do
        IFS='|' read -r wanted alias results <<<"$case"
        copies "$wanted" <<<"HloModule m, input_output_alias={ $alias }
          ENTRY main { p = (f32[4], f32[4]) parameter(0)
          a = f32[4] get-tuple-element(p), index=0
          b = f32[4] get-tuple-element(p), index=1
          na = f32[4] negate(a)
          nb = f32[4] negate(b)
          ROOT r = $t($results) }"
    done
}

# ---- updates ----

@test "an update is in place unless its operand is read later, or is the caller's" {
    for case in '|n, u, i|d' 'main=1|n, u, i|n, d' 'main=1|x, u, i|d' 'main=1|n, n, i|d'; do
        IFS='|' read -r wanted operands results <<<"$case"
        n=$(tr -cd , <<<"$results" | wc -c)
        shapes=$([ "$n" = 0 ] && echo 'f32[4]' || echo 'f32[4], f32[4]')
        copies "$wanted" <<<"HloModule m ENTRY main { x = f32[4] parameter(0)
          u = f32[1] constant({5}) i = s32[] constant(1) n = f32[4] negate(x)
          d = f32[4] dynamic-update-slice($operands)
          ROOT r = ($shapes) tuple($results) }"
    done
}

@test "results that an attribute aliases with an operand" {
    for case in '|abs(c)' 'main=1|add(c, n)'; do
        IFS='|' read -r wanted result <<<"$case"
        copies "$wanted" <<<"HloModule m ENTRY main { x = f32[4] parameter(0) n = f32[4] negate(x)
          c = f32[4] custom-call(n), custom_call_target=\"f\", output_to_operand_aliasing={{}: (0, {})}
          ROOT r = f32[4] $result }"
    done
}

@test "a fusion that updates what only its root reads is in place too" {
    for case in '|s = f32[1] constant({5})' 'body=1|q = f32[4] negate(p) s = f32[1] slice(q), slice={[0:1]}'; do
        IFS='|' read -r wanted update <<<"$case"
        copies "$wanted" <<<"HloModule m
          f { p = f32[4] parameter(0) i = s32[] parameter(1) $update
              ROOT d = f32[4] dynamic-update-slice(p, s, i) }
          body { s = f32[4] parameter(0) i = s32[] constant(1)
              ROOT d = f32[4] fusion(s, i), kind=kLoop, calls=f }
          condition { s = f32[4] parameter(0) ROOT c = pred[] constant(false) }
          ENTRY main { x = f32[4] parameter(0) n = f32[4] tanh(x)
          ROOT w = f32[4] while(n), condition=condition, body=body }"
    done
}

# ---- loops ----

@test "loops: state that is computed element by element stays in place" {
    loop "$state" 'y, z' '  c = f32[4] add(a, b)
  d = f32[4] negate(b)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, d)' | copies main=1 # of the counter's constant
}

@test "loops: a new state that is made before the old one is read last" {
    loop "$state" 'y, z' '  c = f32[4] negate(a)
  d = f32[4] add(a, b)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, d)' | copies 'body=1 main=1'
}

@test "loops: what is handed on needs no copy, even when it is read after the loop" {
    loop "$state" 'y, x' '  c = f32[4] add(a, b)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, b)' \
        '  g = f32[4] get-tuple-element(w), index=1
  ROOT r = f32[4] add(g, x)' | copies main=1
}

@test "loops: initial values that are the caller's, constants, read later, or one value twice" {
    body='  c = f32[4] add(a, b)
  d = f32[4] negate(b)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, d)'
    loop "$state" 'x, y' "$body" | copies main=2
    loop "$state" 'y, y' "$body" | copies main=2
    loop "$state" 'y, z' "$body" '  g = f32[4] get-tuple-element(w), index=1
  ROOT r = f32[4] add(g, y)' | copies main=2
}

@test "loops: elements that change places" {
    loop "$state" 'y, z' '  ROOT t = (s32[], f32[4], f32[4]) tuple(j, b, a)' >swap.hlo
    hlo-opt --passes=copy-insertion swap.hlo >out.hlo
    # one waits elsewhere while the other moves
    [ "$(grep -c 'f32\[4\]{0} copy(' out.hlo)" -ge 3 ] || fail "$(cat out.hlo)"
    copies "$(awk '/^%body/ { on = 1 } /^}/ { on = 0 } on && / copy\(/ { n++ } END { print "body=" n }' out.hlo) main=1" <swap.hlo
}

@test "loops: constants and the same value twice as new state" {
    loop "$state" 'y, z' '  k = f32[4] constant({1, 2, 3, 4})
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, a, k)' | copies 'body=1 main=1'
    loop "$state" 'y, z' '  c = f32[4] add(a, b)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, c)' | copies 'body=1 main=1'
}

@test "loops: updates in the body are in place" {
    loop "$state" 'y, x' '  u = f32[1] slice(b), slice={[0:1]}
  c = f32[4] dynamic-update-slice(a, u, one)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, b)' | copies main=1
    # but not of what every iteration reads
    loop "$state" 'y, x' '  u = f32[1] slice(a), slice={[0:1]}
  c = f32[4] dynamic-update-slice(b, u, one)
  ROOT t = (s32[], f32[4], f32[4]) tuple(j, c, b)' | copies 'body=1 main=1'
}

@test "a computation with two callers is cloned before" {
    cat >in.hlo <<'H'
HloModule m
body { s = f32[4] parameter(0) ROOT n = f32[4] negate(s) }
condition { s = f32[4] parameter(0) ROOT c = pred[] constant(false) }
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] while(x), condition=condition, body=body
  ROOT z = f32[4] while(y), condition=condition, body=body
}
H
    hlo-opt --passes=copy-insertion in.hlo >out.hlo
    [ "$(grep -c '^%body' out.hlo)" = 2 ] || fail "$(cat out.hlo)"
    cp in.hlo shared.hlo
    copies main=1 <shared.hlo
}

# ---- conditionals ----

@test "conditionals: branches that hand on what is read later, constants, or one value twice" {
    for case in '|negate(p)|abs(p)|r' 'b0=1|copy(p)|abs(p)|add' 'b0=1|constant({1,2,3,4})|abs(p)|r'; do
        IFS='|' read -r wanted first second after <<<"$case"
        copies "$wanted" <<<"HloModule m
          b0 { p = f32[4] parameter(0) ROOT a = f32[4] $first }
          b1 { p = f32[4] parameter(0) ROOT a = f32[4] $second }
          ENTRY main { c = pred[] parameter(0) x = f32[4] parameter(1) n = f32[4] negate(x)
          r = f32[4] conditional(c, n, n), true_computation=b0, false_computation=b1
          ROOT z = f32[4] $([ "$after" = add ] && echo 'add(r, n)' || echo 'abs(r)') }"
    done
}

# ---- several results in the memory of operands ----

@test "a scatter of several arrays updates each in its own memory" {
    for case in '|a, b' 'main=1|a, a' 'main=2|x, x' 'main=1|a, x'; do
        IFS='|' read -r wanted operands <<<"$case"
        copies "$wanted" <<<"HloModule m
          put { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
            ROOT t = (f32[], f32[]) tuple(c, d) }
          ENTRY main { x = f32[4] parameter(0) i = s32[2] parameter(1) u = f32[2] parameter(2)
            a = f32[4] negate(x) b = f32[4] sine(x)
            ROOT s = (f32[4], f32[4]) scatter($operands, i, u, u), update_window_dims={}, inserted_window_dims={0},
              scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=put }"
    done
}

@test "a fusion with several results updates those parameters that it does not read besides" {
    for case in '|e, e|a, b' 'main=1|a, e|a, b' 'main=2|a, b|a, b' 'main=1|e, e|a, a'; do
        IFS='|' read -r wanted read operands <<<"$case"
        copies "$wanted" <<<"HloModule m
          f { p = f32[8] parameter(0) q = f32[8] parameter(1) u = f32[2] constant({1, 2}) i = s32[] constant(3)
            d = f32[8] dynamic-update-slice(p, u, i) g = f32[8] dynamic-update-slice(q, u, i)
            ROOT t = (f32[8], f32[8]) tuple(d, g) }
          ENTRY main { x = f32[8] parameter(0) a = f32[8] negate(x) b = f32[8] sine(x) e = f32[8] cosine(x)
            t = (f32[8], f32[8]) fusion($operands), kind=kLoop, calls=f
            k = f32[8] get-tuple-element(t), index=0 l = f32[8] get-tuple-element(t), index=1
            m = f32[8] add(k, ${read%,*}) n = f32[8] add(l, ${read#*, }) ROOT r = f32[8] add(m, n) }"
    done
}

@test "a custom call updates what its attribute names, in tuples too" {
    for case in '|n, z' 'main=1|n, x' 'main=2|x, x' 'main=1|n, n'; do
        IFS='|' read -r wanted operands <<<"$case"
        copies "$wanted" <<<"HloModule m ENTRY main { x = f32[4] parameter(0) n = f32[4] negate(x) z = f32[4] sine(x)
          t = (f32[4], f32[4]) tuple($operands)
          ROOT c = (f32[4], f32[4], s32[]) custom-call(t), custom_call_target=\"f\",
            output_to_operand_aliasing={{0}: (0, {1}), {1}: (0, {0})} }"
    done
}

@test "a collective-permute writes into the array that it is given for that" {
    for case in '|o, n' 'main=1|x, n' 'main=1|o, o'; do
        IFS='|' read -r wanted operands <<<"$case"
        copies "$wanted" <<<"HloModule m, num_partitions=2 ENTRY main { x = f32[2,4] parameter(0) n = f32[2,4] negate(x) o = f32[2,4] sine(x)
          z = s32[] constant(0) at = (s32[], s32[]) tuple(z, z)
          p = f32[2,4] collective-permute(n, ${operands%,*}, at, at), channel_id=1, source_target_pairs={{0,1}}, slice_sizes={{1,4}}
          ROOT r = f32[2,4] add(p, ${operands#*, }) }"
    done
}

@test "buffers are not copied, but what is pinned into one is" {
    alias='output_to_operand_aliasing={{}: (0, {})}'
    for case in '|u' 'main=1|n' 'main=1|x'; do
        IFS='|' read -r wanted read <<<"$case"
        pinned=n
        [ "$read" = x ] && pinned=x
        copies "$wanted" <<<"HloModule m ENTRY main { x = f32[4] parameter(0) n = f32[4] negate(x)
          b = b(f32[4]) custom-call($pinned), custom_call_target=\"Pin\", $alias
          c = b(f32[4]) custom-call(b), custom_call_target=\"update\", $alias
          u = f32[4] custom-call(c), custom_call_target=\"Unpin\", $alias
          ROOT r = f32[4] add(u, $read) }"
    done
    # in a loop whose state is read besides
    copies 'body=2' <<<"HloModule m
      body { s = (f32[4], f32[4]) parameter(0) a = f32[4] get-tuple-element(s), index=0
        p = b(f32[4]) custom-call(a), custom_call_target=\"Pin\", $alias
        q = b(f32[4]) custom-call(p), custom_call_target=\"update\", $alias
        u = f32[4] custom-call(q), custom_call_target=\"Unpin\", $alias
        b = f32[4] get-tuple-element(s), index=1
        d = f32[4] add(b, a), control-predecessors={p} ROOT t = (f32[4], f32[4]) tuple(u, d) }
      condition { s = (f32[4], f32[4]) parameter(0) ROOT l = pred[] constant(true) }
      ENTRY main { x = f32[4] parameter(0) y = f32[4] add(x, x) z = f32[4] multiply(x, x)
        i = (f32[4], f32[4]) tuple(y, z) w = (f32[4], f32[4]) while(i), condition=condition, body=body
        e = f32[4] get-tuple-element(w), index=0 f = f32[4] get-tuple-element(w), index=1 ROOT r = f32[4] add(e, f) }"
}

@test "an asynchronous update is in the memory of its operand, from the start to what follows the done" {
    for case in '|n|u' 'main=1|x|u' 'main=1|n|n'; do
        IFS='|' read -r wanted operand read <<<"$case"
        copies "$wanted" <<<"HloModule m
          f { p = s32[8] parameter(0) q = s32[2] parameter(1) i = s32[] parameter(2)
            ROOT d = s32[8] dynamic-update-slice(p, q, i) }
          ENTRY main { x = s32[8] parameter(0) n = s32[8] negate(x) q = s32[2] parameter(1) i = s32[] parameter(2)
            s = ((s32[8], s32[2], s32[]), s32[8], u32[]) async-start($operand, q, i), calls=f
            u = s32[8] async-done(s), calls=f
            ROOT r = s32[8] add(u, $read) }"
    done
}

# ---- transfers across iterations ----

# transfer DATA ROOT: a loop that ends what the iteration before began.
transfer() {
    cat <<H
HloModule m, num_partitions=2
body {
  s = ((f32[8], u32[], token[]), f32[8]) parameter(0)
  c = (f32[8], u32[], token[]) get-tuple-element(s), index=0
  d = f32[8] get-tuple-element(s), index=1
$1
  ROOT t = ((f32[8], u32[], token[]), f32[8]) tuple(next, $2)
}
condition {
  s = ((f32[8], u32[], token[]), f32[8]) parameter(0)
  ROOT l = pred[] constant(true)
}
ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] add(x, x)
  k = token[] after-all()
  first = (f32[8], u32[], token[]) $3, channel_id=1
  i = ((f32[8], u32[], token[]), f32[8]) tuple(first, y)
  w = ((f32[8], u32[], token[]), f32[8]) while(i), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1
}
H
}

@test "what a send holds is copied before the send, what a recv brings after its done" {
    copies 'body=1 main=1' < <(transfer '  e = token[] send-done(c), channel_id=1
  k = token[] after-all()
  next = (f32[8], u32[], token[]) send(d, k), channel_id=1' d 'send(y, k)')
    copies 'body=1' < <(transfer '  e = (f32[8], token[]) recv-done(c), channel_id=1
  g = f32[8] get-tuple-element(e), index=0
  k = token[] after-all()
  next = (f32[8], u32[], token[]) recv(k), channel_id=1' g 'recv(k)')
    grep -q 'recv-done(%c)' out.hlo
}

# ---- nothing is read after its memory was overwritten ----

@test "generated modules keep what they read" {
    check=$HLO_BUILD/tests/aliasing_test
    [ -x "$check" ] || skip "no aliasing_test"
    "$HLO_BUILD/tools/hlo-generate" --seed=52000 --count=300 --size=30 --output-dir=. >log.txt
    "$check" ./*.hlo >found.txt || fail "$(cat found.txt)"
    [ "$(sed -n 's/ passed.*//p' found.txt)" -ge 100 ] || fail "$(cat found.txt)"
}
