#!/usr/bin/env python3
"""Makes tests/collectives/spmd/jax: sharded programs as JAX lowers them, what each device has after XLA's partitioner and
compiler, and how many bytes a device sends in what XLA made. spmd_jax.bats divides the same programs by our passes.

    jax_programs.py BIN [NAME...]      BIN: the directory of hlo-run and hlo-opt; needs jax

Parameters are whole on every device, and sharded inside, so that the inputs of hlo-run --inputs=normal --seed=3 serve
all devices."""
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_use_shardy_partitioner", False)
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {}


def program(mesh, *shapes, out):
    """A program on a mesh of that many devices along each axis; `out`: how its result is sharded, or each of them."""
    def add(function):
        PROGRAMS[function.__name__] = (function, mesh, shapes, out)
        return function
    return add


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
    function, mesh, shapes, out = PROGRAMS[name]
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
