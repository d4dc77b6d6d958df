#!/usr/bin/env python3
"""Modules that tests of JAX compile, kept with what they were run on and what came out.

    tests/oracle/harvest.py DIR TEST.py... [--seconds N] [--jobs N] [--largest MB]

Each TEST.py runs by pytest in a process of its own, whose jit is hooked: every distinct module that runs on one device, takes
no tokens and calls no Python is kept once as DIR/HASH.hlo, serialised in DIR/HASH.pb, with its arrays in DIR/HASH.in.npz (in0,
in1, ...) and DIR/HASH.out.npz (out0, out1, ...). Whether the tests pass is not asked. Says after each file how many modules
there are. tests/oracle/replay.py takes them through the programs.

Needs jax with jaxlib, pytest and absl-py; the tests' files are JAX's own (its repository, directory tests).
"""
import argparse
import concurrent.futures
import hashlib
import os
import subprocess
import sys


# ---- inside a test's process ----

def as_bytes(array):
    """What NumPy's files cannot name is stored as bytes of the same width."""
    import numpy as np
    array = np.asarray(array)
    return array if array.dtype.isbuiltin == 1 else array.view(f"V{array.dtype.itemsize}")


def reread(computation):
    """XLA's print of the module and its serialised form, both after XLA has read its own text: that decides the order of
    computations."""
    from jaxlib import xla_client as xc
    options = xc.hlo.HloPrintOptions()
    options.print_large_constants = True
    module = xc.hlo.hlo_module_from_text(computation.get_hlo_module().to_string(options))
    return module.to_string(options), module.as_serialized_hlo_module_proto()


def is_plain(self):
    """One device, data in and data out: what hlo-run can be given as files."""
    return not (self.ordered_effects or self.has_unordered_effects or self.has_host_callbacks or self.mut
                or len(self._local_devices) != 1)


class Keeper:
    """Writes each module once, under a hash of its text."""

    def __init__(self, directory, largest):
        self.directory, self.largest = directory, largest
        self.modules = {}  # by id of the executable; a new executable in the place of a dead one registers anew

    def register(self, executable, module):
        from jaxlib import _jax
        try:
            text = module.operation.get_asm(binary=False, enable_debug_info=True)
            self.modules[id(executable)] = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
        except Exception as e:  # what XLA's importer refuses has no text to keep
            self.modules.pop(id(executable), None)
            print("not converted:", str(e)[:200], file=sys.stderr)

    def open(self, executable):
        """(path without ending, computation) of a module that is not kept yet, else (None, None)."""
        computation = self.modules.get(id(executable))
        if computation is None:
            return None, None
        text = computation.get_hlo_module().to_string()
        path = os.path.join(self.directory, hashlib.sha256(text.encode()).hexdigest()[:20])
        if len(text) > self.largest or os.path.exists(path + ".hlo"):
            return None, None
        return path, computation

    def keep(self, path, computation, inputs, outputs):
        import numpy as np
        if sum(a.nbytes for a in inputs + outputs) > self.largest:
            return
        try:
            text, proto = reread(computation)
        except Exception as e:  # of what XLA prints it does not read everything
            print("not read again:", str(e)[:200], file=sys.stderr)
            return
        np.savez(path + ".in.npz", **{f"in{i}": a for i, a in enumerate(inputs)})
        np.savez(path + ".out.npz", **{f"out{i}": a for i, a in enumerate(outputs)})
        with open(path + ".pb", "wb") as to:
            to.write(proto)
        with open(f"{path}.{os.getpid()}", "w") as to:
            to.write(text)
        os.rename(f"{path}.{os.getpid()}", path + ".hlo")


def arrays_of(leaves):
    """Typed keys of random numbers are arrays of integers inside."""
    return [as_bytes(getattr(leaf, "_base_array", leaf)) for leaf in leaves]


def hook(keeper):
    from jax._src import compiler, pjit
    from jax._src.interpreters import pxla
    compile_and_load, call = compiler.backend_compile_and_load, pxla.ExecuteReplicated.__call__

    def compile_kept(backend, module, *args, **kwargs):
        executable = compile_and_load(backend, module, *args, **kwargs)
        keeper.register(executable, module)
        return executable

    def call_kept(self, *args):
        path, computation = keeper.open(self.xla_executable) if is_plain(self) else (None, None)
        if not path:
            return call(self, *args)
        kept = [x for i, x in enumerate(args) if i in self.kept_var_idx]
        inputs = arrays_of(buffer for buffer in self.in_handler(kept))  # before the run, which may donate them
        outputs = call(self, *args)
        keeper.keep(path, computation, inputs, arrays_of(outputs))
        return outputs

    compiler.backend_compile_and_load = compile_kept
    pxla.ExecuteReplicated.__call__ = call_kept
    pjit._get_fastpath_data = lambda *args, **kwargs: None  # the short way past Python


def run_hooked(directory, test, largest):
    import pytest
    hook(Keeper(directory, largest))
    return pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", test])


# ---- the run ----

def harvest(test, a):
    command = [sys.executable, __file__, "--hooked", a.directory, test, str(a.largest << 20)]
    env = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", JAX_NUM_GENERATED_CASES="10")
    try:
        subprocess.run(command, env=env, timeout=a.seconds, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "stopped"
    return "done"


def kept(directory):
    return sum(name.endswith(".hlo") for name in os.listdir(directory))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("directory")
    ap.add_argument("tests", nargs="+")
    ap.add_argument("--seconds", type=float, default=600, help="that a file gets")
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("--largest", type=int, default=8, help="MB of text, or of arrays, of a module that is kept")
    a = ap.parse_args()
    os.makedirs(a.directory, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for test, how in zip(a.tests, pool.map(lambda t: harvest(t, a), a.tests)):
            print(f"{os.path.basename(test)}: {how}; {kept(a.directory)} modules", flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--hooked"]:
        sys.exit(run_hooked(sys.argv[2], sys.argv[3], int(sys.argv[4])))
    sys.exit(main())
