"""Reading, checking, optimising, printing and drawing; needs nothing but Python."""

import json
import shutil
import threading
import unittest

import hlo

TEXT = """HloModule small

ENTRY %main (x: f32[3], y: f32[3]) -> f32[3] {
  %x = f32[3]{0} parameter(0)
  %y = f32[3]{0} parameter(1)
  %unused = f32[3]{0} negate(%y)
  %zero = f32[] constant(0)
  %zeros = f32[3]{0} broadcast(%zero), dimensions={}
  %sum = f32[3]{0} subtract(%x, %zeros)
  ROOT %r = f32[3]{0} multiply(%sum, %y)
}
"""


SYMBOLIC = """func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.negate %x : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
"""


class Array:
    """What has a shape, as NumPy's arrays."""

    def __init__(self, *shape: int):
        self.shape = shape


class Modules(unittest.TestCase):
    def test_shapes_of_inputs(self):
        for shapes in (["f32[3,2]"], ["[3,2]"], [Array(3, 2)]):
            module = hlo.parse(SYMBOLIC, input_shapes=shapes)
            self.assertEqual(str(module.entry.root.shape), "f32[3,2]")
        for shapes, message in ((["s32[3,2]"], "the types of elements differ"),
                                ([], "0 shapes are given"), (["f32"], "expected '['")):
            with self.assertRaises(hlo.Error) as caught:
                hlo.parse(SYMBOLIC, input_shapes=shapes)
            self.assertIn(message, str(caught.exception))

    def test_parts(self):
        module = hlo.parse(TEXT)
        self.assertEqual(module.name, "small")
        self.assertEqual([i.opcode for i in module.entry], [
            "parameter", "parameter", "negate", "constant", "broadcast", "subtract", "multiply"])
        self.assertEqual(len(module.entry), 7)
        self.assertEqual([p.name for p in module.entry.parameters], ["x", "y"])
        root = module.entry.root
        self.assertEqual(root.operands[0].operands[0], module.entry.parameters[0])
        self.assertEqual((root.shape.type, root.shape.dims, str(root.shape)),
                         ("f32", (3,), "f32[3]"))
        self.assertEqual(root.operands[0].operands[1].attributes, {"dimensions": "{}"})
        self.assertEqual(module.computations, [module.entry])

    def test_parts_outlive_the_variable(self):
        root = hlo.parse(TEXT).entry.root
        self.assertEqual(root.name, "r")

    def test_errors_are_objects(self):
        with self.assertRaises(hlo.Error) as caught:
            hlo.parse(TEXT.replace("negate", "negat"), name="wrong.hlo")
        found = caught.exception.diagnostics[0]
        self.assertEqual((found.severity, found.rule, found.file, found.line, found.column),
                         ("error", "unknown-opcode", "wrong.hlo", 6, 23))
        self.assertIn("negate", found.hint)
        self.assertEqual(str(found).split(": ")[:2], ["wrong.hlo:6:23", "error"])
        self.assertEqual(caught.exception.status, 1)

    def test_dialects(self):
        old = "HloModule m\nENTRY e { a = f32[] parameter(0)\n ROOT g = pred[] greater-than(a, a) }"
        with self.assertRaises(hlo.Error):
            hlo.parse(old)
        for dialect in ("extended", "2018", "2019", "2024", "2025"):
            root = hlo.parse(old, dialect=dialect).entry.root
            self.assertEqual((root.opcode, root.attributes), ("compare", {"direction": "GT"}))
        clamp = ("HloModule m\nENTRY e { a = s32[3] parameter(0)\n b = s32[3] parameter(1)\n"
                 " ROOT c = s32[3] clamp(a, b, b) }")
        roots = [hlo.parse(clamp, dialect=d).entry.root for d in ("extended", "2018")]
        self.assertEqual([[o.name for o in r.operands] for r in roots],
                         [["a", "b", "b"], ["b", "a", "b"]])

    def test_verify(self):
        self.assertEqual(hlo.parse(TEXT).verify(), [])
        found = hlo.parse(TEXT.replace("%unused = f32[3]", "%unused = f32[4]")).verify()
        self.assertEqual([(d.severity, d.instruction) for d in found[:1]], [("error", "unused")])

    def test_optimize_makes_another_module(self):
        module = hlo.parse(TEXT)
        for passes in ("default", "fix(algsimp,dce)"):
            smaller = module.optimize(passes)
            self.assertEqual([i.opcode for i in smaller.entry], ["parameter", "parameter", "multiply"])
        self.assertEqual(len(module.entry), 7)
        self.assertIn("default", hlo.pipelines())
        with self.assertRaises(hlo.Error) as caught:
            module.optimize("dec")
        self.assertEqual(caught.exception.status, 2)

    def test_forms(self):
        module = hlo.parse(TEXT)
        again = hlo.parse(module.to_proto())
        self.assertEqual(str(again), str(module))
        self.assertEqual(str(hlo.parse(module.to_json())), str(module))
        self.assertEqual(str(hlo.parse(module.to_pbtxt())), str(module))
        self.assertEqual(json.loads(module.to_json(pretty=True))["name"], "small")
        self.assertLess(len(module.to_string("short")), len(str(module)))

    def test_stablehlo(self):
        module = hlo.parse(TEXT)
        program = module.to_stablehlo()
        self.assertIn("func.func @main(", program)
        generic = module.to_stablehlo(generic=True)
        self.assertIn('"func.func"()', generic)
        self.assertEqual(str(hlo.parse(program)), str(hlo.parse(generic)))
        self.assertEqual(hlo.parse(program).entry.root.opcode, module.entry.root.opcode)
        with self.assertRaises(hlo.Error) as caught:
            hlo.parse("ENTRY e { x = s32[2] parameter(0) ROOT y = s32[2] mulhi(x, x) }").to_stablehlo()
        self.assertIn("mulhi 'y': StableHLO has no such operation", str(caught.exception))

    def test_draw(self):
        module = hlo.parse(TEXT)
        self.assertTrue(module.to_dot().startswith("digraph"))
        self.assertNotIn("unused", module.to_dot(around="x", radius=1))
        self.assertIn("unused", module.to_dot(from_="y", to="unused"))
        with self.assertRaises(TypeError):
            module.to_dot(colours=3)

    @unittest.skipUnless(shutil.which("dot"), "no Graphviz")
    def test_picture(self):
        self.assertIn(b"<svg", hlo.parse(TEXT).draw())

    def test_threads(self):
        module, texts = hlo.parse(TEXT), []

        def work():
            texts.append(str(module.optimize()) + str(module) + str(module.verify()))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(texts), len(set(texts))), (8, 1))


if __name__ == "__main__":
    unittest.main()
