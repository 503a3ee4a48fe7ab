"""The form of the sign-in page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError


class SignInForm(AuthenticationForm):
    """Django's form; a right password that the workbench does not admit gets the reason."""

    def get_invalid_login_error(self) -> ValidationError:
        """Why the person was not admitted, else that name or password is wrong."""
        reason: Any = getattr(self.request, "not_admitted", None)
        return ValidationError(reason) if reason else super().get_invalid_login_error()
