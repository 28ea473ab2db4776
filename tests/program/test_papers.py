"""rhomb-papers on little: that all figures are measured, drawn beside the papers' values, and make whole pages; that
measuring and drawing may be two steps; and the numbers and pictures themselves where they are known."""
import gzip
import json
import re
import subprocess
import sys
import xml.dom.minidom
from types import SimpleNamespace

import pytest

from conftest import DATA, ROOT, WUHAN, BA, leftovers, random_text

pytest.importorskip("matplotlib", reason="pictures need matplotlib (python3-matplotlib)")

from test_plot import script  # noqa: E402  (puts tools/python on the path)
from rhomb import paper_wavefront  # noqa: E402
from rhomb.study import Study  # noqa: E402

EBOLA = [DATA / "ebola_zaire_NC_002549.1.fa.gz", DATA / "ebola_bundibugyo_NC_014373.1.fa.gz"]


@pytest.fixture
def papers(program, environment, tmp_path):
    def run(*arguments, code=0):
        return script("rhomb-papers", *arguments, folder=tmp_path, code=code, env={**environment, "RHOMB": str(program)})

    return run


def check_page(folder, figures, words):
    """index.html is whole, shows all pictures and needs nothing else; every figure has its table."""
    text = (folder / "index.html").read_text()
    xml.dom.minidom.parseString(text.replace("<!DOCTYPE html>\n", ""))
    pictures = sorted(path.name for path in folder.glob("*.svg"))
    for name in pictures:
        xml.dom.minidom.parse(str(folder / name))
    assert text.count("<img src=\"data:image/svg+xml;base64,") == len(pictures) >= len(figures)
    assert not re.search(r'(src|href)="?https?:', text)
    assert str(ROOT) not in text, "names a directory of this machine"
    for figure in figures:
        assert (folder / f"figure{figure}.tsv").read_text().startswith(("#program\t", "#figure\t"))
        assert f'<section id="figure{figure}">' in text
    for word in words:
        assert word in text
    assert not leftovers(folder)


def rows_of(folder):
    head, *rows = [json.loads(line) for line in (folder / "measurements.jsonl").read_text().splitlines()]
    return head, rows


