"""Conditions over facts, with unknown as a third answer."""

import pytest

from diagnostics.rules.condition import Condition, ConditionParser, shown_checks

FACTS = {"load.share_ratio": 0.91, "load.records": 107804, "load.note": "hot", "load.ids": [6, 7, 8]}


def parsed(entry: object) -> tuple[Condition | None, list[str]]:
    errors: list[str] = []
    condition = ConditionParser(lambda place, text: errors.append(f"{place}: {text}")).parse(entry, ())
    return condition, errors


def holds(entry: object) -> bool | None:
    condition, errors = parsed(entry)
    assert condition is not None, errors
    return condition.holds(FACTS.get)


def fact(name: str, op: str, value: object) -> dict[str, object]:
    return {"fact": f"load.{name}", "op": op, "value": value}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (fact("share_ratio", ">=", 0.5), True),
        (fact("share_ratio", "<", 0.5), False),
        (fact("unknown", ">=", 0.5), None),
        (fact("note", ">=", 0.5), None),
        (fact("note", "==", "hot"), True),
        (fact("note", "contains", "ho"), True),
        (fact("ids", "contains", 7), True),
        (fact("note", "in", ["cold", "hot"]), True),
        ({"fact": "load.unknown", "measured": False}, True),
        ({"fact": "load.records", "measured": True}, True),
    ],
)
def test_a_comparison_is_true_false_or_unknown(entry: object, expected: bool | None) -> None:
    assert holds(entry) is expected


HELD, FAILED, UNKNOWN = fact("records", ">", 1), fact("records", "<", 1), fact("unknown", ">", 1)


@pytest.mark.parametrize(
    ("mode", "items", "expected"),
    [
        ("all", [HELD, HELD], True),
        ("all", [HELD, UNKNOWN], None),
        ("all", [FAILED, UNKNOWN], False),
        ("any", [FAILED, HELD], True),
        ("any", [UNKNOWN, HELD], True),
        ("any", [FAILED, UNKNOWN], None),
        ("any", [FAILED], False),
        ("none", [FAILED], True),
        ("none", [HELD], False),
    ],
)
def test_a_group_combines_its_answers(mode: str, items: list[object], expected: bool | None) -> None:
    assert holds({mode: items}) is expected


def test_a_counter_indication_that_is_unknown_does_not_count() -> None:
    assert holds({"none": [UNKNOWN]}) is True


@pytest.mark.parametrize(
    "entry",
    [
        {},
        "load.records > 1",
        {"fact": "records", "op": ">", "value": 1},
        {"fact": "load.records", "op": "~", "value": 1},
        {"fact": "load.records", "op": ">", "value": "many"},
        {"fact": "load.records", "op": ">"},
        {"fact": "load.records", "op": "in", "value": 3},
        {"fact": "load.records", "op": ">", "value": 1, "because": "x"},
        {"all": []},
        {"all": {"fact": "load.records"}},
    ],
)
def test_a_malformed_condition_is_reported(entry: object) -> None:
    _, errors = parsed(entry)
    assert errors


def test_conditions_do_not_nest_without_end() -> None:
    entry: object = HELD
    for _ in range(50):
        entry = {"all": [entry]}
    _, errors = parsed(entry)
    assert "nest" in errors[0]


def test_what_must_not_hold_is_checked_as_its_opposite() -> None:
    condition, _ = parsed({"none": [fact("share_ratio", ">=", 0.95), fact("note", "contains", "cold")]})
    assert condition is not None
    assert [(each.op, each.bound, each.holds) for each in condition.checks(FACTS.get)] == [
        ("<", 0.95, True),
        ("does not contain", "cold", True),
    ]


def test_what_decides_are_the_branches_that_hold_and_the_opposites_of_what_must_not() -> None:
    condition, errors = parsed(
        {
            "all": [
                {"any": [{"all": [HELD, FAILED]}, {"all": [fact("share_ratio", ">=", 0.5), HELD]}]},
                {"none": [fact("records", ">", 1_000_000)]},
            ]
        }
    )
    assert condition is not None, errors
    found = [(each.fact, each.op, each.bound) for each in condition.deciding(FACTS.get)]
    assert found == [("load.share_ratio", ">=", 0.5), ("load.records", ">", 1), ("load.records", "<=", 1_000_000)]


@pytest.mark.parametrize(
    ("entry", "alternatives"),
    [
        ({"any": [FAILED, FAILED]}, [False, True]),
        ({"all": [{"any": [FAILED, {"all": [FAILED, FAILED]}]}, FAILED]}, [False, True, False, False]),
        ({"none": [{"any": [FAILED, FAILED]}]}, [False, False]),
    ],
)
def test_a_comparison_that_suffices_in_place_of_others_is_marked(entry: object, alternatives: list[bool]) -> None:
    condition, errors = parsed(entry)
    assert condition is not None, errors
    assert [check.is_alternative for check in condition.checks(FACTS.get)] == alternatives


@pytest.mark.parametrize(
    ("entry", "measures"),
    [
        ({"any": [FAILED, HELD]}, [True]),
        ({"any": [FAILED, UNKNOWN]}, [False, None]),
        ({"all": [HELD, {"any": [UNKNOWN, HELD]}]}, [True, True]),
        ({"all": [{"any": [FAILED, HELD]}, FAILED]}, [True, False]),
        ({"all": [{"any": [FAILED, UNKNOWN]}, HELD]}, [False, None, True]),
    ],
)
def test_a_branch_that_does_not_hold_is_not_shown_beside_one_that_does(
    entry: object, measures: list[bool | None]
) -> None:
    condition, errors = parsed(entry)
    assert condition is not None, errors
    assert [check.holds for check in shown_checks(condition, FACTS.get)] == measures
