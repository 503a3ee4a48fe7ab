from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from workbench.accounts import token_views
from workbench.accounts.people_views import Invitation
from workbench.accounts.views import PasswordChange, language, zone
from workbench.analyses.retention_views import delete_case
from workbench.api import probes, security_pages
from workbench.api.metrics import metrics
from workbench.clusters.collector_views import collector
from workbench.languages.views import WordsOfScripts
from workbench.limits.views import limits
from workbench.logs.everywhere_views import everywhere
from workbench.sign_in.views import SignIn

urlpatterns = [
    path("", include("workbench.case_pages.urls")),
    path("cases/<int:case_id>/logs/", include("workbench.logs.urls")),
    path("logs/", everywhere, name="log_search"),
    path("uploads/", include("workbench.uploads.urls")),
    path("alerts/", include("workbench.alerts.urls")),
    path("channels/", include("workbench.channels.urls")),
    path("clusters/", include("workbench.clusters.urls")),
    path("fleet/", include("workbench.watching.urls")),
    path("limits/", limits, name="limits"),
    path("audit/", include("workbench.audit.urls")),
    path("space/", include("workbench.space.urls")),
    path("redaction/", include("workbench.redaction.urls")),
    path("cases/<int:case_id>/delete/", delete_case, name="delete_case"),
    path("analyses/", include("workbench.analyses.urls")),
    path("charts/", include("workbench.charts.urls")),
    path("profiles/", include("workbench.profiles.urls")),
    path("rules/", include("workbench.rule_pages.urls")),
    path("runbooks/", include("workbench.runbooks.urls")),
    path("history/", include("workbench.history.urls")),
    path("drills/", include("workbench.drills.urls")),
    path("prevention/", include("workbench.prevention.urls")),
    path("reports/", include("workbench.reports.urls")),
    path("login/", SignIn.as_view(), name="login"),
    path("sign-in/", include("workbench.sign_in.urls")),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("people/", include("workbench.accounts.urls")),
    path("invitation/<uidb64>/<token>/", Invitation.as_view(), name="invitation"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/all/", token_views.all_tokens, name="all_tokens"),
    path("tokens/<int:token_id>/revoke/", token_views.token_revoke, name="token_revoke"),
    path("zone/", zone, name="zone"),
    path("language/", language, name="language"),
    path("words.js", WordsOfScripts.as_view(), name="words"),
    # The administration's own pages would allow guessing the old password, and sign out differently.
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),
    path("admin/logout/", auth.LogoutView.as_view()),
    path("admin/", admin.site.urls),
    path("api/v1/", include("workbench.api.urls")),
    path("collect_flink.py", collector, name="collector"),
    path("security/", security_pages.security, name="security"),
    path(".well-known/security.txt", security_pages.security_txt, name="security_txt"),
    path("healthz", probes.healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("readyz", probes.readyz, name="readyz"),
    path("favicon.ico", RedirectView.as_view(url=static("favicon.svg"))),
]

handler400 = "workbench.api.errors.bad_request"
handler403 = "workbench.api.errors.permission_denied"
handler404 = "workbench.api.errors.page_not_found"
handler500 = "workbench.api.errors.server_error"
