"""Computes the time of the problem of earlier cases from the stored documents."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from diagnostics.diagnosis.problem_time import problem_seen_at


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    cases = apps.get_model("cases", "Case").objects
    incidents = apps.get_model("analyses", "Analysis").objects.filter(status="done", snapshot=1).order_by("-pk")
    seen = set()
    for number, document in incidents.values_list("case", "document").iterator(chunk_size=20):
        if number not in seen:
            seen.add(number)
            cases.filter(pk=number).update(problem_seen_at=problem_seen_at(document))


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0011_job_verdicts"),
        ("cases", "0013_problem_seen_at"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
