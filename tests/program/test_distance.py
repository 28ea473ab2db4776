"""rhomb distance: the right answers of all engines, bounds, records, symbols, plans."""
import pytest

from conftest import BA, WUHAN, fasta, random_text

VARIANTS = ("strips strips-full strips-blocks fused diamond group tiled-local tiled-register tiled-global prefetch batched "
            "dynamic baseline reference").split()
ENGINES = ["strips", "corridor", "wavefront", "reference"]
PAIR = f"distance {WUHAN} {BA}"


@pytest.fixture
def records(write):
    write("abc.fa", ">one first\nACGTACGTAC\nGTACGT\n>two\nTTTTACGT\n>three\nACGT\n")
    write("xyz.fa", ">one\nACGTACGTACGAACGT\n>two\nTTTACGTT\n>three\nTGCA\n")
    write("two.fa", ">two\nTTTACG\n")
    write("reads.fq", "@r1\nACGT\n+\nIIII\n@r2\nGGGG\n+\nIIII\n")
    write("words.txt", "kitten\nSaturday\n")
    write("words2.txt", "sitting\nSunday\n")


# ---- right answers


def test_the_choice(rhomb):
    run = rhomb(PAIR, "--device 0")
    assert run.column("distance") == ["109"]
    run.prints("\t(strips\tstrips|wavefront\tfused)\t")  # as the device has it


def test_close_pairs_are_the_hosts(rhomb, write):
    """Unless a device or anything else is asked for, or the host turns out to need long. No driver is loaded."""
    row = rhomb(PAIR).table[0]
    assert (row["distance"], row["engine"], row["variant"], row["device"]) == ("109", "wavefront", "host", "host")
    rhomb(PAIR, "--explain").prints("^device\thost$", "^choice\tclose enough for the host", "^variant\thost$")
    right = rhomb(PAIR.replace("distance", "align"), "--device 0").lines
    aligned = rhomb(PAIR.replace("distance", "align"))
    assert aligned.lines == right != []
    rhomb(PAIR.replace("distance", "align"), "--explain").prints("^choice\tclose enough for the host", "^variant\thost$")
    for more in ("--device 0", "--engine wavefront", "--check", "--variant fused"):
        assert rhomb(PAIR, more).column("device") != ["host"]
    assert rhomb(PAIR, "--max-distance 109").column("variant") == ["host"]
    row = rhomb(PAIR, "--max-distance 108").table[0]
    assert (row["distance"], row["variant"]) == (">108", "host")
    # A sketch sees little of what differs between words that both have. More than 12,000 edits are a device's.
    same = [random_text(250, seed) for seed in range(230)]
    for name, start in ("a", 1000), ("b", 2000):
        write(f"{name}.fa", fasta([(name, "".join(text + random_text(160, start + i) for i, text in enumerate(same)))]))
    rhomb("distance a.fa b.fa --explain").prints("^variant\thost$")
    row = rhomb("distance a.fa b.fa").table[0]
    assert row["device"] != "host" and int(row["distance"]) > 16000
    assert rhomb("distance a.fa b.fa --device 0").column("distance") == [row["distance"]]
    assert rhomb("align a.fa b.fa").lines == rhomb("align a.fa b.fa --device 0").lines


def test_few_close_pairs_are_the_hosts(rhomb, write):
    """Of a square each once; those that are further apart than the others are a device's."""
    square = "distance data/mers_8.fa.gz --matrix square"
    assert rhomb(square).out == rhomb(square, "-d 0").out
    all_pairs = "distance data/mers_8.fa.gz data/mers_8.fa.gz --all-pairs"
    run, right = rhomb(all_pairs), rhomb(all_pairs, "-d 0")
    assert run.column("distance") == right.column("distance") and len(run.table) == 64
    assert set(run.column("variant")) == {"host"} and "host" not in right.column("device")
    rhomb(all_pairs, "--explain").prints("^choice\tclose enough for the host")
    limited = rhomb(all_pairs, "--max-distance 50").column("distance")
    assert limited == [text if int(text) <= 50 else ">50" for text in right.column("distance")] and ">50" in limited
    texts = [random_text(4000, seed) for seed in range(60)]
    texts[31] = random_text(60_000, 31)
    write("a.fa", fasta([(str(i), text) for i, text in enumerate(texts)]))
    texts[31] = random_text(60_007, 99)
    write("b.fa", fasta([(str(i), text[7:]) for i, text in enumerate(texts)]))
    run, right = rhomb("distance a.fa b.fa"), rhomb("distance a.fa b.fa -d 0")
    assert run.column("distance") == right.column("distance") and run.column("distance")[:31] == ["7"] * 31
    assert run.column("device").count("host") == 59 and run.table[31]["device"] != "host"


