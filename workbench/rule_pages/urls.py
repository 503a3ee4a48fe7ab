from __future__ import annotations

from django.urls import path

from workbench.rule_pages import approval_views, backtest_views, editor_views, health_views, log_views, views

app_name = "rules"

# Fixed paths precede a rule's id; `validation.RESERVED_IDS` reserves them.
urlpatterns = [
    path("", views.rule_list, name="list"),
    path("runbooks/", views.runbook_list, name="runbooks"),
    path("sources/", views.source_list, name="sources"),
    path("glossary/", views.glossary_page, name="glossary"),
    path("new/", editor_views.new, name="new"),
    path("preview/", editor_views.preview, name="preview"),
    path("facts/", editor_views.facts, name="facts"),
    path("drafts/", editor_views.create, name="create"),
    path("drafts/<int:draft_id>/", editor_views.edit, name="draft"),
    path("drafts/<int:draft_id>/save/", editor_views.save, name="save"),
    path("drafts/<int:draft_id>/discard/", editor_views.discard, name="discard"),
    path("drafts/<int:draft_id>/publish/", editor_views.publish, name="publish"),
    path("drafts/<int:draft_id>/back-test/", backtest_views.start, name="backtest_start"),
    path("back-tests/<int:backtest_id>/", backtest_views.detail, name="backtest"),
    path("back-tests/<int:backtest_id>/go-on/", backtest_views.go_on, name="backtest_go_on"),
    path("drafts/<int:draft_id>/approve/", approval_views.approve, name="approve"),
    path("approval/", approval_views.approval, name="approval"),
    path("health/", health_views.health, name="health"),
    path("log/", log_views.log, name="log"),
    path("log/<int:event_id>/", log_views.event, name="event"),
    path("export/", log_views.export, name="export"),
    path("import/", log_views.import_rules, name="import"),
    path("import/drafts/", log_views.import_drafts, name="import_drafts"),
    path("samples/<int:sample_id>/remove/", log_views.remove_sample, name="remove_sample"),
    path("<str:rule_id>/", views.detail, name="detail"),
    path("<str:rule_id>/edit/", editor_views.edit_rule, name="edit"),
    path("<str:rule_id>/switch/", views.switch, name="switch"),
    path("<str:rule_id>/versions/<int:version_id>/", views.version_detail, name="version"),
    path("<str:rule_id>/versions/<int:version_id>/roll-back/", views.roll_back, name="roll_back"),
]
