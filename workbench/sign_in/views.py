"""Signing in, and the administrators' mapping of groups to teams and roles."""

from __future__ import annotations

from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.models import Role, Team, User
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.sign_in.configuration import OidcConfiguration, ldap_configuration, oidc_configuration
from workbench.sign_in.forms import SignInForm
from workbench.sign_in.models import LONGEST_GROUP, GroupMapping, Identity
from workbench.sign_in.oidc import ProviderFailed, person_presented, redirect_address, sign_in_begin
from workbench.sign_in.services import NotAdmitted, person_admit
from workbench.untrusted.storable import storable
from workbench.untrusted.whole_number import whole_number

SESSION_SECONDS = 12 * 3600
"""How long a sign-in by a provider lasts. Our choice: a shift; the next one reads the groups anew."""
NEXT = "sign_in_next"
THROTTLED = {"username": "(OpenID Connect)"}
"""The name under which failed sign-ins are counted, per address, as wrong passwords are."""


class SignIn(auth.LoginView):
    """Name and password, of a local account or the directory, or the way to the provider."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(**context) | {"oidc": oidc_configuration(), "ldap": ldap_configuration()}

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        if not form.get_user().has_usable_password():
            self.request.session.set_expiry(SESSION_SECONDS)
        return answer


@require_GET
@never_cache
def begin(request: HttpRequest) -> HttpResponse:
    """Sends the browser to the provider of identities."""
    configuration = _configuration()
    if not AxesProxyHandler.is_allowed(request, THROTTLED):
        return render(request, settings.AXES_LOCKOUT_TEMPLATE, status=429)
    request.session[NEXT] = _place(request, request.GET.get("next", ""))
    try:
        return sign_in_begin(request, configuration)
    except ProviderFailed as error:
        return _refusal(request, error, 503)


@require_GET
@never_cache
def callback(request: HttpRequest) -> HttpResponse:
    """Signs in whom the provider sent back."""
    configuration = _configuration()
    if not AxesProxyHandler.is_allowed(request, THROTTLED):
        return render(request, settings.AXES_LOCKOUT_TEMPLATE, status=429)
    try:
        user = person_admit(person_presented(request, configuration))
    except (ProviderFailed, NotAdmitted) as error:
        user_login_failed.send(sender=__name__, credentials=THROTTLED, request=request)
        return _refusal(request, error, 403)
    place = _place(request, request.session.pop(NEXT, ""))
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session.set_expiry(SESSION_SECONDS)
    return redirect(place)


@login_required
def mapping(request: SignedInRequest) -> HttpResponse:
    """What is configured, and which group grants what; adds a mapping."""
    _administrators_only(request.user)
    errors: list[str] = []
    if request.method == "POST":
        try:
            _add(request)
            messages.success(request, say("The mapping counts from the next sign-in of each person on."))
            return redirect("sign_in:mapping")
        except ValidationError as error:
            errors = error.messages
    oidc, ldap = oidc_configuration(), ldap_configuration()
    context = {
        "oidc": oidc,
        "ldap": ldap,
        "redirect_address": redirect_address(),
        "rows": GroupMapping.objects.select_related("team"),
        "teams": Team.objects.all(),
        "roles": Role.choices,
        "identities": Identity.objects.count(),
        "longest": LONGEST_GROUP,
        "errors": errors,
        "form": request.POST,
    }
    return render(request, "sign_in/mapping.html", context)


@login_required
@require_POST
def mapping_remove(request: SignedInRequest, mapping_id: int) -> HttpResponse:
    """Removes a mapping; it counts from the next sign-in on."""
    _administrators_only(request.user)
    get_object_or_404(GroupMapping, pk=mapping_id).delete()
    messages.success(request, say("The mapping is removed. It counts from the next sign-in of each person on."))
    return redirect("sign_in:mapping")


def _add(request: SignedInRequest) -> None:
    """Raises ValidationError."""
    team = request.POST.get("team", "")
    row = GroupMapping(
        group=storable(request.POST.get("group", "").strip()),
        team=Team.objects.filter(pk=whole_number(team) or 0).first(),
        role=request.POST.get("role", ""),
    )
    row.full_clean()
    if row.team is None and not row.role:
        raise ValidationError(say("Choose a team, a role, or both."))
    if GroupMapping.objects.filter(group__iexact=row.group, team=row.team, role=row.role).exists():
        raise ValidationError(say("This mapping exists already."))
    row.save()


def _configuration() -> OidcConfiguration:
    configuration = oidc_configuration()
    if configuration is None:
        raise Http404(say("No OpenID Connect provider is configured."))
    return configuration


def _place(request: HttpRequest, wanted: str) -> str:
    """The page to go to: only one of this workbench."""
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else resolve_url(settings.LOGIN_REDIRECT_URL)


def _refusal(request: HttpRequest, reason: Exception, status: int) -> HttpResponse:
    return render(request, "sign_in/refused.html", {"reason": str(reason)}, status=status)


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators map groups."))
