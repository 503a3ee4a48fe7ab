from __future__ import annotations

from django.urls import path

from workbench.charts import views

app_name = "charts"

urlpatterns = [
    path("<int:analysis_id>/changes/", views.changes, name="changes"),
    path("<int:analysis_id>/<slug:chart_id>/", views.figure, name="figure"),
    path("<int:analysis_id>/<slug:chart_id>/table/", views.table, name="table"),
    path("<int:analysis_id>/<slug:chart_id>.csv", views.csv_file, name="csv"),
    path("<int:analysis_id>/<slug:chart_id>.json", views.json_file, name="json"),
]
