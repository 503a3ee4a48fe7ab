"""Circles in a graph of imports."""

from __future__ import annotations

from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """The circles of a graph of who imports whom, one after the other: each is broken before the next is looked for.

    Gives   each circle as the names along it, the first again at its end; empty when there is none.
    """
    remaining = {node: set(targets) for node, targets in graph.items()}
    found: list[list[str]] = []
    while True:
        try:
            TopologicalSorter(remaining).prepare()
        except CycleError as error:
            # graphlib names the circle from the imported to the importing module.
            circle: list[str] = list(reversed(error.args[1]))
            found.append(circle)
            remaining[circle[0]].discard(circle[1])
        else:
            return found
