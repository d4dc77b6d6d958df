#!/usr/bin/env python3
"""Writes ops/semantics.tar.gz: what operations do at the edges of their domains, as XLA's CPU backend does it.

    tests/golden/make-semantics.py BUILD [NAME...]        needs jaxlib, as tests/oracle does

A case of CASES is written as semantics--NAME in the layout of README.md. Its values are parameters, so that nothing is computed
while compiling. BUILD is not asked for values: a case on which bin/hlo-run differs from XLA is named, and the status is 1.
"""
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "ops"), os.path.join(here, "..", "oracle")]
import numpy as np  # noqa: E402
import templates as t  # noqa: E402
from check import WAYS  # noqa: E402
from process import Asked  # noqa: E402

INTEGERS = ("s4", "s8", "s16", "s32", "s64", "u4", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")


def all_pairs(kinds, ops, values=t.special):
    """Every operation on every pair of a type's values."""
    inputs, lines, results = [], [], []
    for k, kind in enumerate(kinds):
        numbers = values(kind)
        n = len(numbers)
        inputs.append((kind, numbers))
        lines += [f"a{k} = {kind}[{n},{n}] broadcast(in{k}), dimensions={{0}}", f"b{k} = {kind}[{n},{n}] broadcast(in{k}), dimensions={{1}}"]
        for op in ops:
            name, _, attributes = op.partition(" ")
            results.append(f"r{len(results)}")
            lines.append(f"{results[-1]} = {name}(a{k}, b{k}){attributes}")
    return t.Case(inputs, lines + [f"ROOT t = tuple({', '.join(results)})"])


def each(kinds, ops, values=t.special):
    """Every operation on a type's values."""
    inputs = [(kind, values(kind)) for kind in kinds]
    lines = [f"r{k}_{i} = {op.format(kind=kind, n=len(inputs[k][1]), x=f'in{k}')}" for k, kind in enumerate(kinds) for i, op in enumerate(ops)]
    names = [line.split()[0] for line in lines]
    return t.Case(inputs, lines + [f"ROOT t = tuple({', '.join(names)})"])


def shifted():
    """Shifts by nothing, the last bit, the width, more, and negative amounts."""
    def amounts(kind):
        low, high = t.limits(kind)
        n = t.bits(kind)
        some = sorted({v for v in (low, -n, -1, 0, 1, n - 1, n, n + 1, high) if low <= v <= high})
        return np.array(some, np.uint64 if kind == "u64" else np.int64)
    return all_pairs(INTEGERS, ("shift-left", "shift-right-arithmetic", "shift-right-logical"), amounts)


def divided():
    def numbers(kind):
        low, high = t.limits(kind)
        some = sorted({v for v in (low, low + 1, -2, -1, 0, 1, 2, 3, high - 1, high) if low <= v <= high})
        return np.array(some, np.uint64 if kind == "u64" else np.int64)
    return all_pairs(INTEGERS, ("divide", "remainder"), numbers)


def ordered(order):
    more = f"lt {{ a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n  ROOT c = compare(a, b), direction=LT{order} }}\n"
    values = np.array([np.nan, 1, -0.0, np.inf, 0.0, -np.nan, -np.inf, -1, 0.0, -0.0, np.nan, 2])
    return t.Case([("f32", values), ("s32", np.arange(12))], ["ROOT r = sort(in0, in1), dimensions={0}, is_stable=true, to_apply=lt"], more=more)


def sort_by_remainder():
    """An order that the comparator computes: by the remainder by 5, and from the largest of equal ones."""
    more = """by { a = s32[] parameter(0)
  b = s32[] parameter(1)
  five = s32[] constant(5)
  x = remainder(a, five)
  y = remainder(b, five)
  lt = compare(x, y), direction=LT
  eq = compare(x, y), direction=EQ
  gt = compare(a, b), direction=GT
  both = and(eq, gt)
  ROOT r = or(lt, both) }
"""
    return t.Case([("s32", np.array([[7, -3, 12, 5, 0, -8, 41, 13], [1, 6, 11, 16, 21, 26, 31, 36]]))],
                  ["ROOT r = sort(in0), dimensions={1}, to_apply=by"], more=more)


SUM = "f { a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b) }\n"
LATTER = "f { a = s32[] parameter(0)\n  ROOT b = s32[] parameter(1) }\n"


def table(rows, columns):
    return np.arange(1, rows * columns + 1).reshape(rows, columns)


def starts_outside():
    lines, results = [], []
    inputs = [("s32", table(4, 5))]
    for kind, starts in (("s32", (-(1 << 31), -1, 3, (1 << 31) - 1)), ("s64", (-(1 << 63), -2, 9, (1 << 63) - 1)), ("u8", (0, 2, 128, 255)),
                         ("u32", (1, 4, 1 << 31, (1 << 32) - 1)), ("u64", (1, 1 << 32, 1 << 63, (1 << 64) - 1)), ("s8", (-128, -1, 4, 127))):
        for start in starts:
            k, name = len(inputs), f"{kind}_{len(results)}"
            inputs.append((kind, np.array(start, np.uint64 if kind == "u64" else np.int64)))
            lines.append(f"{name} = s32[2,3] dynamic-slice(in0, in{k}, in{k}), dynamic_slice_sizes={{2,3}}")
            results.append(name)
            lines.append(f"{name}u = s32[4,5] dynamic-update-slice(in0, {name}, in{k}, in{k})")
            results.append(name + "u")
    return t.Case(inputs, lines + [f"ROOT t = tuple({', '.join(results)})"])


def gather_outside():
    places = np.array([[-5, -1], [-1, 2], [0, 0], [2, 3], [3, 4], [9, 1], [1, 99]])
    return t.Case([("s32", table(4, 5)), ("s32", places)],
                  ["r = gather(in0, in1), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,3}",
                   "s = gather(in0, in1), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,4}",
                   "ROOT t = tuple(r, s)"])


def scatter_outside(window_dims, shape):
    """Windows of 2x3 in 4x5: those that do not fit are left out whole."""
    places = np.array([[-1, 0], [0, 0], [2, 2], [3, 0], [1, 3], [0, -1], [4, 9], [1, 1]])
    updates = 100 * np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    return t.Case([("s32", table(4, 5)), ("s32", places), ("s32", updates)],
                  [f"ROOT r = scatter(in0, in1, in2), update_window_dims={{{window_dims}}}, inserted_window_dims={{}}, scatter_dims_to_operand_dims={{0,1}}, "
                   "index_vector_dim=1, to_apply=f"], more=SUM)


def scatter_rows_last(op):
    """One update window of a row each, whose dimension does not lead; rows outside are skipped, the last of two at one place stays."""
    return t.Case([("s32", table(4, 3)), ("s32", np.array([3, -1, 0, 4])), ("s32", 100 * table(4, 2))],
                  ["ROOT r = scatter(in0, in1, in2), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                   "index_vector_dim=1, to_apply=f"], more=op)


def padded():
    configs = ("0_0_2x0_0_1", "-1_-2x-1_0", "-1_2_1x1_-3_1", "-3_-3_2x2_2", "0_-4x0_0", "3_-5_1x0_0_3")
    lines = [f"r{k} = pad(in0, in1), padding={c}" for k, c in enumerate(configs)]
    return t.Case([("s32", table(4, 3)), ("s32", np.array(-7))], lines + [f"ROOT t = tuple({', '.join(f'r{k}' for k in range(len(configs)))})"])


def windows():
    attributes = ("size=2x2 rhs_dilate=2x1", "size=2x2 stride=1x2 pad=1_1x0_2 rhs_dilate=2x2", "size=2x3 pad=0_1x1_1 lhs_dilate=2x1",
                  "size=3x2 stride=2x1 pad=-1_2x0_-1 lhs_dilate=1x3 rhs_dilate=1x2", "size=5x4 rhs_dilate=1x1", "size=2x2 rhs_dilate=4x1")
    lines = [f"r{k} = reduce-window(in0, in1), window={{{a}}}, to_apply=f" for k, a in enumerate(attributes)]
    return t.Case([("s32", table(4, 5)), ("s32", np.array(1000))], lines + [f"ROOT t = tuple({', '.join(f'r{k}' for k in range(len(attributes)))})"], more=SUM)


def empty():
    lt = "lt { a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = compare(a, b), direction=LT }\n"
    return t.Case([("s32", np.zeros((0, 3), np.int64)), ("s32", np.array(5)), ("s32", table(2, 3)), ("s32", np.zeros((2, 0), np.int64)),
                   ("s32", np.zeros((0,), np.int64))],
                  ["a = reduce(in0, in1), dimensions={0}, to_apply=f", "b = reduce(in0, in1), dimensions={1}, to_apply=f",
                   "c = dot(in3, in0), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "d = concatenate(in0, in2, in0), dimensions={0}",
                   "e = s32[0] reshape(in0)", "g = pad(in0, in1), padding=1_1x0_0", "h = sort(in0), dimensions={1}, to_apply=lt",
                   "i = s32[2,0] broadcast(in4), dimensions={1}",
                   "j = s32[0,0] slice(in2), slice={[1:1], [3:3]}", "k = reverse(in3), dimensions={0,1}",
                   "l = scatter(in2, in4, in0), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
                   "m = gather(in2, in4), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
                   "o = transpose(in3), dimensions={1,0}", "ROOT t = tuple(a, b, c, d, e, g, h, i, j, k, l, m, o)"], more=SUM + lt)


def triangles(kind):
    """What stands in the other triangle, nan here, is neither read nor compared."""
    a = np.array([[4, 1, 0.5], [1, 4, -1], [0.5, -1, 4]])
    lower, upper = np.where(np.triu(a, 1) != 0, np.nan, a), np.where(np.tril(a, -1) != 0, np.nan, a)
    b = np.array([[1, 2], [3, -1], [0.5, 4]])
    mask = ["i = s32[3,3] iota(), iota_dimension=0", "j = s32[3,3] iota(), iota_dimension=1", "below = compare(i, j), direction=GE",
            "above = compare(i, j), direction=LE", f"none = {kind}[3,3] broadcast(in3), dimensions={{}}"]
    solve = "triangular-solve(in{0}, in2), left_side=true, lower={1}, transpose_a={2}"
    return t.Case([(kind, lower), (kind, upper), (kind, b), (kind, np.array(0.0))],
                  mask + ["c = cholesky(in0), lower=true", "p = select(below, c, none)", "d = cholesky(in1), lower=false", "q = select(above, d, none)",
                          "r = " + solve.format(0, "true", "NO_TRANSPOSE"), "s = " + solve.format(1, "false", "TRANSPOSE"),
                          "u = triangular-solve(in0, in2), left_side=true, lower=true, unit_diagonal=true, transpose_a=ADJOINT",
                          "ROOT t = tuple(p, q, r, s, u)"], tolerance="1e-5")


def small_floats():
    kinds = [kind for kind in t.TYPES if t.bits(kind) <= 8 and t.is_float(kind) and not kind.startswith("f6")]
    def every(kind):
        dtype = t.TYPES[kind]
        values = np.arange(256 if t.bits(kind) == 8 else 16).astype(np.uint8).view(dtype).astype(np.float64)
        return values[values > 2.0**-100] if kind == "f8e8m0fnu" else values  # XLA flushes what is subnormal in f32
    ops = [f"{{kind}}[{{n}}] reduce-precision({{x}}), exponent_bits={e}, mantissa_bits={m}" for e in (2, 4, 5) for m in (0, 2)]
    return each(kinds, ops, every)


def iotas():
    lines = [f"r_{kind} = {kind}[{n}] iota(), iota_dimension=0" for kind, n in
             (("bf16", 600), ("f16", 3000), ("f8e5m2", 40), ("f8e4m3fn", 40), ("f8e3m4", 20), ("f32", 20), ("c64", 5), ("u4", 20), ("s8", 200))]
    names = [line.split()[0] for line in lines]
    return t.Case([], lines + [f"ROOT t = tuple({', '.join(names)})"])


def branches():
    bodies = "".join(f"b{k} {{ p = s32[] parameter(0)\n  c = s32[] constant({10 ** k})\n  ROOT r = multiply(p, c) }}\n" for k in range(3))
    numbers = (-(1 << 31), -1, 0, 1, 2, 3, (1 << 31) - 1)
    inputs = [("s32", np.array(7))] + [("s32", np.array(v)) for v in numbers]
    lines = [f"r{k} = conditional(in{k}, in0, in0, in0), branch_computations={{b0, b1, b2}}" for k in range(1, len(inputs))]
    return t.Case(inputs, lines + [f"ROOT t = tuple({', '.join(f'r{k}' for k in range(1, len(inputs)))})"], more=bodies)


CASES = {
    "integers-wrap": ("sums, differences, products, negations and magnitudes beyond the type's limits",
                      lambda: all_pairs(INTEGERS, ("add", "subtract", "multiply"))),
    "integers-wrap-unary": ("negate of every limit, and abs of the lowest number", lambda: each(INTEGERS, ("negate({x})", "not({x})"))),
    "abs-lowest": ("the magnitude of the lowest number is itself", lambda: each([k for k in INTEGERS if k[0] == "s"], ("abs({x})", "sign({x})"))),
    "divide-by-zero": ("quotients and remainders by zero, and of the lowest number by -1", divided),
    "shift-beyond-width": ("shift amounts at, above and below the width", shifted),
    "min-max-nan-zero": ("maximum and minimum of every pair of nan, zeros of both signs, infinities and numbers",
                         lambda: all_pairs(FLOATS, ("maximum", "minimum"))),
    "compare-nan-zero": ("every comparison of every pair, partial and total",
                         lambda: all_pairs(FLOATS, [f"compare , direction={d}{o}" for d in ("EQ", "NE", "LT", "LE", "GT", "GE") for o in ("", ", type=TOTALORDER")])),
    "sort-nan-zero": ("nan and zeros of both signs in a stable sort by LT", lambda: ordered("")),
    "sort-total-order": ("the same by the total order", lambda: ordered(", type=TOTALORDER")),
    "sort-any-comparator": ("an order that is computed", sort_by_remainder),
    "sign-nan-zero": ("sign keeps nan and zeros of both signs", lambda: each(FLOATS, ("sign({x})",))),
    "float-to-integer": ("conversion cuts off, saturates, and sends nan to 0",
                         lambda: each(FLOATS, [f"{to}[{{n}}] convert({{x}})" for to in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64")],
                                      lambda kind: np.append(t.special(kind), np.array([127.5, -128.5, 255.75, 65504.0, -65504.0])))),
    "float-iota": ("an iota of floats is a converted iota of integers", iotas),
    "index-clamping": ("dynamic-slice and dynamic-update-slice at indices outside, of every index type", starts_outside),
    "gather-clamping": ("gather at indices outside", gather_outside),
    "scatter-skipping": ("scatter of windows that do not fit", lambda: scatter_outside("1,2", (8, 2, 3))),
    "scatter-skipping-windows-not-leading": ("the same with the window around the scatter dimension", lambda: scatter_outside("0,2", (2, 8, 3))),
    "scatter-skipping-windows-lead": ("the same with the windows before the scatter dimension", lambda: scatter_outside("0,1", (2, 3, 8))),
    "scatter-smaller-rows": ("rows shorter than the operand's, some outside", lambda: scatter_rows_last(SUM)),
    "scatter-last-wins": ("an update that replaces", lambda: scatter_rows_last(LATTER)),
    "padding": ("negative and interior padding, separate and together", padded),
    "window-dilation": ("dilated windows and operands, with negative padding", windows),
    "zero-sized": ("operations on arrays without elements", empty),
    "defined-triangle-f32": ("nan in the triangle that is not read", lambda: triangles("f32")),
    "defined-triangle-f64": ("nan in the triangle that is not read", lambda: triangles("f64")),
    "reduce-precision-small-floats": ("every number of a byte or less, also to more exponent bits than it has", small_floats),
    "conditional-index": ("an index below or above takes the last branch", branches),
}


# ---- the process that runs XLA ----

def worker():
    """Reads directories with module.hlo and inN.npy; writes outN.npy there, and answers their types as a JSON list."""
    import check
    import xla
    for line in sys.stdin:
        path = line.strip()
        with open(os.path.join(path, "module.hlo")) as module:
            executable, inputs, outputs = xla.compile_text(check.plain(module.read()))
        arrays = [xla.natural(np.load(os.path.join(path, f"in{k}.npy")), kind).astype(xla.TYPES[kind]) for k, (kind, _) in enumerate(inputs)]
        for k, (found, (kind, _)) in enumerate(zip(xla.execute(executable, arrays), outputs)):
            np.save(os.path.join(path, f"out{k}.npy"), stored(kind, found))
        print(json.dumps([f"{kind}[{','.join(map(str, d))}]" for kind, d in outputs]), flush=True)


def stored(kind, array):
    is_own = kind == "pred" or np.dtype(t.TYPES[kind]).isbuiltin == 1
    array = np.ascontiguousarray(array).reshape(array.shape)
    return array if is_own else np.frombuffer(array.tobytes(), f"V{array.dtype.itemsize}").reshape(array.shape)


# ---- cases ----

def write_case(oracle, directory, name):
    about, make = CASES[name]
    case = make()
    path = os.path.join(directory, f"semantics--{name}")
    os.mkdir(path)
    with open(os.path.join(path, "module.hlo"), "w") as module:
        module.write(t.module_text(name, case, False))
    for k, (kind, values) in enumerate(case.inputs):
        np.save(os.path.join(path, f"in{k}.npy"), stored(kind, t.typed(np.asarray(values), kind)))
    outs, why = oracle.ask(path)
    if not outs:
        sys.exit(f"{name}: {why}")
    tolerance = float(case.tolerance or 0)
    said = {"op": "semantics", "about": about, "rtol": tolerance, "atol": tolerance, "signed_zero": True, "source": "xla-cpu jaxlib 0.10.2",
            "ins": [f"{kind}{t.dims(v)}" for kind, v in case.inputs], "outs": json.loads(outs)}
    with open(os.path.join(path, "case.json"), "w") as file:
        json.dump(said, file, indent=1)
    return path


def agrees(build, path):
    """Whether hlo-run computes what XLA computed."""
    inputs = [os.path.join(path, f"in{k}.npy") for k in range(len(json.load(open(os.path.join(path, "case.json")))["ins"]))]
    with tempfile.TemporaryDirectory() as results:
        ran = subprocess.run([f"{build}/bin/hlo-run", os.path.join(path, "module.hlo"), *inputs, "--output-dir", results],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        judged = ran.returncode or subprocess.run([f"{build}/tools/npy_compare", path, results]).returncode
        if ran.returncode:
            print(ran.stderr.split("\n")[0])
        return not judged


def main():
    build, only, path = sys.argv[1], sys.argv[2:], os.path.join(here, "ops", "semantics.tar.gz")
    different, oracle = [], Asked(__file__, WAYS[0], 120)
    with tempfile.TemporaryDirectory() as directory:
        if only:
            with tarfile.open(path) as archive:
                archive.extractall(directory, [m for m in archive if m.name.split("/")[0][len("semantics--"):] not in only], filter="data")
        for name in only or CASES:
            if not agrees(build, write_case(oracle, directory, name)):
                different.append(name)
        write_archive(path, directory)
    oracle.stop()
    print(f"{len(only or CASES)} cases; different: {' '.join(different) or 'none'}")
    return 1 if different else 0


def write_archive(path, directory):
    """The same bytes for the same cases."""
    with gzip.GzipFile(path, "wb", 9, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for case in sorted(os.listdir(directory)):
            for name in sorted(os.listdir(os.path.join(directory, case))):
                with open(os.path.join(directory, case, name), "rb") as file:
                    data = file.read()
                info = tarfile.TarInfo(f"{case}/{name}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        sys.exit(main())
