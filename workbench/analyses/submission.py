"""Stores files and queues their analysis in one step, for the API and the demo cases."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, TypeAlias

from django.core.files.uploadedfile import UploadedFile as ReceivedFile

from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.analyses.services import NothingToAnalyse, analysis_request
from workbench.cases.models import Case
from workbench.cases.own_texts import DEMOS, SEVERAL_FILES
from workbench.cases.services import case_open, snapshot_start
from workbench.languages.sentences import say
from workbench.uploads.arrivals import upload_take
from workbench.uploads.models import UploadedFile
from workbench.uploads.refusals import AlreadyInCase
from workbench.uploads.services import RequestTime, case_discard

DEMO_FOLDER = Path(__file__).resolve().parent / "demo"
"""The incidents that ship with the project, one archive each."""

NamedFile: TypeAlias = "tuple[str, ReceivedFile[bytes] | IO[bytes]]"


def case_submit(*, user: User, title: str, files: Sequence[NamedFile]) -> Case:
    """A new case with these (name, content) files and a queued analysis; duplicate content is stored once.

    All or nothing, but not in one transaction, because hashing gigabytes would block every other writer.
    Raises UploadRefused, NothingToAnalyse, ValidationError.
    """
    if not files:
        raise NothingToAnalyse(say("At least one file is needed."))
    case = case_open(user=user, title=title or _title_from([name for name, _ in files]))
    try:
        files_submit(case=case, user=user, files=files)
    except Exception:
        case_discard(case=case)
        raise
    return case


def files_submit(
    *,
    case: Case,
    user: User,
    files: Sequence[NamedFile],
    change: str | None = None,
    begins_at: datetime | None = None,
) -> Analysis:
    """Adds files to the newest snapshot of a case and queues its analysis; files that it has already are skipped.

    change     what was changed before these files were collected: starts a new snapshot
    begins_at  when the change took effect; None for unknown
    Raises UploadRefused, NothingToAnalyse, ValidationError. Files added before a refused one are kept.
    """
    if not files:
        raise NothingToAnalyse(say("At least one file is needed."))
    if change is not None:
        snapshot_start(case=case, user=user, change=change, begins_at=begins_at)
    remaining = RequestTime()
    for name, content in files:
        with contextlib.suppress(AlreadyInCase):
            upload_take(case=case, user=user, content=content, name=name, remaining=remaining)
    return analysis_request(case=case, user=user)


def demo_cases_load(*, user: User) -> list[Case]:
    """Opens a case for each demo incident that no case of the user's teams contains yet."""
    opened = []
    for archive in sorted(DEMO_FOLDER.glob("*.zip")):
        with open(archive, "rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
            if UploadedFile.objects.visible_to(user).filter(sha256=sha256).exists():
                continue
            content.seek(0)
            opened.append(case_submit(user=user, title=DEMOS[archive.stem], files=[(archive.name, content)]))
    return opened


def _title_from(names: Sequence[str]) -> str:
    first = names[0].replace("\\", "/").rpartition("/")[2]
    return first if len(names) == 1 else SEVERAL_FILES.format(first=first, count=len(names) - 1)
