from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from workbench.api import views
from workbench.api.alerts import AlertIntake

app_name = "api"

urlpatterns = [
    path("", views.Root.as_view(), name="root"),
    path("cases/", views.CaseList.as_view(), name="cases"),
    path("cases/<int:case_id>/", views.CaseDetail.as_view(), name="case"),
    path("cases/<int:case_id>/files/", views.CaseFiles.as_view(), name="files"),
    path("cases/<int:case_id>/diagnosis/", views.CaseDiagnosis.as_view(), name="diagnosis"),
    path("alerts/<slug:source>/", AlertIntake.as_view(), name="alerts"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", views.docs, name="docs"),
]
