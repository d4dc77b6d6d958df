# Collectives that do more on one device than pass their operands on: collective-permute in place, where slices of one buffer go
# to slices of another, and collective-broadcast with the senders as an operand.

load ../lib

@test "collective-permute with slice_sizes" {
    cd "$BATS_TEST_TMPDIR"
    cat >one.hlo <<'END'
HloModule one
ENTRY e {
  input = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  zero = s32[] constant(0)
  one = s32[] constant(1)
  far = s32[] constant(9)
  output = s32[3,4] broadcast(zero), dimensions={}
  from = (s32[], s32[]) tuple(zero, one)
  to = (s32[], s32[]) tuple(one, far)
  a = s32[3,4] collective-permute(input, output, from, to), source_target_pairs={{0,0}}, slice_sizes={{2,2}}
  b = (s32[2,3], s32[3,4], u32[], u32[]) collective-permute-start(input, output, from, to), source_target_pairs={{0,0}}, slice_sizes={{1,2}}
  c = s32[3,4] collective-permute-done(b)
  froms = ((s32[], s32[]), (s32[], s32[])) tuple(from, to)
  tos = ((s32[], s32[]), (s32[], s32[])) tuple(to, from)
  d = s32[3,4] collective-permute(input, output, froms, tos), source_target_pairs={{0,0},{0,0}}, slice_sizes={{1,1},{1,1}}
  n = s32[3,4] collective-permute(input, output, from, to), source_target_pairs={}, slice_sizes={{2,2}}
  ROOT t = tuple(a, c, d, n)
}
END
    expect_status 0 hlo-run one.hlo
    tr -d ' \n' <"$out" >got
    expected='{{0,0,0,0},{0,0,2,3},{0,0,5,6}},{{0,0,0,0},{0,0,2,3},{0,0,0,0}},{{0,6,0,0},{0,0,0,2},{0,0,0,0}},{{0,0,0,0},{0,0,0,0},{0,0,0,0}}'
    expect_text got "$expected"
    cat >two.hlo <<'END'
HloModule two
ENTRY e {
  a = f32[4] constant({1, 2, 3, 4})
  b = f32[2] constant({5, 6})
  zero = s32[] constant(0)
  one = s32[] constant(1)
  z = f32[] constant(0)
  y = f32[4] broadcast(z), dimensions={}
  x = f32[2] broadcast(z), dimensions={}
  inputs = (f32[4], f32[2]) tuple(a, b)
  outputs = (f32[4], f32[2]) tuple(y, x)
  at = (s32[]) tuple(one)
  begin = (s32[]) tuple(zero)
  from = ((s32[]), (s32[])) tuple(at, begin)
  to = ((s32[]), (s32[])) tuple(begin, at)
  ROOT r = (f32[4], f32[2]) collective-permute(inputs, outputs, from, to), source_target_pairs={{0,0}}, slice_sizes={{3},{1}}
}
END
    expect_status 0 hlo-run two.hlo
    tr -d ' \n' <"$out" >got
    expect_text got '{2,3,4,0},{0,5}'
    sed 's/slice_sizes={{2,2}}$/slice_sizes={{2,4}}/' one.hlo >large.hlo
    expect_status 1 hlo-run large.hlo
    expect_text "$err" "'a' (collective-permute) has slices outside of its buffers [run]"
}

@test "collective-broadcast with has_dynamic_root" {
    cd "$BATS_TEST_TMPDIR"
    cat >roots.hlo <<'END'
HloModule roots
ENTRY e {
  a = f32[3] constant({1, 2, 3})
  b = s32[2] constant({4, 5})
  one = s32[1] constant({0})
  two = s32[2] constant({0, 0})
  single = f32[3] collective-broadcast(a, one), replica_groups={{0}}, has_dynamic_root=true
  both = (f32[3], s32[2]) collective-broadcast(a, b, two), replica_groups={{0}}, has_dynamic_root=true
  ROOT t = tuple(single, both)
}
END
    for engine in fast reference; do
        expect_status 0 hlo-run --engine=$engine roots.hlo
        tr -d ' \n' <"$out" >got
        expect_text got '({1,2,3},({1,2,3},{4,5}))'
    done
    sed 's/(a, one)/(a)/' roots.hlo >few.hlo
    expect_status 1 hlo-verify few.hlo
    grep -q 'it has 1 operand and takes two or more with has_dynamic_root=true \[arity\]' "$err" || fail "$(cat "$err")"
}
