# The pages that show commands (docs/tutorial.md, docs/recipes.md): all of them are run, each page in an empty folder, and print
# what the page shows.

load lib

run_page() {
    mkdir "$BATS_TEST_TMPDIR/empty"
    cd "$BATS_TEST_TMPDIR/empty"
    export HLO_ROOT PATH
    unset HLO_THREADS HLO_JOBS HLO_DIALECT HLO_COLOR HLO_MAX_ERRORS
    "$HLO_ROOT/tests/pages/run-page" "$HLO_ROOT/docs/$1.md"
}

@test "the tutorial" {
    run_page tutorial
}

@test "the dump of the tutorial is one that JAX makes" {
    python=${HLO_PYTHON:-}
    [ -n "$python" ] || skip "HLO_PYTHON names no Python with JAX"
    cd "$BATS_TEST_TMPDIR"
    XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_text" JAX_PLATFORMS=cpu "$python" "$HLO_ROOT/examples/jax/train_step.py"
    expect_status 0 hlo-verify -v dumps
    expect_text "$out" ".jit_step.before_optimizations.txt: good: 1 module, "
}
