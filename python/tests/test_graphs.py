"""Dataflow graphs and stacks by the options of a program."""

import json
import os
import tempfile
import threading
import unittest

import hlo

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("no NumPy")

# x * 0.5 ** n, the product on device 1.
LOOP = """HloModule halves
going { s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT more = pred[] compare(i, zero), direction=GT }
body { s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] subtract(i, one)
  half = f32[3] constant({0.5, 0.5, 0.5})
  y = f32[3] multiply(x, half), sharding={maximal device=1}
  ROOT t = (s32[], f32[3]) tuple(next, y) }
ENTRY e { n = s32[] parameter(0)
  x = f32[3] parameter(1)
  s = (s32[], f32[3]) tuple(n, x)
  w = (s32[], f32[3]) while(s), condition=going, body=body
  y = f32[3] get-tuple-element(w), index=1
  m = s32[] get-tuple-element(w), index=0
  ROOT t = (f32[3], s32[]) tuple(y, m) }
"""

# Pushes 40 arrays of 64 KiB, and pops the last of them.
STACK = """HloModule stack
going { s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(40)
  ROOT less = pred[] compare(i, n), direction=LT }
up { s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[128,128] get-tuple-element(s), index=1
  h = opaque[] get-tuple-element(s), index=2
  pushed = opaque[] stack-push(h, x)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[128,128] add(x, x)
  ROOT t = (s32[], f32[128,128], opaque[]) tuple(next, y, pushed) }
ENTRY e { x = f32[128,128] parameter(0)
  zero = s32[] constant(0)
  h = opaque[] stack-create(), element=f32[128,128]
  s = (s32[], f32[128,128], opaque[]) tuple(zero, x, h)
  w = (s32[], f32[128,128], opaque[]) while(s), condition=going, body=up
  full = opaque[] get-tuple-element(w), index=2
  popped = (opaque[], f32[128,128]) stack-pop(full)
  ROOT last = f32[128,128] get-tuple-element(popped), index=1 }
"""

X = np.float32([1, 2, 3])


class Graphs(unittest.TestCase):
    def check(self, program, trips=6):
        y, m = program(trips, X)
        np.testing.assert_array_equal(y, X / 2**trips)
        self.assertEqual(m, 0)

    def test_executors_agree(self):
        module = hlo.parse(LOOP)
        program = module.prepare()
        self.check(program)
        self.assertEqual(program.graph_devices, 0)
        for devices in (0, 2):
            for limit in (0, 1, 3):
                program = module.prepare(executor="dataflow", parallel_iterations=limit,
                                         graph_devices=devices)
                self.assertEqual(program.graph_devices, devices or 1)
                self.check(program)
                self.check(program, 0)

    def test_graphs_as_modules(self):
        for passes, devices in (("lower-control-flow", 1), ("lower-control-flow,partition", 2)):
            program = hlo.parse(LOOP).optimize(passes).prepare()
            self.assertEqual(program.graph_devices, devices)
            self.assertEqual([p.text for p in program.parameters], ["s32[]", "f32[3]"])
            self.check(program)

    def test_in_many_threads(self):
        program, wrong = hlo.parse(LOOP).prepare(executor="dataflow", threads=1), []

        def serve(number):
            for trips in range(10):
                y, _ = program(trips, X * number)
                if not np.array_equal(y, X * number / 2**trips):
                    wrong.append((number, trips))

        threads = [threading.Thread(target=serve, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            program = hlo.parse(LOOP).prepare(executor="dataflow", graph_devices=2, trace=path,
                                              parallel_iterations=2)
            for trips in (3, 5):
                program(trips, X)
                with open(path) as lines:
                    events = [json.loads(line) for line in lines]
                fired = [e for e in events if e["event"] == "fire" and e["node"] == "y"]
                self.assertEqual([e["dead"] for e in fired].count(False), trips)
                self.assertEqual({e["device"] for e in events}, {0, 1})
            program = hlo.parse(LOOP).prepare(executor="dataflow", trace=path, trace_form="chrome",
                                              lower_scalar_loops=True)
            program(3, X)
            with open(path) as text:
                self.assertIn("fire", {e["cat"] for e in json.load(text)})

    def test_stacks(self):
        module, x = hlo.parse(STACK), np.ones((128, 128), np.float32)
        for executor in ("structured", "dataflow"):
            peaks = []
            for swap in ({}, {"swap_threshold": 1 << 18},
                         {"swap_threshold": 1 << 18, "swap_directory": os.curdir}):
                program = module.prepare(executor=executor, **swap)
                np.testing.assert_array_equal(program(x), x * 2.0**39)
                peaks.append(program.stack_peak)
            self.assertEqual(peaks[0], 40 * 65536)
            self.assertLessEqual(max(peaks[1:]), (1 << 18) * 5 // 4 + 65536)

    def test_wrong_options(self):
        module = hlo.parse(STACK)
        self.assertRaises(KeyError, module.prepare, executor="none")
        self.assertRaises(KeyError, module.prepare, trace_form="none")
        self.assertRaises(ValueError, module.prepare, swap_directory=os.curdir)
        with self.assertRaises(hlo.Error) as caught:
            module.prepare(swap_threshold=1 << 20, swap_directory="/nowhere")
        self.assertEqual(caught.exception.status, 3)


if __name__ == "__main__":
    unittest.main()
