#!/usr/bin/env python3
"""Makes tests/collectives/spmd/jax: sharded programs as JAX lowers them, what each device has after XLA's partitioner and
compiler, and how many bytes a device sends in what XLA made. spmd_jax.bats divides the same programs by our passes.

    jax_programs.py BIN [NAME...]      BIN: the directory of hlo-run and hlo-opt; needs jax

Parameters are whole on every device, and sharded inside, so that the inputs of hlo-run --inputs=normal --seed=3 serve
all devices."""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=16"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {}


def program(mesh, *shapes, out, shardy=False):
    """A program on a mesh of that many devices along each axis; `out`: how its result is sharded, or each of them. `shardy`:
    JAX states its shardings for Shardy, which it does by default, and else for GSPMD."""
    def add(function):
        PROGRAMS[function.__name__] = (function, mesh, shapes, out, shardy)
        return function
    return add


def again_for_shardy(*names):
    """The same programs under names that begin with shardy_."""
    for name in names:
        PROGRAMS[f"shardy_{name}"] = (*PROGRAMS[name][:4], True)


class Sharder:
    """put(x, "d", None): x sharded along the axes of the mesh."""

    def __init__(self, mesh):
        count = int(np.prod(list(mesh.values())))
        self.mesh = Mesh(np.array(jax.devices()[:count]).reshape(tuple(mesh.values())), tuple(mesh))

    def sharding(self, *axes):
        return NamedSharding(self.mesh, P(*axes))

    def __call__(self, x, *axes):
        return with_sharding_constraint(x, self.sharding(*axes))


# ---- layers ----

