"""What files hold, and what becomes of them: no result replaces an input, nothing is half-written, what is damaged or
misread is an error that says so, and what is said on standard error is JSON where that was asked for."""
import gzip
import json
import os
import subprocess
import time

import pytest

from conftest import WUHAN, leftovers, random_text

HOST = "--engine reference"


@pytest.fixture
def pair(write):
    write("a.fa", ">a\nACGT\n")
    write("b.fa", ">b\nACCT\n")
    write("pairs.tsv", "ACGT\tACCTA\n")
    return "a.fa b.fa"


@pytest.mark.parametrize("verb", [
    "distance a.fa b.fa --engine reference", "search a.fa b.fa --variant reference", "search --pairs pairs.tsv",
    "lcs a.fa b.fa --variant reference", "bench wavefront a.fa b.fa --variant reference --runs 1"])
@pytest.mark.parametrize("option", ["-o", "--trace"])
def test_an_input_is_never_replaced(rhomb, pair, tmp_path, verb, option):
    if verb.startswith("bench") and option == "--trace":
        pytest.skip("bench has no --trace")
    read = ["pairs.tsv"] if "pairs" in verb else ["a.fa", "b.fa"]
    before = {name: (tmp_path / name).read_bytes() for name in read}
    for name in read:
        (tmp_path / "soft").unlink(missing_ok=True)
        (tmp_path / "hard").unlink(missing_ok=True)
        (tmp_path / "soft").symlink_to(name)
        os.link(tmp_path / name, tmp_path / "hard")
        for written in [name, f"./{name}", "soft", "hard"]:
            rhomb(verb, option, written, code=2).says(f"{'--output' if option == '-o' else option} '.*' would "
                                                      "replace an input")
            assert (tmp_path / name).read_bytes() == before[name]
    assert not leftovers(tmp_path)


def test_standard_input_is_not_replaced(rhomb, pair, tmp_path):
    with open(tmp_path / "a.fa") as source:
        child = rhomb.start("distance - b.fa -o a.fa", HOST, stdin=source, stderr=subprocess.PIPE)
        assert "standard input" in child.communicate()[1].decode() and child.returncode == 2
    assert (tmp_path / "a.fa").read_text() == ">a\nACGT\n"


def test_an_import_is_not_replaced(rhomb, write, tmp_path):
    write("store.jsonl", "{}\n")
    rhomb("tune --import store.jsonl -o store.jsonl", code=2).says("would replace an input")
    assert (tmp_path / "store.jsonl").read_text() == "{}\n"


def test_two_results_have_two_files(rhomb, pair, tmp_path):
    (tmp_path / "link").symlink_to("x.json")
    for other in ["x.json", "./x.json", "link"]:
        rhomb("distance", pair, HOST, "-o x.json --trace", other, code=2).says("--output|--trace")
    rhomb("distance", pair, HOST, "-o /dev/stdout").prints("^a\t4\tb\t4\t1\t")
    rhomb("distance", pair, HOST, "-o /dev/null --trace /dev/null")


@pytest.mark.parametrize("option", ["-o", "--trace", "--output", "--kernels"])
def test_an_empty_name_is_told_with_its_option(rhomb, pair, option):
    name = {"-o": "output"}.get(option, option.lstrip("-"))
    rhomb("distance", pair, HOST, option, "''", code=2).says(f"--{name}: ")


def test_an_empty_name_of_an_input(rhomb, pair):
    rhomb("search --pairs ''", code=2).says("--pairs: the name of the file is empty")
    rhomb("tune --export ''", code=2).says("--export: the name of the file is empty")
    rhomb("distance a.fa ''", code=2).says("the name of the file is empty")


def test_a_full_disk_is_no_internal_error(rhomb, pair):
    rhomb("distance", pair, HOST, "-o /dev/full", code=3).says("cannot write the output to '/dev/full': No space left")


