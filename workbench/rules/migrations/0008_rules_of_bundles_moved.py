from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

BUNDLE, LOCAL, RETIRED = "bundle", "local", "retired"


def move_rules_of_bundles(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rules that came with a case leave the list of rules. One that somebody made count or edited is a rule written here."""
    version_model, rule_model = apps.get_model("rules", "RuleVersion"), apps.get_model("rules", "Rule")
    bundled_model = apps.get_model("rules", "BundledRule")
    used = {
        *apps.get_model("rules", "Draft").objects.exclude(base=None).values_list("base", flat=True),
        *apps.get_model("rules", "RuleEvent").objects.exclude(version=None).values_list("version", flat=True),
    }
    of_bundles = version_model.objects.filter(origin=BUNDLE)
    of_bundles.filter(Q(pk__in=used) | ~Q(state=RETIRED)).update(origin=LOCAL)
    rules = set(of_bundles.values_list("rule", flat=True))
    for version in of_bundles.select_related("rule").iterator():
        for ruleset in version.rulesets.all():
            bundled_model.objects.get_or_create(
                ruleset=ruleset, rule_id=version.rule.rule_id, defaults={"text": version.text}
            )
        version.rulesets.clear()
    of_bundles.delete()
    rule_model.objects.filter(pk__in=rules, versions=None, drafts=None).delete()
    switched = apps.get_model("rules", "RuleEvent").objects.filter(kind="switched_off").values("rule_id")
    shipped = rule_model.objects.filter(pk__in=rules, enabled=False, versions__origin="shipped")
    shipped.exclude(rule_id__in=switched).update(enabled=True)


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0007_bundled_rules"),
    ]

    operations = [migrations.RunPython(move_rules_of_bundles, migrations.RunPython.noop)]