def normalised(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def mlp(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


def attention(x, wqkv, wo, heads):
    batch, length, width = x.shape
    q, k, v = (jnp.einsum("blw,whd->bhld", x, wqkv[i]) for i in range(3))
    scores = jnp.einsum("bhld,bhmd->bhlm", q, k) / np.sqrt(width // heads)
    causal = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), -1)
    return jnp.einsum("bhld,hdw->blw", jnp.einsum("bhlm,bhmd->bhld", weights, v), wo)


def block(x, wqkv, wo, w1, w2):
    x = x + attention(normalised(x), wqkv, wo, wqkv.shape[2])
    return x + mlp(normalised(x), w1, w2)


def descend(loss, weights, *data):
    value, gradients = jax.value_and_grad(loss)(weights, *data)
    return value, *(w - 0.1 * g for w, g in zip(weights, gradients))


def squared_error(weights, x, y):
    return ((mlp(x, *weights) - y) ** 2).mean()


# ---- programs ----

MLP = (32, 16), (16, 64), (64, 16)


@program({"d": 4}, *MLP, out=("d", None))
def mlp_data(put, x, w1, w2):
    return mlp(put(x, "d", None), w1, w2)


@program({"m": 4}, *MLP, out=(None, None))
def mlp_tensor(put, x, w1, w2):
    return mlp(x, put(w1, None, "m"), put(w2, "m", None))


@program({"d": 2, "m": 4}, *MLP, out=("d", None))
def mlp_both(put, x, w1, w2):
    return mlp(put(x, "d", None), put(w1, None, "m"), put(w2, "m", None))


@program({"d": 2, "m": 4}, *MLP, out=("d", "m"))
def mlp_fully_sharded(put, x, w1, w2):
    return mlp(put(x, "d", "m"), put(w1, "m", "d"), put(w2, "d", "m"))


STEP = (32, 16), (32, 16), (16, 64), (64, 16)


WHOLE = (), (None, None), (None, None)
COLUMNS_AND_ROWS = (), (None, "m"), ("m", None)


@program({"d": 8}, *STEP, out=WHOLE)
def mlp_step_data(put, x, y, w1, w2):
    return descend(squared_error, (w1, w2), put(x, "d", None), put(y, "d", None))


@program({"m": 2}, *STEP, out=COLUMNS_AND_ROWS)
def mlp_step_tensor(put, x, y, w1, w2):
    return descend(squared_error, (put(w1, None, "m"), put(w2, "m", None)), x, y)


@program({"d": 2, "m": 2}, *STEP, out=COLUMNS_AND_ROWS)
def mlp_step_both(put, x, y, w1, w2):
    weights = put(w1, None, "m"), put(w2, "m", None)
    return descend(squared_error, weights, put(x, "d", None), put(y, "d", None))


BLOCK = (4, 8, 16), (3, 16, 4, 4), (4, 4, 16), (16, 32), (32, 16)


def sharded_block(put, wqkv, wo, w1, w2):
    return put(wqkv, None, None, "m", None), put(wo, "m", None, None), put(w1, None, "m"), put(w2, "m", None)


@program({"d": 4}, *BLOCK, out=("d", None, None))
def block_data(put, x, *weights):
    return block(put(x, "d", None, None), *weights)


@program({"m": 4}, *BLOCK, out=(None, None, None))
def block_tensor(put, x, *weights):
    return block(x, *sharded_block(put, *weights))


@program({"d": 2, "m": 4}, *BLOCK, out=("d", None, None))
def block_both(put, x, *weights):
    return block(put(x, "d", None, None), *sharded_block(put, *weights))


@program({"d": 2, "m": 2}, *BLOCK, out=((), (None, None, "m", None), ("m", None, None), (None, "m"), ("m", None)))
def block_step_both(put, x, *weights):
    def loss(weights, x):
        return (block(x, *weights) ** 2).mean()
    return descend(loss, sharded_block(put, *weights), put(x, "d", None, None))


@program({"d": 2, "m": 2}, (16, 16), (16, 16), out=("d", "m"))
def product_of_tiles(put, a, b):
    return put(a, "d", "m") @ put(b, "d", "m")


@program({"d": 8}, (8, 16, 16, 4), (3, 3, 4, 8), out=("d", None, None, None))
def convolution_of_a_batch(put, x, w):
    return jax.lax.conv_general_dilated(put(x, "d", None, None, None), w, (1, 1), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program({"s": 4}, (2, 16, 16, 4), (3, 3, 4, 8), out=(None, "s", None, None))
def convolution_with_halo(put, x, w):
    return jax.lax.conv_general_dilated(put(x, None, "s", None, None), w, (1, 1), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program({"m": 4}, (32, 16), (24,), out=(None, None))
def embedding(put, table, numbers):
    rows = (jnp.abs(numbers) * 10).astype(jnp.int32) % 32
    return put(table, "m", None)[rows]


@program({"d": 4}, (16, 8), (8, 32), (16,), out=())
def loss_of_a_large_vocabulary(put, x, w, numbers):
    labels = (jnp.abs(numbers) * 10).astype(jnp.int32) % 32
    logits = put(x @ put(w, None, "d"), None, "d")
    return -jnp.take_along_axis(jax.nn.log_softmax(logits, -1), labels[:, None], 1).mean()


@program({"s": 4}, (2, 16, 8), out=(None, "s", None))
def normalised_sequence(put, x):
    return normalised(put(x, None, "s", None)) * 2


@program({"d": 4}, (16, 8), (8, 8), out=("d", None))
def recurrence(put, x, w):
    def step(state, _):
        return jnp.tanh(state @ w) + 0.1 * state, ()
    return jax.lax.scan(step, put(x, "d", None), None, length=5)[0]


@program({"e": 4}, (16, 8), (4, 8, 16), (4, 16, 8), (8, 4), out=(None, None))
def experts(put, x, w1, w2, gate):
    weights = jax.nn.softmax(x @ gate, -1)
    inner = jnp.tanh(jnp.einsum("bw,ewh->ebh", x, put(w1, "e", None, None)))
    return jnp.einsum("ebw,be->bw", jnp.einsum("ebh,ehw->ebw", inner, put(w2, "e", None, None)), weights)


@program({"d": 2, "m": 2}, (4, 16, 4, 4), (4, 1, 4, 4), (4, 4, 4), out=("d", None, "m", None))
def decoding_with_a_cache(put, cache, new, query):
    cache = put(cache, "d", None, "m", None)
    cache = jax.lax.dynamic_update_slice(cache, put(new, "d", None, "m", None), (0, 5, 0, 0))
    scores = jax.nn.softmax(jnp.einsum("bhd,bshd->bhs", put(query, "d", "m", None), cache), -1)
    return cache + jnp.einsum("bhs,bshd->bhd", scores, cache)[:, None]


@program({"d": 4}, (8, 32), out=("d", None))
def sorted_rows(put, x):
    return jnp.cumsum(jnp.sort(put(x, "d", None), -1), -1)


@program({"d": 2, "m": 4}, (8, 16, 4), out=("m", None))
def transposed_sums(put, x):
    return put(jnp.transpose(put(x, "d", "m", None).sum(2) * 3), "m", "d") + 1


# ---- programs for Shardy ----

again_for_shardy("mlp_both", "mlp_fully_sharded", "mlp_step_both", "block_both", "block_step_both", "convolution_with_halo",
                 "embedding", "loss_of_a_large_vocabulary", "recurrence", "experts", "transposed_sums")


def mapped(put, *specs, out, axes=None, **options):
    """shard_map, in which axes of the mesh are manual: all, or some."""
    names = {} if axes is None else {"axis_names": set(axes)}
    return functools.partial(jax.shard_map, mesh=put.mesh, in_specs=specs, out_specs=out, **names, **options)


@program({"x": 2, "y": 4}, (8, 16), (16, 12), out=("x", None), shardy=True)
def map_product(put, a, b):
    return mapped(put, P("x", "y"), P("y", None), out=P("x", None))(lambda a, b: jax.lax.psum(a @ b, "y"))(a, b)


@program({"x": 4}, (16, 8), (8, 8), out=("x", None), shardy=True)
def map_gathered_weights(put, x, w):
    def layer(x, w):
        return jnp.tanh(x @ jax.lax.all_gather(w, "x", axis=0, tiled=True))
    return mapped(put, P("x", None), P("x", None), out=P("x", None))(layer)(x, w)


@program({"x": 4}, (16, 8), (8, 12), out=("x", None), shardy=True)
def map_scattered_sums(put, x, w):
    def layer(x, w):
        return jax.lax.psum_scatter(x @ w, "x", scatter_dimension=0, tiled=True)
    return mapped(put, P(None, "x"), P("x", None), out=P("x", None))(layer)(x, w)


@program({"e": 4}, (16, 8), (4, 8, 8), out=("e", None), shardy=True)
def map_exchanged_tokens(put, x, w):
    def route(x, w):
        tokens = jax.lax.all_to_all(x.reshape(4, -1, 8), "e", 0, 0)
        tokens = jnp.tanh(jnp.einsum("stw,wh->sth", tokens, w[0]))
        return jax.lax.all_to_all(tokens, "e", 0, 0).reshape(-1, 8)
    return mapped(put, P("e", None), P("e", None, None), out=P("e", None))(route)(x, w)


@program({"s": 4}, (16, 8), (16, 8), (16, 8), out=("s", None), shardy=True)
def map_ring_attention(put, q, k, v):
    def ring(q, k, v):
        shift = [(i, (i + 1) % 4) for i in range(4)]
        def step(_, state):
            k, v, total, weight = state
            scores = jnp.exp(q @ k.T)
            total, weight = total + scores @ v, weight + scores.sum(-1, keepdims=True)
            return jax.lax.ppermute(k, "s", shift), jax.lax.ppermute(v, "s", shift), total, weight
        state = k, v, jnp.zeros_like(q), jnp.zeros_like(q[:, :1])
        _, _, total, weight = jax.lax.fori_loop(0, 4, step, state)
        return total / weight
    spec = P("s", None)
    return mapped(put, spec, spec, spec, out=spec)(ring)(q, k, v)


@program({"x": 2, "y": 2}, (8, 4), out=("x", "y"), shardy=True)
def map_by_position(put, a):
    def fill(a):
        return a + jax.lax.axis_index("x") * 10 + jax.lax.axis_index("y")
    return mapped(put, P("x", "y"), out=P("x", "y"))(fill)(a)


@program({"x": 2, "y": 4}, (8, 16), (16, 16), out=(None, "y"), shardy=True)
def map_some_axes(put, a, w):
    def half(a, w):
        return jax.lax.psum(jnp.tanh(a @ w), "x") * 2
    return mapped(put, P("x"), P(), out=P(), axes="x")(half)(put(a, "x", None), put(w, None, "y"))


@program({"x": 2, "y": 2}, (8, 8), (8, 8), out=("x", None), shardy=True)
def map_within_a_map(put, a, b):
    def outer(a, b):
        def inner(a, b):
            return jax.lax.psum(a @ b, "y")
        return jnp.sin(jax.shard_map(inner, in_specs=(P(None, "y"), P("y", None)), out_specs=P(), axis_names={"y"})(a, b))
    return mapped(put, P("x"), P(), out=P("x"), axes="x")(outer)(a, b)


@program({"d": 4}, *STEP, out=WHOLE, shardy=True)
def map_step(put, x, y, w1, w2):
    def step(x, y, w1, w2):
        value, gradients = jax.value_and_grad(squared_error)((w1, w2), x, y)
        value, gradients = jax.lax.pmean((value, gradients), "d")
        return value, *(w - 0.1 * g for w, g in zip((w1, w2), gradients))
    rows = P("d", None)
    return mapped(put, rows, rows, P(), P(), out=(P(), P(), P()), check_vma=False)(step)(x, y, w1, w2)


@program({"p": 4}, (4, 6, 8), (4, 8, 8), out=(None, None), shardy=True)
def map_pipeline(put, x, w):
    def stages(x, w):
        stage, last = jax.lax.axis_index("p"), jnp.zeros((6, 8))
        out = jnp.zeros((4, 6, 8))
        for i in range(7):
            last = jnp.where(stage == 0, x[min(i, 3)], last)
            last = jnp.tanh(last @ w[0])
            if i >= 3:
                out = out.at[i - 3].set(jnp.where(stage == 3, last, 0))
            last = jax.lax.ppermute(last, "p", [(k, (k + 1) % 4) for k in range(4)])
        return jax.lax.psum(out, "p")
    return mapped(put, P(), P("p"), out=P(), check_vma=False)(stages)(x, w).sum(0)


@program({"i": 8}, (8, 6), out=("i", None), shardy=True)
def pmap_normalised(put, x):
    return jax.pmap(lambda row: row / jax.lax.psum(jnp.abs(row).sum(), "i") + jax.lax.axis_index("i"), axis_name="i")(x)


@program({"i": 2}, (2, 16, 8), (2, 8, 4), out=("i", None, None), shardy=True)
def pmap_gathered(put, x, w):
    return jax.pmap(lambda x, w: jnp.tanh(x @ jax.lax.all_gather(w, "i").sum(0)), axis_name="i")(x, w)


@program({"d": 4}, (16, 12), (12,), (12,), out=("d", None), shardy=True)
def batch_norm(put, x, scale, offset):
    x = put(x, "d", None)
    mean, square = x.mean(0), (x * x).mean(0)
    return (x - mean) * jax.lax.rsqrt(square - mean * mean + 1e-5) * scale + offset


@program({"d": 2, "m": 2}, (6, 8, 8), (8, 32), (8, 32), out=("d", None), shardy=True)
def lstm(put, xs, w, u):
    w, u = put(w, None, "m"), put(u, None, "m")
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ w + h @ u, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    start = jnp.zeros((8, 8)), jnp.zeros((8, 8))
    return jax.lax.scan(step, start, put(xs, None, "d", None))[0][0]


@program({"d": 4}, (16, 12), out=("d", None), shardy=True)
def rolled_and_reversed(put, x):
    x = put(x, "d", None)
    return put(jnp.roll(x, 1, 0), "d", None) * 2 + put(x[::-1], "d", None)


@program({"m": 4}, (2, 3, 5, 16), out=(None, None, None, "m", None), shardy=True)
def split_channels(put, x):
    return jnp.sin(put(x, None, None, None, "m").reshape(2, 3, 5, 8, 2)) * 2


@program({"m": 4}, (3, 16), out=(None, "m", None), shardy=True)
def split_into_unequal(put, x):
    return jnp.sin(put(x, None, "m").reshape(3, 8, 2)) + 1


@program({"m": 4}, (3, 16), out=(None, None, None), shardy=True)
def split_into_few(put, x):
    return jnp.sin(put(x, None, "m").reshape(3, 2, 8)) + 1


@program({"p": 4}, (4, 6, 8), (4, 8, 8), out=("p", None, None), shardy=True)
def rolled_pipeline(put, x, w):
    x, w = put(x, "p", None, None), put(w, "p", None, None)
    for _ in range(3):
        x = put(jnp.roll(jax.vmap(lambda x, w: jnp.tanh(x @ w))(x, w), 1, 0), "p", None, None)
    return x


@program({"x": 2, "y": 2}, (8, 16), (16, 8), out=("x", "y"), shardy=True)
def gathered_and_summed(put, a, b):
    return put(put(a, "x", "y") @ put(b, "y", "x"), "x", "y") + put(b.T[:8, :8], "y", "x")


@program({"s": 4}, (12, 6), out=("s", None), shardy=True)
def padded_slices(put, x):
    x = put(x, "s", None)
    return put(jnp.pad(x[3:9], ((2, 4), (0, 0))), "s", None) + x[::-1]


@program({"s": 4}, (2, 16, 3), out=(None, "s", None), shardy=True)
def pooled(put, x):
    x = put(x, None, "s", None)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 1), (1, 1, 1), "SAME") - x


@program({"d": 2, "m": 2}, (8, 6), (6, 4), out=(), shardy=True)
def summed_over_all(put, x, w):
    return (jnp.tanh(put(x, "d", None) @ put(w, None, "m")) ** 2).sum()


@program({"d": 4}, (16, 8), out=("d", None), shardy=True)
def sorted_along_tiles(put, x):
    return put(jnp.sort(put(x, "d", None), 0), "d", None)


@program({"d": 4}, (8, 16), (8,), out=("d", None), shardy=True)
def one_hot_rows(put, x, numbers):
    labels = (jnp.abs(numbers) * 10).astype(jnp.int32) % 16
    return jax.nn.one_hot(put(labels, "d"), 16) * put(x, "d", None)


@program({"d": 4}, (8, 16), (8, 3), out=("d", None), shardy=True)
def scattered_rows(put, x, y):
    return put(x, "d", None).at[:, 2:5].add(put(y, "d", None))


@program({"d": 2, "m": 2}, (4, 6, 8), out=("d", "m"), shardy=True)
def merged_rows(put, x):
    return jnp.cos(put(x, "d", None, "m").reshape(24, 8)) + 1


@program({"s": 4}, (16, 8), out=("s", None), shardy=True)
def associative_scan(put, x):
    return jax.lax.associative_scan(jnp.add, put(x, "s", None))


@program({"x": 2, "y": 4}, (16, 8), out=("y", "x"), shardy=True)
def swapped_axes(put, x):
    return put(jnp.exp(put(x, "x", "y")), "y", "x") + 1


@program({"x": 2, "y": 2, "z": 4}, (4, 8, 16), (16, 32), (32, 16), out=("x", None, "y"), shardy=True)
def three_axes(put, x, w1, w2):
    inner = jnp.tanh(put(x, "x", None, None) @ put(w1, "y", "z"))
    return put(put(inner, "x", None, ("y", "z")) @ put(w2, ("y", "z"), None), "x", None, "y")


@program({"d": 2, "m": 4}, (8, 16), (8, 16), (16, 16), out=("d", "m"), shardy=True)
def mixed_operands(put, a, b, w):
    return (put(a, "d", None) + put(b, None, "m")) @ put(w, "m", "d")


@program({"d": 4}, (8, 6, 6), (8, 6), out=("d", None), shardy=True)
def solved_batch(put, a, b):
    a = put(a, "d", None, None)
    spd = jnp.einsum("bij,bkj->bik", a, a) + 6 * jnp.eye(6)
    factor = jnp.linalg.cholesky(spd)
    return jax.vmap(lambda l, b: jax.scipy.linalg.solve_triangular(l, b, lower=True))(factor, put(b, "d", None))


@program({"d": 4, "m": 2}, (16, 8), (8, 8), out=("d", None), shardy=True)
def unconstrained(put, x, w):
    free = P.UNCONSTRAINED
    y = put(x, "d", None) @ put(w, None, "m")
    return jnp.tanh(put(y, free, "m")) * put(y, "d", free)


@program({"d": 16}, (32, 8), (8, 16), (16, 8), out=("d", None), shardy=True)
def sixteen_devices(put, x, w1, w2):
    return mlp(put(x, "d", None), put(w1, "d" if w1.shape[0] % 16 == 0 else None, "d"), put(w2, "d", None))


@program({"d": 2, "m": 2}, (8, 8), (3, 8, 8), out=("d", None), shardy=True)
def constrained_loop(put, x, ws):
    def layer(x, w):
        return put(jnp.tanh(put(x, "d", "m") @ put(w, "m", None)), "d", None), ()
    return jax.lax.scan(layer, put(x, "d", None), ws)[0]


@program({"d": 2}, (8, 4), (4, 4), out=("d", None), shardy=True)
def checkpointed_jit(put, x, w):
    layer = jax.checkpoint(jax.jit(lambda x, w: put(jnp.sin(x @ w), "d", None)))
    return jax.grad(lambda x: layer(layer(put(x, "d", None), w), w).sum())(x)


@program({"x": 2, "y": 2}, (8, 6), (6, 4), out=("x", None), shardy=True)
def map_with_a_loop(put, a, w):
    def body(a, w):
        def step(state):
            i, x = state
            return i + 1, jnp.tanh(x @ w @ w.T) + jax.lax.pmean(x, "y")
        return jax.lax.while_loop(lambda s: s[0] < 3, step, (0, a))[1]
    return mapped(put, P("x", None), P(), out=P("x", None), check_vma=False)(body)(a, w)


@program({"x": 4}, (8, 6), out=("x", None), shardy=True)
def map_with_branches(put, a):
    def body(a):
        i = jax.lax.axis_index("x")
        return jax.lax.cond(jax.lax.psum(a.sum(), "x") > 0, lambda a: jax.lax.ppermute(a, "x", [(k, (k + 1) % 4) for k in range(4)]) + i,
                            lambda a: a * 2, a)
    return mapped(put, P("x"), out=P("x"), check_vma=False)(body)(a)


@program({"x": 4}, (8, 6), (8, 6), out=("x", None), shardy=True)
def gradient_of_a_map(put, a, b):
    def loss(a, b):
        f = mapped(put, P("x"), P("x"), out=P())(lambda a, b: jax.lax.psum((jnp.sin(a) * b).sum(), "x"))
        return f(a, b)
    return jax.grad(loss)(a, b)


@program({"x": 2, "y": 2}, (4, 8, 6), (6, 6), out=(None, "x", None), shardy=True)
def map_under_vmap(put, a, w):
    f = mapped(put, P("x", None), P(None, "y"), out=P("x", "y"))(lambda a, w: jnp.tanh(a @ w))
    return jax.vmap(f, in_axes=(0, None))(a, w)


@program({"d": 4}, (16, 8), (8, 4), (4,), out=((), (None, None), (None,)), shardy=True)
def adam_step(put, x, w, b):
    def loss(p):
        return (jnp.maximum(put(x, "d", None) @ p[0] + p[1], 0) ** 2).mean()
    value, g = jax.value_and_grad(loss)((w, b))
    m = jax.tree.map(lambda g: 0.1 * g, g)
    v = jax.tree.map(lambda g: 0.01 * g * g, g)
    return value, *jax.tree.map(lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 1e-3), (w, b), m, v)


