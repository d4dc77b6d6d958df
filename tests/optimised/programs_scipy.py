"""Programs of jax.numpy.linalg, jax.scipy and jax.lax.linalg."""
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import jax.scipy.optimize
import jax.scipy.spatial.transform
from jax import lax

from programs import each, program

LINEAR = "f32 f64 c64 c128"


def up_to_sign(v):
    """Columns of which the first element that is not small is made positive."""
    first = jnp.take_along_axis(v, jnp.argmax(jnp.abs(v), axis=-2)[..., None, :], axis=-2)
    return v * jnp.conj(first) / jnp.abs(first)


# ---- linear algebra ----

each(LINEAR, "cholesky", lambda a: jnp.linalg.cholesky(a), "T[5,5]spd")
each(LINEAR, "solve", lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.solve(a, b[:, 0])), "T[5,5]spd", "T[5,2]")
each(LINEAR, "inverse", lambda a: (jnp.linalg.inv(a), jnp.linalg.det(a), *jnp.linalg.slogdet(a)), "T[4,4]spd")
each(LINEAR, "qr", lambda a: (lambda q, r: (q, r, q @ r))(*jnp.linalg.qr(a)), "T[6,4]")
each("f32 f64", "qr-complete", lambda a: (lambda q, r: q @ r)(*jnp.linalg.qr(a, mode="complete")), "T[5,3]")
each(LINEAR, "svd", lambda a: (lambda u, s, v: (s, (u * s) @ v))(*jnp.linalg.svd(a, full_matrices=False)), "T[6,4]")
each("f32 f64", "singular-values", lambda a: (jnp.linalg.svd(a, compute_uv=False), jnp.linalg.cond(a), jnp.linalg.norm(a, 2), jnp.linalg.norm(a, "nuc"), jnp.linalg.matrix_rank(a)), "T[5,4]")
each("f32 f64", "pinv-lstsq", lambda a, b: (jnp.linalg.pinv(a), jnp.linalg.lstsq(a, b)[0]), "T[6,3]", "T[6]")
each(LINEAR, "eigh", lambda a: (lambda w, v: (w, (v * w) @ jnp.conj(v.T)))(*jnp.linalg.eigh(a)), "T[5,5]spd")
each("f32 f64", "eigvalsh", lambda a: jnp.linalg.eigvalsh(a), "T[2,4,4]spd")
each("f32 f64 c64", "eig", lambda a: jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), "T[5,5]")
each(LINEAR, "lu", lambda a: (lambda lu, p, q: (lu, p, q))(*lax.linalg.lu(a)), "T[5,5]")
each("f32 c64", "lu-batched", lambda a: lax.linalg.lu(a)[0], "T[3,4,6]")
each(LINEAR, "triangular-solve", lambda a, b: (jsp.linalg.solve_triangular(a, b, lower=True), jsp.linalg.solve_triangular(a, b, trans=1), lax.linalg.triangular_solve(a, b.T, lower=True, unit_diagonal=True)), "T[5,5]spd", "T[5,3]")
each("f32 f64", "cho-solve", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), "T[5,5]spd", "T[5,2]")
each("f32 f64", "lu-solve", lambda a, b: (jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b), jsp.linalg.lu(a)[1:]), "T[5,5]", "T[5]")
each("f32 f64", "expm", lambda a: jsp.linalg.expm(a), "T[4,4]")
program("schur", lambda a: (lambda t, z: z @ t @ z.T)(*jsp.linalg.schur(a)), "f32[4,4]")
program("sqrtm", lambda a: jsp.linalg.sqrtm(a), "f32[3,3]spd")
program("polar", lambda a: jsp.linalg.polar(a), "f32[4,4]spd")
program("hessenberg", lambda a: (lambda h, q: jnp.sort(jnp.abs(jnp.linalg.eigvals(h))))(*jsp.linalg.hessenberg(a, calc_q=True)), "f32[4,4]")
program("tridiagonal-solve", lambda d, b: lax.linalg.tridiagonal_solve(0.3 * d, d + 2, 0.2 * d, b), "f32[7]u", "f32[7,2]")
program("eigh-tridiagonal", lambda d, e: jsp.linalg.eigh_tridiagonal(d, e, eigvals_only=True), "f32[6]", "f32[5]")
program("householder", lambda a: lax.linalg.householder_product(a, jnp.full(3, 0.5, jnp.float32)), "f32[5,3]")
program("structured", lambda x: (jsp.linalg.toeplitz(x), jsp.linalg.block_diag(x[:2, None], x[None]), jsp.linalg.hilbert(4), jsp.linalg.pascal(4) * x[0]), "f32[5]")
each("f32 f64", "cholesky-gradient", lambda a: jax.grad(lambda m: jnp.linalg.cholesky(m).sum())(a), "T[4,4]spd")
each("f32 f64", "solve-gradient", lambda a, b: jax.grad(lambda m: jnp.linalg.solve(m, b).sum())(a), "T[4,4]spd", "T[4]")
program("qr-gradient", lambda a: jax.grad(lambda m: jnp.abs(jnp.linalg.qr(m)[1]).sum())(a), "f32[4,4]")
program("svd-gradient", lambda a: jax.grad(lambda m: jnp.linalg.svd(m, compute_uv=False).sum())(a), "f32[4,3]")
program("eigh-gradient", lambda a: jax.grad(lambda m: (jnp.linalg.eigh(m)[0] ** 2).sum())(a), "f32[4,4]spd")
program("logdet-gradient", lambda a: jax.grad(lambda m: jnp.linalg.slogdet(m)[1])(a), "f32[4,4]spd")
program("inverse-batched", lambda a: (jnp.linalg.inv(a), jnp.linalg.cholesky(a), jnp.linalg.qr(a)[1], jnp.linalg.svd(a)[1]), "f32[3,3,3]spd")
program("least-squares", lambda a, b: jnp.linalg.lstsq(a, b)[0], "f64[8,3]", "f64[8,2]")
program("cg", lambda a, b: jsp.sparse.linalg.cg(a, b)[0], "f32[5,5]spd", "f32[5]")
program("gmres", lambda a, b: jsp.sparse.linalg.gmres(lambda v: a @ v, b, tol=1e-6)[0], "f32[5,5]spd", "f32[5]")
program("bicgstab", lambda a, b: jsp.sparse.linalg.bicgstab(a, b)[0], "f32[5,5]spd", "f32[5]")
program("power-iteration", lambda a, v: lax.fori_loop(0, 20, lambda i, u: (lambda w: w / jnp.linalg.norm(w))(a @ u), v), "f32[5,5]spd", "f32[5]")
program("gram-schmidt", lambda a: jax.vmap(lambda v: v / jnp.linalg.norm(v))(jnp.linalg.qr(a)[0].T @ a), "f32[5,3]")
program("gaussian-process", lambda x, y: (lambda k: y @ jsp.linalg.cho_solve((jnp.linalg.cholesky(k), True), y))(jnp.exp(-0.5 * (x[:, None] - x) ** 2) + 0.1 * jnp.eye(8)), "f32[8]", "f32[8]")
program("kalman-step", lambda m, p, z: (lambda s: (m + p @ jnp.linalg.solve(s, z - m), p - p @ jnp.linalg.solve(s, p)))(p + jnp.eye(3)), "f32[3]", "f32[3,3]spd", "f32[3]")

