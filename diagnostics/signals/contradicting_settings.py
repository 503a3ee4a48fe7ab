"""Settings of one file that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.stated_settings import (
    WHOLE_CONFIGURATION,
    Stated,
    jobs_of,
    stated_options,
)
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.contradicting_settings import contradictions
from diagnostics.vocabulary.settings import setting_catalogue

SCOPE = "cluster"
"""Scope of the options that processes read from their files."""


def measure(evidence: Evidence) -> Measured:
    """Settings that cannot be meant together.

    Reads   config_option.
    Gives   one signal for each job where a configuration of a cluster contradicts itself.
    Empty   NotMeasured when no file states options of a cluster.
    """
    by_file: dict[int, list[Stated]] = defaultdict(list)
    for option in stated_options(evidence):
        if option.scope == SCOPE and option.value is not None:
            by_file[option.citation.file_id].append(option)
    if not by_file:
        yield NotMeasured("contradicting_settings", "configuration", "no file states Flink's options")
        return
    found = [each for stated in by_file.values() for each in _contradicted(stated)]
    if not found:
        return
    citations = tuple(dict.fromkeys(option.citation for _, options in found for option in options))
    entries = [contradictions()[name] for name in dict.fromkeys(name for name, _ in found)]
    facts: dict[str, FactValue] = {
        "count": len(entries),
        "what": [each.what for each in entries],
        "act": entries[0].act,
    }
    for job in jobs_of(evidence):
        yield Signal("contradicting_settings", Subject(job=job), known_facts(facts), citations)


def _contradicted(stated: Sequence[Stated]) -> list[tuple[str, Sequence[Stated]]]:
    """The ids of what one file contradicts itself in, with the options that do."""
    by_name: dict[str, Stated] = {}
    for option in stated:
        known = setting_catalogue().find(option.key)
        by_name.setdefault(known.key if known else option.key, option)
    values = {name: option.value or "" for name, option in by_name.items()}
    is_complete = any(name in values for name in WHOLE_CONFIGURATION)
    return [
        (name, [by_name[each] for each in entry.options if each in by_name])
        for name, entry in contradictions().items()
        if entry.holds(values, is_complete=is_complete)
    ]


FACTS = {
    "count": "ways in which a configuration contradicts itself",
    "what": "what contradicts itself",
    "act": "what to set about the first of them",
}

SIGNALS = (SignalDefinition("contradicting_settings", "job", FACTS, measure),)
