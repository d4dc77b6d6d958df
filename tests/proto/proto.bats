# Modules as JSON and as protobuf in the programs: every form in and out, compressed files, snapshots, what travels
# beside the messages, and errors of broken ones. unit/proto_round_trips.c has the round trips,
# unit/proto_broken.c the bytes that are wrong anywhere, proto/run.sh the judgement of XLA and the protobuf library.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    base=$HLO_ROOT/tests/proto/base.hlo
    hlo-opt "$base" >base.hlo
    hlo-opt --emit=json base.hlo >base.json
    hlo-opt --emit=proto -o base.pb base.hlo
}

teardown_file() {
    sum_cases
}

# ---- in and out ----

@test "every program reads every form, from a file and from standard input" {
    for file in base.hlo base.json base.pb; do
        expect_status 0 hlo-verify "$file"
        expect_status 0 hlo-opt "$file"
        cmp base.hlo "$out"
        expect_status 0 hlo-opt - <"$file"
        cmp base.hlo "$out"
        expect_status 0 hlo-dot "$file"
        expect_text "$out" "digraph"
        expect_status 0 hlo-run --inputs=ones "$file"
        expect_text "$out" "(f32[2], s8[4]) ( {9, 18}, {1, 2, 3, 4} )"
    done
}

@test "--emit writes each form from each; --emit-proto is --emit=proto" {
    for file in base.hlo base.json base.pb; do
        hlo-opt --emit=json "$file" | cmp base.json -
        hlo-opt --emit=proto "$file" | cmp base.pb -
        hlo-opt --emit-proto "$file" | cmp base.pb -
        hlo-opt --emit=text "$file" | cmp base.hlo -
    done
    expect_status 2 hlo-opt --emit=yaml base.hlo
    expect_status 2 hlo-opt --emit=proto --split-input-file base.hlo
    expect_text "$err" "--split-input-file is supported for text and JSON output only"
}

@test "--pretty and --compact: the same JSON with and without line breaks, keys in the order of the fields" {
    hlo-opt --emit=json --pretty base.hlo >pretty.json
    hlo-opt --emit=json --compact base.hlo | cmp base.json -
    [ "$(wc -l <base.json)" = 1 ]
    [ "$(wc -l <pretty.json)" -gt 100 ]
    jq -c . pretty.json | cmp - <(jq -c . base.json)
    jq -r 'keys_unsorted | join(" ")' base.json >keys
    echo "name entryComputationName computations hostProgramShape entryComputationId inputOutputAlias" \
        "bufferDonor frontendAttributes" | cmp - keys
    expect_status 2 hlo-opt --emit=json --pretty --compact base.hlo
    expect_text "$err" "--pretty and --compact are mutually exclusive"
}

@test "several modules in one file: parts of JSON between // -----" {
    { cat base.hlo && echo "// -----" && cat base.hlo; } >two.hlo
    hlo-opt --split-input-file --emit=json two.hlo >two.json
    [ "$(grep -c '^{' two.json)" = 2 ]
    hlo-opt --split-input-file two.json | cmp two.hlo -
}

@test "gzip and zstd files are read as what is in them; damage is named" {
    for file in base.hlo base.json base.pb; do
        gzip -c "$file" >packed
        hlo-opt packed | cmp base.hlo -
        hlo-opt - <packed | cmp base.hlo -
    done
    # HloModule z, one parameter; made by zstd 1.5
    base64 -d >z.zst <<<"KLUv/QRYsQEASGxvTW9kdWxlIHoKRU5UUlkgZSB7CiAgUk9PVCB4ID0gZjMyW10gcGFyYW1ldGVyKDApCn0KAGhZZg=="
    hlo-opt z.zst >z.hlo
    expect_text z.hlo "HloModule z, entry_computation_layout={(f32[])->f32[]}"
    cat z.zst z.zst >twice.zst # frames are joined as gzip's members are
    expect_status 1 hlo-verify twice.zst
    expect_text "$err" "twice.zst:5:1: error:"
    head -c 30 z.zst >cut.zst
    expect_status 1 hlo-verify cut.zst
    expect_text "$err" "cut.zst:2:10: error: the compressed file is cut off: what could be read ends here [lex]"
    gzip -c <(seq -f '// line %g' 20000) >whole.gz
    head -c 30000 whole.gz >cut.gz
    lines=$(gzip -dc cut.gz 2>/dev/null | wc -l) # as many as gzip makes of it
    [ "$lines" -gt 1000 ] || fail "$lines lines"
    expect_status 1 hlo-verify cut.gz
    expect_text "$err" "cut.gz:$((lines + 1)):"
    expect_text "$err" "error: the compressed file is cut off: what could be read ends here [lex]"
    { head -c 12 z.zst && printf 'xxxxxxxx' && tail -c +21 z.zst; } >bad.zst
    for program in hlo-verify hlo-opt hlo-run hlo-dot hlo-stat; do
        expect_status 1 $program bad.zst
        expect_text "$err" "bad.zst:1:1: error: the compressed file is damaged: what could be read ends here [lex]"
    done
}

