from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0016_impact"),
    ]

    operations = [
        migrations.AddField(
            model_name="case",
            name="service_levels",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
