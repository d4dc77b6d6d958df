# What programs do when the system fails them: closed streams, signals, files that cannot be put in place, memory.
# `make check-faults` fails every call in turn; here are a sample of it, and what users met.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'H'
HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  z = f32[4] add(x, y)
  ROOT t = (f32[4], f32[4], f32[4]) tuple(x, y, z)
}
H
}

@test "calls of the system that fail, a few of each kind in every program" {
    [ -x "$HLO_BUILD/tools/faults-shim.so" ] || skip "needs build/tools/faults-shim.so"
    case $HLO_BUILD in *san) skip "the sanitizer has another allocator" ;; esac
    run "$HLO_ROOT/tests/faults/programs/each_call.sh" --most 2
    [ "$status" = 0 ] || fail "$output"
    [[ "${lines[-1]}" =~ ^[0-9]{2}" passed, 0 failed, 0 skipped"$ ]] || fail "$output"
}

@test "closed standard error: messages do not land in the -o file" {
    hlo-opt -o wanted.hlo m.hlo
    hlo-opt --passes=dce --stats --time-passes -o out.hlo m.hlo 2>&-
    cmp wanted.hlo out.hlo
    status=0
    hlo-verify --format=json -o report.json missing.hlo 2>&- || status=$?
    [ "$status" = 3 ]
    jq -e . report.json >/dev/null || fail "$(cat report.json)"
}

@test "closed standard output: an error, before any work" {
    for program in "hlo-reduce --test ./test.sh" "hlo-run --inputs=hash" "hlo-opt --passes=dce --bisect ./test.sh"; do
        printf '#!/bin/sh\ntouch ran\n' >test.sh
        chmod +x test.sh
        status=0
        # shellcheck disable=SC2086 # several words
        $program m.hlo >&- 2>err || status=$?
        [ "$status" = 3 ] || fail "$program: exit status $status"
        expect_text err "error: cannot write standard output: it is closed"
        [ ! -e ran ] || fail "$program has worked"
    done
    status=0
    hlo-opt m.hlo >&- 2>err || status=$?
    [ "$status" = 3 ]
    expect_text err "cannot write standard output"
    hlo-run --inputs=hash --output-dir results m.hlo >&-
    [ -f results/out2.npy ]
}

@test "--output-dir: a file that cannot be put in place leaves all as it was" {
    mkdir results
    echo before >results/out0.npy
    mkdir results/out2.npy # in the way
    status=0
    hlo-run --inputs=hash --output-dir results m.hlo 2>err || status=$?
    [ "$status" = 3 ] || fail "exit status $status: $(cat err)"
    expect_text err "results"
    [ "$(cat results/out0.npy)" = before ]
    [ "$(find results | sort | tr '\n' ' ')" = "results results/out0.npy results/out2.npy " ] || fail "$(ls -A results)"
}

@test "--bench writes the results that -o names" {
    hlo-run --inputs=hash -o wanted.npz m.hlo
    hlo-run --inputs=hash --bench=2 --bench-json times.json -o results.npz m.hlo
    cmp wanted.npz results.npz
    jq -e .run_min_s times.json >/dev/null
    expect_status 0 hlo-run --inputs=hash --bench=1 m.hlo
    [ ! -s "$out" ] || fail "$(cat "$out")"
}

@test "an archive of no arrays is one" {
    printf 'HloModule n\nENTRY e { ROOT t = () tuple() }\n' >none.hlo
    hlo-run -o none.npz none.hlo
    [ "$(head -c 4 none.npz | od -An -tx1 | tr -d " ")" = 504b0506 ]
}

@test "INT, TERM, HUP, PIPE and XCPU leave no files" {
    printf '#!/bin/sh\ntouch started\nexec sleep 60\n' >test.sh
    chmod +x test.sh
    mkdir tmp
    for signal in INT TERM HUP PIPE XCPU; do
        rm -f started
        TMPDIR=$PWD/tmp setsid "$HLO_BIN/hlo-reduce" --test ./test.sh -o small.hlo m.hlo 2>err 3>&- &
        child=$!
        until [ -e started ]; do sleep 0.05; done
        kill -s "$signal" "$child"
        status=0
        wait "$child" || status=$?
        [ "$status" -gt 128 ] || fail "$signal: exit status $status: $(cat err)"
        [ -z "$(ls -A tmp)" ] || fail "$signal: $(ls -A tmp)"
        [ ! -e small.hlo ]
    done
}

@test "what cannot be read of a .json file is an error of the system" {
    mkdir x.json
    expect_status 3 hlo-run --input x=x.json m.hlo
    expect_text "$err" "cannot read x.json: Is a directory"
}
