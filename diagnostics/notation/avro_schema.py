"""Checks the Avro schema of an uploaded file before any value is decoded with it.

A decoder follows a schema without bounds: a recursive record ends the process, a decimal of a megabyte takes a core
for minutes, and a list of values without bytes never ends.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.language import say

DEEPEST = 40
"""Nesting depth of types. Our choice: nested records of a message have a dozen."""

MOST_VALUES = 20_000
"""Values of one record, counting each list once. Our choice: wide tables have two thousand columns."""

MOST_BRANCHES = 100
"""Types of one union; each may be tried for every value. Our choice: a union has two, rarely ten."""

SIZES = {"null": 0, "boolean": 1, "int": 1, "long": 1, "float": 4, "double": 8, "bytes": 1, "string": 1}
"""Minimum bytes of a value. Source: Avro's specification, Binary Encoding."""

TIMES = frozenset(f"{clock}timestamp-{unit}" for clock in ("", "local-") for unit in ("millis", "micros")) | frozenset(
    ("date",)
)
"""Logical types that change the meaning of a number. A decimal or a UUID is irrelevant for events."""

LENGTHLESS = frozenset(("boolean", "float", "double"))
"""Types, besides those of fixed size, that the decoder skips without checking that the file has not ended."""


@dataclass(frozen=True, slots=True)
class AvroSchema:
    """The checked type of a file's values.

    written          the schema as in the file, without logical types other than TIMES
    has_blind_lists  whether list items are skipped without checking, so that the end of the bytes must be watched
    """

    written: dict[str, Any]
    has_blind_lists: bool


@dataclass(slots=True)
class _Size:
    """Size of a type: minimum bytes of a value, number of values, and whether all its parts are skipped unchecked."""

    bytes: int
    values: int
    is_blind: bool


@dataclass(slots=True)
class _Types:
    """The named types of a schema during the check."""

    named: dict[str, _Size | None] = field(default_factory=dict)
    has_blind_lists: bool = False

    def checked(self, kind: Any, namespace: str, depth: int) -> tuple[Any, _Size]:
        """The type without its logical type, and its size. Raises UnreadableInput."""
        if depth > DEEPEST:
            raise LimitExceeded(say("types within one another, more than {bound} levels deep", bound=DEEPEST))
        if isinstance(kind, str):
            return kind, self._size_of(kind, namespace)
        if isinstance(kind, list):
            return self._union(kind, namespace, depth)
        if not isinstance(kind, dict) or "type" not in kind:
            raise UnreadableInput(say("what is no type: {kind}", kind=str(kind)[:80]))
        if kind.get("logicalType") not in TIMES:
            kind = {name: value for name, value in kind.items() if name != "logicalType"}
        match kind["type"]:
            case "record" | "error":
                return self._record(kind, namespace, depth)
            case "array" | "map":
                return self._several(kind, namespace, depth)
            case "enum":
                self.named[_full_name(kind, namespace)] = _Size(1, 1, is_blind=False)
                return kind, _Size(1, 1, is_blind=False)
            case "fixed":
                size = kind.get("size")
                if not isinstance(size, int) or isinstance(size, bool) or size < 0:
                    raise UnreadableInput(say("a type of a fixed size without one"))
                known = self.named[_full_name(kind, namespace)] = _Size(size, 1, is_blind=True)
                return kind, known
            case within:
                inner, known = self.checked(within, namespace, depth + 1)
                return {**kind, "type": inner}, known

    def _size_of(self, name: str, namespace: str) -> _Size:
        if name in SIZES:
            return _Size(SIZES[name], 1, is_blind=name in LENGTHLESS)
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        full = full if full in self.named else name
        if full not in self.named:
            raise UnreadableInput(say("an unknown type {name!r}", name=name[:80]))
        known = self.named[full]
        if known is None:
            raise UnreadableInput(say("a type within itself: {name!r}", name=name[:80]))
        return known

    def _union(self, kind: list[Any], namespace: str, depth: int) -> tuple[Any, _Size]:
        if len(kind) > MOST_BRANCHES:
            raise LimitExceeded(
                say("a union of {count:,} types; {bound} is the bound", count=len(kind), bound=MOST_BRANCHES)
            )
        branches = [self.checked(each, namespace, depth + 1) for each in kind]
        values = sum(size.values for _, size in branches)
        return [each for each, _ in branches], _Size(1, _bounded(values + 1), is_blind=False)

    def _record(self, kind: dict[str, Any], namespace: str, depth: int) -> tuple[Any, _Size]:
        full = _full_name(kind, namespace)
        inner = full.rpartition(".")[0]
        self.named[full] = None
        size, fields = _Size(0, 1, is_blind=True), []
        for each in _fields(kind):
            type_of, known = self.checked(each["type"], inner, depth + 1)
            fields.append({**{name: value for name, value in each.items() if name != "logicalType"}, "type": type_of})
            size.bytes += known.bytes
            size.values = _bounded(size.values + known.values)
            size.is_blind = size.is_blind and known.is_blind
        self.named[full] = size
        return {**kind, "fields": fields}, size

    def _several(self, kind: dict[str, Any], namespace: str, depth: int) -> tuple[Any, _Size]:
        name = "items" if kind["type"] == "array" else "values"
        inner, known = self.checked(kind.get(name), namespace, depth + 1)
        if name == "items" and known.bytes == 0:
            raise UnreadableInput(say("a list of values without bytes, of which there may be any number"))
        self.has_blind_lists = self.has_blind_lists or (name == "items" and known.is_blind)
        return {**kind, name: inner}, _Size(1, known.values, is_blind=False)


def read_schema(text: bytes) -> AvroSchema:
    """The checked schema of records. Raises UnreadableInput, LimitExceeded."""
    try:
        stated = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(say("a schema that is no JSON: {error}", error=error)) from None
    types = _Types()
    written, _ = types.checked(stated, "", 0)
    if not isinstance(written, dict) or written.get("type") != "record":
        raise UnreadableInput(say("values that are no records"))
    return AvroSchema(written, types.has_blind_lists)


def _bounded(values: int) -> int:
    if values > MOST_VALUES:
        raise LimitExceeded(say("a record of more than {bound:,} values, which is the bound", bound=MOST_VALUES))
    return values


def _fields(kind: dict[str, Any]) -> list[dict[str, Any]]:
    fields = kind.get("fields")
    if not isinstance(fields, list) or not all(isinstance(each, dict) and "type" in each for each in fields):
        raise UnreadableInput(say("a record without fields"))
    return fields


def _full_name(kind: dict[str, Any], namespace: str) -> str:
    """The name with its namespace. Source: Avro's specification, Names."""
    name = str(kind.get("name", ""))
    if "." in name:
        return name
    namespace = str(kind.get("namespace", namespace) or "")
    return f"{namespace}.{name}" if namespace else name
