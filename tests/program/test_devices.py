"""Devices that are not there (exit code 4), kernels that do not compile, and kernels that compute wrongly
(exit code 6)."""
import os
import random
import re
import shutil
from pathlib import Path

import pytest

from conftest import BA, ROOT, WUHAN, leftovers

PAIR = f"distance {WUHAN} {BA}"


def test_devices(rhomb):
    rhomb("devices").prints("^index +default +name")
    devices = rhomb("devices --format json").json
    assert any(device["default"] for device in devices)
    rhomb("devices --format tsv").prints("^#index.default.name")


def test_no_such_device(rhomb):
    rhomb(PAIR, "--device 99", code=4).says("there is no OpenCL device 99")
    rhomb(PAIR, "--device 'no such name'", code=4).says("there are:")
    wrong = {"RHOMB_DEVICE": 99}
    rhomb(PAIR, code=4, env=wrong)
    assert rhomb(PAIR, "--device 0", env=wrong).column("distance") == ["109"]
    assert rhomb(PAIR, "--engine reference", env=wrong).column("distance") == ["109"]
    rhomb("devices", env=wrong).says("RHOMB_DEVICE=99")


def test_no_device_at_all(rhomb, tmp_path):
    nothing = {"OCL_ICD_VENDORS": tmp_path / "nonexistent"}
    rhomb("devices", code=4, env=nothing).says("no OpenCL device found", "pocl-opencl-icd")
    rhomb(PAIR, "--engine wavefront --output none.tsv", code=4, env=nothing)
    assert not (tmp_path / "none.tsv").exists() and leftovers(tmp_path) == []
    assert rhomb(PAIR, env=nothing).table[0]["variant"] == "host"  # close enough
    rhomb(PAIR, "--engine reference --explain", env=nothing).prints("reference")
    assert rhomb(PAIR, "--variant reference", env=nothing).column("distance") == ["109"]


def test_drivers_that_the_system_does_not_know(rhomb, tmp_path):
    """RHOMB_DRIVERS: they compute, are there once, and what cannot be loaded is named where nothing else is there."""
    vendors = Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
    library = next((file.read_text().strip() for file in vendors.glob("pocl*.icd")), None)
    if library is None:
        pytest.skip("PoCL is not installed")
    (tmp_path / "none").mkdir()
    alone = {"OCL_ICD_VENDORS": tmp_path / "none", "RHOMB_DRIVERS": f"/nowhere.so:{library}"}
    [device] = rhomb("devices --format json", env=alone).json
    assert device["platform"] == "Portable Computing Language"
    assert rhomb(PAIR, "--engine strips", env=alone).column("distance") == ["109"]
    search = rhomb(f"search {WUHAN} {BA} -k 200", env=alone)
    assert search.column("distance") == rhomb(f"search {WUHAN} {BA} -k 200").column("distance") != []
    system = rhomb("devices --format json").json
    assert [one["name"] for one in rhomb("devices --format json", env={"RHOMB_DRIVERS": library}).json] == [one["name"] for one in system]
    rhomb("devices", code=4, env={**alone, "RHOMB_DRIVERS": "/nowhere.so"}).says("/nowhere.so, which RHOMB_DRIVERS names")


@pytest.fixture
def kernels(tmp_path):
    """kernels(FILE, OLD, NEW): a folder of kernels where NEW stands for OLD in FILE."""
    def kernels(file, old, new):
        folder = tmp_path / "kernels"
        if not folder.exists():
            shutil.copytree(ROOT / "cl", folder)
        text = (folder / file).read_text()
        assert old in text, f"cl/{file} has changed: say here how to break it"
        (folder / file).write_text(text.replace(old, new))
        return "--kernels kernels"

    return kernels


@pytest.mark.parametrize("file, command", [
    ("wfa/stepped.cl", f"{PAIR} --variant batched"),
    ("strip/pair.cl", f"{PAIR} --variant strips-full"),
    ("search/batch.cl", f"search {WUHAN} {BA} -k 1"),
    ("lcs/strips.cl", f"lcs {WUHAN} {BA}"),
])
def test_kernel_that_does_not_compile(rhomb, kernels, file, command):
    folder = kernels(file, "__kernel", "this is no OpenCL C; __kernel")
    rhomb(command, folder, code=4).says(file, "does not compile", "error")


def test_wavefronts_that_compute_wrongly(rhomb, kernels, tmp_path):
    folder = kernels("wfa/stepped.cl", "*answer = s;", "*answer = s + 1;")
    rhomb(PAIR, "--variant batched --output wrong.tsv", folder, code=6).says("wfa/stepped.cl|batched")
    assert not (tmp_path / "wrong.tsv").exists()


@pytest.mark.parametrize("config, file", [("", "strip/pair.cl"), ("--config LANES=1,FLOW=1", "strip/flow.cl")])
def test_strips_that_compute_wrongly(rhomb, kernels, tmp_path, config, file):
    folder = kernels("cell.h", "*mv = *ph & zero;", "*mv = *ph & ~zero;")
    run = rhomb(PAIR, "--engine strips --output wrong.tsv --trace run.json", config, folder, code=6)
    run.says(f"self-test of {file}")
    assert not (tmp_path / "wrong.tsv").exists() and not (tmp_path / "run.json").exists()
    assert leftovers(tmp_path) == []


