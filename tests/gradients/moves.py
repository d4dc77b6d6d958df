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
