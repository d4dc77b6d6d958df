"""Cases of operations that move elements, and of sums of products and reductions over dimensions."""
import jax.numpy as jnp
from jax import lax

from gradients import REAL, case, given, integers, some

# ---- moved elements ----

case("bitcast", "", {"x": some(2, 3)}, "ROOT r = T[3,2] bitcast(x)", lambda x: x.reshape(3, 2))
case("broadcast", "", {"x": some(3)}, "ROOT r = T[2,3,2] broadcast(x), dimensions={1}", lambda x: jnp.broadcast_to(x[None, :, None], (2, 3, 2)))
case("broadcast", "with turned dimensions", {"x": some(2, 3)}, "ROOT r = T[3,2,2] broadcast(x), dimensions={2,0}",
     lambda x: jnp.broadcast_to(x.T[:, None, :], (3, 2, 2)), ["f32"])
case("broadcast", "of a number", {"x": some()}, "ROOT r = T[2,2] broadcast(x), dimensions={}", lambda x: jnp.full((2, 2), 1, x.dtype) * x, ["f32"])
case("concatenate", "", {"x": some(2, 2), "y": some(2, 1), "z": some(2, 3)}, "ROOT r = concatenate(x, y, z), dimensions={1}",
     lambda x, y, z: jnp.concatenate([x, y, z], 1))
case("concatenate", "with itself", {"x": some(2)}, "ROOT r = concatenate(x, x), dimensions={0}", lambda x: jnp.concatenate([x, x]), ["f32"])
case("dynamic-slice", "", {"x": some(4, 3), "i": integers(1), "j": integers(7)}, "ROOT r = T[2,2] dynamic-slice(x, i, j), dynamic_slice_sizes={2,2}",
     lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)))
case("dynamic-update-slice", "", {"x": some(4, 3), "y": some(2, 2), "i": integers(1), "j": integers(7)},
     "ROOT r = T[4,3] dynamic-update-slice(x, y, i, j)", lambda x, y, i, j: lax.dynamic_update_slice(x, y, (i, j)))
case("pad", "inside and negative", {"x": some(3, 4), "y": some()}, "ROOT r = pad(x, y), padding=1_-1_1x-1_2",
     lambda x, y: lax.pad(x, y, [(1, -1, 1), (-1, 2, 0)]))
case("pad", "that leaves little", {"x": some(4), "y": some()}, "ROOT r = pad(x, y), padding=-3_-5_2", lambda x, y: lax.pad(x, y, [(-3, -5, 2)]),
     ["f32"])
case("reshape", "", {"x": some(2, 3)}, "ROOT r = T[3,1,2] reshape(x)", lambda x: x.reshape(3, 1, 2))
case("reverse", "", {"x": some(2, 3)}, "ROOT r = reverse(x), dimensions={0,1}", lambda x: lax.rev(x, (0, 1)))
case("slice", "with strides", {"x": some(5, 4)}, "ROOT r = T[2,3] slice(x), slice={[1:5:2],[0:3:1]}", lambda x: x[1:5:2, :3])
case("slice", "of nothing", {"x": some(4)}, "ROOT r = T[0] slice(x), slice={[2:2]}", lambda x: x[2:2], ["f32"])
case("transpose", "", {"x": some(2, 3, 2)}, "ROOT r = transpose(x), dimensions={1,2,0}", lambda x: x.transpose(1, 2, 0))

ADD = "add { a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] add(a, b) }\n"
case("set-dimension-size", "summed up", {"x": some(4), "n": integers(3)},
     ["part = T[<=4] set-dimension-size(x, n), dimensions={0}", "zero = T[] constant(0)",
      "ROOT r = reduce(part, zero), dimensions={0}, to_apply=add"],
     lambda x, n: jnp.sum(jnp.where(jnp.arange(4) < n, x, 0)), more=ADD)

# ---- sums of products ----

MATMUL = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
case("dot", "", {"x": some(2, 3), "y": some(3, 2)}, f"ROOT r = dot(x, y), {MATMUL}", lambda x, y: x @ y)
case("dot", "in batches, with turned dimensions", {"x": some(3, 2, 4), "y": some(2, 3, 2)},
     "ROOT r = dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={2}, lhs_contracting_dims={0}, rhs_contracting_dims={1}",
     lambda x, y: jnp.einsum("kbm,nkb->bmn", x, y), ["f32", "c128"])
case("dot", "over two dimensions", {"x": some(2, 3, 4), "y": some(3, 4, 2)},
     "ROOT r = dot(x, y), lhs_contracting_dims={2,0}, rhs_contracting_dims={1,2}", lambda x, y: jnp.einsum("ijk,nki->jn", x, y), ["f32", "c64"])
