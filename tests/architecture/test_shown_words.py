"""No text that a user reads holds a word that the style page bans."""

from __future__ import annotations

import re

import pytest

from tests.architecture.shown_texts import (
    ROOT,
    shown_texts,
    strings_of_program,
    strings_of_script,
    texts_of_template,
    values_of_data,
)

STYLE_PAGE = ROOT / "workbench/launch/STYLE.md"
ALLOWED_TERMS = re.compile(r"\bstands? out\b|\bstand-alone\b", re.IGNORECASE)
"""Terms that hold a banned word and mean what they say."""


def banned(heading: str) -> list[str]:
    """The phrases in the first column of the table below a heading of the style page."""
    section = STYLE_PAGE.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [phrase for row in rows for phrase in re.findall(r"`([^`]+)`", row.split("|")[1].partition(" (")[0])]


def as_pattern(phrases: list[str]) -> re.Pattern[str]:
    """Any of the phrases as whole words, across line breaks."""
    words = (re.escape(phrase).replace(r"\ ", r"\s+") + (r"\b" if phrase[-1].isalnum() else "") for phrase in phrases)
    return re.compile(rf"\b(?:{'|'.join(words)})", re.IGNORECASE)


IN_A_SENTENCE = as_pattern(banned("Not in a sentence"))
AS_A_LABEL = frozenset(banned("Not as a heading or label"))


def offence(text: str) -> str | None:
    """The banned phrase of a text."""
    if text.strip() in AS_A_LABEL:
        return text.strip()
    match = IN_A_SENTENCE.search(ALLOWED_TERMS.sub("", text) + "\n")
    return match[0] if match else None


def test_no_shown_text_holds_a_banned_word() -> None:
    offenders = [
        f"{shown.path}:{shown.line} “{word}” in: {' '.join(shown.text.split())[:160]}"
        for shown in shown_texts()
        if (word := offence(shown.text))
    ]
    assert offenders == [], "the style page, workbench/launch/STYLE.md, says what to write instead"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("No metric tells the lag", "tells"),
        ("3 failures in all.", "in all."),
        ("Its reason stands above", "stands"),
        ("Go  on with the runbook", "Go  on with"),
        ("Numbers", "Numbers"),
        ("Numbers of subtasks", None),
        ("One subtask stands out in all charts", None),
    ],
)
def test_a_banned_word_is_seen(text: str, word: str | None) -> None:
    assert offence(text) == word


def test_what_a_user_reads_is_read_from_every_kind_of_file() -> None:
    program = '"""A doc."""\nNAME = "a_key"\nWORDS = f"{1} pauses in all"'
    template = '<a title="It tells">{# told #}{% if told %}News{% endif %}</a>'
    script = '// told\nconst a = `${told.all} lines`, b = "it tells"'
    data = 'title: "what it tells"\npattern: "he told me"\nid: some.id'
    assert [text for _, text in strings_of_program(program)] == [" pauses in all"]
    assert [text for _, text in texts_of_template(template)] == ["It tells", "News"]
    assert [text for _, text in strings_of_script(script)] == ["¤ lines", "it tells"]
    assert [text for _, text in values_of_data(data)] == ["what it tells"]
