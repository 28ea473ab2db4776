"""rhomb help: manual pages, and completions in the shells themselves. Both come from the tables of options, so what is
tried here is that each shell takes its script, and that nothing is left out of the pages."""
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

VERBS = ["distance", "align", "search", "lcs", "gaps", "primer", "merge", "variants", "devices", "tune", "bench", "help"]


def needs(program):
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def options_of(text):
    return set(re.findall(r"^ +(?:-\w, )?(--[a-z][-a-z]+)", text, re.M))


def test_verbs_are_all_there(rhomb):
    assert re.findall(r"^  (\w+) ", rhomb("help").out.split("Verbs:\n")[1].split("\n\n")[0], re.M) == VERBS
    assert rhomb("help").out == rhomb("--help").out
    assert rhomb("help bench pairs").out == rhomb("bench pairs --help").out


def test_wrong_help(rhomb):
    rhomb("help serch", code=2).says("did you mean 'search'")
    rhomb("help bench pears", code=2).says("rhomb bench has no 'pears' .*did you mean 'peers'")
    rhomb("help search text", code=2).says("rhomb search has no 'text'")
    rhomb("help --format zsh search", code=2).says("zsh is for all verbs")
    rhomb("help --format csh", code=2).says("choose one of text, man, bash, zsh, fish")


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_manual_pages(rhomb, tmp_path, verb):
    page = tmp_path / "page.1"
    rhomb("help --format man", verb, "-o", page)
    source = page.read_text()
    assert f".Nm rhomb{'-' if verb else ''}{verb}\n" in source
    # What --help has, the page has.
    words = set(re.findall(r"[\w-]{4,}", source.replace("\\-", "-")))
    named = {name.lstrip("-") for name in options_of(rhomb("help", verb).out)}
    assert len(named) >= (0 if verb == "bench" else 2)  # those of bench are its parts'
    assert named <= {word.lstrip("-") for word in words}
    said = subprocess.run([needs("mandoc"), "-Tlint", "-Wstyle", page], capture_output=True, text=True).stdout
    # The other pages are not installed here.
    assert [line for line in said.splitlines() if "referenced manual not found" not in line] == []
    shown = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True, check=True).stdout
    assert "\\" not in re.sub(r".\x08", "", shown)


def in_bash(rhomb, tmp_path, at_end):
    rhomb("help --format bash -o rhomb.bash")
    shell = needs("bash")

    def completed(line):
        words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith(" ") else [])
        words[0] = str(rhomb.path)
        script = 'source rhomb.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rhomb; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run([shell, "--norc", "-c", script, "bash", *words], cwd=tmp_path, env=rhomb.environment,
                              capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return completed


def in_fish(rhomb, tmp_path, at_end):
    rhomb("help --format fish -o rhomb.fish")
    shell = needs("fish")
    path = f"{rhomb.path.parent}:{os.environ['PATH']}"

    def completed(line):
        done = subprocess.run([shell, "--no-config", "-c", "source rhomb.fish; complete -C $argv[1]", line], cwd=tmp_path,
                              env={**rhomb.environment, "PATH": path}, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return [re.sub("^--[a-z-]+=", "", row.split("\t")[0]) for row in done.stdout.splitlines()]

    return completed


ZSH = r"""
PROMPT= RPROMPT=
unsetopt zle_bracketed_paste
autoload -U compinit; compinit -D -u
source ./_rhomb
compadd() {
  local -a hits
  if [[ " $* " != *" -"[OAD]" "* ]]; then builtin compadd -A hits "$@"; print -rl -- $hits >> hits; fi
  builtin compadd "$@"
}
ended() { print -r -- END >> hits; BUFFER= }
zle -N ended
bindkey '^I' complete-word '^T' ended
print -r READY >> hits
"""


def in_zsh(rhomb, tmp_path, at_end):
    """Types at a terminal, and lists what is added as a match."""
    rhomb("help --format zsh -o _rhomb")
    shell = needs("zsh")
    (tmp_path / ".zshrc").write_text(ZSH)
    hits = tmp_path / "hits"
    hits.write_text("")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execve(shell, ["zsh", "-i"], {**rhomb.environment, "ZDOTDIR": str(tmp_path), "TERM": "dumb",
                                         "PATH": f"{rhomb.path.parent}:{os.environ['PATH']}"})
    os.set_blocking(terminal, False)
    at_end(lambda: (os.kill(child, signal.SIGKILL), os.waitpid(child, 0), os.close(terminal)))

    def wait_for(word):
        for _ in range(3000):
            try:
                os.read(terminal, 65536)  # so that it is never full
            except BlockingIOError:
                pass
            if word in hits.read_text().split("\n"):
                return
            time.sleep(0.01)
        pytest.fail(f"zsh does not come to {word}")

    def completed(line):
        wait_for("READY")
        hits.write_text("READY\n")
        os.write(terminal, line.encode() + b"\t\x14")
        wait_for("END")
        return hits.read_text().split("\n")[1:-2]

    return completed


@pytest.mark.parametrize("shell", [in_bash, in_zsh, in_fish])
def test_completions(rhomb, tmp_path, write, request, shell):
    write("genome.fa", ">a\nACGT\n")
    (tmp_path / "genomes").mkdir()
    completed = shell(rhomb, tmp_path, request.addfinalizer)
    assert set(completed("rhomb ")) >= set(VERBS)
    assert set(completed("rhomb distance --ma")) == {"--matrix", "--max-distance"}
    assert "--best" in completed("rhomb search --be") and "--best" not in completed("rhomb distance --be")
    assert set(completed("rhomb distance --engine ")) == {"auto", "strips", "corridor", "wavefront", "reference"}
    assert completed("rhomb align --format=v") == ["vcf"]
    listed = {row["variant"] for row in rhomb("variants --format json").json if row["verb"] == "lcs"}
    assert set(completed("rhomb lcs --variant ")) == listed
    devices = {str(row["index"]) for row in rhomb("devices --format json").json}
    assert set(completed("rhomb lcs --device ")) >= {"cpu", "gpu", "all", *devices}
    assert any(name.startswith("genome.fa") for name in completed("rhomb distance geno"))
    assert {name.rstrip("/") for name in completed("rhomb distance --kernels geno")} == {"genomes"}
    assert set(completed("rhomb bench pa")) >= {"pairs"}
    assert "--wfa-gpu" in completed("rhomb bench pairs --wf")
