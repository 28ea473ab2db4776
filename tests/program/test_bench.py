"""rhomb bench on small pairs: that benchmarks run, agree and say what they leave out, that their records can be
measured again, and what is damaged or asked for wrongly. What they measure is not looked at."""
import json
import math
import signal
import time

import pytest

from conftest import BA, WUHAN, fasta, leftovers, random_text

PAIR = f"{WUHAN} {BA}"
KINDS = ["grid", "strips", "wavefront", "scaling", "peers", "pairs", "rate", "regress", "search", "lcs", "gaps", "primer"]


def has_peers(rhomb):
    return "none built in" not in rhomb("bench peers --help").out


@pytest.mark.parametrize("kind", KINDS)
def test_help(rhomb, kind):
    rhomb("bench", kind, "--help").prints("^Examples:")
    rhomb("bench --help").prints(rf"^  {kind}\b")


# ---- the variants of an engine


def test_variants(rhomb):
    run = rhomb(f"bench strips {PAIR} --runs 1 --variant strips,strips-full")
    assert run.column("variant") == ["strips", "strips-full"]
    assert run.column("distance") == ["109", "109"]
    assert rhomb(f"bench strips {PAIR} --runs 1").column("variant")[:2] == ["strips", "strips-full"]
    [row] = rhomb(f"bench strips {PAIR} --runs 1 --variant strips-full --config K=2 --format json").json
    assert row["config"]["K"] == 2 and row["asked"]["config"] == {"K": 2}
    rhomb(f"bench wavefront {PAIR} --runs 1 --variant fused,batched --format table").prints("^rhomb +wavefront +batched")


@pytest.mark.parametrize("wrong, why", [
    (f"strips {PAIR} --variant strip", "did you mean 'strips'"),
    (f"strips {PAIR} --variant fused", ""),
    (f"wavefront {PAIR} --variant strips", ""),
    (f"strips {PAIR} --limit 0", "strips-full is left out: .*longer than --limit"),
    ("grid --engine strip", "did you mean 'strips'"),
    ("grid --engine strips --variant fused", ""),
    ("grid --config K=2", ""),
    (f"grid {PAIR} --length 1k", "--length is for random pairs"),
    (f"grid {PAIR} --divergence 0.1", "copies of one file"),
    ("grid --prefix 1k", "--prefix is for files"),
    (f"grid {WUHAN}", ""),
    ("grid --length 0", ""),
    ("grid --length ,", "none is given"),
    ("grid --timeline -1", ""),
    ("--lenght 1k", "did you mean '--length'"),
    ("scaling --divergence 1.5", "unrelated"),
    ("rate --length 3k,5k", ""),
    ("rate --engine auto", ""),
    ("rate --engine strips --variant fused", ""),
    ("peers --divergence close", ""),
    ("peers --divergence 1.5", "unrelated"),
    ("peers --max-distance 10", ""),
    ("regress", ""),
    ("startup", "there is no benchmark"),
    ("", "what is to be measured"),
])
def test_asked_wrongly(rhomb, wrong, why):
    rhomb("bench", wrong, code=2).says(why)


@pytest.mark.parametrize("old, now", [
    ("grid --plot a.svg", "rhomb bench grid --format json | rhomb-plot bench -o"),
    ("--length 1k --plot=", "rhomb-plot bench"),
    ("scaling --plot-value gcups", "rhomb-plot bench"),
    ("paper-wavefront a.fa b.fa", "rhomb-papers wavefront"),
    ("paper-table .", "rhomb-papers table"),
    ("paper-search", "rhomb-papers search"),
    ("paper-lcs --report x", "rhomb-papers lcs"),
])
def test_what_other_programs_do_now(rhomb, old, now):
    assert now in rhomb("bench", old, code=2).err


def test_old_names(rhomb):
    run = rhomb("bench scaling --lengths 1k --divergences=0.1 --budget 20 --runs 1 --engine auto --structural 0")
    run.says("--lengths is called --length now", "--budget is called --limit now")
    assert run.column("choice") == ["auto"]


# ---- the grid: the product of its axes


