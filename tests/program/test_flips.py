"""Turns over single bits of what strips and wavefronts keep on a device (state, rings, borders, rows, texts) and of what is read
back, between launches: the fault is found and what it touched computed again, or it was harmless. Never a wrong distance.

The layer that does it is that of test_faults.py: RHOMB_FLIP=strip_pair:2:7:100:5 turns bit 5 of word 100 of the kernel's argument 2
over before its 7th launch.
"""
import json
import os
import random
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT, fasta, mutate, random_text

def some_sum(chosen, launch):
    """A word of what wavefronts tell the host that launches up to this one have come to (cl/wfa/launch.h)."""
    return chosen.choice([chosen.randrange(4), 4 + chosen.randrange(2) * 1024 + chosen.randrange(launch)])


@dataclass
class Engine:
    """A kernel, what runs it, what its arguments are, and which words of them are in use at a launch, if not all are."""
    kernel: str
    options: str
    arguments: dict
    words: dict
    length: int
    divergence: float
    saves: bool  # --checkpoint, where alone texts are looked at


ENGINES = {
    "strips": Engine("strip_pair", "--variant strips-blocks --config BLOCK=1,BATCH=4,SLAB=32,K=2,LANES=4",
                     {"pattern": 0, "text": 1, "state": 2, "ring": 3, "border": 4}, {}, 9000, 0.3, False),
    "wavefront": Engine("wfa_fused", "--variant fused --config STEPS=8,DIAGS=8,VEC=4,BATCH=4 -d 0",
                        {"pattern": 0, "text": 1, "rows": 2, "status": 5},
                        # three places of rows in both directions, which begin with room for 2^14 diagonals
                        {"rows": lambda chosen, launch: chosen.randrange(6) * 2**14 + chosen.randrange(16 * launch),
                         "status": some_sum, "read": some_sum}, 20000, 0.1, True)}
PLACES = [(name, what) for name, engine in ENGINES.items() for what in [*engine.arguments, "read"]]


@pytest.fixture(scope="module")
def all_flips(shared_rhomb):
    layer = Path(os.environ.get("RHOMB_FAULT_LAYER", ROOT / "build/checked/tests/librhomb_fault.so"))
    if not layer.is_file():
        pytest.fail(f"there is no layer {layer}: build the target rhomb_fault")
    return {name: Flips(shared_rhomb, layer, engine) for name, engine in ENGINES.items()}


@pytest.fixture
def flips(all_flips):
    return all_flips["strips"]


class Flips:
    def __init__(self, rhomb, layer, engine):
        self.rhomb, self.layer, self.engine, self.log = rhomb, layer, engine, rhomb.folder / "calls"
        a = random_text(engine.length, 1)
        self.files = [f"{engine.kernel}_{name}.fa" for name in "ab"]
        (rhomb.folder / self.files[0]).write_text(fasta([("a", a)]))
        (rhomb.folder / self.files[1]).write_text(fasta([("b", mutate(a, engine.divergence, 2))]))
        self.run("read:0:0:0:0")  # compiles, tests itself
        code, row, _ = self.run(f"{engine.kernel}:0:0:0:0")
        assert code == 0 and "faults" not in row.get("certificate", {})
        self.distance = row["distance"]
        lines = self.log.read_text().splitlines()
        self.launches = lines.count(engine.kernel)
        self.reads = lines.count("clEnqueueReadBuffer")
        assert self.launches > 20 and self.reads > 10

    def run(self, flip, more=""):
        """Exit code, answer, standard error."""
        self.log.unlink(missing_ok=True)
        if self.engine.saves and not more:
            shutil.rmtree(self.rhomb.folder / "kept", ignore_errors=True)
            more = "--checkpoint kept"
        env = {"OPENCL_LAYERS": self.layer, "RHOMB_FAULT_LOG": self.log, "RHOMB_FLIP": flip}
        child = self.rhomb.start("distance", *self.files, "--format json", self.engine.options, more, env=env, stdout=-1, stderr=-1)
        out, err = child.communicate(timeout=100)
        return child.returncode, json.loads(out) if out else None, err.decode()

    def outcome(self, flip):
        code, row, err = self.run(flip)
        if code == 6:
            return "refused"
        if code != 0:
            return f"exit code {code}: {err}"
        if row["distance"] != self.distance:
            return "missed"
        if "faults" not in row.get("certificate", {}):
            return "harmless"
        assert row["certificate"]["faults"] == 1 and "it was computed again" in err
        return "found"

    def try_some(self, what, count, seed):
        """How often each outcome came."""
        chosen = random.Random(seed)
        outcomes = Counter()
        for _ in range(count):
            number = chosen.randint(1, self.reads if what == "read" else self.launches)
            word = self.engine.words.get(what, lambda chosen, launch: chosen.randrange(1 << 30))(chosen, number)
            where = "read:0" if what == "read" else f"{self.engine.kernel}:{self.engine.arguments[what]}"
            flip = f"{where}:{number}:{word}:{chosen.randrange(32)}"
            outcome = self.outcome(flip)
            outcomes[outcome] += 1
            assert outcome in ("found", "harmless", "refused"), f"{flip}: {outcome}"
        print(what, dict(outcomes))
        return outcomes


@pytest.mark.parametrize("name, what", PLACES)
def test_some_bits(all_flips, name, what):
    # (Of rings and borders little is still needed at a moment.)
    outcomes = all_flips[name].try_some(what, 8 if what in ("state", "rows") else 4, 5)
    assert outcomes["found"] > 0 or what in ("ring", "border")


def test_a_fault_late_goes_back_to_the_rows_before(flips, tmp_path):
    code, row, err = flips.run(f"strip_pair:0:{flips.launches - 3}:1000:5", f"--checkpoint {tmp_path / 'saved'}")
    assert code == 0 and row["distance"] == flips.distance and row["certificate"]["faults"] == 1
    assert "it was computed again" in err


def test_a_device_that_fails_again_and_again_is_refused(flips):
    code, row, err = flips.run("strip_pair:0:-1:1000:5")
    assert code == 6 and row is None and "is not what was written there: memory, or a transfer, has failed" in err


def test_wavefronts_go_back_to_the_rows_before(all_flips, tmp_path):
    flips = all_flips["wavefront"]
    code, row, err = flips.run(f"wfa_fused:0:{flips.launches - 3}:1000:5", f"--checkpoint {tmp_path / 'saved'} --every 0.001")
    assert code == 0 and row["distance"] == flips.distance and row["certificate"]["faults"] == 1
    assert "the first text on " in err and "is not what was written there" in err and "it was computed again" in err
    code, row, err = flips.run("wfa_fused:2:-1:8:5")
    assert code == 6 and row is None and "is not what was written there: memory, or a transfer, has failed" in err


@pytest.mark.slow
@pytest.mark.parametrize("name, what", PLACES)
def test_many_bits(all_flips, name, what):
    """Some minutes; as many altogether as RHOMB_FLIPS says."""
    outcomes = all_flips[name].try_some(what, int(os.environ.get("RHOMB_FLIPS", 1100)) // len(PLACES), 6)
    assert outcomes["found"] > 0
