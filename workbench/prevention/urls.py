from __future__ import annotations

from django.urls import path

from workbench.prevention import views

app_name = "prevention"

urlpatterns = [
    path("<int:case_id>/", views.detail, name="detail"),
    path("<int:case_id>/all.zip", views.archive, name="archive"),
    path("<int:case_id>/charts/<slug:chart_id>/", views.chart, name="chart"),
    path("<int:case_id>/<str:name>", views.file, name="file"),
]
