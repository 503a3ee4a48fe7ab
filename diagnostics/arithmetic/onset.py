"""When trouble began: the change point of a measure, seen as moments at which it is beyond its bound or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STAYS = 0.75
"""Part of the moments from the onset to the end of the trouble that are beyond the bound. Our choice: a single peak
before is not the onset, a single good moment in between is not the end."""


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


def onset_facts(found: Onset | None) -> dict[str, int | bool]:
    """`onset_ms` and `onset_at_start`; nothing where the onset is not known."""
    return {"onset_ms": found.ts_ms, "onset_at_start": found.at_start} if found else {}


ONSET_FACTS = {
    "onset_ms": "when it began: from then on it stays beyond its bound, epoch ms",
    "onset_at_start": "whether it was so at the first look already",
}
"""What these facts mean, for the signals that have them."""
