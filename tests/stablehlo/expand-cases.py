#!/usr/bin/env python3
"""Writes expand.tar.gz: programs, and what the expansion of CHLO and of complex functions makes of each, where that is what
jaxlib's passes make of it, lists of uses and locations too; for operations that the passes lack, jaxlib makes the same HLO of both.

  pip install jax jaxlib; tests/stablehlo/expand-cases.py build/tools/expansion_dump
"""
import io, subprocess, sys, tarfile, tempfile
from jaxlib import _jax
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters import mlir as jax_mlir

PASSES = "builtin.module(func.func(chlo-legalize-to-stablehlo),func.func(stablehlo-complex-math-expander))"
FLOATS, COMPLEX = ("f16", "f32", "f64"), ("complex<f32>", "complex<f64>")
BOUNDED = "tensor<?x3x%s, #stablehlo.bounds<5, ?>>"


def function(op, types, result, attrs=""):
    names = ["%%%d" % i for i in range(len(types))]
    arguments = ", ".join("%s: %s" % pair for pair in zip(names, types))
    return ("func.func @main(%s) -> %s {\n  %%r = \"%s\"(%s)%s : (%s) -> %s\n  return %%r : %s\n}\n" %
            (arguments, result, op, ", ".join(names), attrs, ", ".join(types), result, result))


def cases():
    for op in "acos acosh asin asinh atan atanh conj cosh sinh square tan".split():
        for e in FLOATS[1:2] + COMPLEX[:1]:
            yield f"{op}-{e}", function("chlo." + op, [f"tensor<2x{e}>"], f"tensor<2x{e}>")
    for op in "acos acosh asinh atanh".split():
        for e in ("f16", "f8E5M2", "complex<f64>"):
            yield f"{op}-{e}", function("chlo." + op, [f"tensor<{e}>"], f"tensor<{e}>")
    for op in "bessel_i1e digamma erf_inv erfc lgamma".split():
        for e in FLOATS + ("bf16",):
            yield f"{op}-{e}", function("chlo." + op, [f"tensor<2x{e}>"], f"tensor<2x{e}>")
    for op in "next_after polygamma zeta".split():
        for e in FLOATS:
            yield f"{op}-{e}", function("chlo." + op, [f"tensor<2x{e}>"] * 2, f"tensor<2x{e}>")
    for op in "is_inf is_neg_inf is_pos_inf".split():
        yield op, function("chlo." + op, ["tensor<2xf32>"], "tensor<2xi1>")
    for op in "exponential log log_plus_one sqrt".split():
        for e in COMPLEX:
            yield f"{op}-{e}", function("stablehlo." + op, [f"tensor<2x{e}>"], f"tensor<2x{e}>")
    for op in "asin lgamma erfc next_after".split():
        t = BOUNDED % "f32"
        yield f"{op}-bounded", function("chlo." + op, [t] * (1 + (op == "next_after")), t)
    for op, e in ("add", "f32"), ("xor", "i32"), ("zeta", "f32"), ("complex", "f32"):
        r = "complex<f32>" if op == "complex" else e
        yield f"broadcast_{op}", function("chlo.broadcast_" + op, [f"tensor<4x{e}>", f"tensor<3x1x{e}>"], f"tensor<3x4x{r}>")
    yield "broadcast_compare", function("chlo.broadcast_compare", ["tensor<4xf32>", "tensor<3x1xf32>"], "tensor<3x4xi1>",
                                        " {comparison_direction = #chlo<comparison_direction LE>}")
    yield "broadcast_select", function("chlo.broadcast_select", ["tensor<3x1xi1>", "tensor<4xf32>", "tensor<f32>"], "tensor<3x4xf32>")
    yield "constant_like", function("chlo.constant_like", ["tensor<2xf32>"], "tensor<2xf32>", " {value = 2.0 : f32}")
    yield "zero-elements", function("chlo.acosh", ["tensor<0xf32>"], "tensor<0xf32>")
    for op in "erf cosh".split():
        yield f"composite-{op}", function("stablehlo.composite", ["tensor<2xf32>"], "tensor<2xf32>",
            f' {{name = "chlo.{op}", decomposition = @impl, version = 1 : i32}}') + \
            "func.func private @impl(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n"
        yield f"call-{op}", function("stablehlo.custom_call", ["tensor<2xf32>"], "tensor<2xf32>",
            f' {{call_target_name = "mhlo.{op}", mhlo.attributes = {{}}, mhlo.version = 1 : i64}}')
    yield "mulhi", function("chlo.mulhi", ["tensor<2xui32>"] * 2, "tensor<2xui32>")
    yield "loop", """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<2xf32> cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %dead = stablehlo.add %zero, %one : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = chlo.acosh %x : tensor<2xf32> -> tensor<2xf32>
    %v = chlo.is_inf %y : tensor<2xf32> -> tensor<2xi1>
    %w = chlo.asinh %y : tensor<2xf32> -> tensor<2xf32>
    %u = stablehlo.select %v, %w, %y : tensor<2xi1>, tensor<2xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}
"""
    bad = "tensor<?xf32>"
    yield "refused-unbounded", function("chlo.asin", [bad], bad)
    yield "refused-element", function("chlo.erfc", ["tensor<2xf8E5M2>"], "tensor<2xf8E5M2>")
    yield "refused-dimensions", function("chlo.broadcast_add", ["tensor<4xf32>", "tensor<4x3xf32>"], "tensor<4x3xf32>",
                                         " {broadcast_dimensions = array<i64: 0>}")


