"""Cases of gather and scatter, sort and topk."""
import jax.numpy as jnp
from jax import lax

from gradients import ALL, REAL, case, given, integers, some

# ---- gather ----


def gathered(offset, collapsed, index_map, sizes, batching=(), index_batching=()):
    numbers = lax.GatherDimensionNumbers(offset, collapsed, index_map, batching, index_batching)
    return lambda x, i: lax.gather(x, i, numbers, sizes, mode="clip")


case("gather", "of rows", {"x": some(4, 3), "i": integers([[2], [0], [7], [2]])},
     "ROOT r = T[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
     gathered((1,), (0,), (0,), (1, 3)))
case("gather", "of overlapping windows, some beyond the edges", {"x": some(4, 5), "i": integers([[1, 2], [-3, 9], [2, 1]])},
     "ROOT r = T[2,3,3] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,3}",
     gathered((0, 2), (), (1, 0), (2, 3)), ["f32", "c64"])
case("gather", "of elements, without vectors, in a narrow type", {"x": some(300), "i": integers([[3, -1], [120, 127]], "s8")},
     "ROOT r = T[2,2] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1}",
     lambda x, i: gathered((), (0,), (0,), (1,))(x, i[:, :, None].astype(jnp.int32)), ["f32"])
case("gather", "in batches", {"x": some(3, 4, 2), "i": integers([[[1, 3, 0]], [[9, 1, 1]]], "u32")},
     "ROOT r = T[2,3,2] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={2}, index_vector_dim=1, slice_sizes={1,1,2}",
     lambda x, i: gathered((2,), (1,), (1,), (1, 1, 2), (0,), (1,))(x, i.transpose(0, 2, 1)), ["f32", "f64"])

# ---- scatter ----


def computation(body, name="combine"):
    return f"{name} {{ a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] {body} }}\n"


ROWS = "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
ROW_NUMBERS = lax.ScatterDimensionNumbers((1,), (0,), (0,))
WINDOWS = "update_window_dims={0,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1"
WINDOW_NUMBERS = lax.ScatterDimensionNumbers((0, 2), (), (1, 0))


def scattered(op, numbers=ROW_NUMBERS, unique=False):
    return lambda x, i, u: op(x, i, u, numbers, mode="drop", unique_indices=unique)


def rows(op, about, body, function, types=ALL, at=((2,), (0,), (7,), (-1,)), values=None, more=""):
    case("scatter", f"{op} {about}", {"x": (values or some)(4, 3), "i": integers(at), "u": (values or some)(len(at), 3, seed=1)},
         f"ROOT r = T[4,3] scatter(x, i, u), {ROWS}{more}, to_apply=combine", function, types, computation(body))


UNIQUE = ", unique_indices=true"
TWICE = ((2,), (0,), (7,), (2,), (0,), (2,))


def distinct(*shape, seed=0):
    return some(*shape, seed=seed, distinct=True)


def few(*shape, seed=0):
    return some(*shape, seed=seed, among=[-1, 0.5, 2, 1, -2])


def with_zeros(*shape, seed=0):
    return some(*shape, seed=seed, among=[0, 1, 2])


def one_by_one(function):
    """Row by row: JAX has no gradient of these where indices may be equal."""
    def f(x, i, u):
        for k in range(i.shape[0]):
            hit = (jnp.arange(x.shape[0]) == i[k, 0])[:, None]
            x = jnp.where(hit, function(x, u[k]), x)
        return x
    return f


products = one_by_one(lambda a, b: a * b)
combined = one_by_one(lambda a, b: b - a * b)


def differences(x, i, u):
    return scattered(lax.scatter_add)(x, i, -u)


rows("add", "", "add(a, b)", scattered(lax.scatter_add), at=TWICE)
rows("subtract", "", "subtract(a, b)", differences, ["f32", "c64"], at=TWICE)
rows("multiply", "each once", "multiply(a, b)", scattered(lax.scatter_mul, unique=True), ALL, more=UNIQUE)
rows("multiply", "with equal indices", "multiply(a, b)", products, ["f32", "c64", "bf16"], TWICE, few)
rows("multiply", "with equal indices and zeros", "multiply(a, b)", products, ["f32"], TWICE, with_zeros)
rows("maximum", "", "maximum(a, b)", scattered(lax.scatter_max), REAL, TWICE)
rows("minimum", "", "minimum(a, b)", scattered(lax.scatter_min), REAL, TWICE)
for unique in (False, True):
    case("scatter", "overwriting" + " each once" * unique, {"x": some(4, 3), "i": integers([[2], [0], [7]] if unique else TWICE),
                                                          "u": some(3 if unique else 6, 3, seed=1)},
         f"ROOT r = T[4,3] scatter(x, i, u), {ROWS}{UNIQUE * unique}, to_apply=overwrite", scattered(lax.scatter, unique=unique),
         ["f32", "c64"] if unique else ALL, "overwrite { a = T[] parameter(0)\n  ROOT b = T[] parameter(1) }\n")
case("scatter", "by a computation of several operations", {"x": some(4, 3), "i": integers(TWICE), "u": some(6, 3, seed=1)},
     f"ROOT r = T[4,3] scatter(x, i, u), {ROWS}, to_apply=combine", combined, ["f32", "c64"],
     "combine { a = T[] parameter(0)\n  b = T[] parameter(1)\n  p = T[] multiply(a, b)\n  ROOT c = T[] subtract(b, p) }\n")
