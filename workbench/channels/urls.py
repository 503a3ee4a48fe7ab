from __future__ import annotations

from django.urls import path

from workbench.channels import views

app_name = "channels"

urlpatterns = [
    path("", views.channels, name="list"),
    path("<int:channel_id>/", views.channel, name="channel"),
    path("<int:channel_id>/try/", views.try_channel, name="try"),
    path("<int:channel_id>/remove/", views.remove, name="remove"),
]
