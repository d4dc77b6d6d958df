"""Programs of jax.numpy: elementwise functions, reductions, sorting, indexing and moves."""
import jax
import jax.numpy as jnp
from jax import lax

from programs import each, program

FLOATS, REALS = "f32 bf16 f16 f64", "f32 s32 f64"

# ---- elementwise ----

for f in "sin cos tan tanh exp exp2 expm1 sinh cosh arctan arcsinh cbrt sinc fabs sign floor ceil trunc rint square negative".split():
    program(f"unary-{f}", lambda x, f=getattr(jnp, f): f(x), "f32[7,9]")
for f in "log log2 log10 log1p sqrt reciprocal".split():
    program(f"unary-{f}", lambda x, f=getattr(jnp, f): f(x) + 0 * x, "f32[7,9]+")
for f in "arcsin arccos arctanh".split():
    program(f"unary-{f}", lambda x, f=getattr(jnp, f): f(x), "f32[7,9]u")
each("bf16 f16 f64 c64 c128", "unary-several", lambda x: (jnp.exp(x), jnp.sin(x) * jnp.tanh(x), jnp.sqrt(x * x + 1), x), "T[5,8]")
each("f32 f64 s32 u8 bf16", "binary-several", lambda x, y: (x + y, x * y - x, jnp.maximum(x, y), jnp.where(x > y, x, y)), "T[6,5]", "T[6,5]")
each("s8 s16 s32 s64 u8 u16 u32 u64", "bits", lambda x, y: (x & y, x | y, x ^ y, ~x, x << 1, x >> 1, lax.population_count(x), lax.clz(x)), "T[9]", "T[9]")
each("f32 s32 s64 u32", "division", lambda x, y: (x // y, x % y, jnp.fmod(x, y)), "T[11]", "T[11]<7")
each(FLOATS, "power", lambda x, y: (x ** y, jnp.float_power(x, 2), x ** 3, x ** -2), "T[12]+", "T[12]")
each("f32 f64", "hypot", lambda x, y: (jnp.hypot(x, y), jnp.arctan2(x, y), jnp.logaddexp(x, y), jnp.logaddexp2(x, y), jnp.copysign(x, y)), "T[4,7]", "T[4,7]")
each("f32 f64", "frexp", lambda x: (*jnp.frexp(x), *jnp.modf(x), jnp.ldexp(x, 3), jnp.spacing(x), jnp.signbit(x)), "T[13]")
each("f32 bf16 f64", "nextafter", lambda x, y: jnp.nextafter(x, y), "T[9]", "T[9]")
program("gcd-lcm", lambda x, y: (jnp.gcd(x, y), jnp.lcm(x, y)), "s32[14]", "s32[14]")
program("heaviside", lambda x, y: jnp.heaviside(x, y), "f32[9]", "f32[9]")
program("isfinite", lambda x: (jnp.isfinite(x), jnp.isnan(x), jnp.isinf(x), jnp.nan_to_num(x / 0)), "f32[9]")
each("f32 bf16 c64", "identity", lambda x: x, "T[3,4]")
each("f32 s32 pred", "identity-twice", lambda x: (x, x), "T[5]")
each("f32 c64", "reshape-only", lambda x: x.reshape(-1), "T[3,4]")
each("f32 s8 f64", "transpose-only", lambda x: x.T, "T[3,7]")
program("swap", lambda x, y: (y, x), "f32[4]", "s32[2,3]")
program("constant", lambda x: (jnp.arange(5), jnp.eye(3), x), "f32[2]")
program("zeros-and-one", lambda x: (jnp.zeros((3, 4)), jnp.ones(3, jnp.int8), x + 1), "f32[]")
for a in "f32 f16 bf16 s32 u8 pred c64".split():
    program(f"convert-{a}", lambda x: tuple(x.astype(t) for t in (jnp.float32, jnp.float64, jnp.int16, jnp.bfloat16, jnp.bool_, jnp.complex128)) if x.dtype.kind != "c"
            else (x.real, x.imag, jnp.abs(x), jnp.angle(x), x.conj()), f"{a}[4,6]")
program("bitcasts", lambda x, y: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(y, jnp.float64), lax.bitcast_convert_type(x, jnp.uint8)), "f32[5]", "s64[3]")
program("reduce-precision", lambda x: (lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7)), "f32[17]")
each("f32 f16", "round", lambda x: (jnp.round(x, 1), lax.round(x), jnp.clip(x, -0.5, 0.5)), "T[21]")
program("select-several", lambda c, x, y: (jnp.where(c, x, y), jnp.where(c, 1.0, x), lax.select_n(c.astype(jnp.int32), x, y)), "pred[6]", "f32[6]", "f32[6]")
program("piecewise", lambda x: jnp.piecewise(x, [x < -0.5, x > 0.5], [lambda v: v * v, jnp.sin, 0.25]), "f32[30]")
program("long-chain", lambda x: jnp.tanh(jnp.sin(x * 2 + 1) / (1 + jnp.exp(-x)) - jnp.sqrt(jnp.abs(x))) * jnp.where(x > 0, x, 0.1 * x), "f32[257,3]")
program("polynomial-broadcast", lambda x, a, b: a[:, None] * x + b[None, :] ** 2 - x.sum(), "f32[5,6]", "f32[5]", "f32[6]")

