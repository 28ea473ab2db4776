"""tools/profile with a stand-in for ncu and for the program: the arguments it gives, the table it prints of
them and of recorded files (tests/data/ncu*.csv), and what it says when something is missing."""
import os
import shutil
import subprocess
from glob import glob

import pytest

from conftest import ROOT, Run

RHOMB = r"""#!/bin/sh
case "$*" in
  "gaps "*" --variant cuda-gaps-lanes --progress none --max-gaps 2 --all-pairs")
    printf '#query\tscore\na\t3\nb\t4\n'; exit ;;
  search*) printf '#query\tdistance\na\t3\n'; exit ;;
esac
printf '#query\tquery_length\ttarget\ttarget_length\tdistance\tsimilarity\tengine\tvariant\tdevice\n'
printf 'a\t9\tb\t8\t3\t0.9\tstrips\tcuda-strips\tNVIDIA H200\n'
"""

# Two launches: 2,000 and 2,000 instructions of the pipe in 1,500 and 500 clocks.
NCU = r"""#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in
    --log-file) log=$2; shift ;;
    --metrics) names=$2; shift ;;
    --launch-count) [ "$2" = 7 ] || exit 9; shift ;;
    --clock-control) [ "$2" = none ] || exit 9; shift ;;
    --kernel-name) [ "$2" = "regex:${KERNEL:-strip_flow}" ] || exit 9; shift ;;
    --launch-skip | --page | --print-units) shift ;;
    --csv) ;;
    *) break ;;
  esac
  shift
done
"$@" || exit
row() {  # ID TIME CLOCKS
  printf '"%s","1","rhomb","strip_flow(Launch, unsigned int)"' "$1"
  for name in ${names//,/ }; do
    case $name in
      gpu__time*) value=$2 ;;
      sm__cycles_active.sum | sm__cycles_elapsed.sum) value=$3 ;;
      sm__inst_executed_pipe_alu.sum) value=2,000 ;;
      smsp__inst_executed.sum) value=2,500 ;;
      launch__grid_size) value=8 ;;
      launch__block_size) value=128 ;;
      launch__registers*) value=56 ;;
      smsp__issue_active.sum) value=800 ;;
      smsp__cycles_active.sum) value=1,000 ;;
      *stalled_wait*) value=3.5 ;;
      *stalled_*) value=0.1 ;;
      *) value=12.5 ;;
    esac
    printf ',"%s"' "$value"
  done
  echo
}
{
  echo "==PROF== Connected to process 1"
  printf '"ID","Process ID","Process Name","Kernel Name"'
  for name in ${names//,/ }; do printf ',"%s"' "$name"; done
  printf '\n"","","",""'
  for name in ${names//,/ }; do case $name in gpu__time*) printf ',"ns"' ;; *) printf ',""' ;; esac; done
  echo
  if [ -z "${EMPTY:-}" ]; then row 0 1,500,000 1,500; row 1 500,000 500; fi
} > "$log"
"""


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def profile(tmp_path):
    (tmp_path / "bin").mkdir()
    script(tmp_path / "rhomb", RHOMB)
    script(tmp_path / "bin" / "ncu", NCU)
    (tmp_path / "a.fa").write_text(">a\n")

    def profile(arguments="", fails=False, **env):
        arguments = arguments.replace("a.fa", str(tmp_path / "a.fa")).split()
        command = [str(ROOT / "tools/profile"), "--rhomb", str(tmp_path / "rhomb"), "--launches", "7", *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", **env})
        run = Run(" ".join(command), done.returncode, done.stdout, "")
        if (run.code != 0) != fails:
            run.fail("succeeded" if fails else "failed")
        return run

    return profile


def test_table(profile, tmp_path):
    profile(f"a.fa a.fa --csv {tmp_path / 'kept'} -- --config K=4").prints(
        "^a / b: distance 3, NVIDIA H200$",
        "^kernel strip_flow, 2 launches, up to 8 blocks of 128 work-items$",
        r"^duration +2\.000 ms",
        r"a clock +64\.0 .*: 100%$",
        r"6\.40e\+07 +a second",
        r"^issue slots busy +80%",
        "^registers +56",
        r"^  wait +3\.50 ",
        "^spills +50 B ",
        r"^DRAM +50 B +25\.00 kB/s, 12\.5% of")
    assert (tmp_path / "kept").stat().st_size > 0


def test_search(profile):
    profile("--search a.fa a.fa", KERNEL="search_batch").prints(r"a\.fa in .*a\.fa: 1 occurrences, cuda-strips-batch$")
    profile("--search --variant cuda-coop a.fa a.fa", KERNEL="search_coop").prints(" 1 occurrences, cuda-coop$")
    profile("--search --kernel other a.fa a.fa", KERNEL="other")


def test_gaps(profile):
    profile("--gaps 2 a.fa a.fa -- --all-pairs", KERNEL="gaps_lanes").prints(
        r"a\.fa with .*a\.fa: 2 pairs, cuda-gaps-lanes$")


def test_recorded(profile):
    """Each kernel by itself, launches counted by their time, other units."""
    run = profile("--read tests/data/ncu.csv").prints(
        "^kernel strip_flow, 2 launches, up to 264 blocks of 128 work-items$",
        r"^duration +4\.000 ms",
        r"a clock +48\.0 .*: 75%$",
        r" 48\.0 +of 64 lanes of any multiprocessor: 75%$",
        "^its instructions +97%",
        "^issue slots busy +80%",
        "^occupancy +18% .* allow 50%$",
        "^registers +56 ",
        "^spills +0 B ",
        r"^L2 +8\.00 MB +2\.00 GB/s, 5\.0% of what it could be$",
        r"^DRAM +3\.00 MB +750\.00 MB/s, 0\.8% of",
        r"^  math_pipe_throttle +0\.50 +14%$",
        "^kernel strip_other, 1 launches, up to 8 blocks of 64 work-items$",
        r"^spills +4\.10 kB ",
        *(f"^{what} +n/a +not in what ncu said$"
          for what in ("logic pipe", "issue slots busy", "occupancy", "L2", "DRAM")))
    assert len([line for line in run.lines if line.startswith("kernel ")]) == 2


def test_recorded_on_a_gpu(profile):
    run = profile("--read tests/data/ncu-h200.csv").prints(
        "^kernel strip_flow, 3 launches, up to 182 blocks of 128 work-items$",
        r"^duration +5\.614 ms",
        r"a clock +35\.6 .*: 56%$",
        "^its instructions +93%",
        "^occupancy +8% .* allow 25%$",
        "^spills +0 B ",
        r"^L2 +559\.27 MB +99\.62 GB/s, 2\.3% of",
        r"^DRAM +21\.60 MB +3\.85 GB/s, 0\.1% of",
        r"^  long_scoreboard +1\.08 +26%$")
    assert "n/a" not in run.out


@pytest.mark.parametrize("arguments, message", [
    ("--search", "needs two files"),
    ("--search --variant coop a.fa a.fa", "not 'coop'"),
    ("--variant cuda-coop a.fa a.fa", "needs --search"),
    ("--gaps 2", "needs two files"),
    ("--gaps", "needs a value"),
    ("--gaps 2 --search a.fa a.fa", "two things"),
    ("--gaps 2 --variant gaps-lanes a.fa a.fa", "not 'gaps-lanes'"),
    ("--read a.fa", "holds no launch"),
    ("--read nowhere", "."),
    ("--read tests/data/ncu.csv a.fa", "."),
    ("--frobnicate", "unknown option '--frobnicate'"),
    ("one", "."),
    ("nowhere a.fa", "cannot read 'nowhere'"),
])
def test_wrong_arguments(profile, arguments, message):
    profile(arguments, fails=True).prints(message)


def test_what_is_missing(profile, tmp_path):
    profile(EMPTY="1", fails=True).prints("profiled no launch")
    script(tmp_path / "rhomb", "#!/bin/sh\necho \"rhomb: unknown variant '$5'; there are: strips\" >&2; exit 2\n")
    profile(EMPTY="1", fails=True).prints("built without CUDA")
    (tmp_path / "bin" / "ncu").unlink()
    installed = [*glob("/opt/nvidia/nsight-compute/*/ncu"), "/usr/local/cuda/bin/ncu"]
    if not shutil.which("ncu") and not any(os.access(path, os.X_OK) for path in installed):
        profile(fails=True).prints("ncu is missing: install Nsight Compute")
    (tmp_path / "rhomb").unlink()
    profile(fails=True).prints("there is no program")
    profile("--help").prints("^usage: ")
