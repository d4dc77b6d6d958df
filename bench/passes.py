#!/usr/bin/env python3
"""What `hlo-opt --pipeline=default` makes of real dumps, as a markdown table for docs/evidence/passes-corpus.md; beside it what
XLA's CPU backend makes of them, where jaxlib is there and takes the module.

    bench/passes.py BUILD [--seconds N] [--keep DIR] [--list FILE] [DUMP...]

Without DUMP: all of HLO_CORPUS. XLA compiles in a process of its own, one dump at a time, for at most
N seconds; DIR keeps its final modules, and those that are there are not compiled again. --list shows by opcode what one
dump has on both sides. Called by `make bench-passes`, which takes the Python of ORACLE_PYTHON.

How instructions are counted: all that compute, in ENTRY and in everything that it calls, bodies of fusions included.
Parameters, constants, tuples and their elements, bitcasts, copies, fusions and calls compute nothing. Both modules are
read as text by the same code. `distinct` is stricter on what XLA's fusion does: it puts a cheap producer into each of the
fusions that use it, so fusions and calls are opened where they are used, and what computes the same of the same
operands counts once, on both sides. A reshape that moves no data is a bitcast, whatever it is called.
"""
import argparse, collections, math, os, re, resource, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
from outside import CORPUS

PLUMBING = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "fusion", "call"}
OPENED = {"fusion", "call"}
CALLS = re.compile(r"\b(?:calls|to_apply|condition|body|branch_computations|true_computation|false_computation|select|"
                   r"scatter|called_computations|comparator)=(\{[^}]*\}|%?[\w.\-]+)")
SILENT = re.compile(r", (?:metadata|sharding|frontend_attributes|backend_config|origin|original_value|statistics|"
                    r"control-predecessors|outer_dimension_partitions|kind|channel_id)=")
Instruction = collections.namedtuple("Instruction", "name shape opcode operands attributes called is_root")


# ---- reading a module's text ----

def closing(text, start):
    """Where the bracket at `start` closes; strings are stepped over."""
    depth, i = 0, start
    while True:
        c = text[i]
        if c == '"':
            i = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, i).end()
            continue
        depth += c in "([{"
        depth -= c in ")]}"
        if depth == 0:
            return i
        i += 1


def without_silent(attributes):
    """Attributes that say nothing about what is computed go, with their values."""
    while found := SILENT.search(attributes):
        at, depth = found.end(), 0
        while at < len(attributes) and not (depth == 0 and attributes[at] == ","):
            if attributes[at] in "{[(\"":
                at = closing(attributes, at) + 1 if attributes[at] != '"' else attributes.index('"', at + 1) + 1
                continue
            at += 1
        attributes = attributes[:found.start()] + attributes[at:]
    return attributes


def instruction(line):
    is_root, rest = line.startswith("ROOT "), line.removeprefix("ROOT ")
    name, rest = rest.split(" = ", 1)
    end = closing(rest, 0) + 1 if rest[0] == "(" else rest.index(" ")
    shape, rest = rest[:end], rest[end:].lstrip()
    opcode, start = rest[:rest.index("(")], rest.index("(")
    end = closing(rest, start)
    inside, attributes = rest[start + 1:end], without_silent(rest[end + 1:])
    called = [n.strip().lstrip("%") for v in CALLS.findall(attributes) for n in v.strip("{}").split(",")]
    operands = [inside] if opcode in ("constant", "parameter") else re.findall(r"%([\w.\-]+)", inside)
    return Instruction(name.lstrip("%"), re.sub(r"/\*.*?\*/", "", shape), opcode, operands, CALLS.sub("", attributes),
                       called, is_root)


def computations(text):
    """{name: [instruction]} and the name of the entry."""
    all_of_them, entry, here = {}, None, None
    for line in text.splitlines():
        if here is None and line.endswith("{") and not line.startswith("HloModule"):
            name = line.removeprefix("ENTRY ").split()[0].lstrip("%")
            entry = name if line.startswith("ENTRY ") else entry
            here = all_of_them[name] = []
        elif line.startswith("}"):
            here = None
        elif here is not None and line.strip():
            here.append(instruction(line.strip()))
    return all_of_them, entry


