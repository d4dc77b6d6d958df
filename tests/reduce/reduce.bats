# hlo-reduce: what is left of a module, what it refuses, and that it resumes where it stopped.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf %s "$good_module" >good.hlo
    printf %s "$bad_module" >bad.hlo
    cat >large.hlo <<'HLO'
HloModule large, input_output_alias={ {0}: (0, {}, may-alias) }, replica_count=2

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

body {
  state = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8] get-tuple-element(state), index=1, metadata={op_name="inside"}
  y = f32[8] get-tuple-element(state), index=2
  t = f32[8] tanh(x)
  u = f32[8] cosine(y)
  ROOT again = (s32[], f32[8], f32[8]) tuple(next, t, u)
}

condition {
  state = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  most = s32[] constant(10)
  ROOT less = pred[] compare(i, most), direction=LT
}

branch.0 {
  p = f32[8] parameter(0)
  ROOT e = f32[8] exponential(p)
}

branch.1 {
  p = f32[8] parameter(0)
  q = f32[8] sine(p)
  ROOT l = f32[8] negate(q)
}

ENTRY main {
  v = f32[8] parameter(0)
  w = f32[8] parameter(1)
  which = s32[] parameter(2)
  zero = f32[] constant(0)
  start = s32[] constant(0)
  m = f32[8] multiply(v, w), sharding={replicated}
  init = (s32[], f32[8], f32[8]) tuple(start, m, w)
  loop = (s32[], f32[8], f32[8]) while(init), condition=condition, body=body
  p = f32[8] get-tuple-element(loop), index=1
  q = f32[8] get-tuple-element(loop), index=2
  chosen = f32[8] conditional(which, p, q), branch_computations={branch.0, branch.1}
  before = token[] after-all()
  fed = ((f32[8]), token[]) infeed(before)
  food = (f32[8]) get-tuple-element(fed), index=0
  bite = f32[8] get-tuple-element(food), index=0
  total = f32[] reduce(chosen, zero), dimensions={0}, to_apply=sum
  start.all = (f32[8], f32[8]) all-gather-start(bite), dimensions={0}, replica_groups={{0},{1}}
  done = f32[8] all-gather-done(start.all)
  d = f32[8] divide(done, v)
  ROOT r = (f32[8], f32[], f32[8]) tuple(d, total, bite)
}
HLO
}

# instructions FILE: how many it has.
instructions() {
    hlo-verify -v "$1" | sed -n 's/.* computations*, \([0-9]*\) instructions*$/\1/p'
}

# reduces PATTERN MOST: large.hlo shrinks to so many instructions at most, with the pattern.
reduces() {
    expect_status 0 hlo-reduce --test "grep -q '$1'" -o small.hlo large.hlo
    grep -q "$1" small.hlo || fail "$1 is gone"
    hlo-verify small.hlo
    [ "$(instructions small.hlo)" -le "$2" ] || fail "$1: $(cat small.hlo)"
}

@test "an operation is left with parameters, wherever it stood" {
    reduces 'multiply(' 2
    reduces 'tanh(' 2
    reduces 'sine(' 2
    reduces 'exponential(' 2
    reduces 'compare(' 2
    reduces 'divide(' 2
    reduces 'infeed(' 3
    reduces 'all-gather-done(' 3
    reduces 'reduce(' 6
}

