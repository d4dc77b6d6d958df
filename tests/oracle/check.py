#!/usr/bin/env python3
"""Random modules, run by hlo-run and by XLA's CPU backend: do the results agree?

    tests/oracle/check.py BUILD [--seed N] [--count N] [--seconds N] [--keep DIR] [OPTION of hlo-generate ...]

BUILD holds bin/hlo-run and tools/hlo-generate. Seeds are taken one after the other until XLA has answered COUNT modules.
Results are compared within the tolerance that each module's header carries: all of them, bits where it is 0. XLA is asked in
a process of its own; where that refuses, ends or gives no answer, the module is asked once more (RESPELLINGS, WAYS), and then
skipped and counted by reason. A difference is never asked again, nor forgiven: what is known to be wrong in XLA is not
generated (tests/known-differences.md). The last line is `N passed, N failed, N skipped`; modules that failed or were
skipped are kept in DIR.

Needs jaxlib; without it the script says so and skips. `make check-oracle` runs it.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from process import Asked

# What XLA's CPU backend has no code for, nor another word. tests/ops compares these with other sources.
MISSING_OPS = ["ragged-dot", "mulhi", "scaled-dot"]
MISSING_TYPES = ["s1", "u1", "f6e2m3fn", "f6e3m2fn"]
MISSING_PAIRS = {
    ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"): ["f16", "f32", "f64", "c64", "c128"],
    ("sort",): ["s2", "u2"],
    ("topk",): ["s2", "u2", "s4", "u4", "f4e2m1fn"],
}

# XLA's importer has these operations under another name only; on one device they mean the same.
SPELLINGS = [
    (r" fusion\((.*?)\), kind=\w+, calls=", r" call(\1), to_apply="),
    (r" bitcast\(", " reshape("),
    (r" collective-broadcast\((.*?)\), replica_groups=\{\{0\}\}", r" copy(\1)"),
    (r"= \(([a-z][^ ]*), [^()]*\) copy-start\(", r"= \1 copy("),
    (r"= \(([a-z][^ ]*), [^()]*\) (?:all-gather|collective-permute)-start\((.*?)\), .*", r"= \1 copy(\2)"),
    (r" all-reduce-start\((.*?)\), .*", r" copy(\1)"),
    (r" (?:copy|negate|all-reduce|all-gather|collective-permute)-done\(", " copy("),
    (r"= \(\(([^()]*)\), .*?\) negate-start\(", r"= \1 negate("),
    (r"= \(\(([^()]*)\), .*?\) negate-update\(", r"= \1 copy("),
]

# What XLA refuses in some modules only: message, part, and an equivalent that is not refused.
RESPELLINGS = [
    (r"Unsupported reduction computation|for datatype '\w+' is not supported|'\w+_dim\w*' cannot be zero"
     r"|at \w+_dimension cannot be zero", r" (?:all-reduce|reduce-scatter|all-gather)\((.*?)\), replica_groups=.*", r" copy(\1)"),
    (r"(?:replica|partition)-id", r" (?:replica|partition)-id\(\)", " constant(0)"),
    (r"signal 8", r"((?:ROOT )?)(\S+) = ([su]\d\S*) (divide|remainder)\((\S+), (\S+)\)",
     r"\2.fence = \3 opt-barrier(\6)\n  \1\2 = \3 \4(\5, \2.fence)"),
    (r"Init value is not a constant|Init value is a non-uniform|operand_maps.size\(\)", "is_associative=true", "is_associative=false"),
]

# Flags of XLA, in the order of the tries: its constant folding has faults that the backend has not; where it
# ends without folding (integer division of constants by zero), the folded module is compared.
WAYS = ["--xla_disable_hlo_passes=constant_folding --xla_backend_optimization_level=1", "--xla_backend_optimization_level=1"]


def plain(text):
    """The module in words that XLA's importer takes."""
    for pattern, instead in SPELLINGS:
        text = re.sub(pattern, instead, text)
    return text


def respelt(text, why):
    """The module without what a refusal names; the same text where nothing is known."""
    for refusal, pattern, instead in RESPELLINGS:
        if re.search(refusal, why):
            text = re.sub(pattern, instead, text)
    return text


# ---- the process that runs XLA ----

