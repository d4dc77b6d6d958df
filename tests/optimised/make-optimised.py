#!/usr/bin/env python3
"""Writes the cases of optimised.bats: XLA's own optimised text of programs, with inputs and the values that XLA computes.

    python make-optimised.py jax DIRECTORY [NAME...]       each program that is listed here (needs jax)
    python make-optimised.py sharded DIRECTORY [NAME...]   each of programs_sharded.py, on virtual devices
    python make-optimised.py models DIRECTORY GOLDEN       the golden models: their inputs and values stay where they are
    python make-optimised.py bench DIRECTORY MODULES [NAME...]  modules of another folder, on the inputs that hlo-run --inputs=hash makes
    python make-optimised.py pack DIRECTORY ARCHIVE        packs what is in the folder, the same bytes each time

A case is a folder as in tests/golden: module.hlo, in0.npy ..., out0.npy ..., case.json. Cases that are there already stay.
"""
import io
import gzip
import json
import os
import re
import sys
import tarfile
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
import numpy as np

# Of the largest number of an output; several times what XLA's own results differ by from those of a wider type.
TOLERANCE = {"float32": 2e-4, "float64": 1e-9, "complex64": 2e-4, "complex128": 1e-9, "float16": 2e-2, "bfloat16": 5e-2}
NAMES = {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128", "float16": "f16", "bfloat16": "bf16", "bool": "pred"}


def text_of(module):
    from jaxlib import xla_client as xc
    options = xc.hlo.HloPrintOptions()
    options.print_large_constants = True
    options.print_metadata = False
    return module.to_string(options)


def write_array(path, array):
    array = np.asarray(array, order="C")
    raw = array.dtype.kind == "V" or array.dtype.name in ("bfloat16",) or "float8" in array.dtype.name or "int4" in array.dtype.name
    np.save(path, array.view(f"V{array.dtype.itemsize}") if raw else array)


def coarsest(text):
    """The tolerance of the least precise type that the module computes with."""
    return max(TOLERANCE[n] for n in ("float64", "float32", "float16", "bfloat16") if re.search(rf"\b{NAMES[n]}\[", text) or n == "float64")


def type_text(array):
    name = array.dtype.name.replace("float8_", "f8").replace("uint", "u").replace("int", "s")
    return f"{NAMES.get(array.dtype.name, name)}[{','.join(map(str, array.shape))}]"


def tolerance_of(array, relative):
    if array.dtype.name not in TOLERANCE or array.size == 0:
        return 0, 0
    relative = max(relative, TOLERANCE[array.dtype.name])
    finite = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    finite = finite[np.isfinite(finite)]
    return relative, float(relative * (finite.max() if finite.size else 0))


def write_case(directory, about, module, inputs, outputs, **more):
    """`inputs`, `outputs`: names and arrays; outN has one tolerance, also where devices have different parts of it."""
    os.makedirs(directory)
    for name, array in inputs + outputs:
        write_array(os.path.join(directory, name + ".npy"), array)
    tolerances, text = {}, text_of(module)
    for name, array in outputs:
        if name.endswith(".at"):
            continue
        leaf = int(name.split(".")[0][3:])
        tolerances[leaf] = max(tolerances.get(leaf, (0, 0)), tolerance_of(np.asarray(array), coarsest(text)))
    case = {"op": "optimised", "about": about, "source": "xla-cpu jaxlib", "out_rtol": [tolerances[i][0] for i in sorted(tolerances)],
            "out_atol": [tolerances[i][1] for i in sorted(tolerances)], "rtol": 2e-4, "atol": 1e-6, **more}
    if not any("." in name for name, _ in outputs):
        case["outs"] = [type_text(np.asarray(a)) for _, a in outputs]
    json.dump(case, open(os.path.join(directory, "case.json"), "w"))
    open(os.path.join(directory, "module.hlo"), "w").write(text)


# ---- jax ----


def make_program(name, directory):
    import jax
    import programs
    function, _ = programs.LISTED[name]
    arguments = programs.arguments(name)
    compiled = jax.jit(function, keep_unused=True).lower(*arguments).compile()
    outputs = [np.asarray(x) for x in jax.tree.leaves(compiled(*arguments))]
    write_case(os.path.join(directory, name), name, compiled.runtime_executable().hlo_modules()[0],
               [(f"in{i}", a) for i, a in enumerate(arguments)], [(f"out{i}", a) for i, a in enumerate(outputs)])


def make_sharded(name, directory):
    import jax
    import programs_sharded
    devices, compiled, arguments = programs_sharded.compiled(name)
    results = jax.tree.leaves(compiled(*arguments))
    files = []
    for kind, arrays in (("in", arguments), ("out", results)):
        files.append([(f"{kind}{i}.r{s.device.id}", np.asarray(s.data)) for i, a in enumerate(arrays) for s in a.addressable_shards])
    write_case(os.path.join(directory, name), name, compiled.runtime_executable().hlo_modules()[0], *files, partitions=devices, replicas=1)


def make_listed(directory, listed, make, wanted):
    import jax
    jax.config.update("jax_enable_x64", True)
    for name in listed:
        if (wanted and name not in wanted) or os.path.exists(os.path.join(directory, name, "module.hlo")):
            continue
        try:
            make(name, directory)
        except Exception as error:  # a program that JAX refuses is a mistake in the list
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)


