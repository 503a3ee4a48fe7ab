"""The form of a new API token."""

from __future__ import annotations

from django import forms

from workbench.accounts.models import MOST_TOKEN_DAYS, TOKEN_DAYS, TokenScope, User

MOST_TOKENS = 50
"""Tokens of a person. Our choice: one for each program, and a page that can be read."""


class TokenForm(forms.Form):
    """What a token is for, may do, and for how long. Only administrators make tokens for the metrics."""

    name = forms.CharField(max_length=100, label="What it is for")
    scope = forms.ChoiceField(label="What it may do")
    days = forms.IntegerField(min_value=1, max_value=MOST_TOKEN_DAYS, initial=TOKEN_DAYS, label="For how many days")

    def __init__(self, user: User, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self._user = user
        scopes = [scope for scope in TokenScope if scope != TokenScope.METRICS or user.is_administrator]
        self.fields["scope"].choices = [(scope.value, scope.label) for scope in scopes]  # type: ignore[attr-defined]
        self.fields["name"].widget.attrs |= {"placeholder": "nightly pipeline", "autocomplete": "off"}

    def clean(self) -> None:
        if self._user.api_tokens.count() >= MOST_TOKENS:
            raise forms.ValidationError(f"You have {MOST_TOKENS} tokens. Revoke those that are not used.")
