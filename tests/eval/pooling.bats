# Windows that are reduced or searched: the fast engine gives what the reference engine computes element by element, over
# forms of windows that overlap or not, with padding, dilation and gaps between, in all types and orders of dimensions.

load ../lib
load both_engines

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
}

# computation TYPE OPCODE [DIRECTION]: of two scalars, to $computation.
computation() {
    computation=c.$1.$2.${3:-}
    case $computations in
    *"$computation ("*) ;;
    *) computations+="$computation (a.$computation: $1[], b.$computation: $1[]) -> $([ -n "${3:-}" ] && echo pred || echo "$1")[] {
  a.$computation = $1[] parameter(0)
  b.$computation = $1[] parameter(1)
  ROOT r.$computation = $([ -n "${3:-}" ] && echo pred || echo "$1")[] $2(a.$computation, b.$computation)${3:+, direction=$3}
}

" ;;
    esac
}

# constant TYPE VALUE, to $constant.
constant() {
    constant=k.$1.$count
    body+="  $constant = $1[] constant($2)"$'\n'
}

# choice TYPE DIMS SOURCE WINDOW [DIRECTION [OPCODE [INIT]]]: a select-and-scatter.
choice() {
    local select scatter from
    computation "$1" compare "${5:-GE}"
    select=$computation
    computation "$1" "${6:-add}"
    scatter=$computation
    constant "$1" "${7:-0}"
    operand "$1" "$2"
    from=$operand
    operand "$1" "$3"
    instruction "$1[$2]" "select-and-scatter($from, $operand, $constant), window={$4}, select=$select, scatter=$scatter"
}

choices() { # TYPE
    choice "$1" 2,8,10,5 2,4,5,5 "size=1x2x2x1 stride=1x2x2x1"
    choice "$1" 2,9,11,70 2,4,5,70 "size=1x3x3x1 stride=1x2x2x1"
    choice "$1" 1,9,11,300 1,5,6,300 "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0" GT
    choice "$1" 5,3,9,11 5,3,4,5 "size=1x1x3x3 stride=1x1x2x2" LE
    choice "$1" 1,3,9,40 1,3,5,20 "size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1"
    choice "$1" 600 598 "size=3" GE add 1
    choice "$1" 7,600 7,299 "size=1x3 stride=1x2" GE maximum 1
    choice "$1" 4,30 4,28 "size=1x2 rhs_dilate=1x2" GE minimum 1
    choice "$1" 3,20 3,10 "size=1x2 stride=1x4 lhs_dilate=1x2" LT
    choice "$1" 6,20 2,7 "size=2x5 stride=3x3 pad=0_0x1_2"
    choice "$1" 1 1 "size=1"
}

@test "elements chosen in windows of f32, f64 and integers" {
    for type in f32 f64 s32 u8; do
        choices $type
        both --rtol=1e-6 --atol=1e-6
    done
}

@test "elements chosen in windows of bf16 and f16" {
    for type in bf16 f16; do
        choices $type
        both --rtol=1e-2 --atol=1e-2
    done
}

@test "no number is kept, and an element without any window is the initial value" {
    cat >nans.hlo <<'H'
HloModule nans

ge (a: f32[], b: f32[]) -> pred[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}

sum (c: f32[], d: f32[]) -> f32[] {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT s = f32[] add(c, d)
}

ENTRY main {
  x = f32[2,7] constant({{1,nan,3,-inf,inf,-0.0,7},{nan,nan,2,2,-1,0,9}})
  y = f32[2,3] constant({{10,20,30},{40,50,inf}})
  k = f32[] constant(-0.0)
  ROOT z = f32[2,7] select-and-scatter(x, y, k), window={size=1x2 stride=1x2}, select=ge, scatter=sum
}
H
    expect_status 0 hlo-run --engine=reference --output-dir=reference.npz nans.hlo
    expect_status 0 hlo-run --threads=2 --expect=reference.npz nans.hlo
    expect_status 0 hlo-run nans.hlo
    tr -d ' \n' <"$out" | grep -qF -e ',-0}' || fail "$(cat "$out")" # where no window is
}
