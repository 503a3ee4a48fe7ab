"""Forms of the rule editor, and the texts of a new rule."""

from __future__ import annotations

from django import forms

from workbench.rules.models import LONGEST_REASON
from workbench.untrusted.whole_number import LARGEST

LONGEST_VALUE = 2_000
"""Characters of one value that the editor's form writes. Our choice: a title is one line."""

NEW_RULE = """\
id: class.what-it-sees
version: 1
symptom_class: data_skew
status: experimental
level: vertex
title: What it sees, in a few words
severity: warning
when:
  all:
    - {fact: load_balance.skew_ratio, op: ">=", value: 2, source: "our choice: why this number"}
confidence:
  base: 0.6
  supports: []
  doubts: []
statement: "{subject.vertex} has a skew of {load_balance.skew_ratio|plain}."
facts: [load_balance.skew_ratio]
false_alarms: []
"""

NEW_FIRES = """\
# Signals on which the rule must fire.
signals:
  - key: load_balance
    subject: {job: "0000000000000000000000000000000a", vertex: Window}
    facts: {skew_ratio: 4}
"""

NEW_SILENT = """\
# Near miss: almost the same, and nothing is wrong.
signals:
  - key: load_balance
    subject: {job: "0000000000000000000000000000000a", vertex: Window}
    facts: {skew_ratio: 1.8}
"""


class PlainLines(forms.CharField):
    """Text with normalised line ends."""

    def __init__(self) -> None:
        super().__init__(strip=False, required=False)

    def to_python(self, value: str | None) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class TextsForm(forms.Form):
    """The three texts of a draft; the preview validates them, not the form."""

    rule = PlainLines()
    fires = PlainLines()
    silent = PlainLines()
    revision = forms.IntegerField(required=False, min_value=0, max_value=LARGEST)


class PreviewForm(TextsForm):
    """The texts, the case to try them on, and an optional value to write into the rule's text."""

    case = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)
    of_runbook = forms.BooleanField(required=False)
    name = forms.CharField(required=False, max_length=200)
    value = forms.CharField(required=False, max_length=LONGEST_VALUE)


class ImportForm(forms.Form):
    """An archive of rules."""

    archive = forms.FileField()


class ReasonForm(forms.Form):
    """The reason for an action."""

    reason = forms.CharField(max_length=LONGEST_REASON)
