"""The graph of a step of a walk-through as boxes and lines with their places in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.walk_throughs.walk_through import Node

BOX_WIDTH, BOX_HEIGHT = 172, 58
COLUMN, ROW = 206, 80
MARGIN = 4
"""Pixels of a box, from box to box, and around all of them."""


@dataclass(frozen=True, slots=True)
class Box:
    """A task with the upper left corner of its box."""

    node: Node
    x: int
    y: int

    @property
    def text_x(self) -> int:
        return self.x + 12

    @property
    def name_y(self) -> int:
        return self.y + 24

    @property
    def state_y(self) -> int:
        return self.y + 44


@dataclass(frozen=True, slots=True)
class Drawing:
    """All boxes, the lines between them as paths of SVG, and the size of the whole."""

    boxes: Sequence[Box]
    edges: Sequence[str]
    width: int
    height: int
    box_width: int = BOX_WIDTH
    box_height: int = BOX_HEIGHT


def drawing_of(nodes: Sequence[Node]) -> Drawing:
    """The drawing of a graph, sources on the left."""
    boxes = [Box(node, MARGIN + node.column * COLUMN, MARGIN + node.row * ROW) for node in nodes]
    edges = [_edge(parent, (node.column, node.row)) for node in nodes for parent in node.parents]
    width = max(node.column for node in nodes) * COLUMN + BOX_WIDTH + 2 * MARGIN
    height = max(node.row for node in nodes) * ROW + BOX_HEIGHT + 2 * MARGIN
    return Drawing(boxes, edges, width, height)


def _edge(parent: tuple[int, int], child: tuple[int, int]) -> str:
    begin_x, begin_y = MARGIN + parent[0] * COLUMN + BOX_WIDTH, MARGIN + parent[1] * ROW + BOX_HEIGHT // 2
    end_x, end_y = MARGIN + child[0] * COLUMN, MARGIN + child[1] * ROW + BOX_HEIGHT // 2
    middle = (begin_x + end_x) // 2
    return f"M {begin_x} {begin_y} C {middle} {begin_y}, {middle} {end_y}, {end_x} {end_y}"
