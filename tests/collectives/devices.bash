# Modules for several devices: used by devices.bats and mpi.bats after `load lib`.

# The computation of all-reduces here.
add='add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }'

# branches FIRST SECOND: devices 0 and 1 do different things, each a line that gives x.
branches() {
    cat >branches.hlo <<END
HloModule branches, replica_count=2
$add
first { p = f32[2] parameter(0)
$1 }
second { p = f32[2] parameter(0)
$2 }
ENTRY e {
  p = f32[2] parameter(0)
  i = u32[] replica-id()
  j = s32[] convert(i)
  ROOT c = f32[2] conditional(j, p, p), branch_computations={first, second}
}
END
}

# counted_loop TYPE STEP LIMIT DIRECTION: computations `body` and `condition` of a loop over (TYPE, f32[2]) that sums the array
# over all devices.
counted_loop() {
    cat <<END
$add
body { s = ($1[], f32[2]) parameter(0)
  i = $1[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  k = $1[] constant($2)
  n = $1[] add(i, k)
  y = f32[2] all-reduce(x), to_apply=add
  ROOT t = ($1[], f32[2]) tuple(n, y) }
condition { s = ($1[], f32[2]) parameter(0)
  i = $1[] get-tuple-element(s), index=0
  end = $1[] constant($3)
  ROOT c = pred[] compare(i, end), direction=$4 }
END
}
