import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def drafts_of_versions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What was a version in the state of a draft becomes a draft; a rule that had nothing else goes with it."""
    version_model = apps.get_model("rules", "RuleVersion")
    draft_model = apps.get_model("rules", "Draft")
    for version in version_model.objects.filter(state="draft").select_related("rule"):
        others = version_model.objects.filter(rule=version.rule).exclude(state="draft")
        base = others.order_by("-pk").first()
        draft_model.objects.create(
            rule=version.rule if base else None, base=base, text=version.text, author_id=version.author_id
        )
    emptied = set(version_model.objects.filter(state="draft").values_list("rule_id", flat=True))
    version_model.objects.filter(state="draft").delete()
    apps.get_model("rules", "Rule").objects.filter(pk__in=emptied, versions__isnull=True).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0002_rule_pages"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='ruleevent',
            name='draft_number',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='ruleversion',
            name='state',
            field=models.CharField(choices=[('published', 'Published'), ('retired', 'Retired')], max_length=10),
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('fires_sample', models.TextField(blank=True)),
                ('silent_sample', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('saved_at', models.DateTimeField(auto_now=True)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rule_drafts', to=settings.AUTH_USER_MODEL)),
                ('base', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rules.ruleversion')),
                ('rule', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='rules.rule')),
            ],
            options={
                'ordering': ['-saved_at', '-pk'],
            },
        ),
        migrations.RunPython(drafts_of_versions, migrations.RunPython.noop),
    ]
