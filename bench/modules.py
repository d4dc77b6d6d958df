#!/usr/bin/env python3
"""Runs of the bench modules, one row each in a table that bench/diff.py compares: ours, or beside XLA's.

    bench/modules.py BUILD RESULTS [--peer] [--again] [--seconds N] [--threads N] [--repeats N] [NAME...]

The harness that measures is that of HLO_BENCH, and so are the modules, but for those in bench/modules, which
are texts as XLA's compiler leaves them; without it nothing is measured, which is said. A module whose row stands in RESULTS is not measured again unless --again: an interrupted run is continued by the same
command. --peer sets XLA beside, with all results compared, and needs jaxlib; all needs NumPy (ORACLE_PYTHON in the Makefile).
--seconds: no module is begun later; how many are left is said. Nothing else should run on the machine.
"""
import math, os, re, shutil, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # nothing is left beside the sources
import results
from outside import BENCH, ROOT
from results import mean, missing, rows_of, with_row, write_rows

OWN = os.path.join(ROOT, "bench")


def names_of_modules(folder):
    return [row["name"] for row in rows_of(os.path.join(folder, "modules.tsv"))]


def tool(arguments, name):
    return os.path.abspath(os.path.join(arguments.build, "bin", name))


def folder_for_peer(arguments, name, folder):
    """XLA's importer takes what comes before its compiler: fused instructions stand by themselves there, bitcasts are reshapes."""
    os.mkdir(os.path.join(folder, "modules"))
    shutil.copy(os.path.join(OWN, "modules.tsv"), folder)
    words = [tool(arguments, "hlo-opt"), "--passes=defuser", os.path.join(OWN, "modules", name + ".hlo")]
    text = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
    with open(os.path.join(folder, "modules", name + ".hlo"), "w") as file:
        file.write(re.sub(r" bitcast\(", " reshape(", text))
    return folder


def command(arguments, name, folder):
    is_own = name in names_of_modules(OWN)
    module = os.path.join(OWN, "modules", name + ".hlo") if is_own else "{module}"
    run = f"{tool(arguments, 'hlo-run')} {module} {{inputs}} --threads={{threads}} --output-dir {{out}}"
    words = [sys.executable, os.path.join(BENCH, "bench.py"), "--tsv", os.path.join(folder, "row.tsv"),
             "--repeats", str(arguments.repeats), "--tool", run, "--tool-bench", run + " --bench={bench} --bench-json={json}"]
    if is_own:
        words += ["--dir", folder_for_peer(arguments, name, folder) if arguments.peer else OWN]
    if arguments.threads:
        words += ["--threads", str(arguments.threads)]
    return words + (["--peer", "--check"] if arguments.peer else []) + [name]


def measure(arguments, name):
    """The module's row; ends the program when the harness fails."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command(arguments, name, folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        rows = rows_of(os.path.join(folder, "row.tsv"))
        if done.returncode or len(rows) != 1:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            sys.exit(f"{name}: the harness ended with status {done.returncode}: {said[-1] if said else 'no row'}")
        return rows[0]


def number(row, column):
    try:
        value = float(row.get(column) or "-")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def ratio(row, ours, peers):
    a, b = number(row, ours), number(row, peers)
    return a / b if a and b else None


def tell(row):
    run, peer = number(row, "tool_run_min_s"), ratio(row, "tool_run_min_s", "peer_run_min_s")
    said = row["tool_status"] if run is None else f"{run * 1e3:.4g} ms" + ("" if peer is None else f", {peer:.3g} of XLA's")
    print(f"{row['name']}: {said}", flush=True)


def summary(rows):
    for what, ours, peers in (("run time", "tool_run_min_s", "peer_run_min_s"), ("start to result", "tool_e2e_s", "peer_inproc_s")):
        value = mean([ratio(row, ours, peers) for row in rows])
        if value:
            print(f"{what}, geometric mean of ratios to XLA: {value:.3f}")
    for row in rows:
        if row["tool_status"] != "ok":
            print(f"{row['name']}: {row['tool_status']}")


def reason_to_skip(arguments):
    if not os.path.exists(os.path.join(BENCH, "bench.py")):
        return f"no bench modules at {BENCH}: HLO_BENCH names their folder"
    needed = ["numpy", "jaxlib"] if arguments.peer else ["numpy"]
    return missing(needed)


def main():
    parser = results.parser(__doc__)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_intermixed_args()
    reason = reason_to_skip(arguments)
    if reason:
        print(f"skipped: {reason}")
        return 0
    rows = [] if arguments.again and not arguments.names else rows_of(arguments.results)
    wanted = arguments.names or names_of_modules(BENCH) + names_of_modules(OWN)
    has = set() if arguments.again else {row["name"] for row in rows}
    left, start = [name for name in wanted if name not in has], time.monotonic()
    print(f"{len(wanted) - len(left)} of {len(wanted)} modules stand in {arguments.results}")
    while left and time.monotonic() - start < arguments.seconds:
        row = measure(arguments, left.pop(0))
        rows = with_row(rows, row)
        write_rows(arguments.results, rows)
        tell(row)
    summary(rows)
    if left:
        print(f"{len(left)} modules are left: the same command goes on with {left[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
