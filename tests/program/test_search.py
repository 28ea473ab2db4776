"""rhomb search: occurrences on both strands, rows in all formats, pairs, files that break in the
middle, blocks and pieces, and an independent search of the same."""
import gzip
import json
import random
import subprocess

import pytest

from conftest import fasta, random_text

UNOPTIMIZED = True  # see conftest.py

#              0         10        20        30
TEXT = ">t1 first\nTTTTTGATTACATTTTTTTTGATTTACATTTT\n>t2\nCCCCTGTAATCCCCC\n"
QUERIES = ">q1\nGATTACA\n>q2\nGGGGGG\n"


@pytest.fixture
def small(rhomb, write):
    write("queries.fa", QUERIES)
    write("text.fa", TEXT)
    return lambda more="", **how: rhomb("search queries.fa text.fa", more, **how)


def test_help(rhomb):
    rhomb("search --help").prints("^Examples:")


@pytest.mark.parametrize("wrong", [
    "-k -1", "-k many", "--best --all-ends -k 1", "--all-ends", "--variant fused", "--config ROWS=1", "--concat",
    "--format table", "--explain --trace t.json", "--trace t.json -o t.json", "--memory lots", "--pairs text.fa"])
def test_wrong_options(small, wrong):
    small(wrong, code=2)


def test_wrong_files(rhomb, write):
    write("queries.fa", QUERIES)
    rhomb("search", code=2)
    rhomb("search queries.fa", code=2)
    rhomb("search - -", code=2).says("only one")


def test_header(small):
    assert small().header == "query query_length target target_length start end strand distance".split()


@pytest.mark.parametrize("options, rows", [
    ("", ["q1 7 t1 32 5 12 + 0", "q2 6 t1 32 0 6 + 5"]),
    ("--variant reference", ["q1 7 t1 32 5 12 + 0", "q2 6 t1 32 0 6 + 5"]),
    ("-k 1", ["q1 7 t1 32 5 12 + 0", "q1 7 t1 32 20 28 + 1"]),
    ("-k 1 --both-strands --cigar", ["q1 7 t1 32 5 12 + 0 7=", "q1 7 t1 32 20 28 + 1 2=1D5=", "q1 7 t2 15 4 11 - 0 7=",
                                     "q2 6 t2 15 9 15 - 1 1X5="]),
    ("--both-strands --cigar", ["q1 7 t1 32 5 12 + 0 7=", "q2 6 t2 15 9 15 - 1 1X5="]),
    ("-k 0 --best", ["q1 7 t1 32 5 12 + 0"]),
    ("-k 0 --all-ends", ["q1 7 t1 32 5 12 + 0"]),
    ("-k 1 --all-ends", ["q1 7 t1 32 5 11 + 1", "q1 7 t1 32 5 12 + 0", "q1 7 t1 32 5 13 + 1", "q1 7 t1 32 20 28 + 1"]),
    ("--both-strands --format paf", ["q1 7 0 7 + t1 32 5 12 7 7 255 NM:i:0 cg:Z:7=",
                                     "q2 6 0 6 - t2 15 9 15 5 6 255 NM:i:1 cg:Z:1X5="]),
    ("-k 0 --cigar --format json", ['{"query":"q1","query_length":7,"target":"t1","target_length":32,"start":5,"end":12,"strand":"+",'
                                    '"distance":0,"cigar":"7="}']),
    ("--case-sensitive -k 0", ["q1 7 t1 32 5 12 + 0"]),
])
def test_occurrences_seen_by_eye(small, options, rows):
    assert small(options).fields == rows  # so few cells are computed on the host
    if "--variant" not in options:
        assert small(f"{options} --variant strips-batch").fields == rows


def test_check_and_progress(small):
    small("--check --progress plain").says(" distances computed again", r"^rhomb: 2 queries: 2 rows; .* cells/s; ")
    summary = small("--progress json --variant strips-batch").events[-1]
    assert summary["event"] == "summary" and summary["queries"] == 2 and summary["variant"] == "strips-batch"