@program({"d": 4}, (16, 8), out=("d", None), shardy=True)
def dropped_out(put, x):
    keep = jax.random.bernoulli(jax.random.key(3), 0.5, x.shape)
    return put(x, "d", None) * put(keep, "d", None)


@program({"d": 2, "m": 2}, (8, 8), (8, 8), out=("d", "m"), shardy=True)
def nested_jits(put, x, w):
    inner = jax.jit(lambda x, w: jnp.tanh(x @ w), out_shardings=put.sharding("d", "m"))
    outer = jax.jit(lambda x, w: inner(inner(x, w), w), in_shardings=(put.sharding("d", None), put.sharding(None, "m")))
    return outer(x, w) + inner(x, w)


@program({"x": 2, "y": 2}, (8, 8), (8, 8), out=("x", None), shardy=True)
def two_maps(put, a, b):
    f = mapped(put, P("x", None), P(None, "y"), out=P("x", "y"))(lambda a, b: a @ b)
    g = mapped(put, P(("x", "y"), None), out=P(("x", "y"), None))(lambda a: jnp.cumsum(a, 1))
    return g(f(a, b))


@program({"x": 4}, (4, 6), (9,), out=(None,), shardy=True)
def map_gathers(put, table, at):
    def look(table, at):
        rows = (jnp.abs(at) * 5).astype(jnp.int32) % 4
        own = rows == jax.lax.axis_index("x")
        return jax.lax.psum(jnp.where(own, table[0, rows], 0), "x")
    return mapped(put, P("x", None), P(), out=P())(look)(table, at)


