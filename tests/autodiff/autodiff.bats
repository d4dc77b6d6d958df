# autodiff: gradients as text, what is refused, and the values of the cases in
# tests/golden/control-flow/gradients.tar.gz. tests/unit/gradients_test.c compares with differences.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

# gradient_case CASE TO PASSES: the case with the gradient as its module: inputs and cotangents go in, results and
# gradients come out. The status is that of hlo-opt.
gradient_case() {
    local n=0 stem k wrt=
    mkdir "$2"
    cp "$1/case.json" "$2"
    for stem in in ct; do
        for ((k = 0; k < 64; k++)); do
            if [ -e "$1/$stem$k.npy" ]; then cp "$1/$stem$k.npy" "$2/in$((n++)).npy"; fi
        done
    done
    n=0
    for stem in out grad_in; do
        for ((k = 0; k < 64; k++)); do
            [ -e "$1/$stem$k.npy" ] || continue
            cp "$1/$stem$k.npy" "$2/out$((n++)).npy"
            if [ $stem = grad_in ]; then wrt+=,$k; fi
        done
    done
    hlo-opt --verify-each --large-constants --passes="$(printf "$3" "${wrt#,}")" "$1/module.hlo" >"$2/module.hlo" 2>"$2.err"
}

# judge_cases ARCHIVE PASSES [N]: runs all cases, or every Nth in a sample, %s being the numbers of parameters; those that hlo-opt
# refuses are in `refused`.
judge_cases() {
    local case name why
    tar -xzf "$HLO_ROOT/tests/$1" -C "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    mkdir made results
    for case in $(if [ "${3:-}" ]; then one_of "$3" g-*/; else printf '%s\n' g-*/; fi); do
        name=${case%/}
        if gradient_case "$name" "made/$name" "$2"; then echo "made/$name results/$name"; else echo "$name" >>refused; fi
    done >list
    "$HLO_BUILD/tools/golden_run" <list >ran
    while IFS=$'\t' read -r case why; do
        if [ -n "$why" ]; then bad "$case" "$why"; else echo "$case results/${case#made/}"; fi
    done <ran >judge
    "$HLO_BUILD/tools/npy_compare" <judge >judged
    while IFS=$'\t' read -r case why; do
        if [ -n "$why" ]; then bad "$case" "$why"; else ok; fi
    done <judged
    [ "$(wc -l <judged)" = "$(wc -l <list)" ] || bad judged "not all cases ran"
}

@test "loops and conditionals, with stacks" {
    begin_cases
    judge_cases golden/control-flow/gradients.tar.gz 'autodiff{wrt=%s}'
    [ ! -e refused ] || bad autodiff "refused: $(cat refused)"
    [ "$(wc -l <list)" -ge 98 ] || bad list "only $(wc -l <list) cases"
    end_cases
}

@test "the same with static arrays, where the numbers of iterations are known" {
    begin_cases
    judge_cases golden/control-flow/gradients.tar.gz 'autodiff{wrt=%s,static}' 3
    ! grep -l 'stack-create' made/*/module.hlo || bad autodiff "there are stacks"
    for name in $(cat refused); do
        grep -q "operation 'while' of .* has no known trip count" "made/$name.err" || bad "$name" "$(cat "made/$name.err")"
    done
    [ "$(wc -l <list)" -ge "$(whole 77 10)" ] || bad list "only $(wc -l <list) cases"
    end_cases
}

@test "functions of jax.scipy.special, at integers, poles and ends of their domains" {
    begin_cases
    judge_cases autodiff/gradients/special.tar.gz 'autodiff{wrt=%s}'
    [ ! -e refused ] || bad autodiff "refused: $(cat refused)"
    [ "$(wc -l <list)" -ge 52 ] || bad list "only $(wc -l <list) cases"
    end_cases
}

@test "programs of JAX that call LAPACK" {
    begin_cases
    judge_cases autodiff/gradients/lapack.tar.gz 'autodiff{wrt=%s}'
    [ ! -e refused ] || bad autodiff "refused: $(cat refused)"
    [ "$(wc -l <list)" -ge 69 ] || bad list "only $(wc -l <list) cases"
    end_cases
}

@test "the program gets cotangents and returns gradients of the chosen parameters" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  n = s32[] parameter(1)
  p = ((f32[2], s32[]), f32[2]) parameter(2)
  a = (f32[2], s32[]) get-tuple-element(p), index=0
  b = f32[2] get-tuple-element(a), index=0
  c = f32[2] multiply(x, b)
  ROOT r = ((f32[2], s32[]), f32[2]) tuple(a, c)
}
END
    expect_status 0 hlo-opt --passes=autodiff m.hlo
    grep -q 'ENTRY .*(x: f32\[2\], n: s32\[\], p: ((f32\[2\], s32\[\]), f32\[2\]), cotangent: f32\[2\], cotangent.1: f32\[2\]) -> (f32\[2\], s32\[\], f32\[2\], f32\[2\], ((f32\[2\]), f32\[2\]))' "$out" ||
        fail "$(cat "$out")"
    expect_status 0 hlo-opt --passes='autodiff{wrt=0}' m.hlo
    grep -q -- '-> (f32\[2\], s32\[\], f32\[2\], f32\[2\])' "$out" || fail "$(cat "$out")"
    expect_status 1 hlo-opt --passes='autodiff{wrt=1}' m.hlo
    grep -q 'parameter 1 has no floating array' "$err"
    expect_status 1 hlo-opt --passes='autodiff{wrt=0,3}' m.hlo
    grep -q 'there is no parameter 3' "$err"
}

@test "an operation without gradient is an error with the path over it" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  a = f32[2] sine(x)
  b = (f32[2], s32[]) custom-call(a), custom_call_target="someone"
  c = f32[2] get-tuple-element(b), index=0
  ROOT d = f32[2] add(c, y)
}
END
    expect_status 1 hlo-opt --passes=autodiff m.hlo
    grep -q "^m.hlo:6:3: error: operation 'custom-call' of 'b' calls \"someone\", which has no gradient \[gradient\]" "$err" || fail "$(cat "$err")"
    grep -q "the result depends on a parameter through: d <- c <- b <- a <- x" "$err" || fail "$(cat "$err")"
    expect_status 0 hlo-opt --passes='autodiff{wrt=1}' m.hlo
}

@test "routines of LAPACK without a derivative are refused by their name, and so are forms of others" {
    cd "$BATS_TEST_TMPDIR"
    for call in 'sytrd (f64[2,2], f64[2], f64[1], f64[1], s32[]) {uplo=76:ui8}' 'gees (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) {mode=86:ui8,sort=78:ui8}' \
        'gehrd (f64[2,2], f64[1], s32[]) {low=1:i32,high=2:i32}'; do
        read -r routine shape <<<"$call"
        printf 'HloModule m\nENTRY e {\n  x = f64[2,2] parameter(0)\n  b = %s custom-call(x), custom_call_target="lapack_d%s_ffi", api_version=API_VERSION_TYPED_FFI, backend_config=%s\n' \
            "${shape% *}" "$routine" "${shape##* }" >m.hlo
        printf '  ROOT r = f64[2,2] get-tuple-element(b), index=0\n}\n' >>m.hlo
        expect_status 1 hlo-opt --passes=autodiff m.hlo
        grep -q "operation 'custom-call' of 'b' calls \"lapack_d${routine}_ffi\", which has no gradient \[gradient\]" "$err" || fail "$(cat "$err")"
    done
    printf 'HloModule m\nENTRY e {\n  x = f64[2,2] parameter(0)\n  t = f64[2] parameter(1)\n  ROOT q = f64[2,2] custom-call(x, t), custom_call_target="lapack_dorgqr_ffi"\n}\n' >m.hlo
    expect_status 1 hlo-opt --passes=autodiff m.hlo
    grep -q "has a gradient only for results of geqrf or geqp3" "$err" || fail "$(cat "$err")"
}

@test "a call of TopK whose results are not its values and positions is refused" {
    cd "$BATS_TEST_TMPDIR"
    for shape in '(f32[2,4,4], f32[2,4], s32[2])' '(f32[2,4], s32[2])' '(f32[2,4,9], s32[2,4,9])' '(f32[2,4,3])'; do
        printf 'HloModule m\nENTRY e {\n  x = f32[2,4,4] parameter(0)\n  b = %s custom-call(x), custom_call_target="TopK"\n  ROOT r = get-tuple-element(b), index=0\n}\n' "$shape" >m.hlo
        sed -i "s/ROOT r = /ROOT r = $(sed -E 's/^\((f32\[[0-9,]*\]).*/\1/' <<<"$shape") /" m.hlo
        expect_status 1 hlo-opt --passes=autodiff m.hlo
        grep -q "does not have its target's operands and results" "$err" || fail "$shape: $(cat "$err")"
    done
}

# refused LINES REASON: the operation r, of x: f32[4], has no gradient, for that reason.
refused() {
    printf 'HloModule m, replica_count=2\nmul { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] multiply(a, b) }\n' >m.hlo
    printf 'less { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=LT }\n' >>m.hlo
    printf 'ENTRY e {\n  x = f32[4] parameter(0)\n  i = s32[1] parameter(1)\n  n = s32[] parameter(2)\n%s\n}\n' "$1" >>m.hlo
    expect_status 1 hlo-opt --passes='autodiff{wrt=0}' m.hlo
    grep -q "error: operation '[a-z-]*' of 'r' $2 \[gradient\]" "$err" || fail "$(cat "$err")"
}

@test "forms of operations that have no gradient" {
    cd "$BATS_TEST_TMPDIR"
    refused '  ROOT r = f32[2] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=mul' 'has a gradient only for add, maximum or minimum'
    refused '  ROOT r = f32[4] collective-broadcast(x, i), replica_groups={{0,1}}, has_dynamic_root=true' 'has no gradient when its operands select the senders'
    refused '  part = f32[<=4] set-dimension-size(x, n), dimensions={0}
  ROOT r = f32[<=4] sort(part), dimensions={0}, to_apply=less' 'has no gradient for arrays of dynamic sizes'
}

@test "markers hand a cotangent on, and TopK to the places of what it took" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] multiply(x, x)
  s = f32[4] custom-call(y), custom_call_target="annotate_device_placement", custom_call_has_side_effect=true
  k = (f32[2], s32[2]) custom-call(s), custom_call_target="TopK"
  ROOT r = f32[2] get-tuple-element(k), index=0
}
END
    hlo-opt --verify-each --passes=autodiff m.hlo | hlo-run - <(echo 'f32[4] {1, 4, 2, 3}') <(echo 'f32[2] {10, 1}') >"$BATS_TEST_TMPDIR/out.txt"
    grep -q '{16, 9}, {0, 80, 0, 6}' out.txt || fail "$(cat out.txt)"
}

