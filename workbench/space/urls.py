from __future__ import annotations

from django.urls import path

from workbench.space import views

app_name = "space"

urlpatterns = [
    path("", views.overview, name="overview"),
    path("<int:case_id>/", views.change, name="change"),
]