def text_of(module):
    return module.operation.get_asm(enable_debug_info=True, large_elements_limit=1 << 30)


def uses_of(module):
    ops, values = [], []

    def walk(op):
        ops.append(op)
        values.extend(op.results)
        for block in (b for r in op.regions for b in r):
            values.extend(block.arguments)
            for inner in block:
                walk(inner.operation)
    walk(module.operation)
    numbers = {op: i for i, op in enumerate(ops)}
    return [" ".join("%d.%d" % (numbers[u.owner.operation], u.operand_number) for u in v.uses) for v in values]


def hlo(text):
    comp = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    return comp.get_hlo_module().to_string()


def touch(op):
    """Sets operands once more, as the conversion before these passes does, which jaxlib does not offer alone."""
    for i in range(0 if op.name.startswith("chlo.") else len(op.operands)):
        op.operands[i] = op.operands[i]
    for inner in (o.operation for r in op.regions for b in r for o in b):
        touch(inner)


def judge(text, got):
    """None: as in jaxlib."""
    module = ir.Module.parse(text)
    if got is None:
        try:
            hlo(text)
            return "jaxlib does not refuse it"
        except Exception:
            return None
    mine = ir.Module.parse(got)
    if hlo(text) != hlo(text_of(mine)):
        return "the HLO differs"
    if any(kept in text for kept in ("chlo.erf\"", "chlo.mulhi", "composite", "custom_call", "broadcast_select")):
        return None
    touch(module.operation)
    passmanager.PassManager.parse(PASSES).run(module.operation)
    if text_of(mine) != text_of(module):
        return "the text differs"
    uses = [line[2:].strip() for line in got.split("\n") if line.startswith("//")]
    return None if uses == uses_of(module) else "the lists of uses differ"


def main():
    stablehlo.register_stablehlo_passes()
    bad = 0
    with tarfile.open("tests/stablehlo/expand.tar.gz", "w:gz") as archive, jax_mlir.make_ir_context():
        for name, text in cases():
            name = name.replace("<", "_").replace(">", "")
            generic = ir.Module.parse(text).operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(generic)
                file.flush()
                run = subprocess.run([sys.argv[1], "--expand", "--locations", "--uses", file.name], capture_output=True, text=True)
            got = run.stdout if run.returncode == 0 else None
            fault = judge(text_of(ir.Module.parse(text)), got)
            if fault:
                bad += 1
                print(f"{name}: {fault}")
                continue
            for end, content in (".mlir", generic), (".out", got or "refused\n"):
                info = tarfile.TarInfo(name + end)
                info.size = len(content.encode())
                archive.addfile(info, io.BytesIO(content.encode()))
    return 1 if bad else 0


sys.exit(main())
