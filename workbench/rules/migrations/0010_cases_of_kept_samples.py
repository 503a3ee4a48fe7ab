import re

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMED = re.compile(r"Case (\d{1,18}) was closed")


def link_cases(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The number of the case moves from the reason, which every rule editor reads, to a link for the case's readers."""
    cases = set(apps.get_model("cases", "Case").objects.values_list("pk", flat=True))
    for event in apps.get_model("rules", "RuleEvent").objects.filter(kind="sample_kept"):
        named = NAMED.fullmatch(event.reason)
        if named:
            event.case_id = int(named[1]) if int(named[1]) in cases else None
            event.reason = "A case was closed"
            event.save(update_fields=["case", "reason"])


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0009_ruleevent_case"),
    ]

    operations = [migrations.RunPython(link_cases, migrations.RunPython.noop)]