def test_wavefront(papers, tmp_path):
    papers("wavefront", *EBOLA, "--budget", "15s", "--measure-only", "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["measurements.jsonl"]
    papers("wavefront", "--from", "run", "-o", "page")
    _, rows = rows_of(tmp_path / "run")
    drawn = {re.match("[0-9]+", row["figure"])[0] for row in rows if row["seconds"]}  # on a busy machine not all
    assert {"4", "5", "12", "13"} <= drawn
    check_page(tmp_path / "page", sorted(drawn),
               ["<td>156 (WG=380)</td>", "496 (table 3, row 4)", "Figure 12: The highest rate of each variant",
                "which is not the pair measured here", "18,959 bases"])
    assert any(row["asked"]["divergence"] == 0.5 for row in rows if row["figure"] == "13")
    header = (tmp_path / "page" / "figure5.tsv").read_text().splitlines()[0].split("\t")
    assert header[-3:] == ["first_column", "last_column", "launch_us"]
    header = (tmp_path / "page" / "figure4.tsv").read_text().splitlines()[0].split("\t")
    assert header[-2:] == ["group", "tile"]
    # Only some of what was measured.
    papers("wavefront", "--from", "run", "-o", "some", "--figures", "12")
    assert [path.name for path in (tmp_path / "some").glob("*.svg")] == ["figure12.svg"]


def test_costs():
    costs = paper_wavefront._Costs()
    assert costs.seconds(1000) == 0
    for distance in (100, 200, 400, 800):
        costs.add(distance, 1e-5 * distance + 1e-8 * distance**2)
    assert costs.seconds(10_000) == pytest.approx(1e-5 * 1e4 + 1e-8 * 1e8, rel=0.15)
    assert [paper_wavefront._round(value) for value in (7, 99, 412_345)] == [7, 99, 410_000]
    assert paper_wavefront._thinned([1, 2, 3, 4, 5, 6]) == [1, 3, 6]


class ModelGpu:
    """A device whose times are known, in place of measuring: so much a launch, so much a cell, 0.2 s a program."""

    COSTS = {"baseline": (3e-5, 3e-11), "dynamic": (2e-5, 2e-11), "batched": (4e-6, 1e-11), "strips": (1e-6, 1e-13)}

    def __init__(self, budget):
        self.study = Study("wavefront", {"device": {"type": "GPU", "max_work_group": 1024, "name": "A GPU", "driver": "1",
                                                    "compute_units": 132}, "notes": {}, "date": "today", "seconds": 1})
        self.budget, self.used = budget, 0.0

    def left(self):
        return self.budget - self.used

    def bench(self, figure, *arguments, keep=True):
        words = [str(word) for word in arguments]
        given = {name: words[words.index(name) + 1] for name in words if name.startswith("--") and "=" not in name}
        configs = [{}]
        for part in given.get("--config", "").split(",") if "--config" in given else ():
            name, values = part.split("=")
            configs = [{**one, name: int(value)} for one in configs for value in values.split("/")]
        variants = given["--variant"].split(",") if "--variant" in given else []
        variants += ["auto"] if "auto" in given.get("--engine", "") else []
        rows, stopped = [], set()
        for edits in given.get("--divergence", "none").split(","):
            for length in map(int, given.get("--prefix", "3282708").split(",")):
                for variant in variants:
                    for config in configs:
                        if (edits, variant, str(config)) not in stopped:
                            row = self.row(figure, variant, config, length, edits, float(given["--limit"]))
                            rows += [row] if row else stopped.add((edits, variant, str(config))) or []
        self.study.rows += rows if keep else []
        return rows

    def row(self, figure, variant, config, length, edits, limit):
        distance = int(length * (0.45 if edits == "none" else min(0.5, 0.9 * float(edits))))
        launch, cell = self.COSTS.get(variant, (1e-6, 3e-12))
        seconds = launch * distance + cell * distance**2 + 1e-4
        self.used += 0.2 if config else 0
        if seconds > limit:
            self.used += limit
            return None
        self.used += seconds * (1 + max(1, min(3, int(limit / seconds) - 1)))
        copied = {} if edits == "none" else {"divergence": float(edits)}
        return {"figure": figure, "program": "rhomb", "engine": "wavefront", "variant": variant, "choice": variant,
                "config": {"WG": 128, "T": 127, "BATCH": 100, **config}, "device": "A GPU", "length": length,
                "divergence": distance / length, "distance": distance, "seconds": seconds, "gcups": length**2 / seconds / 1e9,
                "timeline": [[1, 0.0], [10, 0.1], [20, 0.3]], "asked": {"config": config, "prefix": length, **copied}}


def test_budget(monkeypatch, tmp_path):
    """On a fast device with genomes of megabases: the runs take about the time that was given, and long prefixes."""
    monkeypatch.setattr(paper_wavefront._Pair, "_text", staticmethod(lambda path, record: (path, 3_282_708)))
    gpu = ModelGpu(240)
    paper_wavefront.measure(gpu, SimpleNamespace(files=["a", "b"], record=None, ambiguous=None), paper_wavefront.FIGURES)
    assert 120 < gpu.used < 300
    longest = {row["choice"]: row["length"] for row in gpu.study.of("12")}
    assert longest["strips"] > 2_000_000 and longest["fused"] > 500_000 and longest["baseline"] > 50_000
    assert len(gpu.study.of("4")) == 45 and len(gpu.study.of("10e")) == 13
    paper_wavefront.draw(gpu.study, tmp_path / "page", paper_wavefront.FIGURES)
    assert len(list((tmp_path / "page").glob("*.svg"))) == 11


def test_facts_come_from_rows():
    rows = [{"choice": "batched", "gcups": 300.0, "asked": {"config": {"WG": 64, "BATCH": 100}}},
            {"choice": "batched", "gcups": 200.0, "asked": {"config": {"WG": 32}}}]
    numbers = {"best": {"batched": {"gcups": 277, "config": "WG=128"}}}
    assert paper_wavefront._best_facts(rows, ["batched", "group"], numbers) == [
        ("batched, highest GCUPS", "277 (WG=128)", "300 (WG=64)"), ("group, highest GCUPS", "not printed", "not measured")]


@pytest.mark.parametrize("wrong, code", [
    (["wavefront", *EBOLA, "--figures", "6"], 2), (["wavefront", *EBOLA, "--budget", "0"], 2),
    (["wavefront", *EBOLA, "--budget", "soon"], 2), (["wavefront", EBOLA[0]], 2), (["wavefront", EBOLA[0], "none.fa"], 3),
    (["wavefront", "--from", "nowhere"], 3), (["wavefront", "--from", "a", "--measure-only", "b"], 2),
    (["search", "a", "b", "c"], 2), (["search", "--figures", "9"], 2), (["search", "none.fa"], 3),
    (["lcs", "--figures", "7"], 2), (["lcs", "--targets", "0"], 2), (["table", "nowhere"], 2), (["lcs", "--rhomb", "none"], 2),
    ([], 2), (["lcs", "--device", "no such device"], 2)])
def test_asked_wrongly(papers, wrong, code, tmp_path):
    if "--device" in wrong:
        code = 4
    papers(*wrong, code=code)
    assert not list(tmp_path.glob("paper-*"))


def test_search(papers, tmp_path, write):
    text = random_text(30_000, 1)
    write("text.fa", f">text\n{text}\n")
    papers("search", "text.fa", "--length", "64", "--pairs", "500", "--runs", "1", "--budget", "2m", "--figures", "4,8", "-o", "search")
    check_page(tmp_path / "search", ["4", "8"],
               ["GTX Titan", "1.0 to 2.3 TCUPS", "1.22 to 2.70 times", "Figure 8: Cooperation", "text.fa, 1 sequence, 30,000 symbols"])
    head, rows = rows_of(tmp_path / "search")
    assert head["paper"] == "search" and {row["m"] for row in rows} == {64}
    own = [row for row in rows if row["program"] == "rhomb"]
    assert {"strips-batch", "coop", "task-private", "task-local"} <= {row["variant"] for row in own}
    assert {row["asked"].get("W") for row in own if row["variant"] == "coop"} == {None, 1, 4, 16}
    # What does not fit, or had no time, says why.
    assert all(row["seconds"] or row["note"] for row in rows)


def case(variant, asked, m, gcups, whole=None, **config):
    return {"figure": "search", "program": "rhomb", "variant": variant, "config": {**config, **asked}, "device": "A GPU", "m": m,
            "n": m + m // 5, "pairs": 1000, "runs": 1, "seconds": 1.0, "gcups": gcups, "seconds_whole": whole and 1.0,
            "gcups_whole": whole, "note": "", "asked": asked}


def test_search_figures(papers, tmp_path):
    """All figures, of rows whose values are known."""
    rows = []
    for m, scale in ((100, 1), (1000, 2)):
        rows += [case("strips-batch", {}, m, 40_000 * scale, 20_000, SLOT=8, K=16),
                 case("strips-batch", {"SLOT": 16, "K": 8}, m, 30_000 * scale),
                 case("coop", {}, m, 10_000 * scale, W=4, R=32), case("coop", {"W": 1}, m, 5_000 * scale, R=8),
                 case("coop", {"R": 8}, m, 12_000 * scale, 6_000, W=2),
                 case("task-private", {"WG": 64}, m, 4_000 / scale), case("task-local", {"WG": 64}, m, 3_000 * scale),
                 {**case("", {}, m, 5.0), "program": "edlib HW"}]
    head = {"kind": "study", "paper": "search", "date": "today", "seconds": 1, "notes": {}, "reads": None, "text": "t.fa",
            "device": {"type": "GPU", "name": "A GPU", "driver": "1", "compute_units": 132}}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "measurements.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [head, *rows]))
    papers("search", "--from", "run", "-o", "page")
    check_page(tmp_path / "page", ["4", "5", "6", "7", "8", "R", "strips"], [
        "<td>coop</td><td>1.0 to 2.3 TCUPS</td><td>12.0 TCUPS at 100, 24.0 TCUPS at 1000</td>",
        "<td>coop / the faster task variant</td><td>2 to 7 times</td><td>3.00 to 4.00 times</td>",
        "<td>0.71 (1 / 1.41)</td><td>0.50</td>", "<td>best W / W=1</td><td>1.22 to 2.70 times</td><td>2.00 to 2.00 times</td>",
        "R=8, W=2, 12.0 TCUPS</td>", "SLOT=8, K=16, 40.0 TCUPS",
        "<td>strips-batch, m = 1000</td><td>40.0 TCUPS</td><td>80.0 TCUPS</td><td>reached</td>"])


def test_gaps(papers, tmp_path):
    """Within a budget that is far too small for all that the paper has."""
    done = papers("gaps", "--device", "cpu", "--max-gaps", "1", "--budget", "15s", "--figures", "10,14,15", "--measure-only", "run")
    head, rows = rows_of(tmp_path / "run")
    assert len(head["sizes"]) >= 3 and max(head["sizes"]) < 2048 and head["seconds"] < 100
    assert {row["figure"] for row in rows} >= {"10", "13", "14"}
    for figure in sorted({row["figure"] for row in rows if not row["seconds"]} - {"aims"}):
        assert f"rhomb-papers: figure {figure}: " in done.stderr
    assert "needs --other" not in done.stderr
    done = papers("gaps", "--from", "run", "--figures", "13,15", "-o", "alone")
    assert done.stderr.splitlines() == ["rhomb-papers: figure 15: needs --other"]
    assert "needs --other" not in papers("gaps", "--from", "run", "--other", "run", "-o", "gaps").stderr
    check_page(tmp_path / "gaps", sorted({row["figure"] for row in rows if row["seconds"] and row["program"] == "rhomb"} - {"aims"}),
               {"gaps-lanes", "Table 1: the approaches", "GPU-M-H", "Figure 10: ", "reference"})
    page = (tmp_path / "gaps" / "index.html").read_text()
    assert ("table2" in page) == any(row["figure"] == "14" and row["variant"] == "multi-b" and row["seconds"] for row in rows)


def test_primer(papers, tmp_path):
    papers("primer", "--m", "120", "--n", "900", "--starts", "4", "--budget", "120s", "-o", "primer")
    names = {path.name for path in (tmp_path / "primer").iterdir()}
    assert names >= {"index.html", "measurements.jsonl", "tables.svg", "figuretables.tsv", "figure4.tsv", "figure5.svg", "figure8-global.svg",
                     "figure8-local.svg", "figure9.svg", "figure10.svg"}
    page = (tmp_path / "primer" / "index.html").read_text()
    for words in ("alternative+3+4+5+6", "conventional+1", "cores, rhomb", "comparisons a second", "work-items", "of ALPHA"):
        assert words in page, words
    papers("primer", "--m", "0", code=2)
    papers("primer", "one.fa", code=2)


def test_lcs(papers, tmp_path):
    papers("lcs", "--length", "100", "--targets", "50", "--runs", "1", "--budget", "30s", "-o", "lcs")
    check_page(tmp_path / "lcs", ["8", "9", "10", "11"],
               ["three NVIDIA M2090", "Figure 10: Size of the alphabet", "13, 50, 191 targets", "loses up to 1.9%"])
    _, rows = rows_of(tmp_path / "lcs")
    assert {row["alphabet"] for row in rows if row["figure"] == "10"} == {8, 12, 16, 20, 26}
    assert {row["targets"] for row in rows if row["figure"] == "9" and row["program"] == "rhomb"} == {13, 50, 191}
    assert any(row["asked"].get("STORE") == 0 for row in rows if row["figure"] == "8")


def test_measuring_needs_no_matplotlib(program, environment, tmp_path):
    def run(*arguments):
        code = ("import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, sys.argv.pop(1)); "
                "from rhomb.papers import main; sys.exit(main())")
        return subprocess.run([sys.executable, "-B", "-c", code, ROOT / "tools" / "python", *arguments], cwd=tmp_path,
                              env={**environment, "RHOMB": str(program)}, capture_output=True, text=True, check=False)

    small = ["lcs", "--length", "64", "--targets", "9", "--runs", "1", "--figures", "9", "--budget", "20"]
    assert run(*small, "--measure-only", "run").returncode == 0
    assert {row["targets"] for row in rows_of(tmp_path / "run")[1]} >= {2, 9, 34}
    done = run(*small)
    assert done.returncode == 1 and "pictures need matplotlib" in done.stderr
    assert not (tmp_path / "paper-lcs").exists()


# ---- the table of pairs


def test_table(papers, tmp_path):
    done = papers("table", DATA, "--runs", "1", "--limit", "3", "-o", "table")
    assert "not found: AE002160.2, AE016879.1, " in done.stderr
    header, *lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    rows = [dict(zip(header, line)) for line in lines]
    assert [row["#experiment"] for row in rows] == "1 2 3 4 5 6 7 8 chr1 chr19 chr20 chr21 chr22 23M 10M 5M".split()
    assert [row["distance"] for row in rows] == ["92254"] + 15 * ["NA"]
    assert rows[0]["paper_seconds"] == "0.13" and rows[0]["auto_engine"] == "strips"
    assert float(rows[0]["auto_ratio"]) == pytest.approx(0.13 / float(rows[0]["auto_seconds"]), rel=1e-3)
    assert (tmp_path / "table" / "index.html").exists() and (tmp_path / "table" / "table3.tsv").exists()


def test_parts(papers, tmp_path):
    """Parts of the sequences are rows of their own, and never the whole."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("NC_000898.1", "NC_007605.1"):
        pattern = "HHV6A_U1102_NC_001664" if name not in str(list(DATA.glob(f"{name}*"))) else name
        text = gzip.decompress((DATA / f"{pattern}.fa.gz").read_bytes()).decode().splitlines()
        (folder / f"{name}.fasta").write_text(f">{name}_first600\n" + "".join(text[1:12])[:600] + "\n")
    (folder / "cut.fa.gz").write_bytes((DATA / "NC_000898.1.fa.gz").read_bytes()[:3000])
    done = papers("table", "parts", "--runs", "1", "--limit", "3")
    assert "skipped: " in done.stderr and "cut.fa.gz" in done.stderr
    assert re.search(r"^1, part\tNC_000898.1\t600\tNC_007605.1\t600\tNA\t[1-9]\d*\t", done.stdout, re.M)
    assert re.search(r"^1\tNC_000898.1\t162114\tNC_007605.1\t171823\t92254\tNA\t", done.stdout, re.M)
    papers("table", folder / "cut.fa.gz", code=3)
    # Texts of the paper's lengths that have another distance.
    (folder / "other.fa").write_text(">NC_007605.1\n" + "A" * 171823 + "\n")
    done = papers("table", DATA / "NC_000898.1.fa.gz", folder / "other.fa", "--runs", "1", "--limit", "2", code=6)
    assert "the paper says 92254" in done.stderr