# ---- reductions ----

each("f32 bf16 f16 f64 s32 c64", "sums", lambda x: (x.sum(), x.sum(0), x.sum(1), x.sum((0, 2)), jnp.prod(x, -1), x.mean(1)), "T[3,4,5]")
each("f32 f64 s32 bf16 u8", "extremes", lambda x: (x.max(), x.min(0), x.max(1), jnp.argmax(x), jnp.argmin(x, 0), jnp.argmax(x, 1), jnp.ptp(x, 0)), "T[6,7]")
each("f32 f64", "moments", lambda x: (x.var(), x.std(0), jnp.var(x, 1, ddof=1), jnp.mean(x, 0), jnp.average(x, 1, weights=jnp.arange(7.0))), "T[6,7]")
each("f32 f64", "nan-reductions", lambda x: tuple(getattr(jnp, f)(jnp.where(x > 1, jnp.nan, x), 0) for f in "nansum nanmean nanmax nanmin nanstd nanprod nanargmax nanmedian".split()), "T[6,7]")
program("any-all", lambda x: (x.any(), x.all(0), x.any(1), jnp.count_nonzero(x, 0)), "pred[5,6]")
each("f32 f64", "norms", lambda x: tuple(jnp.linalg.norm(x, o, axis=1) for o in (None, 1, 2, jnp.inf, 3)) + (jnp.linalg.norm(x),), "T[4,9]")
each("f32 f64", "logsumexp", lambda x: (jax.nn.logsumexp(x, 1), jax.nn.logsumexp(x), jax.nn.softmax(x, 0), jax.nn.log_softmax(x)), "T[5,11]")
each("f32 f64", "quantiles", lambda x: (jnp.quantile(x, 0.3), jnp.percentile(x, jnp.array([10.0, 50.0]), axis=0), jnp.median(x, 1)), "T[6,9]")
for m in "higher lower nearest midpoint".split():
    program(f"quantile-{m}", lambda x, m=m: jnp.quantile(x, 0.37, axis=1, method=m), "f32[4,10]")
each("f32 f64", "covariance", lambda x: (jnp.cov(x), jnp.corrcoef(x)), "T[4,12]")
program("histogram", lambda x: jnp.histogram(x, bins=6, range=(-2.0, 2.0)), "f32[50]")
program("histogram2d", lambda x, y: jnp.histogram2d(x, y, bins=4)[0], "f32[40]", "f32[40]")
program("bincount", lambda x, w: (jnp.bincount(x, length=6), jnp.bincount(x, w, length=6)), "s32[30]<6", "f32[30]")
program("digitize", lambda x: (jnp.digitize(x, jnp.array([-1.0, 0.0, 0.5])), jnp.searchsorted(jnp.array([-1.0, 0.0, 2.0]), x, side="right")), "f32[20]")
for m in "scan scan_unrolled sort compare_all".split():
    program(f"searchsorted-{m}", lambda a, v, m=m: jnp.searchsorted(a, v, method=m), "f32[17]sorted", "f32[9]")