@test "stacks have no gradient" {
    cd "$BATS_TEST_TMPDIR"
    hlo-opt --passes=autodiff "$HLO_ROOT/tests/autodiff/machine.hlo" >once.hlo
    expect_status 1 hlo-opt --passes=autodiff once.hlo
    grep -q "^once.hlo:[0-9]*:3: error: operation 'stack-create' of 'stack-create[.0-9]*' has no gradient" "$err" || fail "$(cat "$err")"
}

@test "loops with scatters and gathers: the default pipeline keeps gradients with stacks valid, in all forms" {
    cd "$BATS_TEST_TMPDIR"
    cat >unknown.hlo <<'HLO'
HloModule scatters
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
two { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3) e = f32[] add(a, c) f = f32[] add(b, d) ROOT t = (f32[], f32[]) tuple(e, f) }
cond { s = (s32[], f32[2,4], f32[2,4], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=3 ROOT l = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[2,4], f32[2,4], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2,4] get-tuple-element(s), index=1
  y = f32[2,4] get-tuple-element(s), index=2
  n = s32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ids = s32[2,3] broadcast(i), dimensions={}
  u = f32[2,3] slice(x), slice={[0:2],[0:3]}
  v = f32[2,3] sine(u)
  b = f32[2,4] scatter(y, ids, v), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add
  p = f32[2,4] tanh(b)
  q = f32[2,4] multiply(p, x)
  z = f32[0,3] slice(x), slice={[0:0],[0:3]}
  zi = s32[0,1] constant({})
  zz = f32[2,4] copy(q)
  g = f32[0,4] gather(zz, zi), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  gs = f32[0,4] sine(g)
  q2 = f32[2,4] scatter(q, zi, gs), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  ii = s32[1] broadcast(i), dimensions={}
  r1 = f32[1,4] slice(p), slice={[0:1],[0:4]}
  r2 = f32[1,4] slice(q), slice={[1:2],[0:4]}
  sc = (f32[2,4], f32[2,4]) scatter(p, q2, ii, r1, r2), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=two
  e = f32[2,4] get-tuple-element(sc), index=0
  f = f32[2,4] get-tuple-element(sc), index=1
  ROOT t = (s32[], f32[2,4], f32[2,4], s32[]) tuple(j, e, f, n)
}
ENTRY m { x = f32[2,4] parameter(0) y = f32[2,4] parameter(1) n = s32[] parameter(2)
  z = s32[] constant(0)
  t = (s32[], f32[2,4], f32[2,4], s32[]) tuple(z, x, y, n)
  w = (s32[], f32[2,4], f32[2,4], s32[]) while(t), condition=cond, body=body
  a = f32[2,4] get-tuple-element(w), index=1
  b = f32[2,4] get-tuple-element(w), index=2
  ROOT o = (f32[2,4], f32[2,4]) tuple(a, b) }
