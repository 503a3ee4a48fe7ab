from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_token_scope")]

    operations = [
        migrations.AddField("user", "language", models.CharField(blank=True, default="", max_length=10)),
    ]
