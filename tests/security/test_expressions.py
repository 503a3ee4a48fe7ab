"""Expressions that a person writes or a catalogue ships: none can hang, and each takes time with the text's length."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import re2

from diagnostics.intake import LogLayout
from diagnostics.log_book.condition import _fits, conditions_of
from diagnostics.log_book.search import InvalidSearch, parse_search
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.log_event import LogEvent, catalogue
from diagnostics.redaction import RedactionRule, Redactor, shipped_redaction_rules
from tests.running_workbench import PROJECT

MIB = 1024**2
MOST_SECONDS = 3.0
"""Processor time of one expression over a mebibyte. Our choice: RE2 takes a tenth of a second for most."""

EXPRESSIONS = (
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(.*)*b",
    "(a*)*(a*)*b",
    "(.*.*.*.*.*)*x",
    "(?:(?:a{1,1000}){1,1000}){1,1000}b",
    "(?i)(?:k|s|a)*z",
)
"""Each takes a matcher that goes back longer than anybody waits; one of them is larger than RE2 allows."""
TEXTS = ("a" * MIB, "a" * (MIB // 2) + "!" + "a" * (MIB // 2), "a \n" * (MIB // 3))


@pytest.fixture(autouse=True)
def bounded_time() -> Iterator[None]:
    begun = time.process_time()
    yield
    assert time.process_time() - begun < MOST_SECONDS * len(TEXTS)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_own_redaction_rule_ends(expression: str) -> None:
    rule = RedactionRule("own", "Own", f"a({expression})", finds=("a>a<",))
    try:
        rule.errors()
        redactor = Redactor([rule], b"key")
    except re2.error:
        return
    for text in TEXTS:
        assert sum(len(piece) for piece in redactor.pieces([text.encode()])) > 0


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_own_layout_of_a_log_ends(expression: str) -> None:
    pattern = f"(?P<time>\\S+) (?P<level>{expression}) (?P<message>.*)"
    layout = LogLayout("Own", pattern, "%H:%M", ("12:00 a b",))
    if any("RE2" in reason for reason in layout.errors()):
        return
    for text in TEXTS:
        assert layout.rewritten(text.encode()).count(b"\n") == text.count("\n")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_search_of_the_logs_ends(expression: str) -> None:
    try:
        [condition] = conditions_of(parse_search(f"/{expression}/"), [], [])
    except InvalidSearch:
        return
    for text in TEXTS:
        assert len(_fits(pa.array([text]), condition.term.kind, condition.term.values[0])) == 1


@pytest.mark.parametrize("expression", ["(?:a{1,30}){1,30}b", "((a{0,10}){0,10}){0,10}b"])
def test_a_search_that_takes_seconds_for_a_megabyte_is_refused(expression: str) -> None:
    records = pa.array(["a" * 30_000 + "!" + "a" * 30_000] * 100)
    with pytest.raises(InvalidSearch, match="takes too long"):
        _fits(records, "expression", expression)


def test_a_search_in_pieces_finds_what_one_at_once_does() -> None:
    records = pa.array([f"record {number} of {'x' * 100}" if number % 7 else None for number in range(5_000)])
    at_once = pc.match_substring_regex(records, r"RECORD \d*3 ", ignore_case=True)
    assert _fits(records, "expression", r"RECORD \d*3 ").equals(at_once)
    assert len(_fits(pa.array([], pa.string()), "expression", "x")) == 0


@pytest.mark.parametrize("time_format", ["%d%d", "%Y%Y", "%", "%Q", "(a+)+", "%H:%M" + " " * 80, "%f" * 40])
def test_a_format_of_the_time_is_refused_with_a_reason(time_format: str) -> None:
    pattern = r"(?P<time>\S+) (?P<level>\w+) (?P<message>.*)"
    [reason] = LogLayout("Own", pattern, time_format, ("12 INFO x",)).errors()
    assert "is no time of the format" in reason


@pytest.mark.parametrize("event", catalogue(), ids=lambda event: event.id)
def test_an_event_of_the_catalogue_ends(event: LogEvent) -> None:
    re2.compile(event.pattern)  # takes what goes back for no pattern
    words = event.example.split()
    longest = max(words, key=len)
    messages = [
        event.example * (4_000 // len(event.example)),
        event.example.replace(" ", " " * 200)[:16_000],
        *(event.example.replace(word, word * (8_000 // len(word)), 1) for word in {words[0], words[-1], longest}),
    ]
    assert len(event_columns([event.example, *messages])) == len(messages) + 1


@pytest.mark.parametrize("rule", shipped_redaction_rules(), ids=lambda rule: rule.id)
def test_a_shipped_redaction_rule_ends(rule: RedactionRule) -> None:
    redactor = Redactor([rule], b"key")
    for example in rule.finds[:2]:
        line = example.replace(">", "", 1).replace("<", "", 1)
        begin = line[: max(1, example.find(">"))]
        for text in (begin * (MIB // 4 // len(begin)), line[:-1] + line[-1] * (MIB // 4)):
            assert sum(len(piece) for piece in redactor.pieces([text.encode()])) > 0


MADE_OF_CONSTANTS = {
    "diagnostics/notation/record_conditions.py": "patterns of its own module, escaped",
    "diagnostics/notation/metric_unit.py": "patterns of its own module",
    "diagnostics/vocabulary/alarming_readings.py": "names of the shipped catalogue beside it, escaped",
    "diagnostics/vocabulary/newest_releases.py": "names of the shipped catalogue beside it, escaped",
    "diagnostics/reproduction/__init__.py": "names of its own module",
    "diagnostics/wording/cited_text.py": "forms of its own module, escaped, against texts of bounded length",
    "diagnostics/wording/unit.py": "patterns of its own module",
    "diagnostics/vocabulary/chinese_message.py": "texts of the shipped catalogue beside it, escaped, and bounded parts",
    "diagnostics/vocabulary/code_shapes.py": "patterns of the shipped catalogue beside it",
    "diagnostics/vocabulary/fault_traits.py": "words of the shipped catalogue beside it, escaped",
    "diagnostics/vocabulary/message_remedies.py": "patterns of the shipped catalogue beside it, bounded",
    "diagnostics/vocabulary/operators_at_limit.py": "names of the shipped catalogue beside it, escaped",
    "diagnostics/vocabulary/silent_operators.py": "names of the shipped catalogue beside it, escaped",
    "diagnostics/vocabulary/outside_refusals.py": "patterns of the shipped catalogue beside it",
    "diagnostics/vocabulary/setting_faults.py": "patterns of the shipped catalogue beside it",
    "workbench/cases/own_texts.py": "texts of its own module, escaped",
    "workbench/drills/evidence.py": "names of jobs, escaped",
    "diagnostics/wording/option_names.py": "names of options, escaped",
    "workbench/analyses/measured.py": "values of facts, escaped",
    "workbench/clusters/prometheus.py": "patterns of its own module",
    "workbench/clusters/services.py": "a pattern of the module beside it",
    "workbench/languages/templatetags/glossary.py": "terms of the shipped glossary, escaped",
}
"""Modules that give `re` an expression made while the program runs, and of what it is made."""


def test_python_s_own_expressions_are_never_made_of_what_a_person_wrote() -> None:
    """It goes back, and so can take for ever; what people write goes to RE2. A file without `re.` is not parsed."""
    made = {
        str(path.relative_to(PROJECT))
        for house in ("diagnostics", "workbench")
        for path in (PROJECT / house).rglob("*.py")
        if "re." in (text := path.read_text("utf-8")) and any(_made_at_run_time(ast.parse(text)))
    }
    assert made == set(MADE_OF_CONSTANTS)


def _made_at_run_time(module: ast.Module) -> Iterator[ast.Call]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    functions = [node for node in ast.walk(module) if isinstance(node, kinds)]
    for node in (inner for function in functions for inner in ast.walk(function)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr not in ("escape", "error")
            and not isinstance(node.args[0], ast.Constant)
        ):
            yield node


def test_the_check_sees_an_expression_made_at_run_time() -> None:
    assert any(_made_at_run_time(ast.parse("import re\ndef f(x: str) -> None:\n    re.search(x + '$', 'y')\n")))
    assert not any(_made_at_run_time(ast.parse("import re\ndef f(x: str) -> None:\n    re.search('a$', x)\n")))


def test_the_project_is_where_the_check_looks() -> None:
    assert (Path(PROJECT) / "diagnostics" / "analyze.py").exists()
