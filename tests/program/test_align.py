"""rhomb align: alignments against an oracle of this file's own, every format, both sides of gaps and both
strands, limits, and VCF and SAM as samtools and bcftools read them."""
import random
import re
import shutil
import subprocess

import pytest

from conftest import BA, WUHAN, fasta, mutate, random_text

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def canonical(query, target):
    """Edits of the optimal alignment that a walk back from the ends finds: pairs, then I, then D."""
    m, n = len(query), len(target)
    cost = [[i + j for j in range(n + 1)] for i in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost[i][j] = min(cost[i - 1][j - 1] + (query[i - 1] != target[j - 1]), cost[i - 1][j] + 1,
                             cost[i][j - 1] + 1)
    edits, i, j = "", m, n
    while i or j:
        differ = bool(i and j) and query[i - 1] != target[j - 1]
        if i and j and cost[i][j] == cost[i - 1][j - 1] + differ:
            edits, i, j = edits + "=X"[differ], i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            edits, i = edits + "I", i - 1
        else:
            edits, j = edits + "D", j - 1
    return edits[::-1]


def cigar_of(edits):
    return "".join(f"{len(run.group())}{run.group()[0]}" for run in re.finditer(r"(.)\1*", edits))


def edits_of(cigar):
    return "".join(int(count) * letter for count, letter in re.findall(r"(\d+)([=XIDM])", cigar))


def tags(fields):
    return {field[:2]: field[5:] for field in fields}


@pytest.fixture
def related(write):
    """Pairs of related sequences: [(name, query, target)], written to q.fa and t.fa."""
    pairs = []
    for i in range(12):
        target = random_text(50 + 40 * i, 100 + i)
        pairs.append((f"p{i}", mutate(target, 0.15, i), target))
    write("q.fa", fasta([(name, query) for name, query, _ in pairs]))
    write("t.fa", fasta([(name, target) for name, _, target in pairs]))
    return pairs


def test_help(rhomb):
    rhomb("align --help").prints("^Examples:", "gap_compressed_identity", "--both-strands")


@pytest.mark.parametrize("wrong", ["--format table", "--gaps middle", "--cigar X", "--cs all", "--cs short --format tsv",
                                   "--cs short --format vcf", "--summary --format paf", "--max-memory 0",
                                   "--summary --cs long", "--engine align", "--max-distance -1",
                                   "--format vcf --gaps right", "--format vcf --all-pairs",
                                   "--format vcf --case-sensitive", "--format sam --case-sensitive"])
def test_usage(rhomb, write, wrong):
    write("a.fa", ">a\nACGT\n")
    rhomb("align a.fa a.fa", wrong, code=2)


def test_paf(rhomb, related):
    lines = rhomb("align q.fa t.fa --cs long").lines
    assert len(lines) == len(related)
    for line, (name, query, target) in zip(lines, related):
        fields, edits = line.split("\t"), canonical(query, target)
        distance = len(edits) - edits.count("=")
        assert fields[:12] == [name, str(len(query)), "0", str(len(query)), "+", name, str(len(target)), "0",
                               str(len(target)), str(edits.count("=")), str(len(edits)), "255"]
        tag = tags(fields[12:])
        gaps = len(re.findall("I+|D+", edits))
        assert tag["NM"] == str(distance)
        assert float(tag["de"]) == pytest.approx(
            1 - edits.count("=") / (edits.count("=") + edits.count("X") + gaps), abs=1e-6)
        assert tag["cg"] == cigar_of(edits)
        # The difference string gives both sequences again.
        made = {"query": "", "target": ""}
        for kind, text in re.findall(r"([=+*-])([A-Za-z]+)", tag["cs"]):
            made["target"] += {"=": text, "-": text, "*": text[:1], "+": ""}[kind].upper()
            made["query"] += {"=": text, "+": text, "*": text[1:], "-": ""}[kind].upper()
        assert made == {"query": query, "target": target}


def test_short_cs_and_old_cigars(rhomb, write):
    write("q.fa", ">q\nACGTACGGACCA\n")
    write("t.fa", ">t\nACCTACGACCTTA\n")
    edits = canonical("ACGTACGGACCA", "ACCTACGACCTTA")
    fields = rhomb("align q.fa t.fa --cs short --cigar M").lines[0].split("\t")
    assert tags(fields[12:])["cg"] == cigar_of(edits.replace("=", "M").replace("X", "M"))
    assert tags(fields[12:])["cs"] == ":2*cg:3+g:4-tt:1"


def test_gaps_left_and_right(rhomb, write):
    write("q.fa", ">q\nACCCCT\n>r\nAGAGAGAG\n")
    write("t.fa", ">t\nACCT\n>u\nAGAGAGAGAG\n")
    assert rhomb("align q.fa t.fa --format tsv").column("cigar") == ["1=2I3=", "2D8="]
    assert rhomb("align q.fa t.fa --format tsv --gaps right").column("cigar") == ["3=2I1=", "8=2D"]


@pytest.mark.parametrize("engine", ["auto", "strips", "wavefront", "corridor", "reference"])
def test_engines_agree(rhomb, write, engine):
    target = random_text(30000, 1)
    target = target[:9000] + target[9500:] + random_text(700, 2)
    query = mutate(random_text(30000, 1), 0.06, 3)
    write("q.fa", fasta([("q", query)]))
    write("t.fa", fasta([("t", target)]))
    row = rhomb("align q.fa t.fa --format json --engine", engine).json[0]
    plain = rhomb("align q.fa t.fa --format json --engine reference").json[0]
    assert (row["distance"], row["cigar"]) == (plain["distance"], plain["cigar"])
    assert row["distance"] == rhomb("distance q.fa t.fa --format json").json[0]["distance"]


def test_check(rhomb):
    rhomb("align", WUHAN, BA, "--check --summary --progress plain").says("checked")


def test_genomes(rhomb):
    row = rhomb("align", WUHAN, BA, "--format json").json[0]
    assert row["distance"] == 109
    edits = edits_of(row["cigar"])
    assert len(edits) - edits.count("=") == 109
    assert (row["matches"], row["mismatches"]) == (edits.count("="), edits.count("X"))
    assert (row["inserted"], row["deleted"]) == (edits.count("I"), edits.count("D"))


def test_both_strands(rhomb, write):
    target = random_text(500, 4)
    query = mutate(target, 0.05, 5)
    turned = query[::-1].translate(COMPLEMENT)
    write("q.fa", fasta([("+", query), ("-", turned)]))
    write("t.fa", fasta([("t", target), ("t", target)]))
    forward, backward = (line.split("\t") for line in rhomb("align q.fa t.fa --both-strands").lines)
    assert (forward[4], backward[4]) == ("+", "-")
    assert tags(forward[12:])["cg"] == tags(backward[12:])["cg"] == cigar_of(canonical(query, target))
    write("p.fa", ">p\nEQFL\n")
    rhomb("align p.fa p.fa --both-strands", code=3).says("p.fa")


def test_limits(rhomb, write):
    write("q.fa", ">q\nAAAA\n>r\nAC\n")
    write("t.fa", ">t\nAATTTT\n>u\nAC\n")
    run = rhomb("align q.fa t.fa --max-distance 2 --format tsv")
    assert run.column("distance") == [">2", "0"]
    assert run.column("cigar") == ["NA", "2="]
    assert len(rhomb("align q.fa t.fa --max-distance 2").lines) == 1
    assert rhomb("align q.fa t.fa --max-distance 2 --format json").json[0]["distance"] is None
    rhomb("align q.fa t.fa --max-memory 5", code=5).says("limit of 5")


def test_summary(rhomb, write):
    target = random_text(9000, 6)
    turned = target[3000:5000][::-1].translate(COMPLEMENT)
    query = target[:1000] + target[1100:3000] + turned + target[5000:8000] + "ACGTT" + target[8000:]
    write("q.fa", fasta([("q", query)]))
    write("t.fa", fasta([("t", target)]))
    row = rhomb("align q.fa t.fa --summary --format json").json[0]
    assert "cigar" not in row
    assert row["deleted"] - row["inserted"] == 95
    (found,) = row["inversions"]
    assert abs(found["query_start"] - 2900) < 50 and abs(found["query_end"] - 4900) < 50
    assert found["target_start"] - found["query_start"] == 100
    assert found["turned_distance"] < 100 < found["distance"]
    assert re.fullmatch(r"\d+-\d+:\d+-\d+", rhomb("align q.fa t.fa --summary").column("inversions")[0])
    write("q.fa", ">q\nAAAACCCCTTTTGGGT\n")
    write("t.fa", ">t\nAAAATTTTGAGGTTT\n")
    (row,) = rhomb("align q.fa t.fa --summary").table
    edits = canonical("AAAACCCCTTTTGGGT", "AAAATTTTGAGGTTT")
    for key, letter in (("match", "="), ("mismatch", "X"), ("insertion", "I"), ("deletion", "D")):
        assert int(row[f"longest_{key}"]) == max(map(len, re.findall(f"{letter}+", edits)), default=0)
    assert row["inversions"] == "-"


def test_explain(rhomb):
    rhomb("align", WUHAN, BA, "--explain").prints("^host_bytes\t[0-9]+$", "^alignment\t")


def test_empty_and_equal(rhomb, write):
    write("a.txt", "ACGT\nACGT\n")
    write("b.txt", "ACGT\nACGTA\n")
    assert rhomb("align a.txt b.txt --format tsv").column("cigar") == ["4=", "4=1D"]


def test_formats_refuse(rhomb, write):
    write("q.fa", ">q\nACGR\n>r\nACGT\n")
    write("t.fa", ">t\nACGT\n>t\nACGA\n")
    rhomb("align q.fa t.fa --format sam", code=3).says("two targets have this name")
    write("t.fa", ">t\nACGT\n>u\nACGA\n")
    rhomb("align q.fa t.fa --format vcf", code=3).says("symbol 'R'")


def apply_vcf(lines, target):
    """The query that VCF records make of the target."""
    query, at = "", 0
    for line in lines:
        _, pos, _, ref, alt, *_ = line.split("\t")
        begin = int(pos) - 1
        assert target[begin:begin + len(ref)] == ref
        # The symbol before a gap may belong to the record before.
        shared = 0
        while shared < min(len(ref), len(alt)) and ref[shared] == alt[shared] and begin + shared < at:
            shared += 1
        if begin < at and shared == 0:  # after a replaced symbol
            shared = at - begin
        assert begin + shared >= at
        query += target[at:begin + shared] + alt[shared:]
        at = begin + len(ref)
    return query + target[at:]


def test_vcf(rhomb, related):
    run = rhomb("align q.fa t.fa --format vcf")
    assert run.out.startswith("##fileformat=VCFv4.3\n")
    for name, query, target in related:
        lines = [line for line in run.lines if line.split("\t")[0] == name]
        events = re.findall("X+|I+|D+", canonical(query, target))
        assert [re.search("TYPE=([A-Z]+);LEN=([0-9]+)", line).groups() for line in lines] == [
            ({"I": "INS", "D": "DEL"}.get(event[0], "SNV" if len(event) == 1 else "MNV"), str(len(event)))
            for event in events]
        assert apply_vcf(lines, target) == query


@pytest.mark.parametrize("target, query", [
    ("CCAGGTTACGATTACA", "TGGTTACGATTACA"), ("ACAGGATTACAGATT", "GGTCAGGATTACAGATT"),
    ("CCGGTTACGATTACA", "GGTTACGATTACA"), ("GGTTACGATTACA", "CCGGTTACGATTACA")])
def test_vcf_gap_at_the_beginning(rhomb, write, target, query):
    write("q.fa", fasta([("q", query)]))
    write("t.fa", fasta([("t", target)]))
    lines = rhomb("align q.fa t.fa --format vcf").lines
    at = 0
    for line in lines:  # no record touches what another one has replaced
        _, pos, _, ref, alt, *_ = line.split("\t")
        assert int(pos) - 1 >= at
        at = int(pos) - 1 + len(ref)
    assert apply_vcf(lines, target) == query


def test_vcf_of_symbols_that_match_nothing(rhomb, write):
    write("q.fa", ">q\nGCANNAATGCC\n")
    write("t.fa", ">t\nGCANNAATGAC\n")
    lines = rhomb("align q.fa t.fa --format vcf --ambiguous mismatch").lines
    assert [line.split("\t")[1:5] for line in lines] == [["10", ".", "A", "C"]]


@pytest.mark.parametrize("form", ["sam", "vcf"])
def test_names_that_formats_forbid(rhomb, write, form):
    write("q.fa", ">q\nACGT\n")
    write("t.fa", ">t,x=1>\nACGA\n")
    rhomb("align q.fa t.fa --format", form, code=3).says("do not allow this name")


def test_sam_has_letters_alone(rhomb, write):
    write("p.fa", ">p\nACDE*FG\n")
    rhomb("align p.fa p.fa --format sam", code=3).says("no letter")


@pytest.mark.skipif(shutil.which("bcftools") is None, reason="bcftools is not installed")
def test_bcftools_norm_changes_nothing(rhomb, related, tmp_path):
    run = rhomb("align q.fa t.fa --format vcf")
    (tmp_path / "d.vcf").write_text(run.out)
    done = subprocess.run(["bcftools", "norm", "-c", "e", "-f", "t.fa", "d.vcf"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    records = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    assert sorted(records) == sorted(run.lines)


@pytest.mark.skipif(shutil.which("samtools") is None, reason="samtools is not installed")
@pytest.mark.parametrize("cigar", ["=X", "M"])
def test_samtools_reads_it(rhomb, related, tmp_path, cigar):
    run = rhomb("align q.fa t.fa --format sam --cigar", cigar)
    (tmp_path / "d.sam").write_text(run.out)
    for command in (["view", "-b", "-o", "d.bam", "d.sam"], ["quickcheck", "d.bam"]):
        done = subprocess.run(["samtools", *command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    back = subprocess.run(["samtools", "view", "d.bam"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert back.splitlines() == [line for line in run.lines if not line.startswith("@")]
    # Its own NM and MD are the same.
    filled = subprocess.run(["samtools", "calmd", "d.sam", "t.fa"], cwd=tmp_path, capture_output=True, text=True)
    assert filled.returncode == 0, filled.stderr
    assert not re.search("different", filled.stderr), filled.stderr


@pytest.mark.skipif(shutil.which("samtools") is None, reason="samtools is not installed")
def test_samtools_reads_very_long_cigars(rhomb, write, tmp_path):
    rng = random.Random(8)
    target = random_text(300000, 7)
    query = "".join(c if rng.random() > 0.2 else rng.choice("ACGT") for c in target)
    write("q.fa", fasta([("q", query)]))
    write("t.fa", fasta([("t", target)]))
    run = rhomb("align q.fa t.fa --format sam")
    (tmp_path / "d.sam").write_text(run.out)
    record = run.lines[-1].split("\t")
    assert len(re.findall("[=XID]", record[5])) > 65535
    subprocess.run(["samtools", "view", "-b", "-o", "d.bam", "d.sam"], cwd=tmp_path, check=True)
    back = subprocess.run(["samtools", "view", "d.bam"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert back.split("\t")[5] == record[5]
