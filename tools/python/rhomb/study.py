# SPDX-License-Identifier: Apache-2.0
"""An experiment of a paper: what it was measured with, its rows, and what was left out; as a file, so that one machine
measures and another draws."""

import json
import subprocess
import sys
import threading
import time

from rhomb import data
from rhomb.data import Problem
from rhomb.page import today

FILE = "measurements.jsonl"


class Study:
    """Rows of rhomb bench, each with the figure that it is for."""

    def __init__(self, paper, head=None, rows=None):
        self.paper = paper
        self.head = head or {}
        self.rows = rows or []

    @classmethod
    def read(cls, directory, paper):
        """What write() wrote."""
        path = f"{directory}/{FILE}"
        head, *rows = data.read_lines(path)
        if head.get("kind") != "study" or head.get("paper") != paper:
            raise Problem(f"{path}: not what rhomb-papers {paper} --measure-only wrote")
        return cls(paper, head, rows)

    def write(self, directory):
        data.make_directory(directory)
        with data.writing(f"{directory}/{FILE}") as file:
            for row in [{"kind": "study", "paper": self.paper, **self.head}, *self.rows]:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def of(self, *figures):
        """The rows of these figures that were measured."""
        return [row for row in self.rows if row["figure"] in figures and row.get("seconds")]

    def left_out(self, figures):
        """In words, which of the figures were not measured, or not wholly."""
        for figure in figures:
            rows = [row for row in self.rows if row["figure"] == figure]
            missing = [row for row in rows if not row.get("seconds")]
            if not missing:
                continue
            names = ", ".join(dict.fromkeys(row["variant"] for row in missing))
            part = "all" if len(missing) == len(rows) else f"{len(missing)} of {len(rows)}"
            why = "; ".join(dict.fromkeys(row["note"].partition(":")[0] for row in missing))
            yield f"figure {figure}: {part} measurements are left out ({names}): {why}"

    @property
    def gpu(self):
        return self.head["device"]["type"] == "GPU"

    @property
    def cores(self):
        """Of rhomb's device; 0 for a GPU."""
        return 0 if self.gpu else self.head["device"]["compute_units"]

    @property
    def device(self):
        return self.head["device"]["name"]

    def notes(self, figure):
        return self.head.get("notes", {}).get(figure, [])

    def device_words(self):
        one = self.head["device"]
        cores = f", {self.cores} cores" if self.cores else ""
        return f"{one['name']}, driver {one['driver']}{cores}"

    def measured_words(self):
        return f"{self.head['date']}, in {data.seconds_words(self.head['seconds'])}"


class Measuring:
    """Runs rhomb bench and puts rows and notes into a study."""

    def __init__(self, study, args):
        self.study = study
        self.program = data.program(args.rhomb)
        self.device_args = ["--device", args.device] if args.device else []
        devices = data.run([self.program, "devices", "--format", "json", *self.device_args])
        chosen = [one for one in devices if one["default"]]
        if not chosen:
            raise Problem("there is no device to compute on", 4)
        study.head.update(device=chosen[0], date=today(), notes={}, seconds=0)
        self.start = time.monotonic()
        self.end = self.start + args.budget
        self.budget = args.budget

    def left(self):
        """Seconds that are left of the budget."""
        return self.end - time.monotonic()

    def bench(self, figure, *arguments, keep=True):
        """The rows of a benchmark; what it leaves out becomes a note of the figure."""
        command = [self.program, "bench", *map(str, arguments), *self.device_args, "--format", "json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        notes = []

        def listen():
            for line in process.stderr:
                text = line.decode("utf-8", "replace").rstrip("\n")
                print(text, file=sys.stderr)
                if text.startswith("rhomb: "):
                    notes.append(_without_folders(text.removeprefix("rhomb: "), arguments))

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            out = process.stdout.read()
        except BaseException:
            process.kill()
            raise
        finally:
            listener.join()
            code = process.wait()
        if code not in (0, 2):
            raise Problem(f"rhomb failed: {' '.join(command)}", code if code > 0 else 1)
        if code == 2 and any("--help tells more" in note for note in notes):
            raise Problem(f"rhomb does not know: {' '.join(command)}", 1)
        rows = [{"figure": figure, **json.loads(line)} for line in out.decode().splitlines()]
        if keep:
            self.study.rows += rows
        known = self.study.head["notes"].setdefault(figure, [])
        known += [note.removeprefix("error: ") for note in notes if note not in known]
        return rows

    def done(self):
        self.study.head["seconds"] = round(time.monotonic() - self.start, 1)


def _without_folders(text, arguments):
    """Where files are is nobody's business on a page that goes elsewhere."""
    for path in map(str, arguments):
        if "/" in path:
            text = text.replace(path, path.rpartition("/")[2])
    return text


def facts(rows, paper, here="here"):
    """A table of what the paper says beside what was measured."""
    from rhomb.page import table

    return table(["", paper, here], rows) if rows else ""
