# SPDX-License-Identifier: Apache-2.0
"""The figures and tables of the paper on alignments with at most k gaps (Carroll et al. 2019)."""

from rhomb import charts
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, count_tick, median, seconds_words, short, time_tick
from rhomb.numbers import paper
from rhomb.page import Page, Raw, table
from rhomb.paper_page import Rates, add_runs, aims_beside, aims_section, figure_sections
from rhomb.study import Study

SUMMARY = "the figures and tables of the paper on alignments with at most k gaps (Carroll et al. 2019)"
FIGURES = ("5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16")
BESIDE = {"15": "13", "16": "14"}  # show these beside those of another device
ABOUT = """\
Measures the experiments of the paper again (rhomb bench gaps): 100 queries of 50, 100, 150 and 200 symbols with each of 16
to 2,048 targets of 250, or on a CPU with as many as --budget has time for; the paper's variants, and rhomb's own beside.
The figures, each with time, rate and gain over one core as the paper has them, are
  5, 6    single-a, scores alone, one target at a time: length of the queries, number of targets
  7       the same for targets of 500 and queries of 50 to 450
  8, 9    single-b and single-h, walked back on the device and on the host
  10      single-a and single-b, each beside one core
  11, 12  multi-a, as many pairs at a time as memory has room for
  13, 14  multi-b and multi-h
  15, 16  multi-b on another device (--other), and table 2: how much the faster one gains
What there was no time for is left out, and named on the page."""
EXAMPLES = """examples:
  rhomb-papers gaps
  rhomb-papers gaps -o gaps --budget 2m --max-gaps 1
  rhomb-papers gaps --figures 11,13 --targets 64 --device cpu
  rhomb-papers gaps --device cpu --measure-only cpu && rhomb-papers gaps --other cpu"""

_VARIANTS = {
    "5": ("single-a",),
    "6": ("single-a",),
    "7": ("single-a",),
    "8": ("single-b", "single-h"),
    "9": ("single-b", "single-h"),
    "10": ("single-a", "single-b"),
    "11": ("multi-a",),
    "12": ("multi-a",),
    "13": ("multi-b", "multi-h"),
    "14": ("multi-b", "multi-h"),
    "15": ("multi-b",),
    "16": ("multi-b",),
}
_BY_TARGETS = ("6", "9", "12", "14", "16")
# What is measured in one go, for these figures.
_RUNS = (("5", "10", "11"), ("8", "10", "13", "15"), ("6", "12"), ("9", "14", "16"), ("7",))
_OWN = "gaps-lanes"


def add_arguments(parser):
    parser.add_argument("--max-gaps", metavar="K", type=int, default=2, help="gaps of an alignment (default: 2)")
    parser.add_argument(
        "--targets", metavar="N", type=int, help="at most (default: 2,048; on a CPU what --budget has time for)"
    )
    parser.add_argument(
        "--other", metavar="DIR", help="what was measured on another device, for figures 15 and 16 and table 2"
    )
    add_runs(parser)


def check(args):
    if args.targets is not None and args.targets < 1:
        raise Problem("--targets: less than one", 2)
    if not 0 <= args.max_gaps <= 32:
        raise Problem("--max-gaps: not between 0 and 32", 2)


def _walks(variant):
    return variant.endswith(("-b", "-h"))


