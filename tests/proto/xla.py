#!/usr/bin/env python3
"""Our binary protos against XLA's (jaxlib): called by run.sh.

    xla.py HLO_OPT FILE...

For each module: XLA reads what we write and prints what it prints for its own proto of that text; we read what XLA
writes and print what XLA prints, except for what xla_differences.tsv lists: there the prints have to differ.
Ends with `N passed, N failed, N skipped`.
"""
import os
import re
import subprocess
import sys
import tempfile

from jaxlib import xla_client

hlo = xla_client.hlo

with open(os.path.join(os.path.dirname(__file__), "xla_differences.tsv")) as rows:
    DIFFERENCES = {row.split("\t")[0] for row in rows}


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip().splitlines()[0])
    return done.stdout


def print_of(serialized):
    return hlo.HloModule.from_serialized_hlo_module_proto(serialized).to_string().rstrip("\n")


def without_header_attributes(text):
    """The module's frontend attributes that carry what a proto has no field for."""
    first, newline, rest = text.partition("\n")
    first = re.sub(r'hlo_header\.[a-z_]+="[0-9]*",?', "", first)
    first = re.sub(r",}", "}", first).replace(", frontend_attributes={}", "")
    return first + newline + rest


class NotForXla(Exception):
    """XLA cannot read the text, or not what it made of it itself."""


def judge(hlo_opt, path, directory):
    text = open(path, errors="surrogateescape").read()
    try:
        theirs = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
        expected = print_of(theirs)
    except Exception as error:
        raise NotForXla from error
    ours = run(hlo_opt, "--emit=proto", path)
    if without_header_attributes(print_of(ours)) != expected:
        return "XLA prints our proto differently"
    with open(directory + "/theirs.pb", "wb") as file:
        file.write(theirs)
    printed = run(hlo_opt, directory + "/theirs.pb").decode(errors="surrogateescape").rstrip("\n")
    if (printed != expected) == (path in DIFFERENCES):
        return None
    return "we print XLA's proto as XLA does now" if path in DIFFERENCES else "we print XLA's proto differently"


def judge_in_child(hlo_opt, path, directory):
    """0: good; 1: bad, and it was said why; 2: XLA cannot read the text or died over it."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where XLA writes while it dies
        try:
            why = judge(hlo_opt, path, directory)
        except NotForXla:
            os._exit(2)
        except Exception as error:
            why = str(error).splitlines()[0]
        if why:
            print(f"{path}: {why}", flush=True)
        os._exit(1 if why else 0)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 2


def main():
    hlo_opt, *paths = sys.argv[1:]
    counts = [0, 0, 0]
    with tempfile.TemporaryDirectory() as directory:
        for path in paths:
            counts[judge_in_child(hlo_opt, path, directory)] += 1
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
