# SPDX-License-Identifier: Apache-2.0
"""Which sequences files have, and how long they are."""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

from rhomb.data import Problem

SUFFIXES = (".fa", ".fasta", ".fna", ".fa.gz", ".fasta.gz", ".fna.gz")


@dataclass
class Record:
    """A sequence of a file: its header without '>', symbols, and how many records the file has."""

    path: str
    header: str
    length: int
    records: int = 1

    @property
    def name(self):
        return (self.header.split() or ["-"])[0]


def records(path):
    """The records of a FASTA file, plain or gzip."""
    found = []
    try:
        with open(path, "rb") as probe:
            packed = probe.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else open(path, "rb") as file:
            for line in file:
                if line.startswith(b">"):
                    found.append(Record(str(path), line[1:].decode("utf-8", "replace").strip(), 0))
                elif found:
                    found[-1].length += len(line.strip())
                elif line.strip():
                    raise Problem(f"{path}: no FASTA: a sequence before the first header")
    except (OSError, EOFError, zlib.error) as error:
        raise Problem(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    for record in found:
        record.records = len(found)
    return found


def extract(record, path):
    """Writes the one record as a FASTA file of its own."""
    wanted = False
    with open(record.path, "rb") as probe:
        packed = probe.read(2) == b"\x1f\x8b"
    with (gzip.open if packed else open)(record.path, "rb") as file, open(path, "wb") as out:
        for line in file:
            if line.startswith(b">"):
                wanted = line[1:].decode("utf-8", "replace").strip() == record.header
            if wanted:
                out.write(line)


def files_below(paths):
    """The files named, and the FASTA files directly in the directories named: (path, asked for)."""
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(one for one in path.iterdir() if one.name.lower().endswith(SUFFIXES))
            found += [(str(one), False) for one in inside if one.is_file()]
        elif path.exists():
            found.append((str(path), True))
        else:
            raise Problem(f"there is no file {path}", 2)
    return found
