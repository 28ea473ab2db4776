"""rhomb-plot: pictures of benchmarks and traces, whole and in the format that the name asks for."""
import json
import os
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest

from conftest import BA, ROOT, WUHAN, leftovers

pytest.importorskip("matplotlib", reason="pictures need matplotlib (python3-matplotlib)")
sys.path.insert(0, str(ROOT / "tools" / "python"))

from rhomb import bench, data, dotplot, fasta, trace  # noqa: E402


def script(name, *arguments, folder, code=0, env=None, stdin=None):
    """Runs rhomb-plot or rhomb-papers from the clone."""
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "python" / name), *map(str, arguments)], cwd=folder,
                          capture_output=True, text=True, env={**os.environ, **(env or {})}, input=stdin, timeout=300,
                          check=False)
    assert done.returncode == code, f"{name} {arguments}: {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    if code not in (0, 2) or (code == 2 and "usage:" not in done.stderr):
        assert done.stderr.count(f"{name}: error: ") == 1
    return done


def row(length=1000, divergence=0.01, engine="auto", answered="strips", seconds=0.001, **more):
    return {"program": "rhomb", "engine": answered, "variant": answered, "config": {"K": 4}, "device": "A device",
            "length": length, "divergence": 0.01, "distance": 10, "seconds": seconds, "gcups": 1.5, "ratio": 1.0,
            "cells_per_second": 1e9,
            "asked": {"length": length, "divergence": divergence, "seed": 1, "engine": engine, "variant": "",
                      "config": {}, "runs": 1}, **more}


def lines(rows):
    return "".join(json.dumps(one) + "\n" for one in rows)


GRID = [row(length, divergence, engine, answered, length * 1e-6 * factor)
        for divergence in (0.01, "unrelated") for length in (1000, 10_000, 100_000)
        for engine, answered, factor in (("auto", "strips", 1), ("wavefront", "wavefront", 3))]


def test_formats(tmp_path):
    (tmp_path / "rows.json").write_text(lines(GRID))
    for suffix, first in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        script("rhomb-plot", "bench", "rows.json", "-o", f"plot.{suffix}", "--value", "gcups", folder=tmp_path)
        assert (tmp_path / f"plot.{suffix}").read_bytes().startswith(first)
    xml.dom.minidom.parse(str(tmp_path / "plot.svg"))
    script("rhomb-plot", "bench", "-o", "stdin.svg", folder=tmp_path, stdin=lines(GRID))
    assert (tmp_path / "stdin.svg").exists() and not leftovers(tmp_path)


def words(picture):
    """All text of a picture."""
    from matplotlib.text import Text

    return [one.get_text() for one in picture.figure.findobj(Text) if one.get_text()]


def test_grid_shows_all():
    picture = bench.picture(GRID)
    [axes] = picture.figure.axes
    drawn = sorted((x, y) for line in axes.lines if line.get_marker() not in ("", "None")
                   for x, y in zip(line.get_xdata(), line.get_ydata()))
    assert drawn == sorted((one["length"], one["seconds"]) for one in GRID)
    for text in ("1%", "unrelated", "chosen by rhomb", "wavefronts", "strips", "A device"):
        assert text in words(picture)
    assert any("time of a pair" in text for text in words(picture))


def test_other_rows():
    wide = [row(width=width, max_distance=width, seconds=1.0) for width in (500, 1000, 2000)]
    assert "mean diagonals a wavefront" in words(bench.picture(wide))
    pairs = [row(), row(engine="strips")]
    assert {"auto", "strips"} <= {text.strip() for text in words(bench.picture(pairs))}
    several = [{**row(length, answered="corridor"), "asked": {**row(length)["asked"], "structural": 20}}
               for length in (1000, 2000)]
    assert {"1%, 20 variants", "corridors"} <= set(words(bench.picture(several)))
    search = [{"program": "rhomb", "variant": "coop", "config": {}, "device": "D", "m": m, "n": 120, "pairs": 10,
               "seconds": 1.0, "gcups": m, "seconds_whole": None} for m in (100, 200)]
    assert any("symbols of a query" in text for text in words(bench.picture(search)))


@pytest.mark.parametrize("text, why", [
    ("", "has no rows"), ("#program\tengine\n", "line 1: not JSON; is it TSV"), ('{"a": 1}\n', "none of the rows has a time"),
    ('{"seconds": 1}\n', "no length"), ("[1]\n", "line 1: not a JSON object")])
def test_bad_rows(tmp_path, text, why):
    (tmp_path / "rows.json").write_text(text)
    assert why in script("rhomb-plot", "bench", "rows.json", "-o", "a.svg", folder=tmp_path, code=3).stderr
    assert not (tmp_path / "a.svg").exists()


