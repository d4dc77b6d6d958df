#!/usr/bin/env python3
"""Writes lapack.tar.gz: programs of JAX that call LAPACK, of real and complex matrices, with the gradients of jax.vjp.

    tests/autodiff/gradients/make-lapack.py [NAME...]       needs jax; NAME: only looks at these, writes nothing

tests/autodiff/autodiff.bats runs the cases.
"""
import os
import sys

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np

from dumped import case_files, write

here = os.path.dirname(os.path.abspath(__file__))
chance = np.random.default_rng(5)


def some(*shape, kind):
    real = chance.standard_normal(shape)
    return real + 1j * chance.standard_normal(shape) if kind == "z" else real


def positive(n, *batch, kind):
    a = some(*batch, n, n, kind=kind)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)


def like(result):
    return some(*result.shape, kind="z" if np.iscomplexobj(result) else "d")


def solve(lower, form):
    return lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=lower, trans=form)


def tridiagonal(below, on, above, b):
    return jax.lax.linalg.tridiagonal_solve(below.at[0].set(0), on, above.at[-1].set(0), b)


# Of wide matrices jax 0.10's rule takes the columns before they were exchanged, and batches fail: see autodiff/pivoted.hlo.
def pivoted(a):
    return jax.lax.linalg.qr(a, pivoting=True, full_matrices=False)[:2]


def functions(k):
    yield "cholesky", jnp.linalg.cholesky, [positive(4, kind=k)]
    yield "cholesky-batch", jnp.linalg.cholesky, [positive(3, 2, kind=k)]
    yield "cholesky-upper", lambda a: jnp.linalg.cholesky(a, upper=True), [positive(3, kind=k)]
    for lower in (False, True):
        for form in range(3):
            yield f"trsm-{int(lower)}-{form}", solve(lower, form), [some(3, 3, kind=k) + 3 * np.eye(3), some(3, 2, kind=k)]
    yield "trsm-right-unit", lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=False, lower=True, unit_diagonal=True), [
        some(3, 3, kind=k), some(2, 3, kind=k)]
    for m, n in ((4, 4), (5, 3), (3, 5)):
        yield f"lu-{m}-{n}", lambda a: jax.lax.linalg.lu(a)[0], [some(m, n, kind=k)]
        yield f"singular-values-{m}-{n}", lambda a: jnp.linalg.svd(a, compute_uv=False), [some(m, n, kind=k)]
        yield f"svd-{m}-{n}", lambda a: jnp.linalg.svd(a, full_matrices=False), [some(m, n, kind=k)]
        if m >= n:
            yield f"qr-{m}-{n}", jnp.linalg.qr, [some(m, n, kind=k)]
            yield f"qr-only-q-{m}-{n}", lambda a: jnp.linalg.qr(a)[0], [some(m, n, kind=k)]
            yield f"qr-only-r-{m}-{n}", lambda a: jnp.linalg.qr(a)[1], [some(m, n, kind=k)]
            yield f"qr-pivoted-{m}-{n}", pivoted, [some(m, n, kind=k)]
            yield f"qr-pivoted-only-r-{m}-{n}", lambda a: pivoted(a)[1], [some(m, n, kind=k)]
    yield "lu-batch", lambda a: jax.lax.linalg.lu(a)[0], [some(2, 4, 4, kind=k)]
    yield "qr-batch", jnp.linalg.qr, [some(2, 4, 3, kind=k)]
    yield "svd-batch", lambda a: jnp.linalg.svd(a, full_matrices=False), [some(2, 4, 3, kind=k)]
    yield "eigh", jnp.linalg.eigh, [positive(4, kind=k)]
    yield "eigh-upper-batch", lambda a: jnp.linalg.eigh(a, UPLO="U"), [positive(3, 2, kind=k)]
    yield "eigenvalues-hermitian", jnp.linalg.eigvalsh, [positive(4, kind=k)]
    yield "eigenvalues", jnp.linalg.eigvals, [some(4, 4, kind=k)]
    yield "solve", jnp.linalg.solve, [some(4, 4, kind=k), some(4, 2, kind=k)]
    yield "tridiagonal", tridiagonal, [some(5, kind=k), some(5, kind=k) + 4, some(5, kind=k), some(5, 2, kind=k)]
    if k == "d":
        yield "determinant", jnp.linalg.det, [some(4, 4, kind=k)]
        yield "inverse", jnp.linalg.inv, [some(4, 4, kind=k)]
        yield "pseudo-inverse", jnp.linalg.pinv, [some(4, 3, kind=k)]
        yield "spectral-norm", lambda a: jnp.linalg.norm(a, 2), [some(4, 3, kind=k)]


def main():
    wanted = sys.argv[1:]
    named = [(f"{name}-{kind}", f, arguments) for kind in "dz" for name, f, arguments in functions(kind)]
    cases = ((name, case_files(name, f, arguments, like)) for name, f, arguments in named if not wanted or name in wanted)
    write(os.devnull if wanted else os.path.join(here, "lapack.tar.gz"), cases)


if __name__ == "__main__":
    main()
