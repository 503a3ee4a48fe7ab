from __future__ import annotations

from django.urls import path

from workbench.history import views

app_name = "history"

urlpatterns = [
    path("", views.numbers, name="numbers"),
    path("objectives/<int:team_id>/", views.objective, name="objective"),
    path("jobs/", views.jobs, name="jobs"),
    path("jobs.<slug:form>", views.jobs_file, name="jobs_file"),
    path("<int:case_id>/merge/", views.merge, name="merge"),
    path("<int:case_id>/unmerge/", views.unmerge, name="unmerge"),
]
