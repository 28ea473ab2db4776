# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper on longest common subsequences (Ozsoy et al. 2013)."""

from rhomb import charts
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, config_text, count_tick, short
from rhomb.numbers import paper
from rhomb.page import Page, Raw
from rhomb.paper_page import Rates, add_runs, aims_beside, aims_section, figure_sections

SUMMARY = "the figures of the paper on longest common subsequences (Ozsoy et al. 2013)"
FIGURES = ("8", "9", "10", "11")
ABOUT = """\
Measures the experiments of the paper again (rhomb bench lcs): a random query of 4,096 symbols against 50,000,
188,000 and 720,000 random targets of 4,096, or on a CPU against fewer. The figures are
  8   crochemore and allison-dix: alphabet strings in constant and in local memory, copies hidden behind launches
      or not, work-group sizes; strips-lcs too
  9   number of targets
  10  alphabets of 4, 8, 12, 16, 20 and 26 letters
  11  beside row vectors of 64-bit words on one core (program: plain)"""
EXAMPLES = """examples:
  rhomb-papers lcs
  rhomb-papers lcs -o lcs --budget 2m
  rhomb-papers lcs --figures 10 --targets 2000 --device cpu"""

_WAYS = {  # figure 8: (variant, way): what is forced
    ("strips-lcs", "overlap"): "",
    ("strips-lcs", "no overlap"): "QUEUES=1",
    ("crochemore", "local, overlap"): "STORE=1",
    ("crochemore", "local"): "STORE=1,QUEUES=1",
    ("crochemore", "constant"): "STORE=0,QUEUES=1",
    ("allison-dix", "local, overlap"): "STORE=1",
    ("allison-dix", "local"): "STORE=1,QUEUES=1",
    ("allison-dix", "constant"): "STORE=0,QUEUES=1",
}
_LINES = {"overlap": 0, "local, overlap": 0, "no overlap": 1, "local": 1, "constant": 2}


def add_arguments(parser):
    parser.add_argument(
        "--length", metavar="N", default=None, help="symbols of the query and of each target (default: 4096)"
    )
    parser.add_argument(
        "--targets", "--subjects", metavar="N", type=int, help="of the middle set (default: 188,000; on a CPU fewer)"
    )
    add_runs(parser)


def check(args):
    if args.targets is not None and args.targets < 1:
        raise Problem("--targets: less than one", 2)


