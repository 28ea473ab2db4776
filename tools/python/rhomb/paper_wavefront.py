# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper on wavefronts (Castells-Rufas 2023): measured on prefixes of a pair, as long as the time
allows, and drawn."""

from collections import defaultdict
from pathlib import Path

from rhomb import charts, fasta
from rhomb.charts import Axis, Series, key
from rhomb.data import Problem, config_text, count_tick, divergence_words, short
from rhomb.numbers import paper
from rhomb.page import Page, Raw, notes
from rhomb.paper_page import check_files
from rhomb.study import facts

SUMMARY = "the figures of the paper on wavefronts (Castells-Rufas 2023), on a pair of genomes"
FIGURES = ("4", "5", "7", "10", "12", "13")
ABOUT = """\
Measures the experiments of the paper on wavefronts again, on the pair in the files A and B. The figures are
  4   rate against work-items a group: baseline, dynamic, batched
  5   time of a launch against its column, of the same
  7   rate against launches a read, at several lengths
  10  rate of prefetching, tiles, groups and diamonds against their sizes
  12  the highest rate of each variant, and of rhomb's own
  13  rate against similarity
Sweeps run on prefixes of the pair, as long as their share of the time allows: it is learnt from short prefixes
how long a run takes. What the device does not take, or takes too long, is left out; the page says why."""
EXAMPLES = """examples:
  rhomb-papers wavefront A.fa B.fa
  rhomb-papers wavefront A.fa B.fa -o report --budget 20m
  rhomb-papers wavefront A.fa B.fa --figures 10,12 --device cpu
  rhomb-papers wavefront A.fa B.fa --measure-only run     on the machine with the device,
  rhomb-papers wavefront --from run -o report             and where there is matplotlib"""

_STEPPED = ("baseline", "dynamic", "batched")
_TILED = ("tiled-global", "tiled-register", "tiled-local")
_WIDE = ("group", "diamond")
_ALL = (*_STEPPED, "prefetch", *_TILED, *_WIDE, "fused", "strips")
_SHARES = {"4": 0.14, "5": 0.08, "7": 0.10, "10": 0.30, "12": 0.24, "13": 0.14}


def add_arguments(parser):
    parser.add_argument("files", nargs="*", metavar="A B", help="a sequence each")
    parser.add_argument("--record", metavar="NAME", help="only the record of this name, in each file that has it")
    parser.add_argument(
        "--ambiguous",
        metavar="WHAT",
        choices=("symbol", "match", "mismatch", "error"),
        help="what N and other IUPAC codes match (rhomb distance --help)",
    )


def check(args):
    if len(args.files) != 2:
        raise Problem("two files are compared, as in: rhomb-papers wavefront A.fa B.fa", 2)
    check_files(args.files)


# ---- measuring


class _Costs:
    """Seconds of a run to distance d: so much a launch, of which there are about d, and so much a cell, of which there
    are about d * d."""

    def __init__(self):
        self.points = {}

    def add(self, distance, seconds):
        distance = max(distance, 1)
        self.points[distance] = min(seconds, self.points.get(distance, seconds))

    def seconds(self, distance):
        if not self.points:
            return 0.0
        d, t = max(self.points.items())
        launch, cell = 0.5 * t / d, 0.5 * t / (d * d)
        for nearer, least in sorted(self.points.items()):
            if 2 * nearer > d:
                break  # too near to tell the two apart
            cell = max((t / d - least / nearer) / (d - nearer), 0.0)
            launch = max(t / d - cell * d, 0.0)
            if launch == 0:
                cell = t / (d * d)
        # Where only launches have counted so far, cells will sooner or later.
        return launch * distance + (cell + 0.02 * t / (d * d)) * distance * distance


class _Pair:
    """The pair, what is known of its prefixes, and runs on them."""

    def __init__(self, measuring, args):
        self.measuring = measuring
        self.files = args.files
        self.input = [f"--record={args.record}"] if args.record else []
        self.input += [f"--ambiguous={args.ambiguous}"] if args.ambiguous else []
        self.texts = [self._text(path, args.record) for path in args.files]
        self.whole = max(length for _, length in self.texts)
        self.costs = defaultdict(_Costs)
        self.distances = {}
        self.best = {}  # variant: (GCUPS, configuration)
        device = measuring.study.head["device"]
        self.gpu, self.most = device["type"] == "GPU", device["max_work_group"]
        # What it takes to build a program that was never used before, about.
        self.build = 0.2 if self.gpu else 1.2

    @staticmethod
    def _text(path, record):
        found = fasta.records(path)
        if record:
            found = [one for one in found if one.name == record] or found
        if len(found) != 1:
            raise Problem(f"{path} has {len(found)} records, one is compared; choose it with --record NAME", 3)
        return found[0].name, found[0].length

    def run(self, figure, variants, length, *options, runs=3, limit=60.0, keep=True):
        """Rows of the variants on a prefix (or several) of the pair."""
        lengths = [length] if isinstance(length, int) else list(length)
        shorter = [one for one in lengths if one < self.whole]
        rows = []
        calls = [["--prefix", ",".join(map(str, shorter))]] if shorter else []
        calls += [[]] if len(shorter) < len(lengths) else []
        named = [name for name in variants if name != "auto"]
        method = ["--variant", ",".join(named)] if named else []
        engines = {"strips" if name == "strips" else "wavefront" for name in named}
        method += ["--engine", ",".join(sorted(engines) + ["auto"])] if "auto" in variants else []
        for call in calls:
            rows += self.measuring.bench(
                figure,
                "grid",
                *self.files,
                *self.input,
                *call,
                *method,
                *options,
                "--runs",
                runs,
                "--limit",
                f"{max(limit, 0.3):.3f}",
                keep=keep,
            )
        for row in rows:
            self.learn(row)
        return rows

    def learn(self, row):
        """What a row says of longer prefixes."""
        if row.get("distance") is None:
            return
        self.costs[row["choice"]].add(row["distance"], row["seconds"])
        if "divergence" not in row["asked"]:
            self.distances[row["asked"].get("prefix", self.whole)] = row["distance"]
        if row["gcups"] > self.best.get(row["choice"], (0, {}))[0] and row["asked"].get("config"):
            self.best[row["choice"]] = (row["gcups"], row["asked"]["config"])

    def can(self, variant):
        return bool(self.costs[variant].points)

    def distance_at(self, length):
        """About, of the prefixes of this length."""
        length = min(length, self.whole)
        if not self.distances:
            return length // 2
        if length in self.distances:
            return self.distances[length]
        start, end, low, high = 0, 0, 0, 0
        for known, distance in sorted(self.distances.items()):
            if end >= length:
                break
            start, end, low, high = end, known, high, max(high, distance)
        if length > end:
            return round(high * length / end)
        return round(low + (length - start) / (end - start) * (high - low))

    def foreseen(self, variant, length):
        """Seconds of one run on the prefix."""
        return self.costs[variant].seconds(self.distance_at(length))

    def longest(self, variants, seconds):
        """The longest prefix, of a round length, on which one run of each variant takes so long; one may stand there
        several times."""
        counts = {name: variants.count(name) for name in set(variants)}

        def takes(length):
            return sum(count * self.foreseen(name, length) for name, count in counts.items())

        if takes(self.whole) <= seconds:
            return self.whole
        fits, too_long = min(1000, self.whole), self.whole
        while too_long - fits > max(fits // 100, 1):
            middle = (fits + too_long) // 2
            fits, too_long = (middle, too_long) if takes(middle) <= seconds else (fits, middle)
        return _round(fits)

    def longest_known(self, variant):
        reached = max(self.costs[variant].points, default=0)
        return max([length for length, d in self.distances.items() if d <= reached], default=1000)

    def groups(self, sizes=None):
        """Numbers of work-items worth trying."""
        if sizes is None or not self.gpu:
            sizes = (
                (32, 64, 96, 128, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024)
                if self.gpu
                else (32, 128, 512)
            )
        return [size for size in sizes if size <= self.most]

    def config(self, variant):
        """The fastest configuration known, as an option."""
        known = self.best.get(variant)
        return ["--config", config_text(known[1])] if known else []


def _round(value):
    unit = 1
    while value // unit >= 100:
        unit *= 10
    return value // unit * unit


def _thinned(values):
    kept = list(values[::2])
    if kept[-1] != values[-1]:
        kept[-1] = values[-1]
    return kept


def measure(measuring, args, figures):
    pair = _Pair(measuring, args)
    measuring.study.head["texts"] = [
        {"name": name, "file": Path(path).name, "length": length}
        for (name, length), path in zip(pair.texts, args.files)
    ]
    lengths = [min(2000, pair.whole)]
    while 2 * lengths[-1] < pair.whole:
        lengths.append(2 * lengths[-1])
    pair.run("learning", ["auto", *_ALL], lengths, runs=1, limit=measuring.budget / 400, keep=False)
    shares = sum(_SHARES[name] for name in figures)
    for name in FIGURES:
        if name not in figures:
            continue
        # What earlier figures did not use is the later ones'.
        left = max(measuring.left(), 0.02 * measuring.budget)
        _MEASURE[name](pair, left * _SHARES[name] / shares)
        shares -= _SHARES[name]


def _measure_groups(pair, seconds):
    methods = [name for name in _STEPPED if pair.can(name)]
    if not methods:
        return
    sizes = pair.groups()
    while len(sizes) > 3 and len(sizes) * pair.build > seconds / 2:
        sizes = _thinned(sizes)
    time = max(seconds - len(sizes) * pair.build, 0.2 * seconds)
    length = pair.longest(methods * len(sizes), 0.3 * time)
    pair.run(
        "4",
        methods,
        length,
        "--config",
        "WG=" + "/".join(map(str, sizes)),
        limit=4 * time / (len(sizes) * len(methods)),
    )


def _measure_launches(pair, seconds):
    methods = [name for name in _STEPPED if pair.can(name)]
    if methods:
        length = pair.longest(methods, 0.35 * seconds)
        for name in methods:
            pair.run("5", [name], length, "--timeline", 61, *pair.config(name), runs=1, limit=seconds)


def _measure_reads(pair, seconds):
    if not pair.can("batched"):
        return
    batches = (1, 3, 10, 30, 100, 300, 1000) if pair.gpu else (1, 10, 100, 1000)
    slow = ["dynamic"] if pair.can("dynamic") else []  # as slow as a read each launch
    longest = pair.longest(["batched"] * (len(batches) - len(slow)) + slow, 0.3 * seconds)
    lengths = [longest] + [one for one in (_round(longest // part) for part in (3, 10, 30)) if one >= 300]
    config = dict(pair.best.get("batched", (0, {}))[1])
    config["BATCH"] = "/".join(map(str, batches))
    pair.run(
        "7", ["batched"], sorted(set(lengths)), "--config", config_text(config), limit=4 * seconds / len(batches)
    )


def _panels(pair):
    """(letter, variant, tile lengths, groups): a picture each."""
    panels = [("a", "prefetch", [], pair.groups())]
    tiles = [2, 3, 4, 8, 16, 31] if pair.gpu else [2, 3]
    for letter, name in zip("bcd", _TILED):
        panels.append((letter, name, tiles, pair.groups((32, 64, 96, 128, 224, 256, 512))))
    wide = [2, 3, 7, 15, 31, 63, 95, 127, 190, 255, 300, 400, 511] if pair.gpu else [3, 15, 63, 190]
    wide = [tile for tile in wide if 2 * tile + 1 <= pair.most]
    panels += [(letter, name, wide, []) for letter, name in zip("ef", _WIDE)]
    return [panel for panel in panels if pair.can(panel[1])]


def _points(panel):
    return max(len(panel[2]), 1) * max(len(panel[3]), 1)


def _measure_sizes(pair, seconds):
    panels = _panels(pair)
    if not panels:
        return
    each = pair.build + (0.25 if pair.gpu else 0.05)
    for i, (letter, name, tiles, groups) in enumerate(panels):
        while _points(panels[i]) > 3 and _points(panels[i]) * len(panels) * each > 0.8 * seconds:
            if len(tiles) > len(groups):
                tiles = _thinned(tiles)
            else:
                groups = _thinned(groups)
            panels[i] = (letter, name, tiles, groups)
    names = [panel[1] for panel in panels for _ in range(_points(panel))]
    time = max(seconds - len(names) * pair.build, 0.2 * seconds)
    # Long tiles take longer than those of the default length.
    length = pair.longest(names, 0.25 * time)
    for letter, name, tiles, groups in panels:
        config = ["T=" + "/".join(map(str, tiles))] if tiles else []
        config += ["WG=" + "/".join(map(str, groups))] if groups else []
        pair.run(f"10{letter}", [name], length, "--config", ",".join(config), limit=6 * time / len(names))


def _longest_run(pair, figure, variant, seconds):
    """The whole pair if a run of it fits into the time, else the longest prefix that does, found by longer and longer
    ones. Keeps the last row."""
    best, begin = None, pair.measuring.left()
    while True:
        left = seconds - (begin - pair.measuring.left())
        if left < 0.1 * seconds and best:
            break
        # What is known of short prefixes is not true of very long ones.
        known = max(pair.longest_known(variant), best or 0)
        length = min(pair.longest([variant], 0.3 * left), 4 * known, pair.whole)
        if best and length < min(1.5 * best, pair.whole):
            break
        rows = pair.run(figure, [variant], length, *pair.config(variant), limit=max(left, 0.5), keep=False)
        if not rows:
            break
        best, last = length, rows
        if length >= pair.whole:
            break
    if not best:
        return None
    pair.measuring.study.rows += last
    return last[-1]


def _measure_best(pair, seconds):
    # The faster ones first: they leave time to others.
    order = [
        "fused",
        "strips",
        "diamond",
        "group",
        *reversed(_TILED),
        "prefetch",
        "batched",
        "dynamic",
        "baseline",
    ]
    order = [name for name in order if pair.can(name)]
    end = pair.measuring.left() - seconds
    runs = {}
    for i, name in enumerate(order):
        runs[name] = _longest_run(pair, "12", name, max(pair.measuring.left() - end, 0) / (len(order) - i))
    first, last = runs.get("baseline"), runs.get("diamond")
    if first and last and first["asked"].get("prefix") != last["asked"].get("prefix"):
        length = first["asked"].get("prefix", pair.whole)
        pair.run("12 gain", ["diamond"], length, *pair.config("diamond"), runs=1, limit=4 * first["seconds"] + 1)


def _measure_similarity(pair, seconds):
    methods = [name for name in ("diamond", "fused", "auto") if pair.can(name)]
    begin = pair.measuring.left()
    for i, name in enumerate(methods):
        left = seconds - (begin - pair.measuring.left())
        _longest_run(pair, "13 pair", name, 0.45 * left / (len(methods) - i))
    rates = (
        (0.8, 0.5, 0.35, 0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001, 0.0003)
        if pair.gpu
        else (0.5, 0.2, 0.05, 0.01, 0.001)
    )
    # How long copies with many edits take, of which a pair of near texts says nothing.
    doubling = []
    while not doubling or doubling[-1] < pair.texts[0][1]:
        doubling.append(2000 * 2 ** len(doubling))
    for name in methods:
        rows = _copies(pair, name, doubling[:-1] or [1000], "0.5", seconds / 40, False)
        for row in rows:
            pair.learn(row)
    left = max(seconds - (begin - pair.measuring.left()), 0.2 * seconds)
    length = pair.texts[0][1]

    def takes():
        return sum(pair.costs[name].seconds(min(0.5, 0.9 * rate) * length) for rate in rates for name in methods)

    while length > 1000 and takes() > 0.25 * left:
        length = _round(length * 4 // 5)
    for name in methods:
        _copies(pair, name, [length], ",".join(map(str, rates)), left / len(methods), True)


def _copies(pair, name, lengths, rates, limit, keep):
    method = ["--engine", "auto"] if name == "auto" else ["--variant", name, *pair.config(name)]
    prefix = ["--prefix", ",".join(map(str, lengths))] if lengths[-1] < pair.texts[0][1] else []
    return pair.measuring.bench(
        "13",
        "grid",
        pair.files[0],
        *pair.input,
        *prefix,
        "--divergence",
        rates,
        *method,
        "--runs",
        3 if keep else 1,
        "--limit",
        f"{max(limit, 0.3):.3f}",
        keep=keep,
    )


_MEASURE = {
    "4": _measure_groups,
    "5": _measure_launches,
    "7": _measure_reads,
    "10": _measure_sizes,
    "12": _measure_best,
    "13": _measure_similarity,
}


# ---- drawing


def _texts(row, short_words=False):
    prefix = row["asked"].get("prefix")
    if not prefix:
        return "whole pair"
    return f"{prefix:,} bases" if short_words else f"first {prefix:,} bases"


def _where(study, rows):
    texts = _texts(rows[0])
    return f"{texts}{' of each' if texts.startswith('first') else ''}, {study.device}"


def _best_facts(rows, variants, numbers):
    lines = []
    for variant in variants:
        known = numbers["best"].get(variant)
        config = f" ({known['config']})" if known and known["config"] else ""
        ours = max((row for row in rows if row["choice"] == variant), key=lambda row: row["gcups"], default=None)
        here = "not measured"
        if ours:
            forced = config_text(ours["asked"].get("config"), ("BATCH",), ", ")
            here = short(ours["gcups"]) + (f" ({forced})" if forced else "")
        lines.append(
            (f"{variant}, highest GCUPS", f"{short(known['gcups'])}{config}" if known else "not printed", here)
        )
    return lines


_RATE = "GCUPS, whole run"


def _draw_groups(study, numbers):
    rows = study.of("4")
    series = [
        Series(name, [(row["config"]["WG"], row["gcups"]) for row in rows if row["choice"] == name], i, i, i)
        for i, name in enumerate(_STEPPED)
        if any(row["choice"] == name for row in rows)
    ]
    picture = charts.curves(
        "figure4",
        "Figure 4: rate against work-items a group",
        _where(study, rows),
        Axis("work-items a group"),
        Axis(_RATE),
        series,
    )
    about = (
        "One work-item computes one cell and one launch one column. How many work-items stand in a group does not "
        "change what is computed, only how the device is filled. Baseline launches m + n + 1 work-items for every "
        "column, dynamic as many as the column has cells, and batched looks for the end only after every hundredth "
        "launch."
    )
    return ("Work-items a group", about, [picture], _best_facts(rows, _STEPPED, numbers), _texts(rows[0]))


def _bins(row):
    """(first column, last column, seconds of a launch) between the points of a timeline."""
    points = row.get("timeline") or []
    return [(a[0] + 1, b[0], (b[1] - a[1]) / (b[0] - a[0])) for a, b in zip(points, points[1:]) if b[0] > a[0]]


def _draw_launches(study, numbers):
    rows = study.of("5")
    series, lines = [], []
    for i, row in enumerate(rows):
        bins = _bins(row)
        series.append(Series(row["choice"], [((a + b) / 2, t * 1e6) for a, b, t in bins], i, 0, i))
        if bins:
            lines.append(
                (
                    f"{row['choice']}, first and last launches",
                    numbers["facts"]["launches"],
                    f"{short(bins[0][2] * 1e6)} and {short(bins[-1][2] * 1e6)} µs",
                )
            )
    picture = charts.curves(
        "figure5",
        "Figure 5: time of a launch against its column",
        _where(study, rows),
        Axis("column", tick=count_tick),
        Axis("µs a launch", True),
        series,
        small=True,
    )
    about = (
        "Column d of the wavefronts has about 2 d + 1 cells, so that launches grow longer as a run proceeds. Reading "
        "the answer after each launch costs the same however small the launch is; that is the level at which the "
        "curves of baseline and dynamic begin, and batched shows what is left without it. Each point is the mean of "
        "the launches between two columns."
    )
    return "Time of a launch", about, [picture], lines, _texts(rows[0])


def _draw_reads(study, numbers):
    rows = study.of("7")
    lengths = sorted({row["asked"].get("prefix", 0) or 10**12 for row in rows}, reverse=True)
    series, lines = [], []
    for i, length in enumerate(lengths):
        some = [row for row in rows if (row["asked"].get("prefix", 0) or 10**12) == length]
        points = sorted((row["config"]["BATCH"], row["gcups"]) for row in some)
        series.append(Series(_texts(some[0], True), points, i, i, i))
        most = max(rate for _, rate in points)
        enough = next(batch for batch, rate in points if rate >= 0.95 * most)
        lines.append(
            (
                f"launches a read for 95% of the highest rate, {_texts(some[0])}",
                numbers["facts"]["reads"],
                str(enough),
            )
        )
    legend = [("Bases of each", [key(one.name, one.colour, one.line, one.mark) for one in series])]
    picture = charts.curves(
        "figure7",
        "Figure 7: rate against launches a read",
        f"{study.device}, batched",
        Axis("launches a read", True),
        Axis(_RATE, True),
        series,
        legend,
    )
    about = (
        "The host reads the answer, which tells whether the end is reached, after every so many launches (batched; "
        "the tunable BATCH). More launches a read leave the device alone for longer, until the reads no longer "
        "count. Short texts need more: their launches are short."
    )
    return ("Launches a read", about, [picture], lines, f"{_texts(rows[0])} and others, see the picture")


def _draw_sizes(study, numbers):
    letters = {"a": "prefetch", **dict(zip("bcd", _TILED)), **dict(zip("ef", _WIDE))}
    figures = [f"10{letter}" for letter in letters]
    rows = study.of(*figures)

    def items(row):
        return 2 * row["config"]["T"] + 1 if row["choice"] in _WIDE else row["config"]["WG"]

    most, widest = max(row["gcups"] for row in rows) * 1.05, max(items(row) for row in rows) * 1.05
    pictures = []
    for letter, name in letters.items():
        some = [row for row in rows if row["figure"] == f"10{letter}"]
        if not some:
            continue
        wide = name in _WIDE
        tiles = sorted({row["config"].get("T", 0) for row in some}) if name in _TILED else [0]
        series = [
            Series(
                str(tile) if tile else "",
                [(items(row), row["gcups"]) for row in some if not tile or row["config"].get("T") == tile],
                i,
                i,
                i,
            )
            for i, tile in enumerate(tiles)
        ]
        legend = [("Tile length T", [key(s.name, s.colour, s.line, s.mark) for s in series if s.name])]
        pictures.append(
            charts.curves(
                f"figure10{letter}",
                f"Figure 10{letter}: {name}",
                _where(study, some),
                Axis("work-items a group (2 T + 1)" if wide else "work-items a group", least=0, most=widest),
                Axis(_RATE, least=0, most=most),
                series,
                legend,
            )
        )
    about = (
        "Six ways to keep cells near the work-items. Prefetching (a) copies a column's cells to local memory. Tiles "
        "(b, c, d) are diamonds of side T that one work-item computes alone, with the cells in global memory, "
        "registers or local memory. In e a group of 2 T + 1 work-items computes such a tile together, and f leaves "
        "out the tiles that no path within the distance can touch. All pictures have the same scale."
    )
    lines = _best_facts(rows, ("prefetch", *_TILED, *_WIDE), numbers)
    return "Fewer accesses to global memory", about, pictures, lines, _texts(rows[0])


def _draw_best(study, numbers):
    rows = study.of("12")
    lines = []
    for name in ("baseline", "dynamic", "batched", "prefetch", *_TILED, *_WIDE, "strips", "fused"):
        own = next((row for row in rows if row["choice"] == name), None)
        known = numbers["best"].get(name)
        if own or known:
            lines.append(
                (
                    name,
                    _texts(own, True) if own else "not measured",
                    own and own["gcups"],
                    known and known["gcups"],
                )
            )
    picture = charts.dots(
        "figure12",
        "Figure 12: the highest rate of each variant",
        f"{study.device} beside an RTX 3090",
        _RATE,
        lines,
        "rhomb",
        "paper",
    )
    about = (
        "Each variant with the fastest configuration found above (its defaults where none was), on the whole pair "
        "where that was foreseen to fit the time, else on the longest prefix that was, named below it. Rates grow "
        "with the length, so that those of prefixes of different lengths do not compare, nor with the paper's, which "
        "are of the whole pair on an RTX 3090. fused and strips are rhomb's own."
    )
    base = next((row for row in rows if row["choice"] == "baseline"), None)
    last = [
        row
        for row in study.of("12 gain", "12")
        if row["choice"] == "diamond" and base and _texts(row) == _texts(base)
    ]
    gain = []
    if base and last:
        times = last[-1]["gcups"] / base["gcups"]
        gain = [("diamond / baseline", numbers["facts"]["all"], f"{times:.1f} ({_texts(base, True)})")]
    return (
        "The highest rate of each variant",
        about,
        [picture],
        gain,
        "the whole pair or prefixes of it, see each row",
    )


def _draw_similarity(study, numbers):
    copies, pairs = study.of("13"), study.of("13 pair")
    columns = numbers["table_columns"]
    table = [dict(zip(columns, row)) for row in numbers["table"]]
    series = [Series("", [(row["similarity"], row["gcups"]) for row in table], None, None, 3, True)]
    names = {"auto": "automatic choice"}
    lines, legend = [], []
    for i, name in enumerate(("diamond", "fused", "auto")):
        look = {"colour": i, "mark": 0}
        points = [(1 - row["divergence"], row["gcups"]) for row in copies if row["choice"] == name]
        series.append(Series("", points, line=i, **look))
        if points:
            legend.append(key(names.get(name, name), i, i, 0))
        for row in pairs:
            if row["choice"] == name:
                series.append(Series("", [(1 - row["divergence"], row["gcups"])], i, None, 1))
                lines.append(
                    (
                        f"{names.get(name, name)}, GCUPS on the pair, {_texts(row)}",
                        numbers["facts"]["pair"] if name == "diamond" else "",
                        short(row["gcups"]),
                    )
                )
    legend += [key("the pair itself", None, None, 1), key("paper, RTX 3090", None, None, 3, True)]
    texts = (
        "copies of the first text"
        if not copies or not copies[0]["asked"].get("prefix")
        else f"copies of the {_texts(copies[0])}"
    )
    picture = charts.curves(
        "figure13",
        "Figure 13: rate against similarity",
        f"{texts}, {study.device}",
        Axis(
            "similarity, 1 - distance / length",
            tick=lambda v, _: f"{v:.0%}",
            least=0.4,
            most=1.02,
            ticks=[0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        ),
        Axis(_RATE, True, count_tick),
        series,
        [("", legend)],
    )
    about = (
        "Copies of the first sequence with random edits (a third each substitutions, insertions and deletions) at "
        "several rates, and the pair itself (squares). Similarity is 1 - distance / longer length. The work of "
        "wavefronts grows with the square of the distance while GCUPS counts the whole matrix, which is why the rate "
        "rises so steeply. Grey: the pairs of the paper's table 3, each of its own length, on an RTX 3090."
    )
    return "Rate against similarity", about, [picture], lines, texts


_DRAW = {
    "4": _draw_groups,
    "5": _draw_launches,
    "7": _draw_reads,
    "10": _draw_sizes,
    "12": _draw_best,
    "13": _draw_similarity,
}


def _rows_of(study, figure):
    """The rows of a figure as its table has them."""
    made = []
    for row in study.rows:
        if row["figure"] != figure and not (
            row["figure"].startswith(figure) and row["figure"][len(figure) :][:1] in "abcdef "
        ):
            continue
        asked = row["asked"]
        more = {"texts": _texts(row)}
        if figure in ("4", "10"):
            wide = row["choice"] in _WIDE
            more.update(
                group=2 * row["config"]["T"] + 1 if wide else row["config"]["WG"], tile=row["config"].get("T")
            )
        elif figure == "7":
            more["launches_a_read"] = row["config"]["BATCH"]
        elif figure == "13":
            more.update(
                edits=divergence_words(asked["divergence"]) if "divergence" in asked else None,
                similarity=1 - row["divergence"] if row["divergence"] is not None else None,
            )
        plain = {
            name: value for name, value in row.items() if name not in ("asked", "timeline", "series", "ratio")
        }
        if figure != "5":
            made.append({**plain, **more})
        for first, last, seconds in _bins(row) if figure == "5" else ():
            made.append({**plain, **more, "first_column": first, "last_column": last, "launch_us": seconds * 1e6})
    return made


def draw(study, directory, figures):
    numbers = paper("wavefront")
    page = Page(directory, "The wavefront paper, measured again")
    lengths = [text["length"] for text in study.head["texts"]]
    same = "." if lengths == numbers["pair_lengths"] else ", which is not the pair measured here."
    page.add(
        Raw(
            "<p>The experiments of D. Castells-Rufas, <i>GPU acceleration of Levenshtein distance computation between "
            "long strings</i>, Parallel Computing 2023, with rhomb's versions of its kernels. GCUPS: product of the "
            "lengths / seconds of the whole run / 10<sup>9</sup>. The paper's own values are of an NVIDIA GeForce RTX "
            "3090 and, unless something else is said, of the pair BA000035.2 / BX927147.1" + same + "</p>\n"
        )
    )
    words = [
        f"{t['name']}{'' if t['name'] == t['file'] else ' (' + t['file'] + ')'}, {t['length']:,} bases"
        for t in study.head["texts"]
    ]
    page.entries(
        [
            ("Device", study.device_words()),
            ("First text", words[0]),
            ("Second text", words[1]),
            ("Measured", study.measured_words()),
        ]
    )
    for figure in FIGURES:
        if figure not in figures:
            continue
        rows = _rows_of(study, figure)
        left_out = [
            note
            for name, some in study.head["notes"].items()
            for note in some
            if name == figure or name.rstrip("abcdef") == figure or name.split(" ")[0] == figure
        ]
        if not rows:
            if left_out:
                page.section(
                    f"figure{figure}", f"Figure {figure}", "Nothing could be measured.", below=notes(left_out)
                )
            continue
        title, about, pictures, lines, texts = _DRAW[figure](study, numbers)
        names = " ".join(f'<a href="{one.name}.svg">{one.name}.svg</a>' for one in pictures)
        link = page.tsv(f"figure{figure}.tsv", rows)
        beside = (
            facts(lines, Raw("paper<br/>(RTX 3090, whole pair)"))
            + f"<p>All rows: {link}. Pictures: {names}.</p>\n"
        )
        page.section(
            f"figure{figure}",
            f"Figure {figure}: {title}",
            f"{about}\nMeasured on: {texts}.",
            pictures,
            beside,
            notes(left_out),
        )
    return page.write()
