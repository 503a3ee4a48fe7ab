import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analyses', '0013_is_large'),
        ('runbooks', '0002_answers_and_approvals'),
    ]

    operations = [
        migrations.CreateModel(
            name='Verification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judgement', models.CharField(max_length=20)),
                ('headline', models.TextField()),
                ('after', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='verification', to='analyses.analysis')),
                ('before', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='analyses.analysis')),
            ],
        ),
    ]
