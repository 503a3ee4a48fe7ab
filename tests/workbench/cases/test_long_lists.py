"""Rows that Python writes say what a template would say, and escape what comes from files."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from diagnostics.language import CHINESE, reading_in
from workbench.cases.templatetags.long_lists import covered_rows, silent_rows, undecided_rows, weeks_drawn

CHECK = {"fact": "load_balance.skew_ratio", "op": ">=", "bound": 2, "value": 1.5}


@dataclass(frozen=True)
class Week:
    first_day: dt.date
    cases: int
    shade: float


def test_a_rule_that_does_not_hold_has_a_row_for_each_of_its_first_conditions() -> None:
    checks = [CHECK | {"bound": bound} for bound in (2, 3, 4)]
    rows = silent_rows([{"title": "Skew", "where": "", "subjects": 3, "checks": checks}])
    assert rows.count("<tr>") == 2
    assert rows.count('Skew <span class="muted">(3 subjects)</span>') == 1
    assert '<td class="bound">at least 2 times</td>' in rows
    assert '<span class="value">1.5 times</span>' in rows


def test_a_condition_that_stands_in_two_parts_of_a_rule_has_one_row() -> None:
    rows = silent_rows([{"title": "Skew", "where": "", "subjects": 1, "checks": [CHECK, CHECK, CHECK | {"bound": 3}]}])
    assert rows.count("at least 2 times") == 1
    assert rows.count("at least 3 times") == 1


def test_a_rule_that_could_not_be_judged_names_what_it_needs() -> None:
    unjudged = {
        "title": "Skew",
        "where": "",
        "subjects": 1,
        "unknown": ["load_balance.skew_ratio", "gc.share", "a.b", "c.d"],
    }
    rows = undecided_rows([unjudged])
    assert rows.count("<li>") == 1
    assert rows.count("; ") == 2
    with reading_in(CHINESE):
        assert undecided_rows([unjudged]).count("\uff1b") == 2


def test_a_rule_with_several_outcomes_names_its_subject() -> None:
    rule = {"title": "Skew", "where": "page-view-count", "checks": [CHECK], "unknown": ["load_balance.skew_ratio"]}
    assert 'Skew <span class="muted">(page-view-count)</span>' in silent_rows([rule | {"subjects": 1}])
    assert 'Skew <span class="muted">(page-view-count and 1 other)</span>' in undecided_rows([rule | {"subjects": 2}])


def test_a_rule_that_yields_to_a_finding_links_to_it() -> None:
    rule = {"title": "Near", "where": "", "subjects": 1, "by": {"position": 2, "title": "Checkpoints expired"}}
    assert '<a href="#finding-2">Checkpoints expired</a>' in covered_rows([rule])


def test_weeks_with_cases_are_darker_and_all_are_named() -> None:
    day = dt.date(2026, 11, 16)
    drawn = weeks_drawn([Week(day, 0, 1 / 3), Week(day, 2, 0.667)])
    assert drawn.count("<rect") == 2
    assert drawn.count('class="some" fill-opacity="0.67"') == 1
    assert "<title>Week from 2026-11-16: 2</title>" in drawn


def test_markup_from_rules_and_values_is_text() -> None:
    hostile = {"title": "<script>1</script>", "where": "<u>", "subjects": 2, "checks": [CHECK | {"value": "<b>"}]}
    unjudged = {"title": "<script>", "where": "", "subjects": 1, "unknown": ["<i>"]}
    covered = unjudged | {"by": {"position": 0, "title": "<s>"}}
    rows = silent_rows([hostile]) + undecided_rows([unjudged]) + covered_rows([covered])
    for markup in ("<script>", "<b>", "<i>", "<u>", "<s>"):
        assert markup not in rows


def test_nothing_is_no_row() -> None:
    assert silent_rows([]) == covered_rows([]) == undecided_rows([]) == weeks_drawn([]) == ""
