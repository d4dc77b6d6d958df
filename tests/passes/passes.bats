# Passes and pipelines: what `hlo-opt --passes=` accepts, and what each pass leaves of a module.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# left PASSES < BODY: runs the passes over the computations and prints, a line per computation in order
# of names, which instructions are left: `main: x y`.
left() {
    { printf 'HloModule m%s\n\n' "${header:-}"; cat; } >in.hlo
    hlo-opt --passes="$1" in.hlo >out.hlo || return
    awk '/\{$/ && !/ = / { name = $1 == "ENTRY" ? $2 : $1; line = substr(name, 2) ":"; next }
        / = / { sub(/^ *(ROOT )?%/, ""); line = line " " $1; next }
        /^}/ { print line }' out.hlo | sort
}

expect_left() {
    local wanted=$1 got
    got=$(left "${passes:-dce}") || fail "hlo-opt failed"
    [ "$got" = "$wanted" ] || fail "left:" "$got" "wanted:" "$wanted"
}

# ---- pipelines ----

@test "pipelines: empty, blanks, either dash, options, fix" {
    printf %s "$good_module" >good.hlo
    hlo-opt --passes= good.hlo >plain
    for passes in dce 'dce,dce' ' dce , dce ' 'fix(dce)' 'fix(dce,fix(dce),dce)' 'fix()' \
        'dce{remove_cross_partition_collective_ops=true}' \
        'dce{remove-cross-partition-collective-ops=false},dce' 'dce{}'; do
        hlo-opt --passes="$passes" good.hlo >out || fail "$passes is refused"
        cmp out plain
    done
}

@test "what a pass has changed can be read, where XLA's order of computations cannot" {
    cat >order.hlo <<'H'
HloModule m
B { p = f32[] parameter(0) ROOT r = abs(p) }
A { p = f32[] parameter(0) ROOT r = call(p), to_apply=B }
ENTRY e {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  dead = negate(x)
  ROOT c = conditional(i, x, x, x), branch_computations={A,B,A}
}
H
    hlo-opt --passes=dce order.hlo >out
    hlo-verify out
    hlo-opt --passes=dce out | cmp - out
}

