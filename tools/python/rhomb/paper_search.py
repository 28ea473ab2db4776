# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper on cooperative search (Chacon et al. 2014)."""

from pathlib import Path

from rhomb import charts, fasta
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem
from rhomb.numbers import paper
from rhomb.page import Page, Raw
from rhomb.paper_page import Rates, add_runs, aims_beside, aims_section, check_files, figure_sections

SUMMARY = "the figures of the paper on Myers' search with cooperating lanes (Chacon et al. 2014)"
FIGURES = ("4", "5", "6", "7", "8", "R", "strips")
ABOUT = """\
Measures the experiments of the paper again: queries of m symbols, each compared with up to 20 candidates of 1.2 m
symbols (rhomb bench search). Queries are cut from READS where these are long enough, else they are copies of
pieces of TEXT with edits at 5% of the positions. Without files TEXT is random. The figures are
  4       rate against m for each variant, the fastest configuration; and edlib's (HW) on one core
  5, 6    task-private, task-local: work-group sizes
  7, 8    coop: one word a lane, several
  R       coop: tasks a team
  strips  strips-batch: bits a query, rows a strip"""
EXAMPLES = """examples:
  rhomb-papers search reads.fa.gz genome.fa.gz
  rhomb-papers search genome.fa.gz --figures 4 --length 100,1000 --pairs 1M --device cpu
  rhomb-papers search --measure-only run; rhomb-papers search --from run -o search"""


def add_arguments(parser):
    parser.add_argument(
        "files", nargs="*", metavar="[READS] TEXT", help="FASTA or FASTQ files; none: a random text"
    )
    parser.add_argument(
        "--length", metavar="M,...", help="symbols of the queries (default: the paper's, 100 to 1000)"
    )
    parser.add_argument("--pairs", metavar="N", help="of each length (default: 20M; on a CPU, those of a second)")
    add_runs(parser)


def check(args):
    if len(args.files) > 2:
        raise Problem("there are two files at most, READS and TEXT", 2)
    check_files(args.files)


def _sweeps(gpu):
    """(figure, case) in turn, so that no figure is without rows if there is little time."""
    groups = (32, 64, 128, 256) if gpu else (64, 256)
    sweeps = {
        "8": [f"coop W={w}" for w in ((1, 2, 4, 8, 16) if gpu else (1, 4, 16))],
        "7": ["coop W=1"],
        "R": [f"coop R={r}" for r in ((1, 2, 4, 8, 16, 32) if gpu else (1, 8, 32))],
        "5": [f"task-private WG={group}" for group in groups],
        "6": [f"task-local WG={group}" for group in groups],
        "strips": [
            f"strips-batch SLOT={slot},K={k}"
            for k in ((16, 24, 8, 28, 20, 12, 32, 4) if gpu else (16, 28, 8, 4))
            for slot in (8, 16, 32)
        ],
    }
    return sweeps


def measure(measuring, args, figures):
    study = measuring.study
    study.head["reads"] = study.head["text"] = None
    for name, path in zip(("reads", "text")[2 - len(args.files) :], args.files):
        study.head[name] = _words(path)
    sweeps = {name: cases for name, cases in _sweeps(study.gpu).items() if name in figures}
    cases = []
    for i in range(max(map(len, sweeps.values()), default=0)):
        cases += [one[i] for one in sweeps.values() if i < len(one)]
    options = [
        f"--case={one}" for one in dict.fromkeys(["strips-batch", "coop", "task-private", "task-local", *cases])
    ]
    for cuda in ("cuda-strips-batch", "cuda-coop"):
        if "4" in figures and cuda in _variants(measuring):
            options.append(f"--case={cuda}")
    options += [f"--length={args.length or ','.join(map(str, paper('search')['lengths']))}", f"--runs={args.runs}"]
    options += [f"--pairs={args.pairs}"] if args.pairs else []
    measuring.bench("search", "search", *args.files, *options, f"--budget={max(measuring.left(), 1):.0f}")


