from __future__ import annotations

from django.urls import path

from workbench.reports import views

app_name = "reports"

urlpatterns = [
    path("import/", views.bundle_import, name="import"),
    path("<int:case_id>/", views.report, name="detail"),
    path("<int:case_id>/report.md", views.markdown, name="markdown"),
    path("<int:case_id>/post-mortem.md", views.post_mortem, name="post_mortem"),
    path("<int:case_id>/report.html", views.html, name="html"),
    path("<int:case_id>/report.pdf", views.pdf, name="pdf"),
    path("<int:case_id>/report.json", views.as_json, name="json"),
    path("<int:case_id>/bundle.zip", views.bundle, name="bundle"),
]
