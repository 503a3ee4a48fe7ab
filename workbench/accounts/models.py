"""People, their roles, teams and API tokens."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import secrets
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import OperationalError, models
from django.utils import timezone

from workbench.languages.sentences import say, say_later

TOKEN_BYTES = 30
TOKEN_DAYS = 365
"""Validity of a token in days by default. Our choice: programs run unattended, and somebody should review them once a
year.
"""
MOST_TOKEN_DAYS = 10 * 365
USE_NOTED_EACH = dt.timedelta(minutes=1)
"""Our choice: a program that asks in a loop writes no row with each request."""

LONGEST_DRILL = dt.timedelta(hours=2)
"""A drill without an end counts as over then, and its case is visible again. Our choice."""


class Role(models.TextChoices):
    """Roles of a user; each includes the permissions of the one before."""

    VIEWER = "viewer", say_later("Viewer: reads the team's cases")
    RESPONDER = "responder", say_later("Responder: opens and changes cases")
    RULE_EDITOR = "rule_editor", say_later("Rule editor: edits and publishes rules")
    ADMINISTRATOR = "administrator", say_later("Administrator: sees every case, manages people and teams")


RANK = {role: rank for rank, role in enumerate(Role)}


class TimeZoneShown(models.TextChoices):
    """The time zone on charts and in logs."""

    UTC = "utc", "UTC"
    BROWSER = "browser", say_later("The browser's zone")
    EVIDENCE = "evidence", say_later("The zone of the files")


class UserManager(DjangoUserManager["User"]):
    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """Django's name for creating an administrator."""
        return self.create_user(username, email, password, **fields | {"role": Role.ADMINISTRATOR})


class User(AbstractUser):
    """A person. The role applies in every team; teams determine which cases a person sees.

    language  of the pages; empty: that of the browser
    """

    role = models.CharField(say_later("role"), max_length=20, choices=Role.choices, default=Role.RESPONDER)
    zone_shown = models.CharField(max_length=10, choices=TimeZoneShown.choices, default=TimeZoneShown.UTC)
    language = models.CharField(max_length=10, blank=True, default="")

    objects: ClassVar[UserManager] = UserManager()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Updates Django's own flags from the role: rule editors may enter the admin site, administrators may do
        everything there.

        A new password deletes the tokens, like the sessions: they may have been stolen with the old one.
        """
        self.is_staff = self.may_edit_rules
        self.is_superuser = self.is_administrator
        has_new_password = self._password is not None  # type: ignore[attr-defined]
        super().save(*args, **kwargs)
        if has_new_password:
            self.api_tokens.all().delete()

    @property
    def may_change_cases(self) -> bool:
        return RANK[Role(self.role)] >= RANK[Role.RESPONDER]

    @property
    def may_edit_rules(self) -> bool:
        return RANK[Role(self.role)] >= RANK[Role.RULE_EDITOR]

    @property
    def is_administrator(self) -> bool:
        return self.role == Role.ADMINISTRATOR

    @cached_property
    def cases_drilled(self) -> Sequence[int]:
        """The case of the drill in progress, which is hidden from the person until the end.

        Every page asks several times. It is looked up once for each object, and each request has one of its own.
        """
        under_way = self.drills.filter(ended_at=None, started_at__gt=timezone.now() - LONGEST_DRILL)
        return list(under_way.order_by().values_list("case", flat=True))

    def drills_changed(self) -> None:
        """To be called when this object begins a drill: `cases_drilled` is looked up again."""
        self.__dict__.pop("cases_drilled", None)


class Team(models.Model):
    """People who share cases."""

    name = models.CharField(say_later("name"), max_length=100, unique=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]
        verbose_name = say_later("team")
        verbose_name_plural = say_later("teams")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE, verbose_name=say_later("person"))
    team = models.ForeignKey(Team, on_delete=models.CASCADE, verbose_name=say_later("team"))
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = say_later("membership")
        verbose_name_plural = say_later("memberships")
        constraints = [models.UniqueConstraint(fields=["user", "team"], name="one_membership_for_each_team")]

    def __str__(self) -> str:
        return say("{person} in {team}", person=self.user, team=self.team)


class TokenScope(models.TextChoices):
    """What a token may do, at most what its user may."""

    READ = "read", say_later("Read")
    WRITE = "write", say_later("Read and write")
    METRICS = "metrics", say_later("Only the metrics of the workbench itself")


class ApiTokenManager(models.Manager["ApiToken"]):
    def make(
        self, user: User, name: str, days: int = TOKEN_DAYS, scope: TokenScope = TokenScope.WRITE
    ) -> tuple[ApiToken, str]:
        """A new token that is valid for `days`, and its secret, which is shown once and not stored."""
        secret, expires_at = secrets.token_urlsafe(TOKEN_BYTES), timezone.now() + dt.timedelta(days=days)
        token = self.create(user=user, name=name, scope=scope, digest=ApiToken.digest_of(secret), expires_at=expires_at)
        return token, secret

    def with_secret(self, secret: str) -> ApiToken | None:
        """The token with this secret, when it has not expired and its user may sign in."""
        counting = self.select_related("user").filter(user__is_active=True, expires_at__gt=timezone.now())
        return counting.filter(digest=ApiToken.digest_of(secret)).first()


class ApiToken(models.Model):
    """A key to the HTTP API. Only its hash is stored, from which the long random secret cannot be guessed.

    It is valid until it expires, is revoked (deleted), or its user changes the password. It is looked up by the hash,
    so the time of the answer says nothing about the secret.
    """

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="api_tokens", verbose_name=say_later("person")
    )
    name = models.CharField(say_later("name"), max_length=100)
    scope = models.CharField(say_later("scope"), max_length=10, choices=TokenScope.choices, default=TokenScope.WRITE)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(say_later("made"), auto_now_add=True)
    expires_at = models.DateTimeField(say_later("expires"))
    last_used_at = models.DateTimeField(say_later("last used"), null=True, blank=True)
    last_used_from = models.GenericIPAddressField(null=True, blank=True)

    objects = ApiTokenManager()

    class Meta:
        ordering = ["-pk"]
        verbose_name = say_later("API token")
        verbose_name_plural = say_later("API tokens")

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    def note_use(self, address: str) -> None:
        """Stores when and from where it was used, at most once a minute. A database that cannot be written is no
        reason to refuse it.
        """
        now = timezone.now()
        if self.last_used_at and now - self.last_used_at < USE_NOTED_EACH and self.last_used_from == address:
            return
        with contextlib.suppress(OperationalError):
            ApiToken.objects.filter(pk=self.pk).update(last_used_at=now, last_used_from=address)

    @staticmethod
    def digest_of(secret: str) -> str:
        return hashlib.sha256(secret.encode()).hexdigest()