case("dot", "of vectors", {"x": some(3), "y": some(3, seed=1)}, "ROOT r = dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     lambda x, y: x @ y, ["f32"])
case("dot", "that sums nothing", {"x": some(3), "y": some(2)}, "ROOT r = dot(x, y)", jnp.outer, ["f32"])
case("dot", "by itself", {"x": some(2, 2)}, f"ROOT r = dot(x, x), {MATMUL}", lambda x: x @ x, ["f32"])
case("dot", "with a result of another type", {"x": some(2, 3), "y": some(3, 2)}, f"ROOT r = f32[2,2] dot(x, y), {MATMUL}",
     lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32).astype(jnp.float32), ["f16", "bf16", "f8e4m3fn"])



def groups_of(sizes, size):
    """[groups, size]: which elements are in which."""
    ends = jnp.cumsum(sizes)
    at = jnp.arange(size)
    return (at >= (ends - sizes)[:, None]) & (at < ends[:, None])


def ragged_rows(x, y, sizes):
    return jnp.einsum("gmk,gkn->mn", jnp.where(groups_of(sizes, x.shape[0])[:, :, None], x, 0), y)


def ragged_sums(x, y, sizes):
    return jnp.einsum("gmk,kn->gmn", jnp.where(groups_of(sizes, x.shape[1])[:, None, :], x, 0), y)


