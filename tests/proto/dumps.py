#!/usr/bin/env python3
"""What XLA itself dumps, against what we make of it: called by run.sh.

    dumps.py HLO_BIN

JAX compiles and runs some programs with XLA_FLAGS=--xla_dump_hlo_as_proto and --xla_dump_hlo_snapshots. Each
HloProto we print as XLA prints its module, and what we write of it XLA reads to the same; each HloSnapshot is run on its
arguments and gives its result. Unoptimised snapshots, which XLA writes as text or after their length, are the same module, text and
results in both forms, and what our text protobuf has of it is in XLA's. Of all else that XLA dumps the kind is known. Ends with `N passed, N failed, N skipped`.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from jaxlib import xla_client

import schema

hlo = xla_client.hlo
HloProto = schema.make()["HloProto"]

PROGRAMS = """
import jax, jax.numpy as jnp

def loop(x, y):
    return jax.lax.fori_loop(0, 3, lambda i, c: c @ y + x, x), jnp.sort(x, axis=0)

def choose(i, x):
    return jax.lax.switch(i, [lambda v: v * 2, lambda v: v - 1, jnp.sin], x)

def convolve(x, k):
    return jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", feature_group_count=2)

def gather(x, i):
    return x[i], x.at[i].add(1), jnp.argmax(x), (x > 1).any()

ones = jnp.ones((4, 4))
jax.jit(loop)(ones, ones)
jax.jit(choose)(1, ones)
jax.jit(convolve)(jnp.ones((1, 2, 5, 5)), jnp.ones((2, 1, 3, 3)))
jax.jit(gather)(jnp.arange(6.0), jnp.array([1, 4], jnp.int8))
jax.jit(lambda x: x.astype(jnp.bfloat16) + 1)(jnp.arange(5))
"""


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).decode(errors="replace").strip().splitlines()[0])
    return done.stdout


def dump(directory, *options):
    flags = " ".join([f"--xla_dump_to={directory}", *options])
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", PROGRAMS], env=environment, check=True, capture_output=True)


def paragraphs(text):
    """Header, tables and computations in any order: see tests/known-differences.md, "scheduled protos"."""
    return sorted(re.split(r"\n\n+", text.strip("\n")))


def judge_proto(hlo_bin, path):
    theirs = HloProto.FromString(open(path, "rb").read())
    read = hlo.HloModule.from_serialized_hlo_module_proto(theirs.hlo_module.SerializeToString())
    if paragraphs(run(hlo_bin + "/hlo-opt", path).decode()) != paragraphs(read.to_string()):
        return "we print another text than XLA"
    ours = HloProto.FromString(run(hlo_bin + "/hlo-opt", "--emit=hlo-proto", path))
    again = hlo.HloModule.from_serialized_hlo_module_proto(ours.hlo_module.SerializeToString())
    if paragraphs(again.to_string()) != paragraphs(read.to_string()):
        return "XLA prints our HloProto differently"
    return ""


def judge_snapshot(hlo_bin, path):
    run(hlo_bin + "/hlo-run", "--rtol=1e-5", path)
    return ""


def fields(text):
    """Lines of a text protobuf without numbers of computations and instructions, and names, which may differ."""
    numbers = re.compile(r"(id|entry_computation_id|operand_ids|called_computation_ids|root_id|computation_id|instruction_ids|name): ")
    return {line.strip() for line in text.splitlines() if not numbers.match(line.strip())}


def judge_unoptimized(hlo_bin, path):
    text = path.replace("/binary/", "/text/").removesuffix(".pb") + ".txt"
    if run(hlo_bin + "/hlo-opt", path) != run(hlo_bin + "/hlo-opt", text):
        return "another module in text than after its length"
    if run(hlo_bin + "/hlo-run", path) != run(hlo_bin + "/hlo-run", text):
        return "other results in text than after its length"
    theirs = open(text).read().split("\npartitions {")[0].removeprefix("hlo_module {\n")
    ours = run(hlo_bin + "/hlo-opt", "--emit=pbtxt", text).decode()
    differences = fields(ours) - fields(theirs)
    return f"another text protobuf: {sorted(differences)[:3]}" if differences else ""


def judge_kinds(hlo_bin, directory):
    report = run(hlo_bin + "/hlo-verify", "-v", directory).decode()
    unknown = [line for line in report.splitlines() if ": skipped: does not start like a module" in line]
    kinds = re.findall(r"^  (.*?)  +[0-9]+ files? skipped$", report, re.M)
    return f"unknown: {unknown[:3]}" if unknown else "" if len(kinds) > 6 else f"few kinds: {kinds}"


def main():
    hlo_bin = sys.argv[1]
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as directory:
        dump(directory, "--xla_dump_hlo_as_proto", "--xla_dump_hlo_snapshots")
        dump(directory + "/binary", "--xla_dump_hlo_as_proto", "--xla_dump_hlo_unoptimized_snapshots")
        dump(directory + "/text", "--xla_dump_hlo_as_text", "--xla_dump_hlo_unoptimized_snapshots")
        dump(directory + "/all", "--xla_dump_hlo_as_text", "--xla_dump_hlo_as_proto", "--xla_dump_hlo_as_dot",
             "--xla_dump_hlo_as_html", "--xla_dump_buffer_assignment_analysis")
        protos, snapshots = (sorted(glob.glob(directory + pattern)) for pattern in ("/*.hlo.pb", "/*.snapshot.*.pb"))
        unoptimized = sorted(glob.glob(directory + "/binary/*.hlo_unoptimized_snapshot.pb"))
        judges = {judge_proto: protos, judge_snapshot: snapshots, judge_unoptimized: unoptimized,
                  judge_kinds: [directory + "/all"]}
        if len(protos) < 10 or len(snapshots) < 5 or len(unoptimized) < 5:
            print(f"XLA dumped {len(protos)} protos, {len(snapshots)} and {len(unoptimized)} snapshots only")
            counts[1] += 1
        for judge, path in [(judge, path) for judge, paths in judges.items() for path in paths]:
            try:
                why = judge(hlo_bin, path)
            except Exception as error:  # what a program reports about a dump is a finding
                why = str(error)
            counts[1 if why else 0] += 1
            if why:
                print(f"{os.path.basename(path)}: {why}")
    print(f"{counts[0]} passed, {counts[1]} failed, 0 skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
