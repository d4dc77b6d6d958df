#!/usr/bin/env python3
"""Compares two tables of bench/modules.py: what became slower or larger from OLD to NEW, and what improved.

    bench/diff.py OLD.tsv NEW.tsv [--limit PERCENT]

Of each module: the least steady run, start to result (a process), peak memory, and the ratio of the steady run to XLA's
where both tables have one. Exit status 1 when something is worse by more than PERCENT (10) and by more than what such a figure
varies by itself, or no longer runs; 2 when a table cannot be read.
"""
import argparse, csv, math, sys

# name, column, column that it is divided by, unit and its name, what it varies by in that column
FIGURES = [("run", "tool_run_min_s", None, 1e-3, "ms", 2e-6),
           ("start to result", "tool_e2e_s", None, 1e-3, "ms", 2e-3),
           ("memory", "tool_rss", None, 2**20, "MiB", 2**20),
           ("run / XLA's", "tool_run_min_s", "peer_run_min_s", 1, "", 0)]


def read(path):
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    if not rows or not {"name", "tool_status", "tool_run_min_s"} <= rows[0].keys():
        print(f"{path}: no table of bench/modules.py", file=sys.stderr)
        sys.exit(2)
    return {(row["name"], row.get("threads")): row for row in rows}


def number(row, column):
    try:
        value = float(row.get(column) or "-")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def figure(row, column, over):
    value, divisor = number(row, column), number(row, over) if over else 1
    return value / divisor if value and divisor else None


def compare(old, new, limit):
    """(ratio, module, figure, old, new, unit) of what differs, and all ratios by figure."""
    changed, ratios = [], {}
    for key in sorted(old.keys() & new.keys()):
        for name, column, over, unit, unit_name, varies in FIGURES:
            a, b = figure(old[key], column, over), figure(new[key], column, over)
            if not a or not b:
                continue
            ratios.setdefault(name, []).append(b / a)
            moved = max(a, b) / min(a, b) > 1 + limit / 100 and abs(a - b) > varies
            # A ratio to XLA's may move by XLA's part alone: our own time has to move the same way.
            if moved and over:
                mine = number(new[key], column) - number(old[key], column)
                moved = mine * (b - a) > 0 and abs(mine) > FIGURES[0][5]
            if moved:
                changed.append((b / a, key[0], name, f"{a / unit:.4g}", f"{b / unit:.4g} {unit_name}".strip()))
    return changed, ratios


def show(title, rows):
    print(f"\n{title}: {len(rows)}")
    if not rows:
        return
    print("\n| module | figure | old | new | new/old |\n| --- | --- | ---: | ---: | ---: |")
    for ratio, module, name, a, b in rows:
        print(f"| {module} | {name} | {a} | {b} | {ratio:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--limit", type=float, default=10)
    arguments = parser.parse_args()
    old, new = read(arguments.old), read(arguments.new)
    changed, ratios = compare(old, new, arguments.limit)
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name}: geometric mean of new/old {mean:.3f} over {len(values)} modules")
    only = [len(old.keys() - new.keys()), len(new.keys() - old.keys())]
    if any(only):
        print(f"{only[0]} modules are only in the old table, {only[1]} only in the new one")
    worse = sorted((c for c in changed if c[0] > 1), reverse=True)
    show(f"better by more than {arguments.limit:g} %", sorted(c for c in changed if c[0] < 1))
    show(f"worse by more than {arguments.limit:g} %", worse)
    broken = [key[0] for key in sorted(old.keys() & new.keys())
              if old[key]["tool_status"] == "ok" and new[key]["tool_status"] != "ok"]
    for name in broken:
        print(f"{name} no longer runs")
    return 1 if worse or broken else 0


if __name__ == "__main__":
    sys.exit(main())
