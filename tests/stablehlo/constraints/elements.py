#!/usr/bin/env python3
"""Writes elements.mlir: elementwise operations on each kind of element, with the verdict of jaxlib. `run.sh` with HLO_BLESS=1 adds
the places.

  tests/stablehlo/constraints/elements.py >tests/stablehlo/constraints/elements.mlir
"""
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

TYPES = ["i1", "i32", "ui8", "bf16", "f32", "complex<f32>"]
UNARY = """abs cbrt ceil count_leading_zeros cosine exponential exponential_minus_one floor imag is_finite log log_plus_one logistic
negate not popcnt real round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh""".split()
BINARY = """add and atan2 divide maximum minimum multiply or power remainder shift_left shift_right_arithmetic shift_right_logical
subtract xor""".split()


def result_of(name, element):
    if name == "is_finite":
        return "i1"
    if name in ("abs", "real", "imag") and element.startswith("complex"):
        return "f32"
    return element


def text_of(name, element, operands):
    x, y = f"tensor<2x{element}>", f"tensor<2x{result_of(name, element)}>"
    values, types = ", ".join(["%x"] * operands), ", ".join([x] * operands)
    return (f"func.func @main(%x: {x}) -> {y} {{\n"
            f"  %0 = \"stablehlo.{name}\"({values}) : ({types}) -> {y}\n"
            f"  return %0 : {y}\n}}\n")


def main():
    for names, operands in ((UNARY, 1), (BINARY, 2)):
        for name in names:
            for element in TYPES:
                text = text_of(name, element, operands)
                with mlir.make_ir_context():
                    try:
                        ir.Module.parse(text)
                        verdict = "accept"
                    except ir.MLIRError:
                        verdict = "reject"
                print(f"// ----- {name.replace('_', '-')}--{element}: {verdict}\n{text}", end="")


if __name__ == "__main__":
    main()
