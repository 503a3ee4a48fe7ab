from __future__ import annotations

from django.urls import path

from workbench.alerts import views

app_name = "alerts"

urlpatterns = [
    path("", views.alerts, name="list"),
    path("sources/", views.sources, name="sources"),
    path("sources/<int:source_id>/", views.source, name="source"),
    path("sources/<int:source_id>/token/", views.token, name="token"),
    path("sources/<int:source_id>/remove/", views.remove, name="remove"),
]
