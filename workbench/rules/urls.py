from __future__ import annotations

from django.urls import path

from workbench.rules import editor_views, views

app_name = "rules"

# Fixed words come before a rule's id; `validation.RESERVED_IDS` keeps rules from being named so.
urlpatterns = [
    path("", views.rule_list, name="list"),
    path("new/", editor_views.new, name="new"),
    path("preview/", editor_views.preview, name="preview"),
    path("drafts/", editor_views.create, name="create"),
    path("drafts/<int:draft_id>/", editor_views.edit, name="draft"),
    path("drafts/<int:draft_id>/save/", editor_views.save, name="save"),
    path("drafts/<int:draft_id>/discard/", editor_views.discard, name="discard"),
    path("drafts/<int:draft_id>/publish/", editor_views.publish, name="publish"),
    path("<str:rule_id>/", views.detail, name="detail"),
    path("<str:rule_id>/edit/", editor_views.edit_rule, name="edit"),
    path("<str:rule_id>/switch/", views.switch, name="switch"),
    path("<str:rule_id>/versions/<int:version_id>/", views.version_detail, name="version"),
    path("<str:rule_id>/versions/<int:version_id>/roll-back/", views.roll_back, name="roll_back"),
]
