from __future__ import annotations

from django.urls import path

from workbench.redaction import views

app_name = "redaction"

urlpatterns = [path("preview/", views.preview, name="preview")]