def make_jax(directory, wanted):
    import programs
    for module in ("programs_arrays", "programs_lax", "programs_scipy", "programs_nn"):
        __import__(module)
    make_listed(directory, programs.LISTED, make_program, wanted)


def make_several(directory, wanted):
    import programs_sharded
    make_listed(directory, programs_sharded.LISTED, make_sharded, wanted)


# ---- modules that are there as text ----


def compile_text(path):
    """The executable of a module's text, and XLA's module of it before optimisation."""
    import jax
    from jaxlib import _jax, xla_client as xc
    jax.config.update("jax_enable_x64", True)
    from jaxlib import lapack
    lapack._lapack.initialize()
    module = xc.hlo.hlo_module_from_text(open(path).read())
    computation = xc.hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    client = jax.devices()[0].client
    devices = _jax.DeviceList(tuple(client.local_devices()[:1]))
    return module, client.compile_and_load(_jax.mlir.xla_computation_to_mlir_module(computation), devices, xc.CompileOptions())


def make_models(directory, golden):
    for name in sorted(os.listdir(golden)):
        to = os.path.join(directory, name + ".hlo")
        if os.path.exists(to):
            continue
        try:
            _, executable = compile_text(os.path.join(golden, name, "module.hlo"))
            open(to, "w").write(text_of(executable.hlo_modules()[0]))
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)


# ---- modules without inputs ----

MOST_ELEMENTS, SAMPLES = 256, 64


def hash_words(leaf, count):
    """The words of hlo-run --inputs=hash with seed 0 (src/ir/fill.c)."""
    with np.errstate(over="ignore"):
        x = np.uint64(leaf << 40) + np.arange(count, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def hash_input(leaf, dims, dtype):
    count = int(np.prod(dims, dtype=np.int64))
    words = hash_words(leaf, count * (2 if dtype.kind == "c" else 1))
    if dtype == np.bool_:
        return (words >> np.uint64(63)).astype(bool).reshape(dims)
    if dtype.kind in "iu":
        return ((words >> np.uint64(40)) % np.uint64(8)).astype(dtype).reshape(dims)
    t = (words >> np.uint64(40)).astype(np.float64) / 2.0**24
    numbers = (0.2 * t - 0.1 if len(dims) >= 2 else 0.1 * t).astype(np.float32)
    if dtype.kind == "c":
        numbers = numbers[0::2] + 1j * numbers[1::2]
    return numbers.astype(dtype).reshape(dims)


def flat(shape):
    return [s for t in shape.tuple_shapes() for s in flat(t)] if shape.is_tuple() else [shape]


def make_bench_case(name, directory, path):
    import jax
    from jaxlib import xla_client as xc
    module, executable = compile_text(path)
    shapes = xc.hlo.XlaComputation(module.as_serialized_hlo_module_proto()).program_shape().parameter_shapes()
    leaves = [s for shape in shapes for s in flat(shape)]
    inputs = [hash_input(i, tuple(s.dimensions()), np.dtype(s.numpy_dtype())) for i, s in enumerate(leaves)]
    results = executable.execute_sharded([jax.device_put(a, jax.devices()[0]) for a in inputs])
    outputs = []
    for i, (array,) in enumerate(results.disassemble_into_single_device_arrays()):
        array = np.asarray(array)
        if array.size > MOST_ELEMENTS:
            at = np.sort(np.random.default_rng(i).choice(array.size, SAMPLES, replace=False))
            outputs.append((f"out{i}.at", at.astype(np.int64)))
            array = array.reshape(-1)[at]
        outputs.append((f"out{i}", array))
    write_case(os.path.join(directory, name), name, executable.hlo_modules()[0], [], outputs)
    open(os.path.join(directory, name, "inputs.hash"), "w").close()


def make_bench(directory, modules, wanted):
    for file in sorted(os.listdir(modules)):
        name = file.removesuffix(".hlo")
        if (wanted and name not in wanted) or os.path.exists(os.path.join(directory, name, "module.hlo")):
            continue
        start = time.time()
        try:
            make_bench_case(name, directory, os.path.join(modules, file))
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
        print(f"{name}: {time.time() - start:.1f} s", flush=True)


# ---- archives ----


def pack(directory, archive):
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder, names, files in os.walk(directory):
            names.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                data = open(path, "rb").read()
                info = tarfile.TarInfo(os.path.relpath(path, directory))
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    command, target, *rest = sys.argv[1:]
    if command == "pack":
        pack(target, rest[0])
    else:
        os.makedirs(target, exist_ok=True)
        if command == "jax":
            make_jax(target, rest)
        elif command == "sharded":
            make_several(target, rest)
        elif command == "models":
            make_models(target, rest[0])
        elif command == "bench":
            make_bench(target, rest[0], rest[1:])