def test_few_close_alignments_are_the_hosts(rhomb, write):
    """Of each pair the same rows as by a device, in order; one that is further apart than the others is a device's."""
    all_pairs = "align data/mers_8.fa.gz data/mers_8.fa.gz --all-pairs"
    run = rhomb(all_pairs, "--format tsv")
    assert set(run.column("variant")) == {"host", "reference"} and len(run.table) == 64  # (of the same text nothing is left)
    rhomb(all_pairs, "--explain").prints("^choice\tclose enough for the host")
    for more in "", "--gaps right --cs long", "--max-distance 50":
        assert rhomb(all_pairs, more).lines == rhomb(all_pairs, more, "-d 0").lines != []
    for more in "--both-strands", "--check", "--engine wavefront", "--max-memory 1G", "-d 0":
        assert "host" not in rhomb(all_pairs, "--format tsv", more).column("variant")
    texts = [random_text(4000, seed) for seed in range(60)]
    texts[31] = random_text(60_000, 31)
    write("a.fa", fasta([(str(i), text) for i, text in enumerate(texts)]))
    texts[31] = random_text(60_007, 99)
    write("b.fa", fasta([(str(i), text[7:-5]) for i, text in enumerate(texts)]))
    run = rhomb("align a.fa b.fa --format tsv")
    assert run.column("cigar") == rhomb("align a.fa b.fa --format tsv -d 0").column("cigar")
    assert run.column("variant").count("host") == 59 and run.table[31]["device"] != "host"


def test_output_of_the_wavefronts(rhomb, golden):
    golden("distance", rhomb(PAIR, "--engine wavefront").out)


def test_reference(rhomb):
    row = rhomb(PAIR, "--engine reference").table[0]
    assert (row["distance"], row["device"], row["variant"]) == ("109", "host", "reference")


def test_json(rhomb, golden):
    run = rhomb(PAIR, "--format json --max-distance 1k --engine strips")
    assert run.json[0]["distance"] == 109
    golden("distance_json", run.out)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant(rhomb, variant):
    row = rhomb(PAIR, "--max-distance 200 --variant", variant).table[0]
    assert (row["distance"], row["variant"]) == ("109", variant)


@pytest.mark.parametrize("config", ["LANES=1,WG=16,K=2,SLAB=64", "LANES=4,FLOW=1,K=16,SLACK=2",
                                    "LANES=1,WG=1,K=32,FLOW=1"])
def test_forced_configurations(rhomb, config):
    answer = rhomb(PAIR, "--engine strips --format json --config", config).json[0]
    assert answer["distance"] == 109
    for setting in config.split(","):
        name, value = setting.split("=")
        assert str(answer["config"][name]) == value


@pytest.mark.parametrize("variant", ["strips", "strips-full"])
def test_the_pair_that_the_reference_paper_prints(rhomb, variant):
    row = rhomb("distance data/NC_000898.1.fa.gz data/NC_007605.1.fa.gz --variant", variant).table[0]
    assert (row["distance"], row["engine"], row["variant"]) == ("92254", "strips", variant)


def test_long_and_alike(rhomb):
    run = rhomb("distance data/NC_000898.1.fa.gz data/HHV6A_U1102_NC_001664.fa.gz")
    assert run.column("distance") == ["17004"]
    row = rhomb("distance", WUHAN, WUHAN).table[0]
    assert (row["distance"], row["similarity"]) == ("0", "1.000000")


def test_check(rhomb, records):
    """Checked by the reference where that is fast, else by the other engine."""
    run = rhomb(PAIR, "--format json --check").says("says the same")
    assert run.json[0]["checked"]
    run = rhomb("distance abc.fa xyz.fa --engine strips --check --format json")
    assert {answer["checked"] for answer in run.json} == {"reference"}
    checked = rhomb(PAIR, "--engine strips --check --format json").json[0]["checked"]
    assert checked in ("fused", "strips of the reversed texts")
    checked = rhomb(PAIR, "--engine wavefront --check --format json").json[0]["checked"]
    assert checked in ("strips", "fused of the reversed texts")
    run = rhomb(PAIR, "--variant strips-full --check --max-distance 108").says("says the same")
    assert run.column("distance") == [">108"]


@pytest.mark.parametrize("engine", ENGINES)
def test_bound_below_at_and_above(rhomb, engine, golden):
    for bound in "0", "1", "108":
        row = rhomb(PAIR, "--engine", engine, "--max-distance", bound).table[0]
        assert (row["distance"], row["similarity"]) == (f">{bound}", "NA")
    for bound in "109", "110", "0.2k", "3M", "2G":
        assert rhomb(PAIR, "--engine", engine, "--max-distance", bound).column("distance") == ["109"]
    if engine == "wavefront":
        run = rhomb(PAIR, "--format json --max-distance 108 --engine wavefront")
        assert run.json[0]["distance"] is None
        golden("above_json", run.out)


# ---- records


