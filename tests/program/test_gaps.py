"""rhomb gaps: scores and alignments against an oracle of this file's own, rows in all formats, pairs by
order, each with each and from a file, matrices that are wrong, files that break in the middle."""
import random

import pytest

from conftest import fasta, random_text

UNOPTIMIZED = True  # see conftest.py

QUERIES = ">q1\nTCTA\n>q2\nACGTACGTAC\n>q3\nAAAA\n"
TARGETS = ">t1\nTCGTTA\n>t2\nACGTTTACGTAC\n>t3\nAA\n"
PAPER = "--match 5 --mismatch 0 --open 3 --extend 1"  # figure 1 of Carroll et al.


def best(query, target, gaps, match, mismatch, opens, extends, ends="prefix", strict=False):
    """Score, end and gaps by the recurrence as it is printed, gaps of each length tried in turn."""
    never = float("-inf")
    n, m = len(target), len(query)
    layers = []  # (any, what gaps open from) by (i, j)
    found = (None, None, None)
    for q in range(gaps + 1):
        every, last = {}, {}
        for i in range(n + 1):
            for j in range(m + 1):
                pair = 0 if j == 0 and (i == 0 or ends == "infix") else never
                if i and j:
                    pair = every[i - 1, j - 1] + (match if query[j - 1] == target[i - 1] else mismatch)
                value = pair
                if q:
                    below = layers[q - 1][1]
                    for r in range(1, j + 1):
                        value = max(value, below[i, j - r] - opens - extends * (r - 1))
                    for r in range(1, i + 1):
                        value = max(value, below[i - r, j] - opens - extends * (r - 1))
                every[i, j], last[i, j] = value, pair if strict else value
        layers.append((every, last))
        for i in range(n + 1) if ends != "global" else [n]:
            if last[i, m] > never and (found[0] is None or last[i, m] > found[0]):
                found = (last[i, m], i, q)
    return found


def replay(cigar, query, target, start, match, mismatch, opens, extends):
    """Score, end and number of gaps of an alignment."""
    score, i, j, gaps, count = 0, start, 0, 0, ""
    for letter in cigar:
        if letter.isdigit():
            count += letter
            continue
        length, count = int(count), ""
        if letter in "=X":
            for _ in range(length):
                assert (query[j] == target[i]) == (letter == "=")
                score += match if letter == "=" else mismatch
                i, j = i + 1, j + 1
        else:
            score -= opens + extends * (length - 1)
            gaps += 1
            i, j = (i, j + length) if letter == "I" else (i + length, j)
    assert j == len(query)
    return score, i, gaps


@pytest.fixture
def small(rhomb, write):
    write("queries.fa", QUERIES)
    write("targets.fa", TARGETS)
    return lambda more="--max-gaps 1", **how: rhomb("gaps queries.fa targets.fa", more, **how)


def test_help(rhomb):
    rhomb("gaps --help").prints("^Examples:", "gap_symbols")


@pytest.mark.parametrize("wrong", [
    "", "--max-gaps -1", "--max-gaps 33", "--max-gaps many", "--max-gaps 1 --open -3", "--max-gaps 1 --open 0.1",
    "--max-gaps 1 --extend 0", "--max-gaps 1 --match 1 --matrix EDNAFULL", "--max-gaps 1 --match 1 --mismatch 1",
    "--max-gaps 1 --ends most", "--max-gaps 1 --ends infix --band 3", "--max-gaps 1 --top 1",
    "--max-gaps 1 --score-only --cigar", "--max-gaps 1 --score-only --format sam", "--max-gaps 1 --format table",
    "--max-gaps 1 --variant coop", "--max-gaps 1 --variant gaps-lanes --config SPAN=3",
    "--max-gaps 1 --variant multi-a", "--max-gaps 1 --variant multi-b --strict", "--max-gaps 1 --min-score some",
    "--max-gaps 1 --all-pairs --pairs targets.fa", "--max-gaps 1 --open 1.00000001"])
def test_wrong_options(small, wrong):
    small(wrong, code=2)


@pytest.mark.parametrize("matrix, why", [
    (" A C\nA 1 2\n", "column for 'C' but no row"), (" A C\nA 1\nC 1 2\n", "line 2.*1 scores for 2 columns"),
    (" A C G T\n", "no row"), ("", "empty|no scores"), (" A C\nA 1 b\nC 1 2\n", "line 2.*'b' is not a score"),
    (" A C\nA 1 -1\nC -1 1\n", "'T' at position 1 has no score")])
def test_wrong_matrices(small, write, matrix, why):
    write("matrix.txt", matrix)
    small("--max-gaps 1 --matrix matrix.txt", code=3).says(why)


