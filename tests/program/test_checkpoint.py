"""--checkpoint and --resume: a run that is ended, however, is gone on from, and the answer is the same."""
import random
import signal
import time

import pytest

from conftest import fasta, mutate, random_text

TWO = {"POCL_DEVICES": "pthread pthread"}
BLOCKS = "distance a.fa b.fa --variant strips-blocks --config BLOCK=1"


@pytest.fixture(scope="module")
def pair(shared_rhomb):
    """A pair that takes a second in small blocks, and its distance; the kernels are compiled."""
    a = random_text(400_000, 1)
    (shared_rhomb.folder / "a.fa").write_text(fasta([("a", a)]))
    (shared_rhomb.folder / "b.fa").write_text(fasta([("b", mutate(a, 0.4, 2))]))
    return shared_rhomb("distance a.fa b.fa --variant strips-blocks").column("distance")


@pytest.fixture
def saved(shared_rhomb, pair, tmp_path):
    """A folder with two generations of checkpoints of a run that was ended by SIGTERM."""
    folder = tmp_path / "saved"
    run = shared_rhomb.start(BLOCKS, "--every 0 --checkpoint", folder, stderr=-1, text=True)
    wait_for(folder / "checkpoint.before", run)
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 7 and f"goes on from '{folder}'" in said, said
    return folder


def wait_for(path, run):
    while not path.exists():
        assert run.poll() is None, "the run ended by itself"
        time.sleep(0.002)


def resume(rhomb, folder, *more, **keywords):
    return rhomb("distance a.fa b.fa --every 0 --resume", folder, *more, **keywords)


def kill_until_it_ends(rhomb, folder, distance, kills, seed):
    """Runs that go on from each other, each killed at a random moment, until one ends; how many were killed."""
    moments = random.Random(seed)
    folder.mkdir()
    killed = 0
    while True:
        config = moments.choice(["", "--config BLOCK=1", "--config BLOCK=2,K=2", "--config BLOCK=3,K=16"])
        env = moments.choice([None, TWO])
        devices = "-d 0,1" if env and moments.random() < 0.7 else ""
        command = ["distance a.fa b.fa --variant strips-blocks --every 0", config, devices, "--resume", folder]
        if killed == kills:
            assert rhomb(*command, env=env).column("distance") == distance
            return
        run = rhomb.start(*command, env=env, stdout=-1, stderr=-1, text=True)
        time.sleep(moments.uniform(0, 1.5))
        run.kill()
        printed, said = run.communicate(timeout=60)
        if run.returncode == 0:
            assert f"\t{distance[0]}\t" in printed
            for file in folder.iterdir():
                file.unlink()
        else:
            assert run.returncode == -signal.SIGKILL, said
        killed += 1


def test_killed_at_random_moments(shared_rhomb, pair, tmp_path):
    kill_until_it_ends(shared_rhomb, tmp_path / "saved", pair, 5, 3)


@pytest.mark.slow
def test_killed_two_hundred_times(shared_rhomb, pair, tmp_path):
    kill_until_it_ends(shared_rhomb, tmp_path / "saved", pair, 200, 4)


@pytest.mark.parametrize("more, env", [("", None), ("--variant strips-blocks --config K=2,LANES=4,BLOCK=2", None),
                                       ("--engine strips -d 0,1", TWO), ("--engine strips -d 1", TWO)])
def test_gone_on_in_another_way(shared_rhomb, pair, saved, more, env):
    run = resume(shared_rhomb, saved, more, "--progress json", env=env)
    assert run.column("distance") == pair and run.column("variant") == ["strips-blocks"]
    run.says(f"goes on from {saved}/checkpoint\\b")
    # What is found stays, so that nothing is lost if it could not be written.
    again = resume(shared_rhomb, saved, "--format json")
    assert [str(row["distance"]) for row in again.json] == pair


def damage(path, how):
    content = path.read_bytes()
    line = content.index(b"\n")
    path.write_bytes({
        "empty": b"",
        "cut in the first line": content[:40],
        "cut behind the first lines": content[:line + 18],
        "cut at the end": content[:-1],
        "longer": content + b"\0",
        "a bit of the first line": content[:30] + bytes([content[30] ^ 4]) + content[31:],
        "a bit of its checksum": content[:line + 2] + bytes([content[line + 2] ^ 1]) + content[line + 3:],
        "a bit of a chunk's head": content[:line + 20] + bytes([content[line + 20] ^ 16]) + content[line + 21:],
        "a bit of a chunk": content[:-999] + bytes([content[-999] ^ 128]) + content[-998:],
        "older": content.replace(b'"version":1', b'"version":0', 1),
        "something else": b"rhomb\n" * 100,
    }[how])