def _variants(measuring):
    """The variants of the search that this rhomb has."""
    import subprocess

    text = subprocess.run([measuring.program, "bench", "search", "--help"], stdout=subprocess.PIPE, check=False)
    return text.stdout.decode("utf-8", "replace").split()


def _words(path):
    name = Path(path).name
    try:
        found = fasta.records(path)
    except Problem:
        return name  # FASTQ, say
    count = f"{len(found):,} sequence{'s' if len(found) != 1 else ''}"
    return f"{name}, {count}, {sum(one.length for one in found):,} symbols" if found else name


# ---- drawing


def _fastest(rows):
    """The fastest row of each length."""
    best = {}
    for row in rows:
        if row["m"] not in best or row["gcups"] > best[row["m"]]["gcups"]:
            best[row["m"]] = row
    return dict(sorted(best.items()))


def _range(rows, best):
    if not best:
        return "not measured"
    ends = list(dict.fromkeys([min(best), max(best)]))
    return ", ".join(f"{rows.rate(best[m]['gcups'])} at {m}" for m in ends)


def _times(a, b):
    both = [a[m]["gcups"] / b[m]["gcups"] for m in a if m in b]
    return f"{min(both):.2f} to {max(both):.2f} times" if both else "not measured"


def _curves(rows, some, x, by):
    """A curve for each value of one tunable or of m."""

    def value(row, name):
        return row["m"] if name == "m" else row["config"].get(name, 0)

    best = {}
    for row in some:
        at = (value(row, by), value(row, x))
        if at not in best or row["gcups"] > best[at]:
            best[at] = row["gcups"]
    return [
        Series(
            str(name), sorted((at, rate / rows.scale) for (one, at), rate in best.items() if one == name), i, i, i
        )
        for i, name in enumerate(sorted({name for name, _ in best}))
    ]


def _plot(rows, name, title, x, series, legend, log=False):
    entries = [(legend, [key(s.name, s.colour, s.line, s.mark) for s in series])]
    return charts.curves(name, title, rows.study.device, x, Axis(rows.unit, log), series, entries)


_M = Axis("m, symbols of a query")


def _draw_rates(rows, known):
    in_place, whole = [], []
    for i, name in enumerate(rows.names):
        best = _fastest(rows.of(name))
        in_place.append(Series(name, [(m, row["gcups"] / rows.scale) for m, row in best.items()], i, 0, i))
        copied = _fastest([row for row in rows.of(name) if row.get("gcups_whole")]).items()
        copied = [(m, row["gcups_whole"] / rows.scale) for m, row in copied]
        whole.append(Series(name, copied, i, 0, i))
    peers = _fastest(rows.peers)
    if peers:
        name = f"{next(iter(peers.values()))['program']}, one core of the host"
        in_place.append(Series(name, [(m, row["gcups"] / rows.scale) for m, row in peers.items()], None, 1, 7))
    pictures = [
        _plot(rows, "figure4a", "Figure 4: rate, data in place", _M, in_place, "", True),
        _plot(rows, "figure4b", "Figure 4: rate, with copies", _M, whole, "", True),
    ]
    coop, strips = _fastest(rows.of("coop")), _fastest(rows.of("strips-batch"))
    tasks = _fastest(rows.of("task-private") + rows.of("task-local"))
    cpu = "edlib is not built in" if not peers else None
    lines = [
        ("coop", known["coop"], _range(rows, coop)),
        ("strips-batch", "", _range(rows, strips)),
        ("coop / the faster task variant", known["coop_task"], _times(coop, tasks)),
        ("strips-batch / coop", "", _times(strips, coop)),
        ("coop / a CPU", known["coop_cpu"], cpu or f"{_times(coop, peers)} (edlib, one core)"),
        ("strips-batch / a CPU", "", cpu or f"{_times(strips, peers)} (edlib, one core)"),
    ]
    about = (
        "Rate against the length of the queries, for the configuration of each variant that was fastest here. In the "
        "first picture the data are on the device, as in the paper; in the second one the tasks and queries are "
        "copied there and the answers back. strips-batch is rhomb's own; coop is the paper's cooperative algorithm, "
        "the task variants are its task-parallel one with columns in private and in local memory. edlib (mode HW, "
        "distance only) runs on one core, on a sample of the same pairs."
    )
    return "Performance overview", about, pictures, lines


