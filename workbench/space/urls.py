from __future__ import annotations

from django.urls import path

from workbench.space import retention_views, views

app_name = "space"

urlpatterns = [
    path("", views.overview, name="overview"),
    path("retention/", retention_views.retention, name="retention"),
    path("retention/<int:team_id>/", retention_views.retention_change, name="retention_change"),
    path("<int:case_id>/", views.change, name="change"),
]
