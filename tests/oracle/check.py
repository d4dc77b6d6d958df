#!/usr/bin/env python3
"""Random modules, run by hlo-run and by XLA's CPU backend: do the results agree?

    tests/oracle/check.py BUILD [--seed N] [--count N] [--jobs N] [--keep DIR] [OPTION of hlo-generate ...]

BUILD holds bin/hlo-run and tools/hlo-generate. Results are compared within the tolerance that each module's
header carries. XLA is asked in a process of its own, one module after the other; where it does not answer in
time or ends, the process is started anew and the module counted. The last line is
`N passed, N failed, N skipped`; a skip is a module that XLA refuses, and says why. Modules that failed are kept in DIR.

Needs jaxlib; without it the script says so and skips. `make check-oracle` runs it.
"""
import argparse, collections, json, os, re, select, subprocess, sys, tempfile

# What XLA's CPU backend has no code for, nor another word.
MISSING = "--without=ragged-dot,mulhi"

# XLA's importer knows these operations by another name only; on one device they mean the same.
SPELLINGS = [
    (re.compile(r" fusion\((.*?)\), kind=\w+, calls="), r" call(\1), to_apply="),
    (re.compile(r" bitcast\("), " reshape("),
    (re.compile(r" collective-broadcast\((.*?)\), replica_groups=\{\{0\}\}"), r" copy(\1)"),
    (re.compile(r"= \(([a-z][^ ]*), [^()]*\) copy-start\("), r"= \1 copy("),
    (re.compile(r" (?:copy|negate)-done\("), " copy("),
    (re.compile(r"( topk\(.*?), is_stable=true"), r"\1"),
    (re.compile(r"= \(\(([^()]*)\), .*?\) negate-start\("), r"= \1 negate("),
    (re.compile(r"= \(\(([^()]*)\), .*?\) negate-update\("), r"= \1 copy("),
]


def plain(text):
    """The module in words that XLA's importer takes."""
    for pattern, instead in SPELLINGS:
        text = pattern.sub(instead, text)
    return text


# ---- the process that asks XLA ----

def worker():
    """Reads lines `FILE RESULTS`; runs FILE on hlo-run's random inputs and compares with RESULTS. Answers one JSON line."""
    import xla
    for line in sys.stdin:
        path, results = line.split()
        try:
            text = open(path).read()
            answer = xla.judge(text, plain(text), results)
        except Exception as e:  # whatever XLA throws is its refusal
            answer = {"verdict": "refused", "why": str(e).strip().replace("\n", " ")[:400]}
        print(json.dumps(answer), flush=True)


class Oracle:
    """One worker at a time, started again when it dies or takes too long."""

    def __init__(self, seconds):
        self.seconds, self.process = seconds, None

    def start(self):
        flags = "--xla_disable_hlo_passes=constant_folding --xla_backend_optimization_level=1"
        env = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", XLA_FLAGS=flags)
        self.process = subprocess.Popen([sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, env=env,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def judge(self, path, results):
        if not self.process:
            self.start()
        self.process.stdin.write(f"{path} {results}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
        answer = self.process.stdout.readline() if ready else ""
        if answer:
            return json.loads(answer)
        self.stop()
        return {"verdict": "refused", "why": "XLA gave no answer" if not ready else "XLA's process died"}


# ---- the run ----

def generate(build, folder, seed, count, options):
    command = [f"{build}/tools/hlo-generate", f"--seed={seed}", f"--count={count}", f"--output-dir={folder}", MISSING] + options
    subprocess.run(command, check=True)
    return [os.path.join(folder, f"{seed + i}.hlo") for i in range(count)]


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


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("build")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=1000)
    ap.add_argument("--seconds", type=float, default=60, help="that XLA gets for a module")
    ap.add_argument("--keep", help="folder for the modules that fail")
    a, options = ap.parse_known_args()
    try:
        import jaxlib  # noqa: F401
    except ImportError:
        print("no jaxlib in", sys.executable)
        print(f"0 passed, 0 failed, {a.count} skipped")
        return 0
    oracle, counts, refusals = Oracle(a.seconds), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in generate(a.build, folder, a.seed, a.count, options):
            answer = check(oracle, a.build, path)
            counts[answer["verdict"]] += 1
            if answer["verdict"] == "refused":
                refusals[reason(answer["why"])] += 1
            elif answer["verdict"] == "failed":
                print(f"seed {os.path.basename(path)[:-4]}: {answer['why']}", flush=True)
            if answer["verdict"] != "passed" and a.keep:
                os.makedirs(a.keep, exist_ok=True)
                with open(path) as source, open(os.path.join(a.keep, answer["verdict"] + "-" + os.path.basename(path)), "w") as to:
                    to.write(source.read())
    oracle.stop()
    for why, n in refusals.most_common():
        print(f"skipped {n}: {why}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['refused']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        sys.exit(main())
