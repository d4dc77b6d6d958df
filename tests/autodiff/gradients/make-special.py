#!/usr/bin/env python3
"""Writes special.tar.gz: for each function of jax.scipy.special with a floating argument the module that JAX makes of it, as XLA
reads it, arguments with integers, poles and ends of domains among them, results, and the gradients that autodiff shall give for
cotangents of 1.

    tests/autodiff/gradients/make-special.py [NAME...]       needs jax and scipy; NAME: only looks at these, writes nothing

Gradients are JAX's, but where DIFFERENCES has a row. JAX differentiates many of these functions by formulas of its own, of which
nothing is in a module, so the derivative of the program is another one where the program takes a constant or a closed form. Where the
derivative by an argument is lost in whole regions that way, the grid leaves them out: a = c of hyp2f1, a = b of hyp1f1, x = 0 of both,
m = 0 of poch, a = 0 and |a| = 1 of owens_t, and integers a of gammainc and gammaincc (there a continued fraction ends after a steps).
tests/autodiff/autodiff.bats runs the cases.
"""
import math
import os
import sys

import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
import scipy.special

from dumped import case_files, write

here = os.path.dirname(os.path.abspath(__file__))

# ---- functions and their arguments ----

LINE = [-3.5, -3, -2.5, -2, -1.5, -1, -.75, -.5, -.25, 0, .25, .5, .75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10, 20, 50]
HALF = [0, .25, .5, .75, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10, 20]
UNIT = [0, .01, .1, .25, .5, .75, .9, .99, 1]
BOTH = [-2.5, -2, -1, -.5, 0, .5, 1, 2, 3.5]
UP = [0, .5, 1, 2, 3.5, 8]
ROWS = [[1, 2, 3], [0, 0, 0], [-np.inf, 1, 2], [700, 800, -3]]


def line(values):
    return [np.array(values, np.float64)]


def grid(*axes):
    return [part.ravel() for part in np.meshgrid(*[np.array(a, np.float64) for a in axes], indexing="ij")]


FUNCTIONS = {name: (getattr(special, name), line(LINE)) for name in (
    "dawsn digamma entr erf erfc erfcx exp1 expi expit factorial fresnel gamma gammaln gammasgn i0 i0e i1 i1e log_ndtr loggamma ndtr "
    "sici spence").split()}
FUNCTIONS.update({name: (getattr(special, name), grid(BOTH, BOTH)) for name in (
    "beta betaln kl_div rel_entr xlog1py xlogy").split()})
BETA_A, BETA_B, BETA_X = grid([.5, 1, 2, 3.5], [.5, 1, 2, 3.5], [0, .25, .5, .75, 1])
FUNCTIONS.update({
    "bessel_jn": (lambda x: special.bessel_jn(x, v=3), line(HALF)),
    "betainc": (lambda x: special.betainc(BETA_A, BETA_B, x), [BETA_X]),
    "boxcox": (special.boxcox, grid(UP, BOTH)),
    "boxcox1p": (special.boxcox1p, grid(UP, BOTH)),
    "comb": (special.comb, grid(UP, UP)),
    "erfinv": (special.erfinv, line([-1, -.9, -.5, -.25, 0, .25, .5, .75, .9, 1])),
    "expn": (lambda x: special.expn(2, x), line(HALF)),
    "gammainc": (special.gammainc, grid([.5, 1.5, 3.5, 7.5], UP)),
    "gammaincc": (special.gammaincc, grid([.5, 1.5, 3.5, 7.5], UP)),
    "hyp1f1": (special.hyp1f1, grid([.5, 1, 2], [.25, 1.5, 3], [-8, -1, .5, 3])),
    "hyp2f1": (special.hyp2f1, grid([.5, 1, 2], [.5, 1], [1.5, 2.5, 3], [-.5, .25, .5])),
    "log_softmax": (lambda x: special.log_softmax(x, axis=1), line(ROWS)),
    "logit": (special.logit, line(UNIT)),
    "logsumexp": (lambda x: special.logsumexp(x, axis=1), line(ROWS + [[-np.inf] * 3, [np.inf, 1, 2]])),
    "multigammaln": (lambda x: special.multigammaln(x, 3), line([1.5, 2, 2.5, 3, 4, 10])),
    "ndtri": (special.ndtri, line(UNIT)),
    "owens_t": (special.owens_t, grid(BOTH, [-2.5, -2, -.5, .5, 2, 3.5])),
    "poch": (special.poch, grid(UP, UP[1:])),
    "polygamma": (lambda x: special.polygamma(2, x), line(HALF)),
    "softmax": (lambda x: special.softmax(x, axis=1), line(ROWS)),
    "sph_harm_y": (lambda t, p: jnp.real(special.sph_harm_y(jnp.full(5, 3), jnp.full(5, 2), t, p, n_max=4)),
                   line([0, .5, 1, 2, 3]) + line([0, .5, 1, 2, 3])),
    "wofz": (lambda x: jnp.real(special.wofz(x + .5j)), line(LINE)),
    "zeta": (special.zeta, grid([1.5, 2, 3, 4.5], [.5, 1, 2, 3.5])),
})