@program({"x": 2, "y": 2, "z": 2}, (8, 8, 4), out=("z", "y", None), shardy=True)
def three_axis_map(put, a):
    def body(a):
        return jax.lax.psum_scatter(jax.lax.all_gather(a, "x", axis=0, tiled=True), "x", scatter_dimension=1, tiled=True)
    return mapped(put, P("x", None, None), out=P(None, "x", None), axes="x", check_vma=False)(body)(put(a, "x", "y", "z"))


@program({"d": 4}, (4, 16), out=("d", None), shardy=True)
def spectra(put, x):
    return jnp.abs(jnp.fft.fft(put(x, "d", None), axis=-1))


@program({"d": 4}, (8, 5, 5), out=("d", None), shardy=True)
def eigenvalues(put, x):
    x = put(x, "d", None, None)
    return jnp.linalg.eigvalsh(x + x.mT)


@program({"d": 2, "m": 2}, (8, 16), out=("d",), shardy=True)
def largest(put, x):
    return jnp.argmax(put(x, "d", "m"), -1).astype(jnp.float32) + jnp.max(put(x, "d", "m"), -1)


@program({"d": 4}, (12, 4), out=("d", None), shardy=True)
def uneven_rows(put, x):
    return put(jnp.concatenate([put(x, "d", None), x[:4] * 2]), "d", None)[:12] + jnp.cumsum(put(x, "d", None), 0)