@test "files that are compressed twice, or by another program, are named with what decompresses them" {
    gzip -c base.hlo | gzip -c >twice
    base64 -d >zstd <<<"KLUv/QRYsQEASGxvTW9kdWxlIHoKRU5UUlkgZSB7CiAgUk9PVCB4ID0gZjMyW10gcGFyYW1ldGVyKDApCn0KAGhZZg=="
    gzip -c zstd >other
    for file in twice other; do
        expect_status 1 hlo-verify $file
        expect_text "$err" "$file:1:1: error: this is compressed twice [lex]"
        expect_text "$err" "hint: gzip -d or zstd -d decompresses it once"
    done
    # What such files begin with.
    printf '\375\067zXZ\0\0\004' >xz
    printf 'BZh91AY&SY' >bzip2
    printf '\004\042\115\030d' >lz4
    for by in xz bzip2 lz4; do
        head -c 400 /dev/urandom >>$by
        for program in hlo-verify hlo-run; do
            expect_status 1 $program $by
            expect_text "$err" "$by:1:1: error: this is compressed by $by [lex]"
            expect_text "$err" "hint: $by -d decompresses it"
        done
    done
}

@test "what unfolds to more than 64 MiB and 100 times its size is refused, unless --unpack-limit allows it" {
    head -c 70000000 /dev/zero | tr '\0' ' ' | gzip >bomb.gz
    # N blocks of 128 KiB, each of one byte that is repeated
    blocks() {
        printf '\x28\xb5\x2f\xfd\x00\x50'
        for ((i = 1; i < $1; i++)); do printf '\x02\x00\x10\x20'; done
        printf '\x03\x00\x10\x20'
    }
    blocks 700 >bomb.zst
    blocks 3 >small.zst
    refuses() {
        expect_status 3 within 20 "$1" "$2"
        grep -q "error: $2 holds more than 67108864 bytes decompressed, [0-9]* times the compressed size: above the limit for compressed files \[limit\]" "$err" ||
            fail "$1: $(cat "$err")"
    }
    for program in hlo-verify hlo-opt hlo-run hlo-dot hlo-stat; do refuses $program bomb.zst; done
    refuses hlo-verify bomb.gz # with much more work
    expect_status 1 hlo-verify --unpack-limit=100000000 bomb.gz
    expect_text "$err" "the text contains no module"
    expect_status 1 hlo-verify --unpack-limit=$((3 << 17)) small.zst
    expect_text "$err" "the text contains no module"
    expect_status 3 hlo-verify --unpack-limit=$(((3 << 17) - 1)) small.zst
    expect_text "$err" "[limit]"
    gzip -c base.hlo >small.gz
    expect_status 0 hlo-verify --unpack-limit=$(wc -c <base.hlo) small.gz
    expect_status 3 hlo-verify --unpack-limit=$(($(wc -c <base.hlo) - 1)) small.gz
    expect_text "$err" "[limit]"
    expect_status 2 hlo-verify --unpack-limit=much small.gz
}

