"""Writes what XLA makes of calls: calls.hlo (as JAX lowers a function), frames.txt (the stack frames of XLA's optimised
text) and names.txt (its op_names). With JAX 0.10.2: python3 tests/passes/inlining/make.py"""
import os
import re

import jax
import jax.numpy as jnp


def layer(x, w):
    with jax.named_scope("layer"):
        y = jax.nn.relu(x @ w)
        return jnp.where(y > 1, y, -y)


@jax.jit
def g(x, w):
    return jnp.log(layer(x, w))


def body(c, _):
    return g(c, jnp.ones((4, 4))) * 2, None


def f(x, w):
    x = g(x, w)
    x = g(x, w)
    c, _ = jax.lax.scan(body, x, None, length=3)
    return c.sum()


here = os.path.dirname(os.path.abspath(__file__))
lowered = jax.jit(f).lower(jnp.ones((4, 4)), jnp.ones((4, 4)))


def write(name, text):
    with open(os.path.join(here, name), "w") as file:
        file.write(text.replace(os.path.abspath(__file__), "model.py"))


write("calls.hlo", lowered.as_text("hlo", debug_info=True))
optimised = lowered.compile().as_text()
write("frames.txt", "\n".join(re.findall(r"^[0-9]+ \{file_location_id=.*$", optimised, re.M)) + "\n")
write("names.txt", "\n".join(sorted(set(re.findall(r'op_name="[^"]*"', optimised)))) + "\n")
