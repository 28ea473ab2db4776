"""`import rhomb`: its answers are those of plain dynamic programming and of the program; and how it gets on with Python:
texts that are held, threads, signals, exceptions, types."""
import builtins
import doctest
import gc
import importlib.machinery
import importlib.util
import json
import mmap
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conftest import BA, DATA, ROOT, WUHAN, program_path, random_text

BUILT = program_path().parent / "python" / "rhomb"
if not list(BUILT.glob("_rhomb*.so")):
    pytest.skip("the build has no module for Python: no nanobind (tools/setup build check)", allow_module_level=True)
PACKAGE = ROOT / "tools" / "python"
BACKEND = ROOT / "build" / "nanobind"  # what nanobind itself has compiled
compiled = {"".join(path.suffixes) for path in BACKEND.glob("nanobind_backend/_nb_backend*")}
if sys.version_info < (3, 11):
    pytest.skip("`import rhomb` needs Python 3.11", allow_module_level=True)
if compiled and compiled.isdisjoint(importlib.machinery.EXTENSION_SUFFIXES):
    pytest.skip(f"build/nanobind is for another Python than {sys.executable}: {' '.join(compiled)}", allow_module_level=True)
if not compiled and importlib.util.find_spec("nanobind_backend") is None:
    pytest.skip("needs nanobind-backend (tools/setup build check)", allow_module_level=True)
numpy = pytest.importorskip("numpy", reason="needs numpy (python3-numpy)")
sys.path[:0] = [str(PACKAGE), str(BACKEND)]
import rhomb  # noqa: E402

# Another test file may have the package already, from the clone, where nothing is compiled.
if str(BUILT) not in rhomb.__path__:
    rhomb.__path__.append(str(BUILT))


