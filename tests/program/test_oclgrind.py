"""Runs every variant's kernels under Oclgrind, which simulates a device and sees each access outside a
buffer, each wrong barrier and each race between work-items.

Oclgrind exits 0 whatever it finds, so an empty log is what passes; and the answers must be the reference's.
The simulator is slow: short sequences, small groups. The programs' self-tests are left out: they took nine tenths of
the time, and answers are compared here.

Three things are left alone. In strip/flow.h groups pass words on while they run, so that whoever waits for
one reads it again and again while it is written: on purpose, a word tells by itself that it is complete. Its
races are not looked for. The status words at the start of a buffer (the answer, where wavefronts met) are read
by some work-items while others write them: on purpose, either value is good. And --uninitialized is not used,
because Oclgrind takes what clEnqueueFillBuffer wrote for unset.
"""
import re
import shutil

import pytest

from conftest import fasta, mutate, random_text

DISTANCE = """
dynamic  WG=32
batched  WG=32,BATCH=10
baseline WG=32
prefetch WG=8,BATCH=10
tiled-global   T=2,WG=4,BATCH=10
tiled-register T=3,WG=4,BATCH=10
tiled-local    T=5,WG=4,BATCH=10
group    T=3,BATCH=10
diamond  T=7,BATCH=4
fused    VEC=1,WG=8,DIAGS=2,STEPS=4,BATCH=4,WALK=1
fused    VEC=1,WG=32,DIAGS=1,STEPS=4,BATCH=4,WALK=0
fused    VEC=4,WG=1,DIAGS=8,STEPS=8,BATCH=4
fused    VEC=8,WG=1,DIAGS=4,STEPS=8,BATCH=4
fused-batch WG=8,DIAGS=2,STEPS=4,BATCH=4,WALK=1
wavefront-batch WG=4,DIAGS=2,ROOM=40
strips      LANES=1,WG=4,K=1,SLAB=4,FLOW=0
strips-full LANES=16,K=1,SLAB=16,FLOW=0
strips      LANES=1,WG=1,K=2,SLAB=4,FLOW=1
strips      LANES=4,K=1,SLAB=4,FLOW=1
flow-batch  LANES=1,WG=1,K=2
flow-batch  LANES=4,K=1
corridor    LANES=1,WG=4,TEAM=2,ROWS=96,MARGIN=2,PIECE=3,SEGMENTS=7,WORDS=1
corridor    LANES=4,ROWS=64,MARGIN=2,PIECE=4,SEGMENTS=5
strips-batch LANES=1,WG=4
strips-batch LANES=4,SLOT=32,K=2
"""
LCS = """
strips-lcs  LANES=1,WG=4,K=2,S=8,CHUNK=4
strips-lcs  LANES=1,WG=3,K=1,S=32,QUEUES=2,CHUNK=2
strips-lcs  LANES=4,K=1,S=4
strips-lcs  LANES=16,K=3,S=32
crochemore  WG=4,W=4,STORE=1,CHUNK=3
crochemore  WG=3,W=4,STORE=0
allison-dix WG=4,W=4,STORE=1,QUEUES=2,CHUNK=3
allison-dix WG=3,W=8,STORE=0
"""
SEARCH = """
strips-batch LANES=1,WG=4
strips-batch LANES=1,WG=3,SLOT=32,K=2
strips-batch LANES=4,SLOT=16,K=11
task-private WG=4
task-local   WG=4
coop         WG=32,R=4,W=1,VIA=0
"""
GAPS = """
gaps-lanes SPAN=1,COLS=2             --max-gaps 2
gaps-lanes SPAN=4,COLS=3,WG=8        --max-gaps 1 --strict
gaps-lanes SPAN=2,COLS=2,WG=2,BITS=32 --max-gaps 1 --band 6
gaps-lanes SPAN=4,COLS=2,WG=8,DIAGONAL=1 --max-gaps 3
multi-b    WG=8                      --max-gaps 2
single-h   WG=4,BATCH=2              --max-gaps 1
"""
PRIMER = """
cores        BLOCK=3,PROBES=2
conventional WG=4,TILE=1,STOP=1,REDUCE=1,NEAR=1
conventional WG=4,TILE=0,STOP=0,REDUCE=0,NEAR=0
alternative  WG=4,TILE=1,STOP=0,REDUCE=1,NEAR=2
alternative  WG=4,TILE=1,STOP=1,REDUCE=0,NEAR=1,COUNT=1
alternative  WG=4,TILE=0,STOP=1,REDUCE=1,NEAR=0
"""
# The first is two to three times as fast, but Oclgrind does not know what becomes of saturating sums and funnel
# shifts then, and computes some vectors wrongly. Reads whose value nobody needs may be gone then.
OPTIONS = "-O1", "-cl-opt-disable"
MEANT = re.compile("Read-write data race at global memory address 0x[0-9a-f]*00000000000[0-7]$")
# Pairs that share launches have a status each; what is written in this file is nothing else.
STATUS = re.compile(r"Read-write data race at global memory.*Kernel: wfa_fused.* of cl/wfa/meet\.h", re.S)

