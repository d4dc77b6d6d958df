"""Modules from JAX."""

from typing import Any

from ._module import Module, parse


def from_jax(fn: Any, *args: Any, **kwargs: Any) -> Module:
    """The module of `jax.jit(fn).lower(*args).as_text()`, the StableHLO that JAX hands to XLA for
    these arguments, or for the shapes and types of `jax.ShapeDtypeStruct`s. Its parameters are the
    leaves of the arguments in JAX's order, used or not; its result is the tuple of the result's
    leaves, or the only one of them."""
    try:
        import jax
    except ImportError as missing:
        raise ImportError("from_jax needs JAX") from missing
    lowered = jax.jit(fn, keep_unused=True).lower(*args, **kwargs)
    return parse(lowered.as_text(debug_info=True), "<jax>")