@test "pipelines: mistakes are shown with their place and the nearest name" {
    printf %s "$good_module" >good.hlo
    while IFS='|' read -r passes place text; do
        expect_status 2 hlo-opt --passes="$passes" good.hlo
        expect_text "$err" "--passes:1:$place: error: "
        expect_text "$err" "$text"
        [ ! -s "$out" ] || fail "$passes: something was printed"
    done <<'CASES'
dcf|1|did you mean 'dce'?
dce,nothing-like-it|5|unknown pass 'nothing-like-it'
dce,|5|expected the name of a pass, but the pipeline ends
,dce|1|expected the name of a pass, got ','
dce dce|5|expected ',' or the end of the pipeline
dce)|4|expected ',' or the end of the pipeline, got ')'
fix dce|5|expected '(' after fix
fix(dce|8|expected ',' or ')', but the pipeline ends
dce{remove_cross_partition_collective_op=true}|5|did you mean 'remove_cross_partition_collective_ops'?
dce{x=1}|5|unknown option 'x' of pass 'dce'
replicate{count}|16|expected '=' after the name of an option
dce{remove_cross_partition_collective_ops=1}|43|takes true or false, got '1'
dce{remove_cross_partition_collective_ops=true|47|expected ',' or '}'
autodiff{wrt=x}|14|expected numbers
float-normalization{type=f99}|26|takes an element type, got 'f99'
float-normalization-f99|1|unknown pass 'float-normalization-f99'
dce-bf16|1|unknown pass 'dce-bf16'
CASES
    passes=$(printf 'fix(%.0s' {1..17})dce$(printf ')%.0s' {1..17})
    expect_status 2 hlo-opt --passes="$passes" good.hlo
    expect_text "$err" "nests at most 16 deep"
}

@test "every row of pass.def is listed with its options" {
    hlo-opt --list-passes >listed
    sed -n 's/^HLO_PASS([A-Z_]*, "\([^"]*\)".*/\1/p' "$HLO_ROOT/src/passes/pipeline/pass.def" >rows
    [ -s rows ]
    while read -r name; do expect_text listed "$name"; done <rows
    expect_text listed remove_cross_partition_collective_ops
}

@test "pipelines: rewrites are switches, and print-pipeline writes what parses to the same" {
    while IFS='|' read -r passes wanted; do
        expect_status 0 hlo-opt --print-pipeline --passes="$passes"
        [ "$(cat "$out")" = "$wanted" ] || fail "$passes: $(cat "$out")"
        expect_status 0 hlo-opt --print-pipeline --passes="$wanted"
        [ "$(cat "$out")" = "$wanted" ] || fail "$wanted: $(cat "$out")"
    done <<'CASES'
 dce , fix( cse,tuple_simplifier )|dce,fix(cse,tuple-simplifier)
cse{same_computation=false}|cse{same_computation=false}
dce{rewrites=false,dead-instruction=true}|dce{rewrites=false,dead_instruction=true}
dce{rewrites=false,rewrites=true}|dce
dce{remove_cross_partition_collective_ops}|dce{remove_cross_partition_collective_ops=true}
autodiff{wrt=0,2,static}|autodiff{wrt=0,2,static=true}
dce{remove_cross_partition_collective_ops=true,dead_instruction=false}|dce{remove_cross_partition_collective_ops=true,dead_instruction=false}
float_normalization_f8e5m2|float-normalization{type=f8e5m2}
CASES
    expect_status 2 hlo-opt --passes='cse{dead_instruction=false}'
    expect_text "$err" "unknown option 'dead_instruction'"
    expect_status 2 hlo-opt --passes='cse{same_computatio=false}'
    expect_text "$err" "did you mean 'same_computation'?"
}

@test "pipelines with a name are listed, printed and run" {
    hlo-opt --list-pipelines >listed
    for name in $(sed -n 's/^HLO_PIPELINE([A-Z]*, "\([^"]*\)",.*/\1/p' "$HLO_ROOT/src/passes/pipeline/pipelines.def"); do
        expect_text listed "$name: "
        expect_status 0 hlo-opt --pipeline="$name" --print-pipeline
        [ -s "$out" ] || fail "$name is empty"
        grep -qF "    $(cat "$out")" listed || fail "$name is listed differently"
    done
    expect_status 2 hlo-opt --pipeline=nothing
    expect_text "$err" "unknown pipeline 'nothing'"
    expect_status 2 hlo-opt --pipeline=default --passes=dce
    expect_text "$err" "mutually exclusive"
}

@test "--explain lists options and rewrites of every pass" {
    for name in $(hlo-opt --list-passes | awk '/^  [^ ]/ { print $1 }'); do
        expect_status 0 hlo-opt --explain "$name"
        expect_text "$out" "$name ("
        expect_text "$out" "rewrites, each with its own switch"
    done
    expect_status 2 hlo-opt --explain dxe
    expect_text "$err" "unknown pass 'dxe'"
    expect_text "$err" "did you mean 'dce'?"
}

# Three rewrites of two passes.
watched='HloModule watched

ENTRY main {
  x = s32[1] parameter(0)
  zero = s32[1] constant({0})
  a = s32[1] add(x, zero)
  b = s32[1] add(zero, a)
  dead = s32[1] negate(b)
  ROOT y = s32[1] abs(b)
}'

@test "watching: modules before and after, what changed, times, counts" {
    printf '%s\n' "$watched" >in.hlo
    expect_status 0 hlo-opt --passes=dce,algsimp --print-ir-before=algsimp in.hlo
    expect_text "$err" "// before pass 2, algsimp"
    [ "$(grep -c '^HloModule' "$err")" = 1 ]
    expect_status 0 hlo-opt --passes='dce,algsimp{subtract_zero=false}' --print-ir-after in.hlo
    expect_text "$err" "// after pass 1, dce"
    expect_text "$err" "// after pass 2, algsimp{subtract_zero=false}"
    for as in --print-after-all --print-ir-after-all --mlir-print-ir-after-all; do
        expect_status 0 hlo-opt --passes=dce,algsimp $as in.hlo
        [ "$(grep -c '^// after pass' "$err")" = 2 ] && [ "$(grep -c '^HloModule' "$err")" = 2 ] || fail "$as: $(cat "$err")"
    done
    for as in --print-before-all --print-ir-before-all --mlir-print-ir-before-all; do
        expect_status 0 hlo-opt --passes=dce,algsimp $as in.hlo
        [ "$(grep -c '^// before pass' "$err")" = 2 ] || fail "$as: $(cat "$err")"
    done
    expect_status 2 hlo-opt --passes=dce --print-ir-after=nothing in.hlo
    expect_text "$err" "unknown pass 'nothing'; --list-passes names the passes"
    for as in --print-after --print-ir-after --mlir-print-ir-after; do
        expect_status 0 hlo-opt --passes=dce,algsimp $as=algsimp,cse in.hlo
        [ "$(grep '^// after pass' "$err")" = "// after pass 2, algsimp" ] || fail "$as: $(cat "$err")"
        expect_status 2 hlo-opt --passes=dce $as=algsmp in.hlo
        expect_text "$err" "unknown pass 'algsmp'; did you mean 'algsimp'?"
    done
    expect_status 0 hlo-opt --passes=dce,algsimp --print-before=dce in.hlo
    [ "$(grep '^// before pass' "$err")" = "// before pass 1, dce" ] || fail "$(cat "$err")"
    expect_status 2 hlo-opt --print-after in.hlo
    expect_text "$err" "--print-ir-after=PASS,..."
    expect_status 2 hlo-opt --passes=dce --print-ir-before=dce, in.hlo
    expect_status 0 hlo-opt --passes=dce,algsimp,cse --print-ir-after=algebraic_simplifier,hlo-cse in.hlo
    [ "$(grep '^// after' "$err" | tr '\n' ' ')" = "// after pass 2, algsimp // after pass 3, cse " ] || fail "$(cat "$err")"
    expect_status 0 hlo-opt --passes=dce,algsimp,cse --print-changed in.hlo
    expect_text "$err" "// changed by pass 1, dce"
    expect_text "$err" "-  %dead = s32[1]{0} negate(%b)"
    expect_text "$err" "+  ROOT %y = s32[1]{0} abs(%x)"
    ! grep -q "pass 3" "$err"
    expect_status 0 hlo-opt --passes=dce,algsimp,dce --time-passes --stats in.hlo
    grep -q "^dce  *2  *1 " "$err" || fail "$(cat "$err")"
    grep -q "^algsimp  *add_zero  *2$" "$err"
    grep -q "^instructions  *6  *2$" "$err"
    grep -q "^all passes  *3$" "$err"
    grep -q "^flops  *4  *1$" "$err"
}

@test "--print-changed compares computations by name: their order is no change" {
    printf '%s\n' 'HloModule m' '' 'f {' '  p = f32[] parameter(0)' '  ROOT n = f32[] negate(p)' '}' '' \
        'g {' '  q = f32[] parameter(0)' '  ROOT s = f32[] sine(q)' '}' '' 'ENTRY e {' '  x = f32[] parameter(0)' \
        '  dead = f32[] call(x), to_apply=f' '  a = f32[] call(x), to_apply=g' \
        '  ROOT b = f32[] call(a), to_apply=f' '}' >in.hlo
    expect_status 0 hlo-opt --passes=dce --print-changed in.hlo
    [ "$(grep -n '^%f ' "$out" | cut -d: -f1)" = 8 ] # it stood before %g
    printf '%s\n' '// changed by pass 1, dce' '@@ line 13 @@ %e' ' ENTRY %e (x: f32[]) -> f32[] {' \
        '   %x = f32[] parameter(0)' '-  %dead = f32[] call(%x), to_apply=%f' \
        '   %a = f32[] call(%x), to_apply=%g' '   ROOT %b = f32[] call(%a), to_apply=%f' ' }' | diff - "$err"
    # What is inlined is gone, what is outlined is new.
    expect_status 0 hlo-opt --passes=call-inliner,dce --print-changed in.hlo
    expect_text "$err" '@@ line 3 @@ %f'
    expect_text "$err" '-  ROOT %n = f32[] negate(%p)'
    sed 's/a = f32\[\] call(x), to_apply=g/a = f32[] sine(x), metadata={op_name="jit(f)\/layer"}/' in.hlo >deep.hlo
    expect_status 0 hlo-opt --passes='outline{prefix="jit(f)/layer",name=layer}' --print-changed deep.hlo
    expect_text "$err" '@@ added @@ %layer'
    expect_text "$err" '+%layer '
}

@test "--pass-limit stops anywhere, and the result is a valid module" {
    printf '%s\n' "$watched" >in.hlo
    for limit in 0 1 2 3 4; do
        expect_status 0 hlo-opt --passes=dce,algsimp --pass-limit=$limit --verify-each --stats in.hlo
        hlo-verify "$out"
        grep -q "^all passes  *$((limit < 3 ? limit : 3))$" "$err" || fail "$limit: $(cat "$err")"
    done
}

@test "--bisect finds the rewrite that breaks a command" {
    printf '%s\n' "$watched" >in.hlo
    expect_status 0 hlo-opt --passes=dce,algsimp --bisect 'grep -q "add(%x, %zero)"' in.hlo
    expect_text "$out" "rewrite 2 of 3: add_zero of algsimp at a"
    expect_text "$out" "-  %a = s32[1]{0} add(%x, %zero)"
    expect_status 0 hlo-opt --passes=dce,algsimp --bisect 'grep -q abs' in.hlo
    expect_text "$out" "the command succeeds after all rewrites"
    expect_status 1 hlo-opt --passes=dce,algsimp --bisect 'grep -q nothing-like-it' in.hlo
    expect_text "$out" "the command fails before the first rewrite"
    [ "$(cat "$err")" = "hlo-opt: note: the command exited with status 1; --verbose shows what it writes" ] || fail "$(cat "$err")"
    expect_status 0 hlo-opt --passes=dce,algsimp --bisect 'echo said; grep -q "add(%x, %zero)" <{}; exit $?' in.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    expect_text "$out" "rewrite 2 of 3: add_zero of algsimp at a"
    expect_status 0 hlo-opt -v --passes=dce,algsimp --bisect 'echo said; grep -q abs' in.hlo
    expect_text "$err" "said"
    expect_status 1 hlo-opt --passes=dce,algsimp --bisect no-such-command in.hlo
    expect_text "$err" "hlo-opt: warning: the command exited with status 127: not found"
    expect_status 1 hlo-opt --passes=dce,algsimp --timeout=1 --bisect 'sleep 60; true' in.hlo
    expect_text "$err" "hlo-opt: warning: the command timed out"
    expect_status 2 hlo-opt --bisect true in.hlo
    expect_text "$err" "--bisect requires --passes"
}

@test "--bisect: candidates have all constants, and its last lines give both modules" {
    {
        printf 'HloModule m\n\nENTRY e {\n  x = s32[12] parameter(0)\n'
        printf '  c = s32[12] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})\n  zero = s32[] constant(0)\n'
        printf '  z = s32[12] broadcast(zero), dimensions={}\n  y = s32[12] add(x, z)\n  ROOT r = s32[12] multiply(y, c)\n}\n'
    } >"it's.hlo"
    expect_status 0 hlo-opt --passes='algsimp{add_zero=true}' --bisect '! grep -q "\.\.\." {} && grep -q "add("' "it's.hlo"
    expect_text "$out" "add_zero of algsimp at y"
    grep '^good: ' "$out" | sed 's/^good: //' >good.sh
    grep '^bad: ' "$out" | sed 's/^bad: *//' >bad.sh
    sh good.sh | grep -q "add("
    sh bad.sh >bad.hlo
    ! grep -q "add(" bad.hlo || fail "$(cat bad.sh bad.hlo)"
    grep -q "constant({1, 2, 3, 4" bad.hlo
}

@test "XLA's flags: dumps are written, the others mean nothing here" {
    printf '%s\n' "$watched" >in.hlo
    mkdir dumps
    expect_status 0 hlo-opt --platform cpu in.hlo
    expect_text "$err" "--platform is ignored"
    expect_status 0 hlo-opt --xla_dump_to=made in.hlo # without passes, too
    [ "$(ls made | tr '\n' ' ')" = "module_0000.watched.after_optimizations.txt module_0000.watched.before_optimizations.txt " ]
    expect_status 3 hlo-opt --xla_dump_to=no/such/folder in.hlo
    expect_status 0 hlo-opt --platform=cpu --xla_cpu_enable_fast_math=false --xla_dump_to=dumps --passes=dce,algsimp,cse in.hlo
    expect_text "$err" "--platform=cpu is ignored"
    expect_text "$err" "--xla_cpu_enable_fast_math=false is ignored"
    [ "$(ls dumps | tr '\n' ' ')" = "module_0000.watched.0001.after_dce.txt module_0000.watched.0002.after_algsimp.txt module_0000.watched.after_optimizations.txt module_0000.watched.before_optimizations.txt " ] || fail "$(ls dumps)"
    cmp dumps/module_0000.watched.after_optimizations.txt "$out"
    # Of some passes and modules, in some form; XLA_FLAGS has the same effect.
    local passes=--passes=dce,algsimp,cse some="module_0000.watched.0001.after_dce.FORM module_0000.watched.after_optimizations.FORM module_0000.watched.before_optimizations.FORM "
    for flags in --xla_dump_hlo_pass_re='^dc|none' "--xla_dump_hlo_pass_re=dce --xla_dump_hlo_as_text" \
        "--xla_dump_hlo_pass_re=dce --xla_dump_hlo_as_proto=false --xla_dump_hlo_as_text=true --xla_dump_hlo_module_re=watch"; do
        rm -r dumps
        # shellcheck disable=SC2086 # several flags
        expect_status 0 hlo-opt --xla_dump_to=dumps $flags $passes in.hlo
        [ "$(ls dumps | tr '\n' ' ')" = "${some//FORM/txt}" ] || fail "$flags: $(ls dumps)"
        [ ! -s "$err" ] || fail "$(cat "$err")"
        rm -r dumps
        XLA_FLAGS="--xla_dump_to=dumps --xla_x=1 $flags" expect_status 0 hlo-opt $passes in.hlo
        [ "$(ls dumps | tr '\n' ' ')" = "${some//FORM/txt}" ] || fail "XLA_FLAGS=$flags: $(ls dumps)"
    done
    rm -r dumps
    expect_status 0 hlo-opt --xla_dump_to=dumps --xla_dump_hlo_as_proto --xla_dump_hlo_pass_re=dce $passes in.hlo
    [ "$(ls dumps | tr '\n' ' ')" = "${some//FORM/hlo.pb}" ] || fail "$(ls dumps)"
    hlo-opt dumps/module_0000.watched.after_optimizations.hlo.pb | cmp - "$out"
    XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_proto --xla_dump_hlo_as_text" expect_status 0 hlo-opt $passes in.hlo
    [ "$(find dumps -name '*.txt' | wc -l)$(find dumps -name '*.hlo.pb' | wc -l)" = 44 ] || fail "$(ls dumps)"
    expect_status 0 hlo-opt --xla_dump_to=none --xla_dump_hlo_module_re='^atched' $passes in.hlo
    [ -z "$(ls none)" ]
    expect_status 2 hlo-opt --xla_dump_to=none --xla_dump_hlo_pass_re='(' in.hlo
    expect_text "$err" "'(' is not a regular expression"
}

@test "names, metadata, shardings and frontend attributes are handed on; control dependencies stay" {
    cat >in.hlo <<'HLO'
HloModule m

ENTRY main {
  x = s32[1] parameter(0)
  n = s32[1] negate(x)
  zero = s32[1] constant({0})
  a = s32[1] add(n, zero), sharding={replicated}, frontend_attributes={key="value"}, metadata={op_name="a"}
  b = s32[1] add(n, zero)
  c = s32[1] abs(b), control-predecessors={b}
  ROOT y = (s32[1], s32[1]) tuple(a, c)
}
HLO
    expect_status 0 hlo-opt --passes=algsimp in.hlo
    expect_text "$out" '%n = s32[1]{0} negate(%x), sharding={replicated}, frontend_attributes={key="value"}, metadata={op_name="a"}'
    expect_text "$out" '%b = s32[1]{0} add(%n, %zero)'
    expect_text "$out" 'control-predecessors={%b}'
}

@test "the result's sharding does not become a parameter's" {
    cat >in.hlo <<'HLO'
HloModule m

ENTRY main {
  x = bf16[8] parameter(0)
  ROOT y = bf16[8] copy(x), sharding={devices=[8]0,1,2,3,4,5,6,7}
}
HLO
    expect_status 0 hlo-opt --passes=algsimp in.hlo
    expect_text "$out" 'ROOT %y = bf16[8]{0} copy(%x), sharding='
    expect_text "$out" '%x = bf16[8]{0} parameter(0)'
}

@test "other names of passes" {
    sed -n 's/^HLO_PASS_ALIAS([A-Z_]*, "\([^"]*\)")$/\1/p' "$HLO_ROOT/src/passes/pipeline/pass.def" >aliases
    [ -s aliases ]
    while read -r name; do expect_status 0 hlo-opt --print-pipeline --passes="$name"; done <aliases
    [ "$(hlo-opt --print-pipeline --passes=while_loop_simplifier)" = simplify-while-loops ]
}

@test "halves of asynchronous calls stay together, whatever their results become" {
    expect_status 0 hlo-opt --verify-each --passes=zero_sized_hlo_elimination - <<'END'
HloModule m

wrapped {
  p = f32[0,2] parameter(0)
  ROOT n = f32[0,2] negate(p)
}

ENTRY main {
  a = f32[0,2] parameter(0)
  s = ((f32[0,2]), f32[0,2], u32[]) async-start(a), calls=wrapped
  u = ((f32[0,2]), f32[0,2], u32[]) async-update(s)
  d = f32[0,2] async-done(u)
  ROOT t = f32[0,2] abs(d)
}
END
    ! grep -q 'abs' "$out" || fail "$(cat "$out")"
    # What followed the result is left to dce, which checks effects.
    cp "$out" left.hlo
    expect_status 0 hlo-opt --verify-each --passes=dce left.hlo
    ! grep -q 'negate' "$out" || fail "$(cat "$out")"
}

@test "defuser keeps fusions that control dependencies tie, and leaves no body without a fusion" {
    expect_status 0 hlo-opt --verify-each --passes=defuser - <<'END'
HloModule m

inner {
  a = f32[4] parameter(0)
  ROOT b = f32[4] negate(a)
}

other {
  a = f32[4] parameter(0)
  ROOT b = f32[4] exponential(a)
}

outer {
  c = f32[4] parameter(0)
  n = f32[4] fusion(c), kind=kLoop, calls=inner
  m = f32[4] fusion(c), kind=kLoop, calls=other, control-predecessors={n}
  ROOT e = f32[4] add(n, m)
}

ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] fusion(x), kind=kOutput, calls=outer
}
END
    [ "$(grep -c ' fusion(' "$out")" -eq 2 ] || fail "$(cat "$out")"
    [ "$(grep -c '{$' "$out")" -eq 3 ] || fail "$(cat "$out")"
    expect_text "$out" 'control-predecessors={%n.1}'
    cp "$out" once.hlo
    expect_status 0 hlo-opt --verify-each --passes=defuser once.hlo
    cmp "$out" once.hlo
}