def test_explain(small):
    small("--explain --variant strips-batch").prints("^program_1\t.*search/batch.cl -DWG=")
    assert "device" in small("--explain --format json").json[0]


def test_trace(small, tmp_path):
    small("--trace trace.json --progress plain --variant strips-batch").says("^rhomb: trace: while computing the device was busy")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert any(event["name"].startswith("search_batch") for event in events)


def test_output_file(small, tmp_path):
    assert small("--case-sensitive -k 0 -o rows.tsv").out == ""
    assert len((tmp_path / "rows.tsv").read_text().splitlines()) == 2


def test_standard_input(rhomb, write):
    write("text.fa", TEXT)
    assert rhomb("search - text.fa -k 0", stdin=QUERIES).fields == ["q1 7 t1 32 5 12 + 0"]


def test_symbols(rhomb, write):
    write("text.fa", TEXT)
    write("lines.txt", "GATTACA\nNATTACA\n")
    assert rhomb("search lines.txt text.fa -k 0 --ambiguous match").fields == ["line1 7 t1 32 5 12 + 0",
                                                                              "line2 7 t1 32 5 12 + 0"]
    assert rhomb("search lines.txt text.fa -k 1").fields == ["line1 7 t1 32 5 12 + 0", "line1 7 t1 32 20 28 + 1",
                                                            "line2 7 t1 32 5 12 + 1"]
    rhomb("search lines.txt text.fa --ambiguous error", code=3, partial=True).says("lines.txt.*'N'")


def test_cuda_variants(rhomb, small):
    """CUDA's variants, where they were compiled and there is a device."""
    variants = [row["variant"] for row in rhomb("variants --format json").json
                if row["verb"] == "search" and row["device"] == "cuda"]
    if not variants:
        pytest.skip("built without CUDA")
    command = rhomb.command(["search queries.fa text.fa --variant", variants[0]])
    tried = subprocess.run(command, cwd=rhomb.folder, env=rhomb.environ(), capture_output=True, text=True)
    if tried.returncode == 4 and "no CUDA device" in tried.stderr:
        pytest.skip("no CUDA device")
    for variant in variants:
        options = f"--variant {variant}"
        assert small(f"-k 1 --both-strands --check {options}").fields == [
            "q1 7 t1 32 5 12 + 0", "q1 7 t1 32 20 28 + 1", "q1 7 t2 15 4 11 - 0", "q2 6 t2 15 9 15 - 1"]
        small(f"--explain {options}").prints(r"^program_1\t.*\.cu -D")


# ---- pairs

PAIRS = "# a comment\nGATTACA\tTTGATACATT\nCCC\tGGGGG\n\nACGT\tACGT\n"


def test_pairs(rhomb, write, tmp_path):
    write("pairs.tsv", PAIRS)
    assert rhomb("search --pairs pairs.tsv --cigar").fields == [
        "2 7 2 10 2 8 + 1 2=1I4=", "3 3 3 5 0 0 + 3 3I", "5 4 5 4 0 4 + 0 4="]
    assert rhomb("search --pairs pairs.tsv -k 1 --both-strands").fields == [
        "2 7 2 10 2 8 + 1", "3 3 3 5 0 3 - 0", "5 4 5 4 0 4 + 0", "5 4 5 4 0 4 - 0"]
    (tmp_path / "pairs.tsv.gz").write_bytes(gzip.compress(PAIRS.encode()))
    assert rhomb("search --pairs pairs.tsv.gz --best -k 0").fields == ["5 4 5 4 0 4 + 0"]
    named = "a\tACGT\tb\tTTACGTT\n"
    write("named.tsv", named)
    assert rhomb("search --pairs named.tsv").fields == ["a 4 b 7 2 6 + 0"]
    assert rhomb("search --pairs -", stdin=named).fields == ["a 4 b 7 2 6 + 0"]


