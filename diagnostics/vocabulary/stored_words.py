"""Words that facts hold, in the reader's language.

A signal describes a failure in English, such as `it refuses the login`. Texts of a catalogue have their
Chinese beside them there; that of all other words is in `stored_words.yaml`, by fact: the same word may be the value of
a setting in another fact, and values of settings are never translated.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from diagnostics.evidence.subject import FactValue
from diagnostics.language import CHINESE, ENGLISH, Text, in_reader_language, reader_language, say
from diagnostics.vocabulary.alarming_readings import alarming_readings
from diagnostics.vocabulary.class_owners import class_owners
from diagnostics.vocabulary.code_shapes import code_shapes
from diagnostics.vocabulary.connectors import connectors
from diagnostics.vocabulary.contradicting_settings import contradictions, setting_traps
from diagnostics.vocabulary.expected_behaviour import expected_behaviour
from diagnostics.vocabulary.fault_origins import origin_titles, origins
from diagnostics.vocabulary.fault_traits import fault_traits
from diagnostics.vocabulary.filled_remedy import filled_remedy
from diagnostics.vocabulary.known_bug import known_bugs
from diagnostics.vocabulary.known_frames import known_frames
from diagnostics.vocabulary.memory_beyond_model import memory_beyond_model
from diagnostics.vocabulary.message_remedies import message_remedies
from diagnostics.vocabulary.outside_refusals import refusals
from diagnostics.vocabulary.setting_faults import setting_faults
from diagnostics.yaml_document import read_yaml

FILE = Path(__file__).with_suffix(".yaml")
COUNTED = re.compile(r"(.+) \((\d{1,9})\)")
"""Words with how often they apply: `tasks not ready (3)`."""
PLACED = re.compile(r"(.+) \(line (\d{1,9})\)")
"""A name in the job's code with its line: `executeQuery (line 83)`."""
WITH_LINES = "job_code."
"""Beginning of the facts that hold such names; all else that has this form is of the evidence."""

OF_REMEDIES = "remedy"
"""End of the facts that hold an act, which may have values of the evidence in it."""

OF_AN_ORIGIN = ("checkpoint_declines.origin", "code_faults.origin")
"""Facts that hold the id of an origin, which rules compare; a reader sees its title."""


def in_reader_words(fact: str, value: FactValue) -> FactValue:
    """The value of a fact with its words in the reader's language; names and texts of the evidence stay."""
    if fact in OF_AN_ORIGIN:
        value = [_origin(each) for each in value] if isinstance(value, list) else _origin(value)
        fact = f"{fact}_title"
    words = (
        fact_words().get(fact, {} if fact.startswith(WITH_LINES) else None) if reader_language() != ENGLISH else None
    )
    if words is None:
        return value
    if isinstance(value, list):
        return [_said(words, each) for each in value]
    if isinstance(value, str) and fact.endswith(OF_REMEDIES) and value not in words:
        return in_reader_language(filled_remedy(value) or value)
    return _said(words, value)


def _origin(value: FactValue) -> FactValue:
    return origin_titles().get(value, value) if isinstance(value, str) else value


def _said(words: Mapping[str, Text], value: FactValue) -> FactValue:
    if not isinstance(value, str):
        return value
    if value in words:
        return in_reader_language(words[value])
    if placed := PLACED.fullmatch(value):
        return say("{name} (line {line})", name=placed[1], line=placed[2])
    counted = COUNTED.fullmatch(value)
    if counted is None or counted[1] not in words:
        return value
    return say("{words} ({count})", words=in_reader_language(words[counted[1]]), count=counted[2])


@cache
def fact_words() -> Mapping[str, Mapping[str, Text]]:
    """Fact -> the words that it may hold, each with its translations, by the English ones."""
    words: dict[str, dict[str, Text]] = defaultdict(dict)
    for fact, texts in _catalogue_texts():
        words[fact] |= {text: text for text in texts if isinstance(text, Text)}
    content: Any = read_yaml(FILE.read_text("utf-8"), FILE.name).content
    for entry in content.values():
        texts = {english: Text(english, {CHINESE: said}) for english, said in entry["words_zh"].items()}
        for fact in entry["facts"]:
            words[fact] |= texts
    return words


def _catalogue_texts() -> Iterable[tuple[str, Iterable[str]]]:
    """Facts that hold texts of catalogues, with these."""
    bugs, faults = known_bugs().values(), setting_faults()
    titles = [each.title for each in origins()]
    repairs = [repair for each in bugs for repair in (each.repair, each.repair_of_running)]
    remedies = [*repairs, *(each.remedy for each in message_remedies())]
    hows, advice = [each.how for each in refusals()], [each.advice for each in refusals()]
    readings = alarming_readings().values()
    return (
        *(
            (f"alarming_readings.{each.symptom_class}.{fact}", [getattr(each, fact)])
            for each in readings
            for fact in ("what", "advice")
        ),
        ("outside_faults.kind", hows),
        ("fault_traits.kind", [*hows, *(each.what for each in code_shapes())]),
        ("code_faults.shape", [each.what for each in code_shapes()]),
        ("code_faults.advice", [each.advice for each in code_shapes()]),
        ("code_faults.owner", [each.what for each in class_owners()]),
        ("code_faults.caller", [each.what for each in class_owners()]),
        ("code_faults.owner_advice", [each.advice for each in class_owners()]),
        ("outside_faults.advice", advice),
        ("fault_traits.advice", [*advice, *(each.advice for each in code_shapes())]),
        ("contradicting_settings.what", [each.what for each in contradictions().values()]),
        ("contradicting_settings.act", [each.act for each in contradictions().values()]),
        ("setting_traps.what", [each.what for each in setting_traps().values()]),
        *(
            (f"setting_traps.{act}", [each.act for each in setting_traps().values()])
            for act in ("act", "act_2", "act_3")
        ),
        ("expected_behaviour.says", [each.says for each in expected_behaviour().values()]),
        ("setting_faults.kind", [each.what for each in faults]),
        ("setting_faults.remedy", [*remedies, *(each.remedy for each in faults)]),
        ("fault_traits.remedy", remedies),
        ("host_limits.remedy", remedies),
        ("checkpoint_declines.remedy", remedies),
        ("code_faults.remedy", remedies),
        ("outside_faults.remedy", remedies),
        ("restore_failures.remedy", remedies),
        ("connections.first_remedy", remedies),
        ("kafka_transactions.remedy", remedies),
        ("slots.queued_remedy", remedies),
        ("high_availability.failure_remedy", remedies),
        ("fault_traits.because", [each.says for each in fault_traits()]),
        ("hot_frames.hot_advice", known_frames().computing.values()),
        ("checkpoint_declines.origin_title", titles),
        ("code_faults.origin_title", titles),
        ("delivery_guarantee.source_notes", [each.noted("source") for each in connectors().values()]),
        ("delivery_guarantee.sink_notes", [each.noted("sink") for each in connectors().values()]),
        ("known_bugs.title", [each.title for each in bugs]),
        ("known_bugs.looks_like", [each.looks_like for each in bugs]),
        ("known_bugs.repair", repairs),
        ("out_of_memory.container_remedy", [each.advice for each in memory_beyond_model().values()]),
        ("known_bugs.work_around", [each.work_around for each in bugs]),
    )