pytestmark = [
    pytest.mark.skipif(not shutil.which("oclgrind"), reason="oclgrind is not installed"),
]


@pytest.fixture(autouse=True)
def not_sanitized(sanitized):
    if sanitized:
        pytest.skip("oclgrind preloads a library, which AddressSanitizer does not accept")


def rows(text):
    return [tuple(line.split()) for line in text.split("\n") if line]


def reports(log):
    """What Oclgrind reports and is not meant: a heading and indented lines, with blank ones between."""
    found = []
    for report in re.split(r"\n(?=[^\s])", "\n" + log):
        heading = report.strip().split("\n")[0]
        if heading and not MEANT.match(heading) and not STATUS.match(report.strip()):
            found.extend(line for line in report.splitlines() if line.strip())
    return found


def simulated(rhomb, verb, variant, config, files, expected, answer):
    """The answer of a run under Oclgrind is what is expected, and Oclgrind had nothing to say."""
    log = rhomb.folder / "log"
    for options in OPTIONS:
        log.unlink(missing_ok=True)
        under = ["oclgrind", "--log", str(log), "--max-errors", "1000000", "--build-options", options]
        if "FLOW=1" not in config and variant != "flow-batch":
            under.append("--data-races")
        try:
            # It has no room for kernels that two threads have enqueued.
            found = answer(rhomb(verb, "--device Oclgrind --threads 1 --variant", variant, "--config", config, files, under=under,
                                 timeout=600, env={"XDG_CACHE_HOME": str(rhomb.folder / options), "RHOMB_SELF_TESTS": "0"}))
        except pytest.fail.Exception as failed:
            if options == OPTIONS[-1] or "Undefined external function" not in str(failed):
                raise
            continue
        if found == expected:
            break
    said = reports(log.read_text())
    assert not said, "Oclgrind reports:\n" + "\n".join(said[:40])
    assert found == expected


def column(name):
    return lambda run: run.column(name)


def text(run):
    return run.out


@pytest.fixture(scope="module")
def pairs(shared_rhomb):
    dna, long = random_text(150, 1), random_text(1300, 6)
    pairs = {
        "close": (dna, mutate(dna, 0.03, 2)),
        "far": (dna, mutate(dna, 0.3, 3)),
        "unrelated": (random_text(97, 4), random_text(64, 5)),
        "tandem": ("ACG" * 40, "ACGG" * 25),
        "long": ("A" + long, "C" + long + "AACG"),
        "one": ("A", random_text(33, 10)),
    }
    for side, name in enumerate(("a.fa", "b.fa")):
        (shared_rhomb.folder / name).write_text(fasta((name, pair[side]) for name, pair in pairs.items()))
    shared_rhomb.distances = shared_rhomb("distance a.fa b.fa --variant reference").column("distance")
    assert len(shared_rhomb.distances) == len(pairs)
    return shared_rhomb


@pytest.mark.parametrize("variant, config", rows(DISTANCE))
def test_distance(pairs, variant, config):
    simulated(pairs, "distance", variant, config, "a.fa b.fa", pairs.distances, column("distance"))


@pytest.mark.parametrize("config", ["WG=4,ROOM=60", "WG=1,ROOM=90"])
def test_paths(pairs, config):
    files = "a.fa b.fa --format tsv"
    wanted = pairs("align", files, "--engine reference").column("cigar")
    simulated(pairs, "align", "wavefront-batch", config, files, wanted, column("cigar"))


def test_kept_rows(pairs):
    """The simulator says that it is a GPU too, so the ways through the rows that the strips keep are its work."""
    query = random_text(1500, 11)
    target = mutate(query[:400], 0.1, 12) + random_text(500, 13) + mutate(query[400:], 0.3, 14)
    for name, sequence in ("query.fa", query), ("target.fa", target):
        (pairs.folder / name).write_text(fasta([(name, sequence)]))
    files = "query.fa target.fa --format tsv"
    wanted = pairs("align", files, "--engine reference").column("cigar")
    simulated(pairs, "align", "strips", "LANES=1,WG=4,K=1,SLAB=4,FLOW=0", f"{files} --trace trace.json", wanted, column("cigar"))
    assert "strip_paths" in (pairs.folder / "trace.json").read_text()


@pytest.mark.parametrize("config", ["LANES=1,WG=4,TEAM=2,ROWS=96", "LANES=4,ROWS=64"])
def test_rows_of_corridors(pairs, config):
    """Segments are few, so most rows are those that bands keep as they pass. Shorter texts have no probable path."""
    query = random_text(18000, 15)
    for name, sequence in ("like_query.fa", query), ("like_target.fa", mutate(query, 0.02, 16)):
        (pairs.folder / name).write_text(fasta([(name, sequence)]))
    files = "like_query.fa like_target.fa"
    wanted = pairs("align", files, "--engine reference --format tsv").column("cigar")

    def answer(run):
        row, = run.json
        return [row["cigar"]], row["parts"] > 4

    simulated(pairs, "align", "corridor", f"{config},MARGIN=2,PIECE=4,SEGMENTS=2", f"{files} --format json", (wanted, True), answer)