# ---- where autodiff gives something else than JAX ----


def is_pole(x):
    return x <= 0 and x == int(x)


def psi(x):
    return math.copysign(math.inf, 1) if is_pole(x) else scipy.special.digamma(x)


def beta_slope(a, b):
    return scipy.special.beta(a, b) * (psi(a) - psi(a + b)) if not is_pole(a + b) else 0.0


def betaln_slope(a, b):
    return psi(a) - psi(a + b) if a != 0 and a + b != 0 else math.nan


# (function, number of the gradient): rows (where, what autodiff gives, why).
#   constant  the result is a constant there, of the branch that the program takes: a slope of 0
#   kink      the program goes by |x| or sign(x) there: a slope of 0
#   chance    the slopes on the way are 0 and infinite: nan
#   nan       JAX gives nan, mathematics a number; applied where JAX gives nan
#   sum       of two results, of which the program takes one for a constant there
DIFFERENCES = {
    ("beta", 0): [(lambda a, b: (a, b) in ((-2.5, 1), (-2.5, 2), (-.5, .5), (.5, -.5), (1, -2.5), (2, -2.5)), beta_slope, "nan")],
    ("beta", 1): [(lambda a, b: (a, b) in ((-2.5, 1), (-2.5, 2), (-.5, .5), (.5, -.5), (1, -2.5), (2, -2.5)),
                   lambda a, b: beta_slope(b, a), "nan")],
    ("betaln", 0): [(lambda a, b: True, betaln_slope, "nan")],
    ("betaln", 1): [(lambda a, b: True, lambda a, b: betaln_slope(b, a), "nan")],
    ("betainc", 0): [(lambda x: x in (0, 1), 0, "constant")],
    ("boxcox", 0): [(lambda x, y: x == 0 and y > 0, 0, "constant")],
    ("dawsn", 0): [(lambda x: x == 0, 0, "kink")],
    ("digamma", 0): [(is_pole, 0, "constant")],
    ("entr", 0): [(lambda x: x <= 0, 0, "constant")],
    ("exp1", 0): [(lambda x: x <= 0, 0, "constant")],
    ("expi", 0): [(lambda x: x == 0, math.nan, "chance")],
    ("expn", 0): [(lambda x: x == 0, 0, "constant")],
    ("factorial", 0): [(lambda x: is_pole(x + 1), 0, "constant")],
    ("fresnel", 0): [(lambda x: x == 0, 0, "kink"), (lambda x: abs(x) == 3, -0.03114413104158859, "sum"),
                     (lambda x: x == 5, -0.012218118002280624, "sum")],
    ("gammainc", 1): [(lambda a, x: x == 0, 0, "constant")],
    ("gammaincc", 0): [(lambda a, x: x == 0, math.nan, "chance")],
    ("gammaincc", 1): [(lambda a, x: x == 0, math.nan, "chance")],
    ("gammaln", 0): [(lambda x: is_pole(x) and x != 0, math.inf, "nan")],
    ("i0", 0): [(lambda x: x == 0, 0, "kink")],
    ("i1", 0): [(lambda x: x == 0, 0, "kink")],
    ("i1e", 0): [(lambda x: x == 0, 0, "kink")],
    ("loggamma", 0): [(is_pole, 0, "constant")],
    ("logit", 0): [(lambda x: x in (0, 1), math.nan, "chance")],
    ("poch", 0): [(lambda z, m: z == 0, 0, "nan")],
    ("polygamma", 0): [(lambda x: x == 0, 0, "constant")],
    ("sici", 0): [(lambda x: x == 0, 0, "constant")],
    ("spence", 0): [(lambda x: x in (1.25, 1.5, 2), lambda x: math.log(x) / (1 - x), "nan")],
    ("sph_harm_y", 0): [(lambda t, p: t == 0, 0, "nan")],
    ("xlog1py", 0): [(lambda x, y: x == 0, 0, "constant")],
    ("xlog1py", 1): [(lambda x, y: x == 0, 0, "constant")],
    ("xlogy", 0): [(lambda x, y: x == 0, 0, "constant")],
    ("xlogy", 1): [(lambda x, y: x == 0, 0, "constant")],
}


def expected(name, number, arguments, gradient):
    gradient = np.array(gradient)
    for where, value, why in DIFFERENCES.get((name, number), []):
        for i in range(gradient.size):
            at = [float(a.flat[i]) for a in arguments]
            if where(*at) and (why != "nan" or math.isnan(gradient.flat[i])):
                gradient.flat[i] = value(*at) if callable(value) else value
    return gradient


def main():
    wanted = sys.argv[1:]
    cases = ((name, case_files(name, f, arguments, expected=expected)) for name, (f, arguments) in sorted(FUNCTIONS.items())
             if not wanted or name in wanted)
    write(os.devnull if wanted else os.path.join(here, "special.tar.gz"), cases)


if __name__ == "__main__":
    main()
