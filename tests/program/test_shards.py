"""Parts of a run (--shard) and rhomb merge: what all parts print, put together, is what one run prints."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, fasta, mutate, random_text

UNOPTIMIZED = True  # see conftest.py

GENES = [(f"g{i}", random_text(40 + 37 * i % 90, i)) for i in range(13)]
READS = [(f"r{i}", mutate(GENES[i % 13][1], 0.1, i)) for i in range(13)]


@pytest.fixture
def files(write):
    write("genes.fa", fasta(GENES))
    write("reads.fa", fasta(READS))
    write("one.fa", fasta(READS[:1]))
    write("pairs.tsv", "".join(f"{a}\t{q}\t{b}\t{t}\n" for (a, q), (b, t) in zip(READS, GENES)))


def parts_of(rhomb, command, count):
    for i in range(1, count + 1):
        rhomb(command, f"--shard {i}/{count} -o part{i}")
    return [f"part{i}" for i in range(1, count + 1)]


def measured(text):
    """Takes out what distance and align measure."""
    text = re.sub(r'"(seconds|gcups|read|build|transfer|compute|total|distance_seconds)":[-+.0-9e]+', "", text)
    return re.sub(r"(\thost\t)[-+.0-9e]+\t[-+.0-9e]+", r"\1", text)


# More parts than records, and one, with formats that have a header and that have none.
MANY = ["search reads.fa genes.fa -k 12", "align reads.fa genes.fa --format sam", "primer genes.fa reads.fa --length 7"]


@pytest.mark.parametrize("command", [
    "distance reads.fa genes.fa --format json", "distance --pairs pairs.tsv",
    "distance reads.fa genes.fa --all-pairs", "distance one.fa genes.fa --all-pairs",
    "distance genes.fa --matrix lower", "distance genes.fa --matrix phylip",
    "align reads.fa genes.fa --format sam", "align reads.fa genes.fa --format vcf",
    "align reads.fa genes.fa --format tsv", "align --pairs pairs.tsv --format json",
    "align reads.fa genes.fa --all-pairs --format sam", "search reads.fa genes.fa -k 12", "search reads.fa genes.fa --best --format paf",
    "search reads.fa genes.fa -k 9 --format json --both-strands", "lcs reads.fa genes.fa", "lcs reads.fa genes.fa --format json --subsequence", "lcs reads.fa genes.fa --top 2",
    "gaps --max-gaps 1 reads.fa genes.fa", "gaps --max-gaps 1 reads.fa genes.fa --all-pairs --format sam",
    "gaps --max-gaps 1 reads.fa genes.fa --all-pairs --top 2 --format json", "gaps --max-gaps 1 --pairs pairs.tsv --format paf",
    "primer genes.fa reads.fa -k 6 --format bed",
    "primer genes.fa reads.fa -k 6 --format json --witness", "primer genes.fa reads.fa --length 7",
    "primer genes.fa reads.fa -k 5 --format bedgraph"])
def test_merged_is_one_run(rhomb, files, command):
    whole = rhomb(command).out
    for count in (3, 1, 17) if command in MANY else (3,):
        parts = parts_of(rhomb, command, count)
        assert measured(rhomb("merge", *reversed(parts)).out) == measured(whole), count
    assert len(whole.splitlines()) > 2


def test_files_of_many_pieces(rhomb, write):
    """Pairs lie in pieces of what is read: of files that are cut elsewhere, with long records, every row is its own pair's."""
    a = [(f"a{i}", random_text(70_000 if i % 700 == 3 else 100 + i * 37 % 300, i)) for i in range(2500)]
    b = [(f"b{i}" + "x" * (i % 90), text[:-1 - i % 5]) for i, (_, text) in enumerate(a)]
    write("a.fa", fasta(a))
    write("b.fa", fasta(b))
    write("pairs.tsv", "".join(f"{p}\t{q}\t{r}\t{t}\n" for (p, q), (r, t) in zip(a, b)))
    expected = [[p, str(len(q)), r, str(len(t)), str(len(q) - len(t))] for (p, q), (r, t) in zip(a, b)]
    for command in "distance a.fa b.fa", "distance --pairs pairs.tsv", "align a.fa b.fa --format tsv":
        assert [line.split("\t")[:5] for line in rhomb(command).lines] == expected, command
    rows = [line.split("\t")[:5] for i in (1, 2, 3) for line in rhomb("distance a.fa b.fa", f"--shard {i}/3").lines]
    assert rows == expected
    assert {line.split("\t")[4] for line in rhomb("distance a.fa a.fa").lines} == {"0"}


