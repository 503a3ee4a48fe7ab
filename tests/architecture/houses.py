"""The layers of both packages: an import goes to a lower layer, never up and never to a neighbour in the same one."""

from __future__ import annotations

from dataclasses import dataclass

Floors = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class House:
    """A top-level package.

    name    the package
    loose   the modules that lie in no room
    floors  its rooms and loose modules, from the ground to the roof
    """

    name: str
    loose: tuple[str, ...]
    floors: Floors


DIAGNOSTICS = House(
    name="diagnostics",
    loose=(
        "analyze",
        "citation",
        "collect_flink",
        "errors",
        "language",
        "measuring",
        "program_version",
        "rare_collection",
        "registry",
        "yaml_document",
    ),
    floors=(
        ("citation", "errors", "language", "program_version", "rare_collection", "registry"),
        ("yaml_document", "evidence", "spark", "walk_throughs"),
        ("charting", "reproduction", "storage", "symptoms"),
        ("notation",),
        ("arithmetic", "log_scan", "vocabulary"),
        ("aggregators", "formats", "wording"),
        ("intake", "prevention", "reconstruction"),
        ("charts", "profiles", "reading", "redaction", "signals"),
        ("log_book", "measuring", "rules"),
        ("diagnosis",),
        ("analyze", "calculators", "runbook"),
        ("proof", "spark_service"),
    ),
)
"""Loose are the pipeline and its step from evidence to signals, the collector that is downloaded, and what everybody
may name. `collect_flink` is on no floor: it is one file that runs without this library.
"""

WORKBENCH = House(
    name="workbench",
    loose=("celery", "settings", "urls", "wsgi"),
    floors=(
        ("languages",),
        ("machine", "untrusted"),
        ("accounts", "layouts", "tallies", "celery"),
        ("audit", "cases", "limits", "redaction", "launch", "settings", "wsgi"),
        ("uploads", "rules", "backup"),
        ("analyses", "middleware"),
        ("clusters", "history", "logs", "profiles", "runbooks", "space"),
        ("alerts", "channels", "charts", "prevention", "sign_in"),
        ("reports", "watching"),
        ("worker",),
        ("drills",),
        ("api", "case_pages", "rule_pages"),
        ("urls",),
    ),
)
"""Loose are the modules that Django and Celery look for."""

HOUSES = (DIAGNOSTICS, WORKBENCH)

FOLDERS_OF_RECONSTRUCTION: Floors = (
    ("metrics",),
    ("events", "job"),
    ("gc", "stacks"),
    ("failures", "load"),
    ("checkpoints",),
    ("configuration", "errors"),
    ("bugs",),
)
"""Its folders from the ground to the roof: what a job consists of may be derived from its metrics, why a checkpoint
failed from failures; which jobs have a configuration is known from all of them, and
which release has a bug from the configuration."""