HLO
    sed 's/n = s32\[\] get-tuple-element(s), index=3 ROOT/n = s32[] constant(3) ROOT/' unknown.hlo >known.hlo
    sed 's/condition=cond, body=body/&, backend_config={"known_trip_count":{"n":"3"}}/' unknown.hlo >stated.hlo
    hlo-opt --passes='autodiff{wrt=0,1,static}' known.hlo -o arrays.hlo
    echo 's32[] 3' >n.txt
    run_gradient() { hlo-run --inputs=hash --input n=n.txt "$@" >ran 2>&1 || fail "$*: $(cat ran)"; }
    run_gradient --engine=reference --output-dir=arrays.npz arrays.hlo
    for module in unknown known stated; do
        for first in '' default; do
            hlo-opt --verify-each ${first:+--pipeline=$first} $module.hlo -o first.hlo
            hlo-opt --verify-each --passes='autodiff{wrt=0,1}' first.hlo -o stacks.hlo
            grep -q stack-push stacks.hlo || fail "$module: no stacks"
            hlo-opt --verify-each --pipeline=default stacks.hlo -o optimised.hlo
            for form in text json proto; do
                hlo-opt --emit=$form optimised.hlo -o optimised.$form
                expect_status 0 hlo-verify optimised.$form
                hlo-opt optimised.$form | cmp - optimised.text
            done
            for engine in fast reference; do
                run_gradient --engine=$engine --expect=arrays.npz --rtol=1e-4 --atol=1e-6 optimised.json
            done
        done
    done
}
