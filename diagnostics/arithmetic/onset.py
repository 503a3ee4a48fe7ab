"""When trouble began and ended: the change points of a measure, seen as moments at which it is beyond its bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

STAYS = 0.75
"""Part of the moments from the onset to the end of the trouble that are beyond the bound. Our choice: a single peak
before is not the onset, a single good moment in between is not the end."""

CALM_MOMENTS, CALM_MS = 3, 30_000
"""With fewer good moments after the last bad one, or in less time, trouble counts as not over. Our choice: three
checkpoints or samples, and as long as a burst."""

JITTER_MS = 500
"""How much earlier than planned a sample may come: a calm of six samples each 5 s that lacks 4 ms is one of 30 s. Our
choice: a tenth of the shortest usual interval of scrapes, 5 s."""


@dataclass(frozen=True, slots=True)
class Onset:
    """The first moment of the trouble.

    at_start  whether nothing was seen before it: the trouble may be older than the evidence
    """

    ts_ms: int
    at_start: bool


def onset(course: Iterable[tuple[int, bool]]) -> Onset | None:
    """The first moment from which on a measure is beyond its bound and stays so until the trouble ends.

    course  (epoch ms, whether it is beyond the bound); the trouble ends with the last moment that is
    None where it never is.
    """
    ordered = sorted(course)
    last = max((place for place, (_, beyond) in enumerate(ordered) if beyond), default=None)
    if last is None:
        return None
    found, within = last, 0
    for place in range(last, -1, -1):
        within += ordered[place][1]
        if ordered[place][1] and within >= STAYS * (last - place + 1):
            found = place
    return Onset(ordered[found][0], found == 0)


def ended_ms(course: Iterable[tuple[int, bool]]) -> int | None:
    """The first moment of the calm after the last moment beyond the bound; None where the trouble may go on.

    It is over when the calm has CALM_MOMENTS, lasts CALM_MS but for JITTER_MS, and lasts longer than any calm between
    two bad moments: trouble that comes and goes is over only after a longer pause than it ever made. Bad moments with
    which the evidence begins do not count beside later ones: a job that starts is busy.

    course  as of `onset`
    """
    ordered = sorted(course)
    bad = [place for place, (_, beyond) in enumerate(ordered) if beyond]
    bad = [place for rank, place in enumerate(bad) if place != rank] or bad
    calm = ordered[bad[-1] + 1 :] if bad else []
    if len(calm) < CALM_MOMENTS:
        return None
    lasts_ms = calm[-1][0] - ordered[bad[-1]][0]
    longest = max((_pause_ms(ordered, *pair) for pair in pairwise(bad)), default=0)
    return calm[0][0] if lasts_ms >= CALM_MS - JITTER_MS and lasts_ms > longest else None


def _pause_ms(ordered: Sequence[tuple[int, bool]], earlier: int, later: int) -> int:
    return ordered[later][0] - ordered[earlier][0] if later > earlier + 1 else 0


def end_facts(end_ms: int | None) -> dict[str, int]:
    """`ended_ms`; nothing where the trouble goes on or its end is not known."""
    return {"ended_ms": end_ms} if end_ms is not None else {}


def onset_facts(found: Onset | None) -> dict[str, int | bool]:
    """`onset_ms` and `onset_at_start`; nothing where the onset is not known."""
    return {"onset_ms": found.ts_ms, "onset_at_start": found.at_start} if found else {}


ONSET_FACTS = {
    "onset_ms": "when it began: from then on it stays beyond its bound, epoch ms",
    "onset_at_start": "whether it was so at the first look already",
}
END_FACTS = {
    "ended_ms": "end of the trouble, if the calm after it is long enough to say so; absent while it goes on, epoch ms"
}
"""What these facts mean, for the signals that have them."""