@test "what can go goes: attributes, header, parameters, results, state" {
    reduces 'multiply(' 2
    [ "$(cat small.hlo)" = 'HloModule large, entry_computation_layout={(f32[1]{0})->f32[1]{0}}

ENTRY %main (v: f32[1]) -> f32[1] {
  %v = f32[1]{0} parameter(0)
  ROOT %m = f32[1]{0} multiply(%v, %v)
}' ] || fail "$(cat small.hlo)"
    reduces 'while(.*body' 5
    reduces 'conditional(' 6
    reduces 'op_name="inside"' 2
    reduces 'sharding={replicated}' 2
    reduces 'replica_count=2' 1
}

@test "a result of the tuple is replaced by an operand of another shape" {
    cat >slices.hlo <<'HLO'
HloModule slices
ENTRY main {
  p = f32[8] parameter(0)
  t = f32[8] tanh(p)
  s = f32[4] slice(t), slice={[2:6]}
  c = f32[8] cosine(p)
  k = f32[8] copy(c)
  r = f32[2,4] reshape(k)
  ROOT both = (f32[4], f32[2,4]) tuple(s, r)
}
HLO
    expect_status 0 hlo-reduce --test 'grep -q tanh {} && grep -q cosine {} && grep -q "tuple(" {}' -o small.hlo slices.hlo
    [ "$(instructions small.hlo)" = 4 ] || fail "$(cat small.hlo)"
    hlo-verify small.hlo
    # A root that is no tuple, too.
    expect_status 0 hlo-reduce --test 'grep -q "f32.8.{0} tanh(.*p)" {} && grep -q "f32.8.{0} parameter(0)" {}' -o small.hlo slices.hlo
    [ "$(instructions small.hlo)" = 2 ] || fail "$(cat small.hlo)"
}

# chain WANTED SHAPE OPCODE INSTRUCTION...: chain.hlo, whose result has that shape and comes from the opcode, shrinks to a module with
# WANTED after it. The pair of negates, which algsimp removes, must stay: the pass cannot do it.
chain() {
    local wanted=$1 shape=$2 opcode=$3 kept='grep -q "negate(%p)" {} && grep -q "negate(%m)" {} && grep -q " parameter(0)" {}'
    shift 3
    printf '%s\n' 'HloModule chain' 'ENTRY main {' "$@" '}' >chain.hlo
    expect_status 0 hlo-reduce --test "$kept && grep -qF 'ROOT %r = $shape' {} && grep -q '$opcode(' {}" -o small.hlo chain.hlo
    hlo-verify small.hlo
    [ "$(instructions small.hlo)" = 4 ] || fail "$(cat small.hlo)"
    grep -qF "$wanted" small.hlo || fail "no $wanted in $(cat small.hlo)"
}

@test "chains of broadcasts, reshapes and transposes become one" {
    chain 'broadcast(%n), dimensions={1,2}' 'f32[7,2,3,5]' broadcast 'p = f32[2,3] parameter(0)' 'm = f32[2,3] negate(p)' \
        'n = f32[2,3] negate(m)' 'd = f32[2,5,3] broadcast(n), dimensions={0,2}' 'ROOT r = f32[7,2,3,5] broadcast(d), dimensions={1,3,2}'
    chain 'transpose(%n), dimensions={1,2,0}' 'f32[3,5,2]' transpose 'p = f32[2,3,5] parameter(0)' 'm = f32[2,3,5] negate(p)' \
        'n = f32[2,3,5] negate(m)' 'd = f32[5,2,3] transpose(n), dimensions={2,0,1}' 'ROOT r = f32[3,5,2] transpose(d), dimensions={2,0,1}'
    chain 'reshape(%n)' 'f32[6,5]' reshape 'p = f32[2,3,5] parameter(0)' 'm = f32[2,3,5] negate(p)' \
        'n = f32[2,3,5] negate(m)' 'd = f32[30] reshape(n)' 'ROOT r = f32[6,5] reshape(d)'
    chain 'broadcast(%n)' 'f32[3]' broadcast 'p = f32[] parameter(0)' 'm = f32[] negate(p)' \
        'n = f32[] negate(m)' 'd = f32[8] broadcast(n), dimensions={}' 'ROOT r = f32[3] slice(d), slice={[2:5]}'
}

@test "two things that must stay together do" {
    expect_status 0 hlo-reduce --test 'grep -q tanh {} && grep -q "while(" {}' -o small.hlo large.hlo
    grep -q tanh small.hlo
    [ "$(instructions small.hlo)" -le 8 ] || fail "$(cat small.hlo)"
    expect_status 0 hlo-reduce --test 'grep -q multiply {} && grep -q divide {}' -o small.hlo large.hlo
    [ "$(instructions small.hlo)" -le 4 ] || fail "$(cat small.hlo)"
}

@test "the module is passed as FILE after the command, for {}, and on standard input" {
    for test in 'grep -q add' 'grep -q add {}' "cat {} {} | grep -q add" 'f() { grep -q add; }; f'; do
        expect_status 0 hlo-reduce --test "$test" good.hlo
        expect_text "$err" "hlo-reduce: 2 of 2 instructions left after "
        expect_text "$out" "add(%x, %x)"
        cp "$out" small.hlo
        expect_status 0 hlo-reduce -q --test "$test" <good.hlo
        cmp "$out" small.hlo
        [ ! -s "$err" ] || fail "$(cat "$err")"
    done
    expect_status 0 hlo-reduce --test true large.hlo
    [ "$(instructions "$out")" = 1 ] || fail "$(cat "$out")"
    expect_status 0 hlo-reduce -v --max-tests=1 --test 'grep ENTRY {}; true' good.hlo
    expect_text "$err" "ENTRY %main"
    [ "$(grep -c HloModule "$out")" = 1 ]
}

@test "no text is tested twice, every text verifies, and the file has the best at any time" {
    cat >judge.sh <<'SH'
#!/bin/sh
cksum <"$1" >>"$2/sums"
hlo-verify -q "$1" || echo bad >>"$2/bad"
if grep -q 'sine(' "$1"; then cp "$1" "$2/best"; else [ ! -e small.hlo ] || cmp -s "$2/best" small.hlo || echo >>"$2/stale"; false; fi
SH
    chmod +x judge.sh
    expect_status 0 hlo-reduce --test "./judge.sh {} $PWD" -o small.hlo large.hlo
    [ -z "$(sort sums | uniq -d)" ] || fail "tested twice: $(sort sums | uniq -d)"
    [ ! -e bad ] && [ ! -e stale ]
    cmp best small.hlo
    expect_text "$err" "$(instructions small.hlo) of $(instructions large.hlo) instructions left after $(wc -l <sums) tests"
}

@test "several jobs find the same, after as many tests" {
    expect_status 0 hlo-reduce --test 'grep -q "cosine("' large.hlo
    cp "$out" one
    tests=$(grep -o '[0-9]* tests' "$err")
    for jobs in 2 7 0; do
        expect_status 0 hlo-reduce -j $jobs --test 'grep -q "cosine("' large.hlo
        cmp "$out" one
        expect_text "$err" "$tests"
    done
}

@test "--max-tests stops, and the result is where the next run begins" {
    expect_status 0 hlo-reduce --max-tests=3 --test 'grep -q "cosine("' -o small.hlo large.hlo
    expect_text "$err" "after 3 tests"
    expect_text "$err" "it may be reducible further"
    grep -q "cosine(" small.hlo
    expect_status 0 hlo-reduce --test 'grep -q "cosine("' -o small.hlo small.hlo
    [ "$(instructions small.hlo)" = 2 ] || fail "$(cat small.hlo)"
    cp small.hlo end.hlo
    expect_status 0 hlo-reduce --test 'grep -q "cosine("' -o small.hlo small.hlo
    cmp small.hlo end.hlo
}

@test "a command that takes too long has failed, with what it started" {
    expect_status 0 hlo-reduce --timeout=1 --test 'grep -q "add(" {} || sleep 60' good.hlo
    expect_text "$out" "add("
    expect_status 1 hlo-reduce --timeout=1 --test 'sleep 60; true' good.hlo
}

@test "Ctrl-C leaves the best so far" {
    expect_status 0 hlo-reduce --max-tests=4 --test 'grep -q "cosine("' -o best.hlo large.hlo
    cat >stop.sh <<'SH'
#!/bin/sh
echo >>count
[ "$(wc -l <count)" -lt 5 ] || kill -INT "$PPID"
grep -q "cosine(" "$1"
SH
    chmod +x stop.sh
    expect_status 130 hlo-reduce --test 'exec ./stop.sh' -o small.hlo large.hlo
    cmp small.hlo best.hlo
    rm count
    expect_status 130 hlo-reduce --test 'exec ./stop.sh' large.hlo
    cmp "$out" best.hlo
}

@test "errors: status, message, no output" {
    expect_status 1 hlo-reduce --test false -o none.hlo good.hlo
    [ "$(cat "$err")" = "hlo-reduce: note: the command exited with status 1; --verbose shows what it writes
hlo-reduce: error: the unchanged module does not pass the test [usage]" ] || fail "$(cat "$err")"
    expect_status 1 hlo-reduce --test 'no-such-command-at-all' -o none.hlo good.hlo
    expect_status 1 hlo-reduce --test 'kill -9 $$' -o none.hlo good.hlo
    expect_text "$err" 'note: the command was killed by signal 9'
    expect_status 1 hlo-reduce --test true -o none.hlo bad.hlo
    expect_text "$err" "bad.hlo:3:14: error: "
    sed 's/f32\[3\] add/f32[4] add/' good.hlo >wrong.hlo
    expect_status 1 hlo-reduce --test true -o none.hlo wrong.hlo
    expect_text "$err" "wrong.hlo:5:"
    expect_status 3 hlo-reduce --test true -o none.hlo no-such-file.hlo
    expect_text "$err" "no-such-file.hlo: No such file or directory"
    expect_status 3 hlo-reduce --test true -o no-such-folder/none.hlo good.hlo
    expect_text "$err" "cannot write no-such-folder/none.hlo"
    expect_status 3 bash -c "hlo-reduce --test true good.hlo >/dev/full"
    expect_status 3 bash -c "hlo-reduce --help >/dev/full"
    [ ! -e none.hlo ]
    for arguments in "" "--test" "--test true one.hlo two.hlo" "--test true --timeout=soon" "--no-such-option" \
        "--test true --split-input-file" "--test true --jobs=1000" "--test true --max-tests=0"; do
        expect_status 2 hlo-reduce $arguments
        expect_text "$err" "usage: hlo-reduce "
    done
    expect_status 2 hlo-reduce good.hlo
    expect_text "$err" "hlo-reduce: --test is required"
    expect_status 0 hlo-reduce --help
    [ "$(awk 'length > 100' "$out")" = "" ] || fail "lines over 100 columns"
    expect_status 0 hlo-reduce --version
}

@test "real dumps shrink to a handful of instructions in less than a minute of processor time each" {
    [ -n "$HLO_CORPUS" ] || skip "no corpus (HLO_CORPUS)"
    while read -r file pattern; do
        from=$SECONDS
        expect_status 0 cpu_seconds 60 hlo-reduce --test "grep -q '$pattern'" -o small.hlo "$HLO_CORPUS/$file.hlo"
        grep -q "$pattern" small.hlo
        hlo-verify small.hlo
        [ "$(instructions small.hlo)" -lt 10 ] || fail "$file: $(cat small.hlo)"
        echo "$file: $(cat "$err"), $((SECONDS - from)) s"
    done <<'ROWS'
imagenette-1gpu-predict_step reduce-window(
qwen3_14b-train-train_step scatter(
bench-diffrax.b380012920 cosine(
siglip-train-train_step logistic(\|tanh(
ROWS
}

@test "dimensions become smaller while the command succeeds" {
    cat >wide.hlo <<'END'
HloModule wide
ENTRY e {
  a = f32[96,40] parameter(0)
  b = f32[40,24] parameter(1)
  d = f32[96,24] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[96,24] tanh(d)
}
END
    expect_status 0 hlo-reduce --test 'grep -q " dot("' -o small.hlo wide.hlo
    expect_text small.hlo "{(f32[1,1]{1,0})->f32[1,1]{1,0}}"
    # A size that the command needs stays, with what depends on it.
    expect_status 0 hlo-reduce --test 'grep -q " dot(" && grep -q "\[96,40\]"' -o small.hlo wide.hlo
    expect_text small.hlo "{(f32[96,40]{1,0}, f32[40,1]{1,0})->f32[96,1]{1,0}}"
}
