"""Forms of the case pages."""

from __future__ import annotations

from django import forms

from diagnostics.symptoms import INCONCLUSIVE, symptoms
from workbench.cases.impact import IMPACT_COLUMNS
from workbench.cases.models import Case, CaseStatus, FollowUp, Note, SavedView
from workbench.languages.sentences import say, say_later

LONGEST_TEXT = 20_000


class NewCaseForm(forms.Form):
    """A case without JavaScript: title, files and pasted text at once."""

    title = forms.CharField(max_length=200, required=False)
    text = forms.CharField(required=False, strip=False)


class PasteForm(forms.Form):
    """Text from the clipboard, with a name for people, and ids of redaction rules separated by spaces."""

    text = forms.CharField(strip=False)
    name = forms.CharField(max_length=200, required=False)
    redact = forms.CharField(max_length=2000, required=False)


class TitleForm(forms.ModelForm):
    class Meta:
        model = Case
        fields = ["title"]


class ImpactForm(forms.ModelForm):
    """What the incident cost those who depend on its jobs, and what they need; an empty field is not stated."""

    class Meta:
        model = Case
        fields = (*IMPACT_COLUMNS, "required_guarantee")
        labels = {
            "minutes_late": say_later("Minutes late"),
            "jobs_affected": say_later("Jobs affected"),
            "records_lost": say_later("Records lost"),
            "records_delayed": say_later("Records delayed"),
            "required_guarantee": say_later("Required guarantee"),
        }


class StatusForm(forms.Form):
    """The states without further input; closing has its own form."""

    status = forms.ChoiceField(choices=[choice for choice in CaseStatus.choices if choice[0] != CaseStatus.CLOSED])


class BulkForm(forms.Form):
    """An action on the ticked cases; only the action's own field is used."""

    action = forms.ChoiceField(
        choices=[(name, name) for name in ("status", "owner", "close", "watch", "unwatch", "compare")]
    )
    status = forms.ChoiceField(choices=StatusForm.base_fields["status"].choices, required=False)  # type: ignore[attr-defined]
    owner = forms.CharField(required=False, max_length=150)
    confirmed_class = forms.ChoiceField(choices=lambda: cause_choices(None), required=False)
    what_fixed_it = forms.CharField(required=False, max_length=LONGEST_TEXT)
    keep_as_sample = forms.BooleanField(required=False)

    def clean(self) -> dict[str, object]:
        """Requires a value for every action except watching."""
        found: dict[str, object] = super().clean() or {}
        needed = {"status": "status", "owner": "owner", "close": "confirmed_class"}.get(str(found.get("action")))
        if needed and not found.get(needed):
            raise forms.ValidationError(say("Choose what to set."))
        return found


class SavedViewForm(forms.ModelForm):
    """A name for the present search; `shared` makes it visible to the team."""

    shared = forms.BooleanField(required=False)

    class Meta:
        model = SavedView
        fields = ["name", "query"]


class NoteForm(forms.ModelForm):
    text = forms.CharField(max_length=LONGEST_TEXT)

    class Meta:
        model = Note
        fields = ["text"]


class FollowUpForm(forms.ModelForm):
    """A follow-up: text, owner by name, due date, and the days after which a re-check returns."""

    owner = forms.CharField(max_length=150)

    class Meta:
        model = FollowUp
        fields = ["text", "due", "every_days"]


class CloseForm(forms.Form):
    """The confirmed cause and the fix."""

    confirmed_class = forms.ChoiceField()
    what_fixed_it = forms.CharField(required=False, max_length=LONGEST_TEXT)
    keep_as_sample = forms.BooleanField(required=False)

    def __init__(self, *args: object, case: Case, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["confirmed_class"].choices = cause_choices(incident_verdict(case))  # type: ignore[attr-defined]


def cause_choices(diagnosed: str | None) -> list[tuple[str, str]]:
    """The possible confirmed causes; `diagnosed`, the class diagnosed in the incident, comes first."""
    causes = sorted(symptoms().values(), key=lambda each: (each.id != diagnosed, each.kind, each.order))
    known = [(each.id, each.read_title) for each in causes if each.kind != "consequence"]
    if diagnosed and diagnosed not in dict(known):
        known.insert(0, (diagnosed, diagnosed.replace("_", " ").capitalize()))
    return [
        *known,
        *([] if INCONCLUSIVE in dict(known) else [(INCONCLUSIVE, say("Something else, or never found out"))]),
    ]


def incident_verdict(case: Case) -> str | None:
    """The verdict before any change; the case's own columns have the newest one."""
    verdicts = case.analyses.exclude_later_snapshots().done().values_list("document__verdict__symptom_class", flat=True)
    return verdicts.first() or case.verdict_class
