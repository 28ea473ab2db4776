"""Disks that are full, folders that cannot be written to or that go away while the program runs, clocks that jump: exit
code 3 and one line, or the right answer where what cannot be written is not needed; nothing half-written stays.

Full and read-only disks are file systems in memory (tmpfs), which only the administrator can mount: elsewhere those
tests are skipped, but for /dev/full.
"""
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import EVERY, fasta, leftovers, mutate, normal, random_text, write_every_input

FULL = "No space left on device"
TUNE = "tune --length 1k --variant group --runs 1 --progress none --budget 1"
PAIR = "distance a.fa b.fa --variant strips"


@pytest.fixture(scope="module")
def every(shared_rhomb):
    """The program in a folder with all inputs, kernels compiled, and what it answers."""
    write_every_input(shared_rhomb.folder)
    printed = {name: shared_rhomb(command).out for name, command in EVERY.items()}
    shared_rhomb.answers = {name: answer_of(text) for name, text in printed.items()}
    shared_rhomb.sizes = {name: len(text) for name, text in printed.items()}
    return shared_rhomb


def answer_of(text):
    """What is printed, without times."""
    return [line.split("\t")[:9] for line in normal(text).splitlines()]


class Disk:
    """A small file system of its own."""

    def __init__(self, folder):
        self.folder = folder

    def fill(self, but=0):
        """Leaves so many bytes (pages of 4 KB)."""
        filler = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            while True:
                os.write(filler, bytes(4096))
        except OSError:
            os.close(filler)
        if but:
            os.truncate(self.folder / "filler", max(0, (self.folder / "filler").stat().st_size // 4096 * 4096 - but))

    def lock(self):
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.name != "filler" and path.is_file())


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True)
    if not mounted or mounted.returncode != 0:
        pytest.skip("no file system can be mounted here: that needs an administrator")
    yield Disk(folder)
    subprocess.run(["umount", "-l", folder], check=True)


def one_error(run, *patterns):
    run.says(*patterns)
    assert len(run.err.splitlines()) == 1, run.err


# ---- what the answer is written to


@pytest.mark.parametrize("name", EVERY)
def test_output_to_a_full_device(every, name):
    one_error(every(EVERY[name], "-o /dev/full", code=3), FULL)


@pytest.mark.parametrize("left", [0, 4096])
@pytest.mark.parametrize("name", EVERY)
def test_output_on_a_full_disk(every, disk, name, left):
    """With no room at all, and with room for a part of the answer or, where that is short, for all."""
    out = disk.folder / "out"
    out.write_text("what was there\n")
    disk.fill(left)
    longer = every.sizes[name] > left
    run = every(EVERY[name], "-o", out, code=3 if longer else 0)
    if longer:
        one_error(run, f"cannot write the output to '.*out': {FULL}")
        assert out.read_text() == "what was there\n"
    else:
        assert answer_of(out.read_text()) == every.answers[name]
    assert disk.files() == ["out"]
    # The same by the shell, where what was written stays.
    with open(disk.folder / "printed", "wb") as printed:
        child = every.start(EVERY[name], stdout=printed, stderr=subprocess.PIPE, text=True)
        _, err = child.communicate(timeout=100)
    if longer:
        assert child.returncode == 3 and err == f"rhomb: error: cannot write the output to standard output: {FULL}\n"
    else:
        assert child.returncode == 0


def test_trace_on_a_full_disk(every, disk):
    disk.fill()
    run = every(PAIR, "--trace", disk.folder / "trace.json", code=3, partial=True)
    one_error(run, f"trace.json': {FULL}")
    assert disk.files() == []


def test_output_in_a_folder_that_is_read_only(every, disk):
    (disk.folder / "there").write_text("what was there\n")
    disk.lock()
    for name in "out", "there":
        one_error(every(PAIR, "-o", disk.folder / name, code=2), "cannot write '.*': Read-only file system")
    assert disk.files() == ["there"]


# ---- caches and stores, which are not needed


@pytest.mark.parametrize("how", ["full", "nearly full", "read-only", "a file", "gone"])
@pytest.mark.parametrize("what", ["XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME", "POCL_CACHE_DIR", "TMPDIR"])
@pytest.mark.parametrize("name", ["strips", "search"])
def test_answers_without_folders(every, request, tmp_path, what, how, name):
    """Every place that something is kept in, in every state: the answer is right, and nothing half-written is left."""
    if name == "search" and what in ("HOME", "POCL_CACHE_DIR"):
        pytest.skip("what the driver keeps does not depend on the verb, and compiling takes long")
    folder = tmp_path / "disk"
    if how == "a file":
        folder.write_text("")
    elif how != "gone":
        disk = request.getfixturevalue("disk")
        if how == "read-only":
            disk.lock()
        else:
            disk.fill(0 if how == "full" else 8192)
    env = {what: folder, "RHOMB_BUILD_OPTIONS": "-cl-opt-disable"}
    if what == "HOME":
        env.update({"XDG_CACHE_HOME": None, "XDG_DATA_HOME": None, "POCL_CACHE_DIR": None})
    run = every(EVERY[name], env=env)
    assert answer_of(run.out) == every.answers[name]
    assert run.err == ""
    if how in ("full", "nearly full", "read-only") and what == "XDG_CACHE_HOME":
        assert all(file.endswith((".ok", ".bin")) for file in disk.files())


def test_tuning_on_a_full_disk(every, disk):
    """What could not be kept is told."""
    disk.fill()
    run = every(TUNE, env={"XDG_DATA_HOME": disk.folder}, code=3, partial=True)
    one_error(run, f"store.jsonl.*{FULL}")
    assert all((disk.folder / file).stat().st_size == 0 for file in disk.files())


