"""What shows a known bug that throws nothing: where threads stand, what readings stay at, what is set together.

An entry of `signs` in `diagnostics/vocabulary/known_bugs` has at least one of

threads   lists of frames; the stack of one thread has all frames of a list, and one dump has a thread for each list
metrics   name -> `least` or `most` (or both) of its last readings, and `operator` where its name begins so; `every`
          reading of the operator has to be so, else one
named     beginning of a thread's name -> the least number of such threads in one dump
settings  option -> beginnings of values, in lower case; any value where the list is empty
calls     methods that the job's source calls, as it spells them

All of them hold. A sign shows the bug only where the release that runs is known to have it, unless it is
`telling: true`: then no other fault is known to look so, and the bug is one that the release may have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

THREADS, READINGS, SETTINGS = "threads", "readings", "settings"
"""What shows a bug, the surest first."""
LEAST_FRAME = 12
"""Characters of a frame: `Class.method` at least."""
_KNOWN = frozenset({"threads", "metrics", "settings", "calls", "named", "telling"})
_OF_METRIC = frozenset({"least", "most", "operator", "every"})


@dataclass(frozen=True, slots=True)
class Bound:
    """Within which bounds the last readings of a metric show a bug."""

    metric: str
    least: float | None
    most: float | None
    operator: str
    every: bool

    def holds(self, value: float) -> bool:
        """Whether a reading is within the bounds."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


@dataclass(frozen=True, slots=True)
class BugSign:
    """One sign of a bug; see this file's first lines."""

    threads: tuple[tuple[str, ...], ...] = ()
    metrics: tuple[Bound, ...] = ()
    settings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    calls: tuple[str, ...] = ()
    named: tuple[tuple[str, int], ...] = ()
    is_telling: bool = False

    @property
    def kind(self) -> str:
        """The surest part of the sign."""
        return THREADS if self.threads or self.named else READINGS if self.metrics else SETTINGS

    def fitting_threads(self, dump: Sequence[Collection[str]]) -> Sequence[int] | None:
        """The places of one thread for each list of frames among the stacks of a dump; None where one has no thread."""
        places: list[int] = []
        for wanted in self.threads:
            fitting = (
                place
                for place, frames in enumerate(dump)
                if place not in places and all(each in frames for each in wanted)
            )
            place = next(fitting, None)
            if place is None:
                return None
            places.append(place)
        return places


def sign_of(value: Any) -> BugSign:
    """The sign that an entry describes. Raises ValueError that says what is wrong with it."""
    if not isinstance(value, dict) or not value or set(value) - _KNOWN:
        raise ValueError("a sign has threads, metrics, settings or calls")
    return BugSign(
        tuple(_frames(value.get("threads", []))),
        tuple(_bounds(value.get("metrics", {}))),
        tuple(_settings(value.get("settings", {}))),
        tuple(_texts(value.get("calls", []), "calls", 3)),
        tuple(_counts(value.get("named", {}))),
        value.get("telling") is True,
    )


def _frames(lists: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(lists, list):
        raise ValueError("`threads` is a list of lists of frames")
    for frames in lists:
        yield tuple(_texts(frames, "threads", LEAST_FRAME))
        if not frames:
            raise ValueError("a thread has at least one frame")


def _bounds(metrics: Any) -> Iterator[Bound]:
    if not isinstance(metrics, dict):
        raise ValueError("`metrics` has bounds by the name of a metric")
    for name, bound in metrics.items():
        if not isinstance(bound, dict) or set(bound) - _OF_METRIC or not {"least", "most"} & set(bound):
            raise ValueError(f"metric {name!r} has `least` or `most`, and may have `operator` and `every`")
        least, most = bound.get("least"), bound.get("most")
        yield Bound(
            str(name),
            None if least is None else float(least),
            None if most is None else float(most),
            str(bound.get("operator", "")),
            bound.get("every") is True,
        )


def _counts(named: Any) -> Iterator[tuple[str, int]]:
    if not isinstance(named, dict) or not all(isinstance(least, int) for least in named.values()):
        raise ValueError("`named` has numbers by the beginning of a thread's name")
    yield from ((str(name), least) for name, least in named.items())


def _settings(settings: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(settings, dict):
        raise ValueError("`settings` has beginnings of values by option")
    for option, values in settings.items():
        yield str(option), tuple(each.lower() for each in _texts(values, "settings", 1))


def _texts(values: Any, name: str, least: int) -> Iterator[str]:
    if not isinstance(values, list):
        raise ValueError(f"`{name}` holds lists of texts")
    for each in values:
        if not isinstance(each, str) or len(each) < least or "\n" in each:
            raise ValueError(f"{each!r} in `{name}` is no text of at least {least} characters")
        yield each


def values_fit(wanted: Mapping[str, tuple[str, ...]], stated: Mapping[str, str]) -> bool:
    """Whether every option is stated with a value that has one of the beginnings."""
    return all(
        option in stated and (not values or stated[option].lower().startswith(values))
        for option, values in wanted.items()
    )
