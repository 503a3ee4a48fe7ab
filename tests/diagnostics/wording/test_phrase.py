"""Sentences with measured values."""

import pytest

from diagnostics.wording import phrase


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        ("percent", 0.913, "91 %"),
        ("percent", 0.0437, "4.4 %"),
        ("percent", 1.0, "100 %"),
        ("count", 98392, "98,392"),
        ("often", 1, "once"),
        ("often", 2, "twice"),
        ("often", 1200, "1,200 times"),
        ("duration", 950, "950 ms"),
        ("duration", 27127, "27.1 s"),
        ("duration", 30000, "30 s"),
        ("duration", 125_000, "2 min 5 s"),
        ("duration", 11_400_000, "3 h 10 min"),
        ("duration", 1_058_400_000, "12 days 6 h"),
        ("duration", -30_000, "-30 s"),
        ("bytes", 287_948_221, "287.9 MB"),
        ("bytes", 3000, "3 kB"),
        ("bytes", 12, "12 bytes"),
        ("memory", 192_937_984, "184 MiB"),
        ("durations", [3038, 7010], "3 s and 7 s"),
        ("list", [6, 7, 8], "6, 7 and 8"),
        ("rate", 31.24, "31.2/s"),
        ("time", 1_795_224_420_970, "2026-11-21 01:27:00 UTC"),
        ("time", 10**18, "a time that no calendar has"),
        ("time", 1795222165901, "2026-11-21 00:49:25 UTC"),
        ("number", 0.0456, "0.0456"),
        ("number", 1234.5, "1,234"),
    ],
)
def test_a_value_is_said_as_people_say_it(form: str, value: object, expected: str) -> None:
    assert phrase.fill(f"{{load.value|{form}}}", {"load.value": value}.get) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, "1 checkpoint was declined in subtask 4"), (3, "3 checkpoints were declined in subtask 4")],
)
def test_words_agree_with_the_number_before_them(count: int, expected: str) -> None:
    facts = {"declines.failures": count, "declines.subtasks": [4]}
    template = (
        "{declines.failures} [checkpoint was|checkpoints were] declined in [subtask|subtasks] {declines.subtasks|list}"
    )
    assert phrase.fill(template, facts.get) == expected


def test_words_agree_with_the_length_of_the_list_that_follows_them() -> None:
    template = "{declines.failures} failed in [subtask|subtasks] {declines.subtasks|list}"
    assert (
        phrase.fill(template, {"declines.failures": 1, "declines.subtasks": [4, 5]}.get)
        == "1 failed in subtasks 4 and 5"
    )


def test_a_value_that_ends_with_a_full_stop_brings_no_second_one() -> None:
    filled = phrase.fill("It says: {fault.said}. It came twice.", {"fault.said": "It was fenced."}.get)
    assert filled == "It says: It was fenced. It came twice."


def test_a_sentence_with_an_unknown_fact_is_not_said() -> None:
    assert phrase.fill("{load.share} of {load.total}", {"load.share": 1}.get) is None


def test_a_command_names_what_the_user_must_fill_in() -> None:
    filled = phrase.fill_or_name("curl {rest}/jobs/{subject.job}", {"rest": "http://jm:8081"}.get)
    assert filled == "curl http://jm:8081/jobs/<job>"


def test_a_template_cannot_reach_attributes() -> None:
    template = "{load.__class__} {load.share.__class__!r} {0}"
    assert phrase.fill_or_name(template, {}.get) == "<--class--> {load.share.__class__!r} {0}"


def test_a_duration_in_a_chart_is_shown_with_its_exact_value() -> None:
    assert phrase.exact_duration(2_232_000.0) == "37 min 12 s (2,232,000 ms)"
    assert phrase.exact_duration(950.0) == "950 ms"


def test_a_filled_text_in_pieces_says_which_value_is_of_which_fact() -> None:
    known = {"a.took_ms": 27_100.0, "a.failed": 1, "a.text": "so."}.get
    template = "{a.failed} checkpoint[|s] failed after {a.took_ms|duration}: {a.text}."

    pieces = phrase.fill_in_pieces(template, known)

    assert pieces is not None
    assert "".join(each.text for each in pieces) == phrase.fill(template, known)
    assert [(each.text, each.reference) for each in pieces if each.reference] == [
        ("1", "a.failed"),
        ("27.1 s", "a.took_ms"),
        ("so", "a.text"),
    ]
    assert phrase.fill_in_pieces("{a.unknown} is not known", known) is None
