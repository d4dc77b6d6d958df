"""Modules built from Python: operators, computations, attributes, errors; with NumPy, runs of them;
with JAX, the same values."""

import inspect
import unittest

import hlo
from hlo import _operations

try:
    import numpy
except ImportError:
    numpy = None
try:
    import jax
except ImportError:
    jax = None


class Building(unittest.TestCase):
    def test_operators(self):
        b = hlo.Builder("axpy")
        x, y = b.parameter(0, "f32[4]", name="x"), b.parameter(1, "f32[4]")
        module = b.build(2 * x + y - 1)
        self.assertEqual(module.verify(), [])
        self.assertEqual([i.opcode for i in module.entry],
                         ["parameter", "parameter", "constant", "broadcast", "multiply", "add",
                          "constant", "broadcast", "subtract"])
        self.assertEqual(module.entry.parameters[0].name, "x")
        self.assertEqual(str(module.entry.root.shape), "f32[4]")

    def test_every_function_is_a_method(self):
        of_class = {name.rstrip("_") for name, _ in inspect.getmembers(hlo.Builder)}
        by_hand = {"create", "free", "failed", "begin", "end", "begin_scope", "end_scope",
                   "constant_f32", "constant_s32", "constant_pred", "constant_from_text",
                   "set_name", "set_shape", "set_control_predecessors", "set_attribute",
                   "set_metadata", "set_sharding", "shape", "bounded_shape", "laid_out_shape",
                   "tuple_shape", "token_shape", "shape_from_text"}
        names = {name[len("hlo_builder_"):] for name in _operations.FUNCTIONS
                 if name.startswith("hlo_builder_")}
        self.assertEqual({n.rstrip("_") for n in names} - of_class, by_hand)
        self.assertGreater(len(names), 150)

    def test_computations(self):
        b = hlo.Builder("loop")
        below = b.computation("below", lambda s: s < 10, ["s32[]"])
        double = b.computation("double", lambda s: s * 2, ["s32[]"])
        module = b.build(b.while_(below, double, b.parameter(0, "s32[]")))
        self.assertEqual(module.verify(), [])
        self.assertEqual([c.name for c in module.entry.root.called], ["double", "below"])

    def test_attributes(self):
        b = hlo.Builder("m")
        b.set_module_attribute("replica_count", "2")
        x = b.parameter(0, "f32[2,2]")
        first = b.neg(x, control_predecessors=[x])
        with b.scope(metadata={"op_name": "layer"}, sharding={"kind": 0}, k="v"):
            y = b.dot(first, x, operand_precision="{highest,default}", name="product",
                      result_shape="f32[2,2]{0,1}", backend_config='{"a":1}')
        found = b.build(y)
        attributes = found.entry.root.attributes
        self.assertEqual(attributes["operand_precision"], "{highest,default}")
        self.assertEqual(attributes["metadata"], '{op_name="layer"}')
        self.assertEqual(attributes["sharding"], "{replicated}")
        self.assertEqual(attributes["frontend_attributes"], '{k="v"}')
        self.assertEqual(attributes["backend_config"], '{"a":1}')
        self.assertIn("%product = f32[2,2]{0,1} dot(", str(found))
        self.assertIn("replica_count=2", str(found))
        self.assertIn("control-predecessors={%parameter}", str(found))

    def test_structures_and_words(self):
        b = hlo.Builder("m")
        image, kernel = b.parameter(0, "f32[1,8,8,3]"), b.parameter(1, "f32[3,3,3,16]")
        made = b.conv_general_dilated(
            image, kernel, [2, 2], [1, 1], [1, 1], (), (),
            {"input_batch": 0, "input_spatial": [1, 2], "input_feature": 3,
             "kernel_spatial": [0, 1], "kernel_input_feature": 2, "kernel_output_feature": 3,
             "output_batch": 0, "output_spatial": [1, 2], "output_feature": 3})
        self.assertEqual(made.shape.dims, (1, 4, 4, 16))
        pooled = b.reduce_window([made], [b.constant(0.0)], b.reducer("add", "f32"), [1, 2, 2, 1],
                                 [1, 2, 2, 1], (), (), "PAD_SAME")
        self.assertEqual(pooled.shape.dims, (1, 2, 2, 16))
        self.assertEqual(b.build(pooled).verify(), [])
        with self.assertRaises(TypeError):
            hlo.Builder("m").stack_frame(0, {"no_such": 1})

    def test_errors(self):
        b = hlo.Builder("m")
        x = b.parameter(0, "f32[4]")
        with self.assertRaises(hlo.Error) as caught:
            b.add(x, b.constant(1))
        self.assertEqual(caught.exception.diagnostics[0].rule, "operand-types")
        with self.assertRaises(hlo.Error):
            b.neg(x)
        for wrong in ("f32[4", "g32[]", ""):
            with self.assertRaises(hlo.Error):
                hlo.Builder("m").parameter(0, wrong)
        with self.assertRaises(hlo.Error) as caught:
            b = hlo.Builder("m")
            b.neg(b.parameter(0, "f32[]"), sharding="{nowhere}")
        self.assertEqual(caught.exception.diagnostics[0].file, "attribute")
        with self.assertRaises(KeyError):
            b = hlo.Builder("m")
            b.fft(b.parameter(0, "c64[4]"), "NO_FFT", [4])

    def test_after_the_build(self):
        b = hlo.Builder("axpy")
        x = b.parameter(0, "f32[4]")
        b.build(x)
        for call in (lambda: b.neg(x), lambda: 2 * x, lambda: b.constant(1), b.build,
                     lambda: b.lib.lgamma(x), lambda: b.computation("f", lambda: x, []),
                     lambda: b.set_module_attribute("replica_count", "2")):
            with self.assertRaises(hlo.Error) as caught:
                call()
            self.assertEqual(caught.exception.status, 2)
            self.assertEqual(str(caught.exception), "error: module axpy is built: what is added now "
                             "needs another hlo.Builder [usage]")
        self.assertEqual(str(x.shape), "f32[4]")  # its module was not kept by the caller

    def test_python_cannot_decide_by_values(self):
        b = hlo.Builder("m")
        x, y = b.parameter(0, "f32[]"), b.parameter(1, "f32[]")
        for decide, method in ((lambda: x == 1, "b.eq(x, b.constant(1, 'f32'))"),
                               (lambda: 1 == x, "b.eq(x, b.constant(1, 'f32'))"),
                               (lambda: x != y, "b.ne(x, y)"),
                               (lambda: bool(x > 1), "b.select("),
                               (lambda: 0 < x < 1, "(x < y) & (y < z)"),
                               (lambda: x > 1 and y > 1, "& | ~"), (lambda: not x, "& | ~")):
            with self.assertRaises(TypeError) as caught:
                decide()
            self.assertIn(method, str(caught.exception))
        self.assertEqual(len({x: 1, y: 2}), 2)
        self.assertEqual(b.build(b.select(b.eq(x, b.constant(1, "f32")), x, y)).verify(), [])


