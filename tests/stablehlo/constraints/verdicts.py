#!/usr/bin/env python3
"""The verdicts of the cases here against those of StableHLO's own verifier, by hand: jaxlib reads each case.

  tests/stablehlo/constraints/verdicts.py [FILE.mlir...]     prints the cases of which jaxlib has the other verdict
"""
import glob
import os
import re
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

# StableHLO has it, and HLO has not: XLA refuses it later.
LATER = {"cbrt--complex<f32>"}
HEAD = re.compile(r"^// ----- ([^:]*): (accept|reject)")


def cases(path):
    name, lines = None, []
    for line in open(path):
        head = HEAD.match(line)
        if head:
            if name:
                yield name, verdict, "".join(lines)
            name, verdict, lines = head.group(1), head.group(2), []
        else:
            lines.append(line)
    yield name, verdict, "".join(lines)


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.mlir")))
    compared = differ = 0
    for path in files:
        for name, verdict, text in cases(path):
            with mlir.make_ir_context():
                try:
                    ir.Module.parse(text)
                    got, why = "accept", ""
                except ir.MLIRError as error:
                    got, why = "reject", str(error).split("\n")[1:2]
            compared += 1
            if got != verdict and name not in LATER:
                differ += 1
                print(f"{os.path.basename(path)}: {name}: {verdict} here, {got} by jaxlib {why}")
    print(f"{compared} cases, {differ} differ")
    sys.exit(differ != 0)


if __name__ == "__main__":
    main()
