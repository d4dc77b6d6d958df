"""Cases of operations that have windows: convolutions, reduce-window, select-and-scatter."""
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions

from gradients import ALL, REAL, case, given, some

# ---- convolutions ----


def convolved(labels, wide=None, narrow=None, reversed_at=(), **more):
    """A convolution by JAX; types that its own has no code for are computed in f32. JAX has no reversal: kernels are reversed."""
    def f(x, y):
        kind = x.dtype
        small = jnp.finfo(kind).bits < 16 if not jnp.iscomplexobj(x) else False
        if small or wide:
            x, y = x.astype(wide or jnp.float32), y.astype(wide or jnp.float32)
        y = lax.rev(y, reversed_at)
        out = lax.conv_general_dilated(x, y, dimension_numbers=dimensions(labels), **more)
        return out.astype(narrow or kind) if narrow or (small and not wide) else out
    return f


def dimensions(labels):
    """JAX spells batch and feature dimensions with other letters."""
    parts = labels.replace("->", "_").split("_")
    letters = [{"b": "N", "f": "C"}, {"i": "I", "o": "O"}, {"b": "N", "f": "C"}]
    return tuple("".join(names.get(ch, ch) for ch in part) for names, part in zip(letters, parts))


def convolution(about, x, y, window, labels, types=("f32",), attrs="", out="", plan=None, wide=None, narrow=None, reversed_at=(), few=None):
    plan = {"window_strides": (1,) * (len(x) - 2), "padding": [(0, 0)] * (len(x) - 2)} | (plan or {})
    written = f"window={{{window}}}, " if window else ""
    case("convolution", about, {"x": some(*x, among=few), "y": some(*y, seed=1, among=few)},
         f"ROOT r = {out}convolution(x, y), {written}dim_labels={labels}{attrs}",
         convolved(labels, wide, narrow, reversed_at, **plan), list(types))


FEW = [-1, -0.5, 0.5, 1, 1.5]
NCW, NCHW = "bf0_oi0->bf0", "bf01_oi01->bf01"
convolution("", (2, 2, 4), (3, 2, 2), "size=2", NCW, ALL, few=FEW)
convolution("over two dimensions", (2, 3, 4, 5), (2, 3, 2, 3), "size=2x3", NCHW, ["f32", "c128"])
convolution("with other dimension numbers", (4, 2, 5, 3), (2, 3, 3, 2), "size=2x3", "0b1f_01io->f0b1", ["f32", "c64"])
convolution("with strides", (1, 2, 7, 6), (2, 2, 3, 2), "size=3x2 stride=3x3", NCHW, plan={"window_strides": (3, 3)})
convolution("padded", (1, 2, 4, 3), (2, 2, 3, 2), "size=3x2 pad=1_2x2_1", NCHW, plan={"padding": [(1, 2), (2, 1)]})
convolution("cut off by negative padding", (1, 2, 6, 5), (2, 2, 2, 2), "size=2x2 pad=-1_-2x2_-2", NCHW,
            plan={"padding": [(-1, -2), (2, -2)]})
convolution("padded beyond the window", (1, 1, 3), (1, 1, 2), "size=2 pad=4_4", NCW, plan={"padding": [(4, 4)]})
convolution("with a dilated input", (1, 2, 3, 4), (2, 2, 2, 3), "size=2x3 stride=1x4 pad=1_1x1_0 lhs_dilate=2x3", NCHW,
            plan={"window_strides": (1, 4), "padding": [(1, 1), (1, 0)], "lhs_dilation": (2, 3)})
convolution("with a dilated kernel", (1, 2, 7, 8), (2, 2, 3, 2), "size=3x2 stride=1x2 rhs_dilate=2x3", NCHW,
            plan={"window_strides": (1, 2), "rhs_dilation": (2, 3)})
convolution("with everything dilated, cut off", (2, 2, 5), (2, 2, 3), "size=3 stride=3 pad=-2_1 lhs_dilate=2 rhs_dilate=2", NCW, ["f32", "c64"],
            plan={"window_strides": (3,), "padding": [(-2, 1)], "lhs_dilation": (2,), "rhs_dilation": (2,)})