@program({"d": 4}, (16, 8), (16, 8), out=("d", None), shardy=True)
def unreduced_sums(put, a, b):
    mesh = jax.sharding.Mesh(put.mesh.devices, ("d",), axis_types=(jax.sharding.AxisType.Explicit,))
    a, b = (jax.reshard(v, NamedSharding(mesh, P("d", None))) for v in (a, b))
    c = jnp.einsum("ij,ik->jk", a, b, out_sharding=NamedSharding(mesh, P(unreduced={"d"})))
    c = jax.reshard(c + c, NamedSharding(mesh, P()))
    return jax.reshard(jnp.einsum("ij,jk->ik", a, c, out_sharding=NamedSharding(mesh, P("d", None))), NamedSharding(mesh, P("d", None)))

@program({"i": 2, "j": 2}, (4,), out=("j",), shardy=True)
def map_in_a_jit(put, x):
    return jax.jit(mapped(put, P("i"), out=P("i"))(lambda x: -x))(x)


@program({"i": 2, "j": 2}, (4,), out=("j",), shardy=True)
def maps_in_jits(put, x):
    negated = jax.jit(mapped(put, P("i"), out=P("i"))(lambda x: -x))
    return negated(jax.jit(mapped(put, P("j"), out=P("j"))(lambda x: x * 2))(x))


