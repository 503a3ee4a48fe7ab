from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0017_service_levels"),
    ]

    operations = [
        migrations.AddField(
            model_name="followup",
            name="every_days",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="case",
            name="required_guarantee",
            field=models.CharField(
                blank=True,
                choices=[
                    ("at most once", "at most once"),
                    ("at least once", "at least once"),
                    ("exactly once", "exactly once"),
                ],
                max_length=20,
            ),
        ),
    ]