@test "defuser keeps fusions that run in one step with keep_clusters" {
    cat >in.hlo <<'END'
HloModule m

small {
  a = f32[2,4] parameter(0)
  b = f32[8] bitcast(a)
  e = f32[8] exponential(b)
  ROOT t = (f32[8], f32[8]) tuple(b, e)
}

large {
  a = f32[100] parameter(0)
  ROOT b = f32[100] negate(a)
}

turned {
  a = f32[2,4]{1,0} parameter(0)
  b = f32[4,2]{0,1} bitcast(a)
  ROOT s = f32[4,2]{0,1} sine(b)
}

update {
  a = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  ROOT d = f32[8] dynamic-update-slice(a, u, i)
}

ENTRY main {
  x = f32[2,4] parameter(0)
  y = f32[100] parameter(1)
  u = f32[2] parameter(2)
  i = s32[] parameter(3)
  s = (f32[8], f32[8]) fusion(x), kind=kLoop, calls=small
  e = f32[8] get-tuple-element(s), index=1
  l = f32[100] fusion(y), kind=kLoop, calls=large
  t = f32[4,2]{0,1} fusion(x), kind=kLoop, calls=turned
  d = f32[8] fusion(e, u, i), kind=kLoop, calls=update
  ROOT r = (f32[8], f32[100], f32[4,2]{0,1}) tuple(d, l, t)
}
END
    expect_status 0 hlo-opt --verify-each --passes='defuser{keep_clusters=true}' in.hlo
    [ "$(grep -o 'calls=%.*' "$out" | tr '\n' ' ')" = "calls=%small calls=%large " ] || fail "$(cat "$out")"
    expect_status 0 hlo-opt --verify-each --passes=defuser in.hlo
    ! grep -q ' fusion(' "$out" || fail "$(cat "$out")"
}