def _draw_tasks(number, variant, memory, fact):
    def draw(rows, known):
        some = rows.of(variant)
        picture = _plot(
            rows,
            f"figure{number}",
            f"Figure {number}: {variant}",
            _M,
            _curves(rows, some, "m", "WG"),
            "Work-items a group",
        )
        best = _fastest(some)
        ends = list(best.values())
        lines = [
            (
                "rate at the longest queries / at the shortest",
                known[fact],
                f"{ends[-1]['gcups'] / ends[0]['gcups']:.2f}" if len(ends) > 1 else "not measured",
            ),
            ("rate", known["rates"], _range(rows, best)),
        ]
        about = (
            f"One work-item a task, the columns of bits in {memory} memory, for several work-group sizes. Memory that "
            "grows with the queries is what slows this way down on a GPU."
        )
        return f"Task parallel: {memory} memory", about, [picture], lines

    return draw


def _draw_one_word(rows, known):
    some = [row for row in rows.of("coop") if row["config"].get("W") == 1]
    picture = _plot(
        rows, "figure7", "Figure 7: coop, one word a lane", _M, _curves(rows, some, "m", "W"), "Words a lane"
    )
    about = (
        "coop with W=1: each lane has 32 rows of a task, as many tasks a team as lanes allow. How many of the 32 "
        "lanes have work depends on the length, and the rate with it."
    )
    return (
        "Cooperation: one word a lane",
        about,
        [picture],
        [("coop, W=1", known["one_word"], _range(rows, _fastest(some)))],
    )


def _asked_for(rows, tunable):
    """The rows of coop as planned, and those where this tunable was set."""
    return [row for row in rows.of("coop") if not row["asked"] or list(row["asked"]) == [tunable]]


def _draw_words(rows, known):
    some = _asked_for(rows, "W")
    picture = _plot(
        rows,
        "figure8",
        "Figure 8: coop against words a lane",
        Axis("W, words a lane"),
        _curves(rows, some, "W", "m"),
        "Symbols of a query",
    )
    ones = [row for row in some if row["config"].get("W") == 1]
    about = (
        "More words a lane leave fewer lanes that have to talk to each other, until registers run out. For each W as "
        "many tasks share a team as fit."
    )
    lines = [("best W / W=1", known["best_words"], _times(_fastest(some), _fastest(ones)))]
    return "Cooperation: several words a lane", about, [picture], lines


def _draw_shared(rows, known):
    some = _asked_for(rows, "R")
    picture = _plot(
        rows,
        "figureR",
        "coop against tasks a team",
        Axis("R, tasks a team of 32 lanes"),
        _curves(rows, some, "R", "m"),
        "Symbols of a query",
    )
    lines = [
        (
            f"fastest at m = {m}",
            known["shared"],
            f"R={row['config'].get('R')}, W={row['config'].get('W')}, {rows.rate(row['gcups'])}",
        )
        for m, row in _fastest(some).items()
    ]
    about = (
        "The paper's r: so many tasks share the 32 lanes of a team, with as many words a lane as that takes. R=32 is a "
        "task a lane, which needs no cooperation."
    )
    return "Cooperation: tasks a team", about, [picture], lines


def _draw_strips(rows, known):
    some = rows.of("strips-batch")
    pictures, lines = [], []
    for m, best in _fastest(some).items():
        series = _curves(rows, [row for row in some if row["m"] == m], "K", "SLOT")
        pictures.append(
            _plot(rows, f"strips-m{m}", f"strips-batch, m = {m}", Axis("K, rows a strip"), series, "Bits a query")
        )
        config = best["config"]
        lines.append(
            (
                f"fastest at m = {m}",
                "",
                f"SLOT={config.get('SLOT')}, K={config.get('K')}, {rows.rate(best['gcups'])}",
            )
        )
    about = (
        "rhomb's own variant, which the paper does not have: a query is cut into strips of K rows, and has SLOT bits of "
        "each word, one for each strip. Shorter slots put more queries into a word; a query with more strips than bits "
        "does not fit, unless it has the whole word."
    )
    return "strips-batch: bits a query and rows a strip", about, pictures, lines


