from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("cases", "0007_search_texts_moved")]

    operations = [
        migrations.RemoveField(model_name="case", name="found_text"),
        migrations.RemoveField(model_name="case", name="search_text"),
    ]
