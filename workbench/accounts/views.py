"""Pages of the user's own account: the password, the time zone and the language."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.messages.views import SuccessMessageMixin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from diagnostics.language import listed
from workbench.accounts.models import TimeZoneShown
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say, say_later


class OwnPasswordForm(PasswordChangeForm):
    """Django's form; a wrong old password counts as a failed sign-in."""

    def __init__(self, request: HttpRequest, **options: Any) -> None:
        self._request = request
        super().__init__(**options)

    def clean_old_password(self) -> str:
        old = str(self.cleaned_data["old_password"])
        if authenticate(self._request, username=self.user.get_username(), password=old) is None:
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old


class PasswordChange(SuccessMessageMixin, auth.PasswordChangeView):  # type: ignore[type-arg]
    """Users change their own password, which ends their other sessions and tokens."""

    form_class = OwnPasswordForm
    success_url = reverse_lazy("cases:list")
    success_message = say_later("Your password is changed. Your other sessions and your API tokens have ended.")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"request": self.request, **super().get_form_kwargs()}


@login_required
@require_POST
def zone(request: SignedInRequest) -> HttpResponse:
    """Stores the user's time zone, for every browser."""
    chosen = request.POST.get("zone", "")
    if chosen not in TimeZoneShown.values:
        return JsonResponse({"detail": say("Choose one of {values}.", values=listed(TimeZoneShown.values))}, status=400)
    request.user.zone_shown = chosen
    request.user.save(update_fields=["zone_shown"])
    return JsonResponse({"zone": chosen})


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Stores the language of the pages, with the account and for this browser; an empty one is that of the browser."""
    chosen = request.POST.get("language", "")
    if chosen and chosen not in dict(settings.LANGUAGES):
        return JsonResponse(
            {"detail": say("Choose one of {languages}.", languages=listed(dict(settings.LANGUAGES)))}, status=400
        )
    if request.user.is_authenticated:
        request.user.language = chosen
        request.user.save(update_fields=["language"])
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    response = redirect(back if is_ours else "cases:list")
    if chosen:
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, chosen, secure=request.is_secure(), samesite="Lax")
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
    return response
