from __future__ import annotations

from django.urls import path

from workbench.drills import views

app_name = "drills"

urlpatterns = [
    path("", views.overview, name="overview"),
    path("start/", views.start, name="start"),
    path("plans/<int:team_id>/", views.plan, name="plan"),
    path("<int:drill_id>/", views.drill, name="drill"),
    path("<int:drill_id>/look/", views.look, name="look"),
    path("<int:drill_id>/suspect/", views.suspect, name="suspect"),
    path("<int:drill_id>/answer/", views.answer, name="answer"),
    path("<int:drill_id>/give-up/", views.give_up, name="give_up"),
]