# ---- checkpoints and parts


def test_checkpoints_on_a_full_disk(every, disk):
    """One pair: the run goes on without them, and says so."""
    disk.fill(8192)
    run = every("distance a.fa b.fa --variant strips-blocks --config BLOCK=1 --every 0 --checkpoint", disk.folder / "saved")
    assert answer_of(run.out) == every.answers["blocks"]
    run.says(f"^rhomb: nothing could be saved: .*{FULL}")
    assert "saved/checkpoint.new" not in disk.files()


def test_parts_on_a_full_disk(every, disk):
    disk.fill(65536)
    command = "distance targets.fa reads.fa --all-pairs --variant wavefront-batch"
    one_error(every(command, "--progress none --parts 8 --checkpoint", disk.folder / "saved", code=3), FULL)
    assert disk.files() and not leftovers(disk.folder / "saved")
    (disk.folder / "filler").unlink()
    run = every(command, "--resume", disk.folder / "saved")
    assert answer_of(run.out) == every.answers["pairs"]
    run.says("goes on from .*: [1-9]")


# ---- folders that go away


def long_pair(folder):
    a = random_text(30_000, 1)
    (folder / "long.fa").write_text(fasta([("a", a)]))
    (folder / "far.fa").write_text(fasta([("b", mutate(a, 0.4, 2))]))
    return "distance long.fa far.fa --engine reference"


def wait_until(true, child):
    until = time.monotonic() + 60
    while not true():
        assert child.poll() is None and time.monotonic() < until, "the run ended too soon, or did not begin"
        time.sleep(0.005)
    time.sleep(0.05)  # a file that is seen may not yet be locked, and then another one is made


def test_the_output_folder_goes_away(every, tmp_path):
    command, folder = long_pair(every.folder), tmp_path / "folder"
    folder.mkdir()
    child = every.start(command, "-o", folder / "out", stdout=-1, stderr=-1, text=True)
    wait_until(lambda: leftovers(folder), child)
    shutil.rmtree(folder)
    out, err = child.communicate(timeout=200)
    assert (child.returncode, out) == (3, "")
    assert err == f"rhomb: error: cannot write the output to '{folder}/out': No such file or directory\n"
    assert not folder.exists()


@pytest.mark.parametrize("name", ["strips", "search", "lcs"])
def test_the_cache_goes_away(every, tmp_path, name):
    """Again and again while kernels are compiled."""
    cache = tmp_path / "cache"
    child = every.start(EVERY[name], env={"XDG_CACHE_HOME": cache}, stdout=-1, stderr=-1, text=True)
    removed = 0
    while child.poll() is None:
        if cache.exists():
            shutil.rmtree(cache, ignore_errors=True)
            removed += 1
        time.sleep(0.002)
    out, err = child.communicate(timeout=100)
    assert (child.returncode, err) == (0, "") and removed > 0
    assert answer_of(out) == every.answers[name]


def test_the_working_folder_goes_away(every, tmp_path):
    command, folder = long_pair(tmp_path), tmp_path / "folder"
    folder.mkdir()
    command = command.replace("long.fa", f"{tmp_path}/long.fa").replace("far.fa", f"{tmp_path}/far.fa")
    child = subprocess.Popen(every.command([command, "-o out"]), cwd=folder, env=every.environ(), stdin=subprocess.DEVNULL, stderr=-1, text=True)
    wait_until(lambda: leftovers(folder), child)
    shutil.rmtree(folder)
    _, err = child.communicate(timeout=200)
    assert child.returncode == 3 and err.startswith("rhomb: error: cannot write the output to "), err


# ---- clocks


def set_times(folder, when):
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (when, when))


@pytest.mark.parametrize("when", [0, 4_000_000_000])
def test_files_of_another_time(every, tmp_path, when):
    """Of 1970 and of 2096: what is kept is used, and what a process has left that died is taken away."""
    home = tmp_path / "home"
    env = {"XDG_CACHE_HOME": home / "cache", "XDG_DATA_HOME": home / "data", "TMPDIR": home}
    (home / "data").mkdir(parents=True)
    shutil.copytree(Path(every.environment["XDG_CACHE_HOME"]), home / "cache", dirs_exist_ok=True)
    cache = home / "cache/rhomb"
    kept = sorted(path.name for path in cache.iterdir())
    assert kept
    (cache / (kept[0] + ".AbCdEf")).write_text("half")
    set_times(home, when)
    for name in "strips", "search":
        run = every(EVERY[name], env=env)
        assert answer_of(run.out) == every.answers[name] and run.err == ""
    # Compiles something new, which is when the cache is looked through.
    every("distance a.fa b.fa --variant strips --config LANES=4", env=env)
    now = sorted(path.name for path in cache.iterdir())
    assert set(kept) <= set(now) and not [name for name in now if name.endswith(".AbCdEf")]


@pytest.mark.parametrize("when", ["@1970-01-02 00:00:00", "@2100-01-01 00:00:00", "-15d"])
def test_another_time(every, tmp_path, when):
    """The program itself believes that it is another time."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    env = {"LD_PRELOAD": library, "FAKETIME": when, "XDG_CACHE_HOME": tmp_path / "cache"}
    for name in "strips", "primer":
        for _ in "empty", "full":
            run = every(EVERY[name], env=env)
            assert answer_of(run.out) == every.answers[name] and run.err == ""
    assert all(path.suffix in (".ok", ".bin") for path in (tmp_path / "cache/rhomb").iterdir())
