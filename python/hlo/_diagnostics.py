"""Diagnostics as objects, and calls of the library that can fail."""

import ctypes
import json
from ctypes import c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

from ._library import lib

MOST_ERRORS = 100
_REPORT_JSON = 0


@dataclass(frozen=True)
class Note:
    """A note of a diagnostic, with its own place."""

    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a note. Lines and columns start from 1; None: not known."""

    severity: str
    message: str
    rule: Optional[str] = None
    stage: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    end_line: Optional[int] = None
    end_column: Optional[int] = None
    hint: Optional[str] = None
    computation: Optional[str] = None
    instruction: Optional[str] = None
    notes: Tuple[Note, ...] = ()

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{place}{': ' if place else ''}{self.severity}: {self.message}{rule}"


class Error(Exception):
    """What the library refused. `diagnostics` has all that it found; `status` is 1 for a module
    that breaks a rule, 2 for arguments that make no sense, 3 for what the system lacks."""

    def __init__(self, status: int, diagnostics: List[Diagnostic]):
        self.status = status
        self.diagnostics = diagnostics
        found = [str(d) for d in diagnostics if d.severity == "error"]
        super().__init__("\n".join(found) or f"status {status} of libhlo")


def _of(kind: type, row: dict) -> Any:
    return kind(**{k: v for k, v in row.items() if k in getattr(kind, "__dataclass_fields__")})


def _diagnostic(line: str) -> Diagnostic:
    row = json.loads(line)
    row["notes"] = tuple(_of(Note, note) for note in row.get("notes", ()))
    return _of(Diagnostic, row)


class Output:
    """An output of the library to memory."""

    def __enter__(self) -> "Output":
        self.handle = lib.hlo_output_to_memory()
        if not self.handle:
            raise MemoryError("libhlo")
        return self

    def __exit__(self, *_: object) -> None:
        lib.hlo_output_free(self.handle)

    def take(self) -> bytes:
        count = c_size_t()
        at = lib.hlo_output_bytes(self.handle, ctypes.byref(count))
        return ctypes.string_at(at, count.value)


class Diagnostics:
    """A list that calls append to."""

    def __enter__(self) -> "Diagnostics":
        self.handle = lib.hlo_diags_create(MOST_ERRORS)
        if not self.handle:
            raise MemoryError("libhlo")
        return self

    def __exit__(self, *_: object) -> None:
        lib.hlo_diags_free(self.handle)

    def list(self) -> List[Diagnostic]:
        with Output() as output:
            report = lib.hlo_report_begin(_REPORT_JSON, output.handle)
            lib.hlo_report_add(report, self.handle)
            lib.hlo_report_end(report)
            return [_diagnostic(line) for line in output.take().decode().splitlines()]

    def check(self, status: int) -> None:
        if status:
            raise Error(status, self.list())


def make(function: Callable[..., int], *arguments: Any) -> int:
    """The handle that a function makes whose last arguments are diagnostics and an out-pointer."""
    made = c_void_p()
    with Diagnostics() as diags:
        diags.check(function(*arguments, diags.handle, ctypes.byref(made)))
    assert made.value is not None
    return made.value


def written(function: Callable[..., int], *arguments: Any) -> bytes:
    """What a function writes whose last arguments are an output and diagnostics."""
    with Diagnostics() as diags, Output() as output:
        diags.check(function(*arguments, output.handle, diags.handle))
        diags.check(lib.hlo_output_commit(output.handle, diags.handle))
        return output.take()
