# The Python package in python/: its own tests by the library of this build, and its installation.
# HLO_PYTHON names another python3, for example one that has NumPy and JAX.

load ../lib

setup() {
    python=${HLO_PYTHON:-python3}
    command -v "$python" >/dev/null || skip "no python3"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip "python3 is older than 3.8"
    export HLO_LIBRARY=${HLO_BUILD:-$HLO_ROOT/build}/lib/libhlo.so
    [ -e "$HLO_LIBRARY" ] || skip "this build has no shared library"
    export PYTHONPATH=$HLO_ROOT/python PYTHONDONTWRITEBYTECODE=1
    cd "$BATS_TEST_TMPDIR"
}

# run_tests NAME: all of a file of python/tests.
run_tests() {
    "$python" -W error::ResourceWarning "$HLO_ROOT/python/tests/$1.py" >own.out 2>&1 || fail "$(cat own.out)"
    grep -q '^Ran [1-9]' own.out || fail "nothing ran: $(cat own.out)"
}

@test "the structures of the package are those of hlo.h" {
    run_tests test_library
}

@test "the methods of Builder are the functions of hlo_builder.h and hlo_builder_lib.h" {
    "$python" "$HLO_ROOT/tools/python-builder" "$HLO_ROOT/include/hlo/builder.h" "$HLO_ROOT/include/hlo/builder_lib.h" >own.py
    diff own.py "$HLO_ROOT/python/hlo/_operations.py" || fail "python/hlo/_operations.py is not what make docs writes"
    run_tests test_builder
    run_tests test_builder_lib
}

@test "the hints of the package hold" {
    "$python" -c 'import mypy' 2>/dev/null || skip "$python has no mypy"
    "$python" -m mypy --disallow-untyped-defs --ignore-missing-imports "$HLO_ROOT/python/hlo" >own.out 2>&1 || fail "$(cat own.out)"
}

@test "modules from Python: read, check, optimise, print, draw" {
    run_tests test_module
}

@test "runs from Python: arrays in and out, threads, custom calls, JAX" {
    "$python" -c 'import numpy' 2>/dev/null || skip "$python has no NumPy"
    run_tests test_run
}

@test "graphs from Python: executors, devices, traces, stacks in a file" {
    "$python" -c 'import numpy' 2>/dev/null || skip "$python has no NumPy"
    run_tests test_graphs
}

@test "without NumPy the package reports what running needs" {
    cat >own.py <<'P'
import sys
sys.modules["numpy"] = None
import hlo
module = hlo.parse("HloModule m ENTRY e { ROOT x = f32[2] parameter(0) }")
try:
    module.run([1, 2])
except ImportError as wrong:
    assert "NumPy" in str(wrong), wrong
else:
    raise SystemExit("it ran")
P
    "$python" own.py
}

@test "pip installs the package, without network" {
    "$python" -c 'import setuptools, pip, sys; sys.exit(int(setuptools.__version__.split(".")[0]) < 61)' 2>/dev/null ||
        skip "$python has no pip, or no setuptools of 61 or later"
    "$python" -c 'import wheel' 2>/dev/null || "$python" -c 'import setuptools.command.bdist_wheel' 2>/dev/null ||
        skip "$python cannot make wheels"
    cp -r "$HLO_ROOT/python" package
    "$python" -m pip install -q --no-index --no-build-isolation --no-deps --target installed ./package >own.out 2>&1 ||
        fail "$(cat own.out)"
    PYTHONPATH=$PWD/installed "$python" -c 'import hlo; print(hlo.__file__, hlo.version())' >where
    expect_text where "$PWD/installed/"
}

@test "the library is found below the prefix of Python and below ~/.local" {
    unset HLO_LIBRARY
    cp -r "$HLO_ROOT/python/hlo" hlo # no build stands beside it
    soname=$(sed -n 's/^SONAME = "\(.*\)"/\1/p' hlo/_version.py)
    for prefix in home/.local prefix; do
        mkdir -p "$prefix/lib"
        ln -s "$HLO_BUILD/lib/$soname" "$prefix/lib/$soname"
        HOME=$PWD/home PYTHONPATH=$PWD "$python" -c 'import sys; sys.prefix = "prefix"; import hlo; print(hlo.version())' >version
        expect_text version "$(sed -n 's/^VERSION = "\(.*\)"/\1/p' hlo/_version.py)"
        rm -r "$prefix"
    done
}
