"""Log layouts in Django's administration."""

from __future__ import annotations

from django.contrib import admin

from workbench.layouts.models import LogLayout


@admin.register(LogLayout)
class LogLayoutAdmin(admin.ModelAdmin):
    """Administrators describe layouts and switch them off."""

    list_display = ["title", "time_format", "active"]
    list_filter = ["active"]
