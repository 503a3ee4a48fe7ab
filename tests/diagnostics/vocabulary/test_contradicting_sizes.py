"""Sizes that cannot be meant."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.contradicting_settings import contradictions

METASPACE = "taskmanager.memory.jvm-metaspace.size"


@pytest.mark.parametrize(("size", "is_too_small"), [("22960020b", True), ("24 mb", True), ("48m", False), ("?", False)])
def test_a_metaspace_that_flinks_own_classes_fill_cannot_be_meant(size: str, is_too_small: bool) -> None:
    entry = contradictions()["metaspace-below-classes"]

    assert entry.holds({METASPACE: size}, is_complete=False) is is_too_small


def test_a_configuration_that_states_no_metaspace_has_its_default() -> None:
    assert not contradictions()["metaspace-below-classes"].holds({"parallelism.default": "2"}, is_complete=True)