@pytest.fixture(scope="module", autouse=True)
def caches(environment):
    """OpenCL is loaded in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        for name in os.environ.keys() - environment.keys():
            patch.delenv(name)
        yield


@pytest.fixture(scope="module")
def genomes():
    return [rhomb.read(DATA / Path(name).name)[0] for name in (WUHAN, BA)]


def plain_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(before + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def edited(text, rate, seed, letters="ACGT"):
    rng, out = random.Random(seed), []
    for symbol in text:
        chance = rng.random()
        out.append("" if chance < rate / 3 else rng.choice(letters) if chance < rate else symbol)
        if chance > 1 - rate / 3:
            out.append(rng.choice(letters))
    return "".join(out)


def some_pairs():
    rng = random.Random(20)
    pairs = [(b"", b""), (b"", b"A"), (b"A", b""), (b"A", b"A"), (b"A", b"C"), (b"A" * 64, b"A" * 65), (b"A" * 33, b"C" * 31)]
    for size in (2, 4, 20, 256):
        for length in (1, 31, 32, 33, 63, 64, 65, 130):
            a = bytes(rng.randrange(size) for _ in range(length))
            kept = [x for x in a if rng.random() > 0.2]
            pairs += [(a, bytes(kept)), (a, bytes(rng.randrange(size) for _ in range(rng.randrange(150))))]
    return pairs


# ---- answers


def test_distances_are_those_of_the_plain_algorithm():
    pairs = some_pairs()
    wanted = [plain_distance(a, b) for a, b in pairs]
    assert [int(rhomb.distance(a, b)) for a, b in pairs] == wanted
    found = rhomb.distances(*zip(*pairs))
    assert found.dtype == numpy.int64 and found.shape == (len(pairs),) and found.tolist() == wanted
    few = [a for a, _ in pairs[:9]]
    table = rhomb.distances(few, all_pairs=True)
    assert table.tolist() == [[plain_distance(a, b) for b in few] for a in few]
    assert rhomb.distances(few[:2], few, all_pairs=True).tolist() == table[:2].tolist()
    assert rhomb.distances(["AAAA", "A"], ["CCCC", "C"], max_distance=2).tolist() == [-1, 1]
    assert rhomb.distances([], []).shape == (0,) and rhomb.distances([], all_pairs=True).shape == (0, 0)


def test_texts_with_themselves():
    """By order, the same list as both sides: each with itself."""
    texts = ["ACGT", "AC", "GGGG", "TTT", ""]
    assert rhomb.distances(texts, texts).tolist() == [0] * 5
    assert [(one.query, one.target, int(one)) for one in rhomb.alignments(texts, texts)] == [(str(i), str(i), 0) for i in range(5)]
    assert [(hit.query, hit.target) for hit in rhomb.search(texts[:4], texts[:4], 0, pairs=True)] == [(str(i), str(i)) for i in range(4)]
    assert rhomb.distances(iter(texts), all_pairs=True).tolist() == [[plain_distance(a, b) for b in texts] for a in texts]


def test_alignments_are_optimal():
    pairs = some_pairs()
    for (a, b), one in zip(pairs, rhomb.alignments(*zip(*pairs)), strict=True):
        assert one.cigar == rhomb.align(a, b).cigar
        i = j = cost = 0
        for edit, length in one:
            x, y = a[i:i + length * (edit != "D")], b[j:j + length * (edit != "I")]
            assert edit not in "=X" or all((p == q) == (edit == "=") for p, q in zip(x, y, strict=True))
            i, j, cost = i + len(x), j + len(y), cost + length * (edit != "=")
        assert (i, j, cost) == (len(a), len(b), int(one)) and cost == plain_distance(a, b)


def untimed(fields):
    return {key: value for key, value in fields.items() if key not in ("seconds", "gcups", "timing", "passes", "cells", "distance_seconds")}


def near(value):
    """As JSON prints numbers: six digits."""
    return round(value, 6) if isinstance(value, float) else value


def test_distance_is_the_programs(rhomb_json, genomes):
    named = rhomb.Device("0")
    for options, more in (("", {}), ("--engine wavefront", {"engine": "wavefront"}), ("--engine strips --check", {"engine": "strips", "check": True}),
                          ("--max-distance 5", {"max_distance": 5}), ("--ambiguous match", {"ambiguous": "match"})):
        [wanted] = rhomb_json(f"distance {WUHAN} {BA} -d 0 {options}")
        fields = {key: near(value) for key, value in rhomb.distance(*genomes, device=named, **more).asdict().items()}
        assert untimed(wanted).items() <= {**untimed(fields), "query": genomes[0].name, "target": genomes[1].name, **more}.items()
        assert wanted["timing"].keys() == fields["timing"].keys()


def test_files(genomes, write, tmp_path):
    paths = [DATA / Path(name).name for name in (WUHAN, BA)]
    wanted = int(rhomb.distance(*genomes))
    assert int(rhomb.distance(*paths)) == wanted == rhomb.distances(*paths)[0] == rhomb.distances([paths[0]], [genomes[1]])[0]
    two = tmp_path / write("two.fa", ">a\nacgt\n>b x\nAC\n")
    assert rhomb.read(two) == [("a", b"ACGT"), ("b", b"AC")] == rhomb.read(str(two))
    assert rhomb.read(two, case_sensitive=True)[0].sequence == b"acgt"
    assert rhomb.distances(two, all_pairs=True).tolist() == [[0, 2], [2, 0]]
    with pytest.raises(rhomb.InputError, match="two.fa: has 2 records"):
        rhomb.distance(two, "A")


@pytest.fixture
def rhomb_json(request):
    program = request.getfixturevalue("rhomb")
    return lambda arguments: program(arguments + " --format json").json


def test_align_is_the_programs(request, rhomb_json, genomes):
    [wanted] = rhomb_json(f"align {WUHAN} {BA} -d 0")
    one = rhomb.align(*genomes, device=rhomb.Device("0"))
    assert untimed(wanted).items() <= {key: near(value) for key, value in one.asdict().items()}.items()
    [line] = request.getfixturevalue("rhomb")(f"align {WUHAN} {BA}").lines
    assert one.paf() == line
    right = rhomb.align(*genomes, gaps="right")
    assert right.distance == one.distance and right.cigar != one.cigar
    assert rhomb.align("AACC", "GGTT", both_strands=True).strand == "-"


def rows_of(found):
    return [{key: near(value) for key, value in one._asdict().items()} for one in found]


def check_rows(wanted, found, names={}):
    """Every field of the program's rows is in ours."""
    assert len(wanted) == len(found) > 0
    for one, ours in zip(wanted, found):
        assert {names.get(key, key): value for key, value in one.items()}.items() <= ours.items()