@test "layout_normalization keeps layouts of parameters, results, loops and tied instructions" {
    cat >in.hlo <<'END'
HloModule m

body {
  s = (s32[], f32[2,3]{0,1}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[2,3]{0,1} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[2,3]{0,1} add(a, a)
  ROOT t = (s32[], f32[2,3]{0,1}) tuple(next, twice)
}

condition {
  s = (s32[], f32[2,3]{0,1}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(i, three), direction=LT
}

ENTRY main {
  x = f32[2,3]{0,1} parameter(0)
  zero = s32[] constant(0)
  state = (s32[], f32[2,3]{0,1}) tuple(zero, x)
  loop = (s32[], f32[2,3]{0,1}) while(state), condition=condition, body=body
  y = f32[2,3]{0,1} get-tuple-element(loop), index=1
  tied = f32[2,3]{0,1} negate(y)
  other = f32[2,3]{0,1} exponential(y), control-predecessors={tied}
  z = f32[2,3]{0,1} abs(other)
  ROOT r = (f32[2,3]{0,1}, f32[2,3]{0,1}) tuple(tied, z)
}
END
    expect_status 0 hlo-opt --verify-each --passes=layout_normalization in.hlo
    expect_text "$out" '->(f32[2,3]{0,1}, f32[2,3]{0,1})}'
    expect_text "$out" 'f32[3,2]{1,0} add('
    expect_text "$out" '%tied = f32[2,3]{0,1} negate('
    expect_text "$out" '%loop = (s32[], f32[2,3]{0,1}) while('
    expect_text "$out" 'f32[3,2]{1,0} abs('
    cp "$out" once.hlo
    expect_status 0 hlo-opt --verify-each --passes=layout_normalization once.hlo
    cmp "$out" once.hlo
    hlo-run in.hlo --inputs=hash >a.txt
    hlo-run once.hlo --inputs=hash >b.txt
    cmp a.txt b.txt
}

@test "layout-assignment keeps what reads memory as it lies, and satisfies the layout-sensitive verifier" {
    cat >in.hlo <<'END'
HloModule m, entry_computation_layout={(f32[2,3]{0,1}, f32[2,3]{1,0})->(f32[2,3]{0,1}, f32[3,2]{1,0}, f32[6]{0}, f32[2,3]{0,1})}

fused {
  p = f32[2,3]{0,1} parameter(0)
  ROOT q = f32[2,3]{0,1} negate(p)
}

called {
  p = f32[2,3]{0,1} parameter(0)
  ROOT q = f32[2,3]{0,1} sine(p)
}

ENTRY main {
  x = f32[2,3] parameter(0)
  y = f32[2,3] parameter(1)
  a = f32[2,3]{0,1} add(x, y)
  f = f32[2,3]{0,1} fusion(a), kind=kLoop, calls=fused
  c = f32[2,3]{0,1} call(f), to_apply=called
  swapped = f32[3,2] bitcast(c)
  i = f32[2,3]{0,1} iota(), iota_dimension=0
  flat = f32[6] bitcast(i)
  b = f32[2,3]{0,1} opt-barrier(a)
  ROOT r = (f32[2,3], f32[3,2], f32[6], f32[2,3]) tuple(x, swapped, flat, b)
}
END
    expect_status 0 hlo-opt --verify-each --passes=layout-assignment in.hlo
    cp "$out" once.hlo
    expect_text once.hlo '%a = f32[2,3]{1,0} add('
    expect_text once.hlo '%f = f32[2,3]{0,1} fusion(%copy'
    expect_text once.hlo '%c = f32[2,3]{1,0} call(%copy'
    expect_text once.hlo '%swapped = f32[3,2]{1,0} bitcast(%copy'
    expect_text once.hlo '%i = f32[2,3]{0,1} iota('
    expect_text once.hlo '%b = f32[2,3]{0,1} opt-barrier(%copy'
    expect_status 0 hlo-verify --layout-sensitive --verify-layout-changes once.hlo
    expect_status 0 hlo-opt --verify-each --passes=layout-assignment once.hlo
    cmp "$out" once.hlo
    hlo-run in.hlo --inputs=hash >a.txt
    hlo-run once.hlo --inputs=hash >b.txt
    cmp a.txt b.txt
    # Nothing but parameters, results and what is fixed has another layout afterwards.
    expect_status 0 hlo-opt --verify-each --passes=defuser,call-inliner,layout-assignment,layout_normalization in.hlo
    [ "$(grep -c ']{0,1} [a-z]' "$out")" -eq "$(grep -cE ']\{0,1\} (parameter|bitcast|opt-barrier)' "$out")" ] ||
        fail "$(cat "$out")"
}

@test "bodies of fusions hold nothing dead after a pass" {
    expect_status 0 hlo-opt --verify-each --passes=call-inliner --print=short - <<'END'
HloModule m

takes_one {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  unused = f32[2] negate(b)
  ROOT r = f32[2] abs(a)
}

fused {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  e = f32[2] exponential(q)
  ROOT c = f32[2] call(p, e), to_apply=takes_one
}

ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT f = f32[2] fusion(x, y), kind=kLoop, calls=fused
}
END
    expect_text "$out" 'fusion(x), kind=kLoop'
    ! grep -q 'exponential\|parameter(1).*q' "$out" || fail "$(cat "$out")"
}

# ---- what no pass may do ----

# All passes that keep values, each after the other, twice.
# The pass that takes fences away is left out.
all_passes() {
    hlo-opt --list-passes | awk '/^  [^ ]/ && $1 != "cse_barrier_expander" { print $1 }' | while read -r name; do
        hlo-opt --explain "$name" | head -n 1 | grep -q 'changes \(signature\|values\)\|canonicalize\|(dataflow,' || printf '%s,' "$name"
    done | sed 's/,$//'
}

@test "an opt-barrier is a fence: nothing is moved, merged, folded or removed across it" {
    cat >in.hlo <<'HLO'
HloModule fence

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  fence_zeros = f32[4] opt-barrier(zeros)
  not_folded = f32[4] add(x, fence_zeros)
  n = f32[4] negate(x)
  fence_n = f32[4] opt-barrier(n)
  not_undone = f32[4] negate(fence_n)
  t = (f32[4], f32[4]) tuple(x, y)
  fence_t = (f32[4], f32[4]) opt-barrier(t)
  not_taken = f32[4] get-tuple-element(fence_t), index=0
  fence_x = f32[4] opt-barrier(x)
  fence_x_too = f32[4] opt-barrier(x)
  not_zero = f32[4] subtract(fence_x, fence_x_too)
  r = f32[2,2] reshape(x)
  fence_r = f32[2,2] opt-barrier(r)
  not_flat = f32[4] reshape(fence_r)
  ROOT all = (f32[4], f32[4], f32[4], f32[4], f32[4]) tuple(not_folded, not_undone, not_taken, not_zero, not_flat)
}
HLO
    hlo-opt --verify-each --passes="fix($(all_passes))" in.hlo >out.hlo
    [ "$(grep -c ' opt-barrier(' out.hlo)" = 6 ] || fail "$(cat out.hlo)"
    for name in not_folded not_undone not_taken not_zero not_flat; do
        grep -q "%$name = " out.hlo || fail "$name is gone:" "$(cat out.hlo)"
    done
}

@test "side effects stay and keep their order; control dependencies hold" {
    cat >in.hlo <<'HLO'
HloModule effects

step {
  p = f32[] parameter(0)
  ROOT keep = f32[] custom-call(p), custom_call_target="keep", custom_call_has_side_effect=true
}

ENTRY main {
  x = f32[] parameter(0)
  zero = f32[] constant(0)
  one = f32[] constant(1)
  t = token[] after-all()
  in1 = (f32[], token[]) infeed(t)
  t1 = token[] get-tuple-element(in1), index=1
  in2 = (f32[], token[]) infeed(t1)
  t2 = token[] get-tuple-element(in2), index=1
  a = f32[] get-tuple-element(in1), index=0
  out = token[] outfeed(a, t2), outfeed_shape=f32[]
  r1 = f32[] rng(zero, one), distribution=rng_uniform
  r2 = f32[] rng(zero, one), distribution=rng_uniform
  r = f32[] subtract(r1, r2)
  c1 = f32[] call(x), to_apply=step
  c2 = f32[] call(x), to_apply=step
  pure1 = f32[] custom-call(x), custom_call_target="pure"
  pure2 = f32[] custom-call(x), custom_call_target="pure"
  first = f32[] negate(x)
  second = f32[] add(x, zero), control-predecessors={first}
  ROOT all = (f32[], f32[], f32[], f32[], f32[]) tuple(r, c1, pure1, pure2, second)
}
HLO
    hlo-opt --verify-each --passes="fix($(all_passes))" in.hlo >out.hlo
    [ "$(grep -c ' infeed(' out.hlo)" = 2 ]
    [ "$(grep -c ' rng(' out.hlo)" = 2 ]
    [ "$(grep -c 'custom_call_target="keep"' out.hlo)" -ge 2 ]
    [ "$(grep -c 'custom_call_target="pure"' out.hlo)" = 1 ]
    expect_text out.hlo "infeed(%t1)"
    expect_text out.hlo "outfeed(%a, %t2)"
    expect_text out.hlo "%second = f32[] add(%x, %zero), control-predecessors={%first}"
}

