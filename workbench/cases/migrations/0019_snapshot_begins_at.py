from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0018_rechecks_and_required_guarantee'),
    ]

    operations = [
        migrations.AddField(
            model_name='snapshot',
            name='begins_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
