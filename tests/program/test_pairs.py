"""Many pairs at once: by order, of one file (--pairs), each with each, as a matrix; streams that are slow, end too
early or are damaged; and that answers and alignments are the same as one after the other."""
import gzip
import random
import re
import shutil
import subprocess
import threading

import pytest

from conftest import fasta, leftovers, mutate, random_text
from test_align import canonical, cigar_of

UNOPTIMIZED = True  # see conftest.py

MERS = "data/mers_8.fa.gz"


def distance_of(query, target):
    edits = canonical(query, target)
    return len(edits) - edits.count("=")


def fastq(records):
    return "".join(f"@{name}\n{sequence}\n+\n{'I' * len(sequence)}\n" for name, sequence in records)


def related(count, longest, seed):
    """[(query, target)] of all lengths, some unrelated."""
    source, pairs = random.Random(seed), []
    for i in range(count):
        target = random_text(source.randint(1, longest), seed + i)
        query = mutate(target, 0.08, seed + i) if i % 7 else random_text(source.randint(1, longest), seed - i)
        pairs.append((query or "A", target))
    return pairs


def tsv(pairs):
    return "".join(f"{query}\t{target}\n" for query, target in pairs)


# ---- --pairs


@pytest.mark.parametrize("verb", ["distance", "align --format tsv"])
def test_pairs_of_a_file(rhomb, write, verb):
    pairs = related(60, 40, 1)
    wanted = [str(distance_of(*pair)) for pair in pairs]
    write("pairs.tsv", "# query, target\n" + tsv(pairs))
    run = rhomb(verb, "--pairs pairs.tsv")
    assert run.column("distance") == wanted
    assert run.column("query") == [str(2 + i) for i in range(60)]  # lines of the file
    named = "".join(f"q{i}\t{query}\tt{i}\t{target}\n" for i, (query, target) in enumerate(pairs))
    run = rhomb(verb, "--pairs -", stdin=named)
    assert run.column("distance") == wanted
    assert run.column("target") == [f"t{i}" for i in range(60)]
    rhomb(verb, "--pairs pairs.tsv --explain").prints("^query\t2$", "^target_length\t")
    rhomb(verb, "--pairs pairs.tsv --format json").prints('"query":"2"')


def test_several_devices_share_pairs(rhomb, write):
    two = {"POCL_DEVICES": "pthread pthread"}
    if len(rhomb("devices --format json", env=two).json) < 2:
        pytest.skip("PoCL does not make two devices of one CPU here")
    write("pairs.tsv", tsv(related(2000, 900, 5)))
    asked = "distance --pairs pairs.tsv"
    assert "wavefront-batch" in rhomb(asked, "--explain", env=two).out
    wanted = rhomb(asked, "--engine reference").column("distance")
    for devices in "0,1", "all":
        run = rhomb(asked, "-d", devices, env=two)
        assert run.column("distance") == wanted
        assert run.column("query") == [str(i) for i in range(1, 2001)]


@pytest.mark.parametrize("verb", ["distance", "align"])
def test_pairs_that_are_wrong(rhomb, write, tmp_path, verb):
    write("good.tsv", "ACGT\tACG\n")
    for more in "a.fa", "a.fa b.fa", "--all-pairs", "--concat", "--record x":
        rhomb(verb, "--pairs good.tsv", more, code=2)
    rhomb(verb, "--pairs missing.tsv", code=3)
    for bad in "ACGT\n", "AC\tGT\tA\n", "\tACGT\n", "AC1\tACGT\n":
        write("bad.tsv", 5 * "ACGT\tACG\n" + bad + "ACGT\tACG\n")
        run = rhomb(verb, "--pairs bad.tsv", code=3, partial=True).says("bad.tsv, line 6: ")
        assert len(run.lines) == 5
        rhomb(verb, "--pairs bad.tsv -o out", code=3)
        assert not (tmp_path / "out").exists() and leftovers(tmp_path) == []


# ---- by order


@pytest.mark.parametrize("threads", ["", "-t 1"])
def test_many_pairs_by_order(rhomb, write, threads):
    """Some are computed together, others on the host."""
    pairs = related(4000, 120, 5)
    write("a.fa", fasta((f"q{i}", query) for i, (query, _) in enumerate(pairs)))
    write("b.fq.gz", gzip.compress(fastq((f"t{i}", target) for i, (_, target) in enumerate(pairs)).encode()))
    run = rhomb("distance a.fa b.fq.gz", threads)
    assert run.column("query") == [f"q{i}" for i in range(4000)]
    assert run.column("target") == [f"t{i}" for i in range(4000)]
    distances = run.column("distance")
    for i in range(0, 4000, 23):
        assert distances[i] == str(distance_of(*pairs[i])), i
    assert rhomb("distance a.fa b.fq.gz --variant strips-batch", threads).column("distance") == distances
    aligned = rhomb("align a.fa b.fq.gz --format tsv", threads)
    assert aligned.column("distance") == distances
    for i in range(0, 4000, 23):
        assert aligned.column("cigar")[i] == cigar_of(canonical(*pairs[i])), i
    assert rhomb("align a.fa b.fq.gz", threads).fields[3999].startswith("q3999 ")