@program({"i": 2, "j": 2}, (4,), out=("j",), shardy=True)
def maps_in_branches(put, x):
    negated = mapped(put, P("i"), out=P("i"), check_vma=False)(lambda x: -x)
    doubled = mapped(put, P("j"), out=P("j"), check_vma=False)(lambda x: x * 2)
    return put(jax.lax.cond(x.sum() > 0, negated, doubled, x), "j") + jax.lax.cond(x.sum() > 0, doubled, negated, x)


# ---- making ----

def inputs(binaries, shapes):
    """Those of hlo-run --inputs=normal --seed=3."""
    parameters = "".join(f"  p{i} = f32[{','.join(map(str, s))}] parameter({i})\n" for i, s in enumerate(shapes))
    types = ", ".join(f"f32[{','.join(map(str, s))}]" for s in shapes)
    names = ", ".join(f"p{i}" for i in range(len(shapes)))
    text = f"HloModule inputs\nENTRY e {{\n{parameters}  ROOT t = ({types}) tuple({names})\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{binaries}/hlo-run", "--inputs=normal", "--seed=3", "--output-dir", folder, "-"], input=text,
                       text=True, check=True)
        return [np.load(f"{folder}/out{i}.npy") for i in range(len(shapes))]


def bytes_sent(binaries, text):
    said = subprocess.run([f"{binaries}/hlo-opt", "--communication", "--format=json", "-"], input=text, text=True,
                          check=True, capture_output=True).stdout
    return sum(row["bytes_sent"] for row in map(json.loads, said.splitlines()) if row["table"] == "exchanges")


