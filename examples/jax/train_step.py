"""The training step of the tutorial (docs/tutorial.md), and how its dump is made:

    XLA_FLAGS="--xla_dump_to=dumps --xla_dump_hlo_as_text" python train_step.py
"""

import jax
import jax.numpy as jnp


def loss(params, x, y):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    logits = h @ params["w2"] + params["b2"]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, axis=-1))


@jax.jit
def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


params = {
    "w1": jnp.zeros((16, 32)),
    "b1": jnp.zeros(32),
    "w2": jnp.zeros((32, 10)),
    "b2": jnp.zeros(10),
}
step(params, jnp.zeros((8, 16)), jnp.zeros((8, 10)))
