import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0006_rulesets_of_bundles"),
    ]

    operations = [
        migrations.CreateModel(
            name="BundledRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rule_id", models.CharField(max_length=80)),
                ("text", models.TextField()),
                (
                    "ruleset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bundled_rules", to="rules.ruleset"
                    ),
                ),
            ],
            options={
                "ordering": ["rule_id"],
                "constraints": [
                    models.UniqueConstraint(fields=("ruleset", "rule_id"), name="one_bundled_rule_for_each_id")
                ],
            },
        ),
        migrations.AlterField(
            model_name="ruleversion",
            name="origin",
            field=models.CharField(choices=[("shipped", "Shipped"), ("local", "Written here")], max_length=10),
        ),
    ]
