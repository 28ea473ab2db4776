"""Devices that are not there (exit code 4), kernels that do not compile, and kernels that compute wrongly
(exit code 6)."""
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
    rhomb(PAIR, "--output none.tsv", code=4, env=nothing)
    assert not (tmp_path / "none.tsv").exists() and leftovers(tmp_path) == []
    rhomb(PAIR, "--engine reference --explain", env=nothing).prints("reference")
    assert rhomb(PAIR, "--variant reference", env=nothing).column("distance") == ["109"]


def test_drivers_that_the_system_does_not_know(rhomb, tmp_path):
    """RHOMB_DRIVERS: they compute, are there once, and what cannot be loaded is named where nothing else is there."""
    library = next((file.read_text().strip() for file in Path("/etc/OpenCL/vendors").glob("pocl*.icd")), None)
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
