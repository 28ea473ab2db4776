"""rhomb tune on small texts: what it keeps when it is stopped or killed, what kernels that crash, hang or lie cost, the
list and the page made of it, and the file to share. What it measures is not looked at."""
import json
import random
import re
import shutil
import signal
import time
import xml.dom.minidom
from pathlib import Path

import pytest

from conftest import BA, ROOT, WUHAN, Program, fasta, leftovers, random_text


class Tuner:
    """rhomb tune with a data directory of its own."""

    def __init__(self, rhomb, home):
        self.home = home
        self.rhomb = Program(rhomb.path, {**rhomb.environment, "XDG_DATA_HOME": str(home)}, rhomb.folder)
        self.trials, self.store = home / "rhomb" / "trials.jsonl", home / "rhomb" / "store.jsonl"

    def __call__(self, *arguments, **how):
        return self.rhomb("tune --progress none", *arguments, **how)

    def lines(self, kind="trial"):
        """The evidence of a kind, whole lines only."""
        if not self.trials.exists():
            return []
        return [one for one in map(json.loads, self.trials.read_text().splitlines()) if one["kind"] == kind]

    def tried_twice(self):
        tried = [(one["variant"], json.dumps(one["config"])) for one in self.lines()]
        return len(tried) != len(set(tried))


@pytest.fixture
def tune(rhomb, tmp_path):
    return Tuner(rhomb, tmp_path / "home")


@pytest.fixture(scope="module")
def small(shared_rhomb, tmp_path_factory):
    """A small sweep of two variants, that tests look at."""
    tuner = Tuner(shared_rhomb, tmp_path_factory.mktemp("small"))
    for budget in 8, 20, 60:  # on a busy machine the time may be up after one variant
        tuner.first = tuner("--length 3k --variant group,strips --budget", budget)
        if "0" not in tuner.first.column("tried"):
            break
    return tuner


def test_help(tune):
    tune("--help").prints("^Examples:")


def test_sweep(small):
    assert small.first.column("variant") == ["strips", "group"]
    assert small.first.column("length") == ["3000", "3000"]
    assert small.first.column("wrong") == small.first.column("failed") == ["0", "0"]
    assert {one["variant"] for one in small.lines()} == {"group", "strips"} and '"kind":"ceilings"' in small.store.read_text()


def test_the_next_sweep_tries_what_is_new(tune, small):
    shutil.copytree(small.home, tune.home)
    before = tune.trials.read_bytes()
    run = tune("--length 3k --variant group --strategy full --budget 120")
    assert run.column("left") == ["0"] and run.column("tried") == ["24"]
    assert not tune.tried_twice()
    assert tune.trials.read_bytes().startswith(before)
    before = tune.trials.read_bytes()
    assert tune("--length 3k,3k --variant group --strategy random --budget 60").column("tried") == ["24"]
    assert tune.trials.read_bytes() == before
    assert len(tune("--list --variant group").lines) == 24
    tune("--length 3k --variant group --budget 3 --again")
    assert len(tune.trials.read_bytes()) > len(before)
    # A damaged line of evidence is told, left out, and costs nothing else.
    tune.trials.write_text(tune.trials.read_text().replace("measured", "Measured", 1))
    tune("--length 3k --variant group --budget 0").says(r"^rhomb: .*/trials.jsonl: line \d+ is damaged and was left out$")


def test_what_is_in_use_stays(tune, tmp_path):
    """It comes second and runs in turn with the others; what came out is the verdict of later sweeps too."""
    run = tune("--length 50k --variant tiled-register --budget 4")
    trials = tune.lines()
    if trials[0]["device"].startswith(("pthread", "cpu")):  # there is a shipped setting
        shipped = {"BATCH": 100, "T": 16, "WG": 1}
        assert trials[1]["config"] == shipped
        assert any(one["config"] == shipped for one in tune.lines("confirmed"))
    store = tune.store.read_bytes()
    assert tune("--length 50k --variant tiled-register --budget 0").out == run.out
    assert tune.store.read_bytes() == store
    tune("--export used.jsonl")
    [setting] = [one for one in map(json.loads, (tmp_path / "used.jsonl").read_text().splitlines()) if one["kind"] == "setting"]
    assert ",".join(f"{name}={value}" for name, value in setting["config"].items()) == run.column("config")[0].strip("-")