def text(seed, length):
    drawn = random.Random(seed)
    return "".join(drawn.choice("ACGT") for _ in range(length))


def edited(seed, symbols, one_in):
    """Every so many symbols, about, one more, one less or another."""
    drawn = random.Random(seed)
    kinds = [drawn.randrange(3 * one_in) for _ in symbols]
    return "".join({0: "", 1: drawn.choice("ACGT"), 2: symbol + "T"}.get(kind, symbol) for kind, symbol in zip(kinds, symbols))


def fasta(*texts):
    return "".join(f">{i}\n{one}\n" for i, one in enumerate(texts))


# Damages: the file, what stands there, and what is to stand there. Each program that they are in fails its self-test.
WAVEFRONTS = [("wfa/lanes.h", "same) + 1, above);", "same) + 1, above + 1);"),
              ("wfa/front.h", "return moved > above ? moved : above;", "return moved > above ? above : moved;")]
PAIRS_OF_STRIPS = [("strip/pair.cl", "strip_chunk(&s.strip, &ph, &mh,", "strip_chunk(&s.strip, &mh, &ph,")]
CELLS = [("cell.h", "*mv = *ph & zero;", "*mv = *ph & ~zero;")]
LCS_STRIPS = [("lcs/step.h", "*h = logic_either_unless(*h, match, v_in);", "*h = logic_either_unless(*h, match, *v);")]
LCS_ROWS = [("lcs/rows.h", "row[w] = ROW_START;", "row[w] = 0x5555;")]
LANES = [("gaps/lanes.h", "(u32)ends.each[p]}", "(u32)ends.each[p] + 1}")]


@pytest.fixture
def broken(kernels, write):
    """broken(damages): the option for kernels with these damages. Besides, the texts that the tests below compare."""
    far = text(1, 2500), text(2, 2500)
    write("far.q.fa", fasta(far[0]))
    write("far.t.fa", fasta(far[1]))
    write("two.fa", fasta(text(3, 29000), text(4, 29000)))
    base = text(5, 600)
    write("many.fa", fasta(*(edited(10 + i, base, 40) for i in range(26))))
    queries = [text(30 + i, 150) for i in range(40)]
    write("gaps.q.fa", fasta(*queries))
    write("gaps.t.fa", fasta(*(edited(80 + i, one, 9) for i, one in enumerate(queries))))

    def broken(damages):
        return [kernels(*damage) for damage in damages][-1]

    return broken


@pytest.mark.parametrize("command, forced, damages, file, instead", [
    (f"distance {WUHAN} {BA} -d 0", "fused", WAVEFRONTS, "wfa/(vectors|fused).cl", "strips"),
    ("distance far.q.fa far.t.fa -d 0", "strips", PAIRS_OF_STRIPS, "strip/pair.cl", "flow-batch"),
    (f"search data/primers.fa {BA} -k 2 --both-strands", "strips-batch", CELLS, "search/batch.cl", "coop"),
    (f"lcs far.q.fa {BA}", "strips-lcs", LCS_STRIPS, "lcs/strips.cl", "crochemore"),
    ("gaps gaps.q.fa gaps.t.fa --max-gaps 2", "gaps-lanes", LANES, "gaps/lanes.cl", "single-b"),
    (f"primer data/primers.fa {BA} -k 3", "dense", CELLS, "primer/windows.cl", "alternative"),
])
def test_another_variant_computes(rhomb, broken, command, forced, damages, file, instead):
    """Nothing is asked for: the same answers by another variant, one warning. Asked for, the error names one that computes."""
    def answers(run):
        own = ("engine", "variant", "device", "seconds", "gcups")
        return [{name: value for name, value in row.items() if name not in own} for row in run.table]

    right = answers(rhomb(command))
    folder = broken(damages)
    run = rhomb(command, folder)
    assert answers(run) == right != []
    warnings = [line for line in run.err.splitlines() if line.startswith("rhomb: warning: ")]
    assert len(warnings) == 1, run
    run.says(f"^rhomb: warning: the self-test of {file} .* failed on '.*', driver .* instead of .*; {instead} computes instead$")
    # It is remembered, but not where the variant is asked for.
    assert answers(rhomb(command, folder).says(f"in an earlier run; {instead} computes instead$")) == right
    asked = rhomb(command, f"--variant {forced}", folder, code=6)
    asked.says(rf"the self-test of {file} .* instead of \S*; \S+ computes rightly there \(--variant \S+\)$")
    other = re.search(r"--variant (\S+)\)", asked.err)[1]
    assert other != forced and answers(rhomb(command, f"--variant {other}", folder)) == right


