# tests/parse/printing: odd but legal modules and XLA's exact print of each; modules that XLA rejects.

load ../lib
load ../cases

setup() {
    cd "$HLO_ROOT/tests/parse/printing" || return 1
}

teardown_file() {
    sum_cases
}

# print_of FILE [OPTION...]: our text to $text, or what went wrong; final line breaks do not count, and no
# warning of what the text loses.
print_of() {
    local file=$1 messages=$BATS_TEST_TMPDIR/messages
    shift
    text=$(hlo-opt --passes= "$@" "$file" 2>"$messages") && return
    text=$(cat "$messages")
    return 1
}

# same_as FILE: whether $text is what the file holds; else the first difference to $why.
same_as() {
    local wanted
    wanted=$(cat "$1")
    [ "$text" != "$wanted" ] || return 0
    why=$(diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$text") | head -n 4)
    return 1
}

@test "lines that were copied out of a computation are a module" {
    cd "$BATS_TEST_TMPDIR"
    body='  %c = f32[4]{0} negate(%a)
  ROOT %d = f32[4]{0} abs(%c)
'
    printf '  %%a = f32[4]{0} parameter(0)\n%s' "$body" | hlo-opt >want
    printf '  %%a = f32[4]{0} parameter(0)\n%s}\n' "$body" | hlo-opt | cmp - want
    printf '%s' "$body" | sed 's/negate(/&f32[4] /' | hlo-opt | cmp - want
    expect_status 1 hlo-opt <(printf '%s}\n' "$body")
    expect_text "$err" "1:25: error: no earlier instruction is named 'a' [unknown-name]"
    expect_text "$err" 'hint: to define it as a parameter, add a line `a = SHAPE parameter(N)` before these'
    [ "$(grep -c error: "$err")" = 1 ] || fail "$(cat "$err")"
}

@test "what is wrong in debug_attributes is named" {
    cd "$BATS_TEST_TMPDIR"
    while IFS='|' read -r table said; do
        printf 'HloModule d, debug_attributes=%s\nENTRY e { ROOT a = f32[2] parameter(0) }\n' "$table" >m.hlo
        expect_status 1 hlo-verify m.hlo
        expect_text "$err" "$said"
    done <<'E'
{{"a"}:({log_mode=no})}|m.hlo:1:49: error: log_mode= takes default or fusion_debugger [attribute-value]
{{"a"}:({log_mode=1})}|m.hlo:1:49: error: log_mode= takes default or fusion_debugger [attribute-value]
{{"a"}:({mode=1})}|m.hlo:1:40: error: 'mode' is not one of the parts: log_mode, callback_id, partitioned, op_id [attribute-value]
{{"a"}:{op_id=true}}|m.hlo:1:45: error: op_id= takes a number [attribute-value]
{{"a"}:{partitioned=1}}|m.hlo:1:51: error: partitioned= takes true or false [attribute-value]
{{"a"} {op_id=1}}|m.hlo:1:38: error: expected ':', found '{' [syntax]
E
}

@test "what combines unreduced values is checked" {
    cd "$BATS_TEST_TMPDIR"
    while IFS='|' read -r sharding said; do
        printf "HloModule h\nENTRY e { ROOT a = f32[8] parameter(0), sharding={mesh['x'=2], %s} }\n" "$sharding" >m.hlo
        expect_status 1 hlo-verify m.hlo
        expect_text "$err" "$said"
    done <<'E'
unreduced=mean|m.hlo:2:74: error: expected sum, max or min here [sharding]
[{}], unreduced=mean{'x'}|m.hlo:2:80: error: expected sum, max or min here [sharding]
[{}], manual=max{'x'}|m.hlo:2:70: error: expected unreduced= here, found 'manual=' [sharding]
manual=max|m.hlo:2:64: error: expected unreduced= here, found 'manual=' [sharding]
manual{'x'}|m.hlo:2:70: error: only 'unreduced' has axes here [sharding]
E
}

@test "what is newer than jaxlib 0.10.2 travels in messages" {
    for case in hdr_debug_attributes shard_unreduced_by op_convolution_algorithm; do
        for emit in json proto; do
            hlo-opt --emit=$emit -o "$BATS_TEST_TMPDIR/m" $case.in.hlo
            print_of "$BATS_TEST_TMPDIR/m"
            same_as $case.out.hlo || fail "$case, $emit: $why"
        done
    done
    hlo-opt --emit=json hdr_debug_attributes.in.hlo | jq -c '.debugAttributes[0]' >"$BATS_TEST_TMPDIR/first"
    expect_text "$BATS_TEST_TMPDIR/first" '{"originalArray":{"instructionName":"a"},"debugAttributes":[{"opId":"7"},{"callbackId":"-2"}]}'
}

@test "elements of tuples as operands, which XLA reads since August 2026" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'E'
HloModule m

ENTRY e {
  p = (f32[2], (s32[], f32[3])) parameter(0), origin={({"a"}, ({"b"}, {"c"}))}
  p_0 = f32[2] parameter(1)
  n = f32[2] negate(%p#0)
  q = f32[2] add(f32[2] p#0, f32[2] %p_0)
  a = f32[2] parameter(2), origin={{"d"}}
  t = (f32[2], f32[2]) tuple(n, a)
  ROOT r = ((s32[], f32[3]), f32[3], f32[2], f32[2]) tuple((s32[], f32[3]) p#1, p#1#1, t#1, q)
}
E
    cat >want <<'E'
  %p_0.1 = f32[2]{0} get-tuple-element(%p), index=0
  %p_1 = (s32[], f32[3]{0}) get-tuple-element(%p), index=1
  %p_1_1 = f32[3]{0} get-tuple-element(%p_1), index=1
  %t_1 = f32[2]{0} get-tuple-element(%t), index=1, origin={{"d"}}
E
    expect_status 0 hlo-opt --passes= -o print.hlo m.hlo
    grep get-tuple-element print.hlo | sort | diff want -
    expect_text print.hlo "negate(%p_0.1)"
    expect_text print.hlo "add(%p_0.1, %p_0)"
    expect_text print.hlo "tuple(%p_1, %p_1_1, %t_1, %q)"
    hlo-opt --passes= print.hlo | cmp - print.hlo
    sed 's/negate(%p#0)/negate(%p#2)/' m.hlo >range.hlo
    expect_status 1 hlo-verify range.hlo
    expect_text "$err" "6:21: error: (f32[2], (s32[], f32[3])) has no element 2 [tuple-index]"
    sed 's/negate(%p#0)/negate(%p_0#0)/' m.hlo >array.hlo
    expect_status 1 hlo-verify array.hlo
    expect_text "$err" "error: f32[2] has no element 0 [tuple-index]"
    sed 's/f32\[2\] p#0/f32[3] p#0/' m.hlo >shape.hlo
    expect_status 1 hlo-verify shape.hlo
    expect_text "$err" "is written as f32[3]"
    sed 's/%p#0/%p#a/' m.hlo >letter.hlo
    expect_status 1 hlo-verify letter.hlo
    expect_text "$err" "[syntax]"
    sed 's/%p#0/%x#0/' m.hlo >none.hlo
    expect_status 1 hlo-verify none.hlo
    expect_text "$err" "no earlier instruction is named 'x'"
}

@test "each module prints as XLA prints it, or so that it can be read" {
    begin_cases
    for module in *.in.hlo; do
        name=${module%.in.hlo}
        if ! print_of "$module"; then bad "$name" "$text"
        elif same_as "$name.out.hlo"; then ok
        else bad "$name" "$why"; fi
    done
    end_cases
}

@test "printing is idempotent, where XLA's is" {
    begin_cases
    while IFS=$'\t' read -r name _ stable; do
        case $stable in
        fixed | ours) first=$name.out.hlo ;; # ours: XLA cannot read what it prints
        second)
            print_of "$name.out.hlo"
            printf '%s\n' "$text" >"$BATS_TEST_TMPDIR/second.hlo"
            first=$BATS_TEST_TMPDIR/second.hlo
            ;;
        *) continue ;; # what XLA itself cannot read again
        esac
        if ! print_of "$first"; then bad "$name" "$text"
        elif same_as "$first"; then ok
        else bad "$name" "$why"; fi
    done <INDEX.tsv
    end_cases
}

