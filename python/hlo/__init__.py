"""Read, check, optimise, print, draw and run HLO modules.

    import hlo
    module = hlo.parse(text)          # hlo.Error with .diagnostics when the text is wrong
    for d in module.verify(): print(d)
    faster = module.optimize("default")
    result = faster.run(x, y)         # NumPy arrays in, NumPy arrays out
    program = faster.prepare()        # once; then program(x, y) from any threads

    b = hlo.Builder("axpy")           # every operation of HLO is a method
    x = b.parameter(0, "f32[4]")
    module = b.build(b.lib.lgamma(2 * x + 1))  # b.lib: functions made of operations

Everything is computed by the shared library libhlo, which is called through ctypes. Modules are
values: nothing changes one, and `optimize` returns another."""

from ._builder import Builder, Function, Value
from ._builder_lib import Library
from ._diagnostics import Diagnostic, Error, Note
from ._jax import from_jax
from ._library import version
from ._module import Computation, Instruction, Module, Shape, parse, pipelines, read
from ._program import Program

__all__ = [
    "Builder", "Computation", "Diagnostic", "Error", "Function", "Instruction", "Library", "Module",
    "Note", "Program", "Shape", "Value", "from_jax", "parse", "pipelines", "read", "version",
]
