from __future__ import annotations

from django.urls import path

from workbench.reports import views

app_name = "reports"

urlpatterns = [
    path("import/", views.bundle_import, name="import"),
    path("findings/<int:analysis_id>/<int:position>.md", views.finding, name="finding"),
    path("steps/<int:analysis_id>/<int:position>/<slug:step_id>.md", views.step, name="step"),
    path("<int:case_id>/", views.report, name="detail"),
    path("<int:case_id>/report.md", views.markdown, name="markdown"),
    path("<int:case_id>/post-mortem.md", views.post_mortem, name="post_mortem"),
    path("<int:case_id>/report.html", views.html, name="html"),
    path("<int:case_id>/report.pdf", views.pdf, name="pdf"),
    path("<int:case_id>/report.json", views.as_json, name="json"),
    path("<int:case_id>/bundle.zip", views.bundle, name="bundle"),
]