def test_parts_share_the_records(rhomb, files):
    """None is empty, and none has most of them."""
    for command, many in ("search reads.fa genes.fa --best", 8), ("distance one.fa genes.fa --all-pairs", 8):
        for i in 1, 2, 3:
            assert 2 <= len(rhomb(command, f"--shard {i}/3").lines) <= many


def test_what_is_not_merged(rhomb, files, write, tmp_path):
    a, b, c = parts_of(rhomb, "search reads.fa genes.fa -k 12", 3)
    rhomb("search reads.fa genes.fa -k 11 --shard 2/3 -o options")
    rhomb("search one.fa genes.fa -k 12 --shard 2/3 -o contents")
    rhomb("search reads.fa genes.fa -k 12 --shard 2/4 -o count")
    rhomb("search reads.fa genes.fa -k 12 --format json --shard 2/3 -o json")
    rhomb("distance reads.fa genes.fa --shard 2/3 -o verb")
    rhomb("search reads.fa genes.fa -k 12 -o whole")
    text = (tmp_path / b).read_bytes()
    write("cut", text[:-1])
    write("cut2", text[:text.rindex(b"#rhomb-shard-end")])
    write("damaged", text.replace(b"\t+\t", b"\t-\t", 1))
    write("added", text + text[-20:])
    end = text.rindex(b"#rhomb-shard-end")
    write("end", text[:end] + b'#rhomb-shard-end {"bytes":"x"}\n')
    write("end2", text[:end] + b'#rhomb-shard-end {"bytes":%d,"checksum":7}\n' % end)
    write("end3", text[:end] + b'#rhomb-shard-end [1]\n')
    rhomb("search reads.fa genes.fa -k 12 --shard 14/400 -o few")
    write("empty", "")
    for files_, says in [
            (f"{a} {b}", f"{a}: is a part of 3, and of these 3 is missing"), (f"{b}", "of these 1, 3 are missing"),
            (f"{a} {b} {c} {b}", f"{b}: is part 2 of 3, and so is {b}"),
            (f"{a} options {c}", "options: is not of the run that part1 is of: it has other options"),
            (f"{a} contents {c}", "contents: is not of the run"), (f"{a} count {c}", "count: .* it is a part of 4, not of 3"),
            (f"{a} json {c}", "json: .* format json, not tsv"), (f"{a} verb {c}", "verb: .* verb distance, not search"),
            (f"{a} whole {c}", "whole: is not the output of a part"), (f"{a} cut {c}", "cut: is cut off"),
            (f"{a} cut2 {c}", "cut2: is cut off"), (f"{a} added {c}", "added: is"),
            (f"{a} damaged {c}", "damaged: is damaged"), (f"{a} empty {c}", "empty: cannot be read, or is empty"),
            (f"{a} end {c}", "end: is damaged in its last line"), (f"{a} end2 {c}", "end2: is damaged in its last line"),
            (f"{a} end3 {c}", "end3: is damaged in its last line"), (f"{a} nowhere {c}", "nowhere: cannot be opened: No such file"),
            ("few", "is a part of 400, and of these 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 389 more are missing")]:
        rhomb("merge", files_, code=3).says(says)
    rhomb("merge", code=2).says("expected the outputs of all parts")
    rhomb("merge -", a, code=2).says("none can be standard input")
    rhomb("merge", a, b, c, "-o", a, code=2)


def test_more_parts_than_files_that_may_be_open(rhomb, files):
    parts = parts_of(rhomb, "distance reads.fa genes.fa --engine reference", 15)
    few = ["sh", "-c", 'ulimit -n 12; exec "$0" "$@"']
    assert len(rhomb("merge", *parts, under=few).lines) == 13


def test_what_explain_says_of_an_empty_part(rhomb, files):
    for command in ("search one.fa genes.fa -k 3", "gaps one.fa one.fa --max-gaps 1", "gaps one.fa genes.fa --all-pairs --max-gaps 1",
                    "lcs reads.fa one.fa", "lcs one.fa genes.fa --top 1"):
        assert rhomb(command, "--shard 2/3 --explain").out == "no records in this part\n", command


def test_files_that_do_not_fit_end_the_last_part(rhomb, files, write):
    """As they end a run without parts."""
    write("more.fa", fasta(GENES + [("more", "ACGT")]))
    for command in "distance reads.fa more.fa", "align more.fa reads.fa", "gaps --max-gaps 1 reads.fa more.fa":
        rhomb(command, "-o whole", code=3).says("13 records")
        rhomb(command, "--shard 3/3 -o part3", code=3).says("13 records")
        rhomb(command, "--shard 1/3 -o part1")


