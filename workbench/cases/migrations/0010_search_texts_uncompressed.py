from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def store_uncompressed(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Stores texts uncompressed: a search reads every text, and decompression takes PostgreSQL longer than comparing.
    Existing texts stay compressed.
    """
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE cases_searchtext ALTER COLUMN text SET STORAGE EXTERNAL")


def store_compressed(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE cases_searchtext ALTER COLUMN text SET STORAGE EXTENDED")


class Migration(migrations.Migration):
    dependencies = [("cases", "0009_follow_ups")]

    operations = [migrations.RunPython(store_uncompressed, store_compressed)]
