"""The program of the training step, as JAX hands it to XLA (docs/tutorial.md):

    python lower_step.py | hlo-verify -v
"""

import jax.numpy as jnp

from train_step import params, step

print(step.lower(params, jnp.zeros((8, 16)), jnp.zeros((8, 10))).as_text(debug_info=True))
