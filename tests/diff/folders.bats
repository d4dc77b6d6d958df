# hlo-diff of two folders: which modules are pairs, what the summary counts, and what both go through before.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir old new
}

# module FILE NAME OPERATION [COUNT]: a chain of so many instructions.
module() {
    {
        printf 'HloModule %s\n\nENTRY e {\n  n0 = f32[4] parameter(0)\n' "$2"
        for ((k = 1; k < ${4:-1}; k++)); do printf '  n%d = f32[4] negate(n%d)\n' $k $((k - 1)); done
        printf '  ROOT r = f32[4] %s(n%d)\n}\n' "$3" $((k - 1))
    } >"$1"
}

@test "files of one name but for the number of the module are pairs; content and names pair the others" {
    module old/module_0001.jit_f.before_optimizations.txt jit_f sine
    module new/module_0042.jit_f.before_optimizations.txt jit_f.3 cosine
    module old/module_0002.jit_g.before_optimizations.txt jit_g tanh 3
    module new/renamed.hlo other tanh 3
    module old/h.before_optimizations.txt jit_h sqrt 2
    module new/k.before_optimizations.txt jit_h.12 rsqrt 2
    module old/gone.hlo gone abs
    module new/come.hlo come ceil 5
    expect_status 1 hlo-diff old new
    cat >wanted <<'END'
3 pairs: 2 differ; 1 only in the first folder, 1 in the second
~ h.before_optimizations.txt -> k.before_optimizations.txt: 1 changed, 0 added, 0 removed
~ module_0001.jit_f.before_optimizations.txt -> module_0042.jit_f.before_optimizations.txt: 1 changed, 0 added, 0 removed
- gone.hlo: 2 instructions
+ come.hlo: 6 instructions

h.before_optimizations.txt
%e: 1 changed, 0 added, 0 removed
  ~ ROOT %r = f32[4]{0} sqrt(%n1)
      opcode: sqrt became rsqrt

module_0001.jit_f.before_optimizations.txt
%e: 1 changed, 0 added, 0 removed
  ~ ROOT %r = f32[4]{0} sine(%n0)
      opcode: sine became cosine
END
    diff wanted "$out"
    expect_status 1 hlo-diff --brief old/ new/
    head -n 5 wanted | diff - "$out"
    expect_status 1 hlo-diff --format=json old new
    [ "$(jq -c '[.pair_count, .differing, .only_first, .only_second, [.pairs[].same], .pairs[0].difference.computations[0].changed[0].to]' "$out")" = \
        '[3,2,["gone.hlo"],["come.hlo"],[false,false,true],"r"]' ] || fail "$(cat "$out")"
}

@test "of several modules of one name those of equal content, then of nearest size are pairs" {
    module old/module_0001.jit_f.hlo jit_f sine 10
    module old/module_0002.jit_f.hlo jit_f sine 20
    module old/module_0003.jit_f.hlo jit_f sine 30
    module new/module_0001.jit_f.hlo jit_f cosine 29
    module new/module_0002.jit_f.hlo jit_f sine 10
    module new/module_0003.jit_f.hlo jit_f cosine 21
    expect_status 1 hlo-diff --brief old new
    [ "$(sed -nE 's/^~ module_(....).* -> module_(....).*/\1 \2/p' "$out" | tr '\n' ';')" = "0002 0003;0003 0001;" ] || fail "$(cat "$out")"
}

