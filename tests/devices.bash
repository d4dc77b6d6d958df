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
