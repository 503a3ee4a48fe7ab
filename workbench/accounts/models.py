from __future__ import annotations

import hashlib
import secrets
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import models

TOKEN_BYTES = 30


class Role(models.TextChoices):
    """What a user may do, each role all that the one before it may."""

    VIEWER = "viewer", "Viewer: reads the team's cases"
    RESPONDER = "responder", "Responder: opens and changes cases"
    RULE_EDITOR = "rule_editor", "Rule editor: edits and publishes rules"
    ADMINISTRATOR = "administrator", "Administrator: sees every case, manages people and teams"


RANK = {role: rank for rank, role in enumerate(Role)}


class TimeZoneShown(models.TextChoices):
    """How times are written on charts and in logs."""

    UTC = "utc", "UTC"
    BROWSER = "browser", "The browser's zone"
    EVIDENCE = "evidence", "The zone of the files"


class UserManager(DjangoUserManager["User"]):
    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """Django's word for an administrator."""
        return self.create_user(username, email, password, **fields | {"role": Role.ADMINISTRATOR})


class User(AbstractUser):
    """A person. The role holds in every team; which cases a person sees depends on the teams."""

    role = models.CharField(max_length=20, choices=Role.choices, default=Role.RESPONDER)
    zone_shown = models.CharField(max_length=10, choices=TimeZoneShown.choices, default=TimeZoneShown.UTC)

    objects = UserManager()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keeps Django's own flags in step with the role: rule editors enter the admin, administrators own it."""
        self.is_staff = self.may_edit_rules
        self.is_superuser = self.is_administrator
        super().save(*args, **kwargs)

    @property
    def may_change_cases(self) -> bool:
        return RANK[Role(self.role)] >= RANK[Role.RESPONDER]

    @property
    def may_edit_rules(self) -> bool:
        return RANK[Role(self.role)] >= RANK[Role.RULE_EDITOR]

    @property
    def is_administrator(self) -> bool:
        return self.role == Role.ADMINISTRATOR


class Team(models.Model):
    """People who share cases."""

    name = models.CharField(max_length=100, unique=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "team"], name="one_membership_for_each_team")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class ApiTokenManager(models.Manager["ApiToken"]):
    def make(self, user: User, name: str) -> tuple[ApiToken, str]:
        """A new token and its secret, which is shown once and not stored."""
        secret = secrets.token_urlsafe(TOKEN_BYTES)
        return self.create(user=user, name=name, digest=ApiToken.digest_of(secret)), secret

    def with_secret(self, secret: str) -> ApiToken | None:
        """The token that has this secret, of a user who may still sign in."""
        found = self.select_related("user").filter(digest=ApiToken.digest_of(secret), user__is_active=True)
        return found.first()


class ApiToken(models.Model):
    """A key to the HTTP API. Only its hash is kept: the secret has too many bits to be guessed from it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ApiTokenManager()

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def digest_of(secret: str) -> str:
        return hashlib.sha256(secret.encode()).hexdigest()