def test_many_are_the_programs(rhomb_json, write, tmp_path, genomes):
    text = genomes[0].sequence.decode()
    queries = [edited(text[at:at + 60], 0.05, at) for at in range(1000, 29000, 2000)]
    file = tmp_path / write("queries.fa", "".join(f">{i}\n{one}\n" for i, one in enumerate(queries)))
    for options, more in (("-k 4 --both-strands --cigar", {"k": 4, "both_strands": True, "cigar": True}), ("", {}),
                          ("-k 6 --all-ends", {"k": 6, "all_ends": True}), ("-k 9 --best", {"k": 9, "best": True})):
        wanted = rhomb_json(f"search queries.fa {BA} {options}")
        check_rows(wanted, rows_of(rhomb.search(queries, genomes[1], **more)))
        check_rows(wanted, rows_of(rhomb.search(file, [DATA / Path(BA).name], **more)))
    for options, more in (("", {}), ("--top 3 --subsequence", {"top": 3, "subsequence": True}), ("--min-length 40", {"min_length": 40})):
        check_rows(rhomb_json(f"lcs queries.fa queries.fa {options}"), rows_of(rhomb.lcs(queries, queries, **more)))
    for options, more in (("--max-gaps 2 --cigar", {"max_gaps": 2}), ("--all-pairs --ends infix --max-gaps 1 --match 2 --mismatch -3 --open 5 --extend 2 --score-only --top 2",
                           {"pairs": False, "ends": "infix", "match": 2, "mismatch": -3, "open": 5, "extend": 2, "alignment": False, "top": 2})):
        check_rows(rhomb_json(f"gaps queries.fa queries.fa {options}"), rows_of(rhomb.gaps(queries, queries, **{"pairs": True, **more})))
    wanted = [{key: one[key] for key in ("query", "start", "end", "sequence")} for one in rhomb_json("primer queries.fa queries.fa -k 2 --exclude-self")]
    check_rows(wanted, rows_of(rhomb.primers(queries, queries, 2, exclude_self=True)))
    site = next(rhomb.primers(queries[:1], queries[1:], 3, nearest=True))
    assert site.nearest_distance >= 3 and site.nearest_target.isdigit()
    windows = list(rhomb.primers(queries[:1], queries[1:], window=20))
    assert [(one.start, one.end - one.start) for one in windows] == [(i, 20) for i in range(len(queries[0]) - 19)]


def test_devices_and_explain(rhomb_json, genomes):
    wanted = rhomb_json("devices")
    ours = [vars(one) for one in rhomb.devices()]
    assert [{key: row[key] for key in ours[0]} for row in wanted] == ours and ours
    assert [row["name"] for row in wanted if row["default"]] == [one.name for one in rhomb.Device("").info]
    [wanted] = rhomb_json(f"distance {WUHAN} {BA} -d 0 --explain")
    assert rhomb.explain(*genomes, device=rhomb.Device("0")).items() <= wanted.items()


def test_close_pairs_are_the_hosts(rhomb_json, genomes):
    """As long as the device is not open."""
    [wanted] = rhomb_json(f"distance {WUHAN} {BA}")
    device = rhomb.Device("")
    first = rhomb.distance(*genomes, device=device)
    assert (first.device, first.variant) == ("host", "host") == (wanted["device"], wanted["variant"])
    assert int(first) == wanted["distance"]
    assert rhomb.explain(*genomes, device=device)["variant"] == "host"
    aligned = rhomb.align(*genomes, device=device)
    assert aligned.device == "host" and aligned.distance == wanted["distance"]
    opened = rhomb.distance(*genomes, device=device, engine="wavefront")
    assert opened.device != "host" and int(opened) == wanted["distance"]
    assert rhomb.distance(*genomes, device=device).device == opened.device


