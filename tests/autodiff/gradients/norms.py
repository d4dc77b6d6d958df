"""Cases of batch normalisations. JAX has no such operations: they are written out, in f32 where the type is smaller, as they are
computed."""
import jax.numpy as jnp

from gradients import REAL, case, some

EPSILON = 0.125


def wide(f):
    def g(*arrays):
        kind = arrays[0].dtype
        small = jnp.finfo(kind).bits < 32
        results = f(*[a.astype(jnp.float32) if small else a for a in arrays])
        return [r.astype(kind) for r in results] if isinstance(results, tuple) else results.astype(kind)
    return g


def others(x, feature):
    return tuple(d for d in range(x.ndim) if d != feature)


def spread(a, x, feature):
    return a.reshape([-1 if d == feature else 1 for d in range(x.ndim)])


def inference(feature):
    def f(x, scale, offset, mean, variance):
        centred = x - spread(mean, x, feature)
        return centred * spread(scale / jnp.sqrt(variance + EPSILON), x, feature) + spread(offset, x, feature)
    return f


def training(feature):
    def f(x, scale, offset):
        mean = x.mean(others(x, feature))
        variance = ((x - spread(mean, x, feature)) ** 2).mean(others(x, feature))
        return inference(feature)(x, scale, offset, mean, variance), mean, variance
    return f


def grad(feature):
    def f(x, scale, mean, variance, c):
        dims, inverse = others(x, feature), 1 / jnp.sqrt(variance + EPSILON)
        count = x.size // x.shape[feature]
        y = (x - spread(mean, x, feature)) * spread(inverse, x, feature)
        dscale, doffset = (c * y).sum(dims), c.sum(dims)
        inner = c - spread(doffset / count, x, feature) - y * spread(dscale / count, x, feature)
        return inner * spread(scale * inverse, x, feature), dscale, doffset
    return f


POSITIVE = [0.5, 0.75, 1, 1.5, 2]
PARTS = {"scale": some(2, among=[0.5, 1, 1.5]), "offset": some(2, seed=1), "mean": some(2, seed=2, among=[-0.5, 0.25, 0.5]),
         "variance": some(2, seed=3, among=POSITIVE)}
ATTRS = f"epsilon={EPSILON}, feature_index="


def parts(*names):
    return {name: PARTS[name] for name in names}


for feature, shape, types in ((1, (3, 2), REAL), (0, (2, 2, 3), ["f32", "f64"])):
    x = {"x": some(*shape, distinct=True)}
    about = f"of dimension {feature}"
    case("batch-norm-inference", about, x | parts("scale", "offset", "mean", "variance"),
         f"ROOT r = batch-norm-inference(x, scale, offset, mean, variance), {ATTRS}{feature}", wide(inference(feature)), types)
    case("batch-norm-training", about, x | parts("scale", "offset"),
         f"ROOT r = batch-norm-training(x, scale, offset), {ATTRS}{feature}", wide(training(feature)), types)
    case("batch-norm-grad", about, x | parts("scale", "mean", "variance") | {"c": some(*shape, seed=4)},
         f"ROOT r = batch-norm-grad(x, scale, mean, variance, c), {ATTRS}{feature}", wide(grad(feature)), types)
case("batch-norm-inference", "of nothing", {"x": some(0, 2)} | parts("scale", "offset", "mean", "variance"),
     f"ROOT r = batch-norm-inference(x, scale, offset, mean, variance), {ATTRS}1", wide(inference(1)), ["f32"])
