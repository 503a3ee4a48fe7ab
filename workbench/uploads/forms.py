"""Forms for the format, the clock and the event fields of a file."""

from __future__ import annotations

from django import forms

from workbench.uploads.listing import format_choices


class OverrideForm(forms.Form):
    """The format of a member; empty restores the recognised one."""

    member = forms.CharField(max_length=2000)
    format = forms.ChoiceField(required=False)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["format"].choices = [("", ""), *format_choices()]  # type: ignore[attr-defined]


class ClockForm(forms.Form):
    """The time zone of a member's times, and a shift; both empty: the times are correct."""

    member = forms.CharField(max_length=2000)
    zone = forms.CharField(max_length=100, required=False)
    shift = forms.CharField(max_length=100, required=False)


class EventFieldsForm(forms.Form):
    """The event fields of a member; all empty: fields are recognised by their names."""

    member = forms.CharField(max_length=2000)
    key = forms.CharField(max_length=300, required=False)
    event_time = forms.CharField(max_length=300, required=False)
    arrival = forms.CharField(max_length=300, required=False)


class ViewForm(forms.Form):
    """Parameters of the viewer; missing or invalid ones have defaults."""

    member = forms.CharField(max_length=2000, required=False)
    to = forms.IntegerField(min_value=1, required=False)
    pointer = forms.CharField(max_length=2000, required=False, strip=False)
    before = forms.IntegerField(min_value=0, max_value=1000, required=False)
    after = forms.IntegerField(min_value=0, max_value=1000, required=False)
