"""Django's door to the directory: tried after local accounts, throttled with them."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from workbench.accounts.models import User
from workbench.languages.sentences import say
from workbench.sign_in.configuration import ldap_configuration
from workbench.sign_in.ldap import DirectoryFailed, person_verified
from workbench.sign_in.services import NotAdmitted, person_admit

logger = logging.getLogger(__name__)


class LdapBackend(BaseBackend):
    """Signs people of the directory in by name and password."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_: Any
    ) -> User | None:
        """None when the directory does not verify the person, or the workbench does not admit them.

        The reason of the latter is left in `request.not_admitted`, for the sign-in page.
        """
        configuration = ldap_configuration()
        if configuration is None or not username or not password:
            return None
        try:
            presented = person_verified(configuration, username, password)
            return person_admit(presented) if presented else None
        except DirectoryFailed as error:
            logger.warning("%s", error)
            reason = say("The directory does not answer; local accounts can sign in.")
        except NotAdmitted as error:
            reason = str(error)
        if request is not None:
            request.not_admitted = reason  # type: ignore[attr-defined]
        return None

    def get_user(self, user_id: int) -> User | None:
        return User.objects.filter(pk=user_id, is_active=True).first()
