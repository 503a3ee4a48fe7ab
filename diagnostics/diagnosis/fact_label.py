"""The label of a fact: what its signal says it is, as a noun that a reader understands without the rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import diagnostics
from diagnostics.language import CHINESE, Text, in_reader_language
from diagnostics.signals import DEFINITIONS
from diagnostics.wording.fact import fact_name
from diagnostics.yaml_document import read_yaml

UNITS = re.compile(r"(?:, (?:epoch ms|ms|bytes|records|1/s|0 to 1|from 1))+$")
"""Units at the end of a meaning: the value beside the label has its unit."""
SHORTENED = (", absent ", ", unknown ")
VOCABULARY = Path(diagnostics.__file__).parent / "vocabulary"


def fact_label(fact: str) -> str:
    """`load_balance.hot_busy_ratio` as `busy ratio of the hot subtask`; a fact of no signal by its name.

    In the reader's language. A meaning is its label up to the first semicolon; what follows explains the values.
    """
    return in_reader_language(_label(fact))


def fact_explanation(fact: str) -> str:
    """What its signal states about the values beyond the label, in the reader's language; empty for nothing."""
    key, _, name = fact.rpartition(".")
    definition = DEFINITIONS.get(key)
    english = UNITS.sub("", definition.facts.get(name, "").partition(";")[2].strip()) if definition else ""
    chinese = chinese_explanations().get(english)
    return in_reader_language(Text(english, {CHINESE: chinese})) if chinese else english


@cache
def _label(fact: str) -> str:
    """The English label with its translation."""
    key, _, name = fact.rpartition(".")
    definition = DEFINITIONS.get(key)
    meaning = definition.facts.get(name) if definition else None
    if meaning is None:
        return fact_name(fact)
    label = UNITS.sub("", meaning.partition(";")[0])
    for detail in SHORTENED:
        label = label.partition(detail)[0]
    chinese = chinese_labels().get(key, {}).get(name)
    return Text(label, {CHINESE: chinese}) if chinese else label


@cache
def chinese_labels() -> Mapping[str, Mapping[str, str]]:
    """Signal -> fact -> its label."""
    labels: Mapping[str, Mapping[str, str]] = _entries("fact_labels.yaml")
    return labels


@cache
def chinese_explanations() -> Mapping[str, str]:
    """English explanation -> the Chinese one."""
    explanations: Mapping[str, str] = _entries("fact_explanations.yaml")
    return explanations


def _entries(name: str) -> Any:
    return read_yaml((VOCABULARY / name).read_text("utf-8"), name).content
