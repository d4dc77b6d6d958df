#!/usr/bin/env python3
"""Writes NAME.mlir for each module NAME.hlo in a folder: the StableHLO that jaxlib makes of it, as MLIR prints it; and
NAME.generic.mlir where the folder has that file already. So were those of cases.tar.gz made.

  pip install jax jaxlib; tests/stablehlo/write/cases.py FOLDER
"""
import pathlib, sys
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir
from jax._src.interpreters import mlir as jax_mlir

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.hlo")):
    proto = xla_client.hlo.hlo_module_from_text(path.read_text()).as_serialized_hlo_module_proto()
    text = _jax.mlir.xla_computation_to_mlir_module(xla_client.hlo.XlaComputation(proto))
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text).operation
        path.with_suffix(".mlir").write_text(module.get_asm(enable_debug_info=True))
        generic = path.with_suffix(".generic.mlir")
        if generic.exists():
            generic.write_text(module.get_asm(print_generic_op_form=True, enable_debug_info=True))