def test_grid(rhomb, tmp_path):
    rhomb("bench grid --length 2k,1k --divergence 0.05,unrelated --engine auto,strips --runs 1 -o grid.tsv")
    header, *lines = (tmp_path / "grid.tsv").read_text().splitlines()
    assert header.endswith("\tratio\tseries\tchoice\talign\tcompute\tpasses\tcells\tcells_per_second\truns\tspread")
    rows = [dict(zip(header[1:].split("\t"), line.split("\t"))) for line in lines]
    # So short texts are never the wavefronts', and a million cells the host's.
    assert sorted({(row["choice"], row["engine"]) for row in rows}) == [
        ("auto", "reference"), ("auto", "strips"), ("strips", "strips")]
    assert [row["series"] for row in rows] == 4 * ["5%"] + 4 * ["unrelated"]
    assert [row["choice"] for row in rows] == 4 * ["auto", "strips"]
    assert int(rows[0]["length"]) < 1500 < int(rows[2]["length"])
    assert not leftovers(tmp_path)


def test_configurations(rhomb):
    run = rhomb("bench --length 1k --divergence 0.01 --runs 1 --variant strips,fused,batched --config K=1/2"
                " --config WG=64 --format json")
    run.says("fused is left out: .*K")
    rows = run.json
    assert [row["variant"] for row in rows] == ["strips", "strips", "strips", "fused", "batched"]
    assert rows[1]["config"]["K"] == 2 and rows[1]["asked"]["config"] == {"K": 2}
    assert all(row["asked"]["length"] == 1000 and row["asked"]["divergence"] == 0.01 for row in rows)
    assert list(rows[0])[-1] == "asked"


def test_several_devices(rhomb):
    asked = "bench grid --length 20k --divergence 0.2 --variant strips-blocks --runs 1 --format json -d"
    two = {"POCL_DEVICES": "pthread pthread"}
    (alone,), (shared,) = rhomb(asked, "0", env=two).json, rhomb(asked, "0,1", env=two).json
    assert shared["distance"] == alone["distance"]
    assert shared["device"] == alone["device"] + ", " + alone["device"]
    assert "asked" in alone and "asked" not in shared


def test_limits(rhomb):
    run = rhomb(f"bench grid {PAIR} --engine auto,strips,wavefront --max-distance 50 --limit 10 --runs 1")
    assert run.column("distance") == ["NA", "NA", "NA"]
    run = rhomb("bench grid --length 60k --divergence unrelated --engine auto,reference --limit 1.5 --runs 1")
    run.says("reference, divergence unrelated: lengths from 60,000 on are left out, a run takes longer than --limit")
    assert run.column("choice") == ["auto"]
    run = rhomb("bench grid --length 1k,1M --divergence unrelated --engine reference --limit 5 --runs 1")
    run.says("reference, divergence unrelated: lengths from 1,000,000 on are left out")
    assert len(run.lines) == 1


def test_prefixes_and_copies(rhomb):
    rows = rhomb(f"bench grid {PAIR} --prefix 4k,2k,30k --variant batched,strips --runs 1 --timeline 9"
                 " --format json").json
    assert [row["length"] for row in rows] == [2000, 2000, 4000, 4000, 29903, 29903]
    assert [row["asked"].get("prefix") for row in rows] == [2000, 2000, 4000, 4000, 30000, 30000]
    assert rows[-1]["distance"] == 109
    points = [row for row in rows if row["variant"] == "batched"][-1]["timeline"]
    assert 1 <= len(points) <= 9 and points == sorted(points)
    rows = rhomb(f"bench grid {WUHAN} --prefix 1k --divergence 0.1,unrelated --runs 1 --format json").json
    assert [row["asked"]["divergence"] for row in rows] == [0.1, "unrelated"]
    assert 50 < rows[0]["distance"] < 100 < 450 < rows[1]["distance"]
    run = rhomb(f"bench grid {PAIR} --prefix 1k,30k --variant baseline --runs 1 --limit 0", code=2)
    run.says("baseline, .*: lengths from 1,000 on are left out")


