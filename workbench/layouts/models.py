"""A log layout that an administrator added."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models

from diagnostics import intake
from workbench.languages.sentences import say_later


class LogLayout(models.Model):
    """A layout of the logs of a team's jobs, applied to every file unpacked from then on."""

    title = models.CharField(say_later("title"), max_length=100, unique=True)
    pattern = models.TextField(
        say_later("pattern"),
        help_text=say_later(
            "RE2 expression for the whole first line of a record. Its groups are named time, level and "
            "message, and logger and thread where the layout has them; a group is written as "
            "(?P&lt;time&gt;...).",
        ),
    )
    time_format = models.CharField(
        say_later("format of the time"),
        max_length=100,
        help_text=say_later(
            "As Python's strptime has it, for example %d.%m.%Y %H:%M:%S,%f. Without %z it is read as UTC."
        ),
    )
    finds = models.TextField(
        say_later("lines"),
        help_text=say_later("Lines of a real log, one a line: the layout has to read each of them."),
    )
    active = models.BooleanField(say_later("active"), default=True)

    class Meta:
        ordering = ["title"]
        verbose_name = say_later("log layout")
        verbose_name_plural = say_later("log layouts")

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        """Refuses a layout that does not match its sample lines."""
        if errors := self.as_layout().errors():
            raise ValidationError(errors)

    def as_layout(self) -> intake.LogLayout:
        """The same as the library's type."""
        lines = tuple(line for line in self.finds.replace("\r", "").split("\n") if line.strip())
        return intake.LogLayout(self.title, self.pattern, self.time_format, lines)
