# Lists and reports on a terminal: wrapped, with bold headings and colours; in a pipe a row is a line without any.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs_terminal
    printf %s "$good_module" >good.hlo
    sed "s/add(/multiply(/" good.hlo >other.hlo
    unset HLO_COLOR NO_COLOR CLICOLOR_FORCE
    export TERM=xterm
}

# on_terminal COMMAND: to screen, of 90 columns, without carriage returns.
on_terminal() {
    script -qec "stty cols 90; $1" /dev/null </dev/null | tr -d '\r' >screen
}

# The same words in the same order, whatever the blanks, colours and lines.
words() {
    sed 's/\x1b\[[0-9;]*m//g; 1{/^rule /d}; 1{/^table, /d}' "$1" | tr -d ' \n'
}

lists=("hlo-verify --list-rules" "hlo-stat --list-tables" "hlo-opt --list-passes" "hlo-opt --list-pipelines")

@test "lists are as wide as the terminal and have all their words" {
    for list in "${lists[@]}"; do
        on_terminal "$HLO_BIN/$list"
        $list >pipe
        ! grep -q $'\x1b' pipe || fail "$list: colours in a pipe"
        [ "$(words screen)" = "$(words pipe)" ] || fail "$list: other words"
        run awk '{ gsub(/\x1b\[[0-9;]*m/, "") } length > 90' screen
        [ -z "$output" ] || fail "$list: $output"
    done
}

@test "a file that -o names gets what a pipe gets" {
    hlo-verify --list-rules >pipe
    on_terminal "$HLO_BIN/hlo-verify --color=always --list-rules -o file"
    cmp pipe file
}

@test "--color, NO_COLOR and CLICOLOR_FORCE hold for standard output" {
    hlo-diff good.hlo other.hlo >plain || true
    for command in "hlo-stat good.hlo" "hlo-opt --list-passes" "hlo-verify --list-rules"; do
        on_terminal "$HLO_BIN/$command"
        grep -qF $'\e[1m' screen || fail "$command: no bold heading"
        on_terminal "NO_COLOR=1 $HLO_BIN/$command"
        ! grep -qF $'\e[' screen || fail "$command: colours with NO_COLOR"
        on_terminal "$HLO_BIN/$command --color=never"
        ! grep -qF $'\e[' screen || fail "$command: colours with --color=never"
        ! $command | grep -qF $'\e[' || fail "$command: colours in a pipe"
    done
    CLICOLOR_FORCE=1 hlo-stat good.hlo >forced
    grep -qF $'\e[1m' forced
    hlo-stat --color=always --emit=csv good.hlo >csv
    ! grep -qF $'\e[' csv
}

@test "differences are coloured, and without colours they are the same text" {
    hlo-diff good.hlo other.hlo >plain || true
    hlo-diff --color=always good.hlo other.hlo >coloured || true
    grep -qF $'\e[3' coloured || fail "$(cat -v coloured)"
    ! grep -qF $'\e[' plain
    sed 's/\x1b\[[0-9;]*m//g' coloured | cmp - plain
    hlo-diff --color=always --format=json good.hlo other.hlo >json || true
    ! grep -qF $'\e[' json
    hlo-opt --passes=dce,algsimp,constant_folding --print-changed good.hlo 2>plain >/dev/null
    hlo-opt --passes=dce,algsimp,constant_folding --print-changed --color=always good.hlo 2>coloured >/dev/null
    sed 's/\x1b\[[0-9;]*m//g' coloured | cmp - plain
}
