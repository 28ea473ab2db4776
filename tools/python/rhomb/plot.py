# SPDX-License-Identifier: Apache-2.0
"""rhomb-plot: pictures of what rhomb has measured."""

import argparse
import sys

from rhomb.data import Problem, cell, read_lines


def _parser():
    parser = argparse.ArgumentParser(
        prog="rhomb-plot",
        description="Draws what rhomb has measured.",
        epilog="Exit codes: 0 done, 1 no matplotlib, 2 usage, 3 input.",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="bench|tune|trace|dotplot")

    bench = kinds.add_parser(
        "bench",
        help="time or rate against length, and the like, of rhomb bench --format json",
        epilog="example: rhomb bench scaling --format json | rhomb-plot bench -o scaling.svg",
    )
    bench.add_argument(
        "files",
        nargs="*",
        default=["-"],
        metavar="ROWS",
        help="what rhomb bench printed with --format json; - is standard input (the default)",
    )
    bench.add_argument("-o", "--output", required=True, metavar="FILE", help="a .png, .svg or .pdf")
    bench.add_argument(
        "--value",
        choices=("time", "gcups", "cells"),
        default="time",
        help="what stands against length: cells are those computed a second (default: time)",
    )

    tune = kinds.add_parser(
        "tune",
        help="a page of heat maps and a roofline, of rhomb tune --list --format json",
        epilog="example: rhomb tune --list --format json | rhomb-plot tune - -o report",
    )
    tune.add_argument(
        "files",
        nargs="*",
        metavar="TRIALS",
        help="what rhomb tune --list printed with --format json; - is standard input "
        "(default: rhomb is run for it)",
    )
    tune.add_argument(
        "-o", "--output", required=True, metavar="DIR", help="index.html, pictures and tables go there"
    )
    tune.add_argument(
        "--rhomb", metavar="PROGRAM", help="the program to run (default: $RHOMB, a clone's build, the PATH)"
    )

    trace = kinds.add_parser(
        "trace",
        help="how busy the device was and with what, of a --trace file",
        epilog="example: rhomb distance A.fa B.fa --trace run.json; rhomb-plot trace run.json -o run.png",
    )
    trace.add_argument("file", metavar="TRACE")
    trace.add_argument("-o", "--output", metavar="FILE", help="also a picture: .png, .svg or .pdf")

    dotplot = kinds.add_parser(
        "dotplot",
        help="the path of an alignment and the lengths of its gaps, of what rhomb align prints (PAF)",
        epilog="example: rhomb align A.fa B.fa | rhomb-plot dotplot -o A_B.png",
    )
    dotplot.add_argument(
        "file", nargs="?", default="-", metavar="PAF", help="with cg tags; - is standard input (the default)"
    )
    dotplot.add_argument("-o", "--output", required=True, metavar="FILE", help="a .png, .svg or .pdf")
    dotplot.add_argument(
        "--record", type=int, default=1, metavar="N", help="which record of the file, from 1 (default: 1)"
    )
    return parser


def _bench(args):
    from rhomb import bench

    rows = [row for path in args.files for row in read_lines(path)]
    bench.picture(rows, args.value).write(args.output)


def _tune(args):
    from rhomb import tune

    tune.write_page(args.files, args.output, args.rhomb)


def _trace(args):
    from rhomb import trace

    slices, _ = trace.read(args.file)
    rows = trace.rows(slices)
    print("#" + "\t".join(rows[0]))
    for row in rows:
        print("\t".join(cell(value) for value in row.values()))
    print(f"rhomb-plot: {trace.words(slices)}", file=sys.stderr)
    if args.output:
        trace.picture(slices).write(args.output)


def _dotplot(args):
    from itertools import islice

    from rhomb import dotplot

    if args.record < 1:
        raise Problem("--record is counted from 1", 2)
    record = next(islice(dotplot.records(args.file), args.record - 1, None), None)
    if record is None:
        raise Problem(f"{args.file} has no record {args.record}")
    dotplot.picture(record).write(args.output)


def guarded(prog, run):
    """Runs it and turns what goes wrong into a message and an exit code."""
    try:
        run()
    except Problem as problem:
        print(f"{prog}: error: {problem}", file=sys.stderr)
        return problem.code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return 0


KINDS = {"bench": _bench, "tune": _tune, "trace": _trace, "dotplot": _dotplot}


def main(argv=None):
    args = _parser().parse_args(argv)
    return guarded("rhomb-plot", lambda: KINDS[args.kind](args))


if __name__ == "__main__":
    sys.exit(main())
