"""Identities in Django's administration: to link an account that exists, or to unlink one."""

from __future__ import annotations

from django.contrib import admin

from workbench.sign_in.models import Identity


@admin.register(Identity)
class IdentityAdmin(admin.ModelAdmin):
    list_display = ["user", "provider", "issuer", "subject", "signed_in_at"]
    list_select_related = ["user"]
    readonly_fields = ["signed_in_at"]
