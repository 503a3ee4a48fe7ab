"""Remedies and findings name options as the detected version of Flink calls them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import Step, runbooks
from diagnostics.vocabulary.settings import Version, setting_catalogue
from diagnostics.wording.option_names import code_in_version, in_version, lines_in_version, options_named

VERSIONS = [(1, minor) for minor in range(10, 21)] + [(2, minor) for minor in range(4)]


def said_options(text: str) -> Iterator[tuple[str, str]]:
    """Every option that a text names, under any name, with the line that names it."""
    catalogue = setting_catalogue()
    for line in text.split("\n"):
        for word in re.findall(r"(?<![\w.{|-])[a-z][\w-]*(?:\.[\w-]+)+(?![\w|-])", line):
            if catalogue.find(word.rstrip(".")):
                yield word, line


def is_known(name: str, version: tuple[int, int]) -> bool:
    known = setting_catalogue().find(name)
    return known is not None and known.reads(name, version)


def texts_of_rules() -> Iterator[tuple[str, str]]:
    for rule in shipped_rules():
        for text in (rule.statement, *(each.say for each in rule.also)):
            yield rule.id, text


def step_sentences(step: Step) -> Iterator[str]:
    yield from step.texts.values()
    yield from step.measured
    yield from (each.text for each in step.wont_help)
    for look in step.look:
        yield from (look.what, look.command)
    for answer in step.answers:
        yield from (answer.condition, answer.meaning)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda each: f"{each[0]}.{each[1]}")
def test_nothing_names_an_option_that_the_version_does_not_have(version: tuple[int, int]) -> None:
    texts = [(place, in_version(text, version)) for place, text in texts_of_rules()]
    for runbook in runbooks().values():
        for step in runbook.steps:
            texts += [(f"{runbook.id}/{step.id}", in_version(text, version)) for text in step_sentences(step)]
            for change in step.changes:
                wording = lines_in_version if change.kind == "config" else in_version
                texts += [(f"{runbook.id}/{step.id}", wording(each, version)) for each in (change.before, change.after)]
    wrong = [
        f"{place}: {name}"
        for place, text in texts
        for name, line in said_options(text)
        if not is_known(name, version) and not re.search(r"Flink \d\.\d|\d\.\d\d", line)
    ]
    assert wrong == []


def test_an_option_gets_the_name_of_the_version() -> None:
    text = "Set execution.checkpointing.incremental: true in config.yaml."
    assert in_version(text, (1, 20)) == text
    assert in_version(text, None) == text
    assert in_version(text, (1, 18)) == "Set state.backend.incremental: true in flink-conf.yaml."
    assert in_version("high-availability.type", (1, 16)) == "high-availability"


def test_an_option_that_the_version_lacks_is_said_to_be_missing() -> None:
    debloat = "taskmanager.network.memory.buffer-debloat.enabled"
    assert in_version(f"Try {debloat}.", (1, 13)) == f"Try {debloat} (from Flink 1.14 on)."
    assert in_version(f"Try {debloat} (Flink 1.14).", (1, 13)) == f"Try {debloat} (Flink 1.14)."
    assert lines_in_version(f"{debloat}: true", (1, 13)) == f"# {debloat}: true   # from Flink 1.14 on"


def test_a_text_with_both_names_is_unchanged() -> None:
    text = "the limit (pekko.framesize, akka.framesize before Flink 1.18)"
    assert in_version(text, (1, 17)) == text


def test_longer_names_are_not_taken_for_the_options_they_begin_with() -> None:
    assert in_version("state.backend.type.of.mine and {settings.state_backend}", (1, 13)) == (
        "state.backend.type.of.mine and {settings.state_backend}"
    )


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ((1, 19), "a; Time.days(1) before Flink 1.20\n// a new name"),
        ((1, 20), "a\n// a new name"),
        ((2, 2), "a\n// the former name"),
        (None, "a; Time.days(1) before Flink 1.20\n// a new name\n// the former name"),
    ],
)
def test_code_has_no_words_about_other_versions(version: Version | None, shown: str) -> None:
    code = "a[<1.20|; Time.days(1) before Flink 1.20]\n[<2.2|// a new name]\n[>=2.2|// the former name]"
    assert code_in_version(code, version) == shown


def test_the_options_that_a_text_names_are_no_files() -> None:
    text = "提高heartbeat.timeout, in config.yaml, e.g. with zoo.cfg, or taskmanager.memory.process.size."
    assert options_named(text) == {"heartbeat.timeout", "taskmanager.memory.process.size"}
