"""The rules that come with the program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from diagnostics.errors import InvalidRule
from diagnostics.language import say
from diagnostics.rules.rule import Rule
from diagnostics.symptoms import symptom_folders
from diagnostics.yaml_document import Fault


@cache
def _shipped_files() -> Mapping[str, tuple[str, str, Rule]]:
    """Id of every shipped rule -> its file's name without extension, its text, and the rule."""
    files: dict[str, tuple[str, str, Rule]] = {}
    for folder in symptom_folders():
        for path in sorted((folder / "rules").glob("*.yaml")):
            if path.name.endswith((".fires.yaml", ".silent.yaml")):
                continue
            text = path.read_text("utf-8")
            rule = Rule.from_yaml(text, f"{folder.name}/rules/{path.name}")
            if rule.id in files:
                fault = say("the id {name} is in another file too", name=repr(rule.id))
                raise InvalidRule([Fault(f"{folder.name}/rules/{path.name}", 0, fault)])
            files[rule.id] = (path.stem, text, rule)
    return files


def shipped_rule(rule_id: str, text: str) -> Rule | None:
    """The shipped rule with this id, if this is its text."""
    _, shipped_text, rule = _shipped_files().get(rule_id, ("", "", None))
    return rule if shipped_text == text else None


@cache
def shipped_rule_texts() -> Mapping[str, str]:
    """The YAML text of every shipped rule, by the rule's id."""
    return {rule_id: text for rule_id, (_, text, _) in _shipped_files().items()}


@cache
def shipped_rule_names() -> Mapping[str, str]:
    """The name of every shipped rule's file in its class's folder, without the ending, by the rule's id."""
    return {rule_id: name for rule_id, (name, _, _) in _shipped_files().items()}


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Every shipped rule, in id order."""
    return tuple(rule for _, (_, _, rule) in sorted(_shipped_files().items()))
