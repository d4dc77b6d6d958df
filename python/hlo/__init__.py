"""Read, check, optimise, print, draw and run HLO modules.

    import hlo
    module = hlo.parse(text)          # hlo.Error with .diagnostics when the text is wrong
    for d in module.verify(): print(d)
    faster = module.optimize("default")
    result = faster.run(x, y)         # NumPy arrays in, NumPy arrays out
    program = faster.prepare()        # once; then program(x, y) from any threads

Everything is computed by the shared library libhlo, which is called through ctypes. Modules are
values: nothing changes one, and `optimize` returns another."""

from ._diagnostics import Diagnostic, Error, Note
from ._jax import from_jax
from ._library import version
from ._module import Computation, Instruction, Module, Shape, parse, pipelines, read
from ._program import Program

__all__ = [
    "Computation", "Diagnostic", "Error", "Instruction", "Module", "Note", "Program", "Shape",
    "from_jax", "parse", "pipelines", "read", "version",
]