@unittest.skipUnless(numpy, "no NumPy")
class Running(unittest.TestCase):
    def test_values(self):
        b = hlo.Builder("m")
        x = b.parameter(0, "f32[2,3]")
        table = b.constant(numpy.arange(6, dtype=numpy.float32).reshape(3, 2).T)
        total = b.reduce([x * table + 1], [b.constant(0.0)], b.reducer("add", "f32"), [1])
        given = numpy.array([[1, 2, 3], [4, 5, 6]], dtype=numpy.float32)
        found = b.build(total).run(given)
        expected = (given * numpy.arange(6, dtype=numpy.float32).reshape(3, 2).T + 1).sum(axis=1)
        numpy.testing.assert_array_equal(found, expected)

    def test_types_of_constants(self):
        for name in ("bool", "int8", "uint16", "int64", "float16", "float64", "complex64"):
            given = numpy.array([0, 1, 1], dtype=name)
            b = hlo.Builder("m")
            found = b.build(b.copy(b.constant(given))).run()
            self.assertEqual(found.dtype, given.dtype)
            numpy.testing.assert_array_equal(found, given)

    def test_small_floats(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("no ml_dtypes")
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"):
            given = numpy.array([0, 1, 2], dtype=getattr(ml_dtypes, name))
            b = hlo.Builder("m")
            found = b.build(b.copy(b.constant(given))).run()
            self.assertEqual(found.dtype, given.dtype)
            numpy.testing.assert_array_equal(found.astype(numpy.float32),
                                             given.astype(numpy.float32))

    @unittest.skipUnless(jax, "no JAX")
    def test_like_jax(self):
        x = numpy.linspace(-1, 1, 12, dtype=numpy.float32).reshape(3, 4)
        w = numpy.linspace(0, 2, 20, dtype=numpy.float32).reshape(4, 5)
        b = hlo.Builder("layer")
        a, c = b.parameter(0, "f32[3,4]"), b.parameter(1, "f32[4,5]")
        found = b.build(b.tanh(a @ c)).run(x, w)
        expected = jax.jit(lambda x, w: jax.numpy.tanh(x @ w))(x, w)
        numpy.testing.assert_allclose(found, numpy.asarray(expected), rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
