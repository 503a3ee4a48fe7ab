"""Logs and settings of databases and of Kafka beyond their samples: real files, odd zones, values that are dropped."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.sql_statement import without_values
from tests.diagnostics.formats.reading_aids import head_of, read, read_path

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_a_real_postgresql_shows_each_of_its_slow_queries() -> None:
    """The database function takes 30 ms (the corpus' README); queries counted with `grep -c duration:`."""
    path = CORPUS / "slow_dimension_join-a" / "logs" / "postgresql-15-main.log"
    found = read_path(FORMATS["postgresql-log"], path, "postgresql.log")
    queries = found.rows["slow_query"]
    assert len(queries) == path.read_text().count("LOG:  duration:")
    assert (found.coverage[0].not_understood, {row["kind"] for row in queries}) == (0, {"SELECT"})
    assert {row["statement"] for row in queries} == {"SELECT region, tier FROM customer_dim($1)"}
    assert 30 < median(row["duration_ms"] for row in queries) < 40


def test_a_zone_by_name_is_taken_as_utc_and_said_and_an_offset_counts(tmp_path: Path) -> None:
    line = "2026-11-21 01:00:00.000 {zone} [7] LOG:  duration: 5.000 ms  statement: select 1\n"
    text = line.format(zone="UTC") + line.format(zone="CET") + line.format(zone="+01")
    found = read(FORMATS["postgresql-log"], text, tmp_path)
    assert [row["ts_ms"] for row in found.rows["slow_query"]] == [1795222800000, 1795222800000, 1795219200000]
    assert found.warnings == ["times in CET are taken as UTC: that name has no offset here"]


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("select * from t where a = 'O''Neil' and b=-7.5e3", "select * from t where a = ? and b=?"),
        ("select /* who: bob@x */ c1 from t2 -- bob\nwhere d in ('a', 'b',3)", "select c1 from t2 where d in (?)"),
        ("insert into t values (1,'a'), (2,'b');", "insert into t values (?)"),
        ("select 'never ends", "select ?"),
        ("select $1", "select $1"),
    ],
)
def test_no_value_of_a_statement_is_kept(statement: str, kept: str) -> None:
    assert without_values(statement) == kept


def test_a_clients_or_flinks_settings_are_not_a_brokers() -> None:
    client = "bootstrap.servers=kafka:9092\nacks=all\ntransaction.timeout.ms=900000\nenable.idempotence=true\n"
    assert recognise(head_of(client, "producer.properties")).format_id is None


@pytest.mark.parametrize("text", ["'" * 20_000, "(?," * 9_000, "/*" * 9_000, "-" * 9_000, "1." * 9_000])
def test_hostile_statements_take_no_time(text: str) -> None:
    assert len(without_values(text)) <= 500