@test "isolate: a name as an option, and mistakes" {
    printf '%s\n' "$watched" >in.hlo
    expect_status 0 hlo-opt --passes='isolate{instruction=%a},strip-metadata' in.hlo
    expect_text "$out" 'ROOT %a = s32[1]{0} add(%parameter, %zero.1)'
    expect_status 0 hlo-opt --passes='isolate{instruction=%a}' --print-pipeline
    [ "$(cat "$out")" = 'isolate{instruction=a}' ]
    expect_status 1 hlo-opt --passes='isolate{instruction=nobody}' in.hlo
    expect_text "$err" "the module has no instruction 'nobody'"
    expect_status 2 hlo-opt --passes='isolate{instruction=}' in.hlo
    expect_text "$err" "expected a name"
}

@test "extract: the cone of an instruction, a computation, mistakes" {
    cat >in.hlo <<'E'
HloModule m

inner { q = f32[4] parameter(0) ROOT i = f32[4] abs(q) }

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] negate(x)
  b = f32[4] add(a, x)
  last = token[] after-all()
  c = f32[4] call(b), to_apply=inner, control-predecessors={a}
  d = f32[4] multiply(c, y)
  ROOT r = (f32[4], token[]) tuple(d, last)
}
E
    expect_status 0 hlo-opt --passes='extract{instruction=%c}' in.hlo
    expect_text "$out" "ENTRY %extracted (x: f32[4]) -> f32[4] {"
    expect_text "$out" "ROOT %c = f32[4]{0} call(%b), to_apply=%inner"
    [ "$(grep -c ' = ' "$out")" = 6 ]
    cp "$out" c.hlo
    hlo-opt --passes='extract{instruction=c}' c.hlo | cmp c.hlo -
    for height in 0 1 2 3; do
        hlo-opt --passes="extract{instruction=d,height=$height}" in.hlo >height.hlo
        hlo-verify height.hlo
        sed -n '/^ENTRY/,$p' height.hlo | grep ' = ' | grep -vc parameter
    done | paste -sd ' ' | grep -qx '1 2 3 4'
    expect_status 0 hlo-opt --passes='extract{computation=inner}' in.hlo
    expect_text "$out" "ENTRY %inner (q: f32[4]) -> f32[4] {"
    if grep -q main "$out"; then fail "the caller is still there"; fi
    # The beginning of a name, as everywhere; and mistakes.
    hlo-opt --passes='extract{computation=inn}' in.hlo | cmp - "$out"
    hlo-opt --passes='extract' in.hlo | cmp - <(hlo-opt in.hlo)
    expect_status 1 hlo-opt --passes='extract{computation=inmer}' in.hlo
    expect_text "$err" "the module has no computation 'inmer'"
    expect_text "$err" "did you mean 'inner'?"
    expect_status 1 hlo-opt --passes='extract{instruction=lats}' in.hlo
    expect_text "$err" "did you mean 'last'?"
    expect_status 1 hlo-opt --passes='extract{instruction=c,computation=inner}' in.hlo
    expect_status 1 hlo-opt --passes='extract{height=2}' in.hlo
    expect_text "$err" "extract: height= needs instruction="
}

@test "a name that several begin with is answered with these" {
    { printf 'HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n'
      for i in $(seq 7); do echo "  dot_$i = f32[] negate(x)"; done
      echo '}'; } >in.hlo
    list="hint: 7 names begin so: 'dot_1', 'dot_2', 'dot_3', 'dot_4', 'dot_5', ..."
    expect_status 1 hlo-opt --passes='extract{instruction=dot}' in.hlo
    expect_text "$err" "$list"
    expect_status 2 hlo-run --inputs=ones --only=dot in.hlo
    expect_text "$err" "$list"
    expect_status 2 hlo-dot --around=%dot in.hlo
    expect_text "$err" "$list"
    expect_status 2 hlo-run --inputs=ones --only=dot_11 in.hlo
    expect_text "$err" "hint: did you mean 'dot_1'?"
}

@test "cost: as XLA's analysis counts" {
    # flops, transcendentals, bytes: those of hlo_module_cost_analysis of jaxlib for each
    check() {
        hlo-opt --passes=cse{rewrites=false} --stats "$1.hlo" 2>stats >/dev/null
        got=$(awk '/^flops/ { f = $2 } /^transcendentals/ { t = $2 } /^bytes/ { b = $3 } END { print f, t, b }' stats)
        [ "$got" = "$2" ] || fail "$1: $got instead of $2"
    }
    cat >dot.hlo <<'HLO'
HloModule dot
ENTRY main {
  a = f32[8,16] parameter(0)
  b = f32[16,4] parameter(1)
  d = f32[8,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[8,4] exponential(d)
  t = f32[4,8] transpose(e), dimensions={1,0}
  ROOT s = f32[2,8] slice(t), slice={[0:2], [0:8]}
}
HLO
    cat >conv.hlo <<'HLO'
HloModule conv
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[1,8,8,3] parameter(0)
  k = f32[3,3,3,4] parameter(1)
  c = f32[1,8,8,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  z = f32[] constant(0)
  ROOT r = f32[4] reduce(c, z), dimensions={0,1,2}, to_apply=sum
}
HLO
    check dot "1024 32 1536"
    check conv "11868 0 3268"
}

# ---- dce ----

@test "dce: unused instructions go with the operands that only they used" {
    expect_left "main: x one y" <<'HLO'
ENTRY main {
  x = f32[4] parameter(0)
  one = f32[4] negate(x)
  dead = f32[4] add(x, one)
  deader = f32[4] multiply(dead, dead)
  c = f32[4] constant({1, 2, 3, 4})
  deadest = f32[4] add(c, dead)
  ROOT y = f32[4] abs(one)
}
HLO
}

@test "dce: nothing dead, nothing changed" {
    printf %s "$good_module" >good.hlo
    hlo-opt --passes= good.hlo >plain
    hlo-opt --passes=dce good.hlo >out
    cmp plain out
}

@test "dce: parameters of the entry and of called computations stay" {
    expect_left $'f: b a r\nmain: x y z' <<'HLO'
f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] negate(a)
}
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] call(x, y), to_apply=f
}
HLO
}

@test "dce: side effects stay with what they need" {
    expect_left "main: t i x o low high r cc y" <<'HLO'
ENTRY main {
  x = f32[4] parameter(0)
  t = token[] after-all()
  i = (f32[4], token[]) infeed(t)
  o = token[] outfeed(x, t), outfeed_shape=f32[4]
  low = f32[] constant(0)
  high = f32[] constant(1)
  r = f32[4] rng(low, high), distribution=rng_uniform
  cc = f32[4] custom-call(x), custom_call_target="keep", custom_call_has_side_effect=true
  gone = f32[4] custom-call(x), custom_call_target="free"
  ROOT y = f32[4] negate(x)
}
HLO
}

@test "dce: a side effect inside what is called counts, at any depth" {
    expect_left $'deep: d out\nmain: x y z\nwrap: w c' <<'HLO'
deep {
  d = f32[] parameter(0)
  ROOT out = f32[] custom-call(d), custom_call_target="keep", custom_call_has_side_effect=true
}
wrap {
  w = f32[] parameter(0)
  ROOT c = f32[] call(w), to_apply=deep
}
pure {
  p = f32[] parameter(0)
  ROOT q = f32[] negate(p)
}
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=wrap
  gone = f32[] call(x), to_apply=pure
  ROOT z = f32[] negate(x)
}
HLO
}

@test "dce: collectives go unless a channel or a fixed layout pins them" {
    body='add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  free = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  channel = f32[4] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add
  layout = f32[4] all-gather(x), replica_groups={}, dimensions={0}, constrain_layout=true
  ROOT y = f32[4] negate(x)
}'
    expect_left $'add: a b s\nmain: x channel layout y' <<<"$body"
    passes='dce{remove_cross_partition_collective_ops=true}'
    expect_left 'main: x layout y' <<<"$body"
}

@test "dce: control dependencies hold both ends" {
    expect_left "main: x before after y" <<'HLO'
ENTRY main {
  x = f32[] parameter(0)
  before = f32[] negate(x)
  after = f32[] abs(x), control-predecessors={before}
  gone = f32[] add(x, x)
  ROOT y = f32[] negate(x)
}
HLO
}

@test "dce: async operations go or stay as a whole" {
    expect_left 'main: x start2 done2 y' <<'HLO'
idle {
  i = f32[4] parameter(0)
  ROOT j = f32[4] custom-call(i), custom_call_target="free"
}
work {
  w = f32[4] parameter(0)
  ROOT k = f32[4] custom-call(w), custom_call_target="keep", custom_call_has_side_effect=true
}
ENTRY main {
  x = f32[4] parameter(0)
  start1 = ((f32[4]), f32[4], s32[]) async-start(x), calls=idle
  update1 = ((f32[4]), f32[4], s32[]) async-update(start1)
  done1 = f32[4] async-done(update1)
  start2 = ((f32[4]), f32[4], s32[]) async-start(x), calls=work
  done2 = f32[4] async-done(start2)
  ROOT y = f32[4] negate(x)
}
HLO
}