@pytest.mark.parametrize("how, why", [
    ("empty", "is cut off, or no checkpoint"), ("cut in the first line", "is cut off, or no checkpoint"),
    ("cut behind the first lines", "is cut off"), ("cut at the end", "is cut off"),
    ("longer", "has something behind its end"), ("a bit of the first line", "is damaged in its first lines"),
    ("a bit of its checksum", "is damaged in its first lines"), ("a bit of a chunk's head", "is damaged in chunk 0"),
    ("a bit of a chunk", "is damaged in chunk"), ("older", "has version 0 of the format"),
    ("something else", "no checkpoint")])
def test_damaged_files_are_refused_by_name(shared_rhomb, pair, saved, how, why):
    damage(saved / "checkpoint", how)
    run = resume(shared_rhomb, saved)
    run.says(f"^rhomb: {saved}/checkpoint: .*{why}", f"^rhomb: goes on from {saved}/checkpoint.before$")
    assert run.column("distance") == pair
    for name in "checkpoint", "checkpoint.before":
        damage(saved / name, how)
    resume(shared_rhomb, saved, code=3).says(f"{saved}/checkpoint: .*{why}", f"{saved}/checkpoint.before: .*{why}")


def test_checkpoints_of_something_else_are_refused(shared_rhomb, pair, saved):
    shared_rhomb("distance b.fa a.fa --resume", saved, code=3).says("checkpoint: is of other texts; ")
    resume(shared_rhomb, saved, "--ambiguous match", code=3).says("checkpoint: was made with other options: ")
    resume(shared_rhomb, saved, "--max-distance 10k", code=3).says("max_distance none; .*max_distance 10000")
    # Nothing of that has changed anything.
    assert resume(shared_rhomb, saved).column("distance") == pair


def test_a_signal_saves(shared_rhomb, pair, tmp_path):
    folder = tmp_path / "saved"
    run = shared_rhomb.start(BLOCKS, "--every 1h --progress plain --checkpoint", folder, stdout=-1, stderr=-1, text=True)
    wait_for(folder, run)
    run.send_signal(signal.SIGUSR1)
    printed, _ = run.communicate(timeout=100)
    assert run.returncode == 0 and f"\t{pair[0]}\t" in printed
    # One for the signal, one of what was found: neither is for the hour.
    assert sorted(file.name for file in folder.iterdir()) == ["checkpoint", "checkpoint.before"]


def test_a_run_that_writes_a_file_saves(shared_rhomb, pair, tmp_path):
    """Files that are not complete go away at SIGTERM, too: both have to happen."""
    folder = tmp_path / "saved"
    run = shared_rhomb.start(BLOCKS, "--every 0 --checkpoint", folder, "-o", tmp_path / "out.tsv", "--trace", tmp_path / "trace", stderr=-1, text=True)
    wait_for(folder / "checkpoint.before", run)
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 7 and f"goes on from '{folder}'" in said, said
    assert [file.name for file in tmp_path.iterdir()] == ["saved"]
    resume(shared_rhomb, folder, "-o", tmp_path / "out.tsv")
    assert f"\t{pair[0]}\t" in (tmp_path / "out.tsv").read_text()


def test_nothing_is_saved_before_its_time(shared_rhomb, pair, tmp_path):
    folder = tmp_path / "saved"
    assert shared_rhomb(BLOCKS, "--every 1h --checkpoint", folder).column("distance") == pair
    assert [file.name for file in folder.iterdir()] == ["checkpoint"]


def test_a_second_interruption_ends_the_run_at_once(shared_rhomb, pair, tmp_path):
    run = shared_rhomb.start(BLOCKS, "--checkpoint", tmp_path / "saved", stdout=-1, stderr=-1,
                             under=["env", "--default-signal=INT"])
    wait_for(tmp_path / "saved", run)
    run.send_signal(signal.SIGSTOP)
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGCONT)
    try:
        for _ in range(100):
            run.send_signal(signal.SIGINT)
            time.sleep(0.001)
    except ProcessLookupError:
        pass
    assert run.wait(timeout=60) in (-signal.SIGINT, 7)


