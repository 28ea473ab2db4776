"""rhomb lcs: rows, ranks and subsequences, files that break in the middle, several devices, and no more
memory than allowed."""
import gzip
import json
import random
import subprocess
import time

import pytest

from conftest import BA, WUHAN, fasta, leftovers

PROTEINS = "ACDEFGHIKLMNPQRSTVWY"


def random_records(count, most, seed, letters=PROTEINS):
    source = random.Random(seed)
    return fasta((f"r{number}", "".join(source.choices(letters, k=source.randint(1, most))))
                 for number in range(1, count + 1))


@pytest.fixture
def small(rhomb, write):
    write("queries.fa", ">human x\nHUMANS\n>ab\nAB\n")
    write("targets.fa", ">chimp one\nCHIMPAN\nZEES\n>ba\nBA\n>none\nXXXX\n>both\nHMANAB\n>again\nBA\n")
    return lambda more="", **how: rhomb("lcs queries.fa targets.fa", more, **how)


# ---- help and usage


def test_help(rhomb):
    rhomb("lcs --help").prints("^Examples:")


@pytest.mark.parametrize("wrong", [
    "--top 0", "--top many", "--min-length -1", "--memory lots", "--variant fused", "--config ROWS=1", "--concat",
    "--all-pairs", "--format table", "--explain --trace t.json", "--trace t.json -o t.json", "--config K=2,W=8"])
def test_wrong_options(small, wrong):
    small(wrong, code=2)


def test_wrong_names(rhomb, small):
    rhomb("lcs", code=2)
    rhomb("lcs queries.fa", code=2)
    rhomb("lcs - -", code=2).says("only one")
    small("--variant crochemor", code=2).says("strips-lcs, .*reference")
    small("-d 0,99", code=4).says("no OpenCL device 99")
    small("--record nobody", code=3).says("queries.fa, record 'nobody': there is no such record")


# ---- rows


@pytest.mark.parametrize("options, rows", [
    ("", ["human 6 chimp 11 5", "ab 2 chimp 11 1", "human 6 ba 2 1", "ab 2 ba 2 1", "human 6 none 4 0",
          "ab 2 none 4 0", "human 6 both 6 4", "ab 2 both 6 2", "human 6 again 2 1", "ab 2 again 2 1"]),
    ("--subsequence --record human --min-length 1", ["human 6 chimp 11 5 HMANS", "human 6 ba 2 1 A",
                                                     "human 6 both 6 4 HMAN", "human 6 again 2 1 A"]),
    ("--top 2", ["human 6 chimp 11 5 1", "human 6 both 6 4 2", "ab 2 both 6 2 1", "ab 2 chimp 11 1 2"]),
    ("--top 9 --subsequence --min-length 2", ["human 6 chimp 11 5 1 HMANS", "human 6 both 6 4 2 HMAN",
                                              "ab 2 both 6 2 1 AB"]),
    # Of equally long ones the first in the file.
    ("--top 4 --record ab --record ab", ["ab 2 both 6 2 1", "ab 2 chimp 11 1 2", "ab 2 ba 2 1 3", "ab 2 again 2 1 4"]),
    ("--format json --record ab --min-length 2",
     ['{"query":"ab","query_length":2,"target":"both","target_length":6,"length":2}']),
    ("--format json --top 1 --subsequence --record human",
     ['{"query":"human","query_length":6,"target":"chimp","target_length":11,"length":5,"rank":1,'
      '"subsequence":"HMANS"}']),
    ("--min-length 100", []),
    ("--variant reference --top 1", ["human 6 chimp 11 5 1", "ab 2 both 6 2 1"]),
])
def test_rows_seen_by_eye(small, options, rows):
    run = small(options)
    assert run.fields == rows  # so few cells are computed on the host
    assert run.err == ""
    if "--variant" not in options:
        assert small(f"{options} --variant strips-lcs").fields == rows


def test_headers(small):
    columns = "query query_length target target_length length".split()
    assert small().header == columns
    assert small("--top 2").header == [*columns, "rank"]


