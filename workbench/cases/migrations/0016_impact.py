from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0015_retention_and_holds'),
    ]

    operations = [
        migrations.AddField(
            model_name='case',
            name='jobs_affected',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='minutes_late',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='records_delayed',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='records_lost',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
    ]