each("f32 s32 f64", "cumulative", lambda x: (jnp.cumsum(x), jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cummin(x, 1, reverse=True)), "T[5,6]")
program("cumlogsumexp", lambda x: (lax.cumlogsumexp(x, 0), lax.cumlogsumexp(x, 1, reverse=True)), "f32[5,6]")
program("reduce-custom", lambda x: lax.reduce(x, jnp.float32(1), lambda a, b: a * 0.5 + b, (1,)) * 0 + lax.reduce(x, jnp.float32(-9), lambda a, b: jnp.where(a > b, a, b), (1,)), "f32[4,6]")
program("reduce-pairs", lambda x, y: lax.reduce((x, y), (jnp.float32(-1e9), jnp.int32(0)), lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (0,)), "f32[8,3]", "s32[8,3]")
program("trapezoid", lambda x, y: (jnp.trapezoid(y, x), jnp.gradient(y), jnp.diff(y, 2), jnp.ediff1d(y)), "f32[16]sorted", "f32[16]")
program("interp", lambda x, p, f: jnp.interp(x, p, f), "f32[12]", "f32[7]sorted", "f32[7]")
program("unwrap", lambda x: jnp.unwrap(3 * x), "f32[20]")

# ---- sorting ----

each("f32 s32 bf16 f64 u8 s64", "sort", lambda x: (jnp.sort(x), jnp.sort(x, 0), jnp.argsort(x, 0), jnp.argsort(x, descending=True)), "T[5,8]")
program("sort-complex", lambda x: jnp.sort(x), "c64[9]")
program("lexsort", lambda x, y: jnp.lexsort((x, y)), "s32[12]<4", "s32[12]<3")
program("sort-several", lambda x, y, z: lax.sort((x, y, z), num_keys=2), "s32[14]<3", "f32[14]", "u8[14]")
each("f32 s32", "top-k", lambda x: lax.top_k(x, 3), "T[4,9]")
program("approx-max-k", lambda x: lax.approx_max_k(x, 3), "f32[4,20]")
program("partition", lambda x: (jnp.partition(x, 4)[..., 4], jnp.sort(jnp.argpartition(x, 3)[..., :3])), "f32[3,9]")
each("s32 f32", "unique", lambda x: jnp.unique(x, size=8, fill_value=0), "T[20]<5" )
program("unique-inverse", lambda x: jnp.unique(x, return_inverse=True, return_counts=True, size=6, fill_value=9), "s32[15]<5")
program("set-operations", lambda x, y: (jnp.isin(x, y), jnp.intersect1d(x, y, size=4, fill_value=0), jnp.union1d(x, y, size=8, fill_value=0), jnp.setdiff1d(x, y, size=4, fill_value=0)), "s32[10]<8", "s32[6]<8")
program("nonzero", lambda x: (jnp.nonzero(x > 0, size=6), jnp.flatnonzero(x > 0.5, size=4), jnp.argwhere(x > 0, size=3)), "f32[12]")

# ---- indexing ----

each("f32 s32 c64", "take", lambda x, i: (jnp.take(x, i, 0), x[:, i], x[i, i], jnp.take_along_axis(x, i[None, :], 1)), "T[6,7]", "s32[5]<6")
for m in "fill clip wrap".split():
    program(f"take-{m}", lambda x, i, m=m: jnp.take(x, i - 3, 0, mode=m), "f32[6,3]", "s32[8]<12")
each("f32 s32 bf16", "at-set", lambda x, i, v: (x.at[i].set(v), x.at[i].add(v), x.at[i].max(v), x.at[i].min(v), x.at[i].multiply(v)), "T[9,2]", "s32[4]<9", "T[4,2]")
program("at-unique", lambda x, v: (x.at[::2].set(v), x.at[1:4, 2].add(1), x.at[-1].get(), x.at[3, 1].apply(jnp.sin)), "f32[8,4]", "f32[4,4]")
program("boolean-mask", lambda x: (jnp.where(x > 0, x, 0), jnp.extract(x > 0, x, size=5)), "f32[11]")
program("dynamic-slices", lambda x, i: (lax.dynamic_slice(x, (i, i * 0 + 1), (2, 3)), lax.dynamic_update_slice(x, jnp.ones((2, 2), x.dtype), (i, i)), lax.dynamic_index_in_dim(x, i, 1)), "f32[6,7]", "s32[]<5")
program("segment-sums", lambda x, i: (jax.ops.segment_sum(x, i, 5), jax.ops.segment_max(x, i, 5), jax.ops.segment_prod(x, i, 5)), "f32[16,2]", "s32[16]<5")
program("put-along-axis", lambda x, i, v: jnp.put_along_axis(x, i, v, 1, inplace=False), "f32[3,6]", "s32[3,2]<6", "f32[3,2]")
program("gather-windows", lambda x, i: jax.vmap(lambda k: lax.dynamic_slice(x, (k, k * 0), (3, 4)))(i), "f32[9,4]", "s32[5]<7")
program("scatter-windows", lambda x, i, u: lax.scatter_add(x, i[:, None], u, lax.ScatterDimensionNumbers((1,), (0,), (0,))), "f32[8,3]", "s32[5]<8", "f32[5,3]")
program("choose", lambda i, x: (jnp.choose(i, [x, x + 1, x * 2], mode="clip"), jnp.compress(jnp.array([True, False, True]), x, size=2)), "s32[5]<3", "f32[5]")
program("one-hot", lambda i: (jax.nn.one_hot(i, 5), jnp.eye(5)[i], jnp.tri(4, 5)), "s32[6]<5")

