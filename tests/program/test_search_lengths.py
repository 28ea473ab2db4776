"""rhomb search with queries of all lengths, from an empty cache: programs are tested before their first use, whatever
lengths they are for, and the test takes no longer for long queries."""
import time

import pytest

from conftest import fasta, mutate, random_text

TEXT = random_text(3000, seed=3)


def found(rhomb, queries, more=""):
    run = rhomb("search queries.fa text.fa", more)
    assert run.column("query") == [name for name, _ in queries]
    return run


@pytest.mark.parametrize("lengths, config", [((18, 20), ""), ((10, 12), ""), ((43, 56), "--config K=4"), ((2500, 30), "")])
def test_sets_of_lengths(rhomb, write, lengths, config):
    write("text.fa", fasta([("t", TEXT)]))
    queries = [(f"q{length}", mutate(TEXT[200:200 + length], 0.05, seed=length)) for length in lengths]
    write("queries.fa", fasta(queries))
    assert found(rhomb, queries, f"--variant strips-batch {config}").out == found(rhomb, queries, "--variant reference").out


def test_long_query(rhomb, write):
    text = random_text(48000, seed=4)
    inserted = random_text(8000, seed=5)
    write("text.fa", fasta([("t", text)]))
    write("queries.fa", fasta([("q", text[:20000] + inserted + text[20000:])]))
    start = time.monotonic()
    assert rhomb("search queries.fa text.fa").fields == ["q 56000 t 48000 0 48000 + 8000"]
    assert time.monotonic() - start < 60  # 4 minutes where the test was as long as the query; 2 seconds on a free core
