# SPDX-License-Identifier: Apache-2.0
"""Exact edit distance and its relatives on OpenCL devices (rhomb.distance, align, search, lcs, gaps, primers);
pictures of what rhomb measures (rhomb-plot) and the papers' experiments (rhomb-papers).

>>> import rhomb
>>> int(rhomb.distance("GATTACA", "GATTTACCA"))
2
>>> rhomb.align("GATTACA", "GATTTACCA").cigar
'2=1D3=1D2='
>>> [(hit.start, hit.end, hit.distance) for hit in rhomb.search("GATTACA", "TTTTTGATTCATTTT", k=1)]
[(5, 11, 1)]

Sequences are str (ASCII), bytes, bytearray, memoryview, mmap or numpy arrays of uint8, a byte for each symbol, which are
taken as they are (distance, align and explain copy nothing); or files, as pathlib.Path. Positions are 0-based, and ends are not included.
"""

from typing import TYPE_CHECKING, Any

from rhomb.errors import CheckError, DeviceError, Error, InputError, MemoryError, OutputError, UsageError

if TYPE_CHECKING:
    from rhomb.api import (
        Alignment,
        Common,
        Device,
        DeviceInfo,
        GapAlignment,
        Hit,
        Primer,
        Progress,
        Record,
        Result,
        align,
        alignments,
        devices,
        distance,
        distances,
        explain,
        gaps,
        lcs,
        primers,
        read,
        search,
    )

__all__ = [
    "Alignment",
    "CheckError",
    "Common",
    "Device",
    "DeviceError",
    "DeviceInfo",
    "Error",
    "GapAlignment",
    "Hit",
    "InputError",
    "MemoryError",
    "OutputError",
    "Primer",
    "Progress",
    "Record",
    "Result",
    "UsageError",
    "align",
    "alignments",
    "devices",
    "distance",
    "distances",
    "explain",
    "gaps",
    "lcs",
    "primers",
    "read",
    "search",
]


def __getattr__(name: str) -> Any:
    """What is compiled is loaded when it is first used: rhomb-plot and rhomb-papers do without."""
    if name == "__version__":
        from rhomb._rhomb import version

        return version
    if name not in __all__:
        raise AttributeError(f"module 'rhomb' has no attribute '{name}'")
    from rhomb import api

    value = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
