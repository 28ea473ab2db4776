"""A run takes no more memory, files and threads at its end than soon after its beginning, however many pairs, queries or
blocks there are: a hundred thousand pairs that are computed alone, half a million or a million together. Six minutes.

Pairs that are computed together are read ahead, a quarter of a gigabyte in each stage, so that memory is level only after
some ten million. Here they come some at a time instead, the next ones when those before are answered.
"""
import os
import threading
from pathlib import Path

import pytest

from conftest import fasta, mutate, random_text

# Commands, and how many rows they print at least: many blocks each.
CASES = {
    "pairs-wavefront": ("distance --pairs - --variant wavefront-batch", 500_000),
    "pairs-strips": ("distance --pairs - --variant strips-batch", 500_000),
    "pairs-bands": ("distance --pairs - --variant band-batch", 500_000),
    "alone-strips": ("distance --pairs long.tsv --engine strips", 100_000),
    "alone-wavefront": ("distance --pairs long.tsv --engine wavefront", 100_000),
    "align": ("align --pairs -", 500_000),
    "align-batch": ("align --pairs - --variant wavefront-batch", 500_000),
    "align-strips": ("align --pairs longer.tsv --engine strips", 10_000),
    "align-wavefront": ("align --pairs longer.tsv --engine wavefront", 10_000),
    "search": ("search reads.fa text.fa -k 3 --all-ends --memory 100k", 200_000),
    "lcs": ("lcs query.fa targets.fa --memory 100k", 1_000_000),
    "gaps": ("gaps --pairs pairs.tsv --max-gaps 2 --cigar --variant gaps-lanes --memory 200k", 1_000_000),
    "primer": ("primer alpha.fa beta.fa -k 4 --memory 20k --variant cores", 60_000),
}
MORE_THREADS = 2  # that wait for work begin when there is some
MORE_MEMORY = 16 << 10  # KB


@pytest.fixture(scope="module")
def many(shared_rhomb):
    """A million pairs, reads and targets, and pairs that are longer."""
    folder = shared_rhomb.folder
    texts = [random_text(120, i) for i in range(200)]
    relatives = [mutate(text, 0.08, i) for i, text in enumerate(texts)]
    with open(folder / "pairs.tsv", "w") as pairs, open(folder / "reads.fa", "w") as reads, open(folder / "targets.fa", "w") as targets:
        for i in range(1_000_000):
            pairs.write(f"{texts[i % 200]}\t{relatives[i % 200]}\n")
            reads.write(f">r{i}\n{relatives[i % 200][:60]}\n")
            targets.write(f">t{i}\n{relatives[i % 199]}\n")
    for name, length, count in ("long.tsv", 400, 100_000), ("longer.tsv", 1500, 10_000):
        a = [random_text(length, 1000 + i) for i in range(20)]
        b = [mutate(text, 0.1, i) for i, text in enumerate(a)]
        (folder / name).write_text("".join(f"{a[i % 20]}\t{b[i % 20]}\n" for i in range(count)))
    (folder / "text.fa").write_text(fasta([("text", "".join(texts[:40]))]))
    (folder / "query.fa").write_text(fasta([("q", texts[0])]))
    (folder / "alpha.fa").write_text(fasta((f"a{i}", random_text(100, 50 + i)) for i in range(1000)))
    (folder / "beta.fa").write_text(fasta((f"b{i}", random_text(500, 60 + i)) for i in range(200)))
    return shared_rhomb


def look(process):
    """Memory in KB, open files, threads."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]), len(os.listdir(f"/proc/{process}/fd")), int(status["Threads"])


def feed(child, lines, count):
    """So many pairs, a twentieth at a time, and what they are answered."""
    part = "".join(lines).encode()
    rows = 0
    for _ in range(count // len(lines)):
        child.stdin.write(part)
        child.stdin.flush()
        want = rows + len(lines)
        while rows < want:
            line = child.stdout.readline()
            if not line:
                return
            if not line.startswith(b"#"):
                rows += 1
                yield
    child.stdin.close()


def watch(rhomb, command, count, timeout):
    """What it took after each twentieth of its rows."""
    fed = "--pairs - " in command + " "
    child = rhomb.start(command, stdin=-1 if fed else None, stdout=-1, stderr=-1)
    watchdog = threading.Timer(timeout, child.kill)
    watchdog.start()
    rows, seen = 0, []
    if fed:
        with open(rhomb.folder / "pairs.tsv") as pairs:
            answers = feed(child, [pairs.readline() for _ in range(min(count // 20, 25_000))], count)
    else:
        answers = (None for line in child.stdout if not line.startswith(b"#"))
    for _ in answers:
        rows += 1
        if rows >= (len(seen) + 1) * count // 20 and len(seen) < 19:
            seen.append(look(child.pid))
    err = child.stderr.read().decode()
    code = child.wait(60)
    watchdog.cancel()
    assert (code, err) == (0, "")
    return rows, seen


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_no_growth(many, name):
    command, rows = CASES[name]
    printed, seen = watch(many, command, rows, 1200)
    memory, files, threads = zip(*seen)
    print(f"\n{name}: {printed} rows, memory {memory[0] >> 10} .. {memory[4] >> 10} .. {memory[-1] >> 10} MB, "
          f"files {files[4]} .. {files[-1]}, threads {threads[4]} .. {threads[-1]}")
    assert printed >= rows
    # After a fifth everything that is kept is there; what blocks take varies.
    assert max(files[5:]) <= max(files[:5])
    assert max(threads[5:]) <= max(threads[:5]) + MORE_THREADS
    assert max(memory[5:]) <= max(memory[:5]) + MORE_MEMORY + max(memory[:5]) // 20