def test_first_is_what_scaling_compares_with(rhomb):
    run = rhomb("bench scaling --length 3k,1k --divergence unrelated,0.05 --structural 0 --runs 1"
                " --engine auto,strips,wavefront")
    assert run.column("choice") == 4 * ["auto", "strips", "wavefront"]
    assert [row["ratio"] for row in run.table if row["choice"] == "auto"] == 4 * ["1.00000"]
    rhomb("bench scaling --length 1k --limit 0", code=2).says("lengths from 1,000 on are left out, a run takes longer")
    rhomb("bench scaling -o nowhere/rows.tsv", code=2)


def test_exponents_of_scaling(rhomb):
    rows = rhomb("bench scaling --length 2k,8k --divergence 0.1 --structural 0 --engine strips,wavefront --runs 1"
                 " --format json").json
    for choice in "strips", "wavefront":
        short, long = (row for row in rows if row["choice"] == choice)
        slope = math.log(long["seconds"] / short["seconds"]) / math.log(long["length"] / short["length"])
        assert short["exponent"] == long["exponent"] == pytest.approx(slope, abs=0.01)
    [row] = rhomb("bench scaling --length 2k --divergence 0.1 --structural 0 --engine strips --runs 1 --format json").json
    assert row["exponent"] is None


def test_structural_variants(rhomb, write):
    def rows_of(options):
        return rhomb(f"bench grid {options} --engine strips --runs 1 --format json").json

    # The first one is an insertion, which costs what it is long; the second one deletes.
    [inserted] = rows_of("--length 20k --divergence 0 --structural 1")
    assert 1000 <= inserted["distance"] == inserted["length"] - 20_000 <= 10_000
    [both] = rows_of("--length 20k --divergence 0 --structural 2")
    assert 2000 <= both["distance"] <= 10_000
    # All four kinds: what is turned around and complemented costs nearly as much as unrelated bases.
    plain, few, many = rows_of("--length 100k --divergence 0.01 --structural 40,0,8")
    assert [row["asked"].get("structural") for row in (plain, few, many)] == [None, 8, 40]
    assert [row["series"] for row in (few, many)] == ["1%, 8 structural variants", "1%, 40 structural variants"]
    assert plain["distance"] < 1200 < 6000 < few["distance"] and 30_000 < many["distance"] < 50_000
    again = rows_of("--length 100k --divergence 0.01 --structural 8")
    assert again[0]["distance"] == few["distance"]
    other = rows_of("--length 100k --divergence 0.01 --structural 8 --seed 2")
    assert other[0]["distance"] != few["distance"]
    write("before.json", json.dumps(few) + "\n")
    [row] = rhomb("bench regress before.json --noise 99 --runs 1 --format json").json
    assert row["distance"] == few["distance"]
    rhomb("bench grid --length 1k --divergence unrelated --structural 3", code=2).says("none is given that has such copies")
    rhomb(f"bench grid {PAIR} --structural 3", code=2).says("--structural is for random pairs, not for files")


def test_stopped(rhomb, tmp_path):
    process = rhomb.start("bench scaling --length 1k,30M --divergence unrelated --limit 100000 -o stop.tsv")
    for _ in range(100):
        if leftovers(tmp_path):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    assert not leftovers(tmp_path) and not (tmp_path / "stop.tsv").exists()


# ---- the same records again


@pytest.fixture(scope="module")
def baseline(shared_rhomb):
    """Runs that are long enough for the noise of a busy machine not to matter here."""
    rows = shared_rhomb("bench grid --length 20k --divergence 0.02 --engine reference --runs 1 --format json").out
    return rows + shared_rhomb("bench grid --length 300k --divergence 0.1,unrelated --runs 1 --format json").out


def doctored(text, **changes):
    """Rows with other values: numbers are factors."""
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        for name, value in changes.items():
            row[name] = row[name] * value if isinstance(value, float) else value
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_same(rhomb, write, baseline):
    write("before.json", baseline)
    run = rhomb("bench regress before.json --noise 9")
    run.says("^rhomb: 3 same$")
    assert run.column("verdict") == ["same"] * 3 and run.column("line") == ["1", "2", "3"]
    assert "\tratio\tbaseline_seconds\tnoise\tverdict\tattempts\tline\talign\tcompute\t" in run.out