def measure(measuring, args, figures):
    numbers = paper("gaps")
    study = measuring.study
    figures = list(dict.fromkeys(BESIDE.get(figure, figure) for figure in figures))

    def bench(wanted, gaps, cases, targets, part, lengths=(200,), n=250, runs=None, queries=None, keep=True):
        rows = measuring.bench(
            wanted[0],
            "gaps",
            f"--max-gaps={gaps}",
            f"--runs={runs or args.runs}",
            f"--queries={queries or numbers['queries']}",
            "--length=" + ",".join(map(str, lengths)),
            f"--target-length={n}",
            "--targets=" + ",".join(map(str, targets)),
            *(["--align"] if any(map(_walks, cases)) else []),
            *(f"--case={case}" for case in (_OWN, *cases)),
            f"--budget={max(measuring.left() * part, 1):.0f}",
            keep=False,
        )
        if keep:
            for figure in wanted:
                shown = (*_VARIANTS.get(figure, ()), *(() if figure == "10" else (_OWN,)), "")
                study.rows += [{**row, "figure": figure} for row in rows if row["variant"] in shown]
        return rows

    works = []  # of figures that are measured together: them, their cases, work beside one of 200 by 250
    for together in _RUNS:
        wanted = [figure for figure in together if figure in figures]
        cases = list(dict.fromkeys(case for figure in wanted for case in _VARIANTS[figure]))
        cases = [case for case in cases if _walks(case) == (together[0] in ("8", "9"))]  # both of figure 10
        if cases:
            by_targets, long = wanted[0] in _BY_TARGETS, wanted == ["7"]
            lengths = numbers["long_lengths"] if long else [200] if by_targets else numbers["lengths"]
            n = 500 if long else 250
            beside = 2 if by_targets else sum(lengths) * n / 50_000
            works.append((wanted, cases, lengths, n, beside))

    # On a CPU as many pairs as a third of the time is enough for, as a few say; the rest is for building programs, the
    # programs beside, and noise.
    most, queries, repeats = args.targets or max(numbers["targets"]), numbers["queries"], args.runs
    if not args.targets and not study.gpu:
        few = queries // 10
        each = {}
        for walks in (False, True):
            cases = sorted({case for _, cases, *_ in works for case in cases if _walks(case) == walks})
            if cases:
                rows = bench(["trial"], args.max_gaps, cases, [1], 0.2, runs=1, queries=few, keep=False)
                each |= {row["variant"]: row["seconds_whole"] / few for row in rows if row.get("seconds_whole")}
        slowest = max(each.values(), default=1e9)  # where there was no time for all, or for any
        a_pair = sum(beside * sum(each.get(case, slowest) for case in cases) for _, cases, *_, beside in works)
        pairs = measuring.left() / 3 / max(a_pair, 1e-9)
        if pairs / repeats < queries * min(numbers["targets"]):
            repeats = 1
        queries = int(max(few, min(queries, pairs / repeats / min(numbers["targets"]))))
        while most > 4 and most * queries > pairs / repeats:
            most //= 2
    sizes = sorted({min(one, most) for one in numbers["targets"]})
    if len(sizes) < 4:
        sizes = sorted({max(1, most >> shift) for shift in range(4)})
    study.head.update(gaps=args.max_gaps, sizes=sizes, queries=queries)

    # What rhomb aims at, beside parasail.
    for gaps in (1, 2, 3) if study.gpu else (1,):
        bench(["aims"], gaps, [], [max(sizes)], 0.03)
    for i, (wanted, cases, lengths, n, beside) in enumerate(works):
        targets = sizes if wanted[0] in _BY_TARGETS else [max(sizes)]
        part = beside * len(cases) / sum(beside * len(cases) for _, cases, *_, beside in works[i:])
        bench(wanted, args.max_gaps, cases, targets, part, lengths, n, repeats, queries)


# ---- drawing


def _best(rows, field):
    return max((row for row in rows if row.get(field)), key=lambda row: row[field], default=None)


