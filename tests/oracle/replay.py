#!/usr/bin/env python3
"""Kept modules (tests/oracle/harvest.py) through the programs: read, verified, printed, by JSON and protobuf, run.

    tests/oracle/replay.py BUILD DIR [--jobs N] [--list STAGE]

Stages, each of every module: `verify` accepts it; `print` writes XLA's own text, and so do `json` (written and read again)
and `pb` (XLA's serialised form read); `run` and `optimised` (after the default pipeline) give XLA's results: integers exactly,
floating-point numbers within TOLERANCE units of the type's precision at the array's largest magnitude. The last line is
`N passed, N failed, N skipped` over modules and stages; before it stand the counts of each stage and the modules that failed.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
from xla import difference, wide
from elements import TYPES

TOLERANCE = 64


def run(command, text=None, limit=120):
    """(what it printed, None), or (None, why not)."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"still running after {limit} s"
    if done.returncode:
        return None, f"status {done.returncode}: {done.stderr.decode(errors='replace').strip()[:300]}"
    return done.stdout, None


def result_types(text):
    """Element types of the results, depth first, from the header."""
    layout = re.search(r"entry_computation_layout=\{.*?\}\)?->(.*?)\}?$", text.split("\n", 1)[0])
    return re.findall(r"\b(pred|[a-z]+\d\w*)\[", re.sub(r"/\*.*?\*/", "", layout.group(1))) if layout else []


def precision(kind):
    real = {"c64": "f32", "c128": "f64"}.get(kind, kind)
    return 0.0 if kind == "pred" or kind[0] in "su" else float(ml_dtypes.finfo(TYPES[real]).eps)


def magnitude(expected):
    finite = np.abs(expected)[np.isfinite(expected)]
    return float(finite.max()) if finite.size else 0.0


def compare(path, results):
    kinds = result_types(open(path + ".hlo").read())
    expected, got = np.load(path + ".out.npz"), np.load(results) if kinds else {}
    for leaf, kind in enumerate(kinds):
        wanted = expected[f"out{leaf}"]
        wanted = wanted if wanted.dtype == TYPES[kind] else wanted.view(TYPES[kind])
        tolerance = TOLERANCE * precision(kind) * magnitude(wide(wanted, kind)) if precision(kind) else 0.0
        wrong = difference(got[f"out{leaf}"], wanted, kind, tolerance)
        if wrong:
            return f"result {leaf}: {wrong}"
    return None


class Programs:
    """The stages: functions of a module's path without ending that return None or what is wrong."""

    def __init__(self, build):
        self.bin = os.path.join(build, "bin")

    def program(self, name, *options):
        return [os.path.join(self.bin, name), *options]

    def print_of(self, *options, text=None):
        return run(self.program("hlo-opt", "--passes=", "--large-constants", *options), text)

    def same(self, path, got, why):
        with open(path + ".hlo", "rb") as source:
            return why or (None if got.rstrip(b"\n") == source.read().rstrip(b"\n") else "another text than XLA's")

    def verify(self, path):
        return run(self.program("hlo-verify", path + ".hlo"))[1]

    def print(self, path):
        return self.same(path, *self.print_of(path + ".hlo"))

    def json(self, path):
        message, why = run(self.program("hlo-opt", "--passes=", "--emit=json", path + ".hlo"))
        return why or self.same(path, *self.print_of(text=message))

    def pb(self, path):
        return self.same(path, *self.print_of(path + ".pb"))

    def execute(self, path, module, text=None):
        with tempfile.TemporaryDirectory() as directory:
            results = os.path.join(directory, "out.npz")
            inputs = ["--input-dir", path + ".in.npz"] if np.load(path + ".in.npz").files else []
            why = run(self.program("hlo-run", *inputs, "--output-dir", results, module), text)[1]
            return why or compare(path, results)

    def run(self, path):
        return self.execute(path, path + ".hlo")

    def optimised(self, path):
        text, why = run(self.program("hlo-opt", "--pipeline=default", "--large-constants", path + ".hlo"))
        return why or self.execute(path, "-", text)


STAGES = ["verify", "print", "json", "pb", "run", "optimised"]


def judge(programs, path):
    return path, {stage: getattr(programs, stage)(path) for stage in STAGES}


def report(answers, counts, listed):
    for path, verdicts in answers:
        for stage, why in verdicts.items():
            counts[stage, why is None] += 1
            if why and listed in ("", stage):
                print(f"{stage} {os.path.basename(path)}: {why}", flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("build")
    ap.add_argument("directory")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--list", default="", help="show failures of this stage only")
    a = ap.parse_args()
    paths = sorted(name[:-4] for name in glob.glob(os.path.join(a.directory, "*.hlo")))
    counts, programs = collections.Counter(), Programs(a.build)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        report(pool.map(lambda path: judge(programs, path), paths), counts, a.list)
    for stage in STAGES:
        print(f"{stage:10} {counts[stage, True]} of {len(paths)}")
    passed, failed = (sum(n for (_, good), n in counts.items() if good == which) for which in (True, False))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
