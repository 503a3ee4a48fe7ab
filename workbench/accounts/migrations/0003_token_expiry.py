import datetime as dt

from django.db import migrations, models
from django.utils import timezone


def in_a_year() -> dt.datetime:
    """Expiry of tokens of earlier releases, which never expired."""
    return timezone.now() + dt.timedelta(days=365)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_zone_shown"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="expires_at",
            field=models.DateTimeField(default=in_a_year),
            preserve_default=False,
        ),
    ]