def children(folder):
    """Processes that try configurations with the kernels of this test."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += f"{folder}/cl".encode() in path.read_bytes() and b"child" in path.read_bytes()
        except OSError:
            pass  # it has ended
    return found


def gone(folder):
    for _ in range(80):
        if children(folder) == 0:
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def kernels(tmp_path):
    shutil.copytree(ROOT / "cl", tmp_path / "cl")
    return tmp_path / "cl"


def test_killed_again_and_again(tune, kernels, tmp_path):
    sweep = f"--kernels {kernels} --length 1k --variant prefetch,batched --strategy random"
    source, before = random.Random(1), b""
    for seed in range(10):
        process = tune.rhomb.start("tune --progress none", sweep, f"--seed {seed} --budget 300", stdout=-3, stderr=-3)
        wanted = len(tune.lines()) + source.randrange(3)
        for _ in range(200):
            if len(tune.lines()) >= wanted and children(tmp_path) > 0 or process.poll() is not None:
                break
            time.sleep(0.02)
        time.sleep(source.randrange(10) / 100)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert gone(tmp_path), "a process is left behind"
        if tune.trials.exists():
            now = tune.trials.read_bytes()
            assert now.startswith(before), "lines were lost or changed"
            before = now
    run = tune(sweep, "--budget 300")
    assert run.err == ""  # no line is damaged
    assert run.column("left") == ["0", "0"] and run.column("tried") == ["24", "24"]
    assert not tune.tried_twice() and len(tune.lines()) == 48
    assert gone(tmp_path)


def test_kernels_that_crash_hang_and_lie(tune, kernels, tmp_path):
    path = kernels / "wfa" / "group.cl"
    text, changes = re.subn(r"^(  const int away = .*)$", r"\1\n#if T == 63\n  *(volatile __global int*)0 = 1;\n"
                            r"#elif T == 95\n  for (volatile int forever = 1; forever;) {}\n"
                            r"#elif T == 127\n  cost += 2;\n#endif", path.read_text(), flags=re.M)
    assert changes == 1
    path.write_text(text)
    run = tune(f"--length 3k --variant group --strategy full --budget 300 --limit 3 --kernels {kernels} -o broken.tsv", code=6)
    run.says("wrong distances and are never used")
    header, row = (tmp_path / "broken.tsv").read_text().splitlines()
    counts = dict(zip(header[1:].split("\t"), row.split("\t")))
    assert [counts[name] for name in ("tried", "failed", "slow", "wrong", "left")] == ["24", "4", "4", "4", "0"]
    outcomes = {}
    for one in tune.lines():
        outcomes.setdefault(one["config"]["T"] if one["config"] else 0, set()).add(one["outcome"])
        if one["outcome"] == "failed":
            assert "the process was killed by signal 11" in one["why"]
    assert [outcomes[tile] for tile in (63, 95)] == [{"failed"}, {"slow"}] and "wrong" in outcomes[127]
    wrong = [one for one in map(json.loads, tune.store.read_text().splitlines()) if one["kind"] == "setting"]
    assert all(one["config"].get("T") not in (63, 95, 127) for one in wrong)
    assert gone(tmp_path)
    records = tune("--list --format json").json
    assert {one["outcome"] for one in records if one["kind"] == "trial"} == {"measured", "failed", "slow", "wrong"}


# ---- the list, and pictures of it


def test_list(small):
    rows = small("--list").table
    assert {row["variant"] for row in rows} == {"strips", "group"} and {row["outcome"] for row in rows} <= {"measured", "unfit"}
    assert [row["variant"] for row in rows] == sorted((row["variant"] for row in rows), reverse=True)  # as the tables have them
    assert {row["variant"] for row in small("--list --engine strips").table} == {"strips"}
    assert {row["variant"] for row in small("--list --variant group").table} == {"group"}
    records = small("--list --format json").json
    assert [one["kind"] for one in records[:3]] == ["ceilings", "task", "trial"]
    tasks = [one for one in records if one["kind"] == "task"]
    assert [(one["variant"], one["length"], one["divergence"]) for one in tasks] == [("strips", 3000, 0.5), ("group", 3000, 0.05)]
    assert {"name", "meaning", "values"} == set(tasks[0]["tunables"][0])
    assert sum(one["kind"] == "trial" for one in records) == len(rows)


def test_list_of_a_device(small):
    device = small("--list").column("device")[0]
    everything = small("--list").out
    for selector in ("0", device.split("-")[0]):
        assert small(f"--list --device '{selector}'").out == everything
    if device.startswith(("pthread", "cpu")):  # the CPU, whatever its name is
        assert small("--list -d cpu").out == everything
        small("--list -d gpu", code=2).says("no such trials of a GPU")
    small("--list -d 'no such device'", code=2).says("a device whose name has 'no such device'")


def test_list_of_a_verb(small):
    assert {row["engine"] for row in small("distance --list").table} == {"strips", "wavefront"}
    small("lcs --list", code=2).says("there are no such trials")


def test_list_of_a_file(small, tune, tmp_path):
    shutil.copy(small.trials, tmp_path / "some.jsonl")
    assert tune("--list --from some.jsonl").out == small("--list").out
    tune("--list --from nowhere.jsonl", code=3)
    tune("--list", code=2).says("rhomb tune makes some")


def test_page(small, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib (python3-matplotlib)")
    from test_plot import script

    (tmp_path / "list.json").write_text(small("--list --format json").out)
    script("rhomb-plot", "tune", "list.json", "-o", "page", folder=tmp_path)
    page = tmp_path / "page"
    text = (page / "index.html").read_text()
    xml.dom.minidom.parseString(text.replace("<!DOCTYPE html>\n", ""))
    names = {"1-group-3000-0.05.svg", "1-strips-3000-unrelated.svg", "roofline-1.svg"}
    assert {path.name for path in page.glob("*.svg")} == names
    assert text.count("<img ") == 3 and not re.search(r'(src|href)="?https?:', text)
    assert str(ROOT) not in text and str(tmp_path) not in text and not leftovers(page)
    assert "As planned: " in text and "Best: <b>" in text
    assert [line.split("\t")[1] for line in (page / "best.tsv").read_text().splitlines()[1:]] == ["strips", "group"]
    assert len((page / "trials.tsv").read_text().splitlines()) == 1 + len(small("--list").lines)
    assert len((page / "roofline.tsv").read_text().splitlines()) == 3
    script("rhomb-plot", "tune", "-o", "ran", folder=tmp_path, env={**small.rhomb.environment, "RHOMB": str(small.rhomb.path)})
    assert (tmp_path / "ran" / "index.html").exists()
    (tmp_path / "wrong.json").write_text('{"kind":"task"}\n')
    script("rhomb-plot", "tune", "wrong.json", "-o", "none", folder=tmp_path, code=3)
    assert not (tmp_path / "none").exists()


def trial(config, outcome="measured", gcups=None, used=None):
    return {"kind": "trial", "engine": "strips", "variant": "strips", "device": "D", "driver": "1", "compute_units": 2,
            "length": 1000, "divergence": 0.5, "config": config, "used": used, "outcome": outcome, "gcups": gcups,
            "seconds": gcups and 1 / gcups, "rate": 1e9, "why": None if outcome == "measured" else "registers 17"}


def test_heat_map_and_roofline():
    pytest.importorskip("matplotlib", reason="pictures need matplotlib (python3-matplotlib)")
    import test_plot  # noqa: F401  (puts tools/python on the path)
    from rhomb import tune as page

    record = {"kind": "task", **{name: value for name, value in trial({}).items() if name in (
        "engine", "variant", "device", "driver", "compute_units", "length", "divergence")}, "config": {"K": 2},
        "tunables": [{"name": "K", "meaning": "rows", "values": [1, 2, 4]}, {"name": "WG", "meaning": "", "values": [64]}]}
    trials = [trial({}, gcups=10.0, used={"K": 1, "WG": 64}), trial({"K": 2}, gcups=40.0, used={"K": 2, "WG": 64}),
              trial({"K": 4, "WG": 64}, "unfit")]
    [(machine, ([task], ceilings))] = page.tasks_of([record, *trials]).items()
    assert machine == ("D", "1", 2) and ceilings is None
    assert task.best["config"] == {"K": 2} and task.planned is trials[0] and task.fastest is trials[1]
    assert [(name, values, factor) for name, _, values, factor in page.spreads(task)] == [("K", [1, 2, 4], 4.0), ("WG", [64], 1.0)]
    cells = [page._cell(task, "WG", 64, "K", k) for k in (1, 2, 4)]
    assert [(one.value, one.word, one.best, one.own) for one in cells] == [
        (10.0, "", False, True), (40.0, "", True, False), (None, "unfit", False, False)]
    assert "unfit" in test_plot.words(page.heat_map(task, "heat"))
    operations, size = page.roofline.work({**trials[1], "used": {"K": 32, "WG": 1}})
    assert operations == pytest.approx((7 * 32 + 6) / (32 * 32)) and size > 0


# ---- what is known, to share


def test_share(small, tune, tmp_path, write):
    shared = small.rhomb.folder / "shared.jsonl"
    small("--export shared.jsonl")
    kinds = [json.loads(line)["kind"] for line in shared.read_text().splitlines()]
    assert sorted(kinds) == ["ceilings", "setting", "setting"]
    assert small("--export -").out == shared.read_text()
    small("--export none.jsonl --device 'no such device'", code=2).says("nothing is known of a device")
    small("--export nowhere/shared.jsonl", code=2)
    assert not (small.rhomb.folder / "none.jsonl").exists() and not leftovers(small.rhomb.folder)

    shutil.copy(shared, tmp_path)
    run = tune("--import shared.jsonl")
    assert run.column("kind") == ["ceilings", "setting", "setting"] and run.column("added") == ["true"] * 3
    assert tune.store.read_bytes() == shared.read_bytes()
    assert tune("--import -", stdin=shared.read_bytes()).column("added") == ["false"] * 3
    assert tune.store.read_bytes() == shared.read_bytes()
    tune("--export again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == shared.read_bytes()


def test_damaged_files_to_share(small, tune, write):
    text = small("--export -").out
    lines = text.splitlines(keepends=True)
    for number in range(3):
        write("damaged.jsonl", "".join(line.replace("e", "f", 1) if i == number else line for i, line in enumerate(lines)))
        tune("--import damaged.jsonl", code=3).says(f"damaged.jsonl, line {number + 1}: damaged")
    write("torn.jsonl", text[:-9])
    tune("--import torn.jsonl", code=3).says("torn.jsonl, line 3: damaged")
    write("trials.jsonl", small.trials.read_bytes())
    tune("--import trials.jsonl", code=3).says("trials.jsonl, line 1: no line of a store")
    tune("--import /dev/null", code=3)
    tune("--import nowhere.jsonl", code=3)
    assert not tune.store.exists(), "a part was taken"
    write("whole.jsonl", text[:-1])  # without the last line's end
    assert tune("--import whole.jsonl").column("added") == ["true"] * 3


def test_damaged_store(small, tune, write, data):
    write("shared.jsonl", small("--export -").out)
    tune("--import shared.jsonl")
    lines = tune.store.read_text().splitlines(keepends=True)
    tune.store.write_text(lines[0] + lines[1].replace("e", "f", 1) + lines[2])
    write("two.fa.gz", (data / Path(WUHAN).name).read_bytes() + (data / Path(BA).name).read_bytes())
    run = tune.rhomb("distance two.fa.gz two.fa.gz --all-pairs -d 0")
    assert run.column("distance") == ["0", "109", "109", "0"]
    told = r"store.jsonl: line 2 is damaged and was left out"
    assert len(re.findall(told, run.err)) == 1
    tune.rhomb(f"distance {WUHAN} {BA} -d 0 --explain").says("line 2 is damaged")
    assert len(re.findall("line 2 is damaged", tune.rhomb(f"bench strips {WUHAN} {BA} --variant strips --runs 2").err)) == 1


# ---- search and lcs


@pytest.fixture(scope="module")
def many(shared_rhomb, small, tmp_path_factory):
    tuner = Tuner(shared_rhomb, tmp_path_factory.mktemp("many"))
    ceilings = [line for line in small.store.read_text().splitlines() if '"kind":"ceilings"' in line]
    tuner("--import -", stdin=ceilings[0] + "\n")
    tuner.runs = [tuner("search --length 40 --variant task-local --strategy full --budget 60"),
                  tuner("--length 40 --variant strips-batch --budget 4"), tuner("lcs --length 300 --variant strips-lcs --budget 4")]
    return tuner


def test_search_and_lcs(many):
    full, batch, lcs = many.runs
    assert full.column("engine") == ["search"] and full.column("tried") == ["4"] and full.column("left") == ["0"]
    assert batch.column("engine") == ["search"] and float(batch.column("divergence")[0]) == 0.05
    assert lcs.column("engine") == ["lcs"] and float(lcs.column("divergence")[0]) == 0.5
    for run in many.runs:
        assert run.column("wrong") == run.column("failed") == ["0"]
    assert not re.search('"engine":"lcs".*(CHUNK|QUEUES)', many.trials.read_text()), "tunes copies"
    assert {row["engine"] for row in many("lcs --list").table} == {"lcs"}
    tasks = [one["variant"] for one in many("--list --format json").json if one["kind"] == "task"]
    assert tasks == ["strips-batch", "task-local", "strips-lcs"]
    assert many("--export -").out.count('"kind":"setting"') == 3


def test_gaps(tune):
    """The paper's variants take a thousand times as long as ours on a CPU, and neither waits for the other."""
    for budget in 6, 16, 16, 60:  # where compiling takes all of the time, the next run begins with another
        run = tune("gaps --variant gaps-lanes,single-a --length 100 --budget", budget)
        if int(run.column("tried")[0]) > 1 and "NA" not in run.column("seconds"):
            break
    assert run.column("variant") == ["gaps-lanes", "single-a"] and run.column("slow") == ["0", "0"]
    assert int(run.column("tried")[0]) > 1 and "NA" not in run.column("seconds")