def test_asked_wrongly(tmp_path):
    (tmp_path / "rows.json").write_text(lines(GRID))
    script("rhomb-plot", folder=tmp_path, code=2)
    script("rhomb-plot", "bench", "rows.json", folder=tmp_path, code=2)
    for name in ("a.gif", "plot", "none/a.svg"):
        script("rhomb-plot", "bench", "rows.json", "-o", name, folder=tmp_path, code=2)
    script("rhomb-plot", "bench", "none.json", "-o", "a.svg", folder=tmp_path, code=3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.json"]


# ---- traces


def slices(*events):
    return [{"ph": "X", "name": name, "cat": category, "ts": begin, "dur": end - begin}
            for name, category, begin, end in events]


def test_trace_numbers():
    events = slices(("compute", "host", 100, 200), ("self-test", "launch", 0, 50), ("k", "launch", 110, 130),
                    ("k", "launch", 120, 140), ("read", "memory", 190, 230))
    span, busy, idle = trace.usage(events)
    assert (span, busy, idle) == pytest.approx((100e-6, 40e-6, 0.6))
    rows = trace.rows(events)
    assert [(one["category"], one["name"], one["count"]) for one in rows] == [
        ("launch", "self-test", 1), ("launch", "k", 2), ("memory", "read", 1), ("host", "compute", 1)]
    assert rows[1]["seconds"] == pytest.approx(40e-6) and rows[1]["longest"] == pytest.approx(20e-6)


def test_trace(rhomb, tmp_path):
    rhomb(f"distance {WUHAN} {BA} --engine wavefront --trace run.json")
    done = script("rhomb-plot", "trace", "run.json", "-o", "run.png", folder=tmp_path)
    assert "launch\twfa_fused\t" in done.stdout and "while computing the device was busy" in done.stderr
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "bad.json").write_text('{"traceEvents": 3}')
    script("rhomb-plot", "trace", "bad.json", folder=tmp_path, code=3)
    script("rhomb-plot", "trace", "none.json", folder=tmp_path, code=3)


# ---- numbers and files


def test_numbers():
    assert [data.short(value) for value in (0, 0.001234, 0.99951, 12.345, 1234.5)] == ["0", "0.00123", "1.000", "12.3", "1,234"]
    assert [data.count_tick(value) for value in (5, 1500, 1e6, 2.5e12)] == ["5", "1.5k", "1M", "2.5T"]
    assert [data.time_tick(value) for value in (1e-5, 0.02, 3)] == ["10 µs", "20 ms", "3 s"]
    assert [data.duration(text) for text in ("90", "90s", "4m", "1h")] == [90, 90, 240, 3600]
    for wrong in ("", "x", "0", "0.5s", "-4m", "nan"):
        with pytest.raises(data.Problem):
            data.duration(wrong)


def test_records(data, tmp_path):
    [record] = fasta.records(data / Path(WUHAN).name)
    assert record.length == 29903
    (tmp_path / "two.fa").write_text(">a x\nACGT\nAC\n>b\nA\n")
    found = fasta.records(tmp_path / "two.fa")
    assert [(one.name, one.length, one.records) for one in found] == [("a", 6, 2), ("b", 1, 2)]
    fasta.extract(found[1], tmp_path / "b.fa")
    assert (tmp_path / "b.fa").read_text() == ">b\nA\n"


PAF = "q\t{}\t0\t{}\t+\tt\t{}\t0\t{}\t1\t1\t255\tcg:Z:{}\n"


def test_dotplot(tmp_path):
    cigar = "10=2X3=5I100=12D7=1D1=1I9="
    query, target = 10 + 2 + 3 + 5 + 100 + 7 + 1 + 1 + 9, 10 + 2 + 3 + 100 + 12 + 7 + 1 + 1 + 9
    (tmp_path / "a.paf").write_text(PAF.format(3, 3, 3, 3, "3=") + PAF.format(query, query, target, target, cigar))
    second = list(dotplot.records(tmp_path / "a.paf"))[1]
    letters, lengths, at_query, at_target = dotplot.path(second)
    assert "".join(map(chr, letters)) == "=X=I=D=D=I=" and list(lengths[:4]) == [10, 2, 3, 5]
    assert list(at_query[:5]) == [0, 10, 12, 15, 20] and list(at_target[:5]) == [0, 10, 12, 15, 15]
    assert dotplot.histogram(letters, lengths, "D") == [(1, 1, 1), (2, 2, 0), (3, 3, 0), (4, 7, 0), (8, 15, 1)]
    shown = words(dotplot.picture(second))
    assert {"Lengths of gaps", "insertions", "deletions", "mismatches", "q and t"} <= set(shown)
    for name in ("a.png", "a.svg"):
        script("rhomb-plot", "dotplot", "a.paf", "--record", 2, "-o", name, folder=tmp_path)
        assert (tmp_path / name).stat().st_size > 1000
    script("rhomb-plot", "dotplot", "-o", "b.png", folder=tmp_path, stdin=PAF.format(3, 3, 3, 3, "3="))


def test_dotplot_refuses(tmp_path):
    for number, text in enumerate(["", "no PAF\n", PAF.format(4, 4, 4, 4, "3="), PAF.format(3, 3, 3, 3, "3S"),
                                   PAF.format(3, 3, 3, 3, "3=").replace("cg:Z", "ab:Z")]):
        (tmp_path / "a.paf").write_text(text)
        script("rhomb-plot", "dotplot", "a.paf", "-o", f"{number}.png", folder=tmp_path, code=3)
    script("rhomb-plot", "dotplot", "a.paf", "-o", "a.png", "--record", 0, folder=tmp_path, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["a.paf"]
