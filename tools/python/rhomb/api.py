# SPDX-License-Identifier: Apache-2.0
"""The functions and classes of `import rhomb`, over the compiled module."""

import atexit
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from mmap import mmap
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypeVar, Union

from rhomb import _rhomb, drivers
from rhomb.errors import InputError, UsageError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

drivers.provide()

Text = Union[str, bytes, bytearray, memoryview, mmap, "NDArray[numpy.uint8]"]


class Record(NamedTuple):
    """A named sequence, as read() has them; may be given wherever a text may."""

    name: str
    sequence: bytes  # a byte for each symbol


One = Union[Text, Record, tuple[str, Text], "os.PathLike[str]"]
Many = Union[Text, Record, "os.PathLike[str]", Iterable[One]]


class Progress(NamedTuple):
    """How far a run is: what a `progress` function is called with, ten times a second at most."""

    part: float  # of the work that is probably done, 0 to 1
    seconds: float  # of computing so far
    cells: float  # of the matrix, or of wavefronts, computed so far
    cost: int  # the distance is known to be larger than this
    expected: int  # a guess of the distance; 0 when unknown


Tell = Optional[Callable[[Progress], object]]


@dataclass(frozen=True)
class DeviceInfo:
    """A device, as `rhomb devices --format json` has it; memory in bytes."""

    index: int
    name: str
    vendor: str
    platform: str
    driver: str
    type: str  # "GPU" or "CPU"
    compute_units: int
    clock_mhz: int  # 0 when unknown
    memory: int
    largest_buffer: int
    local_memory: int  # of a work-group
    max_work_group: int
    version: str
    usable: bool  # OpenCL 1.2 or later, with a compiler


class Device:
    """Where to compute; opened when it is first needed, and it stays open.

    `selector`: an index, "cpu", "gpu", "all", a part of a name, or several as in "0,1" (many sequences are shared by
    all, one pair is computed by the first); by default $RHOMB_DEVICE, else the fastest GPU, else the CPU. `memory`:
    bytes of each device, at most; 0: all. Kernels are kept compiled in `cache_dir` (~/.cache/rhomb) unless `cache` is
    False; `kernels_dir`: their sources, instead of those that come with rhomb. Calls of several threads on one device wait for each other; two objects compute at the same time.
    """

    __slots__ = ("_devices", "selector")

    def __init__(
        self,
        selector: Optional[str] = None,
        *,
        memory: int = 0,
        cache: bool = True,
        cache_dir: str = "",
        kernels_dir: str = "",
    ) -> None:
        self.selector = os.environ.get("RHOMB_DEVICE", "") if selector is None else str(selector)
        self._devices = _rhomb.Devices(self.selector, memory, cache, cache_dir, kernels_dir)

    @property
    def info(self) -> list[DeviceInfo]:
        """Of each device that `selector` chooses. DeviceError if there is none."""
        return [DeviceInfo(*one) for one in self._devices.chosen()]

    def __repr__(self) -> str:
        return f"rhomb.Device({self.selector!r})"


On = Union[Device, str, None]


def devices() -> list[DeviceInfo]:
    """All devices of this machine."""
    return [DeviceInfo(*one) for one in _rhomb.devices()]


def read(
    path: "Union[str, os.PathLike[str]]",
    *,
    alphabet: str = "auto",
    format: str = "auto",
    case_sensitive: bool = False,
    threads: Optional[int] = None,
) -> list[Record]:
    """The records of a file: FASTA, FASTQ, one sequence a line, or raw text; plain, gzip or bgzip; "-" is standard
    input. `alphabet`: "auto", "dna", "bytes"; `format`: "auto", "fasta", "fastq", "lines", "raw". Letters become upper
    case, unless `case_sensitive`. InputError (file, record, line) for what is not as it should be.
    """
    options = {"alphabet": alphabet, "format": format, "case_sensitive": case_sensitive, "threads": threads}
    return [Record(*one) for one in _rhomb.read(os.fsdecode(path), options)]


# ---- what functions are given

_opened: dict[str, Device] = {}
_opening = threading.Lock()


