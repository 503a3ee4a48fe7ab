"""Meaning of known stack frames: operator, outside system and purpose of a call, waiting, uploading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, get_args

from diagnostics.notation.stack_frame import is_user_code
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

Role = Literal["sink", "look-up", "source", "transform"]
Purpose = Literal[
    "look-up",
    "sink",
    "upload",
    "download",
    "source",
    "state",
    "coordination",
    "call",
    "serialization",
    "parsing",
    "regex",
    "formatting",
    "dates",
    "reflection",
    "scripts",
    "logging",
    "exceptions",
    "compression",
    "hashing",
    "arithmetic",
    "collections",
]
OUTSIDE: frozenset[str] = frozenset(("look-up", "sink", "call", "upload", "download", "source"))
"""Purposes of calls that leave the process."""
MAILBOX_WAIT = "org.apache.flink.streaming.runtime.tasks.mailbox."
"""A task thread waits here for input; within an operator it waits for that operator's asynchronous calls."""
NO_ROOM = "org.apache.flink.runtime.io.network.buffer.LocalBufferPool."
"""A task thread waits here for output buffers: it is back-pressured, whatever frames are below."""

SOURCE_FUNCTION = "org.apache.flink.streaming.runtime.tasks.SourceStreamTask$LegacySourceFunctionThread.run"
"""Root frame of Flink in the thread of a source function of the old interface, which runs the chain as well."""
EMITS = "org.apache.flink.streaming.api.operators.StreamSourceContexts$"
"""Frames of that thread while it passes a record to the chain. Source: Flink's StreamSourceContexts."""
SLEEP = "sleep"
"""The system of a thread that sleeps, in the catalogue."""


SNAPSHOTS = (
    *(
        f"org.apache.flink.streaming.runtime.tasks.{each}"
        for each in (
            "SubtaskCheckpointCoordinatorImpl.checkpointState",
            "SubtaskCheckpointCoordinatorImpl.takeSnapshotSync",
            "OperatorChain.snapshotState",
            "OperatorChain.prepareSnapshotPreBarrier",
            "RegularOperatorChain.snapshotState",
            "RegularOperatorChain.prepareSnapshotPreBarrier",
            "StreamTask.performCheckpoint",
        )
    ),
    "org.apache.flink.streaming.util.functions.StreamingFunctionUtils.snapshotFunctionState",
    "org.apache.flink.streaming.util.functions.StreamingFunctionUtils.trySnapshotFunctionState",
    "org.apache.flink.streaming.api.operators.StreamOperatorStateHandler.snapshotState",
)
"""Frames within which a task takes its part of a checkpoint, and passes on no barrier before it is done."""


class Prefixes:
    """Literal prefixes of frames with their meaning; the longest match counts."""

    def __init__(self, meanings: Mapping[str, Any]) -> None:
        self._meanings = meanings
        self._lengths = sorted({len(prefix) for prefix in meanings}, reverse=True)

    def meaning(self, frame: str) -> Any:
        """The meaning of the longest matching prefix, None without one."""
        for length in self._lengths:
            found = self._meanings.get(frame[:length])
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class KnownFrames:
    """The catalogue `vocabulary/frames.yaml`.

    computing  purposes that use the CPU, with a remedy
    """

    operators: Prefixes
    systems: Prefixes
    waits: Prefixes
    idle: Prefixes
    upload_frames: Prefixes
    upload_threads: tuple[str, ...]
    computing: Mapping[str, str]


@cache
def known_frames() -> KnownFrames:
    """The catalogue. Raises InvalidRule naming the line when the file is invalid."""
    content = catalogue("frames.yaml")
    uploads, computing = content["uploads"], content["computing"]
    return KnownFrames(
        operators=Prefixes({entry["prefix"]: entry["role"] for entry in content["operators"]}),
        systems=Prefixes({entry["prefix"]: (entry["system"], entry["purpose"]) for entry in content["systems"]}),
        waits=Prefixes(dict.fromkeys(content["waits"], True)),
        idle=Prefixes(dict.fromkeys(content["idle"], True)),
        upload_frames=Prefixes({entry["prefix"]: entry["what"] for entry in uploads["frames"]}),
        upload_threads=tuple(uploads["threads"]),
        computing={
            purpose: with_translations(advice.strip(), computing, purpose)
            for purpose, advice in computing.items()
            if purpose in get_args(Purpose)
        },
    )


@dataclass(frozen=True, slots=True)
class Stack:
    """What one stack of a task thread does.

    idle      waits for input or for output buffers: no work
    waiting   works without using the CPU: its top frame waits
    role      of the Flink operator nearest to the top, None when no operator is among the frames
    system    outside system or known CPU user, with `purpose` and the frame that identifies it
    user      the user frame nearest to the top
    top       the top frame
    snapshot  whether the task takes its part of a checkpoint
    """

    idle: bool
    waiting: bool
    role: Role | None
    system: str | None
    purpose: Purpose | None
    system_frame: str | None
    user: str | None
    top: str
    snapshot: bool = False


ASYNCHRONOUS = "asynchronous calls"
"""Name of the system when an operator waits in the mailbox for its asynchronous calls, which other threads execute."""


@lru_cache(maxsize=8192)
def is_wait(frame: str) -> bool:
    """Whether a thread with this top frame waits."""
    return bool(known_frames().waits.meaning(frame))


@lru_cache(maxsize=8192)
def is_idle(frame: str) -> bool:
    """Whether a thread with this frame has nothing to do."""
    return bool(known_frames().idle.meaning(frame))


@lru_cache(maxsize=8192)
def _role(frame: str) -> Role | None:
    role: Role | None = known_frames().operators.meaning(frame)
    return role


@lru_cache(maxsize=8192)
def _system(frame: str) -> tuple[str, Purpose] | None:
    told: tuple[str, Purpose] | None = known_frames().systems.meaning(frame)
    return told


@lru_cache(maxsize=8192)
def _is_own(frame: str) -> bool:
    """Whether a frame is user code: of no common library and not in the catalogue."""
    return is_user_code(frame) and _system(frame) is None


def stack(frames: Sequence[str]) -> Stack:
    """The activity of a stack with at least one frame, root first."""
    top = frames[-1]
    role: Role | None = None
    user: str | None = None
    for frame in reversed(frames):
        if role is None:
            role = _role(frame)
        if user is None and _is_own(frame):
            user = frame
        if role is not None and user is not None:
            break
    waiting = is_wait(top)
    resting = next((frame for frame in reversed(frames) if is_idle(frame)), None)
    if resting is not None:
        inside = role is not None and role != "source" and not resting.startswith(NO_ROOM)
        if not inside or not waiting:
            return Stack(True, waiting, role, None, None, None, user, top)
        purpose: Purpose = "sink" if role == "sink" else "look-up"
        return Stack(False, True, role, ASYNCHRONOUS, purpose, resting, user, top)
    paced = waiting and SOURCE_FUNCTION in frames and not any(each.startswith(EMITS) for each in frames)
    for frame in frames:
        found = _system(frame)
        if found is not None and not (paced and found[0] == SLEEP):
            within = any(each.startswith(SNAPSHOTS) for each in frames)
            return Stack(False, waiting, role, found[0], found[1], frame, user, top, within)
    return Stack(paced, waiting, role, None, None, None, user, top)


def upload_of(frames: Iterable[str]) -> str | None:
    """What an asynchronous checkpoint thread uploads, from its frames root first; None for other threads."""
    found = None
    for frame in frames:
        meaning = known_frames().upload_frames.meaning(frame)
        if meaning is not None:
            found = found or meaning
    return found