for op, function in (("add", lax.scatter_add), ("maximum", lax.scatter_max)):
    case("scatter", f"{op} of overlapping windows, some beyond the edges",
         {"x": some(4, 5), "i": integers([[1, 2], [-3, 1], [2, 1], [1, 2], [2, 3]]), "u": some(2, 5, 3, seed=1)},
         f"ROOT r = T[4,5] scatter(x, i, u), {WINDOWS}, to_apply=combine", scattered(function, WINDOW_NUMBERS), ["f32"], computation(f"{op}(a, b)"))
BATCHES = lax.ScatterDimensionNumbers((2,), (1,), (1,), (0,), (1,))
case("scatter", "add in batches", {"x": some(3, 4, 2), "i": integers([[[1, 3, 0]], [[9, 1, 0]]], "u32"), "u": some(2, 3, 2)},
     "ROOT r = T[3,4,2] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={2}, index_vector_dim=1, to_apply=combine",
     lambda x, i, u: scattered(lax.scatter_add, BATCHES)(x, i.transpose(0, 2, 1).astype(jnp.int32), u), ["f32", "f64"], computation("add(a, b)"))
case("scatter", "of two operands side by side",
     {"x": some(4, 3), "y": some(4, 3, seed=2), "i": integers(TWICE), "u": some(6, 3, seed=1), "v": some(6, 3, seed=3)},
     f"ROOT r = (T[4,3], T[4,3]) scatter(x, y, i, u, v), {ROWS}, to_apply=both",
     lambda x, y, i, u, v: (scattered(lax.scatter_add)(x, i, u), scattered(lax.scatter_max)(y, i, v)), ["f32"],
     "both { a = T[] parameter(0)\n  b = T[] parameter(1)\n  c = T[] parameter(2)\n  d = T[] parameter(3)\n  s = T[] add(a, c)\n"
     "  m = T[] maximum(b, d)\n  ROOT t = tuple(s, m) }\n")

# ---- sort, topk ----


def order(keys, descending=False, axis=-1):
    keys = jnp.real(keys).astype(jnp.float64)
    return jnp.argsort(-keys if descending else keys, axis=axis, stable=True)


def sorted_by(keys, *values, descending=False, axis=-1):
    places = order(keys, descending, axis)
    return tuple(jnp.take_along_axis(v, places, axis) for v in values)


def comparator(n, direction):
    """By the real part of the first value."""
    more = "".join(f"  {name}{i} = T[] parameter({2 * i + k})\n" for i in range(n) for k, name in enumerate("ab"))
    return f"order {{\n{more}  r = P[] real(a0)\n  s = P[] real(b0)\n  ROOT less = pred[] compare(r, s), direction={direction}\n}}\n"


case("sort", "", {"x": distinct(5)}, "ROOT r = T[5] sort(x), dimensions={0}, to_apply=order", lambda x: sorted_by(x, x)[0], ALL, comparator(1, "LT"))
case("sort", "stable, with equals", {"x": given([[1, 2, 1], [1, 1, 1], [0, 2, -1]])},
     "ROOT r = T[3,3] sort(x), dimensions={0}, is_stable=true, to_apply=order", lambda x: sorted_by(x, x, axis=0)[0], ["f32"], comparator(1, "LT"))
case("sort", "of several, by the first, descending", {"x": distinct(2, 4), "y": some(2, 4, seed=1), "k": integers([[0, 1, 2, 3], [4, 5, 6, 7]])},
     ["s = (T[2,4], T[2,4], s32[2,4]) sort(x, y, k), dimensions={1}, to_apply=order", "u = get-tuple-element(s), index=0",
      "v = get-tuple-element(s), index=1", "ROOT r = multiply(u, v)"],
     lambda x, y, k: (lambda u, v: u * v)(*sorted_by(x, x, y, descending=True)), ["f32", "c64"],
     comparator(2, "GT").replace("  r =", "  a2 = s32[] parameter(4)\n  b2 = s32[] parameter(5)\n  r ="))
case("sort", "by integers", {"k": integers([3, 1, 2, 0]), "x": some(4)},
     "ROOT r = (s32[4], T[4]) sort(k, x), dimensions={0}, to_apply=order", lambda k, x: sorted_by(k, k, x), ["f32"],
     "order { a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  c = T[] parameter(2)\n  d = T[] parameter(3)\n"
     "  ROOT less = pred[] compare(a, b), direction=LT }\n")
for largest in (True, False):
    case("topk", "" if largest else "of the smallest", {"x": distinct(2, 6)},
         ["t = (T[2,3], s32[2,3]) topk(x), k=3, largest=" + str(largest).lower(), "ROOT r = get-tuple-element(t), index=0"],
         lambda x, largest=largest: sorted_by(x, x, descending=largest)[0][:, :3], REAL if largest else ["f32"])
case("topk", "with its indices", {"x": distinct(4)}, "ROOT t = (T[2], s32[2]) topk(x), k=2, largest=true", lambda x: lax.top_k(x, 2), ["f32"])
