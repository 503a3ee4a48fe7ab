from __future__ import annotations

from django import forms

from diagnostics.diagnosis.verdict import INCONCLUSIVE
from diagnostics.symptoms import symptoms
from workbench.cases.models import Case, CaseStatus, Note

LONGEST_TEXT = 20_000


class NewCaseForm(forms.Form):
    """A case without JavaScript: title, files and pasted text at once."""

    title = forms.CharField(max_length=200, required=False)
    text = forms.CharField(required=False, strip=False)


class PasteForm(forms.Form):
    """Text from the clipboard, with a name that helps people."""

    text = forms.CharField(strip=False)
    name = forms.CharField(max_length=200, required=False)


class TitleForm(forms.ModelForm):
    class Meta:
        model = Case
        fields = ["title"]


class StatusForm(forms.Form):
    """The states that need no further word; closing has a form of its own."""

    status = forms.ChoiceField(choices=[choice for choice in CaseStatus.choices if choice[0] != CaseStatus.CLOSED])


class NoteForm(forms.ModelForm):
    text = forms.CharField(max_length=LONGEST_TEXT)

    class Meta:
        model = Note
        fields = ["text"]


class CloseForm(forms.Form):
    """What the cause turned out to be, and what fixed it."""

    confirmed_class = forms.ChoiceField()
    what_fixed_it = forms.CharField(required=False, max_length=LONGEST_TEXT)
    keep_as_sample = forms.BooleanField(required=False)

    def __init__(self, *args: object, case: Case, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["confirmed_class"].choices = cause_choices(case)  # type: ignore[attr-defined]


def cause_choices(case: Case) -> list[tuple[str, str]]:
    """The classes that can be the confirmed cause, the diagnosed one first."""
    causes = sorted(symptoms().values(), key=lambda each: (each.id != case.verdict_class, each.kind, each.order))
    known = [(each.id, each.title) for each in causes if each.kind != "consequence"]
    if case.verdict_class and case.verdict_class not in dict(known):
        known.insert(0, (case.verdict_class, case.verdict_class.replace("_", " ").capitalize()))
    return [*known, *([] if INCONCLUSIVE in dict(known) else [(INCONCLUSIVE, "Something else, or never found out")])]
