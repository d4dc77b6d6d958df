# hlo-run --inputs: indices that stay in their arrays, normally distributed numbers; --rtol=auto and what the
# report of a comparison has.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# ranges MODULE PARAMETER: the least and the greatest element that --inputs=uniform gives it.
ranges() {
    local least=
    for seed in 1 2 3; do
        expect_status 0 hlo-run "$1" --inputs=uniform --seed=$seed --only="$2"
        least+=" $(sed 's/^[^ ]* //' "$out" | tr -c '0-9-' ' ')"
    done
    # shellcheck disable=SC2086 # numbers
    printf '%s\n' $least | sort -n | sed -n '1p;$p' | paste -s -d ' '
}

# in_bounds MODULE PARAMETER MOST: all of 0 to MOST, nearly, and nothing else.
in_bounds() {
    local least most
    read -r least most < <(ranges "$1" "$2")
    [ "$least" -ge 0 ] && [ "$most" -le "$3" ] || fail "$2: $least to $most instead of 0 to $3"
    [ "$most" -gt $(($3 * 8 / 10)) ] || fail "$2: only up to $most instead of $3"
}

@test "made-up indices stay in their array: gather, scatter, slices, branches, through tuples, loops and calls" {
    cat >direct.hlo <<'H'
HloModule direct
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  table = f32[100,8] parameter(0)
  rows = s32[50,1] parameter(1)
  start = s32[] parameter(2)
  starts = s64[] parameter(3)
  into = u8[40,1] parameter(4)
  other = s32[40] parameter(5)
  zero = s32[] constant(0)
  hundred = s32[] constant(1000)
  wide = s32[50,1] broadcast(hundred), dimensions={}
  none = s32[50,1] broadcast(zero), dimensions={}
  negative = pred[50,1] compare(rows, none), direction=LT
  moved = s32[50,1] add(rows, wide)
  safe = s32[50,1] select(negative, moved, rows)
  taken = f32[50,8] gather(table, safe), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
  part = f32[10,8] dynamic-slice(table, start, zero), dynamic_slice_sizes={10,8}
  zero64 = s64[] constant(0)
  put = f32[100,8] dynamic-update-slice(table, part, starts, zero64)
  updates = f32[40,3,8] broadcast(part2), dimensions={}
  added = f32[100,8] scatter(put, into, updates), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  ROOT r = (f32[50,8], f32[100,8], s32[40]) tuple(taken, added, other)
}
H
    sed -i 's/^  updates = /  part2 = f32[] constant(1)\n&/' direct.hlo
    in_bounds direct.hlo rows 99
    in_bounds direct.hlo into 97
    read -r least most < <(ranges direct.hlo other)
    [ "$least" = 0 ] && [ "$most" = 3 ] || fail "no index: $least to $most"
    for name in start:90 starts:90; do
        read -r least most < <(ranges direct.hlo ${name%:*})
        [ "$least" -ge 0 ] && [ "$most" -le "${name#*:}" ] || fail "$name: $least to $most"
        [ "$most" -gt 3 ] || fail "$name: only small numbers, up to $most"
    done
    cat >far.hlo <<'H'