def test_what_a_killed_run_left_is_removed(rhomb, pair, write, tmp_path):
    write("long1.txt", random_text(60000, 1) + "\n")
    write("long2.txt", random_text(60000, 2) + "\n")
    child = rhomb.start("distance long1.txt long2.txt", HOST, "-o x.tsv")
    for _ in range(400):
        if leftovers(tmp_path):
            break
        time.sleep(0.05)
    left = leftovers(tmp_path)
    assert left
    write("x.tsv.part-notes", "not rhomb's\n")
    rhomb("distance", pair, HOST, "-o x.tsv")
    assert left[0] in leftovers(tmp_path)  # of a run that lives
    child.kill()
    child.wait()
    assert leftovers(tmp_path) == sorted([*left, "x.tsv.part-notes"])
    rhomb("distance", pair, HOST, "-o y.tsv")
    assert left[0] in leftovers(tmp_path)
    rhomb("distance", pair, HOST, "-o x.tsv")
    assert leftovers(tmp_path) == ["x.tsv.part-notes"]


# ---- what files hold


@pytest.mark.parametrize("content, says", [
    ("ACGT\n>x\nAC\n", "bad, line 2: .* neither '>' .* '>' in column 1"),
    (";old comment\n>x\nAC\n", "bad, line 1: .* ';' in column 1"),
    ("chr1 x\nACGT\n", "bad, line 1: .* '1' in column 4"),
    (">x\nAC GT\n", "bad, line 2, record 'x': sequence holds a space in column 3; blanks"),
    ("AC GT\n", "bad, line 1: sequence holds a space in column 3; blanks"),
    ("@r\nAC GT\n+\nIIIII\n", "bad, line 2, record 'r': sequence holds a space in column 3; blanks")])
def test_what_is_no_sequence_is_not_taken_for_one(rhomb, pair, write, content, says):
    write("bad", content)
    rhomb("distance bad b.fa --all-pairs", HOST, code=3).says(says)


def test_blanks_in_all_formats(rhomb, pair, write):
    write("ends.fa", ">a\nACGT \t\n")
    write("ends.txt", "ACGT \t\r\n")
    write("words.txt", "AC GT\n")
    for other in ["ends.fa a.fa", "ends.txt a.fa", "ends.txt ends.txt --input-format raw"]:
        run = rhomb("distance", other, HOST)
        assert run.column("distance") == ["0"] and run.column("query_length") == ["4"]
    for how in ["raw", "lines"]:
        rhomb("distance a.fa words.txt --input-format", how, HOST, code=3).says("holds a space in column 3")
    assert rhomb("distance words.txt words.txt --alphabet bytes", HOST).column("query_length") == ["5"]


def test_lines_that_were_asked_for(rhomb, write):
    write("lines", "ACGT\n>x\nAC\n")
    assert rhomb("distance lines lines --input-format lines", HOST).column("query") == ["line1", "line2", "line3"]


def test_gaps_of_alignments(rhomb, pair, write):
    write("aligned.fa", ">x\nAC-T\n")
    run = rhomb("distance a.fa aligned.fa", HOST)
    assert run.column("distance") == ["1"]
    run.says("^rhomb: aligned.fa, line 2, record 'x': holds '-'.* alignment")
    rhomb("distance a.fa aligned.fa --alphabet dna", HOST, code=3).says("the gap of an alignment")


def test_compressed_files(rhomb, pair, write):
    packed = gzip.compress(b">a\nACGT\n")
    write("padded.gz", packed + bytes(5000))
    assert rhomb("distance a.fa padded.gz", HOST).column("distance") == ["0"]
    packed = bytearray(gzip.compress(b">a\n" + random_text(5000, 1).encode() + b"\n"))
    packed[700] ^= 0x55
    write("damaged.gz", bytes(packed))
    rhomb("distance a.fa damaged.gz", HOST, code=3).says("damaged.gz: the gzip data (is damaged|ends early)")
    packed[0] = 0x78
    write("damaged.gz", bytes(packed))
    rhomb("distance a.fa damaged.gz", HOST, code=3).says("damaged")


# ---- both strands


