#!/usr/bin/env python3
"""Linear algebra as JAX lowers it for CPU, run by hlo-run, against NumPy.

    lapack_by_jax.py HLO_RUN FOLDER

Lowers a function per LAPACK family and element type to HLO text, runs it on random matrices, and checks
what defines the factors (A = QR, Q'Q = 1, ...) and, where it is unique, NumPy's own result. Prints the cases
that fail and ends with `N passed, N failed, N skipped`. Called by lapack.bats; needs jax.
"""
import os, subprocess, sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp, numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
hlo_run, directory = sys.argv[1:3]
rng = np.random.default_rng(1)


def matrix(dtype, *dims):
    a = rng.standard_normal(dims)
    if np.issubdtype(dtype, np.complexfloating):
        a = a + 1j * rng.standard_normal(dims)
    return a.astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def run(f, *inputs):
    text = jax.jit(f).lower(*inputs).compiler_ir("hlo").as_hlo_text()
    module = os.path.join(directory, "m.hlo")
    with open(module, "w") as file:
        file.write(text)
    names = []
    for k, a in enumerate(inputs):
        names.append(os.path.join(directory, f"in{k}.npy"))
        np.save(names[-1], a)
    out = os.path.join(directory, "out.npz")
    subprocess.run([hlo_run, module, *names, "-o", out], check=True)
    results = np.load(out)
    return [results[f"out{k}"] for k in range(len(results.files))]


def near(dtype, *pairs):
    bound = 5e4 * np.finfo(dtype).eps
    for got, want in pairs:
        assert got.shape == want.shape, (got.shape, want.shape)
        error = np.abs(got - want).max(initial=0)
        assert error <= bound * (1 + np.abs(want).max(initial=0)), f"off by {error:.3g}"


def identity(n, like):
    return np.broadcast_to(np.eye(n), like.shape[:-2] + (n, n))


def cholesky(t):
    a = matrix(t, 2, 5, 5)
    a = a @ adjoint(a) + 5 * np.eye(5, dtype=t)
    near(t, (run(jnp.linalg.cholesky, a)[0], np.linalg.cholesky(a)))


def qr(t):
    for m, n in ((6, 4), (4, 6), (3, 3)):
        a = matrix(t, 2, m, n)
        q, r = run(lambda a: tuple(jnp.linalg.qr(a)), a)
        near(t, (q @ r, a), (adjoint(q) @ q, identity(q.shape[-1], q)), (np.tril(r, -1), 0 * r))
    q, r = run(lambda a: tuple(jnp.linalg.qr(a, mode="complete")), matrix(t, 6, 4))
    near(t, (adjoint(q) @ q, np.eye(6)))


def pivoted_qr(t):
    a = matrix(t, 6, 4)
    q, r, p = run(lambda a: jax.scipy.linalg.qr(a, pivoting=True, mode="economic"), a)
    near(t, (q @ r, a[:, p]))


def multiply_by_q(t):
    a, c = matrix(t, 6, 4), matrix(t, 6, 3)

    from jax._src.lax.linalg import geqrf, ormqr

    def f(a, c):
        packed, taus = geqrf(a)
        return ormqr(packed, taus, c), ormqr(packed, taus, c, transpose=True)

    q = np.linalg.qr(a, mode="complete")[0]
    near(t, *zip(run(f, a, c), (q @ c, adjoint(q) @ c)))


def lu(t):
    a = matrix(t, 2, 5, 5)
    p, l, u = run(jax.scipy.linalg.lu, a[0])
    near(t, (p @ l @ u, a[0]))
    near(t, (run(jnp.linalg.det, a)[0], np.linalg.det(a)), (run(jnp.linalg.inv, a)[0], np.linalg.inv(a)))
    b = matrix(t, 2, 5, 3)
    near(t, (run(jnp.linalg.solve, a, b)[0], np.linalg.solve(a, b)))


def triangular_solve(t):
    a, b = np.tril(matrix(t, 4, 4)) + 4 * np.eye(4, dtype=t), matrix(t, 4, 3)
    for trans, op in ((0, a), (1, a.T), (2, adjoint(a))):
        f = lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True, trans=trans)
        near(t, (run(f, a, b)[0], np.linalg.solve(op, b)))


def eigh(t):
    a = matrix(t, 2, 5, 5)
    a = a + adjoint(a)
    w, v = run(lambda a: tuple(jnp.linalg.eigh(a)), a)
    near(t, (w, np.linalg.eigvalsh(a)), (a @ v, v * w[..., None, :]), (adjoint(v) @ v, identity(5, v)))


