"""Profiles in speedscope's JSON format: sampled and evented."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from diagnostics.errors import UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.json_document import JsonDocument, outline, read_json
from diagnostics.notation.profiler_stack import FrameAllowance, mode_of, sample_row, stack_batches
from diagnostics.notation.stack_frame import MOST_FRAMES

MOST_STACKS = 200_000
"""Distinct stacks of one profile. Our choice: an hour of samples of a TaskManager has some thousands."""

Stack = tuple[int, ...]


def _recognise(head: Head) -> float:
    if '"https://www.speedscope.app/file-format-schema.json"' not in head.text:
        return 0.0
    return 0.95 if outline(head) is not None else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """One row per distinct stack of each profile, with weights in the profile's own unit."""
    document = read_json(part)
    names = _names(document)
    profiles = document.value.get("profiles") if isinstance(document.value, dict) else None
    allowance = FrameAllowance()
    for place, profile in enumerate(profiles if isinstance(profiles, list) else ()):
        if not isinstance(profile, dict):
            continue
        weights: dict[Stack, float] = {}
        warnings: list[str] = []
        records = odd = 0
        read = _evented(profile, warnings) if profile.get("type") == "evented" else _sampled(profile)
        for stack, weight in read:
            if not all(0 <= frame < len(names) for frame in stack):
                odd += 1
            elif stack in weights or (len(weights) < MOST_STACKS and allowance.take(len(stack))):
                weights[stack] = weights.get(stack, 0.0) + weight
                records += 1
            else:
                odd += 1
        thread = profile["name"][:500] if isinstance(profile.get("name"), str) else None
        rows = [sample_row(thread, [names[frame] for frame in stack], weight) for stack, weight in weights.items()]
        told = {"profile": "collapsed", "mode": mode_of(part.name, rows), **document.at("profiles", place)}
        yield from stack_batches({**row, **told} for row in rows)
        allowance.report(warnings.append)
        yield Coverage(records=records, not_understood=odd, warnings=tuple(warnings))


def _names(document: JsonDocument) -> list[str]:
    shared = document.value.get("shared") if isinstance(document.value, dict) else None
    frames = shared.get("frames") if isinstance(shared, dict) else None
    if not isinstance(frames, list):
        raise UnreadableInput(say("a speedscope profile without its table of frames (`shared.frames`)"))
    return [str(frame.get("name")) if isinstance(frame, dict) else "?" for frame in frames]


def _sampled(profile: dict[str, Any]) -> Iterator[tuple[Stack, float]]:
    samples, weights = profile.get("samples"), profile.get("weights")
    if not isinstance(samples, list):
        return
    known = weights if isinstance(weights, list) and len(weights) == len(samples) else [1] * len(samples)
    for sample, weight in zip(samples, known, strict=True):
        if isinstance(sample, list) and sample and _is_number(weight):
            frames = [frame if isinstance(frame, int) else -1 for frame in sample[-MOST_FRAMES:]]
            yield tuple(frames), float(weight)


def _evented(profile: dict[str, Any], warnings: list[str]) -> Iterator[tuple[Stack, float]]:
    """Each stack with the time until the next event; stops at an event that closes a frame that is not open."""
    events = profile.get("events")
    told = [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []
    stack: list[int] = []
    for event, following in pairwise([*told, {"at": profile.get("endValue")}]):
        frame = event.get("frame")
        if not isinstance(frame, int) or not _is_number(event.get("at")):
            warnings.append(say("an event without frame or time: the rest of the profile is not read"))
            return
        if event.get("type") == "O" and len(stack) < MOST_FRAMES:
            stack.append(frame)
        elif event.get("type") == "C" and stack and stack[-1] == frame:
            stack.pop()
        else:
            warnings.append(say("a frame is left that was not the last entered: the rest of the profile is not read"))
            return
        until = following.get("at")
        if stack and _is_number(until) and until > event["at"]:
            yield tuple(stack), float(until - event["at"])
    if stack:
        warnings.append(
            say("the profile ends inside {count} frames: their time is counted to its end", count=len(stack))
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e18


_SCHEMA = '"$schema": "https://www.speedscope.app/file-format-schema.json"'
_FRAMES = '"shared": {"frames": [{"name": "java.lang.Thread.run"}, {"name": "com.acme.Lookup.get"}]}'

FORMAT = Format(
    id="speedscope",
    title=to_say("speedscope profile"),
    documentation="https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="taskmanager-cpu.speedscope.json",
            text=f'{{{_SCHEMA}, {_FRAMES},\n"profiles": [{{"type": "sampled", "name": "Map (2/4)#0", "unit": "none",\n'
            '"samples": [[0], [0, 1], [0, 1]], "weights": [1, 2, 4]}]}\n',
            rows={
                "stack_sample": [
                    {"frames": ["java.lang.Thread.run"], "weight": 1.0, "mode": "cpu", "vertex": "Map", "subtask": 1},
                    {
                        "thread": "Map (2/4)#0",
                        "frames": ["java.lang.Thread.run", "com.acme.Lookup.get"],
                        "weight": 6.0,
                        "line": 2,
                        "pointer": "/profiles/0",
                    },
                ]
            },
        ),
        Sample(
            name="profile.json",
            text=f'{{{_SCHEMA}, {_FRAMES}, "profiles": [{{"type": "evented", "name": "main", "unit": "seconds", '
            '"startValue": 0, "endValue": 9, "events": [{"type": "O", "frame": 0, "at": 0}, '
            '{"type": "O", "frame": 1, "at": 2}, {"type": "C", "frame": 1, "at": 7}, '
            '{"type": "C", "frame": 0, "at": 9}]}]}\n',
            rows={
                "stack_sample": [
                    {"frames": ["java.lang.Thread.run"], "weight": 4.0, "thread": "main"},
                    {"frames": ["java.lang.Thread.run", "com.acme.Lookup.get"], "weight": 5.0, "mode": "unknown"},
                ]
            },
        ),
    ),
)
