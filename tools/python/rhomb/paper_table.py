# SPDX-License-Identifier: Apache-2.0
"""Table 3 of the paper on wavefronts, with rhomb's times beside its own, of the sequences that are there."""

import re
import sys
import tempfile

from rhomb import fasta
from rhomb.data import Problem, cell, short
from rhomb.numbers import paper
from rhomb.page import Page, Raw, notes, table

SUMMARY = "table 3 of that paper beside rhomb's times, of the genomes that you have"
FIGURES = ()
ABOUT = """\
Measures the pairs of table 3 of the paper on wavefronts (Castells-Rufas 2023). The sequences are looked for in the
FASTA files given, and in those that lie directly in the directories given (default: the current one): records
with the accession as a word of the header, or in the name of a file with one record. A pair that is not there has
NA for rhomb. Parts of sequences, that is, of another length than the paper's, are rows of their own without its
values. Each of three ways to compute runs once to warm up, then --runs times: the variants diamond and fused, and
the automatic choice; what takes longer than --limit is NA. Exit code 6 if distances differ, or are not the
paper's for texts of the same lengths. Writes table3.tsv and a page, and prints the table."""
EXAMPLES = """examples:
  rhomb-papers table genomes/
  rhomb-papers table NC_000898.1.fa.gz NC_007605.1.fa.gz --runs 5"""

_WAYS = ("diamond", "fused", "auto")


def add_arguments(parser):
    parser.add_argument("files", nargs="*", metavar="FILE", help="FASTA files, or directories with some")
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="measured runs of each way and pair (default: 3)"
    )
    parser.add_argument(
        "--limit", type=float, default=60, metavar="SECONDS", help="the time that each may take (default: 60)"
    )


def check(args):
    if args.runs < 1:
        raise Problem("--runs: less than one", 2)


def _table():
    numbers = paper("wavefront")
    return [dict(zip(numbers["table_columns"], row)) for row in numbers["table"]]


def _words(text):
    return set(re.split(r"[^A-Za-z0-9._]+", text))


def _accession(record, wanted):
    words = _words(record.header)
    if record.records == 1:
        name = record.path.rpartition("/")[2]
        words |= _words(name) | {name.removesuffix(".gz").rpartition(".")[0]}
    # A part has the accession with something behind it.
    words |= {word.rpartition("_")[0] for word in words}
    return next((one for one in wanted if one in words), None)


def _found(paths, wanted):
    """The records of the accessions: {accession: [record]}."""
    found = {}
    for path, named in fasta.files_below(paths or ["."]):
        try:
            for record in fasta.records(path):
                accession = _accession(record, wanted)
                if accession:
                    found.setdefault(accession, []).append(record)
        except Problem as problem:
            if named:
                raise
            print(f"rhomb-papers: skipped: {problem}", file=sys.stderr)
    return found


def _whole(record, length):
    # The paper rounds some lengths to three digits.
    return abs(record.length - length) < 0.005 * length


def measure(measuring, args, figures):
    rows = _table()
    wanted = list(dict.fromkeys(name for row in rows for name in (row["query"], row["target"])))
    found = _found(args.files, wanted)
    missing = set()
    known = {}
    for row in rows:
        for whole in (True, False):
            query, target = (
                next(
                    (one for one in found.get(row[name], []) if _whole(one, row[f"{name}_length"]) == whole), None
                )
                for name in ("query", "target")
            )
            if whole:
                missing |= {row[name] for name, one in (("query", query), ("target", target)) if not one}
            if query and target:
                key = (query.path, query.header, target.path, target.header)
                if key not in known:
                    known[key] = _runs(measuring, args, query, target)
                _check(row, query, target, known[key])
                measuring.study.rows.append(_row(row, whole, query.length, target.length, known[key], measuring))
            elif whole:
                measuring.study.rows.append(
                    _row(row, True, row["query_length"], row["target_length"], {}, measuring)
                )
    if missing:
        print(f"rhomb-papers: not found: {', '.join(sorted(missing))}", file=sys.stderr)


