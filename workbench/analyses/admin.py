from __future__ import annotations

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from diagnostics.errors import InvalidRule
from workbench.analyses.trial import rule_try
from workbench.rules.admin import RuleVersionAdmin
from workbench.rules.models import RuleVersion


@admin.register(RuleVersion)
class TriedRuleVersionAdmin(RuleVersionAdmin):
    """Rule versions, which can also be tried on old cases: that needs analyses, which rules know nothing of."""

    def get_urls(self) -> list[URLPattern]:
        door = path("<int:version_id>/try/", self.admin_site.admin_view(self.try_on_cases), name="rule_try")
        return [door, *super().get_urls()]

    def try_on_cases(self, request: HttpRequest, version_id: int) -> HttpResponse:
        """What the version would do to the cases that were diagnosed before."""
        version = self._version(request, version_id)
        try:
            trial = rule_try(version=version, user=request.user)
        except InvalidRule as error:
            self.message_user(request, f"It does not load: {'; '.join(error.errors)}", messages.ERROR)
            return self._back_to(version)
        context = self.admin_site.each_context(request) | {
            "title": f"{version} on old cases",
            "version": version,
            "trial": trial,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/rules/ruleversion/try.html", context)
