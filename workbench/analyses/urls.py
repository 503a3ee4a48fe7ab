from __future__ import annotations

from django.urls import path

from workbench.analyses import views

app_name = "analyses"

urlpatterns = [
    path("<int:analysis_id>/progress/", views.progress, name="progress"),
    path("<int:analysis_id>/events/", views.events, name="events"),
    path("<int:analysis_id>/cancel/", views.cancel, name="cancel"),
    path("<int:analysis_id>/retry/", views.retry, name="retry"),
    path("<int:analysis_id>/diagnosis.json", views.document, name="document"),
]
