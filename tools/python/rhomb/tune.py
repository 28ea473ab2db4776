# SPDX-License-Identifier: Apache-2.0
"""What rhomb tune has measured: heat maps, rates against size and a roofline, as a page."""

import re

from rhomb import charts, data, roofline
from rhomb.charts import Axis, Cell, Series, key
from rhomb.data import Problem, config_text, count_tick, metric, read_lines, short
from rhomb.page import Page, Raw, html, table, today

_BEST, _WORST, _REASONS = 6, 4, 12
_ABOUT = """<p>Each configuration was planned, built, compared with the plain reference on small texts, and measured on
random ones in a process of its own. <b>GCUPS</b>: the cells of the matrix, of a pair length \u00d7 length, of search and
lcs those of all tasks together, / seconds on the device / 10<sup>9</sup>, the median of some runs; whatever an engine
leaves out of the matrix, this is high where time is short. Of search and lcs the seconds are those of the launches, data
in place. <b>Cells a second</b> counts the cells that were computed, bands and wavefronts only. <i>As planned</i> is what
rhomb takes by itself on a device that nobody has tuned it for. A setting is worth keeping if it takes at least 3% less
time than that.</p>
"""
_CEILINGS = """<ul>
<li>Strips: (7 K + 6) / (32 K) logic operations for two planes. Bytes: the words between groups, the text once a group,
and the state that each launch loads and stores.</li>
<li>Wavefronts: 9 integer operations, taken to be as fast as logic, which they are not everywhere; and 31 more in a cell
that reads the texts. Where windows of 32 symbols are kept (fused, group, diamond) that is the part of the cells in which
the mean match between two edits uses a window up, else every cell. Bytes: the rows that launches read and write. The
texts count once, because caches keep them. Caches that keep the rows too, as they do for short texts, make the true
intensity higher.</li>
<li>Search: strips-batch takes (7 K + 20) operations for 32 K cells of a step, in which strips wait for each other;
columns of words 9 operations and one a plane for 32 cells, and what a column takes besides. lcs: strips-lcs (4 K + 5)
for 32 K cells, crochemore three and allison-dix four for 32, and 12 a column and block. Bytes: texts, tasks and answers,
and of lcs what blocks of rows hand on.</li>
</ul>
"""


class Task:
    """A variant on texts of one kind on one machine: its record, and its trials."""

    def __init__(self, record):
        self.record = record
        self.trials = []

    def __getattr__(self, name):
        return self.record[name]

    @property
    def measured(self):
        return sorted((one for one in self.trials if one["outcome"] == "measured"), key=lambda one: one["seconds"])

    @property
    def fastest(self):
        return next(iter(self.measured), None)

    @property
    def planned(self):
        return next((one for one in self.measured if not one["config"]), None)

    @property
    def best(self):
        """What is to be used, which is not always the fastest."""
        return next((one for one in self.measured if one["config"] == self.config), None)

    @property
    def divergence_words(self):
        return f"{self.divergence:.4g}" if self.divergence < 0.5 else "unrelated"

    @property
    def words(self):
        of = {"search": "queries of ", "lcs": "a query of ", "gaps": "queries of ", "primer": "K = "}.get(self.engine, "")
        symbols = "" if self.engine == "primer" else " symbols"
        edits = " edits a symbol" if self.divergence < 0.5 else ""
        return f"{of}{self.length:,}{symbols}, {self.divergence_words}{edits}"

    def anchor(self, device):
        return re.sub(r"[^A-Za-z0-9.]", "-", f"{device}-{self.variant}-{self.length}-{self.divergence_words}")


def _machine(record):
    return record["device"], record["driver"], record["compute_units"]


def _task(record):
    return (*_machine(record), record["engine"], record["variant"], record["length"], record["divergence"])


def tasks_of(records):
    """{machine: ([Task], ceilings or None)}, as rhomb tune --list --format json has them."""
    machines, tasks = {}, {}
    try:
        for record in records:
            tasks_here, _ = machines.setdefault(_machine(record), ([], None))
            if record["kind"] == "task":
                tasks[_task(record)] = Task(record)
                tasks_here.append(tasks[_task(record)])
            elif record["kind"] == "trial":
                tasks[_task(record)].trials.append(record)
            elif record["kind"] == "ceilings":
                machines[_machine(record)] = (tasks_here, record)
    except KeyError as error:
        raise Problem("these are not the records of rhomb tune --list --format json") from error
    return {machine: both for machine, both in machines.items() if both[0]}


def words_of(config):
    return config_text(config, separator=", ") or "as planned"


