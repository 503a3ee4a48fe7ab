from __future__ import annotations

from django.urls import path

from workbench.runbooks import (
    article_views,
    compare_views,
    proof_views,
    reproduction_views,
    views,
    walk_through_views,
    what_if_views,
)

app_name = "runbooks"

urlpatterns = [
    path("reproduce/<int:analysis_id>/<int:position>/", reproduction_views.script, name="reproduce"),
    path("articles/", article_views.articles, name="articles"),
    path("articles/<int:article_id>/", article_views.article, name="article"),
    path("articles/<int:article_id>/remove/", article_views.remove, name="article_remove"),
    path("how-it-works/", walk_through_views.overview, name="walk_throughs"),
    path("how-it-works/<slug:walk_id>/", walk_through_views.detail, name="walk_through"),
    path("what-if/<int:analysis_id>/<int:position>/", what_if_views.overview, name="what_if"),
    path("what-if/<int:analysis_id>/<int:position>/<slug:calculator_id>/", what_if_views.calculator, name="calculator"),
    path("compare/", compare_views.compare, name="compare"),
    path("proof/<int:before_id>/<int:after_id>/", proof_views.proof, name="proof"),
    path("<int:analysis_id>/<int:position>/", views.detail, name="detail"),
    path("<int:analysis_id>/<int:position>/steps/<slug:step_id>/", views.step, name="step"),
]