# ---- texts


def test_all_kinds_of_texts(tmp_path):
    a, b = random_text(500, 1), random_text(400, 2)
    wanted = plain_distance(a, b)
    raw = a.encode()
    (tmp_path / "a").write_bytes(raw)
    with open(tmp_path / "a", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        array = numpy.frombuffer(raw, numpy.uint8)
        wide = numpy.zeros((3, 500), numpy.uint8)
        wide[1] = array
        for text in (a, raw, bytearray(raw), memoryview(raw), mapped, array, wide[1], rhomb.Record("a", raw), ("a", raw), tmp_path / "a"):
            assert int(rhomb.distance(text, b)) == int(rhomb.align(b, text)) == wanted
            assert rhomb.distances([text], [b])[0] == wanted and (type(text) is tuple or rhomb.distances(text, b)[0] == wanted)
        assert rhomb.distances(wide, [b] * 3).tolist()[1] == wanted  # a row, a text


@pytest.mark.parametrize("text, error, why", [
    ("GÄT", rhomb.InputError, "ASCII"), (numpy.arange(9), rhomb.InputError, "items of 8 bytes"),
    (numpy.zeros(9, bool), rhomb.InputError, "bytes"), (numpy.zeros((2, 2), numpy.uint8), rhomb.InputError, "2 dimensions"),
    (numpy.zeros(9, numpy.uint8)[::2], rhomb.InputError, "one piece"), (7, TypeError, "not int"), (None, TypeError, "NoneType"), (["A"], TypeError, "list")])
def test_what_is_no_text(text, error, why):
    with pytest.raises(error, match=why):
        rhomb.distance(text, "A")
    with pytest.raises(error, match=why):
        rhomb.distances([text], ["A"])


def test_texts_are_held_while_they_are_used():
    """While a call runs, its bytearray is held, and free again after; nothing keeps a reference."""
    text, held = bytearray(random_text(15_000, 3).encode()), []

    def told(progress):
        with pytest.raises(BufferError):
            text.append(65)
        held.append(progress)

    other = random_text(15_000, 4)
    before = sys.getrefcount(text)
    while not held:
        rhomb.distance(text, other, engine="reference", progress=told)
    text.append(65)
    hits = rhomb.search(["ACGT"], text, k=0)
    with pytest.raises(BufferError):
        text.append(65)
    del hits
    gc.collect()
    text.append(65)
    assert sys.getrefcount(text) == before


def test_names():
    """Of records their own, of texts their places; of any symbols."""
    queries = ["ACGT", ("\u00e4\udce4 x", "GT"), rhomb.Record("r", b"AC")]
    assert [hit[0] for hit in rhomb.search(queries, "TACGTT", k=0)] == ["0", "\u00e4\udce4 x", "r"]
    assert rhomb.align(*queries[1:]).paf().startswith("\u00e4\udce4 x\t2\t")


# ---- exceptions


def test_exceptions(tmp_path, write):
    for kind, base, code in ((rhomb.UsageError, ValueError, 2), (rhomb.InputError, ValueError, 3), (rhomb.OutputError, OSError, 3),
                             (rhomb.DeviceError, RuntimeError, 4), (rhomb.MemoryError, builtins.MemoryError, 5), (rhomb.CheckError, RuntimeError, 6)):
        assert issubclass(kind, base) and issubclass(kind, rhomb.Error) and kind.exit_code == code
    for call in (lambda: rhomb.distance("A", "C", engine="none"), lambda: rhomb.distance("A", "C", ambiguous="none"), lambda: rhomb.distances("A"),
                 lambda: rhomb.distance("A", "C", max_distance="x"), lambda: rhomb.search("A", "C", all_ends=True), lambda: list(rhomb.search("A", "C", k=-1)),
                 lambda: rhomb.distance(random_text(5000, 1), random_text(5000, 2), variant="strips", config={"NONE": 1})):
        with pytest.raises(rhomb.UsageError):
            next(call())
    file = tmp_path / write("bad.fa", ">a\nAC\n>b\nA C\n")
    with pytest.raises(rhomb.InputError) as caught:
        rhomb.read(file)
    assert (caught.value.file, caught.value.record, caught.value.line) == (str(file), "b", 4)
    with pytest.raises(rhomb.InputError, match="has 1 record.*has 2"):
        rhomb.distances(["A"], ["A", "C"])
    hits = rhomb.search(tmp_path / "none.fa", "ACGT", k=0)
    with pytest.raises(rhomb.InputError, match="none.fa: cannot open"):
        next(hits)
    with pytest.raises(rhomb.DeviceError, match="no such device"):
        rhomb.Device("no such device").info
    with pytest.raises(rhomb.MemoryError, match="limit of 1000"):
        rhomb.align(random_text(5000, 1), random_text(5000, 2), max_memory=1000)


def test_paths_of_any_bytes(tmp_path):
    """Not only of UTF-8, as Python has them; and as bytes."""
    path = os.fsencode(tmp_path) + b"/\xe4.fa"
    with open(path, "wb") as file:
        file.write(b">a\nA C\n")
    for given in (path, os.fsdecode(path), Path(os.fsdecode(path))):
        with pytest.raises(rhomb.InputError) as caught:
            rhomb.read(given)
        assert caught.value.file == os.fsdecode(path) and os.fsdecode(path) in str(caught.value)
    with pytest.raises(rhomb.InputError, match="b.fa: cannot open"):
        rhomb.distances(FromBytes(), "A")


class FromBytes(os.PathLike):
    def __fspath__(self):
        return b"b.fa"


def test_wrong_inputs():
    for given in ({"a": "ACGT"}, {"ACGT", "A"}, [("a",)], [("a", "ACGT", 3)], [()], [(7, "ACGT")]):
        with pytest.raises(rhomb.UsageError):
            rhomb.distances(given, all_pairs=True)
    for given in ((), ("ACGT",), ("a", "C", "G"), (b"a", b"C")):
        with pytest.raises(rhomb.UsageError, match="a tuple is"):
            rhomb.distance(given, "A")
    with pytest.raises(rhomb.InputError, match="ASCII"):
        rhomb.distance("A\udce4", "A")

    class Odd:
        def __buffer__(self, flags):
            raise LookupError("odd")

    if sys.version_info >= (3, 12):
        with pytest.raises(LookupError, match="odd"):
            rhomb.distance(Odd(), "A")
    with pytest.raises(rhomb.UsageError, match="ambiguous ''; there are: symbol"):
        rhomb.distance("A", "C", ambiguous="")
    assert rhomb.distance("ACGT", "AGT", check=numpy.bool_(True), max_distance=numpy.int64(5), engine="strips").checked
    with pytest.raises(rhomb.UsageError, match="check cannot be"):
        rhomb.distance("A", "C", check="no")
    [one] = rhomb.gaps("ACGTTT", "ACGGGTTT", 1, open=1, extend=0.00001)
    assert one.gap_symbols == 2 and one.score == pytest.approx(30 - 1.00001, abs=1e-6)


def test_check_error(tmp_path, genomes):
    import shutil

    shutil.copytree(ROOT / "cl", tmp_path / "cl")
    file = tmp_path / "cl" / "wfa" / "stepped.cl"
    text = file.read_text()
    file.write_text(text.replace("*answer = s;", "*answer = s + 1;"))
    assert file.read_text() != text
    wrong = rhomb.Device(kernels_dir=str(tmp_path / "cl"), cache=False)
    with pytest.raises(rhomb.CheckError, match="wfa/stepped.cl|batched"):
        rhomb.distance(*genomes, device=wrong, variant="batched")


# ---- threads, signals, progress


def test_many_threads_on_one_device():
    device = rhomb.Device()
    pairs = [(random_text(3000 + i, i), edited(random_text(3000 + i, i), 0.1, i)) for i in range(12)]
    wanted = [plain_distance(a[:300], b[:300]) for a, b in pairs]
    long = [int(rhomb.distance(a, b, engine="reference")) for a, b in pairs]
    failed = []

    def work(number):
        try:
            for i in range(number, number + 12):
                a, b = pairs[i % 12]
                assert int(rhomb.distance(a, b, device=device)) == long[i % 12]
                assert rhomb.distances([a[:300], a], [b[:300], b], device=device).tolist() == [wanted[i % 12], long[i % 12]]
                [hit] = rhomb.search(a[500:560], a, k=0, device=device)
                assert (hit.start, hit.end) == (500, 560)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_progress_and_other_threads_meanwhile():
    """A run leaves Python to others, and tells of itself ten times a second at most."""
    a, b = random_text(25_000, 5), random_text(25_000, 6)
    told, ticks, done = [], [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    try:
        start = time.monotonic()
        result = rhomb.distance(a, b, engine="reference", progress=lambda now: told.append((time.monotonic(), now)))
        seconds = time.monotonic() - start
    finally:
        done.set()
        other.join()
    assert int(result) > 0 and told and len(told) <= 10 * seconds + 1
    assert all(later[0] - sooner[0] > 0.09 for sooner, later in zip(told, told[1:]))
    assert all(0 <= now.part <= 1 and now.seconds >= 0 for _, now in told)
    during = [one for one in ticks if start < one < start + seconds]
    assert max(later - sooner for sooner, later in zip(during, during[1:])) < seconds / 2

    def refuse(now):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rhomb.distance(a, b, engine="reference", progress=refuse)


INTERRUPTED = """
import os, random, threading, time
import rhomb

bases = bytes(b"ACGT"[i % 4] for i in range(256))
a, b = (random.Random(seed).randbytes(4_000_000).translate(bases) for seed in (3, 5))
cut = lambda text, length, step=None: [text[i:i + length] for i in range(0, len(text) - length, step or length)]
def other(call):
    threading.Thread(target=call, daemon=True).start()
    time.sleep(0.5)
print("runs", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""

RUNS_LONG = {
    "distance": "rhomb.distance(a, b, engine='strips')",
    "reference": "rhomb.distance(a, b, engine='reference')",
    "explain": "other(lambda: rhomb.distance(a, b)); rhomb.explain(a, b)",
    "distances": "rhomb.distances(cut(a, 9000), cut(b, 9000), all_pairs=True)",
    "align": "rhomb.align(a, b, engine='reference')",
    "alignments": "list(rhomb.alignments(cut(a, 9000), cut(b, 9000), all_pairs=True))",
    "search": "list(rhomb.search(cut(a, 900), b))",
    "hits": "list(rhomb.search(['ACG'] * 20000, b, k=1))",
    "lcs": "list(rhomb.lcs(a, b))",
    "gaps": "list(rhomb.gaps(cut(a, 1000), cut(b, 1000), max_gaps=3, alignment=True))",
    "primers": "list(rhomb.primers(a, b, k=8))",
    "file": "rhomb.read('pipe')",
    "files": "rhomb.distances(__import__('pathlib').Path('pipe'), all_pairs=True)",
    "device": "other(lambda: rhomb.distance(a, b)); rhomb.distance(a, b)",
    "info": "one = rhomb.Device(); other(lambda: rhomb.distance(a, b, device=one)); one.info",
}


def child(environment, code, **more):
    # In the background of a script SIGINT would be ignored.
    return subprocess.Popen(["env", "--default-signal=INT", sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True,
                            env={**environment, "PYTHONPATH": f"{BUILT.parent}:{BACKEND}"}, **more)


@pytest.mark.parametrize("call", RUNS_LONG)
def test_interrupt(environment, tmp_path, call):
    """Within a second, whatever is on its way to the device; the process, too, ends soon."""
    os.mkfifo(tmp_path / "pipe")
    process = child(environment, INTERRUPTED.format(call=RUNS_LONG[call]), cwd=tmp_path)
    try:
        assert process.stdout.readline() == "runs\n"
        time.sleep(0.8)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        seconds = time.monotonic() - start
        assert process.wait(60) == 0
    finally:
        process.kill()
    assert seconds < 2  # one, and what a machine takes that does other things too; the run would take minutes
    assert time.monotonic() - start < 10


def test_stopped_while_another_call_has_the_device():
    """A call that waits for its turn needs not wait to be stopped."""
    a, b = (random_text(400_000, seed) for seed in (1, 2))
    device, runs, seconds = rhomb.Device(), threading.Event(), []

    def told(now):
        runs.set()
        if seconds:
            raise LookupError

    def work():
        with pytest.raises(LookupError):
            while True:
                rhomb.distance(a, b, engine="reference", device=device, progress=told)

    other = threading.Thread(target=work)
    other.start()
    assert runs.wait(60)
    hits = rhomb.search(["ACGT"], a, k=0, device=device)
    start = time.monotonic()
    hits.close()
    seconds.append(time.monotonic() - start)
    other.join()
    assert seconds[0] < 1


def test_rows_that_nobody_takes(environment):
    """The run stops; also when the process ends."""
    code = """
import gc, rhomb
queries = ["ACGTACGTTACG"[i % 5:] + "ACGT" * (i % 7) for i in range(4000)]
hits = rhomb.search(queries, "ACGTTACGTACGATCGA" * 20000, k=0)
print(next(hits).query, flush=True)
{end}
"""
    for end in ("hits.close()", "del hits; gc.collect()", "pass"):
        process = child(environment, code.format(end=end))
        try:
            assert process.stdout.readline().strip().isdigit()
            start = time.monotonic()
            assert process.wait(60) == 0 and time.monotonic() - start < 10
        finally:
            process.kill()


@pytest.mark.parametrize("call", ["rhomb.distance(a, b, engine='reference')", "while True: rhomb.distance(a[:900], b[:900], engine='reference')",
                                  "rhomb.distances([a] * 2, [b] * 2, engine='reference')", "list(rhomb.alignments([a[:20000]] * 30, [b[:20000]] * 30, engine='reference'))"])
def test_daemon_threads(environment, call):
    """A process may end while one of them is in a call."""
    code = f"""
import random, threading, time, rhomb
a, b = (random.Random(i).randbytes(300_000) for i in range(2))
def work():
    print("runs", flush=True)
    {call}
threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    process = child(environment, code, stderr=subprocess.PIPE)
    try:
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "runs\n" and process.returncode == 0 and "terminate" not in errors, errors


def test_forked(environment):
    """A child has none of the parent's threads: it is told, and ends as others do."""
    code = """
import os, sys, rhomb
{before}
hits = rhomb.search([bytes((i * j * 7919 + j // 3) % 251 % 4 + 65 for j in range(60)) for i in range(2000)], b"ABCD" * 20000, k=2) if {before!r} else None
child = os.fork()
if child == 0:
    try:
        print(int(rhomb.distance("AC", "A", engine="reference")), flush=True)
    except rhomb.DeviceError as error:
        print("spawn" in str(error), flush=True)
    sys.exit()
print(os.waitpid(child, 0)[1])
"""
    for before, wanted in (("", "1\n0\n"), ("rhomb.distance('A' * 5000, 'C' * 5000)", "True\n0\n")):
        process = child(environment, code.format(before=before))
        try:
            assert process.communicate(timeout=60)[0] == wanted
        finally:
            process.kill()


# ---- types and documents


def test_types(tmp_path):
    try:
        import mypy  # noqa: F401
    except ImportError:
        pytest.skip("mypy is not installed")
    (tmp_path / "use.py").write_text('''
from pathlib import Path
import rhomb

n: int = int(rhomb.distance("A", b"C", engine="strips"))
for op, length in rhomb.align("A", Path("b.fa")):
    print(op.lower(), length + 1)
for hit in rhomb.search(["A"], Path("b.fa"), k=1):
    print(hit.start + hit.distance, hit.query.upper())
print(rhomb.distances(["A"], all_pairs=True).shape)
rhomb.distance("A", 7)
rhomb.distance("A", "C", engin="strips")
hit.begin
''')
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={BUILT.parent.parent / 'mypy'}", "use.py",
                           *[str(PACKAGE / "rhomb" / name) for name in ("api.py", "errors.py", "__init__.py")]],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300, env={**os.environ, "MYPYPATH": str(PACKAGE)})
    errors = [line.split(":")[0:2] for line in done.stdout.splitlines() if ": error: " in line]
    assert errors == [["use.py", "11"], ["use.py", "12"], ["use.py", "13"]], done.stdout + done.stderr


