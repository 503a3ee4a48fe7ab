"""The catalogue of known bugs is complete, and its signatures fit their own bug and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE
from diagnostics.notation.stack_frame import plain_frame
from diagnostics.symptoms import symptoms
from diagnostics.vocabulary.known_bug import (
    Signature,
    bugs_of,
    bugs_that_fit,
    known_bugs,
    rare_texts,
    release_of,
)

HEALTHY = Path(__file__).resolve().parents[4] / "shared" / "corpus"

WHOLE = """
FLINK-1:
  title: "a sentence"
  component: network
  affected: [1.13.0..1.13.5, 1.14.0]
  fixed: [1.13.6, 1.14.1]
  signatures:
    - texts: ["java.lang.IllegalStateException: This is what stands in the log"]
      frames: ["org.apache.flink.Thing.work"]
  looks_like: What people see.
  work_around: What helps.
  symptom_class: restore_failure
  source: {title: Announcement, url: "https://flink.apache.org/"}
"""


def errors_of(text: str) -> list[str]:
    with pytest.raises(InvalidRule) as refused:
        bugs_of(text, "bugs.yaml")
    return refused.value.errors


def signatures() -> Iterator[tuple[str, Signature]]:
    for bug in known_bugs().values():
        for signature in bug.signatures:
            yield bug.id, signature


def test_every_bug_is_complete() -> None:
    bugs = known_bugs().values()
    assert len(bugs) >= 150
    assert {bug.symptom_class for bug in bugs if bug.symptom_class} <= set(symptoms())
    assert [
        bug.id for bug in bugs if not (bug.affected and (bug.signatures or bug.signs) and bug.url and bug.work_around)
    ] == []


def test_no_release_is_affected_and_has_the_fix() -> None:
    both = [
        (bug.id, each)
        for bug in known_bugs().values()
        for each in bug.fixed
        if bug.affects(release_of(each) or (0, 0, 0))
    ]
    assert both == []


def test_every_signature_fits_what_is_made_of_itself_and_no_other_bug() -> None:
    shown = {
        (name, signature): bugs_that_fit("\n".join(signature.texts), signature.frames[:1])
        for name, signature in signatures()
    }
    assert {key: names for key, names in shown.items() if names != [key[0]]} == {}


def test_a_text_that_lacks_its_last_letters_does_not_fit() -> None:
    shown = {
        (name, text): bugs_that_fit("\n".join(each[:-2] for each in signature.texts), signature.frames[:1])
        for name, signature in signatures()
        for text in signature.texts
    }
    assert {key: names for key, names in shown.items() if key[0] in names} == {}


def test_a_signature_with_frames_fits_in_no_other_frame() -> None:
    shown = {
        name: bugs_that_fit("\n".join(signature.texts), ["org.acme.Job.map", None])
        for name, signature in signatures()
        if signature.frames
    }
    assert {name: names for name, names in shown.items() if names} == {}


def test_each_rare_text_occurs_in_matches_of_its_signature() -> None:
    rare = rare_texts()
    assert all(
        any(each in "\n".join((*signature.texts, frame)) for each in rare)
        for _, signature in signatures()
        for frame in signature.frames or ("",)
    )


@pytest.mark.skipif(not HEALTHY.is_dir(), reason="the corpus is not on this machine")
def test_no_signature_is_in_a_healthy_case() -> None:
    healthy = [path.parent for path in HEALTHY.glob("*/truth.json") if '"healthy"' in path.read_text("utf-8")]
    texts = [path.read_text("utf-8", "replace") for case in healthy for path in case.rglob("*.log")]
    assert len(texts) >= 3
    found = {
        name
        for name, signature in signatures()
        for text in texts
        if all(each in text for each in signature.texts)
        and (not signature.frames or any(frame in text for frame in signature.frames))
    }
    assert found == set()


def test_a_whole_entry_is_read() -> None:
    bug = bugs_of(WHOLE, "bugs.yaml")["FLINK-1"]
    assert (bug.product, bug.fixed, bug.symptom_class) == ("flink", ("1.13.6", "1.14.1"), "restore_failure")
    assert [bug.affects(each) for each in ((1, 12, 9), (1, 13, 0), (1, 13, 5), (1, 13, 6), (1, 14, 0), (1, 14, 1))] == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]


def test_the_repair_names_the_releases_with_the_bug_and_with_the_fix() -> None:
    said = known_bugs()["FLINK-28758"].repair
    assert said.startswith("If flink-connector-kafka is 3.0.0, upgrade it to 3.0.1 or later: this fits FLINK-28758 (")
    assert "flink-connector-kafka 的版本是 3.0.0" in said.translations[CHINESE]
    assert "1.10.0..1.14.2" in known_bugs()["FLINK-24846"].repair
    assert "no release has fixed" in known_bugs()["FLINK-39728"].repair


def test_the_repair_of_a_release_that_runs_is_to_upgrade_without_condition() -> None:
    said = known_bugs()["FLINK-28758"].repair_of_running
    assert said.startswith("Upgrade flink-connector-kafka to 3.0.1 or later: the release that runs has FLINK-28758 (")
    assert "将 flink-connector-kafka 升级到 3.0.1" in said.translations[CHINESE]
    assert "no release has fixed" in known_bugs()["FLINK-39728"].repair_of_running


def test_every_mistake_of_an_entry_is_reported_with_its_line() -> None:
    text = WHOLE.replace("component: network", "komponent: network").replace("1.13.0..1.13.5", "1.13")
    assert errors_of(text.replace("title: Announcement, ", "")) == [
        "bugs.yaml line 2: `component` is missing",
        "bugs.yaml line 4: unknown entry 'komponent'",
        "bugs.yaml line 5: 1.13 is no range such as 1.13.0..1.13.5",
        "bugs.yaml line 13: `source` has a title and a url that begins with https://",
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("FLINK-1:", "Flink 1:", "'Flink 1' is no id of a tracker such as FLINK-12345"),
        ("1.14.1]", "1.14.0]", "1.14.0 is said to be affected and to be fixed"),
        ("1.14.1]", "1.14]", "1.14 is no release such as 1.13.6"),
        ("https://", "http://", "`source` has a title and a url that begins with https://"),
        ("[1.13.0..1.13.5, 1.14.0]", "[]", "`affected` names at least one release"),
        ('["org.apache.flink.Thing.work"]', "[]", "a list that is there is not empty"),
        ('["org.apache.flink.Thing.work"]', "[work]", "a text of one line and at least 12 characters"),
        ("component: network", "component: network\n  product: Kafka 3", "`product` 'Kafka 3' is no artifact such as"),
    ],
)
def test_a_mistake_is_reported(old: str, new: str, told: str) -> None:
    assert any(told in error for error in errors_of(WHOLE.replace(old, new)))


def test_a_class_alone_is_no_signature() -> None:
    text = WHOLE.replace(": This is what stands in the log", "").replace(
        '      frames: ["org.apache.flink.Thing.work"]\n', ""
    )
    assert errors_of(text) == [
        "bugs.yaml line 8: without frames a text of a message is needed, of at least 24 characters"
    ]


@pytest.mark.parametrize(
    ("text", "release"),
    [("1.20.5", (1, 20, 5)), ("1.13.2-csa1.6", (1, 13, 2)), ("1.20", None), ("2.1-SNAPSHOT", None), (None, None)],
)
def test_a_release_has_three_numbers(text: str | None, release: tuple[int, int, int] | None) -> None:
    assert release_of(text) == release


@pytest.mark.parametrize(
    ("frame", "plain"),
    [
        ("org.apache.flink.A.work", "org.apache.flink.A.work"),
        ("org.apache.flink.A.lambda$work$12", "org.apache.flink.A.work"),
        ("org.apache.flink.A$B.lambda$work$477a3c4c$1", "org.apache.flink.A$B.work"),
    ],
)
def test_a_lambda_counts_as_the_method_around_it(frame: str, plain: str) -> None:
    assert plain_frame(frame) == plain


def test_the_repair_of_a_bug_that_harms_nothing_asks_for_no_change() -> None:
    bug = known_bugs()["FLINK-35622"]
    assert bug.needs_nothing
    assert bug.repair_of_running.startswith("Change nothing because of it: ")
    assert "2.1.0" in bug.repair_of_running
    assert not known_bugs()["FLINK-28758"].needs_nothing