@test "dce: a dangling sharding annotation stays while its operand lives on its own account" {
    expect_left "main: x a note y" <<'HLO'
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] add(x, x)
  note = f32[4] custom-call(a), custom_call_target="Sharding", sharding={replicated}
  b = f32[4] subtract(x, x)
  gone = f32[4] custom-call(b), custom_call_target="Sharding", sharding={replicated}
  ROOT y = f32[4] multiply(a, a)
}
HLO
}

@test "dce: a token that gathers effects stays" {
    expect_left "main: x t o all y" <<'HLO'
ENTRY main {
  x = f32[] parameter(0)
  t = token[] after-all()
  o = token[] outfeed(x, t), outfeed_shape=f32[]
  all = token[] after-all(o, t)
  ROOT y = f32[] negate(x)
}
HLO
}

@test "dce: loops are kept by xla_disable_while_loop_dce and the like" {
    loops='cond {
  c = s32[] parameter(0)
  ten = s32[] constant(10)
  ROOT less = pred[] compare(c, ten), direction=LT
}
body {
  b = s32[] parameter(0)
  ROOT next = s32[] add(b, b)
}
ENTRY main {
  x = s32[] parameter(0)
  loop = s32[] while(x), condition=cond, body=bodyFRONTEND
  ROOT y = s32[] negate(x)
}'
    expect_left "main: x y" <<<"${loops/FRONTEND/}"
    for key in xla_disable_while_loop_dce xla.disable_while_loop_dce xla_preserve_tuple_indices; do
        for value in true 1 Yes; do
            expect_left $'body: b next\ncond: c ten less\nmain: x loop y' \
                <<<"${loops/FRONTEND/, frontend_attributes={$key=\"$value\"\}}"
        done
    done
    expect_left "main: x y" <<<"${loops/FRONTEND/, frontend_attributes={xla_disable_while_loop_dce=\"no\"\}}"
}

@test "dce: uncalled computations are removed, with what only they called" {
    expect_left "main: x y" <<'HLO'
inner {
  i = f32[] parameter(0)
  ROOT j = f32[] negate(i)
}
outer {
  o = f32[] parameter(0)
  ROOT p = f32[] call(o), to_apply=inner
}
ENTRY main {
  x = f32[] parameter(0)
  gone = f32[] call(x), to_apply=outer
  ROOT y = f32[] negate(x)
}
HLO
}

@test "dce: a fusion loses unused outputs, then unused parameters, then its operands" {
    expect_left $'body: p0 p1 add\nmain: a b fusion' <<'HLO'
body {
  p0 = f32[8] parameter(0)
  p1 = f32[8] parameter(1)
  p2 = f32[8] parameter(2)
  add = f32[8] add(p0, p1)
  ROOT both = (f32[8], f32[8]) tuple(p2, add)
}
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  c = f32[8] negate(a)
  fusion = (f32[8], f32[8]) fusion(a, b, c), kind=kLoop, calls=body
  zero = f32[8] get-tuple-element(fusion), index=0
  ROOT one = f32[8] get-tuple-element(fusion), index=1
}
HLO
    expect_text out.hlo 'ROOT %fusion = f32[8]{0} fusion(%a, %b), kind=kLoop, calls=%body'
    expect_text out.hlo 'ROOT %add = '
}

@test "dce: outputs of a fusion that are left get new numbers" {
    expect_left $'body: p neg q s\nmain: a b fusion x z r' <<'HLO'
body {
  p = f32[8] parameter(0)
  unused = f32[8] parameter(1)
  q = f32[8] parameter(2)
  neg = f32[8] negate(p)
  ROOT s = (f32[8], f32[8], f32[8]) tuple(neg, unused, q)
}
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  fusion = (f32[8], f32[8], f32[8]) fusion(a, a, b), kind=kLoop, calls=body
  x = f32[8] get-tuple-element(fusion), index=0
  z = f32[8] get-tuple-element(fusion), index=2
  ROOT r = f32[8] add(x, z)
}
HLO
    expect_text out.hlo '%fusion = (f32[8]{0}, f32[8]{0}) fusion(%a, %b)'
    expect_text out.hlo '%z = f32[8]{0} get-tuple-element(%fusion), index=1'
    expect_text out.hlo '%q = f32[8]{0} parameter(1)'
    hlo-verify out.hlo
}

@test "dce: a fusion keeps outputs with an effect, and its shape as the root or with other users" {
    expect_left $'body: p cc neg s\nmain: a fusion x r' <<'HLO'
body {
  p = f32[8] parameter(0)
  add = f32[8] add(p, p)
  cc = f32[8] custom-call(p), custom_call_target="keep", custom_call_has_side_effect=true
  neg = f32[8] negate(p)
  ROOT s = (f32[8], f32[8], f32[8]) tuple(add, cc, neg)
}
ENTRY main {
  a = f32[8] parameter(0)
  fusion = (f32[8], f32[8], f32[8]) fusion(a), kind=kLoop, calls=body
  x = f32[8] get-tuple-element(fusion), index=2
  ROOT r = f32[8] negate(x)
}
HLO
    expect_left $'body: p neg s\nmain: a fusion' <<'HLO'
body {
  p = f32[8] parameter(0)
  neg = f32[8] negate(p)
  ROOT s = (f32[8], f32[8]) tuple(p, neg)
}
ENTRY main {
  a = f32[8] parameter(0)
  ROOT fusion = (f32[8], f32[8]) fusion(a), kind=kLoop, calls=body
  gone = f32[8] get-tuple-element(fusion), index=1
}
HLO
}

@test "dce: control successors of an only output wait for the fusion" {
    expect_left $'body: p q add\nmain: a b fusion second r' <<'HLO'
body {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  add = f32[8] add(p, q)
  ROOT s = (f32[8], f32[8]) tuple(p, add)
}
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  fusion = (f32[8], f32[8]) fusion(a, b), kind=kLoop, calls=body
  one = f32[8] get-tuple-element(fusion), index=1
  second = f32[8] add(a, b), control-predecessors={one}
  ROOT r = f32[8] add(second, one)
}
HLO
    expect_text out.hlo 'control-predecessors={%fusion}'
}

@test "dce: sweeps of 100,000 instructions take no time" {
    awk 'BEGIN {
        print "HloModule m\n\nENTRY main {\n  x = f32[] parameter(0)\n  n0 = f32[] negate(x)"
        for (i = 1; i < 100000; i++) printf "  n%d = f32[] negate(n%d)\n", i, i - 1
        print "  ROOT y = f32[] abs(x)\n}"
    }' >chain.hlo
    cpu_seconds 10 hlo-opt --passes=dce chain.hlo >out.hlo
    [ "$(grep -c ' = ' out.hlo)" = 2 ]
}

# ---- float-normalization ----

@test "float-normalization: one type, all small ones, and none that is wide already" {
    cat >in.hlo <<'HLO'
HloModule m

ENTRY main {
  a = bf16[2] parameter(0)
  b = f8e4m3fn[2] parameter(1)
  c = f16[2] parameter(2)
  d = f8e8m0fnu[2] parameter(3)
  aa = bf16[2] add(a, a)
  bb = f8e4m3fn[2] add(b, b)
  cc = f16[2] add(c, c)
  dd = f8e8m0fnu[2] add(d, d)
  ROOT t = (bf16[2], f8e4m3fn[2], f16[2], f8e8m0fnu[2]) tuple(aa, bb, cc, dd)
}
HLO
    while IFS='|' read -r pass types; do
        hlo-opt --verify-each --passes="$pass" in.hlo >out.hlo
        got=$(sed -n 's/.* = \([a-z0-9]*\)\[2\]{0} add(.*/\1/p' out.hlo | tr '\n' ' ')
        [ "$got" = "$types " ] || fail "$pass: $got"
    done <<'CASES'
float-normalization|f32 f16 f16 f32
float-normalization-bf16|f32 f8e4m3fn f16 f8e8m0fnu
float-normalization{type=f16}|bf16 f8e4m3fn f32 f8e8m0fnu
float-normalization-f8e5m2|bf16 f8e4m3fn f16 f8e8m0fnu
CASES
    for type in f32 f64 s4 pred; do
        expect_status 1 hlo-opt --passes="float-normalization-$type" in.hlo
        expect_text "$err" "'$type' is not a floating-point type narrower than f32"
    done
}

