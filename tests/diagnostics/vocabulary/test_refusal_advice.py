"""A refusal whose way and system are known comes with what that system's operators do."""

from __future__ import annotations

from diagnostics.language import CHINESE, Text
from diagnostics.vocabulary.outside_refusals import refusals
from diagnostics.vocabulary.refusal_advice import refusal_advice


def test_every_advice_is_of_a_known_refusal_and_system_in_both_languages() -> None:
    systems = {system for each in refusals() for system in each.of}
    ways = {each.how for each in refusals()}
    assert refusal_advice()
    for (how, system), advice in refusal_advice().items():
        assert (how in ways, system in systems) == (True, True), (how, system)
        assert isinstance(advice, Text), (how, system)
        assert advice.translations[CHINESE].strip(), (how, system)


def test_a_transaction_of_hudi_is_repaired_in_its_timeline_and_not_by_a_label() -> None:
    how = "a former transaction or commit of the job is open, or is no longer known to it"
    assert ".hoodie" in refusal_advice()[how, "Hudi"]
    assert "sink.label-prefix" in refusal_advice()[how, "Doris"]


def test_what_one_database_has_is_not_advised_for_another() -> None:
    advice = refusal_advice()
    of = {system: advice["it does not answer", system] for system in ("PostgreSQL", "Oracle", "SQL Server")}
    assert [system for system, text in of.items() if "pg_hba.conf" in text] == ["PostgreSQL"]


def test_a_service_that_its_provider_runs_is_not_to_be_brought_up_by_the_reader() -> None:
    general = {each.how: each.advice for each in refusals()}
    how = "it is overloaded or down"
    assert "Bring the system up again" in general[how]
    for system in ("Kinesis", "BigQuery", "a Google Cloud service", "Azure", "Aliyun OSS", "Google Cloud Storage"):
        assert "the provider runs this" in refusal_advice()[how, system], system
    assert (how, "MySQL") not in refusal_advice()