class _Figure:
    """What a figure shows: rows of variants, and of the programs on one core."""

    def __init__(self, study, figure):
        self.study, self.figure = study, figure
        self.rows = Rates(study, figure)
        self.x = "targets" if figure in _BY_TARGETS else "m"
        self.names = self.rows.names
        self.peers = list(dict.fromkeys(row["program"] for row in self.rows.peers))

    def peer(self, name, row):
        """Cells a second of a program for the same work."""
        some = [
            one
            for one in self.rows.peers
            if one["program"] == name and one["m"] == row["m"] and one["align"] == _walks(row["variant"])
        ]
        some = some or [one for one in self.rows.peers if one["program"] == name and one["m"] == row["m"]]
        return some[0]["gcups"] if some else None

    def times(self, row):
        reference = self.peer("reference", row)
        return row["gcups_whole"] / reference if reference and row.get("gcups_whole") else None

    def points(self, name, value):
        points = [(row[self.x], value(row)) for row in self.rows.of(name)]
        return sorted(point for point in points if point[1])

    def axis(self):
        if self.x == "targets":
            ticks = sorted({row["targets"] for row in self.rows.all})
            return Axis("targets", True, tick=count_tick, ticks=ticks)
        ticks = sorted({row["m"] for row in self.rows.all})
        return Axis("symbols of a query", ticks=ticks)

    def picture(self, what, axis, series, legends):
        n = self.rows.all[0]["n"]
        pairs = max(row["queries"] * row["targets"] for row in self.rows.all)
        words = f"{self.study.device}, targets of {n} symbols, at most {self.study.head['gaps']} gaps"
        words += ", queries of 200 symbols" if self.x == "targets" else f", {pairs:,} pairs"
        title = f"Figure {self.figure}: {what} by " + ("targets" if self.x == "targets" else "length of the queries")
        name = f"figure{self.figure}-{what.split()[0]}"
        return charts.curves(name, title, words, self.axis(), axis, series, legends)

    def pictures(self):
        if self.figure == "10":
            return [self._times()]
        if self.figure == "7":
            return [self._seconds(), self._rate()]
        return [self._seconds(), self._rate(), self._times()]

    def _core(self):
        """The points of a program on one core, in seconds of the whole work, and in GCUPS."""
        for i, name in enumerate(self.peers):
            rates = sorted({(row[self.x], self.peer(name, row), row["m"] * row["n"] * row["queries"] * row["targets"])
                            for row in self.rows.all if self.peer(name, row)})
            yield i, name, [(x, cells / rate / 1e9) for x, rate, cells in rates], [(x, rate) for x, rate, _ in rates]

    def _legend(self, peers=True):
        entries = [key(name, i, 0, i) for i, name in enumerate(self.names)]
        if peers:
            entries += [key(f"{name}, one core", None, 2 + i, 6 + i) for i, name in enumerate(self.peers)]
        return ("", entries)

    def _seconds(self):
        series = [Series(name, self.points(name, lambda row: row.get("seconds_whole")), i, 0, i)
                  for i, name in enumerate(self.names)]
        series += [Series(name, seconds, None, 2 + i, 6 + i) for i, name, seconds, _ in self._core()]
        return self.picture("time", Axis("time, with packing and copies", True, tick=time_tick), series, [self._legend()])

    def _rate(self):
        series = [Series(name, self.points(name, lambda row, field=field: row.get(field)), i, line, i)
                  for i, name in enumerate(self.names) for line, field in ((0, "gcups"), (1, "gcups_whole"))]
        series += [Series(name, rates, None, 2 + i, 6 + i) for i, name, _, rates in self._core()]
        legends = [self._legend(), ("", [key("data in place", None, 0), key("packing and copies too", None, 1)])]
        return self.picture("rate", Axis("GCUPS", True), series, legends)

    def _times(self):
        series = [Series(name, self.points(name, self.times), i, 0, i) for i, name in enumerate(self.names)]
        return self.picture("gain over one core", Axis("times the reference on one core", True), series, [self._legend(False)])


def _draw(study, figure, numbers):
    shown = _Figure(study, figure)
    lines = []
    for name in shown.names:
        whole, kernel = _best(shown.rows.of(name), "gcups_whole"), _best(shown.rows.of(name), "gcups")
        if not kernel:
            continue
        times = [value for row in shown.rows.of(name) if (value := shown.times(row))]
        words = f"{short(kernel['gcups'])} GCUPS in place at most, {short(whole['gcups_whole'])} whole"
        if times:
            words += f"; {short(min(times))} to {short(max(times))} times the reference on one core"
        lines.append((name, numbers["facts"][figure] if name in _VARIANTS[figure][:1] else "", words))
    about = (
        "Cells are m by n, whatever the number of layers; the paper counts those of all layers' matrices. Times of the "
        "paper are of whole runs. reference is the plain recurrence on one core, as the paper's CPUGapsMis, and walks back "
        "where the variants do."
    )
    if "parasail" in shown.peers:
        about += " parasail has no bound on gaps."
    return f"Figure {figure}: {', '.join(_VARIANTS[figure])}", about, shown.pictures(), lines


