"""Functions of the builder's library from Python: all of hlo_builder_lib.h are there; functions that
the library calls, lists, tuples, errors; with NumPy, runs of them."""

import inspect
import unittest

import hlo
from hlo import _operations

try:
    import numpy
except ImportError:
    numpy = None


class Functions(unittest.TestCase):
    def test_every_function_is_a_method(self):
        of_class = {name.rstrip("_") for name, _ in inspect.getmembers(hlo.Library)}
        names = {name[len("hlo_lib_"):] for name in _operations.FUNCTIONS
                 if name.startswith("hlo_lib_")}
        self.assertEqual(names - of_class, set())
        self.assertGreater(len(names), 100)

    def test_a_function(self):
        b = hlo.Builder("lgamma")
        module = b.build(b.lib.lgamma(b.parameter(0, "f32[4]")))
        self.assertEqual(module.verify(), [])
        self.assertEqual(str(module.entry.root.shape), "f32[4]")

    def test_options_and_structures(self):
        b = hlo.Builder("lib")
        x, y = b.parameter(0, "bf16[2,3]"), b.parameter(1, "bf16[3,4]")
        product = b.lib.einsum(x, y, "ab,bc->ac", {"precision": "HIGHEST_PRECISION",
                                                    "preferred_element_type": "f32"})
        self.assertEqual(str(product.shape), "f32[2,4]")
        value, state = b.lib.threefry_bit_generator(b.constant(1, "u64"), b.constant(2, "u64"),
                                                    "u32[5]")
        self.assertEqual((str(value.shape), str(state.shape)), ("u32[5]", "u64[]"))
        self.assertEqual(b.lib.approx_top_k_output_size(5000, 2, 20, 0.9, False), (384, 4))
        self.assertEqual(b.lib.conv_grad_dimension(7, 3, 4, 1, 2, "PAD_SAME"), (7, 1, 1))

    def test_lists(self):
        b = hlo.Builder("lists")
        self.assertEqual(b.lib.make_padding([10, 5], [5, 2], [3, 2], "PAD_SAME"), [(2, 2), (0, 1)])
        self.assertEqual(b.lib.make_spatial_padding([1, 1, 5], [1, 1, 2], [1, 1, 2], "PAD_SAME", [2]),
                         [(0, 1)])
        self.assertEqual(b.lib.pack_to_u32("u8", bytes([1, 2, 3, 4, 5])), [0x01020304, 0x05000000])
        self.assertRaises(TypeError, b.lib.pack_to_u32, "f32", bytes(4))
        pair = b.parameter(0, "((f32[2], s32[]), f32[1])")
        leaves = b.lib.disassemble_tuple(pair)
        self.assertEqual([str(leaf.shape) for leaf in leaves], ["f32[2]", "s32[]", "f32[1]"])
        self.assertEqual(b.lib.leaf_count("((f32[2], s32[]), f32[1])"), 3)
        again = b.lib.assemble_tuple("((f32[2], s32[]), f32[1])", leaves)
        self.assertEqual(b.build(again).verify(), [])

    def test_functions_that_are_called(self):
        b = hlo.Builder("called")
        index, total = b.lib.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i),
                                        [b.constant(0), b.constant(0)])
        self.assertEqual(str(total.shape), "s32[]")
        total, = b.lib.for_each_index(3, lambda i, s: [s + i], [total])
        by = b.lib.scalar_computation_of("least", "s32", lambda x, y: b.min(x, y))
        least = b.reduce([b.broadcast(total, [4])], [index], by, [0])
        module = b.build(least)
        self.assertEqual(module.verify(), [])

    def test_errors(self):
        b = hlo.Builder("errors")
        self.assertRaises(hlo.Error, b.lib.erf_inv, b.constant(1))
        b = hlo.Builder("errors")
        with self.assertRaises(ZeroDivisionError):
            b.lib.for_each_index(3, lambda i, s: [s + 1 // 0], [b.constant(0)])
        b = hlo.Builder("errors")
        with self.assertRaises(ValueError):
            b.lib.while_loop(lambda s: s < 1, lambda s: [s, s], [b.constant(0)])
        b = hlo.Builder("errors")
        with self.assertRaisesRegex(hlo.Error, "add"):
            b.lib.while_loop(lambda s: s < 1, lambda s: [b.add(s, b.constant(1.5))], [b.constant(0)])


@unittest.skipIf(numpy is None, "no NumPy")
class Runs(unittest.TestCase):
    def test_values(self):
        b = hlo.Builder("lib")
        x = b.parameter(0, "f32[3]")
        i, s = b.lib.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2), [b.constant(0), x])
        polynomial = b.lib.evaluate_polynomial(s, [1, 0, -1])
        module = b.build(b.tuple([i, polynomial, b.lib.arg_max(x, "s32", 0)]))
        count, values, at = module.run(numpy.float32([0, 1, 0.5]))
        self.assertEqual((int(count), int(at)), (3, 1))
        numpy.testing.assert_array_equal(values, numpy.float32([-1, 63, 15]))

    def test_scatter(self):
        b = hlo.Builder("scatter")
        x, at, source = (b.constant(numpy.array(v, t)) for v, t in
                         (([[0, 1, 2]], "f4"), ([[1, 2]], "i4"), ([[10, 20]], "f4")))
        module = b.build(b.lib.torch_scatter_dense(x, at, source, 1, lambda old, new: old + new))
        numpy.testing.assert_array_equal(module.run(), [[0, 11, 22]])


if __name__ == "__main__":
    unittest.main()