# ---- special functions ----

for f in "gammaln digamma erf erfc erfinv expit log_ndtr ndtr i0 i0e i1 i1e entr spence exp1 expi factorial sinc".split():
    if hasattr(jsp.special, f):
        program(f"special-{f}", lambda x, f=getattr(jsp.special, f): f(x), "f32[11]u")
for f in "logit ndtri erfcinv".split():
    if hasattr(jsp.special, f):
        program(f"special-{f}", lambda x, f=getattr(jsp.special, f): f(x), "f32[11]u")
for f in "gammainc gammaincc xlogy xlog1py beta betaln kl_div rel_entr zeta polygamma poch".split():
    if hasattr(jsp.special, f):
        program(f"special-{f}", lambda x, y, f=getattr(jsp.special, f): f(jnp.arange(7) // 3 + 1 if f is jsp.special.polygamma else x + (2 if f is jsp.special.zeta else 0), y), "f32[7]+", "f32[7]+")
program("special-betainc", lambda a, b, x: jsp.special.betainc(a, b, x), "f32[7]+", "f32[7]+", "f32[7]u")
program("special-f64", lambda x: (jsp.special.gammaln(x), jsp.special.erf(x), jsp.special.digamma(x), jsp.special.i0e(x), jsp.special.erfinv(x / 2), jsp.special.gammainc(x, 1 + x)), "f64[8]+")
program("special-expn", lambda x: (jsp.special.expn(2, x), jsp.special.multigammaln(x + 3, 2), jsp.special.logsumexp(x, b=x), jsp.special.softmax(x)), "f32[6]+")
program("special-bessel", lambda x: jsp.special.bessel_jn(x, v=3, n_iter=20), "f32[5]+")
program("special-gradients", lambda x: tuple(jax.grad(lambda v: f(v).sum())(x) for f in (jsp.special.gammaln, jsp.special.erf, jsp.special.ndtr, jsp.special.i0, jsp.special.logit)), "f32[6]u")

# ---- statistics, signals, images ----

for f in "norm cauchy laplace logistic expon".split():
    program(f"stats-{f}", lambda x, d=getattr(jsp.stats, f): (d.logpdf(x), d.pdf(x), d.cdf(x)), "f32[9]+")
for f in "gamma t chi2 dirichlet pareto poisson geom".split():
    if f in ("gamma", "t", "chi2", "pareto"):
        program(f"stats-{f}", lambda x, a, d=getattr(jsp.stats, f): d.logpdf(x + 1, a), "f32[9]+", "f32[9]+")
program("stats-beta", lambda x, a, b: jsp.stats.beta.logpdf(x, a, b), "f32[9]u", "f32[9]+", "f32[9]+")
program("stats-discrete", lambda k, m: (jsp.stats.poisson.logpmf(k, m), jsp.stats.geom.logpmf(k + 1, 0.3), jsp.stats.bernoulli.logpmf(k % 2, 0.4), jsp.stats.nbinom.logpmf(k, 3.0, 0.5)), "s32[8]", "f32[8]+")
program("stats-multivariate", lambda x, m, c: jsp.stats.multivariate_normal.logpdf(x, m, c), "f32[4,3]", "f32[3]", "f32[3,3]spd")
program("stats-kde", lambda x, p: jsp.stats.gaussian_kde(x)(p), "f32[12]", "f32[5]")
program("stats-rankdata", lambda x: (jsp.stats.rankdata(x), jsp.stats.mode(x).mode, jsp.stats.sem(x)), "f32[11]")
program("stats-truncnorm", lambda x: (jsp.stats.truncnorm.logpdf(x, 0.0, 2.0), jsp.stats.norm.ppf(x / 2), jsp.stats.norm.sf(x)), "f32[7]u")
program("convolve2d", lambda x, k: (jsp.signal.convolve2d(x, k, "same"), jsp.signal.correlate2d(x, k, "valid")), "f32[7,8]", "f32[3,3]")
program("fftconvolve", lambda x, y: jsp.signal.fftconvolve(x, y), "f32[20]", "f32[9]")
program("detrend", lambda x: (jsp.signal.detrend(x), jsp.signal.convolve(x, x)), "f32[16]")
program("stft", lambda x: jsp.signal.stft(x, nperseg=8), "f32[40]")
program("istft", lambda x: jsp.signal.istft(jsp.signal.stft(x, nperseg=8)[2], nperseg=8), "f32[40]")
program("welch", lambda x: jsp.signal.welch(x, nperseg=16), "f32[64]")
program("map-coordinates", lambda x, c: (jsp.ndimage.map_coordinates(x, c, order=1), jsp.ndimage.map_coordinates(x, c, order=0, mode="wrap")), "f32[6,7]", "f32[2,9]+")
program("vq", lambda x, c: jsp.cluster.vq.vq(x, c), "f32[9,2]", "f32[3,2]")
program("integrate", lambda x: jsp.integrate.trapezoid(x, dx=0.1), "f32[20]")
program("rotation", lambda q, v: jsp.spatial.transform.Rotation.from_quat(q / jnp.linalg.norm(q)).apply(v), "f32[4]", "f32[3]")
program("grid-interpolator", lambda x, v, p: jsp.interpolate.RegularGridInterpolator((x, x), v)(jnp.clip(p, x[0], x[-1])), "f32[5]sorted", "f32[5,5]", "f32[6,2]u")
program("bfgs", lambda x: jsp.optimize.minimize(lambda v: jnp.sum((v - 1.5) ** 2) + jnp.sum(v) ** 2, x, method="BFGS").x, "f32[3]")
program("dct", lambda x: (jsp.fft.dct(x), jsp.fft.idct(x), jsp.fft.dctn(x)), "f32[4,8]")
