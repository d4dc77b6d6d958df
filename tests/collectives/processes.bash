# Processes that mpirun starts: used by mpi.bats and mpi_dataflow.bats after `load lib`.

# Root may be all there is in a container; processors are fewer than processes.
let_root_start_processes() {
    PATH=$HLO_ROOT/tests/collectives/launcher:$PATH
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    # Open MPI leaves memory to the end of the process, and parts of itself unloaded, so that its owner is unknown.
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
}

needs_mpi() {
    [ -e "$HLO_BUILD/lib/libhlo-mpi.so" ] || skip "this build has no library for MPI (make deps-mpi)"
    command -v mpirun >/dev/null || skip "there is no mpirun"
    mpirun --version 2>/dev/null | grep -q 'Open MPI' || skip "mpirun is not Open MPI's, whose options the tests use"
}

# ranks COUNT COMMAND...
ranks() {
    mpirun -n "$@" </dev/null
}