def _on(device: On) -> _rhomb.Devices:
    if isinstance(device, Device):
        return device._devices
    selector = os.environ.get("RHOMB_DEVICE", "") if device is None else device
    opened = _opened.get(selector)
    if opened is None:
        with _opening:
            opened = _opened.setdefault(selector, Device(selector))
    return opened._devices


_NO_OPTIONS = {"a", "b", "query", "target", "queries", "targets", "subjects", "texts", "device", "progress"}


def _options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Of a function's arguments, its locals() at first, those that are options by the same names."""
    return {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in arguments.items()
        if name not in _NO_OPTIONS
    }


def _tell(progress: Tell) -> Optional[Callable[..., object]]:
    if progress is None:
        return None
    told = progress
    return lambda *now: told(Progress(*now))


def _record(given: tuple[Any, ...]) -> tuple[str, Any]:
    if len(given) != 2 or not isinstance(given[0], str):
        raise UsageError(f"a tuple is (name, text), not of {', '.join(type(one).__name__ for one in given) or 'nothing'}")
    return given[0], given[1]


def _named(given: Any, name: str) -> tuple[str, Any]:
    """A pair's text, and its name."""
    if isinstance(given, tuple):
        return _record(given)
    if isinstance(given, os.PathLike):
        records = read(given)
        if len(records) != 1:
            raise InputError(f"{os.fsdecode(given)}: has {len(records)} records, and a pair takes one; see rhomb.read()")
        return records[0]
    return name, given


def _is_one(given: Any) -> bool:
    if isinstance(given, (str, bytes, bytearray, Record)):
        return True
    try:
        return memoryview(given).ndim <= 1
    except TypeError:
        return False


def _many(given: Any) -> Union[str, list[tuple[str, Any]]]:
    """The path of a file, or texts with names: those of records, and of others the place, from 0."""
    if isinstance(given, os.PathLike):
        return os.fsdecode(given)
    if isinstance(given, (Mapping, Set)):
        raise UsageError(f"sequences are a list, not a {type(given).__name__}; of a dict, take items()")
    texts: list[tuple[str, Any]] = []
    for one in (given,) if _is_one(given) else given:
        if isinstance(one, tuple):
            texts.append(_record(one))
        elif isinstance(one, (str, bytes)) or not isinstance(one, os.PathLike):
            texts.append((str(len(texts)), one))
        else:
            texts.extend(read(one))
    return texts


def _both(queries: Any, targets: Any) -> tuple[Any, Any]:
    """Targets are None where they are the queries."""
    return _many(queries), None if targets is None or targets is queries else _many(targets)


_running: "weakref.WeakSet[_rhomb.Run]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    _rhomb.end()
    for run in list(_running):
        run.close()


os.register_at_fork(after_in_child=_rhomb.fork)

Row = TypeVar("Row")


def _rows(run: _rhomb.Run, row: Callable[..., Row]) -> Iterator[Row]:
    """The rows of a run, which goes on meanwhile, and is stopped when nobody takes them any more."""
    _running.add(run)

    def each() -> Iterator[Row]:
        try:
            while some := run.take():
                for fields in some:
                    yield row(*fields)
        finally:
            run.close()

    return each()


def _number(text: str) -> Union[int, float, str]:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _decimal(number: Any) -> str:
    """All digits, without an exponent."""
    try:
        return format(Decimal(str(number)), "f")
    except InvalidOperation:
        return str(number)


def _similarity(query_length: int, target_length: int, distance: Optional[int]) -> Optional[float]:
    return None if distance is None else 1 - distance / max(query_length, target_length, 1)


# ---- one pair