HloModule far
look_up {
  t = f32[60,70] parameter(0)
  i = s32[80] parameter(1)
  j = s32[80] parameter(2)
  i1 = s32[80,1] reshape(i)
  j1 = s32[80,1] reshape(j)
  ij = s32[80,2] concatenate(i1, j1), dimensions={1}
  ROOT g = f32[80] gather(t, ij), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}
}
body {
  s = (s32[], f32[60,70], (s32[80], s32[80])) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  m = s32[] add(n, one)
  t = f32[60,70] get-tuple-element(s), index=1
  p = (s32[80], s32[80]) get-tuple-element(s), index=2
  i = s32[80] get-tuple-element(p), index=0
  j = s32[80] get-tuple-element(p), index=1
  g = f32[80] fusion(t, i, j), kind=kLoop, calls=look_up
  ROOT r = (s32[], f32[60,70], (s32[80], s32[80])) tuple(m, t, p)
}
more { 
  s = (s32[], f32[60,70], (s32[80], s32[80])) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2)
  ROOT r = pred[] compare(n, two), direction=LT
}
same { ROOT x = s32[] parameter(0) }
zeros { x = s32[] parameter(0) ROOT z = s32[] constant(0) }
ENTRY e {
  t = f32[60,70] parameter(0)
  pair = (s32[80], s32[80]) parameter(1)
  branch = s32[] parameter(2)
  zero = s32[] constant(0)
  s = (s32[], f32[60,70], (s32[80], s32[80])) tuple(zero, t, pair)
  w = (s32[], f32[60,70], (s32[80], s32[80])) while(s), condition=more, body=body
  first = s32[80] get-tuple-element(pair), index=0
  second = s32[80] get-tuple-element(pair), index=1
  c = s32[] conditional(branch, zero, zero), branch_computations={same, zeros}
  ROOT r = (s32[], s32[]) tuple(c, c)
}
H
    in_bounds far.hlo first 59
    in_bounds far.hlo second 69
    read -r least most < <(ranges far.hlo branch)
    [ "$least" -ge 0 ] && [ "$most" -le 1 ] || fail "branch: $least to $most"
    # Numbers by hash are a contract with other programs: they stay what they were.
    expect_status 0 hlo-run direct.hlo --inputs=hash --only=rows
    ! grep -qE '[89]|[0-9][0-9],' <(sed 's/^[^ ]* //' "$out") || fail "$(cat "$out")"
}

@test "--inputs=normal: mean 0, variance 1, of every float type" {
    printf 'HloModule m\nENTRY e {\n  x = f32[100,100] parameter(0)\n  y = c128[50] parameter(1)\n  z = bf16[] parameter(2)\n  square = f32[100,100] multiply(x, x)\n  ROOT r = (f32[100,100], c128[50], bf16[]) tuple(square, y, z)\n}\n' >m.hlo
    expect_status 0 hlo-run m.hlo --inputs=normal --seed=2 --trace-values --watch='*'
    read -r least most mean < <(sed -n 's/^x .*: min \([^ ]*\) max \([^ ]*\) mean \([^ ]*\) nan 0$/\1 \2 \3/p' "$err")
    awk -v a="$least" -v b="$most" -v m="$mean" 'BEGIN { exit !(a < -3 && a > -6 && b > 3 && b < 6 && m > -0.03 && m < 0.03) }' ||
        fail "$(cat "$err")"
    read -r mean < <(sed -n 's/^square .* mean \([^ ]*\) nan 0$/\1/p' "$err")
    awk -v m="$mean" 'BEGIN { exit !(m > 0.95 && m < 1.05) }' || fail "$(cat "$err")"
    cp "$out" first
    expect_status 0 hlo-run m.hlo --inputs=normal --seed=2
    cmp first "$out"
}

# compare OPTION...: the report on v.hlo's result got.txt against want.npz.
compare() {
    hlo-run v.hlo want.txt -o want.npz
    hlo-run v.hlo got.txt --expect want.npz "$@"
}

