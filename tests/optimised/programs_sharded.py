"""Programs on 2 to 8 devices: what jit partitions by shardings, and what shard_map writes with collectives."""
import zlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import programs

LISTED = {}


def program(name, mesh, function, *arguments, out=None, mapped=False):
    """`mesh`: sizes by axis; `arguments`: pairs of a text and a partition; `mapped`: by shard_map, else by jit."""
    assert name not in LISTED
    LISTED[name] = (mesh, function, arguments, out, mapped)


def compiled(name):
    mesh_sizes, function, specs, out, mapped = LISTED[name]
    count = int(np.prod(list(mesh_sizes.values())))
    mesh = Mesh(np.array(jax.devices()[:count]).reshape(tuple(mesh_sizes.values())), tuple(mesh_sizes))
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    shardings = [NamedSharding(mesh, p) for _, p in specs]
    arguments = [jax.device_put(programs.argument(text, rng), s) for (text, _), s in zip(specs, shardings)]
    if mapped:
        function = jax.shard_map(function, mesh=mesh, in_specs=tuple(p for _, p in specs), out_specs=out, check_vma=False)
        out = None
    more = {} if out is None else {"out_shardings": jax.tree.map(lambda p: NamedSharding(mesh, p), out, is_leaf=lambda p: isinstance(p, P))}
    lowered = jax.jit(function, in_shardings=tuple(shardings), keep_unused=True, **more).lower(*arguments)
    return count, lowered.compile(), arguments


for n in (2, 4, 8):
    X, XY = {"x": n}, {"x": 2, "y": n // 2}
    a, b = ("f32[8,16]", P("x", None)), ("f32[16,8]", P(None, "x"))
    program(f"pjit-matmul-{n}", X, lambda x, y: x @ y, a, b, out=P())
    program(f"pjit-contracted-{n}", X, lambda x, y: x @ y, ("f32[8,16]", P(None, "x")), ("f32[16,8]", P("x", None)), out=P("x"))
    program(f"pjit-identity-{n}", X, lambda x: x, a)
    program(f"pjit-replicate-{n}", X, lambda x: x, a, out=P())
    program(f"pjit-scatter-{n}", X, lambda x: x, ("f32[8,16]", P()), out=P(None, "x"))
    program(f"pjit-transposed-{n}", X, lambda x: x.T, a, out=P("x", None))
    program(f"pjit-sums-{n}", X, lambda x: (x.sum(), x.sum(0), x.max(1), jnp.argmax(x, 0), x.mean()), a)
    program(f"pjit-softmax-{n}", X, lambda x: jax.nn.softmax(x, 0), a, out=P("x"))
    program(f"pjit-two-axes-{n}", XY, lambda x, y: jnp.tanh(x @ y), ("f32[8,16]", P("x", "y")), ("f32[16,8]", P("y", None)), out=P("x", "y"))
    program(f"pjit-shift-{n}", X, lambda x: (jnp.roll(x, 1, 0), x[::-1], x[1:-1], jnp.pad(x, ((1, 1), (0, 0)))), a)
    program(f"pjit-gather-{n}", X, lambda x, i: (x[i], x.at[i].add(1.0)), a, ("s32[6]<8", P()))
    program(f"pjit-conv-{n}", X, lambda x, w: lax.conv(x, w, (1, 1), "SAME"), ("f32[2,2,8,8]", P(None, None, "x")), ("f32[3,2,3,3]", P()), out=P(None, None, "x"))
    program(f"pjit-step-{n}", X, lambda w, x, y: w - 0.1 * jax.grad(lambda w: ((jnp.tanh(x @ w) - y) ** 2).mean())(w), ("f32[16,8]", P()), a, ("f32[8,8]", P("x")), out=P())
    program(f"pjit-scan-{n}", X, lambda c, x: lax.scan(lambda c, v: (jnp.tanh(c + v), c.sum()), c, x), ("f32[16]", P("x")), ("f32[5,16]", P(None, "x")))
    program(f"pjit-sort-{n}", X, lambda x: (jnp.sort(x, 0), jnp.cumsum(x, 0)), a)
    row = ("f32[8,16]", P("x"))
    program(f"map-psum-{n}", X, lambda x: lax.psum(x, "x"), row, out=P(), mapped=True)
    program(f"map-several-{n}", X, lambda x: (lax.psum(x, "x"), lax.pmax(x.sum(), "x"), lax.pmean(x, "x")), row, out=(P(), P(), P()), mapped=True)
    program(f"map-gather-{n}", X, lambda x: lax.all_gather(x, "x", tiled=True), row, out=P(), mapped=True)
    program(f"map-reduce-scatter-{n}", X, lambda x: lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True), ("f32[8,16]", P()), out=P(None, "x"), mapped=True)
    program(f"map-ring-{n}", X, lambda x, n=n: lax.ppermute(x, "x", [(i, (i + 1) % n) for i in range(n)]), row, out=P("x"), mapped=True)
    program(f"map-all-to-all-{n}", X, lambda x: lax.all_to_all(x, "x", 1, 0, tiled=True), ("f32[8,16]", P("x")), out=P("x"), mapped=True)
    program(f"map-index-{n}", X, lambda x: x * lax.axis_index("x"), row, out=P("x"), mapped=True)
    program(f"map-forwards-{n}", X, lambda x, y: (y, x), row, ("s32[8]", P("x")), out=(P("x"), P("x")), mapped=True)
    program(f"map-ring-sum-{n}", X, lambda x, n=n: lax.fori_loop(0, n - 1, lambda i, s: (s[0] + lax.ppermute(s[1], "x", [(j, (j + 1) % n) for j in range(n)]), lax.ppermute(s[1], "x", [(j, (j + 1) % n) for j in range(n)])), (x, x))[0], row, out=P("x"), mapped=True)
    program(f"map-matmul-{n}", X, lambda x, y: lax.psum(x @ y, "x"), ("f32[8,16]", P(None, "x")), ("bf16[16,8]", P("x")), out=P(), mapped=True)
