# SPDX-License-Identifier: Apache-2.0
"""What a cell takes of a device, an estimate counted by hand in the kernels: operations on words of 32 bits, and bytes
of device memory."""

import math

PLANES = 2  # of random texts over ACGT


def work(trial):
    """(operations, bytes) a cell of a trial that was measured; None for a variant that is not known here."""
    used, task = trial["used"] or trial["config"], trial
    if trial["engine"] == "strips":
        return _strips(used, trial["device"])
    if trial["engine"] == "lcs":
        return _lcs(used, task)
    if trial["engine"] == "search":
        return _batch(used, task) if trial["variant"] == "strips-batch" else _columns(used, task)
    return _wavefront(used, trial) if trial["engine"] == "wavefront" else None


def _strips(used, device):
    """Five three-input operations a cell and one a plane; four and one a plane more for the K cells of a column; 32 at
    once (cl/strip/step.h)."""
    k, slab = used.get("K", 1), used.get("SLAB", 64)
    teams = used.get("FLOW", 0) != 0 and device.startswith("NVIDIA")
    group = 32 if teams else used.get("LANES", 1) * used.get("WG", 1)
    # A word of 32 strips fills 32 K rows of 32 columns. A group reads the text's word once, and the words of
    # differences that the group above has put out, and puts out its own.
    cells = 32 * 32 * k
    between = 4 * (PLANES + 4) / group
    # Each launch loads the state of each word and stores it: differences, symbols, and the rest.
    state = 2 * 4 * ((2 + PLANES) * k + 5) / slab
    return ((5 + PLANES) * k + 4 + PLANES) / (32 * k), (between + state) / cells


def _wavefront(used, trial):
    """Nine operations a cell, and 31 more in the part of the cells that read 32 symbols of both texts."""
    # The part of the cells that use up a window of 32 symbols: an edit takes a diagonal on by so many symbols.
    windows = min(1.0, trial["length"] / max(trial["distance"], 1) / 32)
    tile = 16 / used.get("T", 1)  # a tile of 2 T * T cells reads two rows of 2 T diagonals and writes them
    if trial["variant"] == "fused":
        width = used.get("WG", 1) * used.get("VEC", 1) * used.get("DIAGS", 1)
        steps = used.get("STEPS", 32)
        # A launch reads a row, with what neighbouring groups both read, looks at half of the facing one, writes one.
        again = width / max(width - 2 * steps, 1)
        row_bytes, reads = 4 * (1.5 * again + 1) / steps, windows
    elif trial["variant"] in ("group", "diamond"):
        row_bytes, reads = tile, windows
    elif trial["variant"] in ("tiled-register", "tiled-local"):
        row_bytes, reads = tile, 1
    elif trial["variant"] in ("tiled-global", "prefetch", "batched", "dynamic", "baseline"):
        row_bytes, reads = 8, 1  # these read the texts in each cell, and the row
    else:
        return None
    # Texts count once: two bits a symbol are what caches keep.
    texts = trial["length"] * 2 * PLANES / 8
    return 9 + 31 * reads, row_bytes + texts / max(trial["cells"], 1)


def _task_bytes(m, n):
    """Bytes a cell of tasks with queries of m and pieces of n symbols: texts, the task, its answer."""
    return ((m + n) * PLANES / 8 + 40) / (m * n)


def _batch(used, trial):
    """Strips in slots (cl/search/slots.h), which go through passes of SLOT strips."""
    m = trial["length"]
    n = m + m // 5
    k, slot = used.get("K", 16), used.get("SLOT", 32)
    strips = math.ceil(m / k)
    steps = math.ceil(strips / slot) * (n + min(strips, slot) - 1)
    step = (5 + PLANES) * k + 14 + 3 * PLANES
    return steps * step * slot / 32 / (m * n), _task_bytes(m, n)


def _columns(used, trial):
    """Columns of words (cl/search/step.h): in all lanes of a team that share a task, or in one work-item. What lanes
    wait for each other is no operation."""
    m = trial["length"]
    n = m + m // 5
    team = trial["variant"] == "coop"
    lanes = 32 / used.get("R", 32) if team else 1
    words = used.get("W", 4) if team else math.ceil(m / 32)
    read = not team or used.get("PROFILE", 0) != 0
    word = (10 if read else 9 + PLANES) + (1.5 if lanes > 1 and used.get("VIA", 3) < 3 else 0)
    columns = n + (lanes - 1 if lanes > 1 else 0)
    return columns * lanes * (word * words + 5 + 2 * PLANES) / (m * n), _task_bytes(m, n)


def _lcs(used, trial):
    """Operations of a column over the cells of a column, which are m of the rows that blocks have. Blocks read the
    text, and hand on some bits a column."""
    m = trial["length"]
    k, s, w = used.get("K", 16), used.get("S", 32), used.get("W", 32)
    strips, allison = trial["variant"] == "strips-lcs", trial["variant"] == "allison-dix"
    blocks = math.ceil(m / (s * k if strips else 32 * w))
    moved = (1 if s == 32 else 3) * (PLANES + 3)
    if strips:
        column = ((2 + PLANES) * k + moved) * (m + s) / m * s / 32
    else:
        column = (4 if allison else 3) * w + 12
    stream = (2 * (2 if allison else 1)) if blocks > 1 else 0
    return blocks * column / m, blocks * (PLANES + stream) / 8 / m