def test_slower_and_faster(rhomb, write, baseline):
    write("fast.json", doctored(baseline, seconds=0.05))
    run = rhomb("bench regress fast.json --noise 0.5", code=6, partial=True)
    run.says(r"3 of 3 records are worse than in fast.json: line 1 \(reference, 2%, 20,000 bases\) takes [0-9.]+ times as "
             r"long; line 2 \(auto, ")
    assert run.column("verdict") == ["slower"] * 3 and run.column("attempts") == ["3"] * 3
    write("slow.json", doctored(baseline, seconds=20.0))
    rows = rhomb("bench regress slow.json --noise 0.5 --format json").json
    assert [(row["verdict"], row["attempts"]) for row in rows] == [("faster", 1)] * 3
    write("after.json", "".join(json.dumps(row) + "\n" for row in rows))
    rhomb("bench regress after.json --noise 9")  # a baseline again
    rhomb("bench regress after.json --limit 0", code=6, partial=True).says("a run takes longer than")


def test_files_again(rhomb, write):
    write("files.json", rhomb(f"bench grid {PAIR} --concat --align --runs 2 --format json").out
          + rhomb(f"bench grid {WUHAN} --prefix 2k --divergence 0.1 --runs 1 --format json").out)
    rows = rhomb("bench regress files.json --noise 100 --runs 1 --format json").json
    assert rows[0]["asked"]["input"] == ["--concat"] and rows[0]["runs"] == 1
    assert [row["align"] for row in rows] == [False, True, False]
    assert rows[0]["distance"] == rows[1]["distance"] and rows[1]["passes"] is None
    assert rows[2]["asked"]["prefix"] == 2000 and rows[2]["asked"]["divergence"] == 0.1


def test_other_device_or_distance(rhomb, write, baseline):
    write("other.json", doctored(baseline.splitlines()[1], device="Other"))
    rhomb("bench regress other.json", code=2).says("other.json, line 1 is of 'Other', this device is .*--any-device")
    rhomb("bench regress other.json --any-device --noise 9")
    write("wrong.json", doctored(baseline.splitlines()[1], distance=7))
    rhomb("bench regress wrong.json --noise 9", code=6).says(
        "line 1 .*: the distance is [0-9]*, the baseline says 7")


@pytest.mark.parametrize("change, why", [
    (lambda text: text + text[:100], "damaged.json, line 4: damaged at byte"),
    (lambda text: text.replace('"seed":1,', ""), "damaged.json, line 1: .*seed"),
    (lambda text: text.replace('"engine":"auto"', '"engine":"none"'), "line 2: unknown engine 'none'"),
    (lambda text: doctored(text, seconds=0.0), "seconds: not above 0"),
    (lambda text: '{"program":"rhomb","seconds":1}\n', "line 1: there is no key asked"),
    (lambda text: "", "there is no record"),
])
def test_damaged(rhomb, write, baseline, change, why):
    write("damaged.json", change(baseline))
    rhomb("bench regress damaged.json", code=3).says(why)


def test_no_baseline(rhomb, write, baseline):
    rhomb("bench regress missing.json", code=3)
    write("before.json", baseline)
    rhomb("bench regress before.json --noise little", code=2)


# ---- rates and peers


def test_rates(rhomb):
    run = rhomb("bench rate --engine strips --length 3k,5k --runs 1")
    assert run.column("variant") == ["strips-full"] * 2 and run.column("length") == ["3000", "5000"]
    [row] = rhomb("bench rate --engine strips --length 3k --runs 1 --config K=4 --format json").json
    assert row["tcups"] > 0 and {"limit_tcups", "of_limit"} <= set(row)
    rows = rhomb("bench rate --length 3k --runs 1 --format json").json
    assert [row["max_distance"] for row in rows] == [1000, 2000] and all(row["width"] > 0 for row in rows)


