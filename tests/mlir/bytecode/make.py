#!/usr/bin/env python3
"""Writes the samples of bytecode and portable artifacts, by jaxlib, in several versions: NAME-VERSION.bc. NAME.txt is what
PRINTER (build/tests/mlir_bytecode_test) prints of them, if that is the module that jaxlib reads from each.

  make.py PRINTER
"""
import io, os, subprocess, sys
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters import mlir

HERE = os.path.dirname(os.path.abspath(__file__))
# A form of a module: a version of bytecode, or of artifacts.
SAMPLES = {"all": [0, 1, 3, 4, 6], "dialects": [1, 6]}
FIRST = ("all-0", "dialects-1", "artifact-0.9.0")
# Artifacts hold what their version has: nothing of sdy, no types without a form in it.
ARTIFACTS = ["0.9.0", "0.14.0", "1.0.0", "1.8.0", "1.17.0"]
NOT_IN_ARTIFACTS = ("sdy.mesh", "t.words", "memref", "#stablehlo.result_accuracy", "to :9")


def asm(module):
    return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True, assume_verified=True)


def artifact_of(text):
    """The module without the lines that old artifacts cannot hold."""
    lines = [l for l in text.splitlines() if not any(w in l for w in NOT_IN_ARTIFACTS)]
    text = "\n".join(lines)
    return "module @all {\n" + text.replace(", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>", "") \
        .replace("backend_config = {mode = 86 : ui8}", 'backend_config = "c"').replace("api_version = 4", "api_version = 2")


def write(name, data, printer, context):
    path = os.path.join(HERE, name)
    open(path + ".bc", "wb").write(data)
    printed = subprocess.run([printer, path + ".bc"], capture_output=True, check=True).stdout.decode()
    module = stablehlo.deserialize_portable_artifact(context, data) if b"StableHLO_v" in data[:64] else ir.Module.parse(data)
    if "dense_resource" not in asm(module) and asm(module) != asm(ir.Module.parse(printed)):
        sys.exit(f"{name}: what is printed is another module")
    text = os.path.join(HERE, name.split("-")[0] + ".txt")
    if name not in FIRST and open(text).read() != printed:
        sys.exit(f"{name}: another module than in the first version")
    open(text, "w").write(printed)


def main():
    printer = sys.argv[1]
    with mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = True
        for name, versions in SAMPLES.items():
            module = ir.Module.parse(open(os.path.join(HERE, name + ".mlir")).read())
            for version in versions:
                data = io.BytesIO()
                module.operation.write_bytecode(data, desired_version=version)
                write(f"{name}-{version}", data.getvalue(), printer, context)
        module = ir.Module.parse(artifact_of(open(os.path.join(HERE, "all.mlir")).read()))
        for version in ARTIFACTS:
            write(f"artifact-{version}", stablehlo.serialize_portable_artifact(module, version), printer, context)


if __name__ == "__main__":
    main()
