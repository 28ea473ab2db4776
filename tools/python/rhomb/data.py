# SPDX-License-Identifier: Apache-2.0
"""Rows of the program: JSON lines from files or from a run of it; and numbers as text."""

import contextlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


class Problem(Exception):
    """Something that the user can mend; `code` is the exit code: 2 usage, 3 input."""

    def __init__(self, message, code=3):
        super().__init__(message)
        self.code = code


def read_lines(path):
    """The JSON objects of a file, one per line; "-" is standard input."""
    name = "standard input" if path == "-" else str(path)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{name}: {getattr(error, 'strerror', None) or 'not text'}") from error
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            hint = "; is it TSV? rhomb writes JSON with --format json" if "\t" in line else ""
            raise Problem(f"{name}, line {number}: not JSON{hint}") from error
        if not isinstance(row, dict):
            raise Problem(f"{name}, line {number}: not a JSON object")
        rows.append(row)
    if not rows:
        raise Problem(f"{name} has no rows")
    return rows


def program(given=None):
    """The path of rhomb: `given`, else $RHOMB, else beside a clone's scripts, else on the PATH."""
    for name in (given, os.environ.get("RHOMB")):
        if name:
            found = shutil.which(name)
            if not found:
                raise Problem(f"there is no program {name}", 2)
            return found
    for build in ("release", "checked"):
        clone = Path(__file__).resolve().parents[3] / "build" / build / "rhomb"
        if clone.is_file():
            return str(clone)
    found = shutil.which("rhomb")
    if not found:
        raise Problem("rhomb was not found: name it with --rhomb, in RHOMB or on the PATH", 2)
    return found


def run(command, quiet=False):
    """Runs rhomb and returns its rows. What it says on standard error goes to ours. `quiet`: an
    error of the kind "does not fit, nothing could be measured" (exit code 2) gives no rows."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode == 2 and quiet:
        return []
    if done.returncode != 0:
        raise Problem(
            f"failed with exit code {done.returncode}: {' '.join(command)}",
            done.returncode if done.returncode > 0 else 1,
        )
    return [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


@contextlib.contextmanager
def writing(path, mode="w"):
    """A file that appears complete or not at all."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.part-", dir=path.parent)
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}", 2) from error
    try:
        with os.fdopen(handle, mode, **({} if "b" in mode else {"encoding": "utf-8"})) as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def make_directory(path):
    """Makes the directory if there is none."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"cannot make the directory {path}: {error.strerror}", 2) from error
    return Path(path)


def write_tsv(path, rows):
    """Writes rows as TSV: all keys of all rows, null as NA, objects as K=4,WG=128."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with writing(path) as file:
        file.write("#" + "\t".join(columns) + "\n")
        for row in rows:
            file.write("\t".join(cell(row.get(key)) for key in columns) + "\n")


def cell(value):
    """A value as a TSV field."""
    if value is None:
        return "NA"
    if isinstance(value, dict):
        return config_text(value) or "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return " ".join(str(value).split()) or "-"


def config_text(config, without=(), separator=","):
    """{"K": 4, "WG": 128} as "K=4,WG=128"."""
    return separator.join(f"{name}={value}" for name, value in (config or {}).items() if name not in without)


def short(value):
    """A rate or a time with three digits: 0.0123, 4.56, 123, 12,345."""
    if value is None:
        return "–"
    if value == 0 or not math.isfinite(value):
        return "0"
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.{max(0, min(9, 2 - math.floor(math.log10(abs(value)))))}f}"


def metric(value, unit=""):
    """16.5 T, 4.1 G, 12 k: a large number with its prefix."""
    for power, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= power:
            return f"{short(value / power)} {prefix}{unit}"
    return f"{short(value)} {unit}".rstrip()


def count_tick(value, _=None):
    """10k, 1M, 16M: a count on an axis."""
    for power, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= power * 0.9995:
            return f"{value / power:.4g}{prefix}"
    return f"{value:.4g}"


def time_tick(value, _=None):
    """10 µs, 1 ms, 3 s: seconds on an axis."""
    if value < 0.9995e-3:
        return f"{value * 1e6:.3g} µs"
    return f"{value * 1e3:.3g} ms" if value < 0.9995 else f"{value:.4g} s"


def seconds_words(seconds):
    """0.8 s, 42 s, 3 min 5 s."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = int(seconds) // 60
    return f"{minutes} min {int(seconds) % 60} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def duration(text):
    """Seconds of "90", "90s", "4m" or "1h"."""
    factor = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], None)
    try:
        seconds = float(text[:-1]) * factor if factor else float(text)
    except ValueError:
        seconds = math.nan
    if not 1 <= seconds < math.inf:
        raise Problem(f"'{text}' is no time of a second or more, as in 90, 90s, 4m or 1h", 2)
    return seconds


def divergence_words(divergence):
    """1%, unrelated: how far the texts of a random pair are apart."""
    return divergence if isinstance(divergence, str) else f"{divergence * 100:.4g}%"


median = statistics.median
