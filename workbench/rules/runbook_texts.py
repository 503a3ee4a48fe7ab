"""Edited runbooks: drafts, versions and history like rules; their ids begin with RUNBOOK.

A rule's id contains no colon, so the two never collide. A shipped runbook gets rows when it is first edited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from django.db.models import Max, QuerySet
from django.utils import timezone

from diagnostics.errors import InvalidRule
from diagnostics.runbook import Runbook, runbooks, shipped_runbook_texts
from workbench.languages.sentences import say
from workbench.rules.models import Draft, Origin, Rule, RuleVersion, VersionState

RUNBOOK = "runbook:"


def is_runbook(rule_id: str) -> bool:
    """Whether the id is that of a runbook."""
    return rule_id.startswith(RUNBOOK)


def checked_runbook(text: str) -> Runbook:
    """The runbook in the text. Raises InvalidRule with every error and its line."""
    # Imports PySpark, which takes a second and which other pages do not need.
    from diagnostics.signals import DEFINITIONS

    return Runbook.from_yaml(text, say("runbook"), DEFINITIONS)


def runbook_blockers(draft: Draft) -> Iterator[str]:
    """The reasons against publishing a runbook's draft."""
    try:
        runbook = checked_runbook(draft.text)
    except InvalidRule as error:
        yield from error.errors
        return
    if draft.rule is None or draft.rule.rule_id != f"{RUNBOOK}{runbook.id}":
        yield say(
            "The `id` of this runbook must stay {runbook!r}: findings name it.",
            runbook=draft.stated_rule_id.removeprefix(RUNBOOK),
        )
    elif runbook.symptom_class != runbooks()[runbook.id].symptom_class:
        yield say("The `symptom_class` of a runbook cannot change.")


def runbook_counting(runbook_id: str | None) -> Runbook | None:
    """The effective runbook: the published local version, else the shipped one."""
    return runbooks_counting([runbook_id or ""]).get(runbook_id or "")


def runbooks_counting(runbook_ids: Iterable[str]) -> dict[str, Runbook]:
    """The effective runbooks by id, without unknown ids."""
    shipped = {each: runbooks()[each] for each in runbook_ids if each in runbooks()}
    local = _local_versions().filter(rule__rule_id__in=[f"{RUNBOOK}{each}" for each in shipped])
    texts = dict(local.order_by("number", "pk").values_list("rule__rule_id", "text"))
    return shipped | {rule_id.removeprefix(RUNBOOK): _read(text) for rule_id, text in texts.items()}


def runbooks_edited() -> list[int]:
    """The keys of the published local versions: with the shipped runbooks they say which ones are effective."""
    return list(_local_versions().filter(rule__rule_id__startswith=RUNBOOK).order_by("pk").values_list("pk", flat=True))


def _local_versions() -> QuerySet[RuleVersion]:
    return RuleVersion.objects.filter(origin=Origin.LOCAL, state=VersionState.PUBLISHED)


def runbook_identity(runbook_id: str) -> Rule | None:
    """The row of a shipped runbook, with its shipped text as a version; None when there is no such runbook."""
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
