"""The shared library: where it is, and the types of its functions as hlo.h declares them.

tests/test_library.py compares the structures with those that a C compiler sees."""

import ctypes
import os
import pathlib
import sys
from ctypes import (POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)

from ._version import SONAME


def _find() -> ctypes.CDLL:
    """HLO_LIBRARY, the build of the source tree that the package stands in, or an installed one: where the loader looks, or
    below the prefix of Python, ~/.local or /usr/local."""
    given = os.environ.get("HLO_LIBRARY")
    if given:
        return ctypes.CDLL(given)
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "lib" / SONAME
    prefixes = (sys.prefix, os.path.expanduser("~/.local"), "/usr/local")
    for candidate in (str(built) if built.exists() else SONAME, *(f"{prefix}/lib/{SONAME}" for prefix in prefixes)):
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise ImportError(f"{SONAME} is not installed: run `make install` in the source tree of libhlo, "
                      "or set HLO_LIBRARY to the path of the library")


class Array(ctypes.Structure):
    _fields_ = [("type", c_int), ("rank", c_uint32), ("dims", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("data", c_void_p)]


class Text(ctypes.Structure):
    _fields_ = [("text", c_void_p), ("len", c_size_t)]


class CustomCall(ctypes.Structure):
    _fields_ = [("target", c_char_p), ("function", c_void_p)]


class TableRow(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("group", c_char_p), ("description", c_char_p),
                ("min_operands", c_int), ("max_operands", c_int), ("elementwise", c_bool),
                ("commutative", c_bool), ("side_effect", c_bool), ("executable", c_bool),
                ("on", c_bool), ("old", c_char_p), ("dialects", c_char_p)]


class TextOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("style", c_int)] + [
        (name, c_int) for name in ("metadata", "backend_config", "large_constants",
                                   "operand_shapes", "percent", "layouts", "control_predecessors",
                                   "compact_gte", "exact_literals", "made_constants")]


class GraphOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("entry_only", c_bool), ("computation", c_char_p),
                ("around", c_char_p), ("from", c_char_p), ("to", c_char_p), ("radius", c_uint64),
                ("depth", c_uint64), ("max_nodes", c_uint64), ("collapse_while", c_bool),
                ("expand_tuples", c_bool), ("legend", c_bool), ("layout", c_int),
                ("colour", c_int), ("edges", c_int), ("url", c_char_p), ("format", c_char_p),
                ("up", c_uint64), ("down", c_uint64), ("profile", c_char_p), ("other", c_void_p),
                ("node_count", POINTER(c_size_t))]


_RESERVED = ("reserved", c_uint64 * 2)  # ends each group of the options of a run


class RunMemory(ctypes.Structure):
    _fields_ = [("limit", c_uint64), ("swap_threshold", c_uint64), ("swap_directory", c_char_p),
                _RESERVED]


class RunCustomCalls(ctypes.Structure):
    _fields_ = [("stub", c_bool), ("functions", POINTER(CustomCall)), ("function_count", c_size_t),
                ("libraries", POINTER(c_char_p)), ("library_count", c_size_t), _RESERVED]


class RunHost(ctypes.Structure):
    _fields_ = [("infeed", c_void_p), ("infeed_count", c_size_t), ("outfeed", c_char_p),
                ("recv", c_void_p), ("send", c_void_p), ("recv_count", c_size_t),
                ("send_count", c_size_t), _RESERVED]


class RunDevices(ctypes.Structure):
    _fields_ = [("world", c_void_p), ("assignment", POINTER(c_uint32)),
                ("assignment_count", c_size_t), ("handshake", c_bool), ("whole", c_void_p),
                ("reserved", c_uint64 * 1)]


class RunGraph(ctypes.Structure):
    _fields_ = [("executor", c_int), ("parallel_iterations", c_uint64), ("devices", c_uint32),
                ("events", c_char_p), ("chrome_events", c_bool), ("lower_scalar_loops", c_bool),
                _RESERVED]


class RunWatch(ctypes.Structure):
    _fields_ = [("trace", c_void_p), ("dump", c_char_p), ("patterns", c_void_p),
                ("pattern_count", c_size_t), ("break_on_nan", c_bool), ("break_on_inf", c_bool),
                ("only", c_char_p), ("profile", c_bool), ("profile_events", c_uint64), _RESERVED]


class RunOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("seed", c_uint64), ("threads", c_uint32), ("engine", c_int),
                ("isa", c_char_p), ("as_written", c_bool), ("no_jit", c_bool), ("pin", c_bool),
                ("fill_elided", c_bool), ("exact_literals", c_bool), ("memory", RunMemory),
                ("custom_calls", RunCustomCalls), ("host", RunHost), ("devices", RunDevices),
                ("graph", RunGraph), ("watch", RunWatch)]


_STATUS = c_int
_OUT = POINTER(c_void_p)