def test_what_was_found_is_used(many, tmp_path):
    """For texts about as long, over as many symbols; --explain says so."""
    folder = many.rhomb.folder
    text = random_text(3000, 1)
    (folder / "text.txt").write_text(text + "\n")
    for m in (40, 80, 320, 640):
        (folder / f"{m}.txt").write_text(f"{text[8:8 + m]}\n{text[98:98 + m]}\n")
    (folder / "protein.txt").write_text("MKVLAWYHEDRSTNQGIPCFMKVLAWYHEDRSTNQGIPCF\n")
    [setting] = [one for one in map(json.loads, many("--export -").out.splitlines()) if one.get("variant") == "task-local"]

    def search(queries, more=""):
        return many.rhomb(f"search {queries} text.txt --input-format lines --variant task-local {more} --explain")

    none = r"^tuned_setting\tnone; what the plan takes by itself$"
    used = ",".join(f"{name}={value}" for name, value in setting["used"].items())
    search("40.txt").prints(r"^tuned_setting\tmeasured on this device, at 40 symbols and divergence 0.05$", f"^config\t{used}$")
    search("80.txt").prints(r"^tuned_setting\tmeasured on this device, at 40 symbols")
    search("640.txt").prints(none)
    search("40.txt", "--config WG=32").prints(r"^tuned_setting\tnone; the configuration is forced$", "^config\tWG=32$")
    search("protein.txt").prints(r"^tuned_setting\tnone; they are measured with 2 bits a symbol")
    many.rhomb("search 40.txt text.txt --input-format lines --variant task-local --check")
    many.rhomb("lcs 320.txt text.txt --input-format lines --variant strips-lcs --explain").prints(
        r"^tuned_setting\t(measured on this device, at 300 symbols and divergence 0.5|none; the one .* more rows.*)$")
    many.rhomb("lcs 40.txt text.txt --input-format lines --variant strips-lcs --explain").prints(none)
    many.rhomb("lcs 320.txt text.txt --input-format lines --check")
    kept = many.store.read_text()
    many.store.unlink()  # nothing is known, then it is damaged
    search("40.txt").prints(none)
    many.store.write_text(kept.replace("task-local", "task-logal"))
    search("40.txt").says("store.jsonl: line .* is damaged").prints(none)
    many.store.write_text(kept)