@test "equal folders, in subfolders too; one that has a file that is no module" {
    mkdir old/deep new/deep
    for folder in old new; do
        cp "$HLO_ROOT"/examples/*.hlo $folder
        cp "$HLO_ROOT"/examples/jax/dumps/*.txt $folder/deep
    done
    expect_status 0 hlo-diff old new
    [ "$(cat "$out")" = "3 pairs: 0 differ; 0 only in the first folder, 0 in the second" ] || fail "$(cat "$out")"
    printf 'HloModule broken\nENTRY e {\n  x = f32[2] nonsense()\n}\n' >new/broken.hlo
    expect_status 1 hlo-diff old new
    expect_text "$err" "new/broken.hlo:3:14: error: "
    printf '%s\n' "3 pairs: 0 differ; 0 only in the first folder, 0 in the second; 1 not compared" "+ broken.hlo: not compared" |
        diff - "$out"
}

@test "a module that cannot be read and its partner are not compared" {
    module old/module_0001.f.hlo f sine
    module new/module_0002.f.hlo f sine
    module old/module_0003.g.hlo g tanh 3
    printf 'HloModule g\nENTRY e {\n  x = f32[2] nonsense()\n}\n' >new/module_0004.g.hlo
    cp new/module_0004.g.hlo old/alone.hlo
    cp new/module_0004.g.hlo new/other.hlo
    for options in "" --brief --metadata; do
        # shellcheck disable=SC2086
        expect_status 1 hlo-diff $options old new
        expect_text "$err" "new/module_0004.g.hlo:3:14: error: "
        diff - "$out" <<'END'
1 pair: 0 differ; 0 only in the first folder, 0 in the second; 3 not compared
~ module_0003.g.hlo -> module_0004.g.hlo: not compared
- alone.hlo: not compared
+ other.hlo: not compared
END
    done
    expect_status 1 hlo-diff --format=json old new
    [ "$(jq -c '[.pair_count, .differing, (.pairs | length), .only_first, .only_second, .not_compared]' "$out")" = \
        '[1,0,1,[],[],[{"first":"module_0003.g.hlo","second":"module_0004.g.hlo"},{"first":"alone.hlo"},{"second":"other.hlo"}]]' ] ||
        fail "$(cat "$out")"
    # Another version of the file that can be read is the better partner.
    module new/module_0005.g.hlo g tanh 3
    expect_status 1 hlo-diff old new
    expect_text "$out" "2 pairs: 0 differ; 0 only in the first folder, 0 in the second; 3 not compared"
    expect_text "$out" "+ module_0004.g.hlo: not compared"
}

@test "modules of equal content are read once, unless what their hash leaves out counts" {
    command -v strace >/dev/null || skip "no strace"
    module old/m.hlo m sine 3
    module new/m.hlo m sine 3
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # which strace does not let it do
    while read -r reads options; do
        expect_status 0 strace -f -o trace -e trace=openat hlo-diff $options old new
        [ "$(grep -c 'm\.hlo' trace)" -eq "$reads" ] || fail "$options: $(grep 'm\.hlo' trace)"
    done <<'END'
4
6 --metadata
6 --schedule
6 --format=json
END
}

@test "--pipeline: both modules go through it, of files and of folders" {
    cat >old/m.hlo <<'END'
HloModule m

f {
  a = f32[4] parameter(0)
  ROOT n = f32[4] negate(a)
}

ENTRY e {
  x = f32[4] parameter(0)
  ROOT c = f32[4] call(x), to_apply=f
}
END
    printf 'HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT n = f32[4] negate(x)\n}\n' >new/m.hlo
    expect_status 1 hlo-diff --brief old new
    expect_status 0 hlo-diff --pipeline=default old new
    expect_status 0 hlo-diff --pipeline=default old/m.hlo new/m.hlo
    expect_status 2 hlo-diff --pipeline=defualt old new
    expect_text "$err" "unknown pipeline 'defualt'; did you mean 'default'?"
}

@test "a folder and a file are no pair" {
    module old/m.hlo m sine
    expect_status 2 hlo-diff old old/m.hlo
    expect_text "$err" "one of 'old' and 'old/m.hlo' is a directory: expected both, or none"
    expect_status 2 hlo-diff - old </dev/null
    for pair in "old missing" "missing old"; do
        expect_status 3 hlo-diff $pair
        expect_text "$err" "hlo-diff: error: cannot read missing: No such file or directory [system]"
    done
}

@test "400 modules of one name are paired and compared in seconds" {
    for ((i = 0; i < 40; i++)); do module $i.hlo jit_f sine $((2 + i)); done
    for ((i = 0; i < 400; i++)); do
        cp $((i % 40)).hlo old/module_$((1000 + i)).jit_f.hlo
        cp $((i % 40)).hlo new/module_$((3000 - i)).jit_f.hlo
    done
    cpu_seconds 20 hlo-diff old new >report
    [ "$(cat report)" = "400 pairs: 0 differ; 0 only in the first folder, 0 in the second" ] || fail "$(cat report)"
}