def test_examples():
    """Of the docstrings and of the README."""
    from rhomb import api

    runner, finder = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS), doctest.DocTestFinder()
    for module in (api, rhomb):
        for test in finder.find(module):
            runner.run(test)
    text = (PACKAGE / "README.md").read_text()
    before = os.getcwd()
    os.chdir(DATA)
    try:
        runner.run(doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0))
    finally:
        os.chdir(before)
    assert runner.summarize(verbose=False).failed == 0 and runner.tries > 20


def test_version(program):
    assert f"rhomb {rhomb.__version__}\n" in subprocess.run([program, "--version"], capture_output=True, text=True).stdout


def test_parts_are_the_whole(genomes):
    texts = [random_text(20 + 13 * i, i) for i in range(9)]
    cut = [random_text(300, 40)[i * 11:i * 11 + 40 + i] for i in range(9)]
    calls = {
        "distances": lambda **more: list(rhomb.distances(texts, cut, **more)),
        "alignments": lambda **more: [one.cigar for one in rhomb.alignments(texts, cut, **more)],
        "search": lambda **more: list(rhomb.search(cut, random_text(300, 40), k=1, **more)),
        "lcs": lambda **more: list(rhomb.lcs(texts, cut, **more)),
        "top": lambda **more: list(rhomb.lcs(texts, cut, top=2, **more)),
        "gaps": lambda **more: list(rhomb.gaps(texts, cut, **more)),
        "primers": lambda **more: list(rhomb.primers(texts[3:], cut, k=2, nearest=True, **more)),
    }
    for name, call in calls.items():
        parts = [call(shard=f"{i}/3") for i in (1, 2, 3)]
        assert sum(parts, []) == call() and sum(map(bool, parts)) > 1, name
    for wrong in ("0/3", "4/3", "2", "a/b", "1/0", ""):
        with pytest.raises(rhomb.UsageError):
            calls["distances"](shard=wrong)


