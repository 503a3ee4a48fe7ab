"""Redaction rules in Django's administration."""

from __future__ import annotations

from django.contrib import admin

from workbench.redaction.models import RedactionRule


@admin.register(RedactionRule)
class RedactionRuleAdmin(admin.ModelAdmin):
    """Administrators write rules, replace shipped ones and switch them off."""

    list_display = ["rule_id", "title", "shape", "usual", "active"]
    list_filter = ["active", "usual"]
