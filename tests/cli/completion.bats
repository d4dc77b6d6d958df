# Completion of command lines: what programs answer, and what bash, zsh and fish offer.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    unset HLO_COLOR
    printf %s "$good_module" >good.hlo
    for shell in bash zsh fish; do hlo-opt --completion="$shell" >"hlo-opt.$shell"; done
}

# answer ARGUMENT...: the first line, then the candidates, on one line.
answer() {
    local program=$1
    shift
    "$program" --complete "$@" | cut -f1 | tr '\n' ' '
}

@test "hlo-stat --sort: what is offered is what is accepted" {
    hlo-stat --complete --sort= | tail -n +2 | cut -f1 >offered
    expect_status 2 hlo-stat --show=all,modules --sort=colour good.hlo
    sed -n 's/.*columns are //p' "$err" | sed 's/, /\n/g' | sort >accepted
    grep -qx flops accepted
    sort offered | diff accepted -
}

@test "options, their values and files, whatever form they are typed in" {
    while IFS='|' read -r line answered; do
        read -ra words <<<"$line"
        found=$(answer "${words[@]}")
        [ "$found" = "$answered" ] || fail "$line:" "$found" "instead of" "$answered"
    done <<'EOF'
hlo-opt --emit|words 0 --emit= --emit-proto 
hlo-opt --no-verify-e|words 0 --no-verify-each 
hlo-opt --emit=j|words 7 json 
hlo-opt --emit j|words 0 json 
hlo-opt -o fo|files 0 
hlo-opt --output=fo|files 9 
hlo-opt --xla_dump_to=fo|directories 14 
hlo-opt fo|files 0 
hlo-opt -- --em|files 0 
hlo-opt --pass-limit=1|words 13 
hlo-opt --passes=algsi|open 9 algsimp 
hlo-opt --passes=cse,fi|open 13 fix( 
hlo-opt --passes=fix(cse,tuple_simp|open 17 tuple-simplifier 
hlo-opt --passes=call-inliner|open 9 call-inliner call-inliner{ 
hlo-opt --passes=dce,call-inliner{inline_com|open 26 inline_composites= 
hlo-opt --passes=call-inliner{inline_composites=t|open 40 true 
hlo-opt --passes=call-inliner{inline_composites=true},algsi|open 46 algsimp 
hlo-opt --print-ir-after=cse,algsi|open 21 algsimp 
hlo-opt --explain algsi|words 0 algsimp 
hlo-opt --pipeline=cano|words 11 canonical 
hlo-verify --warn=dead-code,identity-o|open 17 identity-operation 
hlo-verify --warn=reco|open 7 recommended 
hlo-verify --explain=dead-c|words 10 dead-code 
hlo-verify --explain=opt-barr|words 10 opt-barrier 
hlo-stat --sort=flops_p|words 7 flops_percent 
hlo-run --input=x=fo|files 10 
hlo-run --profile=|files 10 json 
hlo-run --isa=avx512_|words 6 avx512_bf16 
hlo-run --inputs=hash-|words 9 hash-positive 
hlo-run --roofline=fo|files 11 
hlo-dot good.hlo --around=x|words 9 x 
hlo-dot --computation=ma good.hlo --computation=ma|words 14 main 
hlo-dot nothing.hlo --around=x|words 9 
hlo-reduce --test tr|words 0 
EOF
}

@test "candidates have descriptions" {
    hlo-opt --complete --passes=algs | grep -q "^algsimp	applies algebraic identities"
    hlo-opt --complete --emit | grep -q "^--emit=	XLA's text"
    hlo-dot --complete good.hlo --around=y | grep -qx "y	add"
}

@test "anything may stand before; no module makes the answer fail" {
    printf 'HloModule \377\nENTRY {\x01' >bad.hlo
    expect_status 0 hlo-dot --complete bad.hlo --around=
    [ "$(cat "$out")" = "words 9" ]
    expect_status 0 hlo-opt --complete --no-such=1 --xla_gpu_x=2 -zq --emit=jso
    [ "$(cat "$out")" = "words 7"$'\n'"json" ]
    expect_status 0 hlo-opt --complete
    expect_status 0 hlo-opt --complete "--passes={{{(((}}}" --passes=}{,=
    HLO_COLOR=none expect_status 0 hlo-opt --complete --emit=jso
}

@test "bash" {
    while IFS='|' read -r line completed; do
        "$HLO_ROOT/tests/cli/completion/bash_line" hlo-opt.bash "$line" >found
        [ "$(tr '\n' '|' <found)" = "$completed|" ] || fail "$line:" "$(cat found)" "instead of" "$completed"
    done <<'EOF'
hlo-opt --emit=js|hlo-opt --emit=json
hlo-opt --emit js|hlo-opt --emit json
hlo-opt --pass-l|hlo-opt --pass-limit=|options: nospace
hlo-opt --passes=algsimp,tuple-s|hlo-opt --passes=algsimp,tuple-simplifier|options: nospace
hlo-opt -o goo|hlo-opt -o good.hlo|options: filenames
hlo-opt --output=goo|hlo-opt --output=good.hlo|options: filenames
hlo-opt goo|hlo-opt good.hlo|options: filenames
EOF
    "$HLO_ROOT/tests/cli/completion/bash_line" hlo-opt.bash "hlo-opt --passes='fix(cse,tuple-s" "fix(cse,tuple-s" >found
    [ "$(head -n 1 found)" = "hlo-opt --passes='fix(cse,tuple-simplifier" ] || fail "$(cat found)"
    "$HLO_ROOT/tests/cli/completion/bash_line" hlo-opt.bash 'hlo-opt --passes=call-inliner\{inline_com' 'call-inliner\{inline_com' >found
    [ "$(head -n 1 found)" = 'hlo-opt --passes=call-inliner\{inline_composites=' ] || fail "$(cat found)"
}

@test "bash, at a terminal: names and values are quoted once" {
    needs_terminal
    mkdir "we ird"
    touch 'pa(r){x}.hlo' "it's.hlo"
    while IFS='|' read -r line completed; do
        found=$(TMPDIR=$BATS_TEST_TMPDIR "$HLO_ROOT/tests/cli/completion/bash_tab" hlo-opt.bash "$line")
        [ "$found" = "$completed|" ] || fail "$line:" "$found" "instead of" "$completed|"
    done <<'EOF'
hlo-opt we|hlo-opt we\ ird/
hlo-opt we\ i|hlo-opt we\ ird/
hlo-opt 'we|hlo-opt 'we ird'/
hlo-opt --output=we|hlo-opt --output=we\ ird/
hlo-opt --output=we\ i|hlo-opt --output=we\ ird/
hlo-opt pa|hlo-opt pa\(r\)\{x\}.hlo 
hlo-opt it|hlo-opt it\'s.hlo 
hlo-opt --passes=call-inliner\{inline_com|hlo-opt --passes=call-inliner\{inline_composites=
EOF
}

@test "zsh" {
    command -v zsh >/dev/null || skip "zsh is not installed"
    while IFS='|' read -r line completed; do
        found=$(TMPDIR=$BATS_TEST_TMPDIR "$HLO_ROOT/tests/cli/completion/zsh_line" hlo-opt.zsh "$line")
        [ "$found" = "$completed" ] || fail "$line:" "$found" "instead of" "$completed"
    done <<'EOF'
hlo-opt --emit=js|hlo-opt --emit=json 
hlo-opt --pass-l|hlo-opt --pass-limit=
hlo-opt --passes=algsimp,tuple-s|hlo-opt --passes=algsimp,tuple-simplifier
hlo-opt --passes='call-inliner{inline_com|hlo-opt --passes=call-inliner\{inline_composites=
hlo-opt --output=goo|hlo-opt --output=good.hlo 
hlo-opt goo|hlo-opt good.hlo 
EOF
}

@test "fish" {
    command -v fish >/dev/null || skip "fish is not installed"
    export HOME=$PWD
    while IFS='|' read -r line completed; do
        found=$(fish --no-config -c 'source hlo-opt.fish; complete -C $argv[1]' "$line" | cut -f1 | tr '\n' ' ')
        [ "$found" = "$completed" ] || fail "$line:" "$found" "instead of" "$completed"
    done <<'EOF'
hlo-opt --emit=js|--emit=json 
hlo-opt --pass-l|--pass-limit= 
hlo-opt --passes=algsimp,tuple-s|--passes=algsimp,tuple-simplifier 
hlo-opt --passes='call-inliner{inline_com|--passes=call-inliner{inline_composites= 
hlo-opt --output=goo|--output=good.hlo 
hlo-opt goo|good.hlo 
EOF
}