def test_a_variant_that_passes_again(rhomb, broken, kernels):
    """Asked for by name it is tested anew; what passes is no longer known as wrong."""
    folder = broken(LCS_STRIPS)
    command = f"lcs far.q.fa {BA} {folder}"
    rhomb(command).says("crochemore computes instead")
    for mark in Path(rhomb.environment["XDG_CACHE_HOME"]).glob("rhomb/*.bad"):
        mark.write_text("length 2 instead of 1")  # what it says is of no importance
    rhomb(command).says("length 2 instead of 1, in an earlier run; crochemore computes instead")
    rhomb(command, "--variant strips-lcs", code=6).says(r"length \d+ instead of \d+; ")
    _, old, new = LCS_STRIPS[0]
    kernels("lcs/step.h", new, old)
    rhomb(command, "--variant strips-lcs").says(r"\A\Z")


def test_a_driver_that_leaves_loops_early(rhomb, broken, tmp_path):
    """No program is trusted there, although each would pass its own test. (In a cache of its own: in that of the file some have passed.)"""
    env = {"XDG_CACHE_HOME": tmp_path / "cache"}
    folder = broken([("loops.cl", "i < times", "i < times / 2")])
    right = rhomb("distance far.q.fa far.t.fa --engine reference").column("distance")
    run = rhomb("distance far.q.fa far.t.fa -d 0", folder, env=env).says("^rhomb: warning: the self-test of loops.cl .*; corridor-host computes instead$")
    assert run.column("distance") == right
    rhomb("lcs two.fa two.fa", folder, code=6, env=env).says("self-test of loops.cl .* sum .* no other variant computes rightly there")
    rhomb("lcs two.fa two.fa --variant strips-lcs", folder, code=6, env=env).says("self-test of loops.cl .* no other variant computes rightly there")


def test_who_compares_answers_can_do_without_tests(rhomb, kernels):
    """Nothing is remembered as tested then."""
    folder = kernels("wfa/stepped.cl", "*answer = s;", "*answer = s + 1;")
    batched = f"{PAIR} --variant batched"
    right = rhomb(PAIR, "--engine reference").column("distance")
    run = rhomb(batched, folder, env={"RHOMB_SELF_TESTS": "0"})
    assert run.column("distance") != right
    run.says(r"\Arhomb: warning: RHOMB_SELF_TESTS=0: kernels are not tested before they are used\n\Z")
    rhomb(batched, folder, code=6).says("self-test of wfa/stepped.cl")


def test_the_reference_computes_where_nothing_else_does(rhomb, broken):
    """But not for many minutes."""
    folder = broken(LCS_STRIPS + LCS_ROWS)
    right = rhomb("lcs far.q.fa far.t.fa --variant reference").column("length")
    run = rhomb("lcs far.q.fa far.t.fa", folder).says("reference computes instead$")
    assert run.column("length") == right
    rhomb("lcs two.fa two.fa", folder, code=6).says("no other variant computes rightly there, use another device", "lcs/strips.cl")


@pytest.mark.parametrize("damages, file", [(WAVEFRONTS, "wfa/pairs.cl"), (CELLS + WAVEFRONTS[1:], "wfa/pairs.cl|search/batch.cl|strip/bands.cl")])
def test_many_pairs(rhomb, broken, damages, file):
    """Other variants, or each pair alone."""
    command = "distance --all-pairs many.fa many.fa -d 0"
    right = rhomb(command, "--engine reference").column("distance")
    folder = broken(damages)
    assert rhomb(command, folder).says(f"warning: the self-test of ({file}) .* instead").column("distance") == right
    rhomb(command, "--variant wavefront-batch", folder, code=6, partial=True).says("wfa/pairs.cl .* computes rightly there")


@pytest.mark.parametrize("command, damages", [
    (f"align {WUHAN} {BA} -d 0", WAVEFRONTS),
    ("align far.q.fa far.t.fa -d 0", PAIRS_OF_STRIPS),
])
def test_alignments(rhomb, broken, command, damages):
    right = rhomb(command).lines
    folder = broken(damages)
    run = rhomb(command, folder).says("warning: the self-test of .* instead")
    assert run.lines == right != []


def test_alignments_together(rhomb, broken):
    """Asked for, since threads of the host are quicker here: nothing is written, and the error names what computes."""
    folder = broken(WAVEFRONTS)
    rhomb("align many.fa many.fa --all-pairs --variant wavefront-batch -o none.paf", folder, code=6).says(
        "self-test of wfa/pairs.cl .* computes rightly there")
    assert not (rhomb.folder / "none.paf").exists()


def test_the_check_of_a_distance(rhomb, broken):
    """The other engine cannot check, so the one that has found the distance does, with the texts turned round."""
    write = (rhomb.folder / "long.fa").write_text
    one = text(7, 20000)
    write(fasta(one))
    (rhomb.folder / "near.fa").write_text(fasta(edited(8, one, 300)))
    folder = broken(PAIRS_OF_STRIPS)
    right = rhomb("distance long.fa near.fa").column("distance")
    run = rhomb("distance long.fa near.fa --engine wavefront --check", folder)
    run.says("warning: the self-test of strip/pair.cl .*; the check is by fused of the reversed texts")
    assert run.column("distance") == right
