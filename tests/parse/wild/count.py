#!/usr/bin/env python3
"""What becomes of HLO texts in the wild (HLO_WILD or HLO_SHARED/wild, outside this project): the page docs/evidence/real-texts.md.

    tests/parse/wild/count.py BUILD [--ask]

For each class of wild.tsv and each form: how many are read, printed as XLA prints them, verified, and by which rule the
others are refused; then why (why.tsv here: texts, rules, and what XLA's source of August 2026 says). What XLA says of
each text is in xla.tsv: the first 16 digits of the SHA-256 of its print without final empty lines, or `reject` or
`crash`. --ask asks it anew, and wants a Python with jaxlib. Old forms (class b) are read with --dialect=extended where
hlo-opt takes it. Called by hand; tests/parse/wild.bats holds us to both tables.
"""
import argparse, collections, csv, hashlib, json, os, pathlib, subprocess, sys, tarfile, tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = {
    "ok": "read and printed as XLA does when they were found", "a-parse": "XLA read them, our parser did not",
    "a-verify": "XLA's verifier took them, ours did not", "print-differs": "printed otherwise than by XLA",
    "verify": "XLA reads them, our verifier refuses", "b": "old forms, which XLA reads no longer",
    "n": "meant to be refused", "c": "cut off or ill-formed", "xla-crash": "XLA aborts"}


def sum_of(text):
    return hashlib.sha256(text.rstrip(b"\n") + b"\n").hexdigest()[:16]


# ---- XLA ----

def ask_here(path, to):
    from jaxlib import xla_client
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        module = xla_client.hlo.hlo_module_from_text(path.read_text(errors="surrogateescape"))
        said = sum_of(module.to_string().encode(errors="surrogateescape"))
    except Exception:
        said = "reject"
    os.write(to, said.encode())
    os._exit(0)


def ask(path):
    """XLA aborts on some texts: each is read by a process of its own."""
    source, to = os.pipe()
    child = os.fork()
    if not child:
        ask_here(path, to)
    os.close(to)
    with os.fdopen(source, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said or "crash"


def ask_all(rows, modules):
    import jaxlib.xla_client  # once, before the processes
    with open(HERE / "xla.tsv", "w") as out:
        for row in rows:
            print(row["name"], ask(modules / f"{row['name']}.hlo"), sep="\t", file=out)


# ---- ours ----

def extended(build):
    """The options that old forms are read with, where hlo-opt takes them."""
    option, module = "--dialect=extended", b"HloModule m\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n"
    return [option] if subprocess.run([build / "bin/hlo-opt", option], input=module, capture_output=True).returncode == 0 else []


def first_rule(build, arguments):
    said = subprocess.run([build / "bin/hlo-verify", "--format=json", *arguments], capture_output=True, text=True)
    for line in said.stdout.splitlines():
        finding = json.loads(line)
        if finding.get("severity", "error") == "error" and "rule" in finding:
            return finding["rule"]
    return None if said.returncode == 0 else f"status {said.returncode}"


def judge(build, options, path, xla):
    arguments = [*options, str(path)]
    printed = subprocess.run([build / "bin/hlo-opt", "--passes=", *arguments], capture_output=True)
    found = {"texts": 1, "read": printed.returncode == 0, "rule": first_rule(build, arguments)}
    found["same"] = found["read"] and sum_of(printed.stdout) == xla
    found["xla"] = xla not in ("reject", "crash")
    return found


# ---- the table ----

def table(title, columns, rows):
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")


def counted(founds):
    count = [sum(bool(f[key]) for f in founds) for key in ("texts", "xla", "read", "same")]
    return [*count, sum(f["rule"] is None for f in founds)]


def refusals(founds):
    rules = collections.Counter(f["rule"] for f in founds if f["rule"])
    return ", ".join(f"{rule} {n}" if n > 1 else rule for rule, n in sorted(rules.items(), key=lambda r: (-r[1], r[0])))


def reasons(judged):
    why = {row["name"]: row["why"] for row in csv.DictReader(open(HERE / "why.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE)}
    found = collections.Counter((row["class"], f["rule"], why.get(row["name"], "no reason is known")) for row, f in judged if f["rule"])
    return [[c, rule, n, reason] for (c, rule, reason), n in sorted(found.items())]


def page(judged):
    classes, forms = collections.defaultdict(list), collections.defaultdict(list)
    for row, found in judged:
        classes[row["class"]].append(found)
        if row["form"]:
            forms[row["class"], row["form"]].append(found)
    head = ["texts", "XLA reads", "read", "printed as by XLA", "verified"]
    print("# HLO texts in the wild\n\nTexts of 2017 to 2026 as public repositories quote, test or dump them; they are not part of this project. Made "
          "by\n`tests/parse/wild/count.py`, whose head defines the classes; XLA is that of jaxlib 0.10.2.")
    table("## By class", ["class", *head], [[CLASSES[c], *counted(classes[c])] for c in CLASSES if classes[c]])
    table("## By form", ["class", "form", *head, "refused by"],
          [[c, form or "-", *counted(f), refusals(f) or "-"] for (c, form), f in sorted(forms.items())])
    table("## Why texts are refused", ["class", "rule", "texts", "why"], reasons(judged))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ask", action="store_true")
    given = parser.parse_args()
    wild = pathlib.Path(os.environ.get("HLO_WILD") or os.path.join(os.environ.get("HLO_SHARED", ""), "wild"))
    if not (wild / "wild.tsv").exists():
        sys.exit(f"count.py: no wild.tsv in {wild}: set HLO_WILD")
    rows = list(csv.DictReader(open(wild / "wild.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE))
    with tempfile.TemporaryDirectory() as directory:
        with tarfile.open(wild / "modules.tar.gz") as archive:
            archive.extractall(directory, filter="data")
        modules = pathlib.Path(directory)
        if given.ask:
            ask_all(rows, modules)
        xla = dict(line.split("\t") for line in (HERE / "xla.tsv").read_text().splitlines())
        old = extended(given.build)
        page([(row, judge(given.build, old if row["class"] == "b" else [], modules / f"{row['name']}.hlo", xla[row["name"]]))
              for row in rows])


if __name__ == "__main__":
    main()
