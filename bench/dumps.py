#!/usr/bin/env python3
"""Whole dumps, from the start of hlo-run to its end, beside XLA's compile and first run: a markdown table.

    bench/dumps.py BUILD RESULTS [--again] [--alone] [--repeats N] [--seconds N] [--threads N] [NAME...]

The dumps are those that HLO_SHARED/golden/dumps has expected values of; their texts are in HLO_SHARED/corpus.
A dump's row in RESULTS is made once, or --again: an interrupted run is continued by the same command. Both sides compute
on the same inputs (made up by a hash) and processors, and take turns; of N repeats the least counts. What hlo-run takes
contains reading the text, making inputs and writing results to files, which are compared with the expected values; XLA's time
contains none of these, nor its own start. --alone leaves XLA's columns as they are. XLA's runs need jaxlib, the comparison
NumPy with ml_dtypes (ORACLE_PYTHON in the Makefile). --seconds: no dump is begun later.
"""
import json, math, os, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # nothing is left beside the sources
import results
from outside import ROOT, SHARED
from results import mean, missing, rows_of, with_row, write_rows

EXPECTED = os.path.join(SHARED, "golden", "dumps")
SUMMARISE = os.path.join(SHARED, "tools", "summarise.py")
COLUMNS = ["name", "threads", "tool_s", "xla_compile_s", "xla_first_run_s", "ratio", "values"]


def run(words, threads):
    """Seconds from start to end, on the first processors; ends the program when the command fails."""
    processors = set(sorted(os.sched_getaffinity(0))[:threads])
    start = time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: os.sched_setaffinity(0, processors))
    seconds = time.perf_counter() - start
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        errors = [line for line in said if "error" in line.lower()] or said[-1:] or ["no message"]
        sys.exit(f"{' '.join(words)}: status {done.returncode}: {errors[0]}")
    return seconds


class Dump:
    def __init__(self, name):
        self.name, self.expected = name, os.path.join(EXPECTED, name + ".json")
        with open(self.expected) as file:
            about = json.load(file)
        self.text = os.path.join(SHARED, "corpus", about["module"])
        self.fill, self.seed = about.get("fill", "hash"), about["seed"]

    def tool(self, arguments):
        """(seconds, what the comparison says) of a process."""
        words = [os.path.join(arguments.build, "bin", "hlo-run"), f"--inputs={self.fill}", f"--seed={self.seed}",
                 f"--threads={arguments.threads}", self.text, "--output-dir"]
        with tempfile.TemporaryDirectory() as folder:
            seconds = run(words + [folder], arguments.threads)
            done = subprocess.run([sys.executable, SUMMARISE, "check", self.expected, folder], stdout=subprocess.PIPE, text=True)
        return seconds, done.stdout.strip().splitlines()[-1] if done.stdout else "no comparison"

    def xla(self, threads):
        """(compile, first run) of a process of its own."""
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            run([sys.executable, SUMMARISE, "make", self.text, file.name, "--seed", str(self.seed), "--fill", self.fill], threads)
            said = json.load(open(file.name))
        return said["xla_compile_s"], said["xla_first_run_s"]


def measure(arguments, dump, before):
    ours, theirs = [], []
    for _ in range(arguments.repeats):
        ours.append(dump.tool(arguments))
        if not arguments.alone:
            theirs.append(dump.xla(arguments.threads))
    if theirs:
        compiled, first = min(theirs, key=sum)
    else:
        compiled, first = (float(before.get(column, "nan")) for column in ("xla_compile_s", "xla_first_run_s"))
    seconds, values = min(ours)
    return {"name": dump.name, "threads": arguments.threads, "tool_s": f"{seconds:.4g}", "xla_compile_s": f"{compiled:.4g}",
            "xla_first_run_s": f"{first:.4g}", "ratio": f"{seconds / (compiled + first):.3g}", "values": values}


def tell(rows):
    print("| dump | start to result, s | XLA: compile, s | first run, s | ratio | outputs as expected |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for row in rows:
        print("| " + " | ".join(row[column] for column in COLUMNS if column != "threads") + " |")
    known = [ratio for ratio in (float(row["ratio"]) for row in rows) if math.isfinite(ratio)]
    if known:
        print(f"\n{sum(ratio < 1 for ratio in known)} of {len(known)} dumps take less than XLA; "
              f"geometric mean of the ratios {mean(known):.3f}")


def reason_to_skip(arguments):
    if not os.path.isdir(EXPECTED):
        return f"no expected values of dumps at {EXPECTED}: HLO_SHARED names the folder that has golden/dumps and corpus"
    needed = ["numpy", "ml_dtypes"] + ([] if arguments.alone else ["jaxlib"])
    return missing(needed)


def main():
    parser = results.parser(__doc__)
    parser.add_argument("--alone", action="store_true", help="hlo-run only")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_intermixed_args()
    reason = reason_to_skip(arguments)
    if reason:
        print(f"skipped: {reason}")
        return 0
    rows = rows_of(arguments.results)
    wanted = arguments.names or sorted(file.removesuffix(".json") for file in os.listdir(EXPECTED) if file.endswith(".json"))
    has = set() if arguments.again else {row["name"] for row in rows}
    left, start = [name for name in wanted if name not in has], time.monotonic()
    while left and time.monotonic() - start < arguments.seconds:
        dump = Dump(left.pop(0))
        row = measure(arguments, dump, next((row for row in rows if row["name"] == dump.name), {}))
        rows = with_row(rows, row)
        write_rows(arguments.results, rows)
        print(f"{dump.name}: {row['tool_s']} s, {row['ratio']} of XLA's", file=sys.stderr)
    tell(rows)
    if left:
        print(f"{len(left)} dumps are left: the same command goes on with {left[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
