"""No English sentence of pages and of what is read on them lacks its mark.

A new sentence in the folders of `READ` is red here until `say`, `say_later` or `to_say` marks it, which makes
`test_catalogues` red until it is translated. What nobody reads, such as PromQL, goes into `NOT_READ`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workbench.languages.prose import is_prose
from workbench.languages.catalogues import COLLECTOR, PYTHON, ROOT
from workbench.languages.progress import unmarked_texts

READ = (
    *("diagnostics/calculators", "diagnostics/charts", "diagnostics/diagnosis", "diagnostics/log_book"),
    *("diagnostics/intake", "diagnostics/prevention", "diagnostics/profiles", "diagnostics/proof"),
    *("diagnostics/redaction", "diagnostics/walk_throughs"),
    *("workbench/alerts", "workbench/analyses", "workbench/channels", "workbench/clusters", "workbench/middleware"),
    *("workbench/redaction", "workbench/rules", "workbench/untrusted", "workbench/uploads", "workbench/watching"),
    *("workbench/accounts", "workbench/case_pages", "workbench/cases", "workbench/charts", "workbench/drills"),
    *("workbench/history", "workbench/layouts", "workbench/limits", "workbench/logs", "workbench/prevention"),
    *("workbench/profiles", "workbench/reports", "workbench/rule_pages", "workbench/runbooks", "workbench/sign_in"),
    *("workbench/space", "workbench/tallies"),
    *("workbench/backup", "workbench/launch", "workbench/machine"),
    *("diagnostics/rules", "workbench/api", "workbench/audit", "workbench/rules"),
)
"""Folders whose sentences are for a reader."""

NOT_READ = (
    "max by (",
    " by (",
    "sum by (",
    "min_over_time",
    "id: class.",
    "# Signals on which",
    "# Near miss",
    "unable to open database file",
    "(one of too many different messages)",
    "{} of case {}",
    "Drill {} of {}",
    "the cause of what is seen could not be judged",
    "a key, a time and a time of arrival",
    "Came with the bundle of",
    "Some of its bytes are there",
    "All of it is there",
    "It is a file of the case",
    "The case had it already",
    "It was not taken",
    "Sampled stacks of analysis",
    "a kind has one of",
    "unexpected end of data",
    "Brier score",
    "  sure {}",
    "No verdict concludes",
    '{\n  "',
)
"""Beginnings of texts that are code, samples, keys of stored data, names of rows for administrators, measures of the
command line, or notes that are stored in the timeline in English; `{}` is a value.
"""
MISTAKES = ("sample.py", "text.py", "rewriting.py", "oidc.py", "ldap.py")
"""Files that name the mistakes in a text that an administrator or a developer writes, in the words of its keys."""
OTHER_READERS = (
    "ablation.py",
    "audit.py",
    "chart_library.py",
    "disk.py",
    "driver.py",
    "install.py",
    "metrics.py",
    "probes.py",
)
"""Files whose sentences are for engineers of the product or programs, and one with both languages side by side."""


def inside(part: ast.AST) -> set[int]:
    return {id(each) for each in ast.walk(part)}


def silent_parts(tree: ast.AST) -> set[int]:
    """Parts of code that show no text of their own: docstrings, what is marked, log records, messages of assertions."""
    silent: set[int] = set()
    for part in ast.walk(tree):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
            silent.add(id(part.value))
        elif isinstance(part, ast.Call):
            name = getattr(part.func, "id", "")
            owner = getattr(getattr(part.func, "value", None), "id", "")
            if name in (*PYTHON, "said") or owner in ("logger", "re", "re2"):
                silent |= inside(part)
        elif isinstance(part, ast.Assert) and part.msg:
            silent |= inside(part.msg)
    return silent


def unmarked_sentences(code: str) -> Iterator[str]:
    """The English sentences of a module that nothing marks, with `{}` for values."""
    tree = ast.parse(code)
    silent = silent_parts(tree)
    for part in ast.walk(tree):
        if isinstance(part, ast.JoinedStr):
            silent |= inside(part) - {id(part)}
    for part in ast.walk(tree):
        if id(part) in silent:
            continue
        if isinstance(part, ast.JoinedStr):
            text = "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in part.values)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            text = part.value
        else:
            continue
        if is_prose(text) and not text.startswith(NOT_READ):
            yield text


SENT_TO_READERS = {"Unanswered", "Stopped", "ValueError", "ArgumentTypeError", "_skip", "append", "add", "CommandError"}
"""What prints its arguments: errors and options of the collector and of commands."""
COMMANDS = sorted(
    path
    for path in (ROOT / "workbench").glob("*/management/commands/*.py")
    if path.stem not in ("__init__", "ablation", "accuracy", "translations", "write_log_books")
)
"""Commands for people who run a workbench; the others are for engineers of the product, or run by themselves."""


def texts_sent(code: str) -> Iterator[str]:
    """Texts of any length that a command prints or takes as help without a mark."""
    for part in ast.walk(ast.parse(code)):
        if not isinstance(part, ast.Call):
            continue
        name = getattr(part.func, "id", getattr(part.func, "attr", ""))
        texts = [each.value for each in part.keywords if each.arg == "help"]
        if name in SENT_TO_READERS or (name == "write" and "std" in ast.unparse(part.func)):
            texts += part.args[-1:] if name != "add" else part.args[1:2]
        for text in texts:
            literals = text.values if isinstance(text, ast.JoinedStr) else [text]
            constants = [str(each.value) for each in literals if isinstance(each, ast.Constant)]
            if re.search(r"[A-Za-z]{3}", " ".join(constants)):
                yield ast.unparse(text)


@pytest.mark.parametrize("path", [COLLECTOR, *COMMANDS], ids=lambda path: path.stem)
def test_every_text_of_a_command_is_marked(path: Path) -> None:
    code = path.read_text("utf-8")
    assert [*unmarked_sentences(code), *texts_sent(code)] == []


WARNINGS = {"LimitExceeded", "NoUsableInput", "UnknownFormat", "UnreadableInput", "warn"}
"""What takes a sentence about a file that cannot be read as it should be."""
READERS = ("diagnostics/formats", "diagnostics/intake", "diagnostics/notation", "diagnostics/reading")


def warnings_written(code: str) -> Iterator[str]:
    """Sentences about a file that nothing marks; samples and patterns, which these folders are full of, are no such."""
    for part in ast.walk(ast.parse(code)):
        if isinstance(part, ast.Call) and part.args:
            name = getattr(part.func, "id", getattr(part.func, "attr", ""))
            if name in WARNINGS and isinstance(part.args[0], ast.Constant | ast.JoinedStr):
                yield ast.unparse(part.args[0])


@pytest.mark.parametrize("folder", READERS)
def test_every_warning_about_a_file_is_marked(folder: str) -> None:
    assert [text for path in modules(folder) for text in warnings_written(path.read_text("utf-8"))] == []


def modules(folder: str) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not {"migrations", "management"} & set(path.parts) and path.name not in (*MISTAKES, *OTHER_READERS)
    ]


@pytest.mark.parametrize("folder", READ)
def test_every_sentence_of_code_is_marked(folder: str) -> None:
    assert [
        f"{path.relative_to(ROOT)}: {text}"
        for path in modules(folder)
        for text in unmarked_sentences(path.read_text("utf-8"))
    ] == []


def test_every_text_of_a_template_is_marked() -> None:
    assert [
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for text in unmarked_texts(path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        'found = "The file has no time in its lines."',
        'found = f"{count} records are of the time before the change."',
        'TITLES = {"late": "Records that come in too late"}',
        'raise Refused("The file is larger than the bound.")',
    ],
)
def test_a_new_sentence_without_a_mark_is_found(code: str) -> None:
    assert len(list(unmarked_sentences(code))) == 1


@pytest.mark.parametrize(
    "code",
    [
        'found = say("The file has no time in its lines.")',
        'TITLES = {"late": to_say("Records that come in too late")}',
        'logger.info("the file of %s is not there", name)',
        'found = {"state.backend": "rocksdb"}',
        'def read() -> None:\n    """Reads what is there in the file."""',
    ],
)
def test_what_is_marked_or_not_read_is_no_finding(code: str) -> None:
    assert list(unmarked_sentences(code)) == []
