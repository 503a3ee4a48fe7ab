"""Changes of options as the configuration file of a case writes them."""

from __future__ import annotations

import pytest

from diagnostics.runbook.config_file import ConfigFile, shown_change


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("execution.checkpointing.timeout: 10 min", " (default 10 min)."),
        ("state.backend.rocksdb.thread.num: 2", " (default 2)."),
        ("execution.checkpointing.timeout: 30 s", "; 30 s is in effect."),
        ("classloader.parent-first-patterns.additional: (none)", "."),
    ],
)
def test_a_default_is_said_to_be_one(line: str, said: str) -> None:
    option = line.partition(":")[0]
    assert ConfigFile({}, frozenset()).split(line) == ("", [f"{option} is not set in a file of this case{said}"])


def test_a_new_line_that_only_states_a_default_is_left_out_where_the_configuration_is_known() -> None:
    new = "restart-strategy.type: exponential-delay\nrestart-strategy.exponential-delay.max-backoff: 1 min"
    stated = "restart-strategy.type: fixed-delay"
    file = ConfigFile({"restart-strategy.type": stated}, frozenset())
    assert file.without_defaults(new, stated, (1, 20)) == "restart-strategy.type: exponential-delay"
    assert file.without_defaults(new, stated, (1, 18)) == new, "its default was 5 min"
    assert ConfigFile({}, frozenset()).without_defaults(new, stated, (1, 20)) == new, "it may be set"
    longer = "restart-strategy.exponential-delay.max-backoff: 10 min"
    held = ConfigFile({"restart-strategy.exponential-delay.max-backoff": longer}, frozenset())
    assert held.without_defaults(new, f"{stated}\n{longer}", (1, 20)) == new


def test_an_option_that_the_file_nests_is_shown_and_changed_in_its_form() -> None:
    file = ConfigFile({"a.b.c": "a.b.c: 1", "a.b.d": "a.b.d: 2"}, frozenset(["a.b.c", "a.b.d"]))
    assert file.in_own_form("a.b.c: 3\na.b.d: 4") == "a:\n  b:\n    c: 3\n    d: 4"
    assert file.in_own_form("a.b.c: 3\na.e: 5\nx: 1\na.b.d: 4") == "a:\n  b:\n    c: 3\n    d: 4\n  e: 5\nx: 1"
    assert file.in_own_form("a.b.c: 3\na.b.c.f: 4") == "a:\n  b:\n    c: 3\na.b.c.f: 4"
    assert file.in_own_form("a.e: 5") == "a.e: 5", "a new nested key would repeat its parents where it is pasted"


def test_a_nested_change_says_that_the_other_lines_of_its_blocks_stay() -> None:
    file = ConfigFile({"a.b": "a.b: 1"}, frozenset(["a.b"]))
    change = {"kind": "config", "from": "a.b: 1", "to": "a.b: 2", "unset": []}
    assert [each.startswith("Change only these lines") for each in shown_change(change, file)["unset"]] == [True]
    assert not any("Change only" in each for each in shown_change(change | {"to": "x: 2"}, file)["unset"])


def test_an_option_that_only_the_present_state_has_is_to_be_deleted() -> None:
    """`its other lines stay` stood beside a line in red whose deletion only a comment asked for."""
    file = ConfigFile({}, frozenset())
    change = {"kind": "config", "from": "process.size: 1g\nnetwork.max: 4m", "to": "network.max: 64m", "unset": []}
    assert shown_change(change, file)["unset"] == ["Delete from the file what the new lines replace: process.size."]


def test_an_option_under_a_former_name_is_the_one_that_changes() -> None:
    file = ConfigFile({"state.checkpoints.dir": "state.checkpoints.dir: file:/a"}, frozenset())
    assert file.split("execution.checkpointing.dir: file:/a") == ("state.checkpoints.dir: file:/a", [])
