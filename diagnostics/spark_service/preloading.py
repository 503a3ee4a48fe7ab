"""What an analysis reads of the program's own files, for a process that forks others which analyse."""

from __future__ import annotations

from collections.abc import Callable

from diagnostics.diagnosis.looked_at import places
from diagnostics.diagnosis.missing import needs
from diagnostics.notation.log_event import alarming_events, harmless_events
from diagnostics.program_version import program_version
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark.client import load_client
from diagnostics.symptoms import symptoms
from diagnostics.vocabulary.alarming_readings import alarming_readings, asked_metrics
from diagnostics.vocabulary.class_owners import class_owners
from diagnostics.vocabulary.connectors import connectors
from diagnostics.vocabulary.contradicting_settings import contradictions, setting_traps
from diagnostics.vocabulary.copied_error import telling_messages
from diagnostics.vocabulary.expected_behaviour import expected_behaviour
from diagnostics.vocabulary.fault_origins import origin_titles
from diagnostics.vocabulary.fault_traits import fault_traits
from diagnostics.vocabulary.flink_api import flink_api
from diagnostics.vocabulary.followed_metrics import followed_metrics
from diagnostics.vocabulary.harmless_errors import harmless_errors
from diagnostics.vocabulary.held_records import holds
from diagnostics.vocabulary.known_bug import rare_texts, signatures
from diagnostics.vocabulary.known_frames import known_frames
from diagnostics.vocabulary.later_fix import products
from diagnostics.vocabulary.memory_beyond_model import memory_beyond_model
from diagnostics.vocabulary.message_remedies import searched_texts
from diagnostics.vocabulary.newest_releases import upgradables
from diagnostics.vocabulary.operators_at_limit import operators_at_limit
from diagnostics.vocabulary.outside_refusals import client_classes, telling_texts
from diagnostics.vocabulary.outside_systems import outside_systems
from diagnostics.vocabulary.required_options import required_options
from diagnostics.vocabulary.resource_states import resource_states
from diagnostics.vocabulary.setting_faults import setting_faults
from diagnostics.vocabulary.settings import setting_catalogue
from diagnostics.vocabulary.silent_operators import silent_operators
from diagnostics.vocabulary.sources import bound_reasons, sources
from diagnostics.vocabulary.statement_traps import statement_traps
from diagnostics.wording.option_names import option_search

CATALOGUES: tuple[Callable[[], object], ...] = (
    program_version,
    shipped_rules,
    symptoms,
    places,
    needs,
    alarming_events,
    harmless_events,
    harmless_errors,
    rare_texts,
    signatures,
    searched_texts,
    class_owners,
    flink_api,
    connectors,
    outside_systems,
    telling_messages,
    expected_behaviour,
    origin_titles,
    fault_traits,
    known_frames,
    followed_metrics,
    products,
    client_classes,
    telling_texts,
    required_options,
    setting_faults,
    contradictions,
    setting_traps,
    resource_states,
    holds,
    memory_beyond_model,
    silent_operators,
    alarming_readings,
    asked_metrics,
    statement_traps,
    upgradables,
    operators_at_limit,
    option_search,
    setting_catalogue,
    bound_reasons,
    sources,
)
"""What the program keeps of its own files once it has been asked for the first time."""


def analysis_preload() -> None:
    """Imports the client of Spark and reads the catalogues.

    It takes 1.7 s of processor time, which each forked process would spend with its first analysis.
    """
    load_client()
    for read in CATALOGUES:
        read()
