#!/usr/bin/env python3
"""How near to the machine's limits the bench modules run, and what a second thread brings, as a markdown table.

    bench/rates.py BUILD ONE.tsv TWO.tsv

Two tables that modules.py wrote (`--threads 1` and `--threads 2`), and what hlo-run measures of the machine on two threads. Rows
of modules that memory limits: GB/s of the arrays that go in and out. Of those that multiplications limit: GFLOP/s. Run by hand.
"""
import os, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
from modules import BENCH, number
from results import mean, rows_of

PROBE = """HloModule probe
ENTRY main {
  a = f32[64,64] parameter(0)
  ROOT b = f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""


def limits_of_machine(build):
    """GB/s of the memory and GFLOP/s of f32."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.hlo")
        with open(path, "w") as file:
            file.write(PROBE)
        words = [os.path.join(build, "bin", "hlo-run"), path, "--inputs=hash", "--threads=2", "--profile", "--output-dir", folder]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True).stdout
    measured = next(line for line in said.splitlines() if line.startswith("measured in"))
    return float(re.search(r"([\d.]+) GB/s \(memory", measured)[1]), float(re.search(r"([\d.]+) GFLOP/s \(f32", measured)[1])


def kind_of(module):
    """What limits it: (column of modules.tsv, place in the limits), or None."""
    if module["limit"].startswith("memory"):
        return "io_bytes", 0
    return ("flops", 1) if re.match(r"fma\b", module["limit"]) else None


def row_of(module, one, two, limits):
    column, place = kind_of(module)
    times = [number(row, "tool_run_min_s") for row in (one, two)]
    if None in times:
        return None
    rate = float(module[column]) / times[1] / 1e9
    return module["name"], place, times[0] / times[1], rate, rate / limits[place], times


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    limits = limits_of_machine(sys.argv[1])
    tables = [{row["name"]: row for row in rows_of(path)} for path in sys.argv[2:]]
    modules = [m for m in rows_of(os.path.join(BENCH, "modules.tsv")) if kind_of(m) and all(m["name"] in t for t in tables)]
    rows = [row for row in (row_of(m, *(t[m["name"]] for t in tables), limits) for m in modules) if row]
    print(f"Measured: {limits[0]:.3g} GB/s, {limits[1]:.3g} GFLOP/s (f32), two threads.\n")
    print("| module | one thread, ms | two, ms | times faster | rate | % of what was measured |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, place, faster, rate, part, times in sorted(rows, key=lambda row: (row[1], row[4])):
        print(f"| {name} | {times[0] * 1e3:.3g} | {times[1] * 1e3:.3g} | {faster:.2f} | {rate:.3g} {('GB/s', 'GFLOP/s')[place]} | {part * 100:.0f} |")
    for place, what in enumerate(("memory", "multiplications")):
        chosen = [row for row in rows if row[1] == place]
        if chosen:
            print(f"\n{what}: {len(chosen)} modules, geometric means {mean([row[4] for row in chosen]):.2f} of the measured rate, "
                  f"{mean([row[2] for row in chosen]):.2f} times as fast on two threads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