def test_primer(tune, write):
    """K is the length; what was found is used for about that K."""
    full = tune("primer --length 4 --variant dense --strategy full --budget 60")
    assert full.column("engine") == ["primer"] and full.column("length") == ["4"]
    assert full.column("tried") == ["4"] and full.column("left") == full.column("wrong") == full.column("failed") == ["0"]
    run = tune("primer --length 4 --variant cores,alternative --budget 4 --limit 20")
    assert run.column("variant") == ["cores", "alternative"] and run.column("wrong") == run.column("failed") == ["0", "0"]
    assert "COUNT" not in tune.trials.read_text(), "counting is no setting"
    assert {row["engine"] for row in tune("primer --list").table} == {"primer"}
    text = random_text(3000, 1)
    write("alpha.fa", fasta([("alpha", text[:900])]))
    write("beta.fa", fasta([("beta", text[400:2000]), ("more", text[::-1])]))
    [setting] = [one for one in map(json.loads, tune("--export -").out.splitlines()) if one.get("variant") == "dense"]
    used = ",".join(f"{name}={value}" for name, value in setting["used"].items())

    def primer(more):
        return tune.rhomb("primer alpha.fa beta.fa --variant dense", more)

    primer("-k 4 --explain").prints(r"^tuned_setting\tmeasured on this device, at 4 symbols", f"^config\t{used}$")
    primer("-k 9 --explain").prints(r"^tuned_setting\tnone; what the plan takes by itself$")
    primer("-k 4 --config PROBES=8 --explain").prints(r"^tuned_setting\tnone; the configuration is forced$", "^config\tPROBES=8$")
    assert primer("-k 4 --check").out == tune.rhomb("primer alpha.fa beta.fa --variant reference -k 4").out


# ---- what is asked for wrongly


@pytest.mark.parametrize("wrong", [
    "--engine strip", "--variant stripes", "--engine strips --variant fused", "distance --length 3", "--length x", "--divergence 2",
    "--divergence 0", "--strategy best", "--budget soon", "--limit 0", "--runs 0", "align", "search lcs", "lcs --engine strips",
    "search --variant strips", "search --length 9", "lcs --length 1M", "primer --length 0", "lcs --report page", "--list --export b", "--export a --import a",
    "--from shared.jsonl", "--export=", "--lists"])
def test_asked_wrongly(tune, wrong):
    tune(wrong, code=2)


def test_no_device(tune):
    process = tune.rhomb.start("tune --device nowhere --budget 1", stderr=-1, text=True)  # both processes complain
    assert "no OpenCL device is called 'nowhere'" in process.communicate(timeout=60)[1] and process.returncode == 4
