# Programs that are divided between devices compute what they compute as a whole: sharding-propagation,
# spmd-partitioner, and a run on 2, 4 and 8 devices. In tests/collectives/spmd, D stands for the devices of the first
# axis of the mesh, M for those of the second, N for all.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# The meshes, as D and M.
meshes="2 1
1 2
4 1
2 2
1 4
8 1
4 2
2 4
1 8"

# shapes OPCODE FILE: of what it computes, in order.
shapes() {
    sed -nE "s/.* = ([^ ]*) $1\(.*/\1/p" "$2" | sort
}

# divided FILE OPCODE...: what a device computes by one of these is not what the whole program computes.
divided() {
    local opcode
    for opcode in "${@:2}"; do
        [ "$(shapes "$opcode" whole.hlo)" = "$(shapes "$opcode" "$1")" ] || return 0
    done
    fail "$1: each device computes all of ${*:2}"
}

# agree PROGRAM: on all meshes.
agree() {
    local file=$HLO_ROOT/tests/collectives/spmd/$1.hlo opcodes devices d m
    read -ra opcodes < <(sed -n 's|^// divided: ||p' "$file")
    sed 's/@[DMN]@/1/g' "$file" >one.hlo
    hlo-opt --passes='strip-metadata{shardings=true}' one.hlo >whole.hlo
    hlo-run --inputs=normal --seed=3 --output-dir wanted whole.hlo
    while read -r d m; do
        devices=$((d * m))
        sed "s/@D@/$d/g; s/@M@/$m/g; s/@N@/$devices/g" "$file" >in.hlo
        hlo-opt --passes="sharding-propagation,spmd-partitioner{partitions=$devices}" --verify-each in.hlo >"$d-$m.hlo" ||
            fail "$1 on $d x $m is refused"
        divided "$d-$m.hlo" "${opcodes[@]}"
        rm -rf all
        mkdir all
        for out in wanted/*.npy; do
            name=${out##*/}
            for ((i = 0; i < devices; i++)); do cp "$out" "all/${name%.npy}.r$i.npy"; done
        done
        hlo-run --inputs=normal --seed=3 --expect=all --rtol=1e-3 --atol=1e-5 "$d-$m.hlo" >report ||
            fail "$1 on $d x $m: $(head -n 5 report)"
    done <<<"$meshes"
}

@test "elementwise operations, with tiles beyond the end of the array" {
    agree elementwise
}

@test "a training step: data, tensor and both kinds of parallelism" {
    agree training_step
}

@test "a transformer block" {
    agree transformer_block
}

@test "convolution, pooling, its gradient, pad, slice, reverse and concatenate along tiles" {
    agree windows
}

@test "windows that begin with what is no neutral element" {
    agree window_starts
}

@test "gather, scatter, dynamic-slice and dynamic-update-slice of a table in tiles" {
    agree embedding
}

@test "gather and scatter whose indices count the batch" {
    agree batched_table
    ! grep -q all-reduce 8-1.hlo || fail "places of the batch are not kept apart: $(cat 8-1.hlo)"
}

@test "a loop and a conditional" {
    agree loop
}

# extremes OPCODE TYPE FILE [DIMENSION]: reduces an array of 7 ones, of a run-time size if DIMENSION is <=7.
extremes() {
    cat >"$3" <<H
HloModule m
f {
  a = $2[] parameter(0)
  b = $2[] parameter(1)
  ROOT r = $2[] $1(a, b)
}
ENTRY e {
  p = $2[7] parameter(0), sharding={devices=[2]<=[2]}
  z = $2[] parameter(1)
  n = s32[] constant(3)
  d = $2[${4:-7}] $([ $# = 3 ] && echo 'copy(p)' || echo 'set-dimension-size(p, n), dimensions={0}')
  ROOT r = $2[] reduce(d, z), dimensions={0}, to_apply=f
}
H
}

@test "padding never is the maximum or the minimum: every floating-point type, with infinities or without" {
    local types type opcode
    types=$(sed -n 's/^HLO_FLOAT(\([A-Z0-9]*\),.*/\1/p' "$HLO_ROOT/src/base/floats.def" | tr '[:upper:]' '[:lower:]')
    [ "$(wc -w <<<"$types")" -ge 13 ] || fail "$types"
    for type in $types; do
        for opcode in maximum minimum; do
            extremes $opcode $type whole.hlo
            hlo-run --partitions=1 whole.hlo --inputs=ones -o want.npz
            hlo-run --partitions=1 whole.hlo --inputs=ones | tr -d ' ' | grep -qx "$type\[\]1" || fail "$type $opcode"
            hlo-opt --passes='sharding-propagation,spmd-partitioner{partitions=2}' -o parts.hlo whole.hlo
            expect_status 0 hlo-run parts.hlo --input-sharded=whole.hlo --inputs=ones --expect want.npz
            [ "$(grep -c ' agree' "$out")" = 2 ] || fail "$type $opcode: $(cat "$out")"
            extremes $opcode $type sized.hlo '<=7'
            hlo-opt --passes=dynamic_padder -o padded.hlo sized.hlo
            expect_status 0 hlo-run --partitions=1 padded.hlo --inputs=ones --expect want.npz
        done
    done
}
