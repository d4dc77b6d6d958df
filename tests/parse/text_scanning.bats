# What stands beside the scanner and reads text too (placing messages, translating old forms, looking for modules,
# readers of strings) takes comments, blanks, quotes and numbers as XLA's lexer does.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "a line's comment ends at a carriage return" {
    mkdir dump
    printf '// by a tool\rHloModule m\r\rENTRY e {\r  ROOT a = f32[] parameter(0)\r}\r' >dump/plain
    expect_status 0 hlo-verify dump
    printf 'HloModule m\nENTRY e {\n  a = f32[4] parameter(0) // old:\r  ROOT b = pred[4] greater-than(a, a)\n}\n' >old.hlo
    expect_status 0 hlo-verify --dialect=extended old.hlo
    printf 'HloModule m\nENTRY e {\n  x = f32[] parameter(0) // {\r  ROOT y = f32[] negate(z)\n}\n' >name.hlo
    expect_status 1 hlo-verify --format=json name.hlo
    expect_text "$out" '"computation":"e","instruction":"y"'
}

@test "strings stand in single quotes too" {
    cat >old.hlo <<'E2'
HloModule m
ENTRY e {
  a = f32[4] parameter(0), metadata={op_name='x(y'}
  ROOT b = pred[4] greater-than(a, a), metadata={op_name="it's"}
}
E2
    expect_status 0 hlo-verify --dialect=extended old.hlo
    printf "HloModule m\nENTRY e {\n  x = f32[] parameter(0), metadata={op_name='{'}\n  ROOT y = f32[] negate(z)\n}\n" >name.hlo
    expect_status 1 hlo-verify --format=json name.hlo
    expect_text "$out" '"computation":"e","instruction":"y"'
}

@test "the place of an attribute ends before comments" {
    cat >m.hlo <<'E2'
HloModule m
ENTRY e {
  a = f32[4,8] parameter(0)
  ROOT b = f32[8,4] transpose(a), dimensions={0,/* { */0} /* not swapped */ // as in C
}
E2
    expect_status 1 hlo-verify --format=json m.hlo
    expect_text "$out" '"line":4,"column":35,"end_line":4,"end_column":58'
}

@test "a form feed is no blank" {
    mkdir dump
    printf '\fHloModule m\n\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n' >dump/plain
    expect_status 1 hlo-verify dump/plain
    expect_status 2 hlo-verify dump
    expect_text "$err" "no file below dump starts like a module"
}
