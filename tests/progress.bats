# The line on a terminal that tells how far long work is: there after a second, gone at the end, never in a pipe.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    command -v script >/dev/null || skip "script (bsdutils) is not installed"
    printf %s "$good_module" >good.hlo
    unset HLO_COLOR
    # A file that can be read when something is written to it.
    mkfifo late.hlo
    export TERM=xterm
}

# on_terminal COMMAND: to screen, with \r and escapes.
on_terminal() {
    script -qec "$1" /dev/null </dev/null >screen
}

@test "hlo-verify shows how many files it has verified, and erases that" {
    # However long the line takes to come: a minute at most.
    (for _ in {1..600}; do ! grep -qs verified screen || break; sleep 0.1; done; cat good.hlo >late.hlo) &
    on_terminal "$HLO_BIN/hlo-verify good.hlo late.hlo good.hlo"
    grep -qF $'\r\e[K1 of 3 files verified: good.hlo' screen || fail "$(cat -v screen)"
    [ "$(tail -c 4 screen)" = $'\r\e[K' ] || fail "$(cat -v screen)"
}

@test "hlo-reduce, too; --no-progress, a dumb terminal and a pipe have no such line" {
    on_terminal "$HLO_BIN/hlo-reduce --test true good.hlo"
    grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    on_terminal "$HLO_BIN/hlo-reduce --no-progress --test true good.hlo"
    ! grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    on_terminal "TERM=dumb $HLO_BIN/hlo-reduce --test true good.hlo"
    ! grep -qF $'\e[K' screen || fail "$(cat -v screen)"
    (sleep 2.5 && cat good.hlo >late.hlo) &
    on_terminal "TERM=dumb $HLO_BIN/hlo-verify good.hlo late.hlo"
    ! grep -qF verified screen || fail "$(cat -v screen)"
    (sleep 2.5 && cat good.hlo >late.hlo) &
    hlo-verify good.hlo late.hlo >out 2>&1
    [ ! -s out ] || fail "$(cat out)"
}