def worker():
    """Reads lines `FILE SPELT RESULTS`; runs SPELT on hlo-run's random inputs and compares with RESULTS. Answers JSON lines."""
    import xla
    for line in sys.stdin:
        path, spelt, results = line.split()
        try:
            with open(path) as module, open(spelt) as said:
                answer = xla.judge(module.read(), said.read(), results)
        except Exception as e:  # whatever XLA throws is its refusal
            answer = {"verdict": "skipped", "why": str(e).strip().replace("\n", " ")[:400]}
        print(json.dumps(answer), flush=True)


class Oracle:
    """XLA in every way. Says of each module: passed, failed or skipped, and why."""

    def __init__(self, seconds):
        self.ways = [Asked(__file__, flags, seconds) for flags in WAYS]

    def stop(self):
        for way in self.ways:
            way.stop()

    def ask(self, way, path, text, results):
        spelt = path + ".spelt"
        with open(spelt, "w") as to:
            to.write(text)
        answer, why = way.ask(f"{path} {spelt} {results}")
        return json.loads(answer) if answer else {"verdict": "skipped", "why": why}

    def judge(self, path, results):
        with open(path) as source:
            text = plain(source.read())
        for way in self.ways:
            answer = self.ask(way, path, text, results)
            for _ in RESPELLINGS:
                other = respelt(text, answer["why"]) if answer["verdict"] == "skipped" else text
                if other == text:
                    break
                text, answer = other, self.ask(way, path, other, results)
            if answer["verdict"] != "skipped":
                return answer
        return answer


# ---- the run ----

def generate(build, directory, seed, count, options):
    pairs = [f"{op}:{kind}" for ops, kinds in MISSING_PAIRS.items() for op in ops for kind in kinds]
    subprocess.run([f"{build}/tools/hlo-generate", f"--seed={seed}", f"--count={count}", f"--output-dir={directory}",
                    "--without=" + ",".join(MISSING_OPS + pairs), "--without-types=" + ",".join(MISSING_TYPES)] + options, check=True)
    return [os.path.join(directory, f"{seed + i}.hlo") for i in range(count)]


def modules(build, directory, seed, options):
    while True:
        yield from generate(build, directory, seed, 100, options)
        seed += 100


def check(oracle, build, path):
    results = path[: -len(".hlo")] + ".npz"
    ran = subprocess.run([f"{build}/bin/hlo-run", "--inputs=random", "--output-dir", results, path],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
    if ran.returncode:
        return {"verdict": "failed", "why": f"hlo-run: status {ran.returncode}: {ran.stderr[:300]}"}
    return oracle.judge(path, results)


def reason(why):
    """The same for the same refusal of different modules."""
    return re.sub(r"%?[\w-]+\.\d+|\d+", "N", why)[:110]


def keep(directory, path, verdict):
    os.makedirs(directory, exist_ok=True)
    os.replace(path, os.path.join(directory, f"{verdict}-{os.path.basename(path)}"))


def run(a, options):
    """-> how many modules there are of each verdict, and of each refusal."""
    oracle, counts, refusals = Oracle(a.seconds), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        for path in modules(a.build, directory, a.seed, options):
            answer = check(oracle, a.build, path)
            verdict = answer["verdict"]
            counts[verdict] += 1
            if verdict == "skipped":
                refusals[reason(answer["why"])] += 1
            elif verdict == "failed":
                print(f"seed {os.path.basename(path)[:-4]}: {answer['why']}", flush=True)
            if verdict != "passed" and a.keep:
                keep(a.keep, path, verdict)
            if counts["passed"] + counts["failed"] >= a.count or counts["skipped"] > a.count:
                break
    oracle.stop()
    return counts, refusals


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("build")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=1000, help="modules to compare")
    ap.add_argument("--seconds", type=float, default=60, help="that XLA gets for a module")
    ap.add_argument("--keep", help="directory for the modules that fail or are skipped")
    a, options = ap.parse_known_args()
    try:
        import jaxlib  # noqa: F401
    except ImportError:
        print("no jaxlib in", sys.executable)
        print(f"0 passed, 0 failed, {a.count} skipped")
        return 0
    counts, refusals = run(a, options)
    for why, n in refusals.most_common():
        print(f"skipped {n}: {why}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        sys.exit(main())
