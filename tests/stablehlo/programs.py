#!/usr/bin/env python3
"""Writes NAME.hlo for each program NAME.mlir in a folder: the HLO that jaxlib makes of it. So were those of programs.tar.gz
made; its .mlirbc is the same program as MLIR's bytecode.

  pip install jax jaxlib; tests/stablehlo/programs.py FOLDER
"""
import pathlib, sys
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir
from jax._src.interpreters import mlir as jax_mlir

options = xla_client.hlo.HloPrintOptions()
options.print_large_constants = True
for program in sorted(pathlib.Path(sys.argv[1]).glob("*.mlir")):
    with jax_mlir.make_ir_context():
        text = ir.Module.parse(program.read_text()).operation.get_asm(enable_debug_info=True)
    made = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    lines = made.get_hlo_module().to_string(options).splitlines()
    program.with_suffix(".hlo").write_text("".join(line.rstrip() + "\n" for line in lines))
