"""Flink REST `/jobs/<id>/vertices/<id>/flamegraph`: sampled stacks of a task's threads as a tree with counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from diagnostics.errors import LimitExceeded
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.profiler_stack import FrameAllowance, stack_batches
from diagnostics.notation.rest_document import RestDocument, items, moment, number, rest_reader, rest_shape
from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name

MOST_STACKS = 50_000
"""Distinct stacks of one flame graph; 100 samples of some hundred subtasks give a few thousand. Our choice."""

NO_SAMPLES = {
    -1: to_say("the task had ended, there was nothing to sample"),
    -2: to_say("flame graphs are off: set rest.flamegraph.enabled: true"),
    -3: to_say("Flink was still waiting for the first samples: ask again after some seconds"),
}
"""`endTimestamp` of an answer without samples. Source: Flink's JobVertexFlameGraph."""

_MODE = re.compile(r"(on|off)[-_]?cpu", re.IGNORECASE)


def _fits(seen: Outline) -> bool:
    return seen.has("", "endTimestamp") and seen.keys[""] <= {"endTimestamp", "data"}


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    ts_ms = moment(answer["endTimestamp"]) or document.snapshot_ms
    tree = answer.get("data")
    if tree is None:
        reason = NO_SAMPLES.get(answer["endTimestamp"], say("it holds no samples"))
        yield Coverage(records=1, warnings=(say("an empty flame graph: {reason}", reason=reason),))
        return
    named = {
        "ts_ms": ts_ms,
        "profile": "flame-graph",
        "mode": _mode(document.name),
        "job_id": document.path.job_id,
        "vertex_id": document.path.vertex_id,
        "subtask": document.path.subtask,
        **document.at("data"),
    }
    stacks = _Counted(_stacks(tree))
    yield from stack_batches({**named, "frames": frames, "weight": weight} for frames, weight in stacks)
    yield Coverage(records=stacks.count, warnings=tuple(stacks.warnings), first_ts_ms=ts_ms, last_ts_ms=ts_ms)


class _Counted:
    """The stacks, bounded and counted while they are taken."""

    def __init__(self, stacks: Iterable[tuple[list[str], float]]) -> None:
        self._stacks = stacks
        self.count = 0
        self.warnings: list[str] = []

    def __iter__(self) -> Iterator[tuple[list[str], float]]:
        allowance = FrameAllowance()
        for frames, weight in self._stacks:
            if self.count == MOST_STACKS:
                raise LimitExceeded(
                    say("a flame graph of more than {most_stacks:,} distinct stacks", most_stacks=MOST_STACKS)
                )
            if not allowance.take(len(frames)):
                break
            self.count += 1
            yield frames, weight
        allowance.report(self.warnings.append)


def _mode(name: str) -> str:
    """The mode from the file's name; without a type Flink answers with the full graph."""
    found = _MODE.search(name.replace("\\", "/").rpartition("/")[2])
    return f"{found.group(1).lower()}-cpu" if found else "full"


def _stacks(tree: dict[str, Any]) -> Iterator[tuple[list[str], float]]:
    """Each node with samples of its own, with its frames from the root (Flink's node `root` is no frame)."""
    waiting: list[tuple[dict[str, Any], list[str]]] = [(tree, [])]
    while waiting:
        node, above = waiting.pop()
        frames = above if node is tree else [*above, frame_name(str(node["name"]))]
        children = items(node.get("children"))
        own = (number(node["value"]) or 0.0) - sum(number(child["value"]) or 0.0 for child in children)
        if own > 0 and frames:
            yield frames[-MOST_FRAMES:], own
        waiting.extend((child, frames) for child in reversed(children))


FORMAT = Format(
    id="flink-rest-flame-graph",
    title=to_say("Flink REST: flame graph"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/flame_graphs/",
    tables=("stack_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(name="rest/flamegraph-full.json", text='{"endTimestamp":-1}', rows={}),
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_vertices_401ce4df3bc435e1a06b783bc1174815_"
            "flamegraph_off_cpu.json",
            text='{"endTimestamp":1795222142335,"data":{"name":"root","value":5,"children":[{'
            '"name":"java.lang.Thread.run:840","value":5,"children":[{"name":'
            '"org.apache.flink.runtime.taskmanager.Task$$Lambda$0/0x0.run:-1","value":3,"children":[]}]}]}}',
            rows={
                "stack_sample": [
                    {
                        "ts_ms": 1795222142335,
                        "profile": "flame-graph",
                        "mode": "off-cpu",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "thread": None,
                        "frames": ["java.lang.Thread.run"],
                        "weight": 2.0,
                        "pointer": "/data",
                    },
                    {
                        "frames": ["java.lang.Thread.run", "org.apache.flink.runtime.taskmanager.Task$$Lambda.run"],
                        "weight": 3.0,
                    },
                ]
            },
        ),
    ),
)
