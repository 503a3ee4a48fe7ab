"""The bars and marks of a checkpoint history: phases of the slowest subtask, savepoints, ends and failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from diagnostics.charting.panel import escaped
from diagnostics.charting.theme import Palette
from diagnostics.language import say
from diagnostics.wording.checkpoint import PHASES, status_words
from diagnostics.wording.phrase import exact_duration, size

BAD = ("expired", "declined", "failed", "aborted")
"""The outcomes of checkpoints that did not complete."""

WIDEST_BAR = 25
"""Maximum width of a bar as a share of the time shown."""


def bar_width(checkpoints: Iterable[Mapping[str, Any]]) -> float:
    """Width of the bars, at most WIDEST_BAR: seven tenths of the usual time between triggers, so that none overlap."""
    triggers = sorted({each["trigger_ms"] for each in checkpoints})
    gaps = sorted(after - before for before, after in pairwise(triggers))
    return min(0.7 * gaps[len(gaps) // 4], (triggers[-1] - triggers[0]) / WIDEST_BAR) if gaps else 5000.0


def duration_bars(
    checkpoints: Sequence[Mapping[str, Any]], divisor: float, colours: Palette, *, first: bool
) -> Iterator[dict[str, Any]]:
    """The stacked phases of checkpoints with subtask details, up to the timeout where one expired before all of its
    subtasks had acknowledged; one bar for each of the others.
    """
    width = bar_width(checkpoints)
    detailed = [each for each in checkpoints if each.get("subtask_ms") is not None]
    for phase, label in PHASES.items():
        yield {
            "type": "bar",
            "name": say(label),
            "legendgroup": phase,
            "showlegend": first,
            "x": [each["trigger_ms"] for each in detailed],
            "y": [(each.get(phase) or 0) / divisor for each in detailed],
            "width": width,
            "marker": {"color": colours.phases[phase]},
            "text": [hover_text(each) for each in detailed],
            "textposition": "none",
            "hovertemplate": f"<b>{say(label)}: %{{customdata}}</b><br>%{{text}}<extra></extra>",
            "customdata": [
                exact_duration(each[phase]) if each.get(phase) is not None else say("unknown") for each in detailed
            ],
        }
    waited = [(each, rest) for each in detailed if (rest := _unacknowledged_ms(each)) > 0]
    yield {
        "type": "bar",
        "name": say("Waited for subtasks until it expired"),
        "legendgroup": "waited",
        "x": [each["trigger_ms"] for each, _ in waited],
        "y": [rest / divisor for _, rest in waited],
        "width": width,
        "marker": {"color": colours.alarm},
        "opacity": 0.25,
        "text": [hover_text(each) for each, _ in waited],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
    plain = [each for each in checkpoints if each.get("subtask_ms") is None and each["end_to_end_ms"] is not None]
    yield {
        "type": "bar",
        "name": say("Duration, phases not in the files"),
        "legendgroup": "plain",
        "x": [each["trigger_ms"] for each in plain],
        "y": [each["end_to_end_ms"] / divisor for each in plain],
        "width": width,
        "marker": {"color": colours.phases["unknown"]},
        "text": [hover_text(each) for each in plain],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _unacknowledged_ms(checkpoint: Mapping[str, Any]) -> float:
    """Milliseconds from the end of the phases of the slowest subtask that acknowledged to the expiry; else 0."""
    if checkpoint["status"] != "expired" or not checkpoint.get("pending"):
        return 0.0
    known_ms: float = sum(checkpoint.get(phase) or 0.0 for phase in PHASES)
    return (checkpoint["end_to_end_ms"] or 0.0) - known_ms


def duration_marks(
    checkpoints: Sequence[Mapping[str, Any]], divisor: float, colours: Palette
) -> Iterator[dict[str, Any]]:
    """Markers on the bars: savepoints, the end of completed checkpoints with phases, and failures."""
    yield _markers(
        say("Savepoint, not in the statistics"),
        [each for each in checkpoints if each["savepoint"]],
        divisor,
        {"symbol": "square", "line": {"width": 2, "color": colours.surface}},
        colours.series[3],
    )
    # Marks only above phases: a bar without phases ends there itself, and five hundred marks slow a brush by 60 ms.
    detailed = [each for each in checkpoints if each.get("subtask_ms") is not None]
    yield _markers(
        say("End to end duration"),
        [each for each in detailed if each["status"] == "completed" and each["end_to_end_ms"] is not None],
        divisor,
        {"symbol": "line-ew", "line": {"width": 2, "color": colours.text}},
        colours.text,
    )
    yield _markers(
        say("Failed, declined or expired"),
        [each for each in checkpoints if each["status"] in BAD],
        divisor,
        {"symbol": "x", "line": {"width": 1.5, "color": colours.surface}},
        colours.alarm,
    )


def _markers(
    name: str, checkpoints: Sequence[Mapping[str, Any]], divisor: float, marker: Mapping[str, Any], colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "legendgroup": name,
        "x": [each["trigger_ms"] for each in checkpoints],
        "y": [(each["end_to_end_ms"] or 0) / divisor for each in checkpoints],
        "marker": {"size": 11, "color": colour, **marker},
        "text": [hover_text(each) for each in checkpoints],
        "hovertemplate": "%{text}<extra></extra>",
    }


def hover_text(checkpoint: Mapping[str, Any]) -> str:
    kind = say("Savepoint") if checkpoint["savepoint"] else say("Checkpoint")
    lines = [f"<b>{kind} {checkpoint['id']}</b> {status_words(checkpoint['status'])}"]
    if checkpoint["end_to_end_ms"] is not None:
        lines.append(say("end to end {end_to_end}", end_to_end=exact_duration(checkpoint["end_to_end_ms"])))
    if checkpoint.get("vertex"):
        lines.append(
            say(
                "slowest: subtask {subtask} of {vertex}",
                subtask=checkpoint["subtask"],
                vertex=escaped(checkpoint["vertex"][:60]),
            )
        )
    if checkpoint.get("pending"):
        lines.append(say("{pending} subtasks never acknowledged", pending=checkpoint["pending"]))
    if (written := written_bytes(checkpoint)) is not None:
        lines.append(say("checkpointed {written}", written=size(written)))
    if checkpoint["failure"]:
        lines.append(escaped(checkpoint["failure"][:120]))
    return "<br>".join(lines)


def written_bytes(checkpoint: Mapping[str, Any]) -> float | None:
    """Bytes written; when only the log has the checkpoint, the full state, which is the same unless it is
    incremental.
    """
    written: float | None = checkpoint["checkpointed_bytes"]
    state: float | None = checkpoint["state_bytes"]
    return state if written is None else written
