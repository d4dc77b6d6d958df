#!/usr/bin/env bats
# Inputs that nest as deep as they may, or deeper, read and run by programs whose stack has 256 KiB.

load ../lib
load ../cases

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/inputs"
    cd "$BATS_FILE_TMPDIR/inputs"
    write_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR/inputs"
    stack=256
    # Frames of a sanitizer are larger.
    [ "$(basename "${HLO_BUILD:-build}")" = build ] || stack=4096
}

teardown_file() { sum_cases; }

# N times the text.
times() { awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) printf "%s", text }'; }

# N lines, `%d` for the number and `%e` for the number before. (With gsub, mawk takes time by the square of N.)
chain() {
    awk -v n="$1" -v line="$2" 'BEGIN {
        parts = split(line, text, "%")
        for (i = 1; i < n; i++) {
            s = text[1]
            for (k = 2; k <= parts; k++) s = s (text[k] ~ /^d/ ? i : i - 1) substr(text[k], 2)
            print s
        }
    }'
}

write_inputs() {
    local open close
    open=$(times 990 '(') close=$(times 990 ')')
    printf 'HloModule m\nENTRY e { ROOT c = %ss32[]%s constant(%s1%s) }\n' "$open" "$close" "$open" "$close" >literal.hlo
    printf 'HloModule m\nENTRY e { ROOT p = %ss32[]%s parameter(0) }\n' "$open" "$close" >shape.hlo
    { printf 'HloModule m\nENTRY e {\n p0 = f32[] parameter(0)\n'
      chain 990 ' p%d = tuple(p%e)'
      echo ' ROOT r = tuple(p989)'; echo '}'; } >tuples.hlo
    { printf 'HloModule m\nENTRY e {\n p0 = () tuple()\n'
      chain 60 ' p%d = tuple(p%e, p%e)'
      echo ' ROOT r = tuple(p59)'; echo '}'; } >empty_tuples.hlo
    { printf 'HloModule m\nf.0 { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n'
      chain 2000 'f.%d { p = f32[] parameter(0) ROOT n = f32[] call(p), to_apply=f.%e }'
      echo 'ENTRY e { p = f32[] parameter(0) ROOT n = f32[] call(p), to_apply=f.1999 }'; } >calls.hlo
    { printf 'HloModule m\nf.0 { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n'
      chain 180 'f.%d { p = f32[] parameter(0) k = pred[] constant(true) ROOT n = f32[] conditional(k, p, p), true_computation=f.%e, false_computation=f.%e }'
      echo 'ENTRY e { p = f32[] parameter(0) ROOT n = f32[] call(p), to_apply=f.179 }'; } >conditionals.hlo
    { printf 'HloModule m\nENTRY e {\n p0 = f32[] parameter(0)\n'
      chain 30000 ' p%d = f32[] negate(p%e)'
      echo ' ROOT r = f32[] negate(p29999)'; echo '}'; } >instructions.hlo
    { printf 'HloModule m\nENTRY e {\n p0 = f32[] parameter(0)\n ROOT r = '
      times 900 'f32[] negate('; printf p0; times 900 ')'; printf '\n}\n'; } >nested_operands.hlo
    { printf 'HloModule m\nb0 { p = s32[] parameter(0)\n ROOT n = s32[] negate(p) }\n'
      printf 'c { p = s32[] parameter(0)\n k = s32[] constant(0)\n ROOT l = pred[] compare(p, k), direction=LT }\n'
      chain 1000 'b%d { p = s32[] parameter(0) w = s32[] while(p), condition=c, body=b%e ROOT n = s32[] negate(w) }'
      echo 'ENTRY e { p = s32[] parameter(0) ROOT n = s32[] while(p), condition=c, body=b999 }'; } >whiles.hlo
    for f in literal shape tuples calls conditionals instructions nested_operands whiles; do
        hlo-verify $f.hlo || fail "$f.hlo is no module"
    done
    for f in literal shape whiles; do
        hlo-opt --passes= --emit=json $f.hlo >$f.json
        hlo-opt --passes= --emit=proto $f.hlo >$f.pb
    done
    { printf '{"name":"m","x":'; times 1900 '['; times 1900 ']'; echo '}'; } >unknown.json
    { printf '{"name":"m","x":'; times 1900 '{"a":'; echo "1$(times 1900 '}')}"; } >unknown_objects.json
    { printf '{"computations":[{"instructions":[{"shape":'; times 2000 '{"tupleShapes":['; times 2000 ']}'; echo '}]}]}'; } >too_deep.json
    { printf 'HloModule m\nENTRY e {\n ROOT p = f32[] parameter(0), frontend_attributes={a="'
      times 5000 '{'; times 5000 '}'; printf '"}, sharding='; times 3000 '{'; times 3000 '}'; printf '\n}\n'; } >attributes.hlo
}

@test "deep inputs on a stack of 256 KiB" {
    begin_cases
    for f in *.hlo *.json *.pb; do
        while read -r command; do
            status=0
            (ulimit -s "$stack"; within 100 $command "$f") >out 2>&1 </dev/null || status=$?
            if [ "$status" -le 3 ]; then ok; else bad "$f" "$command ends with status $status"; fi
        done <<'COMMANDS'
hlo-verify --warn=all
hlo-opt
hlo-opt --passes=copy-insertion
hlo-opt --emit=json --passes=
hlo-opt --emit=proto --passes=
hlo-run --inputs=ones --threads=1
hlo-run --inputs=ones --threads=1 --engine=reference
hlo-run --inputs=ones --threads=1 --executor=dataflow
hlo-dot
hlo-stat
COMMANDS
    done
    end_cases
}

@test "fusions that nest without a limit are copied" {
    cd "$BATS_TEST_TMPDIR"
    { printf 'HloModule m\nf.0 { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n'
      chain 2000 'f.%d { p = f32[] parameter(0) ROOT n = f32[] fusion(p), kind=kLoop, calls=f.%e }'
      echo 'g { p = f32[] parameter(0) ROOT n = f32[] fusion(p), kind=kLoop, calls=f.1999 }'
      echo 'ENTRY e { p = f32[] parameter(0) ROOT n = f32[] call(p), to_apply=g }'; } >fusions.hlo
    (ulimit -s "$stack"; expect_status 0 hlo-opt --passes=call-inliner fusions.hlo)
    [ "$(grep -c 'fusion(' out)" = 4000 ] || fail "$(grep -c 'fusion(' out) fusions, originals and copies"
}

@test "messages that nest as deep as texts may are read back as those" {
    begin_cases
    for f in literal shape whiles; do
        hlo-opt --passes= $f.hlo >wanted
        for form in json pb; do
            (ulimit -s "$stack"; hlo-opt --passes= "$f.$form") >got 2>err || bad "$f.$form" "$(head -c 400 err)"
            if cmp wanted got; then ok; else bad "$f.$form" "is another module"; fi
        done
    done
    (ulimit -s "$stack"; hlo-verify too_deep.json) >out 2>&1 && bad too_deep.json "is taken"
    if grep -q 'messages nest more than 1050 deep' out; then ok; else bad too_deep.json "$(head -c 400 out)"; fi
    end_cases
}
