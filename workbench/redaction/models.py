"""Redaction rules of this workbench."""

from __future__ import annotations

from typing import cast, get_args

from django.core.exceptions import ValidationError
from django.db import models

from diagnostics import redaction
from diagnostics.redaction.rule import Shape
from workbench.languages.sentences import say_later


class RedactionRule(models.Model):
    """A rule of this workbench; it replaces the shipped rule with its id.

    pattern  an RE2 expression whose only group is the value
    usual    whether it is applied by default
    active   an inactive one disables the shipped rule with its id
    finds    sample lines with the value between > and <, which must match before the rule is saved
    leaves   sample lines that must not match
    """

    SHAPES = [(shape, shape) for shape in get_args(Shape)]

    rule_id = models.SlugField(say_later("id"), unique=True, max_length=60)
    title = models.CharField(say_later("title"), max_length=100)
    pattern = models.TextField(
        say_later("pattern"), help_text=say_later("RE2 expression with one group: the value that is replaced.")
    )
    shape = models.CharField(
        say_later("shape"),
        max_length=10,
        choices=SHAPES,
        default="word",
        help_text=say_later("What the pseudonym looks like."),
    )
    usual = models.BooleanField(
        say_later("usual"),
        default=True,
        help_text=say_later("Applied unless the person who uploads says otherwise."),
    )
    active = models.BooleanField(
        say_later("active"),
        default=True,
        help_text=say_later("Off: a shipped rule of this id is not applied either."),
    )
    finds = models.TextField(
        say_later("finds"), help_text=say_later("One example a line, with the value between > and <.")
    )
    leaves = models.TextField(
        say_later("leaves"), blank=True, help_text=say_later("One line each in which nothing may be found.")
    )

    class Meta:
        ordering = ["rule_id"]
        verbose_name = say_later("redaction rule")
        verbose_name_plural = say_later("redaction rules")

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        """Refuses a rule that contradicts its examples."""
        errors = self.as_rule().errors()
        if errors:
            raise ValidationError([error.removeprefix(f"{self.rule_id}: ") for error in errors])

    def as_rule(self) -> redaction.RedactionRule:
        """The same as the library's type."""
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
