"""Pages in Chinese have the structure, commands, numbers and names of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "workbench/launch/OPERATIONS.md")


def in_chinese(page: str) -> str:
    return page.replace(".md", ".zh-hans.md")


def text_of(page: str) -> str:
    return (PROJECT / page).read_text("utf-8")


COMMENT = re.compile(r"(?:^|\s+)# (.*)$", re.MULTILINE)


def blocks(text: str) -> list[str]:
    """Commands, configuration and drawings."""
    return re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[str]:
    """Blocks without their comments, and without drawings, whose words are of the language."""
    return [COMMENT.sub("", block) for block in blocks(text) if "►" not in block]


def prose(text: str) -> str:
    return re.sub(r"^```\n.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def code(text: str) -> Counter[str]:
    """Options, commands, paths and addresses in a text; a line break in them is a space."""
    return Counter(" ".join(each.split()) for each in re.findall(r"`([^`]+)`", prose(text)))


def numbers(text: str) -> Counter[str]:
    """Numbers outside of code and links."""
    rest = re.sub(r"`[^`]+`|\]\([^)]*\)", " ", prose(text))
    return Counter(re.findall(r"(?<![\w.])\d+(?:[.,]\d+)*", rest))


def differences(of: Counter[str], other: Counter[str]) -> list[str]:
    return sorted({*(of - other), *(other - of)})


def shape(text: str) -> list[str]:
    """Level of each heading, and the cells of each row, in order."""
    lines = prose(text).splitlines()
    return [
        line.split(" ")[0] if line.startswith("#") else str(line.count(" | "))
        for line in lines
        if line.startswith(("#", "| ", "|-"))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_headings_and_tables(page: str) -> None:
    assert shape(text_of(page)) == shape(text_of(in_chinese(page)))


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_commands_options_and_numbers(page: str) -> None:
    english, chinese = text_of(page), text_of(in_chinese(page))
    assert commands(english) == commands(chinese)
    assert len(blocks(english)) == len(blocks(chinese))
    assert set(code(english)) ^ set(code(chinese)) == set()
    assert differences(numbers(english), numbers(chinese)) == []


@pytest.mark.parametrize("page", PAGES)
def test_comments_of_commands_are_chinese_on_the_chinese_page(page: str) -> None:
    comments = [comment for block in blocks(text_of(in_chinese(page))) for comment in COMMENT.findall(block)]
    assert [
        each for each in comments if re.search(r"[a-z]+ [a-z]+ ", each) and not re.search("[\u4e00-\u9fff]", each)
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_each_links_the_other_in_its_first_lines(page: str) -> None:
    first, second = ("\n".join(text_of(each).splitlines()[:4]) for each in (page, in_chinese(page)))
    assert f"[简体中文]({Path(in_chinese(page)).name})" in first
    assert f"[English]({Path(page).name})" in second


def test_a_number_or_option_that_is_lost_is_seen() -> None:
    text = text_of("README.zh-hans.md")
    assert differences(numbers(text), numbers(text.replace("0.7 GB", "7 GB"))) == ["0.7", "7"]
    assert set(code(text)) ^ set(code(text.replace("`WORKBENCH_HTTPS`", "HTTPS"))) == {"WORKBENCH_HTTPS"}
