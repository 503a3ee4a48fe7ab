from __future__ import annotations

from django.urls import path

from workbench.runbooks import proof_views, views

app_name = "runbooks"

urlpatterns = [
    path("proof/<int:before_id>/<int:after_id>/", proof_views.proof, name="proof"),
    path("<int:analysis_id>/<int:position>/", views.detail, name="detail"),
    path("<int:analysis_id>/<int:position>/steps/<slug:step_id>/", views.step, name="step"),
]
