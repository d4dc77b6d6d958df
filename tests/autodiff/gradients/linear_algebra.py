"""Cases of cholesky, triangular-solve and fft."""
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradients import COMPLEX, TYPES, case, some

WIDE = ["f32", "f64", "c64", "c128"]

# ---- cholesky ----


def positive(*batch, n=3):
    """Definite matrices; in the triangle that is not read there is something else."""
    def make(kind):
        x = np.random.default_rng(5).choice([-0.5, 0.25, 0.5, -0.25], size=(*batch, n, n))
        if kind in COMPLEX:
            x = x + 1j * np.roll(x, 1, axis=-1)
        return (x + 2 * np.eye(n)).astype(TYPES[kind])
    return make


def adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def factor(lower):
    """Reads one triangle, and the real parts of the diagonal."""
    def f(a):
        low = jnp.tril(a if lower else adjoint(a), -1)
        n = a.shape[-1]
        diagonal = jnp.real(a).astype(a.dtype) * jnp.eye(n, dtype=a.dtype)
        l = lax.linalg.cholesky(low + adjoint(low) + diagonal, symmetrize_input=False)
        return l if lower else adjoint(l)
    return f


case("cholesky", "", {"a": positive()}, "ROOT r = T[3,3] cholesky(a), lower=true", factor(True), WIDE)
case("cholesky", "upper", {"a": positive()}, "ROOT r = T[3,3] cholesky(a)", factor(False), WIDE)
case("cholesky", "in batches", {"a": positive(2, 2, n=2)}, "ROOT r = T[2,2,2,2] cholesky(a), lower=true", factor(True), ["f32", "c64"])
case("cholesky", "of numbers", {"a": positive(2, n=1)}, "ROOT r = T[2,1,1] cholesky(a), lower=true", factor(True), ["f32"])

# ---- triangular-solve ----


def solved(left, lower, unit, form):
    return lambda a, b: lax.linalg.triangular_solve(a, b, left_side=left, lower=lower, unit_diagonal=unit, transpose_a=form != "NO_TRANSPOSE",
                                                    conjugate_a=form == "ADJOINT")


def system(about, left, lower, unit, form, types, batch=(), n=3, m=2):
    b = (n, m) if left else (m, n)
    shape = ",".join(map(str, (*batch, *b)))
    case("triangular-solve", about, {"a": positive(*batch, n=n), "b": some(*batch, *b)},
         f"ROOT r = T[{shape}] triangular-solve(a, b), left_side={str(left).lower()}, lower={str(lower).lower()}, unit_diagonal={str(unit).lower()}, "
         f"transpose_a={form}", solved(left, lower, unit, form), types)


for left in (True, False):
    for lower in (True, False):
        for form in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
            about = f"{'left' if left else 'right'}, {'lower' if lower else 'upper'}, {form}"
            system(about, left, lower, False, form, WIDE if lower and left else ["f32", "c64"])
system("unit diagonal", True, True, True, "NO_TRANSPOSE", ["f32", "c64"])
system("upper unit diagonal", False, False, True, "ADJOINT", ["f32", "c64"])
system("in batches", True, True, False, "TRANSPOSE", ["f32", "c128"], (2, 2), 2, 3)

# ---- fft ----


def transformed(kind, lengths):
    axes = tuple(range(-len(lengths), 0))
    return {"FFT": lambda x: jnp.fft.fftn(x, axes=axes), "IFFT": lambda x: jnp.fft.ifftn(x, axes=axes),
            "RFFT": lambda x: jnp.fft.rfftn(x, axes=axes), "IRFFT": lambda x: jnp.fft.irfftn(x, lengths, axes=axes)}[kind]


def transform(kind, lengths, types, batch=()):
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    sizes, result = {"RFFT": (lengths, half), "IRFFT": (half, lengths)}.get(kind, (lengths, lengths))
    def text(s):
        return ",".join(map(str, (*batch, *s)))
    to = {"RFFT": {"f32": "c64", "f64": "c128"}, "IRFFT": {"c64": "f32", "c128": "f64"}}.get(kind, {})
    for of in types:
        case("fft", f"{kind} {'x'.join(map(str, lengths))}", {"x": some(*batch, *sizes)},
             f"ROOT r = {to.get(of, of)}[{text(result)}] fft(x), fft_type={kind}, fft_length={{{','.join(map(str, lengths))}}}",
             transformed(kind, lengths), [of])


for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
    real = kind == "RFFT"
    transform(kind, (6,), ["f32", "f64"] if real else ["c64", "c128"], (2,))
    for lengths in ((5,), (1,), (2,), (3, 4), (2, 3, 3)):
        transform(kind, lengths, ["f64"] if real else ["c128"])