convolution("reversed", (1, 2, 4, 4), (2, 2, 3, 2), "size=3x2 rhs_reversal=1x0", NCHW, reversed_at=(2,))
convolution("reversed, with strides and dilated", (1, 2, 4, 4), (2, 2, 2, 3), "size=2x3 stride=2x3 pad=1_0x0_1 lhs_dilate=2x2 rhs_dilate=3x1 rhs_reversal=1x1", NCHW,
            reversed_at=(2, 3), plan={"window_strides": (2, 3), "padding": [(1, 0), (0, 1)], "lhs_dilation": (2, 2), "rhs_dilation": (3, 1)})
convolution("in groups of features", (2, 4, 5), (6, 2, 3), "size=3", NCW, ["f32", "bf16", "c64"], ", feature_group_count=2", plan={"feature_group_count": 2})
convolution("of each feature", (2, 5, 3), (2, 1, 6), "size=2", "b0f_0io->b0f", attrs=", feature_group_count=3", plan={"feature_group_count": 3})
convolution("in groups of features, last dimension first", (4, 2, 3, 2), (2, 2, 2, 4), "size=2x2", "f01b_01io->01fb",
            attrs=", feature_group_count=2", plan={"feature_group_count": 2})
convolution("in groups of batches", (4, 3, 5), (6, 3, 3), "size=3", NCW, ["f32", "bf16", "c64"], ", batch_group_count=2", plan={"batch_group_count": 2})
convolution("in groups of batches, with other dimension numbers", (5, 3, 6), (2, 3, 3), "size=2 stride=2 pad=1_0", "0fb_0io->b0f",
            attrs=", batch_group_count=3", plan={"batch_group_count": 3, "window_strides": (2,), "padding": [(1, 0)]})
convolution("without windows", (3, 4), (4, 2), "", "bf_io->bf")
convolution("with a result of another type", (2, 2, 4), (3, 2, 2), "size=2", NCW, ["f16", "bf16", "f8e4m3fn"], out="f32[2,3,3] ", wide=jnp.float32, few=FEW)
convolution("of other types, with a smaller result", (2, 2, 4), (3, 2, 2), "size=2", NCW, out="bf16[2,3,3] ", narrow=jnp.bfloat16)
convolution("of which a kernel's edge meets nothing", (1, 1, 2), (1, 1, 5), "size=5 pad=2_1", NCW, plan={"padding": [(2, 1)]})
case("convolution", "by itself", {"x": some(2, 2, 3)}, "ROOT r = T[2,2,3] convolution(x, x), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0",
     lambda x: lax.conv_general_dilated(x, x, (1,), [(1, 1)], dimension_numbers=("NCH", "OIH", "NCH")), ["f32"])

# ---- reduce-window ----


LOGADDEXP = """logaddexp { a = T[] parameter(0)
  b = T[] parameter(1)
  m = T[] maximum(a, b)
  d = T[] subtract(a, b)
  n = T[] abs(d)
  g = T[] negate(n)
  e = T[] exponential(g)
  l = T[] log-plus-one(e)
  ROOT r = T[] add(m, l) }
"""


def reducer(op):
    if op == "logaddexp":
        return LOGADDEXP
    return f"{op} {{ a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] {op}(a, b) }}\n"


def in_f32(f):
    """JAX has no code for windows of small types."""
    def g(*arrays):
        kind = arrays[0].dtype
        if jnp.iscomplexobj(arrays[0]) or jnp.finfo(kind).bits >= 16:
            return f(*arrays)
        return f(*[a.astype(jnp.float32) for a in arrays]).astype(kind)
    return g


