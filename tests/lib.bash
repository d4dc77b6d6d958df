# Shared by the BATS files: `load ../lib`. run-all.sh sets HLO_BIN and HLO_ROOT.

: "${HLO_ROOT:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${HLO_BUILD:=$HLO_ROOT/build}"
: "${HLO_BIN:=$HLO_BUILD/bin}"
. "$HLO_ROOT/tests/outside.bash"
. "$HLO_ROOT/tests/sample.bash"
PATH=$HLO_BIN:$PATH
PROGRAMS="hlo-verify hlo-opt hlo-run hlo-dot"

# Prints why and fails the test.
fail() {
    printf '%s\n' "$*" >&2
    return 1
}

# cases_of NAME: prints the folder build/cases/NAME, whose files are to be read only.
cases_of() {
    [ -d "$HLO_ROOT/build/cases/$1" ] || fail "build/cases/$1 has not been made: make tests" || return
    echo "$HLO_ROOT/build/cases/$1"
}

# within SECONDS COMMAND...: with so much processor time; see tests/within.
within() {
    "$HLO_ROOT/tests/within" "$@"
}

# Before each command of all functions that a test calls, BATS takes down where it is, which takes longer than many a
# command. From here on only in the test itself: a failure is reported with its line there.
trace_no_functions() {
    set +T
}

# expect_status STATUS COMMAND...: runs it; its output goes to $out and $err (files in the test's directory).
expect_status() {
    local wanted=$1 got=0
    shift
    trace_no_functions
    out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
    "$@" >"$out" 2>"$err" || got=$?
    [ "$got" = "$wanted" ] || fail "status $got instead of $wanted: $*" "$(head -n 20 "$err")"
}

# Programs on a terminal are started by script(1), where there are pseudo-terminals.
needs_terminal() {
    command -v script >/dev/null || skip "script (bsdutils) is not installed"
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal (/dev/pts)"
}

tiny_loop() {
    cat <<'END'
HloModule tiny
condition {
  i = s32[] parameter(0)
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  i = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT next = s32[] add(i, one)
}
ENTRY main {
  i = s32[] parameter(0)
  ROOT loop = s32[] while(i), condition=condition, body=body
}
END
}

# needs_code: skips the test where no code is generated: see STENCILS in the Makefile.
needs_code() {
    tiny_loop >"$BATS_TEST_TMPDIR/loop.hlo"
    expect_status 0 hlo-run --print-plan --inputs=zeros "$BATS_TEST_TMPDIR/loop.hlo"
    grep -q ' loop  *code ' "$out" || skip "this build generates no code"
}

# instruction_sets: those that this machine has kernels for, the plainest first, to $sets.
instruction_sets() {
    echo 'HloModule m ENTRY e { ROOT c = f32[] constant(1) }' >"$BATS_TEST_TMPDIR/sets.hlo"
    expect_status 2 hlo-run --isa=none "$BATS_TEST_TMPDIR/sets.hlo"
    read -ra sets < <(sed -n 's/.*available: \([a-z0-9_, ]*\) .*/\1/p' "$err" | tr -d ,)
    [ "${#sets[@]}" -gt 0 ] || fail "no instruction set: $(cat "$err")"
}

# same_ways ARGUMENT...: a module gives the same in several ways; see tests/check_engines/run_ways.c.
same_ways() {
    trace_no_functions
    "$HLO_BUILD/tools/run_ways" "$@" >"$BATS_TEST_TMPDIR/ways" 2>&1 || fail "$*" "$(grep -v '^ok ' "$BATS_TEST_TMPDIR/ways")"
}

# cpu_seconds SECONDS COMMAND...: runs it, and ends it by a signal when it has used so much processor time:
# a limit on what does not end, that a busy machine does not reach sooner.
cpu_seconds() {
    (
        ulimit -t "$1"
        shift
        exec "$@"
    )
}

# expect_text FILE TEXT: FILE contains TEXT.
expect_text() {
    grep -qF -e "$2" "$1" || fail "'$2' is missing in:" "$(head -n 20 "$1")"
}

# A module of two instructions, and one with a mistake in line 3.
good_module='HloModule good

ENTRY main {
  x = f32[3] parameter(0)
  ROOT y = f32[3] add(x, x)
}
'
bad_module='HloModule bad
ENTRY main {
  x = f32[3] parametre(0)
  ROOT y = f32[3] add(x, x)
}
'
