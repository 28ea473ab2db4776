"""What --explain foresees: memory that buffers take, as a layer (tests/support/sizes_layer.cpp) counts them, and what will answer."""
import os
import re
from pathlib import Path

import pytest

from conftest import ROOT, fasta, mutate, random_text

CASES = {
    "strips": ("distance a.fa b.fa --engine strips", 1.1),
    "strips-full": ("distance a.fa b.fa --variant strips-full", 1.1),
    "wavefront": ("distance a.fa b.fa --engine wavefront", 1.1),
    "corridor": ("distance a.fa b.fa --engine corridor", 1.2),  # its launches differ from run to run
    "corridor, words there": ("distance a.fa b.fa --engine corridor --config WORDS=1", 1.1),
    "pieces": ("distance a.fa gap.fa --variant pieces", 1.1),
    "align by strips": ("align a.fa b.fa --engine strips", 1.1),
    "align by a corridor": ("align a.fa b.fa --engine corridor", 1.2),
    "align by wavefronts": ("align a.fa b.fa --engine wavefront", 1.3),  # twice as far off as the sketch
    "align by pieces": ("align a.fa gap.fa --variant pieces", 2),  # a piece whose wavefronts are slow today goes to the strips
    "gaps": ("gaps reads.fa others.fa --max-gaps 2", 1.1),
    "gaps, many blocks": ("gaps many.fa many.fa --max-gaps 2", 1.1),
    "gaps, CIGARs": ("gaps many.fa many.fa --max-gaps 2 --cigar", 1.1),
    "search": ("search many.fa a.fa -k 2", 1.1),
    "search, both strands": ("search many.fa b.fa -k 2 --both-strands", 1.1),
    "search --pairs": ("search --pairs pairs.tsv -k 5", 1.1),
    "lcs": ("lcs reads.fa many.fa", 1.1),
    "primer": ("primer reads.fa a.fa -k 10", 1.1),
}
# How many pairs come at a time depends on how fast they are read: what is foreseen is not far off, and the bound holds and
# is no more than so many times what is taken.
AT_MOST = {
    "pairs by wavefronts": ("distance reads.fa others.fa --variant wavefront-batch", 3, 3),
    "pairs by strips": ("distance reads.fa others.fa --variant strips-batch", 3, 3),
    "pairs by bands": ("distance many.fa many.fa --variant band-batch", 3, 3),
    "each with each": ("distance reads.fa others.fa --all-pairs --variant strips-batch", 3, 3),
    "alignments of pairs": ("align reads.fa others.fa --variant wavefront-batch", 3, 200),
}


@pytest.fixture(scope="session")
def layer():
    path = Path(os.environ.get("RHOMB_GUARD_LAYER", ROOT / "build/checked/tests/librhomb_guard.so")).with_name("librhomb_sizes.so")
    if not path.is_file():
        pytest.fail(f"there is no layer {path}: build the target rhomb_sizes")
    return path


@pytest.fixture(scope="module")
def rhomb(shared_rhomb):
    a = random_text(300_000, 71)
    reads = [random_text(100, 80 + i) for i in range(300)]
    many = [random_text(100, 1000 + i) for i in range(4000)]
    inputs = {
        "a.fa": fasta([("a", a)]),
        "b.fa": fasta([("b", mutate(a, 0.02, 72))]),
        "gap.fa": fasta([("gap", mutate(a[:150_000], 0.005, 73) + random_text(20_000, 74) + mutate(a[150_000:], 0.005, 75))]),
        "reads.fa": fasta((f"r{i}", read) for i, read in enumerate(reads)),
        "others.fa": fasta((f"s{i}", mutate(read, 0.05, i)) for i, read in enumerate(reads)),
        "many.fa": fasta((f"m{i}", read) for i, read in enumerate(many)),
        "pairs.tsv": "".join(f"{read}\t{mutate(read, 0.05, i)}\n" for i, read in enumerate(many)),
    }
    for name, content in inputs.items():
        (shared_rhomb.folder / name).write_text(content)
    return shared_rhomb


@pytest.mark.parametrize("case", [*CASES, *AT_MOST])
def test_device_memory_is_as_foreseen(rhomb, layer, case):
    command, factor, *bound = {**CASES, **AT_MOST}[case]
    counted = rhomb.folder / "sizes"
    rhomb(command, "-o", "out")  # programs are tested then, which takes memory, too
    explained = rhomb(command, "--explain").out
    said, most = (
        [int(value) for value in re.findall(rf"^{name}\s+(\d+)$", explained, re.M)] for name in ("device_bytes", "device_bytes_at_most")
    )
    for _ in range(3):  # a driver that is interrupted lets go of a buffer after it has said that its last command ended
        rhomb(command, "-o", "out", env={"OPENCL_LAYERS": layer, "RHOMB_SIZES": counted})
        taken = int(counted.read_text())
        assert not bound or taken <= most[0] / 0.99, f"{taken} bytes were taken, {most[0]} at most were foreseen"
        if taken <= said[0] * factor:
            break
    assert taken / factor <= said[0] <= taken * factor, f"{said[0]} bytes were foreseen, {taken} taken"
    if bound:
        assert most[0] <= taken * bound[0], f"{taken} bytes were taken, {most[0]} at most were foreseen"


@pytest.fixture(scope="module")
def long(rhomb):
    """A million symbols with few differences, for a corridor; and three with a long gap, for pieces."""
    a, inserted = random_text(3_000_000, 91), random_text(60_000, 92)
    near, cut = a[:1_000_000], a[:1_500_000] + inserted + a[1_500_000:]
    for name, text, seed in ("near.q.fa", near, 0), ("near.t.fa", near, 93), ("cut.q.fa", a, 0), ("cut.t.fa", cut, 94):
        (rhomb.folder / name).write_text(fasta([(name, mutate(text, 0.01, seed) if seed else text)]))
    return rhomb


@pytest.mark.parametrize("verb", ["distance", "align"])
@pytest.mark.parametrize("files, foreseen", [("a.fa b.fa", None), ("a.fa gap.fa", None), ("near.q.fa near.t.fa -d 0", "corridor"), ("near.q.fa near.t.fa", None),
                                             ("cut.q.fa cut.t.fa", "pieces")])
def test_what_is_foreseen_answers(long, verb, files, foreseen):
    explained = dict(line.split("\t", 1) for line in long(f"{verb} {files} --explain").out.splitlines())
    for _ in range(4):  # where the machine is busy the host may give up, and leaves a pair to the device
        answer = long(f"{verb} {files} --format tsv").table[0]
        if answer["variant"] == explained["variant"]:
            break
    assert (answer["engine"], answer["variant"]) == (explained["engine"], explained["variant"])
    assert foreseen in (None, answer["variant"])
