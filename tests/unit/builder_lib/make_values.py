#!/usr/bin/env python3
"""Writes tests/unit/builder_lib/values.tsv: values of special functions by mpmath, correctly rounded to doubles.

    python3 tests/unit/builder_lib/make_values.py > tests/unit/builder_lib/values.tsv

A row is FUNCTION, operands, result, all separated by tabs; complex numbers are RE:IM. By hand; tests read what is stored.
"""
import mpmath as mp

mp.mp.dps = 40
SMALL = [0.25, 0.5, 0.75]
POINTS = [-3.5, -2.5, -1.75, -1.5, -1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6]
FAR = [0.1, -0.3, 0.7, 1e-3, -1e-3, 7.3, 9.25, 12.5]
UNIT = [-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1, 0.1, -0.3, 1e-3, -0.984375]
COMPLEX = [(x, y) for x in (-2.5, -0.5, 0.25, 1.5) for y in (-1.25, 0.5, 3)] + [(2**-9, 0.1875), (0.6875, 2**-10), (30, -40)]

UNARY = {
    "acos": (mp.acos, UNIT), "asin": (mp.asin, UNIT),
    "acosh": (mp.acosh, [1, 1.25, 1.5, 2, 3, 4, 6, 7.3, 1e3]),
    "atan": (mp.atan, POINTS + FAR), "asinh": (mp.asinh, POINTS + FAR),
    "atanh": (mp.atanh, [x for x in UNIT if abs(x) < 1]),
    "cosh": (mp.cosh, POINTS + FAR), "sinh": (mp.sinh, POINTS + FAR),
    "erfc": (mp.erfc, POINTS + FAR[:6]), "erf_inv": (mp.erfinv, [x for x in UNIT if abs(x) < 1] + [0.99609375, -0.984375]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [x for x in POINTS if x > 0 or x != int(x)] + FAR),
    "digamma": (mp.digamma, [x for x in POINTS if x > 0 or x != int(x)] + FAR),
    "bessel_i0e": (lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), POINTS + FAR + [20]),
    "bessel_i1e": (lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), POINTS + FAR + [20]),
    "round_to_even": (lambda x: mp.mpf(round(x)), [-3.5, -2.5, -1.5, 0.5, 1.25, 1.5, 2.5, 3.5]),
    "square": (lambda x: x * x, POINTS), "reciprocal": (lambda x: 1 / x, POINTS),
}
COMPLEX_UNARY = {"acos": mp.acos, "asin": mp.asin, "acosh": mp.acosh, "asinh": mp.asinh, "atanh": mp.atanh,
                 "cosh": mp.cosh, "sinh": mp.sinh, "square": lambda z: z * z, "reciprocal": lambda z: 1 / z,
                 "conj": mp.conj}
PAIRS = [(a, x) for a in (0.25, 0.5, 1, 1.5, 3, 6) for x in (0.25, 0.75, 1.5, 2.5, 4, 12)] + [(0.3, 0.1), (7.7, 3.3), (30.5, 28.25), (12.25, 40.5)]


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def by_a(a, x):
    return mp.diff(lambda t: lower(t, x), a)


def density(a, x):
    return mp.exp(-x + (a - 1) * mp.log(x) - mp.loggamma(a))


BINARY = {
    "igamma": (lower, PAIRS), "igammac": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), PAIRS),
    "igamma_grad_a": (by_a, PAIRS),
    "random_gamma_grad": (lambda a, x: -by_a(a, x) / density(a, x), PAIRS),
    "zeta": (mp.zeta, [(x, q) for x in (1.25, 1.5, 2, 3, 6) for q in (0.25, 0.5, 1, 1.75, 4)] + [(2.3, 0.7), (10.1, 12.3)]),
    "polygamma": (lambda n, x: mp.polygamma(int(n), x), [(n, x) for n in (0, 1, 2, 3, 4) for x in (0.5, 1, 1.75, 3, 6, -0.5, -1.75)] + [(2, 7.3)]),
}
BETA = [(a, b, x) for a in (0.5, 1, 3) for b in (0.25, 1.5, 4) for x in (0.25, 0.5, 0.75)] + [(2.2, 0.3, 0.9), (10.5, 20.25, 0.3), (50, 30, 0.6)]


def text(value):
    if isinstance(value, mp.mpc):
        return f"{float(value.real)!r}:{float(value.imag)!r}"
    return repr(float(value))


for name, (function, points) in UNARY.items():
    for x in points:
        print(name, repr(float(x)), text(mp.re(function(mp.mpf(x)))), sep="\t")
for name, function in COMPLEX_UNARY.items():
    for x, y in COMPLEX:
        if name == "acosh" and x < 0:
            continue  # XLA's formula has another branch there
        if name == "acos" and abs(y) > 10:
            continue  # where that formula loses half of the digits
        print(name, f"{float(x)!r}:{float(y)!r}", text(mp.mpc(function(mp.mpc(x, y)))), sep="\t")
for name, (function, points) in BINARY.items():
    for a, x in points:
        print(name, repr(float(a)), repr(float(x)), text(mp.re(function(mp.mpf(a), mp.mpf(x)))), sep="\t")
for a, b, x in BETA:
    print("regularized_incomplete_beta", *(repr(float(v)) for v in (a, b, x)),
          text(mp.betainc(a, b, 0, mp.mpf(x), regularized=True)), sep="\t")
