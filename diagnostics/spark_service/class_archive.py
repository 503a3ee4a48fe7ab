"""The class archive that speeds up every start of the server, made by a training run."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable

from diagnostics.spark.java import ClassArchive
from diagnostics.spark.ports import free_port
from diagnostics.spark.server import ARCHIVE_SECONDS, LIGHTLY_COMPILED, TOKEN_VARIABLE, Server


def prepare(say: Callable[[str], None]) -> None:
    """Make the class archive by a training run, unless it exists already."""
    archive = ClassArchive()
    if archive.exists:
        say(f"class archive {archive.spark.name} exists")
        return
    archive.make_base()
    os.environ.setdefault(TOKEN_VARIABLE, str(uuid.uuid4()))
    # The second compiler would not pay off in a run that only loads classes.
    server = Server(free_port(), jvm_options=[*archive.record(), *LIGHTLY_COMPILED])
    try:
        server.wait_until_it_answers()
        try:
            from diagnostics.spark_service.warm_up import warm_up

            warm_up(server)
        except Exception as error:
            say(f"the training run ended early, the archive holds less: {error}")
    finally:
        server.stop(ARCHIVE_SECONDS)
    say(f"class archive {archive.spark} made" if archive.exists else "no class archive was made: starts stay slower")
