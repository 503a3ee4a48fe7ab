"""Who a person is at a provider of identities, and what the provider's groups grant here."""

from __future__ import annotations

from django.db import models

from workbench.accounts.models import Role, Team, User
from workbench.languages.sentences import say, say_later

LONGEST_GROUP = 300


class Provider(models.TextChoices):
    OIDC = "oidc", "OpenID Connect"
    LDAP = "ldap", "LDAP"


class Identity(models.Model):
    """The account of a person at a provider. Without one, nobody is taken for a local account of the same name.

    issuer   the provider's issuer (OpenID Connect), or the address of the directory
    subject  the provider's unchangeable id of the person
    """

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="identities", verbose_name=say_later("person")
    )
    provider = models.CharField(say_later("provider"), max_length=10, choices=Provider.choices)
    issuer = models.CharField(say_later("issuer"), max_length=300)
    subject = models.CharField(say_later("id at the provider"), max_length=300)
    signed_in_at = models.DateTimeField(say_later("last sign-in"), null=True, editable=False)

    class Meta:
        ordering = ["user__username", "pk"]
        verbose_name = say_later("identity")
        verbose_name_plural = say_later("identities")
        constraints = [
            models.UniqueConstraint(fields=["provider", "issuer", "subject"], name="one_person_for_each_identity"),
        ]

    def __str__(self) -> str:
        return say("{person} at {issuer}", person=self.user, issuer=self.issuer)


class GroupMapping(models.Model):
    """What a group of the provider grants: a team, a role, or both."""

    group = models.CharField(max_length=LONGEST_GROUP)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="group_mappings")
    role = models.CharField(max_length=20, choices=Role.choices, blank=True)

    class Meta:
        ordering = ["group", "team__name", "pk"]

    def __str__(self) -> str:
        return self.group
