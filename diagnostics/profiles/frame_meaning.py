"""Explains a frame of a flame graph: its origin, and its meaning for the job when the catalogue has it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from diagnostics.notation.stack_frame import is_flink, is_generated, is_user_code
from diagnostics.vocabulary.known_frames import MAILBOX_WAIT, NO_ROOM, known_frames

ORIGINS = {
    "own": "the job's own code",
    "generated": "code that Flink SQL generated",
    "flink": "Flink",
    "state": "state backend",
    "outside": "outside systems and connectors",
    "computing": "known users of the CPU",
    "java": "Java",
    "library": "other libraries",
    "native": "native code and the JVM",
}
"""Origins of frames, in the order of the legend."""

_JAVA = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_STATE = ("org.rocksdb.", "org.forstdb.", "org.apache.flink.contrib.streaming.state.", "org.apache.flink.state.")
_PURPOSES = {
    "look-up": "looks something up in {system} and waits for the answer",
    "sink": "writes to {system}",
    "upload": "uploads to {system}",
    "download": "downloads from {system}",
    "source": "reads from {system}",
    "state": "reads or writes keyed state: {system}",
    "coordination": "talks to {system}, which coordinates the cluster",
    "call": "calls {system}",
}
_ROLES = {
    "sink": "Flink hands a record to a sink here.",
    "look-up": "Flink looks something up for a record here.",
    "source": "Flink reads a source here.",
    "transform": "Flink calls an operator of the job here.",
}


@lru_cache(maxsize=65_536)
def origin(frame: str) -> str:
    """The key in ORIGINS of a frame."""
    if frame.startswith(_STATE):
        return "state"
    meaning = known_frames().systems.meaning(frame)
    if meaning is not None:
        if meaning[1] in known_frames().computing:
            return "computing"
        return "state" if meaning[1] == "state" else "outside"
    if is_generated(frame):
        return "generated"
    if is_flink(frame):
        return "flink"
    if frame.startswith(_JAVA):
        return "java"
    if is_user_code(frame):
        return "own"
    return "library" if frame.count(".") >= 2 else "native"


@lru_cache(maxsize=65_536)
def meaning(frame: str) -> str | None:
    """One or two sentences about a frame of the catalogue, None for any other."""
    known = known_frames()
    if known.idle.meaning(frame):
        if frame.startswith(NO_ROOM):
            return "The task waits for room in its output: it is back pressured. Look at the tasks downstream."
        where = "its mailbox" if frame.startswith(MAILBOX_WAIT) else "input"
        return f"The task waits for {where}: it is idle, not slow."
    upload = known.upload_frames.meaning(frame)
    if upload:
        return f"The asynchronous part of a checkpoint: {upload}."
    system = known.systems.meaning(frame)
    if system is not None:
        name, purpose = system
        if purpose in known.computing:
            return f"Uses the CPU for {name}. {known.computing[purpose]}"
        return f"The thread {_PURPOSES[purpose].format(system=name)}."
    if known.waits.meaning(frame):
        return "The thread waits here and uses no CPU, whatever state the JVM reports."
    role = known.operators.meaning(frame)
    return _ROLES[role] if role else None


def explained(frames: Sequence[str]) -> dict[str, Any]:
    """Index of each frame's origin in `origins` and of its sentence in `meanings`, -1 for none."""
    meanings: dict[str, int] = {}
    keys = list(ORIGINS)
    told = [meaning(frame) for frame in frames]
    return {
        "origins": [{"key": key, "title": title} for key, title in ORIGINS.items()],
        "origin": [keys.index(origin(frame)) for frame in frames],
        "meaning": [-1 if each is None else meanings.setdefault(each, len(meanings)) for each in told],
        "meanings": list(meanings),
    }
