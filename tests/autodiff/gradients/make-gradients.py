#!/usr/bin/env python3
"""Writes OP.hlo: for each operation that has a gradient modules of each floating type, each followed by its inputs, cotangents,
results and gradients, as JAX says (gradients.py).

    tests/autodiff/gradients/make-gradients.py [OP...]       needs jax

Cases are in the files that are imported here. tests/unit/jax_gradients_test.c runs them.
"""
import collections
import os
import sys

import gradients
import collectives  # noqa: F401
import elementwise  # noqa: F401
import indexed  # noqa: F401
import linear_algebra  # noqa: F401
import moves  # noqa: F401
import handed  # noqa: F401
import norms  # noqa: F401
import windows  # noqa: F401

here = os.path.dirname(os.path.abspath(__file__))


def main():
    wanted = sys.argv[1:]
    files, bad = collections.defaultdict(list), 0
    for c in gradients.CASES:
        if wanted and c.op not in wanted:
            continue
        for kind in c.types:
            try:
                files[c.op].append(gradients.text_of(c, kind))
            except Exception as e:
                bad += 1
                print(f"{c.op} {c.about} {kind}: {type(e).__name__} {str(e)[:300]}", flush=True)
    for op, texts in files.items():
        with open(os.path.join(here, op + ".hlo"), "w") as file:
            file.write("// -----\n".join(texts))
    return bad != 0


sys.exit(main())
