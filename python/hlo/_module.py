"""Modules and their parts."""

import ctypes
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Sequence, Tuple, Union

from ._diagnostics import Diagnostic, Diagnostics, make, written
from ._library import GraphOptions, TableRow, TextOptions, lib, string

if TYPE_CHECKING:
    from ._program import Program

_TUPLE = 13
_STYLES = {"default": 0, "short": 1, "canonical": 2, "fingerprint": 3}
_LAYOUTS = {"auto": 0, "dot": 1, "fast": 2}
_DIALECTS = {"xla": 0, "extended": 1, "2018": 2, "2019": 3, "2024": 4, "2025": 5}
_ANY = 2**64 - 1


@dataclass(frozen=True)
class Shape:
    """`type` as HLO spells it; `dims` of an array (a bound where a size is dynamic, -1 without
    one); `elements` of a tuple, else None."""

    type: str
    dims: Tuple[int, ...]
    elements: Optional[Tuple["Shape", ...]]
    text: str

    def __str__(self) -> str:
        return self.text


def _shape(handle: int) -> Shape:
    number = lib.hlo_shape_type(handle)
    elements = None
    if number == _TUPLE:
        count = lib.hlo_shape_element_count(handle)
        elements = tuple(_shape(lib.hlo_shape_element(handle, i)) for i in range(count))
    return Shape(lib.hlo_element_type_name(number).decode(),
                 tuple(lib.hlo_shape_dim(handle, i) for i in range(lib.hlo_shape_rank(handle))),
                 elements, written(lib.hlo_shape_write, handle, False).decode())


class _Part:
    """A handle, which keeps its module alive."""

    def __init__(self, module: "Module", handle: int):
        self._module = module
        self._handle = handle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)


class Instruction(_Part):
    @property
    def name(self) -> str:
        return string(lib.hlo_instr_name(self._handle))

    @property
    def opcode(self) -> str:
        return lib.hlo_instr_opcode(self._handle).decode()

    @property
    def shape(self) -> Shape:
        with self._module._lock:
            return _shape(lib.hlo_instr_shape(self._handle))

    @property
    def operands(self) -> List["Instruction"]:
        count = lib.hlo_instr_operand_count(self._handle)
        return [Instruction(self._module, lib.hlo_instr_operand(self._handle, i))
                for i in range(count)]

    @property
    def called(self) -> List["Computation"]:
        """The computations that it calls: of a while body and condition, and so on."""
        count = lib.hlo_instr_called_count(self._handle)
        return [Computation(self._module, lib.hlo_instr_called(self._handle, i))
                for i in range(count)]

    @property
    def attributes(self) -> "dict[str, str]":
        """As HLO writes them, by name."""
        found: "dict[str, str]" = {}
        with self._module._lock:
            while True:
                name = lib.hlo_instr_attr_name(self._handle, len(found))
                if name is None:
                    return found
                found[name.decode()] = written(lib.hlo_instr_write_attr, self._handle,
                                               name).decode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"<hlo.Instruction {self.name} = {self.shape} {self.opcode}>"


class Computation(_Part):
    """Goes through its instructions in the order in which they are written."""

    @property
    def name(self) -> str:
        return string(lib.hlo_computation_name(self._handle))

    @property
    def root(self) -> Instruction:
        return Instruction(self._module, lib.hlo_computation_root(self._handle))

    @property
    def parameters(self) -> List[Instruction]:
        count = lib.hlo_computation_parameter_count(self._handle)
        return [Instruction(self._module, lib.hlo_computation_parameter(self._handle, i))
                for i in range(count)]

    def __iter__(self) -> Iterator[Instruction]:
        at = lib.hlo_computation_first(self._handle)
        while at:
            yield Instruction(self._module, at)
            at = lib.hlo_instr_next(at)

    def __len__(self) -> int:
        return lib.hlo_computation_size(self._handle)

    def __repr__(self) -> str:
        return f"<hlo.Computation {self.name} of {len(self)} instructions>"


