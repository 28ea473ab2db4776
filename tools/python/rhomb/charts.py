# SPDX-License-Identifier: Apache-2.0
"""The kinds of pictures: curves, dots side by side, heat maps and bars. Colours that colour-blind people can tell
apart (Okabe and Ito), and never colour alone: marks and kinds of line differ as well."""

import importlib
import io
import textwrap
from dataclasses import dataclass, field
from typing import Callable, Optional

from rhomb.data import Problem, short, writing


class _Module:
    """A module of matplotlib, imported when it is first used: to measure nobody needs it."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, attribute):
        need_matplotlib()
        return getattr(importlib.import_module(self.name), attribute)


def need_matplotlib():
    """Throws Problem if there is no matplotlib."""
    try:
        importlib.import_module("matplotlib").use("agg")
    except ImportError as error:
        raise Problem(
            "pictures need matplotlib: apt install python3-matplotlib, or pip install matplotlib", 1
        ) from error


matplotlib, pyplot, ticker = map(_Module, ("matplotlib", "matplotlib.pyplot", "matplotlib.ticker"))
colors, cm, lines, patches = (_Module(f"matplotlib.{name}") for name in ("colors", "cm", "lines", "patches"))

COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000"),
    *("#7f3c8d", "#80ba5a", "#e73f74", "#8c564b", "#a5aa99", "#17becf", "#f0c808"),
)
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.", (0, (8, 3)), (0, (1, 1)))
GREY = "#666666"
STYLE = {
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "rhomb",
    "figure.figsize": (5.6, 4.0),
    "lines.markersize": 5,
    "lines.linewidth": 1.6,
}


@dataclass
class Axis:
    """An axis: what it shows with its unit, and how its ticks read."""

    label: str
    log: bool = False
    tick: Optional[Callable] = None
    least: Optional[float] = None
    most: Optional[float] = None
    ticks: Optional[list] = None  # only these


@dataclass
class Series:
    """A curve. `colour`, `line` and `mark` are numbers of a kind; line None: marks alone."""

    name: str
    points: list
    colour: Optional[int] = 0  # None: grey
    line: Optional[int] = 0
    mark: Optional[int] = 0
    hollow: bool = False


@dataclass
class Picture:
    """A drawn figure and the name of its file, without the suffix."""

    name: str
    figure: object = field(repr=False)

    def bytes(self, suffix):
        """The whole file."""
        out = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.figure.savefig(
                out,
                format=suffix,
                dpi=160,
                bbox_inches="tight",
                pad_inches=0.08,
                metadata=(None if suffix == "png" else {"Date" if suffix == "svg" else "CreationDate": None}),
            )
        return out.getvalue()

    def write(self, path):
        """Writes a PNG, SVG or PDF, by the suffix of the name."""
        suffix = str(path).rpartition(".")[2].lower()
        if suffix not in ("png", "svg", "pdf"):
            raise Problem(f"{path}: a picture is .png, .svg or .pdf", 2)
        content = self.bytes(suffix)
        with writing(path, "wb") as file:
            file.write(content)

    def close(self):
        pyplot.close(self.figure)


def _start(title, subtitle, height=None, width=None):
    figure, axes = pyplot.subplots(figsize=(width or 5.6, height or 4.0))
    letters = (width or 5.6) / 5.6
    lines = [line for part in subtitle.split("\n") for line in textwrap.wrap(part, int(66 * letters))]
    axes.set_title("\n".join(textwrap.wrap(title, int(48 * letters))), pad=10 + 14 * len(lines))
    for i, line in enumerate(lines):
        axes.annotate(
            line,
            (0, 1),
            (0, 8 + 14 * (len(lines) - 1 - i)),
            "axes fraction",
            textcoords="offset points",
            color=GREY,
            fontsize=9.5,
            annotation_clip=False,
        )
    return figure, axes


def _axis(axes, which, axis):
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}label")(axis.label)
    which_axis = getattr(axes, f"{which}axis")
    tick = axis.tick or (lambda value, _: f"{value:,.6g}")
    if axis.ticks:
        which_axis.set_major_locator(ticker.FixedLocator(axis.ticks))
        which_axis.set_minor_locator(ticker.NullLocator())
    elif axis.log:
        low, high = getattr(axes, f"get_{which}lim")()
        # Less than two powers of ten would have one label or none.
        few = high / max(low, 1e-300) < 120
        which_axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
        which_axis.set_minor_formatter(ticker.NullFormatter())
    which_axis.set_major_formatter(ticker.FuncFormatter(tick))
    if axis.least is not None or axis.most is not None:
        getattr(axes, f"set_{which}lim")(axis.least, axis.most)
    elif not axis.log and which == "y":
        axes.set_ylim(bottom=0)


def _look(series):
    colour = GREY if series.colour is None else COLOURS[series.colour % len(COLOURS)]
    mark = "" if series.mark is None else MARKS[series.mark % len(MARKS)]
    return {
        "color": colour,
        "marker": mark,
        "linestyle": "" if series.line is None else LINES[series.line % len(LINES)],
        "markerfacecolor": "white" if series.hollow else colour,
    }


def key(name, colour=None, line=None, mark=None, hollow=False):
    """An entry of a legend."""
    return lines.Line2D([], [], label=name, **_look(Series(name, [], colour, line, mark, hollow)))


def curves(name, title, subtitle, x, y, series, legends=None, small=False):
    """Curves on two axes. `legends`: (title, entries) pairs below the axes; otherwise each named series is an entry."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _start(title, subtitle)
        for one in series:
            points = sorted(
                point for point in one.points if (not x.log or point[0] > 0) and (not y.log or point[1] > 0)
            )
            axes.plot([p[0] for p in points], [p[1] for p in points], markersize=3 if small else 5, **_look(one))
        _axis(axes, "x", x)
        _axis(axes, "y", y)
        if legends is None:
            legends = [("", [key(s.name, s.colour, s.line, s.mark, s.hollow) for s in series if s.name])]
        _legends(figure, axes, legends)
        return Picture(name, figure)


