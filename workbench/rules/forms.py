from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from diagnostics.errors import InvalidRule
from workbench.rules.models import LONGEST_REASON, RuleVersion
from workbench.rules.validation import checked_rule

NEW_RULE = """\
id: class.what-it-sees
version: 1
symptom_class: data_skew
level: vertex
title: What it sees, in a few words
severity: warning
when:
  all:
    - {fact: load_balance.skew_ratio, op: ">=", value: 2, source: "why this number"}
confidence:
  base: 0.6
statement: "{subject.vertex} has a skew of {load_balance.skew_ratio|plain}."
facts: [load_balance.skew_ratio]
"""


class DraftForm(forms.ModelForm):
    """A rule's text; every error of it is shown at once, each with its line."""

    text = forms.CharField(
        label="Rule",
        strip=False,
        initial=NEW_RULE,
        widget=forms.Textarea(attrs={"rows": 32, "cols": 110, "spellcheck": "false", "class": "vLargeTextField"}),
        help_text="YAML: one rule. Bounds with their source, no expressions, no patterns.",
    )

    class Meta:
        model = RuleVersion
        fields = ["text"]

    def clean_text(self) -> Any:
        """The text with plain line ends. Raises ValidationError with every error."""
        text = self.cleaned_data["text"].replace("\r\n", "\n")
        try:
            checked_rule(text, self.instance if self.instance.pk else None)
        except InvalidRule as error:
            raise ValidationError(error.errors) from None
        return text


class ReasonForm(forms.Form):
    """Why something was done."""

    reason = forms.CharField(max_length=LONGEST_REASON)
