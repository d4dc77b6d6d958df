# Text protobuf in the programs: what it looks like, every spelling of it, and errors of broken texts.
# unit/proto_round_trips.c has the round trips, unit/proto_broken.c the bytes that are wrong anywhere,
# proto/text_format.py the judgement of the protobuf library.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    hlo-opt "$HLO_ROOT/tests/proto/base.hlo" >base.hlo
    hlo-opt --emit=pbtxt base.hlo >base.pbtxt
}

teardown_file() {
    sum_cases
}

@test "--emit=pbtxt writes what the protobuf library prints; every program reads it" {
    [ "$(head -n 8 base.pbtxt)" = 'name: "base"
entry_computation_name: "main"
computations {
  name: "sum"
  instructions {
    name: "a"
    opcode: "parameter"
    shape {' ]
    expect_text base.pbtxt '      f32s: 1'
    expect_text base.pbtxt '      s8s: "\001\002\003\004"'
    expect_status 0 hlo-verify base.pbtxt
    expect_status 0 hlo-opt - <base.pbtxt
    cmp base.hlo "$out"
    expect_status 0 hlo-dot base.pbtxt
    expect_status 0 hlo-stat base.pbtxt
    expect_status 0 hlo-diff base.hlo base.pbtxt
    expect_status 0 hlo-run --replicas=1 --inputs=ones base.pbtxt
    expect_text "$out" "(f32[2], s8[4]) ( {9, 18}, {1, 2, 3, 4} )"
    hlo-opt --emit=proto base.pbtxt | cmp <(hlo-opt --emit=proto base.hlo) -
    gzip -c base.pbtxt >packed
    hlo-opt packed | cmp base.hlo -
}

@test "--emit=hlo-pbtxt writes an HloProto around the module; the ending of -o is named when it is another form's" {
    hlo-opt --emit=hlo-pbtxt base.hlo >around.pbtxt
    [ "$(head -n 1 around.pbtxt)" = "hlo_module {" ]
    hlo-opt around.pbtxt | cmp base.hlo -
    sed '$d; 1d; s/^  //' around.pbtxt | cmp base.pbtxt -
    expect_status 0 hlo-opt -o m.pbtxt base.hlo
    expect_text "$err" "--emit=pbtxt selects the other format"
    expect_status 0 hlo-opt --emit=hlo-pbtxt -o m.textproto base.hlo
    [ ! -s "$err" ] || fail "$(<"$err")"
    { cat base.hlo && echo "// -----" && cat base.hlo; } >two.hlo
    hlo-opt --split-input-file --emit=pbtxt two.hlo | hlo-opt --split-input-file - | cmp two.hlo -
}

@test "every spelling: comments, marks between fields, brackets, lists, strings side by side, escapes, numbers" {
    cat >free.pbtxt <<'END'
# proto-file: hlo.proto
name: 'lib' "eral"; entry_computation_name: "e",
computations: [ <
  name: "e" # of the entry
  instructions { name: "x" opcode: "parameter" shape { element_type: 11 } id: 0x1 };
  instructions: { name: "y", opcode: "parameter", shape: < element_type: F32 >, parameter_number: 01, id: +2 }
  root_id: 4
  instructions {
    name: "c" opcode: "constant" id: 3
    shape { element_type: F64 dimensions: [2, 3] layout { minor_to_major: 1 minor_to_major: 0 } }
    literal {
      shape { element_type: F64 dimensions: [2, 3] layout { minor_to_major: [1, 0] } }
      f64s: [1, 1.5f, inf] f64s: -Infinity
      f64s: nan f64s: - .5E+1
    }
  }
  instructions {
    35: 4 2: "tuple" name: "\x72\157\u006f" 't\U00000065d' operand_ids: [ ] operand_ids: 1 operand_ids: [2, 3]
    shape { element_type: TUPLE tuple_shapes: [ {element_type: F32}, <element_type: F32>, {
      element_type: F64 dimensions: [2, 3] layout { minor_to_major: 1 minor_to_major: 0 } } ] }
  }
> ]
host_program_shape { parameters: [ { element_type: F32 }, { element_type: F32 } ] result {
  element_type: TUPLE tuple_shapes { element_type: F32 } tuple_shapes { element_type: F32 } tuple_shapes {
    element_type: F64 dimensions: [2, 3] layout { minor_to_major: 1 minor_to_major: 0 } } } }
frontend_attributes { map: [ { key: "a" value: "tab\tquote\"" }, { value: "first", key: "b" } ] }
END
    sed -i 's/+2/2/' free.pbtxt
    cat >wanted.hlo <<'END'
HloModule liberal, entry_computation_layout={(f32[], f32[])->(f32[], f32[], f64[2,3]{1,0})}, frontend_attributes={a="tab\tquote\"",b="first"}

ENTRY %e (x: f32[], y: f32[]) -> (f32[], f32[], f64[2,3]) {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  %c = f64[2,3]{1,0} constant({ { 1, 1.5, inf }, { -inf, nan, -5 } })
  ROOT %rooted = (f32[], f32[], f64[2,3]{1,0}) tuple(%x, %y, %c)
}
END
    expect_status 0 hlo-opt free.pbtxt
    [ ! -s "$err" ] || fail "$(<"$err")"
    diff wanted.hlo "$out"
}

@test "unknown fields and extensions are named once and dropped, whatever they hold" {
    cat >more.pbtxt <<'END'
[type.googleapis.com/xla.More] { a: 1 b { c: "}" } }
unknown: [ { a: 'x' "y" }, < b: -1.5e+3 > ] # "
999: 0x0123
entry_computation_nam: "main"
device_type: "tpu"
END
    cat base.pbtxt more.pbtxt >both.pbtxt
    sed -i 's/^    opcode: "reduce"/    newer: -inf\n&/' both.pbtxt
    expect_status 0 hlo-opt both.pbtxt
    cmp base.hlo "$out"
    sed -n 's/^both.pbtxt:[0-9]*:[0-9]*: //p; s/^ *\(hint:\)/\1/p' "$err" >said
    cat >wanted <<'END'
warning: unknown field newer of HloInstructionProto is dropped [message]
warning: unknown field [type.googleapis.com/xla.More] of HloModuleProto is dropped [message]
warning: unknown field unknown of HloModuleProto is dropped [message]
warning: unknown field 999 of HloModuleProto is dropped [message]
warning: unknown field entry_computation_nam of HloModuleProto is dropped [message]
hint: did you mean 'entry_computation_name'?
warning: field device_type of HloModuleProto has no place in a module and is dropped [message]
END
    diff wanted said
}

@test "signs and payloads of nans survive text protobuf" {
    printf 'HloModule n\nENTRY e { ROOT a = f32[4] constant({nan, -nan, -nan, nan(0x1)}) }\n' >nans.hlo
    hlo-opt --emit=pbtxt nans.hlo >nans.pbtxt
    [ "$(grep -c 'f32s: nan' nans.pbtxt)" = 4 ]
    hlo-opt --large-constants nans.pbtxt | cmp <(hlo-opt --large-constants nans.hlo) -
}

@test "strings that are not UTF-8 are escaped, and come back" {
    printf 'HloModule m\nENTRY e { ROOT x = f32[] parameter(0), metadata={op_name="\\377\\001\xc3\xa4"} }\n' >bytes.hlo
    hlo-opt --emit=pbtxt bytes.hlo >bytes.pbtxt
    expect_text bytes.pbtxt 'op_name: "\377\001\303\244"'
    hlo-opt bytes.pbtxt | cmp <(hlo-opt bytes.hlo) -
    expect_status 0 hlo-opt - < <(sed 's/\\303\\244/ä/' bytes.pbtxt)
    cmp <(hlo-opt bytes.hlo) "$out"
}

@test "the place is line and column, with the text and the path of the field" {
    sed '0,/opcode: "add"/! { 0,/element_type: F32/s//element_type: F33/ }' base.pbtxt >broken.pbtxt
    line=$(grep -n F33 broken.pbtxt)
    expect_status 1 hlo-verify broken.pbtxt
    cat >wanted <<END
broken.pbtxt:${line%%:*}:21: error: /computations/0/instructions/2/shape/element_type: 'F33' is not a value of this enum [message]
        element_type: F33
                      ^~~
  hint: did you mean 'F32'?
END
    diff <(sed 's/^ *//' wanted) <(sed 's/^ *//' "$err")
}

@test "text protobuf that is none" {
    begin_cases
    while IFS=$'\t' read -r text wanted; do
        printf '%b' "$text" >broken.pbtxt
        status=0
        hlo-verify broken.pbtxt 2>err || status=$?
        said=$(grep -m 1 error: err)
        if [ $status = 1 ] && [ "$said" = "broken.pbtxt:$wanted" ]; then ok
        else bad "$text" "status $status: $said"; fi
    done <"$HLO_ROOT/tests/proto/no_pbtxt.tsv"
    end_cases
}

@test "a text is text protobuf by its first field, not by its name" {
    cp base.pbtxt dump.hlo
    expect_status 0 hlo-verify dump.hlo
    mkdir dump
    cp base.pbtxt dump/module_0001
    hlo-opt --emit=hlo-pbtxt base.hlo >dump/module_0002.hlo.pbtxt
    printf '# of a server\nname: "model"\nplatform: "onnx"\n' >dump/config.pbtxt
    printf 'version: 3\nresults {\n}\n' >dump/tuned.pbtxt
    printf 'arguments {\n  ROOT x = f32[] parameter(0)\n}\n' >dump/computation
    printf 'name { ROOT x = f32[] parameter(0) }\n' >dump/another
    expect_status 0 hlo-verify -v dump
    cat >wanted <<'END'
dump/another: good: 1 module, 1 computation, 1 instruction
dump/computation: good: 1 module, 1 computation, 1 instruction
dump/config.pbtxt: skipped: does not start like a module
dump/module_0001: good: 1 module, 2 computations, 10 instructions
dump/module_0002.hlo.pbtxt: good: 1 module, 2 computations, 10 instructions
dump/tuned.pbtxt: skipped: autotuning results
4 files: 4 good, 0 bad, 0 not read, 2 skipped: 4 modules, 6 computations, 22 instructions
  autotuning results       1 file skipped
  other                    1 file skipped
END
    diff wanted "$out"
}
