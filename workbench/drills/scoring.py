"""Scores a drill by three numbers: the cause, the evidence that was read, and the time.

cause     50  for the confirmed class; 25 when no line that it rests on had been seen: a guess can be right, too
evidence  30  times the share of the kinds of evidence with such lines in which one was seen before the answer
time      20  within 10 minutes, none from 30 on, in proportion between; only for a right answer that is no guess
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from workbench.drills.evidence import DrawerShown
from workbench.history.durations import TARGET

CAUSE, GUESS, EVIDENCE, TIME = 50, 25, 30, 20
TOO_LONG = dt.timedelta(minutes=30)
"""Our choice: three times the target."""


def parts(*, right: bool, seen: Sequence[DrawerShown], lasted: dt.timedelta) -> dict[str, int]:
    """The three parts of the score; `seen` are the drawers as they were when the answer was given."""
    telling = [each for each in seen if each.drawer.decisive]
    found = [each for each in telling if each.saw_decisive]
    evidence = round(EVIDENCE * len(found) / len(telling)) if telling else 0
    if not right:
        return {"cause": 0, "evidence": evidence, "time": 0}
    if not found:
        return {"cause": GUESS, "evidence": 0, "time": 0}
    left = min(max((TOO_LONG - lasted) / (TOO_LONG - TARGET), 0.0), 1.0)
    return {"cause": CAUSE, "evidence": evidence, "time": round(TIME * left)}
