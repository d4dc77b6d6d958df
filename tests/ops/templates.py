"""One small module per operation and element type, on special values. Imported by make-ops.py."""
import math

import ml_dtypes
import numpy as np
from elements import TYPES  # of tests/oracle


def bits(kind):
    return 8 if kind == "pred" else int("".join(c for c in kind[1:].split("e")[0] if c.isdigit()))


def is_integer(kind):
    return kind[0] in "su" and kind != "pred"


def is_complex(kind):
    return kind[0] == "c"


def is_float(kind):
    return kind[0] == "f" or kind == "bf16"


def limits(kind):
    n = bits(kind)
    return (-(1 << n - 1), (1 << n - 1) - 1) if kind[0] == "s" else (0, (1 << n) - 1)


def special(kind):
    """Numbers at which operations differ: limits, zeros, halves, infinities, nan."""
    if kind == "pred":
        return np.array([False, True])
    if is_integer(kind):
        low, high = limits(kind)
        some = [low, low + 1, -2, -1, 0, 1, 2, 3, 5, bits(kind) - 1, bits(kind), high - 1, high]
        return np.array(sorted({v for v in some if low <= v <= high}), object).astype(np.int64 if kind != "u64" else np.uint64)
    if is_complex(kind):
        parts = [0.0, -0.0, 1.0, -1.5, 0.25, 3.0]
        return np.array([complex(a, b) for a in parts for b in parts], np.complex128)
    info = ml_dtypes.finfo(TYPES[kind])
    # XLA takes 2^-127 for nan: it passes through an f32 that is flushed.
    most, least = (2.0**60, 2.0**-60) if kind == "f8e8m0fnu" else (float(info.max), float(info.smallest_normal))
    some = [math.nan, math.inf, -math.inf, 0.0, -0.0, 0.25, 0.5, -0.5, 0.75, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.25,
            most, -most if kind != "f8e8m0fnu" else 8.0, least]
    return np.array(some).astype(TYPES[kind]).astype(np.float64)


def plain(kind):
    """Small numbers of which sums and products are exact."""
    if kind == "pred":
        return np.array([True, False, True, True, False, False])
    if is_integer(kind):
        low, high = limits(kind)
        return np.array([min(max(v, low), high) for v in (1, 0, 1, -2, 1, -1)], np.int64)
    if is_complex(kind):
        return np.array([1 + 1j, 2, -1j, 0.5, 1 - 2j, -3], np.complex128)
    if kind == "f8e8m0fnu":
        return np.array([1, 2, 0.5, 1, 4, 0.25])
    return np.array([1, 0.5, -1, 2, -1.5, 3.0])


class Case:
    """Inputs in0, in1 ... of (type, values), lines of the entry computation, and other computations before it."""

    def __init__(self, inputs, lines, more="", tolerance=""):
        self.inputs, self.lines, self.more, self.tolerance = inputs, lines, more, tolerance
        self.fed = None  # what a host gives or gets


def spell(kind, values):
    def element(v):
        if kind == "pred":
            return "true" if v else "false"
        if is_complex(kind):
            return f"({v.real!r}, {v.imag!r})"
        return str(int(v)) if is_integer(kind) else repr(float(v))
    def nested(a):
        return element(a.item()) if a.ndim == 0 else "{" + ", ".join(nested(x) for x in a) + "}"
    return nested(np.asarray(values))


def dims(values):
    return "[" + ",".join(str(d) for d in np.asarray(values).shape) + "]"


def module_text(name, case, with_constants):
    text = f"HloModule {name.replace('-', '_')}\n\n{case.more}ENTRY e {{\n"
    for i, (kind, values) in enumerate(case.inputs):
        what = f"constant({spell(kind, values)})" if with_constants else f"parameter({i})"
        text += f"  in{i} = {kind}{dims(values)} {what}\n"
    return text + "".join(f"  {line}\n" for line in case.lines) + "}\n"


# ---- elementwise ----

