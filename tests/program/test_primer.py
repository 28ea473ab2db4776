"""rhomb primer: the shortest substrings that differ by K from BETA, against plain dynamic programming in
another language; formats, filters, witnesses, shards, blocks, and runs that are stopped."""
import json
import signal
import time

import pytest

from conftest import fasta, leftovers, mutate, random_text

ALPHA = ">a\nACTG\n>b second\nACGTTGCATTGACA\n"
BETA = ">t1\nAGCAAG\n>t2\nTGTCAATGC\n"
COMPLEMENT = str.maketrans("ACGT", "TGCA")
VARIANTS = ["cores", "dense", "alternative", "conventional", "reference"]


def shortest(alpha, texts, k, own=None, least=0, most=10**9):
    """For each start the end of the shortest substring that is far enough, or None; rows of Sellers' matrix.
    `own` is text and place of alpha itself, whose symbols do not match themselves."""
    ends = []
    for j in range(len(alpha)):
        rows, end = [[0] * (len(text) + 1) for text in texts], None
        for i in range(1, min(len(alpha) - j, most) + 1):
            for number, text in enumerate(texts):
                old, row = rows[number], [i]
                for c, symbol in enumerate(text, 1):
                    same = symbol == alpha[j + i - 1] and own != (number, c - j - i)
                    row.append(min(old[c] + 1, row[-1] + 1, old[c - 1] + (not same)))
                rows[number] = row
            if i >= least and min(min(row) for row in rows) >= k:
                end = j + i
                break
        ends.append(end)
    return ends


def rows_of(name, alpha, ends):
    return [f"{name} {j} {end} {end - j} {alpha[j:end]}" for j, end in enumerate(ends) if end is not None]


def printed(run):
    return [" ".join(row[key] for key in ("query", "start", "end", "length", "sequence")) for row in run.table]


@pytest.fixture
def small(rhomb, write):
    write("alpha.fa", ALPHA)
    write("beta.fa", BETA)
    return lambda more="", **how: rhomb("primer alpha.fa beta.fa", more, **how)


@pytest.mark.parametrize("wrong", [
    "", "-k 0", "-k many", "-k 2 --length 3", "--length 0", "-k 2 --min-length 5 --max-length 4", "-k 2 --gc 40",
    "-k 2 --gc 60-40", "-k 2 --shard 3/2", "-k 2 --shard 0/2", "-k 2 --shard 1", "-k 2 --format paf", "-k 2 --variant fused",
    "-k 2 --config ROWS=1", "--length 3 --witness", "--length 3 --format bed", "--length 3 --gc 40-60", "-k 2 --concat",
    "-k 2 --witness --format bed", "-k 2 --sodium 0", "-k 2 --explain --trace t.json", "-k 2 --variant cores --config BLOCK=0",
    "--length 3 --variant conventional"])
def test_wrong_options(small, wrong):
    small(wrong, code=2)


def test_wrong_files(rhomb, write):
    write("alpha.fa", ALPHA)
    write("broken.fa", ">t1\nACGT\n>t2\n\n>t3\nA\n")
    rhomb("primer -k 2", code=2)
    rhomb("primer alpha.fa -k 2", code=2).says("ALPHA and BETA")
    rhomb("primer - alpha.fa - -k 2", code=2).says("only one")
    rhomb("primer alpha.fa - -k 2 --witness", code=2, stdin=BETA).says("second time")
    rhomb("primer alpha.fa missing.fa -k 2", code=3)
    rhomb("primer alpha.fa broken.fa -k 2 -o never.tsv", code=3).says("broken.fa.*'t2'")
    rhomb("primer alpha.fa broken.fa -k 2", code=3)
    assert not (rhomb.folder / "never.tsv").exists() and not leftovers(rhomb.folder)
    rhomb("primer alpha.fa alpha.fa --record none -k 2", code=3).says("no such record")


@pytest.mark.parametrize("variant", ["", *VARIANTS])
def test_the_example_of_the_paper(rhomb, write, variant):
    write("alpha.fa", ">a\nACTG\n")
    write("beta.fa", ">t\nAGCAAG\n")
    run = rhomb("primer alpha.fa beta.fa -k 2", f"--variant {variant}" if variant else "")
    assert printed(run) == ["a 0 3 3 ACT", "a 1 4 3 CTG"]


def test_the_largest_block_is_explained(rhomb, write):
    write("alpha.fa", fasta([("a", random_text(50, 1))]))
    write("beta.fa", fasta((f"t{i}", random_text(n, 2 + i)) for i, n in enumerate([300, 5000, 700])))
    explain = "primer alpha.fa beta.fa -k 4 --explain"
    rhomb(explain, "--memory 1k").prints("^largest_block\t1 texts of 5000 symbols; there are others$")
    rhomb(explain).prints("^largest_block\t3 texts of 6000 symbols; there are no others$")


