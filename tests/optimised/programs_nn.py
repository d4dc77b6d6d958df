"""Programs of jax.nn, jax.random, jax.image, jax.ops and jax.experimental; small models and their training steps."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import each, program

KEY = "u32[2]<9"

# ---- jax.nn ----

for f in "relu relu6 sigmoid softplus soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu celu selu gelu squareplus mish sparse_plus sparse_sigmoid".split():
    if hasattr(jax.nn, f):
        program(f"nn-{f}", lambda x, f=getattr(jax.nn, f): (f(x), jax.grad(lambda v: f(v).sum())(x)), "f32[4,9]")
each("bf16 f16 f64", "nn-several", lambda x: (jax.nn.gelu(x), jax.nn.silu(x), jax.nn.softmax(x), jax.nn.log_softmax(x), jax.nn.relu(x)), "T[4,9]")
each("f32 bf16", "nn-glu", lambda x: (jax.nn.glu(x), jax.nn.standardize(x), jax.nn.softmax(x, where=x > -1, axis=0)), "T[4,8]")
each("f32 bf16", "attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v), "T[2,5,2,8]", "T[2,6,2,8]", "T[2,6,2,8]")
program("attention-causal", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), "f32[1,6,2,4]", "f32[1,6,2,4]", "f32[1,6,2,4]")
program("attention-gradient", lambda q, k, v: jax.grad(lambda *a: jax.nn.dot_product_attention(*a).sum() ** 2, (0, 1, 2))(q, k, v), "f32[1,5,2,4]", "f32[1,5,2,4]", "f32[1,5,2,4]")


def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


each("f32 bf16", "layer-norm", layer_norm, "T[6,16]", "T[16]", "T[16]")
program("layer-norm-gradient", lambda x, g, b: jax.grad(lambda *a: (layer_norm(*a) ** 3).sum(), (0, 1, 2))(x, g, b), "f32[6,16]", "f32[16]", "f32[16]")
program("rms-norm", lambda x, g: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g, "f32[5,12]", "f32[12]")
program("batch-norm", lambda x, g, b: (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-3) * g + b, "f32[2,4,4,3]", "f32[3]", "f32[3]")
program("cross-entropy", lambda x, y: jax.value_and_grad(lambda z: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], 1)))(x), "f32[6,5]", "s32[6]<5")
program("rotary", lambda x: (lambda f: jnp.concatenate([x[..., :4] * jnp.cos(f) - x[..., 4:] * jnp.sin(f), x[..., 4:] * jnp.cos(f) + x[..., :4] * jnp.sin(f)], -1))(jnp.arange(6.0)[:, None] / 10 ** jnp.arange(4.0)), "f32[2,6,8]")
program("embedding-bag", lambda t, i: (t[i].mean(1), jax.grad(lambda e: (e[i].mean(1) ** 2).sum())(t)), "f32[9,4]", "s32[3,5]<9")


def block(x, w):
    h = layer_norm(x, 1.0, 0.0)
    q, k, v = jnp.split(h @ w["qkv"], 3, -1)
    s = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((6, 6), bool)), q @ k.swapaxes(-1, -2) / 3, -1e9))
    x = x + s @ v @ w["o"]
    return x + jax.nn.gelu(layer_norm(x, 1.0, 0.0) @ w["up"]) @ w["down"]


def transformer(x, a, b, c, d):
    return block(x, {"qkv": a, "o": b, "up": c, "down": d})


BLOCK = ("[2,6,8]", "[8,24]", "[8,8]", "[8,16]", "[16,8]")
for t in "f32 bf16".split():
    program(f"transformer-{t}", transformer, *(t + s for s in BLOCK))
program("transformer-gradient", lambda *a: jax.grad(lambda *w: (transformer(*w) ** 2).mean(), (1, 2, 3, 4))(*a), *("f32" + s for s in BLOCK))
program("transformer-scanned", lambda x, a, b, c, d: lax.scan(lambda h, w: (transformer(h, *w), None), x, (a, b, c, d))[0], "f32[1,6,8]", "f32[3,8,24]", "f32[3,8,8]", "f32[3,8,16]", "f32[3,16,8]")


def lstm(c, w, u, x):
    def cell(s, v):
        i, f, g, o = jnp.split(v @ w + s[0] @ u, 4, -1)
        m = jax.nn.sigmoid(f) * s[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(m), m), None
    return lax.scan(cell, (c, c), x)[0]


program("lstm", lstm, "f32[2,4]", "f32[3,16]", "f32[4,16]", "f32[5,2,3]")
program("lstm-gradient", lambda c, w, u, x: jax.grad(lambda w, u: lstm(c, w, u, x)[0].sum(), (0, 1))(w, u), "f32[2,4]", "f32[3,16]", "f32[4,16]", "f32[5,2,3]")


def cnn(x, w, v, d):
    h = jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = jax.nn.relu(lax.conv_general_dilated(h, v, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return h.reshape(h.shape[0], -1) @ d


CNN = ("f32[2,8,8,1]", "f32[3,3,1,4]", "f32[3,3,4,6]", "f32[24,5]")
program("cnn", cnn, *CNN)
program("cnn-step", lambda x, w, v, d: tuple(p - 0.1 * g for p, g in zip((w, v, d), jax.grad(lambda w, v, d: (cnn(x, w, v, d) ** 2).mean(), (0, 1, 2))(w, v, d))), *CNN)
program("vae", lambda x, w, k: (lambda z: jnp.tanh(z @ w.T))(jnp.tanh(x @ w) + 0.1 * jax.random.normal(k, (4, 3))), "f32[4,6]", "f32[6,3]", KEY)
program("gnn", lambda h, s, t, w: jax.nn.relu(jax.ops.segment_sum(h[s] @ w, t, 6)), "f32[6,4]", "s32[12]<6", "s32[12]<6", "f32[4,4]")
program("ssm", lambda a, b, x: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (jnp.broadcast_to(a, x.shape), b * x), axis=1)[1], "f32[4]u", "f32[4]", "f32[2,9,4]")
program("moe", lambda x, g, w: (lambda p, i: jnp.einsum("bk,bkd->bd", p, jnp.einsum("bd,bkde->bke", x, w[i])))(*lax.top_k(jax.nn.softmax(x @ g), 2)), "f32[5,4]", "f32[4,3]", "f32[3,4,4]")
program("ctc-like", lambda x: lax.scan(lambda a, r: (jax.nn.logsumexp(jnp.stack([a, jnp.roll(a, 1)]), 0) + r, a.max()), x[0], jax.nn.log_softmax(x)), "f32[6,5]")
program("kmeans", lambda x, c: lax.fori_loop(0, 4, lambda i, c: (lambda a: jax.ops.segment_sum(x, a, 3) / jnp.maximum(jax.ops.segment_sum(jnp.ones(20, jnp.float32), a, 3), 1)[:, None])(jnp.argmin(((x[:, None] - c) ** 2).sum(-1), 1)), c), "f32[20,2]", "f32[3,2]")

# ---- jax.random ----

for f in "bits uniform normal bernoulli exponential gumbel laplace logistic cauchy rademacher truncated_normal".split():
    how = {"bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (3, 7)), "truncated_normal": lambda k: jax.random.truncated_normal(k, -1, 1, (3, 7)),
           "bits": lambda k: (jax.random.bits(k, (3, 7)), jax.random.bits(k, (5,), jnp.uint8), jax.random.bits(k, (4,), jnp.uint64))}
    program(f"random-{f}", how.get(f, lambda k, f=getattr(jax.random, f): f(k, (3, 7))), KEY)
for t in "float64 bfloat16 float16".split():
    program(f"random-{t}", lambda k, t=t: (jax.random.uniform(k, (9,), t), jax.random.normal(k, (9,), t)), KEY)
for f in "gamma beta dirichlet poisson t categorical choice permutation multivariate_normal pareto rayleigh weibull_min maxwell orthogonal ball".split():
    how = {"gamma": lambda k: jax.random.gamma(k, 1.7, (5,), jnp.float32), "beta": lambda k: jax.random.beta(k, 1.5, 2.5, (5,), jnp.float32),
           "dirichlet": lambda k: jax.random.dirichlet(k, jnp.array([1.0, 2, 3], jnp.float32), (2,), jnp.float32), "poisson": lambda k: jax.random.poisson(k, 3.0, (6,)),
           "t": lambda k: jax.random.t(k, 4.0, (5,), jnp.float32), "categorical": lambda k: jax.random.categorical(k, jnp.arange(4.0), shape=(6,)),
           "choice": lambda k: (jax.random.choice(k, 9, (5,), replace=False), jax.random.choice(k, 5, (4,), p=jnp.ones(5) / 5)),
           "permutation": lambda k: (jax.random.permutation(k, 9), jax.random.permutation(k, jnp.arange(12).reshape(4, 3))),
           "multivariate_normal": lambda k: jax.random.multivariate_normal(k, jnp.zeros(3, jnp.float32), jnp.eye(3, dtype=jnp.float32) * 2, (2,)),
           "pareto": lambda k: jax.random.pareto(k, 2.0, (5,)), "rayleigh": lambda k: jax.random.rayleigh(k, 1.0, (5,)), "weibull_min": lambda k: jax.random.weibull_min(k, 1.0, 2.0, (5,)),
           "maxwell": lambda k: jax.random.maxwell(k, (5,)), "orthogonal": lambda k: (lambda q: q @ q.T)(jax.random.orthogonal(k, 3)), "ball": lambda k: jnp.linalg.norm(jax.random.ball(k, 3, shape=(4,)), axis=-1) < 1}
    program(f"random-{f}", how[f], KEY)
program("random-keys", lambda k: (jax.random.split(k, 3), jax.random.fold_in(k, 5), jax.random.randint(k, (7,), -4, 9), jax.random.randint(k, (3,), 0, 255, jnp.uint8)), KEY)
program("random-rbg", lambda k: jax.random.uniform(jax.random.wrap_key_data(k, impl="rbg"), (4, 3)), "u32[4]<9")
program("random-dropout", lambda k, x: jnp.where(jax.random.bernoulli(k, 0.8, x.shape), x / 0.8, 0), KEY, "f32[5,6]")
program("random-walk", lambda k: lax.scan(lambda s, q: (s + jax.random.normal(q), s), 0.0, jax.random.split(k, 6)), KEY)
for f in "glorot_uniform he_normal lecun_normal truncated_normal orthogonal".split():
    if f != "orthogonal":
        program(f"initializer-{f}", lambda k, f=getattr(jax.nn.initializers, f): f()(k, (4, 5), jnp.float32), KEY)

# ---- jax.image, jax.ops, jax.experimental, others ----

for m in "nearest linear cubic lanczos3 lanczos5".split():
    program(f"resize-{m}", lambda x, m=m: (jax.image.resize(x, (7, 9, 2), m), jax.image.resize(x, (3, 2, 2), m)), "f32[5,6,2]")
program("scale-and-translate", lambda x: jax.image.scale_and_translate(x, (6, 6), (0, 1), jnp.array([1.2, 0.8]), jnp.array([0.5, -0.5]), "linear"), "f32[5,5]")
program("resize-gradient", lambda x: jax.grad(lambda v: (jax.image.resize(v, (6, 6), "linear") ** 2).sum())(x), "f32[4,4]")


def sparse_product(x, m):
    from jax.experimental import sparse
    return sparse.BCOO.fromdense(jnp.where(jnp.abs(m) > 0.5, m, 0), nse=12) @ x


program("sparse-product", sparse_product, "f32[5,3]", "f32[4,5]")


def odeint(y, t):
    from jax.experimental.ode import odeint as solve
    return solve(lambda y, t: -jnp.sin(y) * jnp.cos(t), y, t)


program("odeint", odeint, "f32[3]", "f32[4]sorted")
program("black-scholes", lambda s, k: (lambda d: s * jax.scipy.stats.norm.cdf(d) - k * jnp.exp(-0.05) * jax.scipy.stats.norm.cdf(d - 0.3))((jnp.log(s / k) + 0.095) / 0.3), "f32[20]+", "f32[20]+")
program("nbody", lambda x, v: lax.fori_loop(0, 5, lambda i, s: (lambda d: (s[0] + 0.01 * s[1], s[1] - 0.01 * (d / ((d ** 2).sum(-1, keepdims=True) + 0.1) ** 1.5).sum(1)))(s[0][:, None] - s[0]), (x, v)), "f32[6,3]", "f32[6,3]")
program("heat", lambda x: lax.fori_loop(0, 10, lambda i, u: u.at[1:-1, 1:-1].add(0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])), x), "f32[9,8]")
program("hmm", lambda t, e, o: lax.scan(lambda a, y: ((a @ t) * e[:, y] / ((a @ t) * e[:, y]).sum(), a), jnp.ones(3, jnp.float32) / 3, o), "f32[3,3]u", "f32[3,4]u", "s32[6]<4")
program("viterbi", lambda t, e, o: lax.scan(lambda a, y: (lambda s: (s.max(0) + e[:, y], s.argmax(0)))(a[:, None] + t), e[:, 0], o), "f32[3,3]", "f32[3,4]", "s32[6]<4")
program("edit-distance", lambda a, b: lax.scan(lambda row, x: (
    jnp.concatenate([row[:1] + 1, lax.scan(lambda left, p: (lambda c: (c, c))(jnp.minimum(jnp.minimum(left + 1, p[1] + 1), p[0] + (p[2] != x))), row[0] + 1, (row[:-1], row[1:], b))[1]]), 0), jnp.arange(6), a)[0][-1], "s64[7]<3", "s64[5]<3")
program("metropolis", lambda k: lax.scan(lambda s, q: ((lambda p: jnp.where(jnp.log(jax.random.uniform(q)) < s * s - p * p, p, s))(s + jax.random.normal(q)), s), jnp.zeros(()), jax.random.split(k, 5))[1], KEY)
program("numerics-mixed", lambda x, y: ((x.astype(jnp.bfloat16) @ y.astype(jnp.bfloat16)).astype(jnp.float32) + x.sum(), (x.astype(jnp.float16) * 2).astype(jnp.float64)), "f32[4,5]", "f32[5,4]")
program("quantised", lambda x, w: lax.dot_general(jnp.clip(jnp.round(x / 0.05), -127, 127).astype(jnp.int8), w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) * 0.05, "f32[4,6]", "s8[6,5]-")
program("small-integers", lambda x: (x.astype(jnp.int4), x.astype(jnp.uint4).astype(jnp.int32) + 1, x.astype(jnp.float8_e4m3fn).astype(jnp.float32), x.astype(jnp.float8_e5m2)), "s32[11]")