def _aims(study, numbers):
    rows, aims = Rates(study, "aims"), []
    for gaps, wanted in numbers["aims"]["gpu_tcups"].items():
        some = [row for row in rows.of(_OWN) if row["gaps"] == int(gaps)]
        best = _best(some, "gcups")
        what = f"{_OWN}, 200 x 250 symbols, {gaps} gap{'s' if gaps != '1' else ''}"
        if study.gpu:
            aims.append((what, wanted, best and best["gcups"] / 1e3, "TCUPS"))
        elif gaps == "1" and best:
            peer = next((row for row in rows.peers if row["program"] == "parasail" and row["gaps"] == 1), None)
            if peer:
                times = best["gcups"] / peer["gcups"]
                aims += aims_beside(study, what, "parasail", times, numbers["aims"], "cpu_times_parasail")
    return aims


def _table1(page, study, numbers):
    """The approaches, and how fast each was at 200 symbols."""
    lines = []
    for name, variant, batching, walk in numbers["table1"]:
        rows = [row for row in study.of(*FIGURES) if row["m"] == 200 and row["n"] == 250]
        if variant == "reference":
            rows = [row for row in rows if row["program"] == "reference" and row["align"] == (walk != "-")]
            best = _best(rows, "gcups")
            rate = best and best["gcups"]
        else:
            best = _best([row for row in rows if row["variant"] == variant], "gcups_whole")
            rate = best and best["gcups_whole"]
        lines.append((name, batching, walk, variant, f"{short(rate)} GCUPS" if rate else "not measured"))
    page.section(
        "table1",
        "Table 1: the approaches",
        "Rates are of whole runs with queries of 200 symbols, the best of all figures.",
        beside=table(["in the paper", "batching", "backtracking", "rhomb's variant", "here"], lines),
    )


def _others(page, study, other, numbers, figures):
    """Figures 15 and 16 and table 2: multi-b on two devices."""
    ratios = []
    for figure, same in BESIDE.items():
        if figure not in figures:
            continue
        ours, theirs = Rates(study, same), Rates(other, same)
        x = "targets" if figure in _BY_TARGETS else "m"
        series, pictures = [], []
        for i, (one, rows) in enumerate(((study, ours), (other, theirs))):
            points = sorted((row[x], row["gcups_whole"]) for row in rows.of("multi-b") if row.get("gcups_whole"))
            series.append(Series(one.device, points, i, 0, i))
        known = dict(series[1].points)
        ratios += [rate / known[at] for at, rate in series[0].points if at in known]
        if not series[1].points:
            continue
        ticks = sorted({at for one in series for at, _ in one.points})
        axis = Axis("targets", True, count_tick, ticks=ticks) if x == "targets" else Axis("symbols of a query", ticks=ticks)
        title = f"Figure {figure}: rate by " + ("targets" if x == "targets" else "length of the queries")
        words = f"multi-b, with packing and copies, targets of 250 symbols, at most {study.head['gaps']} gaps"
        pictures.append(charts.curves(f"figure{figure}", title, words, axis, Axis("GCUPS", True), series))
        page.section(f"figure{figure}", f"Figure {figure}: multi-b on two devices", numbers["facts"][figure], pictures)
    if ratios:
        lines = [
            ("device", "GTX 650", "GTX 680", other.device, study.device),
            ("compute units", "2", "8", *(str(one.head["device"]["compute_units"]) for one in (other, study))),
            ("improvement that is expected", "1", "3.3", "", ""),
            ("improvement that is observed", "1", "3.5", "1", short(median(ratios))),
        ]
        page.section("table2", "Table 2: two devices", "", beside=table(["", "paper", "paper", "here", "here"], lines))


def draw(study, directory, figures, other=None):
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
            ("Queries", f"{study.head.get('queries', numbers['queries'])}"),
            ("Targets", ", ".join(f"{size:,}" for size in study.head["sizes"])),
            ("Measured", study.measured_words()),
        ]
    )
    aims_section(page, _aims(study, numbers), study.gpu)
    _table1(page, study, numbers)
    figure_sections(
        page,
        lambda figure: [row for row in study.rows if row["figure"] == figure],
        [figure for figure in FIGURES if figure in figures and figure not in BESIDE],
        lambda figure: _draw(study, figure, numbers),
        "paper",
    )
    if other:
        _others(page, study, Study.read(other, "gaps"), numbers, figures)
    return page.write()