def test_quotes_in_json(rhomb, write):
    write("quotes.fa", '>a"b\\\n"ACGT\n')
    run = rhomb("lcs quotes.fa quotes.fa --alphabet bytes --subsequence --format json")
    assert run.lines == [r'{"query":"a\"b\\","query_length":5,"target":"a\"b\\","target_length":5,"length":5,'
                         r'"subsequence":"\"ACGT"}']


@pytest.mark.parametrize("options, rows", [
    ("", ["q 5 s 5 4", "q 5 t 5 1"]),
    ("--ambiguous match --subsequence", ["q 5 s 5 5 ACGTN", "q 5 t 5 5 ACGTN"]),
    ("--ambiguous mismatch", ["q 5 s 5 4", "q 5 t 5 0"]),
    ("--case-sensitive", ["q 5 s 5 0", "q 5 t 5 1"]),
])
def test_symbols(rhomb, write, options, rows):
    write("q.fa", ">q\nACGTN\n")
    write("s.fa", ">s\nacgtt\n>t\nNNNNN\n")
    assert rhomb("lcs q.fa s.fa", options).fields == rows


def test_ambiguous_is_an_error(rhomb, write):
    write("q.fa", ">q\nACGTN\n")
    write("s.fa", ">s\nacgtt\n>t\nNNNNN\n")
    rhomb("lcs q.fa s.fa --ambiguous error", code=3).says(
        "q.fa, line 2, record 'q': ambiguity code 'N' at position 5 ")
    write("q.fa", ">q\nACGT\n")
    rhomb("lcs q.fa s.fa --ambiguous error", code=3, partial=True).says(
        "s.fa, line 4, record 't': ambiguity code 'N' at position 1 ")


def test_standard_input(rhomb, small, tmp_path):
    targets = (tmp_path / "targets.fa").read_text()
    queries = (tmp_path / "queries.fa").read_text()
    assert rhomb("lcs queries.fa - --record ab --min-length 2", stdin=targets).fields == ["ab 2 both 6 2"]
    assert rhomb("lcs - targets.fa --top 1", stdin=queries).fields == ["human 6 chimp 11 5 1", "ab 2 both 6 2 1"]


# ---- every variant, on lengths of many kinds, in one block and in many, on one device and on two


@pytest.fixture(scope="module")
def many(shared_rhomb):
    """The program where some.fa (12 proteins) and many.fa (700) are, and what it must print of them."""
    (shared_rhomb.folder / "some.fa").write_text(random_records(12, 150, 1))
    (shared_rhomb.folder / "many.fa").write_text(random_records(700, 260, 2))
    shared_rhomb.expected = shared_rhomb("lcs some.fa many.fa --variant reference").out
    return shared_rhomb


@pytest.mark.parametrize("variant", ["strips-lcs", "crochemore", "allison-dix"])
def test_every_variant(many, variant):
    assert many("lcs some.fa many.fa --variant", variant).out == many.expected


@pytest.mark.parametrize("how", ["--memory 200k", "--memory 30k", "--memory 5k", "-d 0,0 --memory 100k",
                                 "-d 0,0,0 --memory 40k"])
def test_blocks_and_devices(many, how):
    run = many("lcs some.fa many.fa --progress json", how)
    assert run.out == many.expected
    summary = run.events[-1]
    assert [summary[key] for key in ("event", "queries", "targets", "rows")] == ["summary", 12, 700, 8400]
    assert summary["blocks"] >= 10


def test_ranks_do_not_depend_on_blocks(many):
    expected = many("lcs some.fa many.fa --top 5 --subsequence").out
    for how in "--memory 30k", "-d 0,0 --memory 100k", "--variant reference --memory 50k":
        assert many("lcs some.fa many.fa --top 5 --subsequence", how).out == expected, how


