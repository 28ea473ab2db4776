"""Files that rhomb reads and writes: standard input, damaged inputs (exit code 3), outputs that appear
complete or not at all, traces, progress."""
import gzip
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import BA, DATA, WUHAN, leftovers, random_text

PAIR = f"distance {WUHAN} {BA}"


@pytest.fixture
def records(write):
    write("abc.fa", ">one first\nACGTACGTAC\nGTACGT\n>two\nTTTTACGT\n>three\nACGT\n")
    write("xyz.fa", ">one\nACGTACGTACGAACGT\n>two\nTTTACGTT\n>three\nTGCA\n")
    write("two.fa", ">two\nTTTACG\n")
    write("n.fa", ">n1 with N\nACGTACGTACGT\nACGNACGT\n")


# ---- standard input


def test_standard_input(rhomb):
    packed = (DATA / os.path.basename(WUHAN)).read_bytes()
    for content in packed, gzip.decompress(packed):
        assert rhomb("distance -", BA, stdin=content).column("distance") == ["109"]
        assert rhomb("distance", BA, "-", stdin=content).column("distance") == ["109"]
    assert rhomb("distance -", BA, "--format json", stdin=packed).json[0]["distance"] == 109
    rhomb("distance -", BA, code=3).says("standard input")


# ---- bad inputs: 3, never a number

DAMAGED = {
    "truncated.fa.gz": None,  # the first bytes of a genome
    "empty.fa": "",
    "blank.fa": "\n\n",
    "no_sequence.fa": ">a\n>b\nACGT\n",
    "short_quality.fq": "@r1\nACGT\n+\nIII\n",
    "no_quality.fq": "@r1\nACGT\n",
    "binary.fa": None,  # the first bytes of the program
    "control.fa": ">a\nAC\001GT\n",
    "missing.fa": None,
    "directory": None,
}


def test_damaged_inputs(rhomb, write, golden, program, tmp_path):
    for name, content in DAMAGED.items():
        if content is not None:
            write(name, content)
    write("truncated.fa.gz", (DATA / os.path.basename(WUHAN)).read_bytes()[:5000])
    write("binary.fa", program.read_bytes()[:3000])
    (tmp_path / "directory").mkdir()
    messages = ""
    for name in DAMAGED:
        run = rhomb("distance", name, BA, code=3).says(name)
        if name != "binary.fa":  # the rest of what it holds may differ
            messages += run.err
        rhomb("distance", BA, name, "--engine reference --output bad.tsv", code=3)
        assert not (tmp_path / "bad.tsv").exists()
    write("before_header.fa", "ACGT\n>a\nACGT\n")
    messages += rhomb("distance before_header.fa", BA, "--input-format fasta", code=3).err
    assert leftovers(tmp_path) == []
    golden("bad_inputs", messages)


# ---- output files


