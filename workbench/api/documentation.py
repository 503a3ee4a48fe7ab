"""The OpenAPI document in the reader's language, and its calls for the page that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.languages.sentences import say, say_stored, to_say

SAID = ("description", "summary", "title")
"""What people read of the document."""
DOCSTRINGS = (
    to_say("Accepts only the source's own token, which is valid nowhere else."),
    to_say("Serialisation shared by the case views."),
    to_say(
        "A case. `status`, `stage`, `progress` are those of its latest analysis, `verdict` of its latest diagnosis."
    ),
    to_say("One case, with what its diagnosis is compared with."),
    to_say("The required delivery guarantee against the one that the evidence shows."),
    to_say("The verdict and the health of one job of a case; the case's own are those of its worst job."),
    to_say("Evidence for an existing case; with `change` it starts a new snapshot."),
    to_say("A new case."),
)
"""Texts that the document takes from docstrings of views and serialisers."""


def document_said(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The document that drf-spectacular made, with its texts in the reader's language."""
    return {name: _said(part) for name, part in result.items()}


def _said(part: Any) -> Any:
    if isinstance(part, list):
        return [_said(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: say_stored(str(value)) if name in SAID and not isinstance(value, dict) else _said(value)
        for name, value in part.items()
    }


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a part of a form."""

    name: str
    place: str
    type: str
    required: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One call: its input, its answers (status, JSON form), and its curl command."""

    method: str
    path: str
    summary: str
    fields: list[Field]
    answers: list[tuple[str, str]]
    curl: str


def operations(schema: Mapping[str, Any]) -> list[Operation]:
    """Every call of the document, in its order."""
    return [
        _operation(method, path, call, schema)
        for path, calls in schema["paths"].items()
        for method, call in calls.items()
        if "operationId" in call and "schema" not in path
    ]


def _operation(method: str, path: str, call: Mapping[str, Any], schema: Mapping[str, Any]) -> Operation:
    fields = [*_parameters(call, schema), *_form(call, schema)]
    answers = [(status, _form_of(answer, schema)) for status, answer in sorted(call["responses"].items())]
    command = [f"curl -H 'Authorization: Token …' {'' if method == 'get' else '-X POST '}http://HOST{path}"]
    command += [
        f"-F '{field.name}={'@' if 'file' in field.type else ''}…'" for field in fields if field.place == "form"
    ]
    return Operation(method.upper(), path, call.get("summary", ""), fields, answers, " ".join(command))


def _parameters(call: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Field]:
    for parameter in call.get("parameters", []):
        meaning = parameter.get("description") or parameter["schema"].get("description", "")
        yield Field(
            parameter["name"],
            parameter["in"],
            _type(parameter["schema"], schema),
            parameter.get("required", False),
            meaning,
        )


def _form(call: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Field]:
    content = call.get("requestBody", {}).get("content", {})
    for body in content.values():
        form = _resolved(body["schema"], schema)
        for name, part in form.get("properties", {}).items():
            yield Field(
                name, "form", _type(part, schema), name in form.get("required", []), part.get("description", "")
            )


def _type(part: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    part = _resolved(part, schema)
    if "enum" in part:
        return " | ".join(str(choice) for choice in part["enum"] if choice is not None)
    if part.get("type") == "array":
        return say("{kind}, any number of them", kind=_type(part["items"], schema))
    return "file" if part.get("format") == "binary" else str(part.get("type", "object"))


def _form_of(answer: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    bodies = list(answer.get("content", {}).values())
    return json.dumps(_example(bodies[0]["schema"], schema), indent=2, ensure_ascii=False) if bodies else ""


def _example(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """A JSON example with types in place of values."""
    part = _resolved(part, schema)
    if "properties" in part:
        return {name: _example(each, schema) for name, each in part["properties"].items()}
    if part.get("type") == "array":
        return [_example(part["items"], schema)]
    return _type(part, schema)


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part itself, after following references in the document."""
    for choice in (part, *part.get("allOf", []), *part.get("oneOf", [])):
        if "$ref" in choice:
            resolved: Mapping[str, Any] = schema["components"]["schemas"][choice["$ref"].rpartition("/")[2]]
            return resolved
    return part
