from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0012_job_verdicts'),
    ]

    operations = [
        migrations.AddField(
            model_name='case',
            name='problem_seen_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
