"""rhomb-mpi: the same output as rhomb, on any number of ranks; a rank that fails or dies ends the job. Skipped where
there is no mpirun, or where rhomb was built without MPI."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import Program, fasta, mutate, program_path, random_text
from test_shards import GENES, files, measured  # noqa: F401 (a fixture)

UNOPTIMIZED = True  # see conftest.py

# Where two MPIs are installed, that of the program.
PATH = program_path().parent / "rhomb-mpi"
OTHER = ".mpich" if PATH.exists() and b"libmpich.so" in PATH.read_bytes() and shutil.which("mpirun.mpich") else ""
MPIRUN, MPICC = shutil.which("mpirun" + OTHER), shutil.which("mpicc" + OTHER)
pytestmark = pytest.mark.skipif(MPIRUN is None, reason="needs mpirun")
# Of Open MPI: as root, more ranks than cores, and no rank bound to one core.
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}
DEVICES = {1: {}, 2: {"POCL_DEVICES": "pthread pthread"}}


@pytest.fixture
def mpi(rhomb):
    """mpi(ranks, ...) runs rhomb-mpi as rhomb(...) runs rhomb; mpi.start(ranks, ...) as well."""
    path = rhomb.path.parent / "rhomb-mpi"
    if not path.exists():
        pytest.skip("rhomb-mpi was not built: no MPI was found")
    program = Program(path, {**rhomb.environment, **SETTINGS}, rhomb.folder)

    def run(ranks, *arguments, devices=1, **more):
        return program(*arguments, under=[MPIRUN, "-n", str(ranks)], env={**DEVICES[devices], **more.pop("env", {})}, **more)

    def start(ranks, *arguments, **more):
        return program.start(*arguments, under=[MPIRUN, "-n", str(ranks)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)

    run.start = start
    return run


# All combinations of 1, 2, 3 and 5 ranks with 1 and 2 devices of each host are among them.
@pytest.mark.parametrize("ranks, devices, command", [
    (1, 1, "search reads.fa genes.fa -k 12"), (2, 2, "search reads.fa genes.fa -k 9 --format json --both-strands"),
    (3, 1, "search reads.fa genes.fa --best --format paf -d all"), (5, 2, "search reads.fa genes.fa -k 12 -d 1,0"),
    (2, 1, "lcs reads.fa genes.fa"), (3, 2, "lcs reads.fa genes.fa --top 2 -d all"),
    (5, 1, "gaps --max-gaps 1 reads.fa genes.fa"), (1, 2, "gaps --max-gaps 1 reads.fa genes.fa --all-pairs --format sam -d 0,1"),
    (2, 1, "primer genes.fa reads.fa -k 6 --format bed"), (3, 2, "primer genes.fa reads.fa -k 5 --format bedgraph"),
    (5, 2, "distance reads.fa genes.fa --all-pairs"), (3, 1, "distance genes.fa --matrix phylip"),
    (2, 2, "distance --pairs pairs.tsv --format json"), (5, 1, "align reads.fa genes.fa --format sam"),
    (3, 2, "align reads.fa genes.fa --format vcf"), (17, 1, "search reads.fa genes.fa -k 12")])
def test_same_as_one_process(rhomb, mpi, files, ranks, devices, command):  # noqa: F811
    whole = rhomb(command.replace(" -d all", "").replace(" -d 1,0", "").replace(" -d 0,1", "")).out
    assert measured(mpi(ranks, command, devices=devices).out) == measured(whole)
    assert len(whole.splitlines()) > 2


@pytest.fixture
def pair(write):
    a = random_text(30000, 1)
    write("a.fa", fasta([("a", a)]))
    write("b.fa", fasta([("b", mutate(a, 0.2, 2))]))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("devices", [1, 2])
def test_one_pair(rhomb, mpi, pair, ranks, devices):
    """Rows in blocks over all ranks: as few as there are, and many that are dealt in turns."""
    alone = rhomb("distance a.fa b.fa --variant strips --format json").json[0]["distance"]
    config = " --config BLOCK=1" if (ranks + devices) % 2 else ""
    (row,) = mpi(ranks, f"distance a.fa b.fa --variant strips-blocks --format json -d all{config}", devices=devices).json
    assert row["distance"] == alone
    assert row["certificate"]["devices"] == max(ranks, devices)
    if ranks == 3:
        run = mpi(ranks, f"distance a.fa b.fa --variant strips-blocks --max-distance {alone - 1} --check", devices=devices)
        assert run.column("distance") == [f">{alone - 1}"]
        assert len(re.findall("says the same", run.err)) == 1


def test_one_pair_that_is_not_shared(rhomb, mpi, pair, write, tmp_path):
    """Where that gains nothing, and by engines that cannot; the output is a file's, and the trace rank 0's."""
    facts = dict(line.split("\t") for line in mpi(3, "distance a.fa b.fa --engine strips --explain").out.splitlines())
    assert (facts["devices"], facts["devices_used"]) == ("3", "1")
    for name in "a", "b":
        write(f"{name}2.fa", "\n".join((tmp_path / f"{name}.fa").read_text()[:3000].split("\n")[:2]) + "\n")
    for method in "--engine strips", "--engine wavefront", "":
        mpi(2, f"distance a2.fa b2.fa {method} -o out.tsv --trace run.json")
        told, alone = ([line.split("\t")[:7] for line in text.splitlines()]
                       for text in ((tmp_path / "out.tsv").read_text(), rhomb("distance a2.fa b2.fa", method).out))
        assert told == alone
    assert not (tmp_path / "run.json.1").exists()
    write("two.fa", fasta([("x", "ACGT"), ("a", random_text(30000, 1))]))
    (row,) = mpi(2, "distance two.fa b.fa --record a --record b --variant strips-blocks --format json").json
    assert row["certificate"]["devices"] == 2
    mpi(2, "distance a.fa two.fa", code=3, partial=True).says("rank 0: .*1 record")


def test_an_output_that_is_closed(mpi, pair, tmp_path):
    """As rhomb does, it ends at once and says nothing; the other ranks, too."""
    os.mkfifo(tmp_path / "pipe")
    run = mpi.start(2, "distance a.fa b.fa --variant strips-blocks -o pipe")
    os.close(os.open(tmp_path / "pipe", os.O_RDONLY))
    _, said = run.communicate(timeout=60)
    assert run.returncode == 0 and "error" not in said, said


def test_output_and_messages(rhomb, mpi, files, tmp_path):  # noqa: F811
    run = mpi(2, "search reads.fa genes.fa -k 12 -o hits.tsv --progress json --trace run.json")
    assert run.out == "" and (tmp_path / "hits.tsv").read_text() == rhomb("search reads.fa genes.fa -k 12").out
    assert {event["rank"] for event in run.events if "rank" in event} == {0, 1}
    assert (tmp_path / "run.json").exists() and (tmp_path / "run.json.1").exists()
    # Names of files that look like options.
    shutil.copy(tmp_path / "genes.fa", tmp_path / "-k")
    assert mpi(2, "search -k 12 -- reads.fa -k").lines == rhomb("search -k 12 reads.fa genes.fa").lines
    assert mpi(2, "search --help").out == rhomb("search --help").out
    assert mpi(2, "search reads.fa genes.fa -k 12 --explain").out == rhomb("search reads.fa genes.fa -k 12 --explain").out
    assert "mpirun" in mpi(2, "--help").out


def test_manual_page(mpi):
    page = mpi(1, "--man").out
    assert ".Nm rhomb-mpi\n" in page
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    said = subprocess.run(["mandoc", "-Tlint", "-Wstyle"], input=page, capture_output=True, text=True).stdout
    assert [line for line in said.splitlines() if "referenced manual not found" not in line] == []


def test_devices_in_turns(mpi, files):  # noqa: F811
    """The ranks of a host take the devices that are named one after the other; here there are but CPUs."""
    kinds = {"POCL_DEVICES": "pthread basic"}
    for asked, used in ("", "ppp"), ("-d all", "bpb"), ("-d 1,0", "pbp"), ("-d 1", "ppp"):
        rows = mpi(3, "distance reads.fa genes.fa --variant wavefront-batch --format json", asked, env=kinds).json
        devices = [row["device"][0] for row in rows]
        assert "".join(device for i, device in enumerate(devices) if i in (0, 6, 12)) == used, (asked, devices)


def test_over_tcp(rhomb, mpi, files):  # noqa: F811
    """As between hosts; the job ends. (Of MPICH 4.0 three ranks hang in MPI_Finalize, whatever the program.)"""
    command = "distance a.fa b.fa --variant strips-blocks"
    (rhomb.folder / "a.fa").write_text(fasta([("a", random_text(3000, 1))]))
    (rhomb.folder / "b.fa").write_text(fasta([("b", random_text(3100, 2))]))
    over = {"UCX_TLS": "tcp,self", "OMPI_MCA_btl": "tcp,self"}
    assert mpi(2, command, env=over).column("distance") == rhomb("distance a.fa b.fa").column("distance")


def test_usage(mpi, files):  # noqa: F811
    mpi(2, code=2).says("no verb given")
    mpi(2, "merge a b", code=2).says("rhomb merge has nothing that ranks could share")
    mpi(2, "serch", code=2).says("did you mean 'search'")
    mpi(2, "search reads.fa genes.fa -k 3 --shard 1/2", code=2).says("rhomb-mpi gives each rank its --shard")
    mpi(2, "search - genes.fa -k 3", code=2).says("none can be standard input")
    mpi(2, "search reads.fa genes.fa -k 3 -o no/such/folder", code=2).says("cannot write")
    mpi(2, "search reads.fa nowhere.fa -k 3", code=3).says("rhomb: error: rank [01]: nowhere.fa: there is no such file")
    mpi(2, "search reads.fa genes.fa -k 3 -d nothing", code=4).says("no OpenCL device is called 'nothing'")


def test_a_rank_that_fails(mpi, files, write, tmp_path):  # noqa: F811
    """That there is a record too many only the last rank finds; it is named, and nothing is printed."""
    write("more.fa", fasta(GENES + [("more", "ACGT")]))
    mpi(3, "distance reads.fa more.fa --engine reference -o out.tsv", code=3).says("^rhomb: error: rank 2: .*13 records")
    assert not list(tmp_path.glob("out.tsv*"))


SHIM = """
#include <mpi.h>
#include <stdlib.h>

