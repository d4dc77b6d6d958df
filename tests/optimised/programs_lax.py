"""Programs of jax.lax: products, convolutions, windows, loops, branches, scans and Fourier transforms; gradients of them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import each, program

# ---- products ----

each("f32 bf16 f16 f64 c64 s32 s8", "matmul", lambda x, y: (x @ y, y.T @ x.T), "T[5,7]", "T[7,6]")
each("f32 f64", "matvec", lambda a, x: (a @ x, x @ a.T, jnp.vdot(x, x), jnp.inner(a, a), jnp.outer(x, x)), "T[6,7]", "T[7]")
for number, text in enumerate("ij,jk->ik ij,kj->ki bij,bjk->bik ij,ij->i ij->ji ij->j ii->i abc,cd->abd bhqd,bhkd->bhqk i,j->ij abc,bad->cd ijk,jl,kl->il".split()):
    sizes = dict(zip("abcdefghijklqkd", (2, 3, 4, 5, 2, 3, 2, 2, 4, 5, 3, 4, 5, 3, 4)))
    specs = ["f32[" + ",".join(str(sizes[c] if c not in "ij" or "ii" not in text else 4) for c in part) + "]" for part in text.split("->")[0].split(",")]
    program(f"einsum-{number}", lambda *a, t=text: jnp.einsum(t, *a), *specs)
program("tensordot", lambda x, y: (jnp.tensordot(x, y, 2), jnp.kron(x[0], y[:, :, 0]), jnp.cross(x[0, :, :3], x[1, :, :3])), "f32[2,3,4]", "f32[3,4,5]")
program("matrix-power", lambda x: (jnp.linalg.matrix_power(x, 3), jnp.linalg.multi_dot([x, x, x[:, 0]])), "f32[4,4]")
program("dot-mixed", lambda x, y: (lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32), lax.dot_general(x, x, (((0,), (0,)), ((1,), (1,))))), "bf16[5,8]", "bf16[8,3]")
program("dot-s8", lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32), "s8[5,8]-", "s8[8,3]-")
program("ragged-dot", lambda x, y, g: lax.ragged_dot(x, y, g), "f32[9,4]", "f32[3,4,5]", "s32[3]<4")
program("mlp", lambda x, w, b, v: jax.nn.relu(x @ w + b) @ v, "f32[6,8]", "f32[8,16]", "f32[16]", "f32[16,3]")
program("mlp-large", lambda x, w, b, v: jax.nn.gelu(x @ w + b) @ v, "f32[64,96]", "f32[96,64]", "f32[64]", "f32[64,8]")
program("bmm", lambda x, y: jnp.matmul(x, y), "f32[3,4,5]", "f32[3,5,6]")

# ---- convolutions and windows ----


def conv(x, w, strides=(1, 1), padding="SAME", **more):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"), **more)


each("f32 bf16 f64", "conv", lambda x, w: conv(x, w), "T[2,7,8,3]", "T[3,3,3,4]")
program("conv-strides", lambda x, w: (conv(x, w, (2, 2)), conv(x, w, (2, 1), "VALID")), "f32[1,9,8,3]", "f32[3,2,3,4]")
program("conv-dilated", lambda x, w: (conv(x, w, rhs_dilation=(2, 2)), conv(x, w, lhs_dilation=(2, 2), padding=((1, 1), (2, 0)))), "f32[1,8,8,2]", "f32[3,3,2,3]")
program("conv-grouped", lambda x, w: conv(x, w, feature_group_count=2), "f32[1,6,6,4]", "f32[3,3,2,6]")
program("conv-depthwise", lambda x, w: conv(x, w, feature_group_count=4), "f32[2,6,7,4]", "f32[3,3,1,4]")
program("conv-batch-groups", lambda x, w: conv(x, w, batch_group_count=2), "f32[4,5,5,2]", "f32[3,3,2,4]")
program("conv-1d", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), "f32[2,12,3]", "f32[4,3,5]")
program("conv-3d", lambda x, w: lax.conv(x, w, (1, 1, 1), "VALID"), "f32[1,2,5,5,4]", "f32[3,2,2,3,2]")
program("conv-nchw", lambda x, w: lax.conv(x, w, (1, 1), "SAME"), "f32[2,3,6,6]", "f32[4,3,3,3]")
program("conv-1x1", lambda x, w: conv(x, w), "f32[2,5,5,8]", "f32[1,1,8,6]")
program("conv-transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), "f32[1,4,4,3]", "f32[3,3,3,2]")
program("conv-gradients", lambda x, w: jax.grad(lambda x, w: jnp.sum(conv(x, w, (2, 2)) ** 2), (0, 1))(x, w), "f32[2,8,8,3]", "f32[3,3,3,4]")
program("conv-depthwise-gradients", lambda x, w: jax.grad(lambda x, w: jnp.sum(jnp.sin(conv(x, w, feature_group_count=3))), (0, 1))(x, w), "f32[1,6,6,3]", "f32[3,3,1,6]")
program("conv-bias-relu", lambda x, w, b: jax.nn.relu(conv(x, w) + b), "f32[1,8,8,3]", "f32[3,3,3,8]", "f32[8]")
program("patches", lambda x: lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "SAME"), "f32[1,2,5,5]")
each("f32 bf16", "max-pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), "T[1,8,8,3]")
program("average-pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4, "f32[2,6,6,3]")
program("window-dilated", lambda x: lax.reduce_window(x, 0.0, lax.add, (3, 2), (1, 2), ((1, 1), (0, 2)), base_dilation=(2, 1), window_dilation=(1, 2)), "f32[6,9]")
program("window-multiply", lambda x: lax.reduce_window(x, jnp.float32(1), lax.mul, (3,), (1,), "SAME"), "f32[19]")
program("max-pool-gradient", lambda x: jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2))(x), "f32[1,6,6,2]")
program("average-pool-gradient", lambda x: jax.grad(lambda x: jnp.sum(lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2))(x), "f32[1,6,6,2]")

# ---- loops and branches ----

each("f32 f64 bf16", "scan", lambda c, x: lax.scan(lambda c, v: (jnp.tanh(c + v), c * v), c, x), "T[4]", "T[6,4]")
program("scan-reverse", lambda c, x: lax.scan(lambda c, v: (c * 0.5 + v, c), c, x, reverse=True), "f32[3]", "f32[5,3]")
program("scan-unrolled", lambda c, x: lax.scan(lambda c, v: (c + v, c.sum()), c, x, unroll=2), "f32[3]", "f32[7,3]")
program("scan-matmul", lambda c, w, x: lax.scan(lambda c, v: (jnp.tanh(c @ w + v), c), c, x), "f32[2,5]", "f32[5,5]", "f32[6,2,5]")
program("scan-gradient", lambda c, w, x: jax.grad(lambda w: lax.scan(lambda c, v: (jnp.tanh(c @ w + v), c.sum()), c, x)[1].sum())(w), "f32[2,5]", "f32[5,5]", "f32[6,2,5]")
program("scan-nested", lambda x: lax.scan(lambda c, r: (lax.scan(lambda d, v: (d * 0.9 + v, d), c, r)[0], c), jnp.float32(0), x), "f32[4,5]")
program("fori", lambda x: lax.fori_loop(0, 10, lambda i, v: v * 0.9 + i, x), "f32[5]")
program("fori-slices", lambda x: lax.fori_loop(1, 8, lambda i, v: v.at[i].set(v[i - 1] * 0.5 + v[i]), x), "f32[8,2]")
program("while-newton", lambda x: lax.while_loop(lambda s: jnp.any(jnp.abs(s * s - x) > 1e-4), lambda s: 0.5 * (s + x / s), x + 1), "f32[6]+")
program("while-collatz", lambda n: jax.vmap(lambda k: lax.while_loop(lambda s: s[0] > 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (k + 1, 0))[1])(n), "s32[9]")
program("cond", lambda p, x: lax.cond(p > 0, lambda v: jnp.sin(v), lambda v: v * 2, x), "s32[]<2", "f32[5]")
program("cond-forwards", lambda p, x, y: lax.cond(p > 0, lambda a, b: (a, b), lambda a, b: (b, a), x, y), "s32[]<2", "f32[5]", "f32[5]")
program("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v, lambda v: v @ v * v], x), "s32[]<4", "f32[5]")
program("switch-vmapped", lambda i, x: jax.vmap(lambda k, v: lax.switch(k, [jnp.sin, jnp.cos, lambda v: -v], v))(i, x), "s32[6]<3", "f32[6,2]")
program("map", lambda x: lax.map(lambda r: (jnp.sort(r), r.max()), x), "f32[4,5]")
program("map-batched", lambda x: lax.map(lambda r: jnp.cumsum(r), x, batch_size=2), "f32[5,3]")
program("associative-scan", lambda x: (lax.associative_scan(jnp.add, x), lax.associative_scan(jnp.maximum, x, reverse=True)), "f32[13]")
program("linear-recurrence", lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b)), "f32[9]u", "f32[9]")
program("fibonacci", lambda n: lax.fori_loop(0, n, lambda i, s: (s[1], s[0] + s[1]), (0, 1)), "s32[]")
program("game-of-life", lambda x: lax.fori_loop(0, 3, lambda i, b: (lambda n: ((n == 3) | ((n == 4) & (b > 0))).astype(jnp.int32))(sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))), x), "s32[8,8]<2")
program("mandelbrot", lambda x, y: lax.fori_loop(0, 12, lambda i, s: (jnp.where(jnp.abs(s[0]) < 2, s[0] ** 2 + s[2], s[0]), s[1] + (jnp.abs(s[0]) < 2), s[2]), (0j * x, jnp.zeros(x.shape, jnp.int32), x + 1j * y))[1], "f32[6,6]", "f32[6,6]")
program("odeint-rk4", lambda x: lax.fori_loop(0, 8, lambda i, s: (lambda k1: (lambda k2: (lambda k3: (lambda k4: s + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4))(-jnp.sin(s + 0.1 * k3)))(-jnp.sin(s + 0.05 * k2)))(-jnp.sin(s + 0.05 * k1)))(-jnp.sin(s)), x), "f32[7]")
program("remat", lambda x: jax.grad(lambda v: jnp.sum(jax.checkpoint(lambda u: jnp.sin(jnp.sin(u)))(v)))(x), "f32[9]")
program("custom-jvp", lambda x: jax.grad(lambda v: jax.nn.relu(v).sum() + jax.nn.silu(v).sum())(x), "f32[9]")
program("custom-linear-solve", lambda a, b: lax.custom_linear_solve(lambda x: a @ x, b, lambda mv, r: jnp.linalg.solve(a, r)), "f32[4,4]spd", "f32[4]")
program("optimization-barrier", lambda x, y: lax.optimization_barrier((x + 1, y))[0] * 2, "f32[5]", "f32[3]")

# ---- Fourier transforms ----

for f in "fft ifft rfft ihfft".split():
    each("f32 f64" if f in ("rfft", "ihfft") else "c64 c128 f32", f, lambda x, f=getattr(jnp.fft, f): (f(x), f(x, axis=0), f(x, 6)), "T[5,8]")
for f in "irfft hfft".split():
    each("c64 c128", f, lambda x, f=getattr(jnp.fft, f): (f(x), f(x, 7)), "T[3,6]")
program("fft2", lambda x: (jnp.fft.fft2(x), jnp.fft.ifftn(x), jnp.fft.rfft2(x.real), jnp.fft.irfft2(x)), "c64[4,5,6]")
program("fft-shifts", lambda x: (jnp.fft.fftshift(x), jnp.fft.ifftshift(x), jnp.fft.fftfreq(7), jnp.fft.rfftfreq(8)), "f32[4,5]")
program("fft-convolution", lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x, 16) * jnp.fft.rfft(y, 16), 16), "f32[9]", "f32[7]")
program("fft-gradient", lambda x: jax.grad(lambda v: jnp.sum(jnp.abs(jnp.fft.fft(v)) ** 3))(x), "f32[8]")
program("correlate", lambda x, y: (jnp.correlate(x, y, "full"), jnp.convolve(x, y, "same"), jnp.convolve(x, y, "valid")), "f32[12]", "f32[5]")

# ---- derivatives and batches ----

program("jacobians", lambda x: (jax.jacfwd(lambda v: jnp.sin(v) * v[0])(x), jax.jacrev(lambda v: jnp.cumsum(v * v))(x)), "f32[4]")
program("hessian", lambda x: jax.hessian(lambda v: jnp.sum(jnp.exp(v) * v[::-1]) ** 2)(x), "f32[4]")
program("jvp-vjp", lambda x, t: (jax.jvp(lambda v: jnp.tanh(v @ v.T), (x,), (t,)), jax.vjp(lambda v: jnp.tanh(v @ v.T), x)[1](jnp.ones((3, 3), jnp.float32))), "f32[3,4]", "f32[3,4]")
program("vmap-matmul", lambda x, y: jax.vmap(jax.vmap(jnp.dot, (None, 0)), (0, None))(x, y), "f32[3,4]", "f32[5,4]")
program("vmap-solve", lambda a, b: jax.vmap(jnp.linalg.solve)(a, b), "f32[3,4,4]spd", "f32[3,4]")
program("vmap-while", lambda x: jax.vmap(lambda v: lax.while_loop(lambda s: s < 10, lambda s: s * 1.5, v))(x), "f32[5]+")
program("gradient-sort", lambda x: jax.grad(lambda v: jnp.sum(jnp.sort(v) * jnp.arange(7.0)))(x), "f32[7]")
program("gradient-gather", lambda x, i: jax.grad(lambda v: jnp.sum(v[i] ** 2))(x), "f32[6,2]", "s32[5]<6")
program("gradient-scatter", lambda x, i: jax.grad(lambda v: jnp.sum(jnp.zeros((6, 2)).at[i].add(v) ** 2))(x), "f32[5,2]", "s32[5]<6")
program("gradient-cumprod", lambda x: jax.grad(lambda v: jnp.sum(jnp.cumprod(v)))(x), "f32[6]+")
program("gradient-norms", lambda x: (jax.grad(lambda v: jnp.linalg.norm(v))(x), jax.grad(lambda v: jnp.max(v))(x), jax.grad(lambda v: jax.nn.logsumexp(v))(x)), "f32[5,3]")
program("gradient-while", lambda x: jax.jvp(lambda v: lax.while_loop(lambda s: s[1] < 4, lambda s: (jnp.sin(s[0]), s[1] + 1), (v, 0))[0], (x,), (jnp.ones_like(x),)), "f32[5]")
program("sgd-steps", lambda w, x, y: lax.fori_loop(0, 5, lambda i, w: w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w), w), "f32[4]", "f32[9,4]", "f32[9]")
program("adam-step", lambda w, m, v, g: (lambda m, v: (w - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v))(0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g), "f32[5,6]", "f32[5,6]", "f32[5,6]+", "f32[5,6]")
program("many-outputs", lambda x: tuple(x * k for k in range(12)), "f32[4]")
program("tuples-forwarded", lambda x, y, z: ((x, (y, x)), {"z": z, "x": x.reshape(4)}), "f32[2,2]", "s32[]", "f32[3]")
program("large-constant", lambda x: x + jnp.asarray(np.arange(300, dtype=np.float32).reshape(20, 15) ** 0.5), "f32[20,15]")
program("rng-bit-generator", lambda k: lax.rng_bit_generator(k, (5, 3), dtype=jnp.uint32), "u32[4]")