@dataclass(frozen=True)
class Result:
    """A distance, and how it was found. int() of it is the distance.

    >>> result = distance("GATTACA", "GATTTACCA")
    >>> int(result), result.engine, round(result.similarity, 3)
    (2, 'reference', 0.778)
    """

    distance: Optional[int]  # None: it exceeds max_distance
    query_length: int  # symbols
    target_length: int
    engine: str  # "strips", "corridor", "wavefront", "reference"
    variant: str
    device: str  # its name; "host" where the host computed
    config: dict[str, int]  # every tunable with its value
    passes: int  # how often the matrix was gone through
    cells: float  # computed
    certificate: dict[str, str]  # what proves the distance, of the engine corridor
    checked: str  # what it was compared with, with `check`
    timing: dict[str, float]  # seconds: build, transfer, compute, total

    def __int__(self) -> int:
        if self.distance is None:
            raise ValueError("the distance is not known: it exceeds max_distance")
        return self.distance

    @property
    def similarity(self) -> Optional[float]:
        """1 - distance / longer length."""
        return _similarity(self.query_length, self.target_length, self.distance)

    @property
    def seconds(self) -> float:
        """All that the call took."""
        return self.timing["total"]

    @property
    def gcups(self) -> float:
        """query_length * target_length / seconds / 1e9."""
        return self.query_length * self.target_length / max(self.seconds, 1e-9) / 1e9

    def asdict(self) -> dict[str, Any]:
        """The fields by the names of `rhomb distance --format json`, for json.dumps()."""
        fields = {**asdict(self), "certificate": {key: _number(text) for key, text in self.certificate.items()}}
        return {**fields, "similarity": self.similarity, "seconds": self.seconds, "gcups": self.gcups}


def distance(
    a: One,
    b: One,
    *,
    device: On = None,
    max_distance: Optional[int] = None,
    engine: str = "auto",
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    threads: Optional[int] = None,
    checkpoint: "Union[str, os.PathLike[str], None]" = None,
    resume: "Union[str, os.PathLike[str], None]" = None,
    every: float = 600,
    progress: Tell = None,
) -> Result:
    """The exact edit distance of `a` and `b` (substitutions, insertions and deletions cost 1), up to 2^31 - 1 symbols.

    `max_distance`: stop once the distance is known to exceed this; Result.distance is then None. `engine`: "auto",
    "strips", "corridor", "wavefront" or "reference"; `variant` and `config` as `rhomb variants` lists them. `ambiguous`:
    what N and other IUPAC codes mean: "symbol" (each equals itself), "match" (sets of bases) or "mismatch" (nothing).
    `check`: compute again in an independent way, CheckError if that differs. `threads` of the host, at most.
    `checkpoint`: a folder in which what a long run has reached is saved every so many seconds, and when it is ended;
    `resume`: the same, and go on from what is saved there, on any device. `progress` is called with a Progress; what it
    raises ends the run.

    >>> int(distance("kitten", b"sitting"))
    3
    >>> print(distance("A" * 100, "C" * 100, max_distance=10).distance)
    None
    """
    options = _options(locals())
    return Result(*_rhomb.distance(_on(device), _named(a, "")[1], _named(b, "")[1], options, _tell(progress)))


def explain(
    a: One,
    b: One,
    *,
    device: On = None,
    max_distance: Optional[int] = None,
    engine: str = "auto",
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
) -> dict[str, Union[int, float, str]]:
    """What distance() would do, and why, without running it, as `rhomb distance --explain` says it.

    >>> explain("GATTACA", "GATTTACCA", engine="reference")["engine"]
    'reference'
    """
    options = _options(locals())
    facts = _rhomb.explain(_on(device), _named(a, "")[1], _named(b, "")[1], options)
    return {name: _number(text) for name, text in facts.items()}


_RUN = re.compile(r"(\d+)([=XID])")


