#!/usr/bin/env python3
"""Our text protobuf against the protobuf library: called by run.sh.

    text_format.py HLO_OPT FILE...

For each module: text_format reads our text to the message that our protobuf holds, and prints that as we do; we read
what the library prints of it, in all its styles, to the same module. Ends with `N passed, N failed, N skipped`.
"""
import re
import struct
import sys

from google.protobuf import text_format

import schema
from json_format import run, without_nans

messages = schema.make()
HloModuleProto, HloProto = messages["HloModuleProto"], messages["HloProto"]

STYLES = [
    {},
    {"as_one_line": True},
    {"use_short_repeated_primitives": True},
    {"pointy_brackets": True, "as_one_line": True, "use_short_repeated_primitives": True},
    {"as_utf8": False},
    {"as_utf8": True},
]


def lines(text):
    """Lines in any order, since entries of maps have none, with floats by their value: C++ prints them as 1 and with 9 or 17
    digits, Python as 1.0 and with the fewest. C++ prints the key 0 of an entry, Python does not."""
    def shown(match):
        single = match[2] in ("f32s", "c64s", "epsilon")
        value = float(match[3])
        return f"{match[1]}{struct.unpack('f', struct.pack('f', value))[0] if single else value!r}"
    floats = r"^( *(f32s|f64s|c64s|c128s|epsilon|atol|rtol|stat_val): )(.*)$"
    lines = re.sub(floats, shown, text, flags=re.M).splitlines()
    return sorted(line for line in lines if line.strip() != "key: 0")


def judge(hlo_opt, path):
    """None: no module; else what is wrong with it, "" for nothing."""
    try:
        wire = run(hlo_opt, "--emit=proto", path)
    except RuntimeError:
        return None
    ours = run(hlo_opt, "--emit=pbtxt", path).decode()
    from_text, from_wire = text_format.Parse(ours, HloModuleProto()), HloModuleProto.FromString(wire)
    if without_nans(from_text) != without_nans(from_wire):
        return "text_format reads another message from our text than from our protobuf"
    if lines(text_format.MessageToString(from_text, as_utf8=False)) != lines(ours):
        return "text_format prints another text"
    # What we read from a message once does not change any more; some texts change on their way into one.
    if wire != run(hlo_opt, "--emit=proto", "-", given=wire):
        wire = run(hlo_opt, "--emit=proto", "-", given=wire)
    for style in STYLES:
        theirs = text_format.MessageToString(from_text, **style).encode()
        if run(hlo_opt, "--emit=proto", "-", given=theirs) != wire:
            return f"we read another module from the library's text, {style}"
    around = text_format.Parse(run(hlo_opt, "--emit=hlo-pbtxt", path), HloProto())
    if around.hlo_module != from_text or around.buffer_assignment:
        return "another module in our HloProto"
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