# ---- counting ----

def count(module, entry):
    """Opcodes of what computes, each computation once."""
    seen, worklist, opcodes = {entry}, [entry], collections.Counter()
    while worklist:
        for i in module[worklist.pop()]:
            opcodes[i.opcode] += i.opcode not in PLUMBING
            worklist += [c for c in i.called if c not in seen]
            seen.update(i.called)
    return +opcodes


class Numbering:
    """Gives the same number to what computes the same of the same operands."""

    def __init__(self, module):
        self.module, self.bodies, self.opcodes, self.known = module, {}, collections.Counter(), {}

    def number(self, key, opcode):
        if key not in self.known:
            self.known[key] = len(self.known)
            self.opcodes[opcode] += opcode not in PLUMBING
        return self.known[key]

    def body(self, name):
        """A computation that is called for what it computes: its root's number, parameters being their places."""
        if name not in self.bodies:
            self.bodies[name] = self.walk(name, None)
        return self.bodies[name]

    def walk(self, name, arguments):
        values, root = {}, None
        for i in self.module[name]:
            values[i.name] = self.value(i, [values.get(o, o) for o in i.operands], arguments)
            root = values[i.name] if i.is_root else root
        return root

    def value(self, i, operands, arguments):
        sizes = re.sub(r"\{[^{}]*\}", "", i.shape)
        if i.opcode == "parameter" and arguments is not None:
            return arguments[int(operands[0])]
        if i.opcode in OPENED and "is_composite" not in i.attributes:
            return self.walk(i.called[0], operands)
        if i.opcode == "copy" or i.opcode in ("bitcast", "reshape", "broadcast", "transpose") and isinstance(
                operands[0], tuple) and operands[0][1] == sizes:
            return operands[0]
        if i.opcode == "get-tuple-element" and isinstance(operands[0], list):
            return operands[0][int(re.search(r"index=(\d+)", i.attributes)[1])]
        if i.opcode == "tuple":
            return operands
        opcode = "bitcast" if i.opcode == "reshape" else i.opcode
        bodies = tuple(map(repr, map(self.body, i.called)))
        elided = i.name if "{...}" in str(operands) else ""
        return self.number((opcode, sizes, repr(operands), i.attributes, bodies, elided), opcode), sizes


def count_distinct(module, entry):
    numbering = Numbering(module)
    numbering.walk(entry, None)
    return +numbering.opcodes


# ---- one dump ----

def compile_with_xla(dump, result):
    """In a process of its own: XLA may take all memory, or the process down."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "oracle"))
    import check, xla
    executable, _, _ = xla.compile_text(check.plain(open(dump, errors="surrogateescape").read()))
    with open(result + ".part", "w", errors="surrogateescape") as out:
        out.write(executable.hlo_modules()[0].to_string())
    os.rename(result + ".part", result)


def has_jaxlib():
    return not subprocess.run([sys.executable, "-c", "import jax, jaxlib, ml_dtypes"], stderr=subprocess.DEVNULL
                              ).returncode


def xla_text(dump, keep, seconds):
    """XLA's final module, or None and the reason. Its machine code is not looked at, so LLVM need not try hard."""
    result = os.path.join(keep, os.path.basename(dump).removesuffix(".hlo") + ".xla.txt")
    flags = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    env = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", XLA_FLAGS=flags)
    if not os.path.exists(result):
        if not has_jaxlib():
            return None, "no jaxlib"
        try:
            done = subprocess.run([sys.executable, __file__, "--compile", dump, result], env=env, timeout=seconds,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace")
        except subprocess.TimeoutExpired:
            return None, f"not done after {seconds} s"
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if re.match(r"[\w.]*(Error|Exception|error)\b.*:", line)]
            return None, (lines or [f"status {done.returncode}"])[-1].split(": ", 1)[-1][:120]
    return open(result, errors="surrogateescape").read(), None


