"""Running with NumPy's arrays; modules from JAX where it is installed."""

import ctypes
import os
import signal
import threading
import time
import unittest

import hlo

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("no NumPy")
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import jax
except ImportError:
    jax = None


def unary(kind, op="copy", sizes="[2,3]"):
    return hlo.parse(f"HloModule m\nENTRY e {{ x = {kind}{sizes} parameter(0)\n"
                     f"  ROOT y = {kind}{sizes} {op}(x) }}")


SAXPY = """HloModule saxpy
ENTRY e { a = f32[] parameter(0)
  p = (f32[2,3], (f32[2,3], token[])) parameter(1)
  x = f32[2,3] get-tuple-element(p), index=0
  q = (f32[2,3], token[]) get-tuple-element(p), index=1
  y = f32[2,3] get-tuple-element(q), index=0
  t = token[] get-tuple-element(q), index=1
  b = f32[2,3] broadcast(a), dimensions={}
  ax = f32[2,3] multiply(b, x)
  r = f32[2,3] add(ax, y)
  n = s32[] constant(7)
  ROOT out = (f32[2,3], (token[], s32[])) tuple(r, inner) }
"""


class Runs(unittest.TestCase):
    def test_tuples_and_tokens(self):
        text = SAXPY.replace("  ROOT out", "  inner = (token[], s32[]) tuple(t, n)\n  ROOT out")
        x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
        result, (token, n) = hlo.parse(text).run(2, (x, (y, None)), threads=1)
        np.testing.assert_array_equal(result, 2 * x + y)
        self.assertIsNone(token)
        self.assertEqual((n.dtype, n.shape, int(n)), (np.int32, (), 7))

    def test_types_of_numpy(self):
        for kind, name in (("pred", "bool"), ("s8", "int8"), ("u16", "uint16"), ("s64", "int64"),
                           ("f16", "float16"), ("f64", "float64"), ("c64", "complex64")):
            x = np.array([[1, 0, 1], [0, 1, 1]]).astype(name)
            result = unary(kind).run(x)
            self.assertEqual(result.dtype, x.dtype)
            np.testing.assert_array_equal(result, x)

    @unittest.skipUnless(ml_dtypes, "no ml_dtypes")
    def test_types_of_ml_dtypes(self):
        for kind, name in (("bf16", "bfloat16"), ("f8e5m2", "float8_e5m2"),
                           ("f8e4m3fn", "float8_e4m3fn"), ("f8e4m3b11fnuz", "float8_e4m3b11fnuz"),
                           ("s4", "int4"), ("u4", "uint4"), ("f4e2m1fn", "float4_e2m1fn"),
                           ("f8e8m0fnu", "float8_e8m0fnu")):
            x = np.array([[1, 2, 1], [4, 1, 2]], np.float32).astype(getattr(ml_dtypes, name))
            result = unary(kind).run(x)
            self.assertEqual(result.dtype, x.dtype)
            np.testing.assert_array_equal(result.astype(np.float32), x.astype(np.float32))

    def test_inputs_are_not_copied(self):
        program = unary("f32", "negate").prepare(threads=1)
        x = np.ones((2, 3), np.float32)
        program(x)
        seen = hlo._library.Array()
        with hlo._diagnostics.Diagnostics() as diags:
            diags.check(hlo._library.lib.hlo_run_input(program._idle[0].handle, 0, 0, diags.handle,
                                                       ctypes.byref(seen)))
        self.assertEqual(seen.data, x.ctypes.data)

    def test_strides(self):
        module = unary("f32", "negate")
        x = np.arange(24, dtype=np.float32).reshape(6, 4)
        for view in (x[::3, :3], x[1:3, ::-1][:, :3], x.T[:2, ::2]):
            np.testing.assert_array_equal(module.run(view), -view)

    def test_results_are_the_callers(self):
        program = unary("f32", "negate").prepare()
        x = np.ones((2, 3), np.float32)
        first = program(x)
        program(2 * x)
        np.testing.assert_array_equal(first, -x)

    def test_run_time_sizes(self):
        module = hlo.parse("HloModule d ENTRY e { x = f32[4] parameter(0) n = s32[] parameter(1)"
                           " ROOT c = f32[<=4] set-dimension-size(x, n), dimensions={0} }")
        np.testing.assert_array_equal(module.run([1, 2, 3, 4], 3), [1, 2, 3])

    def test_wrong_arguments(self):
        module = unary("f32")
        self.assertRaises(TypeError, module.run)
        self.assertRaises(TypeError, module.run, np.ones((2, 3), np.float64))
        self.assertRaises(ValueError, module.run, np.ones((3, 2), np.float32))
        with self.assertRaises(hlo.Error) as caught:
            module.run(np.ones((2, 3), np.float32), memory_limit=8)
        self.assertEqual(caught.exception.status, 3)
        with self.assertRaises(hlo.Error) as caught:
            module.prepare(isa="none")
        self.assertEqual(caught.exception.status, 2)

    def test_numbers_of_python(self):
        types = ("f32[]", "s32[]", "pred[2]", "s32[0]", "c64[]")
        text = "\n".join(f" p{i} = {t} parameter({i})" for i, t in enumerate(types))
        names = ", ".join(f"p{i}" for i in range(len(types)))
        module = hlo.parse(f"HloModule m\nENTRY e {{\n{text}\n ROOT t = ({', '.join(types)}) tuple({names})\n}}")
        run = module.prepare()
        good = [1, True, [1, 0], [], 1.5]
        self.assertEqual([x.tolist() for x in run(*good)], [1.0, 1, [True, False], [], 1.5])
        for place, bad in ((0, None), (0, "2.5"), (0, 1j), (1, 1.9), (1, [1.0]), (2, [0.5, 0]), (2, [2, 0])):
            with self.assertRaises(TypeError, msg=f"{bad!r} for {types[place]}"):
                run(*good[:place], bad, *good[place + 1:])

    def test_engines_agree(self):
        module, x = unary("f32", "exponential"), np.linspace(-1, 1, 6, dtype=np.float32)
        x = x.reshape(2, 3)
        np.testing.assert_allclose(module.run(x), module.run(x, engine="reference"), rtol=1e-6)

    def test_custom_calls(self):
        @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float),
                          ctypes.POINTER(ctypes.POINTER(ctypes.c_float)))
        def double(out, inputs):
            for i in range(3):
                out[i] = 2 * inputs[0][i]

        module = hlo.parse('HloModule c ENTRY e { x = f32[3] parameter(0)'
                           ' ROOT y = f32[3] custom-call(x), custom_call_target="double" }')
        np.testing.assert_array_equal(module.run([1, 2, 3], custom_calls={"double": double}),
                                      [2, 4, 6])
        self.assertRaises(hlo.Error, module.prepare)

    def test_one_program_in_many_threads(self):
        program, wrong = unary("f32", "negate", "[64]").prepare(threads=1), []

        def serve(number):
            for k in range(20):
                x = np.full(64, number * 100 + k, np.float32)
                if not np.array_equal(program(x), -x):
                    wrong.append((number, k))

        threads = [threading.Thread(target=serve, args=(n,)) for n in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_interrupts(self):
        text = """HloModule count
going { s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT more = pred[] compare(i, zero), direction=NE }
body { s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[100] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] subtract(i, one)
  y = f32[100] sine(x)
  ROOT t = (s32[], f32[100]) tuple(next, y) }
ENTRY e { n = s32[] parameter(0)
  x = f32[100] parameter(1)
  s = (s32[], f32[100]) tuple(n, x)
  w = (s32[], f32[100]) while(s), condition=going, body=body
  ROOT y = f32[100] get-tuple-element(w), index=1 }
"""
        class Late(Exception):
            pass

        def late(*_):
            raise Late

        x = np.zeros(100, np.float32)
        for options in ({"threads": 1}, {"threads": 2}, {"executor": "dataflow"}):
            program = hlo.parse(text).prepare(**options)
            for number, handler, expected in ((signal.SIGINT, None, KeyboardInterrupt),
                                              (signal.SIGUSR1, late, Late)):
                if handler:
                    signal.signal(number, handler)
                timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
                timer.start()
                begin = time.monotonic()
                self.assertRaises(expected, program, -1, x)  # 4 billion iterations
                self.assertLess(time.monotonic() - begin, 20)
                timer.join()
                np.testing.assert_array_equal(program(3, x), x)
        # A handler that returns leaves the run alone.
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        seen = []
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        while not seen:
            np.testing.assert_array_equal(program(10000, x), x)

    def test_several_devices(self):
        program = hlo.parse("""HloModule sum, replica_count=3
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0)
  r = u32[] replica-id()
  s = f32[2] all-reduce(x), to_apply=add
  ROOT t = (f32[2], u32[]) tuple(s, r) }
""").prepare(threads=2)
        self.assertEqual(program.devices, 3)
        for _ in range(2):
            for device, (total, number) in enumerate(program(np.float32([1, 2]))):
                np.testing.assert_array_equal(total, [3, 6])
                self.assertEqual(number, device)
            own = program.each([(np.float32([d, 1]),) for d in range(3)])
            for total, _ in own:
                np.testing.assert_array_equal(total, [3, 3])
        with self.assertRaises(TypeError):
            program.each([(np.float32([1, 2]),)])

    @unittest.skipUnless(jax, "no JAX")
    def test_from_jax(self):
        import jax.numpy as jnp
        function = lambda a, b, unused: jnp.tanh(a @ b)
        shapes = jnp.ones((3, 4)), jax.ShapeDtypeStruct((4, 5), jnp.float32), jnp.ones(2)
        module = hlo.from_jax(function, *shapes)
        self.assertEqual(module.verify(), [])
        made = jax.jit(function, keep_unused=True).lower(*shapes).compiler_ir(dialect="hlo")
        message = hlo.parse(made.as_serialized_hlo_module_proto())
        self.assertEqual(module.to_string("short"), message.to_string("short"))
        a, b = jnp.full((3, 4), 0.1), np.full((4, 5), 0.2, np.float32)
        np.testing.assert_allclose(module.run(a, b, np.ones(2, np.float32)),
                                   np.tanh(np.asarray(a) @ b), rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