/* Turns a bit of a message of rank 1: of the first one, or of that with this number. */
int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  static int sent = 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* number = getenv("DAMAGED");
  if (rank == 1 && sent++ == (number ? atoi(number) : 0)) ((char*)bytes)[count / 2] ^= 4;
  return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}
"""


@pytest.fixture
def damaging(write, tmp_path):
    """The environment in which a message of rank 1 is damaged on its way."""
    if MPICC is None:
        pytest.skip("needs mpicc")
    write("shim.c", SHIM)
    subprocess.run([MPICC, "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=tmp_path, check=True)
    return {"LD_PRELOAD": str(tmp_path / "shim.so")}


def test_a_damaged_message(mpi, files, damaging):  # noqa: F811
    mpi(3, "search reads.fa genes.fa -k 12", env=damaging, code=6).says("error: rank 0: message 0 from rank 1 came damaged")


def test_a_damaged_border(mpi, pair, damaging):
    """Rank 1 has told of its device before."""
    mpi(3, "distance a.fa b.fa --variant strips-blocks --config BLOCK=1", env={**damaging, "DAMAGED": "3"}, code=6).says(
        "error: rank [02]: message [0-9]+ from rank 1 came damaged")


def descendants(process):
    """MPICH has a process of its own between mpirun and the ranks."""
    children = [int(pid) for task in Path(f"/proc/{process}/task").iterdir() for pid in (task / "children").read_text().split()]
    return children + [pid for child in children for pid in descendants(child)]


@pytest.mark.parametrize("killed, command", [(0, "--all-pairs --engine reference"), (2, "--all-pairs --engine reference"),
                                             (1, "--record r0 --variant strips-blocks")])
def test_a_rank_that_is_killed(mpi, write, killed, command):
    """The others would compute for minutes."""
    long = 60000 if "reference" in command else 1500000
    write("long.fa", fasta([(f"r{i}", random_text(long, i)) for i in range(3)]))
    write("other.fa", fasta([(f"r{i}", random_text(long, i + 3)) for i in range(3)]))
    run = mpi.start(3, "distance long.fa other.fa", command)
    deadline = time.monotonic() + 60
    ranks = {}
    while len(ranks) < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        for pid in descendants(run.pid):
            said = dict(v.partition("=")[::2] for v in Path(f"/proc/{pid}/environ").read_text().split("\0"))
            number = said.get("OMPI_COMM_WORLD_RANK", said.get("PMI_RANK"))
            if number is not None and len(os.listdir(f"/proc/{pid}/task")) > 4:
                ranks[int(number)] = pid
    os.kill(ranks[killed], signal.SIGKILL)
    began = time.monotonic()
    out, err = run.communicate(timeout=60)
    assert time.monotonic() - began < 15
    assert run.returncode != 0
    if OTHER:  # MPICH's mpirun says so on standard output, and names a process that it has killed itself
        assert "Killed (signal 9)" in out, out
        return
    assert out == ""
    assert f"rank {killed}" in err.lower() and "signal 9" in err or "EXIT CODE: 9" in err, err
