"""The sampled stacks of an analysis in one compact value; shared frames are stored once."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from diagnostics.errors import UnreadableInput
from diagnostics.language import say
from diagnostics.vocabulary.known_frames import uses_cpu

VERSION = 1
ON_CPU_STATES = ("RUNNABLE", "NEW")
"""On-CPU; off-CPU are TIMED_WAITING, WAITING and BLOCKED. Source: Flink documentation, Flame Graphs."""
UNKNOWN_STATE = ""
MOST_FRAMES = 800_000
"""Frames of the tree. Our choice: 100,000 stacks that differ near their top have half as many, in 2 MB."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The attributes of samples: kind of profile, thread, time.

    profile    flame-graph, collapsed or thread-dump, with `mode` as in evidence/stack_sample.py
    vertex_id  None when only the thread's name identifies the task
    ts_ms      None when unknown
    """

    profile: str
    mode: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    subtask: int | None
    thread: str | None
    ts_ms: int | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """The end of a stack in the tree, and its number of samples.

    on_cpu  by the thread's state, as Flink counts it; without a state, whether its top frame does not wait
    """

    node: int
    sampling: int
    state: str
    on_cpu: bool
    weight: float


@dataclass(frozen=True, slots=True)
class StoredProfiles:
    """All stacks of an analysis as one tree of frames.

    names              distinct frames
    parent, name       for each node its parent (-1 for a root) and its frame; parents come first
    samplings, leaves  the stacks: end and sampling of each
    left_out           number of distinct stacks dropped, the lightest
    """

    names: Sequence[str]
    parent: Sequence[int]
    name: Sequence[int]
    samplings: Sequence[Sampling]
    leaves: Sequence[Leaf]
    left_out: int = 0

    @property
    def span(self) -> tuple[int, int] | None:
        """Epoch ms of the first and the last sample; None when they have fewer than two times."""
        times = [each.ts_ms for each in self.samplings if each.ts_ms is not None]
        return (min(times), max(times)) if times and min(times) < max(times) else None

    def to_bytes(self) -> bytes:
        """Compressed JSON."""
        states = sorted({leaf.state for leaf in self.leaves})
        place = {state: index for index, state in enumerate(states)}
        content = {
            "version": VERSION,
            "names": list(self.names),
            "parent": list(self.parent),
            "name": list(self.name),
            "samplings": [asdict(each) for each in self.samplings],
            "states": states,
            "leaves": [[leaf.node, leaf.sampling, place[leaf.state], leaf.on_cpu, leaf.weight] for leaf in self.leaves],
            "left_out": self.left_out,
        }
        return zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 6)

    @classmethod
    def from_bytes(cls, stored: bytes) -> StoredProfiles:
        """The inverse of `to_bytes`. Raises UnreadableInput for another version's value."""
        content = json.loads(zlib.decompress(stored))
        if content.get("version") != VERSION:
            raise UnreadableInput(
                say("The profiles were stored by another version; diagnose the case again to see them.")
            )
        states = content["states"]
        return cls(
            names=content["names"],
            parent=array("i", content["parent"]),
            name=array("i", content["name"]),
            samplings=[Sampling(**each) for each in content["samplings"]],
            leaves=[
                Leaf(node, sampling, states[state], bool(on_cpu), weight)
                for node, sampling, state, on_cpu, weight in content["leaves"]
            ],
            left_out=content["left_out"],
        )


def profiles_of(rows: Iterable[Mapping[str, Any]], left_out: int = 0) -> StoredProfiles:
    """The rows of stack_sample (the fields of Sampling, `state`, `frames` root first, `weight`) as one value.

    rows  the heaviest first; rows beyond MOST_FRAMES are left out
    """
    names: dict[str, int] = {}
    samplings: dict[Sampling, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    parent, name = array("i"), array("i")
    leaves: list[Leaf] = []
    for row in rows:
        if len(parent) >= MOST_FRAMES:
            left_out += 1
            continue
        node = -1
        for frame in row["frames"]:
            step = (node, names.setdefault(frame, len(names)))
            found = nodes.get(step)
            if found is None:
                found = nodes[step] = len(parent)
                parent.append(step[0])
                name.append(step[1])
            node = found
        sampling = Sampling(**{field: row[field] for field in Sampling.__slots__})
        state = row["state"] or UNKNOWN_STATE
        place = samplings.setdefault(sampling, len(samplings))
        leaves.append(Leaf(node, place, state, _on_cpu(row["frames"], state), row["weight"]))
    return StoredProfiles(list(names), parent, name, list(samplings), leaves, left_out)


def _on_cpu(frames: Sequence[str], state: str) -> bool:
    return uses_cpu(frames) if state == UNKNOWN_STATE else state in ON_CPU_STATES
