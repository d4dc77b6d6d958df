"""Tables of measurements, a row for each module or dump, from which an interrupted run goes on. Used by modules.py and dumps.py."""
import argparse, csv, importlib.util, math, os, sys


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write_rows(path, rows):
    """Whole or not at all: the table is what an interrupted run goes on from."""
    with open(path + ".part", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n", restval="-")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".part", path)


def with_row(rows, row):
    return [r for r in rows if r["name"] != row["name"]] + [row]


def mean(ratios):
    """The geometric one of those that are known; None: there are none."""
    known = [math.log(ratio) for ratio in ratios if ratio and math.isfinite(ratio)]
    return math.exp(sum(known) / len(known)) if known else None


def missing(modules):
    """What to say where this Python lacks some of the modules; None: it has all."""
    names = [module for module in modules if not importlib.util.find_spec(module)]
    return f"{sys.executable} has no {', '.join(names)}: ORACLE_PYTHON names one that has" if names else None


def parser(description):
    """Of the arguments that both scripts have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("results")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--again", action="store_true", help="measure what has a row already")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--repeats", type=int, default=1)
    return parser