def test_short_and_long_pairs_in_turns(rhomb, write):
    """What the host's threads align, and what the device does, come out in order and are canonical."""
    pairs = related(40, 300, 11)
    long = random_text(16000, 3)
    for at in 3, 17, 18, 39:
        pairs[at] = (mutate(long, 0.02, at), long)
    write("pairs.tsv", tsv(pairs))
    rows = rhomb("align --pairs pairs.tsv --format tsv").table
    assert rows[3]["engine"] != "reference" and rows[4]["engine"] == "reference"
    plain = rhomb("align --pairs pairs.tsv --format tsv --engine reference").table
    for one, other in zip(rows, plain, strict=True):
        assert (one["query"], one["distance"], one["cigar"]) == (other["query"], other["distance"], other["cigar"])
    distances = rhomb("distance --pairs pairs.tsv").column("distance")
    assert distances == [row["distance"] for row in rows]
    right = rhomb("align --pairs pairs.tsv --format tsv --gaps right").column("cigar")
    for i in 0, 3, 39:
        query, target = pairs[i]
        if len(query) < 1000:
            assert right[i] == cigar_of(canonical(query[::-1], target[::-1])[::-1])


def test_pairs_are_aligned_together(rhomb, write):
    """By the variant for many pairs; what is too far apart for it comes out in its place."""
    pairs = related(300, 300, 21)
    write("a.fa", fasta((f"q{i}", query) for i, (query, _) in enumerate(pairs)))
    write("b.fa", fasta((f"t{i}", target) for i, (_, target) in enumerate(pairs)))
    together = "--variant wavefront-batch"
    for more in "", "--gaps right", "--max-distance 9", "--check", "--config WG=3,ROOM=70", "-t 1":
        table = rhomb("align a.fa b.fa --format tsv", together, more).table
        check = "" if "--check" in more or "--config" in more else more
        plain = rhomb("align a.fa b.fa --format tsv --engine reference", check).table
        keys = "query", "target", "distance", "cigar", "matches", "inserted"
        assert [[row[key] for key in keys] for row in table] == [[row[key] for key in keys] for row in plain]
        assert sum(row["variant"] == "wavefront-batch" for row in table) > 250
    rhomb("align a.fa b.fa --explain", together).prints(
        "^choice\t300 pairs are aligned together$", "^up_to_distance\t[0-9]+$", "^alignment\tthe device keeps wave")
    write("few.fa", fasta((f"t{i}", target) for i, (_, target) in enumerate(pairs[:20])))
    every = [rhomb("align few.fa b.fa --all-pairs --format tsv", how).column("cigar")
             for how in (together, "--engine reference")]
    assert len(every[0]) == 6000 and every[0] == every[1]


def test_a_file_with_itself_by_order(rhomb):
    assert rhomb("distance", MERS, MERS).column("distance") == 8 * ["0"]


@pytest.mark.parametrize("verb", ["distance", "align --format tsv"])
@pytest.mark.parametrize("a, b", [(900, 1000), (1000, 900), (1, 2)])
def test_records_that_do_not_pair_up(rhomb, write, tmp_path, verb, a, b):
    texts = [(f"r{i}", random_text(30, i)) for i in range(1000)]
    write("a.fq.gz", gzip.compress(fastq(texts[:a]).encode()))
    write("b.fa", fasta(texts[:b]))
    says = f"a.fq.gz and b.fa: {a:,} records? against {b:,} records?, so they cannot"
    run = rhomb(verb, "a.fq.gz b.fa", code=3, partial=True).says(says)
    assert run.column("distance") == min(a, b) * ["0"]
    rhomb(verb, "a.fq.gz b.fa -o out", code=3).says(says)
    assert not (tmp_path / "out").exists() and leftovers(tmp_path) == []