LARGE = {"sine", "cosine", "tan"}  # the angle of the largest numbers is not known
EXACT = {"abs", "add", "and", "ceil", "clamp", "compare", "complex", "convert", "copy", "count-leading-zeros", "divide", "floor",
         "imag", "is-finite", "maximum", "minimum", "mulhi", "multiply", "negate", "not", "or", "popcnt", "real",
         "reduce-precision", "remainder", "round-nearest-afz", "round-nearest-even", "select", "shift-left",
         "shift-right-arithmetic", "shift-right-logical", "sign", "subtract", "xor", "bitcast-convert", "stochastic-convert"}


def tolerance(op, kind):
    """Options of hlo-run."""
    flushed = {"f32": "--atol=1.2e-38", "c64": "--atol=1e-30", "f64": "--atol=2.3e-308", "bf16": "--atol=1.2e-38"}.get(kind, "")
    if op in EXACT and not is_complex(kind):
        return flushed
    if is_integer(kind) or kind == "pred":
        return ""
    return {"f32": "--rtol=4e-6 --atol=1e-7", "f64": "--rtol=1e-13 --atol=1e-15", "c64": "--rtol=1e-5 --atol=1e-6",
            "c128": "--rtol=1e-13 --atol=1e-14"}.get(kind, "--max-ulp=1 " + flushed)


def values_for(op, kind):
    values = special(kind)
    if op in LARGE and is_float(kind):
        values = values[np.isnan(values) | np.isinf(values) | (np.abs(values) < 1e3)]
    if is_complex(kind) and op not in ("add", "subtract", "negate", "real", "imag", "copy", "compare", "select", "abs"):
        values = np.array([complex(a, b) for a in (0.25, 0.5, -0.75, 2.0) for b in (0.25, -0.5, 1.5)])
    return values


def unary(op, kind):
    return Case([(kind, values_for(op, kind))], [f"ROOT r = {op}(in0)"], tolerance=tolerance(op, kind))


def grid(kind, values):
    """Two squares a and b that hold every pair of values."""
    n = len(values)
    return [f"{name} = {kind}[{n},{n}] broadcast(in0), dimensions={{{d}}}" for name, d in (("a", 0), ("b", 1))]


def binary(op, kind):
    values = values_for(op, kind)
    if op == "power" and is_integer(kind):  # XLA CPU reads six bits of an exponent, and of a negative one none
        small = np.array([v for v in (0, 1, 2, 3, 5, 7) if v <= limits(kind)[1]], values.dtype)
        return Case([(kind, values), (kind, small)],
                    [f"a = {kind}[{len(values)},{len(small)}] broadcast(in0), dimensions={{0}}",
                     f"b = {kind}[{len(values)},{len(small)}] broadcast(in1), dimensions={{1}}", "ROOT r = power(a, b)"])
    if op == "atan2" and is_complex(kind):
        values = np.array([0.5 + 0.25j, 1.5 + 0.5j, 2 + 0.25j])
    return Case([(kind, values)], grid(kind, values) + [f"ROOT r = {op}(a, b)"], tolerance=tolerance(op, kind))


def compare(op, kind):
    values, lines, results = special(kind), [], []
    directions = ["EQ", "NE"] if is_complex(kind) else ["EQ", "NE", "LT", "LE", "GT", "GE"]
    n = len(values)
    for d in directions:
        for order in ["", ", type=TOTALORDER"] if is_float(kind) else [""]:
            results.append(f"r{len(results)}")
            lines.append(f"{results[-1]} = pred[{n},{n}] compare(a, b), direction={d}{order}")
    return Case([(kind, values)], grid(kind, values) + lines + [f"ROOT t = tuple({', '.join(results)})"])


def select(op, kind):
    values = special(kind)
    return Case([(kind, values), ("pred", np.arange(len(values)) % 2 == 0), ("pred", np.array(True))],
                ["a = reverse(in0), dimensions={0}", "r = select(in1, in0, a)", "s = select(in2, a, in0)", "ROOT t = tuple(r, s)"])