def test_both_strands_of_rna(rhomb, write):
    write("q.fa", ">q\nACCU\n")
    write("t.fa", ">t\nCCAGGUCC\n")
    assert rhomb("search q.fa t.fa -k 0 --both-strands").fields == ["q 4 t 8 2 6 - 0"]
    write("q.fa", ">q\nACC\n")  # no symbol tells what it is, but the target does
    assert rhomb("search q.fa t.fa -k 0 --both-strands").fields == ["q 3 t 8 3 6 - 0"]
    write("pairs.tsv", "ACC\tCCAGGUCC\n")
    assert rhomb("search --pairs pairs.tsv -k 0 --both-strands").fields == ["1 3 1 8 3 6 - 0"]


def test_proteins_have_one_strand(rhomb, write):
    write("dna.fa", ">d\nACGT\n")
    write("protein.fa", ">d\nACGT\n>p\nMKV\nTLE\n")
    write("pairs.tsv", "#\nACGT\tMEL\n")
    says = "record 'p': 'E' at position 6 is no nucleotide.*--both-strands"
    rhomb("search protein.fa dna.fa --both-strands -o x", code=3).says("protein.fa, line 5, " + says)
    rhomb("search dna.fa protein.fa --both-strands", code=3).says("protein.fa, line 5, " + says)
    rhomb("search --pairs pairs.tsv --both-strands -o x", code=3).says("pairs.tsv, line 2, record '2': 'E' at position 2")
    rhomb("search protein.fa dna.fa")


# ---- standard error as JSON


def test_everything_said_is_json(rhomb, pair, write):
    write("aligned.fa", ">x\nAC-T\n")
    for more, events in [("--check", {"note", "done"}), ("--trace run.json", {"note", "done"}), ("", {"done"})]:
        run = rhomb("distance", pair, HOST, "--progress json", more)
        assert {json.loads(line)["event"] for line in run.err.splitlines()} == events
    run = rhomb("distance a.fa aligned.fa --progress=json", HOST)
    assert "alignment" in json.loads(run.err.splitlines()[0])["text"]
    for verb in ["search", "lcs"]:
        run = rhomb(verb, pair, "--variant reference --check --trace run.json --progress json")
        assert {"note", "summary"} <= {json.loads(line)["event"] for line in run.err.splitlines()}


@pytest.mark.parametrize("wrong, code", [("distance a.fa missing.fa", 3), ("distance a.fa b.fa --explian", 2)])
def test_errors_are_json_too(rhomb, pair, wrong, code):
    child = rhomb.start(wrong, HOST, "--progress json", stderr=subprocess.PIPE)
    said = [json.loads(line) for line in child.communicate()[1].decode().splitlines()]
    assert child.returncode == code
    assert [event["event"] for event in said] == ["error"] and said[0]["code"] == code


# ---- PoCL without a home


def no_home(tmp_path):
    """An environment in which PoCL has no folder that it can write to; root can write to all but these."""
    return {"HOME": "/proc", "XDG_CACHE_HOME": None, "POCL_CACHE_DIR": None, "TMPDIR": tmp_path / "tmp"}


def test_pocl_gets_a_cache(rhomb, pair, tmp_path):
    (tmp_path / "tmp").mkdir()
    run = rhomb("distance", pair, "--engine strips -d cpu", env=no_home(tmp_path))
    assert run.column("distance") == ["1"]
    rhomb("devices", env=no_home(tmp_path))
    rhomb("distance a.fa missing.fa --engine strips -d cpu", env=no_home(tmp_path), code=3)
    assert not list((tmp_path / "tmp").iterdir())


def test_why_there_is_no_device(rhomb, pair, tmp_path):
    for verb in ["devices", f"distance {pair} --engine strips"]:
        rhomb(verb, env={"OCL_ICD_VENDORS": "/nonexistent"}, code=4).says("no OpenCL driver is installed")
        run = rhomb(verb, env={**no_home(tmp_path), "TMPDIR": "/nowhere"}, code=4)
        run.says("'Portable Computing Language' is installed, but offers no device", "POCL_CACHE_DIR")


def test_measured_rates_as_json(rhomb):
    run = rhomb("devices --measure -d cpu --format json")
    assert all({"device", "number", "seconds", "meaning"} == set(row) for row in run.json) and len(run.json) > 3
