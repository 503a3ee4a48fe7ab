from __future__ import annotations

from django.urls import path

from workbench.sign_in import views

app_name = "sign_in"

urlpatterns = [
    path("", views.mapping, name="mapping"),
    path("<int:mapping_id>/remove/", views.mapping_remove, name="mapping_remove"),
    path("oidc/", views.begin, name="begin"),
    path("oidc/callback/", views.callback, name="callback"),
]