@test "a dump directory with text, JSON, protobuf and packed files mixed, and what is no module" {
    mkdir -p dump/inner
    cp base.hlo dump/module_0001.before.txt
    cp base.json dump/module_0001.json
    cp base.pb dump/inner/module_0001.hlo.pb
    gzip -c base.pb >dump/inner/module_0002.hlo.pb.gz
    jq '{hloModule: .}' base.json >dump/wrapped.json
    jq -S . base.json >dump/sorted.json
    jq '.computations[1].rootId = "9"' base.json >dump/wrong.json
    printf '{"name": "a package", "version": "1.0", "dependencies": {}}\n' >dump/package.json
    printf '[1, 2]\n' >dump/list.json
    printf '\12\4name\20\1' >dump/other.pb
    head -c 3000 /dev/urandom >dump/noise
    { printf '\12\3abc' && head -c 3000 /dev/zero; } >dump/zeros
    expect_status 1 hlo-verify -v dump
    cat >wanted <<'END'
dump/inner/module_0001.hlo.pb: good: 1 module, 2 computations, 10 instructions
dump/inner/module_0002.hlo.pb.gz: good: 1 module, 2 computations, 10 instructions
dump/list.json: skipped: does not start like a module
dump/module_0001.before.txt: good: 1 module, 2 computations, 10 instructions
dump/module_0001.json: good: 1 module, 2 computations, 10 instructions
dump/other.pb: skipped: does not start like a module
dump/package.json: skipped: does not start like a module
dump/sorted.json: good: 1 module, 2 computations, 10 instructions
dump/wrapped.json: good: 1 module, 2 computations, 10 instructions
dump/wrong.json: bad
7 files: 6 good, 1 bad, 0 not read, 3 skipped: 6 modules, 12 computations, 60 instructions
  root                     1 finding in 1 file
END
    diff wanted "$out"
}

# plain FILE...: a line for each, without what only we write there, with the largest float as the protobuf library prints it.
plain() {
    jq -cS 'del(.frontendAttributes.map[]?) | del(.computations[].instructions[].frontendAttributes.map["hlo_header.nans"]?)
        | del(.. | .map? | select(. == {}))
        | walk(if type == "number" then if . == 3.402823466e+38 then 3.4028235e+38 else . end else . end)' "$@"
}

# lossy FILE...: the texts without what a sample has lost of it, header attributes and which nan is which.
lossy() {
    sed -s -i '1s/, \(replica_count\|num_partitions\|alias_[a-z_]*\|allow_[a-z_]*\)=\({[a-z,]*}\|[a-z0-9]*\)//g
        s/-nan\|-\?nan([0-9a-fx]*)/nan/g' "$@"
}