def plain(text):
    """Without metadata, which names this file."""
    text = re.sub(r",? metadata=\{[^{}]*\}", "", text)
    return re.sub(r"\n(FileNames|FunctionNames|FileLocations|StackFrames)\n(.+\n)*", "\n", text)


def make(binaries, name):
    function, mesh, shapes, out, shardy = PROGRAMS[name]
    jax.config.update("jax_use_shardy_partitioner", shardy)
    put = Sharder(mesh)
    whole = [put.sharding() for _ in shapes]
    arrays = inputs(binaries, shapes)
    several = bool(out) and all(isinstance(axes, tuple) for axes in out)
    outs = tuple(put.sharding(*axes) for axes in out) if several else put.sharding(*out)
    jitted = jax.jit(lambda *a: function(put, *a), in_shardings=tuple(whole), out_shardings=outs)
    lowered = jitted.lower(*arrays)
    compiled = lowered.compile()
    results = jax.tree.leaves(compiled(*[jax.device_put(a, s) for a, s in zip(arrays, whole)]))
    with open(f"{HERE}/jax/{name}.hlo", "w") as file:
        file.write(plain(lowered.compiler_ir("hlo").as_hlo_text()))
    tiles = {f"out{k}.r{shard.device.id}": np.asarray(shard.data)
             for k, result in enumerate(results) for shard in result.addressable_shards}
    np.savez_compressed(f"{HERE}/jax/{name}.npz", **tiles)
    devices = int(np.prod(list(mesh.values())))
    print(f"{name}\t{devices}\t{bytes_sent(binaries, compiled.as_text()):.0f}", flush=True)


def main():
    os.makedirs(f"{HERE}/jax", exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        make(sys.argv[1], name)


main()
