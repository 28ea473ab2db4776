# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper on alignments with at most k gaps (Carroll et al. 2019)."""

from rhomb import charts
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, count_tick, short
from rhomb.numbers import paper
from rhomb.page import Page, Raw
from rhomb.paper_page import Rates, add_runs, aims_beside, aims_section, figure_sections

SUMMARY = "the figures of the paper on alignments with at most k gaps (Carroll et al. 2019)"
FIGURES = ("5", "6", "7", "8", "9", "11", "12", "13", "14")
ABOUT = """\
Measures the experiments of the paper again (rhomb bench gaps): 100 queries of 50, 100, 150 and 200 symbols with each of 16
to 2,048 targets of 250, or on a CPU with fewer; the paper's variants, and rhomb's own beside. The figures are
  5, 6    single-a, scores alone, one target at a time: length of the queries, number of targets
  7       the same for targets of 500 and queries of 50 to 450
  8, 9    single-b and single-h, walked back on the device and on the host
  11, 12  multi-a, as many pairs at a time as memory has room for
  13, 14  multi-b and multi-h
Figure 10 compares rows of 5 and 8; figures 15 and 16 are of another device."""
EXAMPLES = """examples:
  rhomb-papers gaps
  rhomb-papers gaps -o gaps --budget 2m --max-gaps 1
  rhomb-papers gaps --figures 11,13 --targets 64 --device cpu"""

_VARIANTS = {
    "5": ("single-a",),
    "6": ("single-a",),
    "7": ("single-a",),
    "8": ("single-b", "single-h"),
    "9": ("single-b", "single-h"),
    "11": ("multi-a",),
    "12": ("multi-a",),
    "13": ("multi-b", "multi-h"),
    "14": ("multi-b", "multi-h"),
}
_BY_TARGETS = ("6", "9", "12", "14")


def add_arguments(parser):
    parser.add_argument("--max-gaps", metavar="K", type=int, default=2, help="gaps of an alignment (default: 2)")
    parser.add_argument("--targets", metavar="N", type=int, help="at most (default: 2,048; on a CPU 32)")
    add_runs(parser)


def check(args):
    if args.targets is not None and args.targets < 1:
        raise Problem("--targets: less than one", 2)
    if not 0 <= args.max_gaps <= 32:
        raise Problem("--max-gaps: not between 0 and 32", 2)


def measure(measuring, args, figures):
    numbers = paper("gaps")
    study = measuring.study
    most = args.targets or (max(numbers["targets"]) if study.gpu else 32)
    sizes = sorted({min(one, most) for one in numbers["targets"]})
    study.head.update(gaps=args.max_gaps, sizes=sizes)

    def bench(figure, left, gaps, lengths, targets, cases, *options):
        walks = any(case.endswith(("-b", "-h")) for case in cases)
        return measuring.bench(
            figure,
            "gaps",
            f"--max-gaps={gaps}",
            f"--runs={args.runs}",
            f"--queries={numbers['queries']}",
            "--length=" + ",".join(map(str, lengths)),
            "--targets=" + ",".join(map(str, targets)),
            *(["--align"] if walks else []),
            *(f"--case={case}" for case in (*cases, "gaps-lanes")),
            *options,
            f"--budget={max(measuring.left() / left, 1):.0f}",
        )

    # What rhomb aims at, beside parasail.
    for gaps in (1, 2, 3):
        bench("aims", 12, gaps, [200], [max(sizes)], ())
    for i, figure in enumerate(figures):
        lengths, targets, options = numbers["lengths"], [max(sizes)], ()
        if figure in _BY_TARGETS:
            lengths, targets = [200], sizes
        if figure == "7":
            lengths, options = numbers["long_lengths"], ("--target-length=500",)
        bench(figure, len(figures) - i, args.max_gaps, lengths, targets, _VARIANTS[figure], *options)


# ---- drawing


def _best(rows, field):
    return max((row for row in rows if row.get(field)), key=lambda row: row[field], default=None)


