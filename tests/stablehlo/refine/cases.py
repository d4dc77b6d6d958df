#!/usr/bin/env python3
"""Writes, for functions with symbolic dimensions, NAME.mlir, which is the program of jax.export, NAME.shapes, shapes of its inputs, and
NAME.hlo, the HLO that jaxlib makes of it after it has refined the program by these; call-NAME.* are programs that call the exported
one with inputs of known sizes. So were those of programs.tar.gz made, but for hand-*, which were written for operations that JAX does
not make, and bytecode-*, which are programs as MLIR's bytecode.

  pip install jax jaxlib; tests/stablehlo/refine/cases.py FOLDER [NAME...]
"""
import io, pathlib, sys
import jax, jax.numpy as jnp, numpy as np
from jax import export, lax
from jax._src.interpreters import mlir as jax_mlir
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

stablehlo.register_stablehlo_passes()
options = xla_client.hlo.HloPrintOptions()
options.print_large_constants = True
f32, i32 = jnp.float32, jnp.int32
C = []


def case(name, f, args, dims, **kw):
    """args: shapes as text, with their types; dims: values of the dimensions."""
    C.append((name, f, args, dims, kw))


def F(shape): return shape, f32
def I(shape): return shape, i32


D = dict
case("sin_reshape", lambda x: jnp.sin(x).reshape(-1) + jnp.arange(x.shape[0]*4), [F("b, 4")], D(b=3))
case("reshape_flat", lambda x: x.reshape(-1), [F("b, c")], D(b=2, c=5))
case("reshape_split", lambda x: x.reshape(x.shape[0]//2, 2), [F("2*b")], D(b=3))
case("concat", lambda x, y: jnp.concatenate([x, y], axis=0), [F("a, 3"), F("b, 3")], D(a=2, b=4))
case("concat_self", lambda x: jnp.concatenate([x, x, x[:1]], axis=0), [F("a, 3")], D(a=2))
case("stack", lambda x: jnp.stack([x, x * 2]), [F("a")], D(a=3))
case("gather_take", lambda x, i: jnp.take(x, i, axis=0), [F("a, 3"), I("b")], D(a=4, b=2))
case("gather_index", lambda x, i: x[i], [F("a, b"), I("c")], D(a=4, b=2, c=3))
case("gather_2d", lambda x, i, j: x[i, j], [F("a, b"), I("c"), I("c")], D(a=4, b=2, c=3))
case("take_along", lambda x, i: jnp.take_along_axis(x, i, axis=1), [F("a, b"), I("a, 2")], D(a=2, b=5))
case("sort", lambda x: jnp.sort(x, axis=-1), [F("a, b")], D(a=2, b=5))
case("argsort", lambda x: jnp.argsort(x), [F("a")], D(a=6))
case("sort_two", lambda x, y: lax.sort((x, y), num_keys=1), [F("a"), I("a")], D(a=6))
case("conv1d", lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=("NCH", "OIH", "NCH")), [F("b, 3, w"), F("4, 3, 3")], D(b=2, w=7))
case("conv2d_valid", lambda x, k: lax.conv_general_dilated(x, k, (2, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")), [F("b, h, w, 2"), F("3, 3, 2, 4")], D(b=2, h=7, w=6))
case("conv2d_same_dyn", lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), [F("b, h, w, 2"), F("3, 3, 2, 4")], D(b=2, h=7, w=6))
case("conv_dilated", lambda x, k: lax.conv_general_dilated(x, k, (1,), [(1, 2)], rhs_dilation=(2,), dimension_numbers=("NCH", "OIH", "NCH")), [F("b, 3, w"), F("4, 3, 3")], D(b=2, w=9))
case("reduce_sum", lambda x: jnp.sum(x, axis=0), [F("a, b")], D(a=3, b=2))
case("reduce_mean", lambda x: jnp.mean(x), [F("a, b")], D(a=3, b=2))
case("reduce_max", lambda x: jnp.max(x, axis=1, keepdims=True), [F("a, b")], D(a=3, b=2))
case("reduce_prod_int", lambda x: jnp.prod(x), [I("a")], D(a=3))
case("reduce_any", lambda x: jnp.any(x > 0, axis=0), [F("a, b")], D(a=3, b=2))
case("var", lambda x: jnp.var(x, axis=0), [F("a, b")], D(a=3, b=2))
case("std", lambda x: jnp.std(x), [F("a")], D(a=3))
case("argmax", lambda x: jnp.argmax(x, axis=-1), [F("a, b")], D(a=3, b=4))
case("argmin", lambda x: jnp.argmin(x), [F("a, b")], D(a=3, b=4))
case("einsum_mm", lambda x, y: jnp.einsum("ij,jk->ik", x, y), [F("a, b"), F("b, c")], D(a=3, b=4, c=2))
case("einsum_batch", lambda x, y: jnp.einsum("bij,bjk->bik", x, y), [F("n, a, b"), F("n, b, c")], D(n=2, a=3, b=4, c=2))
case("einsum_trace", lambda x: jnp.einsum("bij->bji", x), [F("n, a, 3")], D(n=2, a=3))
case("einsum_outer", lambda x, y: jnp.einsum("i,j->ij", x, y), [F("a"), F("b")], D(a=3, b=4))
case("matmul", lambda x, y: x @ y, [F("b, 4"), F("4, 5")], D(b=3))
case("dot_vec", lambda x, y: jnp.dot(x, y), [F("a"), F("a")], D(a=3))
case("arange", lambda x: jnp.arange(x.shape[0]) * 2, [F("a")], D(a=5))
case("arange_step", lambda x: jnp.arange(0, x.shape[0] * 3, 3), [F("a")], D(a=5))
case("arange_float", lambda x: jnp.arange(x.shape[0], dtype=jnp.float32) / x.shape[0], [F("a")], D(a=5))
case("linspace", lambda x: x + jnp.linspace(0., 1., 5), [F("a, 5")], D(a=2))
case("iota2d", lambda x: lax.broadcasted_iota(jnp.int32, (x.shape[0], 3), 0), [F("a")], D(a=4))
case("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (2, x.shape[1])), [F("a, b"), I("")], D(a=5, b=3), constraints=["a >= 2"])
case("dynamic_slice_size", lambda x, i: lax.dynamic_slice_in_dim(x, i, x.shape[0] - 1), [F("a, 3"), I("")], D(a=5))
case("dynamic_update", lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 0)), [F("a, b"), F("2, b"), I("")], D(a=5, b=3), constraints=["a >= 2"])
case("static_slice", lambda x: x[1:], [F("a, 2")], D(a=5))
case("static_slice_half", lambda x: x[:x.shape[0]//2], [F("2*a")], D(a=3))
case("slice_stride", lambda x: x[::2], [F("a, 2")], D(a=5))
case("slice_neg", lambda x: x[-2:], [F("a")], D(a=5))
case("last", lambda x: x[-1], [F("a, b")], D(a=5, b=2))
case("reverse", lambda x: x[::-1], [F("a, 2")], D(a=5))
case("cumsum", lambda x: jnp.cumsum(x), [F("a")], D(a=6))
case("cumsum_axis", lambda x: jnp.cumsum(x, axis=1), [F("a, b")], D(a=2, b=5))
case("cumprod", lambda x: jnp.cumprod(x, axis=0), [F("a, 2")], D(a=6))
case("cummax", lambda x: lax.cummax(x, axis=0), [F("a, 2")], D(a=6))
case("scan", lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(x.shape[1:], f32), x), [F("a, b")], D(a=4, b=2))
case("scan_carry", lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0], [F("a, b")], D(a=4, b=2))
case("scan_ragged", lambda x: lax.scan(lambda c, y: (c + jnp.sum(y), y * c), 0.0, x, reverse=True), [F("a, b")], D(a=4, b=2))
case("while_", lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2), (0, x)), [F("a")], D(a=3))
case("while_n", lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i], jnp.zeros_like(x[0])), [F("a, b")], D(a=3, b=2))
case("cond", lambda p, x: lax.cond(p > 0, lambda x: x + 1, lambda x: x * 2, x), [I(""), F("a")], D(a=3))
case("switch", lambda p, x: lax.switch(p, [lambda x: x, lambda x: -x, lambda x: jnp.cumsum(x)], x), [I(""), F("a")], D(a=3))
case("cond_shape", lambda p, x: lax.cond(p > 0, lambda x: jnp.ones((x.shape[0], 2)), lambda x: jnp.zeros((x.shape[0], 2)), x), [I(""), F("a")], D(a=3))
case("vmap", lambda x, w: jax.vmap(lambda r: jnp.tanh(w @ r))(x), [F("b, 3"), F("4, 3")], D(b=5))
case("vmap_slice", lambda x, i: jax.vmap(lambda r, k: lax.dynamic_slice(r, (k,), (2,)))(x, i), [F("b, 6"), I("b")], D(b=3))
case("vmap_cond", lambda x: jax.vmap(lambda r: lax.cond(r[0] > 0, jnp.sin, jnp.cos, r))(x), [F("b, 3")], D(b=4))
case("where", lambda x: jnp.where(x > 0, x, 0.1 * x), [F("a, b")], D(a=3, b=2))
case("broadcast_add", lambda x, y: x + y, [F("a, 1"), F("1, b")], D(a=3, b=2))
case("broadcast_to", lambda x: jnp.broadcast_to(x, (x.shape[0], 4, x.shape[0])), [F("a, 1, 1")], D(a=3))
case("ones_like", lambda x: jnp.ones_like(x) + jnp.zeros((x.shape[0],)), [F("a")], D(a=3))
case("full", lambda x: jnp.full((x.shape[0], 2), 3.5), [F("a")], D(a=3))
case("transpose", lambda x: x.T, [F("a, b")], D(a=3, b=2))
case("moveaxis", lambda x: jnp.moveaxis(x, 0, -1), [F("a, b, 2")], D(a=3, b=2))
case("pad", lambda x: jnp.pad(x, ((1, 2), (0, 1))), [F("a, b")], D(a=3, b=2))
case("pad_dyn", lambda x: jnp.pad(x, (x.shape[0], 1)), [F("a")], D(a=3))
case("pad_reflect", lambda x: jnp.pad(x, (1, 1), mode="edge"), [F("a")], D(a=4))
case("tile", lambda x: jnp.tile(x, 3), [F("a, 2")], D(a=3))
case("repeat", lambda x: jnp.repeat(x, 2, axis=0), [F("a, 2")], D(a=3))
case("roll", lambda x: jnp.roll(x, 1), [F("a")], D(a=5))
case("flip", lambda x: jnp.flip(x, 1), [F("a, b")], D(a=2, b=3))
case("squeeze", lambda x: jnp.squeeze(x, 1), [F("a, 1, b")], D(a=2, b=3))
case("expand", lambda x: x[:, None, :], [F("a, b")], D(a=2, b=3))
case("split", lambda x: jnp.split(x, 2, axis=1), [F("a, 4")], D(a=2))
case("softmax", lambda x: jax.nn.softmax(x, axis=-1), [F("a, b")], D(a=2, b=3))
case("log_softmax", lambda x: jax.nn.log_softmax(x), [F("a, b")], D(a=2, b=3))
case("gelu", lambda x: jax.nn.gelu(x), [F("a, b")], D(a=2, b=3))
case("relu6", lambda x: jax.nn.relu6(x), [F("a")], D(a=2))
case("silu", lambda x: jax.nn.silu(x), [F("a")], D(a=2))
case("one_hot", lambda x: jax.nn.one_hot(x, 5), [I("a")], D(a=3))
case("one_hot_dyn", lambda x, y: jax.nn.one_hot(x, y.shape[0]), [I("a"), F("b")], D(a=3, b=4))
case("layer_norm", lambda x, g: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * g, [F("b, t, 8"), F("8")], D(b=2, t=3))
case("attention", lambda q, k, v: jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 2.0, axis=-1).astype(f32) @ jnp.moveaxis(v, 2, 1), [F("b, t, 2, 4"), F("b, s, 2, 4"), F("b, s, 2, 4")], D(b=2, t=3, s=5))
case("causal_mask", lambda x: jnp.where(jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool)), x, -1e9), [F("t, t")], D(t=4))
case("tri", lambda x: jnp.triu(x), [F("a, a")], D(a=4))
case("eye", lambda x: x + jnp.eye(x.shape[0]), [F("a, a")], D(a=4))
case("diag", lambda x: jnp.diagonal(x), [F("a, a")], D(a=4))
case("trace", lambda x: jnp.trace(x), [F("a, a")], D(a=4))
case("scatter_add", lambda x, i, u: x.at[i].add(u), [F("a, 3"), I("b"), F("b, 3")], D(a=4, b=2))
case("scatter_set", lambda x, i: x.at[i].set(1.0), [F("a"), I("b")], D(a=4, b=2))
case("scatter_set_slice", lambda x: x.at[1:].set(0.0), [F("a")], D(a=4))
case("scatter_max", lambda x, i, u: x.at[i].max(u), [F("a"), I("b"), F("b")], D(a=4, b=2))
case("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, num_segments=4), [F("a, 2"), I("a")], D(a=5))
case("bincount", lambda i: jnp.zeros((4,), jnp.int32).at[i].add(1), [I("a")], D(a=5))
case("cholesky", lambda x: jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(x.shape[0])), [F("a, a")], D(a=3))
case("cholesky_batch", lambda x: lax.linalg.cholesky(x), [F("n, 3, 3")], D(n=2))
case("tri_solve", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), [F("n, 3, 3"), F("n, 3, k")], D(n=2, k=4))
case("qr", lambda x: jnp.linalg.qr(x), [F("n, 3, 2")], D(n=2))
case("eigh", lambda x: jnp.linalg.eigh(x), [F("n, 3, 3")], D(n=2))
case("svd", lambda x: jnp.linalg.svd(x, full_matrices=False), [F("n, 3, 2")], D(n=2))
case("lu", lambda x: lax.linalg.lu(x), [F("n, 3, 3")], D(n=2))
case("norm", lambda x: jnp.linalg.norm(x, axis=1), [F("a, b")], D(a=2, b=3))
case("solve", lambda a, b: jnp.linalg.solve(a, b), [F("n, 3, 3"), F("n, 3, 2")], D(n=2))
case("fft", lambda x: jnp.fft.fft(x), [F("a, 8")], D(a=2))
case("rfft", lambda x: jnp.fft.rfft(x), [F("a, 8")], D(a=2))
case("irfft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x)), [F("a, 8")], D(a=2))
case("top_k", lambda x: lax.top_k(x, 2), [F("a, b")], D(a=2, b=5), constraints=["b >= 2"])
case("top_k_dyn", lambda x: lax.top_k(x, x.shape[0]), [F("a, b + a")], D(a=2, b=5))
case("random_bits", lambda x, k: jax.random.bits(jax.random.wrap_key_data(k), (x.shape[0],)), [F("a"), ("2", jnp.uint32)], D(a=5))
case("random_uniform", lambda x, k: jax.random.uniform(jax.random.wrap_key_data(k), x.shape), [F("a, 2"), ("2", jnp.uint32)], D(a=5))
case("random_normal", lambda x, k: x + jax.random.normal(jax.random.wrap_key_data(k), x.shape), [F("a, b"), ("2", jnp.uint32)], D(a=5, b=3))
case("random_rbg", lambda x, k: jax.random.uniform(jax.random.wrap_key_data(k, impl="rbg"), x.shape), [F("a, b"), ("4", jnp.uint32)], D(a=5, b=3))
case("max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [F("b, h, w, 2")], D(b=2, h=6, w=5))
case("avg_pool_same", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), [F("b, h, w, 2")], D(b=2, h=6, w=5))
case("pool_dyn", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, x.shape[1]), (1, 1), "VALID"), [F("b, h")], D(b=2, h=6))
case("max_pool_grad", lambda x: jax.grad(lambda y: jnp.sum(lax.reduce_window(y, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")))(x), [F("b, h")], D(b=2, h=6))
case("grad_mlp", lambda w, x: jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w), [F("4, 3"), F("b, 4")], D(b=5))
case("grad_conv", lambda k, x: jax.grad(lambda k: jnp.sum(lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=("NCH", "OIH", "NCH"))))(k), [F("4, 3, 3"), F("b, 3, w")], D(b=2, w=7))
case("grad_take", lambda x, i: jax.grad(lambda x: jnp.sum(x[i] ** 2))(x), [F("a, 3"), I("b")], D(a=4, b=2))
case("grad_cumsum", lambda x: jax.grad(lambda x: jnp.sum(jnp.cumsum(x) ** 2))(x), [F("a")], D(a=4))
case("grad_scan", lambda x: jax.grad(lambda x: lax.scan(lambda c, y: (c * jnp.sin(y), None), 1.0, x)[0])(x), [F("a")], D(a=4))
case("jvp", lambda x: jax.jvp(jnp.sin, (x,), (jnp.ones_like(x),)), [F("a")], D(a=4))
case("lgamma", lambda x: lax.lgamma(x), [F("a")], D(a=4))
case("digamma", lambda x: lax.digamma(x), [F("a")], D(a=4))
case("erf_inv", lambda x: lax.erf_inv(x), [F("a")], D(a=4))
case("erf", lambda x: lax.erf(x) + lax.erfc(x), [F("a")], D(a=4))
case("acosh", lambda x: jnp.arccosh(x) + jnp.arcsin(x) + jnp.sinh(x), [F("a")], D(a=4))
case("bessel", lambda x: lax.bessel_i0e(x) + lax.bessel_i1e(x), [F("a")], D(a=4))
case("igamma", lambda x, y: lax.igamma(x, y), [F("a"), F("a")], D(a=2))
case("polygamma", lambda x: jax.scipy.special.polygamma(1, x), [F("a")], D(a=2))
case("nextafter", lambda x: jnp.nextafter(x, 1.0), [F("a")], D(a=2))
case("square", lambda x: jnp.square(x) + lax.integer_pow(x, 3), [F("a")], D(a=2))
case("complex", lambda x: jnp.abs(lax.complex(x, x)) + jnp.real(jnp.exp(1j * x)), [F("a")], D(a=2))
case("clip", lambda x: jnp.clip(x, -1., 1.), [F("a, b")], D(a=2, b=2))
case("clamp", lambda x: lax.clamp(0.0, x, 1.0), [F("a, b")], D(a=2, b=2))
case("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32), [F("a, b")], D(a=2, b=2))
case("astype", lambda x: x.astype(jnp.bfloat16), [F("a, b")], D(a=2, b=2))
case("int_ops", lambda x: (x // 3, x % 3, x << 1, x ^ 5, ~x), [I("a")], D(a=4))
case("popcount", lambda x: lax.population_count(x) + lax.clz(x), [I("a")], D(a=4))
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), [F("a")], D(a=4))
case("opt_barrier", lambda x: lax.optimization_barrier((x, x + 1)), [F("a")], D(a=4))
case("remat", lambda x: jax.grad(lambda x: jnp.sum(jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x)))(x), [F("a")], D(a=4))
case("dim_poly", lambda x: jnp.ones((x.shape[0] * 2 + 1, x.shape[0] // 2, (x.shape[0] + 3) % 4)), [F("a")], D(a=6))
case("dim_as_value", lambda x: x * x.shape[0] + jnp.float32(x.shape[1]), [F("a, b")], D(a=6, b=2))
case("dim_max", lambda x, y: jnp.zeros((jax.core.max_dim(x.shape[0], y.shape[0]),)), [F("a"), F("b")], D(a=6, b=2))
case("dim_min", lambda x, y: jnp.zeros((jax.core.min_dim(x.shape[0], y.shape[0]),)), [F("a"), F("b")], D(a=6, b=2))
case("constraint", lambda x: x[: x.shape[0] - 2], [F("a")], D(a=6), constraints=["a >= 3"])
case("unused", lambda x, y: y + 1, [F("a"), F("b")], D(a=6, b=2))
case("scalar_only", lambda x: x.shape[0], [F("a")], D(a=6))
case("nested_jit", lambda x: jax.jit(lambda y: jax.jit(jnp.sin)(y) + jax.jit(jnp.cos)(y * 2))(x) + jax.jit(jnp.sin)(x), [F("a")], D(a=6))
case("same_jit", lambda x, y: jax.jit(lambda z: jnp.cumsum(z) * 2)(x).sum() + jax.jit(lambda z: jnp.cumsum(z) * 2)(y).sum(), [F("a"), F("b")], D(a=6, b=3))
case("median", lambda x: jnp.median(x), [F("a")], D(a=5))
case("unravel", lambda x: jnp.unravel_index(x, (3, 4)), [I("a")], D(a=5))
case("outer", lambda x: jnp.outer(x, x), [F("a")], D(a=5))
case("kron", lambda x: jnp.kron(x, jnp.ones((2,))), [F("a")], D(a=5))
case("cross", lambda x, y: jnp.cross(x, y), [F("a, 3"), F("a, 3")], D(a=5))
case("meshgrid", lambda x, y: jnp.meshgrid(x, y), [F("a"), F("b")], D(a=5, b=2))
case("map", lambda x: lax.map(lambda r: jnp.sum(r) * r, x), [F("a, b")], D(a=5, b=2))
case("associative_scan_len1", lambda x: lax.associative_scan(jnp.add, x), [F("8, a")], D(a=2))
case("select_n", lambda p, x, y: lax.select_n(p, x, y), [("a", jnp.bool_), F("a"), F("a")], D(a=5))
case("resize", lambda x: jax.image.resize(x, (x.shape[0], 4), "nearest"), [F("a, 2")], D(a=5))
case("batch_norm_like", lambda x: (x - jnp.mean(x, (0, 1))) / jnp.std(x, (0, 1)), [F("a, b, 3")], D(a=5, b=2))
case("ragged", lambda x, y, g: lax.ragged_dot(x, y, g), [F("m, k"), F("2, k, 3"), I("2")], D(m=5, k=4))
case("empty_dim", lambda x: jnp.sum(x, axis=0), [F("a, b")], D(a=1, b=1))

HLO = {"float32": "f32", "int32": "s32", "uint32": "u32", "bool": "pred"}
MLIR = {"float32": "f32", "int32": "i32", "uint32": "ui32", "bool": "i1"}


def write_hlo(path, text, types):
    """What jaxlib makes of the program after refinement; types: of the arguments, or None."""
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        if types is not None:
            pipeline = "builtin.module(stablehlo-refine-arguments{types=%s})" % ",".join(types)
            passmanager.PassManager.parse(pipeline).run(module.operation)
        bytecode = io.BytesIO()
        module.operation.write_bytecode(bytecode)
        refined = _jax.mlir.refine_polymorphic_shapes(bytecode.getvalue(), enable_shape_assertions=True, validate_static_shapes=True)
        known = ir.Module.parse(refined).operation.get_asm(enable_debug_info=True)
    made = _jax.mlir.mlir_module_to_xla_computation(known, use_tuple_args=False, return_tuple=False)
    lines = made.get_hlo_module().to_string(options).splitlines()
    path.write_text("".join(line.rstrip() + "\n" for line in lines))


def size_of(dim, dims):
    return int(dim) if isinstance(dim, int) else int(eval(str(dim), {}, dims))


def write(folder, name, f, args, dims, constraints=()):
    scope = export.SymbolicScope(constraints)
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope) if s else (), d) for s, d in args]
    f.__name__ = name
    checks = [export.DisabledSafetyCheck.custom_call("ApproxTopK")]
    exported = export.export(jax.jit(f), disabled_checks=checks)(*specs)
    known = [jax.ShapeDtypeStruct(tuple(size_of(d, dims) for d in s.shape), s.dtype) for s in specs]
    kept = [(known[i].shape, np.dtype(known[i].dtype).name) for i in exported.module_kept_var_idx]
    with jax_mlir.make_ir_context():
        text = ir.Module.parse(exported.mlir_module()).operation.get_asm(enable_debug_info=True)
    (folder / f"{name}.mlir").write_text(text)
    (folder / f"{name}.shapes").write_text(",".join("%s[%s]" % (HLO[t], ",".join(map(str, s))) for s, t in kept))
    write_hlo(folder / f"{name}.hlo", text, ["tensor<%s>" % "x".join([*map(str, s), MLIR[t]]) for s, t in kept])
    calling = jax.jit(lambda *a: exported.call(*a)).lower(*known).as_text(debug_info=True)
    (folder / f"call-{name}.mlir").write_text(calling)
    write_hlo(folder / f"call-{name}.hlo", calling, None)


for name, f, args, dims, kw in C:
    if not sys.argv[2:] or name in sys.argv[2:]:
        write(pathlib.Path(sys.argv[1]), name, f, args, dims, **kw)