@test "the other styles print as XLA's options do" {
    begin_cases
    for style in short canonical fingerprint; do
        for wanted in opt_*."$style".hlo; do
            name=${wanted%."$style".hlo}
            if ! print_of "$name.in.hlo" --print="$style"; then bad "$name $style" "$text"
            elif same_as "$wanted"; then ok
            else bad "$name $style" "$why"; fi
        done
    done
    end_cases
}

@test "what jaxlib 0.10.2 rejects and XLA's source of August 2026 reads is read, verified and read again" {
    begin_cases
    for module in rejects/*_newer_source.hlo; do
        if ! print_of "$module"; then
            bad "$module" "$text"
            continue
        fi
        printf '%s\n' "$text" >"$BATS_TEST_TMPDIR/first"
        if ! print_of "$BATS_TEST_TMPDIR/first" || ! same_as "$BATS_TEST_TMPDIR/first"; then bad "$module" "reads otherwise what it printed"
        elif ! why=$(hlo-verify "$module" 2>&1); then bad "$module" "$why"
        else ok; fi
    done
    end_cases
}

@test "what XLA rejects is rejected, with a position" {
    begin_cases
    for module in rejects/*.hlo; do
        case $module in # what the parser takes knowingly: tests/known-differences.md
        rejects/async_send_has_no_sugar.hlo | rejects/comp_headerless_with_signature.hlo | rejects/*_newer_source.hlo | rejects/op_replica_id_type_crash.hlo) continue ;;
        esac
        status=0
        print_of "$module" || status=$?
        if [ $status != 1 ]; then bad "$module" "status $status"
        elif ! [[ $text =~ :[0-9]+:[0-9]+:\ error: ]]; then bad "$module" "no position: $text"
        else ok; fi
    done
    end_cases
}

@test "--compact-gte prints elements of tuples where they are used, and what it prints reads back" {
    cat >"$BATS_TEST_TMPDIR/m.hlo" <<'EOF'
HloModule m
ENTRY e {
  p = (f32[2], (f32[2], s32[])) parameter(0)
  inner = (f32[2], s32[]) get-tuple-element(p), index=1
  x = f32[2] get-tuple-element(inner), index=0
  y = f32[2] get-tuple-element(p), index=0
  sum = f32[2] add(x, y)
  t = (f32[2], s32[]) tuple(sum, inner#1)
  ROOT r = s32[] get-tuple-element(t), index=1
}
EOF
    hlo-opt --passes= --compact-gte "$BATS_TEST_TMPDIR/m.hlo" >"$BATS_TEST_TMPDIR/compact.hlo"
    diff - <(sed -n '/^ENTRY/,$p' "$BATS_TEST_TMPDIR/compact.hlo") <<'EOF'
ENTRY %e (p: (f32[2], (f32[2], s32[]))) -> s32[] {
  %p = (f32[2]{0}, (f32[2]{0}, s32[])) parameter(0)
  %sum = f32[2]{0} add(%p#1#0, %p#0)
  %t = (f32[2]{0}, s32[]) tuple(%sum, %p#1#1)
  ROOT %r = s32[] get-tuple-element(%t), index=1
}
EOF
    diff <(hlo-opt --passes= --compact-gte "$BATS_TEST_TMPDIR/compact.hlo") "$BATS_TEST_TMPDIR/compact.hlo"
    diff <(hlo-opt --passes=canonicalize-names "$BATS_TEST_TMPDIR/compact.hlo") <(hlo-opt --passes=canonicalize-names "$BATS_TEST_TMPDIR/m.hlo")
}