def test_drivers_of_pip(tmp_path):
    """`rhomb[cpu]`: the library is found beside what says that it is installed, unless the user has named drivers."""
    packages, library = tmp_path / "lib/python/site-packages", tmp_path / "lib/libintelocl.so"
    info = packages / "intel_opencl_rt-1.dist-info"
    info.mkdir(parents=True)
    library.write_bytes(b"")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 1\n")
    (info / "RECORD").write_text("../../libintelocl.so-gdb.py,,\n../../libintelocl.so,,\n")
    code = "import os, rhomb; print(int(rhomb.distance('A' * 5, 'C')), os.environ.get('RHOMB_DRIVERS'))"
    path = {"PYTHONPATH": f"{BUILT.parent}:{BACKEND}:{packages}"}
    plain = {name: value for name, value in os.environ.items() if name not in ("RHOMB_DRIVERS", "OCL_ICD_VENDORS")}
    for more, drivers in (({}, str(library)), ({"OCL_ICD_VENDORS": "/etc/OpenCL/vendors"}, None), ({"RHOMB_DRIVERS": ""}, "")):
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60, env={**plain, **path, **more}, check=True)
        assert done.stdout == f"5 {drivers}\n"


def test_without_the_compiled_module(tmp_path):
    """rhomb-plot and rhomb-papers do without; the others say what is missing."""
    code = "import rhomb, rhomb.plot, rhomb.papers; print(rhomb.InputError.exit_code); rhomb.distance"
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)}, check=False)
    assert done.stdout == "3\n" and "ImportError" in done.stderr and "_rhomb" in done.stderr
    assert set(rhomb.__all__) <= set(dir(rhomb)) and json.dumps(rhomb.distance("A", "C").asdict())