compare_samples() {
    local names name other n=0
    mkdir ours text our_text
    mapfile -t names < <(cd json && printf '%s\n' *.json | sed 's/\.json$//')
    for name in "${names[@]}"; do
        hlo-opt --emit=json -o "ours/$name.json" "$HLO_ROOT/tests/parse/printing/$name.in.hlo" || return
        hlo-opt -o "text/$name" "json/$name.json" && hlo-opt -o "our_text/$name" "ours/$name.json" || return
    done
    lossy text/* our_text/*
    plain json/*.json >samples
    plain ours/*.json >made
    while IFS= read -r -u 4 name && IFS= read -r -u 5 other; do
        if [ "$name" != "$other" ]; then bad "${names[n]}" "another message"
        elif ! cmp -s "text/${names[n]}" "our_text/${names[n]}"; then bad "${names[n]}" "another text"
        else ok; fi
        n=$((n + 1))
    done 4<samples 5<made
    [ $n = ${#names[@]} ] || bad samples "$n of ${#names[@]} were compared"
}

@test "what the protobuf library writes of XLA's modules is what we write, and reads to the same text" {
    begin_cases
    tar -xzf "$HLO_ROOT/tests/proto/samples.tar.gz"
    compare_samples
    end_cases
}

# ---- messages around modules ----

@test "an HloProto, as XLA's dumps have it: what else is in it is named" {
    jq '{hloModule: .}' base.json >proto.json
    hlo-opt proto.json | cmp base.hlo -
    # the module as field 1, and a buffer assignment as field 3
    length=$(wc -c <base.pb)
    { printf '\12' && printf "\\$(printf %o $((length % 128 + 128)))\\$(printf %o $((length / 128)))"; cat base.pb; } >proto.pb
    hlo-opt proto.pb | cmp base.hlo -
    { cat proto.pb && printf '\32\2\10\1'; } >assigned.pb
    expect_status 0 hlo-opt assigned.pb
    cmp base.hlo "$out"
    echo "hlo-opt: warning: assigned.pb: field bufferAssignment of HloProto has no place in a module and is dropped [message]" |
        cmp - "$err"
    expect_status 0 hlo-verify assigned.pb
    [ ! -s "$err" ]
}

@test "--emit=hlo-proto and --emit=hlo-json write an HloProto around the module, and it comes back" {
    for file in base.hlo base.json base.pb; do
        hlo-opt --emit=hlo-json "$file" | jq -c .hloModule | cmp <(jq -c . base.json) -
        hlo-opt --emit=hlo-proto -o around.pb "$file"
        [ "$(head -c 1 around.pb | od -An -c | tr -d ' ')" = '\n' ] # field 1, and its length in three bytes or fewer
        tail -c "$(wc -c <base.pb)" around.pb | cmp - base.pb
        [ $(($(wc -c <around.pb) - $(wc -c <base.pb))) -le 4 ]
        hlo-opt around.pb | cmp base.hlo -
        hlo-opt --emit=hlo-json around.pb | hlo-opt --emit=proto - | cmp base.pb -
    done
    hlo-opt --emit=hlo-json --pretty base.hlo | hlo-opt - | cmp base.hlo -
    # a protobuf file holds one module, a stream of JSON any number
    { cat base.hlo && echo "// -----" && cat base.hlo; } >two.hlo
    [ "$(hlo-opt --split-input-file --emit=hlo-json two.hlo | grep -c '^{"hloModule":')" = 2 ]
    expect_status 2 hlo-opt --split-input-file --emit=hlo-proto two.hlo
}

# The module is for several devices, and a snapshot of one.
alone="--replicas=1 --partitions=1"

snapshot() {
    jq '. as $hlo | .computations[1].instructions as $i |
        {hlo: {hloModule: $hlo}, executionPlatform: "cpu", arguments: [$i[1].literal],
         result: {shape: .hostProgramShape.result, tupleLiterals: [
            {shape: .hostProgramShape.result.tupleShapes[0], f32s: [12, 30]}, $i[5].literal]}}' base.json
}

@test "an HloSnapshot is run on its arguments and compared with its result" {
    snapshot >snapshot.json
    expect_status 0 hlo-run $alone snapshot.json
    printf 'out0: 2 elements agree\nout1: 4 elements agree\n' | cmp - "$out"
    jq '.result.tupleLiterals[0].f32s[1] = 31' snapshot.json >other.json
    expect_status 1 hlo-run $alone other.json
    expect_text "$out" "out0: 1 of 2 elements differ"
    expect_text "$out" "worst: [1] got 30, expected 31, error 1"
    expect_text "$out" "out1: 4 elements agree"
    expect_status 0 hlo-run $alone --rtol=0.1 other.json
}

@test "lists of a sharding that differ in length are shown with their lengths" {
    printf 'HloModule m\nENTRY e { ROOT x = f32[4] parameter(0), sharding={devices=[2]<=[2]} }\n' | hlo-opt --emit=json |
        jq '.computations[0].instructions[0].sharding.iotaReshapeDims = ["2", "1"]' >tiles.json
    expect_status 1 hlo-verify tiles.json
    expect_text "$err" "iotaReshapeDims and iotaTransposePerm differ in length, 2 and 1"
}

@test "a snapshot without a result, or with other inputs, is a module with inputs" {
    snapshot | jq 'del(.result)' >inputs.json
    expect_status 0 hlo-run $alone inputs.json
    expect_text "$out" "(f32[2], s8[4]) ( {12, 30}, {1, 2, 3, 4} )"
    snapshot >snapshot.json
    expect_status 0 hlo-run $alone --inputs=ones snapshot.json
    expect_text "$out" "(f32[2], s8[4]) ( {9, 18}, {1, 2, 3, 4} )"
    expect_status 0 hlo-run $alone --output-dir results snapshot.json
    [ -f results/out1.npy ]
    expect_status 0 hlo-opt snapshot.json
    cmp base.hlo "$out"
    echo "hlo-opt: warning: the recorded arguments and result of module base are dropped [message]" | cmp - "$err"
}

# ---- what messages have no place for ----

@test "header attributes that no field holds travel as frontend attributes and come back" {
    cat >header.hlo <<'END'
HloModule h, alias_passthrough_params=true, allow_spmd_sharding_propagation_to_parameters={false,true}, allow_spmd_sharding_propagation_to_output={true}, replica_count=4, num_partitions=2, frontend_attributes={mine="kept"}

ENTRY e {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
END
    hlo-opt header.hlo >wanted
    hlo-opt --emit=json header.hlo >header.json
    hlo-opt header.json | cmp wanted -
    hlo-opt --emit=proto header.hlo | hlo-opt - | cmp wanted -
    jq -c '.frontendAttributes.map' header.json >travelling
    echo '{"mine":"kept","hlo_header.alias_passthrough_params":"1",'"$(:
        )"'"hlo_header.allow_spmd_sharding_propagation_to_parameters":"01",'"$(:
        )"'"hlo_header.allow_spmd_sharding_propagation_to_output":"1",'"$(:
        )"'"hlo_header.replica_count":"4","hlo_header.num_partitions":"2"}' | diff - travelling
}

@test "threads, origins and configurations of a message are what the same text has" {
    cat >told.hlo <<'EOF'
HloModule m
f { ROOT p = f32[] parameter(0) }
ENTRY e {
  a = f32[] parameter(0), origin={{"a"}}
  t = (f32[]) tuple(a)
  g = f32[] get-tuple-element(t), index=0, backend_config={"x":1}
  s = ((f32[]), f32[]) call-start(a), to_apply=f, async_execution_thread="u"
  d = f32[] call-done(s)
  ROOT r = f32[] add(g, d)
}
EOF
    hlo-opt told.hlo >want
    old=$(printf '%s' '{"wait_on_operation_queues":[],"x":1}' | base64 -w0)
    hlo-opt --emit=json told.hlo | jq -c --arg old "$old" '
        del(.computations[].executionThread)
        | (.computations[].instructions[] | select(.opcode == "get-tuple-element"))
            |= (del(.originalValue) | .backendConfig = $old)' >told.json
    ! grep -q '"executionThread"' told.json
    hlo-opt told.json | cmp - want
    expect_text want 'get-tuple-element(%t), index=0, origin={{"a"}}, backend_config={"x":1}'
    expect_text want '}, execution_thread="u"'
}

@test "signs and payloads of nans survive JSON; changed elements are what they were changed to" {
    cat >nans.hlo <<'END'
HloModule n
ENTRY e {
  a = f32[4] constant({nan, -nan, -nan, nan(0x1)})
  b = (c64[2], f64[]) constant(({(1, -nan), (nan(0x2), nan(0x2))}, -nan(0x3)))
  ROOT c = f16[2] constant({-nan, nan(0x1)})
}
END
    hlo-opt --large-constants nans.hlo >wanted
    hlo-opt --emit=json nans.hlo >nans.json
    hlo-opt --large-constants nans.json | cmp wanted -
    jq -r '.computations[].instructions[].frontendAttributes.map["hlo_header.nans"] // empty' nans.json >travelling
    printf '%s\n' '0:1+1=ffc00000,0:3=7f800001' '0:1=ffc00000,0:2+1=7f800002,1:0=fff0000000000003' | diff - travelling
    jq '.computations[0].instructions[0].literal.f32s[1] = 5' nans.json | hlo-opt - >changed
    expect_text changed "constant({nan, 5, -nan, nan(0x1)})"
}

@test "unknown fields, and fields without a place in a module, are named once" {
    jq '.newField = {"a": [1]} | .deviceType = "tpu" | .computations[].instructions[].another = 1' base.json >new.json
    expect_status 0 hlo-opt new.json
    cmp base.hlo "$out"
    sed -n 's/^new.json:[0-9]*:[0-9]*: //p' "$err" >said
    cat >wanted <<'END'
warning: unknown field another of HloInstructionProto is dropped [message]
warning: unknown field newField of HloModuleProto is dropped [message]
warning: field deviceType of HloModuleProto has no place in a module and is dropped [message]
END
    diff wanted said
    # only writing the module again loses something
    expect_status 0 hlo-verify new.json
    sed 's/^new.json:[0-9]*:[0-9]*: //' "$err" | grep '^warning' | grep -v newField >said
    head -1 wanted | diff - said
    { cat base.pb && printf '\372\6\1x'; } >new.pb
    expect_status 0 hlo-opt new.pb
    cmp base.hlo "$out"
    echo "hlo-opt: warning: new.pb: unknown field 111 of HloModuleProto is dropped [message]" | cmp - "$err"
}

@test "of what parameters and results are tiles comes back, and is written after partitioning" {
    cat >whole.hlo <<'END'
HloModule tiles, num_partitions=4
ENTRY main {
  x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  w = (f32[4], f32[]) parameter(1)
  v = f32[4] get-tuple-element(w), index=0
  b = f32[8,4] broadcast(v), dimensions={1}
  s = f32[8,4] add(x, b), sharding={devices=[4,1]<=[4]}
  ROOT t = (f32[8,4], f32[4]) tuple(s, v), sharding={{devices=[4,1]<=[4]}, {replicated}}
}
END
    hlo-opt --pipeline=spmd --emit=json whole.hlo >tiles.json
    tiled='{"type":"OTHER","tileAssignmentDimensions":["4","1"],"iotaReshapeDims":["4"],"iotaTransposePerm":[0]}'
    jq -c '.spmdOutputSharding, .spmdParametersShardings' tiles.json | diff - <(
        echo '{"type":"TUPLE","tupleShardings":['"$tiled"',{}]}'
        echo '['"$tiled"',{"type":"TUPLE","tupleShardings":[{},{}]}]'
    )
    hlo-opt --emit=proto -o tiles.pb tiles.json
    for file in tiles.json tiles.pb; do
        hlo-opt --emit=json --passes=cse "$file" >again.json 2>said
        jq -S '.spmdOutputSharding, .spmdParametersShardings' again.json | diff <(jq -S '.spmdOutputSharding, .spmdParametersShardings' tiles.json) -
        [ ! -s said ] || fail "$(<said)"
    done
    # Text has the shardings of the parameters.
    expect_status 0 hlo-opt tiles.json
    diff <(hlo-opt --pipeline=spmd whole.hlo) "$out"
    echo "hlo-opt: warning: spmdOutputSharding, the sharding of the result before partitioning, has no place in text [lossy-text]" |
        diff - <(head -n 1 "$err")
    expect_status 0 hlo-verify tiles.json
    [ ! -s "$err" ] || fail "$(<"$err")"
    # Whatever the entry is called, it is not partitioned again.
    sed 's/main_spmd/main/' tiles.json >named.json
    hlo-opt --emit=json --passes=sharding-propagation,spmd-partitioner named.json | cmp <(hlo-opt --emit=json named.json) -
    # Each parameter has one.
    jq -c 'del(.spmdParametersShardings[1])' tiles.json | hlo-opt --emit=json - | jq -e 'has("spmdParametersShardings") | not'
    # A pass that gives the module other parameters and results drops them.
    hlo-opt --emit=json --passes='isolate{instruction=s}' tiles.json | jq -e 'has("spmdOutputSharding") or has("spmdParametersShardings") | not'
    # What is no sharding is refused.
    jq -c '.spmdOutputSharding.type = "TUPLE" | .spmdOutputSharding.tupleShardings = [{"type":"TUPLE"}]' tiles.json >bad.json
    expect_status 1 hlo-opt bad.json
    grep -q 'a tuple of shardings is flat' "$err" || fail "$(<"$err")"
}

@test "strings that are not UTF-8 cannot be JSON; protobuf has them" {
    printf 'HloModule u\nENTRY e {\n  ROOT x = f32[] parameter(0), metadata={op_name="\\377"}\n}\n' >bytes.hlo
    expect_status 1 hlo-opt --emit=json -o bytes.json bytes.hlo
    echo "hlo-opt: error: a value of the field op_name is not UTF-8 text, which JSON must be [limit]" | cmp - "$err"
    [ ! -e bytes.json ]
    hlo-opt --emit=proto bytes.hlo | hlo-opt - | cmp - <(hlo-opt bytes.hlo)
}

# ---- what only messages can spell ----

@test "names of modules become what a text can have; a module without a name is refused" {
    hlo-opt --emit=json base.hlo >named.json
    while IFS='|' read -r given wanted; do
        jq --arg name "$given" '.name = $name' named.json >odd.json
        expect_status 0 hlo-opt odd.json
        head -1 "$out" | grep -q "^HloModule $wanted," || fail "$given: $(head -1 "$out")"
        hlo-opt "$out" | cmp - "$out"
    done <<'END'
a b|a_b
a{b}|a_b_
a"b|a_b
-a|_a
0a|_a
f32|f32_
ROOT|ROOT_
nan|nan_
__a|a_a
é|a_
END
    jq '.name = "a\nb"' named.json >odd.json
    expect_status 0 hlo-opt odd.json
    expect_text "$out" "HloModule a_b,"
    jq '.name = ""' named.json >odd.json
    expect_status 1 hlo-opt odd.json
    expect_text "$err" "a module requires a name [message]"
}

@test "keys of frontend attributes and names of statistics that no text can have are refused" {
    cat >keys.hlo <<'END'
HloModule keys, frontend_attributes={module_key="1"}
ENTRY e {
  ROOT p = f32[] parameter(0), frontend_attributes={key="1"}, statistics={visualizing_index=0,count=1}
}
END
    hlo-opt --emit=json keys.hlo >keys.json
    hlo-opt keys.json | cmp - <(hlo-opt keys.hlo)
    for key in module_key key count; do
        for odd in 'a b' 'a{b' 'a}b' 'a"b' 'a=b' 'a,b' 'a\b' $'a\nb' '' 0a 'a%b' é $'\x01'; do
            jq --arg key $key --arg odd "$odd" '(.. | strings | select(. == $key)) = $odd
                | walk(if type == "object" and has($key) then with_entries(if .key == $key then .key = $odd else . end) else . end)' \
                keys.json >odd.json
            expect_status 1 hlo-opt odd.json
            grep -q 'is not a name of a' "$err" || fail "$key, $odd: $(cat "$err")"
        done
        for good in _a a.b-c true f32; do
            sed "s/\"$key\"/\"$good\"/" keys.json >good.json
            expect_status 0 hlo-opt good.json
            hlo-opt "$out" | cmp - "$out"
        done
    done
}

@test "parameters of a graph's part may have gaps, in each form; others may not" {
    cat >part.hlo <<'END'
HloModule part, is_dataflow=true
ENTRY e {
  p = f32[2] parameter(1)
  q = f32[2] parameter(3)
  ROOT a = f32[2] add(p, q)
}
END
    hlo-opt part.hlo >wanted
    for form in json proto; do
        hlo-opt --emit=$form part.hlo >part.$form
        hlo-opt part.$form | cmp wanted -
    done
    expect_status 1 hlo-run --inputs=iota part.hlo
    expect_text "$err" "no part of the graph has parameter 0 [parameter-numbers]"
    jq 'del(.frontendAttributes.map)' part.json >gaps.json
    expect_status 1 hlo-opt gaps.json
    expect_text "$err" "/computations/0: the parameters are not numbered consecutively from 0 [parameter-numbers]"
    jq '.computations[0].instructions[1].parameterNumber = "1"' part.json >twice.json
    expect_status 1 hlo-opt twice.json
    expect_text "$err" "[parameter-numbers]"
}

@test "layouts of operand_layout_constraints are not looked at, in each form; others are" {
    cat >layouts.hlo <<'END'
HloModule layouts
ENTRY e {
  x = f32[2,3] parameter(0)
  ROOT c = f32[2,3] custom-call(x), custom_call_target="t", operand_layout_constraints={f32[2,3]{0,0}}
}
END
    hlo-opt layouts.hlo >wanted
    expect_text wanted 'operand_layout_constraints={f32[2,3]{0,0}}'
    for form in json proto; do
        hlo-opt --emit=$form layouts.hlo >layouts.$form
        hlo-opt layouts.$form | cmp wanted -
        expect_status 0 hlo-verify layouts.$form
    done
    jq '.computations[0].instructions[0].shape.layout.minorToMajor = ["0", "0"]' layouts.json >bad.json
    expect_status 1 hlo-opt bad.json
    expect_text "$err" "minorToMajor is not a permutation of 2 dimensions [message]"
    for key in pointerPrimitiveType indexPrimitiveType; do
        jq --arg key $key '.computations[0].instructions[0].shape.layout[$key] = "PRED"' layouts.json >bad.json
        expect_status 1 hlo-opt bad.json
        expect_text "$err" "$key: pred is not an unsigned integer type [message]"
    done
}

# ---- with jq ----

@test "jq: counting operations" {
    jq -c '[.computations[].instructions[].opcode] | group_by(.) | map({(.[0]): length}) | add' base.json >counts
    echo '{"add":2,"constant":3,"parameter":3,"reduce":1,"tuple":1}' | cmp - counts
}

@test "jq: the names of large constants" {
    jq -r '.computations[].instructions[]
        | select(.opcode == "constant" and ([.shape.dimensions[]? | tonumber] | reduce .[] as $d (1; . * $d)) > 5)
        | .name' base.json >names
    echo c | cmp - names
}

@test "jq: renaming" {
    jq '(.computations[].instructions[] | select(.name == "y")).name = "sum"' base.json | hlo-verify -
    jq '(.computations[].instructions[] | select(.name == "y")).name = "sum"' base.json | hlo-opt - >renamed.hlo
    expect_text renamed.hlo '%sum = f32[2,3]{1,0} add('
}

@test "jq: without metadata" {
    jq 'del(.computations[].instructions[].metadata, .stackFrameIndex)' base.json | hlo-verify -
    jq 'del(.computations[].instructions[].metadata, .stackFrameIndex)' base.json | hlo-opt - |
        cmp - <(hlo-opt --no-metadata base.hlo)
}

@test "jq: another constant" {
    jq '(.computations[].instructions[] | select(.name == "c")).literal.f32s[0] = 10' base.json >changed.json
    hlo-verify - <changed.json
    expect_status 0 hlo-run --inputs=ones changed.json
    expect_text "$out" "( {18, 18}, {1, 2, 3, 4} )"
}

# ---- what is broken ----

# judge_broken: one jq makes all messages of broken.tsv, a line each.
judge_broken() {
    local n=0 program wanted said status
    jq -c "$(cut -f 1 "$HLO_ROOT/tests/proto/broken.tsv" | sed 's/.*/(&)/' | paste -sd,)" base.json | awk '{ file = NR ".json"; print >file; close(file) }'
    while IFS=$'\t' read -r program wanted; do
        n=$((n + 1)) status=0
        said=$(hlo-verify $n.json 2>&1) || status=$?
        said=${said%%$'\n'*}
        if [ $status != 1 ]; then bad "$program" "status $status"
        elif ! [[ $said =~ ^$n\.json:1:[0-9]+:\ (.*)$ ]]; then bad "$program" "no position: $said"
        elif [ "${BASH_REMATCH[1]}" != "$wanted" ]; then bad "$program" "$said"
        else ok; fi
    done <"$HLO_ROOT/tests/proto/broken.tsv"
    [ ! -e $((n + 1)).json ] || bad broken.tsv "a row makes more than one message"
}

