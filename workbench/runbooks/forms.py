"""Forms of the runbook pages."""

from __future__ import annotations

from django import forms

from workbench.runbooks.models import StepState

LONGEST_NOTE = 5000


class StepForm(forms.Form):
    """A user's record of a step."""

    state = forms.ChoiceField(choices=StepState.choices)
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)
    answer = forms.CharField(required=False, max_length=LONGEST_NOTE)
    asked = forms.CharField(required=False, max_length=150)