def tridiagonal(t):
    a = matrix(t, 5, 5)
    a = a + adjoint(a)
    d, e = run(lambda a: lax.linalg.tridiagonal(a)[1:3], a)
    t3 = np.diag(d) + np.diag(e, 1) + np.diag(e.conj(), -1)
    near(t, (np.linalg.eigvalsh(t3), np.linalg.eigvalsh(a)))


def svd(t):
    for m, n in ((6, 4), (4, 6)):
        a = matrix(t, 2, m, n)
        u, s, v = run(lambda a: tuple(jnp.linalg.svd(a, full_matrices=False)), a)
        near(t, (s, np.linalg.svd(a, compute_uv=False)), ((u * s[..., None, :]) @ v, a))
        full = run(lambda a: tuple(jnp.linalg.svd(a)), a)
        near(t, (adjoint(full[0]) @ full[0], identity(m, a)), (full[2] @ adjoint(full[2]), identity(n, a)))
        near(t, (run(lambda a: jnp.linalg.svd(a, compute_uv=False), a)[0], s))
        by_qr = run(lambda a: lax.linalg.svd(a, algorithm=lax.linalg.SvdAlgorithm.QR), a)
        near(t, (by_qr[0], s) if by_qr[0].ndim == 2 else (by_qr[1], s))


def eig(t):
    a = matrix(t, 5, 5)
    w, v = run(lambda a: tuple(jnp.linalg.eig(a)), a)
    near(t, (a @ v, v * w), (np.sort_complex(w), np.sort_complex(np.linalg.eigvals(a)).astype(w.dtype)))


def schur(t):
    a = matrix(t, 5, 5)
    s, z = run(lambda a: tuple(lax.linalg.schur(a)), a)
    near(t, (z @ s @ adjoint(z), a), (adjoint(z) @ z, np.eye(5)), (np.tril(s, -2), 0 * s))


def hessenberg(t):
    a = matrix(t, 5, 5)
    h, q = run(lambda a: jax.scipy.linalg.hessenberg(a, calc_q=True), a)
    near(t, (q @ h @ adjoint(q), a), (np.tril(h, -2), 0 * h))


def bands(t, n, zero):
    lower, middle, upper = matrix(t, n), matrix(t, n) + 4, matrix(t, n)
    lower[0] = upper[-1] = 0
    if zero: middle[zero] = 0
    dense = np.diag(middle) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    return (lower, middle.astype(t), upper), dense


def tridiagonal_solve(t):
    diagonals, dense = bands(t, 6, 0)
    b = matrix(t, 6, 2)
    near(t, (run(lax.linalg.tridiagonal_solve, *diagonals, b)[0], np.linalg.solve(dense, b)))


def tridiagonal_solve_perturbed(t):
    f = lambda *a: lax.linalg.tridiagonal_solve(*a, perturb_singular=True)
    for zero in (0, 2):
        diagonals, dense = bands(t, 6, zero)
        b = matrix(t, 6, 2)
        near(t, (run(f, *diagonals, b)[0], np.linalg.solve(dense, b)))
    # Singular: XLA's own answer is the measure.
    ones, middle = np.zeros(3, t), np.array([2, 0, 1], t)
    for diagonals in ((ones, middle, ones), (0 * ones, 0 * middle, 0 * ones),
                      (np.array([0, 1, 0], t), np.array([1, 1, 3], t), np.array([1, 0, 0], t))):
        b = matrix(t, 3, 1)
        got, want = run(f, *diagonals, b)[0], np.asarray(jax.jit(f)(*diagonals, b))
        assert (np.abs(got - want) <= 1e-5 * np.abs(want)).all(), (got, want)


def sparse_product(t):
    dense, starts, columns = matrix(t, 4, 2), np.array([0, 2, 2, 3]), np.array([1, 0, 3])
    elements = matrix(t, 3)
    full = np.zeros((3, 4), t)
    full[0, 1], full[0, 0], full[2, 3] = elements
    for x in (dense, dense[:, 0]):
        for index in (np.int32, np.int64):
            f = lambda *a: jax.ffi.ffi_call("cpu_csr_sparse_dense_ffi", jax.ShapeDtypeStruct((full @ x).shape, t))(*a)
            near(t, (run(f, elements, starts.astype(index), columns.astype(index), x)[0], full @ x))


CASES = [cholesky, qr, pivoted_qr, multiply_by_q, lu, triangular_solve, eigh, tridiagonal, svd, eig, schur,
         hessenberg, tridiagonal_solve, tridiagonal_solve_perturbed, sparse_product]
passed = failed = 0
for case in CASES:
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        try:
            case(dtype)
            passed += 1
        except Exception as why:
            failed += 1
            print(f"{case.__name__} {dtype.__name__}: {type(why).__name__}: {why}")
print(f"{passed} passed, {failed} failed, 0 skipped")
