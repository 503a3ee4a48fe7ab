"""Computes the verdict of each job of earlier cases from the stored documents."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from workbench.cases.job_verdicts import job_verdicts


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    cases = apps.get_model("cases", "Case").objects
    done = apps.get_model("analyses", "Analysis").objects.filter(status="done").order_by("-snapshot", "-pk")
    seen = set()
    for number, document in done.values_list("case", "document").iterator(chunk_size=20):
        if number not in seen:
            seen.add(number)
            cases.filter(pk=number).update(job_verdicts=job_verdicts(document))


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0010_turn"),
        ("cases", "0012_job_verdicts"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
