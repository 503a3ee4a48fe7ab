from __future__ import annotations

from django.urls import path

from workbench.rules import views

app_name = "rules"

urlpatterns = [
    path("", views.rule_list, name="list"),
    path("<str:rule_id>/", views.detail, name="detail"),
    path("<str:rule_id>/switch/", views.switch, name="switch"),
    path("<str:rule_id>/versions/<int:version_id>/", views.version_detail, name="version"),
    path("<str:rule_id>/versions/<int:version_id>/roll-back/", views.roll_back, name="roll_back"),
]
