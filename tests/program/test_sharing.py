"""One pair on several devices (-d 0,1): the same distance, and no device that makes it slower; and alignments."""
import json

import pytest

from conftest import fasta, mutate, random_text

TWO = {"POCL_DEVICES": "pthread pthread"}


@pytest.fixture
def pair(write):
    a = random_text(30000, 1)
    write("a.fa", fasta([("a", a)]))
    write("b.fa", fasta([("b", mutate(a, 0.2, 2))]))


def check_one_is_used(rhomb, asked):
    explained = rhomb("distance", asked, "--explain -d 0,1", env=TWO).out
    facts = dict(line.split("\t") for line in explained.splitlines())
    assert facts["devices"] == "2" and facts["devices_used"] == "1" and facts["expected_gain"] == "1.00"
    assert facts["devices_not_used"] == "CPU devices have the same cores"


def test_blocks_on_several_devices(rhomb, pair):
    alone = rhomb("distance a.fa b.fa --variant strips").column("distance")
    for devices in "0", "1", "0,1", "all", "0,1,0":
        run = rhomb("distance a.fa b.fa --variant strips-blocks --format json -d", devices, env=TWO)
        (row,) = run.json
        assert [str(row["distance"])] == alone
        assert row["certificate"]["devices"] == {"0": 1, "1": 1, "0,1": 2, "all": 2, "0,1,0": 3}[devices]


def test_what_would_not_gain_is_not_shared(rhomb, pair):
    (row,) = rhomb("distance a.fa b.fa --engine strips --format json -d 0,1", env=TWO).json
    assert row["variant"] == "strips" and "certificate" not in row
    check_one_is_used(rhomb, "a.fa b.fa --engine strips")
    forced = rhomb("distance a.fa b.fa --variant strips-blocks --explain -d 0,1", env=TWO).out
    assert "devices_used\t2\n" in forced
    rhomb("distance a.fa b.fa --variant strips-blocks --config FLOW=1", code=2).says("FLOW=1 does not go with")
    rhomb("distance a.fa b.fa --variant strips-blocks --config K=5", code=2).says("K=5 does not divide 96")


def test_a_corridor_on_several_devices(rhomb, write):
    a = random_text(120000, 3)
    write("c.fa", fasta([("c", a)]))
    write("d.fa", fasta([("d", mutate(a, 0.04, 4))]))
    (alone,) = rhomb("distance c.fa d.fa --variant corridor --format json").json
    for devices, count in {"0": None, "0,1": 2, "all": 2, "0,1,0": 3}.items():
        (row,) = rhomb("distance c.fa d.fa --variant corridor --config SHARED=1 --format json -d", devices, env=TWO).json
        assert (row["distance"], row["certificate"].get("devices")) == (alone["distance"], count)
        proof = {name: value for name, value in row["certificate"].items() if name != "devices"}
        # On one CPU all have the same settings, so they find the same corridor.
        assert proof == alone["certificate"]
    (row,) = rhomb("distance c.fa d.fa --variant corridor --format json -d 0,1", env=TWO).json
    assert "devices" not in row["certificate"]
    check_one_is_used(rhomb, "c.fa d.fa --variant corridor")
    forced = rhomb("distance c.fa d.fa --variant corridor --config SHARED=1 --explain -d 0,1", env=TWO).out
    assert "devices_used\t2\n" in forced


def opened(tmp_path):
    trace = json.loads((tmp_path / "trace.json").read_text())
    return sum(event["name"].startswith("open device ") for event in trace["traceEvents"])


@pytest.mark.parametrize("asked, count, length", [("--variant wavefront-batch", 300, 200), ("--engine strips", 8, 15_000)])
def test_alignments_on_several_devices(rhomb, write, tmp_path, asked, count, length):
    texts = [random_text(length + 7 * i, i) for i in range(count)]
    write("pairs.tsv", "".join(f"{text}\t{mutate(text, 0.1, i + count)}\n" for i, text in enumerate(texts)))
    command = f"align --pairs pairs.tsv {asked} --trace trace.json"
    wanted = rhomb(command, "-d 0", env=TWO).out
    assert wanted.count("\n") == count
    if opened(tmp_path) != 1 or len(rhomb("devices --format json", env=TWO).json) < 2:
        pytest.skip("PoCL does not make two devices of one CPU here")
    for devices in "0,1", "all":
        assert rhomb(command, "-d", devices, env=TWO).out == wanted
        assert opened(tmp_path) == 2


def test_one_alignment_on_several_devices(rhomb, pair):
    wanted = rhomb("align a.fa b.fa -d 0", env=TWO).out
    assert rhomb("align a.fa b.fa -d 0,1", env=TWO).out == wanted
    for asked, why in ("--engine strips", "CPU devices have the same cores"), ("--engine wavefront", "CPU devices have"):
        explained = rhomb("align a.fa b.fa -d 0,1 --explain", asked, env=TWO).out
        assert "devices\t2\n" in explained and "devices_used\t1\n" in explained
        assert f"devices_not_used\t{why}" in explained