def test_wrong_files(small, rhomb, write):
    small("--max-gaps 1 --matrix missing.txt", code=3)
    rhomb("gaps --max-gaps 1 queries.fa", code=2)
    rhomb("gaps --max-gaps 1 queries.fa missing.fa", code=3)
    write("two.fa", ">a\nAC\n>b\nAC\n")
    rhomb("gaps --max-gaps 1 queries.fa two.fa -o out.tsv", code=3).says("3 records against 2 records")
    assert len(rhomb("gaps --max-gaps 1 queries.fa two.fa", code=3, partial=True).lines) == 2
    write("protein.fa", ">a\nAC\n>b\nEEE\n>c\nA\n")
    rhomb("gaps --max-gaps 1 protein.fa targets.fa -o out.tsv", code=3).says("protein.fa.*'E' at position 1")
    # A query whose own target is wrong is not printed either.
    wrong = rhomb("gaps --max-gaps 1 queries.fa protein.fa", code=3, partial=True)
    wrong.says("protein.fa|queries.fa", "'E' at position 1")
    assert len(wrong.lines) == 1
    rhomb("gaps --max-gaps 1 queries.fa protein.fa --all-pairs", code=3).says("'E' at position 1")


def test_rows(small):
    run = small(f"--max-gaps 1 {PAPER} --cigar")
    assert run.header == ["query", "query_length", "target", "target_length", "start", "end", "score", "gaps",
                          "gap_symbols", "mismatches", "cigar"]
    assert run.fields == ["q1 4 t1 6 0 6 16 1 2 0 2=2D2=", "q2 10 t2 12 0 12 46 1 2 0 3=2D7=",
                          "q3 4 t3 2 0 2 6 1 2 0 2I2="]
    assert small(f"--max-gaps 0 {PAPER}").fields == [
        "q1 4 t1 6 0 4 10 0 0 2", "q2 10 t2 12 0 10 20 0 0 6", "q3 4 t3 2 NA NA NA NA NA NA"]
    assert small(f"--max-gaps 1 {PAPER} --score-only").fields == [
        "q1 4 t1 6 6 16 1", "q2 10 t2 12 12 46 1", "q3 4 t3 2 2 6 1"]


def test_fractions_are_exact(small):
    assert small("--max-gaps 1").column("score") == ["9.5", "39.5", "-0.5"]
    assert [row["score"] for row in small("--max-gaps 1 --format json").json] == [9.5, 39.5, -0.5]
    assert small("--max-gaps 1 --match 0.3 --mismatch -0.1 --open 0.7 --extend 0.01").column("score") == [
        "0.49", "2.29", "-0.11"]


@pytest.mark.parametrize("band", [2**30, 2**31 - 1])
def test_a_band_wider_than_all_texts_is_none(small, band):
    assert small(f"--max-gaps 1 --band {band} --variant gaps-lanes").out == small("--max-gaps 1").out


def test_formats(small):
    rows = small(f"--max-gaps 0 {PAPER} --format json --cigar").json
    assert rows[0] == {"query": "q1", "query_length": 4, "target": "t1", "target_length": 6, "start": 0, "end": 4,
                       "score": 10, "gaps": 0, "gap_symbols": 0, "mismatches": 2, "cigar": "2=2X"}
    assert rows[2]["score"] is None and rows[2]["cigar"] is None
    assert small(f"--max-gaps 1 {PAPER} --format paf").fields[0] == (
        "q1 4 0 4 + t1 6 0 6 4 6 255 NM:i:2 AS:i:16 cg:Z:2=2D2=")
    sam = small("--max-gaps 1 --format sam --all-pairs --top 1").out.splitlines()
    assert [line.split("\t")[0] for line in sam] == ["@HD", "@SQ", "@SQ", "@SQ", "@PG", "q1", "q2", "q3"]
    assert sam[5].split("\t") == ["q1", "0", "t1", "1", "255", "2=2D2=", "*", "0", "0", "TCTA", "*", "NM:i:2",
                                  "AS:f:9.5"]
    assert len(small("--max-gaps 0 --format paf").lines) == 2


def test_each_with_each(small):
    run = small(f"--max-gaps 1 {PAPER} --all-pairs")
    assert [(row["query"], row["target"]) for row in run.table] == [
        (q, t) for q in ("q1", "q2", "q3") for t in ("t1", "t2", "t3")]
    scores = {(row["query"], row["target"]): int(row["score"]) for row in run.table}
    best_two = small(f"--max-gaps 1 {PAPER} --all-pairs --top 2")
    for query in ("q1", "q2", "q3"):
        expected = sorted((-scores[query, target], target) for target in ("t1", "t2", "t3"))[:2]
        assert [(-int(row["score"]), row["target"]) for row in best_two.table if row["query"] == query] == expected
    least = small(f"--max-gaps 1 {PAPER} --all-pairs --min-score 10.5")
    assert sorted((row["query"], row["target"]) for row in least.table) == sorted(
        pair for pair, score in scores.items() if score >= 11)