@pytest.mark.parametrize("config", ["VEC=1,WG=8,DIAGS=2,STEPS=5", "VEC=4,DIAGS=8,STEPS=3"])
def test_kept_wavefronts(pairs, config):
    files = "a.fa b.fa --format tsv"
    wanted = pairs("align", files, "--engine reference").column("cigar")
    simulated(pairs, "align", "fused", config, files, wanted, column("cigar"))


@pytest.fixture(scope="module")
def targets(shared_rhomb):
    """One query and many targets."""
    lengths = [1, 2, 32, 33, 34, 65, 66, 91, 98, 129, 130, 151, 151]
    (shared_rhomb.folder / "targets.fa").write_text(
        fasta((f"s{i}", mutate(random_text(160, 7), 0.2, i)[:length]) for i, length in enumerate(lengths)))
    (shared_rhomb.folder / "query.fa").write_text(fasta([("query", random_text(150, 7))]))
    shared_rhomb.lengths = shared_rhomb("lcs query.fa targets.fa --variant reference").column("length")
    assert len(shared_rhomb.lengths) == len(lengths)
    return shared_rhomb


@pytest.mark.parametrize("variant, config", rows(LCS))
def test_lcs(targets, variant, config):
    simulated(targets, "lcs", variant, config, "query.fa targets.fa", targets.lengths, column("length"))


@pytest.fixture(scope="module")
def reads(shared_rhomb):
    """Short queries in pieces of texts."""
    text = random_text(170, 8)
    (shared_rhomb.folder / "reads.fa").write_text(
        fasta((f"q{i}", mutate(text[8:8 + 3 * i * i], 0.1, i)) for i in range(1, 8)))
    (shared_rhomb.folder / "texts.fa").write_text(fasta([("text", text), ("short", "AC")]))
    shared_rhomb.hits = shared_rhomb("search reads.fa texts.fa --both-strands --variant reference").out
    assert len(shared_rhomb.hits.splitlines()) == 8
    return shared_rhomb


@pytest.mark.parametrize("variant, config", rows(SEARCH))
def test_search(reads, variant, config):
    simulated(reads, "search", variant, config, "reads.fa texts.fa --both-strands", reads.hits, text)


@pytest.fixture(scope="module")
def gapped(shared_rhomb):
    """Queries and targets with pieces left out."""
    text = random_text(40, 9)
    (shared_rhomb.folder / "gq.fa").write_text(fasta((f"q{i}", text[i:12 + 5 * i]) for i in range(5)))
    (shared_rhomb.folder / "gt.fa").write_text(fasta((f"t{i}", text[i:5 + i] + text[9 + i:]) for i in range(5)))
    return shared_rhomb


@pytest.mark.parametrize("row", GAPS.strip().splitlines())
def test_gaps(gapped, row):
    variant, config, rules = row.split(maxsplit=2)
    files = f"gq.fa gt.fa --cigar {rules}"
    expected = gapped("gaps", files, "--variant reference").out
    assert len(expected.splitlines()) == 6
    simulated(gapped, "gaps", variant, config, files, expected, text)


@pytest.mark.parametrize("config", ["SPAN=1,COLS=2", "SPAN=1,COLS=4,DIAGONAL=1", "SPAN=4,COLS=3,WG=8"])
def test_gaps_of_which_the_band_leaves_nothing(gapped, config):
    """Queries that are longer than their targets by far more than the band."""
    (gapped.folder / "short.fa").write_text(fasta((f"s{i}", random_text(3 + i, i)) for i in range(5)))
    (gapped.folder / "long.fa").write_text(fasta((f"q{i}", random_text(130 + i, i)) for i in range(5)))
    files = "long.fa short.fa --max-gaps 2 --band 3"
    expected = gapped("gaps", files, "--variant reference").out
    simulated(gapped, "gaps", "gaps-lanes", config, files, expected, text)


@pytest.fixture(scope="module")
def primers(shared_rhomb):
    """Two sequences and texts that have copies of their parts."""
    alpha = random_text(26, 20)
    (shared_rhomb.folder / "alpha.fa").write_text(fasta([("alpha", alpha), ("other", random_text(9, 21))]))
    (shared_rhomb.folder / "beta.fa").write_text(
        fasta([("t1", random_text(20, 22) + mutate(alpha, 0.1, 23)), ("t2", "AC")]))
    shared_rhomb.primers = shared_rhomb("primer alpha.fa beta.fa -k 4 --both-strands --variant reference").out
    assert len(shared_rhomb.primers.splitlines()) > 5
    return shared_rhomb


@pytest.mark.parametrize("variant, config", rows(PRIMER))
def test_primer(primers, variant, config):
    simulated(primers, "primer", variant, config, "alpha.fa beta.fa -k 4 --both-strands", primers.primers, text)
