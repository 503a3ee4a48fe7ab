import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cases', '0019_snapshot_begins_at'),
        ('uploads', '0008_event_fields'),
    ]

    operations = [
        migrations.CreateModel(
            name='AwaitedFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('snapshot', models.PositiveIntegerField()),
                ('name', models.CharField(max_length=1000)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='awaited', to='cases.case')),
            ],
        ),
    ]
