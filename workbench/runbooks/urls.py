from __future__ import annotations

from django.urls import path

from workbench.runbooks import proof_views, views, what_if_views

app_name = "runbooks"

urlpatterns = [
    path("what-if/<int:analysis_id>/<int:position>/", what_if_views.overview, name="what_if"),
    path("what-if/<int:analysis_id>/<int:position>/<slug:calculator_id>/", what_if_views.calculator, name="calculator"),
    path("proof/<int:before_id>/<int:after_id>/", proof_views.proof, name="proof"),
    path("<int:analysis_id>/<int:position>/", views.detail, name="detail"),
    path("<int:analysis_id>/<int:position>/steps/<slug:step_id>/", views.step, name="step"),
]