def folded(fold, x, init, neutral, sizes, strides=None, padding=None, base=None, window=None):
    """Elements of all windows at a place, one place after the other; JAX's reduce_window has no derivative of products and where
    elements or windows are dilated."""
    n = len(sizes)
    strides, padding = strides or (1,) * n, padding or [(0, 0)] * n
    base, window = base or (1,) * n, window or (1,) * n
    x = lax.pad(x, jnp.asarray(neutral, x.dtype), [(low, high, d - 1) for (low, high), d in zip(padding, base)])
    shape = [(length - (size - 1) * d - 1) // s + 1 for length, size, d, s in zip(x.shape, sizes, window, strides)]
    out = jnp.broadcast_to(init, shape)
    for at in np.ndindex(*sizes):
        start = [i * d for i, d in zip(at, window)]
        out = fold(out, lax.slice(x, start, [i + (m - 1) * s + 1 for i, m, s in zip(start, shape, strides)], strides))
    return out


FOLDS = {"add": (lax.add, 0, 0), "multiply": (lax.mul, 1, 1), "maximum": (lax.max, -8, -8), "minimum": (lax.min, 8, 8),
         "logaddexp": (jnp.logaddexp, "-inf", -np.inf)}


def windowed(op, about, shape, text, plan, types=("f32",), start=None, values=None, by_jax=False):
    fold, init, neutral = FOLDS[op]
    init = init if start is None else start
    function = lambda x, s: folded(fold, x, s, neutral, **plan)  # noqa: E731
    if by_jax:
        function = lambda x, s: lax.reduce_window(  # noqa: E731
            x, {lax.max: -jnp.inf, lax.min: jnp.inf, lax.add: 0.0}[fold], fold, plan["sizes"], plan.get("strides", (1,) * len(shape)),
            plan.get("padding", [(0, 0)] * len(shape)))
    x = values or some(*shape, distinct=op in ("maximum", "minimum"), among=FACTORS if op == "multiply" else None)
    case("reduce-window", f"{op}{about}", {"x": x} | ({} if start is None else {"start": given(start)}),
         ([f"start = T[] constant({init})"] if start is None else []) + [f"ROOT r = reduce-window(x, start), window={{{text}}}, to_apply={op}"],
         in_f32(function if start is not None else lambda x: function(x, jnp.asarray(init, x.dtype))), list(types), reducer(op))


FACTORS = [-1.5, -1, -0.5, 0.5, 1, 1.5]
WITH_ZEROS = [0, 0.5, 1, -1.5]
PADDED = ("size=3x2 stride=2x1 pad=1_2x0_1", {"sizes": (3, 2), "strides": (2, 1), "padding": [(1, 2), (0, 1)]})
CUT = ("size=2x2 stride=1x2 pad=-1_1x1_-1", {"sizes": (2, 2), "strides": (1, 2), "padding": [(-1, 1), (1, -1)]})
DILATED = ("size=2x3 stride=3x1 pad=1_0x-1_2 lhs_dilate=2x1 rhs_dilate=3x2",
           {"sizes": (2, 3), "strides": (3, 1), "padding": [(1, 0), (-1, 2)], "base": (2, 1), "window": (3, 2)})
APART = ("size=2x1 stride=2x2 pad=0_0x1_0 lhs_dilate=1x2", {"sizes": (2, 1), "strides": (2, 2), "padding": [(0, 0), (1, 0)], "base": (1, 2)})
for op in ("add", "multiply", "maximum", "minimum"):
    types = REAL if op in ("maximum", "minimum") else ALL
    windowed(op, "", (3, 4), "size=2x3 stride=1x1", {"sizes": (2, 3)}, types)
    windowed(op, ", padded", (4, 4), *PADDED, ["f32", "bf16"])
    windowed(op, ", cut off", (4, 5), *CUT)
    windowed(op, ", dilated", (3, 6), *DILATED, ["f32", "f64"])
    windowed(op, ", with elements apart", (4, 3), *APART)
    windowed(op, ", with a start", (4, 4), *PADDED, ["f32", "f64"], start={"maximum": 0.25, "minimum": 0.75}.get(op, 0.5))
    windowed(op, ", running", (2, 5), "size=1x5 pad=0_0x4_0", {"sizes": (1, 5), "padding": [(0, 0), (4, 0)]})
    windowed(op, ", running backwards", (5,), "size=5 pad=0_4", {"sizes": (5,), "padding": [(0, 4)]}, ["f32", "f16"])
    windowed(op, ", whole", (3, 2), "size=3x2", {"sizes": (3, 2)})
windowed("add", " as JAX", (4, 4), *PADDED, by_jax=True)
windowed("maximum", " as JAX, of equal elements", (4, 6), *PADDED, values=some(4, 6, among=[-1, 0, 1]), by_jax=True)
windowed("minimum", " as JAX, of equal elements", (4, 6), *PADDED, values=some(4, 6, among=[-1, 0, 1]), by_jax=True)
windowed("maximum", " as JAX, running, of equal elements", (6,), "size=6 pad=5_0", {"sizes": (6,), "padding": [(5, 0)]},
         values=some(6, among=[-1, 0, 1]), by_jax=True)
# By a computation that no rule is known for; and by one that is not commutative, of two operands.
windowed("logaddexp", ", padded", (4, 4), *PADDED, ["f32", "f64"])
windowed("logaddexp", ", dilated", (3, 6), *DILATED, start=0.5)
windowed("logaddexp", ", running", (2, 5), "size=1x5 pad=0_0x4_0", {"sizes": (1, 5), "padding": [(0, 0), (4, 0)]}, ["f32", "f64"])
windowed("logaddexp", ", with long windows", (11,), "size=7 pad=2_0", {"sizes": (7,), "padding": [(2, 0)]}, start=-1)
AFFINE = ("affine { a = T[] parameter(0)\n  b = T[] parameter(1)\n  c = T[] parameter(2)\n  d = T[] parameter(3)\n  ac = T[] multiply(a, c)\n"
          "  bc = T[] multiply(b, c)\n  e = T[] add(bc, d)\n  ROOT t = tuple(ac, e) }\n")


def affine(pairs):
    a, b = pairs[0]
    for c, d in pairs[1:]:
        a, b = a * c, b * c + d
    return a, b


def affine_windows(x, y):
    all = [affine([(x[k], y[k]) for k in range(max(0, i - 2), i + 1)]) for i in range(len(x))]
    return jnp.stack([a for a, _ in all]), jnp.stack([b for _, b in all])


case("reduce-window", "affine, running", {"x": some(5), "y": some(5, seed=1)},
     ["one = T[] constant(1)", "zero = T[] constant(0)", "ROOT r = (T[5], T[5]) reduce-window(x, y, one, zero), window={size=3 pad=2_0}, to_apply=affine"],
     affine_windows, ["f32", "c64"], AFFINE)
case("reduce", "affine", {"x": some(7), "y": some(7, seed=1)},
     ["one = T[] constant(1)", "zero = T[] constant(0)", "ROOT r = reduce(x, y, one, zero), dimensions={0}, to_apply=affine"],
     lambda x, y: affine([(x[k], y[k]) for k in range(7)]), ["f32", "c64"], AFFINE)
case("reduce", "logaddexp", {"x": some(2, 3, 5), "start": given(0.5)}, "ROOT r = reduce(x, start), dimensions={0,2}, to_apply=logaddexp",
     lambda x, s: jnp.logaddexp(lax.reduce(x, jnp.asarray(-np.inf, x.dtype), jnp.logaddexp, (0, 2)), s), ["f32", "f64"], LOGADDEXP)
windowed("multiply", " with zeros", (3, 5), *PADDED, ["f32", "c64"], values=some(3, 5, among=WITH_ZEROS))
windowed("multiply", " with long windows", (11,), "size=7 pad=2_0 rhs_dilate=1", {"sizes": (7,), "padding": [(2, 0)]})
windowed("add", " of windows that meet nothing", (2,), "size=1 stride=2 pad=3_3", {"sizes": (1,), "strides": (2,), "padding": [(3, 3)]}, start=0.5)
windowed("maximum", " of windows that meet nothing", (2,), "size=1 stride=2 pad=3_3", {"sizes": (1,), "strides": (2,), "padding": [(3, 3)]}, start=-4)
for op in ("add", "maximum", "multiply"):
    case("reduce-window", f"{op} of a number", {"x": some()}, [f"start = T[] constant({FOLDS[op][1]})", f"ROOT r = reduce-window(x, start), to_apply={op}"],
         lambda x: x + 0, ["f32"], reducer(op))
case("reduce-window", "two side by side", {"x": some(5), "y": some(5, seed=1, distinct=True)},
     ["zero = T[] constant(0)", "low = T[] constant(-8)",
      "ROOT r = (T[4], T[4]) reduce-window(x, y, zero, low), window={size=3 pad=1_0}, to_apply=both"],
     lambda x, y: (folded(lax.add, x, jnp.zeros((), x.dtype), 0, (3,), padding=[(1, 0)]),
                   folded(lax.max, y, jnp.full((), -8, x.dtype), -8, (3,), padding=[(1, 0)])), ["f32"],
     "both { a = T[] parameter(0)\n  b = T[] parameter(1)\n  c = T[] parameter(2)\n  d = T[] parameter(3)\n  s = T[] add(a, c)\n"
     "  m = T[] maximum(b, d)\n  ROOT t = tuple(s, m) }\n")

# ---- select-and-scatter ----



def apart(x, y):
    """Windows of two elements of three that stand two apart, like the windows' own: two of them meet the array whole, two by half."""
    out = jnp.zeros_like(x)
    for p in range(5):
        meets = [(p * 2 + k * 2 - 4) // 2 for k in range(2) if 0 <= p * 2 + k * 2 - 4 < 5]
        if meets:
            places = jnp.array(meets)
            out = out.at[places[jnp.argmax(x[places])]].add(y[p])
    return out


CHOICES = {"GE": lax.ge_p, "LE": lax.le_p}


def scattered(direction, about, shape, source, text, sizes, strides, padding, types=("f32",), values=None):
    def f(x, y, s):
        add = windowed_reductions._select_and_scatter_add
        return add(y, x, CHOICES[direction], sizes, strides, padding) + s
    case("select-and-scatter", f"{direction}{about}",
         {"x": values or some(*shape, distinct=True), "y": some(*source, seed=1), "start": given(0.5)},
         f"ROOT r = select-and-scatter(x, y, start), window={{{text}}}, select=prefer, scatter=add", in_f32(f), list(types),
         f"prefer {{ a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = compare(a, b), direction={direction} }}\n" + reducer("add"))


scattered("GE", "", (3, 4), (2, 2), "size=2x2 stride=1x2", (2, 2), (1, 2), [(0, 0), (0, 0)], REAL)
scattered("LE", "", (4, 3), (3, 2), "size=2x2 stride=2x1 pad=1_1x0_0", (2, 2), (2, 1), [(1, 1), (0, 0)], ["f32", "bf16", "f64"])
scattered("GE", ", of equal elements", (5, 5), (3, 3), "size=3x3 stride=2x2 pad=1_1x1_1", (3, 3), (2, 2), [(1, 1), (1, 1)],
          values=some(5, 5, among=[0, 1]))
case("select-and-scatter", "of windows that meet nothing, dilated", {"x": some(3, distinct=True), "y": some(5, seed=1), "start": given(0.5)},
     "ROOT r = select-and-scatter(x, y, start), window={size=2 stride=2 pad=4_3 lhs_dilate=2 rhs_dilate=2}, select=prefer, scatter=add",
     lambda x, y, s: apart(x, y) + s, ["f32", "f64"],
     "prefer { a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = compare(a, b), direction=GE }\n" + reducer("add"))
case("select-and-scatter", "of a number", {"x": some(), "y": some(seed=1), "start": given(0.5)},
     "ROOT r = select-and-scatter(x, y, start), select=prefer, scatter=add", lambda x, y, s: y + s, ["f32"],
     "prefer { a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = compare(a, b), direction=GE }\n" + reducer("add"))