def test_formats(small):
    assert small("-k 2").header == "query start end length sequence gc tm".split()
    assert small("-k 2 --format bed").out.splitlines()[0] == "b\t0\t4\tb:0-4\t0\t+"
    assert small("-k 2 --format fasta").out.splitlines()[:2] == [">b:0-4 length=4 gc=50.0 tm=-49.4", "ACGT"]
    assert small("-k 2 --format bedgraph").fields[:2] == ["b 0 3 4", "b 3 6 5"]
    first, *_ = small("-k 2 --format json").json
    assert first == {"query": "b", "start": 0, "end": 4, "length": 4, "sequence": "ACGT", "gc": 50.0, "tm": -49.4}
    assert small("--length 3").fields == ["a 0 2 1", "b 0 4 1", "b 4 6 0", "b 6 12 1"]
    assert small("--length 3 --format tsv").header == "query start end distance".split()
    assert small("--length 3 --format json").json[6] == {"query": "b", "start": 4, "end": 7, "distance": 0}
    assert small("-k 2 --record a --format json").json == []
    assert small("-k 9").out.startswith("#query") and small("-k 9").lines == []


def test_melting_temperatures(rhomb, write):
    """By nearest neighbours, computed by hand in another language; 1 mol/l needs no correction for salt."""
    enthalpy = {"AA": -7.9, "AT": -7.2, "TA": -7.2, "CA": -8.5, "GT": -8.4, "CT": -7.8, "GA": -8.2, "CG": -10.6, "GC": -9.8,
                "GG": -8.0}
    entropy = {"AA": -22.2, "AT": -20.4, "TA": -21.3, "CA": -22.7, "GT": -22.4, "CT": -21.0, "GA": -22.2, "CG": -27.2,
               "GC": -24.4, "GG": -19.9}
    import math

    def melts(text, sodium, oligo):
        other = text.translate(COMPLEMENT)[::-1]
        h = s = 0
        for i in range(len(text) - 1):
            pair = text[i:i + 2]
            pair = pair if pair in enthalpy else pair.translate(COMPLEMENT)[::-1]
            h, s = h + enthalpy[pair], s + entropy[pair]
        for end in text[0], text[-1]:
            h, s = (h + 0.1, s - 2.8) if end in "GC" else (h + 2.3, s + 4.1)
        if text == other:
            s -= 1.4
        s += 0.368 * (len(text) - 1) * math.log(sodium)
        return 1000 * h / (s + 1.987 * math.log(oligo if text == other else oligo / 4)) - 273.15

    alpha = random_text(60, 3) + "GCATGC"
    write("alpha.fa", fasta([("a", alpha)]))
    write("beta.fa", ">t\nN\n")
    for options, sodium, oligo in ("", 0.05, 50e-9), ("--sodium 1000 --oligo 200", 1, 200e-9):
        for row in rhomb("primer alpha.fa beta.fa -k 6 --format json", options).json:
            text = alpha[row["start"]:row["end"]]
            assert row["length"] == 6 and row["sequence"] == text
            assert row["tm"] == pytest.approx(melts(text, sodium, oligo), abs=0.051)
            assert row["gc"] == pytest.approx(100 * (text.count("G") + text.count("C")) / 6, abs=0.051)
    write("n.fa", ">n\nNNNNACGT\n")
    assert rhomb("primer n.fa beta.fa -k 3").column("gc")[0] == "NA"
    assert rhomb("primer n.fa beta.fa -k 3 --format json").json[1]["tm"] is None
    assert rhomb("primer n.fa beta.fa -k 3 --gc 0-100").column("start") == ["1", "2", "3", "4", "5"]
    assert rhomb("primer n.fa beta.fa -k 3 --tm -300-100", code=2)
    assert rhomb("primer n.fa beta.fa -k 3 --gc 60-100").column("start") == ["3", "4", "5"]


@pytest.fixture(scope="module")
def related(shared_rhomb):
    """Three sequences and texts that have near and far copies of their parts."""
    alpha = [("first", random_text(70, 1)), ("second", random_text(45, 2)), ("third", "ACGT" * 8)]
    texts = [("t1", random_text(90, 3) + mutate(alpha[0][1][20:60], 0.1, 4) + random_text(40, 5)),
             ("t2", mutate(alpha[1][1], 0.15, 6).translate(COMPLEMENT)[::-1]),
             ("t3", "AC"), ("t4", random_text(130, 7) + "ACGTACGTACGG")]
    (shared_rhomb.folder / "alpha.fa").write_text(fasta(alpha))
    (shared_rhomb.folder / "one.fa").write_text(fasta(texts[:2]))
    (shared_rhomb.folder / "two.fa").write_text(fasta(texts[2:]))
    shared_rhomb.alpha, shared_rhomb.texts = alpha, [text for _, text in texts]
    return shared_rhomb


