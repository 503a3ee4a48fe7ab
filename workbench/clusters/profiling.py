"""Starts Flink's own profiler on one process of a cluster, waits for it, and takes the flame graph that it wrote.

This is the only thing that a collection starts in a cluster: a person asks for it. Flink 1.19 and later have it, with
`rest.profiling.enabled`: async-profiler runs for the given seconds and writes an HTML page. Source: Flink
documentation, "Profiler" (https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/profiler/).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from diagnostics.collect_flink import Progress, Unanswered
from workbench.clusters.connection import Answer, PinnedCluster
from workbench.languages.sentences import say, say_later

MODES = {
    "ITIMER": say_later("CPU time, by timer signals"),
    "CPU": say_later("CPU time, by the kernel's events"),
    "WALL": say_later("Elapsed time: also of threads that wait"),
    "LOCK": say_later("Waiting for locks"),
    "ALLOC": say_later("Allocated memory"),
}
"""Mode of the profiler -> what it samples. ITIMER first: it needs no right in the kernel."""
LEAST_SECONDS, MOST_PROFILE_SECONDS = 5, 300
"""Duration of a profile. Flink's own limit is `rest.profiling.duration-max`, 300 s by default."""
GRACE_SECONDS = 60.0
"""How long the profiler may need beyond its duration, to start and to write. Our choice."""
LOOK_EVERY_SECONDS = 2.0
MOST_ASKED = 50
"""TaskManagers whose load is compared when none is named. Our choice."""
MOST_PAGE_BYTES = 100_000_000
JOB_MANAGER = "jobmanager"
LONGEST_PROCESS = 200
PROCESS = re.compile(r"[A-Za-z0-9._:@-]{0,200}")
"""A TaskManager's id, `jobmanager`, or nothing for the TaskManager with the highest load."""
FILE = re.compile(r"(?!\.+$)[A-Za-z0-9._:@-]{1,300}")
"""The name of a profile: Flink begins it with the id of the TaskManager."""

Post = Callable[[str, bytes], Answer]
"""Posts JSON to a path of the cluster."""


def take_profile(
    cluster: PinnedCluster, post: Post, target: Path, process: str, mode: str, seconds: int, progress: Progress
) -> str:
    """Writes the page of the profile; gives the id of the process. Raises Unanswered."""
    progress.label = say("profiling for {seconds} s", seconds=seconds)
    process = process or _busiest(cluster)
    place = f"/{JOB_MANAGER}/profiler" if process == JOB_MANAGER else f"/taskmanagers/{quote(process)}/profiler"
    try:
        _profiles(cluster, place)
    except Unanswered as error:
        if error.status == 404:
            raise Unanswered(
                say("this cluster has no profiler: it needs Flink 1.19 or later and `rest.profiling.enabled: true`")
            ) from None
        raise
    started = _started(post(place, json.dumps({"mode": mode, "duration": seconds}).encode()))
    name = _finished(cluster, place, started, seconds, progress)
    with target.open("wb") as page:
        for piece in cluster.pieces(f"{place}/{quote(name)}", MOST_PAGE_BYTES):
            page.write(piece)
    return process


def _busiest(cluster: PinnedCluster) -> str:
    """The TaskManager whose JVM has the highest CPU load; the first one where that is not known."""
    _, answer = cluster.json("/taskmanagers")
    listed = answer.get("taskmanagers") if isinstance(answer, dict) else None
    known = [each["id"] for each in listed or () if isinstance(each, dict) and PROCESS.fullmatch(str(each.get("id")))]
    if not known:
        raise Unanswered(say("the cluster has no TaskManager to profile"))
    loads = {each: _load(cluster, each) for each in known[:MOST_ASKED]}
    return str(max(known[:MOST_ASKED], key=lambda each: loads[each]))


def _load(cluster: PinnedCluster, process: str) -> float:
    _, answer = cluster.json(f"/taskmanagers/{quote(process)}/metrics?get=Status.JVM.CPU.Load")
    try:
        return float(answer[0]["value"])
    except (LookupError, TypeError, ValueError):
        return -1.0


def _profiles(cluster: PinnedCluster, place: str) -> list[dict[str, Any]]:
    _, answer = cluster.json(place)
    listed = answer.get("profilingList") if isinstance(answer, dict) else None
    return [each for each in listed or () if isinstance(each, dict)]


def _started(answer: Answer) -> Any:
    """The moment at which the profiler started, by which the list names it. Raises Unanswered when it did not."""
    try:
        content = json.loads(answer.text)
    except (ValueError, RecursionError):
        content = None
    if answer.status != 200 or not isinstance(content, dict) or "triggerTime" not in content:
        reason = " ".join(map(str, content.get("errors", ()))) if isinstance(content, dict) else answer.text
        raise Unanswered(
            say("the profiler did not start: {error}", error=f"HTTP {answer.status}: {' '.join(reason.split())[:200]}")
        )
    return content["triggerTime"]


def _finished(cluster: PinnedCluster, place: str, started: Any, seconds: int, progress: Progress) -> str:
    """Waits for the profile; gives the name of its file. Raises Unanswered, and what `progress` raises."""
    end = time.monotonic() + seconds + GRACE_SECONDS
    while time.monotonic() < end:
        progress.show(cluster, place)
        own = next((each for each in _profiles(cluster, place) if each.get("triggerTime") == started), {})
        name = str(own.get("outputFile"))
        if own.get("status") == "FINISHED" and FILE.fullmatch(name):
            return name
        if own.get("status") == "FAILED":
            message = " ".join(str(own.get("message")).split())[:200]
            raise Unanswered(say("the profiler failed: {error}", error=message))
        time.sleep(LOOK_EVERY_SECONDS)
    raise Unanswered(
        say("the profiler was not done {grace:g} s after its {seconds} s", grace=GRACE_SECONDS, seconds=seconds)
    )
