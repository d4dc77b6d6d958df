#!/usr/bin/env python3
"""Two builds side by side: the same commands in turn, OLD, NEW, OLD, NEW ..., and the ratio of their least times.

    bench/compare.py OLD NEW [--runs N] [--limit PERCENT] [--only WORDS] [MODULE...]

OLD and NEW are build directories. Rows: processor time of hlo-opt --passes=, hlo-verify and hlo-opt --pipeline=default on
every dump of 1 MB and more of HLO_CORPUS, and the least steady run by hlo-run --bench of the golden
models and of MODULE... (dumps to run on made-up inputs). Exit status 1 when a row is slower by more than PERCENT, after it
was measured a second time with three times the runs. Nothing else should run on the machine.
"""
import argparse, json, os, resource, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
from outside import CORPUS, ROOT



def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')[:300]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def steady_seconds(command):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        processor_seconds(command + ["--bench", "20", "--bench-json", report.name])
        return json.load(open(report.name))["run_min_s"]


def workloads(arguments):
    dumps = [os.path.join(CORPUS, n) for n in sorted(os.listdir(CORPUS))] if os.path.isdir(CORPUS) else []
    for dump in (d for d in dumps if d.endswith(".hlo") and os.path.getsize(d) >= 1_000_000):
        name = os.path.basename(dump)[:-4]
        yield f"print {name}", processor_seconds, ["hlo-opt", "--passes=", dump]
        yield f"verify {name}", processor_seconds, ["hlo-verify", dump]
        yield f"passes {name}", processor_seconds, ["hlo-opt", "--pipeline=default", dump]
    models = os.path.join(ROOT, "tests", "golden", "models")
    modules = [os.path.join(models, n, "module.hlo") for n in sorted(os.listdir(models))] + arguments.modules
    for module in modules:
        name = os.path.basename(os.path.dirname(module)) if module.endswith("/module.hlo") else os.path.basename(module)
        yield f"run {name}", steady_seconds, ["hlo-run", module, "--inputs=hash", "--threads=1", "--stub-custom-calls=zeros"]


def least(builds, measure, command, runs):
    times = [[], []]
    for _ in range(runs):
        for side, build in enumerate(builds):
            times[side].append(measure([os.path.join(build, "bin", command[0])] + command[1:]))
    return min(times[0]), min(times[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    arguments = parser.parse_intermixed_args()
    builds, slower = (arguments.old, arguments.new), []
    print("| workload | old ms | new ms | new/old |\n| --- | ---: | ---: | ---: |")
    for name, measure, command in workloads(arguments):
        if arguments.only not in name:
            continue
        old, new = least(builds, measure, command, arguments.runs)
        if new > old * (1 + arguments.limit / 100):
            old, new = least(builds, measure, command, 3 * arguments.runs)
        print(f"| {name} | {old * 1e3:.3f} | {new * 1e3:.3f} | {new / old:.3f} |", flush=True)
        if new > old * (1 + arguments.limit / 100):
            slower.append(name)
    print(f"\n{len(slower)} rows are slower by more than {arguments.limit:g} %" + "".join(f"\n- {n}" for n in slower))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
