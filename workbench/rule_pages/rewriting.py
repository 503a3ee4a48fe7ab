"""Shows a rule's YAML as a form, and changes single values without touching comments and lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import yaml

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import Level
from diagnostics.rules.rule import LONGEST_RULE, Severity, Status
from diagnostics.symptoms import symptoms
from diagnostics.wording.bound import operator_words
from diagnostics.wording.fact import fact_value
from diagnostics.yaml_document import Fault, Place, YamlDocument, read_yaml
from workbench.languages.sentences import say, say_later
from workbench.untrusted.whole_number import whole_number

ENDLESS = 10**9
"""Line width of the YAML writer: unlimited, so that a value stays on its line."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "status": get_args(Status),
    "severity": get_args(Severity),
    "level": get_args(Level),
}
LABELS = {
    "title": say_later("Title in English"),
    "title_zh": say_later("Title in Chinese"),
    "symptom_class": say_later("Class"),
    "status": say_later("Status"),
    "severity": say_later("Severity"),
    "level": say_later("Level"),
    "base": say_later("Confidence when it holds"),
}
GROUPS = {
    "when": say_later("Trigger"),
    "confidence": say_later("Confidence"),
    "severity_when": say_later("Severity"),
    "also": say_later("Further sentences"),
}
OTHER = say_later("Other")
ADDED_BELOW = {"title_zh": "title", "status": "symptom_class"}
"""Fields that a rule may lack -> the entry below which they are written then."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the form.

    name     the path in the YAML, joined with dots
    kind     text, number, choice or switch (true and false)
    reading  the value as findings print it, when that is easier to read
    """

    name: str
    label: str
    kind: str
    value: str
    line: int
    choices: tuple[str, ...] = ()
    hint: str = ""
    reading: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """The rule's own fields, and the bounds grouped by the part of the rule."""

    fields: list[Field]
    bounds: dict[str, list[Field]]


def form_of(text: str) -> Form:
    """The form of a rule's text. Raises InvalidRule when it cannot be read as YAML."""
    document = read_yaml(text, say("rule"), LONGEST_RULE)
    bounds: dict[str, list[Field]] = {}
    for place, entry in _comparisons(document.content, ()):
        bounds.setdefault(GROUPS.get(str(place[0]), OTHER), []).append(_bound(document, place, entry))
    order = [*GROUPS.values(), OTHER]
    return Form(list(_own_fields(document)), {group: bounds[group] for group in order if group in bounds})


def _own_fields(document: YamlDocument) -> Iterator[Field]:
    content = document.content
    for name in ("title", "title_zh", "symptom_class", "status", "severity", "level"):
        value = str(content.get(name, "stable" if name == "status" else ""))
        choices = CHOICES.get(name, tuple(symptoms()) if name == "symptom_class" else ())
        kind = "choice" if name in CHOICES else "text"
        yield Field(name, LABELS[name], kind, value, document.line((name,)), choices)
    confidence = content.get("confidence")
    base = confidence.get("base") if isinstance(confidence, dict) else ""
    place = ("confidence", "base")
    yield Field("confidence.base", LABELS["base"], "number", str(base), document.line(place), hint=say("0 to 1"))


def _comparisons(entry: Any, place: Place) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Every comparison with a bound, at any depth."""
    if isinstance(entry, dict):
        if isinstance(entry.get("fact"), str) and "value" in entry:
            yield place, entry
            return
        for name, each in entry.items():
            yield from _comparisons(each, (*place, name))
    elif isinstance(entry, list):
        for index, each in enumerate(entry):
            yield from _comparisons(each, (*place, index))


def _bound(document: YamlDocument, place: Place, entry: Mapping[str, Any]) -> Field:
    value, fact = entry["value"], str(entry["fact"])
    op = str(entry.get("op", ""))
    kind = "switch" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else "text"
    written = _flow(value)[1:-1] if isinstance(value, list) else str(value)
    reading = fact_value(value, fact) if kind == "number" else ""
    return Field(
        name=".".join(map(str, (*place, "value"))),
        label=f"{fact_label(fact)} {operator_words(op)}",
        kind=kind,
        value=written.lower() if kind == "switch" else written,
        line=document.line((*place, "value")),
        choices=("true", "false") if kind == "switch" else (),
        hint=fact,
        reading="" if reading == written else reading,
        source=str(entry.get("source") or ""),
    )


def with_value(text: str, name: str, value: str) -> str:
    """The text with a new value for a form field. Raises InvalidRule for an unknown field."""
    read_yaml(text, say("rule"), LONGEST_RULE)
    place = tuple(_part(part) for part in name.split("."))
    node = _node(yaml.compose(text, Loader=yaml.SafeLoader), place)
    if node is None:
        if name not in ADDED_BELOW:
            raise InvalidRule([Fault(say("rule"), 1, say("there is no entry {name!r}", name=name))])
        return _with_entry(text, name, value)
    written = _flow(_typed(node, name, value))
    return text[: node.start_mark.index] + written + text[_end(text, node) :]


def _part(text: str) -> str | int:
    """A part of a path: an index of a list, else a key of a mapping."""
    number = whole_number(text)
    return text if number is None else number


def _node(node: yaml.Node | None, place: Place) -> yaml.Node | None:
    for part in place:
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        else:
            return None
    return node


def _typed(node: yaml.Node, name: str, value: str) -> Any:
    """The value parsed as YAML where the present one is a number or a list; else a string."""
    if isinstance(node, yaml.SequenceNode):
        return _listed(value)
    if name in LABELS or not _is_plain_scalar(value):
        return value
    return read_yaml(f"value: {value}", "value").content["value"]


def _listed(value: str) -> list[Any]:
    """Comma-separated items parsed as YAML; as strings where that fails."""
    try:
        items = read_yaml(f"items: [{value}]", "value").content["items"]
    except InvalidRule:
        items = None
    return items if isinstance(items, list) else [part.strip() for part in value.split(",") if part.strip()]


def _is_plain_scalar(value: str) -> bool:
    """Whether YAML reads the text as a number or as true or false."""
    if len(value) > 40 or value.strip() != value:
        return False
    tag = yaml.SafeLoader("").resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
    return str(tag).rpartition(":")[2] in ("int", "float", "bool")


def _flow(value: Any) -> str:
    """The value in a form that is valid anywhere on a line of YAML."""
    return yaml.safe_dump([value], default_flow_style=True, width=ENDLESS, allow_unicode=True).strip()[1:-1]


def _end(text: str, node: yaml.Node) -> int:
    """End of the value. Block texts (`>-`) end at the next entry, without the line break before it."""
    end = node.end_mark.index
    while end > node.start_mark.index and text[end - 1] in "\n ":
        end -= 1
    return end


def _with_entry(text: str, name: str, value: str) -> str:
    """Adds a field to a rule without it, below the entry that it belongs to, or below the first line."""
    lines = text.split("\n")
    above = f"{ADDED_BELOW[name]}:"
    after = next((number for number, line in enumerate(lines) if line.startswith(above)), 0)
    lines.insert(after + 1, f"{name}: {_flow(value)}")
    return "\n".join(lines)
