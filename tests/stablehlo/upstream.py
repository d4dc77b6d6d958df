#!/usr/bin/env python3
"""StableHLO's own tests, by hand: those of its verifier by hlo-verify, those of its interpreter by hlo-run. They are not part of this
project; docs/evidence/stablehlo.md has the counts.

  tests/stablehlo/upstream.py verifier CHECKOUT BIN      each program with `expected-error`: whether it is refused, and at that line;
                                                         each other one: whether it is accepted, or what refuses it
  tests/stablehlo/upstream.py interpreter CHECKOUT BIN   what `check.expect_*` compares becomes results of @main, which numpy compares

CHECKOUT is a checkout of openxla/stablehlo, BIN the folder of the programs. Programs lie between lines `// -----`. The function with the
error, or each function of a program without one, becomes @main. Lines of each program are printed with -v.
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ERROR = re.compile(r"expected-error(?:-re)?\s*(?:@\s*([+-]?\d+|below|above))?\s*\{\{")
FUNCTION = re.compile(r"(\bfunc(?:\.func)?\b\s+(?:public\s+|private\s+|nested\s+)?)@([\w$.\-]+|\"[^\"]*\")")
NAMES = """chlo/* future_type infer_* ops_* print_* replica_groups_mesh_axes verify_*""".split()
OTHER_DIALECTS = re.compile(r"hlo_test|\"test\.|\"foo\.|interpreter\.|sparse_tensor|#CSR|\bshape\.|\bindex\.")


def pieces(path):
    lines = []
    for line in open(path):
        if line.startswith("// -----"):
            yield lines
            lines = []
        else:
            lines.append(line.rstrip("\n"))
    yield lines


# ---- the verifier ----


def expected_lines(lines):
    wanted = set()
    for i, line in enumerate(lines, 1):
        found = ERROR.search(line)
        if found:
            where = found.group(1) or "0"
            wanted.add(i + {"below": 1, "above": -1}.get(where, 0) if where in ("below", "above") else i + int(where))
    return wanted


def as_main(lines, name, at):
    out = []
    for i, line in enumerate(lines, 1):
        if i == at:
            line = FUNCTION.sub(lambda m: re.sub("private |nested ", "", m.group(1)) + "@main", line, count=1)
        elif name != "main":
            line = re.sub(r"@main\b", "@main_", line)
            line = re.sub(r"@%s\b" % re.escape(name), "@main", line)
        out.append(line)
    return out


def programs(lines, wanted):
    functions = [(i, m.group(2)) for i, line in enumerate(lines, 1) for m in [FUNCTION.search(line.split("//")[0])] if m]
    if wanted:
        before = [f for f in functions if f[0] <= min(wanted)] or functions[:1]
        functions = before[-1:]
    return [as_main(lines, name, at) for at, name in functions]


def verdict(path, binary):
    run = subprocess.run([binary + "/hlo-verify", "--format=json", path], capture_output=True, timeout=60)
    found = [json.loads(line) for line in run.stdout.decode().splitlines() if line.startswith("{")]
    return run.returncode, [d for d in found if d["severity"] == "error"]


def kind_of(text, wanted, status, errors):
    if status not in (0, 1):
        return "status %d" % status
    if not status:
        return "with an error: accepted" if wanted else "without: accepted"
    is_of_others = "quantised" if "!quant" in text else "other dialects" if OTHER_DIALECTS.search(text) else None
    if not wanted:
        return "without: " + (is_of_others or "refused by " + errors[0]["rule"])
    if any(d.get("line") in wanted for d in errors):
        return "with an error: refused at the line"
    return "with an error: refused elsewhere: " + (is_of_others or "others")


def verifier(checkout, binary, verbose):
    total = collections.Counter()
    paths = sorted({p for name in NAMES for p in glob.glob(f"{checkout}/stablehlo/tests/{name}.mlir")})
    with tempfile.TemporaryDirectory() as work:
        for path in paths:
            for number, lines in enumerate(pieces(path)):
                wanted = expected_lines(lines)
                variants = programs(lines, wanted)
                if not variants and wanted:
                    total["with an error: no function"] += 1
                for variant in variants:
                    text = "\n".join(variant) + "\n"
                    open(work + "/program.mlir", "w").write(text)
                    status, errors = verdict(work + "/program.mlir", binary)
                    kind = kind_of(text, wanted, status, errors)
                    total[kind] += 1
                    if verbose:
                        said = f"{errors[0].get('line')}: {errors[0]['message']} [{errors[0]['rule']}]" if errors else ""
                        print(f"{os.path.basename(path)} {number}: {kind}: {sorted(wanted)} {said}")
    return total


# ---- the interpreter ----

CHECK = re.compile(r"check\.(expect_\w+)\s+(%[\w#$.\-]+)\s*,")
HEAD = re.compile(r"func\.func\s+(?:public\s+|private\s+)?@[\w$.\-]+\s*\(([^)]*)\)\s*(->\s*(?:\([^)]*\)|[^{\n]*?)\s*)?\{")


def after_brackets(text, at, opens, closes):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opens) - (text[i] == closes)
        if text[i] == closes and not depth:
            return i + 1
    raise ValueError("a bracket does not close")


def type_at(text, at):
    at += len(text[at:]) - len(text[at:].lstrip())
    end = at + re.match(r"[\w!.]+", text[at:]).end()
    return (text[at:end], end) if text[end:end + 1] != "<" else (text[at:after_brackets(text, end, "<", ">")],
                                                                  after_brackets(text, end, "<", ">"))


def rewritten(text):
    """The program with its checks as results of @main, and what they are: (kind, attributes, type). Raises ValueError."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    out, at, checks, values, types = [], 0, [], [], []
    for found in CHECK.finditer(text):
        out.append(text[at:found.start()])
        end, kind = found.end(), found.group(1)
        if kind.endswith("_const"):
            start = end
            end = after_brackets(text, text.index("<", end), "<", ">")
            dense = text[start:end]
        else:
            other = re.match(r"\s*(%[\w#$.\-]+)", text[end:])
            end += other.end()
        attrs_end = text.index(":", end)
        attributes = text[end:attrs_end]
        kind_type, end = type_at(text, attrs_end + 1)
        second = re.match(r"\s*,\s*(?=tensor)", text[end:])
        if second:
            _, end = type_at(text, end + second.end())
        name = f"%expected__{len(checks)}" if kind.endswith("_const") else other.group(1)
        if kind.endswith("_const"):
            out.append(f"{name} = stablehlo.constant {dense} : {kind_type}\n")
        values += [found.group(2), name]
        types += [kind_type, kind_type]
        checks.append((kind, attributes, kind_type))
        at = end
    text = "".join(out) + text[at:]
    ends = list(re.finditer(r"(?<!stablehlo\.)\b(func\.)?return\b[^\n]*", text))
    heads = [h for h in HEAD.finditer(text) if ends and h.start() < ends[-1].start()]
    if not heads or heads[-1].group(1).strip():
        raise ValueError("no function without arguments")
    text = text[:ends[-1].start()] + f"return {', '.join(values)} : {', '.join(types)}" + text[ends[-1].end():]
    return text[:heads[-1].start()] + f"func.func @main() -> ({', '.join(types)}) {{" + text[heads[-1].end():], checks


def as_floats(array, kind_type):
    import numpy as np
    if array.dtype.kind == "V" and "bf16" in kind_type:
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array


def ordered(array):
    import numpy as np
    bits = array.view({2: np.int16, 4: np.int32, 8: np.int64}[array.dtype.itemsize]).astype(object)
    return np.where(bits < 0, -(1 << (array.dtype.itemsize * 8 - 1)) - bits, bits)


def agrees(check, got, wanted):
    import numpy as np
    kind, attributes, kind_type = check
    got, wanted = np.atleast_1d(as_floats(got, kind_type)), np.atleast_1d(as_floats(wanted, kind_type))
    if kind.startswith("expect_eq") or got.dtype.kind not in "fc":
        return got.tobytes() == wanted.tobytes() or (got.dtype.kind in "fc" and np.array_equal(got, wanted, equal_nan=True))
    if kind.startswith("expect_almost_eq"):
        tolerance = re.search(r"tolerance\s*=\s*([\d.eE+-]+)", attributes)
        return np.allclose(got, wanted, rtol=0, atol=float(tolerance.group(1)) if tolerance else 1e-3, equal_nan=True)
    if got.dtype.kind == "c":
        part = np.float32 if got.dtype == np.complex64 else np.float64
        got, wanted = got.view(part), wanted.view(part)
    most = re.search(r"max_ulp_difference\s*=\s*(\d+)", attributes)
    near = np.abs(ordered(got) - ordered(wanted)) <= (int(most.group(1)) if most else 1)
    return bool(np.all(near | (np.isnan(got) & np.isnan(wanted))))


def run_one(text, checks, binary, engine, work):
    import numpy as np
    open(work + "/program.mlir", "w").write(text)
    shutil.rmtree(work + "/out", ignore_errors=True)
    run = subprocess.run([binary + "/hlo-run", work + "/program.mlir", "--engine=" + engine, "--output-dir", work + "/out"],
                         capture_output=True, timeout=300)
    if run.returncode:
        return "refused", run.stderr.decode().split("\n")[0]
    wrong = [i for i, check in enumerate(checks)
             if not agrees(check, np.load(f"{work}/out/out{2 * i}.npy"), np.load(f"{work}/out/out{2 * i + 1}.npy"))]
    return ("differ", f"checks {wrong}") if wrong else ("agree", "")


def interpreter(checkout, binary, verbose):
    total = collections.Counter()
    paths = sorted(p for f in ("interpret", "interpret/chlo", "math") for p in glob.glob(f"{checkout}/stablehlo/tests/{f}/*.mlir"))
    with tempfile.TemporaryDirectory() as work:
        for path in paths:
            for number, lines in enumerate(pieces(path)):
                text = "\n".join(lines)
                if "check.expect" not in text:
                    continue
                if "interpreter." in text or "expect_serialized_eq" in text:
                    total["several devices, or probes"] += 1
                    continue
                try:
                    program, checks = rewritten(text)
                except ValueError as error:
                    total["left out: " + str(error)] += 1
                    continue
                for engine in ("fast", "reference"):
                    kind, said = run_one(program, checks, binary, engine, work)
                    total[f"{kind}, {engine} engine"] += 1
                    if verbose or kind != "agree":
                        print(f"{os.path.basename(path)} {number} {engine}: {kind} {said}")
    return total


def main():
    verb, checkout, binary = sys.argv[1:4]
    total = {"verifier": verifier, "interpreter": interpreter}[verb](checkout, binary, "-v" in sys.argv)
    for kind in sorted(total):
        print(f"{total[kind]:6d} {kind}")


if __name__ == "__main__":
    main()
