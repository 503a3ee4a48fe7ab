"""People, teams and tokens in Django's administration."""

from __future__ import annotations

from typing import Any

from axes.admin import AccessAttemptAdmin
from axes.models import AccessAttempt
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from workbench.accounts.models import ApiToken, Membership, Team, User
from workbench.languages.sentences import say_later

admin.site.site_header = say_later("Workbench administration")
admin.site.site_title = say_later("Workbench")
admin.site.unregister(Group)
admin.site.unregister(AccessAttempt)

OTHERS_WORDS = (
    say_later("Model name"),
    say_later("Add link"),
    say_later("Change or view list link"),
    say_later("After you\u2019ve created a user, you\u2019ll be able to edit more user options."),
    say_later("access attempt"),
    say_later("access attempts"),
    say_later("access failure"),
    say_later("access failures"),
    say_later("access log"),
    say_later("access logs"),
    say_later("access attempt expiration"),
    say_later("access attempt expirations"),
    say_later("User Agent"),
    say_later("IP Address"),
    say_later("Username"),
    say_later("HTTP Accept"),
    say_later("Path"),
    say_later("Attempt Time"),
    say_later("Access lock out"),
    say_later("GET Data"),
    say_later("POST Data"),
    say_later("Form Data"),
    say_later("Meta Data"),
    say_later("Failed Logins"),
    say_later("Access Attempt"),
    say_later("Expires At"),
    say_later("The time when access attempt expires and is no longer valid."),
    say_later("Logout Time"),
    say_later("Session key hash (sha256)"),
    say_later("Locked Out"),
    say_later("Attempt Remaining"),
    say_later("Not set"),
    say_later("Clean up expired attempts"),
)
"""Words of Django's administration and of axes that have no Chinese there: our catalogue comes before theirs."""


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """People; a person who left is made inactive, so that the history keeps their name."""

    list_display = ["username", "first_name", "last_name", "role", "is_active", "last_login"]
    list_filter = ["role", "is_active", "teams"]
    fieldsets = [
        (None, {"fields": ["username", "password", "role", "is_active"]}),
        (say_later("Person"), {"fields": ["first_name", "last_name", "email"]}),
        (say_later("Dates"), {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [(None, {"classes": ["wide"], "fields": ["username", "password1", "password2", "role"]})]
    filter_horizontal = []
    inlines = [MembershipInline]

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


@admin.register(AccessAttempt)
class SignInAttemptAdmin(AccessAttemptAdmin):  # type: ignore[misc]
    """Axes' page with names of its two computed columns, which it takes from their methods in English."""

    @admin.display(description=say_later("Expiration"))
    def expiration(self, obj: AccessAttempt) -> Any:
        return super().expiration(obj)

    @admin.display(description=say_later("Status"))
    def status(self, obj: AccessAttempt) -> Any:
        return super().status(obj)


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    inlines = [MembershipInline]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Tokens can be revoked here too; each person makes their own on the page of tokens."""

    list_display = ["user", "name", "scope", "created_at", "expires_at", "last_used_at"]
    fields = ["user", "name", "scope", "created_at", "expires_at", "last_used_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False
