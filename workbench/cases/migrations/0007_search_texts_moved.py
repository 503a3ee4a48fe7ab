from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Moves the long texts of cases into their own table."""
    case_model, text_model = apps.get_model("cases", "Case"), apps.get_model("cases", "SearchText")
    rows = case_model.objects.values_list("pk", "found_text", "search_text").iterator(chunk_size=100)
    text_model.objects.bulk_create(
        (text_model(case_id=number, found=found, text=text) for number, found, text in rows), batch_size=100
    )


class Migration(migrations.Migration):
    dependencies = [("cases", "0006_search_texts")]

    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
