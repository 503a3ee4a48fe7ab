"""The tree of frames by column is the one that adding stack after stack makes."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.aggregators.stack_samples import CODE
from diagnostics.profiles.stack_tree import stack_tree


def added_one_by_one(stacks: list[list[int]], most: int) -> tuple[list[int], list[int], list[int]]:
    nodes: dict[tuple[int, int], int] = {}
    parent: list[int] = []
    code: list[int] = []
    end: list[int] = []
    for stack in stacks:
        if len(parent) >= most:
            break
        node = -1
        for frame in stack:
            if (node, frame) not in nodes:
                nodes[node, frame] = len(parent)
                parent.append(node)
                code.append(frame)
            node = nodes[node, frame]
        end.append(node)
    return parent, code, end


@pytest.mark.parametrize("most", [1, 7, 40, 10_000])
def test_nodes_are_numbered_in_the_order_of_the_stacks_and_end_with_the_bound(most: int) -> None:
    for seed in range(50):
        chance = random.Random(seed)
        stacks = [
            [chance.randrange(chance.choice([2, 300])) for _ in range(chance.randint(1, 9))]
            for _ in range(chance.randint(1, 40))
        ]
        stacks += chance.choices(stacks, k=5)
        tree = stack_tree(pa.array([np.array(each, CODE).tobytes() for each in stacks], pa.binary()), most)
        assert (tree.parent.tolist(), tree.code.tolist(), tree.end.tolist()) == added_one_by_one(stacks, most), seed
