# Linear algebra as JAX lowers it, against NumPy. The golden cases hold single calls; this runs
# what JAX emits for them, where there is a JAX.

load ../lib

@test "LAPACK calls of JAX give what NumPy gives" {
    for python in "${HLO_PYTHON:-}" python3; do
        if [ -n "$python" ] && "$python" -c "import jax" 2>/dev/null; then break; fi
        python=
    done
    [ -n "$python" ] || skip "no Python with jax (HLO_PYTHON names one)"
    "$python" "$HLO_ROOT/tests/tools/lapack_by_jax.py" "$HLO_BIN/hlo-run" "$BATS_TEST_TMPDIR"
}
