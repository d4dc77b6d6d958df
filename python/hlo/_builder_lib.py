"""Functions made of operations, as methods of `Builder.lib`: those of hlo_builder_lib.h, most of
which tools/python-builder makes (_operations.py). Here are those that take functions or lists."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_bool, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ._builder import (Builder, Function, ShapeLike, Unwinding, Value, _element_type, _handles,
                       _ints)
from ._library import lib
from ._operations import InstrsList, LibOrder, LibraryFunctions, PaddingRule

_CONDITION = CFUNCTYPE(c_void_p, c_void_p, POINTER(c_void_p), c_size_t, c_void_p)
_BODY = CFUNCTYPE(c_bool, c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_size_t, c_void_p)
_INDEX_BODY = CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_size_t,
                        c_void_p)
_COMBINER = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)

Values = Sequence[Value]


class Library(LibraryFunctions):
    """The functions for one builder, which raise errors as its operations do."""

    def __init__(self, builder: Builder):
        self._builder = builder
        self._raised: Optional[BaseException] = None

    def _call(self, function: str, given: Any, more: Any) -> Any:
        return self._builder._call(function, given, more)

    # ---- functions that the library calls ----

    def _run(self, function: Callable[[], Any], otherwise: Any) -> Any:
        """What it gives; an exception is kept until the library has returned."""
        self._builder._inside += 1
        try:
            return function()
        except Unwinding:
            return otherwise
        except BaseException as raised:  # it must not pass through C
            self._raised = self._raised or raised
            return otherwise
        finally:
            self._builder._inside -= 1

    def _finished(self, made: Any) -> Any:
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised
        return self._builder._checked(made)

    def _values(self, handles: Any, count: int) -> List[Value]:
        return [Value(self._builder, handles[i]) for i in range(count)]

    def _combiner(self, combiner: Callable[[Value, Value], Value]) -> Any:
        def call(_: Any, old: int, update: int, __: Any) -> Any:
            pair = Value(self._builder, old), Value(self._builder, update)
            return self._run(lambda: combiner(*pair)._handle, None)
        return _COMBINER(call)

    def _fill(self, updated: Any, made: Values, count: int) -> bool:
        if len(made) != count:
            raise ValueError(f"the body of the loop gives {len(made)} values, not {count}")
        for i, value in enumerate(made):
            updated[i] = value._handle
        return True

    def while_loop(self, condition: Callable[..., Value], body: Callable[..., Values],
                   initial: Values, name: str = "while") -> List[Value]:
        """WhileLoopHelper (loops.h): `condition` gives pred[] of the values, `body` the next ones.
        What the values are after the loop."""
        def test(_: Any, values: Any, count: int, __: Any) -> Any:
            return self._run(lambda: condition(*self._values(values, count))._handle, None)

        def step(_: Any, values: Any, updated: Any, count: int, __: Any) -> Any:
            return self._run(lambda: self._fill(updated, body(*self._values(values, count)), count),
                             False)
        results = (c_void_p * (len(initial) + 1))()
        self._finished(lib.hlo_lib_while_loop(
            self._builder._handle, ctypes.cast(_CONDITION(test), c_void_p),
            ctypes.cast(_BODY(step), c_void_p), _handles(InstrsList, initial), name.encode(), None,
            results))
        return self._values(results, len(initial))

    def for_each_index(self, iterations: int, body: Callable[..., Values], initial: Values,
                       type: str = "s32", name: str = "for") -> List[Value]:
        """ForEachIndex (loops.h): `body` gives the next values of the index and the values."""
        def step(_: Any, index: int, values: Any, updated: Any, count: int, __: Any) -> Any:
            at = Value(self._builder, index)
            return self._run(
                lambda: self._fill(updated, body(at, *self._values(values, count)), count), False)
        results = (c_void_p * (len(initial) + 1))()
        self._finished(lib.hlo_lib_for_each_index(
            self._builder._handle, iterations, _element_type(type),
            ctypes.cast(_INDEX_BODY(step), c_void_p), _handles(InstrsList, initial), name.encode(),
            None, results))
        return self._values(results, len(initial))

    def torch_scatter_dense(self, input: Value, index: Value, src: Value, dim: int,
                            combiner: Callable[[Value, Value], Value]) -> Value:
        """TorchScatterDense (slicing.h): the input combined with src[i][j][k] at
        input[i][index[i][j][k]][k]."""
        call = self._combiner(combiner)
        return Value(self._builder, self._finished(lib.hlo_lib_torch_scatter_dense(
            self._builder._handle, input._handle, index._handle, src._handle, dim,
            ctypes.cast(call, c_void_p), None)))

    def scalar_computation_of(self, name: str, type: str,
                              combiner: Callable[[Value, Value], Value]) -> Function:
        """CreateScalarComputation (arithmetic.h): of two scalars of a type."""
        call = self._combiner(combiner)
        return Function(self._finished(lib.hlo_lib_scalar_computation_of(
            self._builder._handle, name.encode(), _element_type(type), ctypes.cast(call, c_void_p),
            None)))

    # ---- lists ----

    def _polynomial(self, function: Any, x: Value, coefficients: Sequence[float]) -> Value:
        array = (c_double * max(len(coefficients), 1))(*coefficients)
        return Value(self._builder, self._builder._checked(
            function(self._builder._handle, x._handle, array, len(coefficients))))

    def evaluate_polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """EvaluatePolynomial (math.cc): of floats or complex numbers, coefficients of the highest
        power first."""
        return self._polynomial(lib.hlo_lib_evaluate_polynomial, x, coefficients)

    def evaluate_chebyshev_polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """EvaluateChebyshevPolynomial (math.cc): half of the series in x/2."""
        return self._polynomial(lib.hlo_lib_evaluate_chebyshev_polynomial, x, coefficients)

    def comparator(self, name: str, types: Sequence[str], orders: Sequence[str]) -> Function:
        """CreateScalarComparisonComputation (comparators.h): two scalars of each type, by the first
        whose order is not "UNORDERED": "LT", "GT", "LT_TOTAL_ORDER", "GT_TOTAL_ORDER"."""
        if len(types) != len(orders):
            raise ValueError(f"{len(types)} types have {len(orders)} orders")
        order = (c_int * max(len(orders), 1))(*[LibOrder[word] for word in orders])
        return Function(self._builder._checked(lib.hlo_lib_comparator(
            self._builder._handle, name.encode(), _types(types), order, len(types))))

    def lt_comparator(self, types: Sequence[str]) -> Function:
        """CreateScalarLtComputation (comparators.h): by the first type, ascending."""
        return Function(self._builder._checked(
            lib.hlo_lib_lt_comparator(self._builder._handle, _types(types), len(types))))

    def gt_comparator(self, types: Sequence[str]) -> Function:
        """CreateScalarGtComputation (comparators.h): descending."""
        return Function(self._builder._checked(
            lib.hlo_lib_gt_comparator(self._builder._handle, _types(types), len(types))))

    # ---- numbers ----

    def make_padding(self, input_dimensions: Sequence[int], window_dimensions: Sequence[int],
                     window_strides: Sequence[int], padding: str) -> List[Tuple[int, int]]:
        """MakePadding (padding.h): below and above, of each dimension, by "PAD_VALID" or
        "PAD_SAME"."""
        low, high = ((c_int64 * (len(input_dimensions) + 1))() for _ in range(2))
        self._builder._checked(lib.hlo_lib_make_padding(
            self._builder._handle, _ints(input_dimensions), _ints(window_dimensions),
            _ints(window_strides), PaddingRule[padding], low, high))
        return list(zip(low, high))[:len(input_dimensions)]

    def make_spatial_padding(self, input_size: Sequence[int], kernel_size: Sequence[int],
                             stride: Sequence[int], padding: str,
                             spatial_dimensions: Sequence[int]) -> List[Tuple[int, int]]:
        """MakeSpatialPadding (pooling.h): the same of the spatial dimensions, in their order."""
        low, high = ((c_int64 * (len(spatial_dimensions) + 1))() for _ in range(2))
        self._builder._checked(lib.hlo_lib_make_spatial_padding(
            self._builder._handle, _ints(input_size), _ints(kernel_size), _ints(stride),
            PaddingRule[padding], _ints(spatial_dimensions), low, high))
        return list(zip(low, high))[:len(spatial_dimensions)]

    def leaf_count(self, shape: ShapeLike) -> int:
        """GetLeafCount (shape_util.h): how many arrays a shape has, of tuples those of all
        elements."""
        count: int = lib.hlo_lib_leaf_count(self._builder._shape(shape))
        return count

    def disassemble_tuple(self, tuple: Value) -> List[Value]:
        """DisassembleTuple (tuple.h): the arrays of a tuple of tuples, in their order."""
        count = lib.hlo_lib_leaf_count(lib.hlo_instr_shape(tuple._handle))
        leaves = (c_void_p * (count + 1))()
        self._builder._checked(
            lib.hlo_lib_disassemble_tuple(self._builder._handle, tuple._handle, leaves))
        return self._values(leaves, count)

    def pack_to_u32(self, type: str, values: bytes) -> List[int]:
        """PackToUint32 (quantize.h): numbers of u8, s8, u16 or s16, given as their bytes, as the
        words that `dequantize` takes."""
        size = 1 if type in ("u8", "s8") else 2
        count, number = len(values) // size, _element_type(type)
        words = (ctypes.c_uint32 * (count // (4 // size) + 1))()
        filled = lib.hlo_lib_pack_to_u32(number, ctypes.c_char_p(values), count, words)
        if count and not filled:
            raise TypeError(f"numbers of {type} are not packed")
        return list(words)[:filled]


def _types(names: Sequence[str]) -> Any:
    return (c_int * max(len(names), 1))(*[_element_type(name) for name in names])