@test "comparing: what would pass, passes" {
    printf 'HloModule m\nENTRY e { ROOT p = f32[5] parameter(0) }\n' >v.hlo
    printf '{1, 2, -3, 1e-30, 0.7}' >want.txt
    printf '{1.0001, 2, -3.3, 2e-30, 0.70001}' >got.txt
    expect_status 1 compare
    read -r rtol atol ulp < <(sed -n 's/^  would pass: rtol \([^ ]*\) or atol \([^ ]*\) or max-ulp \([^ ]*\)$/\1 \2 \3/p' "$out")
    [ -n "$ulp" ] || fail "$(cat "$out")"
    for enough in "--rtol $rtol" "--atol $atol" "--max-ulp $ulp"; do
        # shellcheck disable=SC2086 # an option and its value
        expect_status 0 compare $enough
        expect_text "$out" "out0: 5 elements agree"
    done
    expect_status 1 compare --max-ulp $((ulp - 1))
    # Beside what is given, less is needed.
    expect_status 1 compare --atol 0.01
    expect_text "$out" "1 of 5 elements differ"
    expect_text "$out" "  would pass: rtol 0.0967 or atol 0.3 or max-ulp"
    expect_status 0 compare --atol 0.01 --rtol 0.0967
    printf '{1, 2, -3, inf, 0.7}' >want.txt
    expect_status 1 compare --atol 100
    expect_text "$out" "  no tolerance suffices: 1 is not finite on both sides"
    printf '{1, nan, -3, nan, 0.7}' >want.txt
    cp want.txt got.txt
    expect_status 0 compare
    [ "$(cat "$out")" = "out0: 5 elements agree, 2 are NaN on both sides" ] || fail "$(cat "$out")"
    printf '{1.0001, 2, -3.3, 2e-30, 0.70001}' >got.txt
    printf '{1, 2, -3, 0, 0.7}' >want.txt
    expect_status 1 compare
    ! grep -q "would pass: rtol" "$out" || fail "no relative error makes up for zero: $(cat "$out")"
    printf 'HloModule m\nENTRY e { ROOT p = c64[1] parameter(0) }\n' >v.hlo
    printf '{(3, 4)}' >want.txt
    printf '{(3, 4.5)}' >got.txt
    expect_status 1 compare
    expect_text "$out" "  would pass: rtol 0.1 or atol 0.5 or max-ulp 1048576"
    expect_status 0 compare --rtol 0.1
    printf 'HloModule m\nENTRY e { ROOT p = f64[1] parameter(0) }\n' >v.hlo
    printf '{0}' >want.txt
    for least in 4.94e-324 1.48e-322 4e-320; do
        printf '{%s}' $least >got.txt
        expect_status 1 compare
        expect_text "$out" "  would pass: atol $least or max-ulp"
        expect_status 0 compare --atol $least
    done
}

@test "comparing: the worst element is the worst by what is asked for" {
    printf 'HloModule m\nENTRY e { ROOT p = f32[3] parameter(0) }\n' >v.hlo
    printf '{1e6, 1, 1e-20}' >want.txt
    printf '{1000100, 1.02, 3e-20}' >got.txt
    for case in ":[0]" "--atol=1e-30:[0]" "--rtol=1e-9:[2]" "--max-ulp=1:[2]" "--rtol=1e-9 --atol=1e-3:[0]" \
        "--rtol=1e-5 --atol=1e-3:[1]"; do
        # shellcheck disable=SC2086 # options
        expect_status 1 compare ${case%:*}
        expect_text "$out" "  worst: ${case##*:} got"
    done
}

@test "comparing: --rtol=auto goes by the element type" {
    for case in "f64 1.82e-12" "f32 7.63e-06" "f16 0.00781" "bf16 0.0312" "f8e5m2 0.5"; do
        printf 'HloModule m\nENTRY e { ROOT p = %s[4] parameter(0) }\n' "${case% *}" >v.hlo
        printf '{1, 2, -3, 4}' >want.txt
        cp want.txt got.txt
        expect_status 0 compare --rtol=auto
        expect_text "$out" "out0: 4 elements agree (rtol ${case#* }, atol "
    done
    printf 'HloModule m\nENTRY e { ROOT p = f32[4] parameter(0) }\n' >v.hlo
    printf '{1, 2, -3, 0}' >want.txt
    printf '{1.000008, 1.999985, -3, 0.00001}' >got.txt # 0 is near what the others are
    expect_status 0 compare --rtol=auto
    expect_text "$out" "out0: 4 elements agree (rtol 7.63e-06, atol 1.14e-05)"
    expect_status 1 compare --rtol=auto --atol=1e-6
    expect_text "$out" "(rtol 7.63e-06, atol 1e-06)"
    printf '{1, 2.01, -3, 0}' >got.txt
    expect_status 1 compare --rtol=auto
    expect_text "$out" "  would pass: rtol 0.005 or atol 0.01 or max-ulp"
    printf 'HloModule m\nENTRY e { ROOT p = s32[4] parameter(0) }\n' >v.hlo
    printf '{1, 2, -3, 1}' >want.txt
    printf '{1, 2, -3, 0}' >got.txt
    expect_status 1 compare --rtol=auto
    [ "$(head -n 1 "$out")" = "out0: 1 of 4 elements differ" ] || fail "$(cat "$out")"
    expect_status 2 hlo-run v.hlo got.txt --expect want.npz --rtol=automatic
}
