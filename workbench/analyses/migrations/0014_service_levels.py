"""Fills what earlier incidents measured for objectives from their stored signals."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from workbench.cases.service_levels import service_levels


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    cases = apps.get_model("cases", "Case").objects
    done = apps.get_model("analyses", "Analysis").objects.filter(status="done", snapshot=1).order_by("-pk")
    seen = set()
    for number, document, signals in done.values_list("case", "document", "signals").iterator(chunk_size=20):
        if number not in seen:
            seen.add(number)
            cases.filter(pk=number).update(service_levels=service_levels(document, signals or ()))


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0013_is_large"),
        ("cases", "0017_service_levels"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
