# SPDX-License-Identifier: Apache-2.0
"""The papers' own numbers: papers_data/*.json."""

import json
from importlib import resources


def paper(name):
    return json.loads(resources.files("rhomb.papers_data").joinpath(f"{name}.json").read_text(encoding="utf-8"))
