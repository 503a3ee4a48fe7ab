"""A kind of value that is redacted: how it is recognised, and its pseudonym."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import re2

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, Text, listed, say
from diagnostics.yaml_document import read_yaml

Shape = Literal["word", "e-mail", "address", "host"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

LONGEST_PATTERN = 2_000
PATTERN_MEMORY = 8 * 1024 * 1024
"""Memory limit of RE2 for one expression. Source: RE2's own default."""


@dataclass(frozen=True, slots=True)
class RedactionRule:
    """One kind of value.

    pattern  an RE2 expression (linear time) whose only group is the value
    shape    form of the pseudonym, so that readers still parse the file
    usual    whether it is applied by default
    finds    sample lines with the value between ><
    leaves   sample lines without a match
    """

    id: str
    title: str
    pattern: str
    shape: Shape = "word"
    usual: bool = True
    finds: Sequence[str] = ()
    leaves: Sequence[str] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> RedactionRule:
        """The rule that a mapping describes. Raises InvalidRule with every error."""
        stated = dict(entry)
        if translated := stated.pop("title_zh", None):
            stated["title"] = Text(stated["title"], {CHINESE: translated})
        rule = cls(**stated)
        errors = rule.errors()
        if errors:
            raise InvalidRule(errors)
        return rule

    def errors(self) -> list[str]:
        """Errors of the expression and its examples, as sentences."""
        if self.shape not in SHAPES:
            return [say("{id}: the shape is one of {shapes}", id=self.id, shapes=listed(SHAPES))]
        if len(self.pattern) > LONGEST_PATTERN:
            return [
                say(
                    "{id}: the expression has {count} characters; {most} is the bound",
                    id=self.id,
                    count=len(self.pattern),
                    most=LONGEST_PATTERN,
                )
            ]
        try:
            expression = self.expression()
        except re2.error as error:
            return [say("{id}: not an RE2 expression: {reason}", id=self.id, reason=_reason(error))]
        if expression.groups != 1:
            return [
                say(
                    "{id}: the expression has {count} groups; its one group is the value",
                    id=self.id,
                    count=expression.groups,
                )
            ]
        if expression.search(b""):
            return [say("{id}: the expression finds nothing at all in everything", id=self.id)]
        return [*self._example_errors(expression)]

    def _example_errors(self, expression: Any) -> list[str]:
        errors = []
        if not self.finds:
            errors.append(
                say("{id}: an example of what it finds is missing, with the value between > and <", id=self.id)
            )
        for line in self.finds:
            plain, begin, end = _marked(line)
            found = [match.span(1) for match in expression.finditer(plain)]
            if (begin, end) not in found:
                errors.append(say("{id}: does not find the value between > and < in: {line}", id=self.id, line=line))
        for line in self.leaves:
            values = [match.group(1) for match in expression.finditer(line.encode())]
            if any(not is_harmless(value) for value in values):
                errors.append(say("{id}: finds something in: {line}", id=self.id, line=line))
        return errors

    def expression(self) -> Any:
        """The compiled expression, over bytes. Raises re2.error."""
        options = re2.Options()
        options.max_mem = PATTERN_MEMORY
        options.log_errors = False
        return re2.compile(self.pattern.encode(), options)


HARMLESS = frozenset((b"true", b"false", b"null", b"none", b"localhost", b"0.0.0.0", b"127.0.0.1", b"255.255.255.255"))


_PSEUDONYM = re.compile(rb"REDACTED-|.*\.invalid$|(?:24\d|25[0-5])\.\d{1,3}\.\d{1,3}\.\d{1,3}$", re.DOTALL)


def is_harmless(value: bytes) -> bool:
    """Whether a value reveals nothing: a switch, a number, a mask, a reference to another value, a pseudonym."""
    return (
        value.lower() in HARMLESS
        or value.isdigit()
        or not value.strip(b"*xX.<>{}$")
        or value.startswith(b"${")
        or _PSEUDONYM.match(value) is not None
    )


def _marked(line: str) -> tuple[bytes, int, int]:
    before, _, rest = line.partition(">")
    value, _, after = rest.rpartition("<")
    begin = len(before.encode())
    return (before + value + after).encode(), begin, begin + len(value.encode())


def _reason(error: Exception) -> str:
    told = error.args[0] if error.args else error
    return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)


@cache
def shipped_redaction_rules() -> tuple[RedactionRule, ...]:
    """The rules of `rules.yaml`. Raises InvalidRule."""
    text = (files("diagnostics.redaction") / "rules.yaml").read_text("utf-8")
    return tuple(
        RedactionRule.of({"id": name, **entry}) for name, entry in read_yaml(text, "rules.yaml").content.items()
    )
