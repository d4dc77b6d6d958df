"""Cases of elementwise operations. The numbers keep away from where slopes jump and from poles."""
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradients import ALL, COMPLEX, REAL, SMALL, TYPES, case, given, integers, some

# ---- of one operand ----

ANY = [-2, -1.25, -0.5, 0.75, 1.5, 3]
INNER = [-0.75, -0.5, -0.25, 0.25, 0.375, 0.625]
POSITIVE = [0.25, 0.5, 0.75, 1.25, 2, 3]
BELOW_TWO = [-2, -1.25, -0.5, 0.75, 1.5, 2]
ABOVE_ONE = [1.25, 1.5, 1.75, 2, 2.5, 3.5]

UNARY = [
    ("abs", lax.abs, ANY, ALL),
    ("acos", lax.acos, INNER, ALL),
    ("acosh", lax.acosh, ABOVE_ONE, ALL),
    ("asin", lax.asin, INNER, ALL),
    ("asinh", lax.asinh, ANY, ALL),
    ("atanh", lax.atanh, INNER, ALL),
    ("cbrt", lax.cbrt, ANY, REAL),
    ("cosh", lax.cosh, ANY, ALL),
    ("cosine", lax.cos, ANY, ALL),
    ("erf", lax.erf, INNER, REAL),
    ("exponential", lax.exp, BELOW_TWO, ALL),
    ("exponential-minus-one", lax.expm1, BELOW_TWO, ALL),
    ("log", lax.log, POSITIVE, ALL),
    ("log-plus-one", lax.log1p, POSITIVE, ALL),
    ("logistic", lax.logistic, ANY, ALL),
    ("negate", lax.neg, ANY, ALL),
    ("rsqrt", lax.rsqrt, POSITIVE, ALL),
    ("sine", lax.sin, ANY, ALL),
    ("sinh", lax.sinh, ANY, ALL),
    ("sqrt", lax.sqrt, POSITIVE, ALL),
    ("tan", lax.tan, INNER, ALL),
    ("tanh", lax.tanh, INNER, ALL),
]


def with_parts(values):
    """Complex numbers have imaginary parts, too."""
    def make(kind):
        real = np.array(values)
        return (real + 1j * np.roll(real, 2) if kind in COMPLEX else real).astype(TYPES[kind])
    return make


for name, function, values, types in UNARY:
    case(name, "", {"x": with_parts(values)}, f"ROOT r = {name}(x)", function, types)

case("reduce-precision", "", {"x": given(ANY)}, "ROOT r = T[6] reduce-precision(x), exponent_bits=5, mantissa_bits=2",
     lambda x: lax.reduce_precision(x, 5, 2), REAL)

for name, function in (("real", lax.real), ("imag", lax.imag)):
    case(name, "", {"x": with_parts(ANY)}, f"ROOT r = P[6] {name}(x)", function, COMPLEX)
case("real", "of real numbers", {"x": given(ANY)}, "ROOT r = T[6] real(x)", lambda x: x + 0, REAL)
case("imag", "of real numbers", {"x": given(ANY)}, ["i = T[6] imag(x)", "ROOT r = add(x, i)"], lambda x: x + 0, REAL)

# ---- of two ----

BINARY = [
    ("add", lax.add, ANY, ALL),
    ("atan2", lax.atan2, ANY, REAL),
    ("divide", lax.div, ANY, ALL),
    ("multiply", lax.mul, ANY, ALL),
    ("subtract", lax.sub, ANY, ALL),
    ("power", lax.pow, POSITIVE, ALL),
    ("maximum", lax.max, ANY, REAL),
    ("minimum", lax.min, ANY, REAL),
]
for name, function, values, types in BINARY:
    case(name, "", {"x": with_parts(values), "y": with_parts(np.roll(values, 1) * np.array([1, -1, 1, 1, -1, 1])
                                                            if values is ANY else np.roll(values, 1))},
         f"ROOT r = {name}(x, y)", function, types)

case("atan2", "complex", {"x": given([0.5 + 0.25j, 1.5 + 0.5j, 2 + 0.25j]), "y": given([1.5 + 0.25j, 0.75 - 0.5j, 0.5 + 0.5j])},
     "ROOT r = atan2(x, y)", lax.atan2, COMPLEX)
case("remainder", "", {"x": given([5.5, -3.5, 2.5, -6, 1]), "y": given([2, 1.25, -0.75, -2.5, 3])}, "ROOT r = remainder(x, y)",
     lax.rem, REAL)
case("power", "of negative numbers, with a whole exponent", {"x": given([-1.5, -0.5, 2, -2])},
     ["three = T[] constant(3)", "y = T[4] broadcast(three), dimensions={}", "ROOT r = power(x, y)"],
     lambda x: lax.pow(x, jnp.full(4, 3, x.dtype)), REAL)
case("multiply", "by itself", {"x": some(5)}, "ROOT r = multiply(x, x)", lambda x: x * x)
case("maximum", "with equal operands", {"x": given([1, 2, -1]), "y": given([1, 1, -1])}, "ROOT r = maximum(x, y)", lax.max,
     REAL)
case("complex", "", {"x": given(ANY, "f32"), "y": given(np.roll(ANY, 1), "f32")}, "ROOT r = c64[6] complex(x, y)", lax.complex,
     ["c64"])
case("complex", "", {"x": given(ANY, "f64"), "y": given(np.roll(ANY, 1), "f64")}, "ROOT r = c128[6] complex(x, y)", lax.complex,
     ["c128"])

# ---- choices ----

case("select", "", {"p": integers([1, 0, 0, 1, 1], "pred"), "x": some(5), "y": some(5, seed=1)}, "ROOT r = select(p, x, y)",
     lambda p, x, y: lax.select(p, x, y))
case("select", "by one predicate", {"p": integers(0, "pred"), "x": some(5), "y": some(5, seed=1)}, "ROOT r = select(p, x, y)",
     lambda p, x, y: lax.select(p, x, y))
case("clamp", "", {"low": given([-1, -0.5, 0.25, -2, 0.5]), "x": given([-1.5, 0.75, 3, 0.25, 0.75]), "high": given([1, 1.5, 2, 0.5, 2])},
     "ROOT r = clamp(low, x, high)", lax.clamp, REAL)
case("clamp", "by numbers", {"low": given(-0.75), "x": given(ANY), "high": given(1.25)}, "ROOT r = clamp(low, x, high)",
     lambda low, x, high: lax.clamp(jnp.broadcast_to(low, x.shape), x, jnp.broadcast_to(high, x.shape)), REAL)

# ---- other types ----


def as_type(to):
    return lambda x: lax.convert_element_type(x if not jnp.iscomplexobj(x) or to in COMPLEX else lax.real(x), TYPES[to])


for to in ALL:
    case("convert", "to " + to, {"x": with_parts([-1.5, 0.5, 0.75, 2])}, f"ROOT r = {to}[4] convert(x)", as_type(to), [t for t in ALL if t != to])