@dataclass(frozen=True)
class Alignment:
    """An optimal alignment of two whole texts; iteration gives its runs (op, length), from the first symbols on: "="
    matches, "X" mismatches, "I" symbols of the query alone, "D" of the target alone.

    >>> list(align("GATTACA", "GATTTACCA"))
    [('=', 2), ('D', 1), ('=', 3), ('D', 1), ('=', 2)]
    """

    query: str  # name
    query_length: int  # symbols
    target: str
    target_length: int
    distance: Optional[int]  # None: it exceeds max_distance
    engine: str  # that found the distance
    variant: str
    device: str
    seconds: float  # all that it took
    strand: str  # "-": of the query's reverse complement
    cigar: str  # "2=1D3="
    matches: int
    mismatches: int
    insertions: int  # runs
    inserted: int  # symbols
    deletions: int
    deleted: int
    identity: float  # matches of all columns
    gap_compressed_identity: float  # the same where a gap is one column
    cells: float  # computed, on devices and the host
    parts: int  # that it was put together from
    distance_seconds: float  # of seconds

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return ((run[2], int(run[1])) for run in _RUN.finditer(self.cigar))

    def __int__(self) -> int:
        if self.distance is None:
            raise ValueError("the distance is not known: it exceeds max_distance")
        return self.distance

    @property
    def similarity(self) -> Optional[float]:
        """1 - distance / longer length."""
        return _similarity(self.query_length, self.target_length, self.distance)

    @property
    def gcups(self) -> float:
        """query_length * target_length / seconds / 1e9."""
        return self.query_length * self.target_length / max(self.seconds, 1e-9) / 1e9

    def paf(self) -> str:
        """The line of PAF that `rhomb align` prints, without its end.

        >>> align(("a", "GATTACA"), ("b", "GATTTACCA")).paf().split()[:9]
        ['a', '7', '0', '7', '+', 'b', '9', '0', '9']
        """
        columns = self.matches + self.mismatches + self.inserted + self.deleted
        fields = [self.query, self.query_length, 0, self.query_length, self.strand]
        fields += [self.target, self.target_length, 0, self.target_length, self.matches, columns, 255]
        fields += [f"NM:i:{int(self)}", f"de:f:{1 - self.gap_compressed_identity:.6f}"]
        return "\t".join(map(str, [*fields, *([f"cg:Z:{self.cigar}"] if self.cigar else [])]))

    def asdict(self) -> dict[str, Any]:
        """The fields by the names of `rhomb align --format json`, for json.dumps()."""
        return {**asdict(self), "similarity": self.similarity, "gcups": self.gcups}


