# Unoptimised snapshots (HloUnoptimizedSnapshot): a module and the arguments of a run, for each device. XLA writes them as
# a message with its length before it and the arguments after it, or as text. proto.bats has the HloSnapshot, which has a
# result too; unit/proto_broken.c the bytes that are wrong anywhere. unoptimized.tar.gz is what jaxlib 0.10.2 dumps of
# one run in both forms (--xla_dump_hlo_unoptimized_snapshots).

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    tar -xzf "$HLO_ROOT/tests/proto/unoptimized.tar.gz"
    printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n' >m.hlo
}

@test "what XLA dumps, after its length and as text: the same module, run on the recorded arguments" {
    cat >wanted <<'END'
(pred[3,3], f16[3], s8[2,3], c64[2], s4[5], /*index=5*/u2[3], f32[2], f32[3,2]) ( { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 } }, {2.5, -1, nan}, { { 0, 2, 4 }, { 6, 8, 10 } }, {(0, 2), (2, -4)}, {1, -2, 3, -4, 5}, {3, 2, 1}, {1, 2}, { { 0, 3 }, { 1, 4 }, { 2, 5 } } )
END
    for file in types.pb types.txt; do
        expect_status 0 hlo-verify $file
        [ ! -s "$err" ] || fail "$(<"$err")"
        expect_status 0 hlo-run $file
        diff wanted "$out"
        expect_status 0 hlo-opt $file
        expect_text "$err" "the recorded arguments and result of module jit_types are dropped"
        cp "$out" $file.hlo
    done
    cmp types.pb.hlo types.txt.hlo
    mkdir dump
    cp types.* dump
    rm dump/*.hlo
    expect_status 0 hlo-verify -v dump
    expect_text "$out" "2 files: 2 good"
}

# snapshot ARGUMENT...: snapshot.json, with the arguments of one device each.
snapshot() {
    hlo-opt --emit=json m.hlo | jq -c '{hloModule: ., partitions: [$ARGS.positional[] | {arguments: [{f32s: (. | fromjson),
        shape: {elementType: "F32", dimensions: [(. | fromjson | length | tostring)], layout: {minorToMajor: ["0"]}}}]}]}' \
        --args "$@" >snapshot.json
}

@test "each device gets its own arguments" {
    snapshot '[1, 2]' '[3, 4]'
    expect_status 0 hlo-run --replicas=2 snapshot.json --output-dir results
    hlo-run --replicas=2 snapshot.json >both
    expect_text both "{-1, -2}"
    expect_text both "{-3, -4}"
    # a run for one device is that of the first
    expect_status 0 hlo-run snapshot.json
    expect_text "$out" "f32[2] {-1, -2}"
    expect_status 0 hlo-run --inputs=ones snapshot.json
    expect_text "$out" "f32[2] {-1, -1}"
}

@test "arguments that are tiles of the parameters are dropped with a warning" {
    snapshot '[1]' '[2]'
    expect_status 0 hlo-verify snapshot.json
    grep -q ': warning: recorded arguments are dropped: argument 0 of device 0 is f32\[1\].*, the parameter is f32\[2\]' "$err" ||
        fail "$(<"$err")"
    expect_status 0 hlo-run --inputs=ones snapshot.json
    expect_text "$out" "f32[2] {-1, -1}"
}

@test "snapshots that are wrong: the place and the reason" {
    snapshot '[1, 2]'
    cp snapshot.json good.json
    while IFS=$'\t' read -r change wanted; do
        jq -c "$change" good.json >bad.json
        expect_status 1 hlo-verify bad.json
        grep -qF "error: $wanted" "$err" || fail "$change: $(<"$err")"
    done <<'END'
.version = 1	/: version 1 of this form is not supported
del(.hloModule.name)	/hloModule: a module requires a name
.partitions[0].arguments = []	/partitions/0: 0 arguments, the entry computation has 1 parameters
.partitions[0].arguments[0].f32s = [1]	/partitions/0/arguments/0: f32s has 4 bytes of elements, f32[2] needs 8
.partitions[0] = {argumentsDescriptors: [{argumentSizeBytes: "8"}]}	/partitions/0/argumentsDescriptors/0: the literal has 8 bytes, 0 are left
.partitions[0].argumentsDescriptors = [{}]	/partitions/0: arguments are in the message and after it
END
    size=$(wc -c <types.pb)
    head -c $((size - 1)) types.pb >bad.pb
    expect_status 1 hlo-verify bad.pb
    expect_text "$err" "/partitions/0/argumentsDescriptors/7: the literal has 51 bytes, 50 are left"
    { cat types.pb && printf x; } >bad.pb
    expect_status 1 hlo-verify bad.pb
    expect_text "$err" "1 bytes follow the arguments"
    # the size of the last literal's shape
    { head -c $((size - 51)) types.pb && printf '\377' && tail -c 50 types.pb; } >bad.pb
    expect_status 1 hlo-verify bad.pb
    expect_text "$err" "/partitions/0/argumentsDescriptors/7: the literal has more bytes than its size"
}
