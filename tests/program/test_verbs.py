"""What verbs have in common: -h and --help, old names, rhomb variants, several devices, short problems answered
without a device, keys of --explain, and a damaged store."""
import pytest

from conftest import BA, WUHAN, random_text

VERBS = ["distance", "align", "search", "lcs", "primer", "variants", "devices", "tune"]


@pytest.mark.parametrize("verb", VERBS)
def test_short_and_long_help(rhomb, verb):
    short, long = rhomb(verb, "-h").out, rhomb(verb, "--help").out
    assert short.startswith(f"usage: rhomb {verb}") and long.startswith(f"usage: rhomb {verb}")
    assert "--output" in short and "--output" in long
    assert "Examples:" in long and "Examples:" not in short and len(short) < len(long)


def test_variants(rhomb):
    rows = rhomb("variants --format json").json
    assert {"verb", "engine", "variant", "device", "summary"} == set(rows[0])
    assert {"strips", "corridor", "wavefront", "reference", "search", "lcs", "primer", "gaps"} == {row["engine"] for row in rows}
    assert {row["variant"] for row in rows} >= {"strips", "fused", "strips-batch", "strips-lcs", "reference"}
    rhomb("variants strips").prints("^distance +strips +strips +WG +[0-9]+ +[0-9]+,[0-9,]+ +[a-z]")
    rhomb("variants").prints("^verb +engine +variant +device +summary$")
    for row in rhomb("variants strips --format json").json:
        assert row["engine"] == "strips" or row["variant"] == "strips"
        assert row["default"] == row["values"][0] and row["meaning"]
    assert {row["variant"] for row in rhomb("variants search --format json").json} >= {"strips-batch", "coop"}
    rhomb("variants strps", code=2).says("did you mean 'strips'")
    # What is listed is what --config takes.
    tunables = rhomb("variants batched --format json").json
    config = ",".join(f"{row['tunable']}={row['default']}" for row in tunables)
    rhomb("distance", WUHAN, BA, "--variant batched --explain --config", config).prints(r"^config\t.*")


def test_devices_by_platform(rhomb, write):
    write("a.fa", ">a\nACGT\n")
    platform = {row["platform"] for row in rhomb("devices --format json").json}
    if "Portable Computing Language" not in platform:
        pytest.skip("no PoCL")
    for name in ["pocl", "PoCL", "portable", "Portable Computing Language"]:
        assert rhomb("distance a.fa a.fa --engine strips -d", f"'{name}'").column("distance") == ["0"]
    assert rhomb("lcs a.fa a.fa -d all").column("length") == ["4"]
    assert rhomb("lcs a.fa a.fa -d 0,0").column("length") == ["4"]
    rhomb("lcs a.fa a.fa -d 0,99", code=4).says("no OpenCL device 99")
    assert rhomb("distance a.fa a.fa --engine strips -d 0,0").column("distance") == ["0"]
    assert rhomb("align a.fa a.fa --engine strips -d 0,0 --format tsv").column("distance") == ["0"]


def test_short_pairs_need_no_device(rhomb, write):
    nothing = {"OCL_ICD_VENDORS": "/nonexistent"}
    write("a.fa", ">a\nACGT\n>b\nGATTACA\n")
    write("b.fa", ">a\nAGGT\n>b\nATTAC\n")
    run = rhomb("distance a.fa b.fa", env=nothing)
    assert run.column("distance") == ["1", "2"]
    assert set(run.column("engine")) == {"reference"} and set(run.column("device")) == {"host"}
    rhomb("distance a.fa b.fa --explain", env=nothing).prints("^engine\treference$", "^choice\t.*at once")
    assert rhomb("align a.fa b.fa --format tsv", env=nothing).column("distance") == ["1", "2"]
    assert len(rhomb("search a.fa b.fa", env=nothing).column("distance")) == 2
    assert len(rhomb("lcs a.fa b.fa", env=nothing).column("length")) == 4
    for verb in ["search", "lcs"]:
        rhomb(verb, "a.fa b.fa --explain", env=nothing).prints("^device\thost$")
        rhomb(verb, "a.fa b.fa -d 0", env=nothing, code=4)
    for more in ["--engine strips", "--variant fused", "--check"]:
        rhomb("distance a.fa b.fa", more, env=nothing, code=4)
    write("long.fa", f">a\n{random_text(1001, 1)}\n>b\n{random_text(1000, 2)}\n")
    write("far.fa", f">a\n{random_text(60_000, 1)}\n")
    write("off.fa", f">a\n{random_text(60_000, 2)}\n")
    for verb, files in [("distance", "far.fa off.fa"), ("align", "far.fa off.fa"), ("search", "long.fa long.fa"), ("lcs", "long.fa long.fa")]:
        rhomb(verb, files, env=nothing, code=4).says("no OpenCL driver is installed")
        rhomb(verb, files, "--explain", env=nothing, code=4)
    assert rhomb("distance long.fa long.fa", env=nothing).column("device") == ["host", "host"]  # close
    assert rhomb("distance long.fa long.fa -d 0").column("engine") != ["reference", "reference"]


def test_many_short_pairs_are_aligned_without_a_device(rhomb, write):
    nothing = {"OCL_ICD_VENDORS": "/nonexistent"}
    texts = [random_text(150, number) for number in range(20)]
    for name, shift in (("a.fa", 0), ("b.fa", 1)):
        write(name, "".join(f">{i}\n{texts[(i + shift) % 20]}\n" for i in range(60_000)))
    run = rhomb("align a.fa b.fa --format tsv", env=nothing)
    assert len(run.column("distance")) == 60_000 and set(run.column("device")) == {"host"}
    rhomb("align a.fa b.fa --explain", env=nothing).prints("^engine\treference$")
    rhomb("align a.fa b.fa --variant wavefront-batch", env=nothing, code=4)


@pytest.mark.parametrize("call", [
    f"distance {WUHAN} {BA}", f"distance {WUHAN} {BA} --engine strips", f"distance {WUHAN} {BA} --engine reference",
    f"search {WUHAN} {BA}", f"lcs {WUHAN} {BA}", f"primer {WUHAN} {BA} -k 5"])
def test_keys_of_explain(rhomb, call):
    object, = rhomb(call, "--explain --format json").json
    lines = dict(line.split("\t") for line in rhomb(call, "--explain").out.splitlines())
    assert list(object) == list(lines)
    for key, value in object.items():
        assert key.replace("_", "a").isalnum() and key == key.lower(), key
        assert value != ""
    assert isinstance(object["bits_per_symbol"], int), object


def test_a_damaged_store(rhomb, environment, write):
    from pathlib import Path
    folder = Path(environment["XDG_DATA_HOME"]) / "rhomb"
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "store.jsonl"
    store.write_text('{"kind":"rates"}\n\nnothing\n')
    run = rhomb("distance", WUHAN, BA, "--engine wavefront")
    assert run.err.count("tune --forget") == 1 and run.err.count("is damaged") == 2
    row, = rhomb("tune --forget --format json").json
    assert row == {"file": str(store), "kept": 0, "removed": 2}
    assert rhomb("distance", WUHAN, BA, "--engine wavefront").err == ""
    rhomb("tune --forget --export x", code=2).says("exclude each other")