@test "a message that is wrong somewhere: the JSON pointer and what was expected" {
    begin_cases
    judge_broken
    end_cases
}

@test "the place is line and column of the value" {
    hlo-opt --emit=json --pretty base.hlo >pretty.json
    jq '.computations[1].instructions[0].shape.elementType = "F33"' pretty.json >broken.json
    expect_status 1 hlo-verify broken.json
    line=$(grep -n F33 broken.json)
    cat >wanted <<END
broken.json:${line%%:*}:28: error: /computations/1/instructions/0/shape/elementType: 'F33' is not a value of this enum [message]
              "elementType": "F33",
                             ^~~~~
END
    diff <(sed 's/^ *//; s/:[0-9]*: error/: error/' wanted) <(sed '/hint:/d; s/^ *//; s/:[0-9]*: error/: error/' "$err")
}

@test "misspelt names of fields, enums, operations and words suggest what was meant" {
    echo 'HloModule m ENTRY e { p = f32[4] parameter(0) ROOT c = pred[4] compare(p, p), direction=LT }' |
        hlo-opt --emit=json - >named.json
    while read -r right wrong; do
        sed "s/\"$right\"/\"$wrong\"/" named.json >broken.json
        expect_status 1 hlo-verify broken.json
        expect_text "$err" "hint: did you mean '$right'?"
    done <<'END'
LT LTT
compare compar
F32 F33
comparisonDirection comparsionDirection
END
}

@test "JSON that is none" {
    begin_cases
    while IFS=$'\t' read -r text wanted; do
        printf '%b' "$text" >broken.json
        status=0
        hlo-verify broken.json 2>err || status=$?
        said=$(grep -m 1 error: err)
        if [ $status = 1 ] && [ "$said" = "$wanted" ]; then ok
        else bad "$text" "status $status: $said"; fi
    done <"$HLO_ROOT/tests/proto/no_json.tsv"
    end_cases
}

@test "protobuf that is none: the byte, the pointer, what is wrong there" {
    begin_cases
    while IFS=$'\t' read -r bytes wanted; do
        printf '%b' "$bytes" >broken.pb
        status=0
        hlo-verify broken.pb 2>err || status=$?
        said=$(grep -m 1 error: err)
        if [ $status = 1 ] && [ "$said" = "hlo-verify: $wanted" ]; then ok
        else bad "$bytes" "status $status: $said"; fi
    done <"$HLO_ROOT/tests/proto/no_protobuf.tsv"
    end_cases
}