def test_what_goes_with_checkpoints(rhomb, write, tmp_path):
    write("a.fa", fasta([("a", random_text(3000, 1))]))
    write("two.fa", fasta([("a", "ACGT"), ("b", "AGT")]))
    for method in "--variant strips", "--variant diamond", "--engine corridor", "--engine reference":
        rhomb("distance a.fa a.fa --checkpoint saved", method, code=2).says("saves nothing .*: strips-blocks, fused")
    rhomb("distance a.fa a.fa --every 1m", code=2).says("--every needs --checkpoint or --resume")
    rhomb("distance a.fa a.fa --checkpoint saved --resume saved", code=2).says("--resume saves too")
    rhomb("distance a.fa a.fa --checkpoint ''", code=2).says("needs the name of a folder")
    rhomb("distance a.fa a.fa --checkpoint saved --every soon", code=2).says("--every")
    rhomb("distance - two.fa --checkpoint saved", code=2, stdin=">a\nACGT\n>b\nAGT\n").says("checkpoints are of one pair")
    # What is not a file is read once, so it has to be one pair.
    assert rhomb("distance /dev/stdin a.fa --checkpoint piped", stdin=">a\n" + random_text(3000, 1) + "\n").column("distance") == ["0"]
    rhomb("distance two.fa two.fa --every 1m --checkpoint saved", code=2).says("--every is for one pair")
    rhomb("distance a.fa a.fa --parts 3 --checkpoint saved", code=2).says("--parts is for many pairs")
    rhomb("distance a.fa a.fa --resume none", code=3).says("none: there is no such folder")
    rhomb("distance a.fa a.fa --checkpoint a.fa/saved", code=3).says("cannot be made")
    assert not (tmp_path / "saved").exists() or not list((tmp_path / "saved").iterdir())
    # Short pairs are answered as ever.
    assert rhomb("distance a.fa a.fa --checkpoint saved").column("distance") == ["0"]
    rhomb("distance a.fa a.fa --resume saved").says("saved has no checkpoint yet: the run begins at the beginning")


def test_which_engine(rhomb, write, tmp_path):
    a = random_text(40_000, 1)
    write("a.fa", fasta([("a", a)]))
    write("near.fa", fasta([("b", mutate(a, 0.001, 2))]))
    write("far.fa", fasta([("c", random_text(40_000, 3))]))

    def variant(files, *more):
        explained = rhomb("distance", files, "--explain", *more).out
        return dict(line.split("\t") for line in explained.splitlines())["variant"]

    assert variant("a.fa far.fa") == "strips" and variant("a.fa far.fa", "--checkpoint saved") == "strips-blocks"
    assert variant("a.fa near.fa", "-d 0") == variant("a.fa near.fa", "--checkpoint saved")
    assert variant("a.fa near.fa", "--engine wavefront --checkpoint saved") == "fused"
    assert not (tmp_path / "saved").exists()


def test_what_an_earlier_run_has_begun_is_explained(shared_rhomb, pair, saved):
    def explained(*more, **keywords):
        return shared_rhomb("distance a.fa b.fa --explain --resume", saved, *more, **keywords)

    facts = dict(line.split("\t", 1) for line in explained().out.splitlines())
    assert facts["goes_on_from"] == f"{saved}/checkpoint" and facts["variant"] == "strips-blocks"
    assert facts["choice"] == "an earlier run is gone on from"
    explained("--engine wavefront", code=2).says("is of the engine 'strips', which goes on")
    for file in saved.iterdir():
        file.unlink()
    explained().prints("^goes_on_from\tthe beginning: nothing is saved yet$")
    assert not list(saved.iterdir())
    shared_rhomb("distance a.fa b.fa --explain --resume none", code=3).says("none: there is no such folder")


def test_progress_says_how_old_the_checkpoint_is(shared_rhomb, pair, saved):
    run = resume(shared_rhomb, saved, "--variant strips-blocks --config BLOCK=1,BATCH=1 --progress json")
    shown = [event for event in run.events if event["event"] == "progress"]
    assert all(event["saved"] >= 0 for event in shown[1:])
    assert all(event["left"] is None or event["left"] < 600 for event in shown)


def test_a_checkpoint_that_cannot_be_written_is_told(shared_rhomb, pair, saved):
    (saved / "checkpoint.new").mkdir()
    run = resume(shared_rhomb, saved)
    assert run.column("distance") == pair
    run.says("^rhomb: nothing could be saved: .*checkpoint.new")


def test_wavefronts_are_gone_on_from(shared_rhomb, tmp_path):
    folder = tmp_path / "saved"
    text = random_text(100_000, 4)
    (shared_rhomb.folder / "text.fa").write_text(fasta([("a", text)]))
    (shared_rhomb.folder / "near.fa").write_text(fasta([("b", mutate(text, 0.06, 5))]))
    distance = shared_rhomb("distance text.fa near.fa --engine strips").column("distance")
    command = "distance text.fa near.fa --every 0 --engine wavefront --config BATCH=1"
    run = shared_rhomb.start(command, "--checkpoint", folder, stderr=-1, text=True)
    wait_for(folder / "checkpoint.before", run)
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 7 and f"goes on from '{folder}'" in said, said
    goes_on = ["distance text.fa near.fa --every 0 --resume", folder]
    shared_rhomb(*goes_on, "--engine strips", code=2).says("is of the engine 'wavefront', which goes on")
    # By itself, as by name, though the strips would be faster.
    (folder / "checkpoint").replace(tmp_path / "kept")
    for more in "", "--engine wavefront", "--variant fused --config STEPS=8,DIAGS=16,VEC=8":
        for file in folder.iterdir():
            file.unlink()
        (folder / "checkpoint").write_bytes((tmp_path / "kept").read_bytes())
        run = shared_rhomb(*goes_on, more)
        assert run.column("distance") == distance
        assert run.column("variant") == ["fused"] or not more
