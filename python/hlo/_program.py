"""Programs: modules made ready to run."""

import ctypes
import threading
from contextlib import contextmanager
from ctypes import c_char_p, c_void_p
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _arrays
from ._diagnostics import Diagnostics, make
from ._library import Array, CustomCall, RunOptions, lib
from ._module import Module, Shape

_ENGINES = {"fast": 0, "reference": 1}


class _Run:
    """A run of the program for one thread at a time, and the arrays that it borrows."""

    def __init__(self, handle: int):
        self.handle = handle
        self.borrowed: Dict[Tuple[int, int], Any] = {}

    def set_input(self, device: int, leaf: int, value: Any) -> None:
        wanted = Array()
        with Diagnostics() as diags:
            diags.check(lib.hlo_run_input(self.handle, device, leaf, diags.handle,
                                          ctypes.byref(wanted)))
            array = _arrays.convert(value, wanted, f"input {leaf}")
            given = _arrays.describe(array, wanted.type)
            diags.check(lib.hlo_run_set_input(self.handle, device, leaf, ctypes.byref(given),
                                              diags.handle))
        self.borrowed[device, leaf] = array

    def execute(self) -> None:
        with Diagnostics() as diags:
            diags.check(lib.hlo_run_execute(self.handle, diags.handle))

    def output(self, device: int, leaf: int) -> Any:
        found = Array()
        with Diagnostics() as diags:
            diags.check(lib.hlo_run_output(self.handle, device, leaf, diags.handle,
                                           ctypes.byref(found)))
            array = _arrays.numpy().empty(_arrays.shape_of(found), _arrays.dtype(found.type))
            diags.check(lib.hlo_run_copy_output(self.handle, device, leaf, array.ctypes.data, None,
                                                array.nbytes, diags.handle))
        return array


class Program:
    """A module made ready to run many times, from any threads at once: `program(*arguments)`.

    Each argument is a parameter: an array, or for a tuple a list or tuple of them. NumPy arrays
    (and what NumPy sees as one without a copy, as JAX's on the CPU) are read where they are; they
    may be of any strides. They must have the parameter's type; Python's numbers become it. The
    result is an array, or for a tuple a tuple; None stands for a token. A module for several
    devices gives a list of such results, device by device, of arguments that are the same for all;
    `each` takes those of every device.

    threads          for one call; 0: all processors
    engine           "fast", or "reference": element by element, as the semantics define them
    seed             of the operation rng
    memory_limit     bytes that one call may need; 0: what the machine has
    custom_calls     ctypes function pointers by target, called as docs/running.md says
    libraries        shared libraries with functions of custom calls
    stub_custom_calls  calls of unknown targets give zeros
    as_written       no pass before the run; isa: the instruction set, such as "avx2" """

    def __init__(self, module: Module, *, threads: int = 0, engine: str = "fast", seed: int = 0,
                 memory_limit: int = 0, custom_calls: Optional[Mapping[str, Any]] = None,
                 libraries: Sequence[str] = (), stub_custom_calls: bool = False,
                 as_written: bool = False, isa: Optional[str] = None):
        self._module = Module(module._copy())  # the program's own: it may not change
        self._parameters = [p.shape for p in self._module.entry.parameters]
        self._result = self._module.entry.root.shape
        self._threads = threads
        self._lock = threading.Lock()
        self._idle: List[_Run] = []
        calls = dict(custom_calls or {})
        self._kept = list(calls.values())
        self._functions = (CustomCall * max(len(calls), 1))(*[
            CustomCall(target.encode(), ctypes.cast(f, c_void_p)) for target, f in calls.items()])
        self._libraries = (c_char_p * max(len(libraries), 1))(*[p.encode() for p in libraries])
        self._isa = isa.encode() if isa else None
        options = RunOptions(
            size=ctypes.sizeof(RunOptions), seed=seed, stub_custom_calls=stub_custom_calls,
            threads=threads, libraries=self._libraries, library_count=len(libraries),
            memory_limit=memory_limit, engine=_ENGINES[engine], as_written=as_written,
            isa=self._isa, functions=self._functions, function_count=len(calls))
        self._handle = make(lib.hlo_run_prepare, self._module._handle, ctypes.byref(options))

    def __del__(self) -> None:
        for run in getattr(self, "_idle", ()):
            lib.hlo_run_free(run.handle)
        if getattr(self, "_handle", None):
            lib.hlo_run_free(self._handle)

    @property
    def parameters(self) -> List[Shape]:
        return list(self._parameters)

    @property
    def result(self) -> Shape:
        return self._result

    @property
    def memory(self) -> int:
        """Bytes that one call needs at once."""
        return lib.hlo_run_memory(self._handle)

    @property
    def devices(self) -> int:
        """Replicas times partitions of the module."""
        return lib.hlo_run_device_count(self._handle)

    def __call__(self, *arguments: Any) -> Any:
        results = self._execute([self._leaves(arguments)] * self.devices)
        return results if len(results) > 1 else results[0]

    def each(self, arguments: Sequence[Sequence[Any]]) -> List[Any]:
        """The results of all devices, of which each has arguments of its own."""
        if len(arguments) != self.devices:
            raise TypeError(f"the module runs on {self.devices} devices, "
                            f"not {len(arguments)}")
        return self._execute([self._leaves(own) for own in arguments])

    def _leaves(self, arguments: Sequence[Any]) -> List[Any]:
        if len(arguments) != len(self._parameters):
            raise TypeError(f"the module takes {len(self._parameters)} arguments, "
                            f"not {len(arguments)}")
        leaves: List[Any] = []
        for number, (shape, value) in enumerate(zip(self._parameters, arguments)):
            _flatten(shape, value, f"argument {number}", leaves)
        return leaves

    def _execute(self, leaves: Sequence[Sequence[Any]]) -> List[Any]:
        with self._borrow_run() as run:
            for device, own in enumerate(leaves):
                for leaf, value in enumerate(own):
                    run.set_input(device, leaf, value)
            run.execute()
            count = lib.hlo_run_output_count(run.handle)
            return [_gather(self._result, run, device, iter(range(count)))
                    for device in range(len(leaves))]

    @contextmanager
    def _borrow_run(self) -> Iterator[_Run]:
        with self._lock:
            run = self._idle.pop() if self._idle else _Run(
                make(lib.hlo_run_share, self._handle, self._threads))
        try:
            yield run
        finally:
            with self._lock:
                self._idle.append(run)


def _flatten(shape: Shape, value: Any, what: str, leaves: List[Any]) -> None:
    if shape.elements is None:
        if shape.type != "token":
            leaves.append(value)
        return
    if not isinstance(value, (list, tuple)) or len(value) != len(shape.elements):
        raise TypeError(f"{what} is a tuple of {len(shape.elements)}: {shape}")
    for element, part in zip(shape.elements, value):
        _flatten(element, part, what, leaves)


def _gather(shape: Shape, run: _Run, device: int, outputs: Iterator[int]) -> Any:
    if shape.elements is not None:
        return tuple(_gather(element, run, device, outputs) for element in shape.elements)
    return None if shape.type == "token" else run.output(device, next(outputs))
