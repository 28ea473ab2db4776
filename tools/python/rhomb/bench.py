# SPDX-License-Identifier: Apache-2.0
"""Pictures of rows that `rhomb bench ... --format json` printed."""

from rhomb import charts
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, config_text, count_tick, divergence_words, time_tick

_VALUES = {
    "time": ("time of a pair, median of the runs", "seconds", time_tick),
    "gcups": ("GCUPS: product of the lengths / time / 1e9", "gcups", None),
    "cells": ("cells computed a second on the device", "cells_per_second", count_tick),
}
_ENGINES = {
    "strips": ("strips", 0, False),
    "corridor": ("corridors", 4, False),
    "wavefront": ("wavefronts", 1, True),
    "reference": ("reference", 2, True),
}


def method_name(row):
    """What was asked for: "auto", "strips", "fused WG=128", "auto align", "edlib"."""
    task = " align" if row.get("align") else ""
    if row.get("program", "rhomb") != "rhomb":
        return f"{row['program']} {row.get('variant') or ''}".strip(" -") + task
    asked = row.get("asked") or row
    name = asked.get("variant") or asked.get("engine") or row.get("variant", "rhomb")
    config = config_text(asked.get("config")) if "asked" in row else ""
    return f"{name} {config}".strip() + task


def pair_name(row):
    """The texts of a row: "1%" for random pairs, else the names of the files."""
    asked = row.get("asked") or {}
    if "files" in asked:
        files = " and ".join(name.rpartition("/")[2] for name in asked["files"])
        if "divergence" in asked:
            files = f"copies of {files}, {divergence_words(asked['divergence'])}"
        return files
    if "divergence" in asked:
        words = divergence_words(asked["divergence"])
        return f"{words}, {asked['structural']} variants" if asked.get("structural") else words
    # Rows of other programs do not say what they were asked.
    known = row.get("divergence")
    return "divergence not known" if known is None else f"{known * 100:.2g}%"


def _length(row):
    asked = row.get("asked") or {}
    return asked.get("prefix") or asked.get("length") or row["length"]


def _numbers(values):
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def _complete(rows):
    """Gives rows of other programs the pair of rhomb's row before them."""
    last, pairs = None, []
    for row in rows:
        if row.get("asked"):
            last = row
        pairs.append(pair_name(last if last and last.get("distance") == row.get("distance") else row))
    return pairs


def _against_length(rows, value, name):
    label, field, tick = _VALUES[value]
    rows = [row for row in rows if row.get(field)]
    pairs = _complete(rows)
    colours, ways = _numbers(pairs), _numbers(map(method_name, rows))
    engines = [engine for engine in _ENGINES if any(row.get("engine") == engine for row in rows)]
    curves = {}
    for row, pair in zip(rows, pairs):
        curves.setdefault((pair, method_name(row)), []).append(row)
    series = []
    for (pair, way), some in curves.items():
        look = {"colour": colours[pair], "line": ways[way]}
        series.append(Series("", [(_length(row), row[field]) for row in some], mark=None, **look))
        for engine in {row.get("engine") for row in some}:
            _, mark, hollow = _ENGINES.get(engine, ("", 3, True))
            points = [(_length(row), row[field]) for row in some if row.get("engine") == engine]
            series.append(Series("", points, colours[pair], None, mark, hollow))
    legends = [("Divergence or texts", [key(pair, i, 0) for pair, i in colours.items()])]
    if len(ways) > 1:
        names = {"auto": "chosen by rhomb"}
        legends.append(
            ("Engine, variant or program", [key(names.get(way, way), None, i) for way, i in ways.items()])
        )
    legends.append(("Answered by", [key(_ENGINES[one][0], None, None, *_ENGINES[one][1:]) for one in engines]))
    return charts.curves(
        name,
        "rhomb distance",
        rows[0]["device"],
        Axis("length of both sequences (symbols)", True, count_tick),
        Axis(label, True, tick),
        series,
        legends,
    )


def _against(rows, name, x, label, field, unit, by, log=True):
    """Rates against a column, a curve for each variant and each value of `by`."""
    rows = [row for row in rows if row.get(field) and row.get(x)]
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row.get(one) for one in by), []).append(row)
    series = [
        Series(
            ", ".join(str(part) for part in group if part not in (None, "", "-")),
            [(row[x], row[field]) for row in some],
            i,
            i // 7,
            i,
        )
        for i, (group, some) in enumerate(groups.items())
    ]
    return charts.curves(
        name,
        unit[0],
        str(rows[0].get("device", "")),
        Axis(label, log, count_tick),
        Axis(unit[1], True, count_tick),
        series,
    )


def _side_by_side(rows, name):
    """Rows of one pair or several that have one length: seconds beside each other."""
    pairs = _complete(rows)
    several = len(set(pairs)) > 1
    lines = [
        (method_name(row) if not several else f"{method_name(row)}, {pair}", "", row["seconds"], None)
        for row, pair in zip(rows, pairs)
    ]
    return charts.dots(
        name,
        "Seconds of a pair",
        f"{rows[0]['device']}" + ("" if several else f"; {pairs[0]}"),
        "seconds, median of the runs",
        lines,
        "seconds",
    )


def picture(rows, value="time", name="bench"):
    """The picture that suits the rows."""
    measured = [row for row in rows if row.get("seconds")]
    if not measured:
        raise Problem("none of the rows has a time: are they of rhomb bench --format json?")
    first = measured[0]
    if "width" in first:
        return _against(
            measured,
            name,
            "width",
            "mean diagonals a wavefront",
            "cells_per_second",
            ("Wavefronts as they grow wider", "cells computed a second"),
            ["variant"],
        )
    if "pairs" in first:
        return _against(
            measured,
            name,
            "m",
            "symbols of a query",
            "gcups",
            ("rhomb search: rate of the launches, data in place", "GCUPS"),
            ["program", "variant"],
        )
    if "targets" in first:
        return _against(
            measured,
            name,
            "targets",
            "targets",
            "gcups",
            ("rhomb lcs: rate of the launches, data in place", "GCUPS"),
            ["program", "variant"],
        )
    if "length" not in first:
        raise Problem("the rows have no length: are they of rhomb bench --format json?")
    lengths = {_length(row) for row in measured if row.get("asked")} or {_length(row) for row in measured}
    if len(lengths) > 1:
        return _against_length(measured, value, name)
    return _side_by_side(measured, name)
