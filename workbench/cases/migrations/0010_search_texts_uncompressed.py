from django.db import migrations


def store_uncompressed(apps, schema_editor):
    """A search reads every text: unpacking them takes PostgreSQL longer than comparing. Texts written before stay packed."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE cases_searchtext ALTER COLUMN text SET STORAGE EXTERNAL")


def store_compressed(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE cases_searchtext ALTER COLUMN text SET STORAGE EXTENDED")


class Migration(migrations.Migration):
    dependencies = [("cases", "0009_follow_ups")]

    operations = [migrations.RunPython(store_uncompressed, store_compressed)]
