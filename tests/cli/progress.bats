# The line on a terminal with the progress of long work: there after a second, gone at the end, never in a pipe.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs_terminal
    printf %s "$good_module" >good.hlo
    unset HLO_COLOR
    # A file that can be read when something is written to it.
    mkfifo late.hlo
    export TERM=xterm
}

# hand_over FILE PIPE: to the reader of the pipe, if any.
hand_over() {
    within 120 sh -c 'cat "$1" >"$2"' _ "$1" "$2"
}

# on_terminal COMMAND: to screen, with \r and escapes.
on_terminal() {
    script -qec "$1" /dev/null </dev/null >screen
}

@test "hlo-verify shows how many files it has verified, and erases that" {
    # However long the line takes to come: a minute at most.
    (for _ in {1..600}; do ! grep -qs verified screen || break; sleep 0.1; done; hand_over good.hlo late.hlo) &
    on_terminal "$HLO_BIN/hlo-verify good.hlo late.hlo good.hlo"
    grep -qF $'\r\e[K1 of 3 files verified: good.hlo' screen || fail "$(cat -v screen)"
    [ "$(tail -c 4 screen)" = $'\r\e[K' ] || fail "$(cat -v screen)"
}

# late_line COMMAND TEXT: what COMMAND waits for comes once the line with TEXT is there, or after a minute.
late_line() {
    rm -f screen
    (for _ in {1..600}; do ! grep -qsF "$2" screen || break; sleep 0.1; done; hand_over good.hlo late.hlo) &
    on_terminal "$1"
    grep -qF $'\r\e[K'"$2" screen || fail "$1: $(cat -v screen)"
    wait
}

@test "reading is a stage in every program, before the line about the work" {
    for program in hlo-opt hlo-dot hlo-stat; do late_line "$HLO_BIN/$program late.hlo" "reading late.hlo"; done
    late_line "$HLO_BIN/hlo-run --inputs=ones late.hlo" "reading late.hlo"
    late_line "$HLO_BIN/hlo-diff late.hlo good.hlo" "reading late.hlo"
    late_line "$HLO_BIN/hlo-diff good.hlo late.hlo" "reading late.hlo"
    late_line "cat late.hlo | $HLO_BIN/hlo-opt" "reading standard input"
}

@test "hlo-dot reports how much it draws, and in which format" {
    hlo-run --inputs=ones --profile=profile.json good.hlo >/dev/null
    # The profile is read when drawing begins, and the line may not come before.
    mkfifo late.json
    (for _ in {1..600}; do ! grep -qs drawing screen || break; sleep 0.1; done; hand_over profile.json late.json) &
    on_terminal "$HLO_BIN/hlo-dot --heat=time --profile=late.json -o out.gv good.hlo"
    grep -qE $'\r\e\\[Kdrawing [0-9]+ instructions: dot' screen || fail "$(cat -v screen)"
    [ "$(tail -c 4 screen)" = $'\r\e[K' ] || fail "$(cat -v screen)"
    grep -q digraph out.gv
}

@test "a program without a file reports on a terminal that it reads standard input; not in a pipe" {
    printf '%s\n\004' "$good_module" | script -qec "$HLO_BIN/hlo-verify -v" /dev/null >screen
    expect_text screen "note: reading a module from the terminal; Ctrl-D ends it"
    expect_status 0 hlo-verify <good.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
}

@test "hlo-reduce, too; --no-progress, a dumb terminal and a pipe have no such line" {
    on_terminal "$HLO_BIN/hlo-reduce --test true good.hlo"
    grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    on_terminal "$HLO_BIN/hlo-reduce --no-progress --test true good.hlo"
    ! grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    on_terminal "TERM=dumb $HLO_BIN/hlo-reduce --test true good.hlo"
    ! grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    (sleep 2.5 && hand_over good.hlo late.hlo) &
    on_terminal "TERM=dumb $HLO_BIN/hlo-verify good.hlo late.hlo"
    ! grep -qF verified screen || fail "$(cat -v screen)"
    (sleep 2.5 && hand_over good.hlo late.hlo) &
    hlo-verify good.hlo late.hlo >out 2>&1
    [ ! -s out ] || fail "$(cat out)"
}