def test_pairs_of_a_file(small, rhomb, write):
    rows = small("--max-gaps 2 --cigar").fields
    lines = zip(QUERIES.split("\n")[1::2], TARGETS.split("\n")[1::2])
    text = "".join(f"q{i}\t{q}\tt{i}\t{t}\n" for i, (q, t) in enumerate(lines, 1))
    write("pairs.tsv", "# query, target\n" + text)
    assert rhomb("gaps --max-gaps 2 --cigar --pairs pairs.tsv").fields == rows
    assert rhomb("gaps --max-gaps 2 --cigar --pairs -", stdin=text).fields == rows
    rhomb("gaps --max-gaps 2 --pairs - a.fa", stdin=text, code=2)
    rhomb("gaps --max-gaps 2 --pairs -", stdin="AC\n", code=3)


@pytest.mark.parametrize("rules", ["", "--strict", "--ends global", "--ends infix", "--strict --ends infix"])
def test_against_an_oracle(rhomb, write, rules):
    rng = random.Random(f"gaps {rules}")
    pairs = []
    for _ in range(60):
        alphabet = "ACGT"[:rng.choice([2, 4])]
        query = "".join(rng.choices(alphabet, k=rng.randint(1, 14)))
        target = "".join(rng.choices(alphabet, k=rng.randint(1, 16)))
        if rng.random() < 0.5:
            at = rng.randint(0, len(query))
            target = query[:at] + "".join(rng.choices(alphabet, k=rng.randint(0, 4))) + query[at + rng.randint(0, 3):]
        pairs.append((query, target or "A"))
    write("pairs.tsv", "".join(f"{q}\t{t}\n" for q, t in pairs))
    scores = 4, -3, 5, 1
    ends = rules.split()[-1] if "--ends" in rules else "prefix"
    by = "--match 4 --mismatch -3 --open 5 --extend 1"
    for gaps in (0, 1, 3):
        run = rhomb("gaps --pairs pairs.tsv --format json --cigar --variant gaps-lanes --max-gaps", str(gaps), by, rules)
        for (query, target), row in zip(pairs, run.json, strict=True):
            expected = best(query, target, gaps, *scores, ends=ends, strict="--strict" in rules)
            assert (row["score"], row["end"], row["gaps"]) == expected, (query, target, row)
            if row["score"] is not None:
                assert replay(row["cigar"], query, target, row["start"], *scores) == expected, (query, target, row)


def test_variants_agree(rhomb, write):
    queries = [random_text(5 + 7 * i, i) for i in range(12)]
    write("queries.fa", fasta((f"q{i}", text) for i, text in enumerate(queries)))
    write("targets.fa", fasta((f"t{i}", text[:3 * i] + text[4 * i:] + "ACG") for i, text in enumerate(queries)))
    expected = rhomb("gaps --max-gaps 2 queries.fa targets.fa --all-pairs --cigar --variant reference").out
    for variant in ("gaps-lanes", "single-b", "single-h", "multi-b", "multi-h"):
        run = rhomb("gaps --max-gaps 2 queries.fa targets.fa --all-pairs --cigar --check --variant", variant)
        assert run.says("144 scores computed again").out == expected
    scores = rhomb("gaps --max-gaps 2 queries.fa targets.fa --all-pairs --score-only --variant reference").out
    for variant in ("single-a", "multi-a"):
        assert rhomb("gaps --max-gaps 2 queries.fa targets.fa --all-pairs --score-only --variant", variant).out == scores


def test_little_memory_and_what_breaks(rhomb, write):
    pairs = [(random_text(30, i), random_text(36, i)) for i in range(9000)]
    text = "".join(f"{q}\t{t}\n" for q, t in pairs)
    write("pairs.tsv", text)
    run = rhomb("gaps --max-gaps 1 --pairs pairs.tsv --variant gaps-lanes --memory 4M")
    assert len(run.lines) == 9000
    assert run.out == rhomb("gaps --max-gaps 1 --pairs pairs.tsv --variant reference -t 1").out
    write("broken.tsv", text + "only one field\n")
    broken = rhomb("gaps --max-gaps 1 --pairs broken.tsv --variant gaps-lanes", code=3, partial=True)
    assert broken.out == run.out
    rhomb("gaps --max-gaps 1 --pairs broken.tsv --variant gaps-lanes -o out.tsv", code=3)


def test_explain_and_trace(small):
    small("--max-gaps 2 --explain --variant gaps-lanes").prints("proven to suffice", "^gap_open\t10$", "gaps/lanes.cl")
    small("--max-gaps 2 --explain --variant multi-a --score-only").prints("pairs_at_a_time")
    small("--max-gaps 2 --explain").prints("^device\thost$")
    small("--max-gaps 2 --variant gaps-lanes --trace t.json -o out.tsv")
    run = small("--max-gaps 2 --variant gaps-lanes --progress json")
    assert run.events[-1]["event"] == "summary" and run.events[-1]["pairs"] == 3
