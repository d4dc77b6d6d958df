"""XLA's CPU backend through jaxlib: inputs as hlo-run makes them up, running a module, comparing results. Imported by the
scripts beside it, where jaxlib is."""
import re

import jax
import numpy as np
from elements import TYPES
from jaxlib import _jax
from jaxlib import xla_client as xc

jax.config.update("jax_enable_x64", True)

# ---- inputs of `hlo-run --inputs=random` ----

def splitmix64(x):
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def random_input(kind, dims, leaf, seed=0):
    """Floats of [-1, 1), integers from 0 to 3 (below 4 bits, and pred: to 1); both parts of a complex number count."""
    count = int(np.prod(dims, dtype=np.int64))
    base = np.uint64((seed * 0x9E3779B97F4A7C15 + (leaf << 40)) % 2**64)
    parts = 2 * count if kind in ("c64", "c128") else count
    bits = splitmix64(base + np.arange(parts, dtype=np.uint64)) >> np.uint64(40)
    if kind[0] in "su" or kind == "pred":
        most = 2 if kind in ("pred", "s1", "u1", "s2", "u2") else 4
        values = (bits % np.uint64(most)).astype(np.int64)
        if kind == "s2":
            values = (values & 3) - ((values & 2) << 1)
        return values.astype(TYPES[kind]).reshape(dims)
    values = bits.astype(np.float64) / 16777216.0 * 2 - 1
    if parts != count:
        values = values[0::2] + 1j * values[1::2]
    return values.astype(TYPES[kind]).reshape(dims)


# ---- running ----

def leaves(shape):
    """[(type, dims)] of a shape's arrays, depth first."""
    if shape.is_tuple():
        return [leaf for part in shape.tuple_shapes() for leaf in leaves(part)]
    kind = str(shape).split("[")[0]
    return [(kind, tuple(shape.dimensions()))]


def compile_text(text):
    """-> executable and the leaves of its parameters and results."""
    module = xc.hlo.hlo_module_from_text(text) if hasattr(xc, "hlo") else xc._xla.hlo_module_from_text(text)
    computation = xc.hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    program = computation.program_shape()
    inputs = [leaf for p in program.parameter_shapes() for leaf in leaves(p)]
    outputs = leaves(program.result_shape())
    client = jax.devices()[0].client
    devices = _jax.DeviceList(tuple(client.local_devices()[:1]))
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    return client.compile_and_load(stablehlo, devices, xc.CompileOptions()), inputs, outputs


def execute(executable, arrays):
    device = jax.devices()[0]
    results = executable.execute_sharded([jax.device_put(a, device) for a in arrays])
    return [np.asarray(r[0]) for r in results.disassemble_into_single_device_arrays()]


# ---- comparing ----

def natural(array, kind):
    """A result of hlo-run, whose types NumPy lacks are stored as bytes, as an array of its own type."""
    dtype = TYPES[kind]
    if array.dtype == dtype:
        return array
    raw = np.frombuffer(array.tobytes(), np.uint16 if dtype.itemsize == 2 else np.uint8).reshape(array.shape)
    if kind in ("s2", "s4", "u2", "u4"):
        bits = int(kind[1])
        values = raw.astype(np.int64) & (1 << bits) - 1
        if kind[0] == "s":
            values = values - ((values >> bits - 1) << bits)
        return values.astype(np.int8)
    return raw.view(dtype)


def wide(array, kind):
    if kind in ("s2", "s4", "u2", "u4"):
        return array.astype(np.int8)
    if kind in ("c64", "c128"):
        return array.astype(np.complex128)
    if kind[0] == "f" or kind == "bf16":
        return array.astype(np.float64)
    return array


def difference(got, expected, kind, tolerance):
    """None, or a sentence about the worst element."""
    got, expected = wide(natural(got, kind), kind), wide(expected, kind)
    if kind[0] in "su" and expected.dtype.kind != got.dtype.kind:
        expected = expected.view(got.dtype)  # the importer of rng-bit-generator forgets the sign
    if got.shape != expected.shape:
        return f"shape {got.shape} instead of {expected.shape}"
    if kind == "pred" or kind[0] in "su":
        good = got == expected
        error = np.where(good, 0.0, 1.0)
    else:
        with np.errstate(all="ignore"):
            both_nan = np.isnan(got) & np.isnan(expected)
            error = np.abs(got - expected)
            good = (got == expected) | both_nan | (np.isfinite(error) & (error <= tolerance))
            error = np.where(good, 0.0, np.where(np.isnan(error), np.inf, error))
    if good.all():
        return None
    worst = np.unravel_index(int(np.argmax(error)), error.shape)
    at = ",".join(str(int(i)) for i in worst)
    return (f"{kind}[{at}] is {got[worst]} and not {expected[worst]} within {tolerance:g} "
            f"({int((~good).sum())} of {good.size} elements)")


def judge(text, spelt, results):
    """Runs `spelt`, what XLA takes instead of `text`, and compares with the archive of hlo-run's results."""
    executable, inputs, outputs = compile_text(spelt)
    arrays = [random_input(kind, dims, leaf) for leaf, (kind, dims) in enumerate(inputs)]
    expected = execute(executable, arrays)
    said = re.search(r'tolerance="([^"]*)"', text)
    tolerances = [float(t) for t in said.group(1).split()] if said else [0.0] * len(outputs)
    got = np.load(results) if outputs else {}
    for leaf, (kind, dims) in enumerate(outputs):
        wrong = difference(got[f"out{leaf}"], expected[leaf], kind, tolerances[leaf])
        if wrong:
            return {"verdict": "failed", "why": f"result {leaf}: {wrong}"}
    return {"verdict": "passed"}