def _draw(study, figure, numbers):
    rows = Rates(study, figure)
    x = "targets" if figure in _BY_TARGETS else "m"
    series = []
    for i, name in enumerate(rows.names):
        for line, field in ((0, "gcups"), (1, "gcups_whole")):
            points = sorted((row[x], row[field]) for row in rows.of(name) if row.get(field))
            series.append(Series(name, points, i, line, i))
    peers = list(dict.fromkeys(row["program"] for row in rows.peers))
    shown = sorted({row[x] for row in rows.all})
    for i, name in enumerate(peers):
        known = {row["m"]: row["gcups"] for row in rows.peers if row["program"] == name}
        points = [(at, known.get(at if x == "m" else 200)) for at in shown]
        series.append(Series(name, [point for point in points if point[1]], None, i, 6 + i))
    legends = [
        (
            "",
            [key(name, i, 0, i) for i, name in enumerate(rows.names)]
            + [key(f"{name}, one core", None, i, 6 + i) for i, name in enumerate(peers)],
        ),
        ("", [key("data in place", None, 0), key("packing and copies too", None, 1)]),
    ]
    n = rows.all[0]["n"]
    picture = charts.curves(
        f"figure{figure}",
        f"Figure {figure}: rate against " + ("targets" if x == "targets" else "the length of the queries"),
        f"{study.device}, targets of {n} symbols, at most {study.head['gaps']} gaps",
        Axis("targets", True, tick=count_tick) if x == "targets" else Axis("symbols of a query"),
        Axis("GCUPS", True),
        series,
        legends,
    )
    reference = _best([row for row in rows.peers if row["program"] == "reference"], "gcups")
    lines = []
    for name in rows.names:
        whole, kernel = _best(rows.of(name), "gcups_whole"), _best(rows.of(name), "gcups")
        if not kernel:
            continue
        words = f"{short(kernel['gcups'])} GCUPS in place, {short(whole['gcups_whole'])} whole"
        if reference:
            words += f"; {short(whole['gcups_whole'] / reference['gcups'])} times the reference on one core"
        lines.append((name, numbers["facts"][figure] if name in _VARIANTS[figure][:1] else "", words))
    about = (
        "Cells are m by n, whatever the number of layers; the paper counts those of all layers' matrices. Times of the "
        "paper are of whole runs. reference is the plain recurrence on one core, as the paper's CPUGapsMis; parasail "
        "has no bound on gaps."
    )
    return f"Figure {figure}: {', '.join(_VARIANTS[figure])}", about, [picture], lines


def _aims(study, numbers):
    rows, aims = Rates(study, "aims"), []
    for gaps, wanted in numbers["aims"]["gpu_tcups"].items():
        some = [row for row in rows.of("gaps-lanes") if row["gaps"] == int(gaps)]
        best = _best(some, "gcups")
        what = f"gaps-lanes, 200 x 250 symbols, {gaps} gap{'s' if gaps != '1' else ''}"
        if study.gpu:
            aims.append((what, wanted, best and best["gcups"] / 1e3, "TCUPS"))
        elif gaps == "1" and best:
            peer = next((row for row in rows.peers if row["program"] == "parasail" and row["gaps"] == 1), None)
            if peer:
                times = best["gcups"] / peer["gcups"]
                aims += aims_beside(study, what, "parasail", times, numbers["aims"], "cpu_times_parasail")
    return aims


def draw(study, directory, figures):
    numbers = paper("gaps")
    page = Page(directory, "The paper on alignments with at most k gaps, measured again")
    page.add(
        Raw(
            "<p>The experiments of T. C. Carroll, J.-T. Ojiaku and P. W. H. Wong, <i>Semiglobal Sequence Alignment with "
            "Gaps Using GPU</i>, 2019: the best alignment of a query and a prefix of a target with at most k gaps. GCUPS "
            "are 10<sup>9</sup> cells a second. The paper reaches 0.161 GCUPS on a GTX 680. single and multi are its "
            "variants, which rhomb walks back through every layer, since the paper's walk through the last one alone is "
            "not exact; gaps-lanes is rhomb's own. All scores were compared with each other.</p>\n"
        )
    )
    page.entries(
        [
            ("Device", study.device_words()),
            ("Gaps", f"at most {study.head['gaps']}"),
            ("Targets", ", ".join(f"{size:,}" for size in study.head["sizes"])),
            ("Measured", study.measured_words()),
        ]
    )
    aims_section(page, _aims(study, numbers), study.gpu)
    figure_sections(
        page,
        lambda figure: [row for row in study.rows if row["figure"] == figure],
        [figure for figure in FIGURES if figure in figures],
        lambda figure: _draw(study, figure, numbers),
        "paper",
    )
    return page.write()
