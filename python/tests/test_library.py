"""The structures of hlo._library are those that a C compiler sees in the headers; versions agree."""

import ctypes
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import hlo
from hlo import _library, _operations
from hlo._version import VERSION

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRUCTURES = {"hlo_array": _library.Array, "hlo_text": _library.Text,
              "hlo_custom_call": _library.CustomCall, "hlo_table_row": _library.TableRow,
              "hlo_text_options": _library.TextOptions,
              "hlo_graph_options": _library.GraphOptions, "hlo_run_options": _library.RunOptions}
STRUCTURES.update({kind.split()[1]: structure
                   for kind, (structure, _) in _operations.STRUCTURES.items()
                   if kind.split()[1] not in STRUCTURES})


def members(structure, path="", offset=0):
    """Each member, and those of the groups that it holds: its path, offset and size."""
    for member, kind in structure._fields_:
        field = getattr(structure, member)
        yield path + member, offset + field.offset, field.size
        if issubclass(kind, ctypes.Structure):
            yield from members(kind, f"{path}{member}.", offset + field.offset)


def seen_from_python():
    for name, structure in STRUCTURES.items():
        yield f"{name} {ctypes.sizeof(structure)}"
        for path, offset, size in members(structure):
            yield f"{name}.{path} {offset} {size}"


def seen_from_c():
    lines = ["#include <hlo_builder_lib.h>", "#include <stdio.h>", "int main(void) {"]
    for name, structure in STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for path, *_ in members(structure):
            lines.append(f'printf("{name}.{path} %zu %zu\\n", offsetof({name}, {path}), '
                         f"sizeof((({name} *)0)->{path}));")
    lines.append("return 0; }")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "own.c")
        source.write_text("\n".join(lines))
        subprocess.run(["cc", "-I", str(ROOT / "include"), str(source), "-o", f"{folder}/own"],
                       check=True)
        return subprocess.run([f"{folder}/own"], check=True, capture_output=True,
                              text=True).stdout.splitlines()


class Library(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_structures(self):
        self.assertEqual(list(seen_from_python()), seen_from_c())

    def test_version(self):
        self.assertEqual(hlo.version(), VERSION)
        self.assertTrue(re.match(r"\d+\.\d+\.\d+$", hlo.version()))


if __name__ == "__main__":
    unittest.main()
