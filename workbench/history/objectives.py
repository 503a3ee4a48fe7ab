"""Objectives of teams for failed checkpoints and latency: set, and compared with what cases measured.

The burn is the measured failure over the allowed one: at 1 the objective is used up exactly, at 10 ten times over.
Source: Google, The Site Reliability Workbook, "Alerting on SLOs", https://sre.google/workbook/alerting-on-slos/
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.core.exceptions import ValidationError
from django.utils import timezone

from diagnostics.wording.phrase import duration, percent
from workbench.accounts.models import Team, User
from workbench.cases.models import Case
from workbench.cases.service_levels import ServiceLevel
from workbench.history.models import Objective
from workbench.languages.sentences import say

USUAL_FAILED_SHARE = 0.01
"""Proposed, not set. Source: vocabulary/sources/documents.yaml S086, a failure rate under 1 %."""
USUAL_LATENCY_MS = 100.0
"""Proposed, not set. Source: vocabulary/sources/documents.yaml S076, end-to-end latency within 100 ms."""
LEAST_FAILED_SHARE, MOST_LATENCY_MS = 0.0001, 86_400_000.0
"""Bounds of what may be set. Our choice: one in ten thousand checkpoints; a day."""

State = Literal["met", "missed", "too few"]


@dataclass(frozen=True, slots=True)
class Attained:
    """One objective beside what was measured, as text.

    burn   measured over allowed
    state  `too few`: nothing failed, but fewer checkpoints ended than a single allowed failure needs
    """

    title: str
    target: str
    measured: str
    burn: float
    state: State


def attained(objective: Objective | None, levels: Iterable[ServiceLevel]) -> list[Attained]:
    """Each set objective that the levels measure: checkpoints of all jobs together, the slowest job's latency."""
    return list(_attained(objective, list(levels))) if objective else []


def _attained(objective: Objective, levels: Sequence[ServiceLevel]) -> Iterator[Attained]:
    failed = sum(each["failed"] or 0 for each in levels)
    ended = failed + sum(each["completed"] or 0 for each in levels)
    if objective.failed_share is not None and ended:
        share = failed / ended
        yield Attained(
            say("Failed checkpoints"),
            say("below {share}", share=percent(objective.failed_share)),
            say("{failed:,} of {ended:,} ({share})", failed=failed, ended=ended, share=percent(share)),
            share / objective.failed_share,
            _state_of_share(failed, ended, objective.failed_share),
        )
    latencies = [each["latency_ms"] for each in levels if each["latency_ms"] is not None]
    if objective.latency_ms is not None and latencies:
        slowest = max(latencies)
        yield Attained(
            say("Latency from source to sink, p99"),
            say("at most {latency}", latency=duration(objective.latency_ms)),
            duration(slowest),
            slowest / objective.latency_ms,
            "met" if slowest <= objective.latency_ms else "missed",
        )


def _state_of_share(failed: int, ended: int, target: float) -> State:
    if failed / ended >= target:
        return "missed"
    return "met" if ended * target >= 1 else "too few"


@dataclass(frozen=True, slots=True)
class TeamObjective:
    """A team with its objective, and what its incidents of a period attained."""

    team: Team
    objective: Objective | None
    attained: Sequence[Attained]

    @property
    def failed_percent(self) -> str:
        """The objective for failed checkpoints as the number that a field holds, in percent."""
        share = self.objective.failed_share if self.objective else None
        return "" if share is None else f"{share * 100:.4g}"

    @property
    def latency_ms(self) -> str:
        value = self.objective.latency_ms if self.objective else None
        return "" if value is None else f"{value:.6g}"


def team_objectives(user: User, days: int | None = None) -> list[TeamObjective]:
    """The teams of the user with what the incidents that were opened in the last `days` attained."""
    cases = Case.objects.visible_to(user).filter(merged_into=None)
    if days:
        cases = cases.filter(created_at__gte=timezone.now() - dt.timedelta(days=days))
    levels: dict[int, list[ServiceLevel]] = {}
    for team, measured in cases.order_by().values_list("team", "service_levels"):
        levels.setdefault(team, []).extend(measured)
    teams = user.teams.select_related("objective")
    return [
        TeamObjective(team, objective, attained(objective, levels.get(team.pk, ())))
        for team in teams
        for objective in [getattr(team, "objective", None)]
    ]


def objective_set(*, team: Team, user: User, failed_share: float | None, latency_ms: float | None) -> None:
    """Sets what the team wants; without both the objective is removed. Raises ValidationError for impossible values."""
    if failed_share is not None and not LEAST_FAILED_SHARE <= failed_share < 1:
        raise ValidationError(say("Failed checkpoints are 0.01 to less than 100 percent."))
    if latency_ms is not None and not 1 <= latency_ms <= MOST_LATENCY_MS:
        raise ValidationError(say("The latency is 1 ms to one day."))
    if failed_share is None and latency_ms is None:
        Objective.objects.filter(team=team).delete()
        return
    values = {"failed_share": failed_share, "latency_ms": latency_ms, "by": user, "at": timezone.now()}
    Objective.objects.update_or_create(team=team, defaults=values)
