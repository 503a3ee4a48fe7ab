"""Addresses below `/people/`."""

from __future__ import annotations

from django.urls import path

from workbench.accounts import people_views as views

app_name = "people"

urlpatterns = [
    path("", views.people, name="list"),
    path("<int:person_id>/", views.person, name="person"),
    path("<int:person_id>/invite/", views.invite_again, name="invite_again"),
    path("<int:person_id>/deactivate/", views.deactivate, name="deactivate"),
    path("teams/", views.team_new, name="team_new"),
    path("teams/<int:team_id>/", views.team, name="team"),
]
