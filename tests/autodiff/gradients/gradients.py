"""A gradient case: HLO text, a function of JAX that computes the same, inputs and cotangents; and how it is written with the
results and gradients that JAX says. Imported by the files of cases and by make-gradients.py, where jax is.

The expected values are those of jax.vjp in the case's own element type. Where the roundings of JAX's own steps in a small
type exceed what the test allows, they are those of jax.vjp in f64 (c128) on the same inputs, rounded once.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "oracle"))
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from elements import TYPES  # noqa: E402

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

SMALL = ["f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz", "f8e3m4"]
REAL = ["f16", "bf16", "f32", "f64"] + SMALL
COMPLEX = ["c64", "c128"]
ALL = REAL + COMPLEX
PART = {"c64": "f32", "c128": "f64"}

# How much of a number must agree: three quarters of the mantissa, as hlo-run --rtol=auto.
MANTISSA = {"f8e5m2": 2, "f8e5m2fnuz": 2, "f8e4m3": 3, "f8e4m3fn": 3, "f8e4m3b11fnuz": 3, "f8e4m3fnuz": 3, "f8e3m4": 4,
            "f16": 10, "bf16": 7, "f32": 23, "f64": 52, "c64": 23, "c128": 52}

BY_DTYPE = {np.dtype(dtype): kind for kind, dtype in TYPES.items()}


def kind_of(array):
    return BY_DTYPE[np.dtype(array.dtype)]


def is_floating(array):
    return kind_of(array) in MANTISSA


# ---- numbers ----

# Every type has them: they end two bits after the first.
GRID = [s * m * e for e in (0.5, 1, 2) for m in (1, 1.25, 1.5, 1.75) for s in (1, -1)]


def some(*shape, seed=0, among=None, distinct=False):
    """Numbers of the grid by chance, for each element type (complex ones with two parts): a function of the type."""
    def make(kind):
        chance = np.random.default_rng([seed, *shape, 77])
        values = np.array(GRID if among is None else among)
        def draw():
            return chance.choice(values, size=shape, replace=not distinct)
        first = draw()
        if kind in COMPLEX:
            first = first + 1j * draw()
        return np.asarray(first).astype(TYPES[kind])
    return make


def given(values, kind=None):
    """These numbers, of the case's type or of one of their own."""
    return lambda of: np.asarray(values).astype(TYPES[kind or of])


def integers(values, kind="s32"):
    return lambda of: np.asarray(values).astype(TYPES[kind])


# ---- cases ----

CASES = []


class Case:
    """`params` is {name: function of the type}; `lines` end with the root; T[ and P[ stand for the type and for that of
    the parts of complex numbers; `f` gets the parameters (of several devices: with the device as the first dimension)."""

    def __init__(self, op, about, params, lines, f, types, more, rtol, header, devices):
        self.op, self.about, self.params, self.f, self.types = op, about, params, f, types
        self.lines = [lines] if isinstance(lines, str) else lines
        self.more, self.rtol, self.header, self.devices = more, rtol, header, devices


def case(op, about, params, lines, f, types=ALL, more="", rtol=None, header="", devices=1):
    CASES.append(Case(op, about, params, lines, f, types, more, rtol, header, devices))


def spelt(text, kind):
    if kind in COMPLEX:
        text = re.sub(r"T\[\] constant\(([^()]*)\)", r"T[] constant((\1, 0))", text)
    return text.replace("T[", kind + "[").replace("P[", PART.get(kind, kind) + "[")


def module_text(c, kind, arrays):
    name = (c.op + " " + c.about).replace(" ", "_").replace("-", "_")
    name = "".join(ch for ch in name if ch.isalnum() or ch == "_")
    text = f"HloModule {name}_{kind}{c.header}\n\n{spelt(c.more, kind)}ENTRY e {{\n"
    for i, (param, array) in enumerate(arrays.items()):
        dims = array.shape if c.devices == 1 else array.shape[1:]
        text += f"  {param} = {kind_of(array)}[{','.join(map(str, dims))}] parameter({i})\n"
    return text + "".join(f"  {spelt(line, kind)}\n" for line in c.lines) + "}\n"


# ---- JAX's results ----

def cotangent(shape, kind, seed):
    return some(*shape, seed=1000 + seed, among=[s * m for m in (0.5, 0.75, 1, 1.25, 1.5, 2) for s in (1, -1)])(kind)