_DRAW = {
    "4": _draw_rates,
    "5": _draw_tasks("5", "task-private", "private", "private_long"),
    "6": _draw_tasks("6", "task-local", "local", "local_long"),
    "7": _draw_one_word,
    "8": _draw_words,
    "R": _draw_shared,
    "strips": _draw_strips,
}


def _belongs(row, figure):
    variant, asked = row["variant"], row["asked"]
    if row["program"] != "rhomb":
        return True  # what the others are compared with
    return {
        "4": bool(row.get("seconds_whole")) or not asked,
        "5": variant == "task-private",
        "6": variant == "task-local",
        "7": variant == "coop" and asked.get("W") == 1,
        "8": variant == "coop" and (not asked or "W" in asked),
        "R": variant == "coop" and (not asked or "R" in asked),
        "strips": variant == "strips-batch",
    }[figure]


def _aims(rows, numbers):
    aims, study = [], rows.study
    peers = _fastest(rows.peers)
    for name in ("strips-batch", "coop"):
        for m, row in _fastest(rows.of(name)).items():
            if study.gpu:
                wanted = numbers["aims"]["gpu_tcups"][name]["from_200" if m >= 200 else "short"]
                aims.append((f"{name}, m = {m}", wanted, row["gcups"] / 1e3, "TCUPS"))
            elif m in peers and name == "strips-batch":
                times = row["gcups"] / peers[m]["gcups"]
                aims += aims_beside(
                    study, f"{name}, m = {m}", "edlib HW", times, numbers["aims"], "cpu_times_edlib"
                )
    return aims


def draw(study, directory, figures):
    numbers = paper("search")
    rows = Rates(study, "search")
    page = Page(directory, "The paper on cooperative search, measured again")
    page.add(
        Raw(
            "<p>The experiments of A. Chac&#243;n, S. Marco-Sola, A. Espinosa, P. Ribeca and J. C. Moure, "
            "<i>Thread-cooperative, bit-parallel computation of Levenshtein distance on GPU</i>, ICS 2014: where does a "
            "short query occur in a candidate piece of a genome, with how few differences? A cell is one of the m by n "
            "that a query and its candidate have; GCUPS are 10<sup>9</sup> cells a second, TCUPS 10<sup>12</sup>. The "
            "paper's values are of an NVIDIA GTX Titan, up to 20 million pairs of simulated reads and the human genome, "
            "all data in the GPU's memory. Here, all answers of a length were compared with each other.</p>\n"
        )
    )
    pairs = {}
    for row in rows.of("strips-batch"):
        pairs[row["m"]] = max(pairs.get(row["m"], 0), row["pairs"])
    page.entries(
        [
            ("Device", study.device_words()),
            ("Reads", study.head["reads"] or "none: copies of pieces of the text, edits at 5%"),
            ("Text", study.head["text"] or "random, 1,000,000 bases"),
            ("Pairs", "; ".join(f"m = {m}: {count:,}" for m, count in pairs.items())),
            ("Measured", study.measured_words()),
        ]
    )
    aims_section(page, _aims(rows, numbers), study.gpu)

    def drawn(figure):
        title, *rest = _DRAW[figure](rows, numbers["facts"])
        return f"Figure {figure}: {title}" if figure.isdigit() else title, *rest

    figure_sections(
        page,
        lambda figure: [row for row in study.rows if _belongs(row, figure)],
        [figure for figure in FIGURES if figure in figures],
        drawn,
        Raw("paper<br/>(GTX Titan)"),
    )
    return page.write()
