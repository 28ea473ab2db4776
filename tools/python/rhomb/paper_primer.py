# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of the paper on k-difference primers (Feuser and Moreano 2018)."""

from rhomb import charts
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, config_text, metric, seconds_words, short
from rhomb.numbers import paper
from rhomb.page import Page, Raw, notes
from rhomb.paper_page import check_files
from rhomb.study import facts

SUMMARY = "the tables and figures of the paper on k-difference primers (Feuser and Moreano 2018)"
FIGURES = ("tables", "4", "5", "7", "8", "9", "10")
ABOUT = """\
Measures the experiments of the paper again (rhomb bench primer): the beginning of the first sequence of ALPHA against
that of BETA, as long as the paper's where they are long enough, or random ones of these lengths. The paper's
variants look at the first positions only, as many as the time allows, whose time is multiplied; cores and dense at all.
The figures are
  tables  1, 2, 3 and 5: seconds and comparisons of symbols a second for each set of optimisations, k = 100
  4       its table 4: symbols copied to local memory, and how many are missed, k = 256
  5       speedup with the positions that are computed at a time: there threads of OpenMP, here groups of work-items
  7       speedup of the variants and optimisations over its sequential program
  8       loads from and stores to global and local memory: there nvprof counted them, here they follow from what the
          kernels do, from the comparisons that they count and the symbols that they miss in local memory
  9       work-items a group, k = 50 and 100
  10      sequences of different lengths
Its figures 1 to 4 are programs, and figure 6 shows tiles, as cl/primer/README.md does."""
EXAMPLES = """examples:
  rhomb-papers primer gene.fa genome.fa
  rhomb-papers primer -o primer --budget 10m                 random sequences
  rhomb-papers primer --m 2000 --n 20000 --device cpu        a small version"""

# What each set of optimisations is called in the tables, and how it is asked for.
_SETS = {
    "conventional": "conventional TILE=0,STOP=0,REDUCE=0,NEAR=0",
    "conventional+1": "conventional TILE=1,STOP=1,REDUCE=0,NEAR=0",
    "conventional+1+3+4+5": "conventional TILE=1,STOP=1,REDUCE=1,NEAR=1",
    "alternative": "alternative TILE=0,STOP=0,REDUCE=0,NEAR=0",
    "alternative+2": "alternative TILE=0,STOP=1,REDUCE=0,NEAR=0",
    "alternative+3": "alternative TILE=0,STOP=0,REDUCE=1,NEAR=0",
    "alternative+3+4": "alternative TILE=1,STOP=0,REDUCE=1,NEAR=0",
    "alternative+3+4+5": "alternative TILE=1,STOP=0,REDUCE=1,NEAR=1",
    "alternative+3+4+5+6": "alternative TILE=1,STOP=0,REDUCE=1,NEAR=2",
}
_OURS = ("cores", "dense")
_BEST = "alternative+3+4+5+6"
_COARSE = "alternative+2"  # its best with OpenMP: threads only share the positions
# The sets whose accesses to memory the paper shows.
_STORED = ("conventional+1+3+4+5", "alternative+3", "alternative+3+4", "alternative+3+4+5", _BEST)


def add_arguments(parser):
    parser.add_argument("files", nargs="*", metavar="ALPHA BETA", help="two files (default: random sequences)")
    parser.add_argument("--m", type=int, metavar="N", help="symbols of ALPHA (default: the paper's 43,606)")
    parser.add_argument("--n", type=int, metavar="N", help="symbols of BETA (default: the paper's 241,494)")
    parser.add_argument("--starts", type=int, metavar="N", help="positions for the paper's variants (default: by --budget)")


def check(args):
    if len(args.files) not in (0, 2):
        raise Problem("ALPHA and BETA, or no files", 2)
    check_files(args.files)
    if min(value for value in (args.m, args.n, args.starts, 1) if value is not None) < 1:
        raise Problem("--m, --n and --starts: at least 1", 2)


