from __future__ import annotations

from django.urls import path

from workbench.profiles import views

app_name = "profiles"

urlpatterns = [
    path("<int:analysis_id>/", views.flame_graph, name="flame_graph"),
    path("<int:analysis_id>/tree/", views.tree, name="tree"),
    path("<int:analysis_id>/stacks.txt", views.stacks, name="stacks"),
]
