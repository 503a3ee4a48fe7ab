"""Forms of API tokens, people and teams."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import Q

from workbench.accounts.models import MOST_TOKEN_DAYS, TOKEN_DAYS, Role, Team, TokenScope, User
from workbench.languages.sentences import say, say_later

MOST_TOKENS = 50
"""Tokens of a person. Our choice: one for each program, and a page that can be read."""


class TokenForm(forms.Form):
    """What a token is for, may do, and for how long. Only administrators make tokens for the metrics."""

    name = forms.CharField(max_length=100, label=say_later("What it is for"))
    scope = forms.ChoiceField(label=say_later("What it may do"))
    days = forms.IntegerField(
        min_value=1, max_value=MOST_TOKEN_DAYS, initial=TOKEN_DAYS, label=say_later("For how many days")
    )

    def __init__(self, user: User, data: object = None) -> None:
        super().__init__(data, label_suffix="")  # type: ignore[arg-type]
        self._user = user
        scopes = [scope for scope in TokenScope if scope != TokenScope.METRICS or user.is_administrator]
        self.fields["scope"].choices = [(scope.value, scope.label) for scope in scopes]  # type: ignore[attr-defined]
        self.fields["name"].widget.attrs |= {"placeholder": say_later("nightly pipeline"), "autocomplete": "off"}

    def clean(self) -> None:
        if self._user.api_tokens.count() >= MOST_TOKENS:
            raise forms.ValidationError(
                say("You have {most} tokens. Revoke those that are not used.", most=MOST_TOKENS)
            )


class RowsField(forms.ModelMultipleChoiceField):
    """Refuses numbers that no key can be; a database raises an error for them."""

    key = forms.IntegerField(min_value=1, max_value=10**18)

    def clean(self, value: Any) -> Any:
        """As in Django."""
        for number in value or ():
            self.key.clean(number)
        return super().clean(value)


class PersonForm(forms.Form):
    """Names, role and teams of a person."""

    first_name = forms.CharField(max_length=150, required=False, label=say_later("First name"))
    last_name = forms.CharField(max_length=150, required=False, label=say_later("Last name"))
    email = forms.EmailField(required=False, label=say_later("E-mail"))
    role = forms.ChoiceField(choices=Role.choices, initial=Role.RESPONDER, label=say_later("Role in every team"))
    teams = RowsField(Team.objects.all(), required=False, widget=forms.CheckboxSelectMultiple, label=say_later("Teams"))

    def __init__(self, data: Any = None, *, person: User | None = None) -> None:
        names = ("first_name", "last_name", "email", "role")
        initial = {name: getattr(person, name) for name in names} | {"teams": person.teams.all()} if person else None
        super().__init__(data, initial=initial)
        self.fields["email"].widget.attrs |= {"autocomplete": "off"}


class InvitationForm(PersonForm):
    """A person who does not exist yet."""

    username = forms.CharField(max_length=150, validators=[UnicodeUsernameValidator()], label=say_later("User name"))
    field_order = ("username", "first_name", "last_name", "email", "role", "teams")

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["username"].widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"])
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(say("There is a person with this user name."))
        return name


class TeamForm(forms.Form):
    """The name of a team, and its members."""

    name = forms.CharField(max_length=100, label=say_later("Name"))
    members = RowsField(
        User.objects.order_by("username"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=say_later("Members"),
    )

    def __init__(self, data: Any = None, *, team: Team | None = None) -> None:
        self._team = team
        super().__init__(data, initial={"name": team.name, "members": team.members.all()} if team else None)
        self.fields["name"].widget.attrs |= {"autocomplete": "off"}
        possible = Q(is_active=True)
        if team:
            possible |= Q(pk__in=team.members.values("pk"))
        self.fields["members"].queryset = User.objects.filter(possible).order_by("username")  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        others = Team.objects.exclude(pk=self._team.pk) if self._team else Team.objects.all()
        if others.filter(name__iexact=name).exists():
            raise forms.ValidationError(say("There is a team with this name."))
        return name
