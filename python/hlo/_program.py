"""Programs: modules made ready to run."""

import _thread
import ctypes
import os
import tempfile
import threading
import time
from contextlib import contextmanager
from ctypes import c_char_p, c_void_p
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _arrays
from ._diagnostics import Diagnostics, make
from ._library import (Array, CustomCall, RunCustomCalls, RunGraph, RunMemory, RunOptions, lib)
from ._module import Module, Shape, _shape

_ENGINES = {"fast": 0, "reference": 1}
_EXECUTORS = {"structured": 0, "dataflow": 1}
_SHORT = 0.005  # seconds
# What may take another time in each run.
_UNKNOWN_TIME = {"while", "next-iteration", "custom-call"}
_TRACE_FORMS = {"lines": False, "chrome": True}


class _Run:
    """A run of the program for one thread at a time, and the arrays that it borrows."""

    def __init__(self, handle: int, module: Optional[Module] = None):
        self.handle = handle
        self.module = module  # the run's own, which stays as long as it
        self.borrowed: Dict[Tuple[int, int], Any] = {}
        self.is_stopped = False  # it fails from then on

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

    def execute(self, is_short: bool) -> None:
        """Python handles signals in the main thread between two instructions of Python. So a run
        that may be long is in another thread then, and is stopped when a handler raises, as that
        of Ctrl-C does."""
        if is_short or threading.current_thread() is not threading.main_thread():
            return self._execute()
        wrong: List[BaseException] = []
        turn, ended = threading.Lock(), threading.Lock()
        ended.acquire()

        def work() -> None:
            try:
                if turn.acquire(blocking=False):
                    self._execute()
            except BaseException as error:
                wrong.append(error)
            finally:
                ended.release()

        try:
            _thread.start_new_thread(work, ())
            ended.acquire()
        except BaseException as error:
            if not turn.acquire(blocking=False):  # it began
                self._stop(ended)
            elif isinstance(error, RuntimeError):  # no thread, when the interpreter ends
                return self._execute()
            raise
        if wrong:
            raise wrong.pop()

    def _stop(self, ended: threading.Lock) -> None:
        self.is_stopped = True
        lib.hlo_run_interrupt(self.handle)
        while True:
            try:
                ended.acquire()  # the arrays are in use until then
                return
            except BaseException:  # the second Ctrl-C
                pass

    def _execute(self) -> None:
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
    `each` takes those of every device. Ctrl-C ends a call in the main thread, with the engine
    "reference" when the operation that runs is done.

    threads          for one call; 0: all processors
    engine           "fast", or "reference": element by element, as the semantics define them
    seed             of the operation rng
    memory_limit     bytes that one call may need; 0: what the machine has
    custom_calls     ctypes function pointers by target, called as in docs/running.md
    libraries        shared libraries with functions of custom calls
    stub_custom_calls  calls of unknown targets give zeros
    as_written       no pass before the run; isa: the instruction set, such as "avx2"
    fill_elided      generate the elements that a dump elides; else an error

    Of dataflow graphs (docs/dataflow.md); a module that is one runs as one anyway, and one in parts
    takes and gives what the whole did:

    executor         "structured", or "dataflow": loops and conditionals lowered to a graph
    parallel_iterations  of a loop that may be in flight at the same time; 0: as in the graph
    graph_devices    the graph is cut over so many by its shardings; 0: as it is
    lower_scalar_loops  iterations of loops over scalars are tokens, too, not one compiled step
    trace            a file for the events of each node, rewritten by each call; trace_form: "lines"
                     of JSON, or "chrome"

    Of stacks, which gradients of loops have, in graphs or not:

    swap_threshold   bytes of arrays on stacks in memory: the oldest of more go to a file; 0: none
    swap_directory   where the file is; None: where temporary files are """

    def __init__(self, module: Module, *, threads: int = 0, engine: str = "fast", seed: int = 0,
                 memory_limit: int = 0, custom_calls: Optional[Mapping[str, Any]] = None,
                 libraries: Sequence[str] = (), stub_custom_calls: bool = False,
                 as_written: bool = False, isa: Optional[str] = None, fill_elided: bool = False,
                 executor: str = "structured", parallel_iterations: int = 0,
                 graph_devices: int = 0, lower_scalar_loops: bool = False,
                 trace: "Optional[str | os.PathLike[str]]" = None, trace_form: str = "lines",
                 swap_threshold: int = 0,
                 swap_directory: "Optional[str | os.PathLike[str]]" = None):
        if swap_directory is not None and not swap_threshold:
            raise ValueError("swap_directory is of use with swap_threshold only")
        if swap_threshold and swap_directory is None:
            swap_directory = tempfile.gettempdir()
        self._module = Module(module._copy())  # the program's own: it may not change
        self._threads = threads
        self._lock = threading.Lock()
        self._idle: List[_Run] = []
        calls = dict(custom_calls or {})
        self._kept = list(calls.values())
        self._functions = (CustomCall * max(len(calls), 1))(*[
            CustomCall(target.encode(), ctypes.cast(f, c_void_p)) for target, f in calls.items()])
        self._libraries = (c_char_p * max(len(libraries), 1))(*[p.encode() for p in libraries])
        self._isa = isa.encode() if isa else None
        self._options = RunOptions(
            size=ctypes.sizeof(RunOptions), seed=seed, threads=threads, engine=_ENGINES[engine],
            isa=self._isa, as_written=as_written, fill_elided=fill_elided,
            memory=RunMemory(
                limit=memory_limit, swap_threshold=swap_threshold,
                swap_directory=None if swap_directory is None else os.fsencode(swap_directory)),
            custom_calls=RunCustomCalls(
                stub=stub_custom_calls, functions=self._functions, function_count=len(calls),
                libraries=self._libraries, library_count=len(libraries)),
            graph=RunGraph(
                executor=_EXECUTORS[executor], parallel_iterations=parallel_iterations,
                devices=graph_devices, events=None if trace is None else os.fsencode(trace),
                chrome_events=_TRACE_FORMS[trace_form], lower_scalar_loops=lower_scalar_loops))
        self._stack_peak = 0
        self._time_is_known: Optional[bool] = None
        self._is_short = False  # as the last call was, and each one is
        self._handle = self._prepare(self._module)
        if self.graph_devices:
            self._idle.append(_Run(self._handle))
        entry = lib.hlo_module_entry(lib.hlo_run_module(self._handle))
        self._parameters = [
            _shape(lib.hlo_instr_shape(lib.hlo_computation_parameter(entry, i)))
            for i in range(lib.hlo_computation_parameter_count(entry))]
        self._result = _shape(lib.hlo_instr_shape(lib.hlo_computation_root(entry)))

    def _prepare(self, module: Module) -> int:
        return make(lib.hlo_run_prepare, module._handle, ctypes.byref(self._options))

    def __del__(self) -> None:
        for run in getattr(self, "_idle", ()):
            if run.handle != self._handle:
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

    @property
    def graph_devices(self) -> int:
        """Devices that the dataflow graph is cut over; 0: the program is no graph."""
        return lib.hlo_run_graph_devices(self._handle)

    @property
    def stack_peak(self) -> int:
        """The most bytes of arrays on stacks that were in memory at once, in the last call."""
        return self._stack_peak

    def __call__(self, *arguments: Any) -> Any:
        results = self._execute([self._leaves(arguments)] * self.devices)
        return results if len(results) > 1 else results[0]

    def each(self, arguments: Sequence[Sequence[Any]]) -> List[Any]:
        """The results of all devices, each with its own arguments."""
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
            begin = time.perf_counter()
            run.execute(self._is_short)
            is_short = time.perf_counter() - begin < _SHORT
            self._is_short = is_short and (self._is_short or self._takes_one_time())
            self._stack_peak = lib.hlo_run_stack_peak(run.handle)
            count = lib.hlo_run_output_count(run.handle)
            return [_gather(self._result, run, device, iter(range(count)))
                    for device in range(len(leaves))]

    def _takes_one_time(self) -> bool:
        if self._time_is_known is None:
            opcodes = (i.opcode for c in self._module.computations for i in c)
            self._time_is_known = _UNKNOWN_TIME.isdisjoint(opcodes)
        return self._time_is_known

    def _new_run(self) -> _Run:
        if not self.graph_devices:
            return _Run(make(lib.hlo_run_share, self._handle, self._threads))
        module = Module(self._module._copy())  # runs of graphs share nothing
        return _Run(self._prepare(module), module)

    @contextmanager
    def _borrow_run(self) -> Iterator[_Run]:
        with self._lock:
            run = self._idle.pop() if self._idle else self._new_run()
        try:
            yield run
        finally:
            with self._lock:
                if not run.is_stopped:
                    self._idle.append(run)
                elif run.handle != self._handle:
                    lib.hlo_run_free(run.handle)


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
