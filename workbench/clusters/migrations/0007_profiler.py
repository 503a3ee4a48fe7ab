from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("clusters", "0006_log_stores")]

    operations = [
        migrations.AddField("collection", "profiler", models.CharField(blank=True, default="", max_length=10)),
        migrations.AddField("collection", "process", models.CharField(blank=True, default="", max_length=200)),
    ]
