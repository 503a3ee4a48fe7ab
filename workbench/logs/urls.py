from __future__ import annotations

from django.urls import path

from workbench.logs import views

app_name = "logs"

urlpatterns = [
    path("", views.page, name="page"),
    path("overview/", views.overview, name="overview"),
    path("records/", views.records, name="records"),
    path("record/", views.record, name="record"),
    path("step/", views.step, name="step"),
    path("breakdown/", views.breakdown, name="breakdown"),
    path("pins/", views.pins, name="pins"),
    path("unpin/", views.unpin, name="unpin"),
]
