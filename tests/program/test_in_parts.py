"""--checkpoint and --resume of runs over many records: made in parts that stay; what is printed is what one run prints."""
import random
import shutil
import signal
import time

import pytest

from conftest import fasta, mutate, random_text
from test_shards import files, measured  # noqa: F401 (a fixture)


@pytest.mark.parametrize("command", [
    "search reads.fa genes.fa -k 12", "search reads.fa genes.fa --best --format paf", "lcs reads.fa genes.fa --top 2",
    "gaps --max-gaps 1 reads.fa genes.fa --format sam", "gaps --max-gaps 1 --pairs pairs.tsv", "primer genes.fa reads.fa -k 6 --format bed",
    "primer genes.fa reads.fa --length 7", "distance reads.fa genes.fa", "distance --pairs pairs.tsv --format json",
    "distance reads.fa genes.fa --all-pairs", "distance genes.fa --matrix phylip", "align reads.fa genes.fa --format sam",
    "align reads.fa genes.fa --all-pairs"])
def test_the_same_as_one_run(rhomb, files, tmp_path, command):  # noqa: F811
    whole = measured(rhomb(command).out)
    assert len(whole.splitlines()) > 2
    assert measured(rhomb(command, "--checkpoint saved --parts 3").out) == whole
    (tmp_path / "saved" / "part-2-of-3").unlink()
    rhomb(command, "--resume saved -o out").says("goes on from saved: 2 of 3 parts are there")
    assert measured((tmp_path / "out").read_text()) == whole


def test_more_memory_is_the_same_run(rhomb, files, tmp_path):  # noqa: F811
    command = "align reads.fa genes.fa --format sam"
    whole = rhomb(command).out
    rhomb(command, "--checkpoint saved --parts 3 --max-memory 1G")
    (tmp_path / "saved" / "part-2-of-3").unlink()
    assert measured(rhomb(command, "--resume saved --max-memory 2G").out) == measured(whole)


def test_parts_that_do_not_belong(rhomb, files, tmp_path):  # noqa: F811
    command = "search reads.fa genes.fa -k 12 --resume saved"
    whole = rhomb("search reads.fa genes.fa -k 12 --checkpoint saved --parts 3").out
    part = tmp_path / "saved" / "part-2-of-3"
    content = part.read_bytes()
    for damaged in b"", content[:-1], content[:200], content[:150] + bytes([content[150] ^ 1]) + content[151:]:
        part.write_bytes(damaged)
        assert rhomb(command).says("part-2-of-3: .*; it is made again", ": 2 of 3 parts").out == whole
    rhomb("search reads.fa genes.fa -k 11 --resume saved", code=3).says("part-1-of-3: is of another run")
    rhomb("search reads.fa genes.fa -k 12 --checkpoint saved", code=2).says("has parts of an earlier run")
    rhomb(command, "--parts 4", code=2).says("has parts of 3, not of 4")
    shutil.copy(part, part.parent / "part-2-of-4")
    rhomb(command, code=3).says("has parts of two runs")
    for more, why in [("--resume none", "none: there is no such folder"), ("--checkpoint genes.fa/x", "cannot be made")]:
        rhomb("search reads.fa genes.fa -k 12", more, code=3).says(why)
    rhomb("align one.fa one.fa --checkpoint x", code=2).says("of one pair is not saved")
    for more in "--parts 2", "--checkpoint x --resume x", "--checkpoint ''", "--checkpoint x --shard 1/2", "--checkpoint x --trace t":
        rhomb("search reads.fa genes.fa -k 12", more, code=2)
    rhomb("search - genes.fa -k 12 --checkpoint x", code=2, stdin=b">a\nACGT\n").says("more than once")
    assert rhomb("search reads.fa genes.fa -k 12 --checkpoint x --explain").out == rhomb("search reads.fa genes.fa -k 12 --explain").out
    assert not (tmp_path / "x").exists()


@pytest.fixture(scope="module")
def long_run(shared_rhomb):
    """A run that takes a second or two, and what it prints."""
    genome = random_text(300_000, 1)
    chosen = random.Random(2)
    reads = []
    for i in range(4000):
        at = chosen.randrange(len(genome) - 100)
        reads.append((f"r{i}", mutate(genome[at:at + 100], 0.04, i)))
    (shared_rhomb.folder / "genome.fa").write_text(fasta([("g", genome)]))
    (shared_rhomb.folder / "reads.fa").write_text(fasta(reads))
    return shared_rhomb("search reads.fa genome.fa -k 6").out


def kill_until_it_ends(rhomb, folder, whole, kills, seed):
    """Runs that go on from each other, each killed at a random moment; those that end must print what one run prints."""
    moments = random.Random(seed)
    folder.mkdir()
    for _ in range(kills):
        run = rhomb.start("search reads.fa genome.fa -k 6 --parts 16 --resume" if not list(folder.glob("part-*-of-*"))
                          else "search reads.fa genome.fa -k 6 --resume", folder, stdout=-1, stderr=-1, text=True)
        time.sleep(moments.uniform(0, 0.8))
        run.kill()
        printed, said = run.communicate(timeout=60)
        if run.returncode == 0:
            assert printed == whole
            for file in folder.iterdir():
                file.unlink()
        else:
            assert run.returncode == -signal.SIGKILL, said
    assert rhomb("search reads.fa genome.fa -k 6 --resume", folder).out == whole


def test_killed_at_random_moments(shared_rhomb, long_run, tmp_path):
    kill_until_it_ends(shared_rhomb, tmp_path / "saved", long_run, 8, 3)