# ---- moves ----

each("f32 s8 f64 c64", "moves", lambda x: (jnp.flip(x, 1), jnp.roll(x, 2, 0), jnp.rot90(x), x[::2, ::-1], jnp.tile(x, (2, 1)), jnp.repeat(x, 2, 1), x.T.reshape(-1)), "T[4,6]")
each("f32 s32", "joins", lambda x, y: (jnp.concatenate([x, y]), jnp.stack([x, y], 1), jnp.hstack([x, y]), jnp.dstack([x, y]), jnp.block([[x, y], [y, x]])), "T[3,4]", "T[3,4]")
program("splits", lambda x: (*jnp.split(x, 3, 1), *jnp.array_split(x, 2, 0), *jnp.unstack(x)), "f32[3,6]")
for m in "constant edge reflect symmetric wrap linear_ramp mean maximum minimum median empty".split():
    if m != "empty":
        program(f"pad-{m}", lambda x, m=m: jnp.pad(x, ((2, 1), (1, 3)), m), "f32[4,5]")
program("pad-interior", lambda x: (lax.pad(x, jnp.float32(0), ((1, 2, 1), (0, -1, 2))), lax.pad(x, jnp.float32(3), ((-1, 0, 0), (2, 2, 0)))), "f32[4,5]")
program("moveaxis", lambda x: (jnp.moveaxis(x, 0, 2), jnp.swapaxes(x, 1, 2), x.transpose(2, 0, 1).reshape(4, -1), jnp.squeeze(x[:1]), x[:, None]), "f32[2,3,4]")
program("diagonals", lambda x: (jnp.diag(x), jnp.diagonal(x, 1), jnp.trace(x), jnp.diag(x[0]), jnp.tril(x), jnp.triu(x, 1), jnp.diagflat(x[1], 1), jnp.fill_diagonal(x, 7.0, inplace=False)), "f32[5,5]")
program("meshgrid", lambda x, y: (*jnp.meshgrid(x, y), *jnp.meshgrid(x, y, indexing="ij"), jnp.indices((2, 3))), "f32[3]", "f32[4]")
program("packbits", lambda x: (jnp.packbits(x), jnp.unpackbits(jnp.packbits(x)), jnp.packbits(x, bitorder="little")), "pred[3,11]")
program("linspace", lambda a, b: (jnp.linspace(a, b, 7), jnp.logspace(a, b, 5), jnp.geomspace(jnp.abs(a) + 1, jnp.abs(b) + 2, 4), jnp.vander(jnp.stack([a, b]), 4)), "f32[]", "f32[]")
program("windows", lambda n: tuple(w * n for w in (jnp.hanning(9), jnp.hamming(8), jnp.blackman(7), jnp.kaiser(9, 3.5), jnp.bartlett(6))), "f32[]")
program("polynomials", lambda p, q, x: (jnp.polyval(p, x), jnp.polymul(p, q), jnp.polyadd(p, q), jnp.polyder(p), jnp.polyint(p), jnp.convolve(p, q)), "f32[5]", "f32[3]", "f32[8]")
program("apply-along-axis", lambda x: (jnp.apply_along_axis(jnp.cumsum, 1, x), jnp.apply_over_axes(jnp.sum, x, [0, 1])), "f32[4,5]")
program("vectorize", lambda a, b: jnp.vectorize(jnp.dot, signature="(n),(n)->()")(a, b), "f32[3,4]", "f32[4]")
program("delete-insert", lambda x: (jnp.delete(x, jnp.array([1, 3]), assume_unique_indices=True), jnp.insert(x, 2, 5.0), jnp.append(x, x), jnp.resize(x, (3, 4))), "f32[7]")