def value_of(trial, name):
    """The value of a tunable in a trial: asked for, or taken by the plan."""
    for config in (trial["config"], trial["used"] or {}):
        if name in config:
            return config[name]
    return None


def spreads(task):
    """(name, meaning, values, factor) of each tunable, those that matter most first: the best rate over its values, the
    highest / the lowest."""
    known = {one["name"]: one for one in task.tunables}
    names = dict.fromkeys(
        [*known, *(name for one in task.trials for name in (*one["config"], *(one["used"] or {})))]
    )
    made = []
    for name in names:
        values, best = set(known.get(name, {}).get("values", [])), {}
        for trial in task.trials:
            value = value_of(trial, name)
            if value is not None:
                values.add(value)
                if trial["outcome"] == "measured":
                    best[value] = max(best.get(value, 0), trial["gcups"])
        factor = max(best.values()) / min(best.values()) if best else 1
        made.append((name, known.get(name, {}).get("meaning", ""), sorted(values), factor))
    return sorted(made, key=lambda one: (-one[3], -len(one[2])))


def heat_map(task, name):
    """The best rate for each pair of values of the two tunables that matter most, over all others."""
    across, *others = spreads(task) or [("", "", [], 1)]
    # Pages have room below, not beside: what has more values goes down.
    down = others[0] if others else None
    if down and len(across[2]) > len(down[2]):
        across, down = down, across
    rows = down[2] if down else [None]
    cells = [[_cell(task, across[0], column, down and down[0], row) for column in across[2]] for row in rows]
    what = (
        "length² / seconds on the device"
        if task.engine in ("strips", "wavefront")
        else "cells / seconds of the launches"
    )
    both = f"{down[0]} and {across[0]}" if down else across[0]
    subtitle = (
        f"{what}, the best over all other tunables, for each {both}" if others[1:] else f"{what} for each {both}"
    )
    return charts.heat(
        name,
        f"{task.variant}, {task.words}",
        subtitle,
        across[0],
        down[0] if down else "",
        across[2],
        ["" if row is None else row for row in rows],
        cells,
        "GCUPS",
    )


def _cell(task, across, column, down, row):
    here = [
        one
        for one in task.trials
        if value_of(one, across) == column and (row is None or value_of(one, down) == row)
    ]
    good = [one for one in here if one["outcome"] == "measured"]
    own = task.planned is not None and any(one is task.planned for one in here)
    if good:
        best = max(good, key=lambda one: one["gcups"])
        return Cell(best["gcups"], best=best is task.fastest, own=own)
    counts = {}
    for one in here:
        counts[one["outcome"]] = counts.get(one["outcome"], 0) + 1
    return Cell(word=max(counts, key=counts.get) if counts else "", own=own)


def roofline_marks(tasks):
    """(task, trial, operations a cell, bytes a cell): each variant at its best."""
    marks = {}
    for task in tasks:
        known = roofline.work(task.fastest) if task.fastest else None
        if known:
            mark = (task, task.fastest, *known)
            if task.variant not in marks or _operations(mark) > _operations(marks[task.variant]):
                marks[task.variant] = mark
    return list(marks.values())


def _operations(mark):
    return mark[1]["rate"] * mark[2]


def _part(mark, ceilings):
    return _operations(mark) / min(ceilings["logic"], ceilings["bytes"] * mark[2] / mark[3])


