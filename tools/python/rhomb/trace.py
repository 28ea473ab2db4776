# SPDX-License-Identifier: Apache-2.0
"""Summary of a time line that `rhomb distance --trace FILE` wrote (Chrome's trace JSON)."""

import json
from pathlib import Path

from rhomb.data import Problem, time_tick


def read(path):
    """The events of a trace and what it says of the run."""
    try:
        whole = json.loads(Path(path).read_text(encoding="utf-8"))
        events = whole["traceEvents"] if isinstance(whole, dict) else whole
        slices = [event for event in events if event.get("ph") == "X"]
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path}: not a trace that rhomb --trace wrote") from error
    if not slices:
        raise Problem(f"{path}: the trace has no events")
    notes = whole.get("otherData", {}) if isinstance(whole, dict) else {}
    return slices, notes


def _united(slices):
    """Seconds that at least one of the slices covers."""
    covered, reached = 0.0, float("-inf")
    for event in sorted(slices, key=lambda one: one["ts"]):
        end = event["ts"] + event["dur"]
        covered += max(0.0, end - max(event["ts"], reached))
        reached = max(reached, end)
    return covered * 1e-6


def rows(slices):
    """A row for each kernel, kind of copy and phase of the host, the longest first: category, name, count, seconds,
    mean, longest, share (of the time from the first event to the last)."""
    span = (max(e["ts"] + e["dur"] for e in slices) - min(e["ts"] for e in slices)) * 1e-6
    groups = {}
    for event in slices:
        groups.setdefault((event.get("cat", "host"), event["name"]), []).append(event["dur"] * 1e-6)
    order = {"launch": 0, "memory": 1, "host": 2}
    made = [
        {
            "category": category,
            "name": name,
            "count": len(times),
            "seconds": sum(times),
            "mean": sum(times) / len(times),
            "longest": max(times),
            "share": sum(times) / span if span else None,
        }
        for (category, name), times in groups.items()
    ]
    return sorted(made, key=lambda row: (order.get(row["category"], 3), -row["seconds"]))


def usage(slices):
    """(span, busy, idle share) in seconds while the host computed: its phases "compute", without building, testing and
    packing (all of the time where there is no such phase). Busy: at least one command ran. None without a device.
    """
    device = [event for event in slices if event.get("cat") in ("launch", "memory")]
    if not device:
        return None
    phases = [e for e in slices if e.get("cat") == "host" and e["name"] == "compute"] or device
    span = busy = 0.0
    reached = float("-inf")
    for phase in sorted(phases, key=lambda one: one["ts"]):
        begin, end = max(phase["ts"], reached), phase["ts"] + phase["dur"]
        inside = [
            {"ts": max(e["ts"], begin), "dur": min(e["ts"] + e["dur"], end) - max(e["ts"], begin)}
            for e in device
            if e["ts"] < end and e["ts"] + e["dur"] > begin
        ]
        span += max(0.0, end - begin) * 1e-6
        busy += _united(inside)
        reached = max(reached, end)
    return span, busy, 1 - busy / span if span else 0.0


def words(slices):
    """One line: how busy the device was."""
    known = usage(slices)
    if known is None:
        return "no OpenCL device computed"
    span, busy, idle = known
    return f"while computing the device was busy {_time(busy)} of {_time(span)} ({100 * idle:.1f}% idle)"


def picture(slices, name="trace"):
    """What took the device's time."""
    from rhomb import charts

    made = [row for row in rows(slices) if row["category"] != "host"]
    if not made:
        raise Problem("the trace has no command of a device")
    lines = [(row["name"], f"{row['count']:,} x {_time(row['mean'])}", row["seconds"]) for row in made[:14]]
    known = usage(slices)
    lines.append(("(idle)", f"{100 * known[2]:.1f}%", known[0] - known[1]))
    return charts.bars(name, "Where the device's time went", words(slices), "time, queues added", lines, time_tick)


def _time(seconds):
    return (
        f"{seconds * 1e6:,.1f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:,.2f} ms" if seconds < 1 else f"{seconds:.3f} s"
    )
