"""What a program says of itself while it is checked, by the calls of streamcheck.h; in other programs nothing happens."""
import contextlib
import ctypes
import functools
from typing import Any, Callable, Iterator, Optional

# Places of the calls in struct streamcheck_calls (include/streamcheck/calls.h), in pointers.
NAME_STREAM, QUIET_BEGIN, QUIET_END, RANGE_BEGIN, RANGE_END = 1, 7, 8, 13, 14


class _Calls:
    """The table that the preloaded library offers. Called with the GIL held, so that lines of Python are known."""

    def __init__(self) -> None:
        offer = ctypes.CDLL(None).streamcheck_offer  # AttributeError: not preloaded
        offer.restype = ctypes.POINTER(ctypes.c_void_p)
        self._table = offer()
        self._size = (self._table[0] or 0) // ctypes.sizeof(ctypes.c_void_p)

    def call(self, place: int, result: Any, *types: Any) -> Callable[..., Any]:
        """The function at a place of the table; an older library may have less."""
        if place >= self._size:
            raise RuntimeError("the libstreamcheck.so that was preloaded is older than this package")
        return ctypes.PYFUNCTYPE(result, *types)(self._table[place])


@functools.lru_cache(maxsize=None)
def _calls() -> Optional[_Calls]:
    try:
        return _Calls()
    except AttributeError:
        return None


def is_active() -> bool:
    """True if this process is being checked."""
    return _calls() is not None


def _number(value: Any) -> Optional[int]:
    """An integer, ctypes.c_void_p, or a handle of cuda.bindings as a number."""
    if isinstance(value, int):
        return value
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    return int(value) if hasattr(value, "__int__") else None


def handle(stream: Any) -> int:
    """The cudaStream_t of a stream: a number, None, or a stream of PyTorch, CuPy, Numba, cuda.core or cuda.bindings."""
    if stream is None:
        return 0
    found = _number(stream)
    if found is None and hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        found = _number((protocol() if callable(protocol) else protocol)[1])
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        if found is None and hasattr(stream, attribute):
            found = _number(getattr(stream, attribute))
    if found is None:
        raise TypeError(f"no CUDA stream: {type(stream).__module__}.{type(stream).__qualname__}")
    return found


def name(stream: Any, text: str) -> None:
    """Reports call the stream so."""
    number, calls = handle(stream), _calls()
    if calls:
        calls.call(NAME_STREAM, None, ctypes.c_void_p, ctypes.c_char_p)(number, text.encode())


@contextlib.contextmanager
def quiet(reason: str, rules: str = "") -> Iterator[None]:
    """What this thread does within is not reported, if it is one of the rules ("SC-101,SC-104"; "" means any)."""
    calls = _calls()
    if not calls:
        yield
        return
    end = calls.call(QUIET_END, None)
    calls.call(QUIET_BEGIN, None, ctypes.c_char_p, ctypes.c_char_p)(rules.encode(), reason.encode())
    try:
        yield
    finally:
        end()


@contextlib.contextmanager
def section(text: str) -> Iterator[None]:
    """Findings and time lines say that what the process does within is in this range."""
    calls = _calls()
    if not calls:
        yield
        return
    end = calls.call(RANGE_END, None, ctypes.c_uint)
    number = calls.call(RANGE_BEGIN, ctypes.c_uint, ctypes.c_char_p)(text.encode())
    try:
        yield
    finally:
        end(number)
