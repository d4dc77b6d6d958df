"""Modules built from Python: every operation is a method of Builder (_operations.py, which
tools/python-builder makes from hlo_builder.h), every function of the library one of its `lib`
(_builder_lib.py)."""

import ctypes
from contextlib import contextmanager
from ctypes import POINTER, c_bool, c_int64, c_void_p
from typing import (TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, NoReturn, Optional,
                    Sequence, Union)

from ._diagnostics import Diagnostic, Error, make
from ._library import Array, lib
from ._module import Module, Shape, _shape
from ._operations import (ARGUMENTS, ENUMS, FUNCTIONS, MAKE_FUNCTIONS, STRUCTURES,
                          ComputationsList, GroupList, InstrsList, IntList, Operations)

if TYPE_CHECKING:
    from ._builder_lib import Library

for _name, (_result, _arguments) in FUNCTIONS.items():
    getattr(lib, _name).restype = _result
    getattr(lib, _name).argtypes = _arguments
lib.hlo_element_type_from_name.restype = ctypes.c_int
lib.hlo_element_type_from_name.argtypes = [ctypes.c_char_p]

# "f32[2,3]{1,0}", or the shape of an existing value.
ShapeLike = Union[str, Shape]
Number = Union[bool, int, float, complex]


class Value:
    """The result of an operation, in the computation that was open. Operators and Python's
    numbers work as with arrays: `2 * x + 1`, `x < y`, `x @ y`, `-x`, `x[i]` of a tuple. Equality is
    `b.eq(x, y)`, a choice `b.select(x < y, x, y)`: `==`, `!=` and `if` raise TypeError."""

    def __init__(self, builder: "Builder", handle: int):
        self._builder = builder
        self._handle = handle

    @property
    def shape(self) -> Shape:
        """As inferred; also of a module that was built."""
        return _shape(lib.hlo_instr_shape(self._handle))

    def _other(self, other: "Union[Value, Number]") -> "Value":
        return other if isinstance(other, Value) else self._builder.constant(other, self.shape.type)

    def _do(self, name: str, other: "Union[Value, Number]", swapped: bool = False) -> "Value":
        pair = (self, self._other(other))
        method: Callable[..., Value] = getattr(self._builder, name)
        return method(*(pair[::-1] if swapped else pair))

    def __getitem__(self, index: int) -> "Value":
        return self._builder.get_tuple_element(self, index)

    def __eq__(self, other: object) -> NoReturn:
        self._refuse_equality("==", "eq", other)

    def __ne__(self, other: object) -> NoReturn:
        self._refuse_equality("!=", "ne", other)

    def _refuse_equality(self, sign: str, method: str, other: object) -> NoReturn:
        second = "y" if isinstance(other, Value) else f"b.constant({other!r}, {self.shape.type!r})"
        raise TypeError(f"{sign} is no operation of values: b.{method}(x, {second}) of the builder "
                        "compares them, and `x is y` asks whether they are the same value")

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("a value is known only when the module runs: use b.select() or "
                        "b.conditional() of the builder instead of `if`, b.while_() instead of "
                        "`while`, & | ~ instead of `and`, `or`, `not`, and (x < y) & (y < z) "
                        "instead of `x < y < z`")

    def __neg__(self) -> "Value":
        return self._builder.neg(self)

    def __invert__(self) -> "Value":
        return self._builder.not_(self)

    def __abs__(self) -> "Value":
        return self._builder.abs(self)

    def __matmul__(self, other: "Value") -> "Value":
        return self._builder.dot(self, other)

    def __repr__(self) -> str:
        return f"<hlo.Value of {self.shape}>"


def _operator(name: str, swapped: bool) -> Any:
    return lambda self, other: self._do(name, other, swapped)


for _word, _method in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"),
                       ("mod", "rem"), ("pow", "pow"), ("and", "and_"), ("or", "or_"),
                       ("xor", "xor"), ("lshift", "shift_left")):
    setattr(Value, f"__{_word}__", _operator(_method, False))
    setattr(Value, f"__r{_word}__", _operator(_method, True))
for _word in ("lt", "le", "gt", "ge"):
    setattr(Value, f"__{_word}__", _operator(_word, False))


class Function:
    """A computation that operations can call."""

    def __init__(self, handle: int):
        self._handle = handle


# ---- arguments as the library takes them ----