# Result and arguments of each function that the package calls; a handle is a c_void_p.
_FUNCTIONS = {
    "hlo_version": (c_char_p, []),
    "hlo_diags_create": (c_void_p, [c_uint32]),
    "hlo_diags_free": (None, [c_void_p]),
    "hlo_report_begin": (c_void_p, [c_int, c_void_p]),
    "hlo_report_add": (None, [c_void_p, c_void_p]),
    "hlo_report_end": (None, [c_void_p]),
    "hlo_output_to_memory": (c_void_p, []),
    "hlo_output_bytes": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "hlo_output_commit": (_STATUS, [c_void_p, c_void_p]),
    "hlo_output_free": (None, [c_void_p]),
    "hlo_element_type_name": (c_char_p, [c_int]),
    "hlo_element_type_bytes": (c_size_t, [c_int]),
    "hlo_source_from_text": (c_void_p, [c_char_p, c_char_p, c_size_t]),
    "hlo_read_source": (_STATUS, [c_char_p, c_void_p, _OUT]),
    "hlo_read_source_within": (_STATUS, [c_char_p, c_uint64, c_void_p, _OUT]),
    "hlo_source_give_shapes": (c_int, [c_void_p, c_char_p, c_void_p]),
    "hlo_source_read_as": (None, [c_void_p, c_int]),
    "hlo_source_free": (None, [c_void_p]),
    "hlo_read_module": (_STATUS, [c_void_p, c_void_p, _OUT]),
    "hlo_module_copy": (_STATUS, [c_void_p, c_void_p, _OUT]),
    "hlo_module_free": (None, [c_void_p]),
    "hlo_module_name": (Text, [c_void_p]),
    "hlo_module_entry": (c_void_p, [c_void_p]),
    "hlo_module_first": (c_void_p, [c_void_p]),
    "hlo_computation_next": (c_void_p, [c_void_p]),
    "hlo_computation_name": (Text, [c_void_p]),
    "hlo_computation_root": (c_void_p, [c_void_p]),
    "hlo_computation_parameter_count": (c_uint32, [c_void_p]),
    "hlo_computation_parameter": (c_void_p, [c_void_p, c_uint32]),
    "hlo_computation_size": (c_uint32, [c_void_p]),
    "hlo_computation_first": (c_void_p, [c_void_p]),
    "hlo_instr_next": (c_void_p, [c_void_p]),
    "hlo_instr_name": (Text, [c_void_p]),
    "hlo_instr_opcode": (c_char_p, [c_void_p]),
    "hlo_instr_shape": (c_void_p, [c_void_p]),
    "hlo_instr_operand_count": (c_uint32, [c_void_p]),
    "hlo_instr_operand": (c_void_p, [c_void_p, c_uint32]),
    "hlo_instr_called_count": (c_uint32, [c_void_p]),
    "hlo_instr_called": (c_void_p, [c_void_p, c_uint32]),
    "hlo_instr_attr_name": (c_char_p, [c_void_p, c_uint32]),
    "hlo_instr_write_attr": (_STATUS, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "hlo_shape_type": (c_int, [c_void_p]),
    "hlo_shape_rank": (c_uint32, [c_void_p]),
    "hlo_shape_dim": (c_int64, [c_void_p, c_uint32]),
    "hlo_shape_element_count": (c_uint32, [c_void_p]),
    "hlo_shape_element": (c_void_p, [c_void_p, c_uint32]),
    "hlo_shape_write": (_STATUS, [c_void_p, c_bool, c_void_p, c_void_p]),
    "hlo_verify": (_STATUS, [c_void_p, c_void_p]),
    "hlo_pipeline_row": (c_bool, [c_size_t, POINTER(TableRow)]),
    "hlo_pipeline_parse": (_STATUS, [c_char_p, c_char_p, c_void_p, _OUT]),
    "hlo_pipeline_execute": (_STATUS, [c_void_p, c_void_p, c_void_p, POINTER(c_bool)]),
    "hlo_pipeline_free": (None, [c_void_p]),
    "hlo_write_text": (_STATUS, [c_void_p, POINTER(TextOptions), c_void_p, c_void_p]),
    "hlo_write_json": (_STATUS, [c_void_p, c_int, c_bool, c_void_p, c_void_p]),
    "hlo_write_pbtxt": (_STATUS, [c_void_p, c_int, c_void_p, c_void_p]),
    "hlo_write_stablehlo": (_STATUS, [c_void_p, c_int, c_void_p, c_void_p]),
    "hlo_write_proto": (_STATUS, [c_void_p, c_int, c_void_p, c_void_p]),
    "hlo_write_graph": (_STATUS, [c_void_p, POINTER(GraphOptions), c_void_p, c_void_p]),
    "hlo_run_prepare": (_STATUS, [c_void_p, POINTER(RunOptions), c_void_p, _OUT]),
    "hlo_run_share": (_STATUS, [c_void_p, c_uint32, c_void_p, _OUT]),
    "hlo_run_free": (None, [c_void_p]),
    "hlo_run_device_count": (c_uint32, [c_void_p]),
    "hlo_run_graph_devices": (c_uint32, [c_void_p]),
    "hlo_run_module": (c_void_p, [c_void_p]),
    "hlo_run_stack_peak": (c_uint64, [c_void_p]),
    "hlo_run_memory": (c_uint64, [c_void_p]),
    "hlo_run_input_count": (c_uint32, [c_void_p]),
    "hlo_run_input": (_STATUS, [c_void_p, c_uint32, c_uint32, c_void_p, POINTER(Array)]),
    "hlo_run_set_input": (_STATUS, [c_void_p, c_uint32, c_uint32, POINTER(Array), c_void_p]),
    "hlo_run_execute": (_STATUS, [c_void_p, c_void_p]),
    "hlo_run_interrupt": (None, [c_void_p]),
    "hlo_run_output_count": (c_uint32, [c_void_p]),
    "hlo_run_output": (_STATUS, [c_void_p, c_uint32, c_uint32, c_void_p, POINTER(Array)]),
    "hlo_run_copy_output": (_STATUS, [c_void_p, c_uint32, c_uint32, c_void_p, POINTER(c_int64),
                                      c_size_t, c_void_p]),
}


def _load() -> ctypes.CDLL:
    library = _find()
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


def version() -> str:
    """The version of the library."""
    return lib.hlo_version().decode()


def string(text: Text) -> str:
    return ctypes.string_at(text.text, text.len).decode("utf-8", "surrogateescape")