def leaves_of(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def differentiate(f, arrays, cotangents):
    """-> results, gradients of the floating arrays; without cotangents no gradients."""
    chosen = [i for i, a in enumerate(arrays) if is_floating(a)]

    def g(*floating):
        full = [jnp.asarray(a) for a in arrays]
        for i, a in zip(chosen, floating):
            full[i] = a
        return leaves_of(f(*full))

    results, back = jax.vjp(g, *[jnp.asarray(arrays[i]) for i in chosen])
    if cotangents is None:
        return [np.asarray(r) for r in results], None
    rest = iter(cotangents)
    given_back = [jnp.asarray(next(rest)).astype(r.dtype) if is_floating(r) else np.zeros(r.shape, jax.dtypes.float0) for r in results]
    return [np.asarray(r) for r in results], [np.asarray(a) for a in back(given_back)]


def widened(array):
    if not is_floating(array):
        return array
    return array.astype(np.complex128 if kind_of(array) in COMPLEX else np.float64)


def agrees(got, expected, kind, rtol):
    """As hlo-run --expect --rtol=auto has it."""
    rtol = rtol or 2.0 ** -(MANTISSA[kind] * 3 // 4)
    got, expected = widened(got), widened(expected)
    size = np.abs(expected)
    mean = size.mean() if size.size else 0
    return bool(np.all(np.isfinite(got)) and np.all(np.abs(got - expected) <= rtol * (size + mean)))


class Disagreement(Exception):
    pass


def better(array, wide, name, rtol):
    """What JAX says in the type; or, when it is too coarse, in the widest type."""
    if not is_floating(array):
        return array
    kind = kind_of(array)
    rounded = np.asarray(wide).astype(TYPES[kind])
    if agrees(array, rounded, kind, rtol):
        return array
    if MANTISSA[kind] > 10 or not np.all(np.isfinite(widened(rounded))):
        raise Disagreement(f"{name}: {array} in {kind}, {wide} in the widest type")
    return rounded


def expected(c, kind):
    """-> inputs, cotangents, results, gradients."""
    arrays = [make(kind) for make in c.params.values()]
    results, _ = differentiate(c.f, arrays, None)
    cotangents = [cotangent(r.shape, kind_of(r), i) for i, r in enumerate(results) if is_floating(r)]
    results, gradients = differentiate(c.f, arrays, cotangents)
    wide, slopes = differentiate(c.f, [widened(a) for a in arrays], [widened(a) for a in cotangents])
    name = f"{c.op} {c.about} {kind}"
    results = [better(r, w, name + " result", c.rtol) for r, w in zip(results, wide)]
    gradients = [better(r, w, name + " gradient", c.rtol) for r, w in zip(gradients, slopes)]
    return arrays, cotangents, results, gradients


# ---- writing ----

def number(value, kind):
    if kind == "pred":
        return "true" if value else "false"
    if kind not in MANTISSA:
        return str(int(value))
    if kind in COMPLEX:
        return f"({number(value.real, PART[kind])}, {number(value.imag, PART[kind])})"
    wide = float(value)
    texts = [str(value)] if kind in ("f32", "f64", "f16") else [repr(wide)][: len(repr(wide)) < 8] + [f"{wide:.{d}g}" for d in range(1, 9)]
    text = next(t for t in texts if np.asarray(float(t)).astype(TYPES[kind]) == value)
    return text.removesuffix(".0")


def literal(array):
    kind = kind_of(array)
    def nested(a):
        return number(a[()], kind) if a.ndim == 0 else "{" + ", ".join(nested(x) for x in a) + "}"
    return nested(array)


def remarks(what, arrays, devices):
    if devices == 1:
        return "".join(f"// {what} {literal(a)}\n" for a in arrays)
    return "".join(f"// {what}.r{d} {literal(a[d])}\n" for a in arrays for d in range(devices))


def text_of(c, kind):
    arrays, cotangents, results, gradients = expected(c, kind)
    text = f"// {c.about}\n" if c.about else ""
    text += f"// rtol {c.rtol}\n" if c.rtol else ""
    text += module_text(c, kind, dict(zip(c.params, arrays)))
    for what, values in (("in", arrays), ("ct", cotangents), ("out", results), ("grad", gradients)):
        text += remarks(what, values, c.devices)
    return text
