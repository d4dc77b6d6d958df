#!/usr/bin/env python3
"""Our JSON and our wire format against the protobuf library: called by run.sh.

    json_format.py HLO_OPT FILE...

For each module: json_format reads our JSON to the message that our protobuf holds; we read the JSON that json_format
writes of it to the same module; and what the library serialises too. Ends with `N passed, N failed, N skipped`.
"""
import copy
import re
import subprocess
import sys

from google.protobuf import json_format

import schema

messages = schema.make()
HloModuleProto, HloProto = messages["HloModuleProto"], messages["HloProto"]


def run(program, *arguments, given=None):
    done = subprocess.run([program, *arguments], input=given, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip().splitlines()[0])
    return done.stdout


def without_nans(message):
    """JSON has only `NaN` for a nan; what we add to it is no part of the module."""
    message = copy.deepcopy(message)
    for computation in message.computations:
        for instruction in computation.instructions:
            instruction.frontend_attributes.map.pop("hlo_header.nans", None)
    return re.sub(r"-?\bnan\b", "nan", str(message))


def judge(hlo_opt, path):
    """None: no module, or one that JSON cannot hold; else what is wrong with it, "" for nothing."""
    try:
        wire = run(hlo_opt, "--emit=proto", path)
        ours = run(hlo_opt, "--emit=json", path)
    except RuntimeError:
        return None
    from_json = json_format.Parse(ours, HloModuleProto())
    from_wire = HloModuleProto.FromString(wire)
    theirs = json_format.MessageToJson(from_json).encode()
    again = from_wire.SerializeToString()
    if without_nans(from_json) != without_nans(from_wire):
        return "json_format reads another message from our JSON than from our protobuf"
    # What we read from a message once does not change any more; some texts change on their way into one.
    if wire != run(hlo_opt, "--emit=proto", "-", given=wire):
        wire = run(hlo_opt, "--emit=proto", "-", given=wire)
    if run(hlo_opt, "--emit=proto", "-", given=theirs) != wire:
        return "we read another module from json_format's JSON"
    if run(hlo_opt, "--emit=proto", "-", given=again) != wire:
        return "we read another module from the library's protobuf"
    around = HloProto.FromString(run(hlo_opt, "--emit=hlo-proto", path))
    if around.hlo_module != from_wire or around.buffer_assignment:
        return "another module in our HloProto"
    if run(hlo_opt, "--emit=proto", "-", given=HloProto(hlo_module=from_wire).SerializeToString()) != wire:
        return "we read another module from the library's HloProto"
    return ""


def main():
    hlo_opt, *paths = sys.argv[1:]
    counts = [0, 0, 0]
    for path in paths:
        try:
            why = judge(hlo_opt, path)
        except Exception as error:  # what the library reports about a message is a finding
            why = str(error).splitlines()[0]
        counts[2 if why is None else 1 if why else 0] += 1
        if why:
            print(f"{path}: {why}")
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