def test_peers(rhomb):
    if not has_peers(rhomb):
        pytest.skip("neither edlib nor WFA2-lib is built in")
    run = rhomb("bench peers --length 1k,3k --divergence 0.05,unrelated --peers edlib --runs 2")
    assert run.column("program") == 4 * ["rhomb", "edlib"]
    assert [row["ratio"] for row in run.table if row["program"] == "rhomb"] == 4 * ["1.00000"]
    assert "core_ratio" in run.header
    run = rhomb("bench peers --align --length 2k --divergence 0.05 --peers edlib --runs 2")
    assert run.column("program") == 2 * ["rhomb", "edlib"]
    assert run.column("align") == ["false", "false", "true", "true"]
    assert len(set(run.column("distance"))) == 1
    run = rhomb("bench peers --length 1k,2k --divergence 0.01 --runs 1 --limit 0 --format json")
    run.says("rhomb, divergence 1%: lengths from 2,000 on are left out")
    assert sum("asked" in row for row in run.json) == 1


# ---- search and lcs


def test_search(rhomb):
    run = rhomb("bench search --length 60 --pairs 1k --runs 1 --case strips-batch --case 'coop W=1/2'"
                " --case 'strips-batch SLOT=8,K=4'")
    assert run.header[:9] == ["program", "variant", "config", "device", "m", "n", "pairs", "runs", "seconds"]
    own = [row for row in run.table if row["program"] == "rhomb"]
    assert [row["variant"] for row in own] == ["strips-batch", "coop", "coop", "strips-batch"]
    assert own[-1]["seconds"] == "NA" and "K=4" in own[-1]["note"]  # what does not fit says why
    assert [row["pairs"] for row in own[:3]] == ["1000"] * 3 and all(row["n"] == "72" for row in own)
    # The fastest case of each variant ran with copies too.
    assert sum(row["seconds_whole"] != "NA" for row in own) == 2


def test_search_in_reads(rhomb, write):
    text = random_text(20_000, 1)
    write("text.fa", fasta([("text", text)]))
    write("reads.fa", fasta([(f"read{i}", text[i * 300:i * 300 + 80]) for i in range(40)]))
    rows = rhomb("bench search reads.fa text.fa --length 40,100 --pairs 500 --runs 1 --case strips-batch"
                 " --format json").json
    own = [row for row in rows if row["program"] == "rhomb"]
    assert [(row["m"], row["pairs"], row["asked"]) for row in own] == [(40, 500, {}), (100, 500, {})]
    rhomb("bench search text.fa --length 10000 --pairs 100 --case strips-batch --runs 1 --budget 1s")
    rhomb("bench search reads.fa reads.fa --length 10000", code=2).says("too few for queries of 10000")
    rhomb("bench search missing.fa text.fa", code=3)


@pytest.mark.parametrize("wrong", [
    "search --length 5", "search --pairs 0", "search --budget 0", "search --case fused", "search --case 'coop W 1'",
    "search --limit 0", "search a b c", "lcs --targets 0", "lcs --targets ,", "lcs --length 0", "lcs --alphabet 1",
    "lcs --case coop", f"lcs {WUHAN}"])
def test_cases_asked_wrongly(rhomb, wrong):
    rhomb("bench", wrong, code=2)


def test_lcs(rhomb):
    run = rhomb("bench lcs --length 100 --targets 13,50 --alphabet 4,26 --runs 1 --case strips-lcs"
                " --case 'crochemore STORE=0'")
    assert run.header[:9] == ["program", "variant", "config", "device", "alphabet", "m", "n", "targets", "runs"]
    own = [(row["variant"], row["alphabet"], row["targets"]) for row in run.table if row["program"] == "rhomb"]
    assert own == [(variant, letters, count) for letters in ("4", "26") for count in ("13", "50")
                   for variant in ("strips-lcs", "crochemore")]
    assert [row["alphabet"] for row in run.table if row["program"] == "plain"] == ["4", "26"]
    assert all(float(row["seconds"]) > 0 for row in run.table)


def test_no_time(rhomb):
    rows = rhomb("bench lcs --length 3000 --targets 3000 --alphabet 4,8 --runs 1 --budget 1 --case allison-dix"
                 " --case crochemore --case strips-lcs --format json").json
    late = [row for row in rows if row["note"].startswith("no time was left in --budget")]
    assert late and all(row["seconds"] is None for row in late) and rows[0]["seconds"] > 0


