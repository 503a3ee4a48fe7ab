from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_language"),
        ("runbooks", "0003_verification"),
    ]

    operations = [
        migrations.CreateModel(
            name="Article",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("runbook", models.CharField(max_length=80)),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("url", models.CharField(blank=True, max_length=500)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="articles", to="accounts.team"
                    ),
                ),
            ],
            options={"ordering": ["runbook", "title", "pk"]},
        ),
    ]