@pytest.mark.parametrize("strands", ["", "--both-strands"])
@pytest.mark.parametrize("k, more", [(1, {}), (4, {}), (7, {"most": 20}), (4, {"least": 12, "most": 16})])
def test_against_plain_dynamic_programming(related, strands, k, more):
    texts = related.texts + ([text.translate(COMPLEMENT)[::-1] for text in related.texts] if strands else [])
    expected = [row for name, alpha in related.alpha for row in rows_of(name, alpha, shortest(alpha, texts, k, **more))]
    options = f"-k {k} {strands}"
    for name, value in more.items():
        options += {"least": " --min-length ", "most": " --max-length "}[name] + str(value)
    for variant in VARIANTS:
        run = related("primer alpha.fa one.fa two.fa", options, "--check --progress plain --variant", variant)
        assert printed(run) == expected, variant
        run.says("positions computed again on the host are the same")
    # Blocks of one text each, and parts of the positions.
    assert printed(related("primer alpha.fa one.fa two.fa --memory 1", options, "--variant cores")) == expected
    parts = [related("primer alpha.fa one.fa two.fa", options, f"--shard {i}/3 --variant cores") for i in (1, 2, 3)]
    assert [row for part in parts for row in printed(part)] == expected


def test_several_devices(related):
    alone = related("primer alpha.fa one.fa two.fa -k 4 --variant cores").out
    assert related("primer alpha.fa one.fa two.fa -k 4 --variant cores -d 0,0 -t 1").out == alone


@pytest.mark.parametrize("more", [
    "-k 3", "-k 5 --memory 1", "-k 3 --both-strands --witness", "-k 3 --min-length 8 --shard 2/3", "--length 7",
    "--length 7 --memory 1 --shard 2/2", "-k 3 -d 0,0"])
def test_many_short_sequences(related, more):
    """They share runs of a device; what is found does not depend on their neighbours."""
    alpha = [(f"a{i}", random_text(i * 7 % 23 + 1, 100 + i)) for i in range(60)]
    (related.folder / "short.fa").write_text(fasta(alpha))
    expected = related("primer short.fa one.fa two.fa --variant reference", more).out
    assert related("primer short.fa one.fa two.fa --check --variant cores", more).out == expected
    assert len(expected.splitlines()) > 20


def test_blocks(related):
    run = related("primer alpha.fa one.fa two.fa -k 4 --memory 1 --progress json --variant dense")
    summary = run.events[-1]
    assert summary["event"] == "summary" and summary["blocks"] == 4 and summary["variant"] == "dense"
    assert summary["starts"] == 70 + 45 + 32 and summary["targets"] == 4


def test_witnesses(related):
    """Each is where it says, and its alignment has the distance."""
    for more in "", "--both-strands", "--both-strands --memory 1", "--variant cores --both-strands":
        run = related("primer alpha.fa one.fa two.fa -k 5 --witness", more)
        rows = run.table
        assert len(rows) > 50 and printed(run) == printed(related("primer alpha.fa one.fa two.fa -k 5", more))
        texts = {f"t{i}": text for i, text in enumerate(related.texts, 1)}
        for row in rows:
            site = texts[row["witness_target"]][int(row["witness_start"]):int(row["witness_end"])]
            primer = row["sequence"] if row["witness_strand"] == "+" else row["sequence"].translate(COMPLEMENT)[::-1]
            assert int(row["witness_distance"]) == 5
            assert cost(row["witness_cigar"], primer, site) == 5
        strands = {row["witness_strand"] for row in rows}
        assert strands == ({"+", "-"} if "strands" in more else {"+"})
    one = related("primer alpha.fa one.fa two.fa -k 5 --witness --both-strands").out
    assert related("primer alpha.fa one.fa two.fa -k 5 --witness --both-strands --variant cores").out == one


def cost(cigar, query, target):
    """What the alignment costs, if it explains both; else None."""
    i = c = differences = 0
    number = ""
    for letter in cigar:
        if letter.isdigit():
            number += letter
            continue
        for _ in range(int(number)):
            if letter in "=X" and (query[i] == target[c]) != (letter == "="):
                return None
            i, c, differences = i + (letter != "D"), c + (letter != "I"), differences + (letter != "=")
        number = ""
    return differences if (i, c) == (len(query), len(target)) else None