def measure(measuring, args, figures):
    numbers = paper("lcs")
    common = [f"--runs={args.runs}", *([f"--length={args.length}"] if args.length else [])]

    def bench(figure, part, *options):
        return measuring.bench(figure, "lcs", *common, *options, f"--budget={max(part * measuring.left(), 1):.0f}")

    middle = [f"--targets={args.targets}"] if args.targets else []
    first = bench("9", 0.5, *middle)
    size = first[0]["targets"]
    measuring.study.head["middle"] = size
    sizes = [max(1, size * one // numbers["targets"][1]) for one in numbers["targets"]]
    measuring.study.head["sizes"] = sizes
    if "9" in figures or "11" in figures:
        bench("9", 0.4, "--targets=" + ",".join(str(one) for one in (sizes[0], sizes[2])))
    if "8" in figures:
        groups = (128, 256, 64, 512) if measuring.study.gpu else (1, 16)
        cases = [
            f"--case={variant} {','.join(part for part in (forced, f'WG={group}') if part)}"
            for group in groups
            for (variant, _), forced in _WAYS.items()
        ]
        bench("8", 0.55 if "10" in figures else 1, f"--targets={size}", *cases)
    if "10" in figures:
        bench("10", 1, f"--targets={size}", "--alphabet=" + ",".join(map(str, numbers["alphabets"][1:])))


# ---- drawing


class _Rows(Rates):
    def __init__(self, study):
        super().__init__(study, "8", "9", "10")
        self.middle = study.head["middle"]

    def subtitle(self):
        return f"{self.study.device}, query and targets of {self.all[0]['m']:,}"

    def best(self, some, field="gcups"):
        return max((row for row in some if row.get(field)), key=lambda row: row[field], default=None)

    def best_words(self, some):
        kernel, whole = self.best(some), self.best(some, "gcups_whole")
        if not kernel:
            return "not measured"
        return f"{self.rate(kernel['gcups'])} in place" + (
            f", {self.rate(whole['gcups_whole'])} whole" if whole else ""
        )

    def sizes(self):
        return [row for row in self.all if row["figure"] == "9"]

    def alphabets(self):
        return [
            row
            for row in self.all
            if row["figure"] == "10" or (row["figure"] == "9" and row["targets"] == self.middle)
        ]


def _way(row):
    """The way of figure 8 that a row is of."""
    forced = config_text({name: value for name, value in row["asked"].items() if name != "WG"})
    forced = ",".join(sorted(forced.split(","), reverse=True)) if forced else ""
    return next(
        (way for (variant, way), text in _WAYS.items() if variant == row["variant"] and text == forced), None
    )


def _curves(rows, some, x):
    """For each variant two curves: data in place, and the whole run."""
    series = []
    for i, name in enumerate(rows.names):
        for line, field in ((0, "gcups"), (1, "gcups_whole")):
            points = sorted(
                (row[x], row[field] / rows.scale) for row in some if row["variant"] == name and row.get(field)
            )
            series.append(Series(name, points, i, line, i))
    legends = [
        ("", [key(name, i, 0, i) for i, name in enumerate(rows.names)]),
        ("", [key("data in place", None, 0), key("packing and copies too", None, 1)]),
    ]
    return series, legends


def _draw_ways(rows, known):
    some = [row for row in rows.all if row["figure"] == "8"]
    pictures = []
    for letter, field, title in (("a", "gcups_whole", "packing and copies too"), ("b", "gcups", "data in place")):
        series = []
        for i, name in enumerate(rows.names):
            for way, line in _LINES.items():
                points = sorted(
                    (row["config"]["WG"], row[field] / rows.scale)
                    for row in some
                    if row["variant"] == name and _way(row) == way and row.get(field)
                )
                if points:
                    series.append(Series("", points, i, line, i))
        legends = [
            ("", [key(name, i, 0, i) for i, name in enumerate(rows.names)]),
            (
                "Alphabet strings, copies",
                [
                    key("local, overlap", None, 0),
                    key("local, no overlap", None, 1),
                    key("constant, no overlap", None, 2),
                ],
            ),
        ]
        pictures.append(
            charts.curves(
                f"figure8{letter}",
                f"Figure 8: {title}",
                rows.subtitle(),
                Axis("work-items a group", not rows.study.gpu),
                Axis(rows.unit),
                series,
                legends,
            )
        )
    lines = []
    for variant, way in [
        ("crochemore", "constant"),
        ("crochemore", "local"),
        ("crochemore", "local, overlap"),
        ("allison-dix", "constant"),
        ("allison-dix", "local, overlap"),
        ("strips-lcs", "no overlap"),
        ("strips-lcs", "overlap"),
    ]:
        words = (
            way.replace("constant", "constant memory").replace("local", "local memory", 1)
            if "," not in way
            else way
        )
        lines.append(
            (
                f"{variant}, {words}",
                known.get(f"{variant} {way}", ""),
                rows.best_words([row for row in some if row["variant"] == variant and _way(row) == way]),
            )
        )
    about = (
        "Alphabet strings in constant or in local (CUDA: shared) memory, copies hidden behind the launches of other "
        "chunks (overlap, QUEUES above 1) or not, and the number of work-items a group. Copies make no difference to "
        "the second picture, whose data are in place."
    )
    return (
        "Implementations and work-group sizes",
        about,
        pictures,
        lines,
        f"{rows.middle:,} targets, alphabet 4",
    )


def _draw_sizes(rows, known):
    series, legends = _curves(rows, rows.sizes(), "targets")
    picture = charts.curves(
        "figure9",
        "Figure 9: rate against targets",
        rows.subtitle(),
        Axis("targets", tick=count_tick),
        Axis(rows.unit),
        series,
        legends,
    )
    lines = [
        (
            name,
            known.get(f"sizes {name}", ""),
            rows.best_words([row for row in rows.sizes() if row["variant"] == name]),
        )
        for name in rows.names
    ]
    about = (
        "The paper's sets have 50,000, 188,000 and 720,000 targets, the last of which need several kernel calls. On "
        "CPUs all three are smaller by the same factor."
    )
    return ("Number of targets", about, [picture], lines, "alphabet 4, the variants as they are planned")


def _draw_alphabets(rows, known):
    some = rows.alphabets()
    series, legends = _curves(rows, some, "alphabet")
    picture = charts.curves(
        "figure10",
        "Figure 10: rate against the alphabet",
        rows.subtitle(),
        Axis("letters"),
        Axis(rows.unit),
        series,
        legends,
    )
    lines = []
    for name in rows.names:
        few, many = (
            rows.best([row for row in some if row["variant"] == name and row["alphabet"] == letters])
            for letters in (4, 26)
        )
        of_paper = known["alphabet"] if name in ("allison-dix", "crochemore") else ""
        lines.append(
            (
                f"{name}, 26 letters / 4",
                of_paper,
                (f"{many['gcups'] / few['gcups']:.3f} of the rate in place" if few and many else "not measured"),
            )
        )
    about = (
        "Larger alphabets take more alphabet strings, and work-items that read different ones may wait for a bank of "
        "local memory. strips-lcs compares bits of the symbols: two operations more for each further bit."
    )
    return "Size of the alphabet", about, [picture], lines, f"{rows.middle:,} targets, as planned"


def _draw_peer(rows, known):
    series, lines = [], []
    sizes = rows.sizes()
    for i, name in enumerate(rows.names):
        points = sorted(
            (row["targets"], row["gcups_whole"] / rows.scale)
            for row in sizes
            if row["variant"] == name and row.get("gcups_whole")
        )
        series.append(Series(name, points, i, 0, i))
    peer = next((row for row in rows.peers if row["alphabet"] == 4), None)
    if peer:
        points = sorted({(row["targets"], peer["gcups"] / rows.scale) for row in sizes})
        series.append(Series("64-bit words, one core of the host", points, None, 1, 7))
        cores = rows.study.cores
        for name in rows.names:
            best = rows.best([row for row in sizes if row["variant"] == name], "gcups_whole")
            if best:
                times = best["gcups_whole"] / peer["gcups"]
                lines.append(
                    (
                        f"{name} / one core, whole run",
                        known.get(f"cpu {name}", ""),
                        f"{times:.1f} times" + (f", {cores} cores; {times / cores:.1f} a core" if cores else ""),
                    )
                )
        lines.append(("64-bit words, one core", "", f"{short(peer['gcups'])} GCUPS"))
    picture = charts.curves(
        "figure11",
        "Figure 11: whole runs, and one core",
        rows.subtitle(),
        Axis("targets", tick=count_tick),
        Axis(rows.unit, True),
        series,
    )
    about = (
        "Whole runs, packing and copies too, beside the same row vectors in words of 64 bits on one core, as a loop "
        "that anybody would write. The paper's CPU version had threads on all cores of an X5660 and the like."
    )
    return ("Beside a CPU", about, [picture], lines, "the sets of figure 9; one core on a sample of them")


_DRAW = {"8": _draw_ways, "9": _draw_sizes, "10": _draw_alphabets, "11": _draw_peer}


def _aims(rows, numbers):
    aims, study = [], rows.study
    for name in ("strips-lcs", "crochemore", "allison-dix"):
        some = [
            row
            for row in rows.all
            if row["variant"] == name and row["alphabet"] == 4 and row["targets"] == rows.middle
            # Beside a peer that ran once, the best of many would have chance on its side.
            and (study.gpu or row["figure"] == "9")
        ]
        best = rows.best(some)
        what = f"{name}, {rows.middle:,} targets, alphabet 4"
        if study.gpu:
            aims.append((what, numbers["aims"]["gpu_tcups"][name], best and best["gcups"] / 1e3, "TCUPS"))
        peer = next((row for row in rows.peers if row["alphabet"] == 4), None)
        if not study.gpu and name == "strips-lcs" and best and peer:
            times = best["gcups"] / peer["gcups"]
            aims += aims_beside(study, what, "64-bit words", times, numbers["aims"], "cpu_times_plain")
    return aims


def _belongs(row, figure, middle):
    return (
        row["figure"] == figure
        or row["program"] != "rhomb"
        or (figure == "11" and row["figure"] == "9")
        or (figure == "10" and row["figure"] == "9" and row["targets"] == middle)
    )


def draw(study, directory, figures):
    numbers = paper("lcs")
    rows = _Rows(study)
    page = Page(directory, "The paper on common subsequences, measured again")
    page.add(
        Raw(
            "<p>The experiments of A. Ozsoy, A. Chauhan and M. Swany, <i>Achieving TeraCUPS on longest common "
            "subsequence problem using GPGPUs</i>, ICPADS 2013: how long is the longest common subsequence of one query "
            "and each of many targets? A cell is one of the m by n that the query and a target have; GCUPS are "
            "10<sup>9</sup> cells a second, TCUPS 10<sup>12</sup>. The paper exceeds 1 TCUPS on three NVIDIA M2090; its "
            "text has few other numbers. crochemore and allison-dix are its algorithms, strips-lcs is rhomb's own. All "
            "lengths were compared with each other.</p>\n"
        )
    )
    page.entries(
        [
            ("Device", study.device_words()),
            ("Sets", ", ".join(f"{size:,}" for size in study.head["sizes"]) + " targets"),
            ("Measured", study.measured_words()),
        ]
    )
    aims_section(page, _aims(rows, numbers), study.gpu)

    def drawn(figure):
        title, about, pictures, lines, texts = _DRAW[figure](rows, numbers["facts"])
        return f"Figure {figure}: {title}", f"{about}\nMeasured on: {texts}.", pictures, lines

    figure_sections(
        page,
        lambda figure: [row for row in study.rows if _belongs(row, figure, rows.middle)],
        [figure for figure in FIGURES if figure in figures],
        drawn,
        "paper",
    )
    return page.write()