def measure(measuring, args, figures):
    numbers = paper("primer")
    small, large = dict(numbers["small"]), dict(numbers["large"])
    if args.m or args.n:
        m, n = args.m or small["m"], args.n or small["n"]
        scale = (m / small["m"], n / small["n"])
        large.update(m=max(1, round(large["m"] * scale[0])), n=max(1, round(large["n"] * scale[1])))
        small.update(m=m, n=n)
        if m < numbers["small"]["m"] / 4:  # windows of the paper's k would not fit
            small["k"], large["k"] = max(1, min(small["k"], m // 40)), max(1, min(large["k"], m // 40))
    measuring.study.head.update(small=small, large=large, files=bool(args.files))
    starts = args.starts or (2000 if measuring.study.gpu else 4)

    def bench(figure, work, cases, part, some=None, runs=1):
        return measuring.bench(
            figure,
            "primer",
            *args.files,
            f"--alpha-length={work['m']}",
            f"--beta-length={work['n']}",
            "-k",
            work["k"],
            *([f"--starts={min(some, work['m'])}"] if some else []),
            f"--runs={runs}",
            *[f"--case={case}" for case in cases],
            f"--budget={max(part * measuring.left(), 1):.0f}",
        )

    bench("ours", small, _OURS, 0.2, runs=3)
    if {"tables", "7", "8"} & set(figures):
        few = max(1, starts // 20)
        bench("tables", small, [case for name, case in _SETS.items() if name != "conventional"], 0.4, starts)
        bench("tables", small, [_SETS["conventional"]], 0.1, few)  # goes through all rows
        counting = [case + ",COUNT=1" for name, case in _SETS.items() if name.startswith("alternative")]
        bench("counted", small, counting, 0.4, few)
    if "tables" in figures:
        middle = {**large, "n": min(large["n"], numbers["table5"]["n"]), "k": small["k"]}
        measuring.study.head["middle"] = middle
        bench("middle", middle, [_SETS[_BEST]], 0.3, few)
        bench("middle", middle, [_SETS[_BEST] + ",COUNT=1"], 0.3, max(1, few // 4))
    if "5" in figures:
        for at_a_time in (1, 4, 16, 64, 256, 1024) if measuring.study.gpu else (1, 2, 4, 8):
            bench("5", small, [_SETS[_COARSE]], 0.1, at_a_time)
    if "9" in figures:
        for k in sorted({max(1, small["k"] // 2), small["k"]}):
            groups = "/".join(map(str, (64, 128, 256, 512) if measuring.study.gpu else (32, 64)))
            bench("9", {**small, "k": k}, [f"alternative WG={groups}"], 0.3, max(1, starts // 4))
    if "4" in figures:
        bench("4", large, ["alternative FACTOR=1/2/3,COUNT=1"], 0.3, max(1, starts // 50))
        bench("4", large, ["alternative FACTOR=1/2/3"], 0.3, max(1, starts // 20))
    if "10" in figures:
        for step in (1, 2, 4):
            work = {**small, "m": max(1, small["m"] * step // 4), "n": max(1, small["n"] * step // 4)}
            bench("10", work, ["cores"], 0.3, runs=1)
            bench("10", work, [_SETS[_BEST]], 0.2, max(1, starts // 20))
        bench("10", large, [_SETS[_BEST]], 0.2, max(1, starts // 50))
        bench("10", large, ["cores"], 1, runs=1)


# ---- drawing


def _whole(row, m):
    """Seconds for all positions, from those of some."""
    return row["seconds"] * m / row["starts"]


class _Rows:
    def __init__(self, study):
        self.study = study
        self.small, self.large = study.head["small"], study.head["large"]
        self.rows = [row for row in study.rows if row["program"] == "rhomb" and row.get("seconds")]

    def of(self, figure):
        return [row for row in self.rows if row["figure"] == figure]

    def named(self, figure, name):
        """The row of a set of optimisations."""
        variant, asked = _SETS[name].split(" ")
        for row in self.of(figure):
            text = {part for part in config_text(row["asked"]).split(",") if not part.startswith("COUNT")}
            if row["variant"] == variant and text == set(asked.split(",")):
                return row
        return None

    def ours(self, name):
        return next((row for row in self.of("ours") if row["variant"] == name), None)

    def rate(self, name):
        """Comparisons a second: counted in one run, timed in another, for each position as many."""
        row = self.named("tables", name)
        counted = self.named("counted", name) if name.startswith("alternative") else row
        if not row or not counted or not counted["comparisons"]:
            return None
        return counted["comparisons"] / counted["starts"] * row["starts"] / row["seconds"]

    def middle_rate(self):
        """The same for the lengths of table 5."""
        counted, timed = ([row for row in self.of("middle") if row["config"]["COUNT"] == count] for count in (1, 0))
        if not counted or not timed:
            return None
        return counted[0]["comparisons"] / counted[0]["starts"] * timed[0]["starts"] / timed[0]["seconds"]

    def subtitle(self, work):
        return f"{self.study.device}, {work['m']:,} x {work['n']:,}, k = {work['k']}"


def _draw_tables(rows, known):
    lines = []
    for name in _SETS:
        row = rows.named("tables", name)
        seconds = known["table1"]["seconds"].get(name)
        rate = known["table3"]["comparisons_a_second"].get(name)
        of_paper = [f"{seconds_words(seconds)} sequential"] if seconds else []
        of_paper += [f"{metric(rate)} comparisons a second"] if rate else []
        here = ["not measured"]
        if row:
            here = [f"{seconds_words(_whole(row, rows.small['m']))} from {row['starts']:,} positions"]
            if rows.rate(name):
                here.append(f"{metric(rows.rate(name))} comparisons a second")
        lines.append((name, ", ".join(of_paper), ", ".join(here)))
    for name in _OURS:
        row = rows.ours(name)
        lines.append((f"{name}, rhomb's own", "", f"{seconds_words(row['seconds'])}, all positions" if row else "not measured"))
    rate = rows.middle_rate()
    for name, of_paper in known["table5"]["comparisons_a_second"].items():
        here = f"{metric(rate)} comparisons a second" if rate and name == "CUDA" else ""
        lines.append((f"table 5: best of {name}", f"{metric(of_paper)} comparisons a second", here))
    for name, seconds in known["table2"].items():
        lines.append((f"table 2: OpenMP, {name}", seconds_words(seconds), ""))
    bars = [(name, metric(rows.rate(name)), rows.rate(name) / 1e9) for name in _SETS if rows.rate(name)]
    pictures = []
    if bars:
        pictures = [
            charts.bars("tables", "Comparisons of symbols a second", rows.subtitle(rows.small), "10^9 comparisons a second", bars)
        ]
    about = (
        "The paper counts comparisons of a symbol of ALPHA with one of BETA. Its sequential and OpenMP programs are in "
        "tables 1 and 2, those in CUDA in table 3; what is measured here computes on rhomb's device whatever the set. "
        "Its first, without any optimisation, goes through all rows of all matrices and was not measured there either. "
        "cores and dense compare bits of words and count nothing."
    )
    return "Tables 1, 2, 3 and 5: optimisations", about, pictures, lines


def _draw_speedups(rows, known):
    base = known["table1"]["seconds"]["alternative+2"]
    same = all(rows.small[name] == known["small"][name] for name in ("m", "n", "k"))
    bars, lines = [], []
    for name in [*_SETS, *_OURS]:
        row = rows.ours(name) if name in _OURS else rows.named("tables", name)
        if row:
            speedup = base / _whole(row, rows.small["m"])
            bars.append((name, f"{speedup:,.0f}", speedup))
            lines.append((name, "", f"{speedup:,.0f} times" if same else "other lengths"))
    lines.append(("the paper's best in CUDA", f"{known['speedup']['CUDA']} times", ""))
    about = (
        "How much faster than the paper's best sequential program (8,231 s on its machine): of meaning only for sequences "
        "of its lengths."
    )
    pictures = [charts.bars("figure7", "Figure 7: speedups", rows.subtitle(rows.small), "times", bars)] if same and bars else []
    return "Figure 7: speedups", about, pictures, lines


def _draw_prefetch(rows, known):
    lines = []
    for row in rows.of("4"):
        factor, counted = row["config"]["FACTOR"], row["config"]["COUNT"]
        if counted:
            misses = (row["alpha_misses"] / row["comparisons"], row["beta_misses"] / row["comparisons"]) if row["comparisons"] else (0, 0)
            here = f"{misses[0]:.1%} of ALPHA's symbols missed, {misses[1]:.1%} of BETA's"
            told = known["table4"][str(factor)]
            of_paper = f"{told['alpha']:.1%}, {told['beta']:.1%}"
        else:
            here = f"{seconds_words(_whole(row, rows.large['m']))} from {row['starts']:,} positions"
            of_paper = seconds_words(known["table4"][str(factor)]["seconds"])
        lines.append((f"c = {factor}, {'misses' if counted else 'time'}", of_paper, here))
    about = (
        "c times k symbols of ALPHA, and as many and a group's width of BETA, are copied to local memory in the hope that "
        "they are what a tile needs; those that are not are read from global memory."
    )
    return "Table 4: symbols in local memory", about, [], lines


def _draw_threads(rows, known):
    some = sorted(rows.of("5"), key=lambda row: row["starts"])
    alone = some[0]["seconds"] / some[0]["starts"]
    points = [(row["starts"], alone * row["starts"] / row["seconds"]) for row in some]
    lines = [(f"{count:,} at a time", "", f"{speedup:,.1f} times") for count, speedup in points]
    lines.append(("1 to 4 threads on 4 cores", "as many times", ""))
    lines.append(("8 threads on 4 cores", f"{known['speedup']['OpenMP']} times", ""))
    picture = charts.curves(
        "figure5", "Figure 5: positions at a time", rows.subtitle(rows.small), Axis("positions at a time", True),
        Axis("speedup over one at a time", True), [Series(_COARSE, points, 0, 0, 0)],
    )
    about = (
        "The paper's best program with OpenMP (alternative with optimisation 2) gives each thread positions of its own. Here "
        "each position has a group of work-items, and a device computes as many groups at a time as it has room for. The "
        "speedup is over one position at a time on the same device."
    )
    return "Figure 5: positions at a time", about, [picture], lines


def _accesses(rows, name):
    """Loads and stores for each position: (global loads, global stores, local loads, local stores); cl/primer has them.
    Reductions and borders, which are few, are left out."""
    row = rows.named("tables", name)
    counted = rows.named("counted", name) if name.startswith("alternative") else row
    if not row or not counted or not counted["comparisons"]:
        return None
    n, k, group = row["n"], row["k"], row["config"]["WG"]
    compared, missed = (sum(counted[key] for key in keys) / counted["starts"]
                        for keys in (("comparisons",), ("alpha_misses", "beta_misses")))
    if name.startswith("conventional"):
        # A cell loads its neighbour above from local memory, where it stores itself; the first row of a tile finds it in
        # global memory, where the last one stores. alpha is in local memory, the text is not.
        return compared + compared / group, compared / group, 2 * compared, compared
    if not row["config"]["TILE"]:
        cells = k * n + k * (k - 1) / 2  # each loads three of the column before
        return 3 * (cells - n) + missed, cells, 0, 0
    tiles = -(-(n + k) // group)
    steps = tiles * k  # each stores two values for the next tile, and loads two of the tile before
    near = -(-k * row["config"]["FACTOR"] // group) * group
    copied = [0, near, 2 * near + tiles * group][row["config"]["NEAR"]]
    hits = 2 * compared - missed
    return 2 * steps + missed + copied, 2 * steps, 3 * steps * group + hits, steps * (group + 2) + copied


def _draw_accesses(rows, known):
    lines, bars = [], ([], [])
    for name in _STORED:
        each = _accesses(rows, name)
        if not each:
            continue
        each = [value * rows.small["m"] for value in each]
        for into, loads, stores in ((bars[0], *each[:2]), (bars[1], *each[2:])):
            into.append((name, f"{metric(loads)} + {metric(stores)}", (loads + stores) / 1e9))
        lines.append((name, "", "{} global loads, {} stores; {} local loads, {} stores".format(*map(metric, each))))
    about = (
        "How many loads + stores of global and of local memory all positions take. The paper's numbers are in its picture "
        "only, but it says what they show: tiles (4) take the matrix out of global memory, symbols of ALPHA (5) and of "
        "BETA (6) that are copied take the rest of the loads out."
    )
    pictures = [
        charts.bars(f"figure8-{kind}", f"Figure 8: {kind} memory", rows.subtitle(rows.small), "10^9 loads and stores", some)
        for kind, some in zip(("global", "local"), bars)
        if some
    ]
    return "Figure 8: loads and stores", about, pictures, lines


def _draw_groups(rows, known):
    some = rows.of("9")
    series, lines = [], []
    for i, k in enumerate(sorted({row["k"] for row in some})):
        points = sorted((row["config"]["WG"], _whole(row, rows.small["m"])) for row in some if row["k"] == k)
        series.append(Series(f"k = {k}", points, i, 0, i))
        best = min(points, key=lambda point: point[1])
        lines.append((f"best, k = {k}", f"{known['best_group']} threads", f"{best[0]} work-items, {seconds_words(best[1])}"))
    picture = charts.curves(
        "figure9", "Figure 9: work-items a group", rows.subtitle(rows.small), Axis("work-items a group", True), Axis("seconds"), series,
        [("", [key(one.name, i, 0, i) for i, one in enumerate(series)])],
    )
    about = "alternative with all its optimisations. A group takes as many diagonals at a time as it has work-items."
    return "Figure 9: work-items a group", about, [picture], lines


def _draw_lengths(rows, known):
    some = sorted(rows.of("10"), key=lambda row: (row["m"] * row["n"], row["variant"] != "cores"))
    points, lines = {"cores": [], "alternative": []}, []
    for row in some:
        seconds = _whole(row, row["m"])
        points[row["variant"]].append((row["m"] * row["n"], seconds))
        about = f"{short(row['gcups'])} GCUPS" if row["variant"] == "cores" else f"from {row['starts']:,} positions"
        lines.append((f"{row['m']:,} x {row['n']:,}, k = {row['k']}, {row['variant']}", "", f"{seconds_words(seconds)}, {about}"))
    best = known["table4"]["3"]["seconds"]
    lines.append(("107,280 x 2,220,391, k = 256", seconds_words(best), ""))
    series = [Series(name, points[name], i, i, i) for i, name in enumerate(points) if points[name]]
    picture = charts.curves(
        "figure10", "Figure 10: sequences of different lengths", rows.study.device, Axis("product of the lengths", True),
        Axis("seconds", True), series,
    )
    about = (
        "cores, rhomb's own, and the paper's best, alternative with all its optimisations. GCUPS are what would be needed to "
        "compare each primer with all of BETA once."
    )
    return "Figure 10: lengths", about, [picture], lines


_DRAW = {
    "tables": _draw_tables,
    "4": _draw_prefetch,
    "5": _draw_threads,
    "7": _draw_speedups,
    "8": _draw_accesses,
    "9": _draw_groups,
    "10": _draw_lengths,
}
_OF = {"tables": ("tables", "counted", "middle", "ours"), "7": ("tables", "ours"), "8": ("tables", "counted")}


def draw(study, directory, figures):
    known = paper("primer")
    rows = _Rows(study)
    page = Page(directory, "The paper on k-difference primers, measured again")
    page.add(
        Raw(
            "<p>The experiments of L. Feuser and N. Moreano, <i>Parallel solutions to the k-difference primer problem</i>, "
            "ICCS 2018: for each position of one sequence the shortest substring that has at least k differences from "
            "every substring of another one. conventional and alternative are its algorithms, with its optimisations by "
            "their numbers; cores and dense are rhomb's own. All ends were compared with each other, and edlib confirmed "
            "a sample where rhomb was built with it.</p>\n"
        )
    )
    what = "ALPHA and BETA of the user's" if study.head["files"] else "random sequences"
    page.entries(
        [
            ("Device", study.device_words()),
            ("The paper's", known["device"]),
            ("Sequences", f"{what}, {rows.small['m']:,} x {rows.small['n']:,}, k = {rows.small['k']}"),
            ("Measured", study.measured_words()),
        ]
    )
    for figure in [name for name in FIGURES if name in figures]:
        some = [row for row in study.rows if row["figure"] in _OF.get(figure, (figure,))]
        if not any(row.get("seconds") and row["program"] == "rhomb" for row in some):
            continue
        heading, about, pictures, lines = _DRAW[figure](rows, known)
        plain = [{name: row[name] for name in row if name not in ("figure", "asked")} for row in some]
        link = page.tsv(f"figure{figure}.tsv", plain)
        left = [f"{row['variant']} {config_text(row['asked'])}: {row['note']}" for row in some if not row.get("seconds")]
        beside = facts(lines, "paper") + f"<p>All rows: {link}.</p>\n"
        page.section(f"figure{figure}", heading, about, pictures, beside, notes(left))
    return page.write()
