"""How programs are listed: a name, a function, and the arguments as short texts.

    f32[4,5]       normally distributed       f32[4,5]+     from 0.2 to 1.8
    s32[6]<5       integers from 0 to 4       s32[6]-       integers from -9 to 9
    f32[3,3]spd    symmetric, positive definite             f32[9]sorted   ascending
    f32[8]u        from 0.05 to 0.95          u32[2]<9      a key of jax.random
"""
import re
import zlib

import ml_dtypes
import numpy as np

TYPES = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
         "c64": np.complex64, "c128": np.complex128}
LISTED = {}


def program(name, function, *specs):
    assert name not in LISTED, name
    LISTED[name] = (function, specs)


def each(types, name, function, *specs):
    """The program for each of several types, which stand for T in the arguments."""
    for t in types.split():
        program(f"{name}-{t}", function, *(s.replace("T", t) for s in specs))


def argument(spec, rng):
    kind, dims, how = re.fullmatch(r"(\w+)\[([\d,]*)\](.*)", spec).groups()
    dims, dtype = tuple(int(d) for d in dims.split(",") if d), np.dtype(TYPES[kind])
    if how.startswith("<"):
        return rng.integers(0, int(how[1:]), dims).astype(dtype)
    if kind == "pred":
        return rng.integers(0, 2, dims).astype(bool)
    if kind[0] in "su":
        return rng.integers(-9 if how == "-" else 0, 10, dims).astype(dtype)
    x = rng.standard_normal(dims)
    if kind[0] == "c":
        x = x + 1j * rng.standard_normal(dims)
    if how == "+":
        x = rng.uniform(0.2, 1.8, dims)
    elif how == "u":
        x = rng.uniform(0.05, 0.95, dims)
    elif how == "spd":
        x = x @ np.conj(np.swapaxes(x, -1, -2)) + dims[-1] * np.eye(dims[-1])
    elif how == "sorted":
        x = np.sort(x, axis=-1)
    elif how:
        raise ValueError(spec)
    return np.asarray(x).astype(dtype)


def arguments(name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return [argument(s, rng) for s in LISTED[name][1]]