def test_a_file_that_changes(rhomb, files, write, tmp_path):
    """Behind its checksum; nobody reads the rows before that, so the run cannot end."""
    write("many.fa", fasta([(f"m{i}", random_text(9, i)) for i in range(150)]))
    for name in "part", "same":
        os.mkfifo(tmp_path / name)
    for name, code in ("part", 3), ("same", 0):
        run = rhomb.start("distance many.fa many.fa --all-pairs --engine reference --shard 1/2 -o", name, stderr=subprocess.PIPE, text=True)
        with open(tmp_path / name, encoding="utf-8") as rows:
            if code:
                os.utime(tmp_path / "many.fa", (1, 1))
            ends = [line for line in rows if line.startswith("#rhomb-shard-end")]
        said = run.communicate(timeout=60)[1]
        assert run.returncode == code and len(ends) == (code == 0), said
        assert ("many.fa: has changed during the run" in said) == (code == 3)


def test_usage(rhomb, files):
    for shard in "3/2", "0/2", "1", "x/2":
        rhomb(f"search reads.fa genes.fa -k 3 --shard {shard}", code=2).says("--shard: ")
    rhomb("search - genes.fa -k 3 --shard 1/2", code=2, stdin=b">a\nACGT\n").says("more than once")
    rhomb("primer genes.fa reads.fa -k 3 --shard 1/2 --partial", code=2).says("--partial and --shard exclude each other")
    # How it is computed does not matter.
    rhomb("distance reads.fa genes.fa --shard 1/2 -o part1 --engine reference -t 1")
    rhomb("distance reads.fa genes.fa --shard 2/2 -o part2")
    assert len(rhomb("merge part1 part2").lines) == 13


SEARCH = "search reads.fa genes.fa -k 12"


def test_slurm_script(rhomb, files, tmp_path):
    """What its tasks do, each called as Slurm calls it."""
    script = ROOT / "tools" / "cluster" / "rhomb.sbatch"
    parts = tmp_path / "hits.tsv.parts 1%s"
    base = {**rhomb.environ(), "RHOMB": str(rhomb.path), "OUTPUT": "hits.tsv", "SHARDS": "3", "PARTS": str(parts)}
    parts.mkdir()
    (parts / "4").write_text("left by another run")
    for task in "1", "2", "3":
        subprocess.run([script, *SEARCH.split()], cwd=tmp_path, check=True, env={**base, "SLURM_ARRAY_TASK_ID": task})
    subprocess.run([script], cwd=tmp_path, check=True, env={**base, "RHOMB_MERGE": "1"})
    assert (tmp_path / "hits.tsv").read_text() == rhomb(SEARCH).out
    assert not parts.exists()
    assert "submits itself" in subprocess.run([script], cwd=tmp_path, text=True, capture_output=True).stdout


@pytest.mark.skipif(shutil.which("sbatch") is None, reason="needs Slurm: sbatch")
def test_slurm(rhomb, files, tmp_path):
    if subprocess.run(["sinfo", "-h"], capture_output=True, text=True, timeout=20).stdout == "":
        pytest.skip("no Slurm cluster answers here")
    subprocess.run([ROOT / "tools" / "cluster" / "rhomb.sbatch", "-o", "hits.tsv", *SEARCH.split()], cwd=tmp_path, check=True,
                   env={**rhomb.environ(), "RHOMB": str(rhomb.path), "SHARDS": "3"})
    subprocess.run(["srun", "--dependency=singleton", "true"], cwd=tmp_path, timeout=120)
    for _ in range(60):
        if (tmp_path / "hits.tsv").exists():
            break
        subprocess.run(["sleep", "1"])
    assert (tmp_path / "hits.tsv").read_text() == rhomb(SEARCH).out


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="needs snakemake")
def test_snakemake(rhomb, files, tmp_path):
    subprocess.run(["snakemake", "-q", "-c", "2", "-s", ROOT / "tools" / "cluster" / "Snakefile", "--config", f"run={SEARCH}",
                    "output=hits.tsv", "shards=3", f"rhomb={rhomb.path}"], cwd=tmp_path, check=True, env=rhomb.environ())
    assert (tmp_path / "hits.tsv").read_text() == rhomb(SEARCH).out