def test_gaps(rhomb):
    run = rhomb("bench gaps --length 40,50 --target-length 60 --queries 3 --targets 4,6 --runs 1 --align --case gaps-lanes"
                " --case multi-a")
    assert run.header[:11] == ["program", "variant", "config", "device", "gaps", "m", "n", "queries", "targets", "align", "runs"]
    own = [(row["variant"], row["m"], row["targets"], row["align"]) for row in run.table if row["program"] == "rhomb"]
    assert own == [(variant, m, count, align) for m in ("40", "50") for count in ("4", "6")
                   for variant, align in (("gaps-lanes", "true"), ("multi-a", "false"))]
    assert [row["m"] for row in run.table if row["program"] == "reference"] == ["40", "50"]
    assert all(float(row["seconds"]) > 0 and row["times_peer"] != "NA" for row in run.table)


def test_primer(rhomb):
    rows = rhomb("bench primer -k 5,6 --alpha-length 200 --beta-length 900 --starts 60 --runs 1 --case cores --case dense"
                 " --case 'alternative TILE=1,COUNT=1' --format json").json
    own = [row for row in rows if row["program"] == "rhomb"]
    assert [(row["k"], row["variant"]) for row in own] == [(k, name) for k in (5, 6) for name in ("cores", "dense", "alternative")]
    assert len({(row["primers"], row["length"]) for row in own if row["k"] == 5}) == 1 and own[0]["primers"] > 30
    assert [row["comparisons"] > 0 for row in own[:3]] == [False, False, True] and all(row["starts"] == 60 for row in own)
    confirmed = [row["primers"] for row in rows if row["program"] != "rhomb"]
    assert confirmed in ([], [own[0]["primers"], own[3]["primers"]])


@pytest.mark.parametrize("engine", ["lcs", "search"])
def test_no_time(rhomb, engine):
    """What there is no time for says so."""
    more = "--targets 40k --length 2000" if engine == "lcs" else "--pairs 200k --length 900"
    rows = rhomb("bench", engine, more, "--runs 1 --budget 1s --format json").json
    assert rows[0]["seconds"] and any(row["note"].startswith("no time was left in --budget") for row in rows)


# ---- many pairs


def test_pairs(rhomb, write, tmp_path):
    peers = ["edlib", "wfa2"] if has_peers(rhomb) else []
    rows = rhomb("bench pairs --pairs 30x200:0.05,5x300:unrelated --runs 1 --format json").json
    assert [row["program"] for row in rows] == 2 * ["rhomb", *peers]
    assert [row["pairs"] for row in rows[:1 + len(peers)]] == (1 + len(peers)) * [30]
    assert len({row["distance"] for row in rows[:1 + len(peers)]}) == 1
    assert rows[0]["process"] > 0 and rows[0]["ratio"] == 1


def test_pairs_beside_another_program(rhomb, tmp_path):
    """A program that writes what WFA-GPU does: right distances, wrong ones, or nothing."""
    program = tmp_path / "aligner"

    def run(lines, **expected):
        program.write_text("#!/bin/sh\n" + lines)
        program.chmod(0o755)
        return rhomb("bench pairs --pairs 4x1:0 --runs 1 --format json --wfa-gpu", program, **expected)

    time = "echo 'Alignment computed. Wall time: 0.250s (1 alignments per second)'\n"
    out = "while [ \"$1\" != -o ]; do shift; done\n"
    row = run(time + out + "printf '0\\n0\\n0\\n0\\n' > \"$2\"").json[-1]
    assert (row["program"], row["seconds"]) == ("wfa-gpu", 0.25)
    run(time + out + "printf '0\\n-1\\n0\\n0\\n' > \"$2\"", code=6)
    run(time + out + "printf '0\\n' > \"$2\"", code=6)
    rhomb("bench pairs --wfa-gpu /nowhere/aligner", code=2)
    rhomb("bench pairs --pairs 10", code=2)