def test_records_by_order(rhomb, records, golden):
    assert rhomb("distance abc.fa xyz.fa").column("distance") == ["1", "2", "4"]
    golden("by_order", rhomb("distance abc.fa xyz.fa --engine wavefront").out)


def test_all_pairs(rhomb, records, golden):
    run = rhomb("distance abc.fa xyz.fa --all-pairs --engine strips")
    golden("all_pairs", run.out)
    reference = rhomb("distance abc.fa xyz.fa --all-pairs --engine reference")
    assert reference.column("distance") == run.column("distance")
    itself = rhomb("distance abc.fa abc.fa --all-pairs --engine reference").column("distance")
    assert itself == "0 9 12 9 0 4 12 4 0".split()


def test_concat(rhomb, records, golden):
    run = rhomb("distance abc.fa xyz.fa --concat --engine strips")
    assert run.column("query") == ["abc.fa"] and run.column("query_length") == ["28"]
    golden("concat", run.out)


def test_chosen_records(rhomb, records):
    assert rhomb("distance abc.fa xyz.fa --record two").column("distance") == ["2"]
    assert rhomb("distance abc.fa two.fa --record two").column("distance") == ["2"]
    assert rhomb("distance abc.fa two.fa --record three").column("target") == ["two"]
    assert rhomb("distance abc.fa xyz.fa --record three --record one").column("query") == ["one", "three"]
    run = rhomb("distance abc.fa reads.fq --all-pairs --record three --record r1")
    assert run.column("distance") == ["0"]
    rhomb("distance abc.fa xyz.fa --record four", code=3).says("no such record", "one, two, three")
    run = rhomb("distance abc.fa two.fa", code=3, partial=True).says("3 records against 1 record")
    assert run.column("distance") == ["10"]  # what pairs up is not lost


def test_lines_and_raw_text(rhomb, records):
    run = rhomb("distance words.txt words2.txt")
    assert run.column("distance") == ["3", "3"] and run.column("query") == ["line1", "line2"]
    run = rhomb("distance words.txt words2.txt --input-format raw")
    assert run.column("query") == ["words.txt"] and run.column("query_length") == ["14"]
    rhomb("distance words.txt words2.txt --alphabet dna", code=3)


# ---- symbols


def test_case(rhomb, write):
    write("lower.txt", "acgtn\n")
    write("upper.txt", "ACGTN\n")
    assert rhomb("distance lower.txt upper.txt").column("distance") == ["0"]
    assert rhomb("distance lower.txt upper.txt --case-sensitive").column("distance") == ["5"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("meaning, same, other", [("symbol", "0", "1"), ("match", "0", "0"), ("mismatch", "1", "1")])
def test_ambiguous(rhomb, write, engine, meaning, same, other):
    write("n.fa", ">n1 with N\nACGTACGTACGT\nACGNACGT\n")
    write("n_same.fa", ">n2\nACGTACGTACGTACGNACGT\n")
    write("n_not.fa", ">a\nACGTACGTACGTACGAACGT\n")
    how = f"--ambiguous {meaning} --engine {engine}"
    assert rhomb("distance n.fa n_same.fa", how).column("distance") == [same]
    assert rhomb("distance n.fa n_not.fa", how).column("distance") == [other]


def test_ambiguous_is_an_error(rhomb, write):
    write("n.fa", ">n1 with N\nACGTACGTACGT\nACGNACGT\n")
    write("n_not.fa", ">a\nACGTACGTACGTACGAACGT\n")
    rhomb("distance n_not.fa n.fa --ambiguous error", code=3).says(
        "n.fa, line 3, record 'n1': ambiguity code 'N' at position 16 ")
    assert rhomb("distance n_not.fa n_not.fa --ambiguous error").column("distance") == ["0"]


@pytest.mark.parametrize("engine", ["auto", "strips"])
def test_bytes(rhomb, write, engine):
    write("bytes.txt", "caf\u00e9\n".encode())
    write("cafe.txt", "cafe\n")
    rhomb("distance bytes.txt cafe.txt --concat", code=3).says("bytes.txt, line 1")
    run = rhomb("distance bytes.txt cafe.txt --alphabet bytes --engine", engine)
    assert run.column("distance") == ["2"]


# ---- plans


def test_explain(rhomb, golden, records):
    rhomb(PAIR, "--device 0 --explain").prints("^rates\t[a-z]", "^strips_seconds\t[0-9]", "^choice\t[a-z]",
                                    "^variant\t(fused|strips)$", "^config\t")
    assert rhomb(PAIR, "--device 0 --explain --format json").json[0]["variant"].startswith(("fused", "strips"))
    rhomb(PAIR, "--explain --engine wavefront").prints("^variant\tfused$")
    golden("explain_strips",
           rhomb(PAIR, "--explain --engine strips --config LANES=4,K=2,SLAB=16,FLOW=0 --max-distance 100").out)
    golden("explain", rhomb("distance abc.fa xyz.fa --explain --engine reference").out)
