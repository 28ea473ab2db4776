# SPDX-License-Identifier: Apache-2.0
"""What the papers' modules share: arguments, rates of rows, what rhomb aims at, and a section for each figure."""

from pathlib import Path

from rhomb.data import Problem, config_text, short
from rhomb.page import notes, table
from rhomb.study import facts


def add_runs(parser):
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of which the median counts (default: 3)")


def check_files(paths):
    for path in paths:
        if not Path(path).is_file():
            raise Problem(f"there is no file {path}")


class Rates:
    """The rows of these figures that were measured, rhomb's and the peers'; rates are TCUPS on a GPU, GCUPS on a CPU."""

    def __init__(self, study, *figures):
        self.study = study
        rows = study.of(*figures)
        self.all = [row for row in rows if row["program"] == "rhomb"]
        self.peers = [row for row in rows if row["program"] != "rhomb"]
        self.names = list(dict.fromkeys(row["variant"] for row in self.all))
        self.scale, self.unit = (1e3, "TCUPS") if study.gpu else (1, "GCUPS")

    def of(self, variant):
        return [row for row in self.all if row["variant"] == variant]

    def rate(self, gcups):
        return f"{short(gcups / self.scale)} {self.unit}"


def aims_beside(study, what, peer, times, aims, name):
    """What is aimed at beside a peer on one core: by all cores together, and by each."""
    cores = f"{study.cores} core{'s' if study.cores != 1 else ''}"
    return [
        (f"{what}, {cores} / {peer} on one", aims[name], times, "times"),
        (f"{what}, a core / {peer} on one", aims[f"{name}_core"], times / study.cores, "times"),
    ]


def aims_section(page, aims, gpu):
    """What rhomb aims at, beside what was reached."""
    if aims:
        lines = [
            (
                what,
                f"{short(wanted)} {unit}",
                f"{short(reached)} {unit}" if reached else "not measured",
                "" if not reached else "reached" if reached >= wanted else "not reached",
            )
            for what, wanted, reached, unit in aims
        ]
        where = "an NVIDIA H200" if gpu else "a CPU"
        page.section(
            "aims",
            f"What rhomb aims at, on {where}, data in place",
            "",
            beside=table(["", "aim, at least", "here", ""], lines),
        )


def figure_sections(page, rows, figures, draw, paper):
    """A section for each figure: `rows(figure)` are its rows, `draw(figure)` is its heading, what is said about it, its
    pictures and its facts, and `paper` is the heading of the paper's own values. Where nothing was measured it only says
    why; nothing where that was not asked for."""
    for figure in figures:
        some = rows(figure)
        if not any(row.get("seconds") and row["program"] == "rhomb" for row in some):
            if some:
                page.section(f"figure{figure}", f"Figure {figure}: not measured", "", below=notes(left_out(some)))
            continue
        heading, about, pictures, lines = draw(figure)
        plain = [{name: row[name] for name in row if name not in ("figure", "asked")} for row in some]
        link = page.tsv(f"figure{figure}.tsv", plain)
        beside = facts(lines, paper) + f"<p>All rows: {link}.</p>\n"
        page.section(f"figure{figure}", heading, about, pictures, beside, notes(left_out(some)))


def left_out(rows):
    """Why rows were not measured."""
    return [
        f"{', '.join(str(row[name]) for name in ('m', 'alphabet', 'targets') if name in row)}: {row['variant']} "
        f"{config_text(row['asked'])}: {row['note']}"
        for row in rows
        if not row.get("seconds")
    ]