def _legends(figure, axes, legends, x=-0.1, inches=0.55):
    """Below the axes, one after another, so that they hide nothing."""
    figure.canvas.draw()
    height = axes.get_window_extent().height
    top = -inches * figure.dpi / height
    for title, entries in legends:
        if not entries:
            continue
        longest = max(len(entry.get_label()) for entry in entries)
        legend = figure.legend(
            handles=entries,
            title=title or None,
            loc="upper left",
            bbox_to_anchor=(x, top),
            bbox_transform=axes.transAxes,
            ncol=max(1, min(len(entries), 64 // (longest + 7))),
            alignment="left",
            borderaxespad=0,
            handlelength=2.4,
            columnspacing=1.2,
        )
        extent = legend.get_window_extent(figure.canvas.get_renderer())
        top -= (extent.height + 0.04 * figure.dpi) / height


def dots(name, title, subtitle, label, rows, first, second=None, log=True):
    """Values side by side. `rows`: (name, detail, value, other value); `first` and `second` say what the values are."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _start(title, subtitle, 1.3 + 0.4 * len(rows))
        places = list(range(len(rows), 0, -1))
        values = [value for row in rows for value in row[2:4] if value]
        if log:
            axes.set_xscale("log")
            if values:
                axes.set_xlim(min(values) / 1.6, max(values) * 1.6)
        for place, (_, _, value, other) in zip(places, rows):
            if value and other:
                axes.plot([value, other], [place, place], color="#b0b0b0", zorder=1)
            if other:
                axes.plot([other], [place], "s", color=GREY, markerfacecolor="white", markersize=7, zorder=2)
            if value:
                axes.plot([value], [place], "o", color=COLOURS[0], markersize=7, zorder=3)
            for at, number, weight, colour in ((1.17, value, "bold", "black"), (1.33, other, "normal", GREY)):
                if second or at < 1.2:
                    axes.text(
                        at,
                        place,
                        short(number),
                        transform=axes.get_yaxis_transform(),
                        ha="right",
                        va="center",
                        fontweight=weight,
                        color=colour,
                        fontsize=9.5,
                    )
        axes.set_yticks(places, [f"{row[0]}\n{row[1]}" if row[1] else row[0] for row in rows], fontsize=9.5)
        axes.set_ylim(0.4, len(rows) + 0.6)
        axes.grid(axis="y", visible=False)
        if log:
            _axis(axes, "x", Axis(label, True))
        else:
            axes.set_xlabel(label)
            axes.set_xlim(left=0)
        entries = [key(first, 0, None, 0)] + ([key(second, None, None, 1, True)] if second else [])
        _legends(figure, axes, [("", entries)])
        return Picture(name, figure)


@dataclass
class Cell:
    """A field of a heat map: a value, or why there is none; `best` has a border, `own` a mark."""

    value: Optional[float] = None
    word: str = ""
    best: bool = False
    own: bool = False


def heat(name, title, subtitle, across, down, columns, rows, cells, unit):
    """A heat map; `cells` by row, then column. Colours from dark to light as well as from blue to yellow."""
    values = [cell.value for line in cells for cell in line if cell.value]
    least, most = (min(values), max(values)) if values else (1, 1)
    if least == most:
        least, most = least * 0.9, most * 1.1
    with matplotlib.rc_context(STYLE):
        width = min(5.6, 1.6 + 0.75 * len(columns))
        figure, axes = _start(title, subtitle, 0.9 + 0.36 * len(rows), max(width, 3.4))
        shade = matplotlib.colormaps["viridis"]
        scale = colors.LogNorm(least, most)
        letters = 9 if len(columns) <= 7 else 7.5 if len(columns) <= 10 else 6
        for i, line in enumerate(cells):
            for j, cell in enumerate(line):
                colour = shade(scale(cell.value)) if cell.value else "#eeeeee" if cell.word else "white"
                axes.add_patch(
                    pyplot.Rectangle(
                        (j, i),
                        1,
                        1,
                        facecolor=colour,
                        edgecolor="white" if cell.value else "#bbbbbb" if cell.word else "#d0d0d0",
                        hatch="////" if cell.word and not cell.value else None,
                        linewidth=1,
                    )
                )
                light = cell.value and 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] > 0.5
                text = short(cell.value) if cell.value else cell.word
                axes.text(
                    j + 0.5,
                    i + 0.5,
                    ("◦ " if cell.own else "") + text,
                    ha="center",
                    va="center",
                    fontsize=letters,
                    color="black" if light or not cell.value else "white",
                )
        for i, line in enumerate(cells):
            for j, cell in enumerate(line):
                if cell.best:
                    axes.add_patch(
                        pyplot.Rectangle(
                            (j + 0.04, i + 0.04), 0.92, 0.92, fill=False, edgecolor="#d55e00", linewidth=2.6
                        )
                    )
        axes.set_xlim(0, len(columns))
        axes.set_ylim(len(rows), 0)
        axes.set_xticks([j + 0.5 for j in range(len(columns))], columns)
        axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
        axes.tick_params(length=0)
        axes.grid(False)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.set_xlabel(across)
        axes.set_ylabel(down)
        if values:
            bar = figure.colorbar(cm.ScalarMappable(scale, shade), ax=axes, fraction=0.05, pad=0.03)
            bar.ax.yaxis.set_major_locator(ticker.MaxNLocator(2 if len(rows) < 3 else 6))
            bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.6g}"))
            bar.ax.yaxis.set_minor_formatter(ticker.NullFormatter())
            bar.set_label(unit)
        entries = [
            patches.Patch(fill=False, edgecolor="#d55e00", linewidth=2.2, label="the fastest"),
            lines.Line2D([], [], linestyle="", marker="$◦$", color="black", label="the plan's own choice"),
            patches.Patch(facecolor="#eeeeee", hatch="////", edgecolor="#bbbbbb", label="not usable"),
            patches.Patch(facecolor="white", edgecolor="#d0d0d0", label="not tried"),
        ]
        _legends(figure, axes, [("", entries)])
        return Picture(name, figure)


def bars(name, title, subtitle, label, rows, tick=None):
    """Horizontal bars: (name, detail, value)."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _start(title, subtitle, 1.2 + 0.4 * len(rows))
        places = list(range(len(rows), 0, -1))
        axes.barh(places, [row[2] for row in rows], color=COLOURS[0], height=0.6)
        most = max([row[2] for row in rows], default=1) or 1
        for place, row in zip(places, rows):
            axes.text(row[2] + most * 0.015, place, row[1], va="center", fontsize=9)
        axes.set_yticks(places, [row[0] for row in rows])
        axes.set_xlim(0, most * 1.35)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(label)
        if tick:
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(tick))
        return Picture(name, figure)
