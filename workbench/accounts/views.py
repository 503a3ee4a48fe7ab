"""A person's own account."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.contrib.messages.views import SuccessMessageMixin
from django.urls import reverse_lazy


class PasswordChange(SuccessMessageMixin, auth.PasswordChangeView):
    """Everybody changes their own password; the other sessions of that person end."""

    success_url = reverse_lazy("cases:list")
    success_message = "Your password is changed."