def test_subsequences(many):
    run = many("lcs some.fa many.fa --subsequence --memory 200k")
    assert ["\t".join(line.split("\t")[:5]) for line in run.out.splitlines()] == many.expected.splitlines()
    for row in run.table:
        wanted = int(row["length"])
        assert row["subsequence"] == "-" if wanted == 0 else len(row["subsequence"]) == wanted


def test_check(many):
    run = many("lcs some.fa many.fa --config K=3 --check -o checked.tsv --memory 300k")
    run.says("^rhomb: 8,400 lengths computed again on the host are the same$")
    assert run.out == "" and (many.folder / "checked.tsv").read_text() == many.expected


def test_closed_pipe(many):
    child = many.start("lcs some.fa many.fa --memory 30k", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(120) == 0
    assert child.stderr.read() == b""
    child.stderr.close()


def test_packed_targets_on_standard_input(many):
    packed = gzip.compress((many.folder / "many.fa").read_bytes())
    assert many("lcs some.fa - --memory 100k", stdin=packed).out == many.expected


def test_genomes(rhomb):
    """Some strips of rows."""
    row = rhomb("lcs", WUHAN, BA, "--check --subsequence").table[0]
    assert int(row["length"]) > 29500 and len(row["subsequence"]) == int(row["length"])


def test_many_queries(rhomb, write):
    """More queries than targets, in a handful of programs."""
    write("some.fa", random_records(12, 150, 1))
    write("more.fa", random_records(300, 900, 3))
    explained = rhomb("lcs more.fa some.fa --explain").out
    assert len({line for line in explained.splitlines() if line.startswith("program")}) <= 4
    expected = rhomb("lcs more.fa some.fa --variant reference").out
    for how in "", "--memory 5k", "-d 0,0 --memory 20k", "--variant crochemore":
        assert rhomb("lcs more.fa some.fa", how).out == expected, how


# ---- what is wrong with a file: 3, and no row of what stands behind


def test_bad_quality(rhomb, write):
    write("q.fa", ">q\nACGT\n")
    write("short.fq", "@r1\nACGT\n+\nIIII\n@r2\nGG\n+\nI\n@r3\nAC\n+\nII\n")
    run = rhomb("lcs q.fa short.fq", code=3, partial=True)
    run.says("short.fq, line 8, record 'r2': quality has 1 symbols")
    assert run.fields == ["q 4 r1 4 4"]


def damaged(many):
    """Makes bad.fa, whose 11th record is, and cut.fa.gz, cut in the middle of long.fa.gz."""
    lines = (many.folder / "many.fa").read_text().splitlines(keepends=True)
    (many.folder / "bad.fa").write_text("".join([*lines[:20], ">bad\nAC5\n", *lines[20:]]))
    packed = gzip.compress(b"".join([(many.folder / "many.fa").read_bytes()] * 20), 6)
    (many.folder / "long.fa.gz").write_bytes(packed)
    (many.folder / "cut.fa.gz").write_bytes(packed[:len(packed) * 3 // 4])
    (many.folder / "short.fq").write_text("@r1\nACGT\n+\nIIII\n@r2\nGG\n+\nI\n@r3\nAC\n+\nII\n")


def test_rows_before_a_bad_record(many):
    damaged(many)
    before = many.expected.splitlines()[:121]
    for how in "", "--memory 1":
        run = many("lcs some.fa bad.fa", how, code=3, partial=True)
        run.says("bad.fa, line 22, record 'bad': sequence holds '5'")
        assert run.out.splitlines() == before
    whole = many("lcs some.fa long.fa.gz --record r1").out.splitlines()
    run = many("lcs some.fa cut.fa.gz --record r1", code=3, partial=True)
    run.says("cut.fa.gz: the gzip data ends early")
    printed = run.out.splitlines()
    assert len(printed) > 5000 and printed == whole[:len(printed)]


def test_nothing_printed_of_bad_files(many):
    damaged(many)
    for bad in "short.fq", "bad.fa", "cut.fa.gz":
        for how in "--top 3", "-o bad.tsv", "-o bad.tsv --memory 30k":
            many("lcs some.fa", bad, how, code=3)
            assert not (many.folder / "bad.tsv").exists() and leftovers(many.folder) == []
        many("lcs", bad, "many.fa", code=3)


@pytest.mark.parametrize("bad", ["empty.fa", "no_sequence.fa", "missing.fa", "."])
def test_files_without_records(rhomb, small, write, bad):
    write("empty.fa", "")
    write("no_sequence.fa", ">a\n>b\nACGT\n")
    rhomb("lcs", bad, "targets.fa", code=3)
    rhomb("lcs queries.fa", bad, code=3).says(f"^rhomb: error: {bad}[,:]")
    rhomb("lcs queries.fa", bad, "--explain", code=3)


# ---- plans, traces, devices


def test_explain(many):
    run = many("lcs some.fa many.fa --explain --record r1 --record r2")
    assert len([line for line in run.out.splitlines() if line.startswith("query\tr")]) == 2
    run.prints("^variant\tstrips-lcs$", "^program\tlcs/strips.cl -DWG=", "^largest_block\t700 targets",
               r"^why\tfewest operations a cell: strips-lcs 0[.]\d+, crochemore 0[.]\d+, allison-dix ",
               "^together\t2 queries share the targets on the device, and [12] programs?$")
    many("lcs some.fa many.fa --explain --config STORE=1").prints(
        "^variant\tcrochemore$", r"^why\t.*strips-lcs does not fit \(.*STORE")
    many("lcs some.fa many.fa --explain --variant allison-dix").prints("^why\tasked for$")
    many("lcs some.fa many.fa --explain --variant reference")
    plan = many("lcs some.fa many.fa --explain --format json --record r1 --memory 30k").json[0]
    assert plan["query"] == "r1" and plan["largest_block"].endswith("there are others")


def test_trace(many):
    run = many("lcs some.fa many.fa --trace run.json --progress plain -o traced.tsv")
    run.says(r"^rhomb: 12 queries, 700 targets of [0-9.]+ k symbols: .* cells/s; ",
             "^rhomb: trace: while computing the device was busy")
    events = json.loads((many.folder / "run.json").read_text())["traceEvents"]
    assert any("lcs_strips" in event["name"] for event in events)
    assert (many.folder / "traced.tsv").read_text() == many.expected


def test_no_device(small, tmp_path):
    nothing = {"OCL_ICD_VENDORS": tmp_path / "nonexistent"}
    small("--variant crochemore -o none.tsv", code=4, env=nothing)
    assert not (tmp_path / "none.tsv").exists()
    run = small("--variant reference --top 1", env=nothing)
    assert run.fields == ["human 6 chimp 11 5 1", "ab 2 both 6 2 1"]


def test_memory(rhomb, write, sanitized):
    """200 MB of targets take no more memory than allowed."""
    if sanitized:
        pytest.skip("the sanitizer takes memory of its own")
    write("q.fa", ">q\nACGT\n")
    write("few.fa", ">s\nACGTT\n")

    def most_memory(file, options):
        """What is printed, and the most MiB that the process ever had."""
        with open(file, "rb") if file else open(rhomb.folder / "few.fa", "rb") as stdin:
            child = rhomb.start("lcs q.fa - --memory 40M", options, stdin=stdin, stdout=subprocess.PIPE, text=True)
            most = 0
            while child.poll() is None:
                with open(f"/proc/{child.pid}/status") as status:
                    kib = [line.split()[1] for line in status if line.startswith("VmHWM")]
                most = int(kib[0]) // 1024 if kib else most
                time.sleep(0.02)
            assert child.returncode == 0
            return child.stdout.read(), most

    write("large.txt", ("ACGTTGCAAACCGGTTACGT" * 50 + "\n") * 200_000)
    _, few = most_memory(None, "--variant strips-lcs")  # or no driver would be loaded
    printed, most = most_memory(rhomb.folder / "large.txt", "--top 1")
    (rhomb.folder / "large.txt").unlink()
    assert printed.splitlines()[1] == "q\t4\tline1\t1000\t4\t1"
    assert most < few + 120
