"""Settings of one file that contradict each other, and those with an effect that no error shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation import operator_resource
from diagnostics.reconstruction.configuration.stated_settings import (
    WHOLE_CONFIGURATION,
    Stated,
    jobs_of,
    stated_options,
)
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.contradicting_settings import Contradiction, contradictions, setting_traps
from diagnostics.vocabulary.settings import setting_catalogue

SCOPE = "cluster"
"""Scope of the options that processes read from their files."""
RESOURCE = operator_resource.SCOPE
MOST_ACTS = 3
"""Acts that are reported of traps. Our choice: a file of defaults that somebody copied has as many."""


def measure(evidence: Evidence) -> Measured:
    """Settings that cannot be meant together.

    Reads   config_option.
    Gives   one signal for each job where a configuration of a cluster contradicts itself.
    Empty   NotMeasured when no file states options of a cluster.
    """
    by_file = _stated_by_file(evidence, {SCOPE})
    if not by_file:
        yield NotMeasured("contradicting_settings", "configuration", "no file states Flink's options")
        return
    yield from _signals(evidence, "contradicting_settings", by_file, contradictions())


def measure_traps(evidence: Evidence) -> Measured:
    """Settings that slow a job down, hold it up or lose what was kept, without an error.

    Reads   config_option, also of resources of Flink's Kubernetes operator.
    Gives   one signal for each job where a file states one.
    Empty   NotMeasured when no file states options of a cluster.
    """
    by_file = _stated_by_file(evidence, {SCOPE, RESOURCE})
    if not by_file:
        yield NotMeasured("setting_traps", "configuration", "no file states Flink's options")
        return
    yield from _signals(evidence, "setting_traps", by_file, setting_traps())


def _stated_by_file(evidence: Evidence, scopes: set[str]) -> Mapping[int, list[Stated]]:
    by_file: dict[int, list[Stated]] = defaultdict(list)
    for option in stated_options(evidence):
        if option.scope in scopes and option.value is not None:
            by_file[option.citation.file_id].append(option)
    return by_file


def _signals(
    evidence: Evidence, key: str, by_file: Mapping[int, list[Stated]], known: Mapping[str, Contradiction]
) -> Measured:
    found = [each for stated in by_file.values() for each in _holding(stated, known)]
    if not found:
        return
    citations = tuple(dict.fromkeys(option.citation for _, options in found for option in options))
    entries = [known[name] for name in known if name in {name for name, _ in found}]
    said = list(dict.fromkeys(each.what for each in entries))
    facts: dict[str, FactValue] = {"count": len(said), "what": said, "act": entries[0].act}
    if key == "setting_traps":
        facts |= {f"act_{place}": entry.act for place, entry in enumerate(entries[1:MOST_ACTS], 2)}
    for job in jobs_of(evidence):
        yield Signal(key, Subject(job=job), known_facts(facts), citations)


def _holding(stated: Sequence[Stated], known: Mapping[str, Contradiction]) -> list[tuple[str, Sequence[Stated]]]:
    """The ids of the entries that the options of one file show, with these options."""
    by_name: dict[str, Stated] = {}
    for option in stated:
        name = option.key.partition("/")[2] if option.scope == RESOURCE else option.key
        setting = setting_catalogue().find(name)
        by_name.setdefault(setting.key if setting else name, option)
    values = {name: option.value or "" for name, option in by_name.items()}
    is_complete = any(name in values for name in WHOLE_CONFIGURATION)
    return [
        (name, [by_name[each] for each in entry.options_in(values)])
        for name, entry in known.items()
        if entry.holds(values, is_complete=is_complete)
    ]


FACTS = {
    "count": "ways in which a configuration contradicts itself",
    "what": "what contradicts itself",
    "act": "what to set about the first of them",
}

TRAP_FACTS = {
    "count": "settings whose effect shows in no error",
    "what": "what these settings do",
    "act": "what to set about the first of them",
    "act_2": "act for the second setting without an error",
    "act_3": "act for the third setting without an error",
}

SIGNALS = (
    SignalDefinition("contradicting_settings", "job", FACTS, measure),
    SignalDefinition("setting_traps", "job", TRAP_FACTS, measure_traps),
)