def _runs(measuring, args, query, target):
    """The row of each way that could run."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, record in enumerate((query, target)):
            paths.append(record.path)
            if record.records > 1:
                paths[-1] = f"{folder}/{i}.fa"
                fasta.extract(record, paths[-1])
        rows = measuring.bench(
            "table",
            "grid",
            *paths,
            "--engine",
            "auto,wavefront",
            "--variant",
            "diamond,fused",
            "--runs",
            args.runs,
            "--limit",
            args.limit,
            keep=False,
        )
    return {row["choice"]: row for row in rows}


def _check(row, query, target, runs):
    same = query.length == row["query_length"] and target.length == row["target_length"]
    for run in runs.values():
        if same and run["distance"] != row["distance"]:
            raise Problem(
                f"the distance of {row['query']} and {row['target']} is {run['distance']}, the paper says "
                f"{row['distance']}; the lengths are the paper's, so please report this",
                6,
            )


def _row(of_paper, whole, query, target, runs, measuring):
    distance = next((run["distance"] for run in runs.values()), None)
    row = {
        "figure": "table",
        "experiment": of_paper["experiment"] + ("" if whole else ", part"),
        "query": of_paper["query"],
        "query_length": query,
        "target": of_paper["target"],
        "target_length": target,
        "paper_distance": of_paper["distance"] if whole else None,
        "distance": distance,
        "paper_similarity": of_paper["similarity"] if whole else None,
        "similarity": None if distance is None else round(1 - distance / max(query, target, 1), 6),
    }
    for name in ("masa_seconds", "masa_gcups"):
        row[name] = of_paper[name] if whole else None
    for name in ("seconds", "gcups"):
        row[f"paper_{name}"] = of_paper[name] if whole else None
    for way in _WAYS:
        run = runs.get(way)
        row[f"{way}_seconds"] = run and run["seconds"]
        row[f"{way}_gcups"] = run and run["gcups"]
        row[f"{way}_ratio"] = of_paper["seconds"] / run["seconds"] if run and whole else None
    row["auto_engine"] = runs["auto"]["engine"] if "auto" in runs else None
    row["device"] = measuring.study.device
    return row


def draw(study, directory, figures):
    page = Page(directory, "Table 3 of the wavefront paper, beside rhomb")
    page.add(
        Raw(
            "<p>Table 3 of D. Castells-Rufas, <i>GPU acceleration of Levenshtein distance computation between long "
            "strings</i>, Parallel Computing 2023: its values, of an RTX 3090, beside rhomb's. Seconds are of the "
            "whole computation; <b>times</b> is the paper's best variant's seconds / ours.</p>\n"
        )
    )
    page.entries([("Device", study.device_words()), ("Measured", study.measured_words())])
    rows = [{name: value for name, value in row.items() if name != "figure"} for row in study.rows]
    link = page.tsv("table3.tsv", rows)
    lines = []
    for row in rows:
        ours = [x for way in _WAYS for x in (short(row[f"{way}_seconds"]), short(row[f"{way}_ratio"]))]
        lines.append(
            [
                row["experiment"],
                Raw(f"{row['query']}<br/>{row['target']}"),
                Raw(f"{row['query_length']:,}<br/>{row['target_length']:,}"),
                "–" if row["distance"] is None else f"{row['distance']:,}",
                "–" if row["paper_distance"] is None else f"{row['paper_distance']:,}",
                short(row["masa_seconds"]),
                short(row["paper_seconds"]),
                *ours,
                row["auto_engine"] or "–",
            ]
        )
    head = [
        "",
        "texts",
        "lengths",
        "distance",
        "paper's distance",
        "MASA, s",
        "paper, s",
        "diamond, s",
        "times",
        "fused, s",
        "times",
        "auto, s",
        "times",
        "chosen",
    ]
    page.section(
        "table3",
        "The table",
        f"Seconds of each pair; – where it was not measured.",
        beside=table(head, lines),
        below=f"<p>All columns: {link}.</p>\n" + notes(study.notes("table")),
    )
    print("#" + "\t".join(rows[0]))
    for row in rows:
        print("\t".join(cell(value) for value in row.values()))
    return page.write()
