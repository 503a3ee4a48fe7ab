"""Rules in Django's administration, which links to the pages of rules."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workbench.rules.models import Rule


@admin.register(Rule)
class RuleAdmin(admin.ModelAdmin):
    """For rule editors and administrators; rules are disabled, never deleted."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect("rules:list")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return redirect("rules:new")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        rule = self.get_object(request, object_id)
        return redirect("rules:edit", rule.rule_id) if rule else redirect("rules:list")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        return bool(getattr(request.user, "may_edit_rules", False))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        return self.has_view_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        return False