def roofline_picture(name, device, ceilings, marks):
    ridge = ceilings["logic"] / ceilings["bytes"]
    places = [mark[2] / mark[3] for mark in marks]
    ends = [
        min([ridge / 10, *(place / 2 for place in places)]),
        ridge,
        max([ridge * 10, *(place * 2 for place in places)]),
    ]
    series = [
        Series(
            "the device's ceilings, measured",
            [(x, min(ceilings["logic"], ceilings["bytes"] * x)) for x in ends],
            None,
            0,
            None,
        )
    ]
    for i, (place, mark) in enumerate(zip(places, marks)):
        series.append(Series(mark[0].variant, [(place, _operations(mark))], i, None, i + i // 7))
    return charts.curves(
        name,
        "Operations a second and a byte",
        f"{device}; one mark a variant, at its best",
        Axis("operations a byte of device memory", True, count_tick),
        Axis("operations a second", True, count_tick),
        series,
    )


def size_pictures(tasks, device, number):
    """Rate against length for variants that were tried on several, by engine, at most seven curves a picture."""
    groups = {}
    for task in tasks:
        if task.best:
            groups.setdefault((task.engine, task.variant, task.divergence), []).append(task)
    pictures = {}
    for (engine, variant, _), some in groups.items():
        if len(some) > 1:
            series = pictures.setdefault(engine, [])
            name = f"{variant}, {some[0].divergence_words}"
            points = [
                [(task.length, trial["gcups"]) for task in some for trial in [getattr(task, which)] if trial]
                for which in ("best", "planned")
            ]
            series.append((name, points))
    drawn = []
    for engine, curves in pictures.items():
        for start in range(0, len(curves), 7):
            series, entries = [], []
            for i, (name, (best, planned)) in enumerate(curves[start : start + 7]):
                series += [Series("", planned, i, 1, i), Series("", best, i, 0, i)]
                entries.append(key(name, i, 0, i))
            legends = [("", entries), ("Configuration", [key("the best", None, 0), key("as planned", None, 1)])]
            of = {"search": "the queries", "gaps": "the queries", "lcs": "query and targets"}.get(engine, "both texts")
            length = "K, the least distance" if engine == "primer" else f"length of {of} (symbols)"
            drawn.append(
                charts.curves(
                    f"sizes-{number}-{len(drawn) + 1}",
                    f"{engine}: rate against length",
                    device,
                    Axis(length, True, count_tick),
                    Axis("GCUPS, on the device", True, count_tick),
                    series,
                    legends,
                )
            )
    return drawn


def _extremes(task):
    good = task.measured
    if not good:
        return "<p>None of the configurations could be measured.</p>\n"
    rows = []
    for i, trial in enumerate(good):
        if len(good) > _BEST + _WORST and _BEST <= i < len(good) - _WORST:
            if i == _BEST:
                rows.append((f"… {len(good) - _BEST - _WORST} more", "", "", ""))
            continue
        name = html(words_of(trial["config"]))
        if not trial["config"]:
            name = f"<b>as planned</b>: {html(words_of(trial['used']))}"
        rows.append(
            (
                Raw(name),
                short(trial["seconds"]),
                short(trial["gcups"]),
                f"{100 * good[0]['seconds'] / trial['seconds']:.0f}%",
            )
        )
    return table(["configuration", "seconds", "GCUPS", "of the best"], rows)


def _reasons(task):
    groups = {}
    for trial in task.trials:
        if trial["outcome"] != "measured":
            # Reasons that differ in numbers only are one.
            groups.setdefault((trial["outcome"], re.sub(r"\d+", "#", trial["why"] or "")), []).append(trial)
    if not groups:
        return ""
    some = sorted(groups.items(), key=lambda one: -len(one[1]))
    rows = [
        (outcome, len(trials), f"{words_of(trials[0]['config'])}: {(trials[0]['why'] or '')[:300]}")
        for (outcome, _), trials in some[:_REASONS]
    ]
    more = f"<p>and {len(some) - _REASONS} other reasons.</p>\n" if len(some) > _REASONS else ""
    return table(["not usable", "", "why, for example"], rows) + more


def _task_section(page, task, number):
    about = ""
    if task.best:
        about += f"Best: <b>{html(words_of(task.best['config']))}</b>, {short(task.best['gcups'])} GCUPS, {metric(task.best['rate'])} cells a second computed. "
    if task.planned:
        about += f"As planned: {html(words_of(task.planned['used']))}, {short(task.planned['gcups'])} GCUPS. "
    else:
        about += "The plan's own choice could not be measured, so there is nothing to compare with. "
    counts = {
        name: sum(one["outcome"] == name for one in task.trials)
        for name in ("measured", "unfit", "wrong", "failed", "slow")
    }
    about += f"{len(task.trials)} tried: " + ", ".join(f"{count} {name}" for name, count in counts.items()) + "."
    tunables = [(name, f"{factor:.2f}", meaning) for name, meaning, _, factor in spreads(task)]
    anchor = task.anchor(number)
    page.section(
        anchor,
        f"{task.variant}, {task.words}",
        Raw(f"<p>{about}</p>\n"),
        [heat_map(task, anchor)],
        _extremes(task) + _reasons(task),
        table(["tunable", "matters", ""], tunables)
        + '<p class="notes">Matters: of the best rates with each of its values, the highest / the lowest; more than '
        "it should where few were tried.</p>\n",
    )


def _summary(task):
    """A row of best.tsv: the record of the task without what is for pictures."""
    return {
        name: value
        for name, value in task.record.items()
        if name not in ("kind", "tunables", "driver", "compute_units")
    }


def _device_part(page, machine, tasks, ceilings, number, roofline_rows):
    device, driver, units = machine

    def cell(task):
        return Raw(
            f'<a href="#{task.anchor(number)}">{html(task.variant)}</a><br/><small>{task.length:,}, {task.divergence_words}</small>'
        )

    rows = []
    for task in tasks:
        best, planned = task.best, task.planned
        rows.append(
            (
                cell(task),
                words_of(best["config"]) if best else "none",
                Raw(
                    f"{short(best and best['seconds'])}<br/><small>{short(planned and planned['seconds'])}</small>"
                ),
                f"{planned['seconds'] / best['seconds']:.2f}" if best and planned else "–",
                short(best and best["gcups"]),
            )
        )
    head = [
        Raw("variant<br/><small>length, edits a symbol</small>"),
        "best",
        Raw("seconds<br/><small>as planned</small>"),
        "gain",
        "GCUPS",
    ]
    page.section(
        f"device-{number}",
        device,
        f"Driver {driver or 'any'}, {units} compute units. The best of each variant and kind of texts:",
        beside=table(head, rows),
    )
    title = "Against the ceilings of the device"
    if not ceilings:
        page.section(
            f"roofline-{number}", title, "Nobody has measured the ceilings of this device; every sweep does first."
        )
    else:
        marks = roofline_marks(tasks)
        for mark in marks:
            task, trial, operations, size = mark
            roofline_rows.append(
                {
                    **{name: trial[name] for name in ("engine", "variant", "device", "length", "divergence")},
                    "config": trial["used"],
                    "seconds": trial["seconds"],
                    "rate": trial["rate"],
                    "operations_a_cell": operations,
                    "bytes_a_cell": size,
                    "operations_a_byte": operations / size,
                    "operations_a_second": _operations(mark),
                    "of_the_roof": _part(mark, ceilings),
                }
            )
        about = (
            f"<p>Measured on the device by kernels that do nothing else: {metric(ceilings['logic'])} three-input logic "
            f"operations on 32-bit words a second, {metric(ceilings['bytes'], 'B')} of device memory a second read and "
            f"written, {short(1e6 * ceilings['launch'])} µs from one launch to the next. Cells a second are measured as "
            "well. What a cell takes is an <b>estimate</b>, counted by hand in the kernels, of operations on words of 32 "
            f"bits and of bytes of device memory:</p>\n{_CEILINGS}"
        )
        beside = table(
            ["variant, at its best", "operations a cell", "bytes a cell", "operations a second", "of the roof"],
            [
                (
                    cell(mark[0]),
                    short(mark[2]),
                    short(mark[3]),
                    metric(_operations(mark)),
                    f"{100 * _part(mark, ceilings):.1f}%",
                )
                for mark in marks
            ],
        )
        below = (
            '<p>All rows: <a href="roofline.tsv">roofline.tsv</a>. A variant far below the roof waits: for launches, '
            "barriers, memory that answers late, or for work, where there is too little of it for the device.</p>\n"
        )
        page.section(
            f"roofline-{number}",
            title,
            Raw(about),
            [roofline_picture(f"roofline-{number}", device, ceilings, marks)],
            beside + below,
        )
    sizes = size_pictures(tasks, device, number)
    if sizes:
        page.section(
            f"sizes-{number}",
            "Rate against size",
            "The best configuration of each length, and what the plan takes by itself.",
            sizes,
        )
    for task in tasks:
        _task_section(page, task, number)


def write_page(files, directory, program=None):
    """Reads what rhomb tune --list --format json printed, or runs it, and writes the page."""
    if files:
        records = [record for path in files for record in read_lines(path)]
    else:
        records = data.run([data.program(program), "tune", "--list", "--format", "json"])
    machines = tasks_of(records)
    if not machines:
        raise Problem("there are no trials; rhomb tune makes some", 2)
    page = Page(directory, "What rhomb tune has measured")
    page.add(Raw(_ABOUT))
    tasks = [task for some, _ in machines.values() for task in some]
    page.entries([("Trials", f"{sum(len(task.trials) for task in tasks):,}"), ("Written", today())])
    page.add(
        Raw(
            '<p class="notes">As tables: <a href="best.tsv">best.tsv</a>, <a href="trials.tsv">trials.tsv</a>. Every '
            "picture is beside this page as an SVG.</p>\n"
        )
    )
    roofline_rows = []
    for number, (machine, (some, ceilings)) in enumerate(machines.items(), 1):
        _device_part(page, machine, some, ceilings, str(number), roofline_rows)
    page.tsv("best.tsv", [_summary(task) for task in tasks])
    page.tsv(
        "trials.tsv",
        [
            {name: value for name, value in trial.items() if name != "kind"}
            for task in tasks
            for trial in task.trials
        ],
    )
    page.tsv("roofline.tsv", roofline_rows)
    print(page.write())
