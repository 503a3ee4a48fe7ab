"""The tree of frames that many stacks share, by column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from diagnostics.aggregators.stack_samples import CODE, CODE_OCTETS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StackTree:
    """The nodes of the first stacks; a node is numbered when the first stack that has it comes.

    parent, code  for each node its parent (-1 for a root), which has a lower number, and its frame
    end           for each stack that is in the tree the node of its top frame
    """

    parent: Numbers
    code: Numbers
    end: Numbers


def stack_codes(frames: pa.Array) -> tuple[Numbers, Numbers, Numbers]:
    """The codes of all stacks, and where those of each begin and how many they are."""
    import numpy as np

    _, offsets, octets = frames.buffers()
    bounds = np.frombuffer(offsets, np.int32, len(frames) + 1, frames.offset * 4).astype(np.int64) // CODE_OCTETS
    codes = np.frombuffer(octets, CODE, bounds[-1]).astype(np.int64)
    return codes, bounds[:-1], np.diff(bounds)


def stack_tree(frames: pa.Array, most: int) -> StackTree:
    """The tree of stacks, up to the one with which it has `most` nodes.

    frames  each stack's frames as CODEs, root first, at least one
    """
    import numpy as np
    import pyarrow.compute as pc

    order = pc.sort_indices(frames).to_numpy().astype(np.int64)
    codes, starts, lengths = stack_codes(frames.take(order))
    shared = _shared_with_previous(codes, starts, lengths)
    # In sorted order each stack adds the nodes below what it shares with the previous one: a preorder of the tree.
    added = lengths - shared
    ends = np.cumsum(added)
    stack_of = np.repeat(np.arange(len(lengths)), added)
    depth = np.arange(ends[-1]) - (ends - added)[stack_of] + shared[stack_of]
    code = codes[starts[stack_of] + depth]
    # The previous stack has the same frames where a stack adds no node.
    end = ends - 1
    parent, by_depth, begins = _parents(depth)

    first = np.full(len(depth), len(order))
    np.minimum.at(first, end, order)
    for begin, until in reversed(list(pairwise(begins[1:]))):
        nodes = by_depth[begin:until]
        np.minimum.at(first, parent[nodes], first[nodes])

    added_by = np.bincount(first, minlength=len(order))
    kept = int(np.searchsorted(np.cumsum(added_by) - added_by, most))
    nodes = np.lexsort((depth, first))[: added_by[:kept].sum()]
    number = np.full(len(depth) + 1, -1)  # of no parent, too
    number[nodes] = np.arange(len(nodes))
    end_of = np.empty(len(order), np.int64)
    end_of[order] = end
    return StackTree(number[parent[nodes]], code[nodes].astype(np.int64), number[end_of[:kept]])


def _shared_with_previous(codes: Numbers, starts: Numbers, lengths: Numbers) -> Numbers:
    """The number of frames from the root that each stack has in common with the one before it."""
    import numpy as np

    shared = np.zeros(len(lengths), np.int64)
    shorter = np.zeros(len(lengths), np.int64)
    shorter[1:] = np.minimum(lengths[1:], lengths[:-1])
    equal, depth = np.flatnonzero(shorter), 0
    while len(equal):
        equal = equal[codes[starts[equal] + depth] == codes[starts[equal - 1] + depth]]
        depth += 1
        shared[equal] = depth
        equal = equal[shorter[equal] > depth]
    return shared


def _parents(depth: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The parent of each node of a preorder: the last node before it that is one level nearer to the root.

    Gives  the parents, the nodes by depth, and where each depth begins among these
    """
    import numpy as np

    by_depth = np.argsort(depth, kind="stable")
    begins = np.append(0, np.cumsum(np.bincount(depth)))
    place = depth[by_depth] * len(depth) + by_depth
    at = np.searchsorted(place, (depth - 1) * len(depth) + np.arange(len(depth))) - 1
    return np.where(depth > 0, by_depth[at], -1), by_depth, begins
