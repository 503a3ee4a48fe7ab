"""Runbooks written here: drafts, versions and history are those of rules; their ids begin with RUNBOOK.

A rule's id holds no colon, so the two never meet. A shipped runbook gets rows once somebody edits it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from django.db.models import Max
from django.utils import timezone

from diagnostics.errors import InvalidRule
from diagnostics.runbook import Runbook, runbooks, shipped_runbook_texts
from workbench.rules.models import Draft, Origin, Rule, RuleVersion, VersionState

RUNBOOK = "runbook:"


def is_runbook(rule_id: str) -> bool:
    """Whether the id is that of a runbook."""
    return rule_id.startswith(RUNBOOK)


def checked_runbook(text: str) -> Runbook:
    """The runbook that the text holds. Raises InvalidRule with every error, each with its line."""
    # Loads PySpark, which takes a second and which a web server that saves no runbook does not need.
    from diagnostics.signals import DEFINITIONS

    return Runbook.from_yaml(text, "runbook", DEFINITIONS)


def runbook_blockers(draft: Draft) -> Iterator[str]:
    """What keeps a runbook's draft from being published."""
    try:
        runbook = checked_runbook(draft.text)
    except InvalidRule as error:
        yield from error.errors
        return
    if draft.rule is None or draft.rule.rule_id != f"{RUNBOOK}{runbook.id}":
        yield f"The `id` of this runbook must stay {draft.stated_rule_id.removeprefix(RUNBOOK)!r}: findings name it."
    elif runbook.symptom_class != runbooks()[runbook.id].symptom_class:
        yield "The `symptom_class` of a runbook cannot change."


def runbook_counting(runbook_id: str | None) -> Runbook | None:
    """The runbook that pages show: the version written here that is published, else the shipped one."""
    shipped = runbooks().get(runbook_id or "")
    if shipped is None:
        return None
    local = RuleVersion.objects.filter(
        rule__rule_id=f"{RUNBOOK}{shipped.id}", origin=Origin.LOCAL, state=VersionState.PUBLISHED
    )
    text = local.values_list("text", flat=True).first()
    return _read(text) if text is not None else shipped


def runbook_identity(runbook_id: str) -> Rule | None:
    """The row of a shipped runbook, with its present shipped text as a version; None when there is no such runbook."""
    if runbook_id not in runbooks():
        return None
    shipped, text = runbooks()[runbook_id], shipped_runbook_texts()[runbook_id]
    identity, _ = Rule.objects.get_or_create(rule_id=f"{RUNBOOK}{runbook_id}")
    digest = hashlib.sha256(text.encode()).hexdigest()
    stored = identity.versions.filter(origin=Origin.SHIPPED, state=VersionState.PUBLISHED)
    if not stored.filter(sha256=digest).exists():
        stored.update(state=VersionState.RETIRED)
        RuleVersion.objects.create(
            rule=identity,
            number=(identity.versions.aggregate(highest=Max("number"))["highest"] or 0) + 1,
            origin=Origin.SHIPPED,
            state=VersionState.PUBLISHED,
            text=text,
            sha256=digest,
            symptom_class=shipped.symptom_class,
            title=shipped.title,
            published_at=timezone.now(),
        )
    return identity


@lru_cache(maxsize=100)
def _read(text: str) -> Runbook:
    return Runbook.from_yaml(text, "runbook")
