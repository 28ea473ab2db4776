# SPDX-License-Identifier: Apache-2.0
"""An alignment as a picture: its path through both sequences, where its edits are, and how long its gaps."""

import re
import sys

from rhomb.data import Problem

KINDS = (("X", "mismatches"), ("I", "insertions"), ("D", "deletions"))


def records(path):
    """The records of a PAF file with a CIGAR; "-" is standard input. Throws Problem."""
    name = "standard input" if path == "-" else str(path)
    try:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                fields = line.rstrip("\n").split("\t")
                if len(fields) < 12:
                    raise Problem(f"{name}, line {number}: not PAF, which rhomb align prints")
                cigar = next((field[5:] for field in fields[12:] if field.startswith("cg:Z:")), None)
                if cigar is None:
                    raise Problem(f"{name}, line {number}: there is no cg tag, so no path to draw")
                try:
                    numbers = [int(fields[i]) for i in (1, 2, 3, 6, 7, 8)]
                except ValueError as error:
                    raise Problem(f"{name}, line {number}: not PAF: {error}") from error
                yield {"query": fields[0], "target": fields[5], "strand": fields[4], "cigar": cigar,
                       **dict(zip(("query_length", "query_start", "query_end", "target_length", "target_start",
                                   "target_end"), numbers))}
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{name}: {getattr(error, 'strerror', None) or 'not text'}") from error


def operations(cigar):
    """Letters and lengths, as arrays: an alignment may have tens of millions."""
    import numpy

    if not re.fullmatch(r"(?:[0-9]+[=XIDM])+", cigar):
        raise Problem("a CIGAR has other letters than =, X, I, D and M")
    text = numpy.frombuffer(cigar.encode(), dtype=numpy.uint8)
    ends = numpy.flatnonzero(text > ord("9"))
    digits = numpy.diff(ends, prepend=-1) - 1
    lengths = numpy.zeros(len(ends), dtype=numpy.int64)
    for place in range(digits.max()):
        some = digits > place
        lengths[some] += (text[ends[some] - 1 - place].astype(numpy.int64) - ord("0")) * 10**place
    return text[ends], lengths


def path(record):
    """(letters, lengths, query places, target places) where operations begin, and the ends."""
    import numpy

    letters, lengths = operations(record["cigar"])
    query = numpy.where(letters == ord("D"), 0, lengths).cumsum()
    target = numpy.where(letters == ord("I"), 0, lengths).cumsum()
    if query[-1] != record["query_end"] - record["query_start"]:
        raise Problem(f"{record['query']}: the CIGAR does not fit the length of the query")
    if target[-1] != record["target_end"] - record["target_start"]:
        raise Problem(f"{record['target']}: the CIGAR does not fit the length of the target")
    begins = [numpy.concatenate(([0], places)) for places in (query, target)]
    return letters, lengths, begins[0], begins[1] + record["target_start"]


def histogram(letters, lengths, letter):
    """How many gaps of this kind have lengths 1, 2, 3, 4 to 7, 8 to 15, ...: [(least, most, count)]."""
    here = lengths[letters == ord(letter)]
    classes, least = [], 1
    while len(here) and least <= here.max():
        most = least if least < 4 else 2 * least - 1
        classes.append((least, most, int(((here >= least) & (here <= most)).sum())))
        least = most + 1
    return classes


def _scale(length):
    """A unit that keeps the numbers short: (divisor, name)."""
    return next(((by, name) for by, name in ((10**6, "Mb"), (1000, "kb")) if length >= 2 * by), (1, "bases"))


def picture(record, name="dotplot", points=4000):
    """The path, beneath it how much is edited along the target, and beside it the lengths of gaps."""
    import numpy

    from rhomb import charts
    from rhomb.charts import COLOURS, matplotlib, pyplot

    charts.need_matplotlib()
    letters, lengths, query, target = path(record)
    by, unit = _scale(max(record["query_length"], record["target_length"]))
    with matplotlib.rc_context({**charts.STYLE, "figure.figsize": (10.5, 7)}):
        figure, axes = pyplot.subplots(2, 2, width_ratios=(2, 1), height_ratios=(3, 1))
        ((way, gaps), (along, none)) = axes
        none.set_visible(False)
        # Of many operations the ends of equal pieces, and those of the longest gaps.
        shown = numpy.unique(numpy.linspace(0, len(query) - 1, min(points, len(query))).astype(numpy.int64))
        longest = numpy.argsort(-numpy.where(letters == ord("="), 0, lengths), kind="stable")[:200]
        shown = numpy.unique(numpy.concatenate((shown, longest, longest + 1)))
        start = record["query_start"]
        places = record["query_end"] - query if record["strand"] == "-" else start + query
        way.plot(target[shown] / by, places[shown] / by, color=COLOURS[0])
        way.set(xlim=(0, max(record["target_length"], 1) / by), ylim=(0, max(record["query_length"], 1) / by),
                ylabel=f"{record['query']} ({record['strand']}), {unit}")
        figure.suptitle(f"{record['query']} and {record['target']}", x=0.01, ha="left", weight="bold")

        pieces = min(400, max(record["target_length"], 1))
        edges = numpy.linspace(0, max(record["target_length"], 1), pieces + 1)
        for (letter, kind), colour, line in zip(KINDS, (1, 2, 3), charts.LINES):
            here = letters == ord(letter)
            if not here.any():
                continue
            counts, _ = numpy.histogram(target[:-1][here], bins=edges)
            along.step(edges[:-1] / by, counts, where="post", color=COLOURS[colour], linestyle=line, linewidth=1,
                       label=kind)
            if letter != "X":
                classes = histogram(letters, lengths, letter)
                gaps.plot([least for least, _, _ in classes], [max(count, 0.5) for _, _, count in classes],
                          color=COLOURS[colour], linestyle=line, marker=charts.MARKS[colour], label=kind)
        along.set(xlim=way.get_xlim(), xlabel=f"{record['target']}, {unit}", ylabel="events")
        gaps.set(xscale="log", yscale="log", title="Lengths of gaps", xlabel="bases (1, 2, 3, 4-7, 8-15, ...)",
                 ylabel="gaps")
        for axis in (along, gaps):
            if axis.get_legend_handles_labels()[0]:
                axis.legend()
        figure.tight_layout()
        pyplot.close(figure)
    return charts.Picture(name, figure)