def test_output_file(rhomb, golden, records, tmp_path):
    result = tmp_path / "result.tsv"
    assert rhomb(PAIR, "--output result.tsv --engine wavefront").out == ""
    golden("distance", result.read_text())
    mask = os.umask(0)
    os.umask(mask)
    assert result.stat().st_mode & 0o777 == 0o666 & ~mask
    # Through a link, which stays one.
    (tmp_path / "link.tsv").symlink_to(result)
    rhomb("distance abc.fa xyz.fa -o link.tsv --engine wavefront")
    assert (tmp_path / "link.tsv").is_symlink()
    golden("by_order", result.read_text())
    # What fails leaves what was there.
    rhomb("distance missing.fa", BA, "-o result.tsv", code=3)
    rhomb("distance abc.fa n.fa --all-pairs --ambiguous error -o result.tsv", code=3)
    golden("by_order", result.read_text())
    rhomb(PAIR, "-o /dev/null")
    assert rhomb(PAIR, "-o -").column("distance") == ["109"]
    (tmp_path / "directory").mkdir()
    rhomb(PAIR, "-o nowhere/result.tsv", code=2).says("cannot write 'nowhere/result.tsv'")
    rhomb(PAIR, "-o directory", code=2)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_by_a_signal(rhomb, write, tmp_path, number):
    write("long1.txt", random_text(150000, 1))
    write("long2.txt", random_text(150000, 2))
    child = rhomb.start("distance long1.txt long2.txt --engine reference -o stopped.tsv", stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not leftovers(tmp_path) and child.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert child.poll() is None and leftovers(tmp_path), "did not begin to write"
    child.send_signal(number)
    assert child.wait(30) != 0
    assert not (tmp_path / "stopped.tsv").exists()
    assert leftovers(tmp_path) == []


def test_full_disk(rhomb, records):
    with open("/dev/full", "wb") as full:
        child = rhomb.start("distance abc.fa xyz.fa --engine reference", stdout=full, stderr=subprocess.PIPE, text=True)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 3
    assert "cannot write the output to standard output: No space left" in err


@pytest.mark.parametrize("arguments", ["distance abc.fa xyz.fa --all-pairs --engine reference", "--help"])
def test_closed_pipe(rhomb, records, arguments):
    """Who reads no further (rhomb ... | head -1) is no error."""
    reads, writes = os.pipe()
    child = rhomb.start(arguments, stdout=writes, stderr=subprocess.PIPE)
    os.close(writes)
    os.close(reads)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")


def test_too_little_memory(rhomb, records, sanitized):
    if sanitized:
        pytest.skip("a sanitizer needs more address space than any limit")
    limited = ["bash", "-c", 'ulimit -v 400000 && exec "$0" "$@"']
    child = rhomb.start("distance - two.fa --engine reference", under=limited, stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            child.stdin.write(b"A" * (1 << 20))
        child.stdin.close()
    except BrokenPipeError:
        pass
    child.stdin = None
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (5, b"")
    assert b"memory" in err


# ---- traces


def slices_of(path):
    """Names of the slices of a trace, which is well-formed."""
    events = json.loads(path.read_text())["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = [event for event in events if event["ph"] == "X"]
    assert "host" in tracks.values()
    assert all(event["tid"] in tracks and event["dur"] >= 0 for event in slices)
    launches = [event["args"]["launch"] for event in slices if event["cat"] == "launch"]
    assert launches == list(range(1, len(launches) + 1)), "launches are not in order"
    return [event["name"] for event in slices], list(tracks.values())


def has(names, *wanted):
    for name in wanted:
        assert any(other.startswith(name) for other in names), f"no slice {name}"


@pytest.mark.parametrize("engine", ["wavefront", "strips"])
def test_trace(rhomb, tmp_path, engine):
    run = rhomb(PAIR, "--trace run.json --engine", engine)
    assert run.column("distance") == ["109"]
    run.says(r"^rhomb: trace: while computing the device was busy [0-9.]+ [mu]?s of .* idle\), [0-9]+ launches")
    names, tracks = slices_of(tmp_path / "run.json")
    has(names, "pair SARS", "read file data/sars2", "open device", "pack", "upload", "compute", "wait", "build")
    assert any(name.startswith("queue of ") for name in tracks)
    assert leftovers(tmp_path) == []


def test_trace_of_several_pairs_and_of_the_reference(rhomb, records, tmp_path):
    run = rhomb("distance abc.fa xyz.fa --engine strips --trace run.json --check --format json")
    assert len(run.json) == 3
    has(slices_of(tmp_path / "run.json")[0], "pair one and one", "pair three and three", "check")
    rhomb(PAIR, "--engine reference --trace run.json").says("^rhomb: trace: no OpenCL device computed$")
    has(slices_of(tmp_path / "run.json")[0], "compute")


def test_trace_that_cannot_be_written(rhomb, tmp_path):
    (tmp_path / "directory").mkdir()
    for bad in "nowhere/run.json", "directory", "", "-":
        rhomb(PAIR, f"--trace '{bad}'", code=2).says(f"'{bad}'|--trace")
    rhomb(PAIR, "--trace run.json --explain", code=2)
    rhomb(PAIR, "--trace run.json --output run.json", code=2)
    rhomb("distance missing.fa", BA, "--trace run.json", code=3)
    rhomb(PAIR, "--trace run.json --output nowhere/result.tsv", code=2)
    assert not (tmp_path / "run.json").exists()
    assert leftovers(tmp_path) == []


# ---- progress


def test_progress(rhomb, write):
    write("mid1.txt", random_text(30000, 3))
    write("mid2.txt", random_text(30000, 4))
    events = rhomb("distance mid1.txt mid2.txt --engine reference --progress json").events
    progress = [event for event in events if event["event"] == "progress"]
    assert any(0 < event["part"] < 1 and event["rate"] >= 1 and event["left"] >= 0 for event in progress)
    assert events[-1]["event"] == "done"
    assert rhomb("distance mid1.txt mid2.txt --engine reference --progress auto").err == ""  # no terminal


@pytest.mark.skipif(not shutil.which("script"), reason="script is not installed")
def test_progress_on_a_terminal(rhomb, write, tmp_path):
    write("mid1.txt", random_text(30000, 3))
    write("mid3.txt", random_text(90000, 5))
    command = f"'{rhomb.path}' distance mid3.txt mid1.txt --engine reference"
    done = subprocess.run(["script", "-qec", command, "typescript"], cwd=tmp_path, env=rhomb.environ(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "line1" in done.stdout and "reference" in done.stdout
    assert any("%, " in part and " left, " in part and " cells/s" in part for part in done.stdout.split("\r"))
