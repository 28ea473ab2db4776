# SPDX-License-Identifier: Apache-2.0
"""rhomb-papers: the experiments of the papers that rhomb follows, measured again and drawn beside the papers' values."""

import argparse
import sys

from rhomb import charts, paper_gaps, paper_lcs, paper_primer, paper_search, paper_table, paper_wavefront
from rhomb.data import Problem, duration
from rhomb.plot import guarded
from rhomb.study import Measuring, Study

_PAPERS = {
    "wavefront": paper_wavefront,
    "table": paper_table,
    "search": paper_search,
    "lcs": paper_lcs,
    "gaps": paper_gaps,
    "primer": paper_primer,
}


def _parser():
    parser = argparse.ArgumentParser(
        prog="rhomb-papers",
        description="Repeats the experiments of five papers with rhomb bench, keeps what was measured "
        "(measurements.jsonl) and draws each figure beside the paper's own values, as a page "
        "that needs nothing else (index.html), pictures and tables.",
        epilog="Exit codes: 0 done, 1 no matplotlib, 2 usage, 3 input, 4 no device, 6 answers differ.",
    )
    papers = parser.add_subparsers(dest="paper", required=True, metavar="wavefront|table|search|lcs|gaps|primer")
    for name, module in _PAPERS.items():
        one = papers.add_parser(
            name,
            help=module.SUMMARY,
            description=module.ABOUT,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(one)
        where = one.add_argument_group("Where")
        where.add_argument(
            "-o",
            "--output",
            metavar="DIR",
            default=f"paper-{name}",
            help=f"where the page goes (default: paper-{name})",
        )
        where.add_argument(
            "--measure-only", metavar="DIR", help="only measure, into DIR; draw later with --from DIR"
        )
        where.add_argument("--from", dest="source", metavar="DIR", help="measure nothing, draw what is in DIR")
        where.add_argument("-d", "--device", metavar="DEVICE", help="as rhomb --device takes it")
        where.add_argument(
            "--rhomb", metavar="PROGRAM", help="the program to run (default: $RHOMB, a clone's build, the PATH)"
        )
        if module.FIGURES:
            one.add_argument("--figures", metavar="NAME,...", help=f"only these of {', '.join(module.FIGURES)}")
            one.add_argument(
                "--budget",
                metavar="TIME",
                default="4m",
                help="about so long all takes, as 90, 90s, 4m or 1h (default: 4m)",
            )
    return parser


def _run(args):
    module = _PAPERS[args.paper]
    args.budget = duration(getattr(args, "budget", "1h"))
    figures = list(module.FIGURES)
    if getattr(args, "figures", None) is not None:
        figures = [name for name in args.figures.split(",") if name]
        wrong = [name for name in figures if name not in module.FIGURES]
        if wrong or not figures:
            raise Problem(
                f"--figures: there is no '{','.join(wrong)}'; choose from {', '.join(module.FIGURES)}", 2
            )
    beside = getattr(module, "BESIDE", {})
    if args.source and args.measure_only:
        raise Problem("--from and --measure-only exclude each other", 2)
    if not args.measure_only:
        charts.need_matplotlib()  # rather now than after minutes of measuring
    if args.source:
        study = Study.read(args.source, args.paper)
    else:
        study = Study(args.paper)
        module.check(args)
        measuring = Measuring(study, args)
        module.measure(measuring, args, figures)
        measuring.done()
        if not any(row.get("seconds") for row in study.rows) and module.FIGURES:
            raise Problem("nothing could be measured within --budget", 2)
        study.write(args.measure_only or args.output)
        for words in study.left_out(dict.fromkeys(beside.get(figure, figure) for figure in figures)):
            print(f"rhomb-papers: {words}", file=sys.stderr)
    if not args.measure_only:
        for figure in figures if beside and not args.other else ():
            if figure in beside:
                print(f"rhomb-papers: figure {figure}: needs --other", file=sys.stderr)
        # What an earlier run has measured is drawn as far as it goes.
        other = {"other": args.other} if getattr(args, "other", None) else {}
        print(module.draw(study, args.output, figures, **other))


def main(argv=None):
    args = _parser().parse_args(argv)
    return guarded("rhomb-papers", lambda: _run(args))


if __name__ == "__main__":
    sys.exit(main())
