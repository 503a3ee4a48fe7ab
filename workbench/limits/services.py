"""Changes limits."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction

from workbench.accounts.models import User
from workbench.languages.sentences import say
from workbench.limits.catalogue import LIMITS
from workbench.limits.models import LimitChange
from workbench.limits.quantities import quantity_text
from workbench.limits.selectors import values_set


@transaction.atomic
def limits_set(*, user: User, values: Mapping[str, int | None], reason: str) -> list[LimitChange]:
    """Sets limits and writes down who did and why; None gives one back to the workbench. Gives what changed.

    Raises PermissionDenied for all but administrators, ValidationError by name for a value out of range, and for a
    change without a reason.
    """
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators set limits."))
    errors = {}
    for name, value in values.items():
        limit = LIMITS[name]
        if value is not None and not limit.least <= value <= limit.most():
            errors[name] = say(
                "{least} to {most}.",
                least=quantity_text(limit.least, limit.unit),
                most=quantity_text(limit.most(), limit.unit),
            )
    present = values_set()
    changed = {name: value for name, value in values.items() if value != present.get(name)}
    if changed and not reason.strip():
        errors["reason"] = say("Say why: the next person will ask.")
    if errors:
        raise ValidationError(errors)
    return [
        LimitChange.objects.create(
            name=name, before=present.get(name), after=value, reason=" ".join(reason.split()), by=user
        )
        for name, value in changed.items()
    ]
