from __future__ import annotations

from django.urls import path

from workbench.case_pages import evidence_views, follow_up_views, job_views, list_views, snapshot_views, views

app_name = "cases"

urlpatterns = [
    path("", list_views.case_list, name="list"),
    path("cases/bulk/", list_views.bulk, name="bulk"),
    path("cases/undo/", list_views.undo, name="undo"),
    path("cases/views/", list_views.view_save, name="view_save"),
    path("cases/views/<int:view_id>/forget/", list_views.view_forget, name="view_forget"),
    path("cases/new/", evidence_views.case_new, name="new"),
    path("cases/demo/", evidence_views.demo, name="demo"),
    path("cases/job/", job_views.job, name="job"),
    path("cases/<int:case_id>/", views.case_detail, name="detail"),
    path("cases/<int:case_id>/files/", evidence_views.case_files, name="files"),
    path("cases/<int:case_id>/paste/", evidence_views.paste, name="paste"),
    path("cases/<int:case_id>/analyse/", evidence_views.analyse, name="analyse"),
    path("cases/<int:case_id>/snapshots/", snapshot_views.start, name="snapshot"),
    path("cases/<int:case_id>/snapshots/begin/", snapshot_views.begin, name="snapshot_begin"),
    path("cases/<int:case_id>/title/", views.rename, name="rename"),
    path("cases/<int:case_id>/status/", views.status, name="status"),
    path("cases/<int:case_id>/impact/", views.impact, name="impact"),
    path("cases/<int:case_id>/owner/", views.owner, name="owner"),
    path("cases/<int:case_id>/watch/", views.watch, name="watch"),
    path("cases/<int:case_id>/close/", views.close, name="close"),
    path("cases/<int:case_id>/reopen/", views.reopen, name="reopen"),
    path("cases/<int:case_id>/notes/", views.note, name="note"),
    path("cases/<int:case_id>/actions/", follow_up_views.add, name="follow_up_add"),
    path("cases/<int:case_id>/actions/<int:follow_up_id>/", follow_up_views.tick, name="follow_up_tick"),
]