def _handles(kind: Any, values: Sequence[Any]) -> Any:
    array = (c_void_p * max(len(values), 1))(*[value._handle for value in values])
    return kind(len(values), ctypes.cast(array, POINTER(c_void_p)))


def _ints(values: Sequence[int]) -> IntList:
    array = (c_int64 * max(len(values), 1))(*values)
    return IntList(len(values), ctypes.cast(array, POINTER(c_int64)))


def _groups(values: Sequence[Sequence[int]]) -> GroupList:
    array = (IntList * max(len(values), 1))(*[_ints(group) for group in values])
    return GroupList(len(values), ctypes.cast(array, POINTER(IntList)))


def _element_type(name: str) -> int:
    number: int = lib.hlo_element_type_from_name(name.encode())
    if not number:
        raise TypeError(f"{name!r} is no element type")
    return number


def _words(value: Any) -> str:
    """The text of an attribute: texts as they are, flags, numbers, and lists of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "{" + ",".join(_words(part) for part in value) + "}"
    return str(value)


class Unwinding(Exception):
    """An operation failed in a function that the library has called, which goes on to report it."""


class Builder(Operations):
    """Builds a module:

        b = hlo.Builder("axpy")
        x, y = b.parameter(0, "f32[4]"), b.parameter(1, "f32[4]")
        module = b.build(2 * x + y)

    An error is raised by the operation that makes it, as hlo.Error; the builder is of no use
    then. Computations that others call are opened by `computation`."""

    def __init__(self, name: str = "module"):
        self._inside = 0
        self._built: Optional[Module] = None  # stays as long as the values that are in it
        self._handle = lib.hlo_builder_create(name.encode())
        if not self._handle:
            raise MemoryError("libhlo")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.hlo_builder_free(self._handle)

    @property
    def lib(self) -> "Library":
        """Functions made of operations: `b.lib.lgamma(x)`, `b.lib.einsum(x, y, "ab,bc->ac")`."""
        from ._builder_lib import Library
        return Library(self)

    # ---- calls ----

    def _argument(self, kind: str, value: Any) -> Any:
        if value is None:
            return None
        if kind in ("const hlo_instr *", "const hlo_computation *"):
            return value._handle
        if kind == "const hlo_shape *":
            return self._shape(value)
        if kind in _CONVERSIONS:
            return _CONVERSIONS[kind](value)
        if kind in STRUCTURES:
            return self._structure(kind, value)
        return ENUMS[kind][value] if kind in ENUMS and isinstance(value, str) else value

    def _structure(self, kind: str, value: Mapping[str, Any]) -> Any:
        structure, fields = STRUCTURES[kind]
        unknown = set(value) - {name for name, _ in fields}
        if unknown:
            raise TypeError(f"{structure.__name__} has no {', '.join(sorted(unknown))}")
        made = structure(**{name: self._argument(dict(fields)[name], part)
                            for name, part in value.items()})
        return ctypes.cast(ctypes.pointer(made), c_void_p)

    def _shape(self, shape: ShapeLike) -> int:
        return self._checked(lib.hlo_builder_shape_from_text(self._handle, str(shape).encode()))

    def _checked(self, made: Any) -> Any:
        """The first error is what the build reports."""
        if self._built is not None:
            raise Error(2, [Diagnostic("error", f"module {self._built.name} is built: what is "
                                       "added now needs another hlo.Builder", "usage")])
        if not lib.hlo_builder_failed(self._handle):
            return made
        if self._inside:
            raise Unwinding
        make(lib.hlo_builder_build, self._handle, None)
        raise AssertionError("the build did not fail")

    def _set(self, more: Mapping[str, Any]) -> None:
        for name, value in more.items():
            if name == "name":
                lib.hlo_builder_set_name(self._handle, value.encode())
            elif name == "result_shape":
                lib.hlo_builder_set_shape(self._handle, self._shape(value))
            elif name == "control_predecessors":
                lib.hlo_builder_set_control_predecessors(self._handle, _handles(InstrsList, value))
            else:
                lib.hlo_builder_set_attribute(self._handle, name.encode(),
                                              _words(value).encode("utf-8", "surrogateescape"))
        self._checked(None)

    def _call(self, function: str, given: Any, more: Any) -> Any:
        arguments = [self._argument(kind, value)
                     for kind, value in zip(ARGUMENTS[function], given)]
        if more:
            self._set(more)
        made = self._checked(getattr(lib, function)(self._handle, *arguments))
        result = FUNCTIONS[function][0]
        if isinstance(made, ctypes.Structure):
            return tuple(Value(self, getattr(made, name)) if kind is c_void_p
                         else getattr(made, name) for name, kind in result._fields_)
        if result is not c_void_p:
            return made
        return Function(made) if function in MAKE_FUNCTIONS else Value(self, made)

    # ---- what is no operation ----

    def constant(self, value: Any, type: Optional[str] = None, **more: Any) -> Value:
        """Of a number, with its element type ("f32"; without it pred, s32, f32 or c64), or of a
        NumPy array."""
        if hasattr(value, "dtype"):
            return self._constant_array(value, more)
        if type is None:
            kinds = {bool: "pred", int: "s32", float: "f32", complex: "c64"}
            type = kinds[value.__class__]
        text = f"({value.real!r}, {value.imag!r})" if type[0] == "c" else _words(value)
        return self.literal(f"{type}[]", text, **more)

    def _constant_array(self, value: Any, more: Any) -> Value:
        from ._arrays import describe, element_type
        array = value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
        self._set(more)
        described = describe(array, element_type(array.dtype))
        return Value(self, self._checked(
            lib.hlo_builder_constant(self._handle, ctypes.addressof(described))))

    def literal(self, shape: ShapeLike, text: str, **more: Any) -> Value:
        """A constant as HLO spells it: `literal("s32[2]", "{1, 2}")`; of a tuple too."""
        handle = self._shape(shape)
        self._set(more)
        return Value(self, self._checked(
            lib.hlo_builder_constant_from_text(self._handle, handle, text.encode())))

    def comparator(self, direction: str, types: Sequence[str]) -> Function:
        """The comparator of a sort by the first of `types`: "LT" ascends, "GT" descends."""
        array = (ctypes.c_int * len(types))(*[_element_type(name) for name in types])
        return Function(self._checked(lib.hlo_builder_comparator(
            self._handle, direction.encode(), array, len(types))))

    def computation(self, name: str, body: Callable[..., Value],
                    parameters: Sequence[ShapeLike]) -> Function:
        """A computation that operations can call: what `body` makes of parameters of these
        shapes. `b.computation("add", lambda x, y: x + y, ["f32[]", "f32[]"])`"""
        lib.hlo_builder_begin(self._handle, name.encode())
        self._checked(None)
        root = body(*[self.parameter(i, shape) for i, shape in enumerate(parameters)])
        return Function(self._checked(lib.hlo_builder_end(self._handle, root._handle)))

    @contextmanager
    def scope(self, metadata: Optional[Mapping[str, Any]] = None,
              sharding: Optional[Mapping[str, Any]] = None,
              **frontend_attributes: str) -> Iterator["Builder"]:
        """What all operations inside of a `with` carry: metadata (op_type, op_name, source_file,
        source_line), a sharding (kind, device, tiles, devices, replicate_last), and frontend
        attributes."""
        lib.hlo_builder_begin_scope(self._handle)
        if metadata is not None:
            lib.hlo_builder_set_metadata(self._handle,
                                         self._argument("const hlo_op_metadata *", metadata))
        if sharding is not None:
            lib.hlo_builder_set_sharding(self._handle,
                                         self._argument("const hlo_shard *", sharding))
        for key, value in frontend_attributes.items():
            lib.hlo_builder_set_frontend_attribute(self._handle, key.encode(), value.encode())
        self._checked(None)
        try:
            yield self
        finally:
            lib.hlo_builder_end_scope(self._handle)

    def build(self, root: Optional[Value] = None) -> Module:
        """The module, whose entry computation gives `root`, or what was made last. It is not
        verified as a whole. The builder is of no more use."""
        self._checked(None)
        self._built = Module(make(lib.hlo_builder_build, self._handle,
                                  None if root is None else root._handle))
        return self._built


_CONVERSIONS: "dict[str, Callable[[Any], Any]]" = {
    "hlo_int_list": _ints,
    "hlo_instrs_list": lambda values: _handles(InstrsList, values),
    "hlo_computations_list": lambda values: _handles(ComputationsList, values),
    "hlo_group_list": _groups,
    "hlo_element_type": _element_type,
    "const char *": lambda text: text if isinstance(text, bytes) else text.encode(),
}