@pytest.mark.parametrize("wrong", ["ACGT", "ACGT\t", "\tACGT", "A\tB\tC", "a\tA\tb\tC\tx", "AC1T\tACGT", "ACGT\tAC GT"])
def test_wrong_pairs(rhomb, write, tmp_path, wrong):
    write("wrong.tsv", f"AC\tAC\nGG\tGG\n{wrong}\nTT\tTT\n")
    run = rhomb("search --pairs wrong.tsv", code=3, partial=True).says("wrong.tsv, line 3")
    assert run.fields == ["1 2 1 2 0 2 + 0", "2 2 2 2 0 2 + 0"]
    rhomb("search --pairs wrong.tsv -o never.tsv", code=3)
    assert not (tmp_path / "never.tsv").exists()


def test_files_without_records(rhomb, write):
    write("queries.fa", QUERIES)
    write("text.fa", TEXT)
    write("empty.tsv", "")
    write("broken.fa", ">q1\nACGT\n>q2\n\n>q3\nACGT\n")
    rhomb("search --pairs missing.tsv", code=3)
    rhomb("search --pairs empty.tsv", code=3)
    rhomb("search empty.tsv text.fa", code=3)
    rhomb("search queries.fa empty.tsv", code=3)
    rhomb("search broken.fa text.fa -k 9", code=3, partial=True).says("broken.fa.*'q2'")


# ---- larger: pieces and blocks, against plain dynamic programming in another language


def ends_within(query, text, k):
    """Ends of occurrences with at most k differences and those differences, by Sellers' algorithm."""
    ends = []
    column = list(range(len(query) + 1))
    if column[-1] <= k:
        ends.append((0, column[-1]))
    for j, symbol in enumerate(text, 1):
        diagonal = 0
        for i, letter in enumerate(query, 1):
            best = min(diagonal + (letter != symbol), column[i] + 1, column[i - 1] + 1)
            diagonal, column[i] = column[i], best
        if column[-1] <= k:
            ends.append((j, column[-1]))
    return ends


def test_against_plain_dynamic_programming(rhomb, write):
    source = random.Random(7)
    text = random_text(9000, 7)
    queries = []
    for number in range(1, 13):
        length = source.randint(10, 69)
        at = source.randrange(len(text) - length)
        queries.append((f"s{number}", "".join(c for c in text[at:at + length] if source.random() >= 0.05)))
    write("long.fa", fasta([("long", text)]))
    write("some.fa", fasta(queries))
    expected = [f"{name} {end} {distance}" for name, query in queries for end, distance in ends_within(query, text, 6)]
    assert len(expected) > 20
    for more in "", "--memory 1k", "--variant reference":
        run = rhomb("search some.fa long.fa -k 6 --all-ends", more)
        assert [f"{row['query']} {row['end']} {row['distance']}" for row in run.table] == expected, more


def test_pairs_of_a_read_mapper(rhomb):
    """Real reads and what a filter found for them: two variants print the same."""
    printed = []
    for variant in "strips-batch", "coop":
        run = rhomb("search --pairs data/pairs_ERR240727_100bp_E5.tsv.gz --check --progress plain --variant", variant)
        run.says("3,000 distances computed again on the host are the same")
        assert len(run.lines) == 3000
        printed.append(run.out)
    assert printed[0] == printed[1]


def test_many_pairs_in_little_memory(rhomb, write):
    """Blocks, and a pair that breaks in the middle."""
    source = random.Random(8)
    lines = []
    for _ in range(60000):
        query = "".join(source.choices("ACGT", k=40))
        lines.append(f"{query}\t{query[:20]}A{query[20:]}\n")
    write("many.tsv", "".join(lines))
    run = rhomb("search --pairs many.tsv --memory 2M --progress json")
    distances = run.column("distance")
    assert len(distances) == 60000
    assert set(distances) <= {"0", "1"}
    assert run.events[-1]["blocks"] >= 10
    lines[44999] = "ACGT\n"
    write("breaks.tsv", "".join(lines))
    run = rhomb("search --pairs breaks.tsv --memory 2M", code=3, partial=True).says("breaks.tsv, line 45000")
    assert len(run.lines) == 44999
    assert all(line.count("\t") == 7 for line in run.lines)