@pytest.mark.slow
def test_killed_two_hundred_times(shared_rhomb, long_run, tmp_path):
    kill_until_it_ends(shared_rhomb, tmp_path / "saved", long_run, 200, 4)


def test_a_signal_says_how_to_go_on(shared_rhomb, long_run, tmp_path):
    folder = tmp_path / "saved"
    run = shared_rhomb.start("search reads.fa genome.fa -k 6 --checkpoint", folder, stdout=-1, stderr=-1, text=True)
    while not (folder / "part-2-of-32").exists():
        assert run.poll() is None
        time.sleep(0.002)
    shared_rhomb("search reads.fa genome.fa -k 6 --resume", folder, code=2).says("another run saves in")
    run.send_signal(signal.SIGTERM)
    printed, said = run.communicate(timeout=60)
    if run.returncode != 0:  # unless it was quicker
        assert run.returncode == 7 and printed == "" and f"another run goes on from '{folder}' (--resume)" in said
    shown = shared_rhomb("search reads.fa genome.fa -k 6 --progress json --resume", folder)
    assert shown.out == long_run
    parts = [event["part"] for event in shown.events if event["event"] == "progress"]
    assert parts == sorted(parts)


def test_records_that_do_not_pair_up_are_told_first(rhomb, files, tmp_path):  # noqa: F811
    for verb in "distance", "align", "gaps --max-gaps 1":
        counts = rhomb(verb, "reads.fa one.fa", code=3, partial=True).err
        assert " against 1 record" in counts
        assert rhomb(verb, "reads.fa one.fa --checkpoint saved", code=3).err == counts
        assert not (tmp_path / "saved").exists()
    rhomb("distance reads.fa one.fa --all-pairs --checkpoint saved")


def test_an_input_that_changes_ends_the_run(shared_rhomb, long_run, tmp_path):
    genome = (shared_rhomb.folder / "genome.fa").read_text()
    (tmp_path / "genome.fa").write_text(genome)
    folder = tmp_path / "saved"
    run = shared_rhomb.start("search reads.fa", tmp_path / "genome.fa", "-k 6 --checkpoint", folder, "-o", tmp_path / "out", stderr=-1, text=True)
    while not (folder / "part-2-of-32").exists():
        assert run.poll() is None
        time.sleep(0.002)
    (tmp_path / "new.fa").write_text(genome.replace("A", "C", 1))
    (tmp_path / "new.fa").rename(tmp_path / "genome.fa")
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 3 and "genome.fa: has changed during the run" in said
    assert not (folder / "part-32-of-32").exists() and not (tmp_path / "out").exists()


def test_the_end_is_told_once(rhomb, files, tmp_path):  # noqa: F811
    for command in "search reads.fa genes.fa -k 12", "distance reads.fa genes.fa --engine strips":
        rhomb(command, "--checkpoint", tmp_path / "saved", "--parts 3")
        (tmp_path / "saved" / "part-2-of-3").unlink()
        events = rhomb(command, "--progress json --resume", tmp_path / "saved").events
        ends = [event for event in events if event["event"] in ("done", "summary")]
        assert [event["event"] for event in ends] == ["done", "summary"]
        assert ends[1]["parts"] == 3 and ends[1]["kept"] == 2 and ends[1]["seconds"] > 0
        rhomb(command, "--progress plain --resume", tmp_path / "saved").says("^rhomb: 3 parts, 3 of them from earlier runs, in ")
        shutil.rmtree(tmp_path / "saved")


def test_parts_that_were_there_are_not_checked(rhomb, files, tmp_path):  # noqa: F811
    rhomb("search reads.fa genes.fa -k 12 --checkpoint saved --parts 3")
    (tmp_path / "saved" / "part-2-of-3").unlink()
    rhomb("search reads.fa genes.fa -k 12 --check --resume saved").says("2 of 3 parts are there, which --check leaves out")


def test_names_of_files_count_where_rows_have_them(rhomb, files, write, tmp_path):  # noqa: F811
    for name in "one.raw", "other.raw":
        write(name, random_text(300, 1))
    shutil.copy(tmp_path / "genes.fa", tmp_path / "renamed.fa")
    rhomb("search reads.fa genes.fa -k 12 --checkpoint fasta --parts 2")
    rhomb("search reads.fa renamed.fa -k 12 --resume fasta").says("2 of 2 parts")
    rhomb("distance one.raw one.raw --all-pairs --matrix square --input-format raw --checkpoint raw --parts 2")
    rhomb("distance ./one.raw one.raw --all-pairs --matrix square --input-format raw --resume raw").says("2 of 2 parts")
    rhomb("distance other.raw one.raw --all-pairs --matrix square --input-format raw --resume raw", code=3).says("is of another run")


def test_one_pair_is_saved_as_one(rhomb, write, tmp_path):
    a, b = random_text(2000, 1), random_text(2100, 2)
    for name, text in ("a.fa", a), ("b.fa", b):
        write(name, fasta([(name, text)]))
    write("pair.tsv", f"# a comment\n{a}\t{b}\n")
    write("pairs.tsv", f"{a}\t{b}\n{a}\t{b}\n")
    for number, command in enumerate(["distance a.fa b.fa --all-pairs", "distance --pairs pair.tsv"]):
        run = rhomb(command, f"--checkpoint saved{number} --every 1h")
        assert run.column("distance") == rhomb("distance a.fa b.fa").column("distance")
        assert not list((tmp_path / f"saved{number}").glob("part-*"))
    rhomb("distance --pairs pairs.tsv --checkpoint saved --parts 2")
    assert len(list((tmp_path / "saved").glob("part-*"))) == 2
