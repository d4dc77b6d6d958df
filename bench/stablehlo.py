#!/usr/bin/env python3
"""How fast programs in StableHLO are read, beside jaxlib's own reading in the same run: a markdown table.

    bench/stablehlo.py BUILD [--runs N] [--alone] [KIND...]

Programs (stablehlo_programs.py) are made once, in BUILD/bench/work/stablehlo, as jaxlib prints them: text, the form of all operations
("generic"), bytecode. Without jaxlib there are only the made up ones, as text. Of all programs of a kind and a form, megabytes (10^6) of
file a second: from the file to the tree (of MLIR), and to the module of HLO, and the peak memory of a process that only reads,
over the size of the file, of the program where that is largest. Best of N (5). jaxlib's time to the tree is that of ir.Module.parse;
that to the module adds the conversion to HLO, from the program's text, or from the file where that takes less.
--alone: without jaxlib's times. Called by `make bench`, which takes the Python of ORACLE_PYTHON.
"""
import argparse, io, os, subprocess, sys, time

sys.dont_write_bytecode = True  # nothing is left beside the sources
from results import missing
from stablehlo_programs import kinds

RUNS_OF_JAXLIB = 2


def context():
    from jax._src.interpreters import mlir
    return mlir.make_ir_context()


def in_form(form, text):
    """The program as jaxlib writes it, with its locations."""
    from jaxlib.mlir import ir
    with context():
        operation = ir.Module.parse(text).operation
        if form != "bytecode":
            has_places = "loc(" in text if isinstance(text, str) else b"loc(" in text
            return operation.get_asm(print_generic_op_form=form == "generic", enable_debug_info=has_places).encode()
        file = io.BytesIO()
        operation.write_bytecode(file)
        return file.getvalue()


def make(folder, kind, name, maker, forms, has_jaxlib):
    """{form: path} of a program; files that are there are not made again."""
    paths = {form: os.path.join(folder, f"{name}.{form}.{'mlirbc' if form == 'bytecode' else 'mlir'}") for form in forms}
    missing_forms = [form for form in forms if not os.path.exists(paths[form])]
    if not missing_forms:
        return paths
    try:
        text = maker[0](*maker[1:])
    except Exception as error:  # XLA refuses to translate some dumps
        print(f"{kind}: {name}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
        return {}
    for form in missing_forms:
        data = in_form(form, text) if has_jaxlib and forms != ("text",) else text.encode()
        with open(paths[form] + ".part", "wb") as file:
            file.write(data)
        os.replace(paths[form] + ".part", paths[form])
    return paths


def ours(build, paths, runs):
    """{path: (bytes, seconds to the tree, seconds to the module, peak bytes)} of what is read; the rest is reported."""
    rows, program = {}, os.path.join(build, "bench", "stablehlo")
    for path in paths:
        done = subprocess.run([program, str(runs), path], capture_output=True, text=True)
        if done.returncode:
            print(f"{os.path.basename(path)}: {done.stderr.splitlines()[0][:150]}", file=sys.stderr)
            continue
        rows[path] = tuple(float(field) for field in done.stdout.rstrip("\n").split("\t")[1:])
    return rows


def theirs(path):
    """(seconds to jaxlib's tree, seconds to its module)."""
    from jaxlib import _jax
    from jaxlib.mlir import ir

    def converted(text):
        return _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False).get_hlo_module()

    def from_file():
        with open(path, "rb") as file:
            data = file.read()
        return data if path.endswith("bc") else data.decode()

    best = [float("inf")] * 3
    for _ in range(RUNS_OF_JAXLIB):
        with context():
            start = time.process_time()
            module = ir.Module.parse(from_file())
            parsed = time.process_time()
            converted(module.operation.get_asm(enable_debug_info=True))
            whole = time.process_time()
            del module
        try:
            again = time.process_time()
            converted(from_file())
            direct = time.process_time() - again
        except Exception:  # bytecode of some dialects is only taken as text
            direct = float("inf")
        best = [min(pair) for pair in zip(best, (parsed - start, whole - start, direct))]
    return best[0], min(best[1:])


def rate(size, seconds):
    return f"{size / 1e6 / seconds:.0f}" if seconds else "-"


def row(kind, form, rows, jaxlib):
    size, tree, module = (sum(r[i] for r in rows.values()) for i in range(3))
    peak = max(r[3] / r[0] for r in rows.values() if r[0] == max(q[0] for q in rows.values()))
    cells = [kind, form, f"{size / 1e6:.2f}", rate(size, tree), rate(size, module), f"{peak:.1f}"]
    if jaxlib:
        parsed, whole = (sum(t[i] for t in jaxlib) for i in range(2))
        cells += [rate(size, parsed), rate(size, whole), f"{whole / module:.1f}"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_intermixed_args()
    has_jaxlib = not missing(["jax", "jaxlib"])
    with_jaxlib = has_jaxlib and not arguments.alone
    folder = os.path.join(arguments.build, "bench", "work", "stablehlo")
    os.makedirs(folder, exist_ok=True)
    if not has_jaxlib:
        print(f"made up programs as text only: {missing(['jax', 'jaxlib'])}\n")
    print("| programs | form | MB | tree MB/s | module MB/s | peak bytes a byte |"
          + (" jaxlib: tree MB/s | module MB/s | module, times as fast |" if with_jaxlib else ""))
    print("| --- | --- | ---: | ---: | ---: | ---: |" + (" ---: | ---: | ---: |" if with_jaxlib else ""))
    for kind, (forms, programs) in kinds().items():
        if arguments.kinds and kind not in arguments.kinds:
            continue
        is_made_up = not any(maker[0].__name__ in ("of_hlo", "layers") for maker in programs.values())
        if not programs or not (has_jaxlib or is_made_up):
            continue
        forms = forms if has_jaxlib else ("text",)
        made = [make(folder, kind, name, maker, forms, has_jaxlib) for name, maker in programs.items()]
        for form in forms:
            rows = ours(arguments.build, [paths[form] for paths in made if paths], arguments.runs)
            if rows:
                print(row(kind, form, rows, [theirs(path) for path in rows] if with_jaxlib else None), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