# Values of XLA's CPU compiler, which rounds to bf16 at each step of a reduce.
@test "float-normalization: a reducer that all-reduce and reduce share stays for the one, and is copied for the other" {
    cat >in.hlo <<'HLO'
HloModule main

sum {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  ROOT add = bf16[] add(x, y)
}

ENTRY main {
  a = bf16[4] constant({0.07666, 0.01331, 0.01819, -0.07715})
  all = bf16[4] all-reduce(a), replica_groups={}, to_apply=sum
  b = bf16[4,2] constant({{-0.0752, -0.01453}, {-0.06836, 0.003891}, {-0.08838, -0.04346}, {-0.04272, 0.04468}})
  init = bf16[] constant(0.02112)
  each = bf16[4] reduce(b, init), dimensions={1}, to_apply=sum
  ROOT both = (bf16[4], bf16[4]) tuple(all, each)
}
HLO
    hlo-opt --verify-each --large-constants --passes=float-normalization in.hlo >out.hlo
    expect_text out.hlo '%all = bf16[4]{0} all-reduce(%a), replica_groups={}, to_apply=%sum'
    expect_text out.hlo 'to_apply=%sum.clone'
    expect_text out.hlo 'ROOT %add = bf16[] add(%x, %y)'
    [ "$(grep -c '= f32.* reduce(' out.hlo)" = 1 ] || fail "$(cat out.hlo)"
    for engine in fast reference; do
        for replicas in 1 3; do
            hlo-run --engine=$engine --replicas=$replicas in.hlo | grep -o '{.*}, {' >before
            hlo-run --engine=$engine --replicas=$replicas out.hlo >after
            grep -o '{.*}, {' after | cmp before - || fail "the all-reduce has other values: $(cat after)"
            expect_text after '{-0.06885, -0.04346, -0.1108, 0.02307}'
        done
    done
}

# ---- dot-merger ----

@test "dot-merger: dots that depend on each other stay apart, of large ones at most one joins" {
    cat >in.hlo <<'HLO'
HloModule m

ENTRY main {
  x = f32[8,8] parameter(0)
  a = f32[8,4] parameter(1)
  b = f32[8,400] parameter(2)
  c = f32[8,400] parameter(3)
  xa = f32[8,4] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  xb = f32[8,400] dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  xc = f32[8,400] dot(x, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  xxa = f32[8,4] dot(x, xa), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  fence = f32[8,4] opt-barrier(a)
  xf = f32[8,4] dot(x, fence), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[8,4], f32[8,400], f32[8,400], f32[8,4], f32[8,4]) tuple(xa, xb, xc, xxa, xf)
}
HLO
    while IFS='|' read -r options dots; do
        hlo-opt --verify-each --passes="dot-merger$options" in.hlo >out.hlo
        [ "$(grep -c ' dot(' out.hlo)" = "$dots" ] || fail "dot-merger$options: $(cat out.hlo)"
    done <<'CASES'
|2
{max_size_to_merge=1000}|3
{max_size_to_merge=0}|5
{merge_dots=false}|5
CASES
}

@test "frontend attributes prevent inlining" {
    cat >in.hlo <<'HLO'
HloModule m

once {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}

off {
  p = f32[2] parameter(0)
  ROOT s = f32[2] sine(p)
}

goes {
  p = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(1)
  ROOT c = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(1)
  j = s32[] add(i, n)
  x = f32[2] get-tuple-element(p), index=1
  y = f32[2] cosine(x)
  ROOT t = (s32[], f32[2]) tuple(j, y)
}

ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] call(x), to_apply=once, frontend_attributes={inlineable="xla_late"}
  b = f32[2] call(a), to_apply=once, frontend_attributes={inlineable="false"}
  yes = pred[] constant(true)
  c = f32[2] conditional(yes, b, b), true_computation=once, false_computation=off, frontend_attributes={_scheduling_group_id="0"}
  zero = s32[] constant(0)
  t = (s32[], f32[2]) tuple(zero, c)
  ROOT w = (s32[], f32[2]) while(t), condition=goes, body=body, frontend_attributes={inlineable="false"}
}
HLO
    passes=call-inliner,simplify-conditional,simplify-while-loops
    expect_status 0 hlo-opt --verify-each --passes=$passes in.hlo
    for opcode in 'call(%x.1)' 'call(%a)' conditional while; do expect_text "$out" " $opcode"; done
    sed 's/_scheduling_group_id="0"/inlineable="false"/' in.hlo >called.hlo
    expect_status 0 hlo-opt --verify-each --passes=$passes called.hlo
    expect_text "$out" 'call(%b), to_apply=%once, frontend_attributes={inlineable="false"}'
    sed 's/, frontend_attributes={[^}]*}//' in.hlo >free.hlo
    expect_status 0 hlo-opt --verify-each --passes=$passes,dce free.hlo
    ! grep -qE ' (call|conditional|while)\(' "$out" || fail "$(cat "$out")"
}

@test "an array without elements stays where its constant would be long" {
    expect_status 0 hlo-opt --passes=zero_sized_hlo_elimination - <<'END'
HloModule m

ENTRY main {
  a = f32[1000000000000,0] iota(), iota_dimension=0
  b = f32[2,0,1000000000000] iota(), iota_dimension=0
  ROOT t = (f32[1000000000000,0], f32[2,0,1000000000000]) tuple(a, b)
}
END
    expect_text "$out" '%a = f32[1000000000000,0]{1,0} iota()'
    expect_text "$out" 'constant({ {  }, {  } })'
}

# ---- tools ----

# A loop, scopes in its body, and a control dependency.
layers='HloModule layers
body {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(s), index=1
  l1 = f32[4] sine(x), metadata={op_name="jit(f)/layer1/sin"}
  l2 = f32[4] cosine(l1), metadata={op_name="jit(f)/layer1/cos"}
  l10 = f32[4] tanh(l2), metadata={op_name="jit(f)/layer10/tanh"}
  ROOT t = (s32[], f32[4]) tuple(next, l10)
}
condition {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT more = pred[] compare(i, n), direction=LT
}
ENTRY main {
  p = f32[4] parameter(0)
  zero = s32[] constant(0)
  a = f32[4] abs(p), metadata={op_name="jit(f)/layer1"}
  start = (s32[], f32[4]) tuple(zero, a)
  loop = (s32[], f32[4]) while(start), condition=condition, body=body
  b = f32[4] get-tuple-element(loop), index=1
  c = f32[4] negate(b)
  w = f32[4] sqrt(c)
  v = f32[4] sign(c), control-predecessors={w}
  ROOT r = (f32[4], f32[4]) tuple(c, v)
}
'

@test "outline: by scope in each computation, by name with what lies between" {
    printf %s "$layers" >in.hlo
    hlo-opt --verify-each --passes='outline{prefix="jit(f)/layer1",name=first}' in.hlo >out.hlo
    [ "$(grep -c 'call(.*op_name="jit(f)/layer1"' out.hlo)" = 2 ] || fail "$(cat out.hlo)"
    grep -A8 '^%body' out.hlo | grep -q 'tanh(' || fail "layer10 is another scope: $(cat out.hlo)"
    [ "$(hlo-run --inputs=random in.hlo)" = "$(hlo-run --inputs=random out.hlo)" ]
    hlo-opt --passes='outline{prefix="jit(f)/layer1",name=first}' out.hlo | diff out.hlo -

    hlo-opt --verify-each --passes='outline{instructions="%a, %c"}' in.hlo >out.hlo
    grep -A9 '^%outlined ' out.hlo >new || fail "$(cat out.hlo)"
    for name in a start loop b c; do grep -q "%$name = " new || fail "$name is not there: $(cat new)"; done
    [ "$(hlo-run --inputs=random in.hlo)" = "$(hlo-run --inputs=random out.hlo)" ]

    # Outlined and inlined again: the same program.
    hlo-opt --passes=dce in.hlo >plain.hlo
    hlo-opt --passes='outline{instructions="a c"},call-inliner,dce' in.hlo >back.hlo
    hlo-diff plain.hlo back.hlo
}

@test "outline reports what cannot be outlined" {
    printf %s "$layers" >in.hlo
    while IFS='|' read -r options message; do
        expect_status 1 hlo-opt --passes="outline{$options}" in.hlo
        expect_text "$err" "error: outline: $message"
    done <<'END'
instructions=nobody|the module has no instruction 'nobody'
instructions=p|a parameter has no producer 'p'
instructions="a l1"|another computation than that of the first has 'l1'
instructions="w"|control dependencies tie 'w'
prefix="jit(f)/layer"|no instruction comes from 'jit(f)/layer'
END
    hlo-opt --passes=outline in.hlo | diff - <(hlo-opt --passes= in.hlo)
}

