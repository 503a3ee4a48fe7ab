from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("cases", "0013_problem_seen_at")]

    operations = [migrations.RenameField("searchtext", old_name="found", new_name="diagnosis")]
