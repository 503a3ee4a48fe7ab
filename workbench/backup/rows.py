"""Rows of tables as lines of JSON, restored through the models of the time they were written."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.recorder import MigrationRecorder

ROWS_AT_ONCE = 50
"""A row of an analysis may hold some MB. Our choice."""
LEFT_OUT = frozenset(
    {
        "sessions.Session",  # sessions: people sign in again
        "axes.AccessAttempt",
        "axes.AccessAttemptExpiration",
        "axes.AccessFailureLog",
        "axes.AccessLog",
        "analyses.RenderedDiagnosis",  # rendered again when it is read
        "uploads.Arrival",  # incomplete uploads: their bytes are not in a backup
    }
)
"""Tables left out of a backup, by label."""

Migration = tuple[str, str]


def migrations_applied() -> list[Migration]:
    """Migrations applied to the database, sorted."""
    return sorted(MigrationRecorder(connection).applied_migrations())


def migrations_unknown(applied: Iterable[Migration]) -> list[Migration]:
    """Migrations that this version does not have: it is older than the database."""
    known = MigrationExecutor(connection).loader.graph.nodes
    return sorted(each for each in applied if each not in known)


def migrations_pending() -> list[Migration]:
    """Migrations that this version would apply."""
    executor = MigrationExecutor(connection)
    return [(each.app_label, each.name) for each, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def models_kept(apps: Apps) -> list[type[models.Model]]:
    """The models whose rows are kept, including many-to-many tables, by label."""
    found = apps.get_models(include_auto_created=True)
    kept = (model for model in found if model._meta.managed and not model._meta.proxy)
    return sorted((model for model in kept if model._meta.label not in LEFT_OUT), key=lambda model: model._meta.label)


def rows_written(model: type[models.Model]) -> Iterator[bytes]:
    """The rows of a table, one per line, in the order of their keys."""
    names = [field.attname for field in model._meta.concrete_fields]
    rows = model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=ROWS_AT_ONCE)
    for row in rows:
        values = dict(zip(names, map(_plain, row), strict=True))
        yield json.dumps(values, separators=(",", ":")).encode() + b"\n"


def models_at(applied: Iterable[Migration]) -> Apps:
    """The models as of some migrations: those of this version may name columns that do not exist yet."""
    loader = MigrationExecutor(connection).loader
    return loader.project_state(_last_of(loader.graph, applied)).apps


def database_prepare(applied: Iterable[Migration]) -> Apps:
    """Migrates an empty database to the state of the rows; gives the models of that time."""
    executor = MigrationExecutor(connection)
    executor.migrate(_last_of(executor.loader.graph, applied))
    return models_at(applied)


def _last_of(graph: MigrationGraph, applied: Iterable[Migration]) -> list[Migration]:
    """Those on which no other one depends."""
    known = set(applied) & graph.nodes.keys()
    return sorted(node for node in known if not any(child.key in known for child in graph.node_map[node].children))


def rows_delete(apps: Apps) -> None:
    """Empties all tables: some migrations write rows, which the restored ones replace."""
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608 our tables


def rows_read(model: type[models.Model], lines: Iterable[bytes]) -> int:
    """Stores the rows of a table unchanged. Gives their number."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    for field in fields.values():
        # Timestamps must keep their original values.
        field.auto_now = field.auto_now_add = False  # type: ignore[attr-defined]
    count = 0
    remaining = iter(lines)
    while rows := [json.loads(line) for line in islice(remaining, ROWS_AT_ONCE)]:
        model._base_manager.bulk_create(
            model(**{name: fields[name].to_python(value) for name, value in row.items()}) for row in rows
        )
        count += len(rows)
    return count


def sequences_reset(apps: Apps) -> None:
    """Sets sequences after the stored keys."""
    kept = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kept):
            cursor.execute(statement)


def _plain(value: Any) -> Any:
    """A value of a column as JSON; `to_python` of its field reads it back."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    return value
