"""The call tree of selected samples, limited to what a screen can show, optionally compared with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.notation.control_characters import show_controls
from diagnostics.profiles.stored import Leaf, Sampling, StoredProfiles

MOST_NODES = 20_000
"""Frames in one answer. Our choice: 1,440 pixels in 14 rows; lighter ones are less than a pixel wide."""
MOST_BYTES = 900_000
"""Bytes of one answer, so that it stays under 1 MB."""
BYTES_OF_NODE = 34
"""Approximate size of one node's numbers."""

Chosen = Callable[[Sampling, Leaf], bool]


@dataclass(slots=True)
class CallTree:
    """Frames with the samples in and below them; parents come before children.

    weight    samples of the frame and its callees; in a comparison those of the selected profile
    own       samples of the frame itself
    waiting   those of `weight` that did not use the CPU
    base      `weight` in the profile for comparison, scaled to this one's total; None without comparison
    """

    names: list[str]
    parent: list[int]
    name: list[int]
    weight: list[float]
    own: list[float]
    waiting: list[float]
    base: list[float] | None = None
    totals: dict[str, float] = field(default_factory=dict)


def call_tree(profiles: StoredProfiles, chosen: Chosen) -> CallTree:
    """The tree of the samples for which `chosen` holds; node numbers are those of the stored profiles."""
    count = len(profiles.parent)
    weight, own, waiting = [0.0] * count, [0.0] * count, [0.0] * count
    total = 0.0
    for leaf in profiles.leaves:
        if not chosen(profiles.samplings[leaf.sampling], leaf):
            continue
        total += leaf.weight
        own[leaf.node] += leaf.weight
        weight[leaf.node] += leaf.weight
        if not leaf.on_cpu:
            waiting[leaf.node] += leaf.weight
    parent = profiles.parent
    for node in range(count - 1, -1, -1):
        above = parent[node]
        if above >= 0 and weight[node]:
            weight[above] += weight[node]
            waiting[above] += waiting[node]
    tree = CallTree(list(profiles.names), list(parent), list(profiles.name), weight, own, waiting)
    tree.totals["weight"] = total
    return tree


def compared(tree: CallTree, base: CallTree) -> CallTree:
    """`tree` with the weights of `base` beside its own, scaled to the same number of samples.

    Frames are equal when they have the same name below the same frames.
    """
    names = {each: place for place, each in enumerate(tree.names)}
    joined = CallTree(
        list(tree.names), list(tree.parent), list(tree.name), list(tree.weight), list(tree.own), list(tree.waiting)
    )
    places = {(above, name): node for node, (above, name) in enumerate(zip(tree.parent, tree.name, strict=True))}
    scale = tree.totals["weight"] / base.totals["weight"] if base.totals["weight"] else 0.0
    weights = [0.0] * len(tree.parent)
    base_nodes: list[int] = []
    for node, above in enumerate(base.parent):
        if not base.weight[node]:
            base_nodes.append(-1)
            continue
        frame = base.names[base.name[node]]
        if frame not in names:
            names[frame] = len(joined.names)
            joined.names.append(frame)
        step = (-1 if above < 0 else base_nodes[above], names[frame])
        place = places.get(step)
        if place is None:
            place = places[step] = len(joined.parent)
            for column, value in ((joined.parent, step[0]), (joined.name, step[1])):
                column.append(value)
            for numbers in (joined.weight, joined.own, joined.waiting, weights):
                numbers.append(0.0)
        base_nodes.append(place)
        weights[place] += base.weight[node] * scale
    joined.base = weights
    joined.totals = {**tree.totals, "base": base.totals["weight"]}
    return joined