@pytest.mark.parametrize("reverse", [False, True])
def test_itself_excluded(rhomb, write, reverse):
    alpha = random_text(50, 11) + "ACGACGACGACG" + random_text(20, 12)
    text = random_text(30, 13) + alpha + mutate(alpha[:40], 0.2, 14)
    write("alpha.fa", fasta([("a", alpha)]))
    write("beta.fa", fasta([("other", random_text(60, 15)), ("own", text.translate(COMPLEMENT)[::-1] if reverse else text)]))
    expected = rows_of("a", alpha, shortest(alpha, [random_text(60, 15), text], 4, own=(1, 30)))
    assert len(expected) > 40
    if not reverse:
        assert rhomb("primer alpha.fa beta.fa -k 4").lines == []
        for variant in VARIANTS:
            assert printed(rhomb("primer alpha.fa beta.fa -k 4 --exclude-self --variant", variant)) == expected, variant
        assert printed(rhomb("primer alpha.fa beta.fa -k 4 --exclude-self --memory 1 --variant cores")) == expected
        rows = rhomb("primer alpha.fa beta.fa -k 4 --exclude-self --witness").table
        assert {row["witness_distance"] for row in rows} == {"4"}
        rhomb("primer beta.fa alpha.fa -k 4 --exclude-self", code=3).says("'other'.* is no part of the texts")
        profile = "primer alpha.fa beta.fa --length 12 --exclude-self"
        assert rhomb(profile).out != rhomb("primer alpha.fa beta.fa --length 12").out
        assert rhomb(profile, "--variant cores").out == rhomb(profile, "--variant reference").out
    else:
        rhomb("primer alpha.fa beta.fa -k 4 --exclude-self", code=3)
        texts = [random_text(60, 15), text]
        both = texts + [other.translate(COMPLEMENT)[::-1] for other in texts]
        expected = rows_of("a", alpha, shortest(alpha, both, 4, own=(1, 30)))
        assert printed(rhomb("primer alpha.fa beta.fa -k 4 --exclude-self --both-strands --variant cores")) == expected


def test_symbols(rhomb, write):
    write("alpha.fa", ">a\nACGTNACGT\n")
    write("beta.fa", ">t\nACGTAACGT\n")
    assert rhomb("primer alpha.fa beta.fa -k 1").column("end") == ["5"] * 5
    assert rhomb("primer alpha.fa beta.fa -k 1 --ambiguous match").lines == []
    rhomb("primer alpha.fa beta.fa -k 1 --ambiguous error", code=3).says("alpha.fa.*'N'")
    write("protein.fa", ">p\nMKVL\n")
    rhomb("primer protein.fa beta.fa -k 1 --both-strands", code=3).says("protein.fa")
    assert rhomb("primer protein.fa beta.fa -k 1").column("end") == ["1", "2", "3", "4"]


def test_genomes(rhomb):
    """Real genomes: two variants print the same, and a sample is computed again."""
    from conftest import BA, WUHAN
    run = rhomb(f"primer {WUHAN} {BA} -k 2 --shard 1/40 --check --progress plain")
    run.says("positions computed again on the host are the same")
    assert rhomb(f"primer {WUHAN} {BA} -k 2 --shard 1/40 --variant dense").out == run.out
    assert len(run.lines) > 0
    trace = rhomb(f"primer {WUHAN} {BA} -k 3 --shard 1/99 --trace trace.json").says("^rhomb: trace: ")
    events = json.loads((rhomb.folder / "trace.json").read_text())["traceEvents"]
    assert trace.lines is not None and any(event["name"].startswith("primer_windows") for event in events)


@pytest.mark.parametrize("partial", [False, True])
def test_stopped(rhomb, write, partial):
    """Ctrl-C leaves nothing, or with --partial what is complete."""
    write("alpha.fa", fasta([("short", random_text(40, 1)), ("long", random_text(60000, 2))]))
    write("beta.fa", fasta([("t", random_text(3000000, 3))]))
    process = rhomb.start("primer alpha.fa beta.fa -k 20 --variant cores -o out.tsv --progress json", *["--partial"] * partial,
                          under=["env", "--default-signal=INT"], stderr=-1)
    for line in process.stderr:
        event = json.loads(line)
        if event["event"] == "progress" and event["part"] > 0.002:
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read().decode()
    code = process.wait(timeout=120)
    assert not leftovers(rhomb.folder)
    if partial:
        assert code == 7, rest
        assert "1 of 2 sequences are complete" in rest
        lines = (rhomb.folder / "out.tsv").read_text().splitlines()
        assert lines[0].startswith("#query") and all(line.startswith("short\t") for line in lines[1:])
    else:
        assert code == -signal.SIGINT, rest
        assert not (rhomb.folder / "out.tsv").exists()
