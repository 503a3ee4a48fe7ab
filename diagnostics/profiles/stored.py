"""The sampled stacks of an analysis in one compact value; shared frames are stored once."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.errors import UnreadableInput
from diagnostics.language import say
from diagnostics.profiles.stack_tree import stack_codes, stack_tree
from diagnostics.vocabulary.known_frames import is_idle, is_wait

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

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


def profiles_of(stacks: pa.Table, names: Sequence[str], left_out: int = 0) -> StoredProfiles:
    """Stacks as one value.

    stacks  the heaviest first: the columns of Sampling, `state`, `weight`, and `frames` (CODEs, root first, at least
            one); those beyond MOST_FRAMES are left out
    names   the frame of each code
    """
    import pyarrow as pa

    if not stacks.num_rows:
        return StoredProfiles([], array("i"), array("i"), [], [], left_out)
    frames = stacks["frames"].combine_chunks()
    tree = stack_tree(frames, MOST_FRAMES)
    used = pa.array(tree.code).dictionary_encode()
    samplings: dict[tuple[Any, ...], int] = {}
    kept = stacks[: len(tree.end)]
    rows = zip(*(kept[field].to_pylist() for field in Sampling.__slots__), strict=True)
    places = [samplings.setdefault(row, len(samplings)) for row in rows]
    states = [state or UNKNOWN_STATE for state in kept["state"].to_pylist()]
    computes = _use_cpu(frames[: len(states)], names).tolist()
    on_cpu = [
        by_frames if state == UNKNOWN_STATE else state in ON_CPU_STATES
        for state, by_frames in zip(states, computes, strict=True)
    ]
    return StoredProfiles(
        names=[names[code] for code in used.dictionary.to_pylist()],
        parent=array("i", tree.parent.tolist()),
        name=array("i", used.indices.to_pylist()),
        samplings=[Sampling(*row) for row in samplings],
        leaves=list(map(Leaf, tree.end.tolist(), places, states, on_cpu, kept["weight"].to_pylist())),
        left_out=left_out + stacks.num_rows - kept.num_rows,
    )


def _use_cpu(frames: pa.Array, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether a thread with these frames computes: it is not idle and its top frame does not wait."""
    import numpy as np

    codes, starts, lengths = stack_codes(frames)
    rests, waits = (np.fromiter(map(kind, names), bool, len(names)) for kind in (is_idle, is_wait))
    computes: npt.NDArray[np.bool_] = ~(
        waits[codes[starts + lengths - 1]] | np.logical_or.reduceat(rests[codes], starts)
    )
    return computes
