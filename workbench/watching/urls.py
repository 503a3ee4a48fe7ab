from __future__ import annotations

from django.urls import path

from workbench.watching import views

app_name = "watching"

urlpatterns = [
    path("", views.fleet, name="fleet"),
    path("jobs/<int:job_id>/", views.job, name="job"),
    path("clusters/<int:cluster_id>/", views.watch, name="watch"),
    path("clusters/<int:cluster_id>/end/", views.end, name="end"),
]