def clamp(op, kind):
    values = special(kind)
    n = len(values)
    some = [values[i] for i in (n // 3, n // 2, n - 1)]
    inputs = [(kind, values)] + [(kind, np.array(v)) for v in some]
    return Case(inputs, ["r = clamp(in1, in0, in2)", "s = clamp(in2, in0, in3)", "t = clamp(in3, in0, in1)", "ROOT u = tuple(r, s, t)"])


def complex_parts(op, kind):
    values = special(kind)
    return Case([(kind, values)], grid(kind, values) + ["ROOT r = complex(a, b)"])


# To which of its types XLA's backend converts nothing, and where complex numbers end it.
NOT_CONVERTED_TO = {"s1", "u1", "f6e2m3fn", "f6e3m2fn"}


def xla_converts(kind, to):
    return to not in NOT_CONVERTED_TO and not (is_complex(kind) and to == "pred")


def convert(op, kind, types=tuple(TYPES)):
    values = special(kind)
    if kind == "f4e2m1fn":  # XLA saturates its largest number
        values = values[np.abs(values) < 6]
    if kind == "f64":  # to f8e8m0fnu its smallest is the least number, or XLA's nan
        values = values[~(np.abs(values) < 1e-300) | (values == 0)]
    lines = [f"to_{to} = {to}[{len(values)}] convert(in0)" for to in types]
    results = ", ".join(f"to_{to}" for to in types)
    return Case([(kind, values)], lines + [f"ROOT t = tuple({results})"], tolerance=tolerance(op, "f32"))


CARRIERS = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "u16", 32: "u32", 64: "u64"}


def bitcast_convert(op, kind):
    to = "f32" if kind in ("u32", "s32") else "c64" if kind == "c64" else "c128" if kind == "c128" else CARRIERS.get(bits(kind), "u8")
    values = special(kind)
    return Case([(kind, values)], [f"ROOT r = {to}[{len(values)}] bitcast-convert(in0)"])


def reduce_precision(op, kind):
    n = len(special(kind))
    return Case([(kind, special(kind))], [f"r = {kind}[{n}] reduce-precision(in0), exponent_bits=5, mantissa_bits=2",
                                          f"s = {kind}[{n}] reduce-precision(in0), exponent_bits=8, mantissa_bits=7", "ROOT t = tuple(r, s)"],
                tolerance=tolerance(op, kind))


def stochastic_convert(op, kind):
    values = special(kind)
    values = values[np.abs(values) < 100] if is_float(kind) else values
    random = {16: "u16", 32: "u32", 64: "u64"}.get(bits(kind), "u8")
    top = (1 << bits(random)) - 1
    numbers = np.array([(i * 0x9E3779B97F4A7C15) & top for i in range(len(values))], np.uint64)
    return Case([(kind, values), (random, numbers)], [f"ROOT r = s8[{len(values)}] stochastic-convert(in0, in1)"])


# ---- data movement ----

def square(kind):
    values = special(kind)
    return np.resize(values, (4, 3))


def data(line):
    return lambda op, kind: Case([(kind, square(kind)), (kind, np.array(special(kind)[-1])), ("s32", np.array([2, -1, 9, 0])),
                                  ("s32", np.array(1)), (kind, square(kind)[:2, :2])],
                                 [line.replace("T[", kind + "["), "ROOT t = tuple(r, in0, in1, in2, in3, in4)"])


DATA = {
    "broadcast": "r = T[2,4,3] broadcast(in0), dimensions={1,2}",
    "reshape": "r = T[2,6] reshape(in0)",
    "bitcast": "r = T[2,6] bitcast(in0)",
    "transpose": "r = transpose(in0), dimensions={1,0}",
    "reverse": "r = reverse(in0), dimensions={0,1}",
    "slice": "r = T[2,2] slice(in0), slice={[1:4:2],[0:2]}",
    "pad": "r = pad(in0, in1), padding=-1_2_1x1_-1",
    "concatenate": "r = concatenate(in0, in0), dimensions={1}",
    "dynamic-slice": "r = T[2,2] dynamic-slice(in0, in3, in3), dynamic_slice_sizes={2,2}",
    "dynamic-update-slice": "r = T[4,3] dynamic-update-slice(in0, in4, in3, in3)",
    "gather": "r = gather(in0, in2), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
    "copy": "r = copy(in0)",
    "opt-barrier": "r = T[4,3] opt-barrier(in0)",
    "get-dimension-size": "r = get-dimension-size(in0), dimensions={1}",
    "all-gather": "r = T[4,3] all-gather(in0), replica_groups={{0}}, dimensions={0}",
    "all-to-all": "r = T[4,3] all-to-all(in0), replica_groups={{0}}, dimensions={0}",
    "collective-broadcast": "r = T[4,3] collective-broadcast(in0), replica_groups={{0}}",
    "collective-permute": "r = T[4,3] collective-permute(in0), source_target_pairs={{0,0}}",
    "custom-call": 'r = T[4,3] custom-call(in0), custom_call_target="Sharding"',
}


def passing(*lines, more=""):
    """Operations that hand values on."""
    def make(op, kind):
        spelt = [line.replace("T[", kind + "[") for line in lines]
        return Case([(kind, square(kind))], spelt, more=more.replace("T[", kind + "["))
    return make


IDENTITY = "id { ROOT p = T[4,3] parameter(0) }\nturned { q = T[4,3] parameter(0)\n  ROOT r = T[4,3] reverse(q), dimensions={0} }\n"
LOOP = """below { p = (s32[], T[4,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT }
turn { p = (s32[], T[4,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = T[4,3] get-tuple-element(p), index=1
  n = s32[] constant(1)
  j = s32[] add(i, n)
  y = T[4,3] reverse(x), dimensions={0}
  ROOT r = (s32[], T[4,3]) tuple(j, y) }
"""
PASSING = {
    "add-dependency": passing("k = token[] after-all()", "ROOT r = T[4,3] add-dependency(in0, k)"),
    "tuple": passing("ROOT r = tuple(in0, in0)"),
    "get-tuple-element": passing("t = tuple(in0, in0)", "ROOT r = get-tuple-element(t), index=1"),
    "parameter": passing("ROOT r = call(in0), to_apply=id", more=IDENTITY),
    "constant": passing("ROOT r = copy(in0)"),
    "call": passing("ROOT r = call(in0), to_apply=turned", more=IDENTITY),
    "fusion": passing("ROOT r = T[4,3] fusion(in0), kind=kLoop, calls=turned", more=IDENTITY),
    "conditional": passing("p = pred[] constant(false)", "ROOT r = conditional(p, in0, in0), true_computation=id, false_computation=turned", more=IDENTITY),
    "while": passing("z = s32[] constant(0)", "t = tuple(z, in0)", "ROOT r = while(t), condition=below, body=turn", more=LOOP),
    "copy-start": passing("s = (T[4,3], T[4,3], u32[]) copy-start(in0)", "ROOT r = T[4,3] copy-done(s)"),
    "async-start": passing("s = ((T[4,3]), T[4,3], u32[]) reverse-start(in0), dimensions={0}", "ROOT r = T[4,3] reverse-done(s)"),
    "async-update": passing("s = ((T[4,3]), T[4,3], u32[]) reverse-start(in0), dimensions={0}",
                            "u = ((T[4,3]), T[4,3], u32[]) reverse-update(s)", "ROOT r = T[4,3] reverse-done(u)"),
    "dynamic-reshape": passing("n = s32[] constant(6)", "m = s32[] constant(2)", "d = T[6,<=2] dynamic-reshape(in0, n, m)",
                               "ROOT r = T[6,2] set-dimension-size(d, m), dimensions={1}"),
    "set-dimension-size": passing("n = s32[] constant(3)", "m = s32[] constant(4)", "d = T[<=4,3] set-dimension-size(in0, n), dimensions={0}",
                                  "ROOT r = T[4,3] set-dimension-size(d, m), dimensions={0}"),
    "domain": passing("ROOT r = T[4,3] domain(in0), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}"),
    "send": passing("k = token[] after-all()", "r = (T[4,3], u32[], token[]) recv(k), channel_id=1",
                    "s = (T[4,3], u32[], token[]) send(in0, k), channel_id=1, control-predecessors={r}",
                    "sd = token[] send-done(s), channel_id=1",
                    "rd = (T[4,3], token[]) recv-done(r), channel_id=1, control-predecessors={s}",
                    "ROOT out = T[4,3] get-tuple-element(rd), index=0"),
    "all-gather-start": passing("s = (T[4,3], T[4,3]) all-gather-start(in0), replica_groups={{0}}, dimensions={0}",
                                "ROOT r = T[4,3] all-gather-done(s)"),
    "collective-permute-start": passing("s = (T[4,3], T[4,3], u32[], u32[]) collective-permute-start(in0), source_target_pairs={{0,0}}",
                                        "ROOT r = T[4,3] collective-permute-done(s)"),
    "ragged-all-to-all": passing("z = s32[1] constant({0})", "n = s32[1] constant({4})",
                                 "ROOT r = T[4,3] ragged-all-to-all(in0, in0, z, n, z, n), replica_groups={{0}}"),
}
SAME = {"copy-done": "copy-start", "async-done": "async-start", "send-done": "send", "recv": "send", "recv-done": "send",
        "all-gather-done": "all-gather-start", "collective-permute-done": "collective-permute-start",
        "all-reduce-done": "all-reduce-start"}


# ---- computations over elements ----

def body(op, kind):
    return f"f {{ a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT c = {kind}[] {op}(a, b) }}\n"


def with_body(line, inputs=None, combine="add"):
    def make(op, kind):
        name = "or" if kind == "pred" else combine
        matrix = np.resize(plain(kind), (4, 3))
        given = [(kind, matrix), (kind, np.array(plain(kind)[0] * 0 if kind != "f8e8m0fnu" else 1, matrix.dtype)), ("s32", np.array([2, 0, 2])), (kind, matrix[:3]), (kind, matrix[:3, :2])]
        return Case(given, [line.replace("T[", kind + "["), "ROOT t = tuple(r, in0, in1, in2, in3, in4)"],
                    more=body(name, kind) + f"ge {{ a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=GE }}\n",
                    tolerance=tolerance("sum", kind))
    return make


BODIES = {
    "map": "r = map(in0, in0), dimensions={0,1}, to_apply=f",
    "reduce": "r = reduce(in0, in1), dimensions={0}, to_apply=f",
    "reduce-window": "r = reduce-window(in0, in1), window={size=2x2 pad=1_0x0_0}, to_apply=f",
    "select-and-scatter": "r = select-and-scatter(in0, in4, in1), window={size=2x2}, select=ge, scatter=f",
    "scatter": "r = scatter(in0, in2, in3), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
    "all-reduce": "r = T[4,3] all-reduce(in0), replica_groups={{0}}, to_apply=f",
    "reduce-scatter": "r = T[4,3] reduce-scatter(in0), replica_groups={{0}}, dimensions={0}, to_apply=f",
}


def all_reduce_start(op, kind):
    matrix = np.resize(plain(kind), (4, 3))
    return Case([(kind, matrix)], [f"s = {kind}[4,3] all-reduce-start(in0), replica_groups={{{{0}}}}, to_apply=f",
                                   f"ROOT r = {kind}[4,3] all-reduce-done(s)"], more=body("or" if kind == "pred" else "add", kind))


def sort(op, kind):
    values = special(kind)
    order = ", type=TOTALORDER" if is_float(kind) else ""
    more = f"lt {{ a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=LT{order} }}\n"
    return Case([(kind, values)], ["a = reverse(in0), dimensions={0}", "ROOT r = sort(a), dimensions={0}, is_stable=true, to_apply=lt"], more=more)


def topk(op, kind):
    values = plain(kind)
    return Case([(kind, values)], ["a = topk(in0), k=4, largest=true", "b = topk(in0), k=3, largest=false", "ROOT t = tuple(a, b)"])


def scan(op, kind):
    name = "or" if kind == "pred" else "add"
    more = f"f {{ a = {kind}[3] parameter(0)\n  b = {kind}[3] parameter(1)\n  c = {kind}[3] {name}(a, b)\n  ROOT t = tuple(c, c) }}\n"
    matrix = np.resize(plain(kind), (4, 3))
    return Case([(kind, matrix), (kind, matrix[0])], ["ROOT r = scan(in0, in1), dimensions={0}, num_carries=1, is_associative=true, to_apply=f"],
                more=more, tolerance=tolerance("sum", kind))


# ---- products, linear algebra, the rest ----

def dense(*lines):
    def make(op, kind):
        a = np.resize(plain(kind), (2, 3))
        b = np.resize(plain(kind)[::-1], (3, 2))
        spelt = [line.replace("T[", kind + "[") for line in lines]
        return Case([(kind, a), (kind, b), (kind, np.resize(plain(kind), (2, 3, 2)))], spelt, tolerance=tolerance("sum", kind))
    return make


def square_matrix(kind, lines):
    a = np.array([[4, 1, 0.5], [1, 4, -1], [0.5, -1, 4]])
    if is_complex(kind):
        a = a + 1j * np.array([[0, -0.5, 1], [0.5, 0, 0.25], [-1, -0.25, 0]])
    a = a if is_float(kind) or is_complex(kind) else np.resize(plain(kind), (3, 3))
    a = np.abs(a) if kind == "f8e8m0fnu" else a
    b = np.resize(plain(kind), (3, 2))
    return Case([(kind, a), (kind, b)], lines, tolerance={16: "--rtol=0.05 --atol=0.05", 8: "--rtol=0.3 --atol=0.3", 6: "--rtol=0.3 --atol=0.3", 4: "--rtol=0.5 --atol=1"}.get(
                    bits(kind), "--rtol=1e-5 --atol=1e-5"))


MASK = ["i = s32[3,3] iota(), iota_dimension=0", "j = s32[3,3] iota(), iota_dimension=1", "m = compare(i, j), direction=GE"]


def cholesky(op, kind):
    return square_matrix(kind, MASK + ["c = cholesky(in0), lower=true", "z = subtract(c, c)", "ROOT r = select(m, c, z)"])


def triangular_solve(op, kind):
    return square_matrix(kind, ["ROOT r = triangular-solve(in0, in1), left_side=true, lower=true, transpose_a=NO_TRANSPOSE"])


def fft(op, kind):
    if is_complex(kind):
        return Case([(kind, plain(kind))], ["a = fft(in0), fft_type=FFT, fft_length={6}", "b = fft(in0), fft_type=IFFT, fft_length={6}",
                                            "c = fft(in0), fft_type=IRFFT, fft_length={10}", "ROOT t = tuple(a, b, c)"],
                    tolerance="--rtol=1e-5 --atol=1e-5")
    return Case([(kind, plain(kind))], ["ROOT r = fft(in0), fft_type=RFFT, fft_length={6}"], tolerance="--rtol=1e-5 --atol=1e-5")


def batch_norm(op, kind):
    x, v = np.resize(plain(kind), (4, 3)), np.resize(plain(kind), 3)
    v = v if not is_float(kind) else np.array([1, 0.5, 2])
    arguments = {"batch-norm-training": "in0, in1, in1", "batch-norm-inference": "in0, in1, in1, in1, in1", "batch-norm-grad": "in0, in1, in1, in1, in0"}
    return Case([(kind, x), (kind, v)], [f"ROOT r = {op}({arguments[op]}), epsilon=0.5, feature_index=1"],
                tolerance="--rtol=1e-4 --atol=1e-4" if bits(kind) > 16 else "--rtol=0.02 --atol=0.05")


def iota(op, kind):
    return Case([], [f"ROOT r = {kind}[2,5] iota(), iota_dimension=1"])


def bit_generator(op, kind):
    state = np.array([3, (1 << 64) - 2], np.uint64)
    return Case([("u64", state)], [f"a = (u64[2], {kind}[5]) rng-bit-generator(in0), algorithm=rng_three_fry",
                                   f"b = (u64[2], {kind}[5]) rng-bit-generator(in0), algorithm=rng_philox", "ROOT t = tuple(a, b)"])


def infeed(op, kind):
    """What comes in, INFEED.npy, goes out again turned round."""
    case = Case([], ["k = token[] after-all()", f"i = (({kind}[4,3]), token[]) infeed(k)", "p = get-tuple-element(i), index=0",
                     "x = get-tuple-element(p), index=0", "ROOT r = reverse(x), dimensions={0}"])
    case.fed = square(kind)
    return case


def outfeed(op, kind):
    """What goes out is OUTFEED.npy."""
    case = Case([(kind, square(kind))], ["k = token[] after-all()", f"ROOT r = token[] outfeed(in0, k), outfeed_shape={kind}[4,3]"])
    case.fed = square(kind)
    return case


def no_operands(*lines):
    return lambda op, kind: Case([], [line.replace("T[", kind + "[") for line in lines])


def rng(op, kind):
    """A range of one number: the only result that does not depend on chance."""
    one = plain(kind)[0]
    return Case([(kind, np.array(one * 0 if kind != "f8e8m0fnu" else 0.5, plain(kind).dtype)), (kind, np.array(one))],
                [f"r = {kind}[5] rng(in0, in1), distribution=rng_uniform", "b = broadcast(in0), dimensions={}",
                 f"ROOT c = {kind}[0] slice(r), slice={{[5:5]}}"])


def scaled_dot(op, kind):
    a, s = np.resize(plain(kind), (2, 32)), np.ones((2, 1))
    return Case([(kind, a), ("bf16", s)], [f"ROOT r = {kind}[2,2] scaled-dot(in0, in0, in1, in1), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"],
                tolerance=tolerance("sum", kind))


SPECIAL = {
    "compare": compare, "select": select, "clamp": clamp, "complex": complex_parts, "convert": convert, "bitcast-convert": bitcast_convert,
    "reduce-precision": reduce_precision, "stochastic-convert": stochastic_convert, "all-reduce-start": all_reduce_start, "sort": sort,
    "topk": topk, "scan": scan, "cholesky": cholesky, "triangular-solve": triangular_solve, "fft": fft, "iota": iota,
    "batch-norm-training": batch_norm, "batch-norm-inference": batch_norm, "batch-norm-grad": batch_norm, "rng": rng,
    "infeed": infeed, "outfeed": outfeed, "rng-bit-generator": bit_generator, "scaled-dot": scaled_dot,
    "dot": dense("ROOT r = dot(in0, in1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    "ragged-dot": dense("n = s32[2] constant({1, 1})", "ROOT r = ragged-dot(in0, in2, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"),
    "convolution": dense("ROOT r = convolution(in0, in1), dim_labels=bf_io->bf"),
    "after-all": no_operands("ROOT r = token[] after-all()"),
    "partition-id": no_operands("ROOT r = T[] partition-id()"),
    "replica-id": no_operands("ROOT r = T[] replica-id()"),
    "rng-get-and-update-state": no_operands("s = T[2] rng-get-and-update-state(), delta=1", "ROOT r = T[0] slice(s), slice={[2:2]}"),
}


def make(op, kind, operands):
    """The case of an operation with so many operands, by --list-operations."""
    op = SAME.get(op, op)
    if op in SPECIAL:
        return SPECIAL[op](op, kind)
    if op in PASSING:
        return PASSING[op](op, kind)
    if op in DATA:
        return data(DATA[op])(op, kind)
    if op in BODIES:
        return with_body(BODIES[op])(op, kind)
    return (unary if operands == 1 else binary)(op, kind)


def typed(values, kind):
    """Stored values as an array of the type; what is bits already stays."""
    dtype = np.dtype(TYPES[kind])
    if values.dtype == dtype:
        return values
    made = values.astype(dtype)
    if kind == "f8e4m3fn":  # the nan without a sign, as text means it
        made = np.where(np.isnan(made), np.frombuffer(b"\x7f", dtype)[0], made)
    return made
