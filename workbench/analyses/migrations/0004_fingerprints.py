"""Computes the fingerprints of earlier cases from the stored documents."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from diagnostics.diagnosis.fingerprint import fingerprint, traits


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    case_model, trait_model = apps.get_model("cases", "Case"), apps.get_model("cases", "CaseTrait")
    analyses = apps.get_model("analyses", "Analysis").objects.filter(status="done", snapshot=1)
    seen = set()
    for number, document in analyses.order_by("-pk").values_list("case", "document").iterator(chunk_size=20):
        if number in seen:
            continue
        seen.add(number)
        case_model.objects.filter(pk=number).update(fingerprint=fingerprint(document))
        trait_model.objects.bulk_create(
            trait_model(case_id=number, kind=trait.kind, value=trait.value) for trait in traits(document)
        )


class Migration(migrations.Migration):
    dependencies = [
        ("analyses", "0003_sampled_stacks"),
        ("cases", "0005_fingerprint_traits_and_merging"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
