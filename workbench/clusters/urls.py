from __future__ import annotations

from django.urls import path

from workbench.clusters import views

app_name = "clusters"

urlpatterns = [
    path("", views.clusters, name="list"),
    path("<int:cluster_id>/remove/", views.remove, name="remove"),
    path("collect/", views.collect, name="collect"),
    path("profile/", views.profile, name="profile"),
    path("metrics/", views.metrics, name="metrics"),
    path("logs/", views.logs, name="logs"),
    path("fetch/", views.fetch, name="fetch"),
    path("collections/<int:collection_id>/", views.collection, name="collection"),
    path("collections/<int:collection_id>/progress/", views.progress, name="progress"),
    path("collections/<int:collection_id>/cancel/", views.cancel, name="cancel"),
]
