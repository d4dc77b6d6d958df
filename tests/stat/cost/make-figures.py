#!/usr/bin/env python3
"""Writes rows of figures.tsv: what XLA's cost analysis says of modules. unit/cost_test.c compares.

    tests/stat/cost/make-figures.py MODULE...             needs jaxlib, as tests/oracle does

What this XLA does not know yet (NEWER) is left out of the texts. A path is that of a row: from the project's root, or HLO_SHARED/..., of the folder that this variable names. Modules that XLA does not read, or ends on, are named on stderr.
"""
import multiprocessing
import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "oracle"))

NEWER = r", is_stable=\w+" # of topk; it costs nothing


def figures(paths, answers):
    import jax
    from jaxlib import _jax
    from jaxlib import xla_client as xc
    backend = jax.devices("cpu")[0].client
    for path in paths:
        try:
            module = xc.hlo.hlo_module_from_text(re.sub(NEWER, "", open(re.sub("^HLO_SHARED", os.environ.get("HLO_SHARED", ""), path)).read()))
            said = _jax.hlo_module_cost_analysis(backend, module)
        except Exception as error:
            said = str(error).splitlines()[0]
        answers.put((path, said))


def main():
    rest = sys.argv[1:]
    print("# path, flops, transcendentals, bytes; made by make-figures.py")
    while rest:
        answers = multiprocessing.Queue()
        process = multiprocessing.Process(target=figures, args=(rest, answers))
        process.start()
        while rest:
            try:
                path, said = answers.get(timeout=1)
            except Exception:
                if process.is_alive():
                    continue
                path, said = rest[0], "XLA ends"
            rest.remove(path)
            if isinstance(said, str):
                print(path, said, sep=": ", file=sys.stderr)
                if said == "XLA ends":
                    break
            else:
                numbers = [said.get(key, 0) for key in ("flops", "transcendentals", "bytes accessed")]
                print(path, *("%.9g" % n for n in numbers), sep="\t", flush=True)
        process.join()


if __name__ == "__main__":
    main()
