"""Explains a frame of a flame graph: its origin, and its meaning for the job when the catalogue has it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from diagnostics.language import in_reader_language, joined_sentences, reader_language, say, to_say
from diagnostics.notation.stack_frame import is_flink, is_generated, is_user_code
from diagnostics.vocabulary.known_frames import MAILBOX_WAIT, NO_ROOM, known_frames
from diagnostics.vocabulary.stored_words import in_reader_words

SYSTEM, UPLOAD = "hot_frames.hot_function", "hot_frames.upload.what"
"""Facts that hold names of systems and kinds of uploads from the catalogue of frames."""

ORIGINS = {
    "own": to_say("the job's own code"),
    "generated": to_say("code that Flink SQL generated"),
    "flink": "Flink",
    "state": to_say("state backend"),
    "outside": to_say("outside systems and connectors"),
    "computing": to_say("known users of the CPU"),
    "java": "Java",
    "library": to_say("other libraries"),
    "native": to_say("native code and the JVM"),
}
"""Origins of frames, in the order of the legend."""

_JAVA = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_STATE = ("org.rocksdb.", "org.forstdb.", "org.apache.flink.contrib.streaming.state.", "org.apache.flink.state.")
_PURPOSES = {
    "look-up": to_say("The thread looks something up in {system} and waits for the answer."),
    "sink": to_say("The thread writes to {system}."),
    "upload": to_say("The thread uploads to {system}."),
    "download": to_say("The thread downloads from {system}."),
    "source": to_say("The thread reads from {system}."),
    "state": to_say("The thread reads or writes keyed state: {system}."),
    "coordination": to_say("The thread talks to {system}, which coordinates the cluster."),
    "call": to_say("The thread calls {system}."),
}
_ROLES = {
    "sink": to_say("Flink hands a record to a sink here."),
    "look-up": to_say("Flink looks something up for a record here."),
    "source": to_say("Flink reads a source here."),
    "transform": to_say("Flink calls an operator of the job here."),
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


def meaning(frame: str) -> str | None:
    """One or two sentences about a frame of the catalogue, None for any other."""
    return _meaning(frame, reader_language())


@lru_cache(maxsize=65_536)
def _meaning(frame: str, language: str) -> str | None:
    """What `meaning` says to a reader of the language."""
    known = known_frames()
    if known.idle.meaning(frame):
        if frame.startswith(NO_ROOM):
            return say("The task waits for room in its output: it is back pressured. Look at the tasks downstream.")
        if frame.startswith(MAILBOX_WAIT):
            return say("The task waits for its mailbox: it is idle, not slow.")
        return say("The task waits for input: it is idle, not slow.")
    upload = known.upload_frames.meaning(frame)
    if upload:
        return say("The asynchronous part of a checkpoint: {upload}.", upload=in_reader_words(UPLOAD, upload))
    system = known.systems.meaning(frame)
    if system is not None:
        name, purpose = system
        if purpose in known.computing:
            use = say("Uses the CPU for {name}.", name=in_reader_words(SYSTEM, name))
            return joined_sentences([use, in_reader_language(known.computing[purpose])])
        return say(_PURPOSES[purpose], system=in_reader_words(SYSTEM, name))
    if known.waits.meaning(frame):
        return say("The thread waits here and uses no CPU, whatever state the JVM reports.")
    role = known.operators.meaning(frame)
    return say(_ROLES[role]) if role else None


def explained(frames: Sequence[str]) -> dict[str, Any]:
    """Index of each frame's origin in `origins` and of its sentence in `meanings`, -1 for none."""
    meanings: dict[str, int] = {}
    keys = list(ORIGINS)
    told = [meaning(frame) for frame in frames]
    return {
        "origins": [{"key": key, "title": say(title)} for key, title in ORIGINS.items()],
        "origin": [keys.index(origin(frame)) for frame in frames],
        "meaning": [-1 if each is None else meanings.setdefault(each, len(meanings)) for each in told],
        "meanings": list(meanings),
    }
