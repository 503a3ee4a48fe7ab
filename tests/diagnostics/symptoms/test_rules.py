"""Every rule fires on its case and stays silent on its near miss."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from diagnostics.diagnosis.sample import Kind, Sample
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import Runbook, runbooks
from diagnostics.signals import DEFINITIONS
from diagnostics.symptoms import runbook_files, symptom, symptom_folders, symptoms
from diagnostics.wording.phrase import placeholders

CONTRACT_CLASSES = {
    "rocksdb_slow_upload",
    "data_skew",
    "resource_shortage",
    "out_of_order_events",
    "slow_dimension_join",
    "slow_sink",
    "misconfiguration",
    "checkpoint_declined",
    "cpu_hotspot",
    "user_code",
    "restore_failure",
    "exactly_once_kafka",
    "network_partition",
    "zookeeper_ha",
    "healthy",
}


def rule_files() -> Iterator[Path]:
    for folder in symptom_folders():
        for path in sorted((folder / "rules").glob("*.yaml")):
            if not path.name.endswith((".fires.yaml", ".silent.yaml")):
                yield path


@cache
def rule_of(path: Path) -> Rule:
    return Rule.from_yaml(path.read_text("utf-8"), path.name, DEFINITIONS)


@cache
def sample_of(path: Path, kind: Kind) -> Sample:
    sample = path.with_name(f"{path.stem}.{kind}.yaml")
    return Sample.from_yaml(sample.read_text("utf-8"), sample.name, DEFINITIONS)


def passes(path: Path, kind: Kind) -> bool:
    """Whether the rule says of its sample what it must."""
    return sample_of(path, kind).passes(rule_of(path), kind)


@pytest.mark.parametrize("path", [*rule_files()], ids=lambda path: path.stem)
def test_a_rule_asks_only_for_what_is_measured(path: Path) -> None:
    assert rule_of(path).symptom_class == path.parent.parent.name


@pytest.mark.parametrize("path", [*rule_files()], ids=lambda path: path.stem)
def test_a_rule_fires_on_its_case(path: Path) -> None:
    assert passes(path, "fires")


def test_every_rule_states_the_facts_of_its_case_and_not_only_its_title() -> None:
    found = [each for path in rule_files() for each in sample_of(path, "fires").judged_by(rule_of(path)).findings]
    assert [each.rule.id for each in found if each.claim == f"{each.rule.title}."] == []


def test_every_cause_states_what_to_do_first() -> None:
    """What a verdict shows beside its sentence, also where the further facts of its rule are unknown."""
    judged = [
        each
        for path in rule_files()
        if symptom(path.parent.parent.name).kind == "cause"
        for each in sample_of(path, "fires").judged_by(rule_of(path)).findings
        if each.severity != "info"
    ]
    assert [each.rule.id for each in judged if not each.first_step] == []


def test_no_step_stands_behind_one_that_always_holds() -> None:
    always = [
        rule.id
        for rule in shipped_rules()
        if any(each.when is None and not [*placeholders(each.say)] for each in rule.first[:-1])
    ]
    assert always == []


@pytest.mark.parametrize("path", [*rule_files()], ids=lambda path: path.stem)
def test_a_rule_stays_silent_on_its_near_miss(path: Path) -> None:
    assert passes(path, "silent")


@pytest.mark.parametrize("folder", symptom_folders(), ids=lambda folder: folder.name)
def test_a_runbook_asks_only_for_what_is_measured(folder: Path) -> None:
    for path in runbook_files(folder):
        assert Runbook.from_yaml(path.read_text("utf-8"), path.name, DEFINITIONS).symptom_class == folder.name


@pytest.mark.parametrize("path", [*rule_files()], ids=lambda path: path.stem)
def test_every_bound_has_a_source(path: Path) -> None:
    rule = rule_of(path)
    conditions = [rule.when, *(each.when for each in rule.adjustments), *(each for each, _ in rule.severity_when)]
    bounds = [check for condition in conditions for check in condition.checks(lambda _: None) if is_a_bound(check)]
    assert [f"{check.fact} {check.op} {check.bound}" for check in bounds if not check.source] == []


def is_a_bound(check: Check) -> bool:
    """A number that somebody chose; whether something happened at all is none."""
    return isinstance(check.bound, (int, float)) and check.bound not in (0, 1)


def test_every_rule_names_a_runbook_that_exists() -> None:
    assert {rule.runbook for rule in shipped_rules() if rule.runbook} <= set(runbooks())


def test_a_rule_explains_and_vetoes_only_classes_that_have_a_folder() -> None:
    named = {each for rule in shipped_rules() for each in (*rule.explains, *rule.vetoes)}
    assert named <= set(symptoms())


def test_a_rule_precedes_only_other_rules_of_its_class() -> None:
    classes = {rule.id: rule.symptom_class for rule in shipped_rules()}
    pairs = [(rule, each) for rule in shipped_rules() for each in rule.precedes]
    assert {classes.get(each) == rule.symptom_class and each != rule.id for rule, each in pairs} == {True}


def test_every_class_of_the_product_has_a_folder() -> None:
    assert set(symptoms()) >= CONTRACT_CLASSES


def test_early_warnings_are_remarks_that_touch_no_verdict() -> None:
    warnings = [rule for rule in shipped_rules() if rule.symptom_class == "early_warning"]
    said_of_others = {each for rule in shipped_rules() for each in (*rule.explains, *rule.vetoes)}
    assert {rule.severity for rule in warnings} == {"info"}
    assert {each for rule in warnings for each in (*rule.severity_when, *rule.explains, *rule.vetoes)} == set()
    assert (symptoms()["early_warning"].kind, "early_warning" in said_of_others) == ("consequence", False)
