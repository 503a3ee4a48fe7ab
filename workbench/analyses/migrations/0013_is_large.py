from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analyses", "0012_problem_seen_at")]

    operations = [
        migrations.AddField(model_name="analysis", name="is_large", field=models.BooleanField(default=False)),
    ]
