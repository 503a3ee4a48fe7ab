"""`python -m diagnostics.spark_service serve --port N`, `... cluster --port N` and `... prepare`."""

from __future__ import annotations

import argparse
import sys

from diagnostics.errors import DiagnosticsError
from diagnostics.spark_service.class_archive import prepare
from diagnostics.spark_service.cluster import WORKERS, serve_on_a_cluster
from diagnostics.spark_service.serving import serve


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def main() -> int:
    """The command line; exit status 0, or 1 with one clear line."""
    parser = argparse.ArgumentParser(prog="python -m diagnostics.spark_service")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="run the Spark Connect server until a signal comes")
    serving.add_argument("--port", type=int, default=15002)
    serving.add_argument("--cold", action="store_true", help="no warm-up after a restart of Spark")
    clustering = commands.add_parser("cluster", help="run a master, workers and a Connect server on this machine")
    clustering.add_argument("--port", type=int, default=15002)
    clustering.add_argument("--workers", type=int, default=WORKERS)
    commands.add_parser("prepare", help="make the class archive that speeds up every start")
    arguments = parser.parse_args()
    try:
        if arguments.command == "prepare":
            prepare(_say)
            return 0
        if arguments.command == "cluster":
            return serve_on_a_cluster(arguments.port, arguments.workers, _say)
        return serve(arguments.port, _say, cold=arguments.cold)
    except DiagnosticsError as error:
        _say(str(error))
        return 1


sys.exit(main())