def shown(tree: CallTree, root: int | None = None) -> dict[str, Any]:
    """The heaviest frames as JSON values, at most MOST_NODES of them and MOST_BYTES.

    root   restricts to this node's callees and ancestors
    Gives  {names, id, parent, name, weight, own, waiting, base, cut, totals, left_out, functions}: `parent` is a place
           in these lists, `id` the node's number, `cut` of each frame the weight of frames below it that were left out,
           and `functions` for each name [own, weight, base] in the whole tree; None when nothing was left out.
    """
    order = _order(tree, None if root is None else _line_of(tree, root))
    place_of: dict[int, int] = {}
    names: dict[int, int] = {}
    used = 0
    for node in order:
        if tree.name[node] not in names:
            used += len(tree.names[tree.name[node]].encode()) + 4
        used += BYTES_OF_NODE + (8 if tree.base else 0)
        if used > MOST_BYTES or len(place_of) == MOST_NODES:
            break
        names.setdefault(tree.name[node], len(names))
        place_of[node] = len(place_of)
    kept = list(place_of)
    columns = {"weight": tree.weight, "own": tree.own, "waiting": tree.waiting} | (
        {"base": tree.base} if tree.base else {}
    )
    parent = [place_of[tree.parent[node]] if tree.parent[node] >= 0 else -1 for node in kept]
    cut = [tree.weight[node] - tree.own[node] for node in kept]
    for place, above in enumerate(parent):
        if above >= 0:
            cut[above] -= tree.weight[kept[place]]
    return {
        "names": [tree.names[name] for name in names],
        "id": kept,
        "parent": parent,
        "name": [names[tree.name[node]] for node in kept],
        **{column: [_plain(values[node]) for node in kept] for column, values in columns.items()},
        "cut": [_plain(max(value, 0.0)) if value > tree.totals["weight"] * 1e-9 else 0 for value in cut],
        "totals": tree.totals,
        "left_out": len(order) - len(kept),
        "functions": _functions(tree, list(names)) if len(order) > len(kept) else None,
    }


def _functions(tree: CallTree, names: Sequence[int]) -> list[list[float | int]]:
    """[own, weight, base] of each function over all its calls; a recursion counts once."""
    children: list[list[int]] = [[] for _ in tree.parent]
    roots: list[int] = []
    for node, above in enumerate(tree.parent):
        (children[above] if above >= 0 else roots).append(node)
    own, weight, base = ([0.0] * len(tree.names) for _ in range(3))
    callers = [0] * len(tree.names)
    # A node is visited twice: going down, and, as its complement, going up again.
    walk = roots
    while walk:
        node = walk.pop()
        if node < 0:
            callers[tree.name[~node]] -= 1
            continue
        name = tree.name[node]
        own[name] += tree.own[node]
        if not callers[name]:
            weight[name] += tree.weight[node]
            base[name] += tree.base[node] if tree.base else 0.0
        callers[name] += 1
        walk.append(~node)
        walk += children[node]
    return [[_plain(own[name]), _plain(weight[name]), _plain(base[name])] for name in names]


def _order(tree: CallTree, line: set[int] | None) -> list[int]:
    """Nodes from heavy to light; a parent is never lighter than its child, and has the smaller number."""
    base = tree.base or tree.weight
    heavy = [max(one, other) for one, other in zip(tree.weight, base, strict=True)]
    nodes = [node for node, weight in enumerate(heavy) if weight > 0 and (line is None or node in line)]
    # The sort is stable: among equals the smaller number, which is the parent, stays first.
    return sorted(nodes, key=heavy.__getitem__, reverse=True)


def _line_of(tree: CallTree, root: int) -> set[int]:
    """The node, its ancestors and its descendants. Empty for an unknown number."""
    if not 0 <= root < len(tree.parent):
        return set()
    inside = {root}
    for node in range(root + 1, len(tree.parent)):
        if tree.parent[node] in inside:
            inside.add(node)
    above = tree.parent[root]
    while above >= 0:
        inside.add(above)
        above = tree.parent[above]
    return inside


def _plain(value: float) -> float | int:
    """Integers without a point, others with three decimals."""
    return int(value) if value == int(value) else round(value, 3)


def collapsed(profiles: StoredProfiles, chosen: Chosen) -> Sequence[str]:
    """The selected stacks as lines `frame;frame count`, the format of other viewers."""
    counted: dict[int, float] = {}
    for leaf in profiles.leaves:
        if chosen(profiles.samplings[leaf.sampling], leaf):
            counted[leaf.node] = counted.get(leaf.node, 0.0) + leaf.weight
    return [f"{';'.join(_stack(profiles, node))} {_plain(weight)}" for node, weight in sorted(counted.items())]


def _stack(profiles: StoredProfiles, node: int) -> list[str]:
    frames: list[str] = []
    while node >= 0:
        frames.append(show_controls(profiles.names[profiles.name[node]]).replace(";", ","))
        node = profiles.parent[node]
    return frames[::-1]
