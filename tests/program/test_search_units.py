"""rhomb search where there are many targets, several devices, and problems too small for a device."""
import os
import random

import pytest

from conftest import fasta, mutate, random_text

UNOPTIMIZED = True  # see conftest.py


@pytest.fixture(scope="module")
def many(shared_rhomb):
    """30 queries and 1,500 short targets, some of which have a query in them."""
    source = random.Random(31)
    queries = [(f"q{i}", random_text(source.randint(5, 60), 100 + i)) for i in range(30)]
    targets = []
    for i in range(1500):
        query = source.choice(queries)[1] if i % 3 == 0 else ""
        targets.append((f"t{i}", random_text(source.randint(1, 70), 200 + i) + mutate(query, 0.1, i)))
    (shared_rhomb.folder / "queries.fa").write_text(fasta(queries))
    (shared_rhomb.folder / "targets.fa").write_text(fasta(targets))
    return shared_rhomb


@pytest.mark.parametrize("options", ["--both-strands", "-k 3 --both-strands --cigar", "-k 2 --all-ends"])
def test_units_do_not_change_the_result(many, options):
    command = f"search queries.fa targets.fa {options}"
    expected = many(command, "--variant reference").out
    assert len(expected.splitlines()) > 25
    for how in "", "--memory 300k", "--memory 10k", "-d 0,0 --memory 100k -t 1", "--memory 100k --variant reference":
        assert many(command, how).out == expected, how


def test_memory_holds_whatever_the_number_of_targets(rhomb, write, sanitized):
    if sanitized:
        pytest.skip("the sanitizers need more memory")
    source = random.Random(32)
    write("queries.fa", fasta((f"q{i}", random_text(12, i)) for i in range(60)))
    write("targets.fa", fasta((f"t{i}", "".join(source.choices("ACGT", k=20))) for i in range(50000)))
    rhomb("search queries.fa targets.fa --memory 1M")  # compilers take memory too
    process = rhomb.start("search queries.fa targets.fa --memory 20M -o rows.tsv")
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    assert used.ru_maxrss < 250e3  # kilobytes; 3 million tasks of a hundred bytes are 300,000


def test_small_problems_need_no_device(rhomb, write, environment):
    write("a.fa", ">a\nACGT\n")
    write("b.fa", ">b\nTTACGTT\n")
    for verb, row in ("search", "a 4 b 7 2 6 + 0"), ("lcs", "a 4 b 7 4"):
        run = rhomb(verb, "a.fa b.fa --progress json")
        assert run.fields == [row]
        assert (run.events[-1]["variant"], run.events[-1]["device"]) == ("reference", "host")
        rhomb(verb, "a.fa b.fa --explain").prints("^variant\treference$")
        assert rhomb(verb, "a.fa b.fa --progress json --variant",
                     {"search": "coop", "lcs": "crochemore"}[verb]).events[-1]["device"] != "host"


def test_occurrences_of_no_symbols_are_left_out(rhomb, write):
    write("queries.fa", ">a\nGGG\n>b\nCA\n")
    write("targets.fa", ">t\nTTTTCATT\n")
    for variant in "reference", "strips-batch":
        command = f"search queries.fa targets.fa --variant {variant}"
        assert rhomb(command, "-k 3").fields == ["b 2 t 8 4 6 + 0"]
        assert rhomb(command).fields == ["a 3 t 8 0 0 + 3", "b 2 t 8 4 6 + 0"]
        assert "a 3 t 8 0 0 + 3" not in rhomb(command, "-k 3 --all-ends").fields
