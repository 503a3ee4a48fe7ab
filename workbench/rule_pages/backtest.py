"""Back-tests a draft on the case history: stored signals are judged again without Spark, a few milliseconds per case.

The work is divided into pieces for single requests, so that no other request waits long and no worker is occupied.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from diagnostics.diagnosis.comparison import Compared, Side, compare_rule
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.symptoms import INCONCLUSIVE
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import CaseStatus
from workbench.rule_pages.history import latest_diagnoses
from workbench.rules.models import Backtest, Draft
from workbench.rules.selectors import rules_of
from workbench.rules.services import ruleset_published
from workbench.rules.validation import checked_rule

MOST_CASES = 5_000
"""The newest diagnosed cases that are judged again. Our choice: half a minute."""
MOST_CHANGES = 300
"""Changed cases that are stored for display; all are counted. Our choice: nobody reads more."""
PIECE_SECONDS = 1.5
"""Time budget of one request. Our choice: other users do not notice, and the progress bar moves."""
CASES_AT_ONCE = 25
"""Analyses read from the database at a time: a large one has some hundred kilobytes of signals."""


@dataclass(slots=True)
class Count:
    """How often a cause was claimed, and how often people confirmed it.

    claimed  cases with a confirmed cause in which it was claimed
    right    those of them in which it was the cause
    true     all cases in which it was the cause
    """

    claimed: int = 0
    right: int = 0
    true: int = 0

    @property
    def precision(self) -> float | None:
        """Share of the claims that were right; None without a claim."""
        return self.right / self.claimed if self.claimed else None

    @property
    def recall(self) -> float | None:
        """Share of the occurrences that were claimed; None without one."""
        return self.right / self.true if self.true else None

    def add(self, *, is_claimed: bool, is_true: bool) -> None:
        """Counts one case with a confirmed cause."""
        self.claimed += is_claimed
        self.true += is_true
        self.right += is_claimed and is_true


@dataclass(slots=True)
class Tally:
    """All counts over the history, with and without the draft."""

    confirmed: int
    verdicts_changed: int
    firings_changed: int
    rule_before: Count
    rule_after: Count
    verdicts_before: Count
    verdicts_after: Count

    @classmethod
    def read(cls, stored: dict[str, object]) -> Tally:
        """The inverse of `asdict`; an empty mapping gives zero counts."""
        numbers = {name: stored.get(name, 0) for name in ("confirmed", "verdicts_changed", "firings_changed")}
        counts = {name: Count(**stored.get(name, {})) for name in SIDES}  # type: ignore[arg-type]
        return cls(**numbers, **counts)  # type: ignore[arg-type]


SIDES = ("rule_before", "rule_after", "verdicts_before", "verdicts_after")


def backtest_start(*, draft: Draft, user: User) -> Backtest:
    """Starts a back-test of the stored draft over the cases that the user sees. Raises InvalidRule."""
    checked_rule(draft.text)
    numbers = latest_diagnoses(user).order_by("-pk").values_list("pk", flat=True)[:MOST_CASES]
    draft.backtests.filter(by=user).delete()
    return Backtest.objects.create(
        draft=draft, by=user, text=draft.text, ruleset=ruleset_published(), analyses=list(numbers)
    )


def backtest_go_on(*, backtest: Backtest, seconds: float = PIECE_SECONDS) -> None:
    """Judges the next cases for about `seconds`. Concurrent calls do the same work, which counts once."""
    began, done = time.monotonic(), backtest.done
    after = checked_rule(backtest.text)
    published, _ = rules_of(backtest.ruleset)
    before = next((rule for rule in published.rules if rule.id == after.id), None)
    others = diagnostics_rule.Ruleset.of(rule for rule in published.rules if rule.id != after.id)
    tally, changes = Tally.read(backtest.tally), list(backtest.changes)
    for analysis in _analyses(backtest.analyses[done:]):
        if analysis is not None:
            compared = compare_rule(analysis.signals, others, before, after)
            _count(tally, analysis, compared, after.symptom_class)
            if (compared.changes_verdict or compared.changes_firing) and len(changes) < MOST_CHANGES:
                changes.append(_change(analysis, compared))
        done += 1
        if time.monotonic() - began > seconds:
            break
    spent = backtest.judging_ms + round((time.monotonic() - began) * 1000)
    written = {"done": done, "tally": asdict(tally), "changes": changes, "judging_ms": spent}
    Backtest.objects.filter(pk=backtest.pk, done=backtest.done).update(**written)
    backtest.refresh_from_db()


def _analyses(numbers: list[int]) -> Iterator[Analysis | None]:
    """The analyses in this order; None for one that was deleted meanwhile."""
    for place in range(0, len(numbers), CASES_AT_ONCE):
        piece = numbers[place : place + CASES_AT_ONCE]
        found = Analysis.objects.filter(pk__in=piece).select_related("case")
        read = found.only("signals", "case__status", "case__confirmed_class", "case__title").in_bulk()
        yield from (read.get(number) for number in piece)


def _count(tally: Tally, analysis: Analysis, compared: Compared, symptom_class: str) -> None:
    tally.verdicts_changed += compared.changes_verdict
    tally.firings_changed += compared.changes_firing
    truth = _truth(analysis)
    if truth is None:
        return
    tally.confirmed += 1
    for side, rule, verdicts in (
        (compared.before, tally.rule_before, tally.verdicts_before),
        (compared.after, tally.rule_after, tally.verdicts_after),
    ):
        rule.add(is_claimed=side.claims, is_true=truth == symptom_class)
        claims = side.verdict != INCONCLUSIVE
        verdicts.claimed += claims
        verdicts.true += 1
        verdicts.right += claims and side.verdict == truth


def _truth(analysis: Analysis) -> str | None:
    """The confirmed cause of a closed case; None for an open one or one without a cause."""
    case = analysis.case
    known = case.status == CaseStatus.CLOSED and case.confirmed_class != INCONCLUSIVE
    return case.confirmed_class if known else None


def _change(analysis: Analysis, compared: Compared) -> dict[str, object]:
    return {
        "case": analysis.case_id,
        "title": analysis.case.read_title,
        "confirmed": _truth(analysis),
        "before": asdict(compared.before),
        "after": asdict(compared.after),
    }


@dataclass(frozen=True, slots=True)
class ChangeShown:
    """A case whose result changes; `turn` is better, worse or, when the truth is unknown, empty."""

    case: int
    title: str
    confirmed: str | None
    before: Side
    after: Side

    @property
    def changes_verdict(self) -> bool:
        return self.before.verdict != self.after.verdict

    @property
    def turn(self) -> str:
        right = [side.verdict == self.confirmed for side in (self.before, self.after)]
        if self.confirmed is None or right[0] == right[1]:
            return ""
        return "better" if right[1] else "worse"


def changes_shown(changes: Iterable[dict[str, object]]) -> list[ChangeShown]:
    """The changed cases: worse verdicts first, then better ones, then the others."""
    shown = [
        ChangeShown(**each | {side: Side(**each[side]) for side in ("before", "after")})  # type: ignore[arg-type]
        for each in changes
    ]
    order = ("worse", "better", "")
    return sorted(shown, key=lambda each: (not each.changes_verdict, order.index(each.turn), -each.case))