def align(
    query: One,
    target: One,
    *,
    device: On = None,
    max_distance: Optional[int] = None,
    gaps: str = "left",
    both_strands: bool = False,
    max_memory: Optional[int] = None,
    engine: str = "auto",
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Alignment:
    """An alignment of all of `query` with all of `target` whose cost is distance(): of all such the one whose gaps lie
    leftmost (or `gaps`="right"), the same from every engine and device, gone through symbol by symbol.

    `both_strands`: also the query's reverse complement, if it is nearer. `max_memory`: bytes of the host, about;
    MemoryError above. Others as those of distance().

    >>> align("kitten", "sitting").cigar
    '1X3=1X1=1D'
    """
    options = _options(locals())
    first, second = _named(query, "query"), _named(target, "target")
    return Alignment(*_rhomb.align(_on(device), *first, *second, options, _tell(progress)))


# ---- many


def distances(
    queries: Many,
    targets: Optional[Many] = None,
    *,
    all_pairs: bool = False,
    device: On = None,
    max_distance: Optional[int] = None,
    engine: str = "auto",
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> "NDArray[numpy.int64]":
    """The distances of queries and targets by order, an array of shape (pairs,); or with `all_pairs` of each with each,
    (queries, targets), without targets of the queries with themselves. -1 stands for more than `max_distance`.

    Sequences are a list of texts, records (name, text) or paths, or the path of a file. InputError where by order one
    side has more than the other. `shard`: as in "2/5", only the second of five parts of the pairs; all parts one after
    another are the whole. Others as those of distance().

    >>> distances(["GATTACA", "AC"], ["GATTTACCA", "CA"])
    array([2, 2])
    >>> distances(["A", "AC", "ACG"], all_pairs=True)
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]])
    """
    options = _options(locals())
    import numpy

    if targets is None and not all_pairs:
        raise UsageError("by order there have to be targets; all_pairs=True compares the queries with each other")
    found, rows, columns = _rhomb.distances(_on(device), *_both(queries, targets), options, _tell(progress))
    array: NDArray[numpy.int64] = numpy.frombuffer(found, dtype=numpy.int64)
    return array.reshape(int(rows), int(columns)) if all_pairs else array


def alignments(
    queries: Many,
    targets: Optional[Many] = None,
    *,
    all_pairs: bool = False,
    device: On = None,
    max_distance: Optional[int] = None,
    gaps: str = "left",
    both_strands: bool = False,
    max_memory: Optional[int] = None,
    engine: str = "auto",
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Iterator[Alignment]:
    """align() of queries and targets by order, or of each with each: in that order, while others are computed.
    Sequences and `shard` as those of distances().

    >>> [one.cigar for one in alignments(["GATTACA", "AC"], ["GATTTACCA", "CA"])]
    ['2=1D3=1D2=', '2X']
    """
    if targets is None and not all_pairs:
        raise UsageError("by order there have to be targets; all_pairs=True aligns the queries with each other")
    options = _options(locals())
    return _rows(_rhomb.alignments(_on(device), *_both(queries, targets), options, _tell(progress)), Alignment)


class Hit(NamedTuple):
    """A part of a text that is like a query."""

    query: str  # name
    query_length: int  # symbols
    target: str
    target_length: int
    start: int  # in the target, on its strand +
    end: int
    strand: str  # "-": it is the query's reverse complement that occurs
    distance: int
    cigar: str  # with `cigar`


def search(
    queries: Many,
    texts: Many,
    k: Optional[int] = None,
    both_strands: bool = False,
    *,
    best: bool = False,
    all_ends: bool = False,
    cigar: bool = False,
    pairs: bool = False,
    max_memory: Optional[int] = None,
    device: On = None,
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Iterator[Hit]:
    """Where queries occur in texts with at most `k` differences (the whole query, any part of the text), or without `k`
    where each occurs best: in the order of the queries, for each of the texts and ends, while others are computed.

    `best`: only the best of each query, also with `k`. `all_ends`: every end, not only the best of ends next to each
    other. `pairs`: each query only in the text at its place. `both_strands`: the reverse complements too. `max_memory`:
    bytes of the host for queries, about. `shard`: "2/5" is a part of the queries. Sequences as those of distances(),
    others as those of distance().

    >>> [hit[4:8] for hit in search(["GATTACA"], ["TTGATTACATTTGATACATT"], k=1)]
    [(2, 9, '+', 0), (12, 18, '+', 1)]
    """
    options = _options(locals())
    return _rows(_rhomb.search(_on(device), _many(queries), _many(texts), options, _tell(progress)), Hit)


class Common(NamedTuple):
    """The longest common subsequence of two texts."""

    query: str  # name
    query_length: int  # symbols
    target: str
    target_length: int
    length: int
    rank: int  # with `top`: 1 for the longest of the query
    subsequence: str  # with `subsequence`: its symbols, as the query has them


def lcs(
    query: Many,
    subjects: Many,
    top: Optional[int] = None,
    *,
    min_length: Optional[int] = None,
    subsequence: bool = False,
    max_memory: Optional[int] = None,
    device: On = None,
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Iterator[Common]:
    """The longest common subsequences of each query with each subject: in the order of the subjects, for each in that
    of the queries; with `top` in the order of the queries, only so many subjects each, the longest first.

    `min_length`: only subsequences as long as this. `subsequence`: not only lengths. `shard`: "2/5" is a part of the
    subjects, with `top` of the queries. Sequences as those of distances(), others as those of distance().

    >>> [(one.target, one.length) for one in lcs("GATTACA", ["GCATGCA", "TTTT", "GATTACA"], top=2)]
    [('2', 7), ('0', 5)]
    """
    options = _options(locals())
    return _rows(_rhomb.lcs(_on(device), _many(query), _many(subjects), options, _tell(progress)), Common)


class GapAlignment(NamedTuple):
    """A query and a target, aligned with few gaps; the last five are None without `alignment`, and all but names and
    lengths where no alignment has so few gaps."""

    query: str  # name
    query_length: int  # symbols
    target: str
    target_length: int
    score: Optional[float]  # exact
    end: int  # in the target
    gaps: int
    start: Optional[int] = None  # in the target
    gap_symbols: Optional[int] = None
    matches: Optional[int] = None
    mismatches: Optional[int] = None
    cigar: Optional[str] = None  # =, X, I (symbols of the query alone) and D


def gaps(
    queries: Many,
    targets: Many,
    max_gaps: int = 1,
    *,
    matrix: Optional[str] = None,
    match: Union[int, float, str, None] = None,
    mismatch: Union[int, float, str, None] = None,
    open: Union[int, float, str] = 10,
    extend: Union[int, float, str] = 0.5,
    ends: str = "prefix",
    strict: bool = False,
    band: Optional[int] = None,
    alignment: bool = True,
    top: Optional[int] = None,
    pairs: bool = False,
    max_memory: Optional[int] = None,
    device: On = None,
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Iterator[GapAlignment]:
    """The best alignments with at most `max_gaps` gaps (0 to 32) of any length, by scores of pairs and affine gaps: of
    each query with each target (`pairs`: with the one at its place), in the order of the queries, for each in that of
    the targets, or the `top` best by score.

    `matrix`: "EDNAFULL", as without one, "EBLOSUM62" or a file in NCBI's format; or `match` and `mismatch`. `open` and
    `extend`: what the first symbol of a gap costs, and others; up to six digits behind the point. `ends`: "prefix" (of the target),
    "global" or "infix". `strict`: a pair of symbols between two gaps, and behind the last. `band`: only
    |i - j| <= band. `shard`: "2/5" is a part of the queries. Sequences as those of distances(), others as those of
    distance().

    >>> [(one.score, one.cigar) for one in gaps("GATTACA", "GATTTTACA", 1)]
    [(24.5, '2=2D5=')]
    """
    options = _options(locals()) | {
        "match": None if match is None else _decimal(match),
        "mismatch": None if mismatch is None else _decimal(mismatch),
        "open": _decimal(open),
        "extend": _decimal(extend),
    }
    return _rows(_rhomb.gaps(_on(device), _many(queries), _many(targets), options, _tell(progress)), GapAlignment)


class Primer(NamedTuple):
    """A substring of a query that is far from all targets, or a window; the last six are None without `nearest`."""

    query: str  # name
    start: int  # in the query
    end: int
    sequence: str
    distance: Optional[int]  # of windows: from the nearest part of any target
    nearest_target: Optional[str] = None  # name
    nearest_start: Optional[int] = None  # on the target's strand +
    nearest_end: Optional[int] = None
    nearest_strand: Optional[str] = None
    nearest_distance: Optional[int] = None
    nearest_cigar: Optional[str] = None


def primers(
    queries: Many,
    targets: Many,
    k: Optional[int] = None,
    *,
    window: Optional[int] = None,
    min_length: Optional[int] = None,
    max_length: Optional[int] = None,
    both_strands: bool = False,
    exclude_self: bool = False,
    nearest: bool = False,
    max_memory: Optional[int] = None,
    device: On = None,
    variant: Optional[str] = None,
    config: Optional[Mapping[str, int]] = None,
    ambiguous: str = "symbol",
    check: bool = False,
    shard: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Tell = None,
) -> Iterator[Primer]:
    """For each start in each query the shortest substring whose distance to every substring of every target is at least
    `k` (1; Feuser and Moreano 2018), where there is one, in order; or with `window` the least distance of each window of so
    many symbols.

    `both_strands`: the targets' reverse complements too. `exclude_self`: queries are parts of targets, and their own
    place counts not. `nearest`: also the nearest place in a target. `shard`: "2/5" is a part of the starts. Sequences as
    those of distances(), others as those of distance().

    >>> [(one.start, one.sequence) for one in primers("ACGTTG", "ACGACG")]
    [(0, 'ACGT'), (1, 'CGT'), (2, 'GT'), (3, 'T'), (4, 'T')]
    """
    options = _options(locals())
    return _rows(_rhomb.primers(_on(device), _many(queries), _many(targets), options, _tell(progress)), Primer)