FLOATS = ["f16", "bf16", "f32", "f64"]
case("ragged-dot", "with a matrix for each group of rows", {"x": some(5, 2), "y": some(3, 2, 2), "sizes": integers([2, 0, 2])},
     "ROOT r = T[5,2] ragged-dot(x, y, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     ragged_rows, FLOATS + ["c64"])
case("ragged-dot", "with sums over each group", {"x": some(2, 5), "y": some(5, 2), "sizes": integers([2, 0, 2])},
     "ROOT r = T[3,2,2] ragged-dot(x, y, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
     ragged_sums, ["f32"])
case("ragged-dot", "with sums over each group, in batches", {"x": some(2, 5, 2), "y": some(2, 5, 3), "sizes": integers([[2, 0, 3], [1, 2, 1]])},
     "ROOT r = T[3,2,2,3] ragged-dot(x, y, sizes), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={1}", lambda x, y, sizes: jnp.stack([ragged_sums(x[b].T, y[b], sizes[b]) for b in (0, 1)], 1), ["f32"])
case("ragged-dot", "with rows of each batch", {"x": some(2, 4, 2), "y": some(2, 3, 2, 2), "sizes": integers([[2, 0, 2], [1, 2, 0]])},
     "ROOT r = T[2,4,2] ragged-dot(x, y, sizes), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, "
     "lhs_ragged_dims={1}, rhs_group_dims={1}", lambda x, y, sizes: jnp.stack([ragged_rows(x[b], y[b], sizes[b]) for b in (0, 1)]), ["f32"])
case("ragged-dot", "with ragged batches", {"x": some(3, 2, 2), "y": some(3, 2, 2), "sizes": integers([2, 1])},
     "ROOT r = T[3,2,2] ragged-dot(x, y, sizes), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}", lambda x, y, sizes: x @ y, ["f32"])


def scaled(x, y, s, t):
    x, y, s, t = (a.astype(jnp.float64 if a.dtype == jnp.float64 else jnp.float32) for a in (x, y, s, t))
    return ((x * jnp.repeat(s, 2, 1)) @ (y * jnp.repeat(t, 2, 0))).astype(jnp.float32)


case("scaled-dot", "", {"x": some(2, 4), "y": some(4, 2), "s": some(2, 2), "t": some(2, 2, seed=1)},
     f"ROOT r = f32[2,2] scaled-dot(x, y, s, t), {MATMUL}", scaled, ["f32", "bf16", "f8e4m3fn"])

# ---- scans ----

STEP = """step { x = T[2] parameter(0)
  c = T[2] parameter(1)
  p = T[2] multiply(c, x)
  s = T[2] add(p, x)
  ROOT t = tuple(s, p) }
"""


def scan(x, c, reverse=False):
    def step(c, x):
        return c * x, c * x + x
    c, s = lax.scan(step, c, x.T, reverse=reverse)
    return s.T, c


for reverse in (False, True):
    case("scan", "backwards" if reverse else "", {"x": some(2, 3), "c": some(2)},
         f"ROOT r = (T[2,3], T[2]) scan(x, c), dimensions={{1}}, num_carries=1, is_reverse={str(reverse).lower()}, to_apply=step",
         lambda x, c, reverse=reverse: scan(x, c, reverse), ["f32"] if reverse else ["f16", "bf16", "f32", "f64", "c64", "c128"], STEP)


def associative(function, inputs, carries, axis, reverse):
    """What lax.associative_scan makes of the carries and, after or before them, the inputs: all steps, and the last one."""
    ends = [jnp.expand_dims(c, axis) for c in carries]
    parts = [jnp.concatenate((x, c) if reverse else (c, x), axis) for x, c in zip(inputs, ends)]
    steps = lax.associative_scan(lambda a, b: function(*a, *b), tuple(parts), reverse=reverse, axis=axis)
    size = inputs[0].shape[axis]
    kept = [lax.slice_in_dim(s, 0, size, axis=axis) if reverse else lax.slice_in_dim(s, 1, size + 1, axis=axis) for s in steps]
    return *kept, *(lax.index_in_dim(s, 0 if reverse else size, axis, keepdims=False) for s in steps)


def cumulative(about, lines, function, types):
    """A scan whose carry is its output: the computation of lines, whose result is s, over x and c."""
    step = "step { x = T[2] parameter(0)\n  c = T[2] parameter(1)\n" + lines + "  ROOT t = tuple(s, s) }\n"
    for reverse in (False, True):
        case("scan", about + (" backwards" if reverse else ""), {"x": some(2, 4, distinct=True), "c": some(2, seed=1)},
             f"ROOT r = (T[2,4], T[2]) scan(x, c), dimensions={{1}}, num_carries=1, is_reverse={str(reverse).lower()}, is_associative=true, "
             "to_apply=step", lambda x, c, reverse=reverse: associative(lambda a, b: (function(a, b),), [x], [c], 1, reverse),
             types if not reverse else ["f32"], step)


cumulative("sums", "  s = T[2] add(c, x)\n", lambda a, b: a + b, FLOATS + ["c64"])
cumulative("products", "  s = T[2] multiply(c, x)\n", lambda a, b: a * b, FLOATS + ["c64"])
cumulative("maxima", "  s = T[2] maximum(c, x)\n", jnp.maximum, FLOATS)
cumulative("minima", "  s = T[2] minimum(x, c)\n", jnp.minimum, ["f32"])
cumulative("log-sum-exp", """  m = T[2] maximum(c, x)
  u = T[2] subtract(c, m)
  v = T[2] subtract(x, m)
  d = T[2] exponential(u)
  e = T[2] exponential(v)
  f = T[2] add(d, e)
  g = T[2] log(f)
  s = T[2] add(m, g)
""", jnp.logaddexp, ["f32", "f64"])

AFFINE = """step { a = T[2] parameter(0)
  b = T[2] parameter(1)
  p = T[2] parameter(2)
  q = T[2] parameter(3)
  m = T[2] multiply(a, p)
  n = T[2] multiply(a, q)
  s = T[2] add(n, b)
  ROOT t = tuple(m, s, m, s) }
"""
for reverse in (False, True):
    case("scan", "affine maps" + (" backwards" if reverse else ""),
         {"a": some(3, 2), "b": some(3, 2, seed=1), "p": some(2, seed=2), "q": some(2, seed=3)},
         f"ROOT r = (T[3,2], T[3,2], T[2], T[2]) scan(a, b, p, q), dimensions={{0}}, num_carries=2, is_reverse={str(reverse).lower()}, "
         "is_associative=true, to_apply=step",
         lambda a, b, p, q, reverse=reverse: associative(
             lambda a1, b1, a2, b2: (a2 * a1, a2 * b1 + b2), [a, b], [p, q], 0, reverse), ["f32", "f64", "c64"], AFFINE)

# ---- reductions ----


def reducer(op):
    return ADD.replace("add", op)


def reduction(op, function, about, types, init, values=None, both=True):
    x = values or some(2, 3, 2, distinct=True)
    case("reduce", f"{op} {about}", {"x": x} | ({"start": given(init)} if both else {}),
         ([] if both else [f"start = T[] constant({init})"]) + [f"ROOT r = reduce(x, start), dimensions={{0,2}}, to_apply={op}"],
         function if both else lambda x: function(x, None), types, reducer(op))


ALL_TYPES = REAL + ["c64", "c128"]
reduction("add", lambda x, s: x.sum((0, 2)) + s, "with a start", ALL_TYPES, 0.5)
reduction("maximum", lambda x, s: x.max((0, 2)), "", REAL, -8, both=False)
reduction("minimum", lambda x, s: x.min((0, 2)), "", REAL, 8, both=False)
reduction("maximum", lambda x, s: lax.max(x.max((0, 2)), s), "with a start", ["f32"], 1.5)
reduction("maximum", lambda x, s: x.max((0, 2)), "of equal numbers", ["f32"], -8, given([[[1, 2], [3, 3], [0, -1]], [[2, -1], [3, 1], [0, 0]]]), False)
FEW = some(2, 3, 2, among=[-2, -1, 0.5, 1, 2])
reduction("multiply", lambda x, s: x.prod((0, 2)) * s, "with a start", ALL_TYPES, 0.5, FEW)
reduction("multiply", lambda x, s: x.prod((0, 2)), "with zeros", ["f32", "c64"], 1, some(2, 3, 2, among=[0, 1, 2]), False)
case("reduce", "two side by side", {"x": some(2, 3), "y": some(2, 3, seed=1, distinct=True)},
     ["zero = T[] constant(0)", "low = T[] constant(-8)", "ROOT r = reduce(x, y, zero, low), dimensions={1}, to_apply=both"],
     lambda x, y: (x.sum(1), y.max(1)), ["f32"],
     "both { a = T[] parameter(0)\n  b = T[] parameter(1)\n  c = T[] parameter(2)\n  d = T[] parameter(3)\n  s = T[] add(a, c)\n"
     "  m = T[] maximum(b, d)\n  ROOT t = tuple(s, m) }\n")
