# The pass while-loop-closed-forms: last values of state without the loop, for what has a formula, and for nothing else.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# loop TYPE UPDATE [START STEP DIRECTION END]: a loop whose body makes UPDATE of x, with b an operand of the entry that it
# passes on; START, STEP and END of a counter of s32.
loop() {
    local type=$1 start=${3:-0} step=${4:-1} direction=${5:-LT} end=${6:-10}
    cat << END
HloModule loop
condition {
  s = (s32[], $type, $type) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant($end)
  ROOT less = pred[] compare(i, n), direction=$direction
}
body {
  s = (s32[], $type, $type) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  step = s32[] constant($step)
  next = s32[] add(i, step)
  x = $type get-tuple-element(s), index=1
  b = $type get-tuple-element(s), index=2
  y = $type $2
  ROOT t = (s32[], $type, $type) tuple(next, y, b)
}
ENTRY main {
  x = $type parameter(0)
  b = $type parameter(1)
  zero = s32[] constant($start)
  s = (s32[], $type, $type) tuple(zero, x, b)
  ROOT loop = (s32[], $type, $type) while(s), condition=condition, body=body
}
END
}

# The values of loop.hlo are those of the loop as it is written, by both engines.
same() {
    hlo-opt --passes=while-loop-closed-forms,dce{control_flow=true} loop.hlo > closed.hlo || fail "$(cat loop.hlo)"
    for inputs in hash iota ones; do same_ways --inputs=$inputs loop.hlo -- engine=reference,as-written default of=closed.hlo; done
}

closes() {
    same
    ! grep -q ' while(' closed.hlo || fail "$(cat closed.hlo)"
}

stays() {
    same
    grep -q ' while(' closed.hlo || fail "$(cat closed.hlo)"
}

@test "every form of every integer type" {
    local type update
    for type in s4 s8 s16 s32 s64 u4 u8 u16 u32 u64; do
        for update in 'add(x, b)' 'add(b, x)' 'subtract(x, b)' 'multiply(x, b)' 'and(x, b)' 'or(b, x)' 'xor(x, b)' 'maximum(x, b)' 'minimum(b, x)' 'not(x)' 'negate(x)'; do
            loop "$type[5]" "$update" > loop.hlo
            closes
            loop "$type[]" "$update" 0 1 LT 13 > loop.hlo
            closes
        done
    done
    for update in 'and(x, b)' 'or(b, x)' 'xor(x, b)' 'not(x)' 'maximum(x, b)'; do
        loop "pred[5]" "$update" > loop.hlo
        closes
    done
}

@test "trip counts of any direction" {
    local counter
    for counter in '0 1 LE 10' '10 -1 GT 0' '10 -2 GE -3' '0 3 NE 12' '5 1 LT 6' '0 1 LT 100000'; do
        loop 's32[3]' 'add(x, b)' $counter > loop.hlo
        closes
        loop 'u8[]' 'multiply(b, x)' $counter > loop.hlo
        closes
    done
    loop 's32[3]' 'add(x, b)' 5 1 LT 5 > loop.hlo
    same
}

@test "what has no such form stays in the loop" {
    local update
    for update in 'subtract(b, x)' 'add(x, x)' 'divide(b, x)' 'shift-left(x, b)' 'clamp(x, b, x)'; do
        loop 's32[3]' "$update" > loop.hlo
        stays
    done
    for update in 'add(x, b)' 'multiply(x, b)' 'maximum(x, b)' 'negate(x)'; do
        loop 'f32[3]' "$update" > loop.hlo
        stays
    done
    loop 's32[]' 'add(x, i)' > loop.hlo
    stays
}

@test "an element that others read, and a loop with an effect" {
    loop 's32[3]' 'add(x, b)' | sed 's/tuple(next, y, b)/tuple(next, y, y)/' > loop.hlo
    stays
    loop 's32[]' 'add(x, b)' | sed 's/  y = /  k = token[] after-all()\n  o = token[] outfeed(x, k), outfeed_shape=s32[]\n  y = /' > loop.hlo
    hlo-opt --passes=while-loop-closed-forms,dce{control_flow=true} loop.hlo > closed.hlo
    grep -q ' while(' closed.hlo
    hlo-run --inputs=iota --outfeed=fast loop.hlo > fast.txt
    hlo-run --inputs=iota --outfeed=plain --engine=reference loop.hlo | cmp - fast.txt
    diff -r plain fast
    # The counter decides when a loop ends that does not end by itself.
    loop 's32[]' 'add(x, b)' | sed 's/compare(i, n)/compare(x, n)/; s/^  n = s32\[\] constant(10)/  x = s32[] get-tuple-element(s), index=1\n&/' > loop.hlo
    hlo-opt --passes=while-loop-closed-forms,dce{control_flow=true} loop.hlo > closed.hlo
    grep -q ' while(' closed.hlo
}
