"""The diagnosis in the language of its reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.cache import cache

from diagnostics.diagnosis.judge import judge
from diagnostics.language import ENGLISH, reader_language, reading_in
from diagnostics.rules.rule import Rule, Ruleset
from diagnostics.rules.shipped import shipped_rules
from workbench.analyses.health import weighed
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say_stored
from workbench.rules.selectors import rules_of

KEPT_SECONDS = 3600
"""Our choice: a case is read again and again while it is worked on."""


def document_read(analysis: Analysis) -> dict[str, Any]:
    """The stored document, its sentences in the language of the reader.

    What is stored is English. For other languages the stored signals are judged again by the rules of the analysis. A
    document made in this way has the entry `language`; where the judgement of this program differs from the stored one,
    as it may for old analyses, the stored document is returned without it.
    """
    stored: dict[str, Any] = analysis.document
    language = reader_language()
    if language == ENGLISH or stored is None:
        return stored
    score = stored["health"]["score"]  # other weights, other deductions
    key = f"document-{analysis.pk}-{analysis.finished_at}-{score}-{language}".replace(" ", "-")
    made = cache.get_or_set(key, lambda: _judged_in(language, analysis, stored), KEPT_SECONDS)
    return made or stored


def _judged_in(language: str, analysis: Analysis, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the language; empty where it is not the stored judgement."""
    rules, _ = rules_of(analysis.ruleset)
    shipped = {each.id: each for each in shipped_rules()}
    ruleset = Ruleset.of(_translated(rule, shipped.get(rule.id)) for rule in rules.rules)
    with reading_in(language):
        # A warning may quote what the workbench itself wrote into a report, so that both catalogues are needed.
        inputs = [{**each, "warnings": list(map(say_stored, each.get("warnings", ())))} for each in stored["inputs"]]
        made = weighed(judge(analysis.signals, inputs, ruleset, stored["timing"], language))
    return {**made, "language": language} if list(_judgement(made)) == list(_judgement(stored)) else {}


def _translated(rule: Rule, shipped: Rule | None) -> Rule:
    """The shipped rule when it is the same: a translation that came after the analysis is used for it too."""
    return shipped if shipped == rule else rule


def _judgement(document: Mapping[str, Any]) -> Iterator[Any]:
    """What both documents have to agree on."""
    yield document["verdict"]["symptom_class"], document["verdict"]["confidence"]
    yield [each["verdict"]["symptom_class"] for each in document["jobs"]]
    yield from ((each["rule"], each["subject"], each["caused_by"]) for each in document["findings"])