class Module:
    """A module, which nothing changes. Made by `hlo.parse`, `hlo.read`, `hlo.from_jax` and
    `optimize`; may be used from any threads."""

    def __init__(self, handle: int):
        self._handle = handle
        self._lock = threading.RLock()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.hlo_module_free(self._handle)

    @property
    def name(self) -> str:
        return string(lib.hlo_module_name(self._handle))

    @property
    def entry(self) -> Computation:
        return Computation(self, lib.hlo_module_entry(self._handle))

    @property
    def computations(self) -> List[Computation]:
        found, at = [], lib.hlo_module_first(self._handle)
        while at:
            found.append(Computation(self, at))
            at = lib.hlo_computation_next(at)
        return found

    def verify(self) -> List[Diagnostic]:
        """What breaks a rule of XLA's verifier; an empty list for a good module."""
        with self._lock, Diagnostics() as diags:
            status = lib.hlo_verify(self._handle, diags.handle)
            if status > 1:
                diags.check(status)
            return diags.list()

    def optimize(self, passes: str = "default") -> "Module":
        """Another module: this one after a pipeline, a named one or passes as `hlo-opt --passes`
        takes them (`"algsimp,dce"`, `"fix(algsimp,dce)"`)."""
        pipeline = make(lib.hlo_pipeline_parse, b"passes", pipelines().get(passes, passes).encode())
        try:
            changed = Module(self._copy())
            with Diagnostics() as diags:
                diags.check(lib.hlo_pipeline_execute(pipeline, changed._handle, diags.handle, None))
            return changed
        finally:
            lib.hlo_pipeline_free(pipeline)

    def _copy(self) -> int:
        with self._lock:
            return make(lib.hlo_module_copy, self._handle)

    def to_string(self, style: str = "default", exact: bool = False) -> str:
        """HLO text: "default" is XLA's, byte for byte, "short" the least that parses again; or
        "canonical", "fingerprint". exact: negative zeros are -0.0, which reads back to the same
        bits; XLA's -0 is read as +0."""
        options = TextOptions(size=ctypes.sizeof(TextOptions), style=_STYLES[style],
                              exact_literals=1 if exact else 0)
        with self._lock:
            text = written(lib.hlo_write_text, self._handle, ctypes.byref(options))
        return text.decode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        return self.to_string()

    def to_json(self, pretty: bool = False) -> str:
        """Its HloModuleProto in protobuf's JSON mapping."""
        with self._lock:
            return written(lib.hlo_write_json, self._handle, 0, pretty).decode()

    def to_proto(self) -> bytes:
        """Its HloModuleProto."""
        with self._lock:
            return written(lib.hlo_write_proto, self._handle, 0)

    def to_pbtxt(self) -> str:
        """Its HloModuleProto in protobuf's text format."""
        with self._lock:
            return written(lib.hlo_write_pbtxt, self._handle, 0).decode()

    def to_stablehlo(self, generic: bool = False) -> str:
        """Itself as a StableHLO program, in MLIR text: what XLA makes of it; generic: all operations in one form. An
        instruction that StableHLO has no counterpart of is an Error."""
        with self._lock:
            return written(lib.hlo_write_stablehlo, self._handle, int(generic)).decode("utf-8", "surrogateescape")

    def draw(self, format: str = "svg", layout: str = "auto", **choice: Any) -> bytes:
        """A picture by Graphviz: "svg", "png", "pdf", or "dot", the text that is drawn. `choice`:
        entry_only, computation, around and radius (or up and down), from_ and to, depth, max_nodes,
        collapse_while, expand_tuples, legend; as the options of hlo-dot."""
        options = GraphOptions(size=ctypes.sizeof(GraphOptions), radius=3, up=_ANY, down=_ANY,
                               depth=_ANY, layout=_LAYOUTS[layout], format=format.encode())
        for name, value in choice.items():
            field = name.rstrip("_")
            if field not in {f[0] for f in GraphOptions._fields_} - {"size"}:
                raise TypeError(f"draw() has no argument {name!r}")
            setattr(options, field, value.encode() if isinstance(value, str) else value)
        with self._lock:
            return written(lib.hlo_write_graph, self._handle, ctypes.byref(options))

    def to_dot(self, **choice: Any) -> str:
        """The graph as Graphviz text; arguments as of `draw`."""
        return self.draw("dot", **choice).decode("utf-8", "surrogateescape")

    def prepare(self, **options: Any) -> "Program":
        """Makes it ready to run many times; options as of `Program`."""
        from ._program import Program
        return Program(self, **options)

    def run(self, *arguments: Any, **options: Any) -> Any:
        """Runs the entry computation once: see `Program`."""
        return self.prepare(**options)(*arguments)

    def __repr__(self) -> str:
        return f"<hlo.Module {self.name}>"


def pipelines() -> "dict[str, str]":
    """The passes of each pipeline that has a name."""
    found: "dict[str, str]" = {}
    row = TableRow()
    while lib.hlo_pipeline_row(len(found), ctypes.byref(row)):
        found[row.name.decode()] = row.group.decode()
    return found


def _shapes(given: Optional[Sequence[Any]]) -> Optional[bytes]:
    """Shapes as libhlo takes them; of an array its sizes."""
    if given is None:
        return None
    return ",".join(s if isinstance(s, str) else "[%s]" % ",".join(map(str, s.shape))
                    for s in given).encode()


def _read(source: int, dialect: str, input_shapes: Optional[Sequence[Any]]) -> Module:
    try:
        lib.hlo_source_read_as(source, _DIALECTS[dialect])
        shapes = _shapes(input_shapes)
        if shapes is not None:
            with Diagnostics() as diags:
                diags.check(lib.hlo_source_give_shapes(source, shapes, diags.handle))
        return Module(make(lib.hlo_read_module, source))
    finally:
        lib.hlo_source_free(source)


def parse(text: Union[str, bytes], name: str = "<string>", dialect: str = "xla",
          input_shapes: Optional[Sequence[Any]] = None) -> Module:
    """A module from HLO text, from StableHLO, or from the JSON or the binary form of an
    HloModuleProto. `name` is what diagnostics call it; `dialect`: "xla", "extended" with old forms
    of the text, or an edition of the operation semantics, "2018", "2019", "2024" or "2025".
    `input_shapes`: of the arguments of a StableHLO program whose sizes are unknown, "f32[4,8]" or
    arrays of these sizes."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)
    source = lib.hlo_source_from_text(name.encode(), data, len(data))
    if not source:
        raise MemoryError("libhlo")
    return _read(source, dialect, input_shapes)


def read(path: str, dialect: str = "xla", input_shapes: Optional[Sequence[Any]] = None) -> Module:
    """The same from a file, which may be compressed by gzip or zstd."""
    source = make(lib.hlo_read_source, str(path).encode("utf-8", "surrogateescape"))
    return _read(source, dialect, input_shapes)
