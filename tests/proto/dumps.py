#!/usr/bin/env python3
"""What XLA itself dumps, against what we make of it: called by run.sh.

    dumps.py HLO_BIN

JAX compiles and runs some programs with XLA_FLAGS=--xla_dump_hlo_as_proto and --xla_dump_hlo_snapshots. Each
HloProto we print as XLA prints its module, and what we write of it XLA reads to the same; each HloSnapshot is run on its
arguments and gives its result. Ends with `N passed, N failed, N skipped`.
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


def dump(directory):
    flags = f"--xla_dump_to={directory} --xla_dump_hlo_as_proto --xla_dump_hlo_snapshots"
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


def main():
    hlo_bin = sys.argv[1]
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as directory:
        dump(directory)
        protos, snapshots = (sorted(glob.glob(directory + pattern)) for pattern in ("/*.hlo.pb", "/*.snapshot.*.pb"))
        if len(protos) < 10 or len(snapshots) < 5:
            print(f"XLA dumped {len(protos)} protos and {len(snapshots)} snapshots only")
            counts[1] += 1
        for path in protos + snapshots:
            try:
                why = judge_proto(hlo_bin, path) if path in protos else judge_snapshot(hlo_bin, path)
            except Exception as error:  # what a program reports about a dump is a finding
                why = str(error)
            counts[1 if why else 0] += 1
            if why:
                print(f"{os.path.basename(path)}: {why}")
    print(f"{counts[0]} passed, {counts[1]} failed, 0 skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