@test "texts of options are names or stand in quotes" {
    [ "$(hlo-opt --print-pipeline --passes='outline{ prefix = "a b/(c),{d}" , name=%n }')" = 'outline{prefix="a b/(c),{d}",name=n}' ]
    [ "$(hlo-opt --print-pipeline --passes='isolate{instruction="x.1"}')" = 'isolate{instruction=x.1}' ]
    expect_status 2 hlo-opt --passes='outline{prefix="a'
    expect_text "$err" "expected '\"' after the text, but the pipeline ends"
}

@test "replicate and shrink-constants: options" {
    cat >in.hlo <<'HLO'
HloModule m
ENTRY main {
  x = f32[2,3] parameter(0)
  k = f32[2,3] constant({{1, 2, 4}, {8, 16, 32}})
  ROOT z = f32[2,3] add(x, k)
}
HLO
    hlo-opt --verify-each --passes='replicate{count=3,share_parameters=true}' in.hlo >out.hlo
    [ "$(grep -c 'call(' out.hlo)" = 3 ] && grep -q 'entry_computation_layout={(f32\[2,3\]{1,0})->(f32' out.hlo || fail "$(cat out.hlo)"
    for count in 0 -1 1000001; do
        expect_status 1 hlo-opt --passes="replicate{count=$count}" in.hlo
        expect_text "$err" "replicate: count is $count and must be between 1 and 1000000"
    done
    hlo-opt --passes=shrink-constants in.hlo | grep -q 'constant({ { 1, 2, 4 }'
    hlo-opt --verify-each --passes='shrink-constants{min_elements=6,counting=true}' in.hlo >out.hlo
    expect_text out.hlo 'iota(), iota_dimension=1'
}

@test "copies of fusions and asynchronous calls own copies of their bodies" {
    cat >in.hlo <<'HLO'
HloModule m

fused {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}

wrapped {
  p = f32[2] parameter(0)
  ROOT s = f32[2] fusion(p), kind=kLoop, calls=fused
}

twice {
  p = f32[2] parameter(0)
  s = ((f32[2]), f32[2], u32[]) async-start(p), calls=wrapped
  u = ((f32[2]), f32[2], u32[]) async-update(s)
  d = f32[2] async-done(u)
  ROOT f = f32[2] fusion(d), kind=kLoop, calls={
    p = f32[2] parameter(0)
    ROOT a = f32[2] abs(p)
  }
}

ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] call(x), to_apply=twice
  b = f32[2] call(a), to_apply=twice
  ROOT c = f32[2] add(a, b)
}
HLO
    for passes in call-inliner,dce flatten-call-graph; do
        expect_status 0 hlo-opt --verify-each --passes=$passes in.hlo
        cp "$out" after.hlo
        expect_status 0 hlo-verify after.hlo
        [ "$(hlo-run --inputs=hash after.hlo)" = "$(hlo-run --inputs=hash in.hlo)" ] || fail "$passes"
        # Bodies are not shared.
        [ -z "$(grep -o 'calls=%[^,]*' after.hlo | sort | uniq -d)" ] || fail "$(cat after.hlo)"
    done
}

@test "convolutions of sparse arrays stay as they are" {
    for type in f32 bf16; do
        sed "s/TYPE/$type/g" >in.hlo <<'HLO'
HloModule sparse

ENTRY main {
  x = TYPE[1,8,4] parameter(0)
  values = TYPE[3,1,1] parameter(1)
  places = s32[3,1,1] parameter(2)
  kernel = (TYPE[3,1,1], s32[3,1,1]) tuple(values, places)
  ROOT y = TYPE[1,6,1] convolution(x, kernel), window={size=3}, dim_labels=b0f_0io->b0f, sparsity_config={rhs={sparsity=1x4 dimension=1 stride=1}}
}
HLO
        expect_status 0 hlo-opt --verify-each --stats --passes="fix($(all_passes))" in.hlo
        expect_text "$out" 'convolution(%x, %kernel)'
    done
}

@test "strip-metadata keeps what a verdict or a result depends on" {
    cat >in.hlo <<'HLO'
HloModule kept

f { ROOT a = f32[2] parameter(0) }

ENTRY main {
  x = f32[2] parameter(0), frontend_attributes={other="1"}
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}},other="2"}
  s = (f32[2], u32[], token[]) send(x, t), channel_id=1, control-predecessors={r}, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  sd = token[] send-done(s), channel_id=1
  rd = (f32[2], token[]) recv-done(r), channel_id=1
  d = f32[2] get-tuple-element(rd), index=0
  c = f32[2] call(d), to_apply=f, is_composite=true, frontend_attributes={composite.name="n",composite.version="1",other="3"}
  p = f32[2] call(c), to_apply=f, frontend_attributes={composite.name="n",other="4"}
  ROOT u = f32[2] custom-call(p), custom_call_target="xla_builder.none", backend_config="argument", frontend_attributes={other="5"}
}
HLO
    expect_status 0 hlo-opt --verify-each --passes='strip-metadata{frontend_attributes=true,backend_config=true}' in.hlo
    cp "$out" after.hlo
    if grep -q other after.hlo; then fail "$(cat after.hlo)"; fi
    [ "$(grep -c '_xla_send_recv_source_target_pairs={{0,1}}' after.hlo)" = 2 ] || fail "$(cat after.hlo)"
    expect_text after.hlo 'frontend_attributes={composite.name="n",composite.version="1"}'
    [ "$(grep -c 'composite.name' after.hlo)" = 1 ] || fail "$(cat after.hlo)"
    expect_text after.hlo 'backend_config="argument"'
    expect_status 0 hlo-opt --stats --passes='strip-metadata{frontend_attributes=true,backend_config=true}' after.hlo
    cmp after.hlo "$out"
}

# nested_conditionals DEPTH: 2^DEPTH computations if none is shared.
nested_conditionals() {
    echo "HloModule nest"
    echo "z0 { ROOT p = f32[] parameter(0) }"
    for ((k = 1; k <= $1; k++)); do
        echo "z$k { p = f32[] parameter(0) i = pred[] constant(true) ROOT r = f32[] conditional(i, p, p), true_computation=z$((k - 1)), false_computation=z$((k - 1)) }"
    done
    echo "ENTRY main { p = f32[] parameter(0) i = pred[] parameter(1) x = f32[] conditional(i, p, p), true_computation=z$1, false_computation=z$1 ROOT n = f32[] negate(x), sharding={replicated} }"
}

@test "computations are cloned until the module is 64 times as large, or 4096 instructions; max_growth sets the limit" {
    nested_conditionals 8 >small.hlo
    expect_status 0 hlo-opt --verify-each --passes=flatten-call-graph small.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    [ "$(grep -c 'conditional(' "$out")" = 511 ] || fail "$(grep -c 'conditional(' "$out")"
    for pass in copy-insertion lower-control-flow sharding-propagation; do
        expect_status 0 hlo-opt --verify-each --passes=$pass small.hlo
        [ ! -s "$err" ] || fail "$pass: $(cat "$err")"
    done
    nested_conditionals 40 >large.hlo
    expect_status 0 within 20 hlo-opt --verify-each --passes=flatten-call-graph large.hlo
    expect_text "$err" "warning: flatten-call-graph: some computations remain shared, as the module would have more than 8000 instructions; max_growth sets the limit [pipeline]"
    [ "$(wc -l <"$out")" -lt 20000 ]
    expect_status 0 within 20 hlo-opt --passes='flatten-call-graph{max_growth=1}' large.hlo
    [ "$(grep -c 'conditional(' "$out")" = 41 ] || fail "$(grep -c 'conditional(' "$out")"
    expect_status 0 within 20 hlo-opt --passes=copy-insertion large.hlo
    expect_text "$err" "warning: copy-insertion: no copies are inserted: without shared computations the module would have more than 8000 instructions; max_growth sets the limit [pipeline]"
    [ "$(grep -c 'conditional(' "$out")" = 41 ]
    expect_status 1 within 20 hlo-opt --passes=lower-control-flow large.hlo
    expect_text "$err" "the inlined graph would have more than 8000 instructions; max_growth sets the limit [limit]"
    expect_status 1 within 20 hlo-opt --passes=sharding-propagation large.hlo
    expect_text "$err" "the module would have more than 8000 instructions; max_growth sets the limit [limit]"
    sed 's/, sharding={replicated}//' large.hlo >plain.hlo
    expect_status 0 within 20 hlo-opt --passes=sharding-propagation plain.hlo
    expect_status 0 hlo-opt --passes='copy-insertion{max_growth=200}' small.hlo
}

@test "copy-insertion names the buffer that would have to be copied" {
    expect_status 1 hlo-opt --passes=copy-insertion "$HLO_ROOT/tests/differential/cases/two_buffers_live_in_a_loop.hlo"
    grep -q ":9:3: error: copy-insertion: 'unpinned' requires two buffers with interfering live ranges to be one, and buffers cannot be copied \[buffer-use\]$" "$err" || fail "$(cat "$err")"
}
