"""A person's own account."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.messages.views import SuccessMessageMixin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse_lazy
from django.views.decorators.http import require_POST

from workbench.accounts.models import TimeZoneShown


class PasswordChange(SuccessMessageMixin, auth.PasswordChangeView):
    """Everybody changes their own password; the other sessions of that person end."""

    success_url = reverse_lazy("cases:list")
    success_message = "Your password is changed."


@login_required
@require_POST
def zone(request: HttpRequest) -> HttpResponse:
    """Keeps the zone that the person chose, for every browser they sign in with."""
    chosen = request.POST.get("zone", "")
    if chosen not in TimeZoneShown.values:
        return JsonResponse({"detail": f"Choose one of {', '.join(TimeZoneShown.values)}."}, status=400)
    request.user.zone_shown = chosen
    request.user.save(update_fields=["zone_shown"])
    return JsonResponse({"zone": chosen})