def optimised(build, dump):
    """The text that the default pipeline leaves, {what: (before, after)} and processor seconds."""
    command = [os.path.join(build, "bin", "hlo-opt"), "--pipeline=default", "--stats", "--no-large-constants", dump]
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, errors="surrogateescape", check=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    lines = re.findall(r"^(instructions|peak bytes) +(\S+) +(\S+)$", done.stderr, re.M)
    return done.stdout, {what: (float(a), float(b)) for what, a, b in lines}, seconds


def row(dump, arguments, keep):
    """One line of the table, and its ratios where XLA has something to compare with."""
    text, stats, seconds = optimised(arguments.build, dump)
    (n0, n1), (p0, p1) = stats["instructions"], stats["peak bytes"]
    line = f"| {os.path.basename(dump).removesuffix('.hlo')} | {n0:.0f} | {n1:.0f} | {p0 / 1e6:.4g} | {p1 / 1e6:.4g} | "
    line += f"{seconds * 1000:.0f} | "
    other, why = xla_text(dump, keep, arguments.seconds)
    if other is None:
        return line + f"{count(*computations(text)).total()} | {why} | | | | |", None
    ours, theirs, ratios = computations(text), computations(other), {}
    for name, how in (("count", count), ("distinct", count_distinct)):
        a, b = how(*ours), how(*theirs)
        ratios[name] = a.total() / b.total() if a and b else None
        converts = a.total() - a["convert"], b.total() - b["convert"]
        ratios[name + " without convert"] = converts[0] / converts[1] if all(converts) else None
        line += f"{a.total()} | {b.total()} | " + (f"{ratios[name]:.2f} | " if ratios[name] else "| ")
    return line.rstrip(), ratios


# ---- all dumps ----

def list_opcodes(dump, arguments, keep):
    text, _, _ = optimised(arguments.build, dump)
    other, why = xla_text(dump, keep, arguments.seconds)
    if other is None:
        sys.exit(f"{dump}: {why}")
    for name, how in (("count", count), ("distinct", count_distinct)):
        a, b = how(*computations(text)), how(*computations(other))
        print(f"{name:24} {'ours':>6} {'XLA':>6}")
        for opcode in sorted(a | b, key=lambda o: (b[o] - a[o], o)):
            print(f"{opcode:24} {a[opcode]:6} {b[opcode]:6}")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(dumps, arguments, keep):
    if not has_jaxlib():
        print(f"skipped: XLA, since {sys.executable} has no jaxlib", file=sys.stderr)
    print("| module | instructions | after | peak MB | after | ms | count | XLA | ratio | distinct | XLA | ratio |")
    print("| --- " + "| ---: " * 11 + "|")
    all_ratios = collections.defaultdict(list)
    for dump in dumps:
        line, ratios = row(dump, arguments, keep)
        print(line, flush=True)
        for name, ratio in (ratios or {}).items():
            if ratio:
                all_ratios[name].append(ratio)
    print()
    for name, ratios in sorted(all_ratios.items()):
        print(f"{name}: {geometric_mean(ratios):.3f} on the geometric mean of {len(ratios)}")


def corpus_dumps():
    if not os.path.isdir(CORPUS):
        sys.exit(f"{CORPUS or 'the corpus'} is not a directory: name dumps, or set HLO_CORPUS")
    return sorted(os.path.join(CORPUS, n) for n in os.listdir(CORPUS) if n.endswith(".hlo"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("dumps", nargs="*")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--keep")
    parser.add_argument("--list", metavar="DUMP")
    arguments = parser.parse_intermixed_args()
    sys.setrecursionlimit(100000)
    with tempfile.TemporaryDirectory() as work:
        keep = arguments.keep or work
        os.makedirs(keep, exist_ok=True)
        if arguments.list:
            list_opcodes(arguments.list, arguments, keep)
        else:
            table(arguments.dumps or corpus_dumps(), arguments, keep)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compile"]:
        compile_with_xla(*sys.argv[2:])
    else:
        main()