@pytest.mark.parametrize("verb", ["distance", "align --format tsv", "align"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_damaged_record_in_the_middle(rhomb, write, tmp_path, verb, packed):
    texts = [(f"r{i}", random_text(80, i)) for i in range(1000)]
    damaged = fastq(texts).replace(f"{texts[600][1]}\n+\n{80 * 'I'}", f"{texts[600][1]}\n+\n{79 * 'I'}")
    write("b.fq", gzip.compress(damaged.encode()) if packed else damaged)
    write("a.fa", fasta(texts))
    for files in "a.fa b.fq", "b.fq a.fa":
        run = rhomb(verb, files, code=3, partial=True).says("b.fq, line 2404, record 'r600': quality has 79 symbols")
        assert len(run.lines) == 600 and run.out.endswith("\n")
        assert run.lines[-1].startswith("r599\t80\t")
        rhomb(verb, files, "-o out", code=3)
        assert not (tmp_path / "out").exists() and leftovers(tmp_path) == []


@pytest.mark.parametrize("verb", ["distance", "align --format tsv"])
def test_a_slow_stream_is_answered_at_once(rhomb, verb):
    child = rhomb.start(verb, "--pairs -", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    late = threading.Timer(120, child.kill)
    late.start()
    try:
        for query, target in related(5, 30, 3):
            child.stdin.write(f"{query}\t{target}\n")
            child.stdin.flush()
            line = child.stdout.readline()
            line = child.stdout.readline() if line.startswith("#") else line
            assert line.split("\t")[4] == str(distance_of(query, target))
        child.stdin.close()
        assert child.wait(timeout=60) == 0
    finally:
        late.cancel()
        child.kill()
        child.wait()


def test_nobody_reads_the_rows(rhomb, write):
    write("pairs.tsv", tsv(related(20, 50, 2)) * 500)
    child = rhomb.start("distance --pairs pairs.tsv", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    assert b"error" not in child.stderr.read()
    child.wait(timeout=60)


# ---- matrices


def test_matrices(rhomb, write):
    names, texts = ["a", "b", "a long name"[:6], "d"], [random_text(40 + i, i) for i in range(4)]
    texts[3] = texts[0]
    write("some.fa", fasta(zip(names, texts)))
    of = [[distance_of(x, y) for y in texts] for x in texts]
    square = rhomb("distance some.fa --matrix square").out
    assert square == "#name\ta\tb\ta\td\n" + "".join(
        "\t".join([name.split()[0], *map(str, row)]) + "\n" for name, row in zip(names, of))
    assert rhomb("distance some.fa some.fa --matrix square --variant strips-batch").out == square
    lower = rhomb("distance some.fa --matrix lower").out.splitlines()
    assert lower[1:] == ["\t".join([names[i].split()[0], *map(str, of[i][:i])]) for i in range(4)]
    near = rhomb("distance some.fa --matrix square --max-distance 5").out.splitlines()
    assert near[1] == "a\t0\t\t\t0"
    # The rows of another file: not a square then.
    write("two.fa", fasta([("x", texts[1]), ("y", texts[2])]))
    assert rhomb("distance some.fa two.fa --matrix square").out.splitlines()[1] == f"a\t{of[0][1]}\t{of[0][2]}"


def test_matrices_that_cannot_be(rhomb, write):
    write("a.fa", fasta([("one", "ACGT"), ("two", "ACG"), ("one", "ACC")]))
    write("b.fa", fasta([("x(1)", "ACGT"), ("y", "ACG")]))
    rhomb("distance a.fa --matrix phylip", code=3).says("a.fa, record 'one': records 1 and 3 have this name")
    rhomb("distance b.fa --matrix phylip", code=3).says(r"record 'x\(1\)': the name has '\('")
    rhomb("distance b.fa --matrix square").prints(r"^x\(1\)\t0\t1$")
    for wrong in ("a.fa b.fa --matrix phylip", "a.fa b.fa --matrix lower", "a.fa --matrix round", "a.fa",
                  "a.fa --matrix square --format json", "a.fa --matrix lower --concat", "--pairs a.fa --matrix square"):
        rhomb("distance", wrong, code=2)
    rhomb("distance a.fa --matrix phylip --max-distance 3", code=2).says("PHYLIP has no sign")


def clades(newick):
    """The sets of names on either side of each inner edge, without regard to the root."""
    stack, found, names = [], [], set()
    for token in re.findall(r"[(),]|[^(),:;\s]+|:[-0-9.e]+", newick):
        if token == "(":
            stack.append(set())
        elif token == ")":
            inner = stack.pop()
            found.append(frozenset(inner))
            if stack:
                stack[-1] |= inner
        elif token not in "," and not token.startswith(":"):
            names.add(token)
            stack[-1].add(token)
    return {one for clade in found for one in (clade, frozenset(names - clade)) if 1 < len(one) < len(names) - 1}


@pytest.mark.skipif(not shutil.which("phylip"), reason="phylip is not installed")
def test_a_tree_of_genomes(rhomb, tmp_path):
    """Camel viruses of one farm, patients of one hospital, two English cases of one journey, and the oldest two."""
    rhomb("distance", MERS, "--matrix phylip -o infile")
    assert (tmp_path / "infile").read_text().splitlines()[:2] == ["8", "JX869059.2 0 162 99 98 119 124 109 152"]
    done = subprocess.run(["phylip", "neighbor"], cwd=tmp_path, input="Y\n", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    tree = clades((tmp_path / "outtree").read_text())
    for pair in [("KC164505.2", "KC667074.1"), ("KJ650297.1", "KJ650295.1"), ("KF186566.1", "KF186565.1"),
                 ("JX869059.2", "KC776174.1")]:
        assert frozenset(pair) in tree, (pair, tree)
