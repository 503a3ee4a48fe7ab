from __future__ import annotations

from django.urls import path

from workbench.uploads import arrival_views, views

app_name = "uploads"

urlpatterns = [
    path("to/<int:case_id>/", views.add, name="add"),
    path("to/<int:case_id>/resumable/", arrival_views.begin, name="begin"),
    path("to/<int:case_id>/awaited/", views.awaited, name="awaited"),
    path("to/<int:case_id>/given-up/", views.give_up, name="give-up"),
    path("resumable/<uuid:arrival_id>/", arrival_views.arrival, name="arrival"),
    path("<int:file_id>/", views.detail, name="detail"),
    path("<int:file_id>/lines/<int:line>/", views.lines, name="lines"),
    path("<int:file_id>/download/", views.download, name="download"),
    path("<int:file_id>/format/", views.format_override, name="format"),
    path("<int:file_id>/clock/", views.clock, name="clock"),
    path("<int:file_id>/fields/", views.event_fields, name="event-fields"),
    path("<int:file_id>/remove/", views.remove, name="remove"),
    path("<int:file_id>/restore/", views.restore, name="restore"),
]
