"""Redaction rules of this workbench."""

from __future__ import annotations

from typing import cast, get_args

from django.core.exceptions import ValidationError
from django.db import models

from diagnostics import redaction
from diagnostics.redaction.rule import Shape


class RedactionRule(models.Model):
    """A rule of this workbench; one with the id of a shipped rule takes its place.

    pattern  an RE2 expression whose one group is the value
    usual    whether it is applied unless somebody says otherwise
    active   an inactive one switches off the shipped rule whose id it has
    finds    lines in which the value between > and < is found: they must hold before the rule is kept
    leaves   lines in which nothing is found
    """

    SHAPES = [(shape, shape) for shape in get_args(Shape)]

    rule_id = models.SlugField("id", unique=True, max_length=60)
    title = models.CharField(max_length=100)
    pattern = models.TextField(help_text="RE2 expression with one group: the value that is replaced.")
    shape = models.CharField(max_length=10, choices=SHAPES, default="word", help_text="What the pseudonym looks like.")
    usual = models.BooleanField(default=True, help_text="Applied unless the person who uploads says otherwise.")
    active = models.BooleanField(default=True, help_text="Off: a shipped rule of this id is not applied either.")
    finds = models.TextField(help_text="One example a line, with the value between > and <.")
    leaves = models.TextField(blank=True, help_text="One line each in which nothing may be found.")

    class Meta:
        ordering = ["rule_id"]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        """Refuses a rule that does not do what its examples say."""
        errors = self.as_rule().errors()
        if errors:
            raise ValidationError([error.removeprefix(f"{self.rule_id}: ") for error in errors])

    def as_rule(self) -> redaction.RedactionRule:
        """The same as the library knows it."""
        return redaction.RedactionRule(
            id=self.rule_id,
            title=self.title,
            pattern=self.pattern,
            shape=cast(Shape, self.shape),
            usual=self.usual,
            finds=_lines(self.finds),
            leaves=_lines(self.leaves),
        )


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("\r", "").split("\n") if line.strip()]
