"""The weights of the health score that administrators set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction

from diagnostics.diagnosis.health import USUAL_WEIGHTS, HealthWeights
from diagnostics.rules.rule import Severity
from workbench.accounts.models import User
from workbench.languages.sentences import say, say_later
from workbench.machine import broker
from workbench.rules.models import HealthWeighting

APPLY_WEIGHTS = "workbench.analyses.tasks.apply_health_weights"
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
NAMES = {
    "cause_critical": say_later("Cause of severity critical"),
    "cause_warning": say_later("Cause of severity warning"),
    "cause_info": say_later("Cause of severity info"),
    "consequence_critical": say_later("Consequence of severity critical"),
    "consequence_warning": say_later("Consequence of severity warning"),
    "consequence_info": say_later("Consequence of severity info"),
    "most_in_trouble": say_later("Highest score of a job in trouble"),
}
"""Name of a weight -> its label."""


def as_numbers(weights: HealthWeights) -> dict[str, float]:
    """The weights by name."""
    return {
        **{f"cause_{name}": points for name, points in weights.cause.items()},
        **{f"consequence_{name}": points for name, points in weights.consequence.items()},
        "most_in_trouble": weights.most_in_trouble,
    }


def weights_now() -> HealthWeights:
    """The newest weights that were set, else the usual ones."""
    newest = HealthWeighting.objects.first()
    return _weights(newest.weights) if newest else USUAL_WEIGHTS


def weights_in_force() -> tuple[int | None, bool]:
    """The key of the newest weights, None for the usual ones, and whether all stored diagnoses have their scores."""
    newest = HealthWeighting.objects.values_list("pk", "applied_at").first()
    return (newest[0], newest[1] is not None) if newest else (None, True)


def _weights(numbers: Mapping[str, float]) -> HealthWeights:
    return HealthWeights(
        cause={each: numbers[f"cause_{each}"] for each in SEVERITIES},
        consequence={each: numbers[f"consequence_{each}"] for each in SEVERITIES},
        most_in_trouble=round(numbers["most_in_trouble"]),
    )


@transaction.atomic
def weights_set(*, user: User, numbers: Mapping[str, float], reason: str) -> HealthWeighting | None:
    """Sets all weights and has the scores of the history computed again; None when nothing changes.

    Raises PermissionDenied for all but administrators, ValidationError for a number outside 0 to 100, for weights that
    fall with the severity, and without a reason.
    """
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators set the weights of the health score."))
    if set(numbers) != set(NAMES) or not all(0 <= each <= 100 for each in numbers.values()):
        raise ValidationError(say("A weight is a number from 0 to 100."))
    for role in ("cause", "consequence"):
        falling = [numbers[f"{role}_{each}"] for each in ("critical", "warning", "info")]
        if falling != sorted(falling, reverse=True):
            raise ValidationError(
                say("A cause costs no less the more severe it is.")
                if role == "cause"
                else say("A consequence costs no less the more severe it is.")
            )
    if not reason.strip():
        raise ValidationError(say("State why: the next person will ask."))
    before = as_numbers(weights_now())
    if before == dict(numbers):
        return None
    row = HealthWeighting.objects.create(weights=dict(numbers), before=before, reason=" ".join(reason.split()), by=user)
    broker.send_when_committed(APPLY_WEIGHTS)
    return row


def weights_resume() -> None:
    """Sends the task again for weights that are not applied to the history yet, such as after a lost broker."""
    if HealthWeighting.objects.filter(applied_at=None).exists():
        broker.send_when_committed(APPLY_WEIGHTS)
