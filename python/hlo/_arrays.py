"""NumPy's types for HLO's, and arrays as the library sees them."""


from ctypes import c_int64
from typing import Any

from ._library import Array, lib

_NUMPY = {"pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
          "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16",
          "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
# What ml_dtypes spells otherwise: it puts `float` for `f`, `int` for `s`, `uint` for `u`.
_LETTERS = {"f": "float", "s": "int", "u": "uint"}


def _ml_name(name: str) -> str:
    if name == "bf16":
        return "bfloat16"
    word = _LETTERS[name[0]] + name[1:]
    return word.replace("e", "_e", 1) if name[0] == "f" else word


def numpy() -> Any:
    try:
        import numpy as found
    except ImportError as missing:
        raise ImportError("running modules needs NumPy") from missing
    return found


def dtype(number: int) -> Any:
    """The dtype of an element type by its number."""
    np = numpy()
    name = lib.hlo_element_type_name(number).decode()
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    try:
        import ml_dtypes
    except ImportError as missing:
        raise ImportError(f"arrays of {name} need ml_dtypes") from missing
    if not hasattr(ml_dtypes, _ml_name(name)):
        raise TypeError(f"ml_dtypes {ml_dtypes.__version__} has no type for {name}")
    return np.dtype(getattr(ml_dtypes, _ml_name(name)))


def element_type(wanted: Any) -> int:
    """The number of the element type that has this dtype."""
    names = {numpy_name: name for name, numpy_name in _NUMPY.items()}
    name = names.get(wanted.name)
    if name is None and wanted.name == "bfloat16":
        name = "bf16"
    if name is None:
        for word, letter in (("float", "f"), ("uint", "u"), ("int", "s")):
            if wanted.name.startswith(word):
                name = letter + wanted.name[len(word):].replace("_", "")
                break
    number = lib.hlo_element_type_from_name(str(name).encode())
    if not number:
        raise TypeError(f"HLO has no element type for {wanted}")
    return int(number)


def shape_of(array: Array) -> tuple:
    return tuple(array.dims[i] for i in range(array.rank))


# Python's numbers become elements of their kind or of a later one.
_KINDS = ("bool", "int", "float", "complex")


def _kind(name: str) -> int:
    """The place of a dtype's kind: of float32 that of float, of bfloat16 and uint8 too."""
    return next(i for i, kind in enumerate(_KINDS) if kind in name)


def _from_python(value: Any, wanted: Any, what: str) -> Any:
    """Numbers and lists as an array of the type, without rounding to integers."""
    np = numpy()
    plain = np.asarray(value)
    if plain.size and plain.dtype.kind not in "biufc":
        raise TypeError(f"{what} is no number, nor a list of numbers")
    lossless = not plain.size or _kind(plain.dtype.name) <= _kind(wanted.name)
    if not lossless and wanted.name == "bool":
        lossless = bool(np.isin(plain, (0, 1)).all())
    if not lossless:
        raise TypeError(f"{what} has elements of type {_KINDS[_kind(plain.dtype.name)]}, which {wanted} does not hold")
    return np.asarray(value, dtype=wanted)


def convert(value: Any, wanted: Array, what: str) -> Any:
    """An array of the type and sizes of an input. Arrays are taken as they are, and must be of
    this type; Python's numbers and lists become it."""
    np = numpy()
    kind = dtype(wanted.type)
    array = np.asarray(value) if hasattr(value, "dtype") else _from_python(value, kind, what)
    if array.dtype != kind:
        raise TypeError(f"{what} is an array of {array.dtype}, not of {kind}")
    if array.shape != shape_of(wanted):
        raise ValueError(f"{what} has the shape {array.shape}, not {shape_of(wanted)}")
    return array if array.dtype.isnative else array.astype(kind)


def describe(array: Any, number: int) -> Array:
    """Points at the elements of an array, which must live as long."""
    of_rank = c_int64 * max(array.ndim, 1)
    return Array(number, array.ndim, of_rank(*array.shape), of_rank(*array.strides),
                 array.ctypes.data)


