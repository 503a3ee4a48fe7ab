from __future__ import annotations

from django.urls import path

from workbench.audit import views

app_name = "audit"

urlpatterns = [
    path("", views.log, name="log"),
    path("export.<slug:form>", views.export, name="export"),
]
